#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"
#include "rose/runtime/engine.h"

/// What the flags of `parterre serve` say. Names are the flags' names; the defaults stand here and
/// in EngineOptions, and are what --help shows.
struct ServeOptions {
  std::vector<std::string> model;  ///< Folders or hub ids, or NAME=one of them.
  std::string revision = "main";   ///< Of models by id.
  std::string served_model_name;
  std::string pooling;
  std::string task = "auto";
  std::string rerank_template = "auto";
  int max_length = 0;
  std::string weights = "file";
  std::vector<std::string> device = {"auto"};  ///< An engine on each; auto stands alone.
  rose::EngineOptions engine;                  ///< Of each but its device and its weights' seed.

  std::string host = "127.0.0.1";
  int port = 8080;
  int io_threads = 0;
  int text_threads = 0;

  int64_t chunk_tokens = 0;
  int job_window = 2;
  int max_client_batch_size = 2048;
  int max_concurrent_requests = 8192;
  int64_t max_queue_tokens = 1'048'576;
  bool auto_truncate = true;
  bool plain_special = false;
  std::string int8_ranges;

  std::string api_key;
  std::vector<std::string> cors_allow_origin = {"*"};
  int64_t payload_limit = int64_t{32} << 20;
  int64_t request_timeout_ms = 60'000;
  int64_t drain_ms = 2'000;
  int64_t shutdown_timeout_ms = 30'000;

  std::string log_format = "text";
  std::string log_level = "info";
};

/// Sets up the process's log as --log-format and --log-level say. Before other threads start.
absl::Status SetUpLog(const ServeOptions& options);

/// Serves until SIGTERM or SIGINT. OK after an orderly shutdown; an error if it cannot start.
absl::Status RunServe(const ServeOptions& options);
