# SPDX-License-Identifier: Apache-2.0
"""References of others as functions of a script, where these are plain calls of torch that scripts have. What is not known to mean the
same is not translated: the caller keeps the text, and a Python with PyTorch runs it."""

import ast

from . import _value

STATEMENTS = (ast.Assign, ast.AugAssign, ast.Return)
EXPRESSIONS = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List, ast.Subscript, ast.Slice, ast.keyword,
               ast.operator, ast.unaryop, ast.expr_context)
FUNCTIONS = {"int", "float", "len", "min", "max", "abs"}
MODULES = {"torch": "torch", "math": "math", "torch.nn.functional": "F"}  # and what they are called in the script
MOST_NODES = 2000


def reference_of_run(tree, inputs, outputs):
    """Of run() of a definition: a function reference() as text; None: it is not translated."""
    function = _only_function(tree, "run")
    if function is None or len(inputs) != len(function.args.args):
        return None
    returned = function.body[-1]
    if isinstance(returned, ast.Return) and isinstance(returned.value, ast.Dict):
        keys = [getattr(key, "value", None) for key in returned.value.keys]
        if keys != outputs:
            return None
        values = returned.value.values
        returned.value = values[0] if len(values) == 1 else ast.Tuple(values, ast.Load())
    is_several = isinstance(getattr(returned, "value", None), ast.Tuple)
    if is_several != (len(outputs) > 1) or (is_several and len(returned.value.elts) != len(outputs)):
        return None
    return _written(function, _aliases(tree), function.args.args)


def reference_of_forward(tree, count):
    """(names of the inputs, text) of forward() of a Model that has no parameters."""
    model = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "Model")
    methods = {each.name: each for each in model.body if isinstance(each, ast.FunctionDef)}
    forward, init = methods.get("forward"), methods.get("__init__")
    if forward is None or len(forward.args.args) != count + 1 or forward.decorator_list:
        return None
    fields = _fields(init, _returned_list(tree, "get_init_inputs"))
    if fields is None:
        return None
    own = forward.args.args[0].arg

    class Fields(ast.NodeTransformer):
        def visit_Attribute(self, node):
            if isinstance(node.value, ast.Name) and node.value.id == own and node.attr in fields:
                return ast.Constant(fields[node.attr])
            return self.generic_visit(node)

    Fields().visit(forward)
    if any(isinstance(each, ast.Name) and each.id == own for each in ast.walk(ast.Module(forward.body, []))):
        return None
    if isinstance(getattr(forward.body[-1], "value", None), (ast.Tuple, ast.Dict, ast.List)):
        return None
    text = _written(forward, _aliases(tree), forward.args.args[1:])
    return text and ([each.arg for each in forward.args.args[1:]], text)


def _fields(init, given):
    """Numbers that __init__ puts into the model; None: it does something else."""
    if init is None:
        return {} if not given else None
    names = [each.arg for each in init.args.args[1:]]
    if given is None or len(given) > len(names):
        return None
    values = dict(zip(names, given))
    fields = {}
    for each in init.body:
        target = each.targets[0] if isinstance(each, ast.Assign) and len(each.targets) == 1 else None
        called = getattr(getattr(each, "value", None), "func", None)
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
            continue
        if isinstance(each, ast.Expr) and isinstance(called, ast.Attribute) and called.attr == "__init__":
            continue
        if isinstance(target, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in values:
            fields[target.attr] = values[each.value.id]
            continue
        return None
    return fields


def static_inputs(tree):
    """[("rand" or "randn", shape)] of get_inputs(), where it makes float32 tensors of known shapes and does nothing else."""
    returned = _returned(tree, "get_inputs")
    if not isinstance(returned, ast.List):
        return None
    constants = _constants(tree)
    function = next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "get_inputs")
    made = {}
    for each in function.body[:-1]:
        if not (isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name)):
            return None
        made[each.targets[0].id] = each.value
    inputs = [_made(made.get(each.id) if isinstance(each, ast.Name) else each, constants) for each in returned.elts]
    return None if None in inputs or not inputs else inputs


def _made(call, constants):
    if not (isinstance(call, ast.Call) and not call.keywords and isinstance(call.func, ast.Attribute) and call.func.attr in ("rand", "randn")
            and getattr(call.func.value, "id", None) == "torch"):
        return None
    args = call.args[0].elts if len(call.args) == 1 and isinstance(call.args[0], (ast.Tuple, ast.List)) else call.args
    shape = [_number(each, constants) for each in args]
    return None if None in shape or any(not isinstance(each, int) for each in shape) else (call.func.attr, shape)


def _constants(tree):
    found = {}
    for each in tree.body:
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            found[each.targets[0].id] = _number(each.value, found)
    return found


def _number(node, constants):
    """A number that is written out, named, or a sum, difference, product or quotient of such; None: it is something else."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) in (int, float) and abs(node.value) < 1 << 40 else None
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand, constants)
        return None if value is None else -value
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _number(node.left, constants), _number(node.right, constants)
    if left is None or right is None or (isinstance(node.op, ast.FloorDiv) and right == 0):
        return None
    operations = {ast.Add: lambda: left + right, ast.Sub: lambda: left - right, ast.Mult: lambda: left * right, ast.FloorDiv: lambda: left // right}
    value = operations.get(type(node.op), lambda: None)()
    return value if value is not None and abs(value) < 1 << 40 else None


def _returned(tree, name):
    function = next((each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name), None)
    last = function.body[-1] if function else None
    return last.value if isinstance(last, ast.Return) else None


def _returned_list(tree, name):
    """Numbers that a function returns; None: something else."""
    returned = _returned(tree, name)
    if not isinstance(returned, ast.List):
        return None
    constants = _constants(tree)
    values = [_number(each, constants) for each in returned.elts]
    return None if None in values else values


def _only_function(tree, name):
    """Beside imports and texts it is all that there is."""
    functions = [each for each in tree.body if not isinstance(each, (ast.Import, ast.ImportFrom))
                 and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    if len(functions) != 1 or not isinstance(functions[0], ast.FunctionDef) or functions[0].name != name:
        return None
    is_harmless = all(ast.unparse(each) in ("torch.no_grad()", "torch.inference_mode()") for each in functions[0].decorator_list)
    return functions[0] if is_harmless else None


def _aliases(tree):
    """name in the text -> module, of those that a script has."""
    found = {}
    for each in tree.body:
        for alias in each.names if isinstance(each, (ast.Import, ast.ImportFrom)) else ():
            whole = alias.name if isinstance(each, ast.Import) else f"{each.module}.{alias.name}"
            if whole in MODULES:
                found[alias.asname or alias.name] = whole
    return found


def _written(function, aliases, arguments):
    """The function as reference(); None where there is a statement, a call or a name that is not known to mean the same."""
    args = function.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults or not function.body:
        return None
    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    names = {each.arg for each in arguments}
    for each in ast.walk(ast.Module(body, [])):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            names.add(each.id)
    if not body or not isinstance(body[-1], ast.Return) or any(isinstance(each, ast.Return) for each in body[:-1]):
        return None
    if not all(isinstance(each, STATEMENTS) for each in body):
        return None
    if names & ({*aliases, *FUNCTIONS, *MODULES.values(), "hidet", "numpy", "reference"} | {"inputs", "build", "check"}):
        return None
    nodes = [each for statement in body for each in ast.walk(statement)]
    if len(nodes) > MOST_NODES or not all(_is_known(each, names, aliases) for each in nodes):
        return None
    for each in nodes:
        if isinstance(each, ast.Name) and each.id in aliases:
            each.id = MODULES[aliases[each.id]]
    lines = "\n".join("    " + line for statement in body for line in ast.unparse(statement).splitlines())
    return f"def reference({', '.join(each.arg for each in arguments)}):\n{lines}\n"


def _is_known(node, names, aliases):
    if isinstance(node, ast.Name):
        return node.id in names or node.id in aliases or node.id in FUNCTIONS
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float, bool, type(None)) or (type(node.value) is str and node.value.isascii() and len(node.value) < 64)
    if isinstance(node, ast.Attribute):
        parts, at = [node.attr], node.value
        while isinstance(at, ast.Attribute):
            parts.insert(0, at.attr)
            at = at.value
        if isinstance(at, ast.Name) and at.id in aliases:
            return _module_has(aliases[at.id], parts)
        return node.attr in _members()
    return isinstance(node, (*STATEMENTS, *EXPRESSIONS))


def _module_has(module, parts):
    value = _value.import_module(module)
    try:
        for each in parts:
            value = getattr(value, each)
    except (AttributeError, ImportError, RuntimeError):
        return False
    return True


def _members():
    """Of tensors."""
    return {*dir(_value.import_module("hidet").zeros([1]))}
