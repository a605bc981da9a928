# SPDX-License-Identifier: Apache-2.0
"""Every row of a table has what it needs: a diagnostic its golden text, a pass its golden tests, an intrinsic of kernels a
script that calls it, an operator of ONNX what it takes, an item model of the desktop program a state of its pictures. (An intrinsic without an emulation does
not link, one without a spelling does not compile.)"""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house
from harness import tables

# What no golden file can show.
NO_GOLDEN = {
    "evaluation-ended",  # by a script that none should be able to write: tests/unit/live/rehearsal_test.cpp and tests/lsp
    "internal-error",  # a bug of ours is what it reports
    "cancelled",  # by Ctrl-C: tests/harness/cli_test.py and tests/unit/host/budget_test.cpp
    "emulation-cancelled",  # by Ctrl-C, which says nothing itself: tests/harness/cli_test.py and tests/unit/vm/basic_test.cpp
    "read-only-memory",  # scripts have no parameters that take text; callers of the machine can: tests/unit/vm/basic_test.cpp
    "syntax-file-too-big",  # takes megabytes of text: tests/unit/syntax/robust_test.cpp
}


def check_diagnostics():
    seen = set()
    for path in house.files(".txt", ".expected", under="tests/golden/"):
        seen |= set(re.findall(r"\[([a-z][a-z0-9-]+)\]$|\"id\": ?\"([a-z0-9-]+)\"", house.read(path), re.MULTILINE))
    seen = {word for pair in seen for word in pair if word}
    for path in house.files(".def", under="lang/base/diagnostics/"):
        for row in tables.macro_rows(house.read(path), "HIDET_DIAGNOSTIC"):
            name = row[1].strip('"')
            if name not in seen and name not in NO_GOLDEN:
                yield f"{path}: no golden file shows [{name}]"


def check_passes():
    for row in tables.macro_rows(house.read("compiler/transform/passes.def"), "HIDET_PASS"):
        name = next(cell for cell in row if cell.startswith('"')).strip('"')
        if not glob.glob(os.path.join(house.ROOT, "tests/golden/passes", name, "*.txt")):
            yield f"compiler/transform/passes.def: no golden test in tests/golden/passes/{name}/"


def check_intrinsics():
    scripts = house.files(".txt", under="tests/golden/script/") + house.files(".py", under="tests/run/")
    called = set(re.findall(r"\b(\w+)\(", "\n".join(house.read(path) for path in scripts)))
    for path in house.files(".def", under="compiler/ir/intrinsics/"):
        for row in tables.macro_rows(house.read(path), "HIDET_INTRINSIC"):
            group, _, name = row[1].strip('"').partition(".")
            if group == "cuda" and name not in called:
                yield f"{path}: no script of the tests calls {name}()"


def check_operands():
    """What the standard gives each operator of ONNX."""
    folder = "compiler/graph/onnx/"
    text = house.read(folder + "onnx_operands.def")
    takes = {tuple(row[:2]) for macro in ("HIDET_ONNX_TAKES", "HIDET_ONNX_REMOVED") for row in tables.macro_rows(text, macro)}
    text = house.read(folder + "onnx_ops.def")
    for row in [row for macro in ("HIDET_ONNX_OP", "HIDET_ONNX_AS", "HIDET_ONNX_ADDS") for row in tables.macro_rows(text, macro)]:
        if tuple(row[:2]) not in takes:
            yield f"{folder}onnx_operands.def: no row says what {row[1]} takes: run make_operands.py"


MODEL = re.compile(r"\bclass (\w+)(?: final)? : public Q(?:Abstract(?:Item|List|Table)Model|StandardItemModel|StringListModel|\w*ProxyModel)\b")


def check_item_models():
    """Qt's tester watches every model that a state shows (tests/ui/screens_test.cpp)."""
    shown = "\n".join(house.read(path) for path in house.files(".txt", under="tests/ui/screens/"))
    tested = {name for line in re.findall(r" model=(.*)$", shown, re.MULTILINE) for name in line.split(" of ")}
    for path in house.files(".h", ".cpp", under="app/ui/"):
        for name in MODEL.findall(house.read(path)):
            if name not in tested:
                yield f"{path}: no state of app/ui/screenshots/states.def shows {name}, so that nothing tests it"


house.finish([*check_diagnostics(), *check_passes(), *check_intrinsics(), *check_operands(), *check_item_models()])
