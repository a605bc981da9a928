# SPDX-License-Identifier: Apache-2.0
"""The map in the README is the tree: every folder of the first two levels is there, and every line of it exists. Each top
folder has a README, and links between Markdown files lead somewhere."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house


def mapped_paths():
    """Paths of the block below '## The map': names are indented by two blanks a level."""
    found = re.search(r"^## The map\n.*?```\w*\n(.*?)```", house.read("README.md"), re.MULTILINE | re.DOTALL)
    if not found:
        return []
    paths, stack = [], []
    for line in found.group(1).split("\n"):
        name = re.match(r"( *)(\S+)", line)
        if not name:
            continue
        level = len(name.group(1)) // 2
        stack = stack[:level] + [name.group(2).rstrip("/")]
        paths.append("/".join(stack))
    return paths


def check_map():
    paths = mapped_paths()
    if not paths:
        yield "README.md: no '## The map' with a code block"
        return
    tree = house.files()
    for path in paths:
        if not os.path.exists(os.path.join(house.ROOT, path)):
            yield f"README.md: the map names {path}, which does not exist"
    folders = {"/".join(path.split("/")[:depth]) for path in tree for depth in (1, 2) if path.count("/") >= depth}
    for folder in sorted(folders - set(paths)):
        if not folder.startswith("."):
            yield f"README.md: the map lacks {folder}/"


def check_readmes():
    for folder in sorted({path.split("/")[0] for path in house.files() if "/" in path}):
        if not folder.startswith(".") and folder not in ("cmake", "LICENSES"):
            if not os.path.exists(os.path.join(house.ROOT, folder, "README.md")):
                yield f"{folder}/README.md is missing: the folder's contract and recipes"


def check_links():
    for path in house.files(".md"):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", house.read(path), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
            if not os.path.exists(os.path.join(house.ROOT, os.path.dirname(path), target)):
                yield f"{path}: a link leads to {target}, which does not exist"


def check_samples():
    """The index of the samples names each of them."""
    samples = house.files(".py", under="samples/")
    index = house.read("samples/README.md") if os.path.exists(os.path.join(house.ROOT, "samples/README.md")) else ""
    for path in samples:
        if os.path.basename(path) not in index:
            yield f"samples/README.md: {path} is not in the index"


house.finish([*check_map(), *check_readmes(), *check_links(), *check_samples()])
