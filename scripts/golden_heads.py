#!/usr/bin/env python3
"""Makes tests/data/heads: small models with random weights, and what the libraries say of them.

usage: golden_heads.py [NAME...]

For each folder (or those named): a model that transformers builds and sentence-transformers saves,
laid out as they do it, with

    cases.json            inputs, batches, limits
    expected.safetensors  float32: "INPUT/OUTPUT", OUTPUT being dense, scores, sparse, tokens or
                          colbert

Expected values are computed in float32, each input alone, by the library's own pipeline, loaded
from the folder as it was saved. limits.fp32 is 20 times the largest difference from the same in
float64, at least 1e-5 of the output's scale; limits.bf16 is 3 times the largest difference of the
same with a bfloat16 body, pooling and what follows it in float32.

Needs torch 2.15.0 (CPU), transformers 5.17.0, sentence-transformers 6.0.1.
"""

import dataclasses
import json
import math
import pathlib
import shutil
import sys
import tempfile
from typing import Callable

import safetensors.torch
import tokenizers
import torch
import transformers
from sentence_transformers import SentenceTransformer, SparseEncoder
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from sentence_transformers.sparse_encoder.modules import SpladePooling

ROOT = pathlib.Path(__file__).resolve().parent.parent / "tests/data/heads"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "yes", "no", *LETTERS, *".,!?-0123456789"]
WORDS += [f"##{letter}" for letter in LETTERS]
WORDS += ["the", "of", "and", "in", "to", "garden", "tulip", "bed", "rose", "ivy", "water", "path"]
TOKENS_MOST = 17
STORAGE_POSITIONS = 40
LENGTHS = (1, 2, 3, 17, 40, 63, 64, 65, 130)


@dataclasses.dataclass
class Case:
    """A folder to make. `modules`: what follows the Transformer; None: no modules.json."""

    config: transformers.PreTrainedConfig
    architecture: str
    modules: Callable[[], list] | None = None
    task: str = "feature-extraction"
    stored: torch.dtype = torch.float16
    lengths: tuple = LENGTHS
    prompt: int = 0  # Tokens that pooling leaves out of every second input.
    types: int = 1  # Of tokens.
    tokens: bool = False  # Record hidden states of short inputs.
    edit: Callable[[pathlib.Path], None] | None = None  # Of the folder as it was saved.
    late: bool = False  # Edited after the libraries have read it, as they could not then.
    seed: int = 0


def bert(kind=transformers.BertConfig, **keys):
    sizes = dict(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=48,
                 max_position_embeddings=136, vocab_size=len(WORDS))
    return kind(**{**sizes, **keys})


def distilbert(**keys):
    return transformers.DistilBertConfig(
        **{**dict(dim=32, n_layers=1, n_heads=2, hidden_dim=48, max_position_embeddings=132,
                  vocab_size=len(WORDS), sinusoidal_pos_embds=False), **keys})


def modernbert(**keys):
    return bert(transformers.ModernBertConfig, pad_token_id=0, cls_token_id=2, sep_token_id=3,
                bos_token_id=2, eos_token_id=3, **keys)


def qwen3(**keys):
    return bert(transformers.Qwen3Config, **{
        **dict(num_attention_heads=8, num_key_value_heads=2, head_dim=16, pad_token_id=0,
               tie_word_embeddings=False, max_position_embeddings=256), **keys})


def labels(count):
    return {"id2label": {i: f"label {i}" for i in range(count)},
            "label2id": {f"label {i}": i for i in range(count)}}


def dense(inputs, outputs, function, bias=True, of="sentence_embedding"):
    return Dense(inputs, outputs, bias=bias, activation_function=function, module_input_name=of)


def edit_json(path, change):
    content = json.loads(path.read_text("utf-8"))
    content = change(content) or content
    path.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


def as_pylate(folder):
    """The layout that PyLate writes: its own Dense, of tokens without saying so, no Normalize."""
    def modules(content):
        del content[2:]
        content[1].update(path="1_Dense", type="pylate.models.Dense.Dense")
        for module in content:
            module["type"] = module["type"].replace(
                "sentence_transformers.base.modules.transformer", "sentence_transformers.models")
    edit_json(folder / "modules.json", modules)
    for key in ("module_input_name", "module_output_name"):
        edit_json(folder / "1_Dense/config.json", lambda content: content.pop(key) and None)
    for path in folder.glob("2_*"):
        shutil.rmtree(path)


def with_flags(folder):
    """Pooling as versions before 6 describe it: a flag for each mode, in an order of its own."""
    flags = ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens",
             "weightedmean_tokens", "lasttoken"]
    edit_json(folder / "1_Pooling/config.json", lambda content: {
        "word_embedding_dimension": content["embedding_dimension"],
        **{f"pooling_mode_{flag}": True for flag in flags}, "include_prompt": False})


def sharded(folder):
    """Three shards and their index, as checkpoints above the size limit come."""
    split_weights(folder, "model.safetensors", safetensors.torch.save_file)


def as_torch_file(folder):
    """One pytorch_model.bin with the names of old: LayerNorm's gamma and beta, `bert.` before all,
    a buffer of positions, the pooler and the heads of pre-training."""
    old = {}
    for name, tensor in safetensors.torch.load_file(folder / "model.safetensors").items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        old[name.replace("LayerNorm.bias", "LayerNorm.beta")] = tensor
    assert all(name.startswith(("bert.", "cls.")) for name in old)
    assert "bert.embeddings.LayerNorm.gamma" in old and "bert.pooler.dense.weight" in old
    old["bert.embeddings.position_ids"] = torch.arange(STORAGE_POSITIONS).unsqueeze(0)
    torch.save(old, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def as_torch_shards(folder):
    as_torch_file(folder)
    split_weights(folder, "pytorch_model.bin", torch.save)


def split_weights(folder, name, save):
    path = folder / name
    load = safetensors.torch.load_file if name.endswith(".safetensors") else torch.load
    tensors = list(load(path).items())
    weight_map = {}
    stem, suffix = name.split(".")
    for i in range(3):
        shard = f"{stem}-{i + 1:05}-of-00003.{suffix}"
        part = dict(tensors[i::3])
        save(part, folder / shard)
        weight_map.update({tensor: shard for tensor in part})
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / f"{name}.index.json").write_text(json.dumps(index, indent=1) + "\n", "utf-8")
    path.unlink()


def storage(edit=None, stored=torch.float32):
    """The same model each time."""
    return Case(bert(max_position_embeddings=STORAGE_POSITIONS), "BertForPreTraining",
                lambda: [Pooling(32, "mean")], stored=stored, edit=edit, lengths=(1, 17, 40),
                seed=99)


MLM = "fill-mask"
CASES = {
    # Sparse weights of the vocabulary: no decoder.weight in the file but in the last two.
    "splade-bert-max": Case(
        bert(num_hidden_layers=2), "BertForMaskedLM", lambda: [SpladePooling("max")], MLM),
    "splade-distilbert-sum": Case(
        distilbert(n_layers=2), "DistilBertForMaskedLM",
        lambda: [SpladePooling("sum", activation_function="log1p_relu")], MLM),
    "splade-roberta": Case(
        bert(transformers.RobertaConfig, hidden_act="relu", pad_token_id=1), "RobertaForMaskedLM",
        lambda: [SpladePooling("sum")], MLM),
    "splade-mpnet-untied": Case(
        bert(transformers.MPNetConfig, hidden_act="gelu_new", pad_token_id=1,
             tie_word_embeddings=False), "MPNetForMaskedLM",
        lambda: [SpladePooling("max", activation_function="log1p_relu")], MLM),
    "splade-bert-untied": Case(
        bert(hidden_act="gelu_new", tie_word_embeddings=False), "BertForMaskedLM",
        lambda: [SpladePooling("max")], MLM),
    # Dense modules and pooling.
    "dense-modules": Case(
        bert(num_hidden_layers=2), "BertModel",
        lambda: [Pooling(32, "mean"), dense(32, 48, torch.nn.Tanh()),
                 dense(48, 24, torch.nn.Identity(), bias=False), Normalize()]),
    "pooling-concat": Case(
        bert(), "BertModel",
        lambda: [Pooling(32, ("max", "cls", "mean")), dense(96, 40, torch.nn.GELU())]),
    "pooling-flags": Case(
        distilbert(), "DistilBertModel",
        lambda: [Pooling(32, ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean",
                              "lasttoken"), include_prompt=False)], prompt=2, edit=with_flags),
    "pooling-weighted-mean": Case(
        bert(), "BertModel",
        lambda: [Pooling(32, "weightedmean"), dense(32, 16, torch.nn.ReLU()), Normalize()]),
    "pooling-last-token": Case(
        bert(), "BertModel",
        lambda: [Pooling(32, "lasttoken"), dense(32, 16, torch.nn.SiLU()), Normalize()]),
    # A vector for each token.
    "colbert": Case(
        bert(), "BertModel",
        lambda: [dense(32, 40, torch.nn.Tanh(), of="token_embeddings"),
                 dense(40, 16, torch.nn.Identity(), bias=False, of="token_embeddings"),
                 Normalize("token_embeddings")], lengths=(1, 3, 17, 65)),
    "colbert-pylate": Case(
        bert(), "BertModel",
        lambda: [dense(32, 16, torch.nn.Identity(), bias=False, of="token_embeddings"),
                 Normalize("token_embeddings")], lengths=(1, 3, 17, 65), edit=as_pylate, late=True),
    # Classifiers.
    "classify-bert": Case(
        bert(**labels(2)), "BertForSequenceClassification", types=2),
    "classify-distilbert": Case(
        distilbert(**labels(3)), "DistilBertForSequenceClassification"),
    "classify-mpnet": Case(
        bert(transformers.MPNetConfig, pad_token_id=1, **labels(2)),
        "MPNetForSequenceClassification"),
    "classify-modernbert": Case(
        modernbert(classifier_pooling="cls", classifier_bias=True, classifier_activation="silu",
                   **labels(3)), "ModernBertForSequenceClassification"),
    "classify-modernbert-mean": Case(
        modernbert(classifier_pooling="mean", **labels(1)), "ModernBertForSequenceClassification"),
    "classify-qwen3": Case(
        qwen3(**labels(3)), "Qwen3ForSequenceClassification", stored=torch.bfloat16),
    "reranker-qwen3-untied": Case(qwen3(), "Qwen3ForCausalLM", stored=torch.bfloat16),
    # Bodies with numbers that no known model has.
    "body-bert-gelu-new": Case(
        bert(hidden_act="gelu_new", hidden_size=48, num_attention_heads=3, num_hidden_layers=2,
             type_vocab_size=3, layer_norm_eps=1e-3), "BertModel",
        lambda: [Pooling(48, "mean")], types=3, tokens=True),
    "body-roberta": Case(
        bert(transformers.RobertaConfig, hidden_act="gelu_new", pad_token_id=4,
             num_attention_heads=4, type_vocab_size=2), "RobertaModel",
        lambda: [Pooling(32, "mean")], types=2, tokens=True),
    "body-mpnet": Case(
        bert(transformers.MPNetConfig, hidden_size=48, num_attention_heads=3, num_hidden_layers=3,
             relative_attention_num_buckets=40, pad_token_id=0, max_position_embeddings=304),
        "MPNetModel", lambda: [Pooling(48, "mean")], tokens=True, lengths=(1, 2, 17, 64, 130, 300)),
    "body-modernbert": Case(
        modernbert(num_hidden_layers=5, local_attention=8, global_attn_every_n_layers=2,
                   intermediate_size=40, norm_eps=1e-3), "ModernBertModel",
        lambda: [Pooling(32, "mean")], tokens=True),
    "body-modernbert-layer-types": Case(
        modernbert(num_hidden_layers=3, local_attention=10, hidden_activation="silu",
                   layer_types=["sliding_attention", "full_attention", "sliding_attention"]),
        "ModernBertModel", lambda: [Pooling(32, "cls")], tokens=True),
    "body-nomic": Case(
        bert(transformers.NomicBertConfig, num_hidden_layers=3, max_position_embeddings=320),
        "NomicBertModel", lambda: [Pooling(32, "mean"), Normalize()], tokens=True,
        lengths=(1, 2, 17, 64, 130, 300)),
    "body-qwen3": Case(
        qwen3(num_hidden_layers=2, intermediate_size=40, rms_norm_eps=1e-3), "Qwen3Model",
        lambda: [Pooling(32, "lasttoken"), Normalize()], tokens=True, stored=torch.bfloat16),
    # One model under every form of storage.
    "storage-float32": storage(),
    "storage-float16": storage(stored=torch.float16),
    "storage-bfloat16": storage(stored=torch.bfloat16),
    "storage-shards": storage(sharded),
    "storage-torch": storage(as_torch_file),
    "storage-torch-shards": storage(as_torch_shards, torch.bfloat16),
}


def tokenizer():
    pieces = tokenizers.models.WordPiece({word: i for i, word in enumerate(WORDS)},
                                         unk_token="[UNK]")
    whole = tokenizers.Tokenizer(pieces)
    whole.normalizer = tokenizers.normalizers.BertNormalizer()
    whole.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    whole.decoder = tokenizers.decoders.WordPiece()
    whole.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=whole, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]")


def representable(tensor):
    """Rounded to what float32, float16 and bfloat16 all hold exactly."""
    return tensor.bfloat16().half().float()


def fill(model, seed):
    """Random weights that let every part of the model show in its answer."""
    torch.manual_seed(seed)
    for name, weight in sorted(model.named_parameters()):
        if weight.dim() == 1:
            norm = name.endswith("weight")
            values = (1 if norm else 0) + 0.2 * torch.randn(weight.shape)
        elif "embeddings" in name or "embed_tokens" in name:
            values = 0.7 * torch.randn(weight.shape)
        else:
            values = torch.randn(weight.shape) * 1.3 / math.sqrt(weight.shape[1])
        weight.data.copy_(representable(values))


def build(case, folder, seed):
    """Saves the model as the libraries do."""
    with tempfile.TemporaryDirectory() as body:
        model = getattr(transformers, case.architecture)(case.config)
        fill(model, seed)
        model.to(case.stored)
        target = folder if case.modules is None else body
        model.save_pretrained(target)
        tokenizer().save_pretrained(target)
        if case.modules is not None:
            torch.manual_seed(seed + 1)
            modules = [Transformer(body, transformer_task=case.task,
                                   model_kwargs={"dtype": case.stored}), *case.modules()]
            for module in modules[1:]:
                for weight in module.parameters():
                    weight.data.copy_(representable(2 * weight.data))
            whole = SparseEncoder if case.task == MLM else SentenceTransformer
            whole(modules=modules, device="cpu").save_pretrained(
                str(folder), create_model_card=False)
            if case.architecture == "BertForPreTraining":  # With all that its files come with.
                model.save_pretrained(folder)


class Pipeline:
    """The folder as the libraries load and run it, its body and heads of tokens in `dtype`."""

    def __init__(self, folder, case, dtype):
        exact = torch.float64 if dtype == torch.float64 else torch.float32
        keys = {"dtype": dtype, "attn_implementation": "eager"}
        if case.modules is None:
            load = getattr(transformers, case.architecture).from_pretrained
            self.model, self.modules = load(folder, **keys).eval(), None
        else:
            whole = SparseEncoder if case.task == MLM else SentenceTransformer
            self.modules = list(whole(str(folder), device="cpu", model_kwargs=keys).eval())
            for module in self.modules[1:]:
                of_tokens = getattr(module, "module_input_name", "") == "token_embeddings"
                module.to(dtype if of_tokens and isinstance(module, Dense) else exact)
        self.case, self.exact = case, exact
        self.is_colbert = bool(self.modules) and not any(
            isinstance(module, (Pooling, SpladePooling)) for module in self.modules)

    @torch.no_grad()
    def run(self, entry):
        features = {"input_ids": torch.tensor([entry["input_ids"]])}
        features["attention_mask"] = torch.ones_like(features["input_ids"])
        if "token_type_ids" in entry:
            features["token_type_ids"] = torch.tensor([entry["token_type_ids"]])
        if self.modules is None:
            return {"scores": self.scores(features)}
        if entry.get("prompt_tokens_left_out_of_pooling"):
            features["prompt_length"] = entry["prompt_tokens_left_out_of_pooling"]
        features = self.modules[0](features)
        outputs = {}
        if self.case.tokens and features["input_ids"].shape[1] <= TOKENS_MOST:
            outputs["tokens"] = features["token_embeddings"][0]
        for module in self.modules[1:]:
            if not (self.is_colbert and isinstance(module, Dense)):
                features["token_embeddings"] = features["token_embeddings"].to(self.exact)
            features = module(features)
        if self.is_colbert:
            outputs["colbert"] = torch.nn.functional.normalize(
                features["token_embeddings"][0].to(self.exact), dim=-1)
        else:
            name = "sparse" if self.case.task == MLM else "dense"
            outputs[name] = features["sentence_embedding"][0]
        return outputs

    def scores(self, features):
        if self.case.architecture == "Qwen3ForCausalLM":
            logits = self.model(**features, logits_to_keep=1).logits[0, -1]
            return (logits[WORDS.index("yes")] - logits[WORDS.index("no")]).reshape(1)
        # The head in float32, as it runs once for a sequence.
        classifier = {"BertForSequenceClassification": ["bert.pooler", "classifier"],
                      "DistilBertForSequenceClassification": ["pre_classifier", "classifier"],
                      "ModernBertForSequenceClassification": ["head", "classifier"],
                      "MPNetForSequenceClassification": ["classifier"],
                      "Qwen3ForSequenceClassification": ["score"]}[self.case.architecture]
        hooks = []
        for name in classifier:
            module = self.model.get_submodule(name).to(self.exact)
            hooks.append(module.register_forward_pre_hook(
                lambda _, args: tuple(x.to(self.exact) for x in args)))
        logits = self.model(**features).logits[0]
        for hook in hooks:
            hook.remove()
        return logits


def make_inputs(case, seed):
    generator = torch.Generator().manual_seed(seed)
    special = {0, 1, case.config.pad_token_id}  # RoBERTa and its kin do not count the pad token.
    words = [i for i in range(5, len(WORDS)) if i not in special]
    inputs = []
    for i, length in enumerate(case.lengths):
        chosen = torch.randint(len(words), (length,), generator=generator).tolist()
        entry = {"name": f"len_{length}", "input_ids": [words[j] for j in chosen]}
        if case.types > 1:
            cuts = torch.randint(length + 1, (case.types - 1,), generator=generator).tolist()
            entry["token_type_ids"] = [sum(t >= cut for cut in cuts) for t in range(length)]
        if case.prompt and i % 2 == 1 and length > case.prompt:
            entry["prompt_tokens_left_out_of_pooling"] = case.prompt
        inputs.append(entry)
    return inputs


def largest_difference(some, others):
    """For each output, over all inputs."""
    worst = {}
    for name, outputs in some.items():
        for output, value in outputs.items():
            difference = (value.double() - others[name][output].double()).abs().max().item()
            worst[output] = max(worst.get(output, 0), difference)
    return worst


def write_cases(folder, name, case, inputs):
    results = {}
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        pipeline = Pipeline(folder, case, dtype)
        results[dtype] = {entry["name"]: pipeline.run(entry) for entry in inputs}
    expected = results[torch.float32]
    tensors = {f"{entry}/{output}": value.float().contiguous()
               for entry, outputs in expected.items() for output, value in outputs.items()}
    safetensors.torch.save_file(tensors, folder / "expected.safetensors")
    scale = {}
    for key, value in tensors.items():
        output = key.split("/")[1]
        scale[output] = max(scale.get(output, 0), value.abs().max().item())
    exact = largest_difference(expected, results[torch.float64])
    rounded = largest_difference(expected, results[torch.bfloat16])
    names = [entry["name"] for entry in inputs]
    about = {
        "name": name,
        "model_type": case.config.model_type,
        "made_by": f"torch {torch.__version__.split('+')[0]}, "
        f"transformers {transformers.__version__}",
        "expected_file": "expected.safetensors",
        "scale": scale,
        "noise": {"float32_against_float64": exact, "bfloat16_against_float32": rounded},
        "limits": {"fp32": {key: max(20 * exact[key], 1e-5 * scale[key]) for key in scale},
                   "bf16": {key: 3 * rounded[key] for key in scale}},
        "batches": [names, names[::-1]],
    }
    lines = [f' "{key}": {json.dumps(value)},' for key, value in about.items()]
    rows = ",\n".join("  " + json.dumps(entry) for entry in inputs)
    (folder / "cases.json").write_text(
        "{\n" + "\n".join(lines) + f'\n "inputs": [\n{rows}\n ]\n}}\n', "utf-8")
    print(f"{name:28} {sum(p.stat().st_size for p in folder.rglob('*') if p.is_file()):7} bytes, "
          f"float64 {exact}, bfloat16 {rounded}")


def main():
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    for index, (name, case) in enumerate(CASES.items()):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        folder = ROOT / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        seed = case.seed or 1000 + 10 * index
        build(case, folder, seed)
        if case.edit and not case.late:
            case.edit(folder)
        write_cases(folder, name, case, make_inputs(case, seed))
        if case.edit and case.late:
            case.edit(folder)


if __name__ == "__main__":
    main()
