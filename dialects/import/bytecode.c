// Modules read in a process of its own; see bytecode.h.
#define _GNU_SOURCE // memfd_create, close_range
#include "dialects/import/bytecode.h"

#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 3, BYTES_A_SECOND = 1 << 20 }; // of processor time that the reader is given, and how slow it may be
enum { IS_MODULE, IS_ERROR, IS_NOTHING };       // what its process wrote: its exit status

bool strata_is_bytecode(const void *data, size_t size) { return size >= 4 && memcmp(data, "ML\xefR", 4) == 0; }

//===-- The reader's process -------------------------------------------------------------------------------------===//

// Leaves nothing open but |fd|, at the place returned: what the compile does where memory runs out, and the C library
// where it finds its heap damaged, is told nobody.
static int keep_only(int fd) {
  fd = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
  int nowhere = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= STDERR_FILENO; standard++)
    dup2(nowhere, standard);
  if (fd > STDERR_FILENO + 1)
    close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0);
  close_range((unsigned)fd + 1, ~0U, 0);
  return fd;
}

static void limit_time(size_t size) {
  rlim_t seconds = SECONDS + size / BYTES_A_SECOND;
  struct rlimit limit;
  if (getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur > seconds) {
    limit.rlim_cur = seconds; // those that the process before has used do not count
    setrlimit(RLIMIT_CPU, &limit);
  }
}

static void print_module(MlirModule module, FILE *file) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsEnableDebugInfo(flags, true, false); // the names of nodes
  mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, strata_text_write, file);
  mlirOpPrintingFlagsDestroy(flags);
}

// What is read, and what for.
typedef struct {
  strata_compile_t *compile;
  const char *path;
  size_t size;
  bool is_printed;
  const char *failure; // what errors begin with
} reader_t;

static _Noreturn void run_reader(const reader_t *r, int fd) {
  fd = keep_only(fd);
  limit_time(r->size);
  mlirContextEnableMultithreading(r->compile->context, false);
  FILE *file = fdopen(fd, "w");
  if (!file)
    _exit(IS_NOTHING);
  MlirModule module = mlirModuleCreateParseFromFile(r->compile->context, strata_str(r->path));
  int what = mlirModuleIsNull(module) ? IS_ERROR : IS_MODULE;
  if (what == IS_ERROR)
    fputs(strata_status_message(strata_compile_take_diagnostics(r->compile, "not a module")), file);
  else if (r->is_printed)
    print_module(module, file);
  fputc(0, file);
  _exit(fflush(file) == 0 ? what : IS_NOTHING);
}

//===-- This process ---------------------------------------------------------------------------------------------===//

// What the process wrote to |fd|, with a zero at its end.
static strata_status_t take_text(const reader_t *r, int fd, const char **out_text, size_t *out_size) {
  struct stat info;
  if (fstat(fd, &info) != 0 || info.st_size == 0)
    return strata_error(STRATA_PARSE, "%s: its reader wrote nothing", r->failure);
  size_t size = (size_t)info.st_size;
  const char *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED)
    return strata_error(STRATA_IO, "cannot map a module's text: %s", strerror(errno));
  *out_text = strata_arena_copy(r->compile->arena, mapped, size);
  *out_size = size - 1;
  munmap((void *)(uintptr_t)mapped, size);
  return NULL;
}

static strata_status_t wait_for_reader(const reader_t *r, pid_t pid, int fd, const char **out_text, size_t *out_size) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return strata_error(STRATA_PARSE, "%s: its reader came to no end", r->failure);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > IS_ERROR)
    return strata_error(STRATA_PARSE, "%s: its reader failed", r->failure);
  STRATA_TRY(take_text(r, fd, out_text, out_size));
  return WEXITSTATUS(status) == IS_MODULE ? NULL : strata_error(STRATA_PARSE, "%s: %s", r->failure, *out_text);
}

static strata_status_t read_elsewhere(const reader_t *r, const char **out_text, size_t *out_size) {
  int fd = memfd_create("strata", MFD_CLOEXEC);
  if (fd < 0)
    return strata_error(STRATA_IO, "cannot create a file in memory: %s", strerror(errno));
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0)
    run_reader(r, fd);
  strata_status_t status = pid < 0 ? strata_error(STRATA_IO, "cannot create a process: %s", strerror(errno))
                                   : wait_for_reader(r, pid, fd, out_text, out_size);
  close(fd);
  return status;
}

strata_status_t strata_bytecode_to_text(strata_compile_t *compile, const char *path, size_t size, const char **out_text,
                                        size_t *out_size) {
  reader_t r = {compile, path, size, true, "not valid MLIR bytecode"};
  return read_elsewhere(&r, out_text, out_size);
}

strata_status_t strata_try_to_read(strata_compile_t *compile, const char *path, size_t size) {
  reader_t r = {compile, path, size, false, "not a module that MLIR can read"};
  const char *text;
  return read_elsewhere(&r, &text, &size);
}
