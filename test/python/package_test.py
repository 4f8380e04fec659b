"""The wheel: built and installed by pip without an index, where this machine has pip, setuptools, wheel and venv."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import package
from package import support

MISSING = [name for name in ("pip", "setuptools", "wheel", "venv", "ensurepip") if not importlib.util.find_spec(name)]
if MISSING:
    print("skipped: this Python has no", ", ".join(MISSING))
    sys.exit(0)

OFFLINE = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet"]

# What an installed package finds: itself, its types, its compiler by the checkout it came from, torch's entry point.
PROGRAM = """
import importlib.metadata as metadata, os, pathlib
import strata
from strata import compiler
package = pathlib.Path(strata.__file__).parent
assert "site-packages" in str(package), package
assert (package / "py.typed").exists()
assert metadata.version("strata-compiler") == strata.__version__
points = [point for point in metadata.entry_points(group="torch_dynamo_backends") if point.name == "strata"]
assert [point.value for point in points] == ["strata.torch_backend:backend"], points
assert compiler.find() == os.environ["EXPECTED"], compiler.find()
"""


def run(*command, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("STRATA_", "PYTHON"))}
    done = subprocess.run(command, capture_output=True, text=True, env={**clean, **environment}, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def a_copy_of_the_sources():
    """A checkout: pip writes into the folder that it builds."""
    shutil.rmtree("checkout", ignore_errors=True)
    folder = pathlib.Path("checkout", "tools", "python").absolute()
    shutil.copytree(f"{package.SOURCE}/tools/python", folder,
                    ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    shutil.copy(f"{package.SOURCE}/tools/options.def", folder.parent)
    program = folder.parent.parent / "build" / "bin" / "strata"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return folder, program


def installed():
    folder, program = a_copy_of_the_sources()
    shutil.rmtree("venv", ignore_errors=True)
    run(sys.executable, "-m", "venv", "--system-site-packages", "venv")
    run("venv/bin/python", "-m", "pip", "install", *OFFLINE, str(folder))
    run("venv/bin/python", "-c", PROGRAM, EXPECTED=str(program), PATH="/usr/bin:/bin")


def version():
    with open(f"{package.SOURCE}/CMakeLists.txt", encoding="utf-8") as file:
        expected = f"VERSION {__import__('strata').__version__} "
        assert expected in file.read(), "tools/python/strata/_version.py has another version than CMakeLists.txt"


support.report([(case.__name__, case) for case in (version, installed)])
