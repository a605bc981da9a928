# SPDX-License-Identifier: Apache-2.0
"""Results of compilations that machines share, by a server and by a folder: shared_cache_test.py --bin FOLDER --nvrtc LIBRARY"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from cache_server import TOKEN, CacheServer
from compile_cache_test import HIDETC, Machine

SKIPPED = 77
OWN, OTHER = "11" * 32, "22" * 32  # seeds of keys


def file_with(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Team:
    """A server, and machines with caches of their own that share it."""

    def __init__(self, folder):
        self.folder, self.server, self.machines = folder, CacheServer(folder), 0

    def machine(self, seed=OWN, place=None, token=TOKEN, keys=None):
        self.machines += 1
        folder = os.path.join(self.folder, f"machine {self.machines}")
        os.mkdir(folder)
        machine = Machine(folder)
        machine.environment |= {"HIDET_SHARED_CACHE": place or self.server.address, "HIDET_SHARED_CACHE_TOKEN": file_with(folder, "token", token),
                                "SSL_CERT_FILE": self.server.certificate, "NO_PROXY": "localhost"}
        if seed:
            machine.environment["HIDET_SHARED_CACHE_SIGN"] = file_with(folder, "seed", seed)
        if keys is not None:
            machine.environment["HIDET_SHARED_CACHE_KEYS"] = file_with(folder, "keys", keys)
        return machine


def counts(machine):
    done = subprocess.run([HIDETC, "cache", "--json"], env=machine.environment, capture_output=True, text=True, timeout=30, check=True)
    return json.loads(done.stdout)["shared"]


def expect(machine, compilations, problem="", **wanted):
    said = counts(machine)
    found = {name: said[name] for name in ("hits", "misses", "ignored", "stored")}
    assert found == {**dict.fromkeys(found, 0), **wanted}, said
    assert problem in said["problem"] and bool(problem) == bool(said["problem"]), said
    assert machine.compilations() == compilations, machine.compilations()


def what_one_machine_compiled_the_others_take(team):
    first, second = team.machine(), team.machine()
    assert first.emit(1.0) == second.emit(1.0)
    expect(first, 1, misses=1, stored=1)
    expect(second, 0, hits=1)
    second.emit(1.0)  # from its own disk
    expect(second, 0, hits=1)
    said = subprocess.run([HIDETC, "cache"], env=second.environment, capture_output=True, text=True, timeout=30, check=True).stdout
    assert f"shared by {team.server.address}: 1 hit, 0 misses, 0 stored, 0 ignored" in said, said


def a_folder_is_shared_like_a_server(team):
    place = os.path.join(team.folder, "shared")
    first, second = team.machine(place=place), team.machine(place=place)
    first.emit(1.0)
    second.emit(1.0)
    expect(first, 1, misses=1, stored=1)
    expect(second, 0, hits=1)


def another_architecture_is_another_entry(team):
    first, second = team.machine(), team.machine()
    first.emit(1.0)
    second.options = ["--arch", "sm_75"]
    second.emit(1.0)
    expect(second, 1, misses=1, stored=1)
    assert len(team.server.files) == 2


def entries_of_strangers_are_compiled_again(team):
    team.machine(OTHER).emit(1.0)
    machine = team.machine()
    machine.emit(1.0)
    expect(machine, 1, "signed by somebody who is not trusted", ignored=1, stored=1)


def entries_of_those_who_are_trusted_are_taken(team):
    team.machine(OTHER).emit(1.0)
    entry = next(iter(team.server.files.values()))
    reader = team.machine(seed=None, keys=f"# a colleague\n{entry[8:40].hex()}\n")
    reader.emit(1.0)
    expect(reader, 0, hits=1)
    reader.emit(2.0)  # it has no key, so it stores nothing
    expect(reader, 1, hits=1, misses=1)


def damaged_entries_are_compiled_again(team):
    team.machine().emit(1.0)
    path, entry = next(iter(team.server.files.items()))
    for damaged, problem in ((entry[:-5], "not what was signed"), (entry[:-1] + bytes([entry[-1] ^ 1]), "not what was signed"),
                             (entry[:50], "not signed"), (b"", "not signed")):
        team.server.files[path] = damaged
        machine = team.machine()
        machine.emit(1.0)
        expect(machine, 1, problem, ignored=1, stored=1)


def an_entry_in_the_place_of_another_is_not_taken(team):
    for value in (1.0, 2.0):
        team.machine().emit(value)
    (one, first), (other, second) = team.server.files.items()
    team.server.files |= {one: second, other: first}
    machine = team.machine()
    machine.emit(1.0)
    expect(machine, 1, "in the place of another", ignored=1, stored=1)


def a_server_that_is_slow_keeps_nobody_waiting_twice(team):
    team.server.seconds = 60
    machine = team.machine()
    start = time.monotonic()
    machine.emit(1.0)
    assert time.monotonic() - start < 40
    expect(machine, 1, "imed out", misses=1)


def who_has_another_token_compiles_alone(team):
    machine = team.machine(token="wrong")
    machine.emit(1.0)
    expect(machine, 1, "answers a PUT with 401", misses=1)


def a_certificate_that_nobody_vouches_for_is_refused(team):
    machine = team.machine()
    del machine.environment["SSL_CERT_FILE"]
    machine.emit(1.0)
    expect(machine, 1, "certificate", misses=1)
    assert not team.server.files


def settings_that_cannot_be_used_are_said(team):
    for machine, problem in ((team.machine(place="http://build-server/kernels"), "not encrypted"),
                             (team.machine(place="ftp://build-server/kernels"), "neither a folder nor https"),
                             (team.machine(seed=None), "nobody's entries are trusted"),
                             (team.machine(seed="12"), "is no key"),
                             (team.machine(keys="not a key"), "is no public key")):
        machine.emit(1.0)
        expect(machine, 1, problem)
    assert not team.server.asked


def main():
    if not shutil.which("openssl"):
        print("skipped: there is no openssl to make a certificate with")
        return SKIPPED
    failed = 0
    for case in (what_one_machine_compiled_the_others_take, a_folder_is_shared_like_a_server, another_architecture_is_another_entry,
                 entries_of_strangers_are_compiled_again, entries_of_those_who_are_trusted_are_taken, damaged_entries_are_compiled_again,
                 an_entry_in_the_place_of_another_is_not_taken, a_server_that_is_slow_keeps_nobody_waiting_twice,
                 who_has_another_token_compiles_alone, a_certificate_that_nobody_vouches_for_is_refused, settings_that_cannot_be_used_are_said):
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(Team(folder))
            except (AssertionError, subprocess.SubprocessError) as error:
                print(f"FAILED: {case.__name__.replace('_', ' ')}: {error}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
