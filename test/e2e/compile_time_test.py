"""One kernel compiles, from the graph to the library with the machine code, in fractions of a second of one core. The
bounds are for the best of several compiles, on a processor that others use too, which may take some minutes to rest."""
import time

import strata

COMPILES, ATTEMPTS, PAUSE = 5, 12, 5  # PAUSE in seconds
MAIN = """func.func @main(%a: tensor<{a}> {{strata.name = "a"}}, %b: tensor<{b}> {{strata.name = "b"}},
                %c: tensor<{n}xbf16> {{strata.name = "c"}}) -> (tensor<{y}> {{strata.name = "y"}}) {{
{body}
  return %y : tensor<{y}>
}}
"""
ADD = '  %y = "strata.add"(%a, %b) : (tensor<{a}>, tensor<{b}>) -> tensor<{y}>'
PRODUCT = """  %f = "strata.contract"(%a, %b) {{maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"}}
      : (tensor<{a}>, tensor<{b}>) -> tensor<{m}x{n}xf32>
  %{result} = "strata.convert"(%f) : (tensor<{m}x{n}xf32>) -> tensor<{y}>"""
GELU = """
  %v = "strata.broadcast"(%c) {{map = affine_map<(i, j) -> (j)>}} : (tensor<{n}xbf16>) -> tensor<{y}>
  %s = "strata.add"(%p, %v) : (tensor<{y}>, tensor<{y}>) -> tensor<{y}>
  %y = "strata.gelu"(%s) : (tensor<{y}>) -> tensor<{y}>"""


def text(body, m, n, k, result="y"):
    names = dict(a=f"{m}x{k}xbf16", b=f"{k}x{n}xbf16", y=f"{m}x{n}xbf16", m=m, n=n, result=result)
    if body == ADD:
        names.update(a=names["y"], b=names["y"])
    return MAIN.format(body=body.format(**names), **names)


HOPPER = ["--target=nvgpu", "--device=sm_90a"]
CASES = [  # name, graph, options, seconds
    ("add on cpu", text(ADD, 16384, 8192, 1), ["--target=cpu"], 0.3),
    ("add on sm_90a", text(ADD, 16384, 8192, 1), HOPPER, 0.3),
    ("product on sm_90a", text(PRODUCT, 4096, 4096, 4096), HOPPER, 0.5),
    ("product, bias, gelu on sm_90a", text(PRODUCT + GELU, 4096, 3072, 768, "p"), HOPPER, 0.9),
]


def least_cost(options, bound):
    """The best of COMPILES compiles; of more, and some time later, while others keep the processor from the bound."""
    costs = []
    for _ in range(ATTEMPTS):
        costs += [strata.compile_library("graph.mlir", ".", options=[*options, "--jobs=1"])[1] for _ in range(COMPILES)]
        best = min(costs, key=lambda cost: cost.processor_seconds)
        if strata.SANITIZED or best.processor_seconds <= bound:
            break
        time.sleep(PAUSE)
    return best


for name, graph, options, bound in CASES:
    with open("graph.mlir", "w", encoding="utf-8") as file:
        file.write(graph)
    cost = least_cost(options, bound)
    print(f"{name}: {cost.processor_seconds:.3f} s of one core, {cost.peak_bytes / 2**20:.0f} MiB")
    assert strata.SANITIZED or cost.processor_seconds <= bound, f"{name}: expected at most {bound} s"
