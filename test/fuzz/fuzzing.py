"""The fuzzers' loop: the whole compiler on one bad input after the other.

Every run must end within PROCESSOR_SECONDS with exit status 0, or with 1, an error message and nothing written. Crashes
that the compiler caught in its child process count as findings too. A finding is kept in the folder `findings`, with
the command line to repeat it. STRATA_FUZZ_SECONDS and STRATA_FUZZ_SEED change how long and which: without them the
cases are always the same, in the same order, as far as the machine gets.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import strata

SEED = int(os.environ.get("STRATA_FUZZ_SEED", 0))
PROCESSOR_SECONDS = 30 if strata.SANITIZED else 10
FINDINGS = "findings"
ERROR = b"strata: error: "
REPORTS = ("explain", "time-compilation", "dump-after")  # what may print on standard error

INTERESTING = [0, 1, 2, 3, 7, 8, 16, 127, 128, 255, 256, 1000, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**40, 2**62,
               2**63 - 1, 2**63, 2**64 - 1, -1, -2, -(2**31), -(2**63)]


def without_notes(stderr):
    """The lines that are no notes of what a successful compile does."""
    return [line for line in stderr.splitlines() if not line.startswith(b"strata: note: ")]


def message_problem(stderr, has_report):
    """Standard error holds lines with errors and no others, but for a report that was asked for and comes first."""
    lines = without_notes(stderr)
    if not lines or not lines[-1].startswith(ERROR):
        return "no error message"
    if not has_report and not all(line.startswith(ERROR) for line in lines):
        return "not only errors on standard error"
    if signal.strsignal(signal.SIGXCPU).encode() in stderr:
        return f"computed for more than {PROCESSOR_SECONDS} s"
    if b"internal" in stderr or b"Sanitizer" in stderr or b"runtime error" in stderr:
        return "internal error"
    return None


def problem_of(done, folder, has_report):
    """What is wrong with a run, or None."""
    left = os.listdir(folder)
    if done.returncode == 0:
        return "output on standard error" if without_notes(done.stderr) and not has_report else None
    if done.returncode != 1:
        return f"exit status {done.returncode}"
    return message_problem(done.stderr, has_report) or (f"left {left} behind" if left else None)


def try_once(arguments):
    """Runs strata in an empty folder; what is wrong, or None."""
    has_report = any(report in argument for report in REPORTS for argument in arguments)
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.join(strata.BIN, "strata"), *arguments, "-o", folder]
        try:
            done = subprocess.run(command, capture_output=True, check=False, **strata.processor_limit(PROCESSOR_SECONDS))
        except subprocess.TimeoutExpired as error:
            return f"stuck for {error.timeout} s", b""
        return problem_of(done, folder, has_report), done.stderr


def keep(number, arguments, path, problem, stderr):
    os.makedirs(FINDINGS, exist_ok=True)
    name = os.path.join(FINDINGS, str(number))
    if path:
        kept = name + os.path.splitext(path)[1]
        shutil.copyfile(path, kept)
        arguments = [kept if argument == path else argument for argument in arguments]
    with open(name + ".txt", "wb") as file:
        file.write(f"{problem}\nstrata {' '.join(map(repr, arguments))}\n".encode() + stderr)
    print(f"finding {number}: {problem}: {stderr[:300]!r}", flush=True)


def fuzz(make_case, seconds=30):
    """make_case(random) gives the arguments, and the input file among them if it was made for this case. For |seconds|
    unless the environment says for how long."""
    shutil.rmtree(FINDINGS, ignore_errors=True)
    end = time.monotonic() + float(os.environ.get("STRATA_FUZZ_SECONDS", seconds))
    cases = findings = 0
    while time.monotonic() < end and findings < 20:
        arguments, path = make_case(random.Random(SEED * 1000003 + cases))
        problem, stderr = try_once(arguments)
        if problem:
            keep(cases, arguments, path, problem, stderr)
            findings += 1
        cases += 1
    print(f"{cases} cases, {findings} findings")
    sys.exit(1 if findings else 0)


def write_case(name, content):
    with open(name, "wb") as file:
        file.write(content)
    return name


def mutate_bytes(rng, content):
    """Flipped bits, changed, lost and doubled pieces, an early end."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5])):
        if not content:
            break
        at, length = rng.randrange(len(content)), rng.choice([1, 2, 8, 64])
        kind = rng.randrange(5)
        if kind == 0:
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            content[at] = rng.randrange(256)
        elif kind == 2:
            del content[at:at + length]
        elif kind == 3:
            content[at:at] = content[at:at + length]
        else:
            del content[at:]
    return bytes(content)
