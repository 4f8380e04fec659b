#!/usr/bin/env python3
"""Models of torchvision, timm and transformers, in small configurations and with random weights: torch.compile with
backend="strata" beside its default and beside eager PyTorch.

    PYTHONPATH=tools/python STRATA_BIN=build/bin python3 tools/bench/gpu/torch_models.py [NAME...]

Prints for each model the milliseconds of a call, the seconds of the first call, in which all compile (no cache is used;
torch.compile traces the module by dynamo, whatever the backend, strata.compile does not: the seconds that are dynamo's
are those outside of the backend and its functions), and the largest error, relative to the largest value of eager
PyTorch in full f32. A graph that strata does not compile is an error of its model. A call's time is that of calls one
behind another, what Python takes included; with --replay also that of a CUDA graph of them, which is the GPU's alone.
Models whose library is not installed are left out.
"""
import argparse
import importlib.util
import math
import os
import shutil
import statistics
import sys
import tempfile
import time
import traceback
import warnings

SCRATCH = tempfile.mkdtemp(prefix="torch_models-")
os.environ.update(STRATA_CACHE_DIR="", TORCHINDUCTOR_FORCE_DISABLE_CACHES="1", TORCHINDUCTOR_CACHE_DIR=f"{SCRATCH}/inductor",
                  TRITON_CACHE_DIR=f"{SCRATCH}/triton")

import torch  # noqa: E402

import strata  # noqa: E402
from strata import torch_backend  # noqa: E402

ROUNDS, ROUND_SECONDS = 7, 0.05
VOCABULARY, LENGTH = 1000, 128
SMALL = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024,
         "vocab_size": VOCABULARY, "max_position_embeddings": 256}
VISION = {"hidden_size": 192, "num_hidden_layers": 4, "num_attention_heads": 3, "intermediate_size": 768,
          "image_size": 224, "patch_size": 16}


class Tensors(torch.nn.Module):
    """A model of transformers that gives its tensors, without their names and without a cache."""

    def __init__(self, model, **kwargs):
        super().__init__()
        self.model, self.kwargs = model, kwargs

    def forward(self, *args):
        return tuple(value for value in self.model(*args, **self.kwargs).to_tuple() if isinstance(value, torch.Tensor))


def image(batch, size=224):
    return (torch.randn(batch, 3, size, size),)


def tokens(batch):
    return torch.randint(0, VOCABULARY, (batch, LENGTH)), torch.ones(batch, LENGTH, dtype=torch.long)


def of_torchvision(name, **options):
    def make():
        import torchvision
        return getattr(torchvision.models, name)(weights=None, **options)
    return "torchvision", make, image


def of_timm(name, size=224, **options):
    def make():
        import timm
        return timm.create_model(name, **options)
    return "timm", make, lambda batch: image(batch, size)


def of_transformers(model, config, inputs, call=None, **options):
    def make():
        import transformers
        return Tensors(getattr(transformers, model)(getattr(transformers, config)(**options)), **(call or {}))
    return "transformers", make, inputs


NO_CACHE = {"use_cache": False}
MODELS = {
    "resnet18": of_torchvision("resnet18"),
    "resnet50": of_torchvision("resnet50"),
    "mobilenet_v2": of_torchvision("mobilenet_v2"),
    "mobilenet_v3": of_torchvision("mobilenet_v3_small"),
    "efficientnet_b0": of_torchvision("efficientnet_b0"),
    "shufflenet": of_torchvision("shufflenet_v2_x1_0"),
    "squeezenet": of_torchvision("squeezenet1_1"),
    "regnet": of_torchvision("regnet_y_400mf"),
    "vit": of_timm("vit_tiny_patch16_224", depth=6),
    "deit3": of_timm("deit3_small_patch16_224", depth=4),
    "convnext": of_timm("convnext_atto"),
    "efficientvit": of_timm("efficientvit_b0"),
    "poolformer": of_timm("poolformer_s12"),
    "mobilevit": of_timm("mobilevit_xxs", size=256),
    "bert": of_transformers("BertModel", "BertConfig", tokens, **SMALL),
    "distilbert": of_transformers("DistilBertModel", "DistilBertConfig", tokens, vocab_size=VOCABULARY, dim=256, n_layers=4,
                                  n_heads=4, hidden_dim=1024, max_position_embeddings=256),
    "llama": of_transformers("LlamaForCausalLM", "LlamaConfig", tokens, NO_CACHE, **SMALL, num_key_value_heads=2),
    "qwen3": of_transformers("Qwen3ForCausalLM", "Qwen3Config", tokens, NO_CACHE, **SMALL, num_key_value_heads=2,
                             head_dim=64),
    "opt": of_transformers("OPTForCausalLM", "OPTConfig", tokens, NO_CACHE, vocab_size=VOCABULARY, hidden_size=256,
                           num_hidden_layers=4, ffn_dim=1024, num_attention_heads=4, max_position_embeddings=256,
                           word_embed_proj_dim=256),
    "clip_vision": of_transformers("CLIPVisionModel", "CLIPVisionConfig", image, **VISION),
}


def made(name, batch, device, dtype):
    """The model, with statistics of batch norms that are not those of nothing, and its inputs."""
    _, make, inputs = MODELS[name]
    torch.manual_seed(0)
    model = make().eval()
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    args = [arg.to(device, dtype if arg.is_floating_point() else None) for arg in inputs(batch)]
    return model.to(device, dtype), args


def leaves(values):
    return [value for value in torch.utils._pytree.tree_leaves(values) if isinstance(value, torch.Tensor)]


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def error_of(got, expected):
    """The largest of any result, relative to that result's largest value."""
    got, expected = leaves(got), leaves(expected)
    if len(got) != len(expected) or any(a.shape != b.shape for a, b in zip(got, expected)):
        return math.inf
    errors = [float((a.double() - b.double()).abs().max() / b.double().abs().max().clamp(min=1e-30))
              for a, b in zip(got, expected)]
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def milliseconds(functions, args, device):
    """Of a call of each: the median of rounds in which they take turns."""
    def once(function, count):
        begin = time.perf_counter()
        for _ in range(count):
            function(*args)
        wait(device)
        return (time.perf_counter() - begin) / count * 1e3

    counts = []
    for function in functions:
        once(function, 3)
        counts.append(max(3, int(ROUND_SECONDS * 1e3 / max(once(function, 3), 1e-3))))
    rounds = [[once(function, count) for function, count in zip(functions, counts)] for _ in range(ROUNDS)]
    return [statistics.median(times) for times in zip(*rounds)]


def replayed(functions, args):
    """Milliseconds of a call of each in a CUDA graph."""
    import timing
    timers = [timing.ReplayTimer([lambda function=function: function(*args)]) for function in functions]
    return [statistics.median(times) / 1e3 for times in zip(*[[timer() for timer in timers] for _ in range(ROUNDS)])]


def first_call(function, args, device):
    """Its seconds and results."""
    wait(device)
    begin = time.perf_counter()
    results = function(*args)
    wait(device)
    return time.perf_counter() - begin, results


class Noting:
    """The backend, noting how many graphs it is given, and the seconds in it and in the first call of each."""

    def __init__(self, options):
        self.count, self.seconds = 0, 0.0
        self._backend = torch_backend.Backend(strata.options.Options(options))

    def _timed(self, function, *args):
        begin = time.perf_counter()
        try:
            return function(*args)
        finally:
            self.seconds += time.perf_counter() - begin

    def __call__(self, graph, examples):
        self.count += 1
        function, called = self._timed(self._backend, graph, examples), []

        def call(*inputs):
            if called:
                return function(*inputs)
            called.append(True)
            return self._timed(function, *inputs)
        return call


def row_of(name, options, arguments):
    device, dtype = arguments.device, getattr(torch, arguments.dtype)
    torch._dynamo.reset()
    model, args = made(name, arguments.batch, device, dtype)
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    exact = [value.clone() for value in leaves(model(*args))]
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.allow_tf32 = True
    backend = Noting(options)
    mine = torch.compile(model, backend=backend)
    seconds, results = first_call(mine, args, device)
    row = {"graphs": backend.count, "strata s": seconds, "dynamo s": seconds - backend.seconds,
           "error": error_of(results, exact)}
    row["module s"], results = first_call(strata.compile(model, **options), args, device)
    row["error"] = max(row["error"], error_of(results, exact))
    functions = {"eager": model, "strata": mine}
    if not arguments.alone:
        functions["torch.compile"] = torch.compile(model)
        row["torch.compile s"], results = first_call(functions["torch.compile"], args, device)
        row["its error"] = error_of(results, exact)
    if arguments.compile_only:
        return row
    row.update(zip(functions, milliseconds(list(functions.values()), args, device)))
    if arguments.replay:
        row.update(zip((f"{name} replayed" for name in functions), replayed(list(functions.values()), args)))
    return row


def warm_up(device, options, alone):
    """What a process needs once: the pools of workers, the context."""
    x = torch.ones(8, 8, device=device)
    for backend in (torch_backend.Backend(strata.options.Options(options)), *([] if alone else ["inductor"])):
        torch.compile(lambda x: torch.tanh(x @ x), backend=backend)(x)
    wait(device)


def columns(arguments):
    """Name, key and format of each."""
    if not arguments.compile_only:
        yield from (("eager, ms", "eager", ".3f"), ("strata, ms", "strata", ".3f"))
        if not arguments.alone:
            yield from (("torch.compile, ms", "torch.compile", ".3f"), ("ratio", "ratio", ".2f"))
    if arguments.replay and not arguments.compile_only:
        yield from (("strata, ms of the GPU", "strata replayed", ".3f"),
                    ("torch.compile, ms of the GPU", "torch.compile replayed", ".3f"), ("ratio", "ratio replayed", ".2f"))
    yield from (("strata, s to compile", "strata s", ".2f"), ("of it dynamo, s", "dynamo s", ".2f"))
    if not arguments.alone:
        yield from (("torch.compile, s", "torch.compile s", ".1f"), ("ratio", "ratio s", ".1f"),
                    ("ratio without dynamo", "ratio own s", ".1f"))
    yield "strata.compile, s", "module s", ".2f"
    if not arguments.alone:
        yield "ratio", "ratio module s", ".1f"
    yield "error", "error", ".1e"
    if not arguments.alone:
        yield "of torch.compile", "its error", ".1e"
    yield "graphs", "graphs", "d"


def with_ratios(row):
    for ratio, mine, other in (("ratio", "strata", "torch.compile"), ("ratio s", "strata s", "torch.compile s"),
                               ("ratio module s", "module s", "torch.compile s"),
                               ("ratio replayed", "strata replayed", "torch.compile replayed")):
        if mine in row and other in row:
            row[ratio] = row[other] / row[mine]
    if "torch.compile s" in row:
        row["ratio own s"] = (row["torch.compile s"] - row["dynamo s"]) / (row["strata s"] - row["dynamo s"])
    return row


def chosen(names):
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        sys.exit(f"torch_models.py: no model {', '.join(unknown)}; there are {', '.join(MODELS)}")
    for name in names or MODELS:
        if importlib.util.find_spec(MODELS[name][0]) is None:
            print(f"{name} is left out: {MODELS[name][0]} is not installed here", file=sys.stderr)
        else:
            yield name


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--dtype", default="float32", choices=("float32", "float16", "bfloat16"))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="of compile_options")
    parser.add_argument("--replay", action="store_true", help="also replayed from CUDA graphs")
    parser.add_argument("--alone", action="store_true", help="without torch.compile's default beside")
    parser.add_argument("--compile-only", action="store_true", help="first calls alone")
    return parser.parse_args()


def main():
    arguments = parsed()
    warnings.filterwarnings("ignore")
    options = {"target": "nvgpu" if arguments.device == "cuda" else "cpu", "strict_target": True}
    options.update(option.split("=", 1) for option in arguments.option)
    rows, failed = [], 0
    with torch.no_grad():
        warm_up(arguments.device, options, arguments.alone)
        shown = list(columns(arguments))
        print(f"| model | {' | '.join(name for name, _, _ in shown)} |\n|---|{'---|' * len(shown)}", flush=True)
        for name in chosen(arguments.names):
            try:
                rows.append(with_ratios(row_of(name, options, arguments)))
                cells = [format(rows[-1][key], text) for _, key, text in shown]
                print(f"| {name} | {' | '.join(cells)} |", flush=True)
            except Exception as error:  # of this model; the others go on
                failed += 1
                text = str(error).strip().splitlines() or [type(error).__name__]
                print(f"| {name} | {type(error).__name__}: {text[0][:200]} |", flush=True)
                traceback.print_exc(limit=-3)
    for key in ("ratio", "ratio replayed", "ratio s", "ratio own s", "ratio module s"):
        values = [row[key] for row in rows if key in row]
        if values:
            print(f"{key}: geometric mean {statistics.geometric_mean(values):.2f}, lowest {min(values):.2f}, "
                  f"of {len(values)}")
    shutil.rmtree(SCRATCH, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
