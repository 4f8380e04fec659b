// --resource-usage: what the library takes, as a table.
#include "targets/library/emit.h"

#include <elf.h>
#include <string.h>

// Bytes of the functions called |name| or its entry; their symbols' sizes tell.
static uint64_t code_size(const strata_cpu_object_t *object, const strata_program_kernel_t *kernel) {
  const char *data = object->data;
  const Elf64_Ehdr *header = (const void *)data;
  const Elf64_Shdr *sections = (const void *)(data + header->e_shoff);
  uint64_t size = 0;
  for (size_t i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Sym *symbols = (const void *)(data + sections[i].sh_offset);
    const char *names = data + sections[sections[i].sh_link].sh_offset;
    for (size_t j = 0; j < sections[i].sh_size / sizeof *symbols; j++) {
      const char *name = names + symbols[j].st_name;
      if (strcmp(name, kernel->symbol) == 0 || strcmp(name, kernel->entry) == 0)
        size += symbols[j].st_size;
    }
  }
  return size;
}

static int64_t stack_size(const strata_cpu_objects_t *objects, const strata_program_kernel_t *kernel) {
  int64_t size = 0;
  for (size_t i = 0; i < objects->stacks.count; i++) {
    const strata_cpu_stack_t *stack = &objects->stacks.data[i];
    if (strcmp(stack->function, kernel->symbol) == 0 || strcmp(stack->function, kernel->entry) == 0)
      size += stack->bytes;
  }
  return size;
}

// A number as text; |text| has room for it.
enum { NUMBER_LENGTH = 24 };
static const char *print_number(strata_number_t number, char *text) {
  if (strata_number_varies(number))
    return "varies";
  snprintf(text, NUMBER_LENGTH, "%lld", (long long)number);
  return text;
}

static void print_kernel(const strata_program_kernel_t *kernel, const strata_cpu_objects_t *objects, FILE *file) {
  char tasks[NUMBER_LENGTH];
  uint64_t code = 0;
  for (size_t i = 0; i < objects->count; i++)
    code += code_size(&objects->data[i], kernel);
  fprintf(file, "%-24s %8s %8llu %8lld %8lld\n", kernel->symbol, print_number(kernel->tasks, tasks),
          (unsigned long long)code, (long long)stack_size(objects, kernel), (long long)kernel->scratch_size);
}

static void print_totals(const strata_program_t *program, FILE *file) {
  fprintf(file, "launches    %lld, and %zu of the preparation, at compile time\n",
          (long long)strata_program_count_launches(&program->main), program->prepare.count);
  fprintf(file, "weights     %lld bytes\n", (long long)program->weights_size);
  char pool[NUMBER_LENGTH];
  if (strata_number_varies(program->pool_size))
    fprintf(file,
            "pool        varies; at likely sizes at most %lld bytes live at a time, without sharing it would be %lld\n",
            (long long)program->pool_live, (long long)program->pool_sum);
  else
    fprintf(file, "pool        %s bytes; at most %lld live at a time, without sharing it would be %lld\n",
            print_number(program->pool_size, pool), (long long)program->pool_live, (long long)program->pool_sum);
}

void strata_program_print_resources(const strata_program_t *program, const strata_cpu_objects_t *objects, FILE *file) {
  fprintf(file, "%-24s %8s %8s %8s %8s\n", "kernel", "tasks", "code", "stack", "scratch");
  for (size_t i = 0; i < program->kernels.count; i++)
    print_kernel(&program->kernels.data[i], objects, file);
  print_totals(program, file);
  fprintf(file, "scratch     %lld bytes a thread\n", (long long)program->scratch_size);
}

//===-- GPUs -----------------------------------------------------------------------------------------------------===//

static const strata_gpu_resources_t *find_resources(const strata_gpu_binary_t *binary, const char *kernel) {
  for (size_t i = 0; i < binary->n_resources; i++)
    if (strcmp(binary->resources[i].kernel, kernel) == 0)
      return &binary->resources[i];
  return NULL;
}

void strata_program_print_gpu_resources(const strata_program_t *program, FILE *file) {
  const strata_gpu_binary_t *binary = &program->gpu->binary;
  fprintf(file, "%s, %s\n%-24s %8s %8s %8s %8s %8s %8s\n", program->gpu->device->name,
          binary->assembler ? binary->assembler : "no assembler", "kernel", "blocks", "threads", "regs", "shared",
          "stack", "spills");
  for (size_t i = 0; i < program->kernels.count; i++) {
    const strata_program_kernel_t *kernel = &program->kernels.data[i];
    const strata_gpu_resources_t *resources = find_resources(binary, kernel->symbol);
    char blocks[NUMBER_LENGTH];
    fprintf(file, "%-24s %8s %8lld", kernel->symbol, print_number(kernel->tasks, blocks), (long long)kernel->threads);
    if (resources)
      fprintf(file, " %8lld %8lld %8lld %8lld", (long long)resources->registers,
              (long long)(kernel->shared + resources->shared), (long long)resources->stack,
              (long long)resources->spills);
    fputc('\n', file);
  }
  if (binary->complaints)
    fputs(binary->complaints, file);
  print_totals(program, file);
}
