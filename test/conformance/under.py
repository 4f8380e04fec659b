"""Jobs whose programs run under another command, STRATA_RUN_UNDER: a checker of memory that is slow to start.

All jobs are compiled first; then the command runs one process for many of them. Where it, or the process, ends with
another status than 0, the half of them, and so on, until it is known whose fault that is; that job is taken apart.
"""
import functools
import os
import pickle
import shlex
import subprocess
import sys
import time

import children
import execute
import strata

COMMAND = shlex.split(os.environ.get("STRATA_RUN_UNDER", ""))
SECONDS_A_PROGRAM = 60
MOST_APART = 8  # jobs
TAIL = 1500  # characters of what a failing command has said


class Program:
    """The library of a job's cases, or of those given, in its folder."""

    def __init__(self, job, folder, cases=None):
        self.job, self.folder, self._cases = job, folder, cases

    def library(self):
        return os.path.join(self.folder, "libmodel.so")

    def cases(self, seed):
        return self._cases or self.job.cases(seed)

    def module(self, seed):
        return self.job.module(self.cases(seed))

    def compile(self, seed):
        """What the compiler said against it, or None."""
        module = self.module(seed)
        with open(os.path.join(self.folder, "inputs"), "wb") as file:
            pickle.dump(module.input_bytes(), file)
        try:
            self.job.compile(module, self.folder)
        except strata.CompileError as error:
            return str(error)
        return None

    def judge(self, seed):
        with open(os.path.join(self.folder, "outputs"), "rb") as file:
            return self.module(seed).judge(pickle.load(file))

    def apart(self, seed):
        """A program for each case."""
        return [Program(self.job, os.path.join(self.folder, str(i)), [case])
                for i, case in enumerate(self.cases(seed))]


def _status(programs, log):
    """Of the command on these programs; what it says goes to the file |log|."""
    command = [*COMMAND, sys.executable, execute.__file__, *(p.folder for p in programs)]
    with open(log, "w", encoding="utf-8") as file:
        try:
            return subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False,
                                  timeout=SECONDS_A_PROGRAM * (1 + len(programs))).returncode
        except subprocess.TimeoutExpired:
            return "timeout"


def _failures(programs, log):
    """What was said, for each folder whose program fails."""
    status = _status(programs, log)
    if not status:
        return {}
    if len(programs) > 1:
        half = len(programs) // 2
        return _failures(programs[:half], log + "0") | _failures(programs[half:], log + "1")
    with open(log, encoding="utf-8", errors="replace") as file:
        return {programs[0].folder: f"{COMMAND[0]}: status {status}: {file.read()[-TAIL:]}"}


def _compiled(programs, seed, processes):
    """What was said, for each folder whose program does not compile."""
    work = [(p.folder, p.folder, functools.partial(p.compile, seed)) for p in programs]
    results = {folder: result for folder, result, _ in children.carry_out(work, processes)}
    return {folder: str(result) for folder, result in results.items() if result is not None}


def _run(programs, processes):
    """What was said, for each folder whose program fails."""
    failures = {}
    by_size = sorted(programs, key=lambda p: -os.path.getsize(p.library()))
    parts = [part for part in (by_size[i::processes] for i in range(processes)) if part]
    folders = [os.path.abspath(f"batch{i}") for i in range(len(parts))]
    work = [(len(part), folder, functools.partial(_failures, part, os.path.join(folder, "log")))
            for part, folder in zip(parts, folders)]
    for size, result, seconds in children.carry_out(work, processes, seconds=0):
        print(f"{COMMAND[0]}: {size} programs, {seconds:.1f} s", flush=True)
        if isinstance(result, children.Failed):
            raise result
        failures |= result
    return failures


def _attempt(programs, seed, processes):
    """The results by folder, and what was said where there are none."""
    failures = _compiled(programs, seed, processes)
    failures |= _run([p for p in programs if p.folder not in failures], processes)
    work = [(p.folder, p.folder, functools.partial(p.judge, seed)) for p in programs if p.folder not in failures]
    judged = {folder: result for folder, result, _ in children.carry_out(work, processes)}
    failures |= {folder: str(result) for folder, result in judged.items() if isinstance(result, children.Failed)}
    return {folder: result for folder, result in judged.items() if folder not in failures}, failures


def _check_command():
    done = subprocess.run([*COMMAND, sys.executable, "-c", ""], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"STRATA_RUN_UNDER: status {done.returncode} of nothing: {done.stdout}{done.stderr}")


def _taken_apart(programs, seed, processes):
    """The results by folder, each case compiled and run alone."""
    parts = {p.folder: p.apart(seed) for p in programs}
    results, failures = _attempt([part for apart in parts.values() for part in apart], seed, processes)

    def of(part):
        return part.module(seed).failed(failures[part.folder]) if part.folder in failures else results[part.folder]
    return {folder: [result for part in apart for result in of(part)] for folder, apart in parts.items()}


def run_jobs(jobs, seed, processes):
    """Yields (name, results, seconds since the start) of all jobs."""
    _check_command()
    start = time.monotonic()
    programs = [Program(job, job.folder()) for job in jobs]
    results, failures = _attempt(programs, seed, processes)
    wrong = [p for p in programs if p.folder in failures]
    results |= {p.folder: p.module(seed).failed(failures[p.folder]) for p in wrong[MOST_APART:]}
    results |= _taken_apart(wrong[:MOST_APART], seed, processes)
    for program in programs:
        yield program.job.name, results[program.folder], time.monotonic() - start
