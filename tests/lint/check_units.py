# SPDX-License-Identifier: Apache-2.0
"""Neighbours of one folder are compiled together (tests/harness/units.cmake), but a file that was edited is compiled alone:
two files that define one name in their anonymous namespaces build for their author and for nobody else, and so does a file
whose name is also that of a header that only its neighbours include."""

import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{")
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union) (\w+)\b(?![^{]*;$)")
ALIAS = re.compile(r"^using (\w+) = (.*);")
VARIABLE = re.compile(r"^(?:(?:static|constexpr|const|constinit|inline|thread_local) )+[\w:<>,*& ]*?\b(\w+)(?:\[[^\]]*\])*(?: =|\{|;)")
FUNCTION = re.compile(r"^(?=\w)(?!(?:return|using|template|else|case) |[^(]*\b\w+::\w+\()[\w:<>,*&\[\] ]*?[\w>*&\]] [*&]*(\w+)(\(.*\))(?: const| noexcept)* \{")
DECLARATION = re.compile(FUNCTION.pattern.removesuffix(r" \{") + r"(?: \{|;)")
PARAMETER_NAME = re.compile(r"(?<=[\w>*&])( ?[*&]* )\w+(?= ?[,)=])")


def definitions(text, function=FUNCTION):
    """(enclosing namespace, what is defined, line) of everything in namespaces; clang-format leaves it unindented. What is
    static is as good as in an anonymous one."""
    stack = []
    for number, line in enumerate(text.split("\n"), 1):
        if opened := NAMESPACE.match(line):
            if not line.rstrip().endswith("}"):
                stack.append(opened[1] or "")
        elif line.startswith("} // namespace") and stack:
            stack.pop()
        elif stack:
            scope = "::".join(stack)
            if line.startswith("static ") and stack[-1]:
                scope += "::"
            if found := TYPE.match(line):
                yield scope, found[1], number
            elif found := ALIAS.match(line):
                yield scope, f"{found[1]} = {found[2]}", number
            elif found := VARIABLE.match(line):
                yield scope, found[1], number
            elif found := function.match(line):
                yield scope, found[1] + PARAMETER_NAME.sub(r"\1", found[2]), number


def anonymous(path):
    return [each for each in definitions(house.read(path)) if each[0].endswith("::")]


def bare(name):
    return name.split(" = ")[0].split("(")[0]


def of_headers():
    """(namespace, name) -> (path, what it is: a function with its parameters, an alias with what it stands for)."""
    found = {}
    for path in house.files(".h"):
        for scope, name, _ in [] if path.startswith("tests/") else definitions(house.read(path), DECLARATION):
            found.setdefault((scope, bare(name)), (path, name))
    return found


def clash(name, same):
    """Functions overload, and one alias may be declared twice."""
    if "(" in name and "(" in same:
        return False
    return same != name or " = " not in name


def check_folder(paths, declared):
    seen, kinds = {}, {}
    aliases = collections.defaultdict(dict)
    for path in paths:
        for scope, name, number in anonymous(path):
            header, same = declared.get((scope.removesuffix("::"), bare(name)), (None, None))
            if header and clash(name, same):
                yield f"{path}:{number}: '{name}' is declared in {header} too"
            if " = " in name: # one alias may be declared twice
                name, meaning = name.split(" = ", 1)
                first = aliases[scope].setdefault(name, (meaning, path))
                if first[0] == meaning:
                    continue
                yield f"{path}:{number}: '{name}' is another type in {first[1]}"
                continue
            is_function = "(" in name
            other = kinds.setdefault((scope, bare(name)), (is_function, path))
            if other[0] != is_function and other[1] != path:
                yield f"{path}:{number}: '{bare(name)}' is something else in {other[1]}"
            first = seen.setdefault((scope, name), path)
            if first != path:
                yield f"{path}:{number}: '{name}' is defined in {first} too"


folders = collections.defaultdict(list)
for path in house.files(".cpp"):
    if path.startswith("tests/") and not (path.startswith("tests/unit/") and path.endswith("_test.cpp")): # programs of one file
        continue
    folders[os.path.dirname(path)].append(path)
house.finish([text for paths in folders.values() for text in check_folder(paths, of_headers())],
             cure="Files of one folder may be compiled as one: give each its own name.")
