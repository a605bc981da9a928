# SPDX-License-Identifier: Apache-2.0
"""Python's own verdict and tree of a text, in the form that dump.cpp writes."""

import ast
import sys
import warnings

sys.setrecursionlimit(20000)
warnings.simplefilter("ignore")


def verdict(source):
    """(tree as text, None) or (None, the message of Python's SyntaxError). `source` is bytes."""
    try:
        tree = compile(source, "input.py", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        compile(source, "input.py", "exec", dont_inherit=True)
    except SyntaxError as error:
        return None, f"{error.lineno}: {error.msg}"
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        return None, f"{type(error).__name__}: {error}"
    return items(tree.body, node), None


def node(value):
    return "None" if value is None else RULES[type(value)](value)


def items(values, write):
    return "[" + ", ".join(map(write, values)) + "]"


def nodes(values):
    return items(values, node)


def quote(text):
    return "None" if text is None else "'" + text + "'"


def escape(data):
    return "".join(chr(b) if 0x20 <= b < 0x7F and b not in b"\\'" else f"\\x{b:02x}" for b in data)


def hexadecimal(number):
    """As C prints %a: Python writes trailing zeros and 0x0.0p+0."""
    text = number.hex()
    if "inf" in text or "nan" in text:
        return text
    mantissa, exponent = text.split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    if mantissa in ("0x", "-0x"):
        mantissa += "0"
    return mantissa + "p" + exponent


def constant(value):
    v = value.value
    if v is None or v is True or v is False:
        return f"Constant({v})"
    if v is Ellipsis:
        return "Constant(Ellipsis)"
    if isinstance(v, int):
        return f"Constant({v})" if v < 2**63 else "Constant(big)"
    if isinstance(v, float):
        return f"Constant({hexadecimal(v)})"
    if isinstance(v, complex):
        return f"Constant({hexadecimal(v.imag)}j)"
    if isinstance(v, bytes):
        return f"Constant(b'{escape(v)}')"
    return "Constant('" + escape(v.encode("utf-8", "surrogatepass")) + "')"


def parameters(arguments):
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    out = []

    def add(kind, arg, default):
        out.append(f"{kind}({quote(arg.arg)}, {node(arg.annotation)}, {node(default)})")

    for i, (arg, default) in enumerate(zip(positional, defaults)):
        add("posonly" if i < len(arguments.posonlyargs) else "arg", arg, default)
    if arguments.vararg:
        add("vararg", arguments.vararg, None)
    for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        add("kwonly", arg, default)
    if arguments.kwarg:
        add("kwarg", arguments.kwarg, None)
    return "[" + ", ".join(out) + "]"


def call(name, *fields):
    """A rule that writes NAME(field, ...): fields are attribute names, or functions of the node."""

    def write(value):
        parts = []
        for field in fields:
            part = field(value) if callable(field) else getattr(value, field)
            if isinstance(part, list):
                part = nodes(part)
            elif isinstance(part, ast.AST) or part is None:
                part = node(part)
            parts.append(part)
        return name + "(" + ", ".join(parts) + ")"

    return write


def operator(value):
    return type(value).__name__


def op(value):
    return type(value.op).__name__


def ctx(value):
    return type(value.ctx).__name__ + "()"


def name_of(field):
    return lambda value: quote(getattr(value, field))


def joined(value):
    """Neighbouring texts are one part."""
    parts, text = [], ""
    for part in value.values:
        if isinstance(part, ast.Constant):
            text += part.value
            continue
        if text:
            parts.append(constant(ast.Constant(text)))
            text = ""
        parts.append(node(part))
    if text:
        parts.append(constant(ast.Constant(text)))
    return "JoinedStr([" + ", ".join(parts) + "])"


def names(value):
    return items(value.names, lambda name: quote(name))


RULES = {
    ast.Name: call("Name", name_of("id"), ctx),
    ast.Constant: constant,
    ast.JoinedStr: joined,
    ast.FormattedValue: call("FormattedValue", "value", lambda v: str(v.conversion), "format_spec"),
    ast.Tuple: call("Tuple", "elts", ctx),
    ast.List: call("List", "elts", ctx),
    ast.Set: call("Set", "elts"),
    ast.Dict: call("Dict", "keys", "values"),
    ast.UnaryOp: call("UnaryOp", op, "operand"),
    ast.BinOp: call("BinOp", "left", op, "right"),
    ast.BoolOp: call("BoolOp", op, "values"),
    ast.Compare: call("Compare", "left", lambda v: items(v.ops, operator), "comparators"),
    ast.Call: call("Call", "func", "args", "keywords"),
    ast.keyword: call("keyword", name_of("arg"), "value"),
    ast.Attribute: call("Attribute", "value", name_of("attr"), ctx),
    ast.Subscript: call("Subscript", "value", "slice", ctx),
    ast.Slice: call("Slice", "lower", "upper", "step"),
    ast.Starred: call("Starred", "value", ctx),
    ast.Lambda: call("Lambda", lambda v: parameters(v.args), "body"),
    ast.IfExp: call("IfExp", "test", "body", "orelse"),
    ast.ListComp: call("ListComp", "elt", "generators"),
    ast.SetComp: call("SetComp", "elt", "generators"),
    ast.GeneratorExp: call("GeneratorExp", "elt", "generators"),
    ast.DictComp: call("DictComp", "key", "value", "generators"),
    ast.comprehension: call("comprehension", "target", "iter", "ifs", lambda v: str(v.is_async)),
    ast.NamedExpr: call("NamedExpr", "target", "value"),
    ast.Await: call("Await", "value"),
    ast.Yield: call("Yield", "value"),
    ast.YieldFrom: call("YieldFrom", "value"),
    ast.Expr: call("Expr", "value"),
    ast.Assign: call("Assign", "targets", "value"),
    ast.AugAssign: call("AugAssign", "target", op, "value"),
    ast.AnnAssign: call("AnnAssign", "target", "annotation", "value", lambda v: str(v.simple)),
    ast.If: call("If", "test", "body", "orelse"),
    ast.While: call("While", "test", "body", "orelse"),
    ast.For: call("For", "target", "iter", "body", "orelse"),
    ast.AsyncFor: call("AsyncFor", "target", "iter", "body", "orelse"),
    ast.FunctionDef: call("FunctionDef", name_of("name"), lambda v: parameters(v.args), "body", "decorator_list", "returns"),
    ast.AsyncFunctionDef: call(
        "AsyncFunctionDef", name_of("name"), lambda v: parameters(v.args), "body", "decorator_list", "returns"
    ),
    ast.ClassDef: call("ClassDef", name_of("name"), "bases", "keywords", "body", "decorator_list"),
    ast.Return: call("Return", "value"),
    ast.Break: call("Break"),
    ast.Continue: call("Continue"),
    ast.Pass: call("Pass"),
    ast.Assert: call("Assert", "test", "msg"),
    ast.With: call("With", "items", "body"),
    ast.AsyncWith: call("AsyncWith", "items", "body"),
    ast.withitem: call("withitem", "context_expr", "optional_vars"),
    ast.Raise: call("Raise", "exc", "cause"),
    ast.Try: call("Try", "body", "handlers", "orelse", "finalbody"),
    ast.TryStar: call("TryStar", "body", "handlers", "orelse", "finalbody"),
    ast.ExceptHandler: call("ExceptHandler", "type", name_of("name"), "body"),
    ast.Import: call("Import", "names"),
    ast.ImportFrom: call("ImportFrom", name_of("module"), "names", lambda v: str(v.level)),
    ast.alias: call("alias", name_of("name"), name_of("asname")),
    ast.Global: call("Global", names),
    ast.Nonlocal: call("Nonlocal", names),
    ast.Delete: call("Delete", "targets"),
    ast.Match: call("Match", "subject", "cases"),
    ast.match_case: call("match_case", "guard", "body"),
}
