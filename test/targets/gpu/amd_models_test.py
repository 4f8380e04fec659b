"""The models and the graphs of test/transforms for the GPUs of AMD's: no thread has memory of its own, no register is
spilled, and every product of 16 bits or fewer that is as large as an instruction's tile in all of its sizes uses the
matrix instructions. Some (model, device) a run, drawn by STRATA_SEED; STRATA_ALL=1: all of them."""
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

import materialise
import strata

LLVM = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
DEVICES = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201"]
MODELS = sorted(path.stem for path in pathlib.Path(materialise.HERE).glob("*.onnx"))
FOLDER = os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models"))
TRANSFORMS = runpy.run_path(os.path.join(strata.SOURCE, "tools", "scripts", "transforms"))
GRAPHS = sorted(path for suffix in ("mlir", "test") for path in TRANSFORMS["TESTS"].glob(f"*.{suffix}"))
SIZES = ["--dim=N=1"]
ALWAYS = [("fuse_mm_elementwise", "gfx1201")]  # whose registers suffice in one order alone (targets/gpu/spills.c)
TILE = 16  # rows, columns and steps of the smallest matrix instruction
NARROW = {"f16", "bf16", "i8", "si8", "ui8"}
OTHER_KINDS = {"attention"}  # of multiply-adds, where the model of time says so

#===-- Products, as level 2 has them ----------------------------------------------------------------------------===#

BLOCKS = re.MULTILINE | re.DOTALL
KERNEL = re.compile(r"^  func\.func private @(\w+)\([^\n]*\) attributes \{([^\n]*)\} \{$(.*?)^  \}$", BLOCKS)
NEST = re.compile(r"^    affine\.parallel \(([^\n]*?)\) = [^\n]*? to \(([^\n]*?)\) \{$(.*?)^    \} \{strata\.n", BLOCKS)
LOOP = re.compile(r"affine\.for (%\w+) = 0 to (\d+) ")
VALUE = re.compile(r"^ +(%\w+) = (.*)$", re.MULTILINE)
CHOICE = re.compile(r"^( +)(%\w+) = (affine\.if .*?)^\1\}$", BLOCKS)  # with its two regions


def read_by(value, values, seen):
    """The loop variables and element types of the loads that |value| is computed from."""
    if value in seen or value not in values:
        return set(), set()
    seen.add(value)
    operation = values[value]
    load = re.match(r"(?:affine|memref)\.load %\w+\[(.*?)\].* : memref<(?:\w+x)*?(\w+)>", operation)
    types = {re.sub(r"^(\d+x)*", "", load[2])} if load else set()
    variables = set(re.findall(r"%\w+", load[1])) if load else set()
    if re.match(r"affine\.for", operation):
        return set(), set()
    for name in re.findall(r"%\w+", operation):
        more, more_types = read_by(name, values, seen)
        variables |= more | ({name} if name not in values else set())
        types |= more_types
    return variables, types


def sizes_of(parallel, bounds, body):
    """Rows, columns and depth of a nest's product, and its operands' types; None where it has none of two operands."""
    sizes = dict(zip(parallel.split(", "), map(int, bounds.split(", "))))
    depth = {name: int(size) for name, size in LOOP.findall(body)}
    values = {**dict(VALUE.findall(body)), **{name: choice for _, name, choice in CHOICE.findall(body)}}
    for operation in values.values():
        factors = re.match(r"arith\.mul[fi] (%\w+), (%\w+)", operation)
        if not factors or not depth:
            continue
        (left, left_types), (right, right_types) = (read_by(factor, values, set()) for factor in factors.groups())
        if not (left & right & set(depth)):
            continue
        extents = [1, 1, 1]
        for name, size in {**sizes, **depth}.items():
            if name in depth:
                extents[2] *= size
            elif (name in left) != (name in right):
                extents[0 if name in left else 1] *= size
        return extents, left_types | right_types
    return None


def products(text):
    """Of each kernel that multiplies matrices of narrow types, larger than a tile: name, kind and sizes."""
    for name, attributes, body in KERNEL.findall(text):
        kind = re.search(r"strata\.schedule = \{.*?kind = \"(\w+)\"", attributes)
        for parallel, bounds, nest in NEST.findall(body):
            found = sizes_of(parallel, bounds, nest)
            if kind and found and min(found[0]) >= TILE and found[1] <= NARROW:
                yield name, kind[1], found[0]

#===-- One graph for one device ---------------------------------------------------------------------------------===#


def code_of(isa):
    """The text of each kernel by its name."""
    parts = re.split(r"^[0-9a-f]+ <(\w+)>:$", isa, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def check(model, device, options):
    with tempfile.TemporaryDirectory() as folder:
        strata.strata(model, "--aot", "--aot-name=m", "-o", folder, "--target=amdgpu", f"--device={device}",
                      f"--save-temps={folder}", *options)
        code = os.path.join(folder, device + ".hsaco")
        kernels = code_of(strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", code))
        notes = strata.run(os.path.join(LLVM, "llvm-readelf"), "--notes", code)
        affine = next(pathlib.Path(folder).glob("*-affine.mlir")).read_text(encoding="utf-8")
    found = {name: kernel for name, kernel in kernels.items() if "scratch_" in kernel}
    assert not found, f"scratch in {', '.join(found)}"
    assert set(re.findall(r"private_segment_fixed_size: (\d+)", notes)) == {"0"}, "a private segment"
    assert set(re.findall(r"gpr_spill_count: +(\d+)", notes)) == {"0"}, "spills"
    for name, kind, sizes in products(affine):
        uses = [kernel for of, kernel in kernels.items() if name in of.split("_")]  # one launch of several: k0_k3
        assert kind in OTHER_KINDS or any(re.search(r"\bv_s?w?mf?ma", kernel) for kernel in uses), \
            f"{name}, a product of {' x '.join(map(str, sizes))} ({kind}): no matrix instruction"


def cases():
    for device in DEVICES:
        for model in MODELS:
            yield model, device, lambda model=model, device=device: check_model(model, device)
        for path in GRAPHS:
            yield path.stem, device, lambda path=path, device=device: check_graph(path, device)


def check_model(model, device):
    check(materialise.materialise(model, FOLDER), device, SIZES if model.endswith("_fp16") else [])


def check_graph(path, device):
    with tempfile.TemporaryDirectory() as folder:
        compiles = TRANSFORMS["parts"](path)[3]
        check(TRANSFORMS["input_of"](path, folder), device, TRANSFORMS["options_of"](compiles, folder))


def main():
    all_cases = list(cases())
    chosen = [case for case in all_cases if case[:2] in ALWAYS] + strata.drawn(all_cases, 3 if strata.SANITIZED else 10)
    strata.report([(f"{name} {device}", run) for name, device, run in chosen])


if __name__ == "__main__":
    sys.exit(main())
