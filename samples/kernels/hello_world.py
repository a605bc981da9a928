# SPDX-License-Identifier: Apache-2.0
"""Hello, world.

A script module collects functions; @hidet.script turns the function below it into one of them. A function of kind
'public' is host code that Python may call, and the one named 'launch' is what calling the module calls.
"""
import hidet
from hidet.lang import attrs, printf, i32

with hidet.script_module() as script_module:

    @hidet.script
    def launch(visitors: i32) -> i32:
        attrs.func_kind = 'public'

        # printf, and not print: this line runs inside the compiled function.
        for i in range(visitors):
            printf("Hello, visitor %d!\n", i)
        return visitors


module = script_module.build()

# These two are the same call.
assert module(2) == 2
assert module['launch'](1) == 1
