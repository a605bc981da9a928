// SPDX-License-Identifier: Apache-2.0
#include "app/mcp/server.h"

namespace hidet::mcp {

std::string agent_guide() {
    return R"(# Writing kernels with hidetc

Hidet Script is a dialect of Python: `with hidet.script_module() as module:` holds functions with `@hidet.script`, each of which
is a kernel (`attrs.func_kind = 'cuda_kernel'`, `attrs.cuda.grid_dim`, `attrs.cuda.block_dim`) or a function of one. Tensors are
parameters with a shape, `a: f32[m, k]`. The schedule is written in the script: task mappings (`spatial(4, 8).repeat(2, 2)`),
layouts, shared memory, barriers. The code around the module is ordinary Python that runs on the host.

Give a script as `text`, or a path as `file`. Every fact has its line. Work in this order, one change at a time:

1. `check`: mistakes of syntax, names, types and shapes, with fixes as edits. No kernel runs.
2. `emulate`: every access of every thread on the CPU: reads and writes outside tensors, races, barriers that not all threads
   reach, uninitialised memory. A kernel is right only when this finds nothing. `try` compares one kernel with a reference function of
   the script (`reference`), once more with other inputs after it was measured, with special ones, with NaN, and at another size where
   sizes are dynamic dimensions or numbers; at several sizes (`dim`), with the values that you choose (`arg`). `prove` says of bounds, races and barriers
   what holds for every size, and gives threads and sizes of what does not; what it leaves open, `emulate` alone can tell.
3. `explain`: predicted time on a GPU that need not be here (`arch`: sm_80, sm_90a), what limits it, the share of the roof, and
   findings, worst first, each with what it costs in seconds, its cure, and a fix where one was tried: `fix` with `output` writes the
   changed script. `loops`, `waves`, `shared`, `memory`, `bounds` say more of one thing each.
4. `lower` (IR, pass by pass: `passes`, `diff`), `emit` (`kind`: cuda, ptx, sass, cpp) and `machine` (registers, stalls, what bounds each
   loop) show what became of the script.
5. `compare` holds two scripts to each other (`text` or `file`, `other_text` or `other`) and ends in one word: faster, slower, no
   difference, wrong or invalid, with the figures. Call it after each change: measured in turns where there is a device that this server
   may use, else by predicted times. `bench` and `try` measure one script on such a device; a prediction is no measurement.
6. `reduce` makes a script smaller that still shows a finding; `export` writes files that others build.

Whole models: `model_show`, `model_compile`, `model_run`, `model_compare`, `model_changes`; ONNX files, or scripts that trace a graph.
`tune` ranks and measures the schedules of operators.

Answers are what people read, or JSON with all numbers (`json`), and bounded by `max_tokens`. What was left out says where it is: pass
its `at` and `from`, with the `handle` of the answer, to `more`. Ask for one kernel (`function`) rather than for more tokens.

`manual` explains a word of the language, a finding or the id of a message: `manual` with `word` bank-conflict, mma_sync, script-syntax.

Known traps: a kernel that is fast because it does not do all of its work is wrong, and `try` says so, or calls it invalid; a baseline
(`against`) is faster, slower or no different, and nothing else counts as a gain; times of the emulator say
nothing about a GPU; a tile that is larger needs registers and shared memory, so look at occupancy in `explain` after each change.
)";
}

} // namespace hidet::mcp
