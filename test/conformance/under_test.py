"""STRATA_RUN_UNDER: the command is started for many programs at once, and what it finds is a failure of the right case."""
import os
import re
import stat
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Writes down how many folders it was given, and finds something in one case of one job.
COMMAND = """#!/bin/sh
echo $(($# - 2)) >> starts
"$@" || exit 1
case " $* " in *"i8_i8_i8_convolutions "* | *"i8_i8_i8_convolutions/3 "*) echo found; exit 9 ;; esac
"""


def run_suite(jobs):
    with open("command", "w", encoding="utf-8") as file:
        file.write(COMMAND)
    os.chmod("command", stat.S_IRWXU)
    if os.path.exists("starts"):
        os.remove("starts")
    environment = {**os.environ, "STRATA_RUN_UNDER": os.path.abspath("command")}
    done = subprocess.run([sys.executable, os.path.join(HERE, "contractions_test.py"), jobs, "--jobs", "1"],
                          env=environment, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    with open("starts", encoding="utf-8") as file:
        return done.returncode, done.stdout, [int(line) for line in file]


def main():
    status, said, starts = run_suite("^(f32.f32.f32|i4.i4.i8) convolutions$")
    assert status == 0 and re.search(r": (\d+) of \1 results are right", said)
    assert starts == [1, 2], starts  # the first runs nothing, to see that it can

    status, said, starts = run_suite("^(f32.f32.f32|i8.i8.i8) convolutions$")
    assert status == 1
    failures = [line for line in said.splitlines() if line.startswith("FAIL i8.i8.i8 convolutions: contract")]
    assert len(failures) == 1 and "status 9: " in failures[0], failures
    assert starts[:4] == [1, 2, 1, 1] and len(starts) < 20, starts


if __name__ == "__main__":
    main()
