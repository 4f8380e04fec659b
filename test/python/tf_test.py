"""TensorFlow: jit_tf on functions and on models of Keras, against TensorFlow itself."""
import os
import sys
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import package
from package import raises, support, warnings_of

package.skip_without("tensorflow")
package.skip_without("tf2onnx")

import numpy as np
import tensorflow as tf
from tensorflow import keras

import strata
from strata.errors import Fallback

warnings.simplefilter("error", Fallback)  # nothing here falls back unless it says so
STRICT = {"strict_target": True}
RANDOM = np.random.default_rng(7)


def random(*shape):
    return tf.constant(RANDOM.standard_normal(shape).astype(np.float32))


def same(got, expected):
    tf.nest.assert_same_structure(got, expected)
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(expected)):
        assert isinstance(a, tf.Tensor) and a.dtype == b.dtype and a.shape == b.shape, (a, b)
        b = b.numpy()
        assert np.allclose(a.numpy(), b, rtol=1e-4, atol=1e-5 * max(1, np.abs(b).max())), np.abs(a - b).max()


def a_function():
    """Nested results; another shape, another library."""
    def f(x, y):
        return {"product": tf.tanh(tf.matmul(x, y, transpose_b=True)), "sums": (tf.reduce_sum(x, -1), y)}

    compiled = strata.jit_tf(f, compile_options=STRICT)
    for n in (4, 5, 4):
        x, y = random(n, 8), random(3, 8)
        same(compiled(x, y), f(x, y))
    assert len(compiled._models) == 2 and "kernel k0" in compiled.explain()


def types():
    for dtype in (tf.float16, tf.float64, tf.int32, tf.int64, tf.bool):
        x = tf.cast(random(2, 3) > 0, dtype)
        got = strata.jit_tf(lambda x: tf.concat([x, x], 0), compile_options=STRICT)(x)
        assert got.dtype == dtype and np.array_equal(got.numpy(), tf.concat([x, x], 0).numpy()), dtype
    with raises(strata.UnsupportedError, "bfloat16"):
        strata.jit_tf(lambda x: x + 1, compile_options=STRICT)(tf.cast(random(2, 3), tf.bfloat16))


def sizes_that_vary():
    signature = [tf.TensorSpec([None, 8], tf.float32, name="x")]

    @strata.polyblocks_jit_tf(signature, compile_options=STRICT)
    def f(x):
        return tf.nn.softmax(x) * tf.cast(tf.shape(x)[0], tf.float32)

    for n in (1, 3, 8):
        x = random(n, 8)
        same(f(x), f.__wrapped__(x))
    assert len(f._models) == 1
    f.save_library("saved/libtf.so")
    x = random(5, 8).numpy()
    assert np.allclose(strata.load("saved/libtf.so")(x), f(tf.constant(x)).numpy())


def captured_values():
    """Tensors and variables from outside are constants; inputs that nothing uses are none the less inputs."""
    tensor, variable = random(3), tf.Variable(random(3))

    def f(x, unused, y):
        return y * 2 + tensor * variable, x + 1, x + 1, y, tf.constant([1.0, 2.0])

    x, y = random(2, 3), random(4, 3)
    same(strata.jit_tf(f, compile_options=STRICT)(x, random(5), y), f(x, None, y))


def operators_that_tf2onnx_lacks():
    """Near 0, where a difference loses everything, and where there are infinities."""
    def f(x, y):
        return tf.math.erfc(x), tf.math.expm1(x), tf.math.log1p(tf.abs(x)), tf.math.xlogy(tf.nn.relu(x), y)

    x = np.array([0, 1e-6, -1e-6, 1e-3, -0.5, 0.5, 0.7, 1, -3, 8, -60, 1e8], np.float32)
    y = np.where(x > 0, np.abs(x) + 0.1, 0).astype(np.float32)
    got, expected = strata.jit_tf(f, compile_options=STRICT)(x, y), f(tf.constant(x), tf.constant(y))
    for a, b, atol in zip(got, expected, (1e-6, 0, 0, 1e-7)):
        assert np.allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=atol), (a, b)


def randomized(model):
    """With weights of a size at which all layers matter, statistics of norms too."""
    for weight in model.weights:
        shape = tuple(weight.shape)
        if "variance" in weight.name:
            values = RANDOM.uniform(0.5, 1.5, shape)
        elif len(shape) < 2:
            values = RANDOM.standard_normal(shape) / 10 + ("gamma" in weight.name)
        else:
            fan_in = shape[0] * shape[1] if weight.name == "kernel" and shape[-1] == 1 else np.prod(shape[:-1])
            values = RANDOM.standard_normal(shape) * np.sqrt(2 / fan_in)
        weight.assign(values.astype(np.float32))
    return model


def mobilenet():
    model = randomized(keras.applications.MobileNetV2(weights=None, input_shape=(64, 64, 3), classes=10, alpha=0.35,
                                                      classifier_activation=None))
    compiled = strata.jit_tf(lambda x: model(x, training=False), [tf.TensorSpec([None, 64, 64, 3], tf.float32)],
                             compile_options=STRICT)
    for batch in (1, 3):
        x = random(batch, 64, 64, 3)
        expected = model(x, training=False)
        assert np.ptp(expected.numpy()) > 1e-2  # of the input, not of the biases alone
        same(compiled(x), expected)


def transformer(length=12, width=32, heads=4):
    tokens = keras.Input((length,), dtype="int32")
    places = keras.layers.Embedding(length, width)(tf.range(length))
    x = keras.layers.Embedding(50, width)(tokens) + places
    for _ in range(2):
        y = keras.layers.LayerNormalization()(x)
        x = x + keras.layers.MultiHeadAttention(heads, width // heads)(y, y, use_causal_mask=True)
        y = keras.layers.Dense(4 * width, activation="gelu")(keras.layers.LayerNormalization()(x))
        x = x + keras.layers.Dense(width)(y)
    return keras.Model(tokens, keras.layers.Dense(50)(keras.layers.LayerNormalization()(x)))


def a_transformer():
    model = randomized(transformer())
    compiled = strata.jit_tf(lambda x: model(x, training=False), [tf.TensorSpec([None, 12], tf.int32)],
                             compile_options=STRICT)
    for batch in (1, 4):
        x = tf.constant(RANDOM.integers(0, 50, (batch, 12)), tf.int32)
        same(compiled(x), model(x, training=False))


def what_cannot_be_compiled():
    def f(x):
        return tf.linalg.eigvalsh(tf.matmul(x, x, transpose_b=True))

    with warnings_of(Fallback) as texts:
        compiled = strata.jit_tf(f)
        for _ in range(3):
            x = random(4, 4)
            same(compiled(x), f(x))
    assert len(texts) == 1 and "f runs without strata" in texts[0], texts
    with raises(Exception, ""):
        strata.jit_tf(f, compile_options=STRICT)(random(4, 4))


CASES = (a_function, types, sizes_that_vary, captured_values, operators_that_tf2onnx_lacks, mobilenet, a_transformer, what_cannot_be_compiled)
support.report([(case.__name__, case) for case in CASES if case.__name__ in sys.argv[1:] or not sys.argv[1:]])
