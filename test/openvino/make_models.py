"""Writes IRs of models of several kinds into a folder, for compare.py: make_models.py FOLDER [NAME...] (docs/testing.md).

Needs torch, transformers, openvino and nncf. Weights are random; int8 and int4 are by NNCF.
"""
import os
import sys

import numpy as np
import openvino
import torch
from torch import nn


def conv_net():
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, stride=2, padding=1, groups=4), nn.SiLU(), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(32, 10)), (torch.randn(2, 3, 32, 32),)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(4, 8)
        self.up = nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.last = nn.Conv2d(11, 3, 3, padding=1)

    def forward(self, x):
        y = nn.functional.gelu(self.norm(self.down(x)))
        return self.last(torch.cat([x, self.up(y)], 1)), nn.functional.interpolate(y, scale_factor=2, mode="nearest")


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(12, 16, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(32, 8, batch_first=True)

    def forward(self, x):
        return self.gru(self.lstm(x)[0])


def encoder():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(2, 7, 32),)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.boxes = nn.Conv2d(8, 4, 1)
        self.scores = nn.Conv2d(8, 6, 1)

    def forward(self, x):
        y = nn.functional.hardswish(self.body(x))
        scores = self.scores(y).flatten(2).softmax(1)
        values, places = scores.max(1).values.topk(5)
        return self.boxes(y).flatten(2).transpose(1, 2).gather(1, places.unsqueeze(-1).expand(-1, -1, 4)), values


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            config = LlamaConfig(vocab_size=97, hidden_size=64, intermediate_size=96, num_hidden_layers=2,
                                 num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64)
            self.model = LlamaForCausalLM(config)

        def forward(self, tokens):
            return self.model(input_ids=tokens, use_cache=False).logits

    return Step(), (torch.randint(0, 97, (1, 9)),)


class Cached(nn.Module):
    """One step of attention with a cache that grows."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)

    def forward(self, x, key, value):
        q, k, v = self.qkv(x).reshape(1, -1, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        k, v = torch.cat([key, k], 2), torch.cat([value, v], 2)
        y = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).reshape(1, -1, 32)), k, v


TORCH = {
    "conv_net": conv_net,
    "unet": lambda: (UNet(), (torch.randn(1, 3, 16, 16),)),
    "recurrent": lambda: (Recurrent(), (torch.randn(2, 6, 12),)),
    "encoder": encoder,
    "detector": lambda: (Detector(), (torch.randn(1, 3, 20, 20),)),
    "llama": llama,
}


def from_torch(make, dynamic=None):
    torch.manual_seed(0)
    model, example = make()
    if dynamic is None:
        converted = openvino.convert_model(torch.export.export(model.eval(), example))
        converted.reshape({port: list(value.shape) for port, value in zip(converted.inputs, example)})
        return converted
    return openvino.convert_model(model.eval(), example_input=example, input=[openvino.PartialShape(s) for s in dynamic])


def stateful():
    torch.manual_seed(0)
    cache = torch.randn(1, 4, 3, 8)
    model = from_torch(lambda: (Cached(), (torch.randn(1, 1, 32), cache, cache)),
                       [[1, 1, 32], [1, 4, -1, 8], [1, 4, -1, 8]])
    for port, name in zip(list(model.inputs) + list(model.outputs), ("x", "key", "value", "y", "new_key", "new_value")):
        port.get_tensor().set_names({name})
    from openvino._offline_transformations import apply_make_stateful_transformation
    apply_make_stateful_transformation(model, {"key": "new_key", "value": "new_value"})
    return model


def int8(make, scale):
    import nncf
    model = from_torch(make)
    rng = np.random.default_rng(0)
    shape = list(model.input(0).shape)
    data = nncf.Dataset([rng.standard_normal(shape).astype(np.float32) * scale for _ in range(8)])
    return nncf.quantize(model, data, subset_size=8)


def compressed(make, mode, **options):
    import nncf
    return nncf.compress_weights(from_torch(make), mode=getattr(nncf.CompressWeightsMode, mode), **options)


MODELS = {name: lambda make=make: from_torch(make) for name, make in TORCH.items()}
MODELS["conv_net_varying"] = lambda: from_torch(conv_net, [[-1, 3, -1, -1]])
MODELS["recurrent_varying"] = lambda: from_torch(TORCH["recurrent"], [[-1, -1, 12]])
MODELS["stateful"] = stateful
MODELS["conv_net_int8"] = lambda: int8(conv_net, 1)
MODELS["encoder_int8"] = lambda: int8(encoder, 1)
MODELS["encoder_w8"] = lambda: compressed(encoder, "INT8_ASYM")
MODELS["encoder_w4"] = lambda: compressed(encoder, "INT4_SYM", group_size=16, all_layers=True)
MODELS["llama_w4"] = lambda: compressed(llama, "INT4_ASYM", group_size=16, ratio=1.0)
MODELS["llama_nf4"] = lambda: compressed(llama, "NF4", group_size=16, ratio=1.0)


def main():
    folder, *names = sys.argv[1:]
    for name in names or MODELS:
        try:
            openvino.save_model(MODELS[name](), os.path.join(folder, name + ".xml"), compress_to_fp16=name == "unet")
            print(name, flush=True)
        except Exception as problem:  # the others are written all the same
            print(f"{name}: {str(problem)[:300]}", flush=True)


if __name__ == "__main__":
    main()
