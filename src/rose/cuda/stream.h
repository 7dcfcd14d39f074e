#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "common/status.h"

namespace rose::cuda {

/// A stream of its own, which no other stream waits for: not even the default one.
class Stream {
 public:
  Stream() = default;
  static absl::StatusOr<Stream> Create();
  ~Stream();
  Stream(Stream&& other) noexcept { *this = std::move(other); }
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  cudaStream_t get() const { return stream_; }
  /// Waits for all that is queued.
  absl::Status Wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream that a thread can wait for. No timing.
class Event {
 public:
  Event() = default;
  /// A thread that waits for it sleeps.
  static absl::StatusOr<Event> Create();
  ~Event();
  Event(Event&& other) noexcept { *this = std::move(other); }
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  cudaEvent_t get() const { return event_; }
  cudaError_t Record(const Stream& stream) const { return cudaEventRecord(event_, stream.get()); }
  /// cudaSuccess, cudaErrorNotReady or the fault that ended the work before it.
  cudaError_t Query() const {
    const cudaError_t state = cudaEventQuery(event_);
    // It is recorded as an error, and is none.
    if (state == cudaErrorNotReady) cudaGetLastError();
    return state;
  }
  cudaError_t Wait() const { return cudaEventSynchronize(event_); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace rose::cuda
