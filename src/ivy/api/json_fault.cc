#include "ivy/api/json_fault.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace ivy {
namespace {

constexpr std::size_t kSearchedBytesMax = std::size_t{1} << 20;
constexpr std::size_t kPathBytesMax = 200;

/// Follows the parser's events to know the path of the value that comes next.
class PathFollower : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Next(); }
  bool boolean(bool) override { return Next(); }
  bool number_integer(number_integer_t) override { return Next(); }
  bool number_unsigned(number_unsigned_t) override { return Next(); }
  bool number_float(number_float_t, const string_t&) override { return Next(); }
  bool string(string_t&) override { return Next(); }
  bool binary(binary_t&) override { return Next(); }
  bool start_object(std::size_t) override {
    levels_.push_back({.is_list = false, .key = {}, .index = 0});
    return true;
  }
  bool key(string_t& name) override {
    levels_.back().key = name;
    return true;
  }
  bool end_object() override { return End(); }
  bool start_array(std::size_t) override {
    levels_.push_back({.is_list = true, .key = {}, .index = 0});
    return true;
  }
  bool end_array() override { return End(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    fault_.byte = position == 0 ? 0 : position - 1;
    for (const Level& level : levels_) {
      if (level.is_list) {
        fault_.path.append("[").append(std::to_string(level.index)).append("]");
      } else if (!level.key.empty()) {
        fault_.path.append(fault_.path.empty() ? "" : ".").append(level.key);
      }
      if (fault_.path.size() > kPathBytesMax) {
        fault_.path.clear();
        break;
      }
    }
    return false;
  }

  const JsonFault& fault() const { return fault_; }

 private:
  struct Level {
    bool is_list;
    std::string key;  ///< Of the value under way; "": none.
    std::size_t index;
  };

  /// A value has ended.
  bool Next() {
    if (levels_.empty()) return true;
    levels_.back().key.clear();
    ++levels_.back().index;
    return true;
  }
  bool End() {
    levels_.pop_back();
    return Next();
  }

  std::vector<Level> levels_;
  JsonFault fault_;
};

}  // namespace

JsonFault FindJsonFault(std::string_view body) {
  if (body.size() > kSearchedBytesMax) return {};
  PathFollower follower;
  nlohmann::json::sax_parse(body, &follower);
  return follower.fault();
}

}  // namespace ivy
