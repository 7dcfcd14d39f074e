#include "rose/cuda/stream.h"

#include "rose/cuda/status.h"

namespace rose::cuda {

absl::StatusOr<Stream> Stream::Create() {
  Stream stream;
  RETURN_IF_CUDA_ERROR(cudaStreamCreateWithFlags(&stream.stream_, cudaStreamNonBlocking),
                       "cudaStreamCreate");
  return stream;
}

Stream::~Stream() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

absl::Status Stream::Wait() const {
  return ToStatus(cudaStreamSynchronize(stream_), "waiting for the device");
}

absl::StatusOr<Event> Event::Create() {
  Event event;
  RETURN_IF_CUDA_ERROR(
      cudaEventCreateWithFlags(&event.event_, cudaEventDisableTiming | cudaEventBlockingSync),
      "cudaEventCreate");
  return event;
}

Event::~Event() {
  if (event_ != nullptr) cudaEventDestroy(event_);
}

}  // namespace rose::cuda
