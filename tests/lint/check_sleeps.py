# SPDX-License-Identifier: Apache-2.0
"""Tests wait for what they need, not for a time: what is long enough here is too short on a loaded machine, and too long on
every other. The sleeps that are meant are listed, each with its reason."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

SLEEP = re.compile(r"\btime\.sleep\(|\bqWait\(|\bqSleep\(|\bm?sleep\(|\busleep\(|\bnanosleep\(|sleep_for\(|sleep_until\(|\bsleep 0?\.\d")

# (file, what stands in the line): why it sleeps.
MEANT = {
    ("tests/bench/standstill.cpp", "sleep_until(due)"): "who wakes late tells that the machine stood still",
    ("tests/fake/cuda/entries.cpp", "sleep_for(std::chrono::milliseconds(10))"): "a stand-in for a device that is busy",
    ("tests/fake/cuda/fake_nccl.cpp", "usleep(50)"): "asks again until the other processes are there",
    ("tests/fake/cuda/fake_nccl.cpp", "usleep(20)"): "asks again until the other processes have sent something",
    ("tests/fleet/fleet_test.py", "time.sleep(0.02)"): "asks again until another process has done it",
    ("tests/gpu/run_test.py", "time.sleep(60)"): "a stand-in that hangs",
    ("tests/gpu/run_test.py", "time.sleep(0.01)"): "asks again until the other processes are there",
    ("tests/harness/cache_server.py", "time.sleep(self.server.seconds)"): "a server that takes its time",
    ("tests/harness/cli_test.py", "time.sleep(0.01)"): "asks again until another process has done it",
    ("tests/harness/compile_cache_test.py", "time.sleep(chance.uniform(0.0, 0.05))"): "a process is killed at any moment",
    ("tests/nightly/fleets.py", "time.sleep(0.2)"): "asks daemons again until they have done it",
    ("tests/python/distributed_test.py", "time.sleep(0.01)"): "asks again until another process has done it",
    ("tests/python/tensor_parallel_test.py", "time.sleep(0.01)"): "asks again until another process has been started",
    ("tests/python/tensor_parallel_test.py", "time.sleep(0.5)"): "until processes exchange, which nothing outside shows",
    ("tests/python/shared_package_test.py", "time.sleep(0.5)"): "until processes exchange, which nothing outside shows",
    ("tests/python/distributed_test.py", "time.sleep(0.3)"): "until it waits for others, which nothing outside shows",
    ("tests/python/studio_test.py", "time.sleep(0.01)"): "asks again until another process has done it",
    ("tests/ui/space_test.cpp", "qWait(1'600)"): "longer than docks wait before they close: they must not",
    ("tests/ui/explain_test.cpp", "QTest::qWait(700)"): "that nothing is run within the pause of half a second",
    ("tests/ui/graph/bench.cpp", "QTest::qWait("): "what happens in a stretch of time is what is measured",
    ("tests/ui/graph/shell_test.cpp", "QTest::qWait(static_cast<int>(random() % 5))"): "that time passes is one of the random actions",
    ("tests/ui/random_test.cpp", "QTest::qWait(static_cast<int>(random() % 5))"): "that time passes is one of the random actions",
    ("tests/ui/journeys.py", "time.sleep(0.1)"): "looks at the screen again until it rests",
    ("tests/ui/journeys.py", "time.sleep(0.15)"): "a person between two keys",
    ("tests/ui/journeys.py", "time.sleep(3)"): "a person at work",
    ("tests/ui/xvfb_test.py", "time.sleep(0.05)"): "asks another process again until it has done it",
    ("tests/unit/package/thread_pool_test.cpp", "sleep_for(std::chrono::milliseconds(1))"): "threads go to sleep when there is no loop for so long",
    ("tests/unit/toolchain/cache_test.cpp", "sleep_for(std::chrono::milliseconds(100))"): "a compiler that takes its time, so that others come to wait for it",
    ("tests/unit/toolchain/cache_test.cpp", "sleep_for(std::chrono::microseconds(2000 + random() % 20000))"): "writers are killed at any moment",
    ("tests/unit/toolchain/fake_nvrtc.cpp", "sleep_for(std::chrono::milliseconds(300))"): "a compiler that takes its time, so that others come to wait for it",
    ("tests/unit/toolchain/fake_nvrtc.cpp", "sleep_for(std::chrono::seconds(1))"): "a compiler that never ends",
    ("tests/unit/toolchain/fake_nvrtc.cpp", "sleep_for(std::chrono::milliseconds(5))"): "a compiler that works until it is told to stop",
}


def sleeps():
    """(path, number, line) of every one."""
    for path in house.files(".cpp", ".h", ".py", ".sh", under="tests/"):
        if path.startswith("tests/lint/"):
            continue
        for number, line in enumerate(house.read(path).split("\n"), 1):
            if SLEEP.search(line):
                yield path, number, line.strip()


found = list(sleeps())
meant = {row for row in MEANT if any(path == row[0] and row[1] in line for path, _, line in found)}
problems = [f"{path}:{number}: {line}" for path, number, line in found
            if not any(path == row[0] and row[1] in line for row in MEANT)]
problems += [f"{path} does not sleep with '{text}' any more" for path, text in sorted(set(MEANT) - meant)]
house.finish(problems, fine=f"{len(found)} sleeps in tests, all of them meant",
             cure="Wait for an event or for a condition; a sleep that is meant is listed in tests/lint/check_sleeps.py with its reason.")
