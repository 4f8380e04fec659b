"""Small models as code of gfx942 and gfx1100, executed instruction by instruction: as right as on the cpu, and nothing found.
STRATA_ALL=1: those that take minutes too."""
import os
import sys

import gpu
import materialise
import strata

DEVICES = {"gfx942": "0x942", "gfx1100": "0x1100"}
# The relative error over all sampled elements.
MODELS = {"chain30": 1e-5, "decoder_step": 2e-3, "mobilenet_v3_small": 2e-3, "cnn_qdq_int8": 2e-2}
MORE = {"resnet18_batchnorm": 2e-3}


def check(model, device, most_error):
    graph = materialise.materialise(model, os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models")))
    options = ["--target=amdgpu", f"--device={device}"]
    library = gpu.Library(strata.compile_library(graph, device, model, options)[0])
    outputs = library.run(list(materialise.inputs(model).values()))
    library.unload()
    for k, error in enumerate(materialise.relative_errors(model, outputs)):
        print(f"{model}, {device}: output {k}: relative error {error:.2e}", flush=True)
        assert error <= most_error


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if len(sys.argv) > 1:
        for model, most_error in {**MODELS, **(MORE if "STRATA_ALL" in os.environ else {})}.items():
            check(model, sys.argv[1], most_error)
        return
    chosen = list(DEVICES.items())[:1 if strata.SANITIZED else None]
    sys.exit(gpu.in_processes(__file__, {device: {"STRATA_TEST_DRIVER_ARCH": arch} for device, arch in chosen}))


if __name__ == "__main__":
    main()
