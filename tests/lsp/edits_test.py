# SPDX-License-Identifier: Apache-2.0
"""A thousand random edits, each sent as what changed: the server's text stays that of the client, to the character.

The text is a docstring, which hover shows; a second document gets the same text whole."""

import os
import random
import sys

from client import Client

HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
EDITS, COMPARED_EACH, SEED = 1000, 100, 20
PIECES = ["a", "bc", "\u00e9", "\u20ac", "\U0001d54f", "\U0001f600\U0001f600", "e\u0301", "\t", "  ", "\n", "\r\n", "word\n\nword", "x" * 50]
HEAD, TAIL = 'def f():\n    """first', 'last"""\n    pass\n\n\nf\n'


def units(text):
    return len(text.encode("utf-16-le")) // 2


def position(text, offset):
    """Lines end at \\n, \\r\\n and \\r; columns are UTF-16 units."""
    line, start, i = 0, 0, 0
    while i < offset:
        if text[i] == "\r" and text[i + 1 : i + 2] == "\n":
            i += 1
            if i >= offset:
                break
        if text[i] in "\r\n":
            line, start = line + 1, i + 1
        i += 1
    return {"line": line, "character": units(text[start:offset])}


def splits_line_end(text, offset):
    return text[offset - 1 : offset + 1] == "\r\n"


def random_edit(chance, text):
    first, last = len(HEAD), len(text) - len(TAIL)
    begin, end = sorted(chance.randint(first, last) for _ in range(2))
    end = min(end, begin + chance.choice([0, 0, 1, 3, 30]))
    while splits_line_end(text, begin):
        begin -= 1
    while splits_line_end(text, end):
        end += 1
    inserted = "".join(chance.choice(PIECES) for _ in range(chance.choice([0, 1, 1, 2, 4])))
    where = {"start": position(text, begin), "end": position(text, end)}
    return {"range": where, "text": inserted}, text[:begin] + inserted + text[end:]


def shown(client, uri, text):
    answer = client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position(text, len(text) - 1)})
    tokens = client.about("semanticTokens/full", uri)
    return answer["contents"]["value"], tokens, client.about("foldingRange", uri)


chance = random.Random(SEED)
with Client(HIDETC) as client:
    text = HEAD + TAIL
    client.open("file:///edited.py", text)
    for number in range(1, EDITS + 1):
        changes = []
        for _ in range(chance.choice([1, 1, 1, 3])):
            change, text = random_edit(chance, text)
            changes.append(change)
        client.change("file:///edited.py", number + 1, changes)
        if number % COMPARED_EACH:
            continue
        whole = f"file:///whole_{number}.py"
        client.open(whole, text)
        edited = shown(client, "file:///edited.py", text)
        assert edited == shown(client, whole, text), f"after {number} edits the server has another text"
        assert "first" in edited[0] and edited[0].count("\U0001f600") == text.count("\U0001f600")
        client.tell("textDocument/didClose", {"textDocument": {"uri": whole}})
print(f"{EDITS} edits, {len(text)} characters at the end")
