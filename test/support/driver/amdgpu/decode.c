// Instructions of a disassembler's text.
#include "test/support/driver/amdgpu/code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

//===-- Names ----------------------------------------------------------------------------------------------------===//

static const struct {
  const char *name, *means;
} renamed[] = {
#define RENAMED(name, means) {name, means},
#include "test/support/driver/amdgpu/renamed.def"
};

static const char *first_name(const char *name) {
  for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
    if (strcmp(renamed[i].name, name) == 0)
      return renamed[i].means;
  return name;
}

static bool cut(char *name, const char *suffix) {
  size_t length = strlen(name), of_suffix = strlen(suffix);
  if (length <= of_suffix || strcmp(name + length - of_suffix, suffix) != 0)
    return false;
  name[length - of_suffix] = 0;
  return true;
}

// Takes off what says how it is encoded, not what it does.
static void cut_encoding(char *name, instruction_t *out) {
  if (cut(name, "_dpp8") || cut(name, "_dpp"))
    out->dpp_kind = out->dpp_kind ? out->dpp_kind : NO_DPP;
  out->is_sdwa = cut(name, "_sdwa");
  out->is_compact = cut(name, "_e32");
  cut(name, "_e64");
  cut(name, "_w32");
  cut(name, "_w64");
}

bool handler_find(const handler_t *handlers, size_t n, const char *name, instruction_t *instruction) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(handlers[i].name, name) == 0) {
      instruction->name = handlers[i].name;
      instruction->carry_out = handlers[i].carry_out;
      return true;
    }
  return false;
}

bool find_row(const amdgpu_program_t *program, instruction_t *instruction, const char *name) {
  static table_t *const tables[] = {vector_find, scalar_find, memory_find_row, matrix_find, across_find, control_find};
  char single[64] = "v_"; // half of a pair
  if (strncmp(name, "v_dual_", 7) == 0)
    name = strncat(single, name + 7, sizeof single - 3);
  name = first_name(name);
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    if (tables[i](program, name, instruction))
      return true;
  return false;
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

static const struct {
  const char *name;
  uint16_t index, count;
} special[] = {
    {"vcc", VCC, 2},
    {"vcc_lo", VCC, 1},
    {"vcc_hi", VCC + 1, 1},
    {"exec", EXEC, 2},
    {"exec_lo", EXEC, 1},
    {"exec_hi", EXEC + 1, 1},
    {"m0", M0, 1},
    {"null", NOWHERE, 1},
    {"scc", SCC, 1},
    {"src_scc", SCC, 1},
    {"src_shared_base", SHARED_BASE, 2},
    {"src_shared_limit", SHARED_LIMIT, 2},
    {"src_private_base", PRIVATE_BASE, 2},
    {"src_private_limit", PRIVATE_LIMIT, 2},
    {"flat_scratch", FLAT_SCRATCH, 2},
    {"flat_scratch_lo", FLAT_SCRATCH, 1},
    {"flat_scratch_hi", FLAT_SCRATCH + 1, 1},
    {"src_vccz", VCCZ, 1},
    {"src_execz", EXECZ, 1},
    {"src_flat_scratch_base_lo", FLAT_SCRATCH, 1},
    {"src_flat_scratch_base_hi", FLAT_SCRATCH + 1, 1},
};

// "[2:3]" or "7", then perhaps ".l" or ".h".
static bool parse_register(const char *text, operand_kind_t kind, unsigned base, operand_t *out) {
  char *end;
  bool is_range = *text == '[';
  unsigned long first = strtoul(text + is_range, &end, 10), last = first;
  if (end == text + is_range)
    return false;
  if (is_range && *end == ':')
    last = strtoul(end + 1, &end, 10);
  end += is_range && *end == ']';
  if (end[0] == '.' && (end[1] == 'l' || end[1] == 'h')) {
    out->half = end[1] == 'l' ? 1 : 2;
    end += 2;
  }
  out->kind = kind;
  out->index = (uint16_t)(base + first);
  out->count = (uint16_t)(last - first + 1);
  return *end == 0;
}

static bool parse_number(const char *text, operand_t *out) {
  char *end;
  bool is_hexadecimal = strncmp(text, "0x", 2) == 0;
  if (!is_hexadecimal && strchr(text, '.')) {
    out->kind = REAL;
    out->real = strtod(text, &end);
    return *end == 0;
  }
  out->kind = INTEGER;
  out->integer = is_hexadecimal ? (int64_t)strtoull(text, &end, 16) : strtoll(text, &end, 10);
  return end != text && *end == 0;
}

// "lit(0x40)", "lit64(0x40)"
static bool parse_literal(char *text, operand_t *out) {
  char *open = strchr(text, '(');
  size_t length = strlen(text);
  if (strncmp(text, "lit", 3) != 0 || !open || text[length - 1] != ')')
    return false;
  text[length - 1] = 0;
  return parse_number(open + 1, out);
}

static bool parse_plain(char *text, operand_t *out) {
  if (strcmp(text, "off") == 0) {
    out->kind = OFF;
    return true;
  }
  for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
    if (strcmp(special[i].name, text) == 0) {
      out->kind = SCALAR;
      out->index = special[i].index;
      out->count = special[i].count;
      return true;
    }
  if (strncmp(text, "ttmp", 4) == 0)
    return parse_register(text + 4, SCALAR, TTMP, out);
  if (text[0] == 'v' && (isdigit(text[1]) || text[1] == '['))
    return parse_register(text + 1, VECTOR, 0, out);
  if (text[0] == 'a' && (isdigit(text[1]) || text[1] == '['))
    return parse_register(text + 1, VECTOR, ACCUMULATORS, out);
  if (text[0] == 's' && (isdigit(text[1]) || text[1] == '['))
    return parse_register(text + 1, SCALAR, 0, out);
  return parse_literal(text, out) || parse_number(text, out);
}

static bool parse_operand(char *text, operand_t *out) {
  size_t length = strlen(text);
  if (text[0] == '-' && length > 1 && !isdigit(text[1])) {
    out->negative = true;
    text++;
    length--;
  }
  if (strncmp(text, "neg(", 4) == 0 && text[length - 1] == ')') {
    text[length - 1] = 0;
    text += 4;
    length -= 5;
    out->negative = true;
  }
  if (text[0] == '|' && length > 2) {
    out->absolute = true;
    text[length - 1] = 0;
    text++;
    length -= 2;
  }
  if (strncmp(text, "sext(", 5) == 0 && text[length - 1] == ')') {
    out->is_signed = true;
    text[length - 1] = 0;
    text += 5;
  }
  return parse_plain(text, out);
}

//===-- Modifiers ------------------------------------------------------------------------------------------------===//

static unsigned select_of(const char *text) {
  static const char *const names[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], text) == 0)
      return i;
  return SELECT_DWORD;
}

static unsigned parse_list(const char *text, uint8_t *out, unsigned capacity) {
  unsigned n = 0;
  for (text += *text == '['; *text && n < capacity; text += *text == ',') {
    char *end;
    out[n++] = (uint8_t)strtoul(text, &end, 10);
    if (end == text)
      break;
    text = end;
  }
  return n;
}

static uint8_t parse_bits(const char *text) {
  uint8_t bits[8] = {0}, mask = 0;
  unsigned n = parse_list(text, bits, 8);
  for (unsigned i = 0; i < n; i++)
    mask |= (uint8_t)((bits[i] & 1) << i);
  return mask;
}

static bool parse_dpp(const char *key, const char *value, instruction_t *out) {
  static const struct {
    const char *key;
    dpp_kind_t kind;
  } kinds[] = {{"quad_perm", QUAD_PERM},
               {"row_shl", ROW_SHL},
               {"row_shr", ROW_SHR},
               {"row_ror", ROW_ROR},
               {"wave_shl", WAVE_SHL},
               {"wave_rol", WAVE_ROL},
               {"wave_shr", WAVE_SHR},
               {"wave_ror", WAVE_ROR},
               {"row_mirror", ROW_MIRROR},
               {"row_half_mirror", ROW_HALF_MIRROR},
               {"row_bcast", ROW_BCAST},
               {"row_newbcast", ROW_NEWBCAST},
               {"row_share", ROW_SHARE},
               {"row_xmask", ROW_XMASK},
               {"dpp8", DPP8}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strcmp(kinds[i].key, key) == 0) {
      out->dpp_kind = kinds[i].kind;
      parse_list(value, out->dpp, N_DPP);
      return true;
    }
  return false;
}

// Those that change nothing that is computed: hints of caches and of the scheduler.
static bool is_hint(const char *key) {
  static const char *const hints[] = {"glc", "slc", "dlc", "sc0", "sc1", "nt", "scc", "th", "scope", "nv", "r128"};
  for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
    if (strcmp(hints[i], key) == 0)
      return true;
  return false;
}

// |value| is "" where there is none.
static bool parse_modifier(const amdgpu_program_t *program, const char *key, const char *value, instruction_t *out) {
  int32_t number = (int32_t)strtol(value, NULL, 0);
  if (strcmp(key, "offset") == 0 || strcmp(key, "offset0") == 0)
    out->offset = number;
  else if (strcmp(key, "offset1") == 0)
    out->offset1 = number;
  else if (strcmp(key, "op_sel") == 0)
    out->op_sel = parse_bits(value);
  else if (strcmp(key, "op_sel_hi") == 0) {
    out->op_sel_hi = parse_bits(value);
    out->has_op_sel_hi = true;
  } else if (strcmp(key, "neg_lo") == 0)
    out->neg_lo = parse_bits(value);
  else if (strcmp(key, "neg_hi") == 0)
    out->neg_hi = parse_bits(value);
  else if (strcmp(key, "clamp") == 0)
    out->clamp = true;
  else if (strcmp(key, "mul") == 0)
    out->output_scale = number == 2 ? 1 : 2;
  else if (strcmp(key, "div") == 0)
    out->output_scale = 3;
  else if (strcmp(key, "offen") == 0)
    out->offen = true;
  else if (strcmp(key, "idxen") == 0)
    out->idxen = true;
  else if (strcmp(key, "row_mask") == 0)
    out->row_mask = (uint8_t)number;
  else if (strcmp(key, "bank_mask") == 0)
    out->bank_mask = (uint8_t)number;
  else if (strcmp(key, "bound_ctrl") == 0)
    out->has_dpp_bound = true;
  else if (strcmp(key, "fi") == 0)
    return number == 0;
  else if (strcmp(key, "dst_sel") == 0)
    out->select[0] = (uint8_t)select_of(value);
  else if (strcmp(key, "src0_sel") == 0)
    out->select[1] = (uint8_t)select_of(value);
  else if (strcmp(key, "byte_sel") == 0)
    out->select[1] = (uint8_t)(SELECT_BYTE_0 + number);
  else if (strcmp(key, "src1_sel") == 0)
    out->select[2] = (uint8_t)select_of(value);
  else if (strcmp(key, "dst_unused") == 0)
    out->unused = strcmp(value, "UNUSED_PAD") == 0    ? UNUSED_PAD
                  : strcmp(value, "UNUSED_SEXT") == 0 ? UNUSED_SEXT
                                                      : UNUSED_PRESERVE;
  else if (strcmp(key, "cbsz") == 0)
    out->modifiers |= (uint32_t)number;
  else if (strcmp(key, "bitop3") == 0)
    out->modifiers = (uint32_t)number;
  else if (strcmp(key, "abid") == 0)
    out->modifiers |= (uint32_t)number << 8;
  else if (strcmp(key, "blgp") == 0)
    out->modifiers |= (uint32_t)number << 16;
  else if (strcmp(key, "neg") == 0) // of the f64 products
    out->neg_lo = parse_bits(value);
  else if (strcmp(key, "lds") == 0)
    out->to_lds = true;
  else if (is_hint(key)) // atomics return what was there
    out->returns |= strcmp(key, program->arch >= 0x940 && program->generation == 9 ? "sc0" : "glc") == 0 ||
                    strcmp(value, "TH_ATOMIC_RETURN") == 0;
  else
    return parse_dpp(key, value, out);
  return true;
}

//===-- Lines ----------------------------------------------------------------------------------------------------===//

// The next word at |*at|: up to a space or comma that is in no brackets. False at the end.
static bool next_word(char **at, char **out_word, bool *out_comma) {
  while (**at == ' ' || **at == '\t')
    ++*at;
  if (!**at)
    return false;
  *out_word = *at;
  int depth = 0;
  for (; **at; ++*at) {
    depth += **at == '[' || **at == '(';
    depth -= **at == ']' || **at == ')';
    if (!depth && (**at == ' ' || **at == ','))
      break;
  }
  *out_comma = **at == ',';
  if (**at)
    *(*at)++ = 0;
  return true;
}

static bool is_wait(const char *name) { return strncmp(name, "s_waitcnt", 9) == 0 || strncmp(name, "s_wait_", 7) == 0; }

// "vmcnt(2)" and the like.
static bool parse_waits(const char *name, char *rest, instruction_t *out) {
  static const struct {
    const char *name;
    counter_t counter;
  } counters[] = {{"vmcnt", COUNT_LOAD}, {"lgkmcnt", COUNT_LDS},  {"loadcnt", COUNT_LOAD}, {"storecnt", COUNT_STORE},
                  {"dscnt", COUNT_LDS},  {"kmcnt", COUNT_SCALAR}, {"vscnt", COUNT_STORE}};
  memset(out->waits, NO_WAIT, sizeof out->waits);
  const char *last = strrchr(rest, ' ');
  for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
    const char *in_text = strstr(rest, counters[i].name), *in_name = strstr(name, counters[i].name);
    if (in_text && in_text[strlen(counters[i].name)] == '(')
      out->waits[counters[i].counter] = (uint8_t)strtoul(in_text + strlen(counters[i].name) + 1, NULL, 0);
    else if (in_name)
      out->waits[counters[i].counter] = (uint8_t)strtoul(last ? last + 1 : rest, NULL, 0);
  }
  // s_wait_loadcnt_dscnt and s_wait_storecnt_dscnt have two numbers in one.
  if (strstr(name, "cnt_dscnt")) {
    unsigned value = (unsigned)strtoul(rest, NULL, 0);
    out->waits[COUNT_LDS] = value & 63;
    out->waits[strstr(name, "load") ? COUNT_LOAD : COUNT_STORE] = value >> 8 & 63;
  }
  return strcmp(name, "s_waitcnt") != 0 || strchr(rest, '(');
}

static bool parse_rest(const amdgpu_program_t *program, char *rest, instruction_t *out) {
  char *word;
  bool comma = false;
  while (next_word(&rest, &word, &comma)) {
    char *colon = strchr(word, ':'), *bracket = strchr(word, '[');
    bool is_pair = colon && (!bracket || colon < bracket);
    if (is_pair)
      *colon = 0;
    if (out->n_operands < MAX_OPERANDS && !is_pair && parse_operand(word, &out->operands[out->n_operands])) {
      out->n_operands++;
      continue;
    }
    out->operands[out->n_operands < MAX_OPERANDS ? out->n_operands : 0].negative = false;
    if (!parse_modifier(program, word, is_pair ? colon + 1 : "", out))
      return false;
  }
  return true;
}

static bool decode_one(const amdgpu_program_t *program, char *text, instruction_t *out) {
  char *name = text, *rest = text + strcspn(text, " \t");
  if (*rest)
    *rest++ = 0;
  *out = (instruction_t){.row_mask = 0xF, .bank_mask = 0xF};
  cut_encoding(name, out);
  if (!find_row(program, out, name))
    return false;
  if (is_wait(name))
    return parse_waits(name, rest, out);
  bool is_hint = control_find(program, name, out) && !strstr(name, "branch") && !strstr(name, "pc_b64");
  return is_hint || (parse_rest(program, rest, out) && (!out->to_lds || memory_load_to_lds(name, out)));
}

bool decode(const amdgpu_program_t *program, const char *text, instruction_t *out) {
  char copy[256];
  strncpy(copy, text, sizeof copy - 1);
  copy[sizeof copy - 1] = 0;
  char *second = strstr(copy, " :: ");
  if (second) {
    *second = 0;
    second += 4;
  }
  if (!decode_one(program, copy, out))
    return false;
  if (!second)
    return true;
  out->also = malloc(sizeof *out->also);
  return out->also && decode_one(program, second, out->also);
}
