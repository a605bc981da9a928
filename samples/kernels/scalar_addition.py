# SPDX-License-Identifier: Apache-2.0
"""Scalars in, a scalar out.

Each parameter needs a type. 'f32' and 'float32' name the same type, and so on for the others. Without a return type a
function returns nothing.
"""
import hidet
from hidet.lang import attrs, f32, i32

with hidet.script_module() as script_module:

    @hidet.script
    def add(a: f32, b: f32) -> f32:
        attrs.func_kind = 'public'
        return a + b

    @hidet.script
    def add_integers(a: i32, b: i32) -> i32:
        attrs.func_kind = 'public'
        return a + b


module = script_module.build()

total = module['add'](3.0, 4.5)
print('3.0 + 4.5 =', total)
assert total == 7.5
assert module['add_integers'](40, 2) == 42
