# SPDX-License-Identifier: Apache-2.0
"""What a stranger's code reaches where it gets as far as being run. The compiler is a stand-in that gives a library which, as it
is loaded, tries all that a process can do to a machine, says what it could, and ends its process. sandbox_test.py --bin FOLDER"""

import os
import shutil
import subprocess
import sys
import tempfile

HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")

# Each attempt, and what remains where it succeeds.
ATTEMPTS = """
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static void say(const char* what, int worked) { if (worked) fprintf(stderr, "DID %s; ", what); }
__attribute__((constructor)) static void attempt(void) {
    say("read passwd", open("/etc/passwd", O_RDONLY) >= 0);
    say("read script", open(SCRIPT, O_RDONLY) >= 0);
    say("write script", open(SCRIPT, O_WRONLY) >= 0);
    say("read secret", open(SECRET, O_RDONLY) >= 0);
    say("list folder", opendir(FOLDER) != NULL);
    say("list home", opendir("/root") != NULL);
    say("make file", open(FOLDER "/escaped", O_CREAT | O_WRONLY, 0600) >= 0);
    say("make folder", mkdir(FOLDER "/escaped", 0700) == 0);
    say("make link", symlink("/etc/passwd", FOLDER "/escaped") == 0);
    say("remove", unlink(SECRET) == 0);
    say("rename", rename(SECRET, FOLDER "/escaped") == 0);
    say("chmod", chmod(SECRET, 0777) == 0);
    say("truncate", truncate(SECRET, 0) == 0);
    say("inet socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    say("udp socket", socket(AF_INET, SOCK_DGRAM, 0) >= 0);
    say("stream socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    say("fork", fork() >= 0);
    say("exec", execl("/bin/sh", "sh", "-c", "echo > " FOLDER "/escaped", (char*)0) == 0);
    say("system", system("echo > " FOLDER "/escaped") == 0);
    say("kill parent", kill(getppid(), SIGCONT) == 0);
    say("trace parent", ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0);
    fprintf(stderr, "TRIED");
    abort();
}
"""

COMPILER = """#!/bin/sh
[ "$1" = --version ] && { echo 'g++ (fake) 12.2.0'; exit 0; }
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
cat FOLDER/script.py FOLDER/secret /etc/passwd >&2 && echo 'the compiler could read' >&2
echo > FOLDER/escaped
cat "$(dirname "$0")/hostile.so" > "$out"
"""

SCRIPT = """import torch
import hidet
from hidet.lang import attrs, i32

with hidet.script_module() as module:
    @hidet.script
    def set_one(x: i32[4]):
        attrs.func_kind = 'cpu_kernel'
        x[0] = 1

x = torch.zeros(4, dtype=torch.int32)
module.build()(x)
print(x.tolist())
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    if not shutil.which("cc"):
        print("skipped: no C compiler")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        tools = os.path.join(folder, "tools", "bin")
        os.makedirs(tools)
        script, secret = os.path.join(folder, "script.py"), os.path.join(folder, "secret")
        write(script, SCRIPT)
        write(secret, "s3cret\n")
        write(os.path.join(folder, "hostile.c"), ATTEMPTS)
        names = [f'-D{name}="{path}"' for name, path in (("SCRIPT", script), ("SECRET", secret), ("FOLDER", folder))]
        subprocess.run(["cc", "-shared", "-fPIC", "-w", *names, os.path.join(folder, "hostile.c"), "-o", os.path.join(tools, "hostile.so")], check=True)
        compiler = os.path.join(tools, "c++")
        write(compiler, COMPILER.replace("FOLDER", folder))
        os.chmod(compiler, 0o755)
        before = sorted(os.listdir(folder))
        environment = {**os.environ, "CXX": compiler, "HIDET_CACHE_DIR": os.path.join(folder, "tools", "cache")}
        environment.pop("HIDET_SANDBOX", None)
        doctor = subprocess.run([HIDETC, "doctor", "--json"], env=environment, capture_output=True, text=True, timeout=100)
        if '"keepsFiles": true' not in doctor.stdout:
            print("skipped: the kernel keeps no files from a process")
            return 77
        for verb in ("run", "bench"):
            done = subprocess.run([HIDETC, verb, "script.py", "--target", "cpu"], cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
            said = done.stdout + done.stderr
            assert done.returncode != 0 and "TRIED" in said, f"{verb} did not come to the library:\n{said}"
            assert "DID" not in said and "could read" not in said and "s3cret" not in said, f"{verb}:\n{said}"
            assert sorted(os.listdir(folder)) == before, f"{verb} leaves {sorted(os.listdir(folder))}"
        with open(secret, encoding="utf-8") as file:
            assert file.read() == "s3cret\n"
    print("2 runs of hostile code, 21 attempts each, none succeeded")
    return 0


sys.exit(main())
