"""A folder includes only what is to its right: tools, targets, lowering, passes, dialects, runtime/base; the runtime only
itself."""
import pathlib
import re
import sys

import strata

ORDER = ["tools", "targets", "lowering", "passes", "dialects", "runtime"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def allowed(folder, included):
    if ORDER.index(included.split("/")[0]) < ORDER.index(folder):
        return False
    return folder in ("runtime", "targets", "tools") or not included.startswith("runtime/") or \
        included.startswith("runtime/base/")


bad = []
for folder in ORDER:
    for path in sorted(pathlib.Path(strata.SOURCE, folder).rglob("*.[ch]")):
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if "/" in included and (included.split("/")[0] not in ORDER or not allowed(folder, included)):
                bad.append(f"{path}: {included}")
print("\n".join(bad))
sys.exit(1 if bad else 0)
