# SPDX-License-Identifier: Apache-2.0
"""A server of files by GET and PUT over TLS, for who has the token: what machines share the results of compilations by."""

import http.server
import os
import ssl
import subprocess
import threading
import time

TOKEN = "let-me-in"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append("GET")
        if not self.is_welcome():
            return
        bytes_ = self.server.files.get(self.path)
        self.answer(404 if bytes_ is None else 200, bytes_ or b"")

    def do_PUT(self):
        self.server.asked.append("PUT")
        bytes_ = self.rfile.read(int(self.headers["Content-Length"]))
        if self.is_welcome():
            self.server.files[self.path] = bytes_
            self.answer(201, b"")

    def is_welcome(self):
        if self.server.seconds:
            time.sleep(self.server.seconds)
        if self.headers["Authorization"] == f"Bearer {TOKEN}":
            return True
        self.answer(401, b"")
        return False

    def answer(self, status, bytes_):
        self.send_response(status)
        self.send_header("Content-Length", str(len(bytes_)))
        self.end_headers()
        self.wfile.write(bytes_)

    def log_message(self, *_):
        pass


class CacheServer(http.server.ThreadingHTTPServer):
    """`files`: path -> bytes; `asked`: the methods of all requests; `seconds`: how long it thinks before each answer."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked, self.seconds = {}, [], 0.0
        self.certificate = os.path.join(folder, "certificate.pem")
        key = os.path.join(folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", self.certificate],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # who does not trust the certificate hangs up

    @property
    def address(self):
        return f"https://localhost:{self.server_address[1]}/kernels"
