# SPDX-License-Identifier: Apache-2.0
"""The index of the language manual, lang/manual/index.md: where each word of the language is explained. A section says in
`<!-- words: for range -->` which words it explains; of a generated table the columns `name` and `short name` are words, of
the section that it stands in. The programs read the index (lang/service/manual.h)."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = "lang/manual"
PATH = FOLDER + "/index.md"
HEAD = """# Index

Every word of the language, and the section that explains it. Generated: `tests/dev.py tables --update` renews it.

| word | section |
|---|---|
"""


def anchor(heading):
    """As the viewers of Markdown make them."""
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()))


def word_of(name):
    """`cuda.syncthreads` is the name of a row; scripts say syncthreads."""
    return re.sub(r"^(cuda|cpu|runtime|math)\.", "", name)


def words_of_table(lines, is_of_intrinsics):
    titles = [title.strip() for title in lines[0].strip("|").split("|")]
    columns = [at for at, title in enumerate(titles) if title in ("name", "short name")]
    for line in lines[2:]:
        cells = [cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        for word in dict.fromkeys(cells[at] for at in columns if cells[at]):
            yield word_of(word) if is_of_intrinsics else word


def words_of_page(path):
    """(word, heading)"""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    heading, at, is_code = "", 0, False
    while at < len(lines):
        line = lines[at]
        at += 1
        is_code ^= line.startswith("```")
        if is_code:
            continue
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif found := re.fullmatch(r"<!-- words: (.*) -->", line):
            for word in found.group(1).split():
                yield word, heading
        elif line.startswith("<!-- table: "):
            end = lines.index("<!-- end of table -->", at)
            for word in words_of_table(lines[at:end], "/intrinsics/" in line):
                yield word, heading
            at = end


def pages():
    """In the order of reading."""
    with open(os.path.join(ROOT, FOLDER, "pages.def"), encoding="utf-8") as file:
        return [f"{name}.md" for name in re.findall(r"^HIDET_MANUAL_PAGE\((\w+)\)", file.read(), re.MULTILINE) if name != "index"]


def entries():
    """Of each word the places that explain it, the first one to be read first: (page, heading)."""
    found = {}
    for page in pages():
        for word, heading in words_of_page(os.path.join(ROOT, FOLDER, page)):
            found.setdefault(word, []).append((page, heading))
    return found


def text():
    rows = []
    for word, places in sorted(entries().items(), key=lambda entry: (entry[0].lower(), entry[0])):
        for page, heading in dict.fromkeys(places):
            rows.append(f"| `{word}` | [{heading.replace('`', '')}]({page}#{anchor(heading)}) |\n")
    return HEAD + "".join(rows)
