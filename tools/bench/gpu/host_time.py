"""What a call costs the host, of a library for all sizes beside one for a choice of them, on a driver that does nothing:

    cc -O2 -fPIC -shared tools/bench/gpu/null_driver.c -o libnull_driver.so
    STRATA_CUDA_DRIVER=$PWD/libnull_driver.so python3 tools/bench/gpu/host_time.py FOLDER

The libraries are those of open_models.py build. Prints the least microseconds a call of many rounds in turns, on this
thread's clock, and the difference.
"""
import ctypes
import glob
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "test", "support"))
import strata  # noqa: E402

ROUNDS, CALLS, MEMORY = 200, 20, 1 << 20


def caller(path, sizes):
    """A function that gives the microseconds of a call."""
    library = strata.Library(path)
    description, stream = library.description, ctypes.c_void_p(1)
    library.check(description.load(None, stream))
    for i in range(description.n_constants):
        info = description.constants[i].contents
        library.check(description.set_constant(info.name, ctypes.c_void_p(MEMORY), stream))
    n = len(library.inputs) + len(library.outputs)
    pointers, dims = (ctypes.c_void_p * n)(*[MEMORY] * n), library.dims(sizes)
    run, memory = description.run, ctypes.c_void_p(MEMORY)

    def once():
        begin = time.thread_time_ns()
        for _ in range(CALLS):
            status = run(pointers, dims, memory, stream)
        took = (time.thread_time_ns() - begin) / CALLS / 1e3
        library.check(status)
        return took
    return once, len(library.launches)


def main():
    for varying in sorted(glob.glob(os.path.join(sys.argv[1], "lib*_varying.so"))):
        for static in sorted(glob.glob(varying.replace("_varying.so", "_[0-9]*.so"))):
            sizes = [int(n) for n in static[:-len(".so")].rsplit("_", 1)[1].split("x")]
            (one, n_one), (both, n_both) = caller(static, None), caller(varying, sizes)
            times = [(one(), both()) for _ in range(ROUNDS)]
            least, most = (min(column) for column in zip(*times))
            print(f"{os.path.basename(static)[3:-3]:<24}static {least:6.2f} us of {n_one} launches, varying {most:6.2f} of "
                  f"{n_both}: {most - least:+.2f}, {most / n_both - least / n_one:+.3f} a launch", flush=True)


if __name__ == "__main__":
    main()
