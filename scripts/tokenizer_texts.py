"""A grammar of texts that tokenizers trip over: marks, joiners, blanks, controls, long runs, mixed
scripts, and what special tokens look like."""

MARKS = ((0x300, 0x36F), (0x483, 0x489), (0x591, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F),
         (0x93C, 0x94D), (0xE31, 0xE4E), (0xF71, 0xF84), (0x135D, 0x135F), (0x1AB0, 0x1ACE),
         (0x1DC0, 0x1DFF), (0x20D0, 0x20F0), (0x302A, 0x302F), (0x3099, 0x309A),
         (0xFE20, 0xFE2F), (0x1D165, 0x1D172), (0x1E8D0, 0x1E8D6), (0x1E944, 0x1E94A))
SCRIPTS = ((0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x52F), (0x5D0, 0x6FF), (0x900, 0xDFF),
           (0xE00, 0xFFF), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x2BFF), (0x3000, 0x33FF),
           (0x3400, 0x3500), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF),
           (0xFB00, 0xFFFD), (0x10000, 0x105FF), (0x1D000, 0x1D7FF), (0x1F000, 0x1FAFF),
           (0x20000, 0x20100), (0x2B800, 0x2B940), (0x2F800, 0x2FA1D), (0xE0000, 0xE01EF),
           (0xF0000, 0xF0010), (0x10FFF0, 0x10FFFF))
ASCII, ANYTHING = ((0, 0x7F),), ((0, 0x10FFFF),)
BLANKS = " \t\n\r\v\f\u0085\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\u2581"
CONTROLS = ("\0\x01\x1b\x1c\x1f\x7f\x80\x9f\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060"
            "\ufeff\ufff9\ufffd\ue000")
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡«»‐–—‘’“”„†•…‰′‹›、。「」！？"
CASED = "İIıſßẞΣςσǅÅKΩŒǰΐﬁԱ\u1e9e\u10a0\u13a0\U00010400\ua64a\u1c90"
SPECIALS = ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]", "[cls]", "[SE\u0301P]", "[SEP", "SEP]",
            "[[SEP]]", "[MASK][MASK]", " [SEP] ", "##ing", "##", "[SE\0P]", "<s>", "</s>", "<unk>",
            "<pad>", "<mask>", " <mask> ", "<MASK>", "<s", "</s></s>", "<|endoftext|>",
            "<|im_start|>", "<|im_end|>", "<|im_start", "<think>", "</think>", "<tool_call>",
            "<|ENDOFTEXT|>", "<0x0A>", "<0xE2>", "\u2581<s>", "\u0120the")
CONTRACTIONS = ("'s", "'S", "'t", "'re", "'RE", "'ve", "'m", "'ll", "'Ll", "'d", "'D", "'x", "''s",
                "'\u017f", "'l", "’s", "I'm", "we'd've", "it'S", " 's", "don't", "rock'n'roll")
NUMBERS = ("0", "7", "42", "007", "12345678", "3.14", "1,234,567.89", "-1e-9", "0x7f", "½", "²³",
           "Ⅷ", "٣٤", "०१२", "𝟘𝟙", "①②", "1st", "v2.0.1")
WORDS = ("the", "Hello", "unaffable", "tokenization", "Internationalization", "naïve", "Straße",
         "e\u0301te\u0301", "привет", "ПРИВЕТ", "ЙЁ", "Việt", "漢字", "北京天安门", "ひらがな", "ガ",
         "カ\u3099", "한국어", "각", "\u1112\u1161\u11ab", "שלום", "مرحبا", "नमस्ते", "ไทย",
         "👩‍👩‍👧", "🇩🇪", "👍🏽", "e=mc²", "C++", "…", "--", "''", "==>", "//", "http://a.bc/d?e=f",
         "camelCaseName", "snake_case_name", "x\u00a0y", "SGVsbG8gV29ybGQh", "\r\n", "\n\n  ",
         "    ", "\t\tif", "};\n", "¿Qué?", "l’été", "``x''", "ab", "aba", "a b")
RUN_OF = "aZ-[_=.' \n\u0301\u0334\u302eㅏ漢\u200d😀9é\u2581\ufffd"


def pick(r, ranges):
    first, last = r.choice(ranges)
    while True:
        c = r.randint(first, last)
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def several(r, ranges, most):
    return "".join(pick(r, ranges) for _ in range(r.randint(1, most)))


def piece(r, added):
    kind = r.randrange(18)
    if kind <= 3:
        return r.choice(WORDS)
    if kind == 4:
        return r.choice(BLANKS) * r.randint(1, 3)
    if kind == 5:
        return r.choice(CONTROLS)
    if kind == 6:
        return r.choice(added or SPECIALS) if r.random() < 0.7 else r.choice(SPECIALS)
    if kind == 7:
        return several(r, MARKS, 6)
    if kind == 8:
        return pick(r, SCRIPTS)
    if kind == 9:
        return several(r, SCRIPTS, 8)
    if kind == 10:
        return r.choice(CASED)
    if kind == 11:
        return pick(r, ANYTHING)
    if kind == 12:
        return r.choice(PUNCTUATION)
    if kind == 13:
        return r.choice(CONTRACTIONS)
    if kind == 14:
        return r.choice(NUMBERS)
    if kind == 15:
        return several(r, ASCII, 12)
    if kind == 16:
        return several(r, ((0x61, 0x7A),), 9)
    return r.choice((r.choice(RUN_OF), r.choice(WORDS))) * r.randint(1, 120)


def text(r, added=()):
    """A random text; `added` are contents of added tokens, which then are frequent."""
    joiner = r.choice(("", "", " "))
    size = r.randint(0, 14) if r.random() < 0.97 else r.randint(100, 400)
    return joiner.join(piece(r, added) for _ in range(size))
