"""The sizes of a call, from the shapes of its arrays (docs/abi.md, Sizes)."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from .errors import ShapeError

CONSTANT = 0
_OPERATIONS: Dict[int, Callable[[int, int], Optional[int]]] = {
    1: lambda a, b: a + b, 2: lambda a, b: a * b, 3: lambda a, b: a // b if b else None,
    4: lambda a, b: -(-a // b) if b else None, 5: lambda a, b: a % b if b else None, 6: min, 7: max}


class Sizes:
    """Those of a library: names, and how the values of a call are computed."""

    def __init__(self, description: Any) -> None:
        self.names: List[str] = [description.dims[i].decode() for i in range(description.n_dims)]
        n_infos = description.n_values - description.n_dims if self.names else 0
        self._infos = [(info.op, info.a, info.b) for info in (description.values[i] for i in range(n_infos))]

    def values(self, sizes: Sequence[Any]) -> List[Any]:
        """All values of a call."""
        values: List[Any] = list(sizes)
        for operation, a, b in self._infos:
            if operation == CONSTANT:
                values.append(a)
            elif values[a] is None or values[b] is None:
                values.append(None)
            else:
                values.append(_OPERATIONS[operation](values[a], values[b]))
        return values

    def _unknown(self, value: int, known: Sequence[Optional[int]]) -> Optional[int]:
        """The one unknown size that a value depends on; None: there is none, or there are several."""
        found, work = set(), [value]
        while work:
            value = work.pop()
            if value >= len(self.names):
                operation, a, b = self._infos[value - len(self.names)]
                work += [] if operation == CONSTANT else [a, b]
            elif known[value] is None:
                found.add(value)
        return found.pop() if len(found) == 1 else None

    def _solve(self, value: int, unknown: int, known: List[Optional[int]], wanted: int) -> Optional[int]:
        """The size at which |value|, a multiple of it and something, is |wanted|."""

        def at(size: int) -> Optional[int]:
            return self.values(known[:unknown] + [size] + known[unknown + 1:])[value]

        at_0, at_1 = at(0), at(1)
        if at_0 is None or at_1 is None or at_1 == at_0:
            return None
        size, rest = divmod(wanted - at_0, at_1 - at_0)
        return size if rest == 0 and at(size) == wanted else None

    def find(self, dims: Sequence[Sequence[int]], shapes: Sequence[Sequence[int]]) -> List[int]:
        """The sizes of arrays of |shapes|. |dims|: of each input, as the description has them."""
        known: List[Optional[int]] = [None] * len(self.names)
        pairs = [(-1 - dim, size) for shape, sizes in zip(dims, shapes) for dim, size in zip(shape, sizes) if dim < 0]
        for value, size in pairs:
            if value < len(known) and known[value] is None:
                known[value] = size
        changed = True
        while changed and None in known:
            changed = False
            for value, size in pairs:
                unknown = self._unknown(value, known)
                found = None if unknown is None else self._solve(value, unknown, known, size)
                if unknown is not None and found is not None:
                    known[unknown], changed = found, True
        if None in known:
            name = self.names[known.index(None)]
            raise ShapeError(f"the shapes of the arguments do not say the size '{name}'")
        return [size for size in known if size is not None]
