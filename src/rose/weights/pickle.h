#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace rose {

/// One object of a pickle, as plain data.
struct PickleObject {
  enum class Kind : uint8_t {
    kNone,
    kBool,        ///< integer
    kInt,         ///< integer
    kFloat,       ///< Its value is of no use here.
    kString,      ///< text
    kTuple,       ///< items
    kList,        ///< items
    kDict,        ///< items: key, value, key, value, …
    kGlobal,      ///< text: "module.name"
    kCall,        ///< items: what is called, the tuple of its arguments. Nobody calls it.
    kPersistent,  ///< items: the id of something that the pickle does not hold.
  };

  Kind kind = Kind::kNone;
  int64_t integer = 0;
  std::string_view text = {};
  std::vector<const PickleObject*> items = {};
};

/// The objects of a pickle of Python's protocol 2 (PEP 307; opcodes: CPython's pickletools), those
/// that torch.save writes. Nothing is executed: a call is an object that says what would be called.
/// Objects may hold one another in a circle, so whoever walks them bounds the depth.
class Pickle {
 public:
  /// `bytes` and `globals`, the only names that may be called, outlive the result. Another global,
  /// another opcode, a pickle that is cut off, malformed or too large: InvalidArgument behind
  /// `file_name`, with the place.
  static absl::StatusOr<Pickle> Parse(std::span<const std::byte> bytes, std::string_view file_name,
                                      std::span<const std::string_view> globals);

  const PickleObject& root() const { return *root_; }

 private:
  friend class PickleMachine;

  std::deque<PickleObject> objects_;
  const PickleObject* root_ = nullptr;
};

}  // namespace rose
