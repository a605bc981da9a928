# SPDX-License-Identifier: Apache-2.0
"""A package with several entries of one model stores each weight once, and hidet-run describes and runs each of them.

    entries_test.py PROGRAMS      the folder of hidetc and hidet-run
"""

import json
import os
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import run  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "tests", "models", "mlp", "mlp.onnx")


def weights_of(package):
    with zipfile.ZipFile(package) as archive:
        return sorted(name for name in archive.namelist() if name.startswith("weights/"))


def main():
    hidetc, hidet_run = (os.path.join(sys.argv[1], name) for name in ("hidetc", "hidet-run"))
    with tempfile.TemporaryDirectory() as folder:
        both, one = os.path.join(folder, "both.hidet"), os.path.join(folder, "one.hidet")
        run(hidetc, "export", MODEL, "--target", "cpu", "--entry", "small:batch=1", "--entry", "large:batch=8", "-o", both)
        run(hidetc, "export", MODEL, "--target", "cpu", "--dim", "batch=1", "-o", one)
        if weights_of(both) != weights_of(one):
            sys.exit(f"two entries of one model have the weights {weights_of(both)}, and one has {weights_of(one)}")
        entries = json.loads(run(hidet_run, "describe", both, "--json"))["entries"]
        shapes = {entry["name"]: entry["inputs"][0]["shape"][0] for entry in entries}
        if shapes != {"small": 1, "large": 8}:
            sys.exit(f"the entries are described as {shapes}")
        run(hidet_run, "verify", both)
        for entry, rows in shapes.items():
            text = run(hidet_run, "run", both, "--trust", "--entry", entry)
            if f"float32[{rows}, 4]" not in text:
                sys.exit(f"entry '{entry}' gives\n{text}")
        if run(hidet_run, "run", both, "--trust") != run(hidet_run, "run", both, "--trust", "--entry", "small"):
            sys.exit("without a name, another entry than the first runs")


main()
