"""Makes the files of this folder: StableHLO of small functions and networks, with inputs and what JAX computes of them.

    python3 make.py [NAME ...]        # jax, flax and equinox of PyPI; jaxlib writes the generic form

Inputs/NAME.mlir is the module; Inputs/NAME.npz has in<call>_<i> and out<call>_<i>. Sizes that vary have another size in each call.
"""
import functools
import os
import sys

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax._src.interpreters import mlir as jax_mlir
import jaxlib.mlir.ir as ir

HERE = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(0)


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def generic(text):
    with jax_mlir.make_ir_context():
        return ir.Module.parse(text).operation.get_asm(print_generic_op_form=True)


def save(name, function, calls, dims=None):
    """calls: lists of arguments; dims: of sizes that vary, a pattern for each argument."""
    scope = export.SymbolicScope()
    dims = dims or [None] * len(calls[0])
    spec = [jax.ShapeDtypeStruct(export.symbolic_shape(d, like=a.shape, scope=scope) if d else a.shape, a.dtype)
            for d, a in zip(dims, calls[0])]
    exported = export.export(jax.jit(function))(*spec)
    with open(f"{HERE}/Inputs/{name}.mlir", "w") as file:
        file.write(generic(exported.mlir_module()))
    arrays = {}
    for k, call in enumerate(calls):
        results = jax.tree_util.tree_leaves(jax.jit(function)(*call))
        arrays |= {f"in{k}_{i}": a for i, a in enumerate(call)}
        arrays |= {f"out{k}_{i}": np.asarray(a) for i, a in enumerate(results)}
    np.savez_compressed(f"{HERE}/Inputs/{name}.npz", **arrays)


def network(name, module, calls, dims=None):
    variables = module.init(jax.random.key(1), *calls[0])
    save(name, lambda *args: module.apply(variables, *args), calls, dims)


#===-- Networks ------------------------------------------------------------------------------------------------------


class Block(nn.Module):
    causal: bool = False

    @nn.compact
    def __call__(self, x):
        y = nn.LayerNorm()(x)
        mask = nn.make_causal_mask(y[..., 0]) if self.causal else None
        x = x + nn.MultiHeadDotProductAttention(2)(y, y, mask=mask)
        return x + nn.Dense(8)(nn.gelu(nn.Dense(16)(nn.LayerNorm()(x))))


class ViT(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(8, (4, 4), strides=(4, 4), padding="VALID")(x)
        x = x.reshape(x.shape[0], -1, 8)
        first = self.param("first", nn.initializers.normal(), (1, 1, 8))
        x = jnp.concatenate([jnp.broadcast_to(first, (x.shape[0], 1, 8)), x], 1)
        return nn.Dense(3)(nn.LayerNorm()(Block()(x))[:, 0])


class GPT(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(20, 8)(tokens) + nn.Embed(32, 8)(jnp.arange(tokens.shape[1]))[None]
        return nn.Dense(20, use_bias=False)(nn.LayerNorm()(Block(True)(x)))


class Residual(nn.Module):
    features: int
    stride: int = 1

    @nn.compact
    def __call__(self, x):
        norm = functools.partial(nn.BatchNorm, use_running_average=True)
        y = nn.relu(norm()(nn.Conv(self.features, (3, 3), (self.stride, self.stride), use_bias=False)(x)))
        y = norm()(nn.Conv(self.features, (3, 3), use_bias=False)(y))
        if y.shape != x.shape:
            x = norm()(nn.Conv(self.features, (1, 1), (self.stride, self.stride), use_bias=False)(x))
        return nn.relu(x + y)


class ResNet(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(4, (7, 7), (2, 2), padding=[(3, 3), (3, 3)])(x))
        x = Residual(8, 2)(nn.max_pool(x, (3, 3), (2, 2), padding="SAME"))
        return nn.Dense(3)(nn.avg_pool(x, (2, 2), (2, 2), padding="SAME").mean((1, 2)))


class UNet(nn.Module):
    @nn.compact
    def __call__(self, x, t):
        angle = t[:, None] * jnp.exp(-np.log(10000.0) * jnp.arange(4) / 4)
        time = nn.silu(nn.Dense(8)(jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1)))
        h = nn.Conv(8, (3, 3))(nn.silu(nn.GroupNorm(4)(nn.Conv(8, (3, 3))(x))))
        h = h + nn.Dense(8)(time)[:, None, None]
        down = nn.Conv(8, (3, 3), (2, 2))(h)
        n, height, width, c = down.shape
        flat = nn.GroupNorm(4)(down).reshape(n, height * width, c)
        down = down + nn.MultiHeadDotProductAttention(2)(flat, flat).reshape(down.shape)
        up = jax.image.resize(down, (n, 2 * height, 2 * width, c), "nearest")
        up = nn.ConvTranspose(8, (4, 4), (2, 2))(down) + nn.ConvTranspose(8, (3, 3), (2, 2), padding="VALID")(down)[:, 1:, 1:] + up
        return nn.Conv(3, (3, 3))(nn.silu(jnp.concatenate([up, h], -1)))


class LSTM(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.RNN(nn.OptimizedLSTMCell(8))(x)


#===-- Functions -----------------------------------------------------------------------------------------------------


def elementwise(x, i):
    return (jnp.floor(x), jnp.ceil(x), jnp.round(x), jnp.expm1(x), jnp.log1p(jnp.abs(x)), jnp.arctan2(x, x + 1),
            jnp.sign(x), jnp.cbrt(x), x.astype(jnp.int32), jnp.logaddexp(x, -x), jax.nn.softplus(x),
            jax.scipy.special.erf(x), jax.nn.elu(x), jnp.mod(x, 0.3), jnp.fmod(x, 0.3), jnp.isfinite(x / (x > 0)),
            jnp.where(x > 0, x, -x), jnp.clip(x, -0.5, 0.5), jnp.bitwise_xor(i, 3), i // 2, i % 3, jnp.left_shift(i, 2),
            jnp.right_shift(i, 1), jax.lax.shift_right_logical(i, 1), jax.lax.population_count(i), ~i, -i, i | 8, i & 6,
            (x > 0) & (x < 1), ~(x > 0), (x > 0) ^ (x > 1), jax.lax.bitcast_convert_type(x, jnp.int32),
            jax.lax.bitcast_convert_type(i, jnp.uint32), i.astype(jnp.uint8), jax.lax.round(x, jax.lax.RoundingMethod(0)),
            jax.lax.reduce_precision(x, 8, 7), jax.lax.reduce_precision(x * 3e4, 5, 10),
            jax.lax.reduce_precision(x * 1e-4, 5, 2), jnp.tan(x), jnp.sinh(x), jnp.arcsin(jnp.clip(x, -1, 1)), x**3, x**0.5)


def reductions(x, i):
    return (jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.max(x), jnp.prod(x, 1), jnp.any(x > 1, 1), jnp.all(x > -9), jnp.sum(i),
            jnp.max(i), jnp.var(x, 1), jnp.std(x, 0), jnp.cumsum(x, 1), jnp.cumprod(x, 0), jax.lax.cummax(x, 1),
            jax.lax.cumsum(i, reverse=True), jnp.linalg.norm(x), jax.nn.softmax(x), jax.nn.logsumexp(x, 0),
            jnp.bitwise_or.reduce(i), jnp.sum(x, initial=2.0), jnp.min(x, axis=0, initial=-0.5),
            jax.lax.reduce_window(x, 0.0, jax.lax.add, (2, 3), (1, 2), "SAME"),
            jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (3, 1), (2, 1), "VALID"))


def sorting(x, i):
    return (jnp.sort(x), jnp.sort(x, descending=True), jnp.argsort(x, axis=0), jax.lax.top_k(x, 3), jnp.median(x, 1),
            jax.lax.sort((x, jnp.broadcast_to(i[:, None] * 1.0, x.shape[:0] + (3, x.shape[1]))[:1] + x * 0 + x), num_keys=1),
            jnp.sort(i), jnp.searchsorted(jnp.arange(8.0), x[0]), jnp.partition(x, 2, axis=1)[:, 2])


def movement(x, i):
    return (jnp.flip(x, 1), x[::2, 1::3], jnp.roll(x, 1, 0), jnp.pad(x, ((1, 2), (0, 1))), jnp.tril(x), jnp.triu(x, 1),
            jax.lax.pad(x, 0.5, ((1, -1, 2), (-1, 2, 0))), jnp.stack([x, x], 1), jnp.split(x, 2, 1), jnp.repeat(i, 2),
            jnp.tile(x, (2, 1)), jnp.meshgrid(i, i)[0], jax.nn.one_hot(i, 6), jnp.einsum("ij,kj->ik", x, x),
            jnp.einsum("bij,bkj->bki", x.reshape(2, 4, 6), x.reshape(2, 4, 6)), jnp.dot(x[0], x[1]), jnp.outer(x[0], x[1]),
            jax.lax.broadcast_in_dim(i, (2, 3, 4), (1,)), jnp.linspace(0, 1, 5) * x[0, 0], jnp.eye(4), jnp.swapaxes(x, 0, 1))


def indexing(x, i, j):
    batch = jax.vmap(lambda row, k: jax.lax.dynamic_slice(row, (k,), (3,)))
    return (x[i], x[:, i], x[i, i], x[i, 1:3], jnp.take(x, i, axis=1), x.at[i].set(0.5), x.at[:, 1].add(2.0), x.at[i, i].mul(3.0),
            x.at[j].max(0.25), jnp.take_along_axis(x, jnp.argsort(x, 1), 1), batch(x, jnp.arange(8) % 5), x[j],
            jax.lax.dynamic_slice(x, (j[0], 2), (3, 3)), jax.lax.dynamic_update_slice(x, x[:2, :2] * 9, (j[1], 3)),
            jax.lax.dynamic_index_in_dim(x, j[2], 1), x.at[j, :3].set(x[:3, :3]), jnp.interp(x[0], jnp.arange(3.0), jnp.arange(3.0)**2),
            jax.vmap(lambda row, k: row.at[k].set(7.0))(x, jnp.arange(8) % 6), x.at[j].add(x[:3], mode="drop"))


def convolutions(x, w, v):
    conv = jax.lax.conv_general_dilated
    nhwc = ("NHWC", "HWIO", "NHWC")
    return (conv(x, w, (1, 1), "SAME"), conv(x, w, (2, 1), [(1, 2), (0, 1)], rhs_dilation=(1, 2)),
            conv(x, w, (1, 1), [(2, 1), (1, 1)], lhs_dilation=(2, 2)), conv(x, w, (1, 1), [(3, 3), (-1, 2)]),
            conv(x, w, (1, 1), [(4, 5), (1, 0)], lhs_dilation=(2, 1), rhs_dilation=(1, 2)),
            conv(x, v, (1, 1), "SAME", feature_group_count=2), conv(x, v, (1, 1), [(1, 2), (2, 1)], lhs_dilation=(2, 2), feature_group_count=2),
            conv(x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), (1, 2), "VALID", dimension_numbers=nhwc),
            jax.lax.conv_transpose(x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), (2, 2), "SAME", dimension_numbers=nhwc))


def spectra(x, y):
    fft, z = jnp.fft, x[:, :12] + 1j * x[:, 12:]
    w = jax.lax.complex(y, y[::-1]) + 2
    table = np.exp(2j * np.arange(12) / 5).astype(np.complex64)
    values = [fft.fft(x), fft.rfft(x), fft.rfft(x, n=17), fft.ifft(z), fft.fft2(z), fft.ifft(fft.fft(z, axis=0), axis=0), fft.rfft2(x),
              fft.fftn(z, norm="ortho"), z * w, z / w, z - w, -z, jnp.conj(z), jnp.exp(z), z * table, z.T, jnp.concatenate([z, w]), z[:, 3:7], z[::-1],
              z.reshape(-1), jnp.where(y > 0, z, w), (2 - 1j) * y, jnp.broadcast_to(z[:1], (3, 12)), jnp.fft.fftshift(z), jnp.stack([z, w])]
    real = [fft.irfft(fft.rfft(x)), fft.irfft(fft.rfft(x), n=15), fft.irfft2(fft.rfft2(x)), fft.fft(fft.fft(x, axis=-1), axis=-2).real, jnp.abs(z),
            jnp.abs(0 * z), jnp.angle(z), (z * jnp.conj(z)).real, jnp.abs(fft.rfft(x * jnp.hanning(24)))**2]
    return [part for value in values for part in (value.real, value.imag)] + real


def control(x):
    carried, rows = jax.lax.scan(lambda c, t: (c * 0.5 + t, c.sum()), x[0], x)
    back = jax.lax.scan(lambda c, t: (c + t[0], c), 0.0, (x[0], x[1]), reverse=True)
    doubled = jax.lax.while_loop(lambda s: s[0] < 10.0, lambda s: s * 2 + 1, jnp.abs(x[0]) + 0.1)
    branch = jax.lax.cond(x[0, 0] > 0, lambda v: v + 1, lambda v: v - 1, x)
    counted = jax.lax.fori_loop(0, 6, lambda k, v: v.at[k].add(k), x)
    switched = jax.lax.switch(jnp.int32(jnp.abs(x[0, 0]) * 3), [lambda v: v, lambda v: -v, lambda v: v * v], x)
    return carried, rows, back, doubled, branch, counted, switched, jax.lax.map(lambda r: jnp.tanh(r).sum(), x)


def sizes(x, w):
    y = jax.nn.softmax(x @ w)
    return (y.reshape(-1), x[1:], jnp.arange(x.shape[0]), jnp.concatenate([x, x]), y.mean(0), jnp.pad(x, ((0, 1), (0, 0))),
            x[-1], x[::2], jnp.sort(x, 0), jnp.argmax(x, 0), jnp.zeros((x.shape[0], 2)), x.T @ x, jnp.cumsum(x, 1))


cases = {
    "vit": lambda: network("vit", ViT(), [[floats(2, 8, 8, 3)], [floats(5, 8, 8, 3)]], ["b, ..."]),
    "gpt": lambda: network("gpt", GPT(), [[random.integers(0, 20, s).astype(np.int32)] for s in ((2, 9), (1, 1), (3, 17))], ["b, s"]),
    "resnet": lambda: network("resnet", ResNet(), [[floats(2, 17, 16, 3)], [floats(3, 17, 16, 3)]], ["b, ..."]),
    "unet": lambda: network("unet", UNet(), [[floats(n, 8, 8, 3), floats(n)] for n in (1, 4)], ["b, ...", "b"]),
    "lstm": lambda: network("lstm", LSTM(), [[floats(2, 7, 4)], [floats(1, 7, 4)]], ["b, ..."]),
    "mlp": lambda: save("mlp", jax.vmap(eqx.nn.MLP(8, 4, 16, 2, key=jax.random.key(0))), [[floats(5, 8)], [floats(1, 8)]], ["b, ..."]),
    "elementwise": lambda: save("elementwise", elementwise, [[floats(5, 7), np.array([-7, 0, 1, 6, 2**31 - 1], np.int32)]]),
    "reductions": lambda: save("reductions", reductions, [[floats(6, 7), np.array([5, -3, 9], np.int32)]]),
    "sorting": lambda: save("sorting", sorting, [[floats(6, 7), np.array([5, -3, 9], np.int32)]]),
    "movement": lambda: save("movement", movement, [[floats(8, 6), np.array([1, 5, 2], np.int32)]]),
    "indexing": lambda: save("indexing", indexing, [[floats(8, 8), np.array([1, 5, 2], np.int32), np.array(j, np.int32)]
                                                     for j in ([0, 3, 7], [-2, 9, 6], [20, -1, -20])]),
    "convolutions": lambda: save("convolutions", convolutions, [[floats(2, 4, 9, 8), floats(6, 4, 3, 3), floats(6, 2, 3, 3)]]),
    "spectra": lambda: save("spectra", spectra, [[floats(6, 24), floats(6, 12)]]),
    "control": lambda: save("control", control, [[floats(6, 8)], [floats(6, 8)]]),
    "sizes": lambda: save("sizes", sizes, [[floats(n, 8), floats(8, 6)] for n in (4, 1, 9)], ["b, ...", None]),
}
if __name__ == "__main__":
    for case in sys.argv[1:] or cases:
        cases[case]()
