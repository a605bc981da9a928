# SPDX-License-Identifier: Apache-2.0
"""Runs golden files: input, command and expected output in one text file. README.md beside this file is the manual.

Start-up time counts, because ctest starts this once a file: heavy modules are imported where they are needed.
"""

import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIP = 77
CRASH_EXIT = 70  # hidetc's exit code for a bug of ours
CASE = "# ==== "
SECTION = "# ---- "


class GoldenError(Exception):
    """The golden file itself is wrong."""


class Run:
    def __init__(self, words, exit_code):
        self.words = words
        self.exit_code = exit_code
        self.expected = {"stdout": "", "stderr": ""}


class Header:
    """The `# key: value` lines at the top of a file or a case."""

    def __init__(self, parent=None):
        self.runs = [] if parent is None else parent.runs
        self.what = ""
        self.skip = "" if parent is None else parent.skip
        self.same_as = ""
        self.encode = [] if parent is None else parent.encode
        self.name = "" if parent is None else parent.name
        self.masks = [] if parent is None else parent.masks
        self.only = "" if parent is None else parent.only
        self.env = {} if parent is None else parent.env
        self.folders = [] if parent is None else parent.folders
        self.exit_code = 0 if parent is None else parent.exit_code
        self.own_runs = False

    def take(self, line):
        """True if the line belongs to the header."""
        if not line.startswith("# "):
            return False
        key, colon, value = line[2:].partition(":")
        value = value.strip()
        if not colon or key not in ("run", "what", "exit", "skip", "same-as", "encode", "name", "mask", "only", "env",
                                    "with"):
            return False
        if key == "run":
            if not self.own_runs:
                self.runs, self.own_runs = [], True
            self.runs.append((value.split(), None))
        elif key == "exit":
            if self.own_runs:
                self.runs[-1] = (self.runs[-1][0], int(value))
            else:
                self.exit_code = int(value)
        elif key == "encode":
            self.encode = value.split()
        elif key == "mask":
            self.masks = self.masks + [value]
        elif key == "env":
            variable, _, setting = value.partition("=")
            self.env = {**self.env, variable: setting}
        elif key == "with":
            self.folders = self.folders + [value]
        else:
            setattr(self, key.replace("-", "_"), value)
        return True


class Case:
    """One source with its expectations."""

    def __init__(self, name, header, first_line):
        self.name = name
        self.header = header
        self.first_line = first_line  # index in the file's lines
        self.source = []  # header lines are kept as empty lines: line numbers stay those that an editor shows
        self.files = {}
        self.runs = []
        self.expect_at = None  # index of the line where the expectations begin

    def finish(self):
        default = self.header.exit_code
        self.runs = [Run(words, default if code is None else code) for words, code in self.header.runs]


def parse(lines):
    """The cases of a golden file, in order."""
    cases = []
    top = Header()
    case = Case("", top, 0)
    reading_header = True
    target = case.source
    for index, line in enumerate(lines):
        if line.startswith(CASE):
            if target and target[-1] == "":
                target.pop()  # the empty line that sets cases apart
            if case.name or any(text.strip() for text in case.source):
                cases.append(case)
            case = Case(line[len(CASE):].strip(), Header(top), index + 1)
            case.finish()
            reading_header, target = True, case.source
            continue
        if reading_header:
            if case.header.take(line) or (line.startswith("# SPDX-") and index == 0):
                target.append("")
                continue
            reading_header = False
            case.finish()
        if line.startswith(SECTION):
            target = open_section(case, line[len(SECTION):].split(), index)
            continue
        target.append(line)
    if not cases or case.name or any(text.strip() for text in case.source):
        cases.append(case)
    for each in cases:
        close_sections(each)
    return cases


def open_section(case, words, index):
    if words[:1] == ["file"] and len(words) == 2:
        if case.expect_at is not None:
            raise GoldenError(f"line {index + 1}: files stand before expectations")
        case.files[words[1]] = []
        return case.files[words[1]]
    if words[:1] != ["expect"]:
        raise GoldenError(f"line {index + 1}: a section is '{SECTION}expect', '{SECTION}expect stderr', "
                          f"'{SECTION}expect 2', or '{SECTION}file NAME'")
    if case.expect_at is None:
        case.expect_at = index
    rest = words[1:]
    number = int(rest.pop(0)) if rest and rest[0].isdigit() else 1
    stream = rest.pop(0) if rest else "stdout"
    if rest or stream not in ("stdout", "stderr") or not 1 <= number <= len(case.runs):
        raise GoldenError(f"line {index + 1}: no such expectation")
    text = []
    case.runs[number - 1].expected[stream] = text
    return text


def close_sections(case):
    if not case.runs:
        raise GoldenError("a golden file needs a line '# run: hidetc ...'")
    for run in case.runs:
        for stream, text in run.expected.items():
            run.expected[stream] = "".join(line + "\n" for line in text)
    case.files = {name: "".join(line + "\n" for line in text) for name, text in case.files.items()}


def encoded(text, how):
    data = text.encode("utf-8", "surrogateescape")
    for step in how:
        if step == "crlf":
            data = data.replace(b"\n", b"\r\n")
        elif step == "cr":
            data = data.replace(b"\n", b"\r")
        elif step == "bom":
            data = b"\xef\xbb\xbf" + data
        elif step == "no-final-newline":
            data = data.removesuffix(b"\n").removesuffix(b"\r")
        elif step == "escapes":  # \xNN in the source is that byte
            import re

            data = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found.group(1), 16)]), data)
        else:
            raise GoldenError(f"unknown encoding '{step}'")
    return data


def part_of(text, names):
    """Of a JSON document its members of these names; any other text as it is."""
    import json

    try:
        document = json.loads(text)
        return json.dumps({name: document[name] for name in names}, indent=2, ensure_ascii=False) + "\n"
    except (ValueError, KeyError, TypeError):
        return text


def decoded(data, masks, only=""):
    text = data.decode("utf-8", "surrogateescape")
    if only:
        text = part_of(text, only.split())
    # A carriage return or an escape would not survive an editor.
    text = "".join(c if c in "\n\t" or (" " <= c and c != "\x7f") else f"<{ord(c):02x}>" for c in text)
    if masks:
        import re

        for mask in masks:
            text = re.sub(mask, "<masked>", text)
    if text and not text.endswith("\n"):
        text += "\n(no newline at the end)\n"
    return text


class Runner:
    def __init__(self, bin_dir, path):
        self.bin = bin_dir
        self.path = path
        self.stem = os.path.basename(path).removesuffix(".txt")
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            self.text = file.read()
        self.lines = self.text.split("\n")
        if self.lines and self.lines[-1] == "":
            self.lines.pop()
        self.cases = parse(self.lines)
        self.beside = path.removesuffix(".txt") + ".expected"

    def execute(self, case, source=None):
        """Runs the commands of a case; a list of (exit code, stdout, stderr)."""
        import shutil
        import subprocess
        import tempfile

        name = case.header.name or self.stem + ".py"
        folder = tempfile.mkdtemp(prefix="golden.")
        results = []
        try:
            text = "".join(line + "\n" for line in case.source) if source is None else source
            self.write(folder, name, encoded(text, case.header.encode))
            for other, content in case.files.items():
                self.write(folder, other, content.encode("utf-8", "surrogateescape"))
            for shared in case.header.folders:
                shutil.copytree(os.path.join(TESTS, shared), os.path.join(folder, os.path.basename(shared)))
            for run in case.runs:
                words = [word.replace("%s", name) for word in run.words]
                program = os.path.join(self.bin, words[0])
                if not os.path.exists(program):
                    raise GoldenError(f"no program '{words[0]}' in {self.bin}")
                environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": folder}
                for key, value in os.environ.items():
                    if key.startswith(("ASAN_", "UBSAN_", "LSAN_", "HIDET_")):
                        environment[key] = value
                environment.update({key: value.replace("%b", self.bin) for key, value in case.header.env.items()})
                try:
                    done = subprocess.run([program] + words[1:], cwd=folder, env=environment, timeout=100,
                                          stdin=subprocess.DEVNULL, capture_output=True)
                except subprocess.TimeoutExpired:
                    raise GoldenError(f"'{' '.join(words)}' ran longer than 100 seconds")
                masks = case.header.masks
                results.append((done.returncode, decoded(done.stdout, masks, case.header.only), decoded(done.stderr, masks)))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return results

    @staticmethod
    def write(folder, name, data):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def check(self):
        """A list of (case, what is wrong)."""
        problems = []
        for case in self.cases:
            if case.header.skip:
                continue
            results = self.execute(case)
            for number, (run, result) in enumerate(zip(case.runs, results), 1):
                problems += [(case, text) for text in self.compare(case, run, number, result)]
            if case.header.same_as:
                problems += [(case, text) for text in self.compare_same(case, results)]
        return problems

    def compare(self, case, run, number, result):
        code, out, err = result
        command = " ".join(run.words)
        if code != run.exit_code:
            shown = f"signal {-code}" if code < 0 else f"exit {code}"
            yield f"'{command}' ended with {shown}, expected exit {run.exit_code}\n{out}{err}"
            return
        expected_out = run.expected["stdout"]
        if number == 1 and len(self.cases) == 1 and os.path.exists(self.beside):
            with open(self.beside, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                expected_out = file.read()
        if case.header.same_as and case.expect_at is None:
            return
        for stream, actual, expected in (("stdout", out, expected_out), ("stderr", err, run.expected["stderr"])):
            if actual != expected:
                yield f"{stream} of '{command}' differs:\n" + difference(expected, actual)

    def compare_same(self, case, results):
        other_path = os.path.join(os.path.dirname(self.path), case.header.same_as)
        if not os.path.exists(other_path):
            raise GoldenError(f"same-as: no file '{case.header.same_as}'")
        other = Runner(self.bin, other_path).cases[0]
        source = "".join(line + "\n" for line in other.source)
        for run, mine, theirs in zip(case.runs, results, self.execute(case, source)):
            if mine != theirs:
                yield (f"'{' '.join(run.words)}' differs from that of {case.header.same_as}:\n"
                       + difference(theirs[1] + theirs[2], mine[1] + mine[2]))

    def update(self):
        """Rewrites the expectations. Refuses when a command did not end as the file says it must."""
        out = []
        last = 0
        for index, case in enumerate(self.cases):
            end = self.cases[index + 1].first_line - 1 if index + 1 < len(self.cases) else len(self.lines)
            stop = end if case.expect_at is None else case.expect_at
            begin, last = last, end
            if case.header.skip or (case.header.same_as and case.expect_at is None):
                out += self.lines[begin:end]
                continue
            results = self.execute(case)
            self.refuse_failures(case, results)
            kept = self.lines[begin:stop]
            is_last = end == len(self.lines)
            if case.expect_at is None and not is_last and kept and kept[-1] == "":
                kept.pop()
            out += kept + self.sections(results) + ([] if is_last else [""])
        text = "".join(line + "\n" for line in out)
        if text != self.text:
            with open(self.path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                file.write(text)
            return True
        return False

    @staticmethod
    def refuse_failures(case, results):
        for run, (code, out, err) in zip(case.runs, results):
            if code == run.exit_code and code >= 0 and code != CRASH_EXIT:
                continue
            ended = f"signal {-code}" if code < 0 else f"exit {code}"
            raise GoldenError(f"not updated{' (' + case.name + ')' if case.name else ''}: '{' '.join(run.words)}' ended "
                              f"with {ended}, the file says exit {run.exit_code}\n{out}{err}")

    def sections(self, results):
        out = []
        for number, (_, stdout, stderr) in enumerate(results, 1):
            if number == 1 and len(self.cases) == 1 and os.path.exists(self.beside):
                with open(self.beside, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                    file.write(stdout)
                stdout = ""
            for stream, text in (("", stdout), (" stderr", stderr)):
                if text:
                    out.append(f"{SECTION}expect{f' {number}' if len(results) > 1 else ''}{stream}")
                    out += text.removesuffix("\n").split("\n")
        return out or [f"{SECTION}expect"]


def difference(expected, actual):
    import difflib

    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=2)
    return "".join("    " + line + "\n" for line in lines)


def run_file(bin_dir, path, update):
    """(status, report); status is 'passed', 'failed', 'skipped' or 'updated'."""
    try:
        runner = Runner(bin_dir, path)
        if all(case.header.skip for case in runner.cases):
            return "skipped", runner.cases[0].header.skip
        if update:
            return ("updated", "") if runner.update() else ("passed", "")
        problems = runner.check()
    except (GoldenError, ValueError) as error:
        return "failed", str(error)
    report = "".join(f"{'case: ' + case.name + chr(10) if case.name else ''}{text}\n" for case, text in problems)
    return ("failed", report) if problems else ("passed", "")


def all_files(folder):
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".txt"):
                yield os.path.join(parent, name)


def main(arguments):
    bin_dir, update, word, paths = "", False, "", []
    here = os.path.dirname(os.path.abspath(__file__))
    while arguments:
        argument = arguments.pop(0)
        if argument == "--bin":
            bin_dir = arguments.pop(0)
        elif argument == "--update":
            update = True
        elif argument == "--filter":
            word = arguments.pop(0)
        elif argument in ("-h", "--help"):
            print("golden.py [--bin FOLDER] [--update] [--filter WORD] [FILE or FOLDER ...]")
            return 0
        else:
            paths.append(os.path.abspath(argument))
    root = os.path.dirname(os.path.dirname(here))
    bin_dir = os.path.abspath(bin_dir or os.path.join(root, "build", "dev", "bin"))
    if len(paths) == 1 and os.path.isfile(paths[0]) and not update:
        status, report = run_file(bin_dir, paths[0], False)
        if report:
            print(report.encode("utf-8", "backslashreplace").decode(), end="" if report.endswith("\n") else "\n")
        return {"passed": 0, "skipped": SKIP}.get(status, 1)

    from concurrent.futures import ThreadPoolExecutor

    files = []
    for path in paths or [os.path.join(root, "tests", "golden")]:
        files += all_files(path) if os.path.isdir(path) else [path]
    files = [path for path in files if word in os.path.relpath(path, root)]
    counts = {"passed": 0, "failed": 0, "skipped": 0, "updated": 0}
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for path, (status, report) in zip(files, pool.map(lambda path: run_file(bin_dir, path, update), files)):
            counts[status] += 1
            if status != "passed":
                print(f"{status}: {os.path.relpath(path, root)}")
                print("".join(f"  {line}\n" for line in report.encode("utf-8", "backslashreplace").decode().splitlines()),
                      end="")
    print(", ".join(f"{count} {status}" for status, count in counts.items() if count or status != "updated"))
    return 1 if counts["failed"] or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
