# SPDX-License-Identifier: Apache-2.0
"""Six equal lines of code stand in one place: what stands again is listed, and the list gets shorter only."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

RUN = 6  # lines of code, as `significant` has them
MOST = 11  # repeats that the tree still has

# Scripts that stand alone, because a reader copies one of them: a kernel of the samples imports nothing of its neighbour.
ALONE = ("compiler/schedule/templates/", "samples/", "tests/accesses/elsewhere/", "tests/bench/kernels/", "tests/gpu/", "tests/run/", "tests/golden/", "tests/language/")


def significant(path):
    """Pairs of a line's number and its text, without what says nothing: blanks, comments, includes, labels,
    punctuation, numbers."""
    comment = "#" if path.endswith(".py") else "//"
    for number, line in enumerate(house.read(path).split("\n"), 1):
        text = " ".join(line.split())
        word = re.search(r"[A-Za-z_]", re.sub(r"\b0x\w+", "", text))
        is_label = re.fullmatch(r"case [\w:]+:", text)
        if not word or is_label or text.startswith((comment, "#include", "import ", "from ")):
            continue
        yield number, text


def repeats(paths):
    """Each run of a file that stands before it already, in this file or another: both places and the number of lines."""
    first = {}  # the window's text -> where it stands first
    for path in paths:
        lines = list(significant(path))
        run = None  # where the run begins, where it stands first
        for i in range(len(lines) - RUN + 1):
            window = "\n".join(text for _, text in lines[i : i + RUN])
            earlier = first.setdefault(window, (path, i, lines[i][0]))
            again = earlier[0] != path or earlier[1] + RUN <= i
            if again and not run:
                run = (lines[i][0], earlier)
            elif not again and run:
                yield path, run[0], lines[i + RUN - 2][0], run[1]
                run = None
        if run:
            yield path, run[0], lines[-1][0], run[1]


paths = [path for path in house.files(".cpp", ".h", ".py", ".cmake", "CMakeLists.txt") if not path.startswith(ALONE)]
found = [f"{path}:{begin}-{end} stands at {other}:{line} already" for path, begin, end, (other, _, line) in repeats(paths)]
house.finish(
    found if len(found) > MOST else [],
    f"{len(found)} repeats, of {MOST} that are allowed",
    f"{len(found)} repeats of {RUN} lines or more, and {MOST} are allowed: let one piece of code serve both places",
)
