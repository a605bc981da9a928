#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of `hidetc dap` with every message held against the published schema of the protocol, which a package of PyPI has; and
whether the small one of the suite (tests/dap/protocol.json) allows nothing that the published one does not."""

import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
import from_pypi

TESTS = os.path.join(from_pypi.ROOT, "tests", "dap")
sys.path.insert(0, TESTS)
from schema import Schema


def parts(schema, definitions):
    """All that a definition asks of an object: (properties, required)."""
    found = [parts(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)] if "$ref" in schema else []
    found += [parts(part, definitions) for part in schema.get("allOf", [])]
    found.append((schema.get("properties", {}), set(schema.get("required", []))))
    properties, required = {}, set()
    for more, needed in found:
        for name, value in more.items():
            properties.setdefault(name, []).append(value)
        required |= needed
    return {name: values[-1] for name, values in properties.items()}, required


def wider(ours, published, own, other, where):
    """Where ours allows what the published one does not."""
    mine, needed = parts(ours, own)
    theirs, their_needed = parts(published, other)
    if mine and theirs:
        yield from (f"{where}.{name}: not in the protocol" for name in mine.keys() - theirs.keys())
        yield from (f"{where}.{name}: the protocol requires it" for name in their_needed - needed)
    for name in mine.keys() & theirs.keys():
        yield from wider(mine[name], theirs[name], own, other, f"{where}.{name}")
    if "items" in ours and "items" in published:
        yield from wider(ours["items"], published["items"], own, other, where + "[]")


def words(folder):
    path = next(glob.iglob(os.path.join(folder, "**", "_debug_adapter", "debugProtocol.json"), recursive=True))
    own, other = Schema(os.path.join(TESTS, "protocol.json")).definitions, Schema(path).definitions
    found = [text for name in own for text in wider(own[name], other[name], own, other, name)
             if not name.startswith("LaunchRequest")]  # whose arguments are the adapter's own
    print("\n".join(found) or f"{len(own)} definitions of protocol.json are no wider than the published ones")
    if found:
        sys.exit(1)
    return [os.path.join(TESTS, "dap_test.py"), "--bin", os.path.dirname(from_pypi.HIDETC), "--schema", path]


sys.exit(from_pypi.run("debugpy==1.8.22", words))
