"""A folder includes, and calls, only what is to its right: tools, targets, lowering, passes, devices, dialects,
runtime/base; the runtime only itself."""
import pathlib
import re
import subprocess
import sys

import strata

ORDER = ["tools", "targets", "lowering", "passes", "devices", "dialects", "runtime"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def allowed(folder, included):
    if ORDER.index(included.split("/")[0]) < ORDER.index(folder):
        return False
    return folder in ("runtime", "targets", "tools") or not included.startswith("runtime/") or \
        included.startswith("runtime/base/")


def included_above():
    bad = []
    for folder in ORDER:
        for path in sorted(pathlib.Path(strata.SOURCE, folder).rglob("*.[ch]")):
            for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if "/" in included and (included.split("/")[0] not in ORDER or not allowed(folder, included)):
                    bad.append(f"{path}: {included}")
    return bad


def symbols(folder):
    """What the folder's archives define, and what they want of others."""
    defined, wanted = set(), set()
    for archive in pathlib.Path(strata.BIN, "..", folder).glob("libstrata_*.a"):
        out = subprocess.run(["nm", "-g", archive], check=True, capture_output=True, text=True).stdout
        for *_, kind, name in (line.split() for line in out.splitlines() if len(line.split()) > 1):
            (wanted if kind == "U" else defined).add(name)
    return defined, wanted - defined


def called_above():
    """A declaration below of what is defined above is an arrow upwards that no include shows."""
    bad, above = [], {}
    for folder in ORDER[:-1]:  # the runtime's archives are what emitted libraries consist of
        defined, wanted = symbols(folder)
        assert defined, folder
        bad += [f"{folder} calls {name} of {above[name]}" for name in sorted(wanted & above.keys())]
        above |= dict.fromkeys(defined, folder)
    return bad


bad = included_above() + called_above()
print("\n".join(bad))
sys.exit(1 if bad else 0)
