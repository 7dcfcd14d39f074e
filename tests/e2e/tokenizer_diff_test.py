"""A slice of scripts/diff_tokenizer.py: a round of each tokenizer, compared with Hugging Face."""

import os

import harness

PYTHON = harness.ROOT / ".cache/python/bin/python"

if __name__ == "__main__":
    if not list(PYTHON.parent.parent.glob("lib/python*/site-packages/tokenizers")):
        harness.skip_program("the tokenizers package is not there; scripts/python_env.sh installs it")
    # One round of each of the 19 tokenizers. make fuzz takes other seeds, and many rounds.
    os.execv(PYTHON, [PYTHON, harness.ROOT / "scripts/diff_tokenizer.py", "--seed", "1", "--round",
                      "100", "--count", str(19 * 200), "--program", harness.PROGRAM])
