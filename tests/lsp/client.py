# SPDX-License-Identifier: Apache-2.0
"""A client of language servers: starts one, speaks the protocol with it, and remembers what it said."""

import json
import os
import queue
import subprocess
import threading
import time

SECONDS = 30  # that an answer may take on a busy machine


class ServerError(Exception):
    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


class Client:
    """`with Client(hidetc) as client:` initializes the server, and at the end shuts it down and sees that it leaves."""

    def __init__(self, program, capabilities=None, options=(), folder=None, begin=True, state=os.devnull, wishes=None):
        environment = {**os.environ, "XDG_STATE_HOME": state}  # where it keeps what a user took
        self.process = subprocess.Popen([program, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.next_id = 0
        self.messages = []  # notifications and requests of the server
        self.answers = {}
        self.changed = threading.Condition()
        self.closed = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.information = None
        if begin:
            root = {"rootUri": uri_of(folder) if folder else None}
            self.information = self.ask("initialize", {"processId": os.getpid(), "capabilities": capabilities or {},
                                                       "initializationOptions": wishes, **root})
            self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind or self.process.poll() is not None:
            return self.kill()
        self.ask("shutdown")
        self.tell("exit")
        code = self.process.wait(SECONDS)
        self.close()
        assert code == 0, f"the server left with {code}"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close()

    def close(self):
        """Of a server that has left."""
        self.reader.join(SECONDS)
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method, params=None):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        return self.next_id

    def end(self, number):
        message = self._wait(lambda: self.answers.pop(number, None), f"the answer {number}")
        if "error" in message:
            raise ServerError(message["error"])
        return message["result"]

    def ask(self, method, params=None):
        return self.end(self.begin(method, params))

    def take(self, method, fits=lambda params: True):
        """The next notification or request of that name, past or to come."""

        def find():
            for message in self.messages:
                if message.get("method") == method and fits(message["params"]):
                    self.messages.remove(message)
                    return message
            return None

        return self._wait(find, method)["params"]

    def open(self, uri, text, version=1):
        document = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(self, uri, version, changes):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def about(self, method, uri, position=None, **more):
        place = {"position": {"line": position[0], "character": position[1]}} if position else {}
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **place, **more})

    def diagnostics(self, uri, version):
        return self.take("textDocument/publishDiagnostics", lambda p: p["uri"] == uri and p.get("version") == version)["diagnostics"]

    def _wait(self, find, what):
        end = time.monotonic() + SECONDS
        with self.changed:
            while True:
                found = find()
                if found is not None:
                    return found
                left = end - time.monotonic()
                if left <= 0 or self.closed:
                    raise AssertionError(f"the server {'has gone' if self.closed else 'says nothing'}: waiting for {what}")
                self.changed.wait(left)

    def _read(self):
        stream = self.process.stdout
        while True:
            size = 0
            for line in iter(stream.readline, b"\r\n"):
                if not line:
                    break
                name, _, value = line.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            body = stream.read(size) if size else b""
            with self.changed:
                if not body:
                    self.closed = True
                else:
                    self._keep(json.loads(body))
                self.changed.notify_all()
            if not body:
                return

    def _keep(self, message):
        if "method" in message:
            self.messages.append(message)
        else:
            self.answers[message.get("id")] = message


def uri_of(path):
    return "file://" + os.path.abspath(path)


def place_of(text, mark):
    """The position of a mark's first character in UTF-16 units."""
    before = text[: text.index(mark)]
    line = before.count("\n")
    return (line, len(before.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2)
