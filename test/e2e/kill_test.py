"""A compile that is killed, whatever process of it and when, leaves the folder as it was or complete, and nothing else:
neither there nor in TMPDIR. STRATA_KILLS=300 tries more moments, STRATA_KILL_SEED=7 others."""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

KILLS = int(os.environ.get("STRATA_KILLS", 12 if strata.SANITIZED else 40))
SEED = int(os.environ.get("STRATA_KILL_SEED", 0))
WAITS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
PATIENCE = 10  # seconds until what a killed process left must be gone


def make_model():
    graph = onnx_file.Graph()
    generator = np.random.default_rng(0)
    value = graph.input("x", FLOAT, [8, 256])
    for i in range(8):
        weight = graph.constant(f"w{i}", generator.standard_normal((256, 256)).astype(np.float32))
        value = graph.node("Tanh", [graph.node("MatMul", [value, weight])])
    graph.output(value, FLOAT, [8, 256])
    return graph.save("model.onnx")


def snapshot(folder):
    files = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            files[name] = "a folder"
            continue
        with open(path, "rb") as file:
            files[name] = hashlib.sha256(file.read()).hexdigest()
    return files


def start(model, folder, *options):
    return subprocess.Popen([os.path.join(strata.BIN, "strata"), model, "--aot", "--aot-name=net", "-o", folder, *options],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                            env={**os.environ, "TMPDIR": os.path.abspath("tmp")})


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(child) for child in file.read().split()]
    except OSError:
        return []
    return children + [other for child in children for other in descendants(child)]


def strike(process, kind, rng):
    """Kills what |kind| says; the signal that the first process must die of, or None."""
    try:
        if kind == "group":
            os.killpg(process.pid, signal.SIGKILL)
        elif kind == "descendant":
            victims = descendants(process.pid)
            if victims:
                os.kill(rng.choice(victims), signal.SIGKILL)
            return None
        else:
            process.send_signal(kind)
    except ProcessLookupError:
        pass
    return kind if isinstance(kind, int) else signal.SIGKILL


def settle(process):
    """Waits for the end of all processes, which hold the other end of the pipe; how long that took."""
    begin = time.monotonic()
    os.set_blocking(process.stdout.fileno(), False)
    while process.stdout.read() is None and time.monotonic() < begin + PATIENCE:
        time.sleep(0.005)
    return time.monotonic() - begin


def try_once(rng, model, kind, seconds, accepted):
    shutil.rmtree("out")
    shutil.copytree("old", "out")
    process = start(model, "out", "--weights=file")
    time.sleep(rng.random() * seconds * 1.1)
    expected = strike(process, kind, rng)
    status = process.wait(timeout=60)
    left = snapshot("out") if kind in WAITS else None  # it ends when all is tidied up
    delay = settle(process)
    process.stdout.close()
    now = snapshot("out")
    good = delay < PATIENCE and not os.listdir("tmp") and left in (None, now)
    good &= status in ((0, -expected) if expected else (0, 1))
    good &= now in ((accepted[1],) if status == 0 else accepted)
    if not good:
        print(f"FAIL {kind}: status {status}, {delay} s, {sorted(os.listdir('out'))}, {os.listdir('tmp')}")
    return good


def kill_all(process):
    """All processes at once, so that nobody is left to tidy up."""
    victims = [process.pid, *descendants(process.pid)]
    for victim in victims:
        os.kill(victim, signal.SIGSTOP)
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    process.wait()
    settle(process)
    process.stdout.close()


def sweeps():
    """What dead compiles left goes with the next one into the same place; what is in use, or not of ours, stays."""
    model, good = make_model(), True
    shutil.rmtree("swept", ignore_errors=True)
    left = []
    while not left:  # a kill may come before the folder is made, or after the end
        process = start(model, "swept")
        while process.poll() is None and not left:
            left = [name for name in (os.listdir("swept") if os.path.isdir("swept") else []) if name[0] == "."]
        kill_all(process)
        left = [name for name in os.listdir("swept") if name[0] == "."]
    os.makedirs("swept/.strata-mine")
    running = start(model, "swept", "--threads=1")
    while running.poll() is None and not [name for name in os.listdir("swept") if name[0] == "." and name not in left
                                          and name != ".strata-mine"]:
        time.sleep(0.001)
    good &= start(model, "swept").wait() == 0 and running.wait() == 0
    names = [name for name in os.listdir("swept") if name[0] == "."]
    good &= names == [".strata-mine"]
    # The first process alone: the keeper removes what it made, with the folders around it.
    shutil.rmtree("deep", ignore_errors=True)
    process = start(model, "deep/er/out")
    while not os.path.isdir("deep/er/out") and process.poll() is None:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    settle(process)
    process.stdout.close()
    good &= not os.path.exists("deep") or "libnet.so" in os.listdir("deep/er/out")
    if not good:
        print(f"FAIL sweeping: left {left}, then {names}, deep {os.path.exists('deep')}")
    return good


def main():
    for folder in ("old", "new", "out", "tmp"):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs("tmp")
    model = make_model()
    assert start(model, "old", "--opt-level=1").wait() == 0
    begin = time.monotonic()
    assert start(model, "new", "--weights=file").wait() == 0
    seconds = time.monotonic() - begin
    os.makedirs("out")
    # What is published over the old files: theirs of the same names are replaced.
    old, new = snapshot("old"), snapshot("new")
    accepted = (old, {**old, **new})
    assert accepted[0] != accepted[1]
    rng = random.Random(SEED)
    kinds = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, "descendant", "group"]
    bad = sum(not try_once(rng, model, kinds[i % len(kinds)], seconds, accepted) for i in range(KILLS))
    bad += not sweeps()
    print(f"{KILLS} kills over {seconds:.2f} s, {bad} bad")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
