# SPDX-License-Identifier: Apache-2.0
"""Opens damaged files in the studio, offscreen: it shows each and is closed again, in 10 seconds and without a crash. The
files are those of mutate_scripts, graph_documents and onnx_files.

    studio_files.py [--count 200] [--seed 1] [--minutes 30] [--verb scripts|documents|models] [--keep FOLDER [NUMBER ...]]
"""

import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import graph_documents  # noqa: E402
import mutate_scripts  # noqa: E402
import onnx_files  # noqa: E402
from harness import attack  # noqa: E402

STUDIO = os.path.join(os.path.dirname(attack.HIDETC), "hidet-studio")
BYTES = 8 << 30  # of addresses, of which Qt's pictures and threads take much
COUNT = 200


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judge(path, _):
    """What is wrong with how the studio takes this file, or ''."""
    with tempfile.TemporaryDirectory() as home:
        folders = {f"XDG_{each}_HOME": os.path.join(home, each) for each in ("CONFIG", "STATE", "DATA", "CACHE")}
        studio = subprocess.Popen([STUDIO, "--safe-mode", "--do", "wait", "--do", "file.quit", path], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limits,
                                  encoding="utf-8", errors="replace",
                                  env={**os.environ, **folders, "QT_QPA_PLATFORM": "offscreen", "HOME": home})
        said = attack.end_of(studio, attack.Verb("open", COUNT))
    if said is None:
        return f"no end after {attack.SECONDS} seconds"
    return f"exit {studio.returncode}: {said.strip()[:300]}" if studio.returncode else ""


def main():
    options = attack.arguments(__doc__)
    scripts, documents, models = mutate_scripts.sources(), graph_documents.documents(), onnx_files.files()
    kinds = {
        "scripts": (".py", lambda rng: mutate_scripts.damaged(scripts, rng)),
        "documents": (".json", lambda rng: graph_documents.damaged(documents, rng)),
        "models": (".onnx", lambda rng: onnx_files.damaged(models, rng)),
    }
    failed = 0
    for kind, (suffix, damaged) in kinds.items():
        if options.verb in kind:
            one = attack.Attack("studio_files", options, damaged, suffix, judge=judge, program=STUDIO,
                                salt=repr((scripts, documents, models)))
            failed += one.run([attack.Verb(f"open {kind}", COUNT)])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
