# SPDX-License-Identifier: Apache-2.0
"""The examples of the language manual: every block of Python is a script, which the emulator runs with all of its checks, and
the block of text that follows it, if one does, is what it prints, messages last. A script without one prints nothing. Below a
line `<!-- explained: --waves -->` the block of text is what `hidetc explain` says of it, with these options, and the emulator
has to find nothing.

    run_examples.py --hidetc PROGRAM PAGE... [--update]
"""

import os
import re
import subprocess
import sys
import tempfile

SUMMARY = re.compile(r"^(.*; no findings( in .* orders?)?|the script built no module)\n", re.MULTILINE)  # with a time in it
EXAMPLE = re.compile(r"^(?:<!-- explained: ?(.*?) ?-->\n)?```python\n(.*?)^```\n(?:\n?^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
EXPLAIN = ["explain", "example.py", "--no-compile", "--arch", "h200"]


def printed(hidetc, script, explained):
    """`explained`: the options of `hidetc explain`; None: the emulator's words alone."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "example.py"), "w", encoding="utf-8") as file:
            file.write(script)

        def run(*words):
            done = subprocess.run([hidetc, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
            if done.returncode not in (0, 1) or (done.returncode == 1) != ("error:" in done.stderr):
                return f"exit {done.returncode}\n{done.stdout}{done.stderr}"
            return SUMMARY.sub("", done.stdout + done.stderr)

        said = run("emulate", "example.py")
        return said + run(*EXPLAIN, *explained.split()) if explained is not None else said


def examples(text):
    """(line, script, options of explain, what it prints)"""
    for found in EXAMPLE.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found.group(2), found.group(1), found.group(3) or ""


def updated(hidetc, text):
    def fresh(found):
        explained, script = found.group(1), found.group(2)
        output = printed(hidetc, script, explained)
        head = "" if explained is None else f"<!-- explained: {explained}{' ' if explained else ''}-->\n"
        block = f"{head}```python\n{script}```\n"
        return block + (f"\n```text\n{output}```\n" if output else "")

    return EXAMPLE.sub(fresh, text)


def check(hidetc, path, text):
    count = 0
    for line, script, explained, expected in examples(text):
        count += 1
        output = printed(hidetc, script, explained)
        if output != expected:
            yield f"{path}:{line}: the example prints\n{output}instead of\n{expected}"
    if not count and "```python" in text:
        yield f"{path}: examples that nobody reads"


def main():
    hidetc = os.path.abspath(sys.argv[sys.argv.index("--hidetc") + 1])
    pages = [word for word in sys.argv[1:] if word.endswith(".md")]
    failures = []
    for path in pages:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "--update" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(updated(hidetc, text))
        else:
            failures += check(hidetc, path, text)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
