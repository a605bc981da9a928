# SPDX-License-Identifier: Apache-2.0
"""What was exported for Python, called by a Python that has the libraries: others skip."""

import importlib.util
import os
import sys

from common import HERE, Skip, run


def need_modules(*names):
    for name in names:
        if not importlib.util.find_spec(name):
            raise Skip(f"this Python has no {name}")


TVM_FFI = """
import numpy, sys, tvm_ffi
module = tvm_ffi.load_module(sys.argv[1])
x = numpy.zeros(1000, 'float32')
for arguments in ((x,), (1, x, x), (x, x, x)):
    try:
        module.vector_addition(*arguments)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""


def tvm_ffi_names_errors(exports):
    need_modules("tvm_ffi", "numpy")
    out = exports.make("vector_addition", "tvm-ffi")
    text = run(sys.executable, "-c", TVM_FFI, os.path.join(out, "vector_addition.so"), LD_LIBRARY_PATH=exports.driver())
    assert text == ("TypeError vector_addition takes 3 arguments, and was given 1\nTypeError vector_addition: a must be a tensor\n"
                    "ValueError vector_addition: a must be on a GPU\n"), text


TORCH = """
import sys, torch
from torch._subclasses.fake_tensor import FakeTensorMode
sys.path.insert(0, sys.argv[1])
import dynamic_matmul
print(torch.ops.dynamic_matmul.dynamic_matmul.default._schema)
with FakeTensorMode():
    a, b = torch.empty(2, 3, device='cuda'), torch.empty(3, 4, device='cuda')
    dynamic_matmul.dynamic_matmul(a, b, torch.empty(2, 4, device='cuda'))
    for c in (torch.empty(2, 5, device='cuda'), torch.empty(2, 4, device='cuda', dtype=torch.float16)):
        try:
            dynamic_matmul.dynamic_matmul(a, b, c)
        except Exception as error:
            print(type(error).__name__, error)
"""


def torch_operator_has_a_fake(exports):
    need_modules("torch")
    out = exports.make("dynamic_matmul", "torch")
    text = run(sys.executable, "-c", TORCH, out, LD_LIBRARY_PATH=exports.driver())
    assert text == ("dynamic_matmul::dynamic_matmul(Tensor a, Tensor b, Tensor(a!) c) -> ()\n"
                    "ValueError dynamic_matmul: the shape of c must be (2, 4), and is (2, 5)\n"
                    "TypeError dynamic_matmul: c must be float32, and is torch.float16\n"), text


HF_KERNEL = """
import json, pathlib, sys
from kernels import get_local_kernel
kernel = get_local_kernel(pathlib.Path(sys.argv[1]))
print(kernel.__all__)
"""


def hugging_face_loads_it(exports):
    need_modules("torch", "kernels")
    out = exports.make("softmax", "hf-kernel")
    assert "['softmax']" in run(sys.executable, "-c", HF_KERNEL, out, LD_LIBRARY_PATH=exports.driver())


TVM_FFI_ON_THE_CPU = """
import numpy, sys, tvm_ffi
module = tvm_ffi.load_module(sys.argv[1])
x = numpy.arange(600, dtype='float32').reshape(20, 30)
y = numpy.zeros_like(x)
module.both_2(x, y, 3.0, 4)
print((y == x * 3 + numpy.arange(30) // 4).all(), module.both_3_total(x), module.both_1_larger(3, -5))
for arguments in ((x, y, 3.0, 0), (x, y[4:], 3.0, 1), (x, y.astype('float64'), 3.0, 1), (x, y, 'a', 1), (x.T, y, 1.0, 1)):
    try:
        module.both_2(*arguments)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
try:
    module.both_1(x, y)
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0])
"""


def tvm_ffi_calls_the_cpu(exports):
    need_modules("tvm_ffi", "numpy")
    out = exports.make_of(os.path.join(HERE, "scripts", "both.py"), "tvm-ffi", to="both.tvm-ffi")
    text = run(sys.executable, "-c", TVM_FFI_ON_THE_CPU, os.path.join(out, "both.so"), LD_LIBRARY_PATH=exports.driver())
    assert text == ("True 179700.0 3\nRuntimeError both_2: line 31: divides an integer by zero\n"
                    "ValueError both_2: dimension 0 of y is 16, and must be 20\n"
                    "TypeError both_2: the elements of y must be f32\nTypeError both_2: by must be a number\n"
                    "ValueError both_2: x must be contiguous\nValueError both_1: x must be on a GPU\n"), text


TORCH_ON_THE_CPU = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import both
x, y = torch.randn(20, 30), torch.empty(20, 30)
wanted = x * 3 + torch.arange(30) // 4
both.both_2(x, y, 3.0, 4)
torch.testing.assert_close(y, wanted)
print(torch.ops.both.both_2.default._schema)
torch.library.opcheck(torch.ops.both.both_2.default, (x, y, 3.0, 4))

@torch.compile(fullgraph=True, backend='aot_eager', dynamic=True)
def whole(x):
    y = torch.empty_like(x)
    both.both_2(x + 1, y, 2.0, 4)
    return y * 2
for rows in (3, 20):
    torch.testing.assert_close(whole(x[:rows]), ((x[:rows] + 1) * 2 + torch.arange(30) // 4) * 2)
print(both.both_1_larger(-7, 4), abs(both.both_3_total(x) - x.double().sum().item()) < 1e-9)
for call in (lambda: both.both_2(x, y, 3.0, 0), lambda: both.both_2(x.t(), y, 3.0, 1), lambda: both.both_3_total(x.to('meta'))):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
"""


def torch_calls_the_cpu(exports):
    need_modules("torch")
    out = exports.make_of(os.path.join(HERE, "scripts", "both.py"), "torch", to="both.torch")
    text = run(sys.executable, "-c", TORCH_ON_THE_CPU, out, LD_LIBRARY_PATH=exports.driver())
    assert text == ("both::both_2(Tensor x, Tensor(a!) y, float by, int divisor) -> ()\n4 True\n"
                    "RuntimeError both_2: line 31: divides an integer by zero\n"
                    "ValueError both_2: the shape of y must be (30, 20), and is (20, 30)\n"
                    "ValueError both_3_total: x must be on the CPU, and is on meta\n"), text



SHORT_NUMBERS = """
import math, random, struct, sys
import numpy
sys.path.insert(0, sys.argv[2])
{load}
random.seed(0)
def f32(bits):
    return struct.unpack('<f', struct.pack('<I', bits))[0]
given = [0.0, -0.0, 1.0, 65504.0, 65519.99, 65520.0, -70000.0, 2.0 ** -24, 2.0 ** -25, 2.0 ** -25 * 1.0001, 6.1e-5, math.inf, -math.inf, 1e300,
         1e-300, 2049.0, 2051.0, 1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11, 1 + 2.0 ** -11 + 2.0 ** -40]
given += [random.uniform(-1, 1) * 2.0 ** random.randint(-30, 20) for _ in range(2000)]
for x in given:
    with numpy.errstate(over='ignore'):
        wanted = float(numpy.float16(x))
    got = nearest(x)
    assert got == wanted and math.copysign(1, got) == math.copysign(1, wanted), (x, got, wanted)
for bits in [random.getrandbits(32) for _ in range(2000)] + [0x3f808000, 0x3f818000, 0x3f808001, 0x7f7fffff, 1, 0x00008000, 0x00018000]:
    x = f32(bits)
    if x == x:
        wanted = f32(bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000)
        assert coarsest(x) == wanted, (x, coarsest(x), wanted)
assert nearest(math.nan) != nearest(math.nan) and coarsest(math.nan) != coarsest(math.nan)
print('even')
"""


def short_numbers_are_rounded_to_even(exports, form, load):
    script = os.path.join(HERE, "scripts", "short_numbers.py")
    out = exports.make_of(script, form, to="short." + form)
    text = run(sys.executable, "-c", SHORT_NUMBERS.replace("{load}", load), os.path.join(out, "short_numbers.so"), out,
               LD_LIBRARY_PATH=exports.driver())
    assert text == "even\n", text


def tvm_ffi_rounds_short_numbers(exports):
    need_modules("tvm_ffi", "numpy")
    short_numbers_are_rounded_to_even(exports, "tvm-ffi", """
import tvm_ffi
module = tvm_ffi.load_module(sys.argv[1])
nearest, coarsest = module.short_numbers_nearest, module.short_numbers_coarsest""")


def torch_rounds_short_numbers(exports):
    need_modules("torch", "numpy")
    short_numbers_are_rounded_to_even(exports, "torch", """
import short_numbers, torch
print(torch.ops.short_numbers.short_numbers.default._schema, file=sys.stderr)
nearest, coarsest = short_numbers.short_numbers_nearest, short_numbers.short_numbers_coarsest""")


TESTS = [tvm_ffi_names_errors, torch_operator_has_a_fake, hugging_face_loads_it, tvm_ffi_calls_the_cpu, torch_calls_the_cpu, tvm_ffi_rounds_short_numbers,
         torch_rounds_short_numbers]
