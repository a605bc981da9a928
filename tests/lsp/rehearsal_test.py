# SPDX-License-Identifier: Apache-2.0
"""Scripts that end whatever evaluates them (tests/fake/evaluator): a server says so of each, and goes on. Its own evaluator
would end as well."""

import os
import sys
import unittest

from client import Client, uri_of

HIDETC = os.path.join(sys.argv.pop(sys.argv.index("--bin") + 1), "hidetc")
sys.argv.remove("--bin")

WAYS = {"segv": "segmentation fault", "abort": "aborted", "stack": "segmentation fault", "kill": "killed", "exit": "ended with code 7"}


class Rehearsal(unittest.TestCase):
    def test_scripts_end_nothing_but_their_evaluator(self):
        uri = uri_of("/nowhere/kernel.py")
        with Client(HIDETC) as client:
            client.open(uri, "value = 0\n", 1)
            self.assertEqual(client.diagnostics(uri, 1), [])
            for i in range(25):
                way, how = list(WAYS.items())[i % len(WAYS)]
                client.change(uri, 2 * i + 2, [{"text": f"value = {i}\n# end: {way}\n"}])
                notice = client.diagnostics(uri, 2 * i + 2)
                self.assertEqual([each["code"] for each in notice], ["evaluation-ended"])
                self.assertIn(how, notice[0]["message"])
                client.change(uri, 2 * i + 3, [{"text": f"value = 1000 + {i}\nvalue\n"}])
                self.assertEqual(client.diagnostics(uri, 2 * i + 3), [])
                self.assertIn(str(1000 + i), str(client.about("hover", uri, (1, 2))))


if __name__ == "__main__":
    unittest.main()
