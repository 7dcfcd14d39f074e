"""Every output of the suite's models, through the routes that give it, against the reference."""

import base64
import json
import math
import struct
import unittest

import harness

FOLDERS = (harness.DATA / "models", harness.SHARED / "cases/models")
RERANKERS = ("bert-reranker", "qwen3-reranker", "xlm-roberta-reranker", "modernbert-reranker",
             "qwen3-reranker-seqcls")


def find(name):
    """The suite's folder: the copy beside the tests, else the shared suite's, else None."""
    return next((root / name for root in FOLDERS if (root / name).is_dir()), None)


def sigmoid(logit):
    return 1 / (1 + math.exp(-logit))


def tensors(file):
    """The tensors of a safetensors file, flat; float32, int8 and uint8. Without a file: none."""
    if not file.exists():
        return {}
    data = file.read_bytes()
    header_end = 8 + struct.unpack("<Q", data[:8])[0]
    formats = {"F32": "f", "I8": "b", "U8": "B"}
    found = {}
    for name, entry in json.loads(data[8:header_end]).items():
        if name != "__metadata__":
            begin, end = (header_end + offset for offset in entry["data_offsets"])
            item = formats[entry["dtype"]]
            count = (end - begin) // struct.calcsize(item)
            found[name] = struct.unpack(f"<{count}{item}", data[begin:end])
    return found


class OutputsTest(unittest.TestCase):
    def serve(self, name):
        """A server with the limit that the cases were made with, the cases, and their tensors."""
        folder = find(name)
        if folder is None:
            harness.skip(f"no {FOLDERS[1] / name}")
        cases = json.loads((folder / "cases.json").read_text("utf-8"))
        server = self.enterContext(harness.Server(
            folder, "--dtype", "float32", "--max-length", cases["max_length"]))
        return server, cases, tensors(folder / (cases["expected_file"] or "none"))

    def post(self, server, path, body):
        answer = server.post(path, body)
        self.assertEqual(answer.status, 200, answer.body[:500])
        return answer.json()

    def test_bug59_rerankers(self):
        for name in RERANKERS:
            with self.subTest(name):
                server, cases, _ = self.serve(name)
                self.assertEqual(server.get("/info").json()["task"], "rerank")
                self.expect_scores(server, cases)

    def expect_scores(self, server, cases):
        limit = cases["tolerance"]["fp32"]["max_abs_logit"]
        for pair in cases["pairs"]:
            body = {"query": pair["query"], "texts": [pair["document"]], "raw_scores": True}
            if "instruction" in pair:
                body["instruction"] = pair["instruction"]
            raw = self.post(server, "/rerank", body)[0]["score"]
            self.assertAlmostEqual(raw, pair["logit"], delta=limit, msg=pair["name"])
            score = self.post(server, "/rerank", {**body, "raw_scores": False})[0]["score"]
            plain = cases["activation"] == "identity"
            self.assertAlmostEqual(score, raw if plain else sigmoid(raw), delta=1e-6)
        self.expect_ranking(server, cases, limit)

    def expect_ranking(self, server, cases, limit):
        """All documents of one query in one request, in both shapes."""
        query = cases["pairs"][0]["query"]
        pairs = [p for p in cases["pairs"] if p["query"] == query and "instruction" not in p]
        documents = [p["document"] for p in pairs]
        ranks = self.post(server, "/rerank", {"query": query, "texts": documents,
                                              "raw_scores": True})
        self.assertEqual(sorted(rank["index"] for rank in ranks), list(range(len(pairs))))
        scores = [rank["score"] for rank in ranks]
        self.assertEqual(scores, sorted(scores, reverse=True))
        for rank in ranks:
            self.assertAlmostEqual(rank["score"], pairs[rank["index"]]["logit"], delta=limit)
        best = self.post(server, "/v1/rerank", {"query": query, "documents": documents,
                                                "top_n": 2})["results"]
        self.assertEqual([r["index"] for r in best], [r["index"] for r in ranks[:2]])
        self.assertEqual([r["document"]["text"] for r in best],
                         [documents[r["index"]] for r in best])

    def test_classifier(self):
        server, cases, _ = self.serve("roberta-classification")
        labels = cases["labels"]
        items = [[c["text"], c["pair"]] if "pair" in c else [c["text"]] for c in cases["classify"]]
        limit = cases["tolerance"]["fp32"]["max_abs_logit"]
        for raw_scores, key in ((True, "logits"), (False, "softmax")):
            answers = self.post(server, "/predict", {"inputs": items, "raw_scores": raw_scores})
            for case, answer in zip(cases["classify"], answers, strict=True):
                scores = {entry["label"]: entry["score"] for entry in answer}
                for label, expected in zip(labels, case[key], strict=True):
                    self.assertAlmostEqual(scores[label], expected, delta=limit, msg=case["name"])
        refused = server.post("/embed", {"inputs": "a"})
        self.assertEqual(refused.status, 424)
        self.assertIn("classifier", refused.json()["error"])

    def test_three_outputs_of_one_pass(self):
        server, cases, expected = self.serve("xlm-roberta")
        by_name = {case["name"]: case for case in cases["inputs"]}
        for head in cases["heads"]["inputs"]:
            case = by_name[head["input"]]
            row = self.post(server, "/v1/embeddings", {
                "input": [case["input_ids"]], "outputs": ["dense", "sparse", "colbert"]})["data"][0]
            self.assertGreaterEqual(
                harness.cosine(row["embedding"], expected[case["outputs"]["embedding"]]), 0.999999)
            weights = {str(w["index"]): w["value"] for w in row["sparse_embedding"]}
            self.assertEqual(set(weights), set(head["lexical"]))
            for token, weight in head["lexical"].items():
                self.assertAlmostEqual(weights[token], weight, delta=1e-4)
            flat = [value for vector in row["colbert"] for value in vector]
            for a, b in zip(flat, expected[head["colbert"]], strict=True):
                self.assertAlmostEqual(a, b, delta=1e-4)
            sparse = self.post(server, "/embed_sparse", {"inputs": case["input_ids"]})[0]
            self.assertEqual(sparse, row["sparse_embedding"])
            tokens = self.post(server, "/embed_all", {"inputs": case["input_ids"]})[0]
            self.assertEqual(len(tokens), case["length"])

    def test_rounded_vectors(self):
        server, cases, expected = self.serve("pplx-embed")
        limit = cases["tolerance"]["fp32"]["max_abs"]
        for case in cases["inputs"]:
            ask = {"input": [case["input_ids"]]}
            eight = self.post(server, "/v1/embeddings", {**ask, "output_dtype": "int8"})
            for a, b in zip(eight["data"][0]["embedding"], expected[case["outputs"]["int8"]],
                            strict=True):
                self.assertLessEqual(abs(a - b), 1, case["name"])
            packed = self.post(server, "/v1/embeddings", {**ask, "output_dtype": "ubinary",
                                                          "encoding_format": "base64"})
            lowest = self.post(server, "/v1/embeddings",
                               {**ask, "encoding_format": "base64_binary"})
            bits = base64.b64decode(packed["data"][0]["embedding"])
            mirrored = base64.b64decode(lowest["data"][0]["embedding"])
            self.assertEqual(bytes(int(f"{byte:08b}"[::-1], 2) for byte in mirrored), bits)
            for i, value in enumerate(expected[case["outputs"]["pooled"]]):
                if abs(value) > limit:
                    self.assertEqual(bits[i // 8] >> (7 - i % 8) & 1, value >= 0, (case["name"], i))


if __name__ == "__main__":
    harness.main()
