# SPDX-License-Identifier: Apache-2.0
"""The wheel hidet-studio: made, audited, small enough, installed beside nothing else in an environment of this system and of Debian 11
(glibc 2.31, Python 3.9, no compiler but the one of hidet-studio[cpu]), and used
there: the tests of the package, and the program hidetc. Needs what `./studio python-env` makes (auditwheel), the network, and root with
debootstrap for Debian 11.

    python_wheel.py [--build build/dev]"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, "build", "python-env", "bin")
MOST_BYTES = 40 << 20
TESTS = ("values_test.py", "classes_test.py")
PLAIN = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "HIDET_NVRTC", "CXX")}


def made(build):
    """The wheel, which its tag is true of: it asks for no newer C library, and brings all other libraries but tvm-ffi's."""
    folder = os.path.join(build, "python_wheel")
    for path in glob.glob(os.path.join(folder, "*.whl")):
        os.remove(path)
    subprocess.run(["ninja", "-C", build, "python_wheel"], check=True, stdout=subprocess.DEVNULL)
    (wheel,) = glob.glob(os.path.join(folder, "*.whl"))
    library = glob.glob(os.path.join(ROOT, "build", "python-env", "lib", "python*", "site-packages", "tvm_ffi", "lib"))[0]
    with tempfile.TemporaryDirectory() as repaired:
        subprocess.run([os.path.join(TOOLS, "auditwheel"), "repair", "--exclude", "libtvm_ffi.so", "--plat", "manylinux_2_28_x86_64", "-w",
                        repaired, wheel], check=True, env={**PLAIN, "PATH": f"{TOOLS}:{os.environ['PATH']}", "LD_LIBRARY_PATH": library})
    return wheel


def used(python, run, tests, samples):
    """Whether what was installed works; `run` starts a command where it was installed."""
    commands = [[python, "-B", os.path.join(tests, each)] for each in TESTS]
    for target in ("emulate", "cpu"):
        commands.append([os.path.join(os.path.dirname(python), "hidetc"), "run", os.path.join(samples, "kernels", "naive_matmul.py"), "--target", target])
    return [" ".join(each) for each in commands if run(each).returncode]


def here(wheel):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, "-m", "venv", work], check=True)
        python = os.path.join(work, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
        return used(python, lambda words: subprocess.run(words, env=PLAIN), os.path.join(ROOT, "tests", "python"), os.path.join(ROOT, "samples"))


def in_debian_11(wheel):
    with tempfile.TemporaryDirectory() as root:
        subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates,python3,python3-venv", "bullseye", root,
                        "http://deb.debian.org/debian"], check=True, stdout=subprocess.DEVNULL)
        for path in ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt"):
            if os.path.exists(path):
                shutil.copy(path, root + path)
        home = os.path.join(root, "srv")
        shutil.copy(wheel, home)
        shutil.copy(os.path.join(ROOT, "README.md"), home)
        for name in ("tests/python", "samples"):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(home, name))

        def run(words):
            inside = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                      'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; root=$0; exec chroot "$root" "$@"', root, *words]
            return subprocess.run(inside, env={"HOME": "/srv", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"})

        for words in (["python3", "-m", "venv", "/srv/env"],
                      ["/srv/env/bin/pip", "install", "--quiet", "--upgrade", "pip"],
                      ["/srv/env/bin/pip", "install", "--quiet", f"/srv/{os.path.basename(wheel)}[cpu]"]):
            if run(words).returncode:
                return [" ".join(words)]
        return used("/srv/env/bin/python", run, "/srv/tests/python", "/srv/samples")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    build = parser.parse_args().build
    if not os.path.exists(os.path.join(TOOLS, "auditwheel")):
        print("there is no build/python-env with auditwheel: './studio python-env' makes it")
        return 1
    wheel = made(build)
    size = os.path.getsize(wheel)
    print(f"{os.path.basename(wheel)}: {size / (1 << 20):.1f} MiB", flush=True)
    failed = here(wheel)
    if os.geteuid() == 0 and shutil.which("debootstrap"):
        failed += [f"Debian 11: {each}" for each in in_debian_11(wheel)]
    else:
        print("Debian 11: not tried, as it needs root and debootstrap")
    for each in failed:
        print(f"failed: {each}")
    return 1 if failed or size > MOST_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
