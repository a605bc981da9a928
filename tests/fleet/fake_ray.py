# SPDX-License-Identifier: Apache-2.0
"""In the place of Ray's dashboard: its Jobs interface over processes of this machine. The first `lost` jobs are lost with their
workers in the middle of the first record that these tell."""

import contextlib
import http.server
import json
import os
import signal
import socket
import subprocess
import threading


class Ray:
    def __init__(self, environment, lost=0):
        self.environment = environment
        self.lost = lost
        self.jobs = {}  # id: process
        self.posted = []
        self.posting = threading.Lock()
        self.stopped = []
        ray = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                ray.answer(self, ray.get(self.path))

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                ray.answer(self, ray.post(self.path, body))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def answer(handler, value):
        text = json.dumps(value).encode() if value is not None else b"no such job"
        handler.send_response(404 if value is None else 200)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def state(self, name):
        code = self.jobs[name].poll()
        return "RUNNING" if code is None else "STOPPED" if name in self.stopped else "SUCCEEDED" if code == 0 else "FAILED"

    def get(self, path):
        if path == "/api/version":
            return {"ray_version": "2.0", "version": "4"}
        if path == "/api/jobs/":
            return [{"submission_id": name, "status": self.state(name)} for name in self.jobs]
        name, _, what = path.removeprefix("/api/jobs/").partition("/")
        if name not in self.jobs:
            return None
        return {"logs": "node7 is out of memory\n"} if what == "logs" else {"status": self.state(name)}

    def post(self, path, body):
        if path == "/api/jobs/":
            job = json.loads(body)
            with self.posting:
                self.posted.append(job)
                number = len(self.posted)
            entrypoint = job["entrypoint"]
            if number <= self.lost:
                command, _, address = entrypoint.rpartition("--call-back=")
                entrypoint = f"{command}--call-back={self.line_that_breaks(address, job['submission_id'])}"
            environment = dict(self.environment, **job["runtime_env"]["env_vars"])
            self.jobs[job["submission_id"]] = subprocess.Popen(
                entrypoint, shell=True, cwd="/", env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return {"submission_id": job["submission_id"]}
        name = path.removeprefix("/api/jobs/").removesuffix("/stop")
        if name not in self.jobs:
            return None
        self.stopped.append(name)
        self.end(name)
        return {"stopped": True}

    def line_that_breaks(self, address, name):
        """Another address, which leads there."""
        host, _, port = address.rpartition(":")
        listening = socket.create_server(("127.0.0.1", 0))

        def serve():
            with listening, listening.accept()[0] as worker, socket.create_connection((host.strip("[]"), int(port))) as home:
                threading.Thread(target=self.pass_on, args=(home, worker), daemon=True).start()
                self.pass_on(worker, home, until=b'"schedule":')
                self.end(name)

        threading.Thread(target=serve, daemon=True).start()
        return "127.0.0.1:%d" % listening.getsockname()[1]

    @staticmethod
    def pass_on(source, target, until=None):
        with contextlib.suppress(OSError):
            while content := source.recv(65536):
                before, found, _ = content.partition(until) if until else (content, b"", b"")
                target.sendall(before)
                if found:
                    break
            target.shutdown(socket.SHUT_RDWR)

    def end(self, name):
        try:
            os.killpg(self.jobs[name].pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self):
        self.server.shutdown()
        for name in self.jobs:
            self.end(name)
