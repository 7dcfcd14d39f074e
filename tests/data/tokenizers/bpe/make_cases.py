#!/usr/bin/env python3
"""Makes cases.jsonl.gz: small vocabularies of model type BPE and what Hugging Face `tokenizers`
makes of words under them.

usage: make_cases.py    (needs tokenizers 0.23.3)

One JSON object a line: `name`, `form` (how pieces stand in words: plain, byte_level or metaspace),
`model` (as in tokenizer.json) and `cases`: lists of the word's bytes in hexadecimal, the ids, and
the tokens' places as numbers begin, end, begin, end, …, in bytes of the word.
"""
import copy
import gzip
import json
import random
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

HERE = Path(__file__).resolve().parent
SPACE = "\u2581"
WORDS = 120


def written_bytes():
    """The character that GPT-2 writes for each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable},
            **{byte: chr(256 + i) for i, byte in enumerate(others)}}


WRITTEN = written_bytes()


def texts():
    with gzip.open(HERE.parent / "bert.jsonl.gz", "rt") as lines:
        return [json.loads(line)["text"][:400] for line in lines]


def train(corpus, pre_tokenizer, **options):
    tokenizer = Tokenizer(models.BPE(unk_token=options.pop("unk_token", None)))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(show_progress=False, **options))
    return json.loads(tokenizer.to_str())["model"]


def written(word, form):
    """The word as the library gets it, and for each byte of that its place in the word's bytes:
    (first, end) of the whole character where it is written otherwise."""
    text, places = "", []
    if form == "byte_level":
        for at, byte in enumerate(word):
            text += WRITTEN[byte]
            places += [(at, at + 1)] * len(WRITTEN[byte].encode())
        return text, places
    at = 0
    for character in word.decode():
        size = len(character.encode())
        if form == "metaspace" and character == " ":
            text += SPACE
            places += [(at, at + 1)] * len(SPACE.encode())
        else:
            text += character
            places += [(at + i, at + i + 1) for i in range(size)]
        at += size
    return text, places


def case(tokenizer, word, form):
    text, places = written(word, form)
    ids, spans = [], []
    for token in tokenizer.model.tokenize(text):
        begin, end = token.offsets
        ids.append(token.id)
        spans += [places[begin][0] if begin < len(places) else len(word),
                  places[end - 1][1] if end <= len(places) else len(word)]
    return [word.hex(), ids, spans]


def words(rng, form, pieces, real):
    """Real words, pieces put together, runs, and bytes or characters at random."""
    def as_word(piece):
        if form == "byte_level":
            back = {c: byte for byte, c in WRITTEN.items()}
            return bytes(back[c] for c in piece if c in back)
        return piece.replace(SPACE, " " if form == "metaspace" else SPACE).encode()

    def any_text(size):
        if form == "byte_level":
            return bytes(rng.randrange(256) for _ in range(size))
        ranges = [(0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x17F), (0x4E00, 0x4E40), (0x1F600, 0x1F610)]
        return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(size)).encode()

    for i in range(WORDS):
        kind = i % 6
        if kind < 2:
            yield rng.choice(real)
        elif kind == 2:
            yield b"".join(as_word(rng.choice(pieces)) for _ in range(rng.randint(1, 4)))
        elif kind == 3:
            yield as_word(rng.choice(pieces)[:rng.randint(1, 3)]) * rng.randint(1, 20)
        elif kind == 4:
            yield any_text(rng.randint(1, 12))
        else:
            start = rng.choice(real).decode()[:rng.randint(1, 4)].encode()
            yield start + any_text(2) + rng.choice(real)


def real_words(corpus, form):
    """As a pre-tokenizer would cut them, and some longer ones."""
    found = set()
    for text in corpus:
        parts = text.split(" ")
        for i, part in enumerate(parts):
            for word in (part, " " + part, " ".join(parts[i:i + 4])):
                if form == "plain":
                    word = word.replace(" ", SPACE)
                if 0 < len(word) < 80:
                    found.add(word.encode())
    return sorted(found)


def changed(model, **keys):
    return {**copy.deepcopy(model), **keys}


def shuffled(model, rng):
    """The same merges in disorder, and some of them twice."""
    merges = copy.deepcopy(model["merges"])
    merges += rng.choices(merges, k=30)
    rng.shuffle(merges)
    return changed(model, merges=merges)


def with_pieces(model, pieces, merges=()):
    vocab = dict(model["vocab"])
    for piece in pieces:
        vocab.setdefault(piece, len(vocab))
    return changed(model, vocab=vocab, merges=[*model["merges"], *merges])


def layouts(corpus, rng):
    byte_pieces = [f"<0x{byte:02X}>" for byte in range(256)]
    byte_level = train(corpus, pre_tokenizers.ByteLevel(add_prefix_space=False), vocab_size=800,
                       initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    yield "byte-level", "byte_level", byte_level
    few = train(corpus, pre_tokenizers.ByteLevel(add_prefix_space=False), vocab_size=300,
                limit_alphabet=60)
    yield "bytes-missing", "byte_level", few
    yield "bytes-unknown", "byte_level", with_pieces(changed(few, unk_token="<unk>"), ["<unk>"])
    yield "ignore-merges", "byte_level", with_pieces(
        changed(byte_level, ignore_merges=True), ["Ġthat's", "qqqq", "Ġ" * 40])
    yield "strings", "byte_level", changed(
        byte_level, merges=["#version: 0.2", *map(" ".join, byte_level["merges"])])
    yield "disorder", "byte_level", shuffled(byte_level, rng)

    spaced = [(SPACE + text).replace(" ", SPACE) for text in corpus]
    llama = train(spaced, pre_tokenizers.Split(SPACE, "merged_with_next"), vocab_size=900,
                  unk_token="<unk>", special_tokens=["<unk>", "<s>", "</s>", *byte_pieces],
                  limit_alphabet=120)
    llama = changed(llama, byte_fallback=True, fuse_unk=True)
    yield "llama", "plain", llama
    yield "llama-metaspace", "metaspace", llama
    yield "disorder-llama", "plain", shuffled(llama, rng)
    without = {piece: i for i, piece in enumerate(
        piece for piece in llama["vocab"] if not piece.startswith("<0xE"))}
    yield "some-bytes-fused", "plain", changed(llama, vocab=without)
    yield "some-bytes", "metaspace", changed(llama, vocab=without, fuse_unk=False)
    no_space = {piece: i for i, piece in enumerate(
        piece for piece in llama["vocab"] if SPACE not in piece)}
    no_space_merges = [merge for merge in llama["merges"] if SPACE not in "".join(merge)]
    yield "no-space", "metaspace", changed(llama, vocab=no_space, merges=no_space_merges)
    yield "byte-merges", "plain", with_pieces(
        llama, ["<0xE4><0xB8>", "a<0xC3>"], [["<0xE4>", "<0xB8>"], ["a", "<0xC3>"]])

    characters = train(corpus, pre_tokenizers.WhitespaceSplit(), vocab_size=600,
                       unk_token="[UNK]", special_tokens=["[UNK]"], limit_alphabet=70)
    yield "unknown", "plain", characters
    yield "unknown-fused", "plain", changed(characters, fuse_unk=True)
    yield "left-out", "plain", changed(characters, unk_token=None)
    yield "unknown-merges", "plain", with_pieces(
        characters, ["[UNK][UNK]", "e[UNK]"], [["[UNK]", "[UNK]"], ["e", "[UNK]"]])
    affixes = train(corpus, pre_tokenizers.WhitespaceSplit(), vocab_size=700, unk_token="[UNK]",
                    special_tokens=["[UNK]"], limit_alphabet=60, continuing_subword_prefix="##",
                    end_of_word_suffix="</w>")
    yield "affixes", "plain", changed(affixes, continuing_subword_prefix="##",
                                      end_of_word_suffix="</w>")
    suffix = train(corpus, pre_tokenizers.ByteLevel(add_prefix_space=False), vocab_size=900,
                   initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), end_of_word_suffix="</w>")
    yield "suffix", "byte_level", changed(suffix, end_of_word_suffix="</w>")


def main():
    corpus = texts()
    rng = random.Random(4)
    with gzip.GzipFile(HERE / "cases.jsonl.gz", "wb", mtime=0) as out:
        for name, form, model in layouts(corpus, rng):
            tokenizer = Tokenizer.from_str(json.dumps({"version": "1.0", "model": model}))
            pieces = [p for p in model["vocab"] if not p.startswith("<")]
            cases = [case(tokenizer, word, form)
                     for word in words(rng, form, pieces, real_words(corpus, form)) if word]
            line = {"name": name, "form": form, "model": model, "cases": cases}
            out.write((json.dumps(line) + "\n").encode())
            print(name, len(model["vocab"]), len(model["merges"]), len(cases))


main()
