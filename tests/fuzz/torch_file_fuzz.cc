#include <cstddef>
#include <cstdint>
#include <string>

#include "rose/weights/torch_file.h"
#include "stored_tensor_checks.h"

// Any bytes as a file of torch.save's, and as the pickle of a sound one: an error or tensors that
// lie in it.

namespace {

std::string Number(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

/// Writes entries as they are.
class Archive {
 public:
  void Add(const std::string& name, const std::string& data) {
    directory_ += "PK\1\2" + std::string(16, '\0') + Number(data.size(), 4) +
                  Number(data.size(), 4) + Number(name.size(), 2) + std::string(12, '\0') +
                  Number(file_.size(), 4) + name;
    file_ += "PK\3\4" + std::string(22, '\0') + Number(name.size(), 2) + Number(0, 2) + name + data;
  }
  std::string Finish() const {
    return file_ + directory_ + "PK\5\6" + std::string(8, '\0') + Number(directory_.size(), 4) +
           Number(file_.size(), 4) + Number(0, 2);
  }

 private:
  std::string file_, directory_;
};

void Check(const std::string& text) {
  const auto file = std::as_bytes(std::span(text));
  const auto tensors = rose::ParseTorchFile(file, "fuzz");
  if (tensors.ok()) CheckTensors(file, *tensors);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  Check(bytes);
  Archive archive;
  archive.Add("m/data.pkl", bytes);
  archive.Add("m/data/0", std::string(24, '\1'));
  archive.Add("m/data/1", std::string(8, '\2'));
  Check(archive.Finish());
  return 0;
}
