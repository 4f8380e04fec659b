"""The Python package from its sources, for the tests beside: `import package` first, then `import strata`.

PYTHONPATH has the tests' own strata.py (test/support), which is called `support` here. Compiled models go into a folder
of the test's own.
"""
import contextlib
import importlib.util
import os
import shutil
import sys
import warnings

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SUPPORT = os.path.join(SOURCE, "test", "support")

_spec = importlib.util.spec_from_file_location("support", os.path.join(SUPPORT, "strata.py"))
support = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(support)

sys.path.insert(0, SUPPORT)
sys.path.insert(0, os.path.join(SOURCE, "tools", "python"))
os.environ.setdefault("STRATA_BIN", support.BIN)
CACHE = os.path.abspath(os.path.splitext(os.path.basename(sys.argv[0]))[0] + ".cache")
os.environ["STRATA_CACHE_DIR"] = CACHE
shutil.rmtree(CACHE, ignore_errors=True)


def skip_without(module):
    """Ends the program, which has not failed, where a framework is not installed."""
    if importlib.util.find_spec(module) is None:
        print(f"skipped: {module} is not installed here (docs/testing.md says how to run this)")
        sys.exit(0)


@contextlib.contextmanager
def raises(kind, *texts):
    """What is inside must raise |kind|, with all |texts| in its message."""
    try:
        yield
    except kind as error:
        for text in texts:
            assert text in str(error), f"expected '{text}' in: {error}"
    else:
        raise AssertionError(f"no {kind.__name__}")


@contextlib.contextmanager
def warnings_of(kind):
    """The warnings of |kind| that are given inside, as texts."""
    texts = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    texts += [str(each.message) for each in caught if issubclass(each.category, kind)]
