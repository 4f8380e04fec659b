"""Small language models as onnxruntime-genai's builder writes Llama's: an embedding, SimplifiedLayerNormalization and
SkipSimplifiedLayerNormalization, one product of queries, keys and values, GroupQueryAttention with rotary embeddings over
caches that past and present share, a gated block of two products, logits. Products are MatMulNBits, or MatMul of floats."""
import numpy as np

import onnx_file

MICROSOFT, EPSILON, BLOCK = "com.microsoft", 1e-6, 32


class Model:
    """|graph| and its weights as f64, drawn by |rng|; |kind| is the type of floats, |bits| 4 or 0."""

    def __init__(self, rng, kind=np.float32, bits=4, layers=2, vocabulary=128, hidden=64, inner=160, heads=4, groups=2,
                 room=48):
        self.rng, self.kind, self.bits, self.layers = rng, np.dtype(kind), bits, layers
        self.vocabulary, self.hidden, self.inner, self.heads, self.groups = vocabulary, hidden, inner, heads, groups
        self.room, self.size, self.weights = room, hidden // heads, {}
        self.graph = onnx_file.Graph(22)
        self._write()

    def _constant(self, name, values):
        values = values.astype(self.kind)
        self.weights[name] = values.astype(np.float64)
        return self.graph.constant(name, values)

    def _norm_weights(self, name):
        return self._constant(name, 1 + self.rng.standard_normal(self.hidden) / 8)

    def _project(self, name, x, rows, columns, outputs=1):
        """|x| times |columns| by |rows| weights."""
        if not self.bits:
            weights = self._constant(name, self.rng.standard_normal((columns, rows)) / np.sqrt(columns))
            return self.graph.node("MatMul", [x, weights], outputs)
        codes = self.rng.integers(0, 16, (rows, columns), dtype=np.uint8)
        scales = (self.rng.uniform(0.1, 0.3, (rows, columns // BLOCK)) / np.sqrt(columns)).astype(self.kind)
        self.weights[name] = ((codes - 8.0) * scales.astype(np.float64).repeat(BLOCK, 1)).T
        packed = (codes[:, 0::2] | codes[:, 1::2] << 4).reshape(rows, columns // BLOCK, BLOCK // 2)
        constants = [self.graph.constant(name + "_Q4", packed), self.graph.constant(name + "_scales", scales)]
        return self.graph.node("MatMulNBits", [x, *constants], outputs, domain=MICROSOFT, K=columns, N=rows, bits=4,
                               block_size=BLOCK)

    def _lengths(self):
        """The last key of each text, and how many the longest has."""
        graph, one = self.graph, self.graph.constant("axes", np.array([1], np.int64))
        counts = graph.node("Sub", [graph.node("ReduceSum", ["attention_mask", one], keepdims=0), one])
        total = graph.node("Gather", [graph.node("Shape", ["attention_mask"]), graph.constant("at", np.array(1, np.int64))],
                           axis=0)
        return [graph.node("Cast", [value], to=onnx_file.INT32) for value in (counts, total)]

    def _skip_norm(self, x, more, name, last):
        results = [f"{name}.y"] if last else [f"{name}.y", "", "", f"{name}.sum"]
        self.graph.node("SkipSimplifiedLayerNormalization", [x, more, self._norm_weights(name)], results, domain=MICROSOFT,
                        epsilon=EPSILON)
        return results[0], results[-1]

    def _layer(self, at, x, sums, lengths):
        graph, hidden, caches = self.graph, self.hidden, [f"past_key_values.{at}.{name}" for name in ("key", "value")]
        qkv = self._project(f"{at}.qkv", x, hidden + 2 * self.groups * self.size, hidden)
        y, *_ = graph.node("GroupQueryAttention", [qkv, "", "", *caches, *lengths, "cos_cache", "sin_cache", "", "", ""],
                           [f"{at}.attention", f"present.{at}.key", f"present.{at}.value"], domain=MICROSOFT,
                           num_heads=self.heads, kv_num_heads=self.groups, scale=self.size ** -0.5, local_window_size=-1,
                           softcap=0.0, do_rotary=1, rotary_interleaved=0)
        x, sums = self._skip_norm(sums, self._project(f"{at}.o", y, hidden, hidden), f"{at}.post_norm", False)
        gate, up = (self._project(f"{at}.{name}", x, self.inner, hidden) for name in ("gate", "up"))
        gated = graph.node("Mul", [graph.node("Mul", [gate, graph.node("Sigmoid", [gate])]), up])
        down = self._project(f"{at}.down", gated, hidden, self.inner)
        return self._skip_norm(sums, down, f"{at + 1}.norm", at + 1 == self.layers)

    def _write(self):
        graph, kind = self.graph, onnx_file.ELEMENT_TYPES[self.kind]
        names = [f"{at}.{name}" for name in ("key", "value") for at in range(self.layers)]
        graph.input("input_ids", onnx_file.INT64, ["batch_size", "sequence_length"])
        graph.input("attention_mask", onnx_file.INT64, ["batch_size", "total_sequence_length"])
        for name in names:
            graph.input(f"past_key_values.{name}", kind, ["batch_size", self.groups, "past_sequence_length", self.size])
        angles = np.arange(self.room)[:, None] / 10000 ** (np.arange(self.size // 2) / (self.size // 2))
        for name, function in (("cos_cache", np.cos), ("sin_cache", np.sin)):
            self._constant(name, function(angles))
        lengths = self._lengths()
        table = self._constant("embed_tokens", self.rng.standard_normal((self.vocabulary, self.hidden)))
        sums = graph.node("Gather", [table, "input_ids"])
        x = graph.node("SimplifiedLayerNormalization", [sums, self._norm_weights("0.norm")], epsilon=EPSILON, axis=-1,
                       stash_type=1)
        for at in range(self.layers):
            x, sums = self._layer(at, x, sums, lengths)
        self._project("lm_head", x, self.vocabulary, self.hidden, ["logits"])
        graph.output("logits", kind, ["batch_size", "sequence_length", self.vocabulary])
        for name in names:
            graph.output(f"present.{name}", kind, ["batch_size", self.groups, "total_sequence_length", self.size])

    def caches(self, batch):
        """Caches full of numbers, in the order of the inputs."""
        shape = (batch, self.groups, self.room, self.size)
        return [self.rng.standard_normal(shape).astype(self.kind) for _ in range(2 * self.layers)]

    def _normed(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * self.weights[name]

    def _rotated(self, x, past):
        """|x| is [batch, heads, length, size]."""
        cos, sin = (self.weights[name][past:past + x.shape[2]] for name in ("cos_cache", "sin_cache"))
        a, b = np.split(x, 2, -1)
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def _attention(self, x, at, caches, past):
        batch, length, _ = x.shape
        end, heads = past + length, self.heads
        x = (x @ self.weights[f"{at}.qkv"]).reshape(batch, length, -1, self.size).swapaxes(1, 2)
        q, k, v = x[:, :heads], x[:, heads:heads + self.groups], x[:, heads + self.groups:]
        key, value = caches[at], caches[self.layers + at]
        key[:, :, past:end], value[:, :, past:end] = self._rotated(k, past), v
        keys, values = (np.repeat(cache[:, :, :end], heads // self.groups, 1) for cache in (key, value))
        scores = self._rotated(q, past) @ keys.swapaxes(2, 3) / np.sqrt(self.size)
        scores += np.where(np.arange(end) > past + np.arange(length)[:, None], -np.inf, 0)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        y = shares / shares.sum(-1, keepdims=True) @ values
        return y.swapaxes(1, 2).reshape(batch, length, -1) @ self.weights[f"{at}.o"]

    def step(self, tokens, caches, past):
        """The logits in f64; what is new is written into |caches|, f64 as well."""
        sums = self.weights["embed_tokens"][tokens]
        for at in range(self.layers):
            sums = sums + self._attention(self._normed(sums, f"{at}.norm"), at, caches, past)
            x = self._normed(sums, f"{at}.post_norm")
            gate = x @ self.weights[f"{at}.gate"]
            gated = gate / (1 + np.exp(-gate)) * (x @ self.weights[f"{at}.up"])
            sums = sums + gated @ self.weights[f"{at}.down"]
        return self._normed(sums, f"{self.layers}.norm") @ self.weights["lm_head"]
