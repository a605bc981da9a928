# SPDX-License-Identifier: Apache-2.0
"""The instructions that asm() takes: functions of numbers, which are less exact and faster than those of CUDA, words of bits, memory,
special registers and barriers."""
import hidet
import math
import torch
from hidet.lang import asm, attrs, f32, i32, shared_tensor, u32, u64
from hidet.lang.cuda import threadIdx

functions = {
    'ex2.approx.ftz.f32': lambda x: 2.0**x,
    'lg2.approx.ftz.f32': lambda x: math.log(x) / math.log(2.0),
    'rcp.approx.ftz.f32': lambda x: 1.0 / x,
    'sqrt.approx.f32': lambda x: math.sqrt(x),
    'rsqrt.approx.f32': lambda x: 1.0 / math.sqrt(x),
    'sin.approx.f32': lambda x: math.sin(x),
    'cos.approx.f32': lambda x: math.cos(x),
    'tanh.approx.f32': lambda x: math.tanh(x),
    'neg.f32': lambda x: -x,
    'abs.f32': lambda x: abs(x),
}


def check(instruction, function):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f32[32], y: f32[32]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            out = f32(0.0)
            asm(f'{instruction} %0, %1;', outputs=[out], inputs=[x[threadIdx.x]])
            y[threadIdx.x] = out

    x = torch.asarray([(i + 1) / 16 for i in range(32)], dtype=torch.float32).cuda()
    y = torch.empty(32, device='cuda')
    script_module.build()(x, y)
    expected = torch.asarray([function(value) for value in x.tolist()], dtype=torch.float32)
    torch.testing.assert_close(y.cpu(), expected, atol=1e-3, rtol=1e-3)


for instruction, function in functions.items():
    check(instruction, function)

# What an instruction makes of 0x12345678 and 13, as a word.
words = {
    'add.u32 %0, %1, %2;': 0x12345678 + 13,
    'sub.s32 %0, %1, %2;': 0x12345678 - 13,
    'mul.lo.u32 %0, %1, %2;': 0x12345678 * 13,
    'mad.lo.u32 %0, %1, %2, 5;': 0x12345678 * 13 + 5,
    'min.u32 %0, %1, %2;': 13,
    'max.s32 %0, %1, %2;': 0x12345678,
    'and.b32 %0, %1, %2;': 0x12345678 & 13,
    'or.b32 %0, %1, %2;': 0x12345678 | 13,
    'xor.b32 %0, %1, 0xff;': 0x12345678 ^ 0xff,
    'not.b32 %0, %1;': ~0x12345678,
    'shl.b32 %0, %1, 4;': 0x12345678 << 4,
    'shr.u32 %0, %1, %2;': 0x12345678 >> 13,
    'mov.u32 %0, %ctaid.x;': 0,
    'mov.b32 %0, %%ntid.x;': 32,
    'prmt.b32 %0, %1, %2, 0x0123;': 0x78563412,
    'lop3.b32 %0, %1, %2, 0, 0x3c;': 0x12345678 ^ 13,
}


def check_words(instruction, expected):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: u32[2], y: u32[32]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            out = u32(0)
            asm(instruction, outputs=[out], inputs=[x[0], x[1]])
            y[threadIdx.x] = out

    y = hidet.zeros([32], dtype='uint32', device='cuda')
    script_module.build()(hidet.asarray([0x12345678, 13], dtype='uint32').cuda(), y)
    assert y.cpu().numpy().tolist() == [expected % 2**32] * 32, (instruction, y)


for instruction, expected in words.items():
    check_words(instruction, expected)

with hidet.script_module() as script_module:

    @hidet.script
    def turned(x: i32[32], y: i32[32], clocks: u64[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        lane = i32(0)
        value = i32(0)
        tile = shared_tensor('int32', [32])
        asm('mov.u32 %0, %laneid;', outputs=[lane])
        asm('mov.u64 %0, %clock64;', outputs=[clocks[lane]], is_volatile=True)
        asm('ld.global.nc.b32 %0, [%1+4];', outputs=[value], inputs=[~x[lane & 30]])
        tile[lane] = value
        asm('bar.sync 0;', is_volatile=True, memory_fence=True)
        asm('ld.acquire.gpu.b32 %0, [%1];', outputs=[value], inputs=[~x[lane]])
        asm('st.relaxed.gpu.global.b32 [%0], %1;', inputs=[~y[lane], tile[31 - lane] + value], memory_fence=True)
        asm('membar.gl;', is_volatile=True)
        asm('fence.acq_rel.gpu;', is_volatile=True)
        asm('nanosleep.u32 10;', is_volatile=True)
        if lane > 31:
            asm('trap;', is_volatile=True)


x = hidet.arange(32, dtype='int32').cuda()
y = hidet.zeros([32], dtype='int32', device='cuda')
script_module.build()(x, y, hidet.zeros([32], dtype='uint64', device='cuda'))
assert y.cpu().numpy().tolist() == [((31 - i) | 1) + i for i in range(32)], y
