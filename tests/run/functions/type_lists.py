# SPDX-License-Identifier: Apache-2.0
"""One annotation for several parameters, and a call that spreads them again."""
import hidet
from hidet.lang import attrs, i32, meta


def summer(count):
    with hidet.script_module() as script_module:

        @hidet.script
        def total(values: meta.types([i32] * count)) -> i32:
            attrs.func_kind = 'cpu_internal'
            result = 0
            for v in meta.each(values):
                result += v
            return result

        @hidet.script
        def launch(values: meta.types([i32] * count)) -> i32:
            attrs.func_kind = 'public'
            return total(*values) * 10 + values[0]

    return script_module.build()


assert summer(1)(5) == 55
assert summer(3)(1, 2, 3) == 61
