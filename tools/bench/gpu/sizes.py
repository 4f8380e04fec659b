"""One library for all sizes beside one for each size alone, in one process on a GPU.

    python3 sizes.py build FOLDER [--group mem,gemm] [--only NAME ...] [--device sm_90a] [--jobs 8] [-- OPTION ...]
    python3 sizes.py measure FOLDER [--group mem,gemm] [--only NAME ...] [--rounds 11] [--torch]

`build` needs neither PyTorch nor a GPU. A row is a case of cases.py in which some numbers of all shapes are sizes that
vary, likely those of the case; it is compiled so once, and once with numbers for each choice of sizes. `measure` times
both, one after the other in each round, and compares their results, which start as NaN. A ratio is the static library's
time divided by the other's. STRATA_BIN names the compiler's folder.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import math
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import cases as case_table
import strata

# case: of cases.py. symbols: the number in its shapes that is each of them. others: sizes to time besides the case's own.
Row = collections.namedtuple("Row", "case group symbols others")
MOST = 1 << 17  # of a size

#===-- Rows ----------------------------------------------------------------------------------------------------------


def rows():
    few, many = [(1,), (7,), (129,)], [(1,), (33,), (517,), (1999,), (4096,)]
    for name in ("add", "gelu", "softmax", "layernorm", "rmsnorm", "rowsum", "colsum", "transpose"):
        yield Row(f"{name}_16384x8192", "mem", {"rows": 16384}, [(1001,), (5000,)])
    for name in ("softmax", "layernorm", "rmsnorm"):
        yield Row(f"{name}_4096x1024", "mem", {"rows": 4096}, [(129,), (2047,), (30001,)])
        yield Row(f"{name}_4096x1024", "length", {"length": 1024}, [(17,), (128,), (511,), (768,), (2048,)])
    yield Row("permute0213_64x1024x16x64", "mem", {"length": 1024}, [(100,), (777,)])
    for layout in ("nt", "nn"):
        for m in (16, 128, 2048):
            yield Row(f"gemm_bf16_{layout}_{m}x4096x4096", "gemm", {"rows": m}, many if m == 2048 else few)
        yield Row(f"gemm_bf16_{layout}_4096x3072x768", "gemm", {"rows": 4096}, [(1,), (100,), (1000,)])
    yield Row("gemm_bf16_nt_2048x4096x14336", "gemm", {"rows": 2048}, [(1,), (65,), (999,)])
    yield Row("gemm_bias_gelu_4096x3072x768", "gemm", {"rows": 4096}, [(1,), (100,), (1000,)])
    yield Row("gemm_bias_res_ln_4096x768x3072", "gemm", {"rows": 4096}, [(1,), (100,), (1000,)])
    yield Row("bmm_bf16_16x1024x1024x1024", "gemm", {"batch": 16}, [(1,), (5,)])
    for shape in ("hw56_c64_k64_r3_s1", "hw28_c128_k128_r3_s1", "hw14_c256_k256_r3_s1", "hw56_c256_k64_r1_s1",
                  "hw56_c128_k128_r3_s2"):
        yield Row(f"conv_bias_relu_n32_{shape}", "conv", {"batch": 32}, [(1,), (7,)])
    yield Row("attn_b32_h16_s512_d64", "attn", {"batch": 32, "length": 512}, [(1, 128), (7, 17), (3, 1000)])
    yield Row("attn_b8_h16_s2048_d128", "attn", {"batch": 8, "length": 2048}, [(1, 511), (2, 64)])
    yield Row("attn_b8_h16_s2048_d128_causal", "attn", {"batch": 8, "length": 2048}, [(1, 511), (2, 64)])


def all_sizes(row):
    return [tuple(row.symbols.values()), *row.others]


def key(row, sizes=None):
    return f'{row.case}_{"_".join(row.symbols)}_{"x".join(map(str, sizes)) if sizes else "varying"}'


#===-- Graphs --------------------------------------------------------------------------------------------------------

TENSOR = re.compile(r"tensor<((?:\d+x)+)(\w+)>")


def with_sizes(text, symbols, sizes):
    """The graph where the number of each symbol is another one."""
    new = dict(zip(map(str, symbols.values()), map(str, sizes)))
    return TENSOR.sub(lambda m: f'tensor<{"".join(new.get(n, n) + "x" for n in m[1][:-1].split("x"))}{m[2]}>', text)


def varying(text, symbols):
    """The graph where the number of each symbol is the symbol."""
    numbers = {str(number): f"s{i}" for i, number in enumerate(symbols.values())}

    def tensor(match):
        dims = match[1][:-1].split("x")
        used = [numbers[n] for n in dims if n in numbers]
        if not used:
            return match[0]
        names = ", ".join(f"s{i}" for i in range(int(max(used)[1:]) + 1))
        shape = "".join(("?" if n in numbers else n) + "x" for n in dims)
        return f'tensor<{shape}{match[2]}, affine_map<()[{names}] -> ({", ".join(numbers.get(n, n) for n in dims)})>>'

    entries = ", ".join(f'{{name = "{name}", min = 1, max = {MOST}, likely = [{number}]}}'
                        for name, number in symbols.items())
    head, body = TENSOR.sub(tensor, text).split(" {\n", 1)
    # A splat is broadcast: a value of unknown sizes has no literal.
    return f"{head} attributes {{strata.symbols = [{entries}]}} {{\n{splats(body)}"


def splats(body):
    number = re.compile(r'  (%\d+) = "strata.constant"\(\) {value = dense<([^>]*)> : tensor<([?\dx]*\?[?\dx]*)x(\w+), '
                        r'(affine_map<[^>]*-> [^>]*>)>} : \(\) -> (.*)')

    def one(match):
        dims = ", ".join(f"d{i}" for i in range(len(match[3].split("x"))))
        return (f'  {match[1]}s = "strata.constant"() {{value = dense<{match[2]}> : tensor<{match[4]}>}} : () -> '
                f'tensor<{match[4]}>\n  {match[1]} = "strata.broadcast"({match[1]}s) {{map = affine_map<({dims}) -> ()>}}'
                f' : (tensor<{match[4]}>) -> {match[6]}').replace(match[1] + "s", "%splat" + match[1][1:])

    return number.sub(one, body)


def build_one(folder, device, options, job):
    name, text = job
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        strata.compile_library(path, folder, name, ["--target=nvgpu", f"--device={device}", "--on-gpu-tensors",
                                                    "--user-device-memory", *options])
        problem = ""
    except (strata.CompileError, subprocess.TimeoutExpired) as error:
        problem = " ".join(str(error).split())
    for rest in (f"lib{name}.a", name + ".pc", name + ".h"):
        if os.path.exists(os.path.join(folder, rest)):
            os.remove(os.path.join(folder, rest))
    return name, problem


def build(options, rest):
    os.makedirs(options.folder, exist_ok=True)
    cases, jobs, failed = case_table.all_cases(count=0), {}, 0
    for row in chosen(options):
        text = cases[row.case].text
        jobs[key(row)] = varying(text, row.symbols)
        for sizes in all_sizes(row):
            jobs[key(row, sizes)] = with_sizes(text, row.symbols, sizes)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, problem in pool.map(lambda job: build_one(options.folder, options.device, rest, job), jobs.items()):
            if problem:
                print(f"{name}: {problem}", flush=True)
            failed += bool(problem)
    print(f"{len(jobs) - failed} compiled, {failed} failed")
    return failed


#===-- Times ---------------------------------------------------------------------------------------------------------


class Bench:
    """Times rows; |options| are measure's."""

    def __init__(self, options):
        import torch

        import libraries
        import timing

        self.torch, self.libraries, self.timing, self.options = torch, libraries, timing, options
        self.cache = torch.cuda.get_device_properties(0).L2_cache_size
        self.types = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
        self.ratios = collections.defaultdict(list)

    def load(self, row, sizes, varies):
        path = os.path.join(self.options.folder, f"lib{key(row, None if varies else sizes)}.so")
        return self.libraries.GpuLibrary(path, sizes if varies else None)

    def buffers(self, case, new):
        """Sets of tensors that take turns, so that what memory bounds comes from there."""
        torch = self.torch
        shapes = [(tuple(new.get(n, n) for n in shape), self.types[dtype])
                  for shape, dtype in [item[:2] for item in case.inputs] + case.outputs]
        size, n_inputs = sum(math.prod(shape) * dtype.itemsize for shape, dtype in shapes), len(case.inputs)
        is_alone = case.flops >= 200 * case.bytes or size >= 2 * self.cache
        torch.manual_seed(0)
        return [[torch.randn(shape, device="cuda").to(dtype) * (0.05 if len(shape) > 1 else 1)
                 for shape, dtype in shapes[:n_inputs]]
                + [torch.full(shape, math.nan, device="cuda", dtype=dtype) for shape, dtype in shapes[n_inputs:]]
                for _ in range(1 if is_alone else min(32, math.ceil(2 * self.cache / size)))]

    def results(self, library, tensors, n_inputs):
        for tensor in tensors[n_inputs:]:
            tensor.fill_(math.nan)
        library.binding(tensors)()
        self.torch.cuda.synchronize()
        return [tensor.double().clone() for tensor in tensors[n_inputs:]]

    def case(self, row, case, sizes, peer):
        static, general = self.load(row, sizes, False), self.load(row, sizes, True)
        sets, n_inputs = self.buffers(case, dict(zip(row.symbols.values(), sizes))), len(case.inputs)
        wanted, got = (self.results(library, sets[0], n_inputs) for library in (static, general))
        error = max(((a - b).norm() / b.norm().clamp(min=1e-30)).item() for a, b in zip(got, wanted))
        runs = {"static": [static.binding(s) for s in sets], "varying": [general.binding(s) for s in sets]}
        if peer:
            runs["torch"] = [lambda s=s: peer(*s[:n_inputs]) for s in sets]
        timers = {name: self.timing.ReplayTimer(each) for name, each in runs.items()}
        turns = self.timing.in_rounds(timers, self.options.rounds, self.options.idle_ms / 1e3)
        took = {name: statistics.median(turn[name] for turn in turns) for name in timers}
        is_likely = sizes == all_sizes(row)[0]
        self.ratios["likely" if is_likely else "between"].append(took["static"] / took["varying"])
        beside = ""
        if peer:
            self.ratios["torch.compile(dynamic=True)"].append(took["torch"] / took["varying"])
            beside = f'{took["torch"]:9.1f}{took["torch"] / took["varying"]:7.2f}'
        static.unload()
        general.unload()
        return (f'{took["static"]:9.1f}{took["varying"]:9.1f}{took["static"] / took["varying"]:7.3f} {error:8.1e}'
                f'{"" if error < 1e-2 else " WRONG"}{beside}')

    def row(self, row, case):
        peer = None
        if self.options.torch:
            self.torch.compiler.reset()
            peer = self.torch.compile(lambda *inputs: case.torch(self.torch, *inputs), dynamic=True)
        for sizes in all_sizes(row):
            try:
                told = self.case(row, case, sizes, peer)
            except OSError:
                told = "  not compiled"
            print(f'{row.case + " " + ",".join(row.symbols):<44}{"x".join(map(str, sizes)):>10}{told}', flush=True)
            self.torch.cuda.empty_cache()


def measure(options):
    bench, cases = Bench(options), case_table.all_cases(count=0)
    print(f'{bench.torch.cuda.get_device_name()}\n{"row":<44}{"sizes":>10}{"static":>9}{"varying":>9}  ratio    error'
          f'{"    torch  ratio" if options.torch else ""}')
    with bench.torch.no_grad():
        for row in chosen(options):
            bench.row(row, cases[row.case])
    for name, values in bench.ratios.items():
        mean = math.exp(statistics.fmean(math.log(value) for value in values))
        print(f"{name}: {len(values)} rows, geometric mean {mean:.3f}, lowest {min(values):.3f}")
    return 0


def chosen(options):
    return [row for row in rows() if (not options.group or row.group in options.group.split(","))
            and (not options.only or any(fnmatch.fnmatch(row.case, name) for name in options.only))]


def main():
    own, rest = strata.own_arguments()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "measure"])
    parser.add_argument("folder")
    parser.add_argument("--group", help="of mem, length, gemm, conv, attn; several with commas between")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="these cases; * and ? stand for any characters")
    parser.add_argument("--device", default="sm_90a")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--torch", action="store_true", help="beside torch.compile(dynamic=True), too")
    parser.add_argument("--idle-ms", type=float, default=20, help="pause in front of every batch")
    options = parser.parse_args(own)
    sys.exit(build(options, rest) if options.what == "build" else measure(options))


if __name__ == "__main__":
    main()
