# SPDX-License-Identifier: Apache-2.0
"""Shrinks a random program that goes wrong: statements are left out, blocks become their bodies and expressions a part of
themselves, as long as Python can still run it and it goes wrong in the same way."""

import ast
import copy
import re
import signal

from generated import batch
from generated.reference import reference

TRIES = 400
SECONDS = 20  # for the reference: a loop may have lost its step


def kind_of(code, said):
    """What is the same about two failures: the id of the first message, or that a result differs."""
    if re.search(r"^seed \d+: stored", said, re.MULTILINE):
        return "differs"
    found = re.search(r"\[([a-z][a-z-]+)\]$", said, re.MULTILINE)
    return found.group(1) if found else f"exit {code}"


def tree_of(program):
    body = "".join(f"    {line}\n" for line in program.body)
    return ast.parse("\n".join(program.functions) + "\ndef kernel():\n" + body)


def with_tree(program, tree):
    made = copy.copy(program)
    made.functions = [line for part in tree.body[:-1] for line in ast.unparse(part).split("\n")]
    made.body = [line[4:] for line in ast.unparse(tree.body[-1]).split("\n")[1:]]
    return made


def statement_lists(tree):
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            if isinstance(getattr(node, field, None), list) and not isinstance(node, ast.IfExp):
                yield node, field


def parts_of(expression):
    """Operands that may stand for the whole; a constant may not, since it has a type of its own."""
    children = expression.args if isinstance(expression, ast.Call) else ast.iter_child_nodes(expression)
    return [child for child in children if isinstance(child, ast.expr) and not isinstance(child, ast.Constant)]


def expressions(tree):
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for at, child in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(child, (ast.BinOp, ast.UnaryOp, ast.IfExp, ast.BoolOp, ast.Call)):
                    yield node, field, at if isinstance(value, list) else None, child


def smaller(tree):
    """Trees with one thing less each, the large things first."""
    for number in range(sum(1 for _ in statement_lists(tree))):
        length = len(getattr(*list(statement_lists(tree))[number]))
        for at in range(length - 1, -1, -1):
            for keeps_body in (False, True):
                made = copy.deepcopy(tree)
                node, field = list(statement_lists(made))[number]
                statements = getattr(node, field)
                removed = statements.pop(at)
                if keeps_body:
                    if not isinstance(removed, (ast.If, ast.For, ast.While)):
                        continue
                    statements[at:at] = removed.body
                if not statements and field == "body":
                    statements.append(ast.Pass())
                if made.body and isinstance(made.body[-1], ast.FunctionDef):
                    yield made
    for number, (_, _, _, child) in enumerate(list(expressions(tree))):
        for part in range(len(parts_of(child))):
            made = copy.deepcopy(tree)
            node, field, at, child = list(expressions(made))[number]
            if at is None:
                setattr(node, field, parts_of(child)[part])
            else:
                getattr(node, field)[at] = parts_of(child)[part]
            yield made


def expected_of(program):
    """None: Python cannot run it."""
    def is_over(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, is_over)
    signal.alarm(SECONDS)
    try:
        return batch.checksum(reference(program.body, program.functions))
    except Exception:  # whatever it lacks now
        return None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(hidetc, verb, program):
    """The kind of failure, or '' where there is none or nothing to compare with."""
    try:
        expected = expected_of(program)
    except SyntaxError:
        return ""
    if expected is None:
        return ""
    code, said = batch.run(hidetc, verb, batch.script([program], [expected]), seconds=60)
    return kind_of(code, said) if code else ""


def one_step(hidetc, verb, program, wanted, tries):
    """A smaller program that goes wrong in the wanted way, or None; tries: how many may be tried, in a list."""
    for tree in smaller(tree_of(program)):
        if not tries:
            return None
        tries.pop()
        candidate = with_tree(program, ast.fix_missing_locations(tree))
        if outcome(hidetc, verb, candidate) == wanted:
            return candidate
    return None


def reduced(hidetc, verb, program):
    """The smallest program found that goes wrong as this one does; itself, if it does not go wrong alone."""
    wanted, tries = outcome(hidetc, verb, program), [None] * TRIES
    while wanted and (found := one_step(hidetc, verb, program, wanted, tries)):
        program = found
    return program
