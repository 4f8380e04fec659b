"""Every row of a table has a test: each pass is run by a lit file, each op of the strata dialect stands in one."""
import pathlib
import re
import sys

import strata

ROOT = pathlib.Path(strata.SOURCE)
lit = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "test").rglob("*.mlir")))


def rows(path, macro, column):
    """The strings in a column of the rows of a .def file."""
    table = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(encoding="utf-8"), flags=re.DOTALL)
    return [re.findall(r'"([^"]*)"', line)[column] for line in table.splitlines() if line.startswith(macro + "(")]


missing = []
for table in ("passes/passes.def", "lowering/passes.def", "targets/passes.def"):
    missing += [f"{table}: no lit file runs {name}" for name in rows(table, "PASS", 0)
                if not re.search(rf"RUN:.*{name}(?![a-z-])", lit)]
for table, macro in (("dialects/strata/ops.def", "OP"), ("dialects/strata/composites.def", "COMPOSITE")):
    missing += [f"{table}: no lit file has strata.{name}" for name in rows(table, macro, 0)
                if f'"strata.{name}"' not in lit]
print("\n".join(missing))
sys.exit(1 if missing else 0)
