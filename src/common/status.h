#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Errors that the outside can cause (a file, a config, a request, a peer) travel as absl::Status by
// value; its codes are gRPC's numbers. A message names the thing ("tensor encoder.layer.3…:
// expected [768,768], got …"), never the function. Our own mistakes are CHECKs (common/check.h).

#define PARTERRE_CONCAT_INNER(a, b) a##b
#define PARTERRE_CONCAT(a, b) PARTERRE_CONCAT_INNER(a, b)

/// Returns the status of `expr` from the enclosing function if it is not OK.
#define RETURN_IF_ERROR(expr)                                     \
  do {                                                            \
    if (absl::Status status_or_ok = (expr); !status_or_ok.ok()) { \
      return status_or_ok;                                        \
    }                                                             \
  } while (false)

/// ASSIGN_OR_RETURN(auto x, F()): x takes F()'s value, or its status is returned.
#define ASSIGN_OR_RETURN(lhs, expr) \
  ASSIGN_OR_RETURN_INNER(PARTERRE_CONCAT(status_or_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_INNER(var, lhs, expr)   \
  auto var = (expr);                             \
  if (!var.ok()) return std::move(var).status(); \
  lhs = *std::move(var)
