# SPDX-License-Identifier: Apache-2.0
"""--no-contraction reaches the compiler of GPUs from every verb that has it, and a * b + c is two instructions then. A library
that looks like NVRTC notes its options: contraction_test.py --bin FOLDER --nvrtc LIBRARY --cuda LIBRARY"""

import os
import subprocess
import sys
import tempfile

ARGUMENTS = dict(zip(sys.argv[1::2], sys.argv[2::2]))
HIDETC = os.path.join(ARGUMENTS["--bin"], "hidetc")
NO_ENVIRONMENT = 3  # an exit code of hidetc
WORD = "--fmad=false"

SCRIPT = """
import hidet
from hidet.lang import attrs, f32

with hidet.script_module() as script_module:
    @hidet.script
    def accumulate(a: f32[4], b: f32[4], c: f32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 1
        c[0] = a[0] * b[0] + c[0]
module = script_module.build()
module(*(hidet.zeros([4], device='cuda') for _ in range(3)))
"""


def hidetc(folder, words, fake):
    """(exit code, standard output, the options of each compilation); with an empty cache."""
    environment = {**os.environ, "HIDET_SANDBOX": "off", "HIDET_CACHE_DIR": os.path.join(folder, "cache")}
    log = os.path.join(folder, "log")
    if fake:
        environment |= {"HIDET_NVRTC": ARGUMENTS["--nvrtc"], "HIDET_LIBCUDA": ARGUMENTS["--cuda"], "FAKE_NVRTC": "module",
                        "FAKE_NVRTC_LOG": log, "HIDET_LIBNVML": "/nowhere/libnvidia-ml.so"}
    done = subprocess.run([HIDETC, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    if not os.path.exists(log):
        return done, []
    with open(log, encoding="utf-8") as file:
        return done, file.read().splitlines()


def compiled(words, fake=True):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "accumulate.py"), "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        return hidetc(folder, words, fake)


def every_verb_passes_it_on():
    verbs = (["run", "accumulate.py", "--target", "cuda"], ["bench", "accumulate.py", "--target", "cuda"],
             ["try", "accumulate.py", "--target", "cuda", "--reference", "none"], ["emit", "accumulate.py", "--kind", "ptx"])
    for words in verbs:
        for option in ([], ["--no-contraction"]):
            done, log = compiled([*words, *option])
            assert done.returncode == 0, (words, done.stdout, done.stderr)
            assert log, f"{words} compiled nothing"
            for line in log:
                assert (WORD in line.split()) == bool(option), (words, option, line)


def each_has_its_own_place_in_the_cache():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "accumulate.py"), "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        for option, compilations in (([], 1), (["--no-contraction"], 2), ([], 2), (["--no-contraction"], 2)):
            done, log = hidetc(folder, ["emit", "accumulate.py", "--kind", "ptx", *option], True)
            assert done.returncode == 0, done.stderr
            assert len(log) == compilations, (option, log)


def products_and_sums_are_two_instructions():
    for option, wanted in (([], (1, 0)), (["--no-contraction"], (0, 1))):
        done, _ = compiled(["emit", "accumulate.py", "--kind", "ptx", *option], fake=False)
        if done.returncode == NO_ENVIRONMENT:
            return print("the PTX was not looked at: there is no NVRTC here")
        assert done.returncode == 0, done.stderr
        found = (done.stdout.count("fma.rn.f32"), done.stdout.count("mul.rn.f32"))
        assert found == wanted, (option, found, done.stdout)


every_verb_passes_it_on()
each_has_its_own_place_in_the_cache()
products_and_sums_are_two_instructions()
print("fine")
