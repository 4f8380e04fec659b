#!/usr/bin/env python3
"""Snapshots of what the compiler makes for GPUs: IR of level 4 and PTX, of many cases, to see what a change changes.

    python3 snapshots.py write FILE [--group files,gemm] [--only NAME ...] [--models FOLDER] [--jobs 2] [-- OPTION ...]
    python3 snapshots.py compare FILE      what is not as FILE has it; status 1 if anything is
    python3 snapshots.py show FILE CASE    the same as a diff; CASE is a line of compare, or the beginning of one
    python3 snapshots.py list

Groups: files (every lit file with a command for nvgpu: all its commands), mem, gemm, fused, vit, attn, conv and group (of
tools/bench/gpu), random (200 products), models (of --models or STRATA_MODELS, whole or graphs alone). For sm_90a and sm_80
with PTX, which ends a compile here: nothing is assembled or linked; for emulated and emulated_90 without. What an option
behind "--" changes is compared in the same way. Compare takes groups and cases from FILE unless told. FILE is a zip archive
of texts; its hashes.txt has a line a text. STRATA_BIN names the compiler's folder.
"""
import argparse
import concurrent.futures
import difflib
import fnmatch
import hashlib
import os
import sys
import tempfile
import zipfile

import recorder
import sources

sys.path[:0] = [os.path.join(sources.SOURCE, "test", "support")]

import strata

HASHES = "hashes.txt"


def parse():
    own, options = strata.own_arguments()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("write", "compare", "show", "list"))
    parser.add_argument("file", nargs="?")
    parser.add_argument("case", nargs="?", default="")
    parser.add_argument("--group", help="several with commas between")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="these cases; * and ? stand for any characters")
    parser.add_argument("--devices", default=",".join(recorder.DEVICES), help="several with commas between")
    parser.add_argument("--models", metavar="FOLDER", default=os.environ.get("STRATA_MODELS"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parsed = parser.parse_args(own)
    if parsed.command != "list" and not parsed.file:
        parser.error("a FILE is missing")
    parsed.options, parsed.devices = options, parsed.devices.split(",")
    return parsed


#===-- Making texts ----------------------------------------------------------------------------------------------------


def chosen(parsed):
    for case in sources.all_cases(parsed.models):
        if parsed.group and case.group not in parsed.group.split(","):
            continue
        if parsed.only is None or any(fnmatch.fnmatch(case.name, name) for name in parsed.only):
            yield case


def texts_of(case, parsed):
    """The case's texts by name: GROUP/CASE NUMBER.DEVICE.KIND."""
    with tempfile.TemporaryDirectory() as folder:
        made = case.texts(recorder.Recorder(os.path.abspath(strata.BIN), folder, parsed.options), parsed.devices)
    return {f"{case.group}/{case.name} " + ".".join(key): text for key, text in sorted(made.items())}


def all_texts(cases, parsed):
    os.environ["STRATA_JOBS"] = "1"  # cases are what runs side by side
    with concurrent.futures.ThreadPoolExecutor(parsed.jobs) as pool:
        for texts in pool.map(lambda case: texts_of(case, parsed), cases):
            yield from texts.items()


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


#===-- Commands --------------------------------------------------------------------------------------------------------


def write(parsed):
    lines = []
    with zipfile.ZipFile(parsed.file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in all_texts(chosen(parsed), parsed):
            archive.writestr(name, text)
            lines.append(f"{hash_of(text)} {name}\n")
        archive.writestr(HASHES, "".join(lines))
    print(f"{len(lines)} texts")
    return 0 if lines else 1


def stored_hashes(path):
    with zipfile.ZipFile(path) as archive:
        lines = archive.read(HASHES).decode().splitlines()
    return {name: value for value, name in (line.split(" ", 1) for line in lines)}


def case_of(name):
    return name.rpartition(" ")[0]


def is_of_devices(name, parsed):
    """What passes alone make is of their command's device, whatever others are asked for."""
    device, kind = name.split(".")[-2:]
    return kind == "opt" or device in parsed.devices


def to_compare(parsed, stored):
    """The cases of the archive, unless others were asked for; and its hashes of those."""
    known = {case_of(name) for name in stored}
    cases = [case for case in chosen(parsed) if parsed.group or parsed.only or f"{case.group}/{case.name}" in known]
    names = {f"{case.group}/{case.name}" for case in cases}
    return cases, {name: value for name, value in stored.items()
                   if case_of(name) in names and is_of_devices(name, parsed)}


def compare(parsed):
    stored = stored_hashes(parsed.file)
    cases, wanted = to_compare(parsed, stored)
    made = {name: hash_of(text) for name, text in all_texts(cases, parsed)}
    others = [(name, "differs" if name in made and name in wanted else "is new" if name in made else "is gone")
              for name in sorted(made.keys() | wanted.keys()) if made.get(name) != wanted.get(name)]
    for name, how in others:
        print(f"{name} {how}")
    skipped = len(stored) - len(wanted)
    note = f", {skipped} of it not tried" if skipped else ""
    print(f"{len(made)} texts, {len(others)} not as in {parsed.file}{note}")
    return 1 if others or not made else 0


def show(parsed):
    """A diff of what the case's texts were and are."""
    with zipfile.ZipFile(parsed.file) as archive:
        old = {name: archive.read(name).decode() for name in archive.namelist()
               if name.startswith(parsed.case) and is_of_devices(name, parsed)}
    beginnings = {case_of(name) for name in old}
    cases = [case for case in chosen(parsed) if f"{case.group}/{case.name}" in beginnings]
    new = {name: text for name, text in all_texts(cases, parsed) if name.startswith(parsed.case)}
    for name in sorted(old.keys() | new.keys()):
        was, is_now = (texts.get(name, "").splitlines(True) for texts in (old, new))
        sys.stdout.writelines(difflib.unified_diff(was, is_now, f"{parsed.file}: {name}", f"now: {name}"))
    return 0 if old else 1


def show_list(parsed):
    for case in chosen(parsed):
        print(f"{case.group}/{case.name}")
    return 0


def main():
    parsed = parse()
    sys.exit({"write": write, "compare": compare, "show": show, "list": show_list}[parsed.command](parsed))


if __name__ == "__main__":
    main()
