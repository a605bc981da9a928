# SPDX-License-Identifier: Apache-2.0
"""Includes and link lines point one way, down the tables of layers and rooms, and foreign headers stay where they belong."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

# Layer -> folders (the longest prefix wins), and the layers it may see.
LAYERS = {
    "base": (["lang/base"], []),
    "ir": (["compiler/ir"], ["base"]),
    "tensor": (["lang/tensor"], ["base", "ir"]),
    "lang": (["lang", "grammar"], ["base", "ir", "tensor"]),
    "artifact": (["compiler/artifact"], ["base", "runtime"]),
    "compiler": (["compiler"], ["base", "ir", "artifact"]),
    "perf": (["compiler/perf"], ["base", "ir", "artifact", "compiler"]),
    "graph": (
        ["compiler/graph", "compiler/schedule", "compiler/tune"],
        ["base", "ir", "tensor", "lang", "artifact", "compiler", "perf", "runtime"],
    ),
    "drawing": (["app/session/drawing"], ["base"]),
    "runtime": (["runtime/package", "runtime/operators", "runtime/capi"], []),
    "device": (["runtime"], ["base", "artifact", "runtime"]),
    "session": (
        ["app/session"],
        ["base", "ir", "tensor", "lang", "artifact", "compiler", "perf", "graph", "drawing", "runtime", "device"],
    ),
    "python": (["app/python"], ["base", "ir", "tensor", "lang", "graph", "session", "cli"]),
    "lsp": (["app/lsp"], ["base", "session"]),
    "dap": (["app/dap"], ["base", "session", "lsp"]),
    "mcp": (["app/mcp"], ["base", "session", "device"]),
    "cli": (["app/cli"], ["base", "session", "lsp", "dap", "mcp"]),
    "ui": (["app/ui"], ["base", "drawing", "session"]),
}
# The rooms of a layer, from the ground up: folder -> the rooms before it that it may include. A folder that is not named
# belongs to the room around it. Beside the rooms lies the front of a tree, on top of all of them.
FRONTS = {"app/session": ["session.h"], "app/ui": ["main.cpp"], "compiler": []}
UI_GROUND = "core document code live widgets charts workbench"
UI_FEATURES = (
    "editor run panes mapping tensors graph/tables graph/fusion graph/canvas graph/runs graph/compare graph/inspector graph/charts"
    " graph/code graph/passes graph/tune graph"
)
SESSION_ASKED = "snapshot tools request"
IR_PASSES = "ir analysis simplify transform"
GRAPH_GROUND = "ir graph/core graph/names"
ROOMS = {
    "app/ui": {
        "core": "",
        "document": "core",
        "code": "core",
        "live": "core document code",
        "widgets": "core code",
        "charts": "core",
        "workbench": "core document code live widgets charts",
        "editor": UI_GROUND,
        "run": UI_GROUND,
        "panes": UI_GROUND,
        "mapping": UI_GROUND + " editor",
        "tensors": UI_GROUND,
        "graph/tables": UI_GROUND,
        "graph/fusion": UI_GROUND + " graph/tables",
        "graph/canvas": UI_GROUND + " graph/fusion",
        "graph/runs": UI_GROUND + " run",
        "graph/compare": UI_GROUND + " run graph/runs graph/canvas",
        "graph/inspector": UI_GROUND + " graph/tables graph/canvas",
        "graph/charts": UI_GROUND + " run graph/runs graph/canvas",
        "graph/code": UI_GROUND + " panes",
        "graph/passes": UI_GROUND + " panes graph/tables",
        "graph/tune": UI_GROUND + " panes graph/code graph/runs",
        "graph": UI_GROUND + " graph/canvas graph/compare",
        "docks": UI_GROUND + " " + UI_FEATURES,
        "exporting": UI_GROUND + " graph/code",
        "palette": UI_GROUND,
        "persistence": UI_GROUND + " editor",
        "pages": UI_GROUND + " persistence exporting",
        "window": UI_GROUND + " " + UI_FEATURES + " docks palette persistence exporting pages",
        "screenshots": UI_GROUND + " " + UI_FEATURES + " palette exporting pages window",
        "program": UI_GROUND + " persistence window screenshots",
    },
    "app/session": {
        "snapshot": "",
        "view": "snapshot",
        "drawing": "",
        "figure": "snapshot drawing",
        "tensor": "snapshot view",
        "tools": "snapshot",
        "request": "snapshot tools",
        "work": SESSION_ASKED,
        "execute": SESSION_ASKED + " work",
        "compare": "execute",
        "plan": SESSION_ASKED + " work execute compare",
        "baselines": "tools execute",
        "tune": SESSION_ASKED + " work execute compare plan baselines",
        "package": SESSION_ASKED + " work execute compare plan",
        "script": SESSION_ASKED + " work execute plan tune package",
        "machine": "snapshot",
        "debug": SESSION_ASKED + " work execute script",
        "forms": SESSION_ASKED + " work machine",
        "preview": SESSION_ASKED + " work script forms",
        "bench": SESSION_ASKED + " work execute compare script baselines",
        "kernel_bench": SESSION_ASKED + " work execute compare script bench",
        "model": SESSION_ASKED + " tensor view drawing work execute compare plan tune package script forms preview bench kernel_bench",
        "exporting": SESSION_ASKED + " view work execute compare plan script forms preview bench kernel_bench model package",
        "explain": SESSION_ASKED + " work execute script forms preview bench kernel_bench",
        "profile": SESSION_ASKED + " work script preview explain",
        "prove": SESSION_ASKED + " work preview explain",
        "picture": SESSION_ASKED + " view drawing figure bench model explain",
        "fields": SESSION_ASKED + " view tensor work script preview bench kernel_bench explain profile prove model package exporting",
        "report": SESSION_ASKED + " work execute script drawing figure preview bench kernel_bench model explain prove picture fields",
        "worker": SESSION_ASKED + " work tune script preview bench kernel_bench explain profile prove model package exporting fields",
        "fleet": SESSION_ASKED + " work tune script preview bench kernel_bench explain profile prove model package exporting fields worker",
        "reduce": SESSION_ASKED + " work preview kernel_bench worker",
        "live": SESSION_ASKED + " view work execute script forms preview bench kernel_bench explain prove",
    },
    "compiler": {
        "artifact": "",
        "ir": "",
        "analysis": "artifact ir",
        "perf": "artifact ir analysis",
        "prove": "ir",
        "simplify": "ir analysis",
        "transform": "artifact ir analysis simplify",
        "codegen/bytecode": "artifact ir",
        "codegen/text": "artifact " + IR_PASSES,
        "codegen/cuda": "artifact codegen/text " + IR_PASSES,
        "codegen/cpp": "artifact codegen/text " + IR_PASSES,
        "graph/core": "ir simplify",
        "graph/names": "ir graph/core",
        "graph/ops": GRAPH_GROUND,
        "graph/interpreter": GRAPH_GROUND,
        "schedule": "artifact perf graph/core " + IR_PASSES,
        "graph/fuse": "artifact " + GRAPH_GROUND + " analysis perf transform schedule",
        "graph/text": GRAPH_GROUND + " graph/fuse",
        "graph/split": "artifact " + GRAPH_GROUND + " perf",
        "graph/passes": GRAPH_GROUND + " schedule graph/interpreter graph/fuse graph/text graph/split",
        "graph/document": GRAPH_GROUND + " perf schedule graph/fuse graph/passes graph/text",
        "graph/plan": "artifact " + GRAPH_GROUND + " schedule graph/interpreter graph/fuse graph/passes",
        "tune": "artifact perf " + GRAPH_GROUND + " schedule graph/fuse graph/document graph/plan",
        "graph/onnx": "artifact " + GRAPH_GROUND + " graph/ops graph/interpreter",
        "graph/script": "artifact schedule " + GRAPH_GROUND + " graph/interpreter graph/passes graph/plan graph/onnx graph/text",
    },
}
# Headers without sources, which a layer may include though it links nothing of theirs.
HEADERS_ALONE = {"runtime": house.RUNTIME_HEADERS}
FOLDERS = {folder: layer for layer, (folders, _) in LAYERS.items() for folder in folders}
TOP_FOLDERS = ("app/", "compiler/", "grammar/", "lang/", "runtime/", "tests/")

# Pattern of an include -> where alone it may stand, and why.
FOREIGN = [
    (r"antlr4", ("lang/parse/", "grammar/"), "ANTLR stays behind lang/parse"),
    (r"Q[A-Z]\w*(/.*)?$|Qsci/", ("app/ui/", "tests/ui/"), "Qt stays in app/ui"),
    (r"cuda(_\w+)?\.h$|nvrtc\.h$|cuda\w*\.hpp?$", ("runtime/", "tests/unit/cuda/"), "CUDA's headers stay in runtime"),
    (r"google/protobuf|.*\.pb\.h$", ("compiler/graph/onnx/proto_reader.cpp",), "protobuf stays behind one file"),
    (r"lang/host/", ("lang/", "compiler/graph/script/", "app/", "tests/"), "graphs do not know the evaluator of scripts, but for graph/script"),
    (r"regex$", (), "<regex> costs a second of compile time a file"),
]
# What a header may not include, because every file that includes it would pay.
HEAVY = [r"nlohmann/json\.hpp$", r"spdlog/", r"fmt/", r"CLI/", r"iostream$"]


def layer_of(path):
    folder = os.path.dirname(path)
    while folder:
        if folder in FOLDERS:
            return FOLDERS[folder]
        folder = os.path.dirname(folder)
    return None


def room_of(path):
    """The tree of rooms in which a file lies, and its room: None beside the rooms."""
    tree = next((tree for tree in ROOMS if path.startswith(tree + "/")), None)
    folder = os.path.dirname(path)
    while tree and folder != tree:
        room = folder[len(tree) + 1 :]
        if room in ROOMS[tree]:
            return tree, room
        folder = os.path.dirname(folder)
    return tree, None


def check_rooms():
    """Arrows point down, and every folder of a tree belongs to a room."""
    for tree, rooms in ROOMS.items():
        above = set()
        for room, others in rooms.items():
            above.add(room)
            if not os.path.isdir(os.path.join(house.ROOT, tree, room)):
                yield f"{tree}/{room} is a room of tests/lint/check_layers.py, but no folder"
            for other in others.split():
                if other not in above:
                    yield f"tests/lint/check_layers.py: '{room}' may not include '{other}', which stands above it"
    for path in house.files(".cpp", ".h", ".def"):
        tree, room = room_of(path)
        if tree and not room and path not in [f"{tree}/{front}" for front in FRONTS[tree]]:
            yield f"{path} belongs to no room of tests/lint/check_layers.py"


def check_room(path, place, target):
    tree, room = room_of(path)
    other_tree, other = room_of(target)
    if not room or tree != other_tree or room == other:
        return
    if not other:
        yield f"{place}: '{room}' may not include {target}, which stands on top of the rooms"
    elif other not in ROOMS[tree][room].split():
        yield f"{place}: '{room}' may not include '{other}' ({target})"


def check_file(path):
    layer = layer_of(path)
    for number, line in enumerate(house.read(path).split("\n"), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not found:
            continue
        place, (kind, target) = f"{path}:{number}", found.groups()
        for pattern, allowed, why in FOREIGN:
            if re.match(pattern, target) and not path.startswith(allowed or ("\0",)):
                yield f"{place}: {target}: {why}"
        if path.endswith(".h"):
            for pattern in HEAVY:
                if re.match(pattern, target):
                    yield f"{place}: {target} is too heavy for a header"
        if kind == '"':
            yield from check_own(path, place, layer, target)
            yield from check_room(path, place, target)


def check_own(path, place, layer, target):
    if not target.startswith(TOP_FOLDERS):
        if not os.path.exists(os.path.join(house.ROOT, target)) and path.startswith(("lang/parse/", "grammar/")):
            return  # generated by ANTLR
        if target == os.path.basename(path).replace(".cpp", ".moc"):
            return  # generated by Qt
        yield f"{place}: {target}: includes are rooted at the top of the tree"
        return
    other = layer_of(target)
    if not path.startswith("tests/") and target.startswith("tests/"):
        yield f"{place}: {target}: nothing depends on tests"
    elif layer and other and other != layer and other not in LAYERS[layer][1] and target not in HEADERS_ALONE.get(layer, []):
        yield f"{place}: layer '{layer}' may not include '{other}' ({target})"


def check_links():
    """`hidet_layer(hidet_x USES hidet_y ...)` against the same table."""
    for path in house.files("CMakeLists.txt"):
        for found in re.finditer(r"hidet_layer\(\s*hidet_(\w+)\s+(.*?)\)", house.read(path), re.DOTALL):
            layer, body = found.groups()
            uses = re.search(r"USES(.*?)(SOURCES|$)", body, re.DOTALL)
            if layer not in LAYERS:
                yield f"{path}: hidet_{layer} is no layer of the table in tests/lint/check_layers.py"
                continue
            for other in re.findall(r"hidet_(\w+)", uses.group(1) if uses else ""):
                if other not in LAYERS[layer][1]:
                    yield f"{path}: hidet_{layer} may not link hidet_{other}"


problems = [text for path in house.files(".cpp", ".h", ".def") for text in check_file(path)]
house.finish(problems + list(check_links()) + list(check_rooms()))
