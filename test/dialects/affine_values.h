// What affine expressions are at a point, for tests of what rewrites them.
#ifndef STRATA_TEST_DIALECTS_AFFINE_VALUES_H
#define STRATA_TEST_DIALECTS_AFFINE_VALUES_H

#include <mlir-c/AffineExpr.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;
static int64_t random_below(int64_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (int64_t)(random_state % (uint64_t)n);
}

static int failures;

static void append(MlirStringRef text, void *user) {
  char *out = user;
  strncat(out, text.data, text.length);
}

static void fail(const char *what, MlirAffineExpr before, MlirAffineExpr after) {
  char first[4096] = "", second[4096] = "";
  mlirAffineExprPrint(before, append, first);
  mlirAffineExprPrint(after, append, second);
  printf("FAIL %s: %s became %s\n", what, first, second);
  failures++;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// An evaluator of its own: it must not lean on MLIR's folding, which is part of what is tested.
static int64_t evaluate(MlirAffineExpr expr, const int64_t *point, const int64_t *symbols) {
  if (mlirAffineExprIsAConstant(expr))
    return mlirAffineConstantExprGetValue(expr);
  if (mlirAffineExprIsADim(expr))
    return point[mlirAffineDimExprGetPosition(expr)];
  if (mlirAffineExprIsASymbol(expr))
    return symbols[mlirAffineSymbolExprGetPosition(expr)];
  int64_t a = evaluate(mlirAffineBinaryOpExprGetLHS(expr), point, symbols);
  int64_t b = evaluate(mlirAffineBinaryOpExprGetRHS(expr), point, symbols);
  if (mlirAffineExprIsAAdd(expr))
    return a + b;
  if (mlirAffineExprIsAMul(expr))
    return a * b;
  if (mlirAffineExprIsAFloorDiv(expr))
    return floor_div(a, b);
  if (mlirAffineExprIsACeilDiv(expr))
    return -floor_div(-a, b);
  return a - b * floor_div(a, b);
}

#endif
