#pragma once

#include <variant>

#include "bench_beside.h"
#include "bench_suites.h"
#include "bench_tokenizer.h"
#include "common/status.h"
#include "inspect.h"
#include "ivy.h"
#include "manual.h"
#include "serve.h"
#include "tokenize.h"
#include "tulip.h"
#include "tune.h"

/// The command line said everything there was to say (--help, --version) or was wrong; the program
/// ends with this status.
struct Exit {
  int status = 0;
};

using Command = std::variant<Exit, ServeOptions, TulipOptions, IvyOptions, InspectOptions,
                             TokenizeOptions, TuneOptions, BenchOptions, OpenBenchOptions,
                             BesideBenchOptions, TokenizerBenchOptions, ManualOptions>;

/// Reads the arguments, the environment (PARTERRE_<FLAG>) and the config file, in that order of
/// precedence. Prints help to the output stream and mistakes, one line each, to the error stream;
/// a mistake ends with status 2.
Command ReadCommandLine(int argc, const char* const* argv);
