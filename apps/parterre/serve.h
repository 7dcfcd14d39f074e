#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/status.h"
#include "ivy/gateway.h"
#include "rose/runtime/engine.h"
#include "tulip/sched/request_queue.h"

/// What the flags of `parterre serve` say: those of the process, and the options of its parts. The
/// defaults stand where the options do, and are what --help shows.
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

  bool plain_special = false;
  std::string int8_ranges;

  tulip::QueueLimits queue;     ///< Of each engine.
  ivy::GatewayOptions gateway;  ///< The chunks' window is for each device.

  std::chrono::milliseconds drain{2'000};
  std::chrono::milliseconds shutdown_timeout{30'000};

  std::string log_format = "text";
  std::string log_level = "info";
};

/// Sets up the process's log as --log-format and --log-level say. Before other threads start.
absl::Status SetUpLog(const ServeOptions& options);

/// Serves until SIGTERM or SIGINT. OK after an orderly shutdown; an error if it cannot start.
absl::Status RunServe(const ServeOptions& options);
