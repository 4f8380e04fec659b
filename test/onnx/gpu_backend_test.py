"""ONNX's backend tests on the emulated GPU, in exact arithmetic: a fixed sample of them, within a minute.

    gpu_backend_test.py              the sample
    gpu_backend_test.py --all        the whole set, for half an hour or less; failures by cause
    gpu_backend_test.py PATTERN      the cases whose names match
"""
import collections
import os
import re
import sys

import backend_test
import gpu

STEP = 10  # the sample is every tenth case
DEVICE = {"STRATA_TARGET": "nvgpu", "STRATA_DEVICE": "emulated", "STRATA_MM_CONV_PRECISION_MODE": "fp32"}


def cause(reason):
    """What went wrong, without names and numbers."""
    return re.sub(r"[-+\d.]+", "N", re.sub(r"\S*/\S*", "FILE", reason))


def main():
    os.environ.update(DEVICE)
    gpu.use_stand_in()
    pattern = "" if sys.argv[1:] in ([], ["--all"]) else sys.argv[1]
    step = 1 if sys.argv[1:] else STEP
    results = backend_test.run_all(backend_test.EXACT, pattern, step)
    outcomes = collections.Counter(result.outcome for result in results)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    failed = [result for result in results if result.outcome == backend_test.FAILED]
    unknown = [result for result in failed if result.name not in backend_test.WRONG_DATA]
    for why, count in collections.Counter(cause(result.reason) for result in unknown).most_common():
        print(f"{count} x {why}")
    for result in failed:
        print(f"{'FAILED' if result in unknown else 'known'}: {result.name}: {result.reason}")
    return bool(unknown) or outcomes[backend_test.PASSED] == 0


if __name__ == "__main__":
    sys.exit(main())
