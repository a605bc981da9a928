# SPDX-License-Identifier: Apache-2.0
"""The fetching of NVIDIA's tools, against an index of our own."""

import base64
import hashlib
import http.server
import importlib.util
import io
import json
import os
import platform
import sys
import tempfile
import threading
import unittest
import unittest.mock
import zipfile
from contextlib import redirect_stderr

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINE = platform.machine()


def load_module():
    spec = importlib.util.spec_from_file_location("fetch_wheels", os.path.join(ROOT, "runtime/toolchain/fetch_wheels.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_wheel(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


class Index(http.server.BaseHTTPRequestHandler):
    """A package index with one project. `settings` belongs to the test."""

    def do_GET(self):
        settings = self.server.settings
        settings["asked"].append(self.path)
        if settings.get("login") and self.headers.get("Authorization") != "Basic " + base64.b64encode(settings["login"]).decode():
            return self.send_error(401)
        if self.path == "/simple/test-tool/":
            names = [f"test_tool-1.0-py3-none-win_{MACHINE}.whl", f"test_tool-0.9-py3-none-linux_{MACHINE}.whl",
                     f"test_tool-1.0-py3-none-linux_{MACHINE}.whl"]
            if settings.get("json"):
                return self.reply("application/vnd.pypi.simple.v1+json",
                                  json.dumps({"files": [{"filename": name, "url": "../../files/" + name} for name in names]}).encode())
            links = "".join(f'<a href="/files/{name}#sha256=00">{name}</a><br/>' for name in names)
            return self.reply("text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode())
        if self.path == f"/files/test_tool-1.0-py3-none-linux_{MACHINE}.whl":
            return self.reply("application/octet-stream", settings["wheel"])
        return self.send_error(404)

    def reply(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Fetching(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.scratch.name, "wheels")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
        self.server.settings = self.settings = {"asked": [], "wheel": make_wheel({
            "nvidia/test/lib/libtool.so.1": "library", "nvidia/test/lib/libhelper.so.1.0": "helper", "nvidia/test/big.a": "unwanted"})}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.module = load_module()
        self.wheel = self.module.Wheel(
            "tool", "test-tool", "1.0", {MACHINE: hashlib.sha256(self.settings["wheel"]).hexdigest()},
            {"libhelper.so.1.0": "lib", "libtool.so.1": "lib"}, "TEST_TOOL", ["lib/libtool.so.1"], "PTX and SASS")
        self.module.WHEELS = [self.wheel]
        self.address = f"http://127.0.0.1:{self.server.server_port}/simple"
        self.variables = {"PIP_INDEX_URL": self.address, "PIP_CONFIG_FILE": os.devnull, "HOME": self.scratch.name}

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        self.scratch.cleanup()

    def fetch(self, **variables):
        errors = io.StringIO()
        with unittest.mock.patch.dict(os.environ, {**self.variables, **variables}, clear=True), redirect_stderr(errors):
            code = self.module.main([self.folder])
        return code, errors.getvalue()

    def files(self):
        return sorted(os.path.relpath(os.path.join(place, name), self.folder)
                      for place, _, names in os.walk(self.folder) for name in names)

    def test_what_is_kept_lies_in_its_folder_and_nothing_else_does(self):
        for form in ("html", "json"):
            with self.subTest(form):
                self.settings["json"] = form == "json"
                self.folder = os.path.join(self.scratch.name, form)
                code, errors = self.fetch()
                self.assertEqual((code, errors), (0, "fetching tool 1.0, which this machine lacks\n"))
                self.assertEqual(self.files(), ["lib/libhelper.so.1.0", "lib/libtool.so.1", "present"])
                with open(os.path.join(self.folder, "present"), encoding="utf-8") as file:
                    self.assertEqual(file.read(), os.path.join(self.folder, "lib/libtool.so.1") + "\n")
                self.assertTrue(os.access(os.path.join(self.folder, "lib/libtool.so.1"), os.X_OK))

    def test_a_second_call_asks_nobody(self):
        self.fetch()
        self.settings["asked"].clear()
        self.assertEqual(self.fetch(), (0, ""))
        self.assertEqual(self.settings["asked"], [])

    def test_a_toolkit_or_a_variable_that_names_the_tool_is_enough(self):
        toolkit = os.path.join(self.scratch.name, "cuda")
        os.makedirs(os.path.join(toolkit, "lib"))
        with open(os.path.join(toolkit, "lib/libtool.so.1"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.fetch(CUDA_HOME=toolkit), (0, ""))
        self.assertEqual(self.files(), ["present"])
        self.assertEqual(self.fetch(TEST_TOOL="/somewhere/libtool.so"), (0, ""))
        self.assertEqual(self.settings["asked"], [])

    def test_a_wheel_with_another_hash_is_refused(self):
        self.settings["wheel"] = make_wheel({"nvidia/test/lib/libtool.so.1": "evil"})
        code, errors = self.fetch()
        self.assertEqual(code, 1)
        self.assertIn("another hash", errors)
        self.assertEqual(self.files(), [])

    def test_without_a_network_one_line_says_what_is_unavailable(self):
        code, errors = self.fetch(PIP_INDEX_URL="http://127.0.0.1:9/simple")
        self.assertEqual(code, 1)
        self.assertEqual(errors.count("\n"), 1)
        self.assertIn("PTX and SASS will be unavailable", errors)

    def test_an_index_that_lacks_the_project_or_speaks_no_sense_is_no_crash(self):
        for index in (self.address + "/nothing", "ftp://", "no address"):
            with self.subTest(index):
                code, errors = self.fetch(PIP_INDEX_URL=index)
                self.assertEqual((code, errors.count("\n")), (1, 1))

    def test_a_machine_without_a_wheel_is_told(self):
        self.wheel.hashes = {"pdp11": "0"}
        code, errors = self.fetch()
        self.assertEqual(code, 1)
        self.assertIn(f"there is no wheel for {MACHINE}", errors)

    def test_the_index_comes_from_the_settings_of_pip(self):
        config = os.path.join(self.scratch.name, "pip.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"[global]\nindex-url = http://127.0.0.1:9/simple\nextra-index-url =\n    {self.address}\n")
        code, _ = self.fetch(PIP_INDEX_URL="", PIP_CONFIG_FILE=config)
        self.assertEqual(code, 0)

    def test_a_login_in_the_address_of_the_index_is_used(self):
        self.settings["login"] = b"me:p@ss"
        code, _ = self.fetch(PIP_INDEX_URL=self.address.replace("//", "//me:p%40ss@"))
        self.assertEqual(code, 0)
        self.assertIn("lib/libtool.so.1", self.files())

    def test_what_a_killed_call_left_is_removed(self):
        os.makedirs(os.path.join(self.folder, ".new-abc"))
        os.utime(os.path.join(self.folder, ".new-abc"), (0, 0))
        os.makedirs(os.path.join(self.folder, ".new-of-another-call"))
        self.fetch()
        self.assertFalse(os.path.exists(os.path.join(self.folder, ".new-abc")))
        self.assertTrue(os.path.exists(os.path.join(self.folder, ".new-of-another-call")))

    def test_the_real_table_names_wheels_for_both_machines(self):
        module = load_module()
        for wheel in module.WHEELS:
            is_package = isinstance(wheel, module.Package)
            hashes = wheel.by_tag if is_package else wheel.hashes
            self.assertTrue(hashes and all(len(value) == 64 for value in hashes.values()))
            if not is_package:
                self.assertEqual(sorted(hashes), ["aarch64", "x86_64"])

    def test_a_package_is_unpacked_whole_for_this_python(self):
        tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        whole = make_wheel({"tool/__init__.py": "", "tool/core.so": "machine code", "tool-1.0.dist-info/METADATA": ""})
        path = os.path.join(self.scratch.name, "tool.whl")
        with open(path, "wb") as file:
            file.write(whole)
        package = self.module.Package("tool", "test-tool", "1.0", {tag: "0" * 64, "cp27": "1" * 64}, "tool/__init__.py", "Python")
        self.assertTrue(package.wanted_name(f"test_tool-1.0-{tag}-{tag}-manylinux_2_28_{MACHINE}.whl"))
        self.assertFalse(package.wanted_name(f"test_tool-1.0-cp27-cp27-manylinux_2_28_{MACHINE}.whl"))
        self.assertEqual(package.file_present(self.folder), "")
        with tempfile.TemporaryDirectory() as work:
            package.unpack(path, work, self.folder)
        self.assertEqual(package.file_present(self.folder), os.path.join(self.folder, "python/tool/__init__.py"))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "python/tool/core.so")))


if __name__ == "__main__":
    unittest.main()
