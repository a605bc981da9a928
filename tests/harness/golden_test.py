# SPDX-License-Identifier: Apache-2.0
"""The golden runner must fail when it should: each case plants a mistake or an update that has to be refused."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import golden  # noqa: E402

TOOL = """#!/bin/sh
case "$1" in
  show) printf 'file %s\\n' "$2"; grep -v '^$' "$2" ;;
  count) wc -l <"$2" | tr -d ' ' ;;
  bytes) od -An -tx1 "$2" | tr -d ' \\n'; echo ;;
  complain) echo "$2:1:1: error: bad" >&2; exit 1 ;;
  crash) kill -SEGV $$ ;;
  bug) exit 70 ;;
  list) cat "$@" >/dev/null 2>&1; ls ;;
esac
"""


class Golden(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = self.folder.name
        tool = os.path.join(self.bin, "tool")
        with open(tool, "w", encoding="utf-8") as file:
            file.write(TOOL)
        os.chmod(tool, 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, text, name="a.txt"):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_text(self, text, update=False):
        path = self.write(text)
        status, report = golden.run_file(self.bin, path, update)
        with open(path, encoding="utf-8") as file:
            return status, report, file.read()

    def test_equal_output_passes_under_a_short_name(self):
        self.assertEqual(self.run_text("# run: tool show %s\nx\n# ---- expect\nfile a.py\nx\n")[:2], ("passed", ""))

    def test_other_output_fails_and_shows_the_difference(self):
        status, report, _ = self.run_text("# run: tool show %s\nx\n# ---- expect\nfile a.py\ny\n")
        self.assertEqual(status, "failed")
        self.assertIn("-y", report)
        self.assertIn("+x", report)

    def test_line_numbers_are_those_of_the_file(self):
        self.assertEqual(self.run_text("# run: tool count %s\n# what: x\nx\n# ---- expect\n3\n")[0], "passed")

    def test_output_where_none_is_expected_fails(self):
        self.assertEqual(self.run_text("# run: tool show %s\nx\n")[0], "failed")

    def test_an_unexpected_exit_code_fails(self):
        text = "# run: tool complain %s\nx\n# ---- expect stderr\na.py:1:1: error: bad\n"
        self.assertEqual(self.run_text(text)[0], "failed")
        self.assertEqual(self.run_text("# exit: 1\n" + text)[0], "passed")

    def test_standard_output_and_error_are_told_apart(self):
        text = "# run: tool complain %s\n# exit: 1\nx\n# ---- expect\na.py:1:1: error: bad\n"
        self.assertEqual(self.run_text(text)[0], "failed")

    def test_several_runs_have_numbered_expectations(self):
        text = ("# run: tool complain %s\n# exit: 1\n# run: tool count %s\nx\n# ---- expect 1 stderr\n"
                "a.py:1:1: error: bad\n# ---- expect 2\n4\n")
        self.assertEqual(self.run_text(text)[:2], ("passed", ""))

    def test_cases_share_the_header_and_count_lines_for_themselves(self):
        text = ("# run: tool count %s\n\n# ==== case one\na\n# ---- expect\n1\n\n# ==== case two\n# exit: 0\na\nb\n"
                "# ---- expect\n3\n")
        self.assertEqual(self.run_text(text)[:2], ("passed", ""))
        status, report, _ = self.run_text(text.replace("expect\n3", "expect\n4"))
        self.assertEqual(status, "failed")
        self.assertIn("case two", report)

    def test_update_writes_what_the_check_then_accepts(self):
        text = "# run: tool show %s\n\n# ==== case one\na\n\n# ==== case two\nb\n# ---- expect\nold\n"
        status, _, updated = self.run_text(text, update=True)
        self.assertEqual(status, "updated")
        self.assertEqual(updated, "# run: tool show %s\n\n# ==== case one\na\n# ---- expect\nfile a.py\na\n\n"
                                  "# ==== case two\nb\n# ---- expect\nfile a.py\nb\n")
        self.assertEqual(self.run_text(updated)[:2], ("passed", ""))
        self.assertEqual(self.run_text(updated, update=True)[0], "passed")

    def test_update_refuses_a_crash_a_bug_and_another_exit_code(self):
        for command, declared in (("crash", 0), ("bug", 70), ("complain", 0)):
            text = f"# run: tool {command} %s\n# exit: {declared}\nx\n# ---- expect\nold\n"
            status, report, after = self.run_text(text, update=True)
            self.assertEqual((status, after), ("failed", text))
            self.assertIn("not updated", report)

    def test_a_skip_needs_no_tool(self):
        self.assertEqual(self.run_text("# run: absent %s\n# skip: why not\nx\n")[:2], ("skipped", "why not"))
        self.assertEqual(self.run_text("# run: absent %s\nx\n")[0], "failed")

    def test_same_as_compares_two_sources(self):
        self.write("# run: tool show %s\n\nx\n# ---- expect\n", "other.txt")
        self.assertEqual(self.run_text("# run: tool show %s\n# same-as: other.txt\nx\n")[0], "passed")
        self.assertEqual(self.run_text("# run: tool show %s\n# same-as: other.txt\ny\n")[0], "failed")
        self.assertEqual(self.run_text("# run: tool show %s\n# same-as: nothing.txt\ny\n")[0], "failed")

    def test_the_source_can_have_bytes_that_editors_change(self):
        text = "# run: tool bytes %s\n\n# ==== case one\n# encode: {}\na\\x00\n# ---- expect\n{}\n"
        for how, expected in (("escapes crlf", "0d0a61000d0a"), ("bom", "efbbbf0a615c7830300a"),
                              ("no-final-newline escapes", "0a6100")):
            self.assertEqual(self.run_text(text.format(how, expected))[:2], ("passed", ""))

    def test_masks_hide_figures_that_change(self):
        self.assertEqual(self.run_text("# run: tool count %s\n# mask: \\d+\nx\n# ---- expect\n<masked>\n")[0], "passed")

    def test_more_files_lie_beside_the_source(self):
        text = "# run: tool list\nx\n# ---- file helper.py\ny\n# ---- expect\na.py\nhelper.py\n"
        self.assertEqual(self.run_text(text)[:2], ("passed", ""))

    def test_long_output_may_stand_in_a_file_beside(self):
        self.write("file a.py\nx\n", "a.expected")
        self.assertEqual(self.run_text("# run: tool show %s\nx\n")[0], "passed")
        self.write("file a.py\ny\n", "a.expected")
        self.assertEqual(self.run_text("# run: tool show %s\nx\n")[0], "failed")

    def test_a_file_without_a_command_or_with_an_unknown_section_is_wrong(self):
        self.assertEqual(self.run_text("x\n# ---- expect\n")[0], "failed")
        self.assertEqual(self.run_text("# run: tool show %s\nx\n# ---- expected\n")[0], "failed")


if __name__ == "__main__":
    unittest.main()
