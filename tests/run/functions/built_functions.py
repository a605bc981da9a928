# SPDX-License-Identifier: Apache-2.0
"""Functions that host code puts together: every block of a builder, every statement, and modules of them."""
import hidet
import numpy as np
from hidet.ir import primitives
from hidet.ir.builders import FunctionBuilder, StmtBuilder
from hidet.ir.dtypes import f16, f32, i32, promote_type, u8
from hidet.ir.expr import Add, BinaryExpr, Constant, Expr, Let, Var, convert, is_constant, is_one, is_zero, scalar_var, symbol_var
from hidet.ir.expr import UnaryExpr, tensor_element, tensor_rank, tensor_var, var
from hidet.ir.func import Function
from hidet.ir.mapping import repeat_map, spatial_map
from hidet.ir.module import IRModule
from hidet.ir.primitives.cuda import threadIdx
from hidet.ir.stmt import AssertStmt, AssignStmt, BreakStmt, BufferStoreStmt, DeclareScope, DeclareStmt, EvaluateStmt
from hidet.ir.stmt import AsmStmt, ForStmt, ForStmtAttr, IfStmt, LaunchKernelStmt, LetStmt, ReturnStmt, SeqStmt, WhileStmt
from hidet.ir.tools import infer_type
from hidet.ir.type import FuncType, data_type, tensor_pointer_type
from hidet.ir.utils import broadcast_indices, broadcast_shape, index_deserialize, index_serialize
from hidet.lang import attrs, printf


def built(builder, *shape):
    module = IRModule()
    module.add_function(builder.func.name, builder.func)
    out = hidet.zeros(shape, dtype='int32')
    module.build()(out)
    return out.numpy()


# ---- blocks

with FunctionBuilder('blocks', kind='cpu_kernel') as fb:
    x = Var('x', tensor_pointer_type(i32, [4, 8]))
    fb.extend_params([x])
    with fb.for_grid([4, 8]) as (i, j):
        with fb.if_then(i == 0):
            fb += BufferStoreStmt(x, [i, j], j)
        with fb.else_if(i == 1):
            fb.buffer_store(x, [i, j], j * 10)
        with fb.else_if(i == 2):
            with fb.let('twice', j + j) as twice:
                fb += BufferStoreStmt(x, [i, j], twice)
        with fb.otherwise():
            fb += BufferStoreStmt(x, (i, j), -1)

expected = np.array([[j for j in range(8)], [j * 10 for j in range(8)], [2 * j for j in range(8)], [-1] * 8])
assert np.array_equal(built(fb, 4, 8), expected)

with FunctionBuilder('loops', kind='cpu_kernel') as fb:
    x = Var('x', tensor_pointer_type(i32, [6]))
    fb.extend_params([x])
    count = fb.declare_var('count', i32, init=0)
    with fb.for_loop('k', 10, attr='u') as k:
        with fb.if_then(k == 4):
            fb.brk()
        fb.assign(count, count + k)
    fb.buffer_store(x, [0], count)  # 0 + 1 + 2 + 3
    with fb.while_loop(count < 100):
        fb.assign(count, count * 2)
    fb.buffer_store(x, [1], count)
    with fb.for_range(3) as r:
        fb += BufferStoreStmt(x, [r + 2], r * r)
    with fb.for_mapping(spatial_map([1]), worker=0) as axes:
        fb += BufferStoreStmt(x, [axes[0] + 5], 7)
    fb.assertion(count == 192, 'count')

assert built(fb, 6).tolist() == [6, 192, 0, 1, 4, 7]

# ---- statements as objects

n, total = var('n'), scalar_var('total', 'int32')
regs = tensor_var('regs', [4], 'int32')
y = Var('y', tensor_pointer_type('int32', [5]))
body = SeqStmt([
    DeclareStmt(total, 0),
    DeclareStmt(regs, scope=DeclareScope.Register),
    ForStmt(n, 4, BufferStoreStmt(regs, [n], n * 3), attr=ForStmtAttr(unroll=True)),
    LetStmt(var('one'), 1, EvaluateStmt(printf('built\n'))),
])
last = var('last')
tail = [
    DeclareStmt(last, 3),
    WhileStmt(last >= 0, SeqStmt([
        AssignStmt(total, total + regs[last]),
        BufferStoreStmt(y, [last], tensor_element(regs, [last])),
        IfStmt(last == 0, BreakStmt()),
        AssignStmt(last, last - 1),
    ])),
    BufferStoreStmt(y, [4], total),
    AssertStmt(total == 18, 'total'),
]
function = Function('objects', params=[y], body=SeqStmt([body, tail]), ret_type=None, kind='cpu_kernel')
module = IRModule(functions={'objects': function})
out = hidet.zeros([5], dtype='int32')
module.build()(out)
assert out.numpy().tolist() == [0, 3, 6, 9, 18]
assert isinstance(function, Function) and isinstance(body, SeqStmt) and not isinstance(body, ForStmt)
assert list(module.functions) == ['objects'] and module.copy().functions['objects'] is function

# ---- a kernel, and statements that a script function gets from host code

with FunctionBuilder('fill', kind='cuda_kernel', grid_dim=1, block_dim=32) as fb:
    z = Var('z', tensor_pointer_type('float32', [32]))
    fb.extend_params([z])
    fb += BufferStoreStmt(z, [threadIdx.x], primitives.exp2(f32(1.0)) * threadIdx.x)
z = hidet.zeros([32], dtype='float32', device='cuda')
IRModule(functions={fb.name: fb.get()}).build()(z)
assert np.array_equal(z.cpu().numpy(), np.arange(32) * 2.0)


def squares(t, m):
    sb = StmtBuilder()
    with sb.for_range(m) as i:
        sb += BufferStoreStmt(t, [i], i * i)
    return sb.finish()


with hidet.script_module() as script_module:

    @hidet.script
    def launch(t: i32[4]):
        attrs.func_kind = 'public'
        squares(t, 4)


t = hidet.zeros([4], dtype='int32')
script_module.build()(t)
assert t.numpy().tolist() == [0, 1, 4, 9]

# ---- expressions

a, b = var('a'), var('b', 'float32')
assert isinstance(a, Var) and isinstance(a + 1, Expr) and isinstance(Constant(1, i32), Constant)
assert isinstance(a + 1, BinaryExpr) and isinstance(-a, UnaryExpr) and not isinstance(a, (BinaryExpr, UnaryExpr))
assert isinstance(hidet.lang.asm('membar.gl;'), AsmStmt) and not isinstance(BreakStmt(), (AsmStmt, LaunchKernelStmt))
assert promote_type(f16, i32) == f16 and promote_type('int32', u8) == i32 and hidet.lang.ForStmtAttr is ForStmtAttr
assert is_constant(1, Constant(2, i32)) and not is_constant(a) and is_zero(a * 0) and is_one(Constant(1, 'int64'))
assert infer_type(a + b) == f32 and infer_type(Add(a, a)) == i32 and tensor_rank(regs) == 1
assert isinstance(convert([1, a])[0], Constant) and FuncType([i32], i32) == FuncType([data_type('int32')], i32)
assert index_serialize([1, 2], [3, 4]) == 6 and index_deserialize(6, [3, 4]) == [1, 2]
assert broadcast_shape([4, 1], [3]) == [4, 3] and broadcast_indices([2, 3], [1], [4, 5]) == [0]
assert Let(a, 3, a + a).type == i32
assert symbol_var('m').type == i32 and hidet.utils.gcd(12, 18) == 6 and hidet.utils.lcm(4, 6) == 12
