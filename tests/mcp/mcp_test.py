# SPDX-License-Identifier: Apache-2.0
"""`hidetc mcp` as a program uses it: every tool, answers of a bounded length, mistakes, and how it ends."""

import json
import os
import queue
import random
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HIDETC = os.path.join(sys.argv.pop(sys.argv.index("--bin") + 1), "hidetc")
sys.argv.remove("--bin")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "samples", "models", "encoder.onnx")
PATIENCE = 60

SCRIPT = """import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx

with hidet.script_module() as module:
    @hidet.script
    def turned(x: f32[64, 64], y: f32[64, 64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 64
        attrs.cuda.block_dim = 64
        y[threadIdx.x, blockIdx.x] = x[blockIdx.x, threadIdx.x]
turned = module.build()

x = torch.randn(64, 64, device='cuda')
y = torch.empty(64, 64, device='cuda')
turned(x, y)
"""
ENDLESS = {"text": "while True:\n    pass\n", "max_steps": "1000000000000"}


class Client:
    def __init__(self, *options):
        self.process = subprocess.Popen([HIDETC, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number, self.notices, self.answers = 0, [], {}
        self.arrived = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.arrived:
                if "method" in message:
                    self.notices.append(message)
                else:
                    self.answers.setdefault(message["id"], queue.Queue()).put(message)
                self.arrived.notify_all()

    def write(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method, **params):
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def answer(self, number, patience=PATIENCE):
        with self.arrived:
            self.answers.setdefault(number, queue.Queue())
        return self.answers[number].get(timeout=patience)

    def ask(self, method, **params):
        return self.answer(self.send(method, **params))

    def result(self, method, **params):
        return self.ask(method, **params)["result"]

    def call(self, tool, **arguments):
        """The text, and whether it is an error."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        return result["content"][0]["text"], result["isError"]

    def end(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
            self.process.wait(timeout=PATIENCE)
            self.reader.join()
            self.process.stdout.close()
        return self.process.returncode


class Mcp(unittest.TestCase):
    def client(self, *options):
        client = Client(*options)
        self.addCleanup(client.end)
        return client

    def test_it_introduces_itself_and_speaks_a_version_that_it_knows(self):
        client = self.client()
        for wanted, spoken in [("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18")]:
            answer = client.result("initialize", protocolVersion=wanted, capabilities={}, clientInfo={"name": "t", "version": "1"})
            self.assertEqual(answer["protocolVersion"], spoken)
        self.assertEqual(answer["serverInfo"]["name"], "hidetc")
        guide = subprocess.run([HIDETC, "agent-guide"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(answer["instructions"], guide)
        self.assertEqual(client.result("ping"), {})
        self.assertEqual(client.end(), 0)

    def test_every_tool_that_the_guide_names_is_there_with_a_schema(self):
        tools = {tool["name"]: tool for tool in self.client().result("tools/list")["tools"]}
        guide = subprocess.run([HIDETC, "agent-guide"], capture_output=True, text=True, check=True).stdout
        for name in tools:
            if name not in ("doctor", "run", "compile", "profile", "model_bench"):
                self.assertIn(f"`{name}`", guide)
        for tool in tools.values():
            schema = tool["inputSchema"]
            self.assertEqual(schema["type"], "object")
            self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
            self.assertTrue(all(each["type"] in ("string", "boolean", "array", "number", "integer")
                                for each in schema["properties"].values()), tool)

    def test_every_tool_answers(self):
        client = self.client()
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "turned.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(SCRIPT)
            kernel = os.path.join(folder, "k.cu")
            with open(kernel, "w", encoding="utf-8") as file:
                file.write('extern "C" __global__ void k(float* x) { x[threadIdx.x] = 1; }\n')
            answered = {
                "check": (dict(text=SCRIPT), "no mistakes"),
                "emulate": (dict(file=script), "no findings"),
                "run": (dict(file=script), "emulated"),
                "explain": (dict(text=SCRIPT, no_compile=True), "moves 8 times the ideal sectors"),
                "prove": (dict(text=SCRIPT), "races proved"),
                "lower": (dict(text=SCRIPT, function="turned"), "def turned"),
                "emit": (dict(text=SCRIPT, kind="cuda"), "__global__"),
                "try": (dict(file=script, function="turned", check_only=True), "turned"),
                "bench": (dict(file=script), ""),
                "compare": (dict(text=SCRIPT, other=script), "no difference"),
                "compile": (dict(file=kernel), ""),
                "machine": (dict(text=SCRIPT), ""),
                "profile": (dict(file=script, command=True), "ncu"),
                "export": (dict(file=script, format="cuda", output=os.path.join(folder, "out")), "turned"),
                "reduce": (dict(file=script), ""),
                "tune": (dict(model=MODEL, space="1"), ""),
                "manual": (dict(word="bank-conflict"), "Bank conflicts"),
                "doctor": ({}, "NVRTC"),
                "model_show": (dict(model=MODEL, fused=True), "attention"),
                "model_compile": (dict(model=MODEL), "launches"),
                "model_run": (dict(model=MODEL), ""),
                "model_bench": (dict(model=MODEL), ""),
                "model_compare": (dict(model=MODEL, other=MODEL), ""),
                "more": (dict(handle="a0", at=""), "no such place"),
            }
            self.assertEqual(set(answered), {tool["name"] for tool in client.result("tools/list")["tools"]})
            for tool, (arguments, part) in answered.items():
                with self.subTest(tool=tool):
                    text, _ = client.call(tool, **arguments)
                    self.assertIn(part, text)
                    self.assertNotIn("has no argument", text)
                    self.assertTrue(text.strip())
        self.assertEqual(client.end(), 0)

    def test_an_answer_is_bounded_and_the_rest_can_be_asked_for(self):
        client = self.client()
        whole, _ = client.call("explain", text=SCRIPT, no_compile=True, json=True, max_tokens=100000)
        document = json.loads(whole)
        cut, _ = client.call("explain", text=SCRIPT, no_compile=True, json=True, max_tokens=900)
        self.assertLessEqual(len(cut), 900 * 4)
        cut = json.loads(cut)
        access, _ = client.call("more", handle=cut["handle"], at="/kernels/0/accesses/1", max_tokens=100000)
        self.assertEqual(json.loads(access)["tensor"], document["kernels"][0]["accesses"][1]["tensor"])
        text, _ = client.call("lower", text=SCRIPT, passes=True, max_tokens=200)
        lines, handle = text.rsplit("\n", 1)[0], text.split("handle='")[1].split("'")[0]
        while "handle='" in text:
            at = int(text.split("from=")[1].split(")")[0])
            text, _ = client.call("more", handle=handle, at="", **{"from": at}, max_tokens=200)
            lines += "\n" + text.rsplit("\n", 1)[0]
        self.assertEqual(len(lines.split("\n")), len(client.call("lower", text=SCRIPT, passes=True)[0].strip().split("\n")))

    def test_a_wrong_argument_is_told_with_what_would_be_right(self):
        client = self.client()
        for tool, arguments, part in [
            ("explain", dict(fiel="x"), "did you mean 'file'?"),
            ("explain", dict(text=SCRIPT, loops="yes"), "'loops' is true or false"),
            ("explain", dict(text=SCRIPT, function=["a"]), "'function' is one value"),
            ("explain", dict(text=SCRIPT, file="x.py"), "in the place of 'file'"),
            ("explain", dict(file="-"), "give the script as 'text'"),
            ("explain", dict(text=SCRIPT, max_tokens=-1), "max_tokens is not a number above 0"),
            ("explain", dict(file="/nowhere/x.py"), "/nowhere/x.py"),
            ("explain", {}, "FILE"),
            ("emit", dict(text=SCRIPT, kind="--help"), "--help"),
            ("bench", dict(text=SCRIPT, target="cuda"), "started without '--device cuda'"),
            ("bench", dict(text=SCRIPT, target="cpu"), "started without '--device cpu'"),
            ("compare", dict(text=SCRIPT, other_text=7), "'other_text' is a string"),
            ("compare", dict(text=SCRIPT, other="x.py", other_text=SCRIPT), "in the place of 'other'"),
            ("compare", dict(text=SCRIPT, file="x.py", other="x.py"), "in the place of 'file'"),
            ("compare", dict(text=SCRIPT), "OTHER"),
            ("compare", dict(text=SCRIPT, other_text=SCRIPT, target="cuda"), "started without '--device cuda'"),
            ("more", dict(handle=1, at=""), "'handle' is a string"),
            ("more", dict(handle="a1", at="", **{"from": -1}), "'from' is an integer"),
        ]:
            with self.subTest(arguments=arguments):
                text, is_error = client.call(tool, **arguments)
                self.assertTrue(is_error)
                self.assertIn(part, text)
        self.assertEqual(client.ask("tools/call", name="no_such", arguments={})["error"]["code"], -32602)
        self.assertEqual(client.ask("tools/call", arguments={})["error"]["code"], -32602)
        self.assertEqual(client.ask("no/such")["error"]["code"], -32601)
        self.assertEqual(client.ask("resources/read", uri="hidet://manual/no_such_word_at_all")["error"]["code"], -32002)

    def test_two_texts_are_compared_in_one_word_with_the_figures(self):
        client = self.client()
        def compared(text, other):
            said, is_error = client.call("compare", text=text, other_text=other, json=True, max_tokens=2000)
            self.assertFalse(is_error)
            self.assertLessEqual(len(said), 2000 * 4)
            said = json.loads(said)
            return said.get("answer", said)["compared"]
        by_rows = SCRIPT.replace("y[threadIdx.x, blockIdx.x] = x[blockIdx.x, threadIdx.x]", "y[blockIdx.x, threadIdx.x] = x[threadIdx.x, blockIdx.x]")
        made = compared(by_rows, SCRIPT)
        self.assertIn(made["word"], ("faster", "slower", "no difference"))
        self.assertEqual((made["isPredicted"], made["kernelBench"]["where"], made["kernelBench"]["verdict"]["kind"]), (True, "emulator", "correct"))
        self.assertEqual(compared(SCRIPT, by_rows)["seconds"], made["otherSeconds"])
        self.assertEqual(compared(SCRIPT.replace("threadIdx.x]\n", "threadIdx.x] * 2.0\n"), SCRIPT)["word"], "wrong")

    def test_a_wrong_script_is_an_answer_and_no_error(self):
        text, is_error = self.client().call("check", text="import hidet\nx = nonsense\n")
        self.assertFalse(is_error)
        self.assertIn("nonsense", text)

    def test_resources_can_be_read(self):
        client = self.client()
        for resource in client.result("resources/list")["resources"]:
            self.assertTrue(client.result("resources/read", uri=resource["uri"])["contents"][0]["text"].strip(), resource)
        self.assertIn("mma_sync", client.result("resources/read", uri="hidet://manual/mma_sync")["contents"][0]["text"])
        self.assertIn("H100", client.result("resources/read", uri="hidet://machines")["contents"][0]["text"])
        self.assertEqual(client.result("resources/templates/list")["resourceTemplates"][0]["uriTemplate"], "hidet://manual/{word}")

    def test_what_is_no_message_is_refused_and_the_next_one_is_answered(self):
        client = self.client()
        for line, code in [(b"{bad\n", -32700), (b"[1, 2]\n", -32600), (b'"text"\n', -32600), (b'{"id": {}}\n', -32600),
                           (b'{"id": 1, "method": 7}\n', -32600), (b"\xff\xfe\n", -32700), (b"[" * 100000 + b"\n", -32700)]:
            client.write(line)
            self.assertEqual(client.answer(None)["error"]["code"], code, line[:40])
        client.write(b"\n")
        client.write({"jsonrpc": "2.0", "method": "notifications/unknown"})
        client.write({"jsonrpc": "2.0", "id": 9, "result": {}})
        self.assertEqual(client.result("ping"), {})
        self.assertEqual(client.ask("tools/call", name="check", arguments=[])["error"]["code"], -32602)

    def test_calls_run_side_by_side_and_one_can_be_cancelled_or_run_out_of_time(self):
        client = self.client()
        number = client.send("tools/call", name="run", arguments=ENDLESS, _meta={"progressToken": "p"})
        begin = time.monotonic()
        self.assertFalse(client.call("check", text=SCRIPT)[1])  # meanwhile
        with client.arrived:
            self.assertTrue(client.arrived.wait_for(lambda: client.notices, PATIENCE))
        self.assertEqual(client.notices[0]["params"]["progressToken"], "p")
        client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        text, is_error = client.call("run", **ENDLESS, max_seconds=1)
        self.assertTrue(is_error)
        self.assertIn("took longer", text)
        self.assertLess(time.monotonic() - begin, PATIENCE)
        self.assertNotIn(number, {key for key, value in client.answers.items() if not value.empty()})
        self.assertEqual(client.end(), 0)

    def test_more_calls_than_can_wait_are_refused_and_those_that_end_make_room(self):
        client = self.client()
        numbers = [client.send("tools/call", name="run", arguments=ENDLESS) for _ in range(1000)]
        self.assertEqual(client.result("ping"), {})
        refused = sorted(number for number in numbers if number in client.answers)
        self.assertEqual(refused, numbers[68:])
        error = client.answer(refused[0])["error"]
        self.assertEqual(error["code"], -32000)
        self.assertIn("68 calls are under way", error["message"])
        for number in numbers[:68]:
            client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        deadline = time.monotonic() + PATIENCE
        while "error" in (answer := client.ask("tools/call", name="check", arguments={"text": SCRIPT})) and time.monotonic() < deadline:
            self.assertEqual(answer["error"]["code"], -32000)
        self.assertFalse(answer["result"].get("isError", False))
        self.assertEqual(client.end(), 0)

    def test_nothing_is_left_when_the_client_goes(self):
        for goes in ("closes", "is killed"):
            with self.subTest(goes=goes):
                starter = subprocess.Popen(
                    [sys.executable, "-c",
                     "import subprocess, sys, json, time\n"
                     "p = subprocess.Popen([sys.argv[1], 'mcp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
                     "p.stdin.write(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params':"
                     " {'name': 'run', 'arguments': json.loads(sys.argv[2])}}).encode() + b'\\n')\n"
                     "p.stdin.flush()\n"
                     "p.stdin.write(b'{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"ping\"}\\n')\n"
                     "p.stdin.flush()\n"
                     "p.stdout.readline()\n"
                     "print(p.pid, flush=True)\n"
                     "sys.stdin.read()\n"
                     "p.stdin.close()\n", HIDETC, json.dumps(ENDLESS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                server = os.pidfd_open(int(starter.stdout.readline()))
                if goes == "is killed":
                    starter.send_signal(signal.SIGKILL)
                starter.stdin.close()
                starter.wait()
                starter.stdout.close()
                self.assertTrue(select.select([server], [], [], 10)[0])
                os.close(server)

    def test_a_thousand_random_requests_leave_it_answering(self):
        client = self.client()
        chance = random.Random(7)
        words = ["file", "text", "json", "at", "handle", "max_tokens", "function", "name", "uri", "arguments", ""]
        values = [None, True, -1, 0, 1e300, "", "x", "-", "--help", "/", [], [1], {}, {"a": {"b": []}}, "\u0000", "é" * 50]
        methods = ["ping", "tools/call", "tools/list", "resources/read", "initialize", "resources/list", "x", ""]
        for _ in range(1000):
            method = chance.choice(methods)
            params = {chance.choice(words): chance.choice(values) for _ in range(chance.randrange(4))}
            if method == "tools/call":
                params["name"] = chance.choice(["more", "no_such", 1, "", None])
            answer = client.ask(method, **params)
            self.assertTrue("result" in answer or isinstance(answer["error"]["message"], str))
        self.assertEqual(client.result("ping"), {})
        self.assertEqual(client.end(), 0)


if __name__ == "__main__":
    unittest.main()
