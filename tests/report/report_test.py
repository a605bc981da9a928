# SPDX-License-Identifier: Apache-2.0
"""Pages of 'hidetc report' and pictures of '--svg' are well-formed, load nothing, and are the same bytes each time.

Where a Chromium is on the machine, it opens a page without a network and has to find the text.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from html.parser import HTMLParser

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Scripts that trace graphs, what their pages say, and how many pictures they have at least.
TRACED = (("samples/models/quick_start.py", ["operators after the passes", "Graph"], 1),)
# Models, what the drawing of each says, and how many boxes it may have.
MODELS = (
    ("samples/models/encoder.onnx", ["operators after the passes", "several operators"], 90),
    ("tests/models/large/resnet50.json", ["are in groups that are closed here"], 90),
)
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Each element ends where it should, and none loads anything."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.mistakes, self.pictures = [], [], [], 0

    def handle_starttag(self, tag, attributes):
        self.pictures += tag == "svg"
        for name, value in attributes:
            if name in ("src", "href", "xlink:href") or "url(" in (value or ""):
                self.mistakes.append(f"<{tag} {name}={value!r}> loads something")
        if tag in ("script", "link", "iframe"):
            self.mistakes.append(f"<{tag}> in a page that needs none")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.mistakes.append(f"</{tag}> ends nothing")

    def handle_data(self, data):
        self.text.append(data)


def run(hidetc, *arguments):
    done = subprocess.run([hidetc, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"hidetc {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_page(name, text, expected, pictures):
    page = Page()
    page.feed(text)
    page.close()
    mistakes = page.mistakes + [f"<{tag}> has no end" for tag in page.open]
    if re.search(r"(https?:)?//[a-z]", re.sub(r"<(pre|td)[^>]*>.*?</\1>", "", text, flags=re.DOTALL)):
        mistakes.append("names a place on a network outside of texts")
    words = " ".join("".join(page.text).split())
    mistakes += [f"does not say {each!r}" for each in expected if each not in words]
    if page.pictures < pictures:
        mistakes.append(f"has {page.pictures} pictures, not {pictures}")
    if mistakes:
        sys.exit(f"{name}: " + "; ".join(mistakes))


def check_graph(name, text, most):
    """The picture is bounded, its kernels are coloured, its edges are drawn."""
    drawn = text[text.index('<figure class="tall">'):]
    boxes = len(re.findall(r'<rect class="outline (?!frame)', drawn))
    coloured = len(re.findall(r'<rect class="outline (?:frame )?hue', drawn))
    if not 3 <= boxes <= most or not coloured or "<path" not in drawn:
        sys.exit(f"{name}: {boxes} boxes, {coloured} coloured, {drawn.count('<path')} edges")


def check_browser(path, expected):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        print("skipped: no chromium and no google-chrome to open the page with")
        return
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--proxy-server=127.0.0.1:9", f"--user-data-dir={profile}", "--dump-dom", f"file://{path}"],
            capture_output=True, text=True, timeout=120,
        )
    for each in expected:
        if each not in done.stdout:
            sys.exit(f"{browser} shows no {each!r}:\n{done.stdout[:2000]}{done.stderr[-2000:]}")
    print(f"{browser} shows it")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidetc", required=True)
    hidetc = parser.parse_args().hidetc
    with tempfile.TemporaryDirectory() as folder:
        page, again = os.path.join(folder, "page.html"), os.path.join(folder, "again.html")
        for script, expected, pictures in (
            ("samples/kernels/naive_matmul.py", ["Kernel matmul", "found nothing", "total += a[i, p] * b[p, j]"], 4),
            ("samples/kernels/multistage_matmul.py", ["Pipeline", "steps a warp", "Waves"], 8),
        ):
            run(hidetc, "report", script, "-o", page, "--no-compile")
            run(hidetc, "report", script, "-o", again, "--no-compile")
            check_page(script, read(page), expected, pictures)
            if read(page) != read(again):
                sys.exit(f"{script}: a second page is another one")
        check_browser(page, ["Pipeline", "multistage_matmul.py"])
        for script, expected, pictures in TRACED:
            run(hidetc, "report", script, "-o", page, "--no-compile", "--no-run")
            run(hidetc, "report", script, "-o", again, "--no-compile", "--no-run")
            check_page(script, read(page), expected, pictures)
            if read(page) != read(again):
                sys.exit(f"{script}: a second page is another one")
        for model, expected, most in MODELS:
            run(hidetc, "report", model, "-o", page, "--target", "emulate")
            check_page(model, read(page), ["Kernels", "operators", *expected], 1)
            check_graph(model, read(page), most)
        check_browser(page, expected)
        picture = os.path.join(folder, "picture.svg")
        for arguments in (
            ("explain", "samples/kernels/naive_matmul.py", "--no-compile", "--no-fixes", "--waves"),
            ("emulate", "samples/kernels/double_buffered_matmul.py", "--timeline"),
            ("map", "samples/kernels/double_buffered_matmul.py", "--at", "45"),
        ):
            run(hidetc, *arguments, "--svg", picture)
            tree = xml.etree.ElementTree.parse(picture)
            if not tree.findall(".//{http://www.w3.org/2000/svg}rect"):
                sys.exit(f"hidetc {' '.join(arguments)} drew nothing")
    print("pages and pictures are well-formed, the same each time, and load nothing")


if __name__ == "__main__":
    main()
