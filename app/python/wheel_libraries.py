# SPDX-License-Identifier: Apache-2.0
"""What a wheel is linked with, so that it runs with the C library of 2018 and needs no library beside it:

    wheel_libraries.py --out build/wheel_libraries

FOLDER/zig      Zig (the wheel ziglang), which has the interface of every old C library
FOLDER/libc     that of glibc 2.28: what an executable or library that is linked with it asks for, 2.28 has
FOLDER/lib      the runtimes of ANTLR and protobuf as code that may be part of a shared library. Debian's archives may not (their
                thread-local variables have another model), so they are compiled from Debian's sources

Needs root or sudo-less apt, for Debian's sources, and the network. A folder that is complete is left as it is."""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

GLIBC = "2.28"
ZIG = "ziglang==0.15.2"
SOURCES = {  # package -> its library, and what configures and builds it
    "antlr4-cpp-runtime": ("libantlr4-runtime.a", "antlr4_static", []),
    "protobuf": ("libprotobuf-lite.a", "libprotobuf-lite", ["-Dprotobuf_BUILD_TESTS=OFF", "-Dprotobuf_BUILD_PROTOC_BINARIES=OFF"]),
}


def run(*words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}")
    return done.stdout


def zig_into(folder):
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, ZIG)
    return os.path.join(folder, "ziglang", "zig")


def libc_into(folder, zig):
    """Zig makes libraries without code of the names and versions that a C library has, when something is linked with it."""
    os.makedirs(folder)
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "empty.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("int stat(const char*, void*); int f(void) { return stat(0, 0); }\n")
        run(zig, "cc", "-O2", "-target", f"x86_64-linux-gnu.{GLIBC}", "-shared", "-fPIC", "-o", os.path.join(work, "empty.so"), source,
            env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": work, "ZIG_LOCAL_CACHE_DIR": work})
        for path in glob.glob(os.path.join(work, "o", "*", "lib*.so.*")) + glob.glob(os.path.join(work, "o", "*", "libc_nonshared.a")):
            shutil.copy(path, folder)
    for name in ("m", "dl", "pthread", "rt", "util"):
        os.symlink(glob.glob(os.path.join(folder, f"lib{name}.so.*"))[0], os.path.join(folder, f"lib{name}.so"))
    with open(os.path.join(folder, "libc.so"), "w", encoding="ascii") as file:  # a script of the linker
        file.write(f"GROUP ( {folder}/libc.so.6 {folder}/libc_nonshared.a )\n")


def libraries_into(folder):
    os.makedirs(folder)
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)  # apt downloads as nobody
        lists = os.path.join(work, "lists")
        os.makedirs(os.path.join(lists, "partial"))
        sources = os.path.join(work, "sources.list")
        with open("/etc/os-release", encoding="utf-8") as file:
            suite = next(line.split("=")[1].strip() for line in file if line.startswith("VERSION_CODENAME="))
        with open(sources, "w", encoding="ascii") as file:
            file.write(f"deb-src http://deb.debian.org/debian {suite} main\n")
        options = ["-q", "-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State::lists={lists}"]
        run("apt-get", *options, "update")
        for package, (library, target, settings) in SOURCES.items():
            run("apt-get", *options, "source", package, cwd=work)
            source = next(each for each in glob.glob(os.path.join(work, f"{package}-*")) if os.path.isdir(each))
            built = os.path.join(work, "build-" + package)
            run("cmake", "-G", "Ninja", "-S", source, "-B", built, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_STANDARD=17",
                "-DCMAKE_POSITION_INDEPENDENT_CODE=ON", *settings)
            run("ninja", "-C", built, target)
            made = [os.path.join(path, library) for root in (source, built) for path, _, names in os.walk(root) if library in names]
            shutil.copy(made[0], folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", required=True)
    folder = os.path.abspath(parser.parse_args().out)
    if os.path.exists(os.path.join(folder, "libc", "libc.so")):  # made last; who builds makes empty folders
        return
    fresh = folder + ".new"
    shutil.rmtree(fresh, ignore_errors=True)
    os.makedirs(fresh)
    libraries_into(os.path.join(fresh, "lib"))
    zig_into(os.path.join(fresh, "zig"))
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(fresh, folder)
    libc_into(os.path.join(folder, "libc"), os.path.join(folder, "zig", "ziglang", "zig"))  # it names its own place


if __name__ == "__main__":
    main()
