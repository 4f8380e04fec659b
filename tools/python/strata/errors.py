"""What goes wrong."""
from __future__ import annotations


class StrataError(Exception):
    """Any error of this package that is not one in the arguments of a call (TypeError, ValueError)."""


class CompilerNotFound(StrataError):
    """There is no program `strata`."""


class CompileError(StrataError):
    """What the compiler said of a model."""


class UnsupportedError(StrataError):
    """What cannot be given to the compiler, and why."""


class RunError(StrataError):
    """What a library said of a call; |status| is one of its STRATA_... codes."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class OptionError(ValueError):
    """A compile option that does not exist, or a value it does not take."""


class ShapeError(ValueError):
    """An array whose shape the library does not take."""


class Fallback(UserWarning):
    """A graph runs in its own framework, and why."""
