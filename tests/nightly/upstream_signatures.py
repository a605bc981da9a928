#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names and order of the parameters of hidet.ops, against a checkout of the published package. What differs is listed in
upstream_signatures.txt with its reason; a row that holds no more is told as well.

    upstream_signatures.py [--upstream FOLDER]     (or HIDET_UPSTREAM; without one it is skipped)
"""

import argparse
import ast
import glob
import inspect
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "build", "dev", "python"), os.path.join(ROOT, "build", "wheels", "python")]
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "upstream_signatures.txt")


def published(folder):
    """name -> (names by place, names by keyword alone) of what hidet.graph.ops gives"""
    ops = os.path.join(folder, "python", "hidet", "graph", "ops")
    functions = {}
    for path in sorted(glob.glob(os.path.join(ops, "**", "*.py"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            for node in ast.parse(file.read()).body:
                if isinstance(node, ast.FunctionDef):
                    functions.setdefault(node.name, node)
    with open(os.path.join(ops, "__init__.py"), encoding="utf-8") as file:
        imports = [node for node in ast.parse(file.read()).body if isinstance(node, ast.ImportFrom)]
    names = [alias.asname or alias.name for node in imports for alias in node.names]
    return {name: _taken(functions[name].args) for name in names if name in functions}


def _taken(arguments):
    """A parameter that goes by place alone has no name that callers use: None."""
    by_place = [None for _ in arguments.posonlyargs] + [each.arg for each in arguments.args]
    return by_place, [each.arg for each in arguments.kwonlyargs]


def difference(hidet, name, by_place, by_name):
    """What a caller of the published function would notice; None: nothing."""
    function = getattr(hidet.ops, name, None)
    if function is None:
        return "missing"
    try:
        ours = inspect.signature(function).parameters
    except ValueError:
        return "does not say what it takes"
    places = [each.name for each in ours.values() if each.kind == each.POSITIONAL_OR_KEYWORD]
    takes_any = any(each.kind == each.VAR_POSITIONAL for each in ours.values())
    lacking = [each for each in by_place + by_name if each and each not in ours]
    if lacking and not takes_any:
        return "takes no " + ", ".join(lacking)
    is_same = len(places) >= len(by_place) and all(name in (None, own) for name, own in zip(by_place, places))
    if not is_same and not takes_any:
        return f"takes ({', '.join(places)}) by place"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--upstream", default=os.environ.get("HIDET_UPSTREAM", ""))
    upstream = parser.parse_args().upstream
    if not upstream:
        print("  skipped: no checkout of the published package is named")
        return 0
    import hidet

    with open(LIST, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(" | ") for line in file if line.strip() and not line.startswith("#")]
    accepted = {name: what for name, what, _ in rows}
    functions = published(upstream)
    found = {name: what for name, taken in functions.items() if (what := difference(hidet, name, *taken))}
    problems = [f"{name} | {what} | " for name, what in sorted(found.items()) if accepted.get(name) != what]
    problems += [f"{name}: differs no more, take it off the list" for name in accepted if name not in found]
    print("\n".join(problems) if problems else f"{len(functions)} functions, of which {len(found)} differ as listed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
