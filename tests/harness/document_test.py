# SPDX-License-Identifier: Apache-2.0
"""The script that Hidet was introduced with runs unchanged. It is cut out of its document, which lies beside checkouts of the
developers and is no part of the repository: elsewhere this test is skipped."""

import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIP = 77


def document():
    """The path of the document, looked up beside the checkout or beside the one that this work tree belongs to."""
    common = subprocess.run(["git", "-C", ROOT, "rev-parse", "--path-format=absolute", "--git-common-dir"], capture_output=True,
                            text=True).stdout.strip()
    for checkout in (ROOT, os.path.dirname(common)):
        found = glob.glob(os.path.join(checkout, "..", "shared", "seeds", "001_*"))
        if checkout and found:
            return found[0]
    return None


def main():
    path = document()
    if path is None:
        print("the founding documents (../shared) are not here")
        return SKIP
    with open(path, encoding="utf-8") as file:
        blocks = re.findall(r"^```\w*\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    scripts = [block for block in blocks if "@hidet.script" in block]
    if len(scripts) != 1:
        print(f"{len(scripts)} scripts in {os.path.basename(path)}, expected 1")
        return 1
    hidetc = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "document.py")
        status = 0
        # A wrong result must be noticed, so the second script compares with another product.
        for text, expected in ((scripts[0], 0), (scripts[0].replace("torch.matmul(a, b)", "torch.matmul(a, b) + 1"), 1)):
            with open(script, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([hidetc, "run", script], capture_output=True, text=True, timeout=100)
            if done.returncode != expected:
                print(f"exit {done.returncode}, expected {expected}\n{done.stdout}{done.stderr}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
