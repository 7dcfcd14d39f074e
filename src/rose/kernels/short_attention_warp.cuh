#pragma once

#include <cstdint>
#include <limits>

#include "rose/kernels/device/named_barrier.cuh"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/warp_mma.cuh"
#include "rose/kernels/short_attention_shape.cuh"

namespace rose::kernels {

/// A warp's 16 rows of queries while the keys pass. A lane has two rows: lane / 4 and the eighth
/// behind it.
template <typename Shape>
class ShortWarp {
 public:
  __device__ explicit ShortWarp(ShortShared<Shape>& shared) : shared_(shared) {}

  __device__ int row(int half) const { return row_ + lane_ / 4 + 8 * half; }

  /// One stage: `used` rows of it count, and of those the keys below seen[half] − first.
  __device__ void Attend(int stage, int first, int used, const int (&seen)[2], float scale) {
    float scores[kTiles][4] = {};
    const int first_key = part_ * Shape::kPartKeys;
    const bool active = first_key < used;
    if (active) {
      Score(stage, first_key, scores);
      ScaleAndMask(first + first_key, seen, scale, scores);
      ShareLargest(scores);
    }
    Meet();
    float largest[2];
    CollectLargest((used + Shape::kPartKeys - 1) / Shape::kPartKeys, largest);
    if (active) Weigh(first_key, largest, scores);
    Rescale(largest);
    Meet();
    AddValues(stage, used);
  }

  /// The sums over the warps that share rows; then the rows' output, rounded.
  template <typename Rows>
  __device__ void Store(const Rows& rows) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float sum = LanesSum(weight_[h], 4);
      if (lane_ % 4 == 0) shared_.sums[part_][row(h)] = sum;
    }
    Meet();
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      Bf16* const out = rows.Out(row(h));
      if (out == nullptr) continue;
      float sum = 0;
#pragma unroll
      for (int part = 0; part < Shape::kParts; ++part) sum += shared_.sums[part][row(h)];
      const float inverse = __fdividef(1, sum);  // The largest weight is 1.
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        *reinterpret_cast<uint32_t*>(out + column_ + 8 * n + lane_ % 4 * 2) =
            Pack(sums_[n][2 * h] * inverse, sums_[n][2 * h + 1] * inverse);
      }
    }
  }

 private:
  static constexpr int kTiles = Shape::kPartKeys / 8;
  static constexpr int kColumnTiles = Shape::kPartColumns / 8;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  /// The warps that share these rows.
  __device__ void Meet() const { MeetThreads(1 + row_ / 16, Shape::kParts * kWarpSize); }

  /// Odd steps are summed apart: few tiles would wait for each other's products.
  __device__ void Score(int stage, int first_key, float (&scores)[kTiles][4]) const {
    float odd[kTiles][4] = {};
#pragma unroll
    for (int column = 0; column < Shape::kDim; column += 32) {
      uint32_t low[4], high[4];
      LoadMatrices(&shared_.queries[row_ + lane_ % 16][column + lane_ / 16 * 8], low);
      LoadMatrices(&shared_.queries[row_ + lane_ % 16][column + 16 + lane_ / 16 * 8], high);
#pragma unroll
      for (int n = 0; n < kTiles; ++n) {
        uint32_t keys[4];
        LoadMatrices(&shared_.keys[stage][first_key + 8 * n + lane_ % 8][column + lane_ / 8 * 8],
                     keys);
        MultiplyAdd(scores[n], low, keys[0], keys[1]);
        MultiplyAdd(odd[n], high, keys[2], keys[3]);
      }
    }
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) scores[n][e] += odd[n][e];
    }
  }
  /// To powers of two, and −∞ for keys that a row does not see.
  __device__ void ScaleAndMask(int first, const int (&seen)[2], float scale,
                               float (&scores)[kTiles][4]) const {
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int key = first + 8 * n + lane_ % 4 * 2 + e % 2;
        scores[n][e] = key < seen[e / 2] ? scores[n][e] * scale : -kInfinity;
      }
    }
  }
  __device__ void ShareLargest(const float (&scores)[kTiles][4]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float largest = -kInfinity;
#pragma unroll
      for (int n = 0; n < kTiles; ++n) {
        largest = fmaxf(largest, fmaxf(scores[n][2 * h], scores[n][2 * h + 1]));
      }
      largest = fmaxf(largest, __shfl_xor_sync(kWholeWarp, largest, 1));
      largest = fmaxf(largest, __shfl_xor_sync(kWholeWarp, largest, 2));
      if (lane_ % 4 == 0) shared_.largest[part_][row(h)] = largest;
    }
  }
  /// Of all keys so far, those of `parts` warps among them. Every row sees the first key, so that
  /// it is never −∞.
  __device__ void CollectLargest(int parts, float (&largest)[2]) const {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      largest[h] = largest_[h];
#pragma unroll
      for (int part = 0; part < Shape::kParts; ++part) {
        if (part < parts) largest[h] = fmaxf(largest[h], shared_.largest[part][row(h)]);
      }
    }
  }
  /// What was summed so far, relative to the new largest.
  __device__ void Rescale(const float (&largest)[2]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float shrink = Exp2(largest_[h] - largest[h]);
      largest_[h] = largest[h];
      weight_[h] = weight_[h] * shrink + stage_weight_[h];
      stage_weight_[h] = 0;
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        sums_[n][2 * h] *= shrink;
        sums_[n][2 * h + 1] *= shrink;
      }
    }
  }
  __device__ void Weigh(int first_key, const float (&largest)[2], float (&scores)[kTiles][4]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int n = 0; n < kTiles; ++n) {
        const float first = Exp2(scores[n][2 * h] - largest[h]);
        const float second = Exp2(scores[n][2 * h + 1] - largest[h]);
        stage_weight_[h] += first + second;
        *reinterpret_cast<uint32_t*>(&shared_.weights[row(h)][first_key + 8 * n + lane_ % 4 * 2]) =
            Pack(first, second);
      }
    }
  }
  __device__ void AddValues(int stage, int used) {
#pragma unroll
    for (int key = 0; key < Shape::kKeys; key += 16) {
      if (key >= used) break;
      uint32_t weights[4];
      LoadMatrices(&shared_.weights[row_ + lane_ % 16][key + lane_ / 16 * 8], weights);
#pragma unroll
      for (int n = 0; n < kColumnTiles; n += 2) {
        uint32_t values[4];
        LoadTransposed(&shared_.values[stage][key + lane_ % 16][column_ + 8 * n + lane_ / 16 * 8],
                       values);
        MultiplyAdd(sums_[n], weights, values[0], values[1]);
        MultiplyAdd(sums_[n + 1], weights, values[2], values[3]);
      }
    }
  }

  ShortShared<Shape>& shared_;
  int lane_ = static_cast<int>(threadIdx.x) % kWarpSize;
  int part_ = static_cast<int>(threadIdx.x) / kWarpSize % Shape::kParts;
  int row_ = static_cast<int>(threadIdx.x) / kWarpSize / Shape::kParts * 16;
  int column_ = part_ * Shape::kPartColumns;
  float sums_[kColumnTiles][4] = {};
  float largest_[2] = {-kInfinity, -kInfinity};
  float weight_[2] = {};        ///< This lane's share of the sum.
  float stage_weight_[2] = {};  ///< The same of the stage.
};

}  // namespace rose::kernels
