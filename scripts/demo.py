#!/usr/bin/env python3
"""Embeds the documents and queries of demo_texts.json over HTTP and prints the best matches.

usage: demo.py URL    needs Python's standard library alone
"""

import json
import pathlib
import sys
import time
import urllib.error
import urllib.request

MATCHES_SHOWN = 3
START_LIMIT_S = 60


def wait_until_healthy(url):
    give_up = time.monotonic() + START_LIMIT_S
    while True:
        try:
            urllib.request.urlopen(f"{url}/health", timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError) as error:
            if time.monotonic() > give_up:
                sys.exit(f"demo.py: {url}/health is not ready after {START_LIMIT_S} s: {error}")
            time.sleep(0.1)


def embed(url, texts):
    """The vectors of `texts`, in their order, and the milliseconds that the request took."""
    body = json.dumps({"input": texts}).encode()
    request = urllib.request.Request(
        f"{url}/v1/embeddings", body, {"Content-Type": "application/json"}
    )
    start = time.perf_counter()
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = json.load(response)
    took_ms = (time.perf_counter() - start) * 1e3
    return [row["embedding"] for row in answer["data"]], took_ms


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def main(url):
    texts = json.loads(pathlib.Path(__file__).with_name("demo_texts.json").read_text("utf-8"))
    documents, queries = texts["documents"], texts["queries"]
    wait_until_healthy(url)

    vectors, took_ms = embed(url, documents)
    print(f"\n{len(documents)} documents in one request: {took_ms:.1f} ms")
    for query in queries:
        (vector,), took_ms = embed(url, [query])
        scores = sorted(((dot(vector, v), d) for v, d in zip(vectors, documents)), reverse=True)
        print(f"\n{query}  ({took_ms:.1f} ms)")
        for score, document in scores[:MATCHES_SHOWN]:
            print(f"  {score:6.3f}  {document}")

    print("\nTry it:")
    print(f"  curl {url}/v1/embeddings -H 'Content-Type: application/json' \\")
    print("    -d '{\"input\": \"Where do swallows spend the winter?\"}'\n", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
