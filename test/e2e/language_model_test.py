"""Models as onnxruntime-genai's builder writes them, a prompt and then token after token with the caches in place: logits,
the tokens that are likeliest and the caches against formulas in f64, on the cpu and the emulated device. No kernel may copy
a cache: a step writes its keys and values and leaves the rest of the buffers as it is."""
import os
import tempfile

import numpy as np

import genai
import gpu
import strata

BATCH, PROMPT, STEPS = 2, 5, 6
CPU, EMULATED = [], ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]
TOLERANCE = {np.dtype(np.float32): 1e-4, np.dtype(np.float16): 1e-2}


def compiled(model, folder, options):
    """The library; every cache is stored in its own place, by nothing that reads another one."""
    text = strata.strata(model.graph.save(os.path.join(folder, "m.onnx")), "--aot", "--aot-name=m", "-o", folder, "--explain",
                         f"--dim=past_sequence_length={model.room}", f"--dim=total_sequence_length=1..{model.room}", *options)
    lines = text.splitlines()
    copies = [line for line in lines if line.startswith("kernel") and "copy" in line]
    assert not copies, copies
    places = [line for line in lines if "is stored in the place of input" in line]
    assert len(places) == 2 * model.layers, text
    return os.path.join(folder, "libm.so")


class OnHost:
    """Calls with tensors of the host, |caches| in place."""

    def __init__(self, path, caches):
        self.library, self.caches = strata.Library(path), [strata.aligned(cache.shape, cache.dtype) for cache in caches]
        for place, cache in zip(self.caches, caches):
            place[...] = cache

    def step(self, inputs, logits):
        library = self.library
        tensors = [strata.aligned(value.shape, value.dtype) for value in inputs]
        for tensor, value in zip(tensors, inputs):
            tensor[...] = value
        sizes = library.sizes_of([value.shape for value in (*inputs, *self.caches)])
        tensors += [*self.caches, logits, *self.caches]
        library.call(tensors, sizes)
        return [cache.copy() for cache in self.caches]


class OnDevice:
    """The same with tensors of the device."""

    def __init__(self, path, caches):
        self.library, self.shapes, self.kind = gpu.Library(path), [cache.shape for cache in caches], caches[0].dtype
        self.driver = self.library._driver
        self.caches = [self.stored(cache) for cache in caches]

    def stored(self, value):
        place = self.driver.allocate(value.nbytes)
        self.driver.upload(place, np.ascontiguousarray(value))
        self.driver.synchronize()
        return place

    def loaded(self, place, array):
        self.driver.download(array, place)
        self.driver.synchronize()
        return array

    def step(self, inputs, logits):
        places = [self.stored(value) for value in (*inputs, logits)]
        sizes = self.library.sizes_of([*(value.shape for value in inputs), *self.shapes])
        self.library._call([*places[:-1], *self.caches, places[-1], *self.caches], None, sizes)
        self.loaded(places[-1], logits)
        for place in places:
            self.driver.free(place)
        return [self.loaded(place, np.empty(shape, self.kind)) for place, shape in zip(self.caches, self.shapes)]


def difference(got, want):
    assert np.isfinite(got).all()
    return np.abs(got - want).max() / max(1, np.abs(want).max())


def check_step(model, before, got, exact, past, end):
    for old, new, want in zip(before, got, exact):
        rest = np.r_[:past, end:model.room]
        assert (new[:, :, rest] == old[:, :, rest]).all(), "a step changed what is old"
        wrong = difference(new[:, :, past:end], want[:, :, past:end])
        assert wrong <= TOLERANCE[model.kind], f"cache at {past}: {wrong}"


def check_steps(rng, options, run, **shape):
    """The tokens of all steps are the exact ones, so that both stay together."""
    model = genai.Model(rng, **shape)
    caches = model.caches(BATCH)
    exact, tokens, past = [cache.astype(np.float64) for cache in caches], rng.integers(0, model.vocabulary, (BATCH, PROMPT)), 0
    with tempfile.TemporaryDirectory() as folder:
        runner = run(compiled(model, folder, options), caches)
        for _ in range(1 + STEPS):
            end = past + tokens.shape[1]
            logits = strata.aligned((*tokens.shape, model.vocabulary), model.kind)
            logits[...] = np.nan
            got = runner.step([tokens.astype(np.int64), np.ones((BATCH, end), np.int64)], logits)
            want = model.step(tokens, exact, past)
            wrong = difference(logits, want)
            assert wrong <= TOLERANCE[model.kind], f"logits at {past}: {wrong}"
            check_step(model, caches, got, exact, past, end)
            chosen = logits[:, -1].argmax(-1)
            short = want[:, -1].max(-1) - np.take_along_axis(want[:, -1], chosen[:, None], -1)[:, 0]
            assert (short <= TOLERANCE[model.kind] * np.abs(want).max()).all(), f"tokens at {past}: {chosen}"
            tokens, caches, past = want[:, -1].argmax(-1)[:, None], got, end


CASES = [("int4", CPU, OnHost, {}),
         ("f32", CPU, OnHost, {"bits": 0}),
         ("f16", CPU, OnHost, {"bits": 0, "kind": np.float16, "vocabulary": 90}),
         ("int4 of f16", CPU, OnHost, {"kind": np.float16, "hidden": 96, "inner": 96}),
         ("int4, a card", EMULATED, OnHost, {}),
         ("int4 in place, a card", [*EMULATED, "--on-gpu-tensors"], OnDevice, {}),
         ("f16 in place, a card", [*EMULATED[:2], "--on-gpu-tensors"], OnDevice, {"bits": 0, "kind": np.float16})]

if __name__ == "__main__":
    gpu.report_drawn((name, lambda rng, case=case: check_steps(rng, case[0], case[1], **case[2])) for name, *case in CASES)
