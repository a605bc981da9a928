#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that looks like Nsight Compute: it starts nothing, leaves a report, and prints pages in the forms of version 2025.3.
Variables: FAKE_NCU_CODE a file with what nvdisasm printed of the kernel, FAKE_NCU what goes wrong (forbidden, sandbox, none, script),
FAKE_NCU_LOG a file that gets what it was asked."""

import os
import re
import sys

INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4})\*/\s*(.*?)\s*;", re.MULTILINE)
REASONS = ("barrier", "branch_resolving", "long_sb", "math", "selected", "wait")
COLUMNS = ["Address", "Source", "Warp Stall Sampling (All Samples)", "Warp Stall Sampling (Not-issued Samples)", "# Samples",
           "Instructions Executed", "Thread Instructions Executed", "Predicated-On Thread Instructions Executed",
           "Avg. Threads Executed", "Divergent Branches", "Address Space", "Access Operation", "Access Size",
           "L1 Wavefronts Shared Excessive", "L1 Wavefronts Shared", "L1 Wavefronts Shared Ideal",
           "L2 Theoretical Sectors Global Excessive", "L2 Theoretical Sectors Global", "L2 Theoretical Sectors Global Ideal"]
WARPS = 448
REFUSALS = {
    "forbidden": "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters",
    "sandbox": "==ERROR== Failed to initialize the profiler: LibraryNotLoaded",
    "none": "==WARNING== No kernels were profiled.",
    "script": "kernel.py:3: error: what the script did wrong\n==ERROR== The application returned an error code (1).",
}


def quoted(cells):
    return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells)


def instructions():
    with open(os.environ["FAKE_NCU_CODE"], encoding="utf-8") as file:
        return INSTRUCTION.findall(file.read())


def source_page():
    print(quoted(["Kernel Name", "matmul"]))
    print(quoted(COLUMNS + ["stall_" + reason for reason in REASONS] + ["stall_" + reason + " (Not Issued)" for reason in REASONS]))
    runs = True
    for address, text in instructions():
        executed = WARPS if runs else 0
        is_load, is_store = " LDG" in " " + text, " STG" in " " + text
        ideal = executed * 4 if is_load or is_store else 0
        sectors = ideal * 2 if is_store else ideal
        samples = 7 if is_load else 1 if executed else 0
        stalls = {"long_sb": 5, "wait": 2} if is_load else {"selected": samples} if samples else {}
        print(quoted([hex(0x7f0000001000 + int(address, 16)), text, samples, 0, samples, executed, f"{executed * 32:,}", executed * 32,
                      32, 0, "Global" if ideal else "", "Load" if is_load else "Store" if is_store else "", 32 if ideal else "", 0, 0, 0,
                      sectors - ideal, sectors, ideal]
                     + [stalls.get(reason, 0) for reason in REASONS] + [0 for _ in REASONS]))
        runs = runs and not text.startswith("EXIT")


def raw_page():
    figures = [("gpu__time_duration.sum", "ns", "6,400"), ("dram__bytes_read.sum", "byte", "98,304"),
               ("dram__bytes_write.sum", "byte", "0"), ("lts__t_bytes.sum", "byte", "393,216"),
               ("launch__registers_per_thread", "register/thread", "32"),
               ("sm__warps_active.avg.pct_of_peak_sustained_active", "%", "11.5"),
               ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "3.25"),
               ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "7.5")]
    print(quoted(["ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC"] + [name for name, _, _ in figures]))
    print(quoted([""] * 6 + [unit for _, unit, _ in figures]))
    print(quoted(["0", "matmul", "(16, 16, 1)", "(8, 7, 1)", "0", "9.0"] + [value for _, _, value in figures]))


def main():
    words = sys.argv[1:]
    if os.environ.get("FAKE_NCU_LOG"):
        with open(os.environ["FAKE_NCU_LOG"], "a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")
    if "--version" in words:
        print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880) (public-release)")
        return 0
    if "--import" in words:
        assert os.path.exists(words[words.index("--import") + 1]), words
        (source_page if words[words.index("--page") + 1] == "source" else raw_page)()
        return 0
    print("==PROF== Connected to process 1")
    if os.environ.get("FAKE_NCU"):
        print(REFUSALS[os.environ["FAKE_NCU"]])
        return 1
    with open(words[words.index("-o") + 1] + ".ncu-rep", "w", encoding="utf-8") as file:
        file.write("a report\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
