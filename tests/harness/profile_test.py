# SPDX-License-Identifier: Apache-2.0
"""hidetc profile where there is neither a GPU nor Nsight Compute: programs that look like the tools give what was recorded of the
sample naive_matmul. profile_test.py --bin FOLDER --nvrtc LIBRARY --cuda LIBRARY"""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def argument(name):
    return sys.argv[sys.argv.index(name) + 1]


HIDETC = os.path.join(argument("--bin"), "hidetc")
SAMPLE = os.path.join(ROOT, "samples/kernels/naive_matmul.py")
FAKE = os.path.join(ROOT, "tests/harness/fake_ncu.py")


def recorded():
    with open(os.path.join(ROOT, "tests/golden/toolchain/machine_code.txt"), encoding="utf-8") as file:
        case = file.read().split("\n# ==== ")[1].split("\n# ---- expect")[0].split("\n", 1)[1]
    return case.split("#### live registers\n")


class Machine:
    def __init__(self, folder):
        self.folder = folder
        for name, text in zip(("code", "live"), recorded()):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        program = os.path.join(folder, "nvdisasm")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat >/dev/null\ncase \"$*\" in\n*-hex*) cat {folder}/code ;;\n*) cat {folder}/live ;;\nesac\n")
        os.chmod(program, 0o755)
        self.log = os.path.join(folder, "log")
        os.makedirs(os.path.join(folder, "config", "hidet"))
        with open(os.path.join(folder, "config", "hidet", "workers.conf"), "w", encoding="utf-8") as file:
            file.write(f"gpu = {HIDETC} worker\nbare = env HIDET_NCU=/nowhere/ncu {HIDETC} worker\n")
        self.environment = {"XDG_CONFIG_HOME": os.path.join(folder, "config"), "PATH": os.environ.get("PATH", ""), "HIDET_CACHE_DIR": os.path.join(folder, "cache"),
                            "HIDET_NVRTC": argument("--nvrtc"), "HIDET_NVDISASM": program, "HIDET_LIBCUDA": argument("--cuda"),
                            "HIDET_NCU": FAKE, "FAKE_NCU_CODE": os.path.join(folder, "code"), "FAKE_NCU_LOG": self.log}

    def profile(self, *words, **variables):
        environment = {**self.environment, **variables}
        return subprocess.run([HIDETC, "profile", *words], env={k: v for k, v in environment.items() if v}, capture_output=True,
                              text=True, timeout=60, cwd=self.folder)


def counts_stand_at_lines_of_the_script_beside_what_maps_foretold(machine):
    done = machine.profile(SAMPLE, "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    kernel = json.loads(done.stdout)["kernels"][0]
    assert kernel["name"] == "matmul" and kernel["arch"] == "sm_90a" and kernel["linesUnknown"] == "", kernel["linesUnknown"]
    assert abs(kernel["seconds"] - 6.4e-6) < 1e-12 and kernel["registers"] == 32 and kernel["occupancy"] == 0.115
    assert kernel["dramBytes"] == 98304 and kernel["computeRoof"] == 0.0325
    assert len(kernel["instructions"]) == 114
    assert sum(row["executed"] for row in kernel["instructions"]) == kernel["executed"] > 0
    assert sum(row["samples"] for row in kernel["lines"]) <= kernel["samples"]
    places = {row["line"]: row for row in kernel["lines"]}
    with open(SAMPLE, encoding="utf-8") as file:
        text = file.read().splitlines()
    product, store = (next(i for i, line in enumerate(text, 1) if words in line) for words in ("total +=", "c[i, j] = total"))
    assert places[product]["stalls"][0]["name"] == "long_sb", places[product]
    assert places[product]["foreseenSectors"]["count"] > 0 and places[product]["remark"].startswith("less than foretold")
    assert places[store]["sectors"]["count"] == 2 * places[store]["sectors"]["least"] > 0
    assert places[store]["foreseenSectors"]["least"] > 0 and places[store]["foreseenWavefronts"] is None


def the_table_names_lines_and_why_warps_stand(machine):
    done = machine.profile(SAMPLE)
    assert done.returncode == 0, done.stderr
    for words in ("kernel 'matmul' for sm_90a", "6.40 µs", "12 % reached", "waits for global or local memory", "total += a[i, p]",
                  " for "):
        assert words in done.stdout, words + " is not in\n" + done.stdout


def only_kernels_that_are_asked_for_are_counted(machine):
    with open(machine.log, "w", encoding="utf-8"):
        pass
    assert machine.profile(SAMPLE, "--function", "matmul").returncode == 0
    with open(machine.log, encoding="utf-8") as file:
        asked = file.read()
    assert "--kernel-name regex:^(matmul)$ --launch-count 1" in asked and "--section SourceCounters" in asked, asked
    none = machine.profile(SAMPLE, "--function", "matmull")
    assert none.returncode == 2 and "matmull" in none.stderr, none.stderr


def a_report_is_kept_where_it_was_asked_for(machine):
    assert machine.profile(SAMPLE, "-o", "kept").returncode == 0
    assert os.path.exists(os.path.join(machine.folder, "kept.ncu-rep"))
    assert machine.profile(SAMPLE).returncode == 0
    assert not os.path.exists(os.path.join(machine.folder, "profile.ncu-rep"))


def the_command_needs_neither_a_gpu_nor_the_program(machine):
    done = machine.profile(SAMPLE, "--command", HIDET_LIBCUDA="/nowhere/libcuda.so.1", HIDET_NCU="")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.startswith(("ncu --section", "/")), done.stdout
    assert "'regex:^(matmul)$'" in done.stdout and done.stdout.endswith(f"run {SAMPLE} --target cuda\n"), done.stdout
    words = subprocess.run(["sh", "-c", "printf '%s\\n' " + done.stdout], capture_output=True, text=True, check=True).stdout.splitlines()
    assert words == json.loads(machine.profile(SAMPLE, "--command", "--json", HIDET_NCU="").stdout)["command"]


def what_keeps_counters_away_is_named_with_its_cure(machine):
    for variables, words in (({"FAKE_NCU": "forbidden"}, "NVreg_RestrictProfilingToAdminUsers=0"),
                             ({"FAKE_NCU": "sandbox"}, "sandboxes like gVisor"),
                             ({"FAKE_NCU": "none"}, "launched none of its kernels"),
                             ({"FAKE_NCU": "script"}, "what the script did wrong"),
                             ({"HIDET_NCU": "/nowhere/ncu"}, "HIDET_NCU names '/nowhere/ncu'"),
                             ({"HIDET_LIBCUDA": "/nowhere/libcuda.so.1"}, "--command")):
        done = machine.profile(SAMPLE, **variables)
        assert done.returncode in (2, 3) and words in done.stderr, (variables, done.returncode, done.stderr)
        document = json.loads(machine.profile(SAMPLE, "--json", **variables).stdout)
        assert not document["kernels"] and words in document["diagnostics"][0]["message"], document["diagnostics"]


def code_that_is_not_the_listing_has_no_lines(machine):
    other = os.path.join(machine.folder, "other")
    with open(os.path.join(machine.folder, "code"), encoding="utf-8") as code, open(other, "w", encoding="utf-8") as file:
        file.write(code.read().replace("FFMA R28, R19", "FADD R28, R19"))
    kernel = json.loads(machine.profile(SAMPLE, "--json", FAKE_NCU_CODE=other).stdout)["kernels"][0]
    assert "is 'FADD" in kernel["linesUnknown"] and not kernel["lines"] and kernel["executed"] > 0, kernel["linesUnknown"]


def a_script_with_a_mistake_is_reported_as_by_check(machine):
    path = os.path.join(machine.folder, "wrong.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write("import hidet\nnothing()\n")
    done = machine.profile(path)
    assert done.returncode == 1 and "wrong.py:2" in done.stderr, done.stderr


def the_gpu_may_be_on_the_machine_of_a_worker(machine):
    here, there = (json.loads(machine.profile(SAMPLE, "--json", *words).stdout) for words in ((), ("--remote", "gpu")))
    assert here["kernels"] == there["kernels"] and there["kernels"], there
    alone = machine.profile(SAMPLE, "--remote", "gpu", "-o", "there", HIDET_LIBCUDA=argument("--cuda"))
    assert alone.returncode == 0 and os.path.exists(os.path.join(machine.folder, "there.ncu-rep")), alone.stderr
    for words, variables, said in ((["bare"], {}, "has no Nsight Compute, which counts what a GPU does: HIDET_NCU names '/nowhere/ncu'"),
                                   (["gpu"], {"HIDET_LIBCUDA": "/nowhere/libcuda.so.1"}, "has no GPU that can be used"),
                                   (["gpu"], {"FAKE_NCU": "forbidden"}, "remote worker 'gpu': ")):
        done = machine.profile(SAMPLE, "--remote", *words, **variables)
        assert done.returncode == 3 and said in done.stderr, done.stderr
    for words in (["--remote", "nowhere"], ["--remote", "gpu", "--command"]):
        assert machine.profile(SAMPLE, *words).returncode == 2, words


def main():
    tests = [counts_stand_at_lines_of_the_script_beside_what_maps_foretold, the_table_names_lines_and_why_warps_stand,
             only_kernels_that_are_asked_for_are_counted, a_report_is_kept_where_it_was_asked_for,
             the_command_needs_neither_a_gpu_nor_the_program, what_keeps_counters_away_is_named_with_its_cure,
             code_that_is_not_the_listing_has_no_lines, a_script_with_a_mistake_is_reported_as_by_check,
             the_gpu_may_be_on_the_machine_of_a_worker]
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        for test in tests:
            test(machine)


if __name__ == "__main__":
    main()
