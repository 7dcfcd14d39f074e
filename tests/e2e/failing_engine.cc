// Linked around rose::Engine::Create (--wrap) into the program failing_parterre: engines whose
// steps fail when a test says so. Nothing else could make a step on a CPU fail; on a GPU a
// misplaced store does, whose error is CUDA's own.

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "rose/runtime/engine.h"

/// Of machine_faults.cc.
extern "C" int64_t StepFault();
/// Of misplaced_store.cu; absent without CUDA.
[[gnu::weak]] void MisplaceStore();

using Created = absl::StatusOr<std::unique_ptr<rose::Engine>>;
Created RealCreate(const hub::ModelFolder& folder, const rose::EngineOptions& options) __asm__(
    "__real__ZN4rose6Engine6CreateERKN3hub11ModelFolderERKNS_13EngineOptionsE");
Created WrapCreate(const hub::ModelFolder& folder, const rose::EngineOptions& options) __asm__(
    "__wrap__ZN4rose6Engine6CreateERKN3hub11ModelFolderERKNS_13EngineOptionsE");

namespace {

/// In the order of machine_faults.py.
enum Fault : int64_t { kOutOfMemory = 1, kDeviceGone, kMisplacedStore };

class FailingRows final : public rose::LazyTensor {
 public:
  explicit FailingRows(std::unique_ptr<rose::LazyTensor> rows) : rows_(std::move(rows)) {}

  bool Ready() const override { return rows_->Ready(); }
  hub::PerOutput<rose::OutputRows> Wait() override {
    auto rows = rows_->Wait();
    const int64_t fault = StepFault();
    if (fault == kOutOfMemory) throw std::bad_alloc();
    if (fault == kDeviceGone) throw std::runtime_error("the device is gone");
    return rows;
  }

 private:
  const std::unique_ptr<rose::LazyTensor> rows_;
};

class FailingEngine final : public rose::Engine {
 public:
  explicit FailingEngine(std::unique_ptr<rose::Engine> engine) : engine_(std::move(engine)) {}

  const rose::EngineInfo& info() const override { return engine_->info(); }
  int steps_in_flight_max() const override { return engine_->steps_in_flight_max(); }
  std::unique_ptr<rose::LazyTensor> Step(const rose::Batch& batch) override {
    if (StepFault() == kMisplacedStore && MisplaceStore != nullptr) MisplaceStore();
    return std::make_unique<FailingRows>(engine_->Step(batch));
  }
  rose::GraphCounters graph_counters() const override { return engine_->graph_counters(); }

 private:
  const std::unique_ptr<rose::Engine> engine_;
};

}  // namespace

Created WrapCreate(const hub::ModelFolder& folder, const rose::EngineOptions& options) {
  ASSIGN_OR_RETURN(auto engine, RealCreate(folder, options));
  return std::make_unique<FailingEngine>(std::move(engine));
}
