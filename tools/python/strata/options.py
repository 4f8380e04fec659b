"""compile_options: the compiler's options with `_` for `-`, and those of the Python front ends.

The compiler's are in _options.py, which is generated from its own table; FRONT_END has what this package itself carries
out. `python3 -m strata options` prints the table of docs/python.md.
"""
from __future__ import annotations

import difflib
import os
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from ._options import OPTIONS
from .errors import OptionError

# name, type, default, meaning
FRONT_END = (
    ("num_iters", "count", 1, "each call runs so many times on the same input"),
    ("aot", "flag", False, "the library's files, too: into output_dir when the model is compiled"),
    ("aot_name", "text", "strata_mlir_artifact", "the main function of such a library and the prefix of its files"),
    ("output_dir", "text", ".", "where they go"),
    ("torch_polyblocks_select_graphs", "graphs", None, "of PyTorch: compile these graphs only, names or numbers"),
    ("torch_polyblocks_filter_graphs", "graphs", None, "of PyTorch: these graphs run in PyTorch, names or numbers"),
    ("strict_target", "flag", False, "an error, instead of a warning and the framework's own code, where a graph cannot "
                                     "be compiled; and where a kernel would not run on the target"),
    ("static_argnums", "numbers", (), "of JAX: arguments that are values of Python, another compile each"),
    ("debug", "flag", False, "print each command of the compiler and what it says of the kernels (explain)"),
)
# What the command line has and a call from Python gets otherwise.
NOT_HERE = {"help": None, "version": "strata.version()", "depfile": None, "shared_only": None,
            "input": "the arguments of the call",
            "profile": "the callable's profile()",
            "compile_from": None, "compile_to": None}
# What prints, or reads or writes files beside the library, while it compiles: nothing is taken from the cache then.
OBSERVING = ("dump_after", "save_temps", "time_compilation", "explain", "resource_usage", "plot", "autotune",
             "load_autotune_results_from", "autotune_cache_dir", "dump_autotune_results_to",
             "xla_gpu_require_complete_aot_autotune_results")


class Row(NamedTuple):
    """One key of compile_options."""
    name: str
    aliases: Tuple[str, ...]
    type: str
    values: Optional[str]
    default: Any
    where: str
    meaning: str


def _key(name: str) -> str:
    return name.replace("-", "_")


def _compiler_default(kind: str, text: Optional[str]) -> Any:
    if kind == "flag":
        return text == "on"
    if kind == "count":
        return int(text or 0)
    return [] if kind == "list" else text


def _rows() -> Dict[str, Row]:
    rows: Dict[str, Row] = {}
    for name, aliases, kind, values, default, where, meaning in OPTIONS:
        if _key(name) not in NOT_HERE:
            names = tuple(_key(alias) for alias in aliases.split() if len(alias) > 1)
            rows[_key(name)] = Row(_key(name), names, kind, values, _compiler_default(kind, default), where, meaning)
    for name, kind, value, meaning in FRONT_END:
        names = rows[name].aliases if name in rows else ()
        rows[name] = Row(name, names, kind, None, value, "", meaning)
    return rows


TABLE = _rows()
_NAMES = {name: row for row in TABLE.values() for name in (row.name, *row.aliases)}
_FRONT_END_NAMES = {row[0] for row in FRONT_END}


def _find(key: str) -> Row:
    row = _NAMES.get(_key(key))
    if row:
        return row
    if _key(key) in NOT_HERE:
        instead = NOT_HERE[_key(key)]
        raise OptionError(f"compile option '{key}': of the command line only" +
                          (f"; here: {instead}" if instead else ""))
    near = difflib.get_close_matches(_key(key), _NAMES, n=1, cutoff=0.5)
    raise OptionError(f"there is no compile option '{key}'" + (f": did you mean '{near[0]}'?" if near else ""))


def _flag(row: Row, value: Any) -> bool:
    if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    if value in ("on", "off"):
        return value == "on"
    raise OptionError(f"compile option '{row.name}': expected True or False, got {value!r}")


def _count(row: Row, value: Any) -> int:
    low, _, high = (row.values or "1..").partition("..")
    if isinstance(value, bool) or not isinstance(value, int) or value < int(low) or (high and value > int(high)):
        raise OptionError(f"compile option '{row.name}': expected a number {row.values or '1..'}, got {value!r}")
    return value


def _choice(row: Row, value: Any) -> str:
    values = (row.values or "").split("|")
    value = str(int(value)) if isinstance(value, int) else value  # of 0|1
    if value in values:
        return value
    near = difflib.get_close_matches(str(value), values, n=1)
    raise OptionError(f"compile option '{row.name}': expected one of {', '.join(values)}, got {value!r}" +
                      (f": did you mean '{near[0]}'?" if near else ""))


def _text(row: Row, value: Any) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise OptionError(f"compile option '{row.name}': expected a string, got {value!r}")
    if row.name == "aot_name" and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", str(value)):
        raise OptionError(f"compile option 'aot_name': expected a C identifier, got {value!r}")
    return os.fspath(value)


def _list(row: Row, value: Any) -> List[str]:
    if isinstance(value, Mapping):
        return [f"{name}={item}" for name, item in value.items()]
    if isinstance(value, (list, tuple)) and all(isinstance(item, (str, os.PathLike)) for item in value):
        return [os.fspath(item) for item in value]
    if isinstance(value, str):
        return [value]
    raise OptionError(f"compile option '{row.name}': expected a list of strings or a dictionary, got {value!r}")


def _graphs(row: Row, value: Any) -> Tuple[Any, ...]:
    items = value if isinstance(value, (list, tuple, set, frozenset)) else (value,)
    if any(isinstance(item, bool) or not isinstance(item, (int, str)) for item in items):
        raise OptionError(f"compile option '{row.name}': expected a list of names and numbers, got {value!r}")
    return tuple(sorted(items, key=str))


def _numbers(row: Row, value: Any) -> Tuple[int, ...]:
    items = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if any(isinstance(item, bool) or not isinstance(item, int) for item in items):
        raise OptionError(f"compile option '{row.name}': expected numbers of arguments, got {value!r}")
    return items


_READ = {"flag": _flag, "count": _count, "choice": _choice, "text": _text, "list": _list, "graphs": _graphs,
         "numbers": _numbers}


class Options:
    """compile_options, checked. An option that is None has its default."""

    def __init__(self, values: Optional[Mapping[str, Any]] = None) -> None:
        if values is not None and not isinstance(values, Mapping):
            raise OptionError(f"compile_options: expected a dictionary, got {type(values).__name__}")
        self.given: Dict[str, Any] = {}
        for key, value in (values or {}).items():
            row = _find(str(key))
            if value is not None:
                self.given[row.name] = _READ[row.type](row, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in TABLE:
            raise AttributeError(name)
        return self.given.get(name, TABLE[name].default)

    def with_(self, **values: Any) -> "Options":
        return Options({**self.given, **values})

    @property
    def is_observed(self) -> bool:
        """Whether the compiler is to print or write something beside the library."""
        return self.debug or any(self.given.get(name) for name in OBSERVING)

    def arguments(self) -> List[str]:
        """Those of the compiler's command line, in the order of its table."""
        line = []
        for name, *_ in OPTIONS:
            key = _key(name)
            if key not in self.given or (key in _FRONT_END_NAMES and key != "strict_target"):
                continue
            value = self.given[key]
            if isinstance(value, bool):
                value = "on" if value else "off"
            line += [f"--{name}={item}" for item in (value if isinstance(value, list) else [value])]
        return line + (["--explain"] if self.debug and not self.given.get("explain") else [])


def markdown() -> str:
    """The table of docs/python.md."""
    lines = ["| key | default | meaning |", "|---|---|---|"]
    for row in sorted(TABLE.values(), key=lambda row: row.name not in _FRONT_END_NAMES):
        values = f": `{row.values}`" if row.values and row.type in ("count", "choice") else ""
        where = f"; {row.where}" if row.where else ""
        default = "" if row.default is None or row.default == [] else f"`{row.default!r}`"
        also = "".join(f", `{alias}`" for alias in row.aliases)
        lines.append(f"| `{row.name}`{also} | {default} | " +
                     f"{row.meaning}{values}{where}".replace("|", "\\|") + " |")
    return "\n".join(lines) + "\n"
