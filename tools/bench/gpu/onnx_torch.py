"""Runs an ONNX graph in PyTorch, op by op, so that a peer computes the same graph with the same weights.

    model = onnx_torch.Model("resnet50.onnx", "cuda")
    run = model.traced(inputs)      # a GraphModule, also for torch.compile

Needs PyTorch and the onnx package. Integers that decide shapes are kept on the host; an operator is a row of OPS.
"""
import onnx
import onnx.numpy_helper
import torch

F = torch.nn.functional


def on_device_of(value, other):
    return value.to(other.device) if value.device != other.device else value


def elementwise(function):
    """Of operands of which one may be a constant on the host."""
    def run(_attributes, *values):
        device = next((value.device for value in values if value.device.type != "cpu"), values[0].device)
        return function(*(value.to(device) for value in values))

    return run


def ints(value):
    return [int(i) for i in value.reshape(-1).tolist()]


def pads_of(attributes, rank):
    """Padding as PyTorch's operators take it, or None where the ends differ."""
    pads = attributes.get("pads", [0] * 2 * rank)
    return pads[:rank] if pads[:rank] == pads[rank:] else None


def padded(x, attributes, rank, value=0.0):
    """x and the padding that is left to the operator."""
    same = pads_of(attributes, rank)
    if same is not None:
        return x, same
    pads = attributes["pads"]
    return F.pad(x, [pads[i + j] for i in reversed(range(rank)) for j in (0, rank)], value=value), [0] * rank


def conv(attributes, x, w, bias=None):
    rank = w.dim() - 2
    x, pads = padded(x, attributes, rank)
    return (F.conv1d, F.conv2d, F.conv3d)[rank - 1](x, w, bias, attributes.get("strides", [1] * rank), pads,
                                                    attributes.get("dilations", [1] * rank), attributes.get("group", 1))


def max_pool(attributes, x):
    window = attributes["kernel_shape"]
    x, pads = padded(x, attributes, len(window), float("-inf"))
    return F.max_pool2d(x, window, attributes.get("strides", [1] * len(window)), pads,
                        attributes.get("dilations", [1] * len(window)), bool(attributes.get("ceil_mode", 0)))


def gemm(attributes, a, b, c=None):
    a, b = (a.t() if attributes.get("transA") else a), (b.t() if attributes.get("transB") else b)
    alpha, beta = attributes.get("alpha", 1.0), attributes.get("beta", 1.0)
    return alpha * (a @ b) if c is None else torch.addmm(c, a, b, beta=beta, alpha=alpha)


def reshape(attributes, x, shape):
    sizes = ints(shape)
    if not attributes.get("allowzero"):
        sizes = [x.shape[i] if size == 0 else size for i, size in enumerate(sizes)]
    return x.reshape(sizes)


def slice_(_attributes, x, starts, ends, axes=None, steps=None):
    axes = ints(axes) if axes is not None else list(range(len(ints(starts))))
    steps = ints(steps) if steps is not None else [1] * len(axes)
    index = [slice(None)] * x.dim()
    for start, end, axis, step in zip(ints(starts), ints(ends), axes, steps):
        index[axis] = slice(start, min(end, 2 ** 31), step)
    return x[tuple(index)]


def gather(attributes, x, indices):
    axis = attributes.get("axis", 0)
    if indices.device.type == "cpu" and indices.dim() == 0:  # known: a view
        return x.select(axis, int(indices))
    indices = on_device_of(indices, x)
    indices = torch.where(indices < 0, indices + x.shape[axis], indices)
    shape = (*x.shape[:axis % x.dim()], *indices.shape, *x.shape[axis % x.dim() + 1:])
    return x.index_select(axis, indices.reshape(-1)).reshape(shape)


def expand(_attributes, x, shape):
    return x * torch.ones((), dtype=x.dtype, device=x.device) if not ints(shape) else x.expand(
        torch.broadcast_shapes(x.shape, tuple(ints(shape))))


def unsqueeze(attributes, x, axes=None):
    axes = ints(axes) if axes is not None else attributes["axes"]
    for axis in sorted(axis % (x.dim() + len(axes)) for axis in axes):
        x = x.unsqueeze(axis)
    return x


def squeeze(attributes, x, axes=None):
    return x.squeeze(tuple(ints(axes)) if axes is not None else tuple(attributes.get("axes", range(x.dim()))))


def reduce_mean(attributes, x, axes=None):
    axes = ints(axes) if axes is not None else attributes.get("axes", list(range(x.dim())))
    return x.mean(axes, keepdim=bool(attributes.get("keepdims", 1)))


def layer_norm(attributes, x, scale, bias=None):
    return F.layer_norm(x, x.shape[attributes.get("axis", -1):], scale, bias, attributes.get("epsilon", 1e-5))


def batch_norm(attributes, x, scale, bias, mean, variance):
    return F.batch_norm(x, mean, variance, scale, bias, eps=attributes.get("epsilon", 1e-5))


def shape_of(attributes, x):
    return torch.tensor(list(x.shape)[attributes.get("start", 0):attributes.get("end", None)], dtype=torch.int64)


def constant(attributes):
    value = next(iter(attributes.values()))
    return torch.from_numpy(onnx.numpy_helper.to_array(value).copy()) if hasattr(value, "dims") else torch.tensor(value)


def along_axis(attributes, x, value):
    """A scale or zero point in the shape in which it meets x."""
    return value.reshape([-1 if i == attributes.get("axis", 1) % x.dim() else 1 for i in range(x.dim())]) \
        if value.dim() else value


def dequantize(attributes, x, scale, zero):
    scale, zero = on_device_of(scale, x), on_device_of(zero, x)
    return (x.to(scale.dtype) - along_axis(attributes, x, zero).to(scale.dtype)) * along_axis(attributes, x, scale)


def quantize(attributes, x, scale, zero):
    scale, zero = on_device_of(scale, x), on_device_of(zero, x)
    info = torch.iinfo(zero.dtype)
    value = torch.round(x / along_axis(attributes, x, scale)) + along_axis(attributes, x, zero).to(x.dtype)
    return value.clamp(info.min, info.max).to(zero.dtype)


def concat(attributes, *values):
    return elementwise(lambda *parts: torch.cat(parts, attributes["axis"]))(None, *values)


def clip(_attributes, x, low=None, high=None):
    return x.clamp(None if low is None else float(low), None if high is None else float(high))


OPS = {
    "Abs": elementwise(torch.abs), "Add": elementwise(torch.add), "And": elementwise(torch.logical_and),
    "BatchNormalization": batch_norm, "CastLike": elementwise(lambda x, like: x.to(like.dtype)), "Clip": clip,
    "Concat": concat, "Constant": constant, "Conv": conv, "Cos": elementwise(torch.cos), "DequantizeLinear": dequantize,
    "Div": elementwise(torch.div), "Erf": elementwise(torch.erf), "Exp": elementwise(torch.exp), "Expand": expand,
    "Gather": gather,
    "GatherElements": lambda a, x, i: x.gather(a.get("axis", 0), torch.where(i < 0, i + x.shape[a.get("axis", 0)], i)),
    "Gemm": gemm, "Greater": elementwise(torch.gt),
    "HardSigmoid": lambda a, x: (x * a.get("alpha", 0.2) + a.get("beta", 0.5)).clamp(0, 1),
    "HardSwish": lambda a, x: F.hardswish(x), "IsNaN": elementwise(torch.isnan), "LayerNormalization": layer_norm,
    "MatMul": elementwise(torch.matmul), "MaxPool": max_pool, "Mul": elementwise(torch.mul),
    "Neg": elementwise(torch.neg), "Pow": elementwise(torch.pow), "QuantizeLinear": quantize,
    "Reciprocal": elementwise(torch.reciprocal), "ReduceMean": reduce_mean, "Relu": elementwise(torch.relu),
    "Reshape": reshape, "Shape": shape_of, "Sigmoid": elementwise(torch.sigmoid), "Sin": elementwise(torch.sin),
    "Slice": slice_, "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)), "Sqrt": elementwise(torch.sqrt),
    "Squeeze": squeeze, "Sub": elementwise(torch.sub), "Tanh": elementwise(torch.tanh),
    "Transpose": lambda a, x: x.permute(a["perm"]), "Unsqueeze": unsqueeze, "Where": elementwise(torch.where),
}


class Model:
    """A graph whose floating-point weights are on |device|, in |dtype| if one is given."""

    def __init__(self, path, device, dtype=None):
        graph = onnx.load(path).graph
        self.nodes = [(node.op_type, {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute},
                       list(node.input), list(node.output)) for node in graph.node]
        missing = sorted({op for op, _, _, _ in self.nodes} - set(OPS))
        if missing:
            raise NotImplementedError(f"{path}: no PyTorch form of {', '.join(missing)}")
        self.device, self.dtype = device, dtype
        self.values = {item.name: self.placed(torch.from_numpy(onnx.numpy_helper.to_array(item).copy()))
                       for item in graph.initializer}
        self.inputs = [item.name for item in graph.input if item.name not in self.values]
        self.outputs = [item.name for item in graph.output]

    def placed(self, tensor):
        """Integers that decide shapes or indices stay here; images and filters go channels last."""
        if tensor.dtype == torch.int64:
            return tensor
        tensor = tensor.to(self.device, self.dtype if tensor.is_floating_point() else None)
        return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor

    def arguments(self, arrays):
        """Arrays of the graph's inputs as tensors for a call."""
        tensors = [torch.from_numpy(array) for array in arrays]
        return [self.placed(tensor) if tensor.dtype != torch.int64 else tensor.to(self.device) for tensor in tensors]

    def __call__(self, *inputs):
        values = {**self.values, **dict(zip(self.inputs, inputs))}
        for op, attributes, operands, results in self.nodes:
            values[results[0]] = OPS[op](attributes, *(values[name] if name else None for name in operands))
        return [values[name] for name in self.outputs]

    def fold(self, inputs):
        """Drops the nodes whose results do not change: they depend on constants and shapes alone."""
        fixed, left = dict(self.values), []
        values = {**self.values, **dict(zip(self.inputs, inputs))}
        for node in self.nodes:
            op, attributes, operands, results = node
            values[results[0]] = OPS[op](attributes, *(values[name] if name else None for name in operands))
            if op in ("Shape", "Constant") or all(name in fixed for name in operands if name):
                fixed[results[0]] = values[results[0]]
                if fixed[results[0]].dtype != torch.int64:
                    fixed[results[0]] = self.placed(fixed[results[0]])
            else:
                left.append(node)
        self.nodes, self.values = left, fixed

    def traced(self, inputs):
        """The same as a GraphModule of PyTorch's own ops, for torch.compile."""
        from torch.fx.experimental.proxy_tensor import make_fx

        with torch.no_grad():
            self.fold(inputs)
            return make_fx(lambda *a: self(*a))(*inputs)
