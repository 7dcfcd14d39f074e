"""A model of a real one's shape with random weights: as a model folder, as ONNX, and what PyTorch
makes of some ids with it.

usage: model.py minilm|bert-base FOLDER TOKENIZER_JSON
"""

import json
import pathlib
import shutil
import sys

import numpy
import torch
from shapes import SHAPES
from transformers import BertConfig, BertModel

VOCABULARY = 30522
LENGTH_MAX = 512
INPUTS_OF_REFERENCE = 8  # For `parterre bench --reference`.
# all-MiniLM-L6-v2's and BERT-base's.
SIZES = {
    "minilm": {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12,
               "intermediate_size": 1536},
    "bert-base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                  "intermediate_size": 3072},
}


class MeanPooled(torch.nn.Module):
    """BERT, mean over the tokens, length 1: the whole of a sentence embedding."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask):
        hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1)
        return torch.nn.functional.normalize(mean, dim=-1)


def make_bert(size):
    torch.manual_seed(0)
    config = BertConfig(vocab_size=VOCABULARY, max_position_embeddings=LENGTH_MAX, **SIZES[size])
    return BertModel(config, add_pooling_layer=False).eval()


def write_sentence_transformers(folder, dimensions):
    """The files that say: mean pooling, then normalise."""
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds)
    ]
    pooling = {"word_embedding_dimension": dimensions, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "modules.json").write_text(json.dumps(modules, indent=1))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling, indent=1))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": LENGTH_MAX}))


def export_onnx(model, file):
    ids = torch.randint(0, VOCABULARY, (2, 16))
    axes = {0: torch.export.Dim("batch", max=512), 1: torch.export.Dim("tokens", max=LENGTH_MAX)}
    torch.onnx.export(
        model,
        (ids, torch.ones_like(ids)),
        str(file),
        input_names=["input_ids", "attention_mask"],
        output_names=["sentence_vector"],
        dynamo=True,
        dynamic_shapes={"input_ids": axes, "attention_mask": axes},
    )


def write_reference(model, folder):
    """Ids of every shape, and the vectors that PyTorch makes of them in fp32; of some, as JSON."""
    random = numpy.random.default_rng(0)
    arrays = {}
    for shape in SHAPES:
        ids = random.integers(VOCABULARY // 10, VOCABULARY, (shape.batch, shape.tokens))
        tensor = torch.from_numpy(ids)
        arrays[f"ids {shape}"] = ids
        arrays[f"vectors {shape}"] = model(tensor, torch.ones_like(tensor)).numpy()
    numpy.savez(folder / "reference.npz", **arrays)
    inputs = [
        {"ids": ids.tolist(), "embedding": vector.tolist()}
        for shape in SHAPES
        for ids, vector in zip(arrays[f"ids {shape}"], arrays[f"vectors {shape}"])
    ]
    reference = {"model": folder.name, "inputs": inputs[:INPUTS_OF_REFERENCE]}
    (folder / "reference.json").write_text(json.dumps(reference))


def main(size, folder, tokenizer):
    folder.mkdir(parents=True, exist_ok=True)
    bert = make_bert(size)
    model = MeanPooled(bert).eval()
    bert.save_pretrained(folder)
    shutil.copy(tokenizer, folder / "tokenizer.json")
    write_sentence_transformers(folder, SIZES[size]["hidden_size"])
    with torch.no_grad():
        export_onnx(model, folder / "model.onnx")
        write_reference(model, folder)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in SIZES:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
