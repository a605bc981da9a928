# SPDX-License-Identifier: Apache-2.0
"""The beginning of scripts with one kernel that has a bug: its body follows."""

HEAD = """import hidet
import torch
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

with hidet.script_module() as module:
    @hidet.script
    def kernel(x: f32[128], y: f32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 64
"""
