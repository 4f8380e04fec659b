"""Compiling a model, and what is compiled."""
from __future__ import annotations

import hashlib
import io
import os
import pathlib
import shutil
import sys
import tempfile
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import arrays, cache, compiler, scratch
from .errors import OptionError, StrataError
from .emitted import Library, Profile, Tensor
from .options import Options

_DEFAULT_NAME = "strata_mlir_artifact"
_EMITTED = (".so", ".a", ".h", ".pc", ".weights", ".mlir")


class Source:
    """A model as the compiler takes it: a file."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self._path = pathlib.Path(os.path.abspath(path))
        if not self._path.is_file():
            raise FileNotFoundError(f"{path}: no such model")

    def sum(self) -> str:
        return cache.sum_of(self._path.suffix, cache.sum_of_file(self._path))

    def base(self) -> pathlib.Path:
        """What names of other files in it are relative to."""
        return self._path.parent

    def write(self, _folder: pathlib.Path) -> pathlib.Path:
        return self._path

    def forget(self) -> None:
        """Keeps no more than is needed to make the bytes again."""


class Written(Source):
    """A model in memory, written to a file for the time of a compile. |write|: writes its bytes to a binary file."""

    def __init__(self, suffix: str, write: Callable[[BinaryIO], Any]) -> None:
        self._suffix, self._write = suffix, write
        self._sum: Optional[str] = None
        self._file: Optional[io.BytesIO] = None  # the bytes, while they are asked for

    def prepare(self) -> None:
        """Makes the bytes now."""
        if self._file is None:
            self._file = io.BytesIO()
            self._write(self._file)

    def sum(self) -> str:
        if self._sum is None:
            self.prepare()
            assert self._file is not None
            self._sum = cache.sum_of(self._suffix, hashlib.sha256(self._file.getbuffer()).hexdigest())
        return self._sum

    def base(self) -> pathlib.Path:
        return pathlib.Path.cwd()

    def write(self, folder: pathlib.Path) -> pathlib.Path:
        path = folder / f"model{self._suffix}"
        with open(path, "wb") as file:
            if self._file is None:
                self._write(file)
            else:
                file.write(self._file.getbuffer())
        return path

    def forget(self) -> None:
        self._file = None


def _made_from(depfile: pathlib.Path) -> List[str]:
    """The files that a rule for make names; a blank in a name is escaped."""
    rule = depfile.read_text(encoding="utf-8").replace("\\\n", " ").split("\n", 1)[0]
    text = rule.partition(": ")[2].replace("\\ ", "\0").replace("$$", "$").replace("\\#", "#")
    return [name.replace("\0", " ") for name in text.split()]


def _compile(source: Source, options: Options, name: str, folder: pathlib.Path, companions: bool) -> List[str]:
    """Puts lib<name>.so, and its |companions|, into |folder|; the files they were made from, beside the model's own."""
    program = compiler.find()
    with scratch.folder() as work:
        path = source.write(work)
        arguments = [str(path), "--aot", f"--aot-name={name}", "-o", str(folder), "--depfile",
                     *([] if companions else ["--shared-only"]), *options.arguments()]
        if options.debug:
            print(" ".join(["strata", *arguments]), file=sys.stderr)
        compiler.run(arguments, shows=options.is_observed, program=program)
        rule = folder / f"{name}.d"
        made_from = _made_from(rule) if rule.exists() else []
        rule.unlink(missing_ok=True)
        return [each for each in made_from if os.path.abspath(each) != str(path) and
                not os.path.abspath(each).startswith(f"{work}{os.sep}")]


def compiled_folder(source: Source, options: Options, name: str, companions: bool = False) -> pathlib.Path:
    """The folder with the library, from the cache where it has it. |companions|: with all files that make one to keep."""
    def key_of() -> str:
        return cache.sum_of(source.sum(), options.arguments(), name, companions, compiler.identity(compiler.find()),
                            cache.surroundings())

    try:
        return cache.entry_for(key_of, source.base(),
                               lambda folder: _compile(source, options, name, folder, companions),
                               reads=not options.is_observed)
    finally:
        source.forget()


def _open(source: Source, options: Options, name: str) -> Library:
    """The library; once more where another process removed it from the cache in between."""
    path = compiled_folder(source, options, name) / f"lib{name}.so"
    try:
        return Library(path)
    except StrataError:
        if path.exists():
            raise
        return Library(compiled_folder(source, options, name) / f"lib{name}.so")


def _copy(folder: pathlib.Path, target: pathlib.Path) -> List[str]:
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for file in sorted(folder.iterdir()):
        if file.suffix in _EMITTED:
            handle, new = tempfile.mkstemp(dir=target, prefix=".new-")
            os.close(handle)
            shutil.copyfile(file, new)
            os.chmod(new, 0o755 if file.suffix == ".so" else 0o644)
            os.replace(new, target / file.name)
            written.append(str(target / file.name))
    return written


class CompiledModel:
    """A model compiled for a target: call it with arrays.

    Of a GPU target, arrays may lie on the host, and the library copies them, or on the GPU. There it works on the stream
    and with the memory of torch or cupy and waits for nothing; arrays of others make it wait for its end. The option
    on_gpu_tensors says where they lie; unless it is given, each call's arrays do, and the model is compiled for them.
    """

    def __init__(self, source: Source, options: Options) -> None:
        self._source, self._options = source, options
        self._num_iters, self._is_cpu = options.num_iters, options.target == "cpu"
        self._form = (bool(options.on_gpu_tensors), bool(options.on_gpu_tensors))
        self._given_place: Optional[bool] = options.given.get("on_gpu_tensors")
        self._libraries: Dict[Tuple[bool, bool], Library] = {}
        self._library = self._library_of(self._form)
        if options.aot:
            self._emit(pathlib.Path(options.output_dir), options.aot_name)

    def __repr__(self) -> str:
        return repr(self._library).replace("strata library", "strata model")

    def _options_of(self, form: Tuple[bool, bool]) -> Options:
        """The options where arrays lie on the GPU, and where their framework has memory and a stream."""
        on_gpu, has_stream = form
        if self._is_cpu or not on_gpu:
            return self._options
        memory = self._options.given.get("user_device_memory", has_stream and self._options.device_one_time_load)
        return self._options.with_(on_gpu_tensors=True, user_device_memory=memory)

    def _library_of(self, form: Tuple[bool, bool]) -> Library:
        if form not in self._libraries:
            self._libraries[form] = _open(self._source, self._options_of(form), _DEFAULT_NAME)
        self._form, self._library = form, self._libraries[form]
        return self._library

    @property
    def inputs(self) -> List[Tensor]:
        return self._library.inputs

    @property
    def outputs(self) -> List[Tensor]:
        return self._library.outputs

    def _library_for(self, args: Sequence[Any]) -> Library:
        """By where the first argument lies."""
        if self._is_cpu or not args:
            return self._library
        on_gpu = arrays.is_on_gpu(args[0]) if self._given_place is None else self._given_place
        form = (on_gpu, on_gpu and arrays.kind_of(args[0]).has_stream)
        return self._library if form == self._form else self._library_of(form)

    def call_flat(self, args: Sequence[Any], out: Any = None) -> Tuple[Any, ...]:
        """The results of a call with an argument for each input, as a tuple."""
        return self._library_for(args).call(args, out, self._num_iters)

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        if named or len(args) != len(self._library.inputs):
            args = tuple(self._library.ordered(args, named))
        results = self.call_flat(args, out)
        return results[0] if len(results) == 1 else results

    def explain(self) -> str:
        """What fused with what and why not; bytes and operations of each kernel."""
        with scratch.folder() as work:
            path = self._source.write(work)
            options = self._options_of(self._form).with_(explain=True, debug=None)
            return compiler.run([str(path), "--aot", f"--aot-name={_DEFAULT_NAME}", "-o", os.path.join(work, "out"),
                                 *options.arguments()])

    def profile(self, *args: Any, num_iters: int = 10, **named: Any) -> Profile:
        """The launches of a call with their times; print() shows them as a table."""
        library = self._library_for(args)
        return library.profile(library.ordered(args, named), num_iters)

    def _emit(self, folder: pathlib.Path, name: str) -> List[str]:
        return _copy(compiled_folder(self._source, self._options_of(self._form), name, companions=True), folder)

    def save_library(self, path: Union[str, os.PathLike[str]]) -> List[str]:
        """Writes lib<name>.so, lib<name>.a, <name>.h and <name>.pc; their paths. |path|: folder/lib<name>.so, or
        folder/<name>."""
        target = pathlib.Path(path)
        name = target.name
        if name.endswith(".so"):
            name = name[len("lib"):-len(".so")] if name.startswith("lib") else name[:-len(".so")]
        return self._emit(target.parent, Options({"aot_name": name}).aot_name)


def check_target(options: Options) -> Options:
    """Options that contradict one another are an error before anything is compiled."""
    if options.target == "cpu" and options.on_gpu_tensors:
        raise OptionError("compile option 'on_gpu_tensors': of target='nvgpu' and 'amdgpu', got 'cpu'")
    return options
