# SPDX-License-Identifier: Apache-2.0
"""A recorded task, by the official client: a softmax whose lanes read down columns is found, mended and proved right, with the size of
each answer."""

import asyncio
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SLOW = """import hidet
import torch
from hidet.ir.primitives import exp
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx

rows, columns = 1024, 1024
with hidet.script_module() as module:
    @hidet.script
    def softmax(x: f32[rows, columns], y: f32[rows, columns]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = rows // 128
        attrs.cuda.block_dim = 128
        row = blockIdx.x * 128 + threadIdx.x
        top = x[row, 0]
        for j in range(columns):
            top = max(top, x[row, j])
        total: f32 = 0.0
        for j in range(columns):
            total += exp(x[row, j] - top)
        for j in range(columns):
            y[row, j] = exp(x[row, j] - top) / total

softmax = module.build()

def expected(x):
    return torch.softmax(x, dim=1)

x = torch.randn(rows, columns, device='cuda')
y = torch.empty(rows, columns, device='cuda')
softmax(x, y)
"""
FAST = SLOW.split("        attrs.cuda.grid_dim")[0].replace("import blockIdx, threadIdx", "import blockIdx, shfl_xor_sync, threadIdx").replace(
    "import attrs, f32", "import attrs, f32, meta") + """        attrs.cuda.grid_dim = rows
        attrs.cuda.block_dim = 32
        row = blockIdx.x
        lane = threadIdx.x
        top = x[row, lane]
        for j in range(columns // 32):
            top = max(top, x[row, j * 32 + lane])
        for distance in meta.each([16, 8, 4, 2, 1]):
            top = max(top, shfl_xor_sync(0xFFFFFFFF, top, distance))
        total: f32 = 0.0
        for j in range(columns // 32):
            total += exp(x[row, j * 32 + lane] - top)
        for distance in meta.each([16, 8, 4, 2, 1]):
            total += shfl_xor_sync(0xFFFFFFFF, total, distance)
        for j in range(columns // 32):
            y[row, j * 32 + lane] = exp(x[row, j * 32 + lane] - top) / total
""" + "\nsoftmax = module.build()" + SLOW.split("softmax = module.build()")[1]


def predicted(text):
    value, unit = re.search(r"predicted +([\d.]+) (\w+)", text).groups()
    return float(value) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]


async def main(hidetc):
    parameters = StdioServerParameters(command=hidetc, args=["mcp"])
    async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
        introduced = await session.initialize()
        assert "hidetc" in introduced.instructions

        async def call(tool, **arguments):
            result = await session.call_tool(tool, arguments)
            text = result.content[0].text
            print(f"{tool:10} {len(text):6} bytes {'error' if getattr(result, 'isError', getattr(result, 'is_error', False)) else ''}")
            return text

        names = [tool.name for tool in (await session.list_tools()).tools]
        print(len(names), "tools:", ", ".join(names))
        for name in names:
            await call(name)  # without arguments: a sentence says what is missing
        print("a slow softmax:")
        assert "no mistakes" in await call("check", text=SLOW)
        slow = await call("explain", text=SLOW, no_compile=True, max_tokens=1500)
        assert "neighbouring lanes are 4096 bytes apart" in slow, slow
        assert "sector" in await call("manual", word="uncoalesced", max_tokens=500)
        assert "no mistakes" in await call("check", text=FAST)
        assert "no findings" in await call("emulate", text=FAST)
        right = await call("try", text=FAST, function="softmax", reference="expected", check_only=True)
        assert "wrong" not in right and "differ" not in right, right
        fast = await call("explain", text=FAST, no_compile=True, max_tokens=1500)
        beside = await call("compare", text=FAST, other_text=SLOW, max_tokens=500)
        assert beside.startswith("faster: predicted") and "agrees with 'expected'" in beside, beside
        print(f"predicted: {predicted(slow) * 1e6:.1f} us before, {predicted(fast) * 1e6:.1f} us after")
        assert predicted(fast) < predicted(slow) / 4
        assert (await session.list_resources()).resources
        page = await session.read_resource("hidet://manual/bank-conflict")
        assert page.contents[0].text


asyncio.run(main(sys.argv[1]))
