#include "text/encode_pool.h"

#include <algorithm>
#include <numeric>

#include "common/check.h"

namespace text {
namespace {

// A few hundredths to tenths of a millisecond: long beside the taking of a slice. Up to the larger
// one, as many as keep the threads from waiting for each other at the end.
constexpr std::size_t kSliceBytesMin = std::size_t{2} << 10, kSliceBytesMax = std::size_t{16} << 10;
constexpr std::size_t kSlicesPerThread = 8;
// What a text costs beside its bytes.
constexpr std::size_t kTextBytes = 32;

}  // namespace

EncodePool::EncodePool(int threads) {
  CHECK(threads >= 0) << threads;
  if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  scratches_.resize(static_cast<std::size_t>(threads));
  for (std::size_t i = 1; i < scratches_.size(); ++i) {
    threads_.emplace_back([this, i] { Run(i); });
  }
}

EncodePool::~EncodePool() {
  {
    const common::MutexLock lock(mutex_);
    stopped_ = true;
  }
  begun_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void EncodePool::ForEach(std::span<const std::size_t> sizes, Work work) {
  Cut(sizes);
  RunSlices([&](std::size_t slice, Scratch& scratch) {
    for (std::size_t i = slices_[slice].begin; i < slices_[slice].end; ++i) work(i, scratch);
  });
}

void EncodePool::Encode(const Tokenizer& tokenizer, std::span<const std::string_view> texts,
                        const EncodeOptions& options, EncodedTexts& encoded) {
  sizes_.clear();
  for (const std::string_view text : texts) sizes_.push_back(text.size());
  Cut(sizes_);
  encoded.places_.resize(texts.size());
  if (encoded.slices_.size() < slices_.size()) encoded.slices_.resize(slices_.size());
  RunSlices([&](std::size_t slice, Scratch& scratch) {
    // Held here while it grows, since the lists of other threads lie beside its own.
    std::vector<int32_t> ids = std::move(encoded.slices_[slice]);
    ids.clear();
    for (std::size_t i = slices_[slice].begin; i < slices_[slice].end; ++i) {
      const std::size_t begin = ids.size();
      tokenizer.Encode(texts[i], options, scratch, ids);
      encoded.places_[i] = {slice, begin, ids.size() - begin};
    }
    encoded.slices_[slice] = std::move(ids);
  });
}

void EncodePool::Cut(std::span<const std::size_t> sizes) {
  const std::size_t all = std::accumulate(sizes.begin(), sizes.end(), kTextBytes * sizes.size());
  const std::size_t most =
      std::clamp(all / (kSlicesPerThread * scratches_.size()), kSliceBytesMin, kSliceBytesMax);
  slices_.clear();
  for (std::size_t begin = 0; begin < sizes.size();) {
    Slice slice = {begin, begin, 0};
    // A text that is a slice by itself does not join one begun before.
    do slice.size += sizes[slice.end++] + kTextBytes;
    while (slice.end < sizes.size() && slice.size + sizes[slice.end] <= most);
    slices_.push_back(slice);
    begin = slice.end;
  }
  std::sort(slices_.begin(), slices_.end(),
            [](const Slice& a, const Slice& b) { return a.size > b.size; });
}

void EncodePool::RunSlices(SliceWork work) {
  next_slice_.store(0, std::memory_order_relaxed);
  {
    const common::MutexLock lock(mutex_);
    work_ = &work;
    ++calls_;
    busy_ = threads_.size();
  }
  begun_.NotifyAll();
  TakeSlices(work, scratches_[0]);
  common::MutexLock lock(mutex_);
  while (busy_ != 0) ended_.Wait(lock);
}

void EncodePool::TakeSlices(SliceWork work, Scratch& scratch) {
  while (true) {
    const std::size_t slice = next_slice_.fetch_add(1, std::memory_order_relaxed);
    if (slice >= slices_.size()) return;
    work(slice, scratch);
  }
}

void EncodePool::Run(std::size_t thread) {
  common::MutexLock lock(mutex_);
  for (std::size_t seen = 0;;) {
    while (!stopped_ && calls_ == seen) begun_.Wait(lock);
    if (stopped_) return;
    seen = calls_;
    const SliceWork work = *work_;
    lock.Unlock();
    TakeSlices(work, scratches_[thread]);
    lock.Lock();
    if (--busy_ == 0) ended_.NotifyOne();
  }
}

}  // namespace text
