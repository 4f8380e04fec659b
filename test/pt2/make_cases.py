#!/usr/bin/env python3
"""Writes the programs of cases_test.py by torch.export, and what PyTorch computes with them. By hand, with a torch that
has torch.export.save of raw weights (2.9 or later):

    venv/bin/python test/pt2/make_cases.py [FOLDER]

Each function below is a module: its forward gives a list of results, one for each operator or form of one. The first
dimension of inputs with a name in DYNAMIC varies. A program is written as it is exported and, as NAME_core, after
run_decompositions(); both are compressed, which PyTorch reads too, except for `linear`."""

import pathlib
import re
import struct
import sys
import warnings
import zipfile
import zlib

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # the operators of quantized_decomposed
from torch import nn
from torch._higher_order_ops import map as map_rows, scan, while_loop
from torch.nn import functional as F

warnings.filterwarnings("ignore")


def elementwise(x, y, i):
    return [
        x + y, x - 2 * y, torch.add(x, y, alpha=2.5), torch.sub(x, 3, alpha=2), torch.rsub(x, y, alpha=3), x * y, x / y,
        x / 3, i / 4, i // 3, torch.div(x, y, rounding_mode="floor"), torch.div(x, y, rounding_mode="trunc"),
        torch.div(i, 3, rounding_mode="trunc"), x % 0.7, x % -0.7, i % 3, i % -3, torch.fmod(x, 0.7), i + 1.5, i * True, i + x,
        torch.remainder(x, y), -x, x.abs(), x.ceil(), x.floor(), x.round(), x.trunc(), x.sign(), x.sgn(), x.frac(),
        x.exp(), x.exp2(), x.expm1(), (x.abs() + 0.1).log(), (x.abs() + 0.1).log2(), (x.abs() + 0.1).log10(),
        (x.abs() * 1e-4).log1p(), x.abs().sqrt(), (x.abs() + 0.1).rsqrt(), x.square(), x.reciprocal(),
        x.sin(), x.cos(), x.tan(), x.sinh(), x.cosh(), x.tanh(), x.atan(), x.asinh(), torch.asin(x.tanh()),
        torch.acos(x.tanh()), torch.acosh(x.abs() + 1), torch.atanh(x.tanh() * 0.9), x.erf(), x.erfc(), x**2, x.abs()**0.5,
        x.abs()**y, 2**x, i**2, x.clamp(-0.5, 0.5), x.clamp(min=0.2), x.clamp_max(0.3), i.clamp(-2, 3), x.clamp(min=y),
        torch.maximum(x, y), torch.minimum(x, y), torch.fmax(x, y), torch.fmin(x, y), torch.lerp(x, y, 0.3),
        torch.addcmul(x, y, y, value=0.5), torch.addcdiv(x, y, y.abs() + 1, value=0.5), x.nan_to_num(0, 1, -1),
        i.float() / 2, x.double() * 1.1, x.half() * 2, (x > 0) + (y > 0), x.sigmoid().logit(), x.positive(),
    ]


def activations(x, y, i):
    return [
        F.relu(x), F.relu6(4 * x), F.leaky_relu(x, 0.2), F.elu(x, 0.7), F.selu(x), F.celu(x, 1.3), F.gelu(x),
        F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.hardswish(x), F.hardsigmoid(x), F.hardtanh(x, -0.4, 0.3),
        F.softplus(x), F.softplus(x, 2, 1), F.softshrink(x, 0.3), F.hardshrink(x, 0.3), F.threshold(x, 0.1, 7), F.logsigmoid(x),
        F.glu(x, 1), F.prelu(x, torch.full((6,), 0.2)), F.softsign(x), F.tanhshrink(x), x.softmax(1), x.log_softmax(-1),
        x.sigmoid(), F.dropout(x, 0.5, False), F.normalize(x), F.softmax(i, 1, dtype=torch.float32), F.softmin(x, 1),
    ]


def comparisons(x, y, i):
    return [
        x == y, x != 0, x < y, x <= 0.1, x > y, x >= y, i == 2, i > 1.5, (x > 0) & (y > 0), (x > 0) | (y > 0), (x > 0) ^ (y > 0),
        ~(x > 0), i & 6, i | 1, i ^ 5, ~i, torch.logical_and(i, x), torch.logical_or(x > 0, i), torch.logical_not(i),
        torch.logical_xor(x, i), torch.where(x > 0, x, y), torch.where(x > 0, 1.0, y), torch.where(x > 0, x, i),
        x.masked_fill(y > 0, -1), x.isnan(), x.isinf(), x.isfinite(), torch.isclose(x, x), x.eq(x).all(), (x > 0).any(1),
        (x > 2).any(), (x > -9).all(1, keepdim=True),
    ]


def shapes(x, y, i):
    b = x.shape[0]
    z = x.reshape(b, 2, 3)
    parts = x.chunk(4, 1) + x.split(4, 1) + x.split([1, 2, 3], 1) + tuple(z.unbind(1)) + torch.tensor_split(x, 3, 1) + torch.tensor_split(x, (1, -2), 1) + torch.tensor_split(x, (1,))
    return list(parts) + [
        z, z.flatten(1), x.view(-1), x.view(b * 2, 3), z.transpose(1, 2), z.permute(2, 0, 1), z.movedim(0, 2), x.t(), x.T,
        z.mT, z.swapaxes(0, 1), z.T, x[:, None].expand(b, 4, 6), x.unsqueeze(-1).expand(-1, -1, 2), x.unsqueeze(1).squeeze(1), x[None].squeeze(), x.unflatten(1, (2, -1)),
        x[:, 1:5:2], x[..., -2:], x[:, 2], x[0], x[-1], x.narrow(1, 1, 3), torch.cat([x, y], 1), torch.cat([x, y, x]),
        torch.cat([x, i], 1), torch.stack([x, y], 1), x.repeat(2, 1), x.repeat(3, 1, 2), x.tile(2), x.repeat_interleave(2, 1), x.flip(1),
        x.flip([0, 1]), x.roll(2, 1), z.roll([1, -1], [1, 2]), F.pad(x, (1, 2)), F.pad(x, (1, -1), value=3), F.pad(z, (1, 1), "reflect"),
        F.pad(z, (1, 2), "replicate"), F.pad(z, (1, 2), "circular"), z.diagonal(0, 1, 2), x.tril(), x.triu(1), x.tril(-1), z[:, 1, 1:],
        x.new_zeros(b, 2), x.new_full((2, b), 3), torch.ones_like(i), torch.full_like(x, 2.5), torch.zeros(b, 3), torch.arange(b),
        torch.arange(1, 7, 2) + i[:, :3], torch.arange(0, 1, 0.25), torch.linspace(0, 1, 5), torch.eye(3), torch.full((b, 1), True),
        torch.zeros(2, b * 3 + 1), x.sum() * b, x.new_ones(b // 2 + 1), x.new_ones(-(-b // 2)), x / b, x.numel() + i, x.type_as(i),
        x * (b * 0.5), x + (b * 0.25)**2, x * -(b / 3 - 0.5), torch.full((2,), b * 0.5 + 1), x.expand_as(torch.cat([x[None]] * 2)), x.select_scatter(y[:, 0], 1, 2), x.slice_scatter(y[:, :2], 1, 1, 5, 2), z.diagonal(1, 1, 2),
    ]


def indexing(x, y, i, e):
    i = i.remainder(6)
    z = x.reshape(x.shape[0], 2, 3)
    t = torch.tensor([2, 0, 1])
    s, put = torch.zeros_like(x), torch.ops.aten.index_put
    return [
        x[:, [0, 3]], x[:, t], z[:, :, t], z[:, [1, 0], [2, 2]], z[:, torch.tensor([[1], [0]]), t], z[t % 2][:, 0], z[[0, 0], :, [1, 2]],
        x.gather(1, i), x.index_select(1, t), e[i], F.embedding(i, e), F.one_hot(i, 7), s.scatter(1, i, x),
        s.scatter(1, i, 2.0), s.scatter_add(1, i, x), s.scatter_reduce(1, i, x, "amax"), s.index_add(1, t, x[:, :3], alpha=2), s.index_copy(1, t, x[:, :3]),
        s.index_put((torch.arange(2), torch.tensor([1, 3])), torch.tensor([5.0, 6.0])), put(s, [None, t], y[:, :3]), put(z, [None, None, t[:2]], y[:, :2, None], True),
        torch.index_put(x, (x > 0,), torch.tensor(9.0)),
    ]


def counted(x, i, repeats, boxes, scores):
    """Numbers and sizes that data decide."""
    import torchvision
    mask, rows = x > 0, x.sum(1) > 0
    most = i.max().item()
    torch._check(most >= 1)
    torch._check(most <= 10)
    put, doubled = x.clone(), x.clone()
    put[mask] = x[mask] * 2
    doubled[rows] = doubled[rows] + torch.tensor([1.0, 2, 3, 4, 5, 6])
    values, inverse, counts = torch.unique(i, return_inverse=True, return_counts=True)
    return [
        x.nonzero(), torch.argwhere(i), torch.masked_select(x, x[0] > 0), x[mask], x[rows], x[:, torch.tensor([1, 0, 0, 1, 1, 0]) > 0], x[rows, 1:3],
        x[i[:, 0] > 4, 2], put, doubled, torch.arange(most), (torch.arange(most) < i.sum(1, keepdim=True) % 9).sum(1), x * x.mean().item(),
        x + x.sum().item() * 0.5, x.repeat_interleave(repeats, 0), x.repeat_interleave(repeats, 0, output_size=4), torch.repeat_interleave(repeats),
        x.repeat_interleave(2), values, inverse, counts, torch.unique(i[:, :2], dim=0), torchvision.ops.nms(boxes, scores, 0.4),
    ]


def regions(x, boxes, offset, mask, w, b):
    """Operators of torchvision."""
    import torchvision
    align, convolve = torchvision.ops.roi_align, torchvision.ops.deform_conv2d
    return [
        align(x, boxes, (3, 2), 0.5, 2), align(x, boxes, 2, 1.0, -1, True), convolve(x, offset, w, b, padding=1, mask=mask),
        convolve(x, offset[:, :, :4, :3], w, None, (2, 2), 1), convolve(x, offset[:, :, :5, :4].repeat(1, 2, 1, 1), w[:, :2], b),
    ]


def reductions(x, y, i):
    z = x.reshape(x.shape[0], 2, 3)
    return [
        x.sum(), x.sum(1), x.sum(1, keepdim=True), i.sum(1), (x > 0).sum(1), x.mean(), z.mean((1, 2)), x.amax(1), x.amin(1), x.max(), x.min(),
        *x.max(1), *x.min(1, keepdim=True), x.argmax(1), x.argmin(1, keepdim=True), x.argmax(), z.prod(1), x.prod(), x.var(1), x.std(1),
        x.var(1, correction=0), *torch.var_mean(z, (1, 2), correction=0), *torch.std_mean(x, 1), x.norm(), x.norm(dim=1), x.norm(1, 1), torch.linalg.vector_norm(x, 3, 1),
        torch.linalg.vector_norm(x, float("inf"), 1), x.logsumexp(1), x.cumsum(1), i.cumsum(0), *x.topk(3, 1), *x.topk(2, 1, largest=False), *x.sort(1), *x.sort(1, descending=True), x.argsort(1),
        x.sum(dtype=torch.float64), i.float().mean(1), x.var(), x.std(0, correction=0), x.sum(0), x.aminmax(dim=1)[0],
    ]


def products(x, y, w, b):
    z, v = x.reshape(-1, 2, 3), y.reshape(-1, 3, 2)
    return [
        x @ y.T, torch.mm(x, w), torch.bmm(z, v), torch.matmul(z, v), torch.matmul(x, w[:, 0]), torch.addmm(b, x, w), torch.addmm(b, x, w, beta=0.5, alpha=2),
        torch.baddbmm(z @ v, z, v, alpha=0.5), F.linear(x, w.T, b), F.linear(z, w[:3, :4].T), torch.einsum("bij,bjk->bik", z, v), torch.einsum("bi,ij->bj", x, w),
        torch.mv(w, b[:4].repeat(2)[:4]), torch.dot(b, b), torch.outer(b, b),
    ]


def searches(x, y, i):
    """Running extremes, distances, sorted numbers, bags and others that few models have."""
    z, k, line = x.reshape(x.shape[0], 2, 3), i.abs() % 6, torch.tensor([-1.0, 0, 0, 0.5])
    near, far = torch.tensor([0.0, -0.0, 0, 1, -1, float("inf"), -2]), torch.tensor([-1.0, -1, 0, 0, -0.0, float("inf"), -3])
    bag, offsets, table = torch.tensor([1, 3, 3, 0, 2, 1, 5]), torch.tensor([0, 2, 2, 5]), x.reshape(-1)[:12].reshape(6, 2)
    return [
        *x.cummax(1), *i.cummin(0), x.cumprod(1), *x.kthvalue(2, 1), *x.median(1, keepdim=True), x.median(), torch.bucketize(x, line),
        torch.bucketize(i, torch.tensor([-3, 0, 0, 4]), right=True), torch.searchsorted(x.sort(1)[0], y), torch.searchsorted(line, x, right=True, out_int32=True),
        torch.cdist(x, y), torch.cdist(z, z + 1, p=1.0), torch.cdist(x, y, p=2.5), torch.cdist(x, y, p=float("inf")), torch.cdist(x.round(), y.round(), p=0.0), F.pdist(x[:2]),
        F.embedding_bag(bag, table, offsets), F.embedding_bag(bag, table, offsets, mode="sum", per_sample_weights=x.reshape(-1)[:7]), F.embedding_bag(bag, table, offsets, mode="max", padding_idx=3),
        F.embedding_bag(bag, table, torch.cat([offsets, offsets[-1:] + 2]), mode="mean", include_last_offset=True, padding_idx=3), F.embedding_bag(k, table, mode="sum"),
        x.masked_scatter(y > 0, torch.cat([y.flatten(), y.flatten()])), x.scatter_reduce(1, k, y, "mean"), *[x.scatter_reduce(1, k, y, how, include_self=False) for how in ("sum", "mean", "amax", "amin", "prod")],
        torch.atan2(x, y), torch.atan2(near, far) + 0 * x[0, 0], x.angle(), torch.copysign(x, y), x.deg2rad(), x.rad2deg(), torch.hypot(x, y), torch.hypot(x * 0, y * 1e30), torch.ldexp(x, i), F.rrelu(x),
        (-x * 0).signbit(), (x / 0).isposinf(), (x / 0).isneginf(), i << 2, i >> 1, torch.bitwise_left_shift(k, k), x.unfold(1, 3, 2), z.unfold(2, 2, 1).unfold(1, 2, 1), x.view(torch.int32), torch.empty_strided((2, 3), (3, 1)).fill_(1) + x[:2, :3],
        x * torch.hann_window(6), x * torch.hamming_window(6, periodic=False), x * torch.blackman_window(6), torch.triu_indices(4, 6, 1) + i.sum(), torch.tril_indices(4, 3) + i.sum(),
        torch.linalg.vector_norm(x.round(), 0, 1), x.argmax(keepdim=True), (x * 1e-4).expm1(), F.bilinear(x, y, x[:1, None] * torch.ones(2, 6, 6), x[0, :2]), torch.linalg.det(x[:2, :2]),
    ]


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(4, 6, 3, padding=1)
        self.two = nn.Conv2d(4, 4, 3, stride=2, dilation=2, groups=2, bias=False, padding="valid")
        self.three = nn.Conv1d(4, 3, 4, padding="same")
        self.four = nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1)
        self.five = nn.ConvTranspose1d(4, 2, 4, stride=3, bias=False)
        self.six = nn.Conv3d(2, 3, 2)

    def forward(self, x):
        r = x.flatten(2)
        v = x.reshape(x.shape[0], 2, 2, 7, 6)
        return [
            self.one(x), self.two(x), self.three(r), self.four(x), self.five(r), self.six(v), self.one(x.sum(0)),
            F.max_pool2d(x, 2), F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 3, 2, ceil_mode=True), F.max_pool1d(r, 3), F.max_pool3d(v, 2),
            F.avg_pool2d(x, 2), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), F.avg_pool1d(r, 4, 3), F.avg_pool2d(x, 3, 2, 1, divisor_override=5), F.adaptive_max_pool3d(v, (1, 2, 3)),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (7, 3)), F.adaptive_avg_pool2d(x, (3, 4)),
            F.adaptive_avg_pool1d(r, 6), F.adaptive_max_pool2d(x, 1), F.adaptive_max_pool2d(x, (2, 5)),
            F.interpolate(x, scale_factor=2), F.interpolate(x, (5, 9)), F.interpolate(x, scale_factor=2, mode="bilinear"), F.interpolate(x, (5, 9), mode="bilinear"),
            F.interpolate(x, (5, 9), mode="bilinear", align_corners=True), F.interpolate(x, scale_factor=1.5, mode="bicubic"), F.interpolate(r, 50, mode="linear"), F.interpolate(r, scale_factor=2),
            F.interpolate(x, (5, 4), mode="bilinear", antialias=True), F.interpolate(x, (9, 3), mode="bicubic", antialias=True),
            F.pixel_shuffle(x, 2), F.pixel_unshuffle(x[..., :6, :], 2), F.channel_shuffle(x, 2), F.unfold(x, 3, padding=1),
        ]


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.batch = nn.BatchNorm2d(4)
        self.batch.running_mean.normal_()
        self.batch.running_var.uniform_(0.5, 2)
        self.plain = nn.BatchNorm2d(4, affine=False)
        self.layer = nn.LayerNorm([7, 6])
        self.bare = nn.LayerNorm(6, elementwise_affine=False)
        self.group = nn.GroupNorm(2, 4)
        self.instance = nn.InstanceNorm2d(4, affine=True)
        self.rms = nn.RMSNorm(6)
        self.weight = nn.utils.parametrizations.weight_norm(nn.Linear(6, 3))

    def forward(self, x):
        return [self.batch(x), self.plain(x), self.layer(x), self.bare(x), self.group(x), self.instance(x), self.rms(x), self.weight(x),
                F.local_response_norm(x, 3), F.layer_norm(x, (6,), None, None), F.group_norm(x, 1), F.batch_norm(x, torch.zeros(4), torch.ones(4))]


def grids(x):
    g = torch.tanh(x[:, :2].permute(0, 2, 3, 1))
    return [F.grid_sample(x, g, align_corners=False), F.grid_sample(x, g, "nearest", "border", True), *F.max_pool2d(x, 2, return_indices=True),
            F.grid_sample(x, g, "bicubic", "reflection", False), torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 20)]


def composites(x, y, i):
    b = x.shape[0]
    z = x.reshape(b, 2, 3)
    w = torch.stack([x, y, x - y], 2)
    pooled, places = F.max_pool2d(x[:2].reshape(2, 1, 2, 3), (2, 1), return_indices=True)
    return [
        torch.hstack([x, y]), torch.hstack([x[:, 0], y[:, 1]]), torch.vstack([x, y]), torch.vstack([x[0], y[1]]), torch.dstack([x, y]),
        torch.dstack([x[0], y[0]]), torch.column_stack([x, y[:, 0]]), torch.column_stack([x[0], y[1]]), torch.atleast_1d(x[0, 0]),
        torch.atleast_2d(x[0]), torch.atleast_3d(x), torch.block_diag(x, y[:2], x[0]), *torch.meshgrid(x[:, 0], y[0], indexing="ij"),
        *torch.meshgrid(x[:, 0], y[0], x[1], indexing="xy"), F.fold(F.unfold(x.reshape(b, 1, 2, 3), 2, padding=1), (2, 3), 2, padding=1), torch.cartesian_prod(x[:, 0], y[0]), *torch.broadcast_tensors(x, y[:, :1], y[0]),
        torch.diag(x[0]), torch.diag(x[0], 2), torch.diag(x[:2], 1), torch.diag(x[:2], -1), torch.diag_embed(x, 1, 0, 2), torch.diag_embed(z, -2),
        torch.diagflat(x[0], -1), torch.diagflat(x[:2], -1), x[:2].trace(), i.trace(), x.rot90(), z.rot90(3, [1, 2]), z.rot90(2, [0, 2]), z.rot90(-3, [2, 1]), x.fliplr(),
        x.flipud(), torch.diff(x), torch.diff(x, 2, 1), torch.diff(i, dim=1, prepend=i[:, :1], append=i[:, 3:]), torch.tensordot(z, w, ([2], [2])),
        torch.tensordot(x, y, ([0, 1], [0, 1])), torch.tensordot(z, y.reshape(b, 3, 2), ([0, 2], [0, 1])),
        torch.kron(x[:2], y[:2]), torch.cross(w, w.flip(0), -1), torch.linalg.cross(z, z.roll(1, 0)), torch.take(x, i.abs() % 6), torch.inner(x, y),
        torch.take_along_dim(x[:2], y[:2].argsort(1), 1), torch.take_along_dim(x, i.abs() % 6), torch.linalg.multi_dot([x[:2], y[:2].T, x[:2]]), torch.linalg.vecdot(x, y),
        torch.matrix_power(torch.ones(3, 3) * x[0, 0], 3), F.max_unpool2d(pooled, places, (2, 1), output_size=(2, 3)), x.ravel(), z.moveaxis(0, 2),
        z.swapdims(0, 1), torch.isin(i, i[0, :2]), torch.isin(i, i[1, :1], invert=True), torch.count_nonzero(i, 1), torch.count_nonzero(i),
        torch.nansum((x - 0.2).log(), 1), torch.nanmean((x - 0.2).log(), (0, 1)), torch.vdot(x[0], y[0]), x.clip(-1, 0.5), x.absolute(), x.greater(y),
        F.affine_grid(x.reshape(b, 2, 3), [b, 1, 4, 5], align_corners=False), F.affine_grid(x.reshape(b, 2, 3), [b, 1, 4, 1], align_corners=True),
        F.interpolate(z, scale_factor=1.7, mode="nearest-exact"), F.interpolate(z[None], size=(5, 4), mode="nearest-exact"), z.adjoint(),
    ]


def special(x, y, i):
    p, q, t = x.sigmoid(), y.sigmoid(), i[:, 0].abs() % 6
    return [
        torch.heaviside(x.round(), y), torch.logaddexp(x, 3 * y), torch.logaddexp2(x, 3 * y), torch.xlogy(x, q), torch.xlogy(x.round(), q),
        torch.sinc(x.round() / 2), torch.special.entr(p), torch.special.ndtr(x), torch.special.xlog1py(x, q), x.lgamma(), (5 * x.abs()).lgamma(),
        (-5 * x.abs() - 0.013).lgamma(), torch.erfinv(2 * p - 1), torch.erfinv((3 * x).tanh()), torch.erfinv(x.sign()), x.float_power(2),
        torch.special.expit(x), torch.special.log_softmax(x, 1), x.arctan2(y), F.mse_loss(x, y), F.mse_loss(x, y, reduction="none"), F.l1_loss(x, y),
        F.smooth_l1_loss(x, y, beta=0.5), F.huber_loss(x, y, delta=0.7, reduction="sum"), F.binary_cross_entropy(p, q),
        F.binary_cross_entropy_with_logits(5 * x, q), F.binary_cross_entropy_with_logits(x, q, pos_weight=q[0], reduction="none"), F.kl_div(x, q),
        F.kl_div(x, y, reduction="sum", log_target=True), F.cross_entropy(x, t), F.cross_entropy(x, t, weight=q[0], ignore_index=2),
        F.cross_entropy(x.reshape(-1, 2, 3), i[:, :3] % 2, reduction="none"), F.nll_loss(x, t, reduction="sum"), F.cosine_similarity(x, y),
        F.cosine_similarity(x.reshape(-1, 2, 3), y.reshape(-1, 2, 3), -1), F.pairwise_distance(x, y), F.pairwise_distance(x, y, 3.0, keepdim=True),
        torch.dist(x, y), torch.dist(x, y, 1), torch.linalg.norm(x), torch.linalg.norm(x, dim=1), torch.linalg.norm(x, 1, 1), torch.linalg.norm(x[0], 3),
        torch.linalg.matrix_norm(x.reshape(-1, 2, 3), keepdim=True), torch.linalg.norm(x.reshape(-1, 2, 3), "fro", (0, 2)),
    ]


def attention(q, k, v, m):
    s = F.scaled_dot_product_attention
    h = torch.cat([k, k], 1)
    return [s(q, k, v), s(q, k, v, scale=0.3), s(q, k, v, is_causal=True), s(q, k, v, attn_mask=m), s(q, k, v, attn_mask=m > 0), s(q[:, 0], k[:, 0], v[:, 0]),
            s(h, k, v, enable_gqa=True), s(q, k, v, attn_mask=(m > 0)[None, None]), torch.softmax(q @ k.mT / 2, -1) @ v,
            s(q[:, None], k[:, None], v[:, None]), s(q[None, :, None], k[None, :, None], v[None, :, None], attn_mask=m[None, None, None] > 0),
            s(q.expand(3, *q.shape), k.expand(3, *k.shape), v.expand(3, *v.shape), attn_mask=(m > 0).expand(3, 1, 1, 5, 7))]


class InPlace(nn.Module):
    """Operators that work in place, views among them, and buffers that they change."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.arange(3.0))
        self.register_buffer("cache", torch.zeros(4, 6))
        self.register_buffer("fixed", torch.tensor([1.0, 2, 3]), persistent=False)

    def forward(self, x):
        y = x.clone()
        y += 1
        y.mul_(2).relu_()
        z = torch.zeros(x.shape[0], 6)
        z[:, 1:3] = y[:, :2]
        z[:, 4] = 7
        z[0, 5].fill_(3)
        w = torch.zeros(4, 6)
        w[1:3][:, 2:4] += 5
        u = y[:, :4].reshape(x.shape[0], 2, 2)  # a view, of what is not contiguous
        u += 10
        v = w.t()[1:5].reshape(2, 8)  # a copy
        v *= 2
        w.t()[1, 2:4].sub_(1)
        w.view(2, 2, 6).permute(2, 0, 1)[3:, 1] = 8
        self.count.add_(1)
        self.cache[1:2] = x[:1]
        return [y, z, w, u, v, self.fixed * self.count, self.cache.sum(0), F.hardtanh_(y - 1), x.new_zeros(2).zero_()]


class Layers(nn.Module):
    """PyTorch's own kernels of layers of transformers."""

    def __init__(self):
        super().__init__()
        self.last = nn.TransformerEncoderLayer(8, 2, 12, batch_first=True)
        self.first = nn.TransformerEncoderLayer(8, 4, 12, batch_first=True, norm_first=True, activation="gelu")
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.4)

    def run(self, layer, x, mask=None, mask_type=None):
        own, norms = layer.self_attn, (layer.norm1, layer.norm2)
        return torch._transformer_encoder_layer_fwd(
            x, 8, own.num_heads, own.in_proj_weight, own.in_proj_bias, own.out_proj.weight, own.out_proj.bias, layer.norm_first,
            layer.norm_first, 1e-5, *(p for norm in norms for p in (norm.weight, norm.bias)), layer.linear1.weight,
            layer.linear1.bias, layer.linear2.weight, layer.linear2.bias, mask, mask_type)

    def forward(self, x, rows):
        causal, own = torch.ones(5, 5).triu(1) > 0, self.attention
        return [self.run(self.last, x), self.run(self.first, x), self.run(self.last, x, causal, 0), self.run(self.first, x, rows > 1, 1),
                torch._native_multi_head_attention(x, x, x, 8, 2, own.in_proj_weight, own.in_proj_bias, own.out_proj.weight,
                                                   own.out_proj.bias, None, False)[0]]


class Nested(nn.Module):
    """Inputs and results in containers, weights that share memory, constants, graphs in operators."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 6)
        self.second = nn.Linear(6, 6)
        self.second.weight = self.first.weight
        self.turned = nn.Parameter(torch.randn(6, 3).t())
        self.part = nn.Parameter(torch.randn(4, 6)[1:3])

    def forward(self, x, *, other):
        with torch.no_grad():
            a = self.second(self.first(x["a"]))
        c = torch.cond(other.sum() > 0, lambda t: t + 1, lambda t: t * 2, (other,))
        return {"sum": a + torch.tensor([1.0, 2, 3, 4, 5, 6]), "none": None, "pair": (x["b"], 3, c), "size": x["a"].shape[0] * 7, "turned": self.turned @ a.T, "part": a @ self.part.T, "again": a}


class Loops(nn.Module):
    """Graphs that are computed again and again."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x, rows, n):
        steps, last = while_loop(lambda i, y: i < n, lambda i, y: (i + 1, torch.tanh(self.layer(y)) + x), (torch.zeros((), dtype=torch.int64), x.clone()))
        double = while_loop(lambda y, s: s < 99, lambda y, s: (y * 2, (y * 2).abs().sum()), (x + 3, x.sum()))[0]
        state, states = scan(lambda c, r: (torch.tanh(self.layer(r) + c), r * c), x[:1], rows)
        back = scan(lambda c, r: (c + r, c.clone()), rows[:, 0].clone(), rows, dim=1, reverse=True)[1]
        return [steps, last, double, state, states, back, map_rows(lambda r, t: r.sin() + t.sum(0), rows, x)]


class Quantized(nn.Module):
    """Weights of 8 bits, and operands rounded to them, as torchao's quantizers of exported programs write it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (5, 6), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(5) * 0.1 + 0.01)
        self.register_buffer("zeros", torch.randint(-3, 4, (5,)))

    def forward(self, x):
        q = torch.ops.quantized_decomposed
        rounded = q.quantize_per_tensor(x, 0.03, 5, -128, 127, torch.int8)
        weight = q.dequantize_per_channel(self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8)
        again = q.quantize_per_channel(weight, self.scales, self.zeros, 0, -100, 100, torch.int8)
        operand = q.dequantize_per_tensor(rounded, 0.03, 5, -128, 127, torch.int8)
        return [F.linear(operand, weight), rounded, again, q.quantize_per_tensor(x, 0.02, 128, 0, 255, torch.uint8)]


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.LSTM(6, 3), nn.LSTM(6, 3, 2, bidirectional=True, batch_first=True, dropout=0.5), nn.LSTM(6, 5, bias=False),
            nn.GRU(6, 4), nn.GRU(6, 3, 3, bidirectional=True, batch_first=True), nn.RNN(6, 3, 2), nn.RNN(6, 3, nonlinearity="relu", bidirectional=True),
            nn.LSTM(6, 5, proj_size=2), nn.LSTM(6, 4, 2, bias=False, bidirectional=True, batch_first=True, proj_size=3)])
        self.lstm, self.gru, self.rnn, self.bare = nn.LSTMCell(6, 3), nn.GRUCell(6, 3), nn.RNNCell(6, 3, nonlinearity="relu"), nn.GRUCell(6, 3, bias=False)

    def forward(self, x, y, h):
        results = []
        for layer in self.layers:
            results += [v for v in torch.utils._pytree.tree_leaves(layer(x if layer.batch_first else y))]
        results += [self.layers[0](y, (h[None], h[None] * 2))[0], self.layers[3](y, F.pad(h, (0, 1))[None])[0]]
        return [*results, *self.lstm(x[:, 0]), *self.lstm(x[:, 1], (h, h + 1)), self.gru(x[:, 0]), self.gru(x[:, 1], h), self.rnn(x[:, 0], h), self.bare(x[:, 2], h)]


class Spectra(nn.Module):
    """Fourier transforms of [n, 24], and [n, 4, 6]."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(8))
        self.register_buffer("short", torch.hann_window(5))

    def forward(self, x):
        fft, z = torch.fft, x.reshape(-1, 4, 6)

        def r(value):
            return torch.view_as_real(value.resolve_conj())

        return [
            fft.fft(x).real, fft.fft(x).imag, r(fft.rfft(x)), r(fft.rfft(x, n=31)), r(fft.rfft(x, n=10)), fft.fft(fft.fft(z, dim=-1), dim=-2).real,
            r(fft.ifft(fft.fft(x))), fft.irfft(fft.rfft(x)), fft.irfft(fft.rfft(x), n=23), fft.irfft(fft.rfft(x), n=17),
            fft.irfft(fft.rfft(x), n=40), fft.irfft(x), r(fft.rfft(z, dim=1)), fft.irfft(fft.rfft(z, dim=1), dim=1),
            *(r(fft.rfft(x, norm=norm)) for norm in ("forward", "ortho")), *(r(fft.ifft(x, norm=norm)) for norm in ("forward", "ortho")),
            *(fft.irfft(fft.rfft(x, norm=norm), norm=norm) for norm in ("forward", "ortho")),
            r(fft.fft2(z)), r(fft.ifft2(fft.fft2(z))), r(fft.rfft2(z)), fft.irfft2(fft.rfft2(z)), fft.irfft2(fft.rfft2(z), s=(5, 7)),
            r(fft.fftn(z, dim=(1, 2))), r(fft.fftn(z, s=(3, 9))), r(fft.rfftn(z, s=(5, 4))), fft.irfftn(fft.rfftn(z, s=(5, 4)), s=(5, 4)),
            r(fft.ifftn(z, dim=(2, 1), norm="ortho")), fft.fftshift(x, 1), fft.ifftshift(z, (1, 2)), r(fft.fftshift(fft.fft(z, n=5), 2)),
            torch.stft(x, 8, 2, window=self.window, return_complex=True).abs(), torch.stft(x, 8, 3, window=self.window, center=False, return_complex=True).abs().pow(2),
            r(torch.stft(x, 8, 4, 5, window=self.short, normalized=True, return_complex=True)), fft.rfft(x.half().float()).abs(),
            r(torch.stft(x, 8, 4, window=self.window, onesided=False, pad_mode="constant", return_complex=True)), fft.fft(x)[:, 1:12].angle(), fft.rfft(x.double()).abs(),
        ]


class Complex(nn.Module):
    """Operators of complex numbers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.polar(torch.ones(5, 3), torch.outer(torch.arange(5.0), torch.rand(3))))
        self.register_buffer("apart", torch.randn(3, 5, dtype=torch.complex64).t())

    def forward(self, x, y):
        z, w = torch.view_as_complex(x.reshape(-1, 5, 3, 2)), torch.complex(y[..., ::2], y[..., 1::2])
        values = [
            z * self.table, z * self.apart, z + w, z - w, z * w, z / w, z * 2, z * y[..., :3], z / 2.5, z / (y[..., :3].abs() + 1), z + 1, z + y[..., :3], z - 2j,
            z * (2 - 3j), -z, z.conj(), z.conj() * w, z.exp(), torch.polar(y, x.reshape(y.shape)), z.transpose(1, 2), z.reshape(-1, 15), z[:, 1:, 0], z[:, :, None],
            torch.cat([z, w], 1), torch.stack([z, w], 1), z.flip(1), z.sum(1), z.mean(2, keepdim=True), z @ w.transpose(1, 2), (y[..., :3] + 0j) @ z.transpose(1, 2),
            torch.einsum("bij,bkj->bik", z, w), torch.where(y[..., :3] > 0, z, w), z.expand(-1, -1, 3).clone(), z.roll(1, 2), z.unbind(1)[2], z.permute(2, 0, 1).contiguous(),
            x.to(torch.complex64), z.masked_fill(y[..., :3] > 1, 3), torch.nn.functional.pad(z, (1, 2)), z.repeat(1, 2, 1), z[:, [0, 2]], 1 + 1j * y,
        ]
        changed, spectrum = z.clone(), torch.zeros(x.shape[0], 5, 4, dtype=torch.complex64)
        changed[:, 1:3].mul_(w[:, :2]).add_(1)
        changed[:, 4] = w[:, 0].conj()
        spectrum[..., :3] = z
        spectrum /= w[..., :1]
        values += [changed, spectrum]
        return [torch.view_as_real(value.resolve_conj()) for value in values] + [z.real, z.imag, z.abs(), z.angle(), z.real * w.imag, (z * z.conj()).real]


class Signals(nn.Module):
    """Signals of the spectra of their frames."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(8))
        self.register_buffer("short", torch.hann_window(7)[1:])

    def forward(self, x):
        w, istft = self.window, torch.istft
        z = torch.view_as_complex(x.reshape(-1, 5, 7, 2))
        return [
            istft(z, 8, 2, window=w), istft(z, 8, 3, window=w), istft(z, 8, 2, window=w, length=11), istft(z, 8, 2, window=w, length=20),
            istft(z, 8, 4, 6, self.short, normalized=True), istft(z, 8, 5, center=False), istft(z[0], 8, window=w),
            istft(torch.cat([z, z[:, 1:4].flip(1).conj()], 1), 8, 2, window=w, onesided=False),
        ]


def solvers(x, b, s):
    """Linear systems of [n, 5, 5], three right sides each."""
    a, line = x + 4 * torch.eye(5), b[:, :, 0]
    square = a @ a.mT
    low, high, linalg, r = torch.linalg.cholesky(square), torch.linalg.cholesky(square, upper=True), torch.linalg, b.mT
    return [
        linalg.solve(x, b), linalg.solve(x, line), linalg.solve(s, b), linalg.solve(x, s[:, :2]), linalg.solve(s, s[0]), linalg.solve(x, r, left=False), linalg.solve(s, r, left=False), linalg.inv(x),
        torch.inverse(s), low, high, linalg.cholesky_ex(square.tril())[0], torch.cholesky_solve(b, low), torch.cholesky_solve(b, high, upper=True),
        torch.cholesky_inverse(low), torch.cholesky_inverse(high, upper=True), *(linalg.solve_triangular(a, b, upper=u, unitriangular=o) for u in (True, False) for o in (True, False)),
        linalg.solve_triangular(a, r, upper=True, left=False), *(torch.triangular_solve(b, a, upper=u, transpose=t)[0] for u in (True, False) for t in (True, False)),
        linalg.det(x), *linalg.slogdet(x), torch.logdet(square), linalg.det(s), torch.slogdet(x * (torch.arange(5) != 2))[1],
    ]


def segments(x, i, lengths, offsets):
    """Runs, counts and segments of rows, and what is summed up along a dim."""
    reduce, line, k = torch.segment_reduce, torch.linspace(0, 3, 6)**2, i.abs() % 3
    most, seven = torch.bincount(k.flatten()), torch.bincount(k.flatten(), minlength=7)
    sums = torch.bincount(k.flatten(), x.flatten(), minlength=5)
    for count in (most, seven, sums):
        torch._check(count.shape[0] <= 9)
    values, inverse, counts = torch.unique_consecutive(k, return_inverse=True, return_counts=True)
    return [
        *(reduce(x, how, lengths=lengths) for how in ("sum", "mean", "max", "min")), *(reduce(x, how, offsets=offsets) for how in ("sum", "mean", "max", "min")),
        most, seven, sums, values, inverse, counts,
        x.logcumsumexp(1), (30 * x).logcumsumexp(0), torch.trapezoid(x), torch.trapezoid(x, line), torch.trapezoid(x, dx=0.3, dim=0), torch.trapezoid(x, x.exp()),
        torch.cumulative_trapezoid(x), torch.cumulative_trapezoid(x, line), x.diff(),
    ]


class Lambda(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, x):
        return torch.relu(self.layer(x))


def f32(*shape):
    return torch.randn(*shape)


def ints(*shape):
    return torch.randint(-9, 9, shape)


def pair(n):
    return f32(n, 6), f32(n, 6), ints(n, 6)


def selected(n):
    return f32(3, 6), ints(3, 6).abs() + 1, torch.tensor([n - 1, 0, 5 - n]), places(n)[:, 1:].repeat(2, 1)[:5], f32(5).sigmoid()


def places(n):
    """Boxes behind the number of the image that they are in."""
    corner = f32(n + 3, 2).abs()
    return torch.cat([torch.arange(n + 3.0)[:, None] % n, corner, corner + 1 + 2 * f32(n + 3, 2).abs()], 1)


# name: module, its inputs for a batch, which of these have one in front, or which of their dims are one
CASES = {
    "linear": (Linear(), lambda n: (f32(n, 6),), (1,)),
    "elementwise": (Lambda(elementwise), pair, (1, 1, 1)),
    "activations": (Lambda(activations), pair, (1, 1, 1)),
    "comparisons": (Lambda(comparisons), pair, (1, 1, 1)),
    "shapes": (Lambda(shapes), pair, (1, 1, 1)),
    "indexing": (Lambda(indexing), lambda n: (*pair(n), f32(9, 3)), (1, 1, 1, 0)),
    "counted": (Lambda(counted), selected, (0, 0, 0, 0, 0)),
    "regions": (Lambda(regions), lambda n: (f32(3, 4, 7, 6), places(3), f32(3, 18, 7, 6), f32(3, 9, 7, 6), f32(4, 4, 3, 3), f32(4)), (0,) * 6),
    "reductions": (Lambda(reductions), pair, (1, 1, 1)),
    "searches": (Lambda(searches), pair, (1, 1, 1)),
    "composites": (Lambda(composites), pair, (1, 1, 1)),
    "special": (Lambda(special), pair, (1, 1, 1)),
    "products": (Lambda(products), lambda n: (f32(n, 6), f32(n, 6), f32(6, 4), f32(4)), (1, 1, 0, 0)),
    "convolutions": (Convolutions(), lambda n: (f32(n, 4, 7, 6),), (1,)),
    "grids": (Lambda(grids), lambda n: (f32(3, 4, 7, 6),), (0,)),
    "norms": (Norms(), lambda n: (f32(n, 4, 7, 6),), (1,)),
    "attention": (Lambda(attention), lambda n: (f32(n, 2, 5, 4), f32(n, 2, 7, 4), f32(n, 2, 7, 4), f32(5, 7).abs() - 0.1), (1, 1, 1, 0)),
    "layers": (Layers(), lambda n: (f32(n, 5, 8), f32(n, 5)), (1, 1)),
    "spectra": (Spectra(), lambda n: (f32(n, 24),), (1,)),
    "signals": (Signals(), lambda n: (f32(n, 5, 14),), (1,)),
    "solvers": (Lambda(solvers), lambda n: (f32(n, 5, 5), f32(n, 5, 3), f32(5, 5)), (1, 1, 0)),
    "segments": (Lambda(segments), lambda n: (f32(6, 6), ints(6, 6), torch.tensor([n, 0, 5 - n, 1]), torch.tensor([0, n - 1, 3, 3, 6])), (0, 0, 0, 0)),
    "complex": (Complex(), lambda n: (f32(n, 5, 6), f32(n, 5, 6)), (1, 1)),
    "in_place": (InPlace(), lambda n: (f32(n, 6),), (1,)),
    "nested": (Nested(), None, None),
    "quantized": (Quantized(), lambda n: (f32(n, 6),), (1,)),
    "loops": (Loops(), lambda n: (f32(n, 6), f32(5, 6), torch.tensor(n + 1)), (1, 0, 0)),
    "recurrent": (Recurrent(), lambda n: (f32(n, 5, 6), f32(5, n, 6), f32(n, 3)), ({0: 1}, {1: 1}, {0: 1})),
}


# PyTorch's decomposition gives final states another rank where sizes vary, and fails at constants made inside.
ONLY_PLAIN = ("recurrent", "layers", "composites", "special")


def export(name):
    module, inputs, varies = CASES[name]
    module.eval()
    batch = torch.export.Dim("batch", min=2, max=64)
    if name == "nested":
        x, other = {"a": f32(4, 6), "b": f32(2)}, f32(5)
        return torch.export.export(module, (x,), {"other": other}, strict=False,
                                   dynamic_shapes={"x": {"a": {0: batch}, "b": None}, "other": None})
    dims = (v if isinstance(v, dict) else {0: v} for v in varies)
    shapes = tuple({axis: torch.export.Dim.DYNAMIC for axis, v in d.items() if v} or None for d in dims)
    return torch.export.export(module, inputs(4), dynamic_shapes=(shapes,) if isinstance(module, Lambda) else shapes)


def forget_places(text):
    """The program without the files and lines it comes from, of the same length."""
    return re.sub(rb'("stack_trace": ")((?:[^"\\]|\\.)*)"', lambda m: m[1] + b" " * len(m[2]) + b'"', text)


def forget_stored_places(path):
    """The same in an archive that stays as PyTorch wrote it: entries, their places and their sizes."""
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            text = archive.read(entry)
            if b"stack_trace" in text:
                sums = [struct.pack("<I", s) for s in (entry.CRC, zlib.crc32(forget_places(text)))]
                assert data.count(text) == 1
                data = data.replace(text, forget_places(text)).replace(*sums)
    path.write_bytes(data)


def compress(path):
    with zipfile.ZipFile(path) as archive:
        entries = [(e.filename, archive.read(e)) for e in archive.infolist() if "sample_inputs" not in e.filename]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), forget_places(data), zipfile.ZIP_DEFLATED)


def flat(value):
    return [np.array(v) for v in torch.utils._pytree.tree_leaves(value) if v is not None and not (type(v) is int and v == 3)]


def results(program, changed, name, batch):
    """Inputs by their names, results by their place: what the program's own module computes, and then its buffers."""
    torch.manual_seed(batch)
    if name == "nested":
        args, kwargs = ({"a": f32(batch, 6), "b": f32(2)},), {"other": f32(5)}
    else:
        args, kwargs = CASES[name][1](batch), {}
    module = program.module()
    arrays = {f"in_{name}": np.array(module.get_buffer(name)) for name in changed}
    for key, value in zip(program.graph_signature.user_inputs, flat((args, kwargs)), strict=True):
        arrays[f"in_{key}"] = value
    with torch.no_grad():
        result = flat(module(*args, **kwargs))
    result += [np.array(module.get_buffer(name)) for name in changed]
    return arrays | {f"out{k}": value for k, value in enumerate(result)}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    names = sys.argv[2:] or list(CASES)
    for name in names:
        torch.manual_seed(0)
        program = export(name)
        core = program if name in ONLY_PLAIN else program.run_decompositions()
        changed = list(core.graph_signature.buffers_to_mutate.values())
        expected = {}
        for batch in (3, 4) if name in ("shapes", "indexing") else (2, 3):
            for key, value in results(program, changed, name, batch).items():
                expected[f"{batch}_{key}"] = value
        np.savez_compressed(folder / f"{name}.npz", **expected)
        programs = [(f"{name}.pt2", program)] + ([] if name in ONLY_PLAIN else [(f"{name}_core.pt2", core)])
        for path, exported in programs:
            torch.export.save(exported, folder / path)
            (forget_stored_places if name == "linear" else compress)(folder / path)


if __name__ == "__main__":
    main()
