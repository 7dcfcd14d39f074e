"""Small models as tokenizer.json has them: trained by Hugging Face `tokenizers` on the cases' texts,
or cut from the real vocabularies. Made once, then varied."""
import collections
import copy
import gzip
import json
import pathlib

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import tokenizer_texts

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests/data/tokenizers"
BASES = ("bert", "qwen3", "xlmr")
SPECIALS = ["<unk>", "<s>", "</s>", "<pad>", "<mask>"]
BYTES = ["<0x%02X>" % byte for byte in range(256)]


def base(name):
    return json.loads(gzip.decompress((DATA / (name + ".tokenizer.json.gz")).read_bytes()))


def variants(bases):
    """tokenizer.json of each layout of variants.json."""
    def filled(value, own):
        if value == "$base":
            return own
        if isinstance(value, list):
            return [filled(element, own) for element in value]
        if isinstance(value, dict):
            return {key: filled(member, own) for key, member in value.items()}
        return value

    made = {}
    for name, variant in json.loads((DATA / "variants.json").read_text("utf-8")).items():
        made[name] = dict(bases[variant["base"]])
        for key, value in variant["set"].items():
            made[name][key] = filled(value, made[name].get(key))
    return made


def corpus():
    texts = [json.loads(line)["text"] for name in BASES
             for line in gzip.open(DATA / (name + ".jsonl.gz"), "rt", encoding="ascii")]
    words = tokenizer_texts.WORDS + tokenizer_texts.NUMBERS + tokenizer_texts.CONTRACTIONS
    return [text[:2000] for text in texts] + [" ".join(words)] * 20


def frequent_characters(texts):
    """The texts without rare characters, for which the trainer of Unigram has no limit."""
    frequent = {c for c, _ in collections.Counter("".join(texts)).most_common(1000)}
    return ["".join(filter(frequent.__contains__, text)) for text in texts]


def trained(model, trainer, pre_tokenizer):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(frequent_characters(corpus()), trainer)
    return json.loads(tokenizer.to_str())["model"]


def trained_bpe(pre_tokenizer, specials=SPECIALS, model={}, **options):
    return trained(models.BPE(**model),
                   trainers.BpeTrainer(vocab_size=2500, special_tokens=specials,
                                       show_progress=False, **options), pre_tokenizer)


def cut_bpe(model, merges):
    """The first merges of a byte-level model, its 256 bytes and what the merges make."""
    kept = model["merges"][:merges]
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in kept]
    pieces = sorted(pre_tokenizers.ByteLevel.alphabet()) + [a + b for a, b in pairs]
    return model | {"vocab": {piece: i for i, piece in enumerate(dict.fromkeys(pieces))},
                    "merges": kept}


def make():
    """name → model. The name's first part is its kind."""
    metaspace, words = pre_tokenizers.Metaspace(), pre_tokenizers.BertPreTokenizer()
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    xlmr = base("xlmr")["model"]
    unigram = trained(models.Unigram(), trainers.UnigramTrainer(
        vocab_size=2500, special_tokens=SPECIALS, unk_token="<unk>", show_progress=False), metaspace)
    # The trainer gives special tokens that the texts hold a second time, which Parterre refuses.
    unigram["vocab"] = [[piece, score] for i, (piece, score) in enumerate(unigram["vocab"])
                        if i < len(SPECIALS) or piece not in SPECIALS]
    with_bytes = copy.deepcopy(unigram)
    with_bytes["vocab"] += [[piece, 0.0] for piece in BYTES]
    with_bytes["byte_fallback"] = True
    return {
        "bytes-trained": trained_bpe(byte_level,
                                     initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
        "bytes-cut": cut_bpe(base("qwen3")["model"], 4000),
        "characters-bytes": trained_bpe(metaspace, SPECIALS + BYTES,
                                        {"byte_fallback": True, "unk_token": "<unk>"}),
        "characters-unknown": trained_bpe(metaspace, model={"unk_token": "<unk>"},
                                          limit_alphabet=150),
        "words-suffix": trained_bpe(words, model={"unk_token": "<unk>"},
                                    end_of_word_suffix="</w>"),
        "words-prefix": trained_bpe(words, model={"unk_token": "<unk>"},
                                    continuing_subword_prefix="##"),
        "unigram-trained": unigram,
        "unigram-bytes": with_bytes,
        "unigram-cut": xlmr | {"vocab": xlmr["vocab"][:9000]},
        "pieces-trained": trained(models.WordPiece(unk_token="<unk>"), trainers.WordPieceTrainer(
            vocab_size=2500, special_tokens=SPECIALS, show_progress=False), words),
    }


def varied(r, name, model):
    """A copy of the model `name` with other options, where the library has an answer for all."""
    model = dict(model)
    if model["type"] == "WordPiece":
        model["max_input_chars_per_word"] = r.choice((100, 100, 5, 30))
    if model["type"] != "BPE":
        return model
    model["ignore_merges"] = r.random() < 0.3
    if name.startswith(("characters", "words")):
        model["fuse_unk"] = r.random() < 0.5
        # Without an unknown piece, characters that are no pieces are left out.
        if r.random() < 0.2:
            model["unk_token"] = None
    if r.random() < 0.3:  # Pieces that no merge makes, and other ranks than length suggests.
        merges = [merge for merge in model["merges"] if r.random() < 0.9]
        if r.random() < 0.3:
            r.shuffle(merges)
        model["merges"] = merges
    return model
