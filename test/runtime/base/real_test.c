// Floats that sizes are computed with, by their bits: beside C's own arithmetic, and where there is no result.
#include "runtime/base/real.h"

#include "test/support/check.h"

static int64_t bits_of(double value) {
  int64_t bits = -1;
  CHECK(strata_real_bits(value, &bits));
  return bits;
}

static double real(strata_real_op_t op, double a, double b) {
  int64_t out = -1;
  CHECK(strata_real_compute(op, bits_of(a), bits_of(b), &out));
  return strata_real_value(out);
}

static bool has_none(strata_real_op_t op, int64_t a, int64_t b) {
  int64_t out;
  return !strata_real_compute(op, a, b, &out);
}

static int64_t whole(strata_real_op_t op, double a) {
  int64_t out = -1;
  CHECK(strata_real_compute(op, bits_of(a), 0, &out));
  return out;
}

static void test_arithmetic(void) {
  int64_t bits;
  CHECK(real(STRATA_REAL_ADD, 0.1, 0.2) == 0.1 + 0.2);
  CHECK(real(STRATA_REAL_SUB, 0.3, 0.1) == 0.3 - 0.1);
  CHECK(real(STRATA_REAL_MUL, 1.0 / 3, 3) == 1.0 / 3 * 3);
  CHECK(real(STRATA_REAL_DIV, 1, 49) == 1.0 / 49);
  CHECK(real(STRATA_REAL_SINGLE, 0.1, 0) == (double)0.1f);
  CHECK(strata_real_compute(STRATA_REAL_OF, 16777217, 0, &bits) && strata_real_value(bits) == 16777217);
  CHECK(real(STRATA_REAL_SINGLE, 16777217, 0) == 16777216); // between two, the even one
  CHECK(bits_of(-0.0) == 0 && bits_of(1) < bits_of(1.5) && bits_of(1.5) < bits_of(1e300) && bits_of(5e-324) == 1);
}

static void test_integers(void) {
  const double halves[] = {0, 0.25, 0.5, 0.75, 1.5, 2.5, 3.5, 4.25, 1e15 + 0.5, 9007199254740993.0};
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
    CHECK(whole(STRATA_REAL_FLOOR, halves[i]) == (int64_t)floor(halves[i]));
    CHECK(whole(STRATA_REAL_CEIL, halves[i]) == (int64_t)ceil(halves[i]));
    CHECK(whole(STRATA_REAL_RINT, halves[i]) == (int64_t)rint(halves[i]));
  }
  CHECK(whole(STRATA_REAL_FLOOR, 0x1p62) == INT64_C(1) << 62);
}

static void test_no_result(void) {
  int64_t one = bits_of(1), two = bits_of(2), largest = bits_of(1.7e308);
  CHECK(has_none(STRATA_REAL_SUB, one, two) && has_none(STRATA_REAL_DIV, one, 0) && has_none(STRATA_REAL_DIV, 0, 0));
  CHECK(has_none(STRATA_REAL_MUL, largest, two) && has_none(STRATA_REAL_ADD, largest, largest));
  CHECK(has_none(STRATA_REAL_SINGLE, largest, 0) && has_none(STRATA_REAL_FLOOR, bits_of(0x1p63), 0));
  CHECK(has_none(STRATA_REAL_OF, -1, 0) && has_none(STRATA_REAL_FLOOR, INT64_MAX, 0)); // that is no number
  CHECK(has_none(STRATA_REAL_RINT + 1, one, one));
}

int main(void) {
  test_arithmetic();
  test_integers();
  test_no_result();
  return check_result();
}
