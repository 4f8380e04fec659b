// See parts.h.
#include "passes/strata/parts.h"

#include "dialects/pointer_map.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/parallel.h"
#include "passes/target.h"

enum {
  MAX_TAIL = 64,           // ops looked at behind each part
  LEAST_RESULTS = 1 << 16, // of all parts: fewer are copied in the time of a launch, and products of fewer do not fill
                           // a card, so that each would be computed in two steps
};

//===-- Meeting --------------------------------------------------------------------------------------------------===//

// Marks the elementwise ops behind |value| as reached by |part|; true if one was reached by another.
static bool meets_another(strata_pointer_map_t *reached, MlirValue value, int64_t part, int *budget) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!strata_is_elementwise(strata_op_id(user)) || (*budget)-- <= 0)
      continue;
    int64_t *by = strata_pointer_map_put(reached, user.ptr);
    if (*by == part)
      continue;
    if (*by != 0)
      return true;
    *by = part;
    if (meets_another(reached, strata_result(user), part, budget))
      return true;
  }
  return false;
}

bool strata_parts_meet(strata_arena_t *arena, size_t n, const strata_part_t *parts) {
  strata_pointer_map_t reached = strata_pointer_map_create(arena);
  for (size_t i = 0; i < n; i++) {
    int budget = MAX_TAIL;
    for (size_t j = 0; j < parts[i].count; j++)
      if (meets_another(&reached, parts[i].data[j], (int64_t)i + 1, &budget))
        return true;
  }
  return false;
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

// Where the values behind a part are stored.
typedef struct {
  bool is_apart;        // at several places, or one of the function's results
  MlirOperation concat; // of which it is a piece; null: none
  MlirOperation whole;  // the last concat that this is a piece of
  int64_t at;           // in the whole
  bool is_dear;         // behind an op like exp, with which a product shares no launch
  int budget;
} place_t;

static bool keeps_elements(MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  return id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE || strata_is_elementwise(id);
}

// Where in the concat that reads it the piece |use| begins.
static int64_t start_of(MlirOpOperand use) {
  MlirOperation concat = mlirOpOperandGetOwner(use);
  int64_t sizes[STRATA_MAX_RANK] = {0};
  if (mlirOpOperandGetOperandNumber(use) == 0)
    return 0;
  strata_sizes_of(strata_operand(concat, 0), sizes);
  return sizes[strata_attr_i64(concat, "axis", 0)];
}

static void add_concat(place_t *place, MlirOpOperand use) {
  bool is_first = mlirOperationIsNull(place->concat);
  place->is_apart |= !is_first && !mlirOperationEqual(place->concat, mlirOpOperandGetOwner(use));
  place->concat = place->whole = mlirOpOperandGetOwner(use);
  place->at = start_of(use);
  while (strata_value_has_one_use(strata_result(place->whole))) {
    use = mlirValueGetFirstUse(strata_result(place->whole));
    if (strata_op_id(mlirOpOperandGetOwner(use)) != STRATA_OP_CONCAT)
      return;
    place->whole = mlirOpOperandGetOwner(use);
    place->at += start_of(use);
  }
}

static void find_place(place_t *place, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!strata_op_is_pure(user)) {
      place->is_apart = true;
    } else if (strata_op_id(user) == STRATA_OP_CONCAT) {
      add_concat(place, use);
    } else if (keeps_elements(user) && place->budget-- > 0) {
      place->is_dear |= strata_is_dear_op(strata_op_info[strata_op_id(user)].float_body);
      find_place(place, strata_result(user));
    }
  }
}

// Sorts part |i| into the order of those before it.
static void sort_in(int *order, place_t *places, int i) {
  for (; i > 0 && places[order[i - 1]].at > places[order[i]].at; i--) {
    int part = order[i];
    order[i] = order[i - 1];
    order[i - 1] = part;
  }
}

// True if the shared operand's rows come in bulk, as those of products have to that share a launch.
static bool has_aligned_rows(MlirOperation contract) {
  enum { UNIT = 16 };
  strata_dim_t dims[STRATA_MAX_RANK];
  int64_t row = strata_type_storage_size(strata_shape_of(strata_operand(contract, 0)).type, 1), size;
  int n = strata_contract_dims(contract, dims);
  for (int i = strata_shape_of(strata_result(contract)).rank; i < n; i++)
    row *= strata_dim_is_constant(dims[i], &size) ? size : 1;
  return row % UNIT == 0;
}

// Launches of the parts as products of their own.
static double count_launches(const strata_gpu_device_t *device, MlirOperation contract, size_t n,
                             const place_t *places) {
  bool is_pipelined = device->mma_async[0];
  double n_alone = 0;
  for (size_t i = 0; i < n; i++)
    n_alone += is_pipelined && (places[i].is_dear || !has_aligned_rows(contract));
  return n_alone + (n_alone < (double)n);
}

// Whether what is not copied is worth the launches beyond those of a product and a copy.
static strata_status_t pays_apart(strata_compile_t *compile, MlirOperation contract, size_t n,
                                  const strata_part_t *parts, const place_t *places, bool *out_pays) {
  const strata_gpu_device_t *device;
  double results = 0, bytes = 0;
  for (size_t i = 0; i < n; i++) {
    strata_shape_t shape = strata_shape_of(parts[i].data[0]);
    results += (double)strata_shape_count(&shape);
    bytes += 2 * (double)strata_type_storage_size(shape.type, strata_shape_count(&shape));
  }
  *out_pays = results >= LEAST_RESULTS;
  if (!strata_target_is_gpu(compile))
    return NULL;
  STRATA_TRY(strata_gpu_device(compile, &device));
  double more = count_launches(device, contract, n, places) - 2;
  *out_pays &= bytes >= more * device->costs->launches.part_seconds * (double)device->bandwidth;
  return NULL;
}

static void keep_order(size_t n, int *order) {
  for (size_t i = 0; i < n; i++)
    order[i] = (int)i;
}

// Parts that can share a launch; the cpu's, which are many tasks each, need not.
static strata_status_t most_parts(strata_compile_t *compile, size_t *out_most) {
  enum { CPU_PARTS = 8 };
  const strata_gpu_device_t *device;
  *out_most = CPU_PARTS;
  if (!strata_target_is_gpu(compile))
    return NULL;
  STRATA_TRY(strata_gpu_device(compile, &device));
  *out_most = device->mma_async[0] ? STRATA_MAX_TOGETHER : STRATA_MAX_PLACED;
  return NULL;
}

strata_status_t strata_parts_are_placed(strata_compile_t *compile, MlirOperation contract, size_t n,
                                        const strata_part_t *parts, int *out_order, bool *out_placed) {
  place_t places[STRATA_MAX_PLACED] = {0};
  bool are_apart = false;
  *out_placed = false;
  keep_order(n, out_order);
  size_t most;
  STRATA_TRY(most_parts(compile, &most));
  for (size_t i = 0; i < n && n <= most; i++) {
    places[i].budget = MAX_TAIL;
    for (size_t j = 0; j < parts[i].count; j++)
      find_place(&places[i], parts[i].data[j]);
    bool is_neighbour = n == 2 ? mlirOperationEqual(places[i].concat, places[0].concat)
                               : mlirOperationEqual(places[i].whole, places[0].whole);
    are_apart |= places[i].is_apart || !is_neighbour;
    sort_in(out_order, places, (int)i);
  }
  if (!are_apart)
    return NULL;
  keep_order(n, out_order);
  return pays_apart(compile, contract, n, parts, places, out_placed);
}
