#pragma once

#include <cmath>
#include <cstdint>

#include "rose/core/bfloat16.h"

namespace rose::cpu {

/// kLanes floats, one at a time: what a vector type must do, said plainly. For tests: it runs the
/// kernels' bodies at any width and tile height on any processor.
template <int kLanes, int kRows>
struct Plain {
  static constexpr int kWidth = kLanes;
  static constexpr int kTileRows = kRows;

  float lane[kLanes];

  template <typename F>
  static Plain Make(const F& at) {
    Plain made;
    for (int i = 0; i < kLanes; ++i) made.lane[i] = at(i);
    return made;
  }
  static float Get(const float* p, int64_t i) { return p[i]; }
  static float Get(const BFloat16* p, int64_t i) { return p[i].ToFloat(); }
  static void Put(float value, float* p) { *p = value; }
  static void Put(float value, BFloat16* p) { *p = BFloat16::FromFloat(value); }

  static Plain Set(float x) {
    return Make([&](int) { return x; });
  }
  template <typename T>
  static Plain Load(const T* p) {
    return Make([&](int i) { return Get(p, i); });
  }
  template <typename T>
  static Plain LoadPart(const T* p, int64_t n) {
    return Make([&](int i) { return i < n ? Get(p, i) : 0; });
  }
  template <typename T>
  void Store(T* p) const {
    StorePart(p, kLanes);
  }
  template <typename T>
  void StorePart(T* p, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) Put(lane[i], p + i);
  }

  friend Plain operator+(Plain a, Plain b) {
    return Make([&](int i) { return a.lane[i] + b.lane[i]; });
  }
  friend Plain operator-(Plain a, Plain b) {
    return Make([&](int i) { return a.lane[i] - b.lane[i]; });
  }
  friend Plain operator*(Plain a, Plain b) {
    return Make([&](int i) { return a.lane[i] * b.lane[i]; });
  }
  friend Plain operator/(Plain a, Plain b) {
    return Make([&](int i) { return a.lane[i] / b.lane[i]; });
  }
  static Plain MulAdd(Plain a, Plain b, Plain c) {
    return Make([&](int i) { return std::fma(a.lane[i], b.lane[i], c.lane[i]); });
  }
  static Plain Max(Plain a, Plain b) {
    return Make([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  static Plain MaxOrNaN(Plain a, Plain b) {
    return Make([&](int i) { return std::isnan(a.lane[i]) ? a.lane[i] : Max(a, b).lane[i]; });
  }
  static Plain Min(Plain a, Plain b) {
    return Make([&](int i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  static Plain Abs(Plain a) {
    return Make([&](int i) { return std::abs(a.lane[i]); });
  }
  static Plain Round(Plain a) {
    return Make([&](int i) { return std::nearbyint(a.lane[i]); });
  }
  static Plain Scale(Plain a, Plain n) {
    return Make([&](int i) {
      return std::isnan(n.lane[i]) ? n.lane[i] : std::ldexp(a.lane[i], static_cast<int>(n.lane[i]));
    });
  }
  static Plain Exponent(Plain a) {
    return Make([&](int i) { return std::logb(a.lane[i]); });
  }
  /// One half and the other, and so on: in the order in which vectors are summed, so that sums are
  /// the same to the bit.
  float Sum() const {
    Plain halves = *this;
    for (int n = kLanes / 2; n > 0; n /= 2) {
      for (int i = 0; i < n; ++i) halves.lane[i] += halves.lane[i + n];
    }
    return halves.lane[0];
  }
  float Largest() const {
    float largest = lane[0];
    for (const float x : lane) largest = x > largest ? x : largest;
    return largest;
  }
  static void Transpose(Plain (&rows)[kWidth]) {
    for (int r = 0; r < kWidth; ++r) {
      for (int c = 0; c < r; ++c) {
        const float below = rows[r].lane[c];
        rows[r].lane[c] = rows[c].lane[r];
        rows[c].lane[r] = below;
      }
    }
  }
};

}  // namespace rose::cpu
