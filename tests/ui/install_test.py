# SPDX-License-Identifier: GPL-3.0-only
"""What `cmake --install` puts on a machine: complete, in the right places, and valid."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

BUILD = sys.argv.pop()


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="studio install ")
        cls.prefix = os.path.join(cls.folder.name, "usr")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "studio", "--strip"], check=True,
                       stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        path = os.path.join(self.prefix, name)
        self.assertTrue(os.path.exists(path), name)
        return path

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def studio(self, *arguments):
        home = os.path.join(self.folder.name, "home")
        os.makedirs(home, exist_ok=True)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8"}
        return subprocess.run([self.path("bin/hidet-studio"), *arguments], env=environment, capture_output=True, text=True,
                              timeout=120, cwd=home)

    def test_the_programs_run_from_where_they_were_put(self):
        self.assertEqual(self.studio("--version").stdout, "hidet-studio 0.1.0\n")
        self.assertIn("hidetc", subprocess.run([self.path("bin/hidetc"), "--help"], capture_output=True, text=True).stdout)

    def test_the_installed_command_line_runs_a_sample(self):
        sample = self.path("share/hidet-studio/samples/kernels/naive_matmul.py")
        elsewhere = os.path.join(self.folder.name, "elsewhere")
        os.makedirs(elsewhere)
        done = subprocess.run([self.path("bin/hidetc"), "run", sample, "--target", "emulate"], env={"HOME": elsewhere},
                              capture_output=True, text=True, timeout=120, cwd=elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("correct", done.stdout)

    def test_every_option_is_in_the_manual_and_in_the_completion(self):
        manual = self.text("share/man/man1/hidet-studio.1").replace("\\-", "-")
        completion = self.text("share/bash-completion/completions/hidet-studio")
        for line in self.studio("--help").stdout.splitlines():
            for word in line.replace(",", " ").split()[:3]:
                if word.startswith("--") and word != "--help-all":
                    self.assertIn(word, manual)
                    self.assertIn(word, completion)

    def test_the_samples_are_found(self):
        pictures = os.path.join(self.folder.name, "pictures")
        done = self.studio("--screenshot", pictures, "--state", "edit", "--theme", "light")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("cannot be opened", done.stderr)
        self.assertTrue(os.path.exists(os.path.join(pictures, "edit-light.png")))
        self.path("share/hidet-studio/samples/kernels/naive_matmul.py")

    def test_the_desktop_entry_names_what_is_there(self):
        groups, current = {}, None
        for line in self.text("share/applications/org.hidet.Studio.desktop").splitlines():
            if line.startswith("["):
                current = groups.setdefault(line.strip("[]"), {})
            elif line:
                key, value = line.split("=", 1)
                self.assertNotIn(key, current)
                current[key] = value
        entry = groups["Desktop Entry"]
        for key in ("Type", "Name", "Exec", "Icon", "Categories", "MimeType", "Comment"):
            self.assertTrue(entry.get(key), key)
        self.assertTrue(entry["Categories"].endswith(";") and entry["MimeType"].endswith(";"))
        for action in entry["Actions"].strip(";").split(";"):
            self.assertIn("Exec", groups[f"Desktop Action {action}"])
        for group in groups.values():
            self.path("bin/" + group["Exec"].split()[0])
        self.path(f"share/icons/hicolor/scalable/apps/{entry['Icon']}.svg")
        declared = {node.get("type") for node in xml.etree.ElementTree.parse(
            self.path("share/mime/packages/org.hidet.Studio.xml")).getroot()}
        self.assertEqual(declared, set(entry["MimeType"].strip(";").split(";")))

    def test_icons_have_the_sizes_of_their_folders(self):
        for size in (16, 22, 24, 32, 48, 64, 128, 256):
            with open(self.path(f"share/icons/hicolor/{size}x{size}/apps/org.hidet.Studio.png"), "rb") as file:
                head = file.read(24)
            self.assertEqual(struct.unpack(">II", head[16:24]), (size, size))

    @unittest.skipUnless(shutil.which("appstreamcli"), "appstreamcli is not installed")
    def test_the_description_for_software_centres_is_valid(self):
        done = subprocess.run(["appstreamcli", "validate", "--no-net", self.path("share/metainfo/org.hidet.Studio.metainfo.xml")],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
