# SPDX-License-Identifier: Apache-2.0
"""A worker at the other end of a line that breaks after so many of its messages."""
import os
import struct
import subprocess
import sys

worker = subprocess.Popen(["hidetc", "worker"], stdout=subprocess.PIPE, cwd="/")
os.write(1, worker.stdout.read(16))
for _ in range(int(sys.argv[1])):
    head = worker.stdout.read(8)
    os.write(1, head + worker.stdout.read(struct.unpack("<I", head[4:])[0]))
worker.kill()
print("client_loop: send disconnect: Broken pipe", file=sys.stderr)
sys.exit(255)
