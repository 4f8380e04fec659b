// "Did you mean": changed, missing, extra and swapped letters, beginnings, and what is too far.
#include "runtime/base/nearest.h"

#include "test/support/check.h"

static const char *const names[] = {"weights", "device", "dim", "dump-after", "target", "alias", "aot", "aot-name"};

// The name found for |wanted|, "" for none.
static const char *find(strata_arena_t *arena, const char *wanted) {
  strata_nearest_t nearest = strata_nearest(wanted);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    strata_nearest_try(&nearest, names[i], strlen(names[i]));
  return nearest.found ? strata_arena_printf(arena, "%.*s", (int)nearest.length, nearest.found) : "";
}

int main(void) {
  strata_arena_t *arena = strata_arena_create();
  CHECK_STR(find(arena, "wieghts"), "weights");
  CHECK_STR(find(arena, "weight"), "weights");
  CHECK_STR(find(arena, "wweights"), "weights");
  CHECK_STR(find(arena, "WEIGHTS"), "weights");
  CHECK_STR(find(arena, "dump_after"), "dump-after");
  CHECK_STR(find(arena, "dump"), "dump-after");
  CHECK_STR(find(arena, "dmi"), "dim");
  CHECK_STR(find(arena, "aot-nmae"), "aot-name");
  CHECK_STR(find(arena, "aot"), "aot");
  CHECK_STR(find(arena, "w"), "");
  CHECK_STR(find(arena, ""), "");
  CHECK_STR(find(arena, "frobnicate"), "");
  CHECK_STR(find(arena, "xxights"), "weights");
  CHECK_STR(find(arena, "xxxghts"), "");

  char longer[1000];
  memset(longer, 'a', sizeof longer);
  longer[sizeof longer - 1] = 0;
  strata_nearest_t nearest = strata_nearest(longer);
  strata_nearest_try(&nearest, longer, sizeof longer - 1);
  CHECK(!nearest.found); // too long to be typed
  CHECK_STR(strata_nearest_hint(arena, &nearest), "");
  nearest = strata_nearest("tensor");
  strata_nearest_try(&nearest, "tensors", 7);
  CHECK_STR(strata_nearest_hint(arena, &nearest), "; did you mean 'tensors'?");
  strata_arena_destroy(arena);
  return check_result();
}
