# SPDX-License-Identifier: Apache-2.0
"""Our parser against Python's: the same texts accepted, the same trees.

    differential.py --tool BIN/syntax_tool            a few hundred texts, seconds
    differential.py --tool BIN/syntax_tool --all      Python's whole library and 40,000 mutations of it, minutes
    differential.py --tool BIN/syntax_tool FILE...    these files
    differential.py --tokens BIN/token_tool           the scanner against the lexer grammar, on the same texts

Texts are Python's own library and tests, the snippets beside this file, and mutations of them: a token dropped, doubled,
swapped or replaced. Needs Python 3.11, whose syntax is ours; other versions skip (exit code 77)."""

import argparse
import glob
import io
import os
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import tokenize
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import python_tree  # noqa: E402


OTHER_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*(?!utf-?8\b)", re.IGNORECASE)
REFUSED_ON_PURPOSE = (
    "names of characters are not supported",
    "is not valid UTF-8",
    "nested too deeply",
    "scripts may have at most",
)


def is_out_of_scope(source, theirs, our_tree, our_error):
    """What differs on purpose: the list in lang/parse/README.md."""
    if our_error is not None:
        return theirs is not None and any(reason in our_error for reason in REFUSED_ON_PURPOSE)
    if theirs is not None:
        return unicodedata.normalize("NFKC", our_tree) == theirs  # only names hold characters beyond ASCII
    bom = source.startswith(b"\xef\xbb\xbf") and b"coding" in source.split(b"\n", 2)[0]
    return bom or any(OTHER_CODING.match(line) for line in source.split(b"\n", 2)[:2])


class Tool:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "input.py")

    def ask(self, source):
        """(tree, None) or (None, diagnostics)"""
        with open(self.file, "wb") as file:
            file.write(source)
        self.process.stdin.write(self.file.encode() + b"\n")
        self.process.stdin.flush()
        head = self.process.stdout.readline()
        if not head:
            raise SystemExit(f"the tool died of this text:\n{source!r}")
        status, size = head.split()
        text = self.process.stdout.read(int(size)).decode("utf-8", "replace")
        return (text, None) if status == b"ok" else (None, text)


class Comparison:
    def __init__(self, tool, keep):
        self.tool = tool
        self.keep = keep
        self.counts = {"accepted": 0, "refused": 0, "left out": 0}
        self.failures = []

    def compare(self, name, source):
        if len(source) > 2_000_000:
            return
        their_tree, their_error = python_tree.verdict(source)
        our_tree, our_error = self.tool.ask(source)
        if (their_tree is None) == (our_tree is None) and (their_tree == our_tree):
            self.counts["refused" if their_tree is None else "accepted"] += 1
        elif is_out_of_scope(source, their_tree, our_tree, our_error):
            self.counts["left out"] += 1
        else:
            self.failures.append(name)
            if len(self.failures) <= self.keep:
                print(f"==== {name}")
                print(explain(source, their_tree, their_error, our_tree, our_error))


def explain(source, their_tree, their_error, our_tree, our_error):
    if their_tree is None:
        return f"Python refuses ({their_error}), we accept\n{around(source, their_error)}"
    if our_tree is None:
        return f"Python accepts, we refuse:\n{our_error[:600]}"
    at = next((i for i, (a, b) in enumerate(zip(their_tree, our_tree)) if a != b), 0)
    return f"trees differ:\n  python {their_tree[max(0, at - 60) : at + 100]}\n  ours   {our_tree[max(0, at - 60) : at + 100]}"


def around(source, error):
    lines = source.decode("utf-8", "replace").splitlines()
    number = error.split(":")[0]
    if not number.isdigit():
        return ""
    n = int(number)
    return "\n".join("    " + line for line in lines[max(0, n - 3) : n + 1])


def corpus(everything):
    library = sysconfig.get_paths()["stdlib"]
    paths = sorted(glob.glob(os.path.join(library, "**", "*.py"), recursive=True))
    paths = [p for p in paths if "dist-packages" not in p and "site-packages" not in p]
    if not everything:
        wanted = {"ast.py", "dataclasses.py", "typing.py", "argparse.py", "_pydecimal.py", "tokenize.py", "enum.py", "inspect.py"}
        paths = [p for p in paths if os.path.dirname(p) == library and os.path.basename(p) in wanted]
    return paths


def snippets():
    """The texts of snippets.txt, set apart by lines of dashes."""
    with open(os.path.join(HERE, "snippets.txt"), "rb") as file:
        return [part for part in file.read().split(b"\n----\n") if part.strip()]


WORDS = """
    if else for in while def class return pass lambda not and or is None True x 1 'a' f'{x}' ( ) [ ] { } , : ; = == := . + - *
    ** @ -> ... await async yield from import as with try except finally global nonlocal del assert raise break continue match
    case _ ~ != < >= += /""".split()


def mutate(source, rng):
    """One token dropped, doubled, swapped with its neighbour, or replaced."""
    try:
        tokens = [t for t in tokenize.tokenize(io.BytesIO(source).readline) if t.type != tokenize.ENCODING]
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return None
    try:
        lines = source.decode("utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        return None
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = "".join(lines)

    def place(position):
        return min(starts[min(position[0], len(starts)) - 1] + position[1], len(text))

    usable = [t for t in tokens if t.string.strip() and t.type != tokenize.COMMENT]
    if not usable:
        return None
    token = rng.choice(usable)
    begin, end = place(token.start), place(token.end)
    kind = rng.randrange(5)
    word = rng.choice(WORDS)
    middle = {0: "", 1: token.string + " " + token.string, 2: word, 3: word + " " + token.string, 4: " "}[kind]
    if kind == 4 and begin > 0:
        cut = rng.randrange(begin, end)
        return (text[:cut] + text[cut + 1 :]).encode()
    return (text[:begin] + middle + text[end:]).encode()


def compare_tokens(tool, sources):
    """Every text that is UTF-8, in one run of the tool."""
    with tempfile.TemporaryDirectory() as folder:
        paths, names = [], []
        for i, (name, source) in enumerate(sources):
            try:
                source.decode("utf-8")
            except UnicodeDecodeError:
                continue
            paths.append(os.path.join(folder, f"{i}.py"))
            names.append(name)
            with open(paths[-1], "wb") as file:
                file.write(source)
        answers = subprocess.run([tool], input="\n".join(paths), capture_output=True, text=True, check=True).stdout.splitlines()
    bad = [f"{name}: {answer}" for name, answer in zip(names, answers) if answer.startswith("differ")]
    print("\n".join(bad[:20]))
    print(f"{answers.count('ok')} equal, {answers.count('skipped')} with mistakes, {len(bad)} differ")
    return 1 if bad or answers.count("ok") < len(sources) // 3 else 0


def main():
    parser = argparse.ArgumentParser()
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--tool")
    which.add_argument("--tokens")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--mutations", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=int, default=20)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if sys.version_info[:2] != (3, 11):
        print("needs Python 3.11, whose syntax is ours")
        return 77
    if options.files:
        sources = []
        for path in options.files:
            with open(path, "rb") as file:
                sources.append((path, file.read()))
    else:
        sources = [(f"snippet {i + 1}", s) for i, s in enumerate(snippets())]
        for path in corpus(options.all):
            with open(path, "rb") as file:
                sources.append((path, file.read()))
    if options.tokens:
        return compare_tokens(options.tokens, sources)
    comparison = Comparison(Tool(options.tool), options.keep)
    for name, source in sources:
        comparison.compare(name, source)
    rng = random.Random(options.seed)
    small = [(name, source) for name, source in sources if len(source) < 30_000]
    count = options.mutations if options.mutations is not None else (40_000 if options.all else 1_500)
    for i in range(count if small else 0):
        name, source = rng.choice(small)
        changed = mutate(source, rng)
        if changed is not None:
            comparison.compare(f"mutation {i} of {name}", changed)
    print(", ".join(f"{count} {what}" for what, count in comparison.counts.items()), f"{len(comparison.failures)} differ")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
