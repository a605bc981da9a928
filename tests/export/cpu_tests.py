# SPDX-License-Identifier: Apache-2.0
"""Functions of the CPU that were exported: compiled from source and called in the shared object."""

import os
import re
import shutil
import subprocess

from common import ROOT, bytes_below, need, run

STRICT = ["-Wall", "-Wextra", "-Werror"]
RIGHT = ["-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-finite-loops"]
GCC_ONLY = ["--param=max-completely-peeled-insns=16", "-fno-tree-loop-distribute-patterns", "-fno-thread-jumps"]


def not_on_cpu():
    """The scripts that only a GPU can run, from the root, and why."""
    with open(os.path.join(ROOT, "tests", "run", "not_on_cpu.txt")) as file:
        return dict(line.split(None, 1) for line in file if line.strip() and not line.startswith("#"))


def check_on_cpu(exports, path, compilers):
    """Exports for the CPU, and runs the check with each C++ compiler and with the shared object: all bits are those of the emulator."""
    place = os.path.relpath(path, ROOT)
    out = os.path.join(exports.folder, "cpu", place)
    done = subprocess.run([exports.hidetc, "export", path, "--format", "cpu", "-o", out + os.sep], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    text, why = done.stdout.decode(), not_on_cpu().get(place)
    if why:
        assert done.returncode == 1 and why.strip() in text, f"{place} is exported, or refused in other words:\n{text}"
        return
    assert done.returncode == 0, f"{place}:\n{text}"
    sources = [file for file in sorted(os.listdir(out)) if file.endswith(".cpp")]
    for cc, cxx, more in compilers:
        run(cxx, "-std=c++20", "-O2", "-march=native", *STRICT, *RIGHT, *more, "-c", *sources, folder=out)
        run(cc, "-std=c11", *STRICT, "-c", "check.c", folder=out)
        run(cxx, *(source.removesuffix(".cpp") + ".o" for source in sources), "check.o", "-o", "check", "-lm", folder=out)
        exact(run("./check", "data", folder=out), place)
    cc = compilers[0][0]
    library = next(file for file in os.listdir(out) if file.endswith(".so"))
    run(cc, "-std=c11", "check.c", "-L.", "-l:" + library, "-lm", "-Wl,-rpath,.", "-o", "check", folder=out)
    exact(run("./check", "data", folder=out), place)


def exact(text, place):
    assert text.endswith("all as the emulator has it\n"), f"{place}:\n{text}"
    for line in text.splitlines():
        assert "difference" not in line or "difference 0, 0 wrong" in line, f"{place}: {line}"


def both_compilers():
    compilers = [("gcc", "g++", GCC_ONLY)]
    need("gcc"), need("g++")
    if shutil.which("clang++") and shutil.which("clang"):
        compilers.append(("clang", "clang++", []))
    return compilers


def every_sample_on_the_cpu(exports):
    for file in sorted(os.listdir(os.path.join(ROOT, "samples", "kernels"))):
        if file.endswith(".py"):
            check_on_cpu(exports, os.path.join(ROOT, "samples", "kernels", file), both_compilers())


CPU_SCRIPTS = ["arithmetic/half_precision", "arithmetic/math_functions", "control/loops", "cpu/bytes", "cpu/vectors",
               "cpu/wide_vectors",
               "functions/host_functions", "functions/templates", "cuda/shuffles_and_votes", "cuda/mbarriers", "order/warp_exchange",
               "tensors/global_variables", "tensors/pointers", "tensors/protected", "tensors/symbols", "types/complex_numbers",
               "types/packed_integers", "types/vector_values"]


def scripts_on_the_cpu(exports):
    for name in CPU_SCRIPTS:
        check_on_cpu(exports, os.path.join(ROOT, "tests", "run", name + ".py"), both_compilers()[:1])
    check_on_cpu(exports, os.path.join(ROOT, "tests", "export", "scripts", "short_numbers.py"), both_compilers())


def cpu_project_checks_itself(exports):
    cmake, ctest = need("cmake"), need("ctest")
    out = exports.make("cpu_softmax", "cpu")
    for compiler, (cc, cxx, _) in enumerate(both_compilers()):
        build = f"build{compiler}"
        run(cmake, "-B", build, f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}", "-Dcpu_softmax_ARCH=native",
            "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", folder=out)
        run(cmake, "--build", build, folder=out)
        assert "100% tests passed" in run(ctest, "--test-dir", build, folder=out)
    # A result that is not the one that is stored is seen.
    stored = os.path.join(out, "data", "cpu_softmax_1.y.result.bin")
    with open(stored, "r+b") as file:
        file.write(b"\0\0\x80\x3f")
    done = subprocess.run([os.path.join(out, "build0", "check"), os.path.join(out, "data")], stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and re.search(rb"1 of 768 elements of 'y' is wrong, at \(0, 0\): got 0\.\d+, expected 1$", done.stdout, re.M), done.stdout


TWICE = """
import hidet
from hidet.lang import attrs, f32, i64
with hidet.script_module() as module:
    @hidet.script
    def twice(x: f32[8, 4], y: f32[8, 4], whole: i64[4]):
        attrs.func_kind = 'public'
        for i in range(8):
            for j in range(4):
                y[i, j] = x[i, j] * 2.0
        for j in range(4):
            whole[j] = 9007199254740992 + j
module.build()['twice'](hidet.ones([8, 4]), hidet.empty([8, 4]), hidet.empty([4], dtype='int64'))
"""
PLANTED = [  # in the place of what, what, and what the check says of it
    ("", "", ""),
    ("i < 8", "i < 7", "twice: 4 of 32 elements of 'y' are wrong, the first at (7, 0): never written"),
    ("j < 4", "j < 3", "twice: 8 of 32 elements of 'y' are wrong, the first at (0, 3): never written"),
    ("* 2.0f", "* 2.001f", "twice: 32 of 32 elements of 'y' are wrong, worst at (0, 0): got 2.001, expected 2"),
    ("* 2.0f", "* 2.0000002f", ""),
    ("* 2.0f", "* (x[0] - 1) / (x[0] - 1)", "twice: 32 of 32 elements of 'y' are wrong, worst at (0, 0): got -nan, expected 2"),
    ("9007199254740992", "1 + 9007199254740992", "twice: 4 of 4 elements of 'whole' are wrong"),
]


def planted_mistakes_fail_the_check(exports):
    out = exports.make_of(exports.script("planted", TWICE), "cpu", to="planted")
    with open(os.path.join(out, "planted_kernels.cpp")) as file:
        right = file.read()
    run(need("gcc"), "-std=c11", *STRICT, "-c", "check.c", folder=out)
    for place, planted, said in PLANTED:
        assert place in right, right
        with open(os.path.join(out, "planted_kernels.cpp"), "w") as file:
            file.write(right.replace(place, planted, 1))
        run(need("g++"), "-std=c++20", "-O1", *STRICT, "planted.cpp", "planted_kernels.cpp", "check.o", "-o", "check", "-lm", folder=out)
        done = subprocess.run(["./check", "data"], cwd=out, stdout=subprocess.PIPE, timeout=60)
        assert done.returncode == (1 if said else 0) and said in done.stdout.decode(), (planted, done.stdout.decode())


FAULTS = r"""
import hidet
from hidet.lang import attrs, f32, grid, i32, printf
n = hidet.symbol_var('n')
with hidet.script_module() as module:
    @hidet.script
    def launch(x: f32[n], divisor: i32) -> i32:
        attrs.func_kind = 'public'
        assert divisor != 7, 'seven divides nothing'
        return n // divisor

    @hidet.script
    def each(x: i32[n], divisor: i32):
        attrs.func_kind = 'public'
        for i in grid(n, attrs='p'):
            x[i] = i // divisor

    @hidet.script
    def error(a: i32) -> i32:
        attrs.func_kind = 'public'
        printf("%d\n", a)
        return a
module.build()
"""
FAULT_PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "faults.h"
static int32_t* numbers;
static void say(int code) { printf("%d %s\n", code, code ? faults_error() : "fine"); fflush(stdout); }
static void* call(void* wrong)
{
    int i;
    for (i = 0; i < 200; ++i)
        if (faults_each(numbers, wrong ? 0 : 2, 100000) != (wrong ? 2 : 0))
            return numbers;
    return NULL;
}
int main(void)
{
    int32_t result = 0;
    float x[4] = {0};
    pthread_t threads[4];
    int i;
    void* bad = NULL;
    numbers = (int32_t*)malloc(400000);
    say(faults(x, 2, 4, &result));
    printf("%d\n", result);
    say(faults(x, 0, 4, &result));
    say(faults(x, 7, 4, &result));
    say(faults(x, 2, -1, &result));
    say(faults(x, 2, (int64_t)1 << 31, &result));
    say(faults_each(numbers, 0, 100000));
    say(faults_each(numbers, 3, 100000));
    printf("%d %d\n", numbers[1000], numbers[99999]);
    for (i = 0; i < 4; ++i)
        pthread_create(&threads[i], NULL, call, i % 2 ? numbers : NULL);
    for (i = 0; i < 4; ++i) {
        void* result_of;
        pthread_join(threads[i], &result_of);
        bad = result_of ? result_of : bad;
    }
    printf("threads %s\n", bad ? "disagree" : "agree");
    fflush(stdout);
    if (fork() == 0)
        _exit(faults_each(numbers, 5, 100000) || numbers[99999] != 19999);
    wait(&i);
    printf("child %d\n", i);
    faults_set_threads(3);
    say(faults_each(numbers, 9, 100000));
    faults_set_threads(0);
    say(faults_error_(5, &result));
    return 0;
}
"""
FAULT_LINES = """0 fine
2
2 faults: line 10: divides an integer by zero
2 faults: line 9: fails an assertion: seven divides nothing
1 faults: n is -1
1 faults: n is 2147483648
2 faults_each: line 16: divides an integer by zero
0 fine
333 33333
threads agree
child 0
0 fine
5
0 fine
"""


def cpu_errors_have_words(exports):
    out = exports.make_of(exports.script("faults", FAULTS), "cpu", to="faults.cpu")
    with open(os.path.join(out, "main.c"), "w") as file:
        file.write(FAULT_PROGRAM)
    run(need("gcc"), "-std=c11", "-D_DEFAULT_SOURCE", *STRICT, "main.c", "-L.", "-lfaults", "-lpthread", "-Wl,-rpath,.", "-o", "main",
        folder=out)
    text = run("./main", folder=out)
    assert text == FAULT_LINES, text


def cpu_object_has_all_levels(exports):
    objdump, readelf, nm = need("objdump"), need("readelf"), need("nm")
    out = exports.make("cpu_softmax", "cpu")
    library = os.path.join(out, "libcpu_softmax.so")
    code = run(objdump, "-d", library)
    assert "%zmm" in code and "%ymm" in code
    needed = {line.split("[")[1].rstrip("]") for line in run(readelf, "-d", library).splitlines() if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}, needed
    names = {line.split()[2] for line in run(nm, "-D", "--defined-only", library).splitlines()}
    assert names == {"cpu_softmax_1", "cpu_softmax_2", "cpu_softmax_error", "cpu_softmax_set_threads"}, names
    for level, registers in (("x86-64-v2", ()), ("x86-64-v3", ("%ymm",))):
        out = exports.make("cpu_softmax", "cpu", "--arch", level, to=level)
        code = run(objdump, "-d", os.path.join(out, "libcpu_softmax.so"))
        assert [register for register in ("%ymm", "%zmm") if register in code] == list(registers), level
        with open(os.path.join(out, "cpu_softmax.h")) as file:
            assert f"architectures: {level}\n" in file.read()


FIGURE = r"measured: softmax\(f32\[6, 128\], f32\[6, 128\]\): [0-9.]+ us, the median of [0-9]+ calls \([0-9.]+ to [0-9.]+\), on CPU, .*, correct"


def figures_of_the_history_are_told(exports):
    history = os.path.join(exports.folder, "history.jsonl")
    run(exports.hidetc, "try", os.path.join(ROOT, "samples", "kernels", "cpu_softmax.py"), "--target", "cpu", "--history", history)
    first, second = (bytes_below(exports.make("cpu_softmax", "cpu", "--history", history, to=to)) for to in ("first", "second"))
    assert first == second, "the same runs give other bytes"
    for path in ("cpu_softmax.h", "cpu_softmax.cpp", "cpu_softmax_1_kernels.cpp", "CMakeLists.txt", "check.c"):
        told = [line for line in first[path].decode().splitlines() if "measured" in line]
        assert len(told) == 1 and re.search(FIGURE, told[0]), f"{path}: {told}"
    other = exports.make("cpu_matmul", "cpu", "--history", history)
    assert b"measured" not in bytes_below(other)["cpu_matmul.h"], "the runs of another script are told"
    done = subprocess.run([exports.hidetc, "export", os.path.join(ROOT, "samples", "kernels", "cpu_softmax.py"), "--format", "cpu",
                           "--history", "nowhere", "-o", other], stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 3 and b"cannot find 'nowhere'" in done.stderr, done.stderr


TESTS = [every_sample_on_the_cpu, scripts_on_the_cpu, cpu_project_checks_itself, planted_mistakes_fail_the_check, cpu_errors_have_words, cpu_object_has_all_levels,
         figures_of_the_history_are_told]
