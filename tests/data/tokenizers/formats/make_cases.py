#!/usr/bin/env python3
"""Writes a folder for each case: the files of a made-up tokenizer without tokenizer.json, and
expected.json, the tokenizer.json that transformers makes of them.

usage: make_cases.py (needs transformers 5.17, tokenizers 0.23, sentencepiece 0.2, protobuf)
"""
import json
import pathlib
import shutil
import tempfile

import sentencepiece
from transformers import AutoTokenizer

FOLDER = pathlib.Path(__file__).resolve().parent
BERT = "[PAD] [UNK] [CLS] [SEP] [MASK] the a ##b ##c hello world é e b c".split()
MPNET = "<s> <pad> </s> <unk> [UNK] the a ##b ##c hello world b <mask>".split()
MERGES = ("h e", "l l", "he ll", "hell o", "Ġ w", "Ġw o")
TEXT = """the quick brown fox jumps over the lazy dog
a tokenizer cuts the text of a word into the pieces that it knows
other words are cut into other pieces, and the others are not cut at all
she sells sea shells on the sea shore; the shells that she sells are sea shells"""


def token(content, **flags):
    plain = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    return {"content": content, **plain, **flags}


def byte_level():
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *"helowrd", "Ġ", *("".join(m.split()) for m in MERGES)]
    pieces += ["<mask>", "<|endoftext|>"]
    return {
        "vocab.json": json.dumps({piece: i for i, piece in enumerate(pieces)}, ensure_ascii=False),
        "merges.txt": "#version: 0.2\n" + "\n".join(MERGES) + "\n",
    }


def sentencepiece_model(**options):
    with tempfile.TemporaryDirectory() as folder:
        text, rules = pathlib.Path(folder) / "text", pathlib.Path(folder) / "rules"
        text.write_text(TEXT)
        rules.write_text("C5\t41 30A\nA0\t20\nFF21\t41\nFB01\t66 69\n")
        if options.get("model_type") == "unigram":
            options["normalization_rule_tsv"] = str(rules)
        sentencepiece.SentencePieceTrainer.train(
            input=str(text),
            model_prefix=folder + "/m",
            minloglevel=2,
            hard_vocab_limit=False,
            **options,
        )
        return (pathlib.Path(folder) / "m.model").read_bytes()


def cases():
    bert, mpnet = "\n".join(BERT) + "\n", "\n".join(MPNET) + "\n"
    fairseq = {"model_type": "unigram", "vocab_size": 60, "unk_id": 0, "bos_id": 1, "eos_id": 2}
    unigram = sentencepiece_model(pad_id=-1, **fairseq)
    t5 = sentencepiece_model(
        model_type="unigram", vocab_size=60, pad_id=0, eos_id=1, unk_id=2, bos_id=-1
    )
    bpe = {"model_type": "bpe", "vocab_size": 70, "normalization_rule_name": "identity"}
    llama = sentencepiece_model(unk_id=0, bos_id=1, eos_id=2, pad_id=-1, **bpe)
    symbols = {"user_defined_symbols": ["<mask>", "\n", "\n\n"], "add_dummy_prefix": False}
    gemma = sentencepiece_model(pad_id=0, eos_id=1, bos_id=2, unk_id=3, **symbols, **bpe)
    new = token("[NEW]", normalized=True, rstrip=True, single_word=True, special=False)
    decoder = {"0": token("[PAD]", special=True), "15": new}
    turns = [token(t, special=True) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")]
    mask = token("<mask>", __type="AddedToken", lstrip=True, normalized=True)
    return {
        "bert": (
            {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "strip_accents": True},
            {"vocab.txt": bert.replace("\n", "\r\n")},
        ),
        "bert-tokens": (
            {
                "tokenizer_class": "BertTokenizerFast",
                "tokenize_chinese_chars": False,
                "added_tokens_decoder": decoder,
                "additional_special_tokens": ["[X]", "[Y]"],
                "cls_token": "the",
                "mask_token": None,
            },
            {"vocab.txt": bert},
        ),
        "distilbert": ({"tokenizer_class": "DistilBertTokenizer"}, {"vocab.txt": bert}),
        "mpnet": ({"tokenizer_class": "MPNetTokenizer"}, {"vocab.txt": mpnet}),
        "xlm-roberta": (
            {"tokenizer_class": "XLMRobertaTokenizer", "mask_token": mask},
            {"sentencepiece.bpe.model": unigram},
        ),
        "camembert": (
            {"tokenizer_class": "CamembertTokenizer"},
            {"sentencepiece.bpe.model": unigram},
        ),
        "t5": ({"tokenizer_class": "T5TokenizerFast", "extra_ids": 3}, {"spiece.model": t5}),
        "llama": (
            {
                "tokenizer_class": "LlamaTokenizer",
                "add_bos_token": True,
                "add_eos_token": True,
                "legacy": None,
                "pad_token": "<pad>",
            },
            {"tokenizer.model": llama},
        ),
        "llama-legacy": (
            {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "legacy": True},
            {"tokenizer.model": llama},
        ),
        "gemma": ({"tokenizer_class": "GemmaTokenizer"}, {"tokenizer.model": gemma}),
        "gpt2": (
            {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "add_prefix_space": True},
            byte_level(),
        ),
        "roberta": (
            {"tokenizer_class": "RobertaTokenizer", "trim_offsets": False, "mask_token": mask},
            byte_level(),
        ),
        "qwen2": (
            {
                "tokenizer_class": "Qwen2Tokenizer",
                "eos_token": "<|im_end|>",
                "unk_token": None,
                "added_tokens_decoder": {str(19 + i): t for i, t in enumerate(turns)},
            },
            byte_level(),
        ),
    }


def main():
    for name, (settings, files) in cases().items():
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "tokenizer_config.json").write_text(json.dumps(settings) + "\n")
        for file, content in files.items():
            (folder / file).write_bytes(content.encode() if isinstance(content, str) else content)
        made = json.loads(AutoTokenizer.from_pretrained(folder).backend_tokenizer.to_str())
        text = json.dumps(made, separators=(",", ":"), sort_keys=True)
        (folder / "expected.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
