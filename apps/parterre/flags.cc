#include "flags.h"

#include <fmt/format.h>

#include <chrono>

namespace {

/// A flag that may stand alone (true) or take true|false, as TEI's do.
void AddSwitch(CLI::App& app, const std::string& name, bool& value, const std::string& help) {
  const auto set = [name, &value](const std::string& text) {
    const std::string lower = CLI::detail::to_lower(text);
    if (lower == "true" || lower == "1" || lower == "on" || lower.empty()) {
      value = true;
    } else if (lower == "false" || lower == "0" || lower == "off") {
      value = false;
    } else {
      throw CLI::ValidationError(name, fmt::format("expected true or false, got {}", text));
    }
  };
  app.add_option_function<std::string>(name, set, help)
      ->expected(0, 1)
      ->type_name("BOOL")
      ->default_str(value ? "true" : "false");
}

template <typename Integer>
CLI::Option* AddNumber(CLI::App& app, const std::string& name, Integer& value, int64_t least,
                       const std::string& unit, const std::string& help) {
  const int64_t most = sizeof(value) == sizeof(int64_t) ? int64_t{1} << 40 : int64_t{1} << 30;
  return app.add_option(name, value, help)->check(CLI::Range(least, most))->type_name(unit);
}

void AddMilliseconds(CLI::App& app, const std::string& name, std::chrono::milliseconds& value,
                     int64_t least, const std::string& help) {
  const auto set = [&value](const int64_t& ms) { value = std::chrono::milliseconds(ms); };
  app.add_option_function<int64_t>(name, set, help)
      ->check(CLI::Range(least, int64_t{1} << 40))
      ->type_name("MS")
      ->default_str(std::to_string(value.count()));
}

void AddRevision(CLI::App& app, std::string& revision) {
  app.add_option("--revision", revision, "Branch, tag or commit of a model by hub id")
      ->type_name("REVISION");
}

void AddModelFlags(CLI::App& app, ServeOptions& o) {
  app.add_option("--model,--model-id", o.model,
                 "Model folder or hub id, or NAME=MODEL; repeat to serve several")
      ->type_name("MODEL")
      ->default_str("");
  AddRevision(app, o.revision);
  app.add_option("--served-model-name", o.served_model_name,
                 "Name in answers and in a request's \"model\" (one model only)")
      ->type_name("NAME");
  app.add_option("--dtype", o.engine.dtype, "Of weights and activations")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16"}));
  app.add_option("--pooling", o.pooling,
                 "cls, max, mean, mean_sqrt_len, weighted_mean or last_token; default: the model's")
      ->type_name("MODE");
  app.add_option("--task", o.task, "What the model is for; auto: what its folder says")
      ->check(CLI::IsMember({"auto", "embed", "classify", "rerank"}));
  app.add_option("--rerank-template", o.rerank_template,
                 "What a reranker reads for a pair: auto, none, qwen3, or a JSON file with prefix, "
                 "body, suffix and default_instruction")
      ->type_name("TEMPLATE");
  app.add_option("--int8-ranges", o.int8_ranges,
                 "JSON file with min and max of each component, which int8 and uint8 vectors are "
                 "scaled by (one model only)")
      ->type_name("FILE");
  AddNumber(app, "--max-length", o.max_length, 0, "TOKENS",
            "Most tokens of one input, special tokens included; 0: the model's");
  app.add_option("--weights", o.weights,
                 "file, or random:SEED to run a folder without weights (benchmarks)")
      ->type_name("SOURCE");
  app.add_option("--device", o.device,
                 "auto, cpu or cuda:N; name several, also one twice, for an engine on each")
      ->delimiter(',')
      ->type_name("DEVICE");
  app.add_option("--isa", o.engine.isa, "Cap on the processor's instruction sets")
      ->check(CLI::IsMember({"auto", "avx2", "avx512", "avx512_bf16", "amx"}));
}

void AddGpuFlags(CLI::App& app, rose::EngineOptions& o) {
  constexpr char kGroup[] = "GPU";
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
  AddNumber(app, "--cuda-spin-us", o.cuda_spin_us, 0, "US",
            "How long a step is polled before its thread sleeps")
      ->group(kGroup);
}

void AddListenFlags(CLI::App& app, ServeOptions& o) {
  ivy::ServerOptions& server = o.gateway.server;
  ivy::ServiceOptions& service = o.gateway.service;
  app.add_option("--host,--hostname", server.host, "Address to listen on")->type_name("ADDRESS");
  app.add_option("-p,--port", server.port, "Port; 0: any free one")->check(CLI::Range(0, 65535));
  app.add_option("--api-key", service.api_key, "Bearer key that requests must carry; default: none")
      ->type_name("KEY");
  app.add_option("--cors-allow-origin", service.cors_origins,
                 "Origin that browsers may call from; repeat for several, * for any")
      ->type_name("ORIGIN");
  AddMilliseconds(app, "--drain-ms", o.drain, 0,
                  "From SIGTERM (/health says 503) to not accepting");
  AddMilliseconds(app, "--shutdown-timeout-ms", o.shutdown_timeout, 0,
                  "Time for accepted requests to finish after that");
}

void AddThreadFlags(CLI::App& app, ServeOptions& o) {
  app.add_option("--workers", o.engine.workers, "Inference threads; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->type_name("THREADS");
  app.add_option("--io-threads", o.gateway.server.io_threads,
                 "Threads that serve connections; 0: by the processors")
      ->check(CLI::Range(0, 256))
      ->type_name("THREADS");
  app.add_option("--text-threads", o.gateway.api.runner.text_threads,
                 "Threads that tokenize long or many texts; 0: by the processors")
      ->check(CLI::Range(0, 256))
      ->type_name("THREADS");
}

void AddLimitFlags(CLI::App& app, ServeOptions& o) {
  ivy::ApiLimits& api = o.gateway.api.limits;
  ivy::JobRunnerOptions& runner = o.gateway.api.runner;
  ivy::ConnectionLimits& connection = o.gateway.server.limits;
  AddNumber(app, "--max-batch-tokens", o.engine.max_batch_tokens, 1, "TOKENS",
            "Most tokens of one step; a longer sequence runs alone");
  app.add_option("--batch-efficiency", o.engine.batch_efficiency,
                 "Share of the best tokens/s that the batch budget must reach")
      ->check(CLI::Range(0.1, 1.0))
      ->type_name("SHARE");
  AddNumber(app, "--chunk-tokens", runner.chunks.chunk_tokens, 0, "TOKENS",
            "A request is split into chunks of this size; 0: the batch budget");
  app.add_option("--job-window", runner.chunks.window,
                 "Chunks of one request that may wait at each device")
      ->check(CLI::Range(1, 1024))
      ->type_name("CHUNKS");
  AddNumber(app, "--max-client-batch-size", api.items_max, 1, "ITEMS", "Most items of one request");
  AddNumber(app, "--max-concurrent-requests", runner.inputs_in_flight_max, 1, "ITEMS",
            "Most items in the server; more are answered 429");
  AddNumber(app, "--max-queue-tokens", o.queue.max_queue_tokens, 1, "TOKENS",
            "Most tokens waiting for an engine; more are answered 429");
  AddSwitch(app, "--auto-truncate", api.auto_truncate,
            "Cut texts over the limit where the request does not say");
  AddSwitch(app, "--plain-special", o.plain_special,
            "Take special tokens such as [SEP] that a text spells out as plain text");
  AddNumber(app, "--payload-limit", connection.body_bytes_max, 1, "BYTES",
            "Largest request body; more is answered 413");
  AddMilliseconds(app, "--request-timeout-ms", connection.request_timeout, 1,
                  "A request is given up after this");
}

void AddLogFlags(CLI::App& app, ServeOptions& o) {
  app.add_option("--log-format", o.log_format, "Of the log on the error stream")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--log-level", o.log_level, "Least level that is logged")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error"}));
}

}  // namespace

void AddServeFlags(CLI::App& app, ServeOptions& options) {
  app.option_defaults()->always_capture_default();
  AddModelFlags(app, options);
  AddGpuFlags(app, options.engine);
  AddListenFlags(app, options);
  AddThreadFlags(app, options);
  AddLimitFlags(app, options);
  AddLogFlags(app, options);
}

void AddInspectFlags(CLI::App& app, InspectOptions& options) {
  app.add_option("folder,--model", options.model, "Model folder or hub id")
      ->required()
      ->type_name("MODEL");
  AddRevision(app, options.revision);
  app.add_flag("--no-weights", options.no_weights, "Do not download the weights of a hub id");
  app.add_flag("--json", options.json, "As one JSON object");
}

void AddTokenizeFlags(CLI::App& app, TokenizeOptions& options) {
  app.add_option("text", options.text, "The text; with --jsonl it comes from the input");
  app.add_option("--tokenizer,--model", options.tokenizer,
                 "A tokenizer.json, or its model's folder or hub id")
      ->required()
      ->type_name("FILE");
  AddRevision(app, options.revision);
  app.add_flag("--jsonl", options.jsonl,
               "Read JSON lines with \"text\" and perhaps \"pair\", write lines with \"ids\", "
               "\"type_ids\" and \"offsets\"");
  app.add_option("--threads", options.threads, "That work on JSON lines; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->type_name("THREADS");
  app.add_flag("--no-special", options.no_special, "Leave out special tokens such as [CLS]");
  app.add_flag("--plain-special", options.plain_special,
               "Take special tokens written in the text as plain text");
  app.add_option("--max-length", options.max_length, "Most tokens, special ones included; 0: all")
      ->type_name("TOKENS");
  app.add_option("--truncation-side", options.truncation_side, "Which end of a text is cut")
      ->check(CLI::IsMember({"right", "left"}));
  app.add_option("--strategy", options.strategy, "Which text of a pair is cut")
      ->check(CLI::IsMember({"longest_first", "only_first", "only_second"}));
}

void AddTuneFlags(CLI::App& app, TuneOptions& options) {
  rose::EngineOptions& o = options.engine;
  app.add_option("model,--model", options.model, "Model folder or hub id")
      ->required()
      ->type_name("MODEL");
  AddRevision(app, options.revision);
  app.add_option("--weights", options.weights,
                 "file, or random:SEED for a folder without weights, whose sizes are the same")
      ->type_name("SOURCE");
  app.add_option("--device", o.device, "auto or cuda:N")->type_name("DEVICE");
  app.add_option("--dtype", o.dtype, "Of weights and activations")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16"}));
  AddNumber(app, "--max-batch-tokens", o.max_batch_tokens, 1, "TOKENS",
            "Largest step that is measured");
  app.add_option("--tuning", o.tuning,
                 "File that the choices are added to; auto: this device's in the user's cache")
      ->type_name("FILE");
}

void AddBenchFlags(CLI::App& app, BenchOptions& options) {
  app.add_option("--url", options.url, "A running server; or --model: one inside this process")
      ->type_name("URL");
  app.add_option("--model-name", options.model_name,
                 "\"model\" of the requests; default: none is sent")
      ->type_name("NAME");
  app.add_option("--input", options.input, "Token ids or texts")
      ->check(CLI::IsMember({"ids", "text"}));
  app.add_option("--lengths", options.lengths, "Tokens (ids) or words (text) of an input")
      ->delimiter(',')
      ->type_name("TOKENS,…");
  app.add_option("--connections", options.connections, "Clients at once")
      ->delimiter(',')
      ->type_name("CLIENTS,…");
  app.add_option("--batch", options.batch, "Inputs of one request")->type_name("INPUTS");
  app.add_option("--vocabulary", options.vocabulary, "Random ids are below this")->type_name("IDS");
  app.add_option("--requests", options.requests, "Measured, for each length and number of clients")
      ->type_name("REQUESTS");
  app.add_option("--warmup", options.warmup, "Requests of each client before the clock starts")
      ->type_name("REQUESTS");
  app.add_option("--seed", options.seed, "Of the inputs");
  app.add_option("--json", options.json, "File that the results are written to as well")
      ->type_name("FILE");
  // The server inside this process: it listens where nobody else asks it.
  AddModelFlags(app, options.serve);
  AddGpuFlags(app, options.serve.engine);
  AddThreadFlags(app, options.serve);
  AddLimitFlags(app, options.serve);
  AddLogFlags(app, options.serve);
}

void AddTokenizerBenchFlags(CLI::App& app, TokenizerBenchOptions& options) {
  bench::TokenizerSuite& suite = options.suite;
  app.add_option("--tokenizer,--model", suite.tokenizer, "A tokenizer.json, or its folder")
      ->required()
      ->type_name("FILE");
  app.add_option("--texts", suite.texts, "Texts: a u32 count, then u32 length and bytes of each")
      ->required()
      ->type_name("FILE");
  app.add_option("--warm-up", suite.warm_up, "Other texts, of which 40 are encoded first")
      ->type_name("FILE");
  app.add_option("--seconds", suite.seconds, "How long to measure texts already seen")
      ->type_name("SECONDS");
  app.add_option("--threads", options.threads,
                 "Also encode all texts together with so many threads; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->type_name("THREADS");
}
