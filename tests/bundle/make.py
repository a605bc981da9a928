# SPDX-License-Identifier: Apache-2.0
"""Makes the portable bundle: hidetc, the libraries it needs, the scripts of the tests, as one archive.

    make.py --hidetc PATH --out FILE.tar.gz [--nvrtc FOLDER]     FOLDER holds libnvrtc.so.*, or holds lib or lib64 with it

What belongs to glibc stays out: the C library and its loader are of one build, and a program runs with any that is not older
than the one it was linked with. The same input gives the same bytes. Called by the target `bundle`.
"""

import argparse
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "hidet-portable"
GLIBC = re.compile(r"(ld-linux[\w-]*|linux-vdso|lib(c|m|dl|pthread|rt|util|resolv|anl|mvec))\.so(\.\d+)?")
FOLDERS = ["samples", "tests/run", "tests/models", "tests/onnx/runtime", "tests/gpu", "LICENSES"]
# What is linked into hidetc; their licences ask that their text goes where their code goes.
LIBRARIES = ["libantlr4-runtime-dev", "libcli11-dev", "libfmt-dev", "libprotobuf-dev", "libsodium-dev", "libspdlog-dev", "libxxhash-dev",
             "nlohmann-json3-dev"]


def run(*words, env=None):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=env).stdout


def needed_libraries(program, env=None):
    """Name -> path (None: nowhere) of every library that the loader would load for the program, theirs included."""
    found = {}
    for line in run("ldd", program, env=env).splitlines():
        match = re.match(r"\s*(\S+)(?: => (.*?))?(?: \(0x[0-9a-f]+\))?$", line)
        if match:
            name, path = match.groups()
            found[os.path.basename(name)] = None if path == "not found" else path or name
    return found


def is_glibc(name):
    return GLIBC.fullmatch(name) is not None


def glibc_needed(files):
    """The newest version of glibc that any of the files asks for, "2.35"."""
    versions = {tuple(map(int, found.split("."))) for file in files
                for found in re.findall(r"Name: GLIBC_(\d+(?:\.\d+)+)", run("readelf", "-V", "-W", file))}
    return ".".join(map(str, max(versions, default=(2, 0))))


def copy_program(program, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    run("strip", "--strip-all", "-o", target, program)
    os.chmod(target, 0o755)


def copy_libraries(program, folder):
    os.makedirs(folder, exist_ok=True)
    for name, path in sorted(needed_libraries(program).items()):
        if is_glibc(name):
            continue
        if path is None:
            sys.exit(f"{program} needs {name}, which this machine does not have")
        run("strip", "--strip-unneeded", "-o", os.path.join(folder, name), os.path.realpath(path))


def copy_nvrtc(folder, target):
    """NVRTC, its builtins and, where it lies beside them, nvdisasm: what PTX and SASS need on machines without a toolkit."""
    libraries = next((found for inner in ("", "lib64", "lib")
                      if (found := sorted(glob.glob(os.path.join(folder, inner, "libnvrtc.so.1[0-9]"))))), None)
    if not libraries:
        sys.exit(f"{folder} has no libnvrtc.so")
    beside = os.path.dirname(libraries[-1])
    # Only the name with two numbers is asked for; the shorter ones are links to it.
    for path in [libraries[-1], *glob.glob(os.path.join(beside, "libnvrtc-builtins.so.*.[0-9]"))]:
        shutil.copyfile(path, os.path.join(target, "lib", os.path.basename(path)))
    tool = os.path.join(os.path.dirname(beside), "bin", "nvdisasm")
    if os.path.exists(tool):
        copy_program(tool, os.path.join(target, "bin", "nvdisasm"))


def copy_scripts(target):
    for folder in FOLDERS:
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(target, folder), symlinks=True,
                        ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "CMakeLists.txt"))
    for package in LIBRARIES:
        text = os.path.join("/usr/share/doc", package, "copyright")
        if os.path.exists(text):
            os.makedirs(os.path.join(target, "LICENSES", "libraries"), exist_ok=True)
            shutil.copyfile(text, os.path.join(target, "LICENSES", "libraries", f"{package}.txt"))


def copy_node_tests(target):
    """Those that run on GPUs; nothing where they have not been fetched (compiler/graph/onnx/fetch_onnx.py)."""
    source = os.path.join(ROOT, ".cache", "onnx", "node")
    if not os.path.isdir(source):
        print("without node tests of ONNX: they have not been fetched")
        return
    with open(os.path.join(ROOT, "tests", "gpu", "nodes.txt"), encoding="utf-8") as file:
        for name in file.read().split():
            shutil.copytree(os.path.join(source, name), os.path.join(target, "tests", "gpu", "nodes", name))


def write_readme(target, binaries):
    with open(os.path.join(ROOT, "tests", "bundle", "bundle.md"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(target, "README.md"), "w", encoding="utf-8") as file:
        file.write(text.replace("{glibc}", glibc_needed(binaries)))


def stage(target, hidetc, nvrtc):
    copy_program(hidetc, os.path.join(target, "bin", "hidetc"))
    copy_libraries(hidetc, os.path.join(target, "lib"))
    copy_scripts(target)
    copy_node_tests(target)
    write_readme(target, [os.path.join(target, "bin", "hidetc"), *glob.glob(os.path.join(target, "lib", "*"))])
    if nvrtc:
        copy_nvrtc(nvrtc, target)


def pack(folder, out):
    """Entries are sorted and have neither dates nor owners."""
    def plain(entry):
        entry.mtime = entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    partial = out + ".partial"
    with open(partial, "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(folder, os.path.basename(folder), filter=plain)
    os.replace(partial, out)


def make(hidetc, out, nvrtc=""):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, NAME)
        stage(target, hidetc, nvrtc)
        pack(target, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidetc", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--nvrtc", default="")
    options = parser.parse_args()
    make(options.hidetc, options.out, options.nvrtc)
    print(f"{options.out}: {os.path.getsize(options.out) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
