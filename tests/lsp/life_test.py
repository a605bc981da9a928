# SPDX-License-Identifier: Apache-2.0
"""How a server begins and ends, and what bytes it survives. No client leaves one behind, however it goes."""

import json
import os
import select
import signal
import subprocess
import sys
import time
import unittest

from client import Client, ServerError

HIDETC = os.path.join(sys.argv.pop(sys.argv.index("--bin") + 1), "hidetc")
sys.argv.remove("--bin")

SECOND = 1.0  # within which a server whose client has gone is gone, too

# A client that starts a server, says which process it is, and is then killed.
STARTER = """
import json, os, subprocess, sys
server = subprocess.Popen([sys.argv[1], "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": os.getpid(), "capabilities": {}}}).encode()
server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
signal = __import__("signal")
signal.pause()
"""


def seconds_until_gone(process_number, at_most):
    """A process that is no child of ours; waiting for it needs no asking again and again."""
    begin = time.monotonic()
    try:
        number = os.pidfd_open(process_number)
    except ProcessLookupError:
        return 0.0
    gone, _, _ = select.select([number], [], [], at_most)
    os.close(number)
    return time.monotonic() - begin if gone else None


def memory_of(process_number):
    with open(f"/proc/{process_number}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024


class Life(unittest.TestCase):
    def test_a_killed_client_leaves_nothing_behind(self):
        client = subprocess.Popen([sys.executable, "-c", STARTER, HIDETC], stdout=subprocess.PIPE)
        server = int(client.stdout.readline())
        client.send_signal(signal.SIGKILL)
        client.wait()
        client.stdout.close()
        took = seconds_until_gone(server, 10)
        self.assertIsNotNone(took, "the server is still there")
        self.assertLess(took, SECOND + 0.5)  # half a second for a busy machine

    def test_the_process_that_the_client_names_is_watched(self):
        other = subprocess.Popen(["sleep", "100"])
        client = Client(HIDETC, begin=False)
        client.ask("initialize", {"processId": other.pid, "capabilities": {}})
        other.kill()
        other.wait()
        self.assertEqual(client.process.wait(10), 1)  # though its streams are open
        client.close()

    def test_a_process_of_another_machine_is_not_waited_for(self):
        with Client(HIDETC, begin=False) as client:
            client.ask("initialize", {"processId": 2**22 + 1, "capabilities": {}})  # no process has such a number
            client.open("file:///a.py", "x = undefined\n")
            self.assertEqual(len(client.diagnostics("file:///a.py", 1)), 1)

    def test_the_end_of_standard_input_ends_it(self):
        client = Client(HIDETC)
        client.open("file:///a.py", "while True:\n    pass\n")
        begin = time.monotonic()
        client.process.stdin.close()
        self.assertEqual(client.process.wait(10), 1)
        self.assertLess(time.monotonic() - begin, SECOND + 0.5)
        client.close()

    def test_exit_without_shutdown_is_a_failure(self):
        client = Client(HIDETC)
        client.tell("exit")
        self.assertEqual(client.process.wait(10), 1)
        client.close()

    def test_nothing_is_answered_behind_shutdown_or_before_initialize(self):
        client = Client(HIDETC, begin=False)
        with self.assertRaises(ServerError) as caught:
            client.ask("textDocument/hover", {})
        self.assertEqual(caught.exception.code, -32002)
        client.ask("initialize", {"processId": None, "capabilities": {}})
        client.ask("shutdown")
        with self.assertRaises(ServerError) as caught:
            client.ask("workspace/symbol", {"query": ""})
        self.assertEqual(caught.exception.code, -32600)
        client.tell("exit")
        self.assertEqual(client.process.wait(10), 0)
        client.close()

    def test_editors_may_name_the_streams(self):
        with Client(HIDETC, options=["--stdio"]) as client:
            self.assertEqual(client.information["serverInfo"]["name"], "hidetc")

    def test_a_client_that_does_not_read_costs_no_memory(self):
        client = Client.__new__(Client)  # nobody reads
        client.process = subprocess.Popen([HIDETC, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"processId": None, "capabilities": {}}})
        client.open("file:///a.py", "x = 1\n" * 2000 + "x.\n")
        os.set_blocking(client.process.stdin.fileno(), False)
        question = {"textDocument": {"uri": "file:///a.py"}}
        sent = 0
        for number in range(1, 4000):
            message = {"jsonrpc": "2.0", "id": number, "method": "textDocument/semanticTokens/full", "params": question}
            body = json.dumps(message).encode()
            _, ready, _ = select.select([], [client.process.stdin], [], 2)
            if not ready:
                break  # it takes no more, and that is how it keeps its memory
            try:
                os.write(client.process.stdin.fileno(), b"Content-Length: %d\r\n\r\n" % len(body) + body)
            except BlockingIOError:
                break
            sent = number
        self.assertGreater(sent, 100)
        self.assertIsNone(client.process.poll())
        self.assertLess(memory_of(client.process.pid), 400 << 20)
        begin = time.monotonic()
        client.process.stdin.close()
        client.process.wait(10)
        self.assertLess(time.monotonic() - begin, SECOND + 0.5)
        client.process.stdout.close()


class Bytes(unittest.TestCase):
    def setUp(self):
        self.client = Client(HIDETC)
        self.addCleanup(self.client.__exit__, None)

    def refused(self, data):
        """The server says that this was no message, and answers the next one."""
        self.client.send_bytes(data)
        error = self.client._wait(lambda: self.client.answers.pop(None, None), "a refusal")["error"]
        with self.assertRaises(ServerError):
            self.client.ask("textDocument/hover", {})
        return error["code"]

    def frame(self, body):
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def test_bodies_that_are_no_messages(self):
        self.assertEqual(self.refused(self.frame(b"{nonsense")), -32700)
        self.assertEqual(self.refused(self.frame(b"\xff\xfe")), -32700)
        self.assertEqual(self.refused(self.frame(b"[1, 2]")), -32600)
        self.assertEqual(self.refused(self.frame(b'{"id": {}, "method": "x"}')), -32600)
        self.assertEqual(self.refused(self.frame(b"[" * 100_000)), -32700)
        self.assertEqual(self.refused(self.frame(b"[" * 100_000 + b"]" * 100_000)), -32600)

    def test_headers_that_are_none(self):
        self.assertEqual(self.refused(b"Hello: there\r\n\r\nand more\n"), -32700)
        self.assertEqual(self.refused(b"Content-Length: many\r\n\r\n"), -32700)
        self.assertEqual(self.refused(b"Content-Length: -4\r\n\r\n"), -32700)
        self.assertEqual(self.refused(b"x" * 20_000), -32700)
        size = 70 << 20
        self.assertEqual(self.refused(b"Content-Length: %d\r\n\r\n" % size + b" " * size), -32700)

    def test_headers_of_other_styles_and_messages_in_pieces(self):
        body = json.dumps({"jsonrpc": "2.0", "id": "text", "method": "workspace/symbol", "params": {"query": "zzz"}}).encode()
        data = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:  %d\r\n\r\n" % len(body) + body
        for i in range(len(data)):
            self.client.send_bytes(data[i : i + 1])
        self.assertEqual(self.client.end("text"), [])


if __name__ == "__main__":
    unittest.main()
