#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/mutex.h"
#include "text/tokenizer.h"

namespace text {

/// The ids of many texts, one after the other.
class EncodedTexts {
 public:
  std::size_t size() const { return places_.size(); }
  std::span<const int32_t> operator[](std::size_t text) const {
    const Place& place = places_[text];
    return std::span(slices_[place.slice]).subspan(place.begin, place.size);
  }

 private:
  friend class EncodePool;

  struct Place {
    std::size_t slice = 0, begin = 0, size = 0;
  };
  std::vector<Place> places_;                 // Of each text.
  std::vector<std::vector<int32_t>> slices_;  // As the threads wrote them.
};

/// Threads that encode many texts together, each with a Scratch of its own: for work that nobody
/// waits for text by text. Neighbouring texts are dealt in slices of some KiB, the longest first,
/// so that no thread is left with a long text at the end. One thread at a time may use it.
class EncodePool {
 public:
  /// The caller is one of the `threads`; the others wait until there is work. 0: one for each core.
  explicit EncodePool(int threads);
  ~EncodePool();
  EncodePool(const EncodePool&) = delete;
  EncodePool& operator=(const EncodePool&) = delete;

  int threads() const { return static_cast<int>(scratches_.size()); }

  using Work = absl::FunctionRef<void(std::size_t index, Scratch& scratch)>;
  /// Calls `work` once for each index of `sizes`, which are what each costs, about: bytes of text.
  /// Returns when all are done. Calls of different indices run at once.
  void ForEach(std::span<const std::size_t> sizes, Work work);

  /// Encodes each of `texts`; `encoded`, whose memory is used again, has their ids in this order.
  void Encode(const Tokenizer& tokenizer, std::span<const std::string_view> texts,
              const EncodeOptions& options, EncodedTexts& encoded);

 private:
  /// Indices [begin, end) and what they cost together.
  struct Slice {
    std::size_t begin, end, size;
  };
  using SliceWork = absl::FunctionRef<void(std::size_t slice, Scratch& scratch)>;

  void Cut(std::span<const std::size_t> sizes);
  void RunSlices(SliceWork work);
  void TakeSlices(SliceWork work, Scratch& scratch);
  void Run(std::size_t thread);

  std::vector<Scratch> scratches_;  // The caller's first.
  std::vector<std::size_t> sizes_;
  std::vector<Slice> slices_;  // Of the call under way.
  std::atomic<std::size_t> next_slice_{0};

  common::Mutex mutex_;
  common::ConditionVariable begun_, ended_;
  const SliceWork* work_ ABSL_GUARDED_BY(mutex_) = nullptr;  // Of the call under way.
  std::size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;            // Begun so far.
  // Threads that have not ended the call under way.
  std::size_t busy_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace text
