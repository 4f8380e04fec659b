"""Rows whose length varies, on the emulated device: at lengths at, below and beyond what each variant of the kernel
holds, aligned and not, and at the likely one, which has a variant of its own. And rows whose number varies, few and
many."""
import re
import tempfile

import numpy as np

import gpu
import strata

TARGET = ["--target=nvgpu", "--device=emulated_90"]
TYPES = {"f32": np.float32, "f16": np.float16}
LENGTHS = [1, 15, 16, 17, 32, 33, 64, 65, 127, 128, 129, 200, 256, 511, 512, 513, 520, 768, 999, 1000, 1001, 1024, 1032,
           2047, 2048, 2056, 4096, 4097, 5001]
EPSILON = 1e-3


def softmax(x, _):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layernorm(x, w):
    d = x - x.mean(1, keepdims=True)
    return d / np.sqrt((d * d).mean(1, keepdims=True) + EPSILON) * w + w


GRAPHS = {
    "softmax": (softmax, """  %y = "strata.softmax"(%x) {axes = array<i64: 1>} : (!x) -> !x"""),
    "layernorm": (layernorm, f"""  %y = "strata.layer_norm"(%x, %w, %w) {{axes = array<i64: 1>, epsilon = {EPSILON} : f64}}
      : (!x, !w, !w) -> !x"""),
}


def text(graph, element, likely):
    length = "affine_map<()[s0] -> (5, s0)>", "affine_map<()[s0] -> (s0)>"
    aliases = f"!x = tensor<5x?x{element}, {length[0]}>\n!w = tensor<?x{element}, {length[1]}>\n"
    return aliases + f"""func.func @main(%x: !x {{strata.name = "x"}}, %w: !w {{strata.name = "w"}}) -> (!x {{strata.name = "y"}})
    attributes {{strata.symbols = [{{name = "length", min = 1, max = 100000, likely = [{likely}]}}]}} {{
{GRAPHS[graph][1]}
  return %y : !x
}}
"""


def compare(library, graph, element, shape, size, random):
    """Rows of |shape| at |size|, the one that varies."""
    x, w = (random.standard_normal(dims).astype(TYPES[element]) for dims in (shape, shape[1]))
    got, = library.run([x, w], [size])
    wanted = GRAPHS[graph][0](x.astype(np.float64), w.astype(np.float64))
    unit = 1e-5 if element == "f32" else 4e-3
    np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=unit, atol=unit, err_msg=f"{graph} {element} {shape}")


def run_case(graph, element, likely, folder):
    name = f"{graph}_{element}_{likely}"
    random = strata.generator_of(name)
    model = strata.write(f"{folder}/{name}.mlir", text(graph, element, likely))
    told = strata.strata(model, "--aot", "--aot-name", name, "-o", folder, "--explain", *TARGET)
    assert f"where length == {likely}:" in told, told
    library = gpu.Library(f"{folder}/lib{name}.so")
    for length in LENGTHS + [int(random.integers(1, 3000)) for _ in range(3)]:
        compare(library, graph, element, (5, length), length, random)
    library.unload()


def numbers_text(graph, element, length):
    aliases = (f"!x = tensor<?x{length}x{element}, affine_map<()[s0] -> (s0, {length})>>\n"
               f"!w = tensor<{length}x{element}>\n")
    return aliases + f"""func.func @main(%x: !x {{strata.name = "x"}}, %w: !w {{strata.name = "w"}}) -> (!x {{strata.name = "y"}})
    attributes {{strata.symbols = [{{name = "number", min = 1, max = 100000, likely = [4096]}}]}} {{
{GRAPHS[graph][1]}
  return %y : !x
}}
"""


def run_numbers(graph, element, length, folder):
    name = f"{graph}_{element}_by_{length}"
    random = strata.generator_of(name)
    model = strata.write(f"{folder}/{name}.mlir", numbers_text(graph, element, length))
    told = strata.strata(model, "--aot", "--aot-name", name, "-o", folder, "--explain", *TARGET)
    few = int(re.search(r"where number <= (\d+): rows", told).group(1))
    library = gpu.Library(f"{folder}/lib{name}.so")
    for number in [1, 3, few - 1, few, few + 1, int(random.integers(4, few))]:
        compare(library, graph, element, (number, length), number, random)
    library.unload()


def main():
    gpu.use_stand_in()
    cases = {f"{graph}_{element}_{likely}": (graph, element, likely)
             for graph in GRAPHS for element, likely in [("f16", 1000), ("f32", 77)]}
    numbers = {f"{graph}_{element}_by_{length}": (graph, element, length)
               for graph in GRAPHS for element, length in [("f16", 4096), ("f32", 768)]}
    with tempfile.TemporaryDirectory() as folder:
        strata.report((name, lambda name=name: run_case(*cases[name], folder) if name in cases else
                       run_numbers(*numbers[name], folder)) for name in strata.some(cases | numbers))


if __name__ == "__main__":
    main()
