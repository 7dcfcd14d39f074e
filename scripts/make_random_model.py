#!/usr/bin/env python3
"""Writes a model folder of a real model's shape with random weights in bfloat16, without tokenizer.

usage: make_random_model.py MODEL FOLDER [--full] [--pooling cls|mean|lasttoken] [--seed N]

MODEL: qwen3-0.6b, xlm-r-large, bert-base or minilm; their configs stand in bench/families/configs.
--full: tokens of a Qwen3 see those behind them too. --pooling: in place of the model's own.
Matrices are drawn with a spread of their own each, 0.02 to 0.05, and norms and biases are not those
of a fresh model, so that whatever is left out or swapped shows in the vectors. The same MODEL and
seed give the same weights on the same kind of device.

Needs torch, transformers 5.17.0 and safetensors; makes the weights on the GPU if there is one.
"""

import argparse
import json
import pathlib

import safetensors.torch
import torch
import transformers

CONFIGS = pathlib.Path(__file__).resolve().parent.parent / "bench/families/configs"
MODELS = {"qwen3-0.6b": "Qwen3-Embedding-0.6B", "xlm-r-large": "bge-m3",
          "bert-base": "bge-base-en-v1.5", "minilm": "all-MiniLM-L6-v2"}
# Of 1_Pooling/config.json.
POOLING_KEYS = {"cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens",
                "lasttoken": "pooling_mode_lasttoken"}


def read(path):
    return json.loads(path.read_text("utf-8"))


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


def write_settings(source, folder, full, pooling):
    """All but the weights. The length limit is that of the positions: no sentence_bert_config."""
    config = read(source / "config.json")
    if full:
        if config["model_type"] != "qwen3":
            raise SystemExit("--full: only a Qwen3 is causal without it")
        config["is_causal"] = False
    write(folder / "config.json", config)
    write(folder / "modules.json", read(source / "modules.json"))
    settings = read(source / "1_Pooling/config.json")
    if pooling:
        settings.update({key: name == pooling for name, key in POOLING_KEYS.items()})
    write(folder / "1_Pooling/config.json", settings)


def draw(name, shape, device, random):
    """A parameter, as its name tells."""
    is_norm = "norm" in name.lower()
    value = torch.empty(shape, device=device).normal_(generator=random)
    if is_norm and name.endswith("weight"):
        return value.mul_(0.1).add_(1)
    if len(shape) == 1:
        return value.mul_(0.02)
    spread = torch.rand((), device=device, generator=random) * 0.03 + 0.02
    return value.mul_(spread)


def make_weights(folder, seed):
    config = transformers.AutoConfig.from_pretrained(folder)
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(config)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    random = torch.Generator(device).manual_seed(seed)
    return {name: draw(name, parameter.shape, device, random).bfloat16().cpu()
            for name, parameter in model.named_parameters()
            if not name.startswith("pooler.")}  # BERT's, which embeddings do not use.


def main(options):
    write_settings(CONFIGS / MODELS[options.model], options.folder, options.full, options.pooling)
    weights = make_weights(options.folder, options.seed)
    safetensors.torch.save_file(weights, options.folder / "model.safetensors", {"format": "pt"})
    count = sum(weight.numel() for weight in weights.values())
    print(f"{options.folder}: {options.model}, {count / 1e6:.0f} M parameters")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--full", action="store_true", help="no causal mask (Qwen3)")
    parser.add_argument("--pooling", choices=POOLING_KEYS)
    parser.add_argument("--seed", type=int, default=1)
    main(parser.parse_args())
