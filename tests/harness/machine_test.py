# SPDX-License-Identifier: Apache-2.0
"""What hidetc says of machine code, where there is neither NVRTC nor nvdisasm: libraries and programs that look like them give what
was recorded of the sample naive_matmul for sm_90a. machine_test.py --bin FOLDER --nvrtc LIBRARY"""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
NVRTC = sys.argv[sys.argv.index("--nvrtc") + 1]
SAMPLE = os.path.join(ROOT, "samples/kernels/naive_matmul.py")
CONTROL = re.compile(r"^B[0-5-]{6} R[0-5-] W[0-5-] [Y-] S\d\d [a-][b-][c-]")


def recorded():
    """What nvdisasm printed."""
    with open(os.path.join(ROOT, "tests/golden/toolchain/machine_code.txt"), encoding="utf-8") as file:
        case = file.read().split("\n# ==== ")[1].split("\n# ---- expect")[0].split("\n", 1)[1]
    return case.split("#### live registers\n")[0]


class Machine:
    def __init__(self, folder, answer="cat {folder}/code"):
        with open(os.path.join(folder, "code"), "w", encoding="utf-8") as file:
            file.write(recorded())
        program = os.path.join(folder, "nvdisasm")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat >/dev/null\necho started >> {folder}/starts\n" + answer.format(folder=folder) + "\n")
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        self.environment = {"HIDET_SANDBOX": "off", "PATH": os.environ.get("PATH", ""), "HIDET_CACHE_DIR": os.path.join(folder, "cache"),
                            "HIDET_NVRTC": NVRTC, "HIDET_NVDISASM": program}

    def hidetc(self, *words):
        return subprocess.run([HIDETC, *words], env=self.environment, capture_output=True, text=True, timeout=60)


def document(done):
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)["modules"][0]["sass"]


def the_tables_name_what_binds_and_who_holds_registers(machine):
    done = machine.hidetc("machine", SAMPLE)
    assert done.returncode == 0, done.stderr
    for words in ("kernel 'matmul': 114 instructions", "loops:", "LSU 128, FMA 32", "5 of 32", "registers: 30 are live",
                  "waits for results with the shortest cover", "LDG.E", "memory: instructions that are alike in a line"):
        assert words in done.stdout, words + " is not in\n" + done.stdout
    assert " more: --all" in done.stdout
    assert " more: --all" not in machine.hidetc("machine", SAMPLE, "--all").stdout


def the_document_has_lines_of_the_listing(machine):
    form = document(machine.hidetc("machine", SAMPLE, "--json"))
    lines = form["text"].splitlines()
    function = form["machine"]["functions"][0]
    for instruction in function["instructions"]:
        assert re.match(r"    [0-9a-f]{4}  ", lines[instruction["line"] - 1]), instruction
        assert form["controls"][instruction["line"] - 1].split()[4] == f"S{instruction['stall']:02}", instruction
    waits = {instruction["line"]: instruction["waits"] for instruction in function["instructions"]}
    for arrow in function["arrows"]:
        assert arrow["setterName"] in lines[arrow["setter"] - 1], arrow
        assert arrow["barrier"] in waits[arrow["waiter"]], arrow
    loop = function["loops"][0]
    assert loop["isInner"] and loop["least"]["stalls"] == 195 and loop["most"] is None, loop
    assert [bound["warps"] for bound in loop["least"]["bounds"]] == [1, 2, 4, 8, 12, 16]
    touches = function["accesses"]
    loads = [access for access in touches if access["space"] == "global" and access["what"] == "load"]
    assert {access["depth"] for access in loads} == {1} and sum(access["instructions"] for access in loads) == 32, loads
    assert all(access["laneBytes"] == 4 and access["sectors"] == 4 for access in loads), loads
    assert [access["depth"] for access in touches if access["what"] == "store"] == [0], touches
    assert sum(holder["registers"] for holder in function["holders"]) == function["mostRegisters"] == 30


def control_stands_before_the_listing_and_leaves_it_as_it_is(machine):
    plain = machine.hidetc("emit", SAMPLE, "--kind", "sass").stdout.splitlines()
    control = machine.hidetc("emit", SAMPLE, "--kind", "sass", "--control").stdout.splitlines()
    assert len(plain) == len(control) and len(plain) > 100
    for before, after in zip(plain, control):
        assert after[23:] == before or (not before and not after), (before, after)
        assert bool(CONTROL.match(after)) == bool(re.match(r"    [0-9a-f]{4}  ", before)), after
    with_lines = machine.hidetc("emit", SAMPLE, "--kind", "sass", "--control", "--lines").stdout
    assert " | B------ R- W0 - S01 ---    0010        S2R" in with_lines, with_lines


def a_listing_alone_says_nothing_of_itself(machine):
    form = document(machine.hidetc("emit", SAMPLE, "--kind", "sass", "--json"))
    assert "machine" not in form and form["controls"]


def nvdisasm_is_started_once(folder):
    machine = Machine(folder)
    machine.hidetc("machine", SAMPLE)
    with open(os.path.join(folder, "starts"), encoding="utf-8") as file:
        assert file.read() == "started\n"


def nvdisasm_that_fails_is_told(folder):
    machine = Machine(folder, "echo 'no such code' >&2; exit 4")
    done = machine.hidetc("machine", SAMPLE)
    assert done.returncode == 3 and "no such code" in done.stderr, done.stderr


def main():
    tests = [the_tables_name_what_binds_and_who_holds_registers, the_document_has_lines_of_the_listing,
             control_stands_before_the_listing_and_leaves_it_as_it_is, a_listing_alone_says_nothing_of_itself]
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        for test in tests:
            test(machine)
    for test in (nvdisasm_is_started_once, nvdisasm_that_fails_is_told):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)


if __name__ == "__main__":
    main()
