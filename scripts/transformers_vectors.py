"""Vectors that transformers makes of a model folder's weights, and ids to make them of: what our
engine is compared with. Needs torch, transformers 5.17.0 and numpy."""

import json

import numpy
import torch
import transformers

IDS_OF_SEQUENCE = 16
FIRST_ID = 10  # Special tokens stand before it; XLM-R counts no position for its padding.


def be_quiet():
    """No progress bars, no warnings of what a folder of ours leaves out."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def draw(length, words, random):
    """Ids of a sequence. Means over very many would be all alike: each has a few of its own."""
    few = random.integers(FIRST_ID, words - 1, IDS_OF_SEQUENCE, "<i4")  # check_mask adds 1.
    return random.choice(few, length)


def longest(config):
    """Tokens of the longest sequence that a model has positions for."""
    if "roberta" in config.model_type:
        return config.max_position_embeddings - config.pad_token_id - 1
    return config.max_position_embeddings


def alike(vectors):
    """The largest cosine of two rows of unit length; None of one row."""
    if len(vectors) == 1:
        return None
    return (vectors @ vectors.T)[numpy.triu_indices(len(vectors), k=1)].max()


class Transformer:
    """transformers' model of a folder, with the folder's pooling."""

    def __init__(self, folder, device, dtype):
        config = transformers.AutoConfig.from_pretrained(folder)
        model = transformers.AutoModel.from_pretrained(folder, config=config, dtype=dtype,
                                                       attn_implementation="sdpa")
        self.model = model.to(device).eval()
        self.device = device
        self.pooling = json.loads((folder / "1_Pooling/config.json").read_text("utf-8"))
        # The mask follows config.json; without a mask, each layer goes by a flag of its own.
        self.causal = config.model_type == "qwen3" and getattr(config, "is_causal", True)
        for module in self.model.modules():
            if hasattr(module, "is_causal"):
                module.is_causal = self.causal

    @torch.inference_mode()
    def hidden(self, ids):
        """The last hidden states of sequences of one length."""
        ids = torch.tensor(numpy.stack(ids), dtype=torch.int64, device=self.device)
        arguments = {"use_cache": False} if hasattr(self.model.config, "use_cache") else {}
        return self.model(input_ids=ids, **arguments).last_hidden_state

    def embed(self, sequences):
        """Float32 vectors, of unit length, on the host."""
        vectors = [None] * len(sequences)
        for length in sorted({len(ids) for ids in sequences}):
            rows = [i for i, ids in enumerate(sequences) if len(ids) == length]
            pooled = self.pool(self.hidden([sequences[i] for i in rows]).float())
            pooled = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
            for row, vector in zip(rows, pooled):
                vectors[row] = vector
        return numpy.stack(vectors)

    def pool(self, hidden):
        if self.pooling.get("pooling_mode_cls_token"):
            return hidden[:, 0]
        return hidden[:, -1] if self.pooling.get("pooling_mode_lasttoken") else hidden.mean(1)

    def check_mask(self, ids):
        """Whether tokens see those behind them, as config.json says."""
        first = self.hidden([ids])[0, 0]
        ids = ids.copy()
        ids[-1] += 1
        sees_last = not torch.equal(self.hidden([ids])[0, 0], first)
        if sees_last == self.causal:
            raise SystemExit(f"transformers' mask is not {'causal' if self.causal else 'full'}")
