// SPDX-License-Identifier: Apache-2.0
// The emulator: useful operations a second of kernels that people write, with checks of bounds and with all checks. On one
// host thread in the time of that thread, so that what else runs does not count; on two in wall-clock time.
#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "compiler/codegen/bytecode/generate.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/transform/pass.h"
#include "lang/base/text.h"
#include "runtime/vm/machine.h"
#include "tests/bench/bench.h"

using namespace hidet;

namespace {

const char* const naive = R"(module 'naive' level script

def kernel(a: *f32[256, 256], b: *f32[256, 256], c: *f32[256, 256]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 16, 16, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 16, 16, 1
    let i: i32 = blockIdx.y * 16 + threadIdx.y
    let j: i32 = blockIdx.x * 16 + threadIdx.x
    if i < 256 and j < 256:
        declare acc: f32 = 0.0
        for k in range(256):
            acc = acc + a[i, k] * b[k, j]
        c[i, j] = acc
)";

const char* const shared_tile = R"(module 'shared_tile' level script

def kernel(a: *f32[256, 256], b: *f32[256, 256], c: *f32[256, 256]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 16, 16, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 16, 16, 1
    declare shared smem_a: f32[16, 16]
    declare shared smem_b: f32[16, 16]
    let i: i32 = blockIdx.y * 16 + threadIdx.y
    let j: i32 = blockIdx.x * 16 + threadIdx.x
    declare acc: f32 = 0.0
    for t in range(16):
        smem_a[threadIdx.y, threadIdx.x] = a[i, t * 16 + threadIdx.x]
        smem_b[threadIdx.y, threadIdx.x] = b[t * 16 + threadIdx.y, j]
        cuda.syncthreads()
        for k in range(16):
            acc = acc + smem_a[threadIdx.y, k] * smem_b[k, threadIdx.x]
        cuda.syncthreads()
    c[i, j] = acc
)";

const char* const register_tile = R"(module 'register_tile' level script

def kernel(a: *f32[512, 512], b: *f32[512, 512], c: *f32[512, 512]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 4, 4, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 256, 1, 1
    declare shared smem_a: f32[128, 8]
    declare shared smem_b: f32[8, 128]
    declare register regs_c: f32[128, 128; compose(local(16, 16), row(8, 8))]
    for i, j in spatial(16, 16).repeat(8, 8) on threadIdx.x:
        regs_c[i, j] = 0.0
    for t in range(64):
        for ia, ka in repeat(4, 1).spatial(32, 8) on threadIdx.x:
            smem_a[ia, ka] = a[blockIdx.y * 128 + ia, t * 8 + ka]
        for kb, jb in repeat(4, 1).spatial(2, 128) on threadIdx.x:
            smem_b[kb, jb] = b[t * 8 + kb, blockIdx.x * 128 + jb]
        cuda.syncthreads()
        for k in range(8):
            for ic, jc in spatial(16, 16).repeat(8, 8) on threadIdx.x:
                regs_c[ic, jc] = regs_c[ic, jc] + smem_a[ic, k] * smem_b[k, jc]
        cuda.syncthreads()
    for io, jo in spatial(16, 16).repeat(8, 8) on threadIdx.x:
        c[blockIdx.y * 128 + io, blockIdx.x * 128 + jo] = regs_c[io, jo]
)";

const char* const elementwise = R"(module 'elementwise' level script

def kernel(x: *f32[1048576], y: *f32[1048576], a: f32, b: f32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 4096, 1, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 256, 1, 1
    let i: i32 = blockIdx.x * 256 + threadIdx.x
    if i < 1048576:
        y[i] = a * x[i] + b + y[i]
)";

const char* const softmax = R"(module 'softmax' level script

def kernel(x: *f32[512, 1024], y: *f32[512, 1024]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 128, 1, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 128, 1, 1
    let row: i32 = blockIdx.x * 4 + threadIdx.x // 32
    let lane: i32 = threadIdx.x % 32
    declare register values: f32[32]
    declare largest: f32 = -3e+38
    for i in range(32):
        values[i] = x[row, i * 32 + lane]
        largest = math.max(largest, values[i])
    for step in range(5):
        largest = math.max(largest, cuda.shfl_xor_sync(u32(4294967295), largest, 16 >> step, 32))
    declare total: f32 = 0.0
    for j in range(32):
        values[j] = math.exp(values[j] - largest)
        total = total + values[j]
    for turn in range(5):
        total = total + cuda.shfl_xor_sync(u32(4294967295), total, 16 >> turn, 32)
    for k in range(32):
        y[row, k * 32 + lane] = values[k] / total
)";

const char* const histogram = R"(module 'histogram' level script

def kernel(values: *i32[262144], result: *i32[256]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 16, 1, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 256, 1, 1
    declare shared bins: i32[256]
    bins[threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(64):
        cuda.atomic_add(&bins[values[(blockIdx.x * 64 + i) * 256 + threadIdx.x]], 1)
    cuda.syncthreads()
    cuda.atomic_add(&result[threadIdx.x], bins[threadIdx.x])
)";

// Each of 4 warps multiplies a 64x64 tile with m16n8k16; the operands come from shared memory by ldmatrix.
const char* const tensor_core = R"(module 'mma' level script

def kernel(a: *f16[256, 256], b: *f16[256, 256], c: *f32[256, 256]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 4, 4, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 128, 1, 1
    declare shared sa: f16[64, 16]
    declare shared sb: f16[16, 64]
    declare register ra: u32[2, 4]
    declare register rb: u32[4, 2]
    declare register rc: f32[2, 4, 4]
    let warp: i32 = threadIdx.x // 32
    let lane: i32 = threadIdx.x % 32
    let wm: i32 = warp // 2
    let wn: i32 = warp % 2
    for i1 in range(2, attr='u+'):
        for j1 in range(4, attr='u+'):
            for e1 in range(4, attr='u+'):
                rc[i1, j1, e1] = 0.0
    for t in range(16):
        for ia, ka in repeat(8, 1).spatial(8, 16) on threadIdx.x:
            sa[ia, ka] = a[blockIdx.y * 64 + ia, t * 16 + ka]
        for kb, jb in repeat(8, 1).spatial(2, 64) on threadIdx.x:
            sb[kb, jb] = b[t * 16 + kb, blockIdx.x * 64 + jb]
        cuda.syncthreads()
        for i2 in range(2, attr='u+'):
            cuda.ldmatrix(&ra[i2, 0], &ra[i2, 1], &ra[i2, 2], &ra[i2, 3], &sa[wm * 32 + i2 * 16 + lane % 16, lane // 16 * 8])
        for j2 in range(4, attr='u+'):
            cuda.ldmatrix(&rb[j2, 0], &rb[j2, 1], &sb[lane % 16, wn * 32 + j2 * 8], attr='trans')
        for i3 in range(2, attr='u+'):
            for j3 in range(4, attr='u+'):
                cuda.mma_sync(&ra[i3, 0], &rb[j3, 0], &rc[i3, j3, 0], attr='m16n8k16_f16_f32')
        cuda.syncthreads()
    for i4 in range(2, attr='u+'):
        for j4 in range(4, attr='u+'):
            for e4 in range(4, attr='u+'):
                c[blockIdx.y * 64 + wm * 32 + i4 * 16 + e4 // 2 * 8 + lane // 4, blockIdx.x * 64 + wn * 32 + j4 * 8 + lane % 4 * 2 + e4 % 2] = rc[i4, j4, e4]
)";

// As kernels for sm_80 are: each of 8 warps has 4 x 4 tiles of m16n8k16, swizzled tiles of 32 elements along k come by cp_async one
// ahead of the products.
const char* const staged_tensor_core = R"(module 'staged_mma' level script

def kernel(a: *f16[256, 1984], b: *f16[1984, 256], c: *f32[256, 256]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 2, 2, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 256, 1, 1
    declare shared smem_a: f16[2, 128, 4, 8; concat(concat(row(2), swizzle(row(128, 4), dim=1, regards=0, log_step=1)), row(8))]
    declare shared smem_b: f16[2, 32, 16, 8; concat(concat(row(2), swizzle(row(32, 16), dim=1, regards=0, log_step=0)), row(8))]
    declare register ra: f16[4, 8]
    declare register rb: f16[4, 4]
    declare register rc: f32[4, 4, 4]
    declare thread: i32 = threadIdx.x
    declare lane: i32 = thread % 32
    declare wm: i32 = thread // 32 // 4 * 64
    declare wn: i32 = thread // 32 % 4 * 32
    declare row: i32 = blockIdx.y * 128
    declare column: i32 = blockIdx.x * 128
    for x in range(4, attr='u'):
        for y in range(4, attr='u'):
            for e in range(4, attr='u'):
                rc[x, y, e] = 0.0
    for t in range(63):
        if t < 62:
            declare to: i32 = t % 2
            for i in range(2, attr='u'):
                cuda.cp_async(&smem_a[to, i * 64 + thread // 4, thread % 4, 0], &a[row + i * 64 + thread // 4, t * 32 + thread % 4 * 8], attr='16.always.0.evict_normal')
            for i1 in range(2, attr='u'):
                cuda.cp_async(&smem_b[to, i1 * 16 + thread // 16, thread % 16, 0], &b[t * 32 + i1 * 16 + thread // 16, column + thread % 16 * 8], attr='16.always.0.evict_normal')
            cuda.cp_async_commit_group()
            cuda.cp_async_wait_group(1)
        else:
            cuda.cp_async_wait_group(0)
        cuda.syncthreads()
        if 0 < t:
            declare s: i32 = (t + 1) % 2
            for step in range(2, attr='u+'):
                for x1 in range(4, attr='u'):
                    declare w: *u32[4] = cast(&ra[x1, 0], *u32[4])
                    cuda.ldmatrix(&w[0], &w[1], &w[2], &w[3], &smem_a[s, wm + x1 * 16 + lane % 16, step * 2 + lane // 16, 0])
                for y1 in range(2, attr='u'):
                    declare v: *u32[4] = cast(&rb[y1 * 2, 0], *u32[4])
                    cuda.ldmatrix(&v[0], &v[1], &v[2], &v[3], &smem_b[s, step * 16 + lane % 16, wn // 8 + y1 * 2 + lane // 16, 0], attr='trans')
                for x2 in range(4, attr='u'):
                    for y2 in range(4, attr='u'):
                        cuda.mma_sync(&ra[x2, 0], &rb[y2, 0], &rc[x2, y2, 0], attr='m16n8k16_f16_f32')
        cuda.syncthreads()
    for x3 in range(4, attr='u'):
        for y3 in range(4, attr='u'):
            for e1 in range(4, attr='u'):
                c[row + wm + x3 * 16 + e1 // 2 * 8 + lane // 4, column + wn + y3 * 8 + lane % 4 * 2 + e1 % 2] = rc[x3, y3, e1]
)";

// As kernels for sm_90 are: a thread has tiles of 64 elements along k copied by tensor maps, two warp groups multiply them.
const char* const warp_groups = R"(module 'wgmma' level script

def kernel(a_map: opaque('CUtensorMap', 'const', '__grid_constant__'), b_map: opaque('CUtensorMap', 'const', '__grid_constant__'), c: *f32[256, 256]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 2, 2, 1
    attrs.cuda.cluster_dim = 1, 1, 1
    attrs.cuda.block_dim = 384, 1, 1
    attrs.cuda.dynamic_smem_bytes = 98304
    declare smem_a: *f16[3, 128, 64] = cast(cuda.dynamic_shared_memory(0, type=~f16), *f16[3, 128, 64])
    declare smem_b: *f16[3, 128, 64] = cast(cuda.dynamic_shared_memory(49152, type=~f16), *f16[3, 128, 64])
    declare shared full: u64[3]
    declare shared empty: u64[3]
    declare row: i32 = blockIdx.y * 128
    declare column: i32 = blockIdx.x * 128
    if threadIdx.x == 0:
        for s in range(3, attr='u+'):
            cuda.mbarrier_init(&full[s], u32(1))
            cuda.mbarrier_init(&empty[s], u32(2))
        cuda.fence_barrier_init()
    cuda.syncthreads()
    declare group: i32 = threadIdx.x // 128
    if group == 0:
        if threadIdx.x == 0:
            for t in range(31):
                declare s1: i32 = t % 3
                cuda.mbarrier_wait(&empty[s1], cast((t // 3 + 1) % 2, u32))
                cuda.mbarrier_arrive_and_expect_tx(&full[s1], u32(32768), -1, True)
                cuda.copy_tensor_g2s(&smem_a[s1, 0, 0], &a_map, &full[s1], u16(0), t * 64, row)
                cuda.copy_tensor_g2s(&smem_b[s1, 0, 0], &b_map, &full[s1], u16(0), t * 64, column)
    else:
        declare thread: i32 = threadIdx.x % 128
        declare lane: i32 = threadIdx.x % 32
        declare consumer: i32 = group - 1
        declare register sums: f32[64]
        for i in range(64, attr='u'):
            sums[i] = 0.0
        for t1 in range(31):
            declare s2: i32 = t1 % 3
            cuda.mbarrier_wait(&full[s2], cast(t1 // 3 % 2, u32))
            declare first_a: u64 = cast(cuda.cvta_generic_to_shared(&smem_a[s2, consumer * 64, 0]), u64)
            declare first_b: u64 = cast(cuda.cvta_generic_to_shared(&smem_b[s2, 0, 0]), u64)
            declare desc_a: u64 = u64(4611686293305360384) | first_a >> 4
            declare desc_b: u64 = u64(4611686293305360384) | first_b >> 4
            cuda.wgmma_fence()
            for part in range(4, attr='u'):
                cuda.wgmma_async(cast(cast(desc_a, i64) + cast(part * 2, i64), u64), &sums[0], cast(cast(desc_b, i64) + cast(part * 2, i64), u64), 1, attr='f16_f32.n128.1.1.0.0')
            cuda.wgmma_commit_group()
            cuda.wgmma_wait_group(0)
            if thread == 0:
                cuda.mbarrier_arrive(&empty[s2], -1, True)
        for i1 in range(64, attr='u'):
            c[row + consumer * 64 + thread // 32 * 16 + i1 // 2 % 2 * 8 + lane // 4, column + i1 // 4 * 8 + lane % 4 * 2 + i1 % 2] = sums[i1]

def launch(a: *f16[256, 1984], b: *f16[256, 1984], c: *f32[256, 256]):
    attrs.func_kind = 'public'
    declare a_map: opaque('CUtensorMap')
    declare b_map: opaque('CUtensorMap')
    cuda.create_tensor_map(&a_map, a, i64(1984), i64(256), i64(3968), i64(64), i64(128), i64(1), i64(1), attr='f16.2.0.128.0')
    cuda.create_tensor_map(&b_map, b, i64(1984), i64(256), i64(3968), i64(64), i64(128), i64(1), i64(1), attr='f16.2.0.128.0')
    launch kernel(a_map, b_map, c), grid=[2, 2, 1], cluster=[1, 1, 1], block=[384, 1, 1], dynamic_smem_bytes=98304
)";

artifact::Program compile(const char* text) {
    SourceMap sources;
    FileId file = sources.add("kernel.ir", text);
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, file, sink);
    if (module)
        module = compiler::lower(module, {.to = compiler::LowerTo::Emulation}, sink);
    std::optional<artifact::Program> program;
    if (module && !sink.has_errors())
        program = compiler::generate_bytecode(module, sink);
    if (!program) {
        std::fputs(render(sink.all(), sources).c_str(), stderr);
        std::exit(1);
    }
    return *program;
}

struct Kernel {
    const char* name;
    const char* text;
    std::vector<std::size_t> bytes; // of the buffers
    std::vector<vm::Argument> scalars;
    double work; // operations or bytes of a run
    const char* unit;
    double goal;
};

double thread_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

// Of all runs, so many of a hundred are faster; 50: the median.
template <class Body>
double thread_ms_at(int percentile, Body&& body) {
    body();
    std::vector<double> times;
    for (double total = 0; times.size() < 5 || (total < 600 && times.size() < 200);) {
        double start = thread_ms();
        body();
        times.push_back(thread_ms() - start);
        total += times.back();
    }
    const std::size_t at = times.size() * static_cast<std::size_t>(percentile) / 100;
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(at), times.end());
    return times[at];
}

void measure(const Kernel& kernel, const std::string& only, int percentile) {
    artifact::Program program = compile(kernel.text);
    struct Mode {
        int threads;
        vm::Checks checks;
        const char* name;
    };
    for (const Mode& mode : {Mode{1, vm::Checks::Bounds, ""}, Mode{1, vm::Checks::All, ", all checks"},
                             Mode{2, vm::Checks::Bounds, ", 2 host threads"}}) {
        if (std::string(mode.name).find(only) == std::string::npos)
            continue;
        const int threads = mode.threads;
        vm::Machine machine({.threads = threads, .checks = mode.checks});
        std::vector<std::vector<std::uint32_t>> buffers;
        std::vector<vm::Argument> args;
        for (std::size_t bytes : kernel.bytes) {
            buffers.emplace_back(bytes / 4, 0u);
            for (std::size_t i = 0; i < buffers.back().size(); ++i)
                buffers.back()[i] = static_cast<std::uint32_t>(i * 2654435761u) >> 24;
        }
        for (auto& buffer : buffers)
            args.push_back(machine.map(buffer.data(), buffer.size() * 4, {}));
        args.insert(args.end(), kernel.scalars.begin(), kernel.scalars.end());
        bool ok = true;
        auto once = [&] {
            vm::CallResult result = machine.call(program, "launch", args);
            if (!result.ok && ok)
                std::fprintf(stderr, "%s: %s\n", kernel.name, result.findings[0].message.c_str());
            ok = result.ok;
        };
        double ms = threads == 1 ? thread_ms_at(percentile, once) : bench::median_ms(once);
        const bool has_goal = threads == 1 && mode.checks == vm::Checks::Bounds;
        bench::figure(cat("emulator: ", kernel.name, mode.name), kernel.work / ms * 1e-6, kernel.unit,
                      has_goal ? kernel.goal : 0, bench::Better::More);
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::string only = argc > 1 ? argv[1] : "", mode = argc > 2 ? argv[2] : ""; // of the names of the two
    const int percentile =
        argc > 3 ? std::clamp(std::atoi(argv[3]), 0, 99) : 50; // beside other work the fastest tell more
    const std::size_t m256 = 256 * 256 * 4, m512 = 512 * 512 * 4, mk = 256 * 1984 * 2;
    const Kernel kernels[] = {
        {"naive matmul", naive, {m256, m256, m256}, {}, 2.0 * 256 * 256 * 256, "GFLOP/s", 0},
        {"16x16 shared tile", shared_tile, {m256, m256, m256}, {}, 2.0 * 256 * 256 * 256, "GFLOP/s", 4},
        {"8x8 register tile", register_tile, {m512, m512, m512}, {}, 2.0 * 512 * 512 * 512, "GFLOP/s", 12},
        {"mma.sync tile", tensor_core, {m256 / 2, m256 / 2, m256}, {}, 2.0 * 256 * 256 * 256, "GFLOP/s", 0},
        {"staged mma.sync tile", staged_tensor_core, {mk, mk, m256}, {}, 2.0 * 256 * 256 * 1984, "GFLOP/s", 60},
        {"wgmma tile", warp_groups, {mk, mk, m256}, {}, 2.0 * 256 * 256 * 1984, "GFLOP/s", 60},
        {"softmax", softmax, {512 * 1024 * 4, 512 * 1024 * 4}, {}, 2.0 * 512 * 1024 * 4, "GB/s", 0},
        {"elementwise", elementwise, {1u << 22, 1u << 22}, {2.0, 0.5}, 3.0 * (1 << 22), "GB/s", 0},
        {"histogram", histogram, {262144 * 4, 256 * 4}, {}, 262144.0, "G atomics/s", 0},
    };
    for (const Kernel& kernel : kernels)
        if (std::string(kernel.name).find(only) != std::string::npos)
            measure(kernel, mode, percentile);
    return 0;
}
