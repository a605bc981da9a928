# SPDX-License-Identifier: Apache-2.0
"""What a script saves of a model is what 'hidetc export' makes of it: the same code and weights, member for member, and the same
bytes each time. Whoever runs packages runs it.

    saved_by_script_test.py PROGRAMS      the folder of hidetc and hidet-run
"""

import os
import shutil
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import run  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "tests", "models", "residual", "residual.onnx")
SCRIPT = """
import hidet

model = hidet.graph.frontend.from_onnx('residual.onnx')
x = hidet.symbol([1, 3, 16, 16], dtype='float32', device='cpu')
graph = hidet.graph.optimize(hidet.trace_from(model(x), inputs=[x])).build()
graph.save('saved.hidet')
image = hidet.randn([1, 3, 16, 16])
loaded = hidet.load_compiled_graph('saved.hidet', trust=True)
assert loaded(image).tolist() == graph(image).tolist()
"""


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name.startswith(("code/", "weights/"))}


def results(programs, folder, package):
    """What a run of random inputs prints, without names."""
    text = run(os.path.join(programs, "hidet-run"), "run", package, "--trust", "--random", "7", folder=folder)
    return text.splitlines()[0].split(None, 1)[1]


def main():
    programs = sys.argv[1]
    hidetc = os.path.join(programs, "hidetc")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(MODEL, folder)
        with open(os.path.join(folder, "save.py"), "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        for output in ("first", "second"):
            run(hidetc, "run", "save.py", "--output", output, folder=folder)
        first, second = (os.path.join(folder, output, "saved.hidet") for output in ("first", "second"))
        with open(first, "rb") as one, open(second, "rb") as other:
            if one.read() != other.read():
                sys.exit("the same script saves other bytes the second time")
        run(hidetc, "export", "residual.onnx", "--target", "cpu", "-o", "exported.hidet", folder=folder)
        saved, exported = members(first), members(os.path.join(folder, "exported.hidet"))
        if saved != exported:
            sys.exit(f"a script saves {sorted(saved)}, and 'hidetc export' writes {sorted(exported)}, or not the same bytes")
        run(os.path.join(programs, "hidet-run"), "verify", first, folder=folder)
        if results(programs, folder, first) != results(programs, folder, "exported.hidet"):
            sys.exit("the package of the script gives another result")


main()
