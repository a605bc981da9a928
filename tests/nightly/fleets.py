#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""200 candidates for the CPU are measured by one worker, then by four that a real Slurm starts and four that a real Ray starts, two of
which are killed: the same records each time, each once. Daemons of this machine, as root, with Debian's slurm-wlm and munge; Ray comes
from PyPI. fleets.py [--only slurm|ray] [--ray PYTHON]"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.environ.get("HIDETC", os.path.join(ROOT, "build", "dev", "bin", "hidetc"))
CALLS, WORKERS = 25, 4
SCRIPT = f"""
import hidet
from hidet.lang import attrs, f32


@hidet.tune.space(1, tile=[1, 2, 4, 8, 16, 32, 64, 128])
def scale(n: int, tile=1):
    with hidet.script_module() as module:

        @hidet.script
        def kernel(x: f32[n, 128], y: f32[n, 128]):
            attrs.func_kind = 'cpu_kernel'
            for k in range(128 // tile):
                for i in range(n):
                    for j in range(tile):
                        y[i, k * tile + j] = x[i, k * tile + j] * 2.0

    return module


for n in range(64, 64 + {CALLS}):
    scale(n)
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, what, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what}: not within {seconds} s")
        time.sleep(0.2)


def output(*words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options).stdout


class Slurm:
    """Daemons with everything in one folder, and no systemd."""

    name = "slurm"

    def __init__(self, folder):
        self.folder = folder
        for program in ("munged", "slurmctld", "slurmd"):
            if not shutil.which(program):
                raise SystemExit(f"there is no {program}: apt-get install slurm-wlm munge")
        host = socket.gethostname().split(".")[0]
        munge = os.path.join(folder, "munge.socket")
        with open(os.path.join(folder, "munge.key"), "wb") as key:
            key.write(os.urandom(128))
        os.chmod(key.name, 0o400)
        settings = os.path.join(folder, "slurm.conf")
        with open(settings, "w", encoding="utf-8") as file:
            file.write(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs={WORKERS} RealMemory=1000
PartitionName=test Nodes=ALL Default=YES
""")
        os.makedirs(os.path.join(folder, "state"))
        os.makedirs(os.path.join(folder, "spool"))
        self.environment = dict(os.environ, SLURM_CONF=settings)
        self.daemons = []
        self.start("munged", "--foreground", "--force", f"--key-file={key.name}", f"--socket={munge}", f"--pid-file={folder}/munge.pid",
                   f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        until(lambda: os.path.exists(munge), "munged")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        until(lambda: "idle" in output("sinfo", "--noheader", "--format=%t", env=self.environment), "a node of Slurm's")
        self.settings = f"fleet.slurm = --partition=test --mem=0 --overcommit -- {HIDETC} worker\n"

    def start(self, *words):
        with open(os.path.join(self.folder, words[0] + ".out"), "wb") as log:
            self.daemons.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log))

    def running(self):
        return output("squeue", "--noheader", "--states=running", "--format=%i", env=self.environment).split()

    def kill(self, job):
        output("scancel", "--signal=KILL", job, env=self.environment)

    def close(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(20)
            daemon.kill()


class Ray:
    name = "ray"

    def __init__(self, folder):
        given = sys.argv[sys.argv.index("--ray") + 1] if "--ray" in sys.argv else None
        if not given:
            subprocess.run([sys.executable, "-m", "venv", os.path.join(folder, "python")], check=True)
            given = os.path.join(folder, "python", "bin", "python")
            subprocess.run([given, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "ray[default]"], check=True)
        self.ray = os.path.join(os.path.dirname(given), "ray")
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.environment = dict(os.environ, RAY_USAGE_STATS_ENABLED="0", RAY_ADDRESS=self.address)
        started = subprocess.run([self.ray, "start", "--head", f"--port={free_port()}", f"--dashboard-port={port}", f"--num-cpus={WORKERS}",
                                  "--include-dashboard=true", "--disable-usage-stats", f"--temp-dir={folder}/ray"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if started.returncode:
            raise SystemExit(started.stdout)
        until(self.is_there, "Ray's dashboard")
        self.settings = f"fleet.ray = {self.address} --cpus=1 --listen=127.0.0.1 -- {HIDETC} worker\n"

    def ask(self, path, data=None):
        with urllib.request.urlopen(urllib.request.Request(self.address + path, data=data), timeout=20) as answer:
            return json.load(answer)

    def is_there(self):
        with contextlib.suppress(OSError):
            return bool(self.ask("/api/version"))
        return False

    def running(self):
        return [job["submission_id"] for job in self.ask("/api/jobs/") if job["status"] == "RUNNING"]

    def kill(self, job):
        self.ask(f"/api/jobs/{job}/stop", b"")

    def close(self):
        output(self.ray, "stop", "--force")


def tune(folder, settings, environment, *words):
    """(The document, what was printed beside it, seconds, the records)."""
    os.makedirs(os.path.join(folder, "hidet"), exist_ok=True)
    with open(os.path.join(folder, "hidet", "workers.conf"), "w", encoding="utf-8") as file:
        file.write(settings)
    with open(os.path.join(folder, "script.py"), "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    environment = dict(environment, XDG_CONFIG_HOME=folder, HIDET_RECORDS=os.path.join(folder, "tuning.db"),
                       HIDET_CACHE_DIR=os.path.join(folder, "cache"))
    begun = time.monotonic()
    done = subprocess.run([HIDETC, "tune", os.path.join(folder, "script.py"), "--target", "cpu", "--json", *words], env=environment,
                          capture_output=True, text=True)
    seconds = time.monotonic() - begun
    if done.returncode:
        raise SystemExit(done.stderr + done.stdout)
    text = output(HIDETC, "records", "export", os.path.join(folder, "records.txt"), env=environment)
    with open(os.path.join(folder, "records.txt"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    keys = [tuple(row[name] for name in ("operator", "machine", "source", "schedule")) for row in rows]
    if len(set(keys)) != len(keys) or any(row["problem"] for row in rows):
        raise SystemExit(f"not each record is there once, and without a problem: {text} {rows}")
    return json.loads(done.stdout), done.stderr, seconds, set(keys)


def kill_two(fleet, records, killed):
    """When some records are there, and some more."""
    import sqlite3

    def count():
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(f"file:{records}?mode=ro", uri=True)) as database:
            return database.execute("select count(*) from measurement").fetchone()[0]
        return 0

    for least in (20, 60):
        until(lambda: count() >= least and len(fleet.running()) > len(killed), "records", 1000)
        job = next(job for job in fleet.running() if job not in killed)
        fleet.kill(job)
        killed.append(job)


def check(kind, alone, seconds_alone):
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "daemons"))
        os.makedirs(os.path.join(folder, "run"))
        with contextlib.closing(kind(os.path.join(folder, "daemons"))) as fleet:
            killed = []
            killer = threading.Thread(target=kill_two, args=(fleet, os.path.join(folder, "run", "tuning.db"), killed), daemon=True)
            killer.start()
            words = ("--fleet", fleet.name, "--jobs", str(WORKERS))
            run = os.path.join(folder, "run")
            document, stderr, seconds, keys = tune(run, fleet.settings, fleet.environment, *words)
            killer.join(10)
            again, *_ = tune(run, fleet.settings, fleet.environment, *words)
            until(lambda: not fleet.running(), "the end of all jobs")
    problems = [text for is_wrong, text in (
        (keys != alone, f"other records: {len(keys)} and {len(alone)}"), (document["measured"] != len(alone), "a candidate was measured twice"),
        (len(killed) != 2, "less than two workers were killed"), (stderr.count("was lost") != 2, "not two workers were lost: " + stderr),
        (again["measured"] != 0, "a second call measured something")) if is_wrong]
    print(f"{kind.name}: {len(keys)} candidates by {WORKERS} workers, two of them killed, in {seconds:.0f} s, {seconds_alone / seconds:.2f} times "
          f"as fast as one worker ({seconds_alone:.0f} s)" + "".join("\n  failed: " + each for each in problems), flush=True)
    return not problems


def main():
    wanted = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    with tempfile.TemporaryDirectory() as folder:
        document, _, seconds, alone = tune(folder, "", os.environ)
    if len(alone) != 8 * CALLS:
        raise SystemExit(f"{len(alone)} candidates in the place of {8 * CALLS}: {document}")
    return 0 if all([check(kind, alone, seconds) for kind in (Slurm, Ray) if wanted in kind.name]) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
