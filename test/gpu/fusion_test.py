"""BERT on a GPU with pipelined products: no transpose, reshape, bias, gelu, residual or split is a kernel of its own. Each
kernel of a layer is a product, or has a reduction; and a layer is nine launches."""
import os
import re
import sys

import materialise
import strata

MODEL = "bert_base_s128"
LAYERS, LAUNCHES, AROUND = 12, 9, 3
OPTIONS = ["--target=nvgpu", "--device=sm_90a", "--compile-to=affine", "--explain", "-o", "."]


def main():
    graph = materialise.materialise(MODEL, os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models")))
    said = strata.strata(graph, *OPTIONS)
    kernels = re.findall(r"^kernel (\w+): (\d+) calls, \d+ nests \((.*?)\)", said, re.MULTILINE)
    alone = [f"{name} ({nests})" for name, calls, nests in kernels
             if int(calls) >= LAYERS - 1 and not {"contract", "reduce"} & set(nests.split())]
    launches = int(re.search(r"^a run: (\d+) launches", said, re.MULTILINE)[1])
    print(f"{len(kernels)} kernels, {launches} launches; kernels of their own: {', '.join(alone) or 'none'}")
    return bool(alone) or not kernels or launches > LAYERS * LAUNCHES + AROUND


if __name__ == "__main__":
    sys.exit(main())
