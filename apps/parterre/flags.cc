#include "flags.h"

#include "flag_kinds.h"
#include "serving_flags.h"

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
  AddModelFlags(app, options.serve.models);
  AddTextFlags(app, options.serve.text);
  AddDeviceFlags(app, options.serve.devices);
  AddGatewayFlags(app, options.serve.gateway);
  AddLogFlags(app, options.serve.log);
}

void AddBesideBenchFlags(CLI::App& app, BesideBenchOptions& options) {
  app.add_option("--url", options.url, "A running Parterre")->type_name("URL");
  app.add_option("--model-name", options.model_name,
                 "\"model\" of the requests; default: none is sent")
      ->type_name("NAME");
  AddNumber(app, "--query-length", options.query_length, 1, "TOKENS", "Token ids of a query");
  AddNumber(app, "--clients", options.clients, 1, "CLIENTS", "That send bulk");
  AddNumber(app, "--batch", options.batch, 1, "INPUTS", "Inputs of a request of bulk");
  AddNumber(app, "--length", options.length, 1, "TOKENS", "Token ids of an input of bulk");
  app.add_option("--seconds", options.seconds, "Of each phase: queries, bulk, both")
      ->check(CLI::Range(0.1, 3600.0))
      ->type_name("SECONDS");
  app.add_option("--seed", options.seed, "Of the inputs");
  app.add_option("--json", options.json, "File that the results are written to as well")
      ->type_name("FILE");
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
