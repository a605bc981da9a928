# SPDX-License-Identifier: Apache-2.0
"""What a client asks of `hidetc lsp`, and how places and texts go there and back."""

import fcntl
import os
import sys
import tempfile
import unittest

from client import Client, ServerError, place_of, uri_of

HIDETC = os.path.join(sys.argv.pop(sys.argv.index("--bin") + 1), "hidetc")
sys.argv.remove("--bin")

CAPABILITIES = {
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "publishDiagnostics": {"relatedInformation": True},
    },
}

KERNEL = """import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


def scale(n):
    half = n // 2
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: f32[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = half
            attrs.cuda.block_dim = 2
            i = blockIdx.x * 2 + threadIdx.x
            a[i] = a[i] * 2.0

    return script_module.build()


scale(64)
"""

TRANSPOSED = """import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


def fill(n):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: f32[n, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = n // 16, n // 16
            attrs.cuda.block_dim = 16, 16
            i = blockIdx.y * 16 + threadIdx.x
            j = blockIdx.x * 16 + threadIdx.y
            a[i, j] = 1.0

    return script_module.build()


fill(64)
"""


def applied(text, edits):
    """Edits of the protocol on a text that has no characters beyond UTF-16's first plane."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    offset = lambda at: lines[at["line"]] + at["character"]
    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]) :]
    return text


class OneServer(unittest.TestCase):
    """All questions go to one server; each test opens a document of its own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.client = Client(HIDETC, CAPABILITIES, folder=cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.client.__exit__(None)
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def open(self, text, name=None):
        uri = uri_of(self.path(name or self.id().rsplit(".")[-1] + ".py"))
        self.client.open(uri, text)
        self.addCleanup(self.client.tell, "textDocument/didClose", {"textDocument": {"uri": uri}})
        return uri

    def whole(self, text):
        return {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}

    def test_hover_says_the_value_and_the_manual(self):
        uri = self.open(KERNEL)
        card = self.client.about("hover", uri, place_of(KERNEL, "half ="))["contents"]
        self.assertEqual(card["kind"], "markdown")
        self.assertIn("value: `32`", card["value"])
        card = self.client.about("hover", uri, place_of(KERNEL, "blockIdx.x"))["contents"]["value"]
        self.assertIn("The index of the block", card)
        self.assertIn("## ", card)  # a section of the manual

    def test_diagnostics_come_with_notes_and_fixes(self):
        text = KERNEL.replace("blockIdx, threadIdx", "threadIdx")
        uri = self.open(text)
        (found,) = self.client.diagnostics(uri, 1)
        self.assertEqual((found["code"], found["severity"]), ("unknown-name", 1))
        self.assertEqual((found["range"]["start"]["line"], found["range"]["start"]["character"]), place_of(text, "blockIdx"))
        actions = self.client.about("codeAction", uri, range=found["range"], context={"diagnostics": [found]})
        fix = next(action for action in actions if action["title"] == "import 'blockIdx' from 'hidet.lang.cuda'")
        (change,) = fix["edit"]["documentChanges"]
        self.assertEqual(change["textDocument"], {"uri": uri, "version": 1})
        fixed = applied(text, change["edits"])
        self.client.change(uri, 2, [{"text": fixed}])
        self.assertEqual(self.client.diagnostics(uri, 2), [])

    def published(self, uri, version, code):
        """The diagnostics of this code, of the first message that has one."""
        of_code = lambda params: [each for each in params["diagnostics"] if each["code"] == code]
        params = self.client.take("textDocument/publishDiagnostics",
                                  lambda p: p["uri"] == uri and p.get("version") == version and of_code(p))
        return of_code(params)

    def test_findings_of_kernels_come_with_their_cures(self):
        uri = self.open(TRANSPOSED)
        (found,) = self.published(uri, 1, "uncoalesced")
        self.assertEqual(found["severity"], 3)
        self.assertEqual(found["range"]["start"]["line"], place_of(TRANSPOSED, "a[i, j] =")[0])
        self.assertIn("neighbouring lanes are 256 bytes apart", found["message"])
        self.assertIn("cure: ", found["message"])
        (action,) = self.client.about("codeAction", uri, range=found["range"], context={"diagnostics": [found]})
        (change,) = action["edit"]["documentChanges"]
        self.assertEqual(len(change["edits"]), 2)
        self.client.change(uri, 2, [{"text": applied(TRANSPOSED, change["edits"]).replace("a[i, j] = 1.0", "a[i, j + 1] = 1.0")}])
        (found,) = self.published(uri, 2, "out-of-bounds")
        self.assertEqual(found["severity"], 1)
        self.assertIn("a[0, 64] is outside of its shape [64, 64]", found["message"])
        self.assertEqual(self.client.about("codeAction", uri, range=found["range"], context={"diagnostics": [found]}), [])

    def test_contracts_that_are_broken_are_warnings(self):
        text = TRANSPOSED.replace("        @hidet.script\n", "        # studio: expect coalesced >= 0.9\n        @hidet.script\n")
        uri = self.open(text)
        (found,) = self.published(uri, 1, "contract")
        self.assertEqual((found["severity"], found["range"]["start"]["line"]), (2, place_of(text, "coalesced")[0]))

    def test_findings_can_be_declined(self):
        with tempfile.TemporaryDirectory() as folder, Client(HIDETC, CAPABILITIES, folder=folder,
                                                             wishes={"findings": False}) as client:
            uri = uri_of(os.path.join(folder, "a.py"))
            client.open(uri, TRANSPOSED)
            self.assertEqual(client.diagnostics(uri, 1), [])

    def test_the_newest_text_wins(self):
        uri = self.open("a = 1\n")
        for version in range(2, 40):
            self.client.change(uri, version, [{"text": f"a = undefined_{version}\n"}])
        (found,) = self.client.diagnostics(uri, 39)
        self.assertIn("undefined_39", found["message"])
        older = [m["params"]["version"] for m in self.client.messages if m.get("params", {}).get("uri") == uri]
        self.assertLess(len(older), 20)

    def test_completion_imports_what_is_missing(self):
        text = KERNEL.replace("            a[i] = a[i] * 2.0", "            syncth")
        uri = self.open(text)
        line, column = place_of(text, "syncth")
        items = self.client.about("completion", uri, (line, column + 6))["items"]
        item = next(item for item in items if item["label"] == "syncthreads")
        self.assertEqual(item["textEdit"]["newText"], "syncthreads")
        self.assertIn(", syncthreads", applied(text, item["additionalTextEdits"]))
        self.assertNotIn("documentation", item)
        self.assertIn("Waits until all threads", self.client.ask("completionItem/resolve", item)["documentation"]["value"])

    def test_completion_offers_snippets_where_a_statement_begins(self):
        uri = self.open("import hidet\nkern")
        items = self.client.about("completion", uri, (1, 4))["items"]
        item = next(item for item in items if item.get("insertTextFormat") == 2)
        self.assertIn("${1:kernel}", item["textEdit"]["newText"])

    def test_what_was_taken_last_comes_first(self):
        uri = self.open("value_a = 1\nvalue_b = 2\nvalue_c = 3\nval")
        first = lambda: self.client.about("completion", uri, (3, 3))["items"][0]
        self.assertEqual(first()["label"], "value_c")
        items = self.client.about("completion", uri, (3, 3))["items"]
        command = next(item for item in items if item["label"] == "value_a")["command"]
        self.client.ask("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
        self.assertEqual(first()["label"], "value_a")
        with self.assertRaises(ServerError):
            self.client.ask("workspace/executeCommand", {"command": "other"})

    def test_what_was_taken_is_known_to_the_next_server(self):
        text = "value_a = 1\nvalue_b = 2\nvalue_c = 3\nval"
        first = lambda client, uri: client.about("completion", uri, (3, 3))["items"][0]["label"]
        uri = uri_of(self.path("again.py"))
        with tempfile.TemporaryDirectory() as state:
            kept = os.path.join(state, "hidet-studio", "completions")
            for name in ("value_b", "value_a"):
                with Client(HIDETC, CAPABILITIES, folder=self.folder.name, state=state) as client:
                    client.open(uri, text)
                    self.assertEqual(first(client, uri), "value_c" if name == "value_b" else "value_b")
                    client.ask("workspace/executeCommand", {"command": "hidet.taken", "arguments": [name]})
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(file.read().split(), ["value_a", "value_b"])
            # Another program is writing: nobody waits, and the next time both names are written.
            with Client(HIDETC, CAPABILITIES, folder=self.folder.name, state=state) as client:
                with open(kept + ".lock", encoding="utf-8") as held:
                    fcntl.flock(held, fcntl.LOCK_EX)
                    client.ask("workspace/executeCommand", {"command": "hidet.taken", "arguments": ["value_c"]})
                client.ask("workspace/executeCommand", {"command": "hidet.taken", "arguments": ["other"]})
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(file.read().split(), ["other", "value_c", "value_a", "value_b"])

    def test_signatures_mark_the_argument(self):
        text = KERNEL + "scale(n=1)\n"
        uri = self.open(text)
        help = self.client.about("signatureHelp", uri, (text.count("\n") - 1, 8))
        (signature,) = help["signatures"]
        begin, end = signature["parameters"][help["activeParameter"]]["label"]
        self.assertEqual(signature["label"][begin:end], "n")
        self.assertIsNone(self.client.about("signatureHelp", uri, (0, 0)))

    def test_symbols_folds_links_highlights_and_selections(self):
        self.write("beside.py", "def helper(x):\n    return x\n")
        text = "import beside\n" + KERNEL
        uri = self.open(text)
        symbols = self.client.about("documentSymbol", uri)
        self.assertEqual([s["name"] for s in symbols], ["imports", "scale"])
        self.assertIn({"startLine": 0, "endLine": 3, "kind": "imports"}, self.client.about("foldingRange", uri))
        (link,) = self.client.about("documentLink", uri)
        self.assertEqual(link["target"], uri_of(self.path("beside.py")))
        uses = self.client.about("documentHighlight", uri, place_of(text, "half ="))
        self.assertEqual([use["kind"] for use in uses], [3, 2])
        (grown,) = self.client.about("selectionRange", uri, positions=[dict(zip(("line", "character"), place_of(text, "half =")))])
        sizes = 0
        while grown:
            sizes, grown = sizes + 1, grown.get("parent")
        self.assertGreater(sizes, 3)

    def test_hints_say_types_and_values(self):
        uri = self.open(KERNEL)
        labels = [hint["label"] for hint in self.client.about("inlayHint", uri, range=self.whole(KERNEL))]
        self.assertEqual(labels, ["= 64", "= 32", "= 32", ": i32"])

    def test_tokens_cover_a_part(self):
        uri = self.open(KERNEL)
        all_of_them = self.client.about("semanticTokens/full", uri)["data"]
        lines = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        part = self.client.about("semanticTokens/range", uri, range=lines)["data"]
        self.assertEqual(all_of_them[: len(part)], part)
        self.assertEqual(len(part), 5)

    def test_formatting_changes_blanks_alone(self):
        text = "x  = [1,2 ]\r\nif x :\r\n  y=x"
        uri = self.open(text)
        options = {"tabSize": 4, "insertSpaces": True}
        self.assertEqual(applied(text, self.client.about("formatting", uri, options=options)), "x = [1, 2]\r\nif x:\r\n    y = x\r\n")
        first = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 5}}
        self.assertEqual(applied(text, self.client.about("rangeFormatting", uri, range=first, options=options)), "x = [1, 2]\r\nif x :\r\n  y=x")
        self.client.change(uri, 2, [{"text": "x = (\n"}])
        with self.assertRaises(ServerError):
            self.client.about("formatting", uri, options=options)

    def test_names_are_renamed_in_open_documents_and_files(self):
        self.write("on_disk.py", "from shared import grow\ngrow(1)\n")
        self.write("shared.py", "def old(x):\n    return x\n")  # is open with another text
        shared = self.open("def grow(x):\n    return x\n", "shared.py")
        user = self.open("import shared\nshared.grow(2)\n", "user.py")
        found = self.client.about("references", user, (1, 8), context={"includeDeclaration": False})
        self.assertEqual(sorted((os.path.basename(f["uri"]), f["range"]["start"]["line"]) for f in found), [("on_disk.py", 0), ("on_disk.py", 1), ("user.py", 1)])
        name = {"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 11}}
        self.assertEqual(self.client.about("prepareRename", user, (1, 8)), name)
        changes = self.client.about("rename", user, (1, 8), newName="shrink")["documentChanges"]
        versions = {os.path.basename(c["textDocument"]["uri"]): (c["textDocument"]["version"], len(c["edits"])) for c in changes}
        self.assertEqual(versions, {"on_disk.py": (None, 2), "shared.py": (1, 1), "user.py": (1, 1)})
        with self.assertRaisesRegex(ServerError, "keyword"):
            self.client.about("rename", user, (1, 8), newName="for")
        self.assertEqual(self.client.about("definition", user, (1, 8))["uri"], shared)

    def test_an_open_document_comes_before_its_file(self):
        self.write("values.py", "size = 1\n")
        user = self.open("from values import size\nassert size == 2\nother = undefined\n", "uses_values.py")
        self.assertEqual([d["code"] for d in self.client.diagnostics(user, 1)], ["assertion-failed", "unknown-name"])
        values = self.open("size = 2\n", "values.py")
        self.assertEqual([d["code"] for d in self.client.diagnostics(user, 1)], ["unknown-name"])
        self.client.change(values, 2, [{"text": "size = 3\n"}])
        self.assertEqual([d["code"] for d in self.client.diagnostics(user, 1)], ["assertion-failed", "unknown-name"])

    def test_mistakes_of_an_imported_file_stand_at_the_import(self):
        self.write("wrong.py", "a = 1\nb = undefined\n")
        uri = self.open("x = 1\nimport wrong\n")
        (found,) = self.client.diagnostics(uri, 1)
        self.assertEqual(found["range"]["start"], {"line": 1, "character": 7})
        (place,) = found["relatedInformation"]
        self.assertEqual((place["location"]["uri"], place["location"]["range"]["start"]["line"]), (uri_of(self.path("wrong.py")), 1))

    def test_symbols_of_files_that_are_not_open(self):
        self.write("far.py", "class Distant:\n    def far_method(self):\n        pass\n")
        found = self.client.ask("workspace/symbol", {"query": "farmeth"})
        self.assertEqual([(f["name"], f["containerName"]) for f in found], [("far_method", "Distant")])

    def test_what_fails_has_an_error_and_the_server_goes_on(self):
        wrong = {
            "textDocument/hover": [None, {}, [], {"textDocument": {"uri": 3}}, {"textDocument": {"uri": "file:///nowhere.py"}, "position": {"line": 0, "character": 0}}],
            "workspace/symbol": [{}, {"query": 5}],
            "nobody/knows": [{}],
            "initialize": [{}],
        }
        for method, list_of_params in wrong.items():
            for params in list_of_params:
                with self.assertRaises(ServerError, msg=f"{method} {params}"):
                    self.client.ask(method, params)
        uri = self.open("x = 1\n")
        for position in [{"line": "a", "character": 0}, {"line": -5, "character": -1}, {"line": 1e300, "character": 2**40}, {}]:
            try:
                self.client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
            except ServerError as error:
                self.assertEqual(error.code, -32602)
        self.assertIsNotNone(self.client.about("hover", uri, (0, 0)))

    def test_cancelled_questions_are_refused(self):
        uri = self.open("while True:\n    pass\n")  # the evaluation takes its time, and hover waits for it
        number = self.client.begin("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
        self.client.tell("$/cancelRequest", {"id": number})
        with self.assertRaises(ServerError) as caught:
            self.client.end(number)
        self.assertEqual(caught.exception.code, -32800)

    def test_texts_that_are_no_scripts_have_diagnostics_and_no_answers(self):
        uri = self.open("not IR", "some.ir")
        self.assertEqual(len(self.client.diagnostics(uri, 1)), 1)
        with self.assertRaises(ServerError):
            self.client.about("hover", uri, (0, 0))

    def test_documents_that_are_no_files(self):
        self.client.open("untitled:Untitled-1", "x = undefined\n")
        (found,) = self.client.diagnostics("untitled:Untitled-1", 1)
        self.assertEqual(found["code"], "unknown-name")
        self.client.tell("textDocument/didClose", {"textDocument": {"uri": "untitled:Untitled-1"}})
        closed = self.client.take("textDocument/publishDiagnostics", lambda p: p["uri"] == "untitled:Untitled-1")
        self.assertEqual(closed["diagnostics"], [])


class Columns(unittest.TestCase):
    TEXT = "s = '\U0001d54f\u00e9'; wide = 1\r\n\twide\r\nwide"  # and no end of the last line

    def ask(self, encodings, width):
        """Where `wide` is used: columns count what the client asked for."""
        general = {"general": {"positionEncodings": encodings}} if encodings else {}
        with Client(HIDETC, general) as client:
            client.open("file:///columns.py", self.TEXT)
            uses = client.about("documentHighlight", "file:///columns.py", (2, 1))
            client.change("file:///columns.py", 2, [{"range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 5 + width}}, "text": ""}])
            after = client.about("documentHighlight", "file:///columns.py", (2, 4))
        starts = lambda found: [(use["range"]["start"]["line"], use["range"]["start"]["character"]) for use in found]
        return client.information["capabilities"]["positionEncoding"], starts(uses), starts(after)[0]

    def test_columns_count_in_the_units_that_were_agreed_on(self):
        self.assertEqual(self.ask(None, 2), ("utf-16", [(0, 11), (1, 1), (2, 0)], (0, 9)))
        self.assertEqual(self.ask(["utf-8", "utf-16"], 4), ("utf-8", [(0, 14), (1, 1), (2, 0)], (0, 10)))
        self.assertEqual(self.ask(["utf-32"], 1), ("utf-32", [(0, 10), (1, 1), (2, 0)], (0, 9)))
        self.assertEqual(self.ask(["utf-7"], 2)[0], "utf-16")


if __name__ == "__main__":
    unittest.main()
