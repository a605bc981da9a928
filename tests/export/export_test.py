#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What 'hidetc export' writes is compiled and called: by the system's compilers against a driver that launches nothing
(fake_cuda.c), by nvcc, and by Python where it has the libraries.

One test of the list below is run, by name. 77: what it needs is not there.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import cpu_tests
import python_tests
from common import HERE, ROOT, Exports, Skip, need, run, sample, bytes_below

SKIP = 77
WITHOUT_KERNELS = {"cpu_matmul", "cpu_softmax", "hello_world", "scalar_addition"}  # for a GPU
FORMATS = ["cuda", "ptx", "cubin", "fatbin", "c", "c++", "cmake", "cpu", "tvm-ffi", "torch", "hf-kernel"]
SAMPLE_OF = {"cmake": "dynamic_matmul", "cpu": "cpu_matmul"}  # few_rows_matmul of others


def same_bytes_twice(exports):
    for form in FORMATS:
        name = SAMPLE_OF.get(form, "few_rows_matmul")
        first = bytes_below(exports.make(name, form, to=form + ".first"))
        second = bytes_below(exports.make(name, form, to=form + ".second"))
        assert first and first == second, f"{form} gives other bytes the second time"
        for path, data in first.items():
            for place in (ROOT, exports.folder, os.path.expanduser("~")):
                assert place == "/" or place.encode() not in data, f"{form}: {path} holds {place}"


def every_sample_as_c(exports):
    compiler, cxx = need("gcc"), need("g++")
    for file in sorted(os.listdir(os.path.join(ROOT, "samples", "kernels"))):
        name = file.removesuffix(".py")
        if name in WITHOUT_KERNELS or not file.endswith(".py"):
            continue
        out = exports.make(name, "c++")
        strict = ["-Wall", "-Wextra", "-Werror", "-c"]
        run(compiler, "-std=c11", *strict, name + ".c", name + "_images.c", folder=out)
        run(cxx, "-std=c++20", *strict, "-x", "c++", name + ".c", "-o", "again.o", folder=out)
        with open(os.path.join(out, "header.cpp"), "w") as file:
            file.write(f'#include "{name}.hpp"\n')
        run(cxx, "-std=c++20", *strict, "header.cpp", folder=out)


def every_sample_by_nvcc(exports):
    nvcc = need("nvcc")
    for file in sorted(os.listdir(os.path.join(ROOT, "samples", "kernels"))):
        name = file.removesuffix(".py")
        if name in WITHOUT_KERNELS or not file.endswith(".py"):
            continue
        out = exports.make(name, "cuda")
        for source in sorted(os.listdir(out)):
            run(nvcc, "-arch=sm_90a", "-cubin", source, "-o", "x.cubin", folder=out)


def launchers_read_as_written(exports):
    """The generated parts, without the machine code and without the compiler's version."""
    for name, form, path, begin in (("dynamic_matmul", "c", "dynamic_matmul.h", "#ifndef"),
                                    ("dynamic_matmul", "c", "dynamic_matmul.c", "int dynamic_matmul("),
                                    ("dynamic_matmul", "c++", "dynamic_matmul.hpp", "#pragma"),
                                    ("host_launch", "c", "host_launch.c", "int host_launch("),
                                    ("few_rows_matmul", "c", "few_rows_matmul.c", "int few_rows_matmul_1("),
                                    ("host_launch", "torch", "host_launch/__init__.py", "_host_launch_c ="),
                                    ("dynamic_matmul", "cpu", "dynamic_matmul.h", "#ifndef"),
                                    ("dynamic_matmul", "cpu", "dynamic_matmul.cpp", "int dynamic_matmul("),
                                    ("dynamic_matmul", "cpu", "CMakeLists.txt", "cmake_minimum"),
                                    ("dynamic_matmul", "cmake", "CMakeLists.txt", "cmake_minimum")):
        out = os.path.join(exports.make(name, form), path)
        with open(out) as file:
            text = file.read()
        text = text[text.index(begin):]
        wanted = os.path.join(HERE, "expected", f"{name}.{form}.{os.path.basename(path)}.txt")
        if exports.updates:
            with open(wanted, "w") as file:
                file.write(text)
        with open(wanted) as file:
            assert file.read() == text, f"{wanted} differs; export_test.py --update launchers_read_as_written"


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "vector_addition.h"
int main(void)
{
    static float a[1000], b[1000], c[1000];
    int i, result;
    for (i = 0; i < 1000; ++i)
        a[i] = (float)i, b[i] = 2;
    result = vector_addition(NULL, a, b, c);
    if (result)
        return printf("%d: %s\\n", result, vector_addition_error()), 1;
    for (i = 0; i < 1000; ++i)
        if (c[i] != (float)i + 2)
            return printf("c[%d] is %g\\n", i, c[i]), 2;
    vector_addition_unload();
    return vector_addition(NULL, a, b, c);
}
"""


def launcher_launches(exports):
    driver, out = exports.driver(), exports.make("vector_addition", "c")
    with open(os.path.join(out, "main.c"), "w") as file:
        file.write(PROGRAM)
    run(need("gcc"), "-std=c11", "main.c", "vector_addition.c", "vector_addition_images.c", "-o", "main", "-lm", folder=out)
    log = os.path.join(out, "log")
    run("./main", folder=out, LD_LIBRARY_PATH=driver, FAKE_CUDA_LOG=log)
    with open(log) as file:
        assert file.read() == "launch vector_add grid 8 1 1 block 128 1 1 shared 0 stream 0\n" * 2
    for refused, words in (("cuLaunchKernelEx", "999: kernel vector_add cannot be launched (error 999)\n"),
                           ("cuInit", "999: cuInit gives error 999\n"),
                           ("cuLibraryGetKernel", "999: the machine code has no kernel vector_add (error 999)\n")):
        done = subprocess.run(["./main"], cwd=out, env={"LD_LIBRARY_PATH": driver, "FAKE_CUDA_REFUSES": refused},
                              stdout=subprocess.PIPE, timeout=60)
        assert (done.returncode, done.stdout.decode()) == (1, words), done.stdout
    done = subprocess.run(["./main"], cwd=out, env={"LD_LIBRARY_PATH": "/nowhere"}, stdout=subprocess.PIPE, timeout=60)
    if not os.path.exists("/usr/lib/x86_64-linux-gnu/libcuda.so.1"):
        assert done.returncode == 1 and done.stdout.startswith(b"100: there is no libcuda.so.1"), done.stdout


# What host code says of tensor maps, shared memory and clusters arrives at the driver.
FEW_ROWS = """map of type 6, 0 3 0: 456 by 64 5 by 8 step 912
map of type 6, 0 3 0: 200 by 64 456 by 64 step 400
set matmul attribute 8 to 27648 on GPU 0
launch matmul grid 2 4 1 block 160 1 1 shared 27648 stream 0 cluster 2 1 1 attribute 6
"""


def project_checks_itself(exports):
    cmake, driver = need("cmake"), exports.driver()
    need("nvcc")
    for name in ("vector_addition", "few_rows_matmul"):
        out = exports.make(name, "cmake")
        run(cmake, "-B", "build", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", folder=out)
        run(cmake, "--build", "build", folder=out)
    log = os.path.join(exports.folder, "log")
    text = run("build/check", "data", folder=exports.make("vector_addition", "cmake"), LD_LIBRARY_PATH=driver)
    assert text == "vector_addition c: 1000 elements, largest difference 0, 0 wrong\nall as the emulator has it\n", text
    # The driver launches nothing, and the check says so.
    done = subprocess.run(["build/check", "data"], cwd=out, env={"LD_LIBRARY_PATH": driver, "FAKE_CUDA_LOG": log},
                          stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"few_rows_matmul_1: 1000 of 1000 elements of 'c' are wrong, the first at (0, 0): never written\n" in done.stdout, done.stdout
    assert b"of 'a'" not in done.stdout, "what is only read by a tensor map is compared"
    with open(log) as file:
        assert file.read().startswith(FEW_ROWS)


def project_compiles_for_several_gpus(exports):
    cmake, driver = need("cmake"), exports.driver()
    need("nvcc")
    out = exports.make("vector_addition", "cmake", "--arch", "sm_90a", "--arch", "sm_80")
    assert {file for file in os.listdir(os.path.join(out, "kernels"))} == {"vector_addition.sm_80.cu", "vector_addition.sm_90a.cu"}
    for build, more, images in (("all", [], 3), ("one", ["-Dvector_addition_ARCHITECTURES=90a"], 1)):
        run(cmake, "-B", build, *more, folder=out)
        run(cmake, "--build", build, folder=out)
        made = [file for file in os.listdir(os.path.join(out, build)) if file.endswith((".cubin", ".ptx"))]
        assert len(made) == images, made
        with open(os.path.join(out, build, "vector_addition_image.c")) as file:
            assert ("0x50,0xed,0x55,0xba" in file.read()) == (images > 1), "a fat binary is where there are several images"
        assert run(os.path.join(build, "check"), "data", folder=out, LD_LIBRARY_PATH=driver).endswith("all as the emulator has it\n")
    done = subprocess.run([cmake, "-B", "other", "-Dvector_addition_ARCHITECTURES=75"], cwd=out, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    assert done.returncode != 0 and b"there are no kernels for sm_75" in done.stderr, done.stderr


def fat_binaries_are_read(exports):
    cuobjdump = need("cuobjdump")
    out = exports.make("vector_addition", "fatbin", "--arch", "sm_80", "--arch", "sm_90")
    path = os.path.join(out, "vector_addition.fatbin")
    listed = run(cuobjdump, "--list-elf", "--list-ptx", path)
    assert "sm_80.cubin" in listed and "sm_90.cubin" in listed and "sm_90.ptx" in listed, listed


TESTS = [same_bytes_twice, launchers_read_as_written, every_sample_as_c, every_sample_by_nvcc, launcher_launches, project_checks_itself,
         project_compiles_for_several_gpus, fat_binaries_are_read, *cpu_tests.TESTS, *python_tests.TESTS]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--update", action="store_true", help="what is expected becomes what is")
    parser.add_argument("test", choices=[test.__name__ for test in TESTS])
    options = parser.parse_args()
    test = next(test for test in TESTS if test.__name__ == options.test)
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(Exports(os.path.join(os.path.abspath(options.bin), "hidetc"), folder, options.update))
        except Skip as reason:
            print(f"skipped: {reason}")
            return SKIP
    return 0


if __name__ == "__main__":
    sys.exit(main())
