# SPDX-License-Identifier: Apache-2.0
"""Neovim drives `hidetc lsp`: neovim.lua says what. Where there is no Neovim the test is skipped."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HIDETC = os.path.join(os.path.abspath(sys.argv[sys.argv.index("--bin") + 1]), "hidetc")
SKIPPED = 77
FILES = {
    "wrong.py": "x = 1\ny = undefined\n",
    "spaces.py": "x  = [1,2 ]\nif x :\n  y=x\n",
    "names.py": "long_name = 1\nlon\n",
    "edited.py": "\n",
    "whole.py": "\n",
}

if not shutil.which("nvim"):
    print("there is no Neovim here")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    environment = dict(os.environ, HIDETC=HIDETC, FOLDER=folder, XDG_STATE_HOME=folder, XDG_CACHE_HOME=folder, XDG_DATA_HOME=folder)
    done = subprocess.run(
        ["nvim", "--headless", "--clean", "-c", "luafile " + os.path.join(HERE, "neovim.lua")],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
    )
    result = os.path.join(folder, "result")
    if not os.path.exists(result):
        sys.exit("Neovim left without a word:\n" + done.stdout + done.stderr)
    with open(result) as file:
        *words, version = file.read().split("\n")[:-1]
    what = "\n".join(words)
    print(f"Neovim {version}: {what}")
    sys.exit(0 if what == "fine" else 1)
