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
  AddStepTokens(app, o.max_batch_tokens, "Largest step that is measured");
  app.add_option("--tuning", o.tuning,
                 "File that the choices are added to; auto: this device's in the user's cache")
      ->type_name("FILE");
}

void AddManualFlags(CLI::App& app, ManualOptions& options) {
  app.add_option("folder", options.folder, "Where they go; it is made")
      ->required()
      ->type_name("FOLDER");
}
