#include "ivy/job/tokenize_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "ivy/http/cause.h"

namespace ivy {
namespace {

class InputTokenizer {
 public:
  InputTokenizer(const Job& job, std::size_t index, text::Scratch& scratch)
      : job_(job),
        index_(index),
        scratch_(scratch),
        tokenizer_(*job.model->served.tokenizer),
        most_(static_cast<std::size_t>(job.max_length)) {
    options_.max_length = job.truncate ? job.max_length : 0;
    options_.truncation_side = job.side;
    options_.match_special_tokens = !job.model->served.plain_special;
  }

  absl::StatusOr<Sequence> operator()(const std::vector<int32_t>& ids);
  absl::StatusOr<Sequence> operator()(const std::string& text);
  absl::StatusOr<Sequence> operator()(const TextPair& pair);

 private:
  absl::StatusOr<Sequence> FillTemplate(const hub::RerankTemplate& form, const TextPair& pair);
  int PromptTokens(std::size_t tokens, std::size_t kept) const;
  absl::Status CheckLength(std::size_t tokens) const;
  absl::Status Empty() const {
    return Failure(Cause::kEmpty, job_.PathOf(index_), "has no tokens for this model");
  }

  const Job& job_;
  const std::size_t index_;
  text::Scratch& scratch_;
  const text::Tokenizer& tokenizer_;
  const std::size_t most_;
  text::EncodeOptions options_;
};

absl::Status InputTokenizer::CheckLength(std::size_t tokens) const {
  if (tokens <= most_ || job_.truncate) return absl::OkStatus();
  return Failure(
      Cause::kTooLong, job_.PathOf(index_),
      fmt::format("{} tokens, expected at most {} (or truncation allowed)", tokens, most_));
}

absl::StatusOr<Sequence> InputTokenizer::operator()(const std::vector<int32_t>& ids) {
  RETURN_IF_ERROR(CheckLength(ids.size()));
  const std::size_t excess = ids.size() - std::min(ids.size(), most_);
  const bool right = job_.side == text::TruncationSide::kRight;
  const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(right ? 0 : excess);
  const auto end = ids.end() - static_cast<std::ptrdiff_t>(right ? excess : 0);
  return Sequence{.ids = {begin, end}, .type_ids = {}, .prompt_tokens = 0};
}

absl::StatusOr<Sequence> InputTokenizer::operator()(const std::string& text) {
  Sequence sequence;
  const Prompt* prompt = job_.prompt.get();
  const std::string prompted = prompt == nullptr ? std::string() : prompt->text + text;
  const std::size_t tokens =
      tokenizer_.Encode(prompt == nullptr ? text : prompted, options_, scratch_, sequence.ids);
  RETURN_IF_ERROR(CheckLength(tokens));
  if (sequence.ids.empty()) return Empty();
  if (prompt != nullptr) sequence.prompt_tokens = PromptTokens(tokens, sequence.ids.size());
  return sequence;
}

/// What is left of the prompt's tokens among the `kept` of all; pooling needs one behind them.
int InputTokenizer::PromptTokens(std::size_t tokens, std::size_t kept) const {
  int left = job_.prompt->tokens;
  if (tokens > most_ && job_.side == text::TruncationSide::kLeft) {
    left -= static_cast<int>(std::min(tokens - most_, std::size_t{1} << 30));
  }
  return std::clamp(left, 0, static_cast<int>(kept) - 1);
}

absl::StatusOr<Sequence> InputTokenizer::operator()(const TextPair& pair) {
  const auto& form = job_.model->folder().rerank_template;
  if (form) return FillTemplate(*form, pair);
  Sequence sequence;
  const absl::StatusOr<std::size_t> tokens = tokenizer_.EncodePair(
      *pair.first, pair.second, options_, scratch_, sequence.ids, sequence.type_ids);
  if (!tokens.ok()) {
    return Failure(Cause::kTooLong, job_.PathOf(index_), std::string(tokens.status().message()));
  }
  RETURN_IF_ERROR(CheckLength(*tokens));
  if (sequence.ids.empty()) return Empty();
  if (job_.model->info().type_vocabulary_size <= 1) sequence.type_ids.clear();
  return sequence;
}

absl::StatusOr<Sequence> InputTokenizer::FillTemplate(const hub::RerankTemplate& form,
                                                      const TextPair& pair) {
  const TemplateIds& ends = job_.model->template_ids;
  const int fixed = job_.model->FixedTokens(/*pair=*/true);
  options_.add_special_tokens = false;
  if (job_.truncate) options_.max_length = job_.max_length - fixed;
  Sequence sequence;
  sequence.ids = ends.prefix;
  const std::size_t body = tokenizer_.Encode(form.Body(job_.instruction, *pair.first, pair.second),
                                             options_, scratch_, sequence.ids);
  RETURN_IF_ERROR(CheckLength(body + static_cast<std::size_t>(fixed)));
  sequence.ids.insert(sequence.ids.end(), ends.suffix.begin(), ends.suffix.end());
  return sequence;
}

}  // namespace

absl::StatusOr<Sequence> TokenizeInput(const Job& job, std::size_t index, text::Scratch& scratch) {
  try {
    return std::visit(InputTokenizer(job, index, scratch), job.inputs[index]);
  } catch (const std::bad_alloc&) {
    return Failure(Cause::kOverloaded, "out of memory, try again later");
  }
}

}  // namespace ivy
