"""No pass, no lowering and neither of the levels that they share names a vendor, an architecture or a card: facts about
them are rows of tables in targets/gpu (docs/gpu.md). Comments may."""
import os
import re
import sys

ROOT = os.environ["STRATA_SOURCE"]
FOLDERS = ["passes", "lowering", "dialects/tile", "dialects/affine"]
NAMES = re.compile(r"nvidia|geforce|radeon|instinct|(?<![a-z])amd|nvptx|rocdl|nvvm|rocm|(?<![a-z])cuda|(?<![a-z])hip(?![a-z])|"
                   r"gfx\d|(?<![a-z])sm_\d|mfma|wmma|ptxas|[ah][12]00(?![0-9])", re.IGNORECASE)
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# What the code of devices and targets is, declared once; nobody else in these folders may ask.
DECLARED = {("passes/target.h", "NVPTX"), ("passes/target.h", "AMD"), ("lowering/pipeline.h", "AMD")}


def named(text):
    """(line, name) of each in the code of |text|."""
    code = COMMENTS.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    return [(code.count("\n", 0, found.start()) + 1, found.group()) for found in NAMES.finditer(code)]


def main():
    assert named('// AMD\nint a; /* gfx942\n */ if (is("sm_90a"))') == [(3, "sm_9")]
    failed = 0
    for folder in FOLDERS:
        for path, _, files in sorted(os.walk(os.path.join(ROOT, folder))):
            for file in sorted(name for name in files if name.endswith((".c", ".h", ".def"))):
                name = os.path.relpath(os.path.join(path, file), ROOT)
                with open(os.path.join(path, file), encoding="utf-8") as text:
                    for line, word in named(text.read()):
                        if (name, word) not in DECLARED:
                            print(f"{name}:{line}: {word}")
                            failed += 1
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
