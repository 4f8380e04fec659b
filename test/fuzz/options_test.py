"""Fuzzes the option parser: any mix of options, with good values, odd values and none."""
import re
import subprocess

import numpy as np

import fuzzing
import onnx_file
import strata

VALUES = ["", "0", "1", "-1", "3", "1e9", "99999999999999999999", "on", "all", "none", "x", "=", "a=b", "N=2", "N=-1",
          "x=x.npy", ".", "/", "/dev/null", "/nonexistent/f", "%s%n", "\u00e9", "a" * 5000, "x86-64-v3", "int", "printf"]


def options():
    """Every option of --help with the values it shows."""
    text = subprocess.run([f"{strata.BIN}/strata", "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  --([a-z0-9-]+)(?:=([^\s,]+))?", text, re.MULTILINE)


def argument(rng, table):
    name, values = rng.choice(table)
    dashes = rng.choice(["--", "--", "--", "-", "---"])
    choices = values.split("|") if values else []
    value = rng.choice(choices) if choices and rng.random() < 0.6 else rng.choice(VALUES)
    if not values and rng.random() < 0.7:
        return [dashes + name]
    return [f"{dashes}{name}={value}"] if rng.random() < 0.8 else [dashes + name, value]


def main():
    graph = onnx_file.Graph()
    x = graph.input("x", onnx_file.FLOAT, [2, 8])
    w = graph.constant("w", np.ones((8, 8), np.float32))
    y = graph.node("Softmax", [graph.node("MatMul", [x, w])])
    graph.output(y, onnx_file.FLOAT, [2, 8])
    model = graph.save("model.onnx")
    # Not those that write where they are told to, or exit early.
    skipped = {"help", "version", "output-dir", "save-temps", "plot"}
    table = [(name, values) for name, values in options() if name not in skipped]

    def make_case(rng):
        arguments = [word for _ in range(rng.choice([1, 1, 2, 4, 8])) for word in argument(rng, table)]
        return [*arguments, "--aot" if rng.random() < 0.5 else "--aot=on", model], None

    fuzzing.fuzz(make_case)


if __name__ == "__main__":
    main()
