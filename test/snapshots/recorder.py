"""What one command of the compiler makes for each device: IR of level 4, and PTX.

main() stands for strata or strata-opt in PATH while the RUN lines of a lit file run, whatever prepares their inputs: it
leaves these texts in $SNAPSHOT_FOLDER and goes on as the program.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.abspath(os.path.join(HERE, "..", ".."))

DEVICES = ("sm_90a", "sm_80", "emulated", "emulated_90")
WITH_PTX = ("sm_90a", "sm_80")
# Of a command's options those that say what to print, and where.
DROPPED = ("--device", "--compile-to", "--output-dir", "--aot", "--aot-name", "--save-temps", "--dump-after",
           "--resource-usage", "--time-compilation", "--explain", "--plot", "--depfile", "--input", "--num-iters")
OF_TWO_WORDS = ("-o", "--output-dir", "--device", "--compile-to", "--aot-name", "--save-temps", "--plot", "--input")
# In place of NVIDIA's assembler: keeps the text, and ends the compile.
PTXAS = """#!/bin/sh
for argument; do case $argument in *.ptx) cp "$argument" "$SNAPSHOT_PTX";; esac; done
exit 1
"""


def write_script(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def without_dropped(arguments):
    kept, skip = [], False
    for argument in arguments:
        name, _, value = argument.partition("=")
        if skip:
            skip = False
        elif argument in OF_TWO_WORDS:
            skip = True
        elif name not in DROPPED:
            kept.append(argument)
    return kept


def neutral(text, *folders):
    """Without the names of folders, the innermost first."""
    for folder in folders:
        text = text.replace(folder, "WORK")
    return text.replace(SOURCE, "SOURCE")


def is_message(line):
    return re.match(r"strata(-opt)?: ", line)


class Recorder:
    """Runs the programs in |tools| with further |options|; |folder| is for files on the way."""

    def __init__(self, tools, folder, options=()):
        self.tools, self.folder, self.options = tools, folder, list(options)
        self.assembler = os.path.join(folder, "assembler")
        os.makedirs(self.assembler, exist_ok=True)
        write_script(os.path.join(self.assembler, "ptxas"), PTXAS)

    def run(self, program, arguments, environment=None):
        return subprocess.run([os.path.join(self.tools, program), *arguments], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, env=environment, check=False)

    def level4(self, arguments, device):
        """The printed IR, or why there is none."""
        done = self.run("strata", [*arguments, f"--device={device}", "--compile-to=gpu", "-o", "-"])
        return {"ir": neutral(done.stdout if done.returncode == 0 else done.stderr, self.folder)}

    def level4_and_ptx(self, arguments, device):
        """Both in one compile, that ends where PTX would be assembled."""
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            ptx = os.path.join(out, "kernels.ptx")
            path = self.assembler + os.pathsep + os.environ["PATH"]
            library = ["--aot", "--aot-name=snapshot", "-o", os.path.join(out, "library")]
            done = self.run("strata", [*arguments, f"--device={device}", "--dump-after=gpu", *library],
                            {**os.environ, "PATH": path, "SNAPSHOT_PTX": ptx})
            if not os.path.exists(ptx):  # an error, or nothing to launch
                return {"ir": neutral(done.stderr, out, self.folder)}
            with open(ptx, encoding="utf-8") as file:
                text = file.read()
        lines = [line for line in done.stderr.splitlines(True) if not is_message(line)]
        return {"ir": neutral("".join(lines), self.folder), "ptx": text}

    def of_compiler(self, arguments, devices):
        """A text for each (device, kind) of what `strata` makes of |arguments|."""
        kept = without_dropped(arguments) + self.options
        texts = {}
        for device in devices:
            make = self.level4_and_ptx if device in WITH_PTX else self.level4
            texts.update({(device, kind): text for kind, text in make(kept, device).items()})
        return texts

    def of_passes(self, arguments):
        """What `strata-opt` prints, for its own device alone, since its input's schedules are for that."""
        done = self.run("strata-opt", arguments)
        text = done.stdout if done.returncode == 0 else "\n".join(filter(is_message, done.stderr.splitlines()))
        device = next((a.partition("=")[2] for a in reversed(arguments) if a.startswith("--device=")), "default")
        return {(device, "opt"): neutral(text, self.folder)}


def record(program, arguments):
    """The next command of a lit file: its texts go to files called NUMBER.DEVICE.KIND."""
    folder, devices = os.environ["SNAPSHOT_FOLDER"], os.environ["SNAPSHOT_DEVICES"].split(",")
    texts = os.path.join(folder, "texts")
    os.makedirs(texts, exist_ok=True)
    recorder = Recorder(os.environ["SNAPSHOT_TOOLS"], folder, os.environ["SNAPSHOT_OPTIONS"].split())
    found = recorder.of_passes(arguments) if program == "strata-opt" else recorder.of_compiler(arguments, devices)
    number = len({name.split(".")[0] for name in os.listdir(texts)})
    for (device, kind), text in found.items():
        with open(os.path.join(texts, f"{number}.{device}.{kind}"), "w", encoding="utf-8") as file:
            file.write(text)


def main(program, arguments):
    if "--target=nvgpu" in arguments:
        record(program, arguments)
    tool = os.path.join(os.environ["SNAPSHOT_TOOLS"], program)
    os.execv(tool, [tool, *arguments])
