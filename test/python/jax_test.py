"""JAX: jit_jax, arrays of jax, against jax itself."""
import package
from package import raises, support, warnings_of

package.skip_without("jax")

import jax
import jax.numpy as jnp
import numpy as np

import onnx_file
import strata
from strata import jax_jit
from strata.errors import Fallback


def same(got, expected):
    assert type(got) is type(expected) and np.allclose(got, expected, rtol=1e-4, atol=1e-5), (got, expected)


def call(f, *args, **kwargs):
    """The result, and whether it was compiled: a compiler that reads no StableHLO says so."""
    with warnings_of(Fallback) as texts:
        result = f(*args, **kwargs)
    assert all("StableHLO" in text for text in texts), texts
    return result, not texts


def a_function():
    @strata.polyblocks_jit_jax(compile_options={"static_argnums": (1,)})
    def f(x, n, *, pair):
        return {"a": jnp.tanh(x) * n + pair[0], "b": (pair[1] @ x.T,)}

    for shape in ((2, 3), (4, 3)):
        x = jnp.arange(np.prod(shape), dtype=jnp.float32).reshape(shape) / 7
        for n in (2, 5):
            got, _ = call(f, x, n, pair=(x, x))
            expected = f.__wrapped__(x, n, pair=(x, x))
            same(got["a"], expected["a"])
            same(got["b"][0], expected["b"][0])


def inside_of_jax():
    f = strata.jit_jax(lambda x: jnp.sin(x).sum())
    x = jnp.ones(3)
    same(jax.jit(f)(x), jax.jit(jnp.sin)(x).sum())
    same(jax.grad(f)(x), jnp.cos(x))


def strict():
    f = strata.jit_jax(lambda x: x + 1, compile_options={"strict_target": True})
    if call(strata.jit_jax(lambda x: x + 1), jnp.ones(3))[1]:
        same(f(jnp.ones(3)), jnp.full(3, 2.0))
    else:
        with raises(strata.UnsupportedError, "StableHLO"):
            f(jnp.ones(3))


def the_module():
    text = jax_jit.module_text(lambda x: [jnp.sin(x) @ x.T], [jnp.ones((2, 3))])
    assert '"stablehlo.sine"' in text and '"stablehlo.dot_general"' in text, text
    assert text == jax_jit.module_text(lambda x: [jnp.sin(x) @ x.T], [jnp.ones((2, 3))])


def arrays_of_jax():
    for dtype, number in ((jnp.float32, onnx_file.FLOAT), (jnp.float16, onnx_file.FLOAT16), (jnp.bfloat16, 16),
                          (jnp.int32, onnx_file.INT32)):
        graph = onnx_file.Graph(opset=18)
        graph.node("Concat", [graph.input("x", number, ["n"]), graph.input("z", number, [2])], ["y"], axis=0)
        graph.output("y", number, ["m"])
        graph.save("jax.onnx")
        net, x, z = strata.compile("jax.onnx"), jnp.arange(5).astype(dtype), jnp.arange(2).astype(dtype)
        got = net(x, z)
        assert got.dtype == dtype
        same(got, jnp.concatenate([x, z]))
        with raises(TypeError, "x: expected"):
            net(x.astype(jnp.uint8), z)
        with raises(TypeError, "jax.jit"):
            jax.jit(net)(x, z)


support.report([(case.__name__, case) for case in (a_function, inside_of_jax, strict, the_module, arrays_of_jax)])
