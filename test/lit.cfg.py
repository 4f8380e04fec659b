# lit: every *.mlir and *.test under test/ is one test; its RUN lines see the tools of this build and FileCheck first in
# PATH, %python, %models (test/models), %test_bin (the test programs and the stand-ins for drivers) and the usual %s and %t.
import os

import lit.formats

config.name = "strata"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "models", "support"]
config.test_source_root = config.source
config.test_exec_root = config.binary

config.environment["PATH"] = os.pathsep.join([config.tools, config.llvm_tools, os.environ["PATH"]])
config.environment["STRATA_VERIFY_EACH"] = "1"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "PYTHONPATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%test_bin", os.path.join(os.path.dirname(config.binary), "bin")))
config.substitutions.append(("%models", os.path.join(config.source, "models")))
if config.sanitized:
    config.available_features.add("sanitized")
