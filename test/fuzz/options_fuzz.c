// libFuzzer on the option parser: the input is the command line, its words separated by newlines; words before an empty
// one are the environment.
#include "tools/options.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  strata_arena_t *arena = strata_arena_create();
  char *text = strata_arena_alloc(arena, size + 1);
  memcpy(text, data, size);
  const char *words[2][MAX_WORDS + 1] = {{NULL}, {"strata"}};
  size_t counts[2] = {0, 1}, list = 0;
  for (char *word; (word = strsep(&text, "\n"));) {
    if (!*word && list == 0)
      list = 1;
    else if (counts[list] < MAX_WORDS)
      words[list][counts[list]++] = word;
  }
  strata_options_t options;
  strata_status_t status = strata_options_parse(arena, (int)counts[1], words[1], words[0], &options);
  if (!status)
    strata_options_for_library(arena, &options);
  strata_status_free(status);
  strata_arena_destroy(arena);
  return 0;
}
