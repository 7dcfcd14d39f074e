"""check_layers.py finds each kind of violation when one is planted, and nothing in a sound tree."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import check_layers


def faults(files):
    """What the check prints for a tree that holds `files` (path → text), and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {"src/common/a.h": "", "apps/parterre/main.cc": "", **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = check_layers.main(root)
    return printed.getvalue(), code


class CheckLayersTest(unittest.TestCase):
    def test_sound_tree(self):
        tree = {
            "src/rose/models/bert.cc": '#include <vector>\n#include "rose/layers/norm.h"\n',
            "src/rose/models/bert_test.cc": '#include "rose/cpu/cpu_ops.h"\n',
            "src/rose/kernels/add.cu": "#include <cuda_bf16.h>\n#include <cub/cub.cuh>\n",
            "src/rose/kernels/add_test.cc":
                '#include <gtest/gtest.h>\n#include "rose/core/ops.h"\n',
            "src/rose/runtime/backends.cc": "#if ROSE_CUDA\n#endif\n",
            "src/ivy/http/server.cc":
                '#include <boost/beast.hpp>\n#include "absl/status/status.h"\n',
            "apps/parterre/serve.cc": '#include "serve.h"\n#include "tulip/server.h"\n',
        }
        self.assertEqual(faults(tree), ("", 0))

    def expect(self, path, line, message):
        self.assertEqual(faults({path: "\n" + line}), (f"{path}:2: {message}\n", 1))

    def test_layers_may_not_include_models(self):
        self.expect("src/rose/layers/mlp.h", '#include "rose/models/bert.h"',
                    "rose/layers may not include rose/models/bert.h")

    def test_ivy_may_not_include_tulip_or_rose_even_in_a_test(self):
        self.expect("src/ivy/api/embed.cc", '#include "tulip/pool.h"',
                    "ivy may not include tulip/pool.h")
        self.expect("src/ivy/api/embed_test.cc", "#include <rose/core/batch.h>",
                    "ivy may not include rose/core/batch.h")

    def test_generated_messages_stop_at_grpc(self):
        header = "proto/tulip/v1/tulip.pb.h"
        alone = "may be included in wire/grpc, tulip/grpc, ivy/grpc alone"
        for folder in ("wire", "ivy/job", "ivy/replica", "tulip"):
            self.expect(f"src/{folder}/a.cc", f'#include "{header}"', f"{header} {alone}")
        self.assertEqual(faults({"src/ivy/grpc/a.cc": f'#include "{header}"\n'}), ("", 0))

    def test_ivy_and_tulip_do_not_meet_over_grpc_either(self):
        self.expect("src/ivy/grpc/a_test.cc", '#include "tulip/grpc/server.h"',
                    "ivy/grpc may not include tulip/grpc/server.h")
        self.expect("src/tulip/grpc/a_test.cc", '#include "ivy/grpc/grpc_replica.h"',
                    "tulip/grpc may not include ivy/grpc/grpc_replica.h")

    def test_common_includes_nothing_of_ours(self):
        self.expect("src/common/log.cc", '#include "hub/config.h"',
                    "common may not include hub/config.h")

    def test_kernels_include_no_common(self):
        self.expect("src/rose/kernels/add.h", '#include "common/status.h"',
                    "rose/kernels may not include common/status.h")
        self.expect("src/rose/kernels/add.h", '#include "absl/status/status.h"',
                    "rose/kernels may not include absl/status/status.h")

    def test_kernels_share_the_words_of_core_alone(self):
        self.assertEqual(
            faults({"src/rose/kernels/add.h": '#include "rose/core/op_params.h"\n'}), ("", 0))
        self.expect("src/rose/kernels/add.h", '#include "rose/core/ops.h"',
                    "rose/kernels may not include rose/core/ops.h")

    def test_headers_that_include_gtest_are_for_tests_alone(self):
        tree = {
            "src/rose/kernels/cases.h": '#include <gtest/gtest.h>\n#include "rose/core/ops.h"\n',
            "src/rose/kernels/more_cases.h": '#include "rose/kernels/cases.h"\n',
            "src/rose/kernels/add_test.cc": '#include "rose/kernels/more_cases.h"\n',
        }
        self.assertEqual(faults(tree), ("", 0))
        code = {"src/rose/kernels/add.cu": '#include "rose/kernels/more_cases.h"\n'}
        self.assertEqual(
            faults({**tree, **code}),
            ("src/rose/kernels/add.cu:1: rose/kernels/more_cases.h is for tests alone\n", 1))

    def test_foreign_headers_stop_at_their_folder(self):
        self.expect("src/rose/runtime/engine.cc", "#  include <cuda_runtime.h>",
                    "cuda_runtime.h may be included in rose/kernels, rose/cuda, "
                    "rose/runtime/cuda, bench/kernels alone")

    def test_paths_start_at_src(self):
        for header in ("bpe.h", "../text/bpe.h"):
            tree = {"src/text/bpe.h": "", "src/text/bpe.cc": f'#include "{header}"'}
            self.assertEqual(
                faults(tree),
                (f'src/text/bpe.cc:1: "{header}": paths of ours start at src/\n', 1))

    def test_conditional_compilation(self):
        message = "conditional compilation: choose at run time or in the build instead"
        self.expect("src/rose/models/bert.cc", "#ifdef ROSE_CUDA", message)
        self.expect("src/text/bpe.cc", "# if 0", message)

    def test_unknown_folder(self):
        self.assertEqual(
            faults({"src/utils/misc.h": ""}),
            ("src/utils/misc.h:1: stands in a folder that check_layers.py does not know\n", 1))


if __name__ == "__main__":
    unittest.main()
