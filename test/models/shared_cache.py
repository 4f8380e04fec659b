"""A model of onnxruntime-genai's builder, whose past and present share their buffers, step by step beside ONNX Runtime:

    venv/bin/python test/models/shared_cache.py FOLDER/model.onnx [--room 64] [--steps 8] [-- OPTION ...]

A prompt of five tokens, then ONNX Runtime's likeliest token again and again, which ours must be to within the error; both
write into caches of --room places that are full of numbers at first. Needs onnx and onnxruntime (PyPI) and numpy.
"""
import os
import sys
import tempfile

import numpy as np
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import strata  # noqa: E402
from growing_cache import Decoder, parser_of, run, session_of  # noqa: E402

PROMPT, TOKENS = 5, 200  # of which the prompt is drawn


class Shared(Decoder):
    def __init__(self, path, batch, room):
        super().__init__(path, batch)
        self.room = room
        self.session = session_of(path)

    def caches(self, rng):
        found = self.cache()
        return {name: rng.standard_normal((*value.shape[:2], self.room, *value.shape[3:])).astype(value.dtype)
                for name, value in self.sized(found).items()}

    def sized(self, caches):
        """As self.cache(), where the sizes of heads are names."""
        sizes = {value.name: value.shape for value in self.session.get_inputs()}
        table = next(tensor for tensor in self.graph.initializer if "cos_cache" in tensor.name)
        return {name: np.zeros((self.batch, sizes[name][1], 0, 2 * table.dims[1]), value.dtype)
                for name, value in caches.items()}

    def exact(self, fed, caches):
        """ONNX Runtime's logits, and the caches behind the step."""
        binding, places = self.session.io_binding(), {}
        for name, value in fed.items():
            binding.bind_cpu_input(name, value)
        for name, value in caches.items():
            places[name] = onnxruntime.OrtValue.ortvalue_from_numpy(value)
            binding.bind_ortvalue_input(name, places[name])
        for name in self.outputs:
            if name == "logits":
                binding.bind_output(name)
            else:
                binding.bind_ortvalue_output(name, places[self.place_of(name)])
        self.session.run_with_iobinding(binding)
        logits = binding.get_outputs()[self.outputs.index("logits")].numpy()
        return logits, {name: place.numpy().copy() for name, place in places.items()}

    def ours(self, library, fed, caches, logits):
        """The same step of |library|, into |caches| and |logits|."""
        tensors = []
        for value in self.inputs:
            tensors.append(caches[value.name] if value.name in caches else
                           strata.aligned(fed[value.name].shape, fed[value.name].dtype))
            if value.name in fed:
                tensors[-1][...] = fed[value.name]
        sizes = library.sizes_of([tensor.shape for tensor in tensors])
        tensors += [logits if name == "logits" else caches[self.place_of(name)] for name in self.outputs]
        library.call(tensors, sizes)


def error(got, want):
    got, want = got.astype(np.float64), want.astype(np.float64)
    return np.abs(got - want).max() / np.abs(want).max() if np.isfinite(got).all() else np.inf


def main(arguments):
    decoder, rng, worst, bad = Shared(arguments.model, arguments.batch, arguments.room), np.random.default_rng(30), 0, 0
    exact = decoder.caches(rng)
    caches = {name: strata.aligned(value.shape, value.dtype) for name, value in exact.items()}
    for name, value in exact.items():
        caches[name][...] = value
    room = [f"--dim=past_sequence_length={arguments.room}", f"--dim=total_sequence_length=1..{arguments.room}"]
    with tempfile.TemporaryDirectory() as folder:
        library = strata.Library(strata.compile_library(arguments.model, folder, "shared", room + arguments.options)[0])
        tokens, past = rng.integers(3, TOKENS, (arguments.batch, PROMPT)), 0
        for _ in range(arguments.steps):
            end = past + tokens.shape[1]
            fed = {"input_ids": tokens.astype(np.int64), "attention_mask": np.ones((arguments.batch, end), np.int64)}
            want, exact = decoder.exact(fed, exact)
            logits = strata.aligned(want.shape, want.dtype)
            logits[...] = np.nan
            decoder.ours(library, fed, caches, logits)
            chosen, last = logits[:, -1].argmax(-1), want[:, -1].astype(np.float64)
            short = (last.max(-1) - np.take_along_axis(last, chosen[:, None], -1)[:, 0]).max() / np.abs(last).max()
            wrong = max(short, error(logits, want), *(error(caches[name][:, :, :end], exact[name][:, :, :end]) for name in exact))
            worst, bad = max(worst, wrong), bad + (not wrong < arguments.error)
            tokens, past = want[:, -1].argmax(-1)[:, None], end
    print(f"{arguments.model}: {arguments.steps} steps, {bad} wrong, at most {worst:.1e}")
    return bad


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--room", type=int, default=64)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--error", type=float, default=5e-3, help="5e-2 where ONNX Runtime rounds activations to bytes")
    run(parser, main)
