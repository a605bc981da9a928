# SPDX-License-Identifier: Apache-2.0
"""Doors by which text of a script reaches generated code, and tricks that are tried at each.

A door is a script, or IR as text, with PAYLOAD where a literal of the language holds the trick. A trick would run a command that
makes the file MARKER, read a file outside, or end the literal, comment or line that it stands in.
"""

MARKER = "zz_escaped"
WORD = "zz_trick"  # is a token of its own in generated code only where a trick got out

CALL = f"zz_trick(); __builtin_system(\"touch {MARKER}\");"
TRICKS = {
    "newline": f"x\nint {WORD} = system(\"touch {MARKER}\");\n",
    "return": f"x\r{CALL}\r",
    "quote": f"x\"); {CALL} (\"",
    "single quote": f"x'); {CALL} ('",
    "comment end": f"x */ {CALL} /*",
    "line comment": f"x // {CALL}\n{CALL}",
    "include": f"x\n#include \"/etc/passwd\"\n{CALL}",
    "digraph": f"x\n%:include \"/etc/passwd\"\n{CALL}",
    "define": f"x\n#define {WORD}() system(\"touch {MARKER}\")\n{CALL}",
    "assembly name": f"x; int {WORD}(const char*) __asm__(\"system\"); {CALL}",
    "incbin": f"x; __asm__(\".incbin \\\"/etc/passwd\\\"\"); {CALL}",
    "trigraph": f"x??/\n{CALL}",
    "trigraph quote": f"x??/\"); {CALL}",
    "joined line": f"x\\\n{CALL}",
    "last backslash": f"{WORD} x\\",
    "blank backslash": f"{WORD} x\\\x0b",
    "parenthesis": f"x); {CALL} (",
    "brace": f"x}} {CALL} {{",
    "zero": f"x\0\"; {CALL}",
    "percent": f"%s%n%1$x {WORD}() {CALL}",
    "format": f"{{}}{{0}} $x @x@ {CALL}",
    "letters": f"x\u2028{CALL}\u00e9",
    "long": "x" * 70000 + f"\n{CALL}",
    "shell": f"x; touch {MARKER}; $(touch {MARKER}) `touch {MARKER}`",
    "option": f"x -fplugin=/tmp/{MARKER}.so -wrapper touch,{MARKER}",
    "path": f"../../{MARKER}",
}

HEAD = """import hidet, torch
from hidet.ir.builders import FunctionBuilder
from hidet.ir.expr import Var
from hidet.ir.module import IRModule
from hidet.ir.stmt import AssertStmt, BlackBoxStmt, BufferStoreStmt, comment
from hidet.ir.type import FuncType, tensor_pointer_type
from hidet.lang import *
P = PAYLOAD
"""


def kernel(body, before="", kind="cpu_kernel", head="x: i32[4]"):
    """A module with one function; on a GPU where its kind says so."""
    launch = "\n        attrs.cuda.grid_dim = 1\n        attrs.cuda.block_dim = 1" if kind == "cuda_kernel" else ""
    lines = "".join(f"\n        {line}" for line in body.split("\n"))
    return f"""{HEAD}{before}
with hidet.script_module() as m:

    @hidet.script
    def k({head}):
        attrs.func_kind = '{kind}'{launch}{lines}
        x[0] = 1

m.build()(hidet.zeros([4], dtype='int32'{", device='cuda'" if kind == "cuda_kernel" else ""}))
"""


def built(lines, name="'k'"):
    """A function of a builder."""
    body = "".join(f"\n    {line}" for line in lines.split("\n"))
    return f"""{HEAD}
with FunctionBuilder({name}, kind='cpu_kernel') as fb:
    x = Var('x', tensor_pointer_type(i32, [4]))
    fb.extend_params([x]){body}
    fb += BufferStoreStmt(x, [0], 1)
module = IRModule()
module.add_function(fb.func.name, fb.func)
module.build()(hidet.zeros([4], dtype='int32'))
"""


def ir(line, before="", name="k", parameter=""):
    """IR as text, as it is right in front of the generators of both languages."""
    return f"""module 'm' level script
{before}
def {name}(x: ~i32{parameter}):
    attrs.func_kind = 'KIND'LAUNCH
    {line}
    x[0] = 1
"""


SCRIPTS = {
    "opaque type": kernel("p = cast(x, ~OpaqueType(P))\nx[1] = i32(cast(p, u64))"),
    "opaque modifier": kernel("p = cast(x, ~OpaqueType('int', P))\nx[1] = i32(cast(p, u64))"),
    "opaque parameter": kernel("x[1] = 2", before="T = OpaqueType(P)", kind="cuda_kernel", head="x: i32[4], t: ~T"),
    "black box": kernel("BlackBoxStmt(P)"),
    "black box of a GPU": kernel("BlackBoxStmt(P)", kind="cuda_kernel"),
    "black box printf": kernel("BlackBoxStmt('printf(\"' + P + '\");')"),
    "assembly": kernel("asm(P)", kind="cuda_kernel"),
    "assembly opcode": kernel("asm('mov.' + P + ' %0, 1;', outputs=[x[0]])", kind="cuda_kernel"),
    "assembly operand": kernel("asm('mov.b32 %0, ' + P + ';', outputs=[x[0]])", kind="cuda_kernel"),
    "comment": kernel("comment(P)"),
    "comment of a GPU": kernel("comment(P)", kind="cuda_kernel"),
    "assertion": kernel("assert x[0] < 9, P"),
    "assertion of a GPU": kernel("assert x[0] < 9, P", kind="cuda_kernel"),
    "format": kernel("printf(P)"),
    "format of a GPU": kernel("printf(P)", kind="cuda_kernel"),
    "printed text": kernel("printf('%s', P)"),
    "label": kernel("attrs.label = P"),
    "function kind": kernel("x[1] = 1").replace("'cpu_kernel'", "P"),
    "loop attribute": kernel("for i in grid(4, attrs=P):\n    x[i] = 1"),
    "data type": kernel("x[1] = cast(x[0], data_type(P))", before="from hidet.ir.type import data_type"),
    "memory scope": kernel("y = tensor(P, i32, shape=[4])\ny[0] = 1"),
    "extern function": kernel("x[1] = e(1)", before="").replace(
        "    @hidet.script", "    e = m.declare_extern_func(P, [i32], i32)\n\n    @hidet.script"),
    "extern variable": kernel("x[1] = e(1)", before="e = Var(P, FuncType([i32], i32))"),
    "global variable": kernel("x[1] = g").replace("    @hidet.script", "    g = m.define_global_var(P, i32)\n\n    @hidet.script"),
    "symbol": kernel("x[1] = i32(n)", before="n = hidet.symbol_var(P)", head="x: i32[4], y: f32[n]").replace(
        "dtype='int32'))", "dtype='int32'), hidet.zeros([3]))"),
    "processor": HEAD + "hidet.option.cpu.arch(P)\n" + kernel("x[1] = 1")[len(HEAD):],
    "architecture": HEAD + "hidet.option.cuda.arch(P)\n" + kernel("x[1] = 1", kind="cuda_kernel")[len(HEAD):],
    "function name": built("fb += BufferStoreStmt(x, [1], 1)", name="P"),
    "variable name": built("y = Var(P, i32)\nfb.declare(y, 1)\nfb += BufferStoreStmt(x, [1], y)"),
    "let name": built("with fb.let(P, x[0] + 1) as y:\n    fb += BufferStoreStmt(x, [1], y)"),
    "loop name": built("with fb.for_loop(P, 4) as i:\n    fb += BufferStoreStmt(x, [i], i)"),
    "built comment": built("fb += comment(P)"),
    "built assertion": built("fb += AssertStmt(x[0] < 9, P)"),
    "headers": HEAD + "IRModule(include_headers=[P])\n",
    "linked libraries": HEAD + "IRModule(linking_libs=[P])\n",
    "namespace": HEAD + "IRModule(namespace=P).build()\n",
    "tensor name": HEAD + "x = hidet.symbol([4], device='cpu')\nprint(hidet.trace_from(hidet.ops.relu(x), inputs=[x]).build()(hidet.zeros([4])))\n",
}

# Here PAYLOAD is a literal of IR's text.
TEXTS = {
    "opaque type": ir("pass", parameter=", y: ~opaque(PAYLOAD)"),
    "opaque modifier": ir("pass", parameter=", y: ~opaque('int', PAYLOAD)"),
    "assembly": ir("asm(PAYLOAD, outputs=[](), inputs=[]())"),
    "assembly label": ir("asm('mov.b32 %0, 1;', outputs=[PAYLOAD](x[0]), inputs=[]())"),
    "comment": ir("comment(PAYLOAD)"),
    "assertion": ir("assert x[0] < 9, PAYLOAD"),
    "format": ir("printf(PAYLOAD)"),
    "printed text": ir("printf('%s', PAYLOAD)"),
    "label": ir("attrs.label = PAYLOAD"),
    "function name": ir("pass", name="PAYLOAD"),
    "extern function": ir("x[1] = call(PAYLOAD, i32, 1)", before="\nextern PAYLOAD: (i32) -> i32\n"),
    "no such function": ir("x[1] = call(PAYLOAD, i32, 1)"),
    "symbol": ir("x[1] = symbol(PAYLOAD, i32)"),
    "options": ir("pass").replace("level script", "level script options PAYLOAD"),
    "module name": ir("pass").replace("'m'", "PAYLOAD"),
}
