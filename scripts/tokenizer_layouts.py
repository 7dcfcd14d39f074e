"""Random layouts of tokenizer.json: as well-known families have them, and of parts thrown together."""
from tokenizers import Tokenizer

import json

import golden_pre_tokenizers as splits
import golden_text_parts as forms
from tokenizer_texts import text

CONTENTS = ("<x>", "<xy", "hello", "é", "Ab", "a b", "漢", "[SEP]]", "ing", "[", "_q_", "\u0301n",
            "the", " the", "  ", "\n", "<|user|>", "İ", "ﬁ", "각", "▁", "▁a", "\u0120", "1", "'s",
            "👍", "<X>", "Ж", "</s> ")


def named(kind, **options):
    return {"type": kind, **options}


def added_token(r, content, id, special=None):
    flags = {flag: r.random() < 0.3 for flag in ("normalized", "lstrip", "rstrip", "single_word")}
    return {"id": id, "content": content,
            "special": r.random() < 0.4 if special is None else special, **flags}


def pieces_of(model):
    vocabulary = model["vocab"]
    if isinstance(vocabulary, list):
        return {piece: id for id, (piece, _) in enumerate(vocabulary)}
    return vocabulary


def normal_form(normalizer, content):
    if normalizer is None:
        return content
    made = json.loads(forms.tokenizer(normalizer=normalizer).to_str())
    return Tokenizer.from_str(json.dumps(made)).normalizer.normalize_str(content)


def added_tokens(r, config, contents, special=None):
    """Added tokens with random flags. Two with one normal form, or one that is normalized to
    nothing, are refused by Parterre and not made (the library refuses some of these itself)."""
    ids = pieces_of(config["model"])
    tokens, normal_forms, next_id = [], {""}, len(ids)
    for content in contents:
        token = added_token(r, content, ids.get(content, next_id), special)
        form = normal_form(config["normalizer"], content)
        if form in normal_forms:
            continue
        normal_forms.add(form)
        next_id += content not in ids
        tokens.append(token)
    return tokens


def random_template(r, ids):
    """TemplateProcessing with A once in `single`, A and B once each in `pair`: what Parterre takes."""
    names = r.sample(sorted(ids), min(3, len(ids)))
    tokens = {"t%d" % i: {"id": "t%d" % i, "ids": [ids[name]] * r.choice((1, 1, 2)),
                          "tokens": [name] * 2} for i, name in enumerate(names)}
    for token in tokens.values():
        token["tokens"] = token["tokens"][:len(token["ids"])]

    def pieces(texts):
        made = [{"Sequence": {"id": name, "type_id": r.randint(0, 2)}} for name in texts]
        for name in tokens:
            if r.random() < 0.6:
                made.insert(r.randint(0, len(made)),
                            {"SpecialToken": {"id": name, "type_id": r.randint(0, 2)}})
        return made

    return named("TemplateProcessing", single=pieces("A"), pair=pieces("AB"), special_tokens=tokens)


def post_processor(r, model):
    """Unigram writes an unknown piece as it stands in the text, blanks included; Parterre trims no
    such piece (no model has both): no trimming there. Nor are offsets trimmed twice."""
    ids = pieces_of(model)
    pairs = [[name, ids[name]] for name in r.sample(sorted(ids), 2)]
    offsets = {"trim_offsets": model["type"] != "Unigram" and r.random() < 0.5,
               "add_prefix_space": r.random() < 0.5}
    byte_level = named("ByteLevel", use_regex=True, **offsets)
    templates = (random_template(r, ids), named("BertProcessing", sep=pairs[0], cls=pairs[1]),
                 named("RobertaProcessing", sep=pairs[0], cls=pairs[1], **offsets))
    kind = r.randrange(6)
    if kind == 0:
        return None
    if kind == 1:
        return byte_level
    if kind == 2:
        return named("Sequence", processors=[byte_level, r.choice(templates[:2])])
    return r.choice(templates)


def sentencepiece_space(r):
    """Spaces as Llama's and Gemma's converters write them, in either of the ways used."""
    replace = forms.replace("String", " ", "\u2581")
    kind = r.randrange(4)
    if kind == 0:
        return forms.sequence("normalizers", named("Prepend", prepend="\u2581"), replace), None
    if kind == 1:
        return replace, splits.split(" ", "MergedWithPrevious", False, "String")
    if kind == 2:
        return None, splits.metaspace(r.choice(("always", "first", "never")), r.random() < 0.5)
    return r.choice((forms.FORMS[0], forms.FORMS[2], None)), splits.metaspace("first", False)


def family(r, kind, charsmap):
    """normalizer and pre-tokenizer as models of this kind come with."""
    if kind == "bytes":
        pattern = r.choice((splits.QWEN2, splits.QWEN35, splits.LLAMA3, splits.GPT2))
        split = splits.sequence(splits.split(pattern), splits.byte_level(False, False))
        return (r.choice((None, None, forms.FORMS[0])),
                r.choice((split, splits.byte_level(r.random() < 0.5, True))))
    if kind == "characters":
        return sentencepiece_space(r)
    if kind == "unigram":
        strip = forms.strip(False, True)
        spaces = forms.replace("Regex", " {2,}", r.choice((" ", "\u2581")))
        return r.choice((
            (charsmap, splits.sequence(splits.WORDS, splits.metaspace())),
            (forms.sequence("normalizers", charsmap, strip, spaces), splits.metaspace()),
            (forms.sequence("normalizers", forms.NMT, forms.FORMS[2], spaces),
             splits.metaspace(r.choice(("first", "always")))),
            sentencepiece_space(r)))
    bert = forms.bert(*(r.random() < 0.7 for _ in range(2)), r.choice((None, True, False)),
                      r.random() < 0.6)
    clip = forms.sequence("normalizers", forms.FORMS[0], forms.replace("Regex", "\\s+", " "),
                          forms.LOWER)
    return r.choice((bert, clip, None)), r.choice(
        (named("BertPreTokenizer"), named("Whitespace"), splits.WORDS, None))


def thrown_together(r, kind, charsmap):
    """Parterre refuses WordPiece behind ByteLevel and Metaspace: not made."""
    pre_tokenizers = [part for part in splits.SCANNED + splits.PLAIN + splits.PATTERNS
                      if kind != "pieces" or not
                      ("ByteLevel" in json.dumps(part) or "Metaspace" in json.dumps(part))]
    return r.choice(forms.NORMALIZERS + [charsmap, None]), r.choice(pre_tokenizers + [None])


def make(r, name, model, charsmap):
    """A tokenizer.json around the model `name`."""
    kind = name.split("-")[0]
    normalizer, pre_tokenizer = (family(r, kind, charsmap) if r.random() < 0.7
                                 else thrown_together(r, kind, charsmap))
    config = {"version": "1.0", "truncation": None, "padding": None, "normalizer": normalizer,
              "pre_tokenizer": pre_tokenizer, "decoder": None, "model": model}
    config["post_processor"] = post_processor(r, model)
    specials = [piece for piece in ("<s>", "</s>", "<pad>", "<mask>") if r.random() < 0.7]
    extra = r.sample(CONTENTS, r.choice((0, 0, 1, 3, 8)))
    extra += [text(r)[:6].strip() or "<y>" for _ in range(r.choice((0, 0, 2)))]
    config["added_tokens"] = added_tokens(r, config, dict.fromkeys(specials + extra))
    return config
