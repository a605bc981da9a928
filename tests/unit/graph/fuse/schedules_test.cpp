// SPDX-License-Identifier: Apache-2.0
// Fusion into kernels that a person wrote, as Hidet Script.
#include "compiler/ir/ops.h"
#include "tests/unit/graph/interpret.h"
#include "tests/unit/graph/read_schedule.h"
#include "tests/unit/graph/run_group.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

const std::string head = R"(
import hidet
from hidet.lang import attrs, f32, i32, grid, shared_tensor, register_tensor, tensor_pointer, cast
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.layout import local_layout, row_major
from hidet.lang.mapping import repeat, spatial
)";

// Tiles in shared memory; protected accesses at the edges.
const std::string tiled = head + R"(
def kernel(m, n, k):
    with hidet.script_module() as module:
        @hidet.script
        def product(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = (n + 15) // 16, (m + 15) // 16
            attrs.cuda.block_dim = 64
            smem_a = shared_tensor(f32, shape=[16, 8])
            smem_b = shared_tensor(f32, shape=[8, 16])
            sums = register_tensor(f32, layout=local_layout(8, 8) * row_major(2, 2))
            row = blockIdx.y * 16
            column = blockIdx.x * 16
            results = spatial(8, 8) * repeat(2, 2)
            for i, j in results.on(threadIdx.x):
                sums[i, j] = 0.0
            for tile in range((k + 7) // 8):
                for i, p in (repeat(2, 1) * spatial(8, 8)).on(threadIdx.x):
                    smem_a[i, p] = a.read([row + i, tile * 8 + p], protected=True)
                for p, j in (repeat(2, 1) * spatial(4, 16)).on(threadIdx.x):
                    smem_b[p, j] = b.read([tile * 8 + p, column + j], protected=True)
                syncthreads()
                for p in grid(8):
                    for i, j in results.on(threadIdx.x):
                        sums[i, j] += smem_a[i, p] * smem_b[p, j]
                syncthreads()
            for i, j in results.on(threadIdx.x):
                c.write([row + i, column + j], sums[i, j], protected=True)
    return module.build()
kernel(20, 18, 12)
)";

// A device function that loads through its parameter, a launch function of its own, and a kernel that reads its result back.
const std::string two_kernels = head + R"(
with hidet.script_module() as module:
    @hidet.script
    def load(a: f32[20, 12], i: i32, p: i32) -> f32:
        attrs.func_kind = 'cuda_internal'
        if p < 6:
            return a[i, p]
        return a[i, p]
    @hidet.script
    def first(a: f32[20, 12], b: f32[12, 18], c: f32[20, 18]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 20
        attrs.cuda.block_dim = 18
        total = f32(0.0)
        for p in range(6):
            total += load(a, blockIdx.x, p) * b[p, threadIdx.x]
        c[blockIdx.x, threadIdx.x] = total
    @hidet.script
    def second(a: f32[20, 12], b: f32[12, 18], c: f32[20, 18]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 20
        attrs.cuda.block_dim = 18
        row = a[blockIdx.x, 6:]
        total = c[blockIdx.x, threadIdx.x]
        for p in range(6):
            total += row[p] * b[6 + p, threadIdx.x]
        c[blockIdx.x, threadIdx.x] = total
    @hidet.script
    def launch(a: f32[20, 12], b: f32[12, 18], c: f32[20, 18]):
        attrs.func_kind = 'public'
        first(a, b, c)
        second(a, b, c)
built = module.build()
)";

// The address of an operand, and that of the result.
const std::string by_address = head + R"(
with hidet.script_module() as module:
    @hidet.script
    def product(a: f32[20, 12], b: f32[12, 18], c: f32[20, 18]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 20
        attrs.cuda.block_dim = 18
        row = ~a[blockIdx.x, 0]
        result = ~c[blockIdx.x, 0]
        total = f32(0.0)
        for p in range(12):
            total += row[p] * b[p, threadIdx.x]
        result[threadIdx.x] = total
built = module.build()
)";

const std::string on_cpu = head + R"(
with hidet.script_module() as module:
    @hidet.script
    def product(a: f32[20, 12], b: f32[12, 18], c: f32[20, 18]):
        attrs.func_kind = 'cpu_kernel'
        for i in grid(20, attrs='p'):
            for j in range(18):
                c[i, j] = 0.0
            for p in range(12):
                for j in range(18):
                    c[i, j] += a[i, p] * b[p, j]
built = module.build()
)";

struct Around {
    Graph graph;
    Group group;
    Values start;
    ValueId result;
};

Shape extents(std::vector<std::int64_t> shape) {
    return shape_of(shape);
}

// relu(transpose(x)) @ (w + w2) -> + bias -> two readers -> reshape
Around around_matmul() {
    Around around;
    Graph& g = around.graph;
    const ValueId x = g.add_input("x", {DType::F32, extents({12, 20})});
    const ValueId w = g.add_input("w", {DType::F32, extents({12, 18})});
    const ValueId w2 = g.add_input("w2", {DType::F32, extents({18})});
    const ValueId bias = g.add_input("bias", {DType::F32, extents({18})});
    const ValueId a = g.add_one(op_info::Relu(), {g.add_one(op_info::TransposeOp2D(), {x})});
    const ValueId b = g.add_one(op_info::Add(), {w, w2});
    const ValueId c = g.add_one(op_info::Matmul(), {a, b});
    const ValueId y = g.add_one(op_info::Add(), {c, bias});
    const ValueId z = g.add_one(op_info::Multiply(), {y, g.add_one(op_info::Relu(), {y})});
    around.result = g.add_one(op_info::Reshape(), {z}, {{"shape", extents({10, 36})}});
    g.set_outputs({around.result, y});
    around.group.anchor = g.value(c).producer;
    around.group.nodes = g.topological();
    for (NodeId id : around.group.nodes)
        around.group.roles.push_back(id < around.group.anchor    ? Role::Prologue
                                     : id == around.group.anchor ? Role::Anchor
                                                                 : Role::Epilogue);
    std::uint64_t seed = 1;
    for (ValueId input : g.inputs)
        around.start[input] = random_tensor(DType::F32, *constant_shape(g.value(input).spec.shape), seed++);
    return around;
}

GroupProgram check(const std::string& schedule, Backend backend) {
    const Around around = around_matmul();
    Values expected = around.start;
    interpret(around.graph, expected);
    GroupRunner runner(backend);
    const AnchorSchedule by_hand{schedule.empty() ? nullptr : read_schedule(schedule)};
    const GroupProgram program =
        lower_group(around.graph, around.group, runner.target(), by_hand.module ? &by_hand : nullptr);
    Values values = around.start;
    if (runner.is_there())
        runner.run(around.graph, program, values);
    else
        return program;
    for (ValueId output : around.graph.outputs())
        expect_close(values.at(output), values_of(expected.at(output)), 1e-4);
    return program;
}

std::size_t kernels_of(const GroupProgram& program) {
    REQUIRE(program.blockers.empty());
    return program.kernels.size();
}

} // namespace

TEST_CASE("prologues and epilogues go into a schedule of the rules") {
    for (Backend backend : {Backend::Machine, Backend::Native, Backend::Emulated, Backend::Gpu})
        REQUIRE(kernels_of(check("", backend)) == 1u);
}

TEST_CASE("they go into tiles of shared memory with protected accesses") {
    for (Backend backend : {Backend::Emulated, Backend::Gpu})
        REQUIRE(kernels_of(check(tiled, backend)) == 1u);
}

TEST_CASE("they go through calls, slices and launches, and a result that is read back is kept") {
    for (Backend backend : {Backend::Emulated, Backend::Gpu})
        REQUIRE(kernels_of(check(two_kernels, backend)) == 2u);
}

TEST_CASE("they go into parallel loops of the CPU that add to the result in place") {
    REQUIRE(kernels_of(check(on_cpu, Backend::Native)) == 1u);
    REQUIRE(kernels_of(check(on_cpu, Backend::Machine)) == 1u);
}

TEST_CASE("what has its address taken gets kernels of its own, with the reason") {
    const GroupProgram program = check(by_address, Backend::Emulated);
    REQUIRE(program.blockers.size() == 2u);
    for (const Blocker& blocker : program.blockers)
        REQUIRE(blocker.reason == FusionBlocker::AddressTaken);
    REQUIRE(program.kernels.size() > 2);
    REQUIRE(program.workspace_bytes);
}

TEST_CASE("a schedule with other parameters than the operator is refused in words") {
    try {
        const Around around = around_matmul();
        const AnchorSchedule by_hand{read_schedule(head + R"(
with hidet.script_module() as module:
    @hidet.script
    def product(a: f32[20, 12], c: f32[20, 18]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 20
        attrs.cuda.block_dim = 18
built = module.build()
)")};
        lower_group(around.graph, around.group, artifact::default_gpu(), &by_hand);
    } catch (const OpError& error) {
        REQUIRE(std::string(error.what()) == "a schedule of 'matmul' takes 3 tensors, not 2");
        return;
    }
    FAIL("nothing was thrown");
}
