# SPDX-License-Identifier: GPL-3.0-only
"""Three bugs found by going back, with real keys on a virtual display: a race, a wrong swizzle, an off-by-one. Where the kernel stands is
read off the mark in the margin; the caret goes along, so what is typed there mends the script.

    xvfb_debug_test.py PROGRAM [--pictures FOLDER] [--only NAME]
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
import journeys
from journeys import Person, Screen, written
from planted_bug import HEAD
from xvfb_test import SKIP, read, wait_for

TAIL = """
def expected(x, y):
    return {}

x = torch.randn(128, device='cuda')
y = torch.empty(128, device='cuda')
module.build()(x, y)
torch.testing.assert_close(y, expected(x, y))
"""
# Neighbours are read with no barrier between.
RACE = HEAD + """        tile = shared_tensor('float32', shape=[64])
        t = threadIdx.x
        tile[t] = x[blockIdx.x * 64 + t]
        y[blockIdx.x * 64 + t] = tile[(t + 32) % 64]
""" + TAIL.format("torch.cat([x[32:64], x[:32], x[96:], x[64:96]])")
# Written with one swizzle, read with another.
SWIZZLE = HEAD + """        tile = shared_tensor('float32', shape=[8, 8])
        row = threadIdx.x // 8
        column = threadIdx.x % 8
        tile[row, column ^ (row // 2)] = x[blockIdx.x * 64 + threadIdx.x]
        syncthreads()
        value = tile[row, column ^ row]
        y[blockIdx.x * 64 + threadIdx.x] = value
""" + TAIL.format("x")
# The last turn is one too many.
OFF_BY_ONE = HEAD + """        total = 0.0
        for i in range(threadIdx.x % 4 + 2):
            index = 124 + i
            total += x[index]
        y[blockIdx.x * 64 + threadIdx.x] = total
""" + TAIL.format("torch.stack([x[124:125 + t % 4].sum() for t in range(128)])")
MARGIN = 240  # pixels from the left in which the mark of the stand is, whatever stands beside the script
STAND = bytes([0x00, 0x57, 0xAD])  # its colour in the light theme: blue, green, red
MARK = 7  # rows of pixels that have it


class Hunter(Person):
    def mark(self):
        """How far down the mark is that says where the kernel stands; None: there is none."""
        rows = [STAND in row[:4 * MARGIN] for row in self.screen.rows()]
        for y in range(len(rows) - MARK):
            if all(rows[y:y + MARK]):
                return y
        return None

    def stands(self, what, where=lambda y: True):
        y = wait_for(what, lambda: (at := self.mark()) and where(at) and at, self.mark)
        self.look(what.replace(" ", "-"))
        return y

    def mend(self, text):
        """Over the line of the caret."""
        self.press("Home", "shift+End")
        self.type(text)


def last_verdict(home):
    path = home + "/state/hidet-studio/history.jsonl"
    return json.loads(read(path).splitlines()[-1])["run"]["verdict"] if os.path.exists(path) else None


def is_correct_now(person, home, script, wanted):
    person.press("ctrl+s")
    wait_for("the mended script on disk", lambda: read(script) == wanted, lambda: read(script))
    person.press("ctrl+F5")
    wait_for("a correct run", lambda: last_verdict(home) == "correct", lambda: last_verdict(home))
    person.look("correct")


def a_race_by_who_wrote_the_element(person_of, home):
    script = written(home, "race.py", RACE)
    person = person_of(script)
    person.press("shift+F9")
    begin = person.stands("the beginning")
    person.press("shift+F9")
    read_at = person.stands("the read that races", lambda y: y > begin)
    # Into the brackets: the element that the thread of the finding reads.
    person.press("End", "Left", "Left")

    def goes_to_the_write():
        person.do("who wrote the element")  # again: goes there
        person.rest()
        at = person.mark()
        return at and at < read_at

    wait_for("the write of the element", goes_to_the_write, person.mark)
    person.look("the-write")
    person.press("End", "Return")
    person.type("syncthreads()")
    line = "        tile[t] = x[blockIdx.x * 64 + t]\n"
    is_correct_now(person, home, script, RACE.replace(line, line + "        syncthreads()\n"))
    return person


def a_swizzle_by_a_condition_and_who_wrote_the_element(person_of, home):
    script = written(home, "swizzle.py", SWIZZLE)
    person = person_of(script)
    person.press("ctrl+g")
    person.type("18")
    person.press("Return")
    person.do("condition of the breakpoint")
    person.type("value != x[threadldx.x]")
    person.look("mistake")
    person.press("ctrl+a")
    person.type("value != x[blockIdx.x * 64 + threadIdx.x]")
    person.look("condition")
    person.press("Return", "shift+F9")
    wrong_at = person.stands("a wrong value")
    person.press("shift+F10")
    read_at = person.stands("its read", lambda y: y < wrong_at)
    person.press("End", "Left", "Left")

    def goes_to_the_write():
        person.do("who wrote the element")
        person.rest()
        at = person.mark()
        return at and at < read_at

    wait_for("the write of the element", goes_to_the_write, person.mark)
    person.look("the-write")
    wrong, right = "tile[row, column ^ (row // 2)]", "tile[row, column ^ row]"
    person.mend(right + " = x[blockIdx.x * 64 + threadIdx.x]")
    is_correct_now(person, home, script, SWIZZLE.replace(wrong, right))
    return person


def an_off_by_one_by_two_steps_back(person_of, home):
    script = written(home, "sums.py", OFF_BY_ONE)
    person = person_of(script)
    person.press("shift+F9")
    begin = person.stands("the beginning")
    person.press("shift+F9")
    access_at = person.stands("the access outside of the tensor", lambda y: y > begin)
    person.press("shift+F10")
    loop_at = person.stands("the turn of the loop", lambda y: y < access_at)
    assert access_at - loop_at > 20, (access_at, loop_at)
    person.mend("for i in range(threadIdx.x % 4 + 1):")
    is_correct_now(person, home, script, OFF_BY_ONE.replace("% 4 + 2", "% 4 + 1"))
    return person


HUNTS = [a_race_by_who_wrote_the_element, a_swizzle_by_a_condition_and_who_wrote_the_element, an_off_by_one_by_two_steps_back]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--pictures", default="")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: this machine has no {tool}")
            return SKIP
    journeys.PROGRAM = options.program
    options.scale, options.theme, options.delay = "1", "light", 15
    for hunt in HUNTS:
        if options.only not in hunt.__name__:
            continue
        with Screen(1600, 900) as screen, tempfile.TemporaryDirectory() as home:
            options.folder = options.pictures or home
            hunt(lambda *files: Hunter(options, screen, home, hunt.__name__, *files), home).leave()
            print(hunt.__name__.replace("_", " "))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
