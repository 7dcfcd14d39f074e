#pragma once

#include <cstdint>

#include "rose/cpu/attention_products.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"
#include "rose/cpu/row_body.h"

namespace rose::cpu {

/// The queries of one key and value head against one sequence, a block of keys at a time with a
/// running softmax (Milakov and Gimelshein, 2018; Dao et al., 2022), so that the memory needed does
/// not grow with the sequence.
///
/// One head's query is a column; the heads of a query lie side by side, query after query. A panel
/// of columns is as wide as a product's tile: scores and sums stand in it with keys and head
/// columns downwards. So keys and values are the left side of their products, which needs no
/// packing, and what softmax does to a query it does in that query's own lane.
template <typename V, typename T, typename Products = FloatProducts<V, T>>
class GroupAttention {
 public:
  explicit GroupAttention(const AttentionArgs<T>& args)
      : args_(args), products_(args, args.workspace) {
    panels_ = args.workspace + Products::Floats(args.head_dim);
    scores_ = panels_ + kAttentionColumns / kPanel * PanelFloats();
    zeros_ = scores_ + kAttentionKeys * kPanel;
    for (int64_t i = 0; i < kPanel; ++i) zeros_[i] = 0;
  }

  void Run() {
    const int64_t columns = (args_.query_end - args_.query_begin) * args_.group;
    for (int64_t begin = 0; begin < columns; begin += kAttentionColumns) {
      RunColumns(begin, Least(begin + kAttentionColumns, columns));
    }
  }

 private:
  static constexpr int64_t kPanel = 2 * V::kWidth;

  using Range = KeyRange;  ///< Of keys or of columns.

  /// Some columns, and what is kept of them from one block of keys to the next.
  struct Panel {
    Range columns;
    Range seen;                ///< Keys, as Seen has it.
    float* queries = nullptr;  ///< [head_dim × kPanel]
    float* sums = nullptr;     ///< [head_dim × kPanel]: Σ weight × value.
    float* largest = nullptr;  ///< [kPanel]: score.
    float* weights = nullptr;  ///< [kPanel]: Σ weight, a weight being e^(score − largest).
  };

  static int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }
  static int64_t Most(int64_t a, int64_t b) { return a > b ? a : b; }

  int64_t QueryOf(int64_t column) const { return args_.query_begin + column / args_.group; }
  int64_t HeadOf(int64_t column) const { return column % args_.group; }

  /// The keys that any of the columns sees, and those around them that products take along: they
  /// get no weight.
  Range Seen(Range columns) const {
    constexpr int64_t kStep = Products::kKeyStep;
    const int64_t begin = Most(QueryOf(columns.begin) - args_.before, 0);
    const int64_t end = QueryOf(columns.end - 1) + args_.after + 1;
    return {begin / kStep * kStep, Least((end + kStep - 1) / kStep * kStep, args_.tokens)};
  }

  int64_t PanelFloats() const { return (2 * args_.head_dim + 2) * kPanel; }

  Panel MakePanel(Range columns, float* memory) const {
    const int64_t matrix = args_.head_dim * kPanel;
    return {.columns = columns,
            .seen = Seen(columns),
            .queries = memory,
            .sums = memory + matrix,
            .largest = memory + 2 * matrix,
            .weights = memory + 2 * matrix + kPanel};
  }

  void RunColumns(int64_t begin, int64_t end) {
    const Range seen = Seen({begin, end});
    // Blocks begin at the same keys whatever the columns, so that a query's sums do.
    for (int64_t block = seen.begin / kAttentionKeys * kAttentionKeys; block < seen.end;
         block += kAttentionKeys) {
      const Range keys{Most(block, seen.begin), Least(block + kAttentionKeys, seen.end)};
      products_.Gather(keys);
      for (int64_t column = begin; column < end; column += kPanel) {
        const Panel panel = MakePanel({column, Least(column + kPanel, end)},
                                      panels_ + (column - begin) / kPanel * PanelFloats());
        Attend(panel, {Most(keys.begin, panel.seen.begin), Least(keys.end, panel.seen.end)});
      }
    }
  }

  /// The keys of one block that a panel sees.
  void Attend(const Panel& panel, Range keys) {
    if (keys.begin >= keys.end) return;
    const bool first = keys.begin == panel.seen.begin, last = keys.end == panel.seen.end;
    if (first) Open(panel);
    products_.Score(keys, panel.queries, zeros_, scores_);
    if (args_.bias != nullptr) AddBias(panel, keys);
    HideUnseen(panel, keys);
    Softmax(panel, keys.end - keys.begin, first);
    products_.Weigh(keys, scores_, zeros_, first, panel.sums);
    if (last) Close(panel);
  }

  /// Calls body(lane, offsets) for each vector of a panel's lanes: where in a row of heads the
  /// column of each lane is, a token being `stride` elements; the offset of the first column for
  /// lanes that have none.
  template <typename Body>
  void ForLanes(const Panel& panel, int64_t stride, const Body& body) const {
    int64_t query = QueryOf(panel.columns.begin), head = HeadOf(panel.columns.begin);
    const int64_t first = query * stride + head * args_.head_dim;
    for (int64_t lane = 0; lane < kPanel; lane += V::kWidth) {
      int64_t offsets[V::kWidth];
      for (int64_t i = 0; i < V::kWidth; ++i) {
        const bool used = panel.columns.begin + lane + i < panel.columns.end;
        offsets[i] = used ? query * stride + head * args_.head_dim : first;
        if (++head == args_.group) {
          head = 0;
          ++query;
        }
      }
      body(lane, offsets);
    }
  }

  void Open(const Panel& panel) const {
    ForLanes(panel, args_.stride, [&](int64_t lane, const int64_t* offsets) {
      for (int64_t d = 0; d < args_.head_dim; d += V::kWidth) {
        const int64_t left = args_.head_dim - d;
        const T* from = args_.q + d;
        V rows[V::kWidth];
#pragma GCC unroll 16
        for (int64_t i = 0; i < V::kWidth; ++i) rows[i] = LoadUpTo<V>(from + offsets[i], left);
        V::Transpose(rows);
        Products::StoreQueries(rows, d, Least(V::kWidth, left), lane, panel.queries);
      }
    });
  }

  void Close(const Panel& panel) const {
    ForLanes(panel, args_.out_stride, [&](int64_t lane, const int64_t* offsets) {
      const V inverse = V::Set(1) / V::Load(panel.weights + lane);
      const int64_t columns = Least(V::kWidth, panel.columns.end - panel.columns.begin - lane);
      for (int64_t d = 0; d < args_.head_dim; d += V::kWidth) {
        const int64_t left = args_.head_dim - d;
        const float* from = panel.sums + d * kPanel + lane;
        V rows[V::kWidth];
#pragma GCC unroll 16
        for (int64_t i = 0; i < V::kWidth; ++i) {
          rows[i] = i < left ? V::Load(from + i * kPanel) * inverse : V::Set(0);
        }
        V::Transpose(rows);
        T* to = args_.out + d;
        for (int64_t i = 0; i < columns; ++i) StoreUpTo(rows[i], left, to + offsets[i]);
      }
    });
  }

  /// Scales the scores too.
  void AddBias(const Panel& panel, Range keys) const {
    for (int64_t lane = 0; lane < panel.columns.end - panel.columns.begin; ++lane) {
      const int64_t column = panel.columns.begin + lane;
      const float* bias = args_.bias + HeadOf(column) * args_.bias_stride - QueryOf(column);
      float* score = scores_ + lane;
      for (int64_t key = keys.begin; key < keys.end; ++key, score += kPanel) {
        *score = *score * args_.scale + bias[key];
      }
    }
  }

  /// −∞ for the scores of keys that a column does not see although its panel does.
  void HideUnseen(const Panel& panel, Range keys) const {
    const int64_t first = QueryOf(panel.columns.begin), last = QueryOf(panel.columns.end - 1);
    // All columns see the keys in between.
    const int64_t all_begin = Least(keys.end, last - args_.before);
    Hide(panel, {keys.begin, all_begin}, keys.begin);
    Hide(panel, {Most(Most(keys.begin, all_begin), first + args_.after + 1), keys.end}, keys.begin);
  }

  void Hide(const Panel& panel, Range keys, int64_t scored) const {
    for (int64_t key = keys.begin; key < keys.end; ++key) {
      float* scores = scores_ + (key - scored) * kPanel;
      for (int64_t lane = 0; lane < kPanel; ++lane) {
        const int64_t query = QueryOf(panel.columns.begin + lane);
        if (key < query - args_.before || key > query + args_.after) {
          scores[lane] = -__builtin_inff();
        }
      }
    }
  }

  /// Scores to weights, and what was summed so far to the scale of the new largest score.
  void Softmax(const Panel& panel, int64_t count, bool first) const {
    // A bias comes with scaled scores.
    const V scale = V::Set(args_.bias == nullptr ? args_.scale : 1);
    for (int64_t lane = 0; lane < kPanel; lane += V::kWidth) {
      // Finite, so that a column which sees no key of this block does not subtract ∞ from ∞.
      const V before = first ? V::Set(-1e30f) : V::Load(panel.largest + lane);
      V largest = before;
      float* const scores = scores_ + lane;
      for (int64_t i = 0; i < count; ++i) {
        largest = V::Max(largest, V::Load(scores + i * kPanel));
      }
      V sum = Products::ToWeights(scale, largest, count, scores);
      largest.Store(panel.largest + lane);
      if (!first)
        sum = V::MulAdd(V::Load(panel.weights + lane),
                        Shrink(panel, lane, (before - largest) * scale), sum);
      sum.Store(panel.weights + lane);
    }
  }

  /// Takes the sums of the values times e^power, and returns that.
  V Shrink(const Panel& panel, int64_t lane, V power) const {
    const V factor = Exp(power);
    if ((V::Set(0) - power).Largest() == 0) return factor;  // 1.
    for (int64_t d = 0; d < args_.head_dim; ++d) {
      float* sum = panel.sums + d * kPanel + lane;
      (V::Load(sum) * factor).Store(sum);
    }
    return factor;
  }

  const AttentionArgs<T>& args_;
  Products products_;
  float* panels_;
  float* scores_;
  float* zeros_;
};

template <typename V, typename T>
void Attend(const AttentionArgs<T>& args) {
  GroupAttention<V, T>(args).Run();
}

}  // namespace rose::cpu
