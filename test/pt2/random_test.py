"""Random numbers of programs of PyTorch: other ones than PyTorch's, of the same distribution."""
import math

import numpy as np

import strata
from errors_test import archive, replaced

# As many as the program's dims give: 64 rows of 4. A mean of that many numbers of a range of one is off by more than this
# with a probability of 2 exp(-2 n t^2) = 1e-9 (Hoeffding); a run has the same numbers each time, whatever the seed of the test.
COUNT = 64 * 4
OFF = math.sqrt(math.log(2e9) / (2 * COUNT))


def numbers(operator):
    archive(replaced("aten.relu.default", operator))
    strata.strata("case.pt2", "--aot", "--aot-name=m", "-o", "out", "--dim", "s77=64")
    library = strata.Library("out/libm.so")
    x = np.zeros((64, 6), np.float32)
    values = library.run([x], [])[0]
    library.close()
    assert values.shape == (64, 4), values.shape
    return values


def uniform():
    values = numbers("aten.rand_like.default")
    assert np.all((values >= 0) & (values < 1))
    # A draw of 256 of 2^24 numbers repeats one with a probability of 0.2 %, two with 2e-6, three with 2e-9.
    assert len(np.unique(values)) >= COUNT - 2
    assert abs(values.mean() - 0.5) < OFF


def normal():
    values = numbers("aten.randn_like.default")
    assert np.all(np.isfinite(values))
    # Where they lie in their distribution is uniform.
    places = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in values.ravel()])
    assert abs(places.mean() - 0.5) < OFF
    assert abs((places**2).mean() - 1 / 3) < OFF


def exponential():
    values = numbers("aten.exponential.default")
    assert np.all(values >= 0)
    places = 1 - np.exp(-values)
    assert abs(places.mean() - 0.5) < OFF
    assert abs((places**2).mean() - 1 / 3) < OFF


def main():
    strata.report([(test.__name__, test) for test in (uniform, normal, exponential)])


if __name__ == "__main__":
    main()
