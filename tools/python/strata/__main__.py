"""python3 -m strata options|compiler|clear-cache: the table of docs/python.md, the compiler's path, an empty cache."""
import sys

from . import cache, compiler, options

COMMANDS = {"options": lambda: print(options.markdown(), end=""), "compiler": lambda: print(compiler.find()),
            "clear-cache": cache.clear}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]]()
