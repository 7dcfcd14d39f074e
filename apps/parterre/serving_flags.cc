#include "serving_flags.h"

#include <chrono>

#include "connection_flags.h"
#include "flag_kinds.h"

namespace {

void AddGpuFlags(CLI::App& app, rose::EngineOptions& o) {
  constexpr char kGroup[] = "GPU (of a build with CUDA)";
  app.add_option("--tuning", o.tuning,
                 "Choices that `parterre tune` measured: a file; auto: this device's in the user's "
                 "cache; off")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option(
         "--attention", o.attention,
         "What computes all attention: simple, fa2, fa3, fa4, cudnn or short; auto: by its shape")
      ->type_name("METHOD")
      ->group(kGroup);
  app.add_option("--cuda-graphs", o.cuda_graphs,
                 "When steps of a size become a graph: met again, before the first, never")
      ->check(CLI::IsMember({"lazy", "eager", "off"}))
      ->group(kGroup);
  AddNumber(app, "--cuda-graph-memory-mib", o.cuda_graph_memory_mib, 0, "MIB",
            "Beyond it the least recently used graphs go")
      ->group(kGroup);
  AddNumber(
      app, "--cuda-spin-us", o.cuda_spin_us, 0, "US",
      "How long a step is polled before its thread sleeps; threads that wait for work spin as "
      "long, but 2 ms at most. Under load it costs two cores for each --device and the I/O "
      "threads', which 0 saves")
      ->group(kGroup);
}

/// Two files of one side of TLS connections and one of the other's authority.
void AddTlsFlags(CLI::App& app, const std::string& prefix, const std::string& authority,
                 wire::TlsFiles& files, const std::string& what, const std::string& others) {
  app.add_option(prefix + "-cert", files.certificate, "PEM file of " + what)->type_name("FILE");
  app.add_option(prefix + "-key", files.key, "PEM file of its key")->type_name("FILE");
  app.add_option(authority, files.authority, "PEM file of the authority of " + others)
      ->type_name("FILE");
}

void AddMessageLimit(CLI::App& app, int64_t& bytes_max) {
  constexpr int64_t kMib = int64_t{1} << 20;
  app.add_option_function<int64_t>(
         "--max-message-mib", [&bytes_max](const int64_t& mib) { bytes_max = mib * kMib; },
         "Largest gRPC message, of a request as of an answer")
      ->check(CLI::Range(int64_t{1}, int64_t{2047}))
      ->type_name("MIB")
      ->default_str(std::to_string(bytes_max / kMib));
}

/// Of a process without an engine; beside one, it is the device that decides.
void AddSpin(CLI::App& app, common::Duration& spin) {
  app.add_option_function<int64_t>(
         "--spin-us", [&spin](const int64_t& us) { spin = std::chrono::microseconds(us); },
         "How long an I/O thread spins for what comes next before it sleeps: some ten microseconds "
         "less for a request, for up to a core of each under load")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000}))
      ->type_name("US")
      ->default_str("0");
}

void AddReplicaFlags(CLI::App& app, ReplicaOptions& o) {
  app.add_option("--replica", o.replica, "HOST:PORT of a Tulip; repeat for several")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("HOST:PORT");
  app.add_option("--replicas", o.replicas, "Or a name whose addresses are Tulips: dns:///NAME:PORT")
      ->type_name("TARGET");
  AddMilliseconds(app, "--chunk-timeout-ms", o.chunk_timeout, 1,
                  "A Tulip that has not answered after this is not waited for");
  AddTlsFlags(app, "--replica-tls", "--replica-tls-ca", o.tls,
              "the certificate that is shown to Tulips", "the Tulips; without it: plain text");
  AddMessageLimit(app, o.grpc.message_bytes_max);
}

}  // namespace

void AddModelFlags(CLI::App& app, ModelOptions& o) {
  app.add_option("--model,--model-id", o.model,
                 "Model folder or hub id, or NAME=MODEL; repeat to serve several")
      ->allow_extra_args(false)
      ->type_name("MODEL")
      ->default_str("");
  AddRevision(app, o.revision);
  app.add_option("--served-model-name", o.served_model_name,
                 "Name in answers and in a request's \"model\" (one model only)")
      ->type_name("NAME");
  app.add_option("--pooling", o.pooling,
                 "cls, max, mean, mean_sqrt_len, weighted_mean or last_token; default: the model's")
      ->type_name("MODE");
  app.add_option("--task", o.task, "What the model is for; auto: what its folder says")
      ->check(CLI::IsMember({"auto", "embed", "classify", "rerank"}));
  app.add_option("--rerank-template", o.rerank_template,
                 "What a reranker reads for a pair: auto, none, qwen3, or a JSON file with prefix, "
                 "body, suffix and default_instruction")
      ->type_name("TEMPLATE");
  AddNumber(app, "--max-length", o.max_length, 0, "TOKENS",
            "Most tokens of one input, special tokens included; 0: the model's");
}

void AddModelArgument(CLI::App& app, std::string& argument) {
  app.add_option("model", argument, "The model, as --model says it")->type_name("MODEL");
}

void AddTextFlags(CLI::App& app, TextOptions& o) {
  app.add_option("--int8-ranges", o.int8_ranges,
                 "JSON file with min and max of each component, which int8 and uint8 vectors are "
                 "scaled by (one model only)")
      ->type_name("FILE");
  AddSwitch(app, "--plain-special", o.plain_special,
            "Take special tokens such as [SEP] that a text spells out as plain text");
}

void AddDeviceFlags(CLI::App& app, DeviceOptions& o) {
  app.add_option("--device", o.device,
                 "auto, cpu or cuda:N; name several, also one twice, for an engine on each")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("DEVICE");
  app.add_option("--dtype", o.engine.dtype, "Of weights and activations")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16"}));
  app.add_option("--weights", o.weights,
                 "file, or random:SEED to run a folder without weights (benchmarks)")
      ->type_name("SOURCE");
  app.add_option("--isa", o.engine.isa, "Cap on the processor's instruction sets")
      ->check(CLI::IsMember({"auto", "avx2", "avx512", "avx512_bf16", "amx"}));
  app.add_option("--workers", o.engine.workers, "Inference threads; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->type_name("THREADS");
  AddStepTokens(app, o.engine.max_batch_tokens,
                "Most tokens of one step; a longer sequence runs alone");
  app.add_option("--batch-efficiency", o.engine.batch_efficiency,
                 "Share of the best tokens/s that the batch budget must reach")
      ->check(RealRange(0.1, 1))
      ->type_name("SHARE");
  AddNumber(app, "--max-queue-tokens", o.queue.max_queue_tokens, 1, "TOKENS",
            "Most tokens waiting for an engine; more are answered 429");
  app.add_option("--schedule", o.schedule,
                 "Whose turn it is where more waits than a step takes: fcfs, first come, first "
                 "served; fair, in turn between requests")
      ->check(CLI::IsMember({"fcfs", "fair"}));
  AddGpuFlags(app, o.engine);
}

void AddListenFlags(CLI::App& app, ivy::GatewayOptions& o, ivy::ApiKeyOptions& keys) {
  app.add_option("--host,--hostname", o.server.host, "Address to listen on")->type_name("ADDRESS");
  app.add_option("-p,--port", o.server.port, "Port; 0: any free one")->check(CLI::Range(0, 65535));
  app.add_option(
         "--api-key", keys.keys,
         "Bearer key that requests must carry; repeat for several, of which they carry one; "
         "default: none")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("KEY");
  app.add_option("--api-key-file", keys.file,
                 "File of more keys, one a line; SIGHUP has it read again")
      ->type_name("FILE");
  app.add_option("--cors-allow-origin", o.service.cors_origins,
                 "Origin that browsers may call from; repeat for several, * for any")
      ->allow_extra_args(false)
      ->type_name("ORIGIN");
  AddTlsFlags(app, "--tls", "--tls-client-ca", o.server.tls,
              "the certificate: HTTPS; without it: plain HTTP",
              "clients, which then must show a certificate of it");
}

void AddGatewayFlags(CLI::App& app, ivy::GatewayOptions& o) {
  ivy::ApiLimits& api = o.api.limits;
  ivy::JobRunnerOptions& runner = o.api.runner;
  app.add_option("--io-threads", o.server.io_threads,
                 "Threads that serve connections; 0: by the processors")
      ->check(CLI::Range(0, 256))
      ->type_name("THREADS");
  app.add_option("--text-threads", runner.text_threads,
                 "Threads that tokenize long or many texts; 0: by the processors")
      ->check(CLI::Range(0, 256))
      ->type_name("THREADS");
  AddNumber(app, "--chunk-tokens", runner.chunks.chunk_tokens, 0, "TOKENS",
            "A request is split into chunks of this size; 0: the batch budget");
  app.add_option("--job-window", runner.chunks.window,
                 "Chunks of one request that may be under way for each engine")
      ->check(CLI::Range(1, 1024))
      ->type_name("CHUNKS");
  AddNumber(app, "--max-client-batch-size", api.items_max, 1, "ITEMS", "Most items of one request");
  AddNumber(app, "--max-concurrent-requests", runner.inputs_in_flight_max, 1, "ITEMS",
            "Most items in the server; more are answered 429");
  AddSwitch(app, "--auto-truncate", api.auto_truncate,
            "Cut texts over the limit where the request does not say");
  AddConnectionFlags(app, o.server);
}

void AddTraceFlags(CLI::App& app, TraceOptions& o) {
  ReadTraceEnvironment(o);
  app.add_option("--otlp-endpoint", o.otlp_endpoint,
                 "OpenTelemetry collector that traces go to, http://HOST:4318; default: "
                 "$OTEL_EXPORTER_OTLP_ENDPOINT, or none")
      ->type_name("URL");
  app.add_option("--otlp-service-name", o.otlp_service_name,
                 "Name of this process in traces; default: $OTEL_SERVICE_NAME, or the program's")
      ->type_name("NAME");
  app.add_option("--trace-sample-ratio", o.trace_sample_ratio,
                 "Share of the requests without a traceparent of their own that are traced")
      ->check(RealRange(0, 1))
      ->type_name("SHARE");
}

void AddStopFlags(CLI::App& app, StopOptions& o) {
  AddMilliseconds(app, "--drain-ms", o.drain, 0,
                  "From SIGTERM (/health says 503) to not accepting");
  AddMilliseconds(app, "--shutdown-timeout-ms", o.shutdown_timeout, 0,
                  "Time for accepted requests to finish after that");
}

void AddLogFlags(CLI::App& app, LogOptions& o) {
  app.add_option("--log-format", o.format, "Of the log on the error stream")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--log-level", o.level, "Least level that is logged")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error"}));
}

void AddServeFlags(CLI::App& app, ServeOptions& options) {
  AddModelFlags(app, options.models);
  AddTextFlags(app, options.text);
  AddDeviceFlags(app, options.devices);
  AddListenFlags(app, options.gateway, options.keys);
  AddGatewayFlags(app, options.gateway);
  AddTraceFlags(app, options.trace);
  AddStopFlags(app, options.stop);
  AddLogFlags(app, options.log);
}

void AddTulipFlags(CLI::App& app, TulipOptions& options) {
  AddModelFlags(app, options.models);
  AddDeviceFlags(app, options.devices);
  AddNumber(app, "--max-concurrent-requests", options.devices.queue.max_concurrent_requests, 1,
            "ITEMS", "Most sequences waiting for an engine; more are RESOURCE_EXHAUSTED");
  app.add_option("--host,--hostname", options.server.host, "Address to listen on")
      ->type_name("ADDRESS");
  app.add_option("-p,--port", options.server.port, "gRPC port; 0: any free one")
      ->check(CLI::Range(0, 65535));
  app.add_option("--admin-port", options.admin_port,
                 "Port of /metrics and /health over HTTP; 0: any free one")
      ->check(CLI::Range(0, 65535));
  AddTlsFlags(app, "--tls", "--tls-client-ca", options.server.tls,
              "the certificate; without it: plain text",
              "clients, which then must show a certificate of it");
  AddMessageLimit(app, options.server.message_bytes_max);
  AddTraceFlags(app, options.trace);
  AddStopFlags(app, options.stop);
  AddLogFlags(app, options.log);
}

void AddIvyFlags(CLI::App& app, IvyOptions& options) {
  AddModelFlags(app, options.models);
  AddTextFlags(app, options.text);
  AddReplicaFlags(app, options.replicas);
  AddListenFlags(app, options.gateway, options.keys);
  AddGatewayFlags(app, options.gateway);
  AddSpin(app, options.gateway.server.spin);
  AddTraceFlags(app, options.trace);
  AddStopFlags(app, options.stop);
  AddLogFlags(app, options.log);
}
