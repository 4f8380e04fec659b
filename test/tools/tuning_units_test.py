"""Tuning of what is more than one kernel of known sizes, from end to end on the emulated device: kernels whose sizes
vary, with their variants, products that share a launch; and several GPUs that share the work."""
import os
import re
import shutil
import subprocess

import numpy as np

import gpu
import onnx_file
import strata

F16 = 10
K, N = 64, 32
COLUMNS = (64, 64, 128)
DEVICE = ["--target=nvgpu", "--device=emulated_90"]
DIMS = {"launch": [], "varying": ["--dim=rows=1..64@4,48"], "varying_launch": ["--dim=rows=1..320@4,320"]}
ROWS = (1, 3, 4, 17, 48, 64)
LAUNCH_ROWS = (1, 4, 9, 65, 319, 320)
gpu.use_stand_in()
random = np.random.default_rng(strata.run_seed())


def drawn(*shape):
    return random.standard_normal(shape).astype(np.float16)


WEIGHT = drawn(K, N)
WEIGHTS = [drawn(K, n) for n in COLUMNS]


def make_models():
    graph = onnx_file.Graph(opset=17)
    graph.node("MatMul", [graph.input("a", F16, ["rows", K]), graph.constant("w", WEIGHT)], ["c"])
    graph.node("Relu", ["c"], ["y"])
    graph.output("y", F16, ["rows", N])
    graph.save("varying.onnx")
    for name, rows in (("launch", 64), ("varying_launch", "rows")):
        graph = onnx_file.Graph(opset=17)
        a = graph.input("a", F16, [rows, K])
        for i, n in enumerate(COLUMNS):
            graph.node("MatMul", [a, graph.input(f"w{i}", F16, [K, n])], [f"y{i}"])
            graph.output(f"y{i}", F16, [rows, n])
        graph.save(f"{name}.onnx")


def run(*arguments, wanted=0, **variables):
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout[-500:], done.stderr[-1500:])
    return done.stdout + done.stderr


def options_of(model):
    return [f"{model}.onnx", *DEVICE, *DIMS[model]]


def compile_(model, name, *options, wanted=0):
    return run(f"{strata.BIN}/strata", *options_of(model), "--aot", "--aot-name=m", "-o", name, "--explain", *options,
               wanted=wanted)


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def load(path):
    return f"--load-autotune-results-from={path}"


def export(model, *options):
    folder = f"{model}_exported"
    shutil.rmtree(folder, ignore_errors=True)
    return run(f"{strata.BIN}/strata", *options_of(model), "--autotune=export", folder, *options)


def tune(model, *options, budget=120, **variables):
    return run(f"{strata.BIN}/strata-tune", f"{model}_exported", f"--budget={budget}", *options, **variables)


def kernels(model):
    """Of the manifest: the number, what it is, its candidates' schedules and its points."""
    found = []
    for text in read(f"{model}_exported/manifest.txtpb").split("\nkernels {")[1:]:
        points = [tuple(map(int, re.findall(r"sizes: (\d+)", point)))
                  for point in re.findall(r"points {([^}]*)}", text)]
        found.append((re.search(r'kernel: "(.*)"', text).group(1), re.search(r'what: "(.*)"', text).group(1),
                      re.findall(r' schedule: "(.*)"', text), points))
    return found


def thin(model):
    """Leaves each kernel three candidates: timing all of them takes the stand-in long."""
    path = f"{model}_exported/manifest.txtpb"
    parts = read(path).split("\nkernels {")
    for i, part in enumerate(parts[1:], 1):
        candidates = re.findall(r"\n  candidates {.*?\n  }", part, re.DOTALL)
        for candidate in candidates[3:]:
            part = part.replace(candidate, "")
        parts[i] = part
    write(path, "\nkernels {".join(parts))


def results_of(model, choose):
    """A file in which each kernel has the schedule that |choose| takes of its candidates."""
    text = read(f"{model}_exported/results.txtpb")
    for number, _, schedules, _ in kernels(model):
        part = re.search(rf'results {{\n  kernel: "{number}".*?\n}}', text, re.DOTALL).group(0)
        chosen = choose(schedules)
        text = text.replace(part, re.sub(r'\n  schedule: ".*"', lambda _, c=chosen: f'\n  schedule: "{c}"', part))
    return write(f"{model}.txtpb", text)


def check(library, inputs, outputs):
    arguments = []
    for i, (array, option) in enumerate([*((x, "input") for x in inputs), *((y, "expect") for y in outputs)]):
        np.save(f"{option}{i}.npy", array)
        arguments.append(f"--{option}={option}{i}.npy")
    run(f"{strata.BIN}/strata-run", f"{library}/libm.so", *arguments)


def check_varying(library):
    for rows in ROWS:
        a = drawn(rows, K)
        check(library, [a], [np.maximum(a.astype(np.float64) @ WEIGHT.astype(np.float64), 0).astype(np.float16)])


def check_launch(library, *sizes):
    for rows in sizes:
        a = drawn(rows, K)
        check(library, [a, *WEIGHTS],
              [(a.astype(np.float64) @ w.astype(np.float64)).astype(np.float16) for w in WEIGHTS])


def launches_of(said):
    return int(re.search(r"a run: (\d+) launches", said).group(1))


def sizes_that_vary():
    """The function for all sizes and each variant that is launched at a likely one have candidates of their own, which
    are right at all sizes."""
    assert "kernels to tune" in export("varying")
    found = kernels("varying")
    assert len(found) >= 2 and all(2 <= len(set(schedules)) <= 8 for _, _, schedules, _ in found), found
    likely = [point for _, _, _, points in found for point in points]
    assert (4,) in likely and (48,) in likely and len(likely) > 2, likely
    assert sum(points.count((4,)) for _, _, _, points in found) == 1, found
    thin("varying")
    said = tune("varying")
    assert f"{len(found)} of {len(found)} kernels tuned on test device" in said and "WRONG" not in said, said
    untuned = compile_("varying", "untuned")
    for which in range(3):
        path = results_of("varying", lambda schedules: schedules[min(which, len(schedules) - 1)])
        said = compile_("varying", "tuned", load(path), "--autotune=require")
        assert len(re.findall(r"\ntuned k0\S* .*\(varying.txtpb\)", said)) == len(found), said
        check_varying("tuned")
    compile_("varying", "tuned", load(results_of("varying", lambda schedules: schedules[0])))
    assert read("tuned/libm.so", "rb") == read("untuned/libm.so", "rb"), untuned
    # Other ranges, or other likely sizes, are another kernel.
    for dim in ("--dim=rows=1..60@4,48", "--dim=rows=1..64@8,48"):
        said = run(f"{strata.BIN}/strata", "varying.onnx", *DEVICE, dim, "--aot", "--aot-name=m", "-o", "again",
                   "--explain", load("varying.txtpb"))
        assert "(varying.txtpb)" not in said, said


def a_launch():
    """Products of one launch have one result, and are launched as one all the same."""
    said = export("launch")
    assert "1 kernels to tune" in said, said
    (number, what, schedules, points), = kernels("launch")
    assert "3 calls of one launch" in what and not points and len(set(schedules)) == len(schedules) >= 2
    thin("launch")
    assert "WRONG" not in tune("launch")
    untuned = compile_("launch", "untuned")
    for which in (1, 2):
        path = results_of("launch", lambda schedules: schedules[which])
        said = compile_("launch", "tuned", load(path), "--autotune=require")
        assert f"# {number}" in said and launches_of(said) == launches_of(untuned) == 1, said
        check_launch("tuned", 64)
    compile_("launch", "again", load("launch.txtpb"), "--jobs=2")
    assert read("tuned/libm.so", "rb") == read("again/libm.so", "rb")


def a_launch_of_sizes_that_vary():
    """What it is launched as at likely sizes, the function for all of them and a variant, has candidates of its own,
    which all products of the launch take."""
    export("varying_launch")
    found = kernels("varying_launch")
    assert len(found) == 2 and all(what.startswith("3 calls of one launch, ") for _, what, _, _ in found), found
    assert all(2 <= len(set(schedules)) <= 8 for _, _, schedules, _ in found), found
    assert sorted(points[0] for _, _, _, points in found) == [(4,), (320,)], found
    thin("varying_launch")
    said = tune("varying_launch")
    assert "2 of 2 kernels tuned" in said and "WRONG" not in said, said
    untuned = compile_("varying_launch", "untuned")
    for which in range(3):
        path = results_of("varying_launch", lambda schedules: schedules[which])
        said = compile_("varying_launch", "tuned", load(path), "--autotune=require")
        assert all(f"(varying_launch.txtpb) # {number}" in said for number, _, _, _ in found), said
        assert launches_of(said) == launches_of(untuned) == 1, said
        check_launch("tuned", *LAUNCH_ROWS)
        same = read("tuned/libm.so", "rb") == read("untuned/libm.so", "rb")
        assert same == (which == 0), which


def hostile_schedules_are_not_used():
    good = {model: kernels(model)[0][2][1] for model in DIMS}
    for model, others in (("varying", (("tile = array<i64: ", "tile = array<i64: 7"), ("threads = ", "threads = 3"),
                                       ('kind = \\"contract\\"', 'kind = \\"rows\\"'))),
                          ("varying_launch", (("slots = ", "slots = 9"), ("slots = ", "parts = 2 : i64, slots = "))),
                          ("launch", (("slots = ", "slots = 9"), ("blocks = ", "blocks = 5"),
                                      ("slots = ", "parts = 2 : i64, slots = "),
                                      ("slots = ", "stream = 1 : i64, slots = ")))):
        compile_(model, "untuned")
        for before, after in others:
            assert before in good[model], good[model]
            path = results_of(model, lambda _, m=model, b=before, a=after: good[m].replace(b, a))
            said = compile_(model, "again", load(path))
            assert f"tuning: {path}: not used: kernel" in said, said
            compile_(model, "again", load(path), "--autotune=require", wanted=1)


def several_devices():
    """Each kernel is timed by one of the GPUs; what one of them is no good for others do."""
    if os.path.exists("shared.txtpb"):  # of an earlier run: other results in it would stay
        os.remove("shared.txtpb")
    for devices, told in ((2, "on test device, 2 of them"), (7, f"{len(kernels('varying'))} of them")):
        said = tune("varying", "--output=shared.txtpb", STRATA_TEST_DRIVER_DEVICES=str(devices),
                    STRATA_TEST_DRIVER_LOG=f"log{devices}")
        assert told in said and read("shared.txtpb").count("results {") == len(kernels("varying")), said
        compile_("varying", "again", load("shared.txtpb"), "--autotune=require")
    assert "no result" not in said
    # No kernel at all, and none in time.
    text = read("varying_exported/manifest.txtpb")
    write("varying_exported/manifest.txtpb", text.split("\nkernels {")[0] + "\n")
    said = tune("varying", "--output=none.txtpb", STRATA_TEST_DRIVER_DEVICES="2")
    assert "0 of 0 kernels tuned" in said, said
    write("varying_exported/manifest.txtpb", text)
    said = tune("varying", "--output=failed.txtpb", STRATA_TEST_DRIVER_DEVICES="2",
                STRATA_TEST_DRIVER_FAIL="cuLaunchKernelEx:2")
    assert f"0 of {len(kernels('varying'))} kernels tuned" in said and "results {" not in read("failed.txtpb"), said


def manifests_that_are_none():
    path = "varying_exported/manifest.txtpb"
    text = read(path)
    for before, after in ((r"n_likely: \d+", "n_likely: 9"), (r"n_likely: \d+", "n_likely: -1"),
                          (r"sizes: 24\n", "sizes: 24\n    sizes: 1\n")):
        changed, n = re.subn(before, after, text, count=1)
        assert n == 1, before
        write(path, changed)
        said = run(f"{strata.BIN}/strata-tune", "varying_exported", wanted=1)
        assert "not as --autotune=export writes it" in said, said
    write(path, text.replace("sizes: 4\n", "sizes: 1000000\n"))  # beyond what the library takes
    said = tune("varying", "--output=beyond.txtpb")
    assert re.search(r"strata: error: kernel .*, candidate 0 \(", said) and "results {" in read("beyond.txtpb"), said
    write(path, text)


make_models()
strata.report([(case.__name__, case) for case in (sizes_that_vary, a_launch, a_launch_of_sizes_that_vary,
                                                  hostile_schedules_are_not_used, several_devices,
                                                  manifests_that_are_none)])
