"""Writes cases.npz: small IRs that OpenVINO wrote itself, with inputs and what its CPU plugin computes from them.

    python make_cases.py        with the package openvino (the file in the tree: 2026.4.1)

cases_test.py compares the libraries with them. A case is a function that builds a graph by OpenVINO's own operators.
"""
import os
import sys
import tempfile

import numpy as np
import openvino
import openvino.opset1 as o1
import openvino.opset13 as ov
import openvino.opset11 as o11
import openvino.opset14 as o14
import openvino.opset15 as o15
import openvino.opset16 as o16
import openvino.opset10 as o10
import openvino.opset3 as o3
import openvino.opset4 as o4
import openvino.opset5 as o5
import openvino.opset8 as o8
import openvino.opset9 as o9

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402

CASES = {}
RNG = np.random.default_rng(0)


def case(function):
    CASES[function.__name__] = function
    return function


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def x(*shape, dtype=np.float32, name="x"):
    return ov.parameter(list(shape), dtype, name=name)


def ints(*values, dtype=np.int64):
    return ov.constant(np.array(values, dtype))


@case
def unary():
    a = x(2, 5)
    positive = ov.add(ov.abs(a), np.float32(1.5))
    inside = ov.multiply(ov.tanh(a), np.float32(0.9))
    values = [f(a) for f in (ov.abs, ov.atan, ov.asinh, ov.ceiling, ov.cos, ov.cosh, ov.erf, ov.exp, ov.floor,
                             ov.negative, ov.relu, ov.sigmoid, ov.sign, ov.sin, ov.sinh, ov.softplus, ov.softsign,
                             ov.tan, ov.tanh, ov.hswish, ov.hsigmoid, ov.mish, ov.is_nan, ov.is_finite, ov.is_inf)]
    values += [ov.sqrt(positive), ov.log(positive), ov.acosh(positive), ov.acos(inside), ov.asin(inside),
               ov.atanh(inside), ov.round(ov.multiply(a, np.float32(3)), "half_to_even"),
               ov.round(ov.multiply(a, np.float32(3)), "half_away_from_zero"), ov.gelu(a, "erf"), ov.gelu(a, "tanh"),
               ov.swish(a), ov.swish(a, ov.constant(np.float32(1.7))), ov.clamp(a, -0.5, 0.75), ov.elu(a, 0.7),
               ov.selu(a, ov.constant(np.float32(1.6)), ov.constant(np.float32(1.1))),
               ov.hard_sigmoid(a, ov.constant(np.float32(0.3)), ov.constant(np.float32(0.4)))]
    return values, [a]


@case
def page():
    """The network of docs/from-openvino.md."""
    a = x(4, 8)
    y = ov.gelu(ov.add(ov.matmul(a, ov.constant(f32(16, 8)), False, True), ov.constant(f32(1, 16))), "erf")
    return [ov.softmax(ov.add(ov.matmul(y, ov.constant(f32(3, 16)), False, True), ov.constant(f32(1, 3))), -1)], [a]


@case
def binary():
    a, b = x(2, 3, 4, name="a"), x(3, 1, name="b")
    values = [f(a, b) for f in (ov.add, ov.subtract, ov.multiply, ov.divide, ov.maximum, ov.minimum, ov.less,
                                ov.less_equal, ov.greater, ov.greater_equal, ov.equal, ov.not_equal,
                                ov.squared_difference, ov.mod, ov.floor_mod)]
    values += [ov.power(ov.abs(a), b), ov.select(ov.less(a, b), a, ov.negative(b)),
               ov.prelu(a, ov.constant(np.array([0.1, 0.2, 0.3], np.float32)))]
    return values, [a, b]


@case
def integers():
    a, b = x(4, 5, dtype=np.int32, name="a"), x(5, dtype=np.int32, name="b")
    c = ov.subtract(a, ints(5, dtype=np.int32))
    d = ov.subtract(ov.multiply(b, ints(2, dtype=np.int32)), ints(9, dtype=np.int32))
    # Quotients of negative numbers are rounded to 0 by the CPU plugin, but down by the specification.
    values = [ov.divide(a, ov.add(b, ints(1, dtype=np.int32))), ov.mod(c, d), ov.floor_mod(c, d), ov.bitwise_and(a, b), ov.bitwise_or(a, b),
              ov.bitwise_xor(a, b), ov.bitwise_not(a), ov.clamp(c, -1.5, 2.5), ov.convert(c, "f32"), ov.abs(c)]
    return values, [a, b]


@case
def logic():
    a, b = x(3, 4, dtype=bool, name="a"), x(4, dtype=bool, name="b")
    values = [ov.logical_and(a, b), ov.logical_or(a, b), ov.logical_xor(a, b), ov.logical_not(a),
              ov.reduce_logical_and(a, ints(1)), ov.reduce_logical_or(a, ints(0), True), ov.bitwise_not(a)]
    return values, [a, b]


@case
def reductions():
    a = x(2, 3, 4)
    values = [f(a, ints(-1, 0), keep) for f in (ov.reduce_mean, ov.reduce_sum, ov.reduce_max, ov.reduce_min,
                                                ov.reduce_prod, ov.reduce_l1, ov.reduce_l2) for keep in (False, True)]
    values += [ov.softmax(a, 1), o1.softmax(a, 2), ov.log_softmax(a, -1), ov.cum_sum(a, ov.constant(np.int64(1))),
               ov.cum_sum(a, ov.constant(np.int64(2)), True, True)]
    values += list(ov.topk(a, ov.constant(np.int64(2)), -1, "max", "value").outputs())
    values += list(ov.topk(a, ov.constant(np.int64(2)), 1, "min", "value", "i64").outputs())
    return values, [a]


@case
def movement():
    a = x(2, 6, 4)
    values = [ov.reshape(a, ints(0, 3, -1), True), ov.reshape(a, ints(4, 12), False), ov.transpose(a, ints(2, 0, 1)),
              ov.transpose(a, ov.constant(np.zeros(0, np.int64))), ov.unsqueeze(a, ints(0, -1)),
              ov.squeeze(ov.unsqueeze(a, ints(1)), ints(1)), ov.squeeze(ov.unsqueeze(a, ints(1)), ints(-3)),
              ov.concat([a, a], -1), ov.tile(a, ints(2, 1, 3)), ov.tile(a, ints(2)), ov.tile(a, ints(2, 1, 1, 2)),
              ov.broadcast(a, ints(3, 2, 6, 4)), ov.broadcast(ov.constant(f32(6)), ints(2, 6, 4), ints(1), "explicit"),
              o3.broadcast(ov.constant(f32(6, 1)), ints(2, 1, 4), broadcast_spec="BIDIRECTIONAL"),
              ov.shape_of(a), ov.shape_of(a, "i32"), ov.roll(a, ints(1, -5), ints(0, 1)),
              ov.shuffle_channels(a, 1, 3), ov.reverse_sequence(a, ints(2, 5), 0, 1)]
    values += list(ov.split(a, ov.constant(np.int64(1)), 3).outputs())
    values += list(ov.variadic_split(a, ov.constant(np.int64(1)), ints(1, -1, 2)).outputs())
    return values, [a]


@case
def pads():
    a = x(2, 3, 4)
    begins, ends = ints(0, 1, 2), ints(1, 2, 0)
    return [ov.pad(a, begins, ends, "constant", ov.constant(np.float32(0.5))), ov.pad(a, begins, ends, "edge"),
            ov.pad(a, ints(0, 1, 2), ints(0, 2, 1), "reflect"), ov.pad(a, begins, ends, "constant")], [a]


@case
def slices():
    a = x(3, 5, 7)
    one = dict(new_axis_mask=[], shrink_axis_mask=[], ellipsis_mask=[])
    values = [ov.slice(a, ints(1, -3), ints(3, 100), ints(1, 2), ints(0, 2)), ov.slice(a, ints(4), ints(-100), ints(-2), ints(1)),
              ov.strided_slice(a, ints(1, 2, 3), ints(2, 4, 6), ints(1, 1, 2), [0, 1, 0], [0, 0, 1], **one),
              ov.strided_slice(a, ints(0, -1), ints(0, 0), ints(1, 1), [1, 0], [1, 0], [], [0, 1], []),
              ov.strided_slice(a, ints(0, 0, 1), ints(0, 0, 5), ints(1, 1, 2), [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0])
              if False else ov.strided_slice(a, ints(0, 1), ints(0, 5), ints(1, 2), [0, 0], [0, 0], [0, 0], [0, 0], [1, 0]),
              ov.strided_slice(a, ints(0, 1), ints(0, 3), ints(1, 1), [0, 0], [0, 0], [1, 0], [0, 0], [0, 0]),
              ov.strided_slice(a, ints(-1, 0), ints(0, 0), ints(-1, 1), [1, 1], [1, 1], [], [], [])]
    return values, [a]


@case
def indices():
    a, i = x(4, 5, 3, name="a"), x(2, 3, dtype=np.int32, name="i")
    i4 = ov.floor_mod(i, ints(4, dtype=np.int32))
    values = [ov.gather(a, i4, ov.constant(np.int64(1))), ov.gather(a, ints(-1, 2), ov.constant(np.int64(0))),
              ov.gather(a, ints([0, 1], [2, 3], [1, 0], [3, 2]), ov.constant(np.int64(1)), 1),
              ov.gather_elements(a, ov.constant(np.array([[[1, 0, 2]]] * 4, np.int32)), 1),
              ov.gather_nd(a, ints([0, 1], [3, -2]), 0), ov.gather_nd(a, ints([1], [0], [4], [2]), 1),
              ov.scatter_update(a, ints(1, 3), ov.constant(f32(2, 5, 3)), ov.constant(np.int64(0))),
              ov.scatter_update(a, ints(4, 0), ov.constant(f32(4, 2, 3)), ov.constant(np.int64(1))),
              ov.scatter_elements_update(a, ints([[0, 2, 1]]), ov.constant(f32(1, 1, 3)), ov.constant(np.int64(0)), "sum"),
              ov.scatter_nd_update(a, ints([0, 1], [3, 2]), ov.constant(f32(2, 3))),
              ov.one_hot(i, ov.constant(np.int64(6)), ov.constant(np.float32(2)), ov.constant(np.float32(-1)), -1),
              ov.eye(ov.constant(np.int64(3)), ov.constant(np.int64(4)), ov.constant(np.int64(1)), "f32")]
    return values, [a, i]


@case
def ranges():
    a = x(3)
    values = [ov.range(ov.constant(np.int32(2)), ov.constant(np.int32(11)), ov.constant(np.int32(3)), "i64")]
    return [ov.add(a, ov.convert(values[0], "f32"))], [a]


@case
def products():
    a, b = x(2, 3, 4, name="a"), x(2, 5, 4, name="b")
    values = [ov.matmul(a, b, False, True), ov.matmul(b, a, False, True), ov.matmul(a, ov.constant(f32(4, 6)), False, False),
              ov.matmul(a, ov.constant(f32(3, 6)), True, False), ov.matmul(a, ov.constant(f32(4)), False, False),
              ov.einsum([a, b], "bij,bkj->bik")]
    return values, [a, b]


@case
def convolutions():
    a = x(1, 4, 9, 8)
    w = ov.constant(f32(6, 4, 3, 2))
    values = [ov.convolution(a, w, [2, 1], [1, 0], [0, 1], [1, 2]), ov.convolution(a, w, [1, 2], [0, 0], [0, 0], [1, 1], "same_upper"),
              ov.convolution(a, w, [1, 2], [0, 0], [0, 0], [1, 1], "same_lower"), ov.convolution(a, w, [1, 1], [0, 0], [0, 0], [1, 1], "valid"),
              ov.group_convolution(a, ov.constant(f32(2, 3, 2, 3, 3)), [1, 1], [1, 1], [1, 1], [1, 1]),
              ov.convolution_backprop_data(a, ov.constant(f32(4, 5, 3, 3)), [2, 2], None, [1, 0], [0, 1], [1, 1], "explicit", [1, 0]),
              ov.group_convolution_backprop_data(a, ov.constant(f32(2, 2, 3, 3, 3)), [2, 1], None, [1, 1], [1, 1], [1, 1]),
              ov.convolution_backprop_data(a, ov.constant(f32(4, 5, 3, 3)), [2, 2], ints(18, 16), [0, 0], [0, 0], [1, 1], "same_upper")]
    return values, [a]


@case
def pools():
    a = x(1, 3, 9, 8)
    values = [o1.max_pool(a, [2, 2], [1, 0], [0, 1], [3, 3], "floor"), o8.max_pool(a, [1, 2], [1, 2], [0, 0], [0, 0], [2, 3], index_element_type="i32").output(0),
              o1.avg_pool(a, [2, 2], [1, 1], [1, 1], [3, 3], True), o1.avg_pool(a, [2, 2], [1, 1], [1, 1], [3, 3], False),
              o1.max_pool(a, [2, 2], [0, 0], [0, 0], [2, 3], "ceil"), ov.adaptive_avg_pool(a, ints(1, 1)),
              ov.adaptive_avg_pool(a, ints(3, 4)), ov.adaptive_max_pool(a, ints(3, 2), "i32").output(0)]
    return values, [a]


@case
def norms():
    a = x(2, 4, 3, 5)
    channels = [ov.constant(np.abs(f32(4)) + np.float32(0.5)) for _ in range(4)]
    values = [ov.batch_norm_inference(a, *channels, 1e-3), ov.mvn(a, ints(2, 3), True, 1e-5, "inside_sqrt"),
              ov.mvn(a, ints(1), True, 1e-3, "outside_sqrt"), ov.mvn(a, ints(1, 3), False, 1e-5, "inside_sqrt"),
              ov.normalize_l2(a, ints(1), 1e-3, "add"), ov.normalize_l2(a, ints(1, 2), 0.5, "max"),
              ov.lrn(a, ints(1), 0.1, 0.75, 1, 3), ov.group_normalization(a, channels[0], channels[1], 2, 1e-4)]
    return values, [a]


@case
def blocks():
    a = x(1, 8, 4, 6)
    return [ov.depth_to_space(a, "blocks_first", 2), ov.depth_to_space(a, "depth_first", 2),
            ov.space_to_depth(a, "blocks_first", 2)], [a]


def recurrent(cell, gates, directions, **options):
    a = x(2, 5, 3, name="a")
    hidden, states = 4, 2 if gates == 4 else 1
    initial = [ov.constant(f32(2, directions, hidden)) for _ in range(states)]
    biases = gates + (1 if options.get("linear_before_reset") else 0)
    weights = [ov.constant(f32(directions, gates * hidden, 3)), ov.constant(f32(directions, gates * hidden, hidden)),
               ov.constant(f32(directions, biases * hidden))]
    direction = options.pop("direction", "forward" if directions == 1 else "bidirectional")
    node = cell(a, *initial, ints(5, 3), *weights, hidden, direction, **options)
    return list(node.outputs()), [a]


@case
def lstm():
    return recurrent(ov.lstm_sequence, 4, 1)


@case
def lstm_both():
    return recurrent(ov.lstm_sequence, 4, 2)


@case
def lstm_reverse():
    return recurrent(ov.lstm_sequence, 4, 1, direction="reverse")


@case
def gru():
    return recurrent(ov.gru_sequence, 3, 1)


@case
def gru_linear():
    return recurrent(ov.gru_sequence, 3, 2, linear_before_reset=True)


@case
def rnn():
    return recurrent(ov.rnn_sequence, 1, 1)


@case
def cells():
    a, h, c = x(2, 3, name="a"), x(2, 4, name="h"), x(2, 4, name="c")
    weights = [ov.constant(f32(16, 3)), ov.constant(f32(16, 4)), ov.constant(f32(16))]
    gru_weights = [ov.constant(f32(12, 3)), ov.constant(f32(12, 4)), ov.constant(f32(12))]
    return [*ov.lstm_cell(a, h, c, *weights, 4).outputs(), *ov.gru_cell(a, h, *gru_weights, 4).outputs()], [a, h, c]


@case
def attention():
    q, k, v = x(1, 2, 5, 8, name="q"), x(1, 2, 7, 8, name="k"), x(1, 2, 7, 8, name="v")
    mask = x(1, 1, 5, 7, name="mask")
    return [ov.scaled_dot_product_attention(q, k, v, mask), ov.scaled_dot_product_attention(q, k, v),
            ov.scaled_dot_product_attention(q, k, v, ov.constant(np.float32(0)), ov.constant(np.float32(0.3))),
            ov.scaled_dot_product_attention(q, k, v, ov.greater(mask, np.float32(-0.5))),
            ov.scaled_dot_product_attention(q, q, q, causal=True)], [q, k, v, mask]


@case
def fake_quantize():
    a = x(2, 3, 4)
    c = ov.constant
    numbers = [c(np.float32(v)) for v in (-1.28, 1.27, -1.28, 1.27)]
    odd = [c(np.float32(v)) for v in (-1.1, 1.3, -2, 2.5)]
    rows = [c(np.array(v, np.float32).reshape(1, 3, 1)) for v in ([0, 0, 0], [1, 2, 0.5], [0, 0, 0], [1, 2, 0.5])]
    return [ov.fake_quantize(a, *numbers, 256), ov.fake_quantize(a, *odd, 255), ov.fake_quantize(a, *rows, 256),
            ov.fake_quantize(a, *odd, 16)], [a]


KEPT = []


def packed(count, shape, bits):
    """A constant of elements of 4 bits, which shares the memory of what it is made of."""
    KEPT.append(RNG.integers(0, 256, count // 2).astype(np.uint8))
    return ov.constant(openvino.Tensor(KEPT[-1], shape, bits))


def compressed(dtype, zero=None):
    """What NNCF makes of weights: numbers of few bits, scales and zero points of groups."""
    a = x(3, 16)
    bits = getattr(openvino.Type, dtype)
    weights = ov.convert(packed(4 * 2 * 8, [4, 2, 8], bits), "f16")
    if zero is not None:
        weights = ov.subtract(weights, ov.convert(packed(8, [4, 2, 1], bits), "f16"))
    weights = ov.multiply(weights, ov.constant(np.abs(f32(4, 2, 1)).astype(np.float16)))
    weights = ov.convert(ov.reshape(weights, ints(4, 16), False), "f32")
    return [ov.matmul(a, weights, False, True)], [a]


@case
def weights_u4():
    return compressed("u4", True)


@case
def weights_i4():
    return compressed("i4")


@case
def weights_nf4():
    return compressed("nf4")


@case
def weights_f4e2m1():
    return compressed("f4e2m1")


@case
def interpolations():
    a = x(1, 2, 5, 6)
    values = []
    sizes, axes = ints(8, 13), ints(2, 3)
    for mode in ("nearest", "linear_onnx", "cubic"):
        for place in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"):
            values.append(o11.interpolate(a, sizes, mode, "sizes", coordinate_transformation_mode=place,
                                          nearest_mode="floor", axes=axes))
    values.append(o11.interpolate(a, ov.constant(np.array([2, 2], np.float32)), "nearest", "scales", axes=axes))
    values.append(o11.interpolate(a, ints(10, 3), "linear", "sizes", axes=axes))
    return values, [a]


@case
def grid_samples():
    a, g = x(1, 2, 5, 6, name="a"), x(1, 3, 4, 2, name="g")
    return [ov.grid_sample(a, g, {"align_corners": corner, "mode": mode, "padding_mode": padding})
            for corner, mode, padding in ((True, "bilinear", "zeros"), (False, "bicubic", "border"),
                                          (False, "bilinear", "reflection"))], [a, g]


@case
def varying():
    a = ov.parameter(openvino.PartialShape([openvino.Dimension(1, 8), openvino.Dimension(), 6]), np.float32, name="a")
    shape = ov.shape_of(a)
    rows = ov.gather(shape, ints(0, 1), ov.constant(np.int64(0)))
    half = ov.divide(ov.gather(shape, ints(2), ov.constant(np.int64(0))), ints(2))
    return [ov.reshape(a, ov.concat([rows, ints(2), half], 0), False), ov.relu(a)], [a]


@case
def variables():
    a = ov.parameter(openvino.PartialShape([2, 1, 4]), np.float32, name="a")
    start = ov.constant(f32(2, 3, 4))
    info = openvino.op.util.VariableInfo()
    info.data_shape, info.data_type, info.variable_id = openvino.PartialShape([2, 3, 4]), openvino.Type.f32, "past.0"
    variable = openvino.op.util.Variable(info)
    past = openvino.op.read_value(start, variable)
    joined = ov.concat([ov.slice(past, ints(1), ints(3), ints(1), ints(1)), a], 1)
    sink = openvino.op.assign(joined, variable)
    return [ov.reduce_sum(joined, ints(1))], [a], [sink]


@case
def branches():
    a, c = x(2, 3, name="a"), x(dtype=bool, name="c")
    inner, other = x(2, 3, name="inner"), x(2, 3, name="other")
    then_body = openvino.Model([ov.exp(inner)], [inner])
    else_body = openvino.Model([ov.add(ov.negative(other), np.float32(1))], [other])
    node = ov.if_op(c)
    node.set_then_body(then_body)
    node.set_else_body(else_body)
    node.set_input(a.output(0), inner, other)
    result = node.set_output(then_body.results[0], else_body.results[0])
    return [ov.multiply(result, np.float32(2))], [a, c]


@case
def loop():
    a, b = x(2, 3, name="a"), x(7, 2, 3, name="b")
    state, row, number = x(2, 3, name="state"), x(1, 2, 3, name="row"), x(1, dtype=np.int64, name="number")
    following = ov.add(ov.multiply(state, np.float32(0.5)), ov.squeeze(row, ints(0)))
    following = ov.add(following, ov.convert(number, "f32"))
    collected = ov.unsqueeze(following, ints(1))
    body = openvino.Model([ov.constant(np.array(True)), following, collected], [state, row, number])
    node = ov.loop(ov.constant(np.int64(7)), ov.constant(np.array(True)))
    node.set_function(body)
    node.set_special_body_ports([2, 0])
    node.set_sliced_input(row, b.output(0), 0, 1, 1, -1, 0)
    node.set_merged_input(state, a.output(0), following.output(0))
    return [node.get_iter_value(following.output(0), -1), node.get_concatenated_slices(collected.output(0), 0, 1, 1, -1, 1)], [a, b]


def iterator(backward):
    a, b = x(2, 3, name="a"), x(2, 6, 3, name="b")
    state, row = x(2, 3, name="state"), x(2, 1, 3, name="row")
    following = ov.tanh(ov.add(state, ov.squeeze(row, ints(1))))
    collected = ov.unsqueeze(following, ints(1))
    body = openvino.Model([following, collected], [state, row])
    node = ov.tensor_iterator()
    node.set_body(body)
    start, stride, end = (-1, -1, 0) if backward else (0, 1, -1)
    node.set_sliced_input(row, b.output(0), start, stride, 1, end, 1)
    node.set_merged_input(state, a.output(0), following.output(0))
    return [node.get_iter_value(following.output(0), -1),
            node.get_concatenated_slices(collected.output(0), start, stride, 1, end, 1)], [a, b]


@case
def iterator_forward():
    return iterator(False)


@case
def iterator_backward():
    return iterator(True)


class Options:
    size, past, high = 5, 0, 10


def store(name, function, folder, arrays):
    path = os.path.join(folder, name + ".xml")
    results, parameters, *sinks = function()
    results = [value.output(0) if isinstance(value, openvino.Node) else value for value in results]
    for i, value in enumerate(results):
        value.get_tensor().set_names({f"y{i}"})
    results = [ov.result(value) for value in results]
    model = openvino.Model(results, *sinks, parameters, name) if sinks else openvino.Model(results, parameters, name)
    openvino.save_model(model, path, compress_to_fp16=False)
    values, outputs, states = compare.expected(path, np.random.default_rng(1), Options)
    for kind in ("xml", "bin"):
        with open(f"{path[:-3]}{kind}", "rb") as file:
            arrays[f"{name} {kind}"] = np.frombuffer(file.read(), np.uint8)
    for key, value in values.items():
        arrays[f"{name} input {key}"] = value
    for i, value in enumerate(outputs):
        arrays[f"{name} output y{i}"] = value
    for key, value in states.items():
        arrays[f"{name} output {key}.next"] = value


@case
def searches():
    a, b = x(3, 5, name="a"), x(4, dtype=np.int32, name="b")
    edges = ov.constant(np.array([-1, 0, 0, 0.5], np.float32))
    rows = ov.constant(np.sort(f32(3, 7), 1))
    values = [o3.bucketize(a, edges, "i32", True), o3.bucketize(a, edges, "i64", False),
              o3.bucketize(b, ov.constant(np.array([1, 3, 3], np.int32)), "i32", False),
              o15.search_sorted(rows, a), o15.search_sorted(rows, a, True)]
    return values, [a, b]


@case
def bags():
    table, weights = x(6, 3, name="table"), x(7, name="weights")
    indices, offsets = ints(1, 3, 3, 0, 2, 1, 5, dtype=np.int32), ints(0, 2, 2, 5, dtype=np.int32)
    pairs = ov.constant(np.array([[0, 2], [5, 5], [3, 1]], np.int32))
    segments, three = ints(0, 0, 2, 2, 2, 3, 3, dtype=np.int32), ints(5, dtype=np.int32)
    scalar = lambda v: ov.constant(np.array(v, np.int32))
    values = [o3.embedding_bag_offsets_sum(table, indices, offsets), o3.embedding_bag_offsets_sum(table, indices, offsets, scalar(4), weights),
              o15.embedding_bag_offsets(table, indices, offsets, reduction="mean"), o3.embedding_bag_packed_sum(table, pairs),
              o3.embedding_bag_packed_sum(table, pairs, ov.constant(f32(3, 2))), o15.embedding_bag_packed(table, pairs, reduction="mean"),
              o3.embedding_segments_sum(table, indices, segments, scalar(5)), o3.embedding_segments_sum(table, indices, segments, scalar(5), scalar(2), weights)]
    return values, [table, weights]


@case
def space_in_batch():
    a, b = x(2, 3, 4, 6, name="a"), x(12, 3, 4, 5, name="b")
    i = x(3, 5, dtype=np.int32, name="i")
    values = [ov.space_to_batch(a, ints(1, 1, 2, 3), ints(0, 0, 1, 0), ints(0, 0, 1, 3)), ov.batch_to_space(b, ints(1, 1, 2, 3), ints(0, 0, 1, 0), ints(0, 0, 0, 2)),
              o15.bitwise_left_shift(i, ints(2, dtype=np.int32)), o15.bitwise_right_shift(ov.negative(i), ints(1, dtype=np.int32)),
              o11.grn(a, 0.3), o15.col2im(ov.reshape(a, ints(2, 12, 6), False), ints(4, 3), ints(2, 2), [1, 1]),
              ov.fake_convert(a, ov.constant(np.array(1.7, np.float32)), ov.constant(np.array(0.1, np.float32))), ov.fake_convert(a, ov.constant(np.full((3, 1, 1), 0.8, np.float32)), destination_type="f8e5m2"),
              o16.identity(a), *o14.convert_promote_types(i, a, True).outputs()]
    return values, [a, b, i]


@case
def fourier():
    a, real = x(2, 5, 6, 2, name="a"), x(3, 4, 7, name="real")
    values = [ov.dft(a, ints(1)), ov.dft(a, ints(2, 1)), ov.idft(a, ints(-1)), ov.rdft(real, ints(2)), ov.rdft(real, ints(1, 2)), ov.rdft(real, ints(2), ints(5)), ov.dft(a, ints(1), ints(8)), ov.irdft(a, ints(1)), ov.irdft(a, ints(1, 2)), ov.irdft(a, ints(2), ints(9))]
    return values, [a, real]


@case
def yolo():
    a, b, c, d = x(2, 3 * 9, 4, 6), x(-1, 2 * 8, 3, 3, name="b"), x(2, 8, 6, 4, name="c"), x(1, 9, 3, 3, name="d")
    return [ov.region_yolo(a, 4, 4, 3, True, [0, 1], 1, 3), ov.region_yolo(b, 4, 3, 6, False, [1, 4], 1, 3, [1.0, 2.0]),
            ov.reorg_yolo(c, [2]), ov.reorg_yolo(d, [3])], [a, b, c, d]


@case
def rois():
    a = x(2, 3, 9, 8)
    boxes = ov.constant(np.array([[0.3, 1.2, 6.7, 5.5], [2, 2, 14, 12], [1, 0, 3.4, 8]], np.float32))
    which = ints(0, 1, 0, dtype=np.int32)
    align = lambda *rest: ov.roi_align(a, boxes, which, 3, 2, 2, 0.6, *rest)
    return [align("avg", "asymmetric"), align("avg", "half_pixel_for_nn"), align("avg", "half_pixel")], [a]


@case
def counted():
    """Sizes that data decide."""
    a, b = x(4, 6, name="a"), x(4, 6, dtype=np.int32, name="b")
    values = [*o10.unique(b).outputs(), *o10.unique(ov.floor_mod(o8.slice(b, ints(0), ints(2), ints(1), ints(1)), ints(2, dtype=np.int32)), ints(0), False, "i32", "i32").outputs(), ov.non_zero(ov.relu(a), "i32")]
    return values, [a, b]


@case
def suppressions():
    corners, sizes, scores = x(2, 9, 2, name="corners"), x(2, 9, 2, name="sizes"), x(2, 3, 9, name="scores")
    boxes = ov.concat([corners, ov.add(corners, ov.abs(sizes))], 2)
    middles = ov.concat([corners, ov.abs(sizes)], 2)
    limits = [ov.constant(np.array(v)) for v in (np.int64(4), np.float32(0.3), np.float32(0.4))]
    values = [*o9.non_max_suppression(boxes, scores, *limits).outputs(), *o9.non_max_suppression(boxes, scores, *limits, sort_result_descending=False, output_type="i32").outputs(),
              *o5.non_max_suppression(middles, scores, limits[0], limits[1], box_encoding="center").outputs(), o4.non_max_suppression(boxes, scores, *limits, sort_result_descending=False), o1.non_max_suppression(boxes, scores, *limits)]
    return values, [corners, sizes, scores]


def main():
    arrays = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, function in CASES.items():
            if len(sys.argv) == 1 or name in sys.argv[1:]:
                store(name, function, folder, arrays)
    np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.npz"), **arrays)


if __name__ == "__main__":
    main()
