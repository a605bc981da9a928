# SPDX-License-Identifier: Apache-2.0
"""Scalars of every type cross from Python into functions and back; bools and numbers convert as in C."""
import hidet
from hidet.lang import attrs, boolean, f32, f64, i8, i32, i64, u8, u32

with hidet.script_module() as script_module:

    @hidet.script
    def take_i64(x: i64) -> i64:
        attrs.func_kind = 'public'
        return x + 1

    @hidet.script
    def take_u8(x: u8) -> i32:
        attrs.func_kind = 'public'
        return i32(x) * 2

    @hidet.script
    def take_bool(x: boolean) -> i32:
        attrs.func_kind = 'public'
        if x:
            return 10
        return 20

    @hidet.script
    def take_f32(x: f32) -> f32:
        attrs.func_kind = 'public'
        return x * 0.1

    @hidet.script
    def take_f64(x: f64) -> f64:
        attrs.func_kind = 'public'
        return x / 3.0

    @hidet.script
    def compare(a: i32, b: i32) -> boolean:
        attrs.func_kind = 'public'
        return a < b

    @hidet.script
    def python_types(a: int, b: float, c: bool) -> float:
        attrs.func_kind = 'public'
        return a * b if c else b


module = script_module.build()
assert module['take_i64'](9007199254740993) == 9007199254740994
assert module['take_u8'](255) == 510
assert module['take_bool'](True) == 10
assert module['take_bool'](False) == 20
assert abs(module['take_f32'](1.0) - 0.1) < 1e-8
assert module['take_f32'](1.0) != 0.1  # it is the f32 nearest to a tenth
assert module['take_f64'](1.0) == 1.0 / 3.0
assert module['compare'](1, 2)
assert not module['compare'](2, 1)
assert module['python_types'](3, 1.5, True) == 4.5
assert module['python_types'](3, 1.5, False) == 1.5
