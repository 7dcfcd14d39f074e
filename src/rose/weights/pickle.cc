#include "rose/weights/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "rose/weights/little_endian.h"
#include "rose/weights/printable.h"

namespace rose {
namespace {

constexpr std::size_t kBytesMax = std::size_t{32} << 20;
constexpr std::size_t kObjectsMax = std::size_t{2} << 20;  ///< Some 100,000 tensors.
constexpr uint8_t kProtocol = 2;
constexpr std::string_view kOrderedDict = "collections.OrderedDict";

using Kind = PickleObject::Kind;
using Objects = std::vector<const PickleObject*>;

}  // namespace

/// The stack machine that a pickle is a program for.
class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, std::string_view file_name,
                std::span<const std::string_view> globals)
      : bytes_(bytes), file_name_(file_name), globals_(globals) {}

  absl::StatusOr<Pickle> Run() {
    if (bytes_.size() > kBytesMax) return Refuse("too large to describe tensors alone");
    while (pickle_.root_ == nullptr) {
      place_ = next_;
      ASSIGN_OR_RETURN(const uint64_t code, Number(1));
      const auto opcode =
          std::find_if(kOpcodes.begin(), kOpcodes.end(),
                       [code](const Opcode& candidate) { return candidate.code == code; });
      if (opcode == kOpcodes.end()) {
        return Refuse(fmt::format("opcode 0x{:02x} is none that torch.save writes", code));
      }
      RETURN_IF_ERROR((this->*opcode->run)(opcode->argument));
      if (pickle_.objects_.size() > kObjectsMax) return Refuse("too many objects");
    }
    return std::move(pickle_);
  }

 private:
  /// `run` reads what follows the code.
  struct Opcode {
    uint8_t code;
    absl::Status (PickleMachine::*run)(std::size_t argument);
    std::size_t argument = 0;
  };
  static const std::array<Opcode, 32> kOpcodes;

  absl::Status Refuse(std::string_view problem) const {
    return absl::InvalidArgumentError(
        fmt::format("{}: pickle, byte {}: {}", file_name_, place_, problem));
  }

  absl::StatusOr<std::string_view> Text(uint64_t size) {
    if (size > bytes_.size() - next_) return Refuse("the pickle is cut off");
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + next_;
    next_ += size;
    return std::string_view(begin, size);
  }

  absl::StatusOr<uint64_t> Number(std::size_t size) {
    const std::size_t begin = next_;
    RETURN_IF_ERROR(Text(size).status());
    return ReadLittleEndian(bytes_.subspan(begin), size);
  }

  /// Up to a line's end, which is taken too.
  absl::StatusOr<std::string_view> Line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + next_,
                                bytes_.size() - next_);
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) return Refuse("the pickle is cut off");
    next_ += end + 1;
    return rest.substr(0, end);
  }

  absl::Status CheckProtocol(std::size_t) {
    ASSIGN_OR_RETURN(const uint64_t protocol, Number(1));
    if (protocol == kProtocol) return absl::OkStatus();
    return Refuse(
        fmt::format("expected protocol {}, torch.save's own, got {}", kProtocol, protocol));
  }

  absl::Status Make(PickleObject object) {
    stack_.push_back(&pickle_.objects_.emplace_back(std::move(object)));
    return absl::OkStatus();
  }

  absl::Status Mark(std::size_t) {
    marks_.push_back(stack_.size());
    return absl::OkStatus();
  }

  absl::Status PushNone(std::size_t) { return Make({.kind = Kind::kNone}); }

  absl::Status PushBool(std::size_t value) {
    return Make({.kind = Kind::kBool, .integer = static_cast<int64_t>(value)});
  }

  absl::Status PushInt(std::size_t size) {
    ASSIGN_OR_RETURN(const uint64_t bits, Number(size));
    const int64_t value = size == 4 ? int64_t{static_cast<int32_t>(static_cast<uint32_t>(bits))}
                                    : static_cast<int64_t>(bits);
    return Make({.kind = Kind::kInt, .integer = value});
  }

  /// Two's complement of as many bytes as it needs.
  absl::Status PushLong(std::size_t) {
    ASSIGN_OR_RETURN(const uint64_t size, Number(1));
    if (size > 8) return Refuse(fmt::format("a number of {} bytes", size));
    ASSIGN_OR_RETURN(uint64_t bits, Number(size));
    const bool negative = size > 0 && size < 8 && (bits >> (8 * size - 1)) != 0;
    if (negative) bits |= ~uint64_t{0} << (8 * size);
    return Make({.kind = Kind::kInt, .integer = static_cast<int64_t>(bits)});
  }

  absl::Status PushFloat(std::size_t size) {
    RETURN_IF_ERROR(Text(size).status());
    return Make({.kind = Kind::kFloat});
  }

  absl::Status PushString(std::size_t size_bytes) {
    ASSIGN_OR_RETURN(const uint64_t size, Number(size_bytes));
    ASSIGN_OR_RETURN(const std::string_view text, Text(size));
    return Make({.kind = Kind::kString, .text = text});
  }

  /// Takes `count` objects from the top of the stack, down to the last mark at most.
  absl::StatusOr<Objects> Pop(std::size_t count) {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (count > stack_.size() - floor) return Refuse("the stack is empty");
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
    Objects objects(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return objects;
  }

  /// Takes what was pushed since the last mark, and the mark.
  absl::StatusOr<Objects> PopMarked() {
    if (marks_.empty()) return Refuse("no mark");
    ASSIGN_OR_RETURN(auto objects, Pop(stack_.size() - marks_.back()));
    marks_.pop_back();
    return objects;
  }

  absl::Status PushTuple(std::size_t count) {
    ASSIGN_OR_RETURN(auto items, Pop(count));
    return Make({.kind = Kind::kTuple, .items = std::move(items)});
  }

  absl::Status PushMarkedTuple(std::size_t) {
    ASSIGN_OR_RETURN(auto items, PopMarked());
    return Make({.kind = Kind::kTuple, .items = std::move(items)});
  }

  absl::Status PushList(std::size_t) { return Make({.kind = Kind::kList}); }
  absl::Status PushDict(std::size_t) { return Make({.kind = Kind::kDict}); }

  absl::Status Append(std::size_t) {
    ASSIGN_OR_RETURN(const Objects items, Pop(1));
    return Extend(Kind::kList, items);
  }

  absl::Status AppendMarked(std::size_t) {
    ASSIGN_OR_RETURN(const Objects items, PopMarked());
    return Extend(Kind::kList, items);
  }

  absl::Status SetItem(std::size_t) {
    ASSIGN_OR_RETURN(const Objects items, Pop(2));
    return Extend(Kind::kDict, items);
  }

  absl::Status SetMarkedItems(std::size_t) {
    ASSIGN_OR_RETURN(const Objects items, PopMarked());
    if (items.size() % 2 != 0) return Refuse("a key without a value");
    return Extend(Kind::kDict, items);
  }

  /// The object on top of the stack.
  absl::Status Extend(Kind kind, const Objects& items) {
    if (stack_.empty() || stack_.back()->kind != kind) {
      return Refuse("items for what is no container of such");
    }
    Objects& all = stack_.back()->items;
    all.insert(all.end(), items.begin(), items.end());
    return absl::OkStatus();
  }

  absl::Status Put(std::size_t index_bytes) {
    ASSIGN_OR_RETURN(const uint64_t index, Number(index_bytes));
    if (stack_.empty()) return Refuse("the stack is empty");
    if (index >= kObjectsMax) return Refuse("too many objects");
    if (index >= memo_.size()) memo_.resize(index + 1, nullptr);
    memo_[index] = stack_.back();
    return absl::OkStatus();
  }

  absl::Status PushMemo(std::size_t index_bytes) {
    ASSIGN_OR_RETURN(const uint64_t index, Number(index_bytes));
    if (index >= memo_.size() || memo_[index] == nullptr) return Refuse("no such object");
    stack_.push_back(memo_[index]);
    return absl::OkStatus();
  }

  absl::Status PushGlobal(std::size_t) {
    ASSIGN_OR_RETURN(const std::string_view module, Line());
    ASSIGN_OR_RETURN(const std::string_view name, Line());
    const std::string global = fmt::format("{}.{}", module, name);
    const auto known = std::find(globals_.begin(), globals_.end(), global);
    if (known == globals_.end()) {
      return Refuse(fmt::format("{}: expected tensors and dicts of them alone", Printable(global)));
    }
    return Make({.kind = Kind::kGlobal, .text = *known});
  }

  absl::Status Reduce(std::size_t) {
    ASSIGN_OR_RETURN(auto call, Pop(2));
    if (call[0]->kind != Kind::kGlobal || call[1]->kind != Kind::kTuple) {
      return Refuse("a call of what is no global, or not with a tuple");
    }
    if (call[0]->text != kOrderedDict) {
      return Make({.kind = Kind::kCall, .items = std::move(call)});
    }
    if (!call[1]->items.empty()) return Refuse("OrderedDict: expected no arguments");
    return Make({.kind = Kind::kDict});
  }

  /// Attributes of a dict: torch leaves the versions of modules there (_metadata).
  absl::Status Build(std::size_t) {
    RETURN_IF_ERROR(Pop(1).status());
    if (!stack_.empty() && stack_.back()->kind == Kind::kDict) return absl::OkStatus();
    return Refuse("attributes of what is no dict");
  }

  absl::Status PushPersistent(std::size_t) {
    ASSIGN_OR_RETURN(auto id, Pop(1));
    return Make({.kind = Kind::kPersistent, .items = std::move(id)});
  }

  absl::Status Stop(std::size_t) {
    ASSIGN_OR_RETURN(const auto root, Pop(1));
    pickle_.root_ = root[0];
    return absl::OkStatus();
  }

  std::span<const std::byte> bytes_;
  std::string_view file_name_;
  std::span<const std::string_view> globals_;
  std::size_t next_ = 0;   ///< Byte to be read.
  std::size_t place_ = 0;  ///< Of the opcode at work.
  std::vector<PickleObject*> stack_;
  std::vector<std::size_t> marks_;  ///< Sizes that the stack had.
  std::vector<PickleObject*> memo_;
  Pickle pickle_;
};

// The letters of pickletools; what has none is of protocol 2 or later.
const std::array<PickleMachine::Opcode, 32> PickleMachine::kOpcodes = {{
    {0x80, &PickleMachine::CheckProtocol}, {'(', &PickleMachine::Mark},
    {'.', &PickleMachine::Stop},           {'N', &PickleMachine::PushNone},
    {0x88, &PickleMachine::PushBool, 1},   {0x89, &PickleMachine::PushBool, 0},
    {'J', &PickleMachine::PushInt, 4},     {'K', &PickleMachine::PushInt, 1},
    {'M', &PickleMachine::PushInt, 2},     {0x8a, &PickleMachine::PushLong},
    {'G', &PickleMachine::PushFloat, 8},   {'X', &PickleMachine::PushString, 4},
    {0x8c, &PickleMachine::PushString, 1}, {')', &PickleMachine::PushTuple, 0},
    {0x85, &PickleMachine::PushTuple, 1},  {0x86, &PickleMachine::PushTuple, 2},
    {0x87, &PickleMachine::PushTuple, 3},  {'t', &PickleMachine::PushMarkedTuple},
    {']', &PickleMachine::PushList},       {'a', &PickleMachine::Append},
    {'e', &PickleMachine::AppendMarked},   {'}', &PickleMachine::PushDict},
    {'s', &PickleMachine::SetItem},        {'u', &PickleMachine::SetMarkedItems},
    {'q', &PickleMachine::Put, 1},         {'r', &PickleMachine::Put, 4},
    {'h', &PickleMachine::PushMemo, 1},    {'j', &PickleMachine::PushMemo, 4},
    {'c', &PickleMachine::PushGlobal},     {'R', &PickleMachine::Reduce},
    {'b', &PickleMachine::Build},          {'Q', &PickleMachine::PushPersistent},
}};

absl::StatusOr<Pickle> Pickle::Parse(std::span<const std::byte> bytes, std::string_view file_name,
                                     std::span<const std::string_view> globals) {
  return PickleMachine(bytes, file_name, globals).Run();
}

}  // namespace rose
