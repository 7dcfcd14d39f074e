"""Traces from HTTP through Ivy into Tulip, as a collector of OpenTelemetry's protocol gets them."""

import http.server
import json
import threading
import unittest

import harness

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
SMALL = ("--workers", 1, "--max-batch-tokens", 512)


class Collector:
    """Takes POST /v1/traces on a free port and keeps the spans, by name."""

    def __init__(self):
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.take(self.path, self.headers["Content-Type"], json.loads(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.spans = {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.flags = ("--otlp-endpoint", f"http://127.0.0.1:{self.server.server_port}/")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, kind, body):
        assert (path, kind) == ("/v1/traces", "application/json"), (path, kind)
        for told in body["resourceSpans"]:
            service = attributes(told["resource"])["service.name"]
            for span in told["scopeSpans"][0]["spans"]:
                span["service"] = service
                span["attributes"] = attributes(span)
                self.spans.setdefault((service, span["name"]), []).append(span)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def attributes(told):
    return {one["key"]: next(iter(one["value"].values())) for one in told["attributes"]}


class TracingTest(unittest.TestCase):
    def embed(self, server, **headers):
        answer = server.post("/v1/embeddings", {"input": "a text"}, headers)
        self.assertEqual(answer.status, 200)
        return answer.headers

    def only(self, collector, service, name):
        self.assertEqual(len(collector.spans.get((service, name), [])), 1, collector.spans)
        return collector.spans[service, name][0]

    def expect_child(self, span, parent):
        self.assertEqual(span["traceId"], TRACE)
        self.assertEqual(span["parentSpanId"], parent["spanId"], (span, parent))
        self.assertGreaterEqual(int(span["endTimeUnixNano"]), int(span["startTimeUnixNano"]))

    def test_from_http_through_ivy_into_tulip(self):
        with Collector() as collector:
            with harness.Tulip(harness.BERT_MEAN, *SMALL, *collector.flags) as tulip:
                with harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address,
                                 *collector.flags) as ivy:
                    headers = self.embed(ivy, traceparent=f"00-{TRACE}-{SPAN}-01",
                                         tracestate="vendor=value", **{"x-request-id": "mine"})
                    # Who does not record decides so for all behind.
                    self.embed(ivy, traceparent=f"00-{'1' * 32}-{SPAN}-00")
                metrics = tulip.get("/metrics").body
            # Both have ended, and what they had is here.
            request = self.only(collector, "parterre-ivy", "POST /v1/embeddings")
            self.assertEqual(headers["traceparent"], f"00-{TRACE}-{request['spanId']}-01")
            self.assertEqual((request["traceId"], request["parentSpanId"]), (TRACE, SPAN))
            self.assertEqual(request["attributes"]["http.response.status_code"], "200")
            for name in ("tokenize", "chunk", "render"):
                self.expect_child(self.only(collector, "parterre-ivy", name), request)
            call = self.only(collector, "parterre-ivy", "tulip.v1.Tulip/Infer")
            self.expect_child(call, self.only(collector, "parterre-ivy", "chunk"))
            self.assertEqual(call["attributes"]["server.address"], tulip.address)
            self.assertEqual(call["attributes"]["parterre.attempt"], "1")
            served = self.only(collector, "parterre-tulip", "tulip.v1.Tulip/Infer")
            self.expect_child(served, call)
            self.assertEqual(served["traceState"], "vendor=value")
            for span in (request, served):
                self.assertEqual(span["attributes"]["parterre.request_id"], "mine")
            for name in ("queue", "compute"):
                self.expect_child(self.only(collector, "parterre-tulip", name), served)
            self.assertIn(b'parterre_grpc_calls_total{code="OK",method="Infer"} 2', metrics)

    def test_in_one_process(self):
        with Collector() as collector:
            flags = (*collector.flags, "--otlp-service-name", "mine", "--trace-sample-ratio", 0)
            with harness.Server(harness.BERT_MEAN, *SMALL, *flags) as server:
                self.embed(server, traceparent=f"00-{TRACE}-{SPAN}-01")
                fresh = self.embed(server, traceparent=f"00-{TRACE.upper()}-{SPAN}-01")
            request = self.only(collector, "mine", "POST /v1/embeddings")
            chunk = self.only(collector, "mine", "chunk")
            self.expect_child(chunk, request)
            for name in ("queue", "compute"):
                self.expect_child(self.only(collector, "mine", name), chunk)
            # A malformed header begins another trace.
            self.assertRegex(fresh["traceparent"], "^00-[0-9a-f]{32}-[0-9a-f]{16}-00$")
            self.assertNotIn(TRACE, fresh["traceparent"])

    def test_without_a_collector(self):
        parent = f"00-{TRACE}-{SPAN}-01"
        with harness.Server(harness.BERT_MEAN, *SMALL) as server:
            self.assertEqual(self.embed(server, traceparent=parent)["traceparent"], parent)
            self.assertIsNone(self.embed(server)["traceparent"])
        with harness.Server(harness.BERT_MEAN, *SMALL,
                            "--otlp-endpoint", "http://127.0.0.1:9") as server:
            self.embed(server)
            server.program.wait_for_line("traces are not exported: http://127.0.0.1:9/v1/traces: ")

    def test_flags_that_are_wrong(self):
        endpoint = "--otlp-endpoint: expected http://HOST:PORT"
        for flag, value, said in (
                ("--otlp-endpoint", "localhost:4318", endpoint),
                ("--otlp-endpoint", "http://localhost:4318/?token=1", endpoint),
                ("--otlp-endpoint", "http://localhost:4318/#x", endpoint),
                ("--otlp-endpoint", "http://user:secret@localhost:4318", endpoint),
                ("--otlp-endpoint", "http://localhost:4318/v1/traces", endpoint),
                ("--trace-sample-ratio", "nan", "--trace-sample-ratio: Value nan not in range")):
            with self.subTest(value=value):
                program = harness.Program("serve", "--model", harness.BERT_MEAN, flag, value)
                self.assertEqual(program.wait(), 2)
                self.assertIn(said, program.error_lines()[-1])
                self.assertNotIn("secret", program.error_lines()[-1])

    def test_a_variable_that_is_wrong(self):
        for flag, said in (((), "$OTEL_EXPORTER_OTLP_ENDPOINT: expected http://HOST:PORT"),
                           (("--otlp-endpoint", "file:///x"), "--otlp-endpoint: expected")):
            program = harness.Program("serve", "--model", harness.BERT_MEAN, *flag,
                                      env={"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"})
            self.assertEqual(program.wait(), 2)
            self.assertIn(said, program.error_lines()[-1])


if __name__ == "__main__":
    harness.main()
