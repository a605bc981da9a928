# SPDX-License-Identifier: Apache-2.0
"""A bundle, unpacked into an empty folder and moved, runs with nothing of the machine but glibc."""

import os
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def run(*words, cwd):
    """In an empty environment: no PATH, no HOME, no LD_LIBRARY_PATH."""
    return subprocess.run(words, cwd=cwd, env={}, capture_output=True, text=True, timeout=60)


def files_below(folder):
    return {os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names}


def check_content(folder):
    here = files_below(folder)
    for wanted in ("bin/hidetc", "README.md", "tests/gpu/run.py", "tests/gpu/README.md", "LICENSES/Apache-2.0.txt"):
        expect(wanted in here, f"the bundle lacks {wanted}")
    for part in ("samples/kernels", "tests/run", "tests/models", "tests/gpu/faults", "tests/gpu/kernel_benches", "tests/gpu/bench"):
        scripts = {os.path.join(part, name) for name in files_below(os.path.join(make.ROOT, part)) if name.endswith(".py")}
        expect(scripts, f"{part} has no scripts")
        expect(scripts <= here, f"the bundle lacks {sorted(scripts - here)}")
    expect(not any("__pycache__" in name for name in here), "the bundle has compiled Python files")


def check_libraries(folder):
    """What ldd says in place: every library lies in the bundle, or is of glibc."""
    for name, path in make.needed_libraries(os.path.join(folder, "bin", "hidetc"), env={"PATH": os.defpath}).items():
        inside = path is not None and os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)
        expect(inside != make.is_glibc(name), f"{name} comes from {path}")
    for name in os.listdir(os.path.join(folder, "lib")):
        expect(not make.is_glibc(name), f"the bundle carries {name} of glibc")


def check_runs(folder):
    hidetc = os.path.join(folder, "bin", "hidetc")
    done = run(hidetc, "run", "samples/kernels/naive_matmul.py", cwd=folder)
    expect(done.returncode == 0 and "correct" in done.stdout, f"hidetc run: exit {done.returncode}\n{done.stdout}{done.stderr}")
    done = run(hidetc, "manual", "syncthreads", cwd=folder)
    expect(done.returncode == 0 and "```python" in done.stdout, f"hidetc manual: exit {done.returncode}\n{done.stdout}{done.stderr}")
    done = run(sys.executable, "tests/gpu/run.py", "--target", "emulate", "--only", "vector_addition", cwd=folder)
    expect(done.returncode == 0 and "1 passed" in done.stdout, f"run.py: exit {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    hidetc = sys.argv[sys.argv.index("--hidetc") + 1]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "bundle.tar.gz")
        make.make(hidetc, path)
        expect(os.path.getsize(path) < 25e6 or "libasan" in str(make.needed_libraries(hidetc)), "the bundle is 25 MB or more")
        with tarfile.open(path) as archive:
            expect(all(entry.mtime == 0 and entry.uid == 0 for entry in archive), "entries have dates or owners")
            archive.extractall(scratch)
        folder = os.path.join(scratch, "moved elsewhere")
        os.rename(os.path.join(scratch, make.NAME), folder)
        check_content(folder)
        check_libraries(folder)
        check_runs(folder)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
