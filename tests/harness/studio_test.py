# SPDX-License-Identifier: Apache-2.0
"""The launcher, with stand-ins for the programs it calls: they record how they were called."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FAKES = {
    "dpkg-query": 'for p in "${@:3}"; do grep -qx "$p" "$FAKE/absent" 2>/dev/null || echo "$p installed"; done',
    "apt-get": 'echo "apt-get $*" >>"$FAKE/calls"; [ ! -e "$FAKE/stale" ] || [ "$1" = update ] || { echo "E: no such"; exit 100; }\n'
               '[ "$1" != update ] || rm -f "$FAKE/stale"; [ "$1" != install ] || rm -f "$FAKE/absent"',
    "id": 'echo "${FAKE_UID:-0}"',
    "cmake": 'echo "cmake $*" >>"$FAKE/calls"; b="$FAKE_ROOT/build/dev"; mkdir -p "$b/bin"; touch "$b/build.ninja"\n'
             'echo "CMAKE_HOME_DIRECTORY:INTERNAL=$FAKE_ROOT" >"$b/CMakeCache.txt"',
    "ninja": 'echo "ninja $*" >>"$FAKE/calls"; [ ! -e "$FAKE/slow" ] || { mkdir "$FAKE/building" || echo clash >>"$FAKE/calls"; '
             'echo >"$FAKE/began"; read -r _ <"$FAKE/go"; rmdir "$FAKE/building"; }\n'
             '[ ! -e "$FAKE/broken" ] || { echo "error: it is broken"; exit 1; }\n'
             'for p in hidetc hidet-studio; do\n'
             'printf "#!/bin/sh\\necho \\"$p \\$*\\"\\nexit \\${HIDETC_EXIT:-0}\\n" >"$FAKE_ROOT/build/dev/bin/$p"\n'
             'chmod +x "$FAKE_ROOT/build/dev/bin/$p"; done; echo "ninja: no work to do."',
}


class Launcher(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="studio test.")
        self.root = os.path.join(os.path.realpath(self.folder.name), "other place")
        self.fake = os.path.join(self.folder.name, "fake")
        os.makedirs(self.root)
        os.makedirs(self.fake)
        shutil.copy(os.path.join(ROOT, "studio"), self.root)
        for name, body in FAKES.items():
            path = os.path.join(self.fake, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/usr/bin/env bash\n" + body + "\n")
            os.chmod(path, 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def start(self, *arguments, program=None, **environment):
        settings = {"PATH": f"{self.fake}:/usr/local/bin:/usr/bin:/bin", "FAKE": self.fake, "FAKE_ROOT": self.root, **environment}
        return subprocess.Popen([program or os.path.join(self.root, "studio"), *arguments], env=settings, text=True, cwd="/",
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_studio(self, *arguments, **settings):
        process = self.start(*arguments, **settings)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def calls(self):
        try:
            with open(os.path.join(self.fake, "calls"), encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def mark(self, name, text=""):
        with open(os.path.join(self.fake, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_a_verb_goes_to_hidetc_with_its_arguments_and_exit_code(self):
        code, out, err = self.run_studio("run", "a b.py", "--seed", "3", HIDETC_EXIT="7")
        self.assertEqual((code, out), (7, "hidetc run a b.py --seed 3\n"))

    def test_without_arguments_the_desktop_program_opens(self):
        self.assertEqual(self.run_studio(DISPLAY=":9")[:2], (0, "hidet-studio \n"))
        self.assertTrue(any(call.endswith(" hidet-studio") for call in self.calls()), self.calls())

    def test_scripts_are_opened_in_the_desktop_program(self):
        self.assertEqual(self.run_studio("open", "a b.py", WAYLAND_DISPLAY="wayland-0")[:2], (0, "hidet-studio a b.py\n"))

    def test_without_a_display_it_says_what_to_do_and_builds_nothing(self):
        code, out, err = self.run_studio()
        self.assertEqual((code, out, self.calls()), (3, "", []))
        self.assertIn("needs a display", err)
        self.assertIn("./studio --help\n", err)

    def test_a_second_run_configures_nothing_and_says_nothing(self):
        self.run_studio("run", "x")
        before = len(self.calls())
        code, out, err = self.run_studio("run", "x")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(len([call for call in self.calls()[before:] if not call.startswith("ninja")]), 0)

    def test_what_is_missing_is_installed_without_fetching_lists(self):
        self.mark("absent", "cmake\ng++\n")
        code, out, err = self.run_studio("run", "x")
        installs = [call for call in self.calls() if call.startswith("apt-get")]
        self.assertEqual(code, 0, err)
        self.assertEqual(len(installs), 1)
        self.assertTrue(installs[0].endswith(" g++ cmake"), installs)
        self.assertIn("installing 2 Debian packages: g++ cmake", err)

    def test_lists_are_fetched_when_they_do_not_know_a_package(self):
        self.mark("absent", "cmake\n")
        self.mark("stale")
        code, _, err = self.run_studio("run", "x")
        self.assertEqual(code, 0, err)
        self.assertEqual([call.split()[1] for call in self.calls() if call.startswith("apt-get")], ["install", "update", "install"])

    def test_without_root_it_prints_the_one_command_and_stops(self):
        self.mark("absent", "ninja-build\n")
        code, out, err = self.run_studio("run", "x", FAKE_UID="1000")
        self.assertEqual((code, out, self.calls()), (3, "", []))
        self.assertIn("apt-get install -y --no-install-recommends ninja-build\n", err)

    def test_the_packages_can_be_left_to_the_user(self):
        self.mark("absent", "ninja-build\n")
        self.assertEqual(self.run_studio("run", "x", FAKE_UID="1000", STUDIO_NO_PACKAGES="1")[:2], (0, "hidetc run x\n"))

    def fetcher(self, body):
        """Stands in for what fetches NVIDIA's tools."""
        os.makedirs(os.path.join(self.root, "runtime/toolchain"))
        with open(os.path.join(self.root, "runtime/toolchain/fetch_wheels.py"), "w", encoding="utf-8") as file:
            file.write("import os, sys\nfolder = sys.argv[-1]\n"
                       "if '--packages' in sys.argv: sys.exit()\n"
                       "open(os.path.join(os.environ['FAKE'], 'calls'), 'a').write('fetch\\n')\n" + body)

    def test_tools_are_fetched_once_and_again_when_they_are_gone_or_their_list_is_newer(self):
        tool = os.path.join(self.fake, "tool")
        self.fetcher(f"open({tool!r}, 'w'); open(folder + '/present', 'w').write({tool!r} + '\\n')\n")
        self.run_studio("run", "x")
        self.run_studio("run", "x")
        self.assertEqual(self.calls().count("fetch"), 1)
        os.remove(tool)
        self.run_studio("run", "x")
        self.assertEqual(self.calls().count("fetch"), 2)
        os.utime(os.path.join(self.root, "runtime/toolchain/fetch_wheels.py"), (2e9, 2e9))  # another version may want more tools
        self.run_studio("run", "x")
        self.assertEqual(self.calls().count("fetch"), 3)

    def test_tools_that_cannot_be_fetched_stop_nothing_and_are_not_asked_for_each_time(self):
        self.fetcher("print('no network', file=sys.stderr)\nsys.exit(1)\n")
        code, out, err = self.run_studio("run", "x")
        self.assertEqual((code, out), (0, "hidetc run x\n"))
        self.assertIn("no network\n", err)
        self.assertEqual(self.run_studio("run", "x"), (0, "hidetc run x\n", ""))
        self.assertEqual(self.calls().count("fetch"), 1)

    def test_tools_can_be_left_to_the_user(self):
        self.fetcher("")
        self.run_studio("run", "x", STUDIO_NO_PACKAGES="1")
        self.assertEqual(self.calls().count("fetch"), 0)

    def test_a_broken_build_is_shown_and_ends_with_1(self):
        self.mark("broken")
        code, out, err = self.run_studio("run", "x")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("error: it is broken", err)

    def wait_for(self, pipe):
        with open(pipe, encoding="utf-8") as file:
            file.read()

    def tell(self, pipe):
        with open(pipe, "w", encoding="utf-8") as file:
            file.write("\n")

    def test_two_at_once_build_one_after_the_other(self):
        self.mark("slow")
        began, go = os.path.join(self.fake, "began"), os.path.join(self.fake, "go")
        os.mkfifo(began)
        os.mkfifo(go)
        first = self.start("run", "x")
        self.wait_for(began)
        second = self.start("run", "y")
        self.assertIn("waiting for another ./studio", second.stderr.readline())
        self.tell(go)
        self.wait_for(began)
        self.tell(go)
        outs = [process.communicate(timeout=60) for process in (first, second)]
        self.assertEqual([out for out, _ in outs], ["hidetc run x\n", "hidetc run y\n"])
        self.assertNotIn("clash", self.calls())

    def test_it_works_through_a_link(self):
        link = os.path.join(self.folder.name, "link")
        os.symlink(os.path.join(self.root, "studio"), link)
        self.assertEqual(self.run_studio("check", "x", program=link)[:2], (0, "hidetc check x\n"))

    def test_a_tree_that_was_moved_is_configured_again(self):
        self.run_studio("run", "x")
        with open(os.path.join(self.root, "build", "dev", "CMakeCache.txt"), "w", encoding="utf-8") as file:
            file.write("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        self.assertEqual(self.run_studio("run", "x")[0], 0)
        self.assertEqual(len([call for call in self.calls() if call.startswith("cmake")]), 2)


if __name__ == "__main__":
    unittest.main()
