# SPDX-License-Identifier: GPL-3.0-only
"""What the desktop program says where there is no display: its texts, and what is missing."""

import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)


class NoDisplay(unittest.TestCase):
    def test_help_and_version_are_printed(self):
        for option, part in (("--help", "Usage:"), ("-h", "--safe-mode"), ("--version", "hidet-studio "), ("-v", "hidet-studio ")):
            shown = run(option)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), option)
            self.assertIn(part, shown.stdout)

    def test_the_window_is_refused_with_what_is_missing(self):
        for arguments in ([], ["kernel.py"]):
            shown = run(*arguments)
            self.assertEqual((shown.returncode, shown.stdout), (3, ""), arguments)
            self.assertIn("needs a display", shown.stderr)


if __name__ == "__main__":
    unittest.main()
