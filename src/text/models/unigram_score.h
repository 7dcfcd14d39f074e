#pragma once

namespace text {

/// A score of tokenizer.json as Hugging Face `tokenizers` has it. Its JSON reader (serde_json)
/// takes the digits as an integer and divides by a power of ten, two roundings, so that every
/// fourth of XLM-R's scores is one unit in the last place off: enough to decide between equal ways.
/// `score` is the number rounded once, of which the file had the shortest digits, as all writers of
/// such files write them; finite.
double ScoreFromShortestDigits(double score);

}  // namespace text
