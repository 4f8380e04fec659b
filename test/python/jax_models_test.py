"""JAX: by jit_jax against jax, a ViT, a GPT, a ResNet and the UNet of a diffusion model, each of flax and of equinox."""
import os
import sys

import package
from package import SOURCE, support

for name in ("jax", "flax", "equinox"):
    package.skip_without(name)

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from equinox import nn

import strata

sys.path.insert(0, os.path.join(SOURCE, "test", "stablehlo"))
import make as flax_networks

SEED = int(os.environ.get("STRATA_SEED", np.random.default_rng().integers(2**31)))
RANDOM = np.random.default_rng(SEED)
STRICT = {"strict_target": True}  # nothing runs by jax instead
WIDTH = 48
TOLERANCE = 1e-5  # relative to the largest number of a result


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def tokens(*shape):
    return RANDOM.integers(0, 20, shape).astype(np.int32)


def keys():
    key = jax.random.key(SEED)
    while True:
        key, one = jax.random.split(key)
        yield one


KEYS = keys()


class Block(eqx.Module):
    """A block of a transformer, on rows of tokens."""
    attention: nn.MultiheadAttention
    norms: list
    up: nn.Linear
    down: nn.Linear
    causal: bool

    def __init__(self, causal):
        self.attention = nn.MultiheadAttention(4, WIDTH, use_query_bias=True, key=next(KEYS))
        self.norms = [nn.LayerNorm(WIDTH), nn.RMSNorm(WIDTH)]
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH, key=next(KEYS)), nn.Linear(4 * WIDTH, WIDTH, key=next(KEYS))
        self.causal = causal

    def __call__(self, x):
        y = jax.vmap(self.norms[0])(x)
        mask = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool)) if self.causal else None
        x = x + self.attention(y, y, y, mask=mask)
        return x + jax.vmap(lambda row: self.down(jax.nn.gelu(self.up(row))))(jax.vmap(self.norms[1])(x))


class ViT(eqx.Module):
    patches: nn.Conv2d
    first: jax.Array
    blocks: list
    head: nn.Linear

    def __init__(self):
        self.patches, self.first = nn.Conv2d(3, WIDTH, 8, 8, key=next(KEYS)), jax.random.normal(next(KEYS), (1, WIDTH))
        self.blocks, self.head = [Block(False) for _ in range(3)], nn.Linear(WIDTH, 10, key=next(KEYS))

    def __call__(self, image):
        x = jnp.concatenate([self.first, self.patches(image).reshape(WIDTH, -1).T])
        for block in self.blocks:
            x = block(x)
        return self.head(x[0])


class GPT(eqx.Module):
    words: nn.Embedding
    turned: nn.RotaryPositionalEmbedding
    blocks: list

    def __init__(self):
        self.words, self.turned = nn.Embedding(20, WIDTH, key=next(KEYS)), nn.RotaryPositionalEmbedding(WIDTH)
        self.blocks = [Block(True) for _ in range(3)]

    def __call__(self, line):
        x = self.turned(jax.vmap(self.words)(line))
        for block in self.blocks:
            x = block(x)
        return x @ self.words.weight.T


class Residual(eqx.Module):
    convolutions: list
    norms: list
    shortcut: nn.Conv2d

    def __init__(self, of, to, stride):
        self.convolutions = [nn.Conv2d(of, to, 3, stride, 1, use_bias=False, key=next(KEYS)),
                             nn.Conv2d(to, to, 3, 1, 1, use_bias=False, key=next(KEYS))]
        self.norms = [nn.BatchNorm(to, "batch", mode="ema") for _ in range(2)]
        self.shortcut = nn.Conv2d(of, to, 1, stride, key=next(KEYS))

    def __call__(self, x, state):
        y, state = self.norms[0](self.convolutions[0](x), state)
        y, state = self.norms[1](self.convolutions[1](jax.nn.relu(y)), state)
        return jax.nn.relu(y + self.shortcut(x)), state


class ResNet(eqx.Module):
    stem: nn.Conv2d
    blocks: list
    head: nn.Linear

    def __init__(self):
        self.stem, self.head = nn.Conv2d(3, 16, 7, 2, 3, key=next(KEYS)), nn.Linear(64, 10, key=next(KEYS))
        self.blocks = [Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2)]

    def __call__(self, x, state):
        x = nn.MaxPool2d(3, 2, 1)(self.stem(x))
        for block in self.blocks:
            x, state = block(x, state)
        return self.head(x.mean((1, 2)))


class UNet(eqx.Module):
    """One level of a diffusion model's: time, attention, a skip connection."""
    convolutions: list
    norms: list
    time: nn.MLP
    attention: nn.MultiheadAttention
    up: nn.ConvTranspose2d

    def __init__(self):
        self.convolutions = [nn.Conv2d(*sizes, padding=1, key=next(KEYS))
                             for sizes in ((3, WIDTH, 3), (WIDTH, WIDTH, 3, 2), (2 * WIDTH, 3, 3))]
        self.norms = [nn.GroupNorm(8, WIDTH) for _ in range(2)]
        self.time = nn.MLP(16, WIDTH, 64, 1, jax.nn.silu, key=next(KEYS))
        self.attention = nn.MultiheadAttention(4, WIDTH, key=next(KEYS))
        self.up = nn.ConvTranspose2d(WIDTH, WIDTH, 4, 2, padding=1, key=next(KEYS))

    def __call__(self, image, step):
        angles = step * jnp.exp(-np.log(10000.0) * jnp.arange(8) / 8)
        time = self.time(jnp.concatenate([jnp.sin(angles), jnp.cos(angles)]))
        x = jax.nn.silu(self.norms[0](self.convolutions[0](image))) + time[:, None, None]
        low = self.convolutions[1](x)
        rows = self.norms[1](low).reshape(WIDTH, -1).T
        low = low + self.attention(rows, rows, rows).T.reshape(low.shape)
        return self.convolutions[2](jnp.concatenate([x, jax.nn.silu(self.up(low))]))


def randomized(leaf):
    """Means and variances of batch norms that are not those of nothing, and leave most of what comes next positive."""
    return jnp.abs(floats(*leaf.shape)) / 8 + 0.02 if eqx.is_inexact_array(leaf) else leaf


def resnet():
    model, state = nn.make_with_state(ResNet)()
    model, state = nn.inference_mode(model), jax.tree.map(randomized, state)
    return lambda images: jax.vmap(lambda image: model(image, state))(images)


def of_flax(module, *args):
    variables = module.init(jax.random.key(SEED), *args)
    variables = jax.tree.map(lambda leaf: leaf + jnp.abs(floats(*leaf.shape)) / 8, variables)
    return lambda *args: module.apply(variables, *args)


def images(batch, size=32):
    return (floats(batch, 3, size, size),)


def last(batch, size=32):
    """Images whose channels are last, as flax takes them."""
    return (floats(batch, size, size, 3),)


MODELS = {
    "equinox ViT": (lambda args: jax.vmap(ViT()), images),
    "equinox GPT": (lambda args: jax.vmap(GPT()), lambda batch: (tokens(batch, 11),)),
    "equinox ResNet": (lambda args: resnet(), lambda batch: images(batch, 41)),
    "equinox UNet": (lambda args: jax.vmap(UNet()), lambda batch: (*images(batch, 16), floats(batch) ** 2 * 50)),
    "flax ViT": (lambda args: of_flax(flax_networks.ViT(), *args), last),
    "flax GPT": (lambda args: of_flax(flax_networks.GPT(), *args), lambda batch: (tokens(batch, 13),)),
    "flax ResNet": (lambda args: of_flax(flax_networks.ResNet(), *args), lambda batch: last(batch, 37)),
    "flax UNet": (lambda args: of_flax(flax_networks.UNet(), *args),
                  lambda batch: (*last(batch, 16), floats(batch) ** 2 * 50)),
}


def compare(name):
    make, inputs = MODELS[name]
    function = make(inputs(2))
    mine, theirs = strata.jit_jax(function, compile_options=STRICT), jax.jit(function)
    for batch in (3, 1):
        args = [jnp.asarray(arg) for arg in inputs(batch)]
        got, expected = np.asarray(mine(*args)), np.asarray(theirs(*args))
        assert got.shape == expected.shape
        largest = np.abs(expected).max()
        assert batch == 1 or np.ptp(expected, 0).max() > 0.02 * largest, "a result of the biases alone"
        error = np.abs(got - expected).max() / largest
        assert error <= TOLERANCE, f"{name}, batch {batch}: {error:.1e}"
        print(f"{name}, batch {batch}: {error:.1e}")


print(f"STRATA_SEED={SEED}")
support.report([(name, lambda name=name: compare(name)) for name in sys.argv[1:] or MODELS])
