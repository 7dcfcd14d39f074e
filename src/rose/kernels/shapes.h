#pragma once

#include <cstdint>
#include <vector>

// The shapes that the tests of the kernels run over.

namespace rose::kernels {

struct RowShape {
  int64_t rows;
  int64_t cols;
};

/// One token, none, odd sizes, no whole vector, sizes of real models, rows that no thread holds.
inline const std::vector<RowShape> kRowShapes = {
    {1, 384},  {0, 384},   {3, 1},    {5, 7},     {2, 64},    {7, 33},
    {4, 770},  {129, 384}, {16, 768}, {33, 1024}, {9, 1152},  {5, 2560},
    {3, 3072}, {2, 4096},  {3, 8192}, {2, 20000}, {2, 30522}, {2, 16388}};

/// As many rows as make the launchers take the bodies for many, whole vectors or not.
inline const std::vector<RowShape> kManyRowShapes = {{2200, 1024}, {2900, 768}, {4300, 384},
                                                     {5000, 312},  {600, 4096}, {900, 2560},
                                                     {1500, 1538}, {9000, 33}};

/// The tokens of a step's sequences.
inline const std::vector<std::vector<int32_t>> kSequenceLengths = {
    {1},
    {0},
    {7},
    {0, 0, 3, 0},
    {5, 1, 0, 9, 2},
    {512},
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {700, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 31, 32, 33, 0, 0},
    {129, 255, 256, 257}};

}  // namespace rose::kernels
