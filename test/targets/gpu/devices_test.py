"""Models as device code for every GPU of the tables: NVIDIA's assembler, where there is one, takes the PTX, and no kernel
spills on the H200; AMD's code objects use no scratch and load 16 bytes at once."""
import os
import re
import subprocess
import sys
import tempfile

import materialise
import strata

MODELS = os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models"))
LLVM = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()

FIRST, OTHERS = "sm_90a", ["sm_80", "sm_86", "sm_89", "sm_100a", "sm_120a"]
AMD = {"gfx90a": "global_load_dwordx4", "gfx942": "global_load_dwordx4", "gfx950": "global_load_dwordx4",
       "gfx9-4-generic": "global_load_dwordx4", "gfx1100": "global_load_b128", "gfx1101": "global_load_b128",
       "gfx1151": "global_load_b128", "gfx11-generic": "global_load_b128", "gfx1200": "global_load_b128",
       "gfx1201": "global_load_b128", "gfx12-generic": "global_load_b128"}
DIMS = {"resnet50_fp16": ["--dim=N=1"], "vit_b16_fp16": ["--dim=N=1"]}
# The compiler with sanitizers takes ten times as long, and this is about what comes out of it.
NAMES = sorted(name[:-5] for name in os.listdir(materialise.HERE) if name.endswith(".json"))
NAMES = ["chain30"] if strata.SANITIZED else NAMES


def compile_for(model, target, device, folder, *options):
    """Compiles a model; returns what --resource-usage prints, and leaves the files of --save-temps in |folder|."""
    graph = materialise.materialise(model, MODELS)
    command = [os.path.join(strata.BIN, "strata"), graph, "--aot", "--aot-name=m", "-o", os.path.join(folder, "library"),
               f"--target={target}", f"--device={device}", f"--save-temps={folder}", "--weights=file",
               "--resource-usage", *DIMS.get(model, []), *options]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, f"{model} for {device}: {result.stderr}"
    return result.stdout


def check_nvidia(model, device):
    with tempfile.TemporaryDirectory() as folder:
        # That the code assembles does not need its best form, which takes three times as long.
        level = "--opt-level=3" if device == FIRST else "--opt-level=1"
        usage = compile_for(model, "nvgpu", device, folder, level)
        generic = os.path.join(folder, device + ".ptx")  # in the library where it serves later devices, or nothing else does
        with open(generic if os.path.exists(generic) else os.path.join(folder, device + ".s")) as file:
            text = file.read()
        is_specific = "wgmma." in text
        assert os.path.exists(generic) == (not is_specific or not strata.has_ptxas())
        assert f".target {device if is_specific else device.rstrip('a')}\n" in text  # for any later device too
        assert "(C75" not in usage, f"{model}: the assembler complains\n{usage}"
        kernels = strata.kernel_rows(usage)
        assert kernels, usage
        if not strata.has_ptxas():
            return
        with open(os.path.join(folder, device + ".cubin"), "rb") as file:
            assert file.read(4) == b"\x7fELF"
        for kernel in kernels:
            assert len(kernel) == 7 and list(kernel)[-1] == "spills", usage
            assert device != FIRST or kernel["spills"] == "0", f"{model}: a kernel spills\n{usage}"


def check_amd(model, device, load):
    with tempfile.TemporaryDirectory() as folder:
        compile_for(model, "amdgpu", device, folder)
        code = os.path.join(folder, device + ".hsaco")
        notes = subprocess.run([os.path.join(LLVM, "llvm-readelf"), "--notes", code], capture_output=True, text=True,
                               check=True).stdout
        isa = subprocess.run([os.path.join(LLVM, "llvm-objdump"), "-d", code], capture_output=True, text=True,
                             check=True).stdout
    sizes = re.findall(r"\.private_segment_fixed_size: (\d+)", notes)
    assert sizes and set(sizes) == {"0"}, notes
    assert load in isa and "scratch_" not in isa and "flat_" not in isa, isa


def main():
    for i, model in enumerate(strata.drawn(NAMES, len(OTHERS) + 1)):  # half of the models, others each run
        for device in (FIRST, OTHERS[i % len(OTHERS)]):  # and every device, in a minute
            print(model, device, flush=True)
            check_nvidia(model, device)
    for device, load in AMD.items():
        print("chain30", device, flush=True)
        check_amd("chain30", device, load)


if __name__ == "__main__":
    sys.exit(main())
