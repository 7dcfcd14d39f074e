#include "connection_flags.h"

#include "flag_kinds.h"

void AddConnectionFlags(CLI::App& app, ivy::ServerOptions& o) {
  constexpr char kGroup[] = "Limits of connections";
  ivy::ConnectionLimits& limits = o.limits;
  AddNumber(app, "--max-connections", o.connections_max, 1, "CONNECTIONS",
            "Most open connections; one more is answered 503 and closed")
      ->group(kGroup);
  app.add_option("--max-header-bytes", limits.head_bytes_max,
                 "Largest head of a request; more is answered 431")
      ->check(CLI::Range(1024, 65'536))
      ->type_name("BYTES")
      ->group(kGroup);
  AddNumber(app, "--payload-limit", limits.body_bytes_max, 1, "BYTES",
            "Largest request body; more is answered 413")
      ->group(kGroup);
  AddMilliseconds(app, "--idle-timeout-ms", limits.idle_timeout, 1,
                  "A connection without a request for this long is closed")
      ->group(kGroup);
  AddMilliseconds(app, "--header-timeout-ms", limits.head_timeout, 1,
                  "Time for a request's head, from its first byte; more is answered 408")
      ->group(kGroup);
  AddMilliseconds(app, "--body-timeout-ms", limits.body_timeout, 1,
                  "Time for a request's body, from its head; more is answered 408")
      ->group(kGroup);
  AddMilliseconds(app, "--write-timeout-ms", limits.write_timeout, 1,
                  "A client that takes nothing of its answer for this long is cut off")
      ->group(kGroup);
  AddMilliseconds(app, "--request-timeout-ms", limits.request_timeout, 1,
                  "A request is given up after this")
      ->group(kGroup);
}
