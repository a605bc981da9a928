# SPDX-License-Identifier: Apache-2.0
"""`hidetc dap` as an editor uses it: planted bugs found by going back, steps, breakpoints, what makes no sense, and how it ends."""

import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
from client import AdapterError, Client
from planted_bug import HEAD
from schema import Schema


def option(name, otherwise):
    if name not in sys.argv:
        return otherwise
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


HIDETC = os.path.join(option("--bin", "build/dev/bin"), "hidetc")
SCHEMA = Schema(option("--schema", os.path.join(os.path.dirname(os.path.abspath(__file__)), "protocol.json")))

TAIL = """
f = module.build()
x = torch.arange(128, device='cuda').to(torch.float32)
y = torch.zeros(128, device='cuda')
f(x, y)
print(y[0])
"""
FIRST = HEAD.count("\n") + 1  # line of the body
# Neighbours are read with no barrier between.
RACE = """        tile = shared_tensor('float32', shape=[64])
        t = threadIdx.x
        tile[t] = x[blockIdx.x * 64 + t]
        y[blockIdx.x * 64 + t] = tile[63 - t]
"""
# Written with one swizzle, read with another.
SWIZZLE = """        tile = shared_tensor('float32', shape=[8, 8])
        row = threadIdx.x // 8
        column = threadIdx.x % 8
        tile[row, column ^ row] = x[blockIdx.x * 64 + threadIdx.x]
        syncthreads()
        value = tile[row, column ^ (row // 2)]
        y[blockIdx.x * 64 + threadIdx.x] = value
"""
# The last turn is one too many.
OFF_BY_ONE = """        sum = 0.0
        for i in range(threadIdx.x % 4 + 2):
            index = 124 + i
            sum += x[index]
        y[blockIdx.x * 64 + threadIdx.x] = sum
"""
ENDLESS = "while True:\n    pass\n"


class Debugging(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def script(self, body, whole=False):
        path = os.path.join(self.folder.name, "script.py")
        with open(path, "w") as file:
            file.write(body if whole else HEAD + body + TAIL)
        return path

    def test_a_race_stops_before_the_access_and_names_who_wrote_last(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(RACE))
            self.assertEqual(client.stop(), ("exception", FIRST + 3))
            self.assertIn("tile", client.ask("exceptionInfo", threadId=client.thread)["description"])
            self.assertEqual(client.value("last_writer(tile[63 - t])").split(" of ")[0].split()[0], "thread")
            self.assertIn(f"line {FIRST + 2}", client.value("last_writer(tile[63])"))
            self.assertEqual(client.stop("stepBack"), ("step", FIRST + 3))
            self.assertEqual(client.stop("stepBack"), ("step", FIRST + 2))
            self.assertEqual(client.scope("Shared memory")["tile"]["value"], "f32[64]")

    def test_a_wrong_swizzle_is_found_by_stepping_back_to_who_wrote_the_element(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(SWIZZLE), [{"line": FIRST + 6, "condition": "value != x[threadIdx.x]"}])
            self.assertEqual(client.stop(), ("breakpoint", FIRST + 6))
            self.assertEqual(client.value("row"), client.value("threadIdx.x // 8"))
            writer = client.value("last_writer(tile[row, column ^ (row // 2)])")
            self.assertRegex(writer, rf"^thread \d+ of block \(0, 0, 0\) wrote it in line {FIRST + 3}, at instruction \d+$")
            thread = int(writer.split()[1])
            here = client.ask("hidet/lastWriter", expression="tile[row, column ^ (row // 2)]", frameId=client.thread)
            self.assertEqual((here["text"], here["line"]), (writer, FIRST + 3))
            self.assertEqual(client.stop("hidet/goTo", position=here["position"]), ("step", FIRST + 3))
            client.stop("hidet/goTo", position=here["positionNow"])
            self.assertEqual(client.stop("stepBack")[1], FIRST + 5)
            self.assertEqual(client.stop("hidet/stepBackToBarrier")[1], FIRST + 4)
            self.assertEqual(client.stop("stepBack")[1], FIRST + 3)
            lanes = client.children(client.children(client.scope("Variables")["row"]["variablesReference"])[0]["variablesReference"])
            self.assertEqual(len(lanes), 32)
            self.assertEqual(int(lanes[thread % 32]["value"].split()[0]), thread % 32 // 8)

    def test_an_off_by_one_is_found_by_stepping_back_from_the_access(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(OFF_BY_ONE))
            self.assertEqual(client.stop(), ("exception", FIRST + 3))
            self.assertIn("x[128]", client.stopped["text"])
            self.assertEqual(client.value("index"), "128")
            self.assertEqual(client.value("i"), "4")
            lanes = client.scope("Lanes")
            self.assertEqual(lanes["warp 0"]["value"].count("#"), 8)
            self.assertEqual(client.stop("stepBack")[1], FIRST + 1)
            self.assertEqual(client.stop("stepBack")[1], FIRST + 3)
            self.assertEqual(client.value("index"), "127")
            client.ask("continue", threadId=client.thread)
            client.event("stopped")
            client.ask("continue", threadId=client.thread)
            self.assertEqual(client.event("exited")["exitCode"], 1)
            self.assertIn("128", client.output)

    def test_breakpoints_move_to_code_and_count_and_ask_conditions(self):
        script = self.script(SWIZZLE)
        with Client(HIDETC, SCHEMA) as client:
            client.launch(script, [FIRST + 2], stopOnEntry=True)
            client.stop()
            placed = client.breakpoints(script, FIRST - 3, {"line": FIRST + 3, "condition": "blockIdx.x == 1"}, 1000)
            self.assertEqual([each["verified"] for each in placed], [True, True, False])
            self.assertGreaterEqual(placed[0]["line"], FIRST)
            client.breakpoints(script, {"line": FIRST + 3, "condition": "blockIdx.x == 1"})
            self.assertEqual(client.stop("continue"), ("breakpoint", FIRST + 3))
            self.assertEqual(client.value("blockIdx.x"), "1")
            client.breakpoints(script, {"line": FIRST + 3, "hitCondition": "1"})
            self.assertEqual(client.stop("reverseContinue"), ("breakpoint", FIRST + 3))
            self.assertEqual(client.value("blockIdx.x"), "0")
            self.assertEqual(client.stop("reverseContinue")[0], "step")
            self.assertEqual(client.scope("Arguments")["x"]["value"], "f32[128]")
            self.assertEqual(client.value("x"), "f32[128]")
            with self.assertRaisesRegex(AdapterError, "not known here"):
                client.value("nonsense")
            client.breakpoints(script)
            client.ask("continue", threadId=client.thread)
            self.assertEqual(client.event("exited")["exitCode"], 0)

    def test_a_breakpoint_at_the_first_statement_stops_before_it(self):
        script = self.script("        y[blockIdx.x * 64 + threadIdx.x] = 1.0\n")
        with Client(HIDETC, SCHEMA) as client:
            client.launch(script, [FIRST])
            self.assertEqual(client.stop(), ("breakpoint", FIRST))
            self.assertEqual(client.value("blockIdx.x"), "0")
            self.assertEqual(client.stop("continue"), ("breakpoint", FIRST))
            self.assertEqual(client.value("blockIdx.x"), "1")
            self.assertEqual(client.stop("reverseContinue"), ("breakpoint", FIRST))

    def test_a_data_breakpoint_stops_before_each_write_on_the_way_on_and_back(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(SWIZZLE), stopOnEntry=True)
            client.stop()
            info = client.ask("dataBreakpointInfo", name="tile[3, 2 + 1]", frameId=client.thread)
            self.assertEqual(info["dataId"], "tile[3, 3] of block (0, 0, 0)")
            self.assertEqual(info["accessTypes"], ["write"])
            placed = client.watch("tile[3, 3]", "y[70]")
            self.assertEqual([each["verified"] for each in placed], [True, True])
            self.assertEqual(client.stop("continue"), ("data breakpoint", FIRST + 3))
            self.assertEqual(client.stopped["hitBreakpointIds"], [placed[0]["id"]])
            self.assertEqual(client.stopped["text"], "thread (24, 0, 0) of block (0, 0, 0) writes tile[3, 3] of block (0, 0, 0)")
            self.assertEqual(client.stop("continue"), ("data breakpoint", FIRST + 6))
            self.assertEqual(client.value("blockIdx.x"), "1")
            self.assertEqual(client.stop("reverseContinue"), ("data breakpoint", FIRST + 3))
            self.assertEqual(client.stop("reverseContinue")[0], "step")
            # Only for one of the threads, and never.
            client.watch("y[70]", condition="threadIdx.x == 6")
            self.assertEqual(client.stop("continue"), ("data breakpoint", FIRST + 6))
            client.watch("y[70]", condition="threadIdx.x == 7")
            self.assertEqual(client.stop("reverseContinue")[0], "step")
            client.ask("continue", threadId=client.thread)
            self.assertEqual(client.event("exited")["exitCode"], 0)

    def test_shared_memory_of_a_block_that_is_to_come_is_watched(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(SWIZZLE), stopOnEntry=True)
            client.stop()
            self.assertEqual([each["verified"] for each in client.watch("tile[3, 3] of block (1, 0, 0)")], [True])
            self.assertEqual(client.stop("continue"), ("data breakpoint", FIRST + 3))
            self.assertEqual(client.value("blockIdx.x"), "1")
            self.assertEqual(client.stopped["text"], "thread (24, 0, 0) of block (1, 0, 0) writes tile[3, 3] of block (1, 0, 0)")
            writer = client.ask("hidet/lastWriter", expression="tile[3, 3] of block (0, 0, 0)", frameId=client.thread)
            self.assertIn("of block (0, 0, 0) wrote it in line", writer["text"])
            self.assertNotIn("value", writer)
            for name, why in [("tile[3, 3] of block 9", "no block of the grid"), ("y[3] of block 0", "of no block")]:
                self.assertIn(why, client.ask("dataBreakpointInfo", name=name, frameId=client.thread)["description"])

    def test_a_hit_condition_says_at_which_times_a_breakpoint_stops(self):
        loops = ["        sum = 0.0\n" + head + "            sum += x[k]\n        y[blockIdx.x * 64 + threadIdx.x] = sum\n"
                 for head in ("        for k in range(6):\n", "        for k in range(blockIdx.x + 6):\n")]  # the first one becomes copies
        ways = [("5", [4, 5]), (">= 5", [4, 5]), ("> 5", [5]), ("==2", [1]), ("<= 2", [0, 1]), ("< 2", [0]), ("% 3", [2, 5]), ("7", [])]
        for text, (hits, stops) in [(loops[0], way) for way in ways] + [(loops[1], ways[0])]:
            script = self.script(text)
            with Client(HIDETC, SCHEMA) as client:
                client.launch(script, block=[0], stopOnEntry=True)
                client.stop()
                client.breakpoints(script, {"line": FIRST + 2, "hitCondition": hits})
                for k in stops:
                    self.assertEqual((hits, client.stop("continue")), (hits, ("breakpoint", FIRST + 2)))
                    self.assertEqual((hits, client.value("k")), (hits, str(k)))
                client.ask("continue", threadId=client.thread)
                self.assertEqual(client.event("exited")["exitCode"], 0)
        with Client(HIDETC, SCHEMA) as client:
            client.launch(script, stopOnEntry=True)
            client.stop()
            placed = client.breakpoints(script, *({"line": FIRST + 2, "hitCondition": hits} for hits in ("often", "% 0", "-1", "3 4", "== 2")))
            self.assertEqual([each["verified"] for each in placed], [False] * 4 + [True])
            self.assertIn("'often' does not say how often", placed[0]["message"])

    def test_what_cannot_be_watched_says_why(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(SWIZZLE), stopOnEntry=True)
            client.stop()
            for name, why in [("row", "an element of a tensor is wanted"), ("tile[9, 0]", "outside of the shape"), ("nothing[0]", "no tensor")]:
                info = client.ask("dataBreakpointInfo", name=name, frameId=client.thread)
                self.assertIsNone(info["dataId"])
                self.assertIn(why, info["description"])
            tile = client.scope("Shared memory")["tile"]["variablesReference"]
            row = client.children(tile)[3]["variablesReference"]
            info = client.ask("dataBreakpointInfo", name="[5]", variablesReference=row)
            self.assertEqual(info["dataId"], "tile[3, 5] of block (0, 0, 0)")
            wanted = [{"dataId": info["dataId"], "accessType": "read"}, {"dataId": "tile"}, {"dataId": info["dataId"], "condition": "1 +"}]
            placed = client.ask("setDataBreakpoints", breakpoints=wanted)["breakpoints"]
            self.assertEqual([each["verified"] for each in placed], [False] * 3)

    def test_a_message_is_printed_where_its_condition_holds(self):
        script = self.script(SWIZZLE)
        with Client(HIDETC, SCHEMA) as client:
            logs = [{"line": FIRST + 4, "logMessage": "row {row} of {blockIdx.x}", "condition": "threadIdx.x == 9"}]
            client.launch(script, logs + [{"line": FIRST + 1, "logMessage": "{blockDim.x}"}])
            self.assertEqual(client.event("exited")["exitCode"], 0)
            self.assertEqual([line for line in client.output.splitlines() if line][:4], ["64", "row 1 of 0", "64", "row 1 of 1"])

    def test_a_mistake_in_a_condition_is_told_at_its_breakpoint(self):
        script = self.script(SWIZZLE)
        with Client(HIDETC, SCHEMA) as client:
            client.launch(script, stopOnEntry=True)
            client.stop()
            wrong = [{"line": FIRST + 3, "condition": each} for each in ("rwo == 1", "row =", "row == ", "abs(row)")]
            placed = client.breakpoints(script, *wrong, {"line": FIRST + 3, "logMessage": "{row"})
            self.assertEqual([each["verified"] for each in placed], [False] * 5)
            self.assertEqual(placed[0]["message"], "its condition cannot be computed: 'rwo' is not known here")
            client.breakpoints(script, {"line": FIRST + 3, "condition": "x[200] == 0"})
            self.assertEqual(client.stop("continue"), ("breakpoint", FIRST + 3))

    def test_a_launch_that_runs_is_paused(self):
        script = self.script("        sum = 1\n        for i in range(100000000):\n            sum = sum * 3 + i\n        y[threadIdx.x] = sum\n")
        with Client(HIDETC, SCHEMA) as client:
            client.launch(script)
            client.ask("pause", threadId=1)
            self.assertEqual(client.stop()[0], "pause")
            client.ask("continue", threadId=client.thread)
            client.ask("pause", threadId=client.thread)
            self.assertEqual(client.stop()[0], "pause")
            self.assertEqual(client.stop("next")[0], "step")

    def test_random_walks_end_where_they_began(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(SWIZZLE), stopOnEntry=True)
            client.stop()
            random.seed(7)
            seen = []
            for _ in range(8):
                place = client.stop(random.choice(["next", "stepIn"]))[1]
                seen.append((place, {name: each["value"] for name, each in client.scope("Variables").items()}))
            for expected in reversed(seen[:-1]):
                place = client.stop("stepBack")[1]
                self.assertEqual((place, {name: each["value"] for name, each in client.scope("Variables").items()}), expected)

    def test_what_makes_no_sense_is_refused_and_the_adapter_goes_on(self):
        with Client(HIDETC, SCHEMA) as client:
            client.send_bytes(b"Content-Length: nonsense\r\n\r\n")
            client.send_bytes(b"Content-Length: 5\r\n\r\n{][}}")
            client.send_bytes(b"Content-Length: 2\r\n\r\n[]")
            client.ask("initialize", adapterID="hidet")
            for command, arguments in [
                ("fly", {}), ("next", {}), ("variables", {"variablesReference": 7}), ("launch", {}), ("evaluate", {"expression": "1 +"}),
                ("setDataBreakpoints", {"breakpoints": []}), ("hidet/goTo", {}), ("hidet/lastWriter", {"expression": "1"}),
                ("launch", {"program": 5}), ("launch", {"program": "/no/such/file.py"}), ("setBreakpoints", {"source": 5}),
                ("launch", {"program": self.script(RACE), "block": "first"}), ("setBreakpoints", {"source": {"path": "a"}, "breakpoints": [5]}),
            ]:
                with self.assertRaises(AdapterError, msg=command):
                    client.ask_anything(command, arguments)
            client.launch(self.script("x = (\n", whole=True))
            self.assertEqual(client.event("exited")["exitCode"], 1)

    def test_a_text_that_is_not_saved_is_debugged_in_the_place_of_its_file(self):
        script = self.script("x = (\n", whole=True)
        with Client(HIDETC, SCHEMA) as client:
            client.launch(script, [FIRST + 3], text=HEAD + SWIZZLE + TAIL)
            self.assertEqual(client.stop(), ("breakpoint", FIRST + 3))
            client.ask("continue", threadId=client.thread)

    def test_a_script_that_never_ends_is_left_by_disconnecting(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(ENDLESS, whole=True))
            client.ask("disconnect")
            self.assertEqual(client.process.wait(20), 0)

    def test_the_adapter_ends_with_its_client(self):
        with Client(HIDETC, SCHEMA) as client:
            client.launch(self.script(ENDLESS, whole=True))
            client.process.stdin.close()
            self.assertNotEqual(client.process.wait(20), None)


if __name__ == "__main__":
    unittest.main()
