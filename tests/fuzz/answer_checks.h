#pragma once

#include <string>

#include "ivy/http/message.h"
#include "wire/inference.h"

/// A request as a client sees it.
struct Asked {
  std::string path;
  ivy::Method method = ivy::Method::kPost;
  std::string body;
  ivy::Dialect dialect = ivy::Dialect::kOpenAi;
  const wire::ModelInfo& model;
};

/// CHECKs the answer by what docs/api.md says of the route, with another JSON reader than Ivy's:
/// its status, its shape and that each input is answered in its place. `sequences`: how many the
/// model was asked for.
void CheckAnswer(const Asked& asked, const ivy::Response& response, int sequences);
