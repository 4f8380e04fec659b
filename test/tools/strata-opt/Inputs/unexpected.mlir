// What differs from the announcements is said, with the file's lines.

// CHECK: unexpected.mlir: unexpected error: [[@LINE+3]]:8: strata.neg: result 0
func.func @nothing_announced(%x: tensor<2xf32>) {
  // A comment.
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----
// CHECK-NEXT: unexpected.mlir: unexpected error: [[@LINE+3]]:8: strata.neg: result 0
// CHECK-NEXT: unexpected.mlir:[[@LINE+2]]: expected error: another text
func.func @another_text(%x: tensor<2xf32>) {
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32> // expected-error {{another text}}
  return
}

// -----
// CHECK-NEXT: unexpected.mlir: unexpected error: [[@LINE+3]]:8: strata.neg: result 0
// CHECK-NEXT: unexpected.mlir:[[@LINE+4]]: expected error: strata.neg
func.func @another_line(%x: tensor<2xf32>) {
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error@below {{strata.neg}}
  return
}

// -----
// CHECK-NEXT: unexpected.mlir: unexpected error: [[@LINE+4]]:8: strata.neg: result 0
func.func @once_is_not_twice(%x: tensor<2xf32>) {
  // expected-error@below {{strata.neg}}
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  %1 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----
// CHECK-NEXT: unexpected.mlir:[[@LINE+3]]: expected error: strata.neg
func.func @no_error(%x: tensor<2xf32>) {
  // expected-error@below {{strata.neg}}
  %0 = "strata.neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// CHECK-NEXT: unexpected.mlir:[[@LINE+5]]: cannot be expected: expected{{-}}warning
// CHECK-NEXT: unexpected.mlir:[[@LINE+5]]: cannot be expected: expected{{-}}error-re
// CHECK-NEXT: unexpected.mlir:[[@LINE+5]]: cannot be expected: expected{{-}}error@3
// CHECK-NEXT: unexpected.mlir:[[@LINE+5]]: cannot be expected: expected{{-}}error
func.func @not_understood() {
  // expected-warning {{x}}
  // expected-error-re {{x}}
  // expected-error@3 {{x}}
  // expected-error {{x
  return
}
// CHECK-NOT: unexpected.mlir
