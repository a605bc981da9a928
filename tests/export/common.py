# SPDX-License-Identifier: Apache-2.0
"""What tests of exports stand on: hidetc, programs that may be missing, folders."""

import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Skip(Exception):
    pass


def run(*words, folder=None, **variables):
    done = subprocess.run(words, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    output = done.stdout.decode()
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)} ends with {done.returncode}:\n{output}{done.stderr.decode()}")
    return output


def sample(name):
    return os.path.join(ROOT, "samples", "kernels", name + ".py")


def need(program):
    found = shutil.which(program) or shutil.which(os.path.join("/usr/local/cuda/bin", program))
    if not found:
        raise Skip(f"there is no {program}")
    return found


def bytes_below(folder):
    files = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files


class Exports:
    def __init__(self, hidetc, folder, updates):
        self.hidetc, self.folder, self.updates = hidetc, folder, updates

    def make(self, name, form, *options, to=None):
        return self.make_of(sample(name), form, *options, to=to or f"{name}.{form}")

    def make_of(self, path, form, *options, to):
        out = os.path.join(self.folder, to)
        run(self.hidetc, "export", path, "--format", form, "-o", out + os.sep, *options)
        return out

    def script(self, name, text):
        path = os.path.join(self.folder, name + ".py")
        with open(path, "w") as file:
            file.write(text)
        return path

    def driver(self):
        folder = os.path.join(self.folder, "driver")
        os.makedirs(folder, exist_ok=True)
        run(need("gcc"), "-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
            os.path.join(HERE, "fake_cuda.c"), "-o", os.path.join(folder, "libcuda.so.1"))
        return folder
