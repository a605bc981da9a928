// SPDX-License-Identifier: Apache-2.0
// Snippets of CUDA's prelude become the instructions they are named after, in the middle of a kernel: in PTX and, where there
// is a disassembler, in what the GPU runs. Fragments and vectors stay in registers.
#include <cstdio>
#include <doctest/doctest.h>
#include <string>

#include "compiler/codegen/cuda/dialect.h"
#include "lang/base/text.h"
#include "runtime/toolchain/in_process.h"
#include "runtime/toolchain/listing.h"
#include "runtime/toolchain/locate.h"
#include "tests/harness/skip.h"

using namespace hidet;
using namespace hidet::toolchain;

namespace {

struct Case {
    const char* name;
    compiler::Snippets snippets;
    const char* body; // of a kernel with `half* h, float* f, int n`
    std::vector<const char*> ptx;
    std::vector<const char*> sass; // of sm_90a
};

const Case cases[] = {
    {"a tensor core product",
     {"half", "ldmatrix(4, )", "ldmatrix(2, _trans)", "mma(m16n8k16_f16_f32)"},
     "    __shared__ __align__(16) half s[1024];\n"
     "    for (int i = threadIdx.x; i < 1024; i += 32)\n"
     "        s[i] = h[i];\n"
     "    __syncthreads();\n"
     "    __align__(16) half a[8];\n"
     "    __align__(16) half b[4];\n"
     "    __align__(16) float c[4] = {};\n"
     "    uint32_t* w = reinterpret_cast<uint32_t*>(a);\n"
     "    uint32_t* v = reinterpret_cast<uint32_t*>(b);\n"
     "    ldmatrix_x4(&w[0], &w[1], &w[2], &w[3], &s[threadIdx.x * 8]);\n"
     "    ldmatrix_x2_trans(&v[0], &v[1], &s[threadIdx.x * 8 + 512]);\n"
     "    mma_m16n8k16_f16_f32(a, b, c);\n"
     "    for (int i = 0; i < 4; ++i)\n"
     "        f[threadIdx.x * 4 + i] = c[i];\n",
     {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
     {"LDSM.16.M88.4", "LDSM.16.MT88.2", "HMMA.16816.F32"}},
    {"asynchronous copies",
     {"half", "cp_async(_global, .cg, )", "ptx_cp_async_commit_group", "ptx_cp_async_wait_group"},
     "    __shared__ __align__(16) half s[1024];\n"
     "    cp_async_global<16>(&s[threadIdx.x * 8], &h[threadIdx.x * 8]);\n"
     "    cp_async_global<16>(&s[threadIdx.x * 8 + 512], &h[n], n);\n"
     "    cp_async_commit_group();\n"
     "    cp_async_wait_group<0>();\n"
     "    __syncthreads();\n"
     "    f[threadIdx.x] = float(s[n]);\n",
     {"cp.async.cg.shared.global [", "cp.async.commit_group", "cp.async.wait_group 0"},
     {"LDGSTS.E.BYPASS.128 ", "LDGSTS.E.BYPASS.128.ZFILL", "LDGDEPBAR", "DEPBAR.LE SB0, 0x0"}},
    {"vectors of halves",
     {"half8", "half_operator(*, mul)"},
     "    half8 v = reinterpret_cast<half8*>(h)[threadIdx.x];\n"
     "    for (int i = 0; i < 8; ++i)\n"
     "        v[i] = v[i] * half(1.5f);\n"
     "    reinterpret_cast<half8*>(h)[threadIdx.x + n] = v;\n",
     {"ld.global.v", "mul.rn.f16", "st.global.v"},
     {"LDG.E.128", "HMUL2", "STG.E.128"}},
    {"pairs of halves",
     {"half2", "half2_operator(+, add)"},
     "    half2* p = reinterpret_cast<half2*>(h);\n"
     "    p[threadIdx.x] = p[threadIdx.x] + p[threadIdx.x + n];\n",
     {"add.rn.f16x2"},
     {"LDG.E ", "STG.E "}},
    {"orders of memory",
     {"load(acquire, gpu)", "store(release, gpu)", "fence(acq_rel, gpu)", "atom(add, acq_rel, gpu, u32, int, r)"},
     "    int* p = reinterpret_cast<int*>(f);\n"
     "    n = load_acquire_gpu(p) + atom_add_acq_rel_gpu(p + 1, n);\n"
     "    fence_acq_rel_gpu();\n"
     "    store_release_gpu(p + 2, n);\n",
     {"ld.acquire.gpu.b32", "atom.acq_rel.gpu.add.u32", "fence.acq_rel.gpu", "st.release.gpu.b32"},
     {"ATOM.E.ADD.STRONG.GPU", "MEMBAR"}},
    {"shuffles of halves",
     {"half", "shuffle(_xor)"},
     "    f[threadIdx.x] = float(shfl_xor_sync(0xffffffffu, h[threadIdx.x], 1));\n",
     {"shfl.sync.bfly.b32"},
     {"SHFL.BFLY"}},
    {"barriers with a number",
     {"barrier_sync", "ptx_barrier_arrive"},
     "    if (threadIdx.x < 32)\n"
     "        barrier_sync(1, 64);\n"
     "    else\n"
     "        barrier_arrive(1, 64);\n"
     "    f[threadIdx.x] = 1.0f;\n",
     {"barrier.sync %", "barrier.arrive %"},
     {"BAR.SYNC", "BAR.ARV"}},
};

void expect_all(const std::vector<const char*>& wanted, const std::string& text) {
    for (const char* word : wanted)
        if (text.find(word) == std::string::npos)
            FAIL(cat("no '", word, "' in\n", text.substr(0, 8000)));
}

void check(const Case& one, InProcessCompiler& compiler, const Finding& nvdisasm) {
    compiler::Snippets snippets = one.snippets;
    snippets.insert({"half", "uint32_t"});
    std::string text = cat(compiler::cuda_dialect().prelude(snippets),
                           "extern \"C\" __global__ void k(half* h, float* f, int n) {\n", one.body, "}\n");
    auto ptx = compiler.compile({.text = text, .product = Product::Ptx, .arch = "sm_90a"});
    REQUIRE((ptx.ok() ? "" : ptx.error().message) == "");
    expect_all(one.ptx, ptx.value().bytes);
    REQUIRE(ptx.value().bytes.find("__local_depot") == std::string::npos);
    if (nvdisasm.state != State::Found)
        return;
    auto cubin = compiler.compile({.text = text, .product = Product::Cubin, .arch = "sm_90a"});
    REQUIRE((cubin.ok() ? "" : cubin.error().message) == "");
    auto sass = disassemble(nvdisasm.path, {.cubin = cubin.value().bytes});
    REQUIRE((sass.ok() ? "" : sass.error().message) == "");
    expect_all(one.sass, sass.value());
}

} // namespace

TEST_CASE("instructions are chosen") {
    Places places = default_places();
    InProcessCompiler compiler(places);
    if (auto nvrtc = compiler.nvrtc(); !nvrtc)
        return test::skip(nvrtc.error().message);
    Finding nvdisasm = find(Tool::Nvdisasm, places);
    for (const Case& one : cases) {
        CAPTURE(one.name);
        check(one, compiler, nvdisasm);
    }
}
