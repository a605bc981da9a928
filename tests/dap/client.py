# SPDX-License-Identifier: Apache-2.0
"""A client of debug adapters: starts one, speaks the protocol with it, and holds what both say against a schema of it."""

import json
import queue
import subprocess
import threading

SECONDS = 60  # that an answer may take on a busy machine


class AdapterError(Exception):
    pass


def frame_of(message):
    text = json.dumps(message)
    return f"Content-Length: {len(text)}\r\n\r\n{text}".encode("ascii")


class Client:
    def __init__(self, program, schema):
        self.schema, self.mistake = schema, None
        self.process = subprocess.Popen([program, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number, self.last = 0, 0
        self.answers, self.events, self.output = queue.Queue(), queue.Queue(), ""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join(SECONDS)
        self.process.stdin.close()
        self.process.stdout.close()

    def _read(self):
        stream = self.process.stdout
        while True:
            size = None
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            if size is None:
                return
            self._take(json.loads(stream.read(size)))

    def _take(self, message):
        assert message["seq"] == self.last + 1, message
        self.last = message["seq"]
        try:
            self.schema.check(message)
        except AssertionError as error:
            self.mistake = error  # told where somebody waits
        if message["type"] == "response":
            self.answers.put(message)
        elif message["event"] == "output":
            self.output += message["body"]["output"]
        else:
            self.events.put(message)

    def _next(self, messages):
        message = messages.get(timeout=SECONDS)
        if self.mistake:
            raise self.mistake
        return message

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, command, **arguments):
        """As a client does that keeps to the protocol."""
        self.schema.check({"seq": 1, "type": "request", "command": command, "arguments": arguments})
        return self.ask_anything(command, arguments)

    def ask_anything(self, command, arguments):
        self.number += 1
        self.send_bytes(frame_of({"seq": self.number, "type": "request", "command": command, "arguments": arguments}))
        answer = self._next(self.answers)
        assert answer["request_seq"] == self.number and answer["command"] == command, answer
        if not answer["success"]:
            raise AdapterError(answer["message"])
        return answer["body"]

    def event(self, name):
        """The next event of that name; others before it are dropped."""
        while True:
            event = self._next(self.events)
            if event["event"] == name:
                return event["body"]
            assert event["event"] != "terminated", f"it has ended without '{name}': {self.output}"

    def launch(self, program, breakpoints=(), **arguments):
        self.ask("initialize", adapterID="hidet")
        self.event("initialized")
        self.ask("launch", program=program, **arguments)
        if breakpoints:
            self.breakpoints(program, *breakpoints)
        self.ask("configurationDone")

    def breakpoints(self, program, *breakpoints):
        wanted = [each if isinstance(each, dict) else {"line": each} for each in breakpoints]
        return self.ask("setBreakpoints", source={"path": program}, breakpoints=wanted)["breakpoints"]

    def watch(self, *elements, **rest):
        """Stops before these are written: names, in the frame that stands."""
        found = [self.ask("dataBreakpointInfo", name=each, frameId=self.thread) for each in elements]
        wanted = [{"dataId": each["dataId"], **rest} for each in found]
        return self.ask("setDataBreakpoints", breakpoints=wanted)["breakpoints"]

    def stop(self, command=None, **arguments):
        """Goes on as the command says, and returns (reason, line) of where it stops."""
        if command:
            self.ask(command, threadId=getattr(self, "thread", 1), **arguments)
        self.stopped = self.event("stopped")
        self.thread = self.stopped["threadId"]
        return self.stopped["reason"], self.line()

    def line(self):
        return self.ask("stackTrace", threadId=self.thread)["stackFrames"][0]["line"]

    def scope(self, name):
        scopes = self.ask("scopes", frameId=self.thread)["scopes"]
        reference = next(each["variablesReference"] for each in scopes if each["name"] == name)
        return {each["name"]: each for each in self.children(reference)}

    def children(self, reference, **page):
        return self.ask("variables", variablesReference=reference, **page)["variables"]

    def value(self, expression):
        return self.ask("evaluate", expression=expression, frameId=self.thread)["result"]
