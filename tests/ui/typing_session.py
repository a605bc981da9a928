# SPDX-License-Identifier: GPL-3.0-only
"""Three kernels are typed into blank scripts with real keys, with the mistakes that people make; what stands in the file after
Ctrl+S is what was meant.

    typing_session.py PROGRAM FOLDER [--delay MS]     FOLDER: the kernels; MS: between two keys

The typist sees the indentation that Return gives, as people do, and changes it with Backspace and Tab; brackets and quotes are
typed as if nothing closed them. Every mistake is made at a line of its own, in turn.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from xvfb_test import SKIP, Display, Studio, read, wait_for

LEVEL = 4
ENDS_BLOCK = ("return", "pass", "break", "continue", "raise")
OPEN, CLOSE = "([{", ")]}"


def blanks(line):
    return len(line) - len(line.lstrip(" "))


class Typist:
    def __init__(self, studio, delay):
        self.studio = studio
        self.delay = delay
        self.batch = []

    def type(self, text):
        if text:
            self.batch += ["type", "--delay", str(self.delay), "--args", "1", text]

    def key(self, *keys):
        self.batch += ["key", "--delay", str(self.delay), "--clearmodifiers", *keys]
        self.send()

    def send(self):
        if self.batch:
            self.studio.tool(*self.batch)
        self.batch = []

    def indent(self, now, wanted):
        """From where Return has put the caret to where the line begins."""
        while now > wanted:
            now -= (now - 1) % LEVEL + 1
            self.key("BackSpace")
        while now < wanted:
            now += LEVEL - now % LEVEL
            self.key("Tab")


class Lines:
    """The indentation that Return gives behind each line: of a statement, or of what is inside a bracket."""

    def __init__(self):
        self.open = []  # columns behind open brackets that have something behind them, or the level below their line
        self.statement = 0

    def after(self, line):
        if not line.strip():
            return blanks(line)
        if not self.open:
            self.statement = blanks(line)
        for at, letter in enumerate(line):
            if letter in OPEN:
                rest = line[at + 1:]
                self.open.append(blanks(line) + LEVEL if not rest.strip() else at + 1 + blanks(rest))
            elif letter in CLOSE:
                self.open.pop()
        if self.open:
            return self.open[-1]
        if line.rstrip().endswith(":"):
            return self.statement + LEVEL
        if line.split()[0].rstrip(":") in ENDS_BLOCK:
            return max(0, self.statement - LEVEL)
        return self.statement


def plain(typist, text):
    typist.type(text)


def a_letter_twice(typist, text):
    middle = len(text) // 2
    typist.type(text[:middle] + text[middle - 1])
    typist.key("BackSpace")
    typist.type(text[middle:])


def a_wrong_word(typist, text):
    middle = len(text) // 2
    typist.type(text[:middle] + "xq")
    typist.key("BackSpace", "BackSpace")
    typist.type(text[middle:])


def too_deep(typist, text):
    typist.key("Tab")
    typist.key("BackSpace")
    typist.type(text)


def keys_of_commands(typist, text):
    typist.key("alt+4")
    typist.type(text[:1])
    typist.key("alt+k")
    typist.type(text[1:])


def undone_and_made_again(typist, text):
    typist.type(text)
    typist.key("ctrl+z", "ctrl+z")
    typist.key("ctrl+shift+z", "ctrl+shift+z")


def a_colon_that_was_forgotten(typist, text):
    if not text.endswith(":"):
        return plain(typist, text)
    typist.type(text[:-1])
    typist.key("Return")
    typist.key("BackSpace", *["BackSpace"] * typist.levels)
    typist.type(":")


MISTAKES = [plain, a_letter_twice, keys_of_commands, a_wrong_word, undone_and_made_again, too_deep, a_colon_that_was_forgotten]


def write(typist, text):
    lines, here = Lines(), 0
    for number, line in enumerate(text.split("\n")):
        if number > 0:
            typist.key("Return")
        if line.strip():
            typist.indent(here, blanks(line))
            typist.levels = blanks(line) // LEVEL
            mistake = a_colon_that_was_forgotten if line.endswith(":") and number % 2 else MISTAKES[number % len(MISTAKES)]
            mistake(typist, line.strip())
            typist.send()
            here = lines.after(line)


def session(program, display, folder, delay):
    for name in sorted(os.listdir(folder)):
        meant = read(os.path.join(folder, name)).rstrip("\n")
        with tempfile.TemporaryDirectory() as home:
            script = os.path.join(home, name)
            open(script, "w", encoding="utf-8").close()
            studio = Studio(program, display, home, script)
            wait_for("the script's name in the title", lambda: name in studio.title())
            write(Typist(studio, delay), meant)
            studio.key("ctrl+s")
            wait_for("the saved file", lambda: read(script))
            wait_for("what was typed", lambda: read(script) == meant, lambda: read(script))
            errors = studio.quit()
            assert studio.process.returncode == 0, (studio.process.returncode, errors)
            print(f"{name}: {len(meant)} characters at {delay} ms a key")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--delay", type=int, default=30)
    arguments = parser.parse_args()
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: this machine has no {tool}")
            return SKIP
    with Display() as display:
        session(arguments.program, display, arguments.folder, arguments.delay)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
