# SPDX-License-Identifier: Apache-2.0
"""Tuning by workers that a scheduler starts, with programs in the place of Slurm's and a server in the place of Ray's; the GPU is the
driver of the tests. fleet_test.py --bin FOLDER --cuda LIBRARY --nvrtc LIBRARY [--only WORD]"""

import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from fake_ray import Ray  # noqa: E402

BIN, CUDA, NVRTC = (sys.argv[sys.argv.index(name) + 1] for name in ("--bin", "--cuda", "--nvrtc"))
MODEL = os.path.join(os.path.dirname(HERE), "models/mlp/mlp.onnx")
TUNE = ["tune", MODEL, "--dim", "batch=2", "--target", "cuda"]


class Place:
    """A folder with the records, and settings of a user."""

    def __init__(self, folder, settings=""):
        self.folder = folder
        os.makedirs(os.path.join(folder, "config/hidet"))
        with open(os.path.join(folder, "config/hidet/workers.conf"), "w", encoding="utf-8") as file:
            file.write(settings)
        self.environment = {
            "HOME": folder, "XDG_CONFIG_HOME": os.path.join(folder, "config"), "PATH": f"{HERE}/programs:{BIN}:/usr/bin:/bin",
            "HIDET_CACHE_DIR": os.path.join(folder, "cache"), "HIDET_RECORDS": os.path.join(folder, "tuning.db"),
            "HIDET_LIBCUDA": CUDA, "HIDET_NVRTC": NVRTC, "FAKE_NVRTC": "module", "HIDET_LIBNVML": "/nowhere/libnvidia-ml.so",
            "FAKE_FLEET": folder, "FAKE_PARTITIONS": "gpu* cpu"}

    def hidetc(self, *words, **variables):
        return subprocess.run([os.path.join(BIN, "hidetc"), *words], env={**self.environment, **variables}, capture_output=True,
                              text=True, timeout=100)

    def tune(self, *words, **variables):
        done = self.hidetc(*TUNE, *words, "--json", **variables)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout), done.stderr

    def records(self):
        """Key: seconds; each is there once."""
        done = self.hidetc("records", "export", os.path.join(self.folder, "out.txt"))
        assert done.returncode == 0, done.stderr
        with open(os.path.join(self.folder, "out.txt"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        keys = [tuple(row[name] for name in ("operator", "machine", "source", "schedule")) for row in rows]
        assert len(set(keys)) == len(keys)
        assert not [row for row in rows if row["problem"]], rows
        return dict(zip(keys, (row["seconds"] for row in rows)))

    def log(self):
        path = os.path.join(self.folder, "log")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()


@contextlib.contextmanager
def place(settings=""):
    with tempfile.TemporaryDirectory() as folder:
        yield Place(folder, settings)


def alone(document, records):
    """Those of kernels by themselves: which ones are measured beside others depends on the times."""
    signatures = {operator["signature"] for operator in document["operators"]}
    return {key for key in records if key[0] in signatures}


def expect_refusal(here, *words, says, **variables):
    done = here.hidetc(*TUNE, *words, **variables)
    assert done.returncode == 3, done
    for text in says:
        assert text in done.stderr, text + " is not in " + done.stderr
    assert not [line for line in here.log() if line.startswith("srun")], "something was started"


@functools.cache
def without_fleet():
    with place() as here:
        return alone(here.tune()[0], here.records())


def expect_all_once(here, document, stderr, lost):
    records = here.records()
    assert alone(document, records) == without_fleet(), alone(document, records) ^ without_fleet()
    assert document["measured"] == len(records), (document["measured"], len(records))
    assert document["isComplete"]
    assert all("Fake GPU, 132 multiprocessors" in key[1] for key in records)
    assert stderr.count("was lost, and its work given to others") == lost, stderr


def test_two_of_four_slurm_workers_are_lost_and_every_record_is_there_once():
    with place(f"fleet.slurm = --partition=gpu --gres=gpu:1 -- {BIN}/hidetc worker") as here:
        document, stderr = here.tune("--fleet", "slurm", "--jobs", "4", FAKE_LOST="2")
        expect_all_once(here, document, stderr, 2)
        started = [line.split() for line in here.log() if line.startswith("srun")]
        name = next(word for word in started[0] if word.startswith("--job-name=")).partition("=")[2]
        for words in started:
            assert {"--ntasks=1", "--partition=gpu", "--gres=gpu:1", f"--job-name={name}"} <= set(words), words
            assert words[-2:] == [f"{BIN}/hidetc", "worker"], words
        assert here.log()[-1] == f"scancel --quiet --name={name}", here.log()


def test_a_candidate_that_takes_three_workers_with_it_is_kept_as_one_that_does():
    with place() as here:
        killer = "softmax.softmax(threads=64)"
        document, stderr = here.tune("--fleet", "slurm", "--jobs", "2", FAKE_KILLER=killer)
        assert stderr.count("was lost, and its work given to others") == 3, stderr
        found = {candidate["schedule"]: candidate for operator in document["operators"] for candidate in operator["candidates"]}
        assert found[killer]["discarded"] == "the process ended while it was measured", found[killer]
        assert sum("discarded" not in candidate and candidate["seconds"] is not None for candidate in found.values()) > 10
        assert here.tune("--fleet", "slurm")[0]["measured"] == 0


def test_a_second_call_measures_nothing_and_another_model_only_what_is_new():
    with place() as here:
        first, _ = here.tune("--fleet", "slurm", "--jobs", "2")
        second, _ = here.tune("--fleet", "slurm", "--jobs", "2")
        assert (first["measured"] > 20, second["measured"]) == (True, 0)
        shutil.copy(MODEL, os.path.join(here.folder, "same.onnx"))
        done = here.hidetc("tune", MODEL, os.path.join(here.folder, "same.onnx"), *TUNE[2:-2], "--dim", "batch=3", "--target", "cuda",
                           "--fleet", "slurm", "--jobs", "2", "--json")
        assert done.returncode == 0, done.stderr
        models = json.loads(done.stdout)["models"]
        assert [len(model["operators"]) for model in models] == [3, 3]
        assert sum(model["measured"] for model in models) == len(here.records()) - first["measured"]


def test_ctrl_c_cancels_what_waits_in_the_queue():
    with place() as here:
        process = subprocess.Popen([os.path.join(BIN, "hidetc"), *TUNE, "--fleet", "slurm"], env=dict(here.environment, FAKE_QUEUE="1"),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not here.log():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
        assert process.returncode == 130 and "stopped by Ctrl-C" in stderr, (process.returncode, stderr)
        assert here.log()[-1].startswith("scancel"), here.log()


def test_what_is_missing_of_slurm_is_said_before_anything_starts():
    with place() as here:
        expect_refusal(here, "--fleet", "slurm", PATH="/usr/lib:/nowhere", says=["'srun' is not on PATH"])
        expect_refusal(here, "--fleet", "slurm", FAKE_PARTITIONS="cpu gpu", says=["no partition is named", "partitions cpu, gpu"])
    with place("fleet.slurm = --partition=gpus") as here:
        expect_refusal(here, "--fleet", "slurm", says=["there is no partition 'gpus'", "partitions gpu*, cpu"])
    with place("fleet.slurm = 'gpu") as here:
        expect_refusal(here, "--fleet", "slurm", says=["line 1 has a quote that is not closed"])


def test_a_worker_that_does_not_start_ends_the_fleet_with_its_reason():
    with place("fleet.slurm = -- /nowhere/hidetc worker") as here:
        done = here.hidetc(*TUNE, "--fleet", "slurm", "--jobs", "2")
        assert done.returncode == 3, done
        assert "no worker of '--fleet slurm' is left: no worker could be started" in done.stderr, done.stderr
        assert "No such file or directory" in done.stderr, done.stderr


def test_settings_of_a_fleet_are_no_remote_worker():
    with place("fleet.slurm = --partition=gpu\nhere = hidetc worker") as here:
        done = here.hidetc(*TUNE, "--remote", "fleet.slurm")
        assert done.returncode == 2 and "has here [bad-value]" in done.stderr, done.stderr


def test_two_of_four_ray_workers_are_lost_and_every_record_is_there_once():
    with place() as here, contextlib.closing(Ray(here.environment, lost=2)) as ray:
        with open(os.path.join(here.folder, "config/hidet/workers.conf"), "w", encoding="utf-8") as file:
            file.write(f"fleet.ray = {ray.address} --gpus=0.5 --listen=127.0.0.1 -- {BIN}/hidetc worker\n")
        document, stderr = here.tune("--fleet", "ray", "--jobs", "4")
        expect_all_once(here, document, stderr, 2)
        assert stderr.count("node7 is out of memory") == 2, stderr
        job = ray.posted[0]
        assert job["entrypoint_num_gpus"] == 0.5 and job["entrypoint_num_cpus"] == 1, job
        assert len(job["runtime_env"]["env_vars"]["HIDET_FLEET_TOKEN"]) == 64
        assert len({job["submission_id"] for job in ray.posted}) == len(ray.posted) >= 4
        assert not [name for name in ray.jobs if ray.state(name) == "RUNNING"], "a job is left"


def test_whoever_calls_back_without_the_token_is_no_worker():
    with place() as here, contextlib.closing(Ray(here.environment)) as ray:
        with open(os.path.join(here.folder, "config/hidet/workers.conf"), "w", encoding="utf-8") as file:
            file.write(f"fleet.ray = {ray.address} -- sh -c 'sleep 100'\n")
        relay = subprocess.Popen([os.path.join(BIN, "hidetc"), "worker", "--ray-job=test"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, env=here.environment)
        with relay:
            while not ray.posted:
                time.sleep(0.02)
            host, port = ray.posted[0]["entrypoint"].rpartition("--call-back=")[2].rsplit(":", 1)
            with socket.create_connection((host.strip("[]"), int(port))) as stranger:
                stranger.sendall(b"0" * 64)
                stranger.settimeout(10)
                assert stranger.recv(1) == b""
            relay.stdin.close()
            assert relay.wait(10) == 0


def test_what_is_missing_of_ray_is_said_before_anything_starts():
    with place() as here:
        expect_refusal(here, "--fleet", "ray", says=["no address of Ray's dashboard is known", "RAY_ADDRESS"])
        expect_refusal(here, "--fleet", "ray", RAY_ADDRESS="127.0.0.1:6379", says=["is no address of Ray's dashboard"])
        expect_refusal(here, "--fleet", "ray", RAY_ADDRESS="http://127.0.0.1:9", says=["does not answer"])
    with place("fleet.ray = http://127.0.0.1:9 --gpu=1") as here:
        expect_refusal(here, "--fleet", "ray", says=["has '--gpu=1', and is 'ADDRESS --gpus=N"])


def main():
    wanted = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    tests = {name: test for name, test in globals().items() if name.startswith("test_") and wanted in name}
    for name, test in tests.items():
        begun = time.monotonic()
        test()
        print(f"{name.removeprefix('test_').replace('_', ' ')}: {time.monotonic() - begun:.1f} s")
    return 0 if tests else f"no test is called {wanted}"


if __name__ == "__main__":
    sys.exit(main())
