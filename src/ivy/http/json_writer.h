#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ivy {

/// Appends JSON to a string, commas included. Total: text that is not valid UTF-8 comes out with
/// U+FFFD for each byte that is not ASCII, a float that is not finite as null.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view name);
  JsonWriter& String(std::string_view text);
  JsonWriter& Int(int64_t value);
  /// The shortest text that reads back as the same float.
  JsonWriter& Float(float value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();

 private:
  void Separate();

  std::string& out_;
  bool comma_ = false;  ///< The next key or value needs one in front.
};

/// Appends `text` with quotes and escapes.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace ivy
