# SPDX-License-Identifier: Apache-2.0
"""An operator of your own that brings its kernels along: the greatest of the elements so far, along each row.

The definition alone would do, as in custom_operator.py, but it says that each element looks at all before it. The method
implement_cuda says how a GPU shall compute it instead: a warp takes a row 32 elements at a time, its lanes find the maximum so far
among themselves in five shuffles, and what a tile ends with is where the next one begins. How many warps a block has is left
open: tune.extract_ir_modules() makes a list of kernels of a function with a space, `hidetc tune running_maximum.py` measures them.

The kernel takes part in fusion by its loads and stores of elements: the operators before and after it become a part of it.

Where a definition would be long, an OpaqueOperator has kernels alone. Nothing fuses with it, and its class says what its outputs
are. Here it tells by a vote of the warp in which tile of a row the maximum is reached.
"""
import hidet
import torch
from hidet import ops, tune
from hidet.graph.operator import Operator
from hidet.graph.ops.opaque import OpaqueOperator
from hidet.graph.ops.utils import input_like
from hidet.ir.compute import compute, reduce
from hidet.ir.expr import if_then_else
from hidet.ir.task import Task
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import ballot_sync, blockIdx, shfl_sync, shfl_up_sync, threadIdx

least = -3.0e38  # less than any element


class RunningMaximum(Operator):
    def __init__(self, x):
        node = input_like(x, 'x')
        rows, columns = x.shape
        y = compute(
            'y',
            shape=[rows, columns],
            fcompute=lambda i, j: reduce(
                [columns], lambda k: if_then_else(k <= j, node[i, k], least), reduce_type='max'
            ),
        )
        super().__init__(inputs=[x], attributes={}, task=Task('running_maximum', inputs=[node], outputs=[y]))

    def implement_cuda(self, working_dir):
        return tune.extract_ir_modules(self.schedule)

    @tune.space(1, warps=[1, 2, 4, 8])
    def schedule(self, warps=4):
        rows, columns = self.inputs[0].shape

        with hidet.script_module() as script_module:

            @hidet.script
            def running_maximum(x: f32[rows, columns], y: f32[rows, columns]):
                attrs.func_kind = 'cuda_kernel'
                attrs.cuda.grid_dim = (rows + warps - 1) // warps
                attrs.cuda.block_dim = warps * 32
                row = blockIdx.x * warps + threadIdx.x // 32
                lane = threadIdx.x % 32
                if row < rows:
                    before = f32(least)
                    for tile in range((columns + 31) // 32):
                        column = tile * 32 + lane
                        greatest = f32(least)
                        if column < columns:
                            greatest = x[row, column]
                        for step in range(5):
                            left = shfl_up_sync(0xFFFFFFFF, greatest, 1 << step)
                            if lane >= (1 << step):
                                greatest = max(greatest, left)
                        greatest = max(greatest, before)
                        if column < columns:
                            y[row, column] = greatest
                        before = shfl_sync(0xFFFFFFFF, greatest, 31)

        return script_module


class TileOfMaximum(OpaqueOperator):
    def __init__(self, x, greatest):
        super().__init__(name='tile_of_maximum', inputs={'x': x, 'greatest': greatest})

    def symbolic_forward(self, x, greatest):
        return {'tile': self.symbol([x.shape[0]], dtype='int32', device=x.device)}

    def implement_cuda(self, inputs, outputs):
        rows, columns = inputs[0].shape

        with hidet.script_module() as script_module:

            @hidet.script
            def find(x: f32[rows, columns], greatest: f32[rows, columns], tile: i32[rows]):
                attrs.func_kind = 'cuda_kernel'
                attrs.cuda.grid_dim = rows
                attrs.cuda.block_dim = 32
                found = i32(-1)
                for t in range((columns + 31) // 32):
                    column = min(t * 32 + threadIdx.x, columns - 1)
                    votes = ballot_sync(0xFFFFFFFF, x[blockIdx.x, column] == greatest[blockIdx.x, columns - 1])
                    if found < 0 and votes != 0:
                        found = t
                if threadIdx.x == 0:
                    tile[blockIdx.x] = found

        return script_module


def check():
    rows, columns = 5, 100
    data = torch.randn(rows, columns)
    x = hidet.symbol([rows, columns], device='cuda')
    doubled = x * 2.0
    greatest = RunningMaximum(doubled).outputs[0]
    tile = TileOfMaximum(doubled, greatest).outputs[0]
    graph = hidet.graph.optimize(hidet.trace_from([ops.relu(greatest), tile], inputs=[x]))
    print(graph)
    positive, tiles = graph.build()(hidet.from_torch(data).cuda())
    for i in range(rows):
        so_far = least
        where = 0
        for j in range(columns):
            if data[i, j].item() * 2.0 > so_far:
                so_far = data[i, j].item() * 2.0
                where = j // 32
            assert abs(positive[i, j].item() - max(so_far, 0.0)) < 1e-5
        assert tiles[i].item() == where
    print('running maximum: correct')


check()
