# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown files that are generated from .def files.

    <!-- table: compiler/transform/passes.def HIDET_PASS 3=pass 6=does -->
    ...
    <!-- end of table -->

Columns are numbers of macro arguments with their headings; strings lose their quotes, code is set in `code`. A path may be a
pattern, for files in the order of their names, and the macro a regular expression. `9+=takes` is what the arguments from the
ninth on name: their first strings. `1~^torch` takes the rows alone whose first argument matches, `1!~^torch` the others.

    <!-- operators: compiler/graph/ops/pool -->
    ...
    <!-- end of operators -->

One row for each OpInfo that the tables of the folder's sources spell out.

    <!-- templates: compiler/schedule/templates -->
    ...
    <!-- end of templates -->

One row for each template that a script of the folder declares. The index of the language manual is manual_index.py's.
"""

import ast
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "lint"))
MARK = re.compile(r"(<!-- table: (\S+) (\S+) ([^>]*?) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)

FOLDER = re.compile(r"(<!-- operators: (\S+) -->\n)(.*?)(<!-- end of operators -->)", re.DOTALL)
TEMPLATES = re.compile(r"(<!-- templates: (\S+) -->\n)(.*?)(<!-- end of templates -->)", re.DOTALL)
STRING = re.compile(r'constexpr const char\* (\w+) =\s*((?:"(?:\\.|[^"\\])*"\s*)+);')


def split_arguments(text):
    """The arguments of a macro call: commas inside quotes and brackets do not part them."""
    cells, depth, quoted, current = [], 0, False, ""
    for i, c in enumerate(text):
        if c == '"' and (i == 0 or text[i - 1] != "\\"):
            quoted = not quoted
        if not quoted and c in "({[":
            depth += 1
        if not quoted and c in ")}]":
            depth -= 1
        if c == "," and depth == 0 and not quoted:
            cells.append(current.strip())
            current = ""
        else:
            current += c
    return cells + [current.strip()]


def macro_rows(text, macro):
    """The argument lists of each `MACRO(...)` that begins a line; a call may span lines."""
    rows = []
    for found in re.finditer(r"^" + macro + r"\(", text, re.MULTILINE):
        depth, quoted, end = 1, False, found.end()
        while end < len(text) and depth > 0:
            c = text[end]
            if c == '"' and text[end - 1] != "\\":
                quoted = not quoted
            elif not quoted:
                depth += (c == "(") - (c == ")")
            end += 1
        rows.append(split_arguments(text[found.end():end - 1]))
    return rows


def cell(text):
    pieces = re.findall(r'"((?:\\.|[^"\\])*)"', text)
    if text.startswith('"') and pieces:
        return "".join(pieces).replace('\\"', '"').replace("|", "\\|")
    return f"`{text}`" if text else ""


def rest(cells):
    """The names of parameters: `value("mask", U32)` is mask."""
    names = [re.search(r'"(\w+)"', text) for text in cells]
    return "`" + " ".join(found.group(1) for found in names if found) + "`" if any(names) else ""


def column(row, at):
    if at.endswith("+"):
        return rest(row[int(at[:-1]) - 1:])
    return cell(row[int(at) - 1]) if int(at) <= len(row) else ""


def is_wanted(row, conditions):
    """conditions: (argument, has to match, regular expression)"""
    return all((re.search(text, cell(row[int(at) - 1]).strip("`")) is not None) == wanted for at, wanted, text in conditions)


def table(path, macro, columns):
    rows = []
    for each in sorted(glob.glob(os.path.join(ROOT, path))):
        with open(each, encoding="utf-8") as file:
            rows += macro_rows(file.read(), macro)
    parts = [re.fullmatch(r"(\d+\+?)(=|!~|~)(\S+)", part).groups() for part in columns.split()]
    wanted = [(at, title) for at, sign, title in parts if sign == "="]
    conditions = [(at, sign == "~", text) for at, sign, text in parts if sign != "="]
    rows = [row for row in rows if is_wanted(row, conditions)]
    lines = ["| " + " | ".join(title.replace("_", " ") for _, title in wanted) + " |", "|" + "---|" * len(wanted)]
    for row in rows:
        lines.append("| " + " | ".join(column(row, at) for at, _ in wanted) + " |")
    return "\n".join(lines) + "\n"


def op_infos(text):
    """Of each row of the file's table: its operator's name, its function in hidet.ops, what it takes and what it is."""
    strings = dict(STRING.findall(text))
    rows = re.search(r"OpInfo table\[\] = \{\n(.*?)\n    \};", text, re.DOTALL)
    rows = re.sub(r"^#(?:.*\\\n)*.*$|//.*$", "", rows[1], flags=re.MULTILINE) if rows else ""
    for row in filter(None, split_arguments(rows)):
        given = split_arguments(re.fullmatch(r"\w*[{(](.*)[)}]", row, re.DOTALL)[1])
        named = dict(re.fullmatch(r"\.(\w+) =\s*(.*)", each, re.DOTALL).groups() for each in given if each.startswith("."))
        if named:
            given = [named["id"], named.get("python", '""'), named["parameters"], named["summary"]]
        name, function, parameters, summary = [each for each in given if not each.startswith("OpClass::")][:4]
        function = function.strip('"')
        yield [f"`{name.removeprefix('OpId::')}`", f"`{function}`" if function else "", cell(strings.get(parameters, parameters)), cell(summary)]


def operators(folder):
    rows = []
    for name in os.listdir(os.path.join(ROOT, folder)):
        if name.endswith(".cpp"):
            with open(os.path.join(ROOT, folder, name), encoding="utf-8") as file:
                rows += op_infos(file.read())
    lines = ["| operator | function | takes | is |", "|---|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in sorted(rows, key=lambda cells: cells[0].strip("`"))]) + "\n"


def declaration(function):
    """The call of hidet.template() above the function; None: there is none."""
    calls = [each for each in function.decorator_list if isinstance(each, ast.Call)]
    return next((each for each in calls if ast.unparse(each.func) == "hidet.template"), None)


def literal(node, module):
    """Of a name, what the script sets it to."""
    if isinstance(node, ast.Name):
        node = next(each.value for each in module.body if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == node.id)
    return ast.literal_eval(node)


def templates(folder):
    lines = ["| template | operator | of | from | chosen | is |", "|---|---|---|---|---|---|"]
    for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.py"))):
        with open(path, encoding="utf-8") as file:
            module = ast.parse(file.read())
        essay = (ast.get_docstring(module) or "").split("\n")[0].rstrip(".")
        for function in module.body:
            call = declaration(function) if isinstance(function, ast.FunctionDef) else None
            if not call:
                continue
            given = {each.arg: literal(each.value, module) for each in call.keywords}
            types = ", ".join(f"`{each}`" for each in given.get("dtypes", [])) or "any"
            machine = f"sm_{given['capability']}" if given.get("capability") else "any GPU"
            chosen = " ".join(f"`{each.arg}`" for each in function.args.args[2:])
            name = f"[{os.path.basename(path)}]({os.path.basename(path)})"
            lines.append(f"| {name} | `{ast.literal_eval(call.args[0])}` | {types} | {machine} | {chosen} | {essay} |")
    return "\n".join(lines) + "\n"


def generated(text):
    text = MARK.sub(lambda found: found.group(1) + table(*found.group(2, 3, 4)) + found.group(6), text)
    text = TEMPLATES.sub(lambda found: found.group(1) + templates(found.group(2)) + found.group(4), text)
    return FOLDER.sub(lambda found: found.group(1) + operators(found.group(2)) + found.group(4), text)


def main(arguments):
    import house
    from harness import manual_index

    wrong = []
    for path in sorted(house.files(".md"), key=lambda path: path == manual_index.PATH):  # the index last: it has the words of tables
        text = house.read(path)
        fresh = manual_index.text() if path == manual_index.PATH else generated(text)
        if fresh == text:
            continue
        if "--update" in arguments:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(fresh)
            print(f"updated: {path}")
        else:
            wrong.append(path)
    for path in wrong:
        print(f"{path}: a table differs from what it is made from; run tests/dev.py tables --update")
    return 1 if wrong else 0
