// SPDX-License-Identifier: Apache-2.0
// Host time of a launch: the machine runs `launch` of a kernel with three tensors, against a driver that does nothing.
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/ir/text/parse_text.h"
#include "runtime/cuda/backend.h"
#include "runtime/vm/machine.h"
#include "tests/bench/bench.h"
#include "tests/fake/cuda/control.h"

using namespace hidet;

namespace {

const char* const text = "module 'bench' level loop\n\n"
                         "def add(a: ~f32, b: ~f32, c: ~f32):\n    attrs.func_kind = 'cuda_kernel'\n"
                         "    attrs.cuda.grid_dim = 128, 1, 1\n    attrs.cuda.block_dim = 256, 1, 1\n"
                         "    let i: i32 = blockIdx.x * 256 + threadIdx.x\n    c[i] = a[i] + b[i]\n\n"
                         "def launch(a: ~f32, b: ~f32, c: ~f32):\n    attrs.func_kind = 'public'\n"
                         "    launch add(a, b, c), grid=[128, 1, 1], cluster=[1, 1, 1], block=[256, 1, 1], "
                         "dynamic_smem_bytes=0\n";

artifact::Program compile() {
    SourceMap sources;
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, sources.add("bench.ir", text), sink);
    return *compiler::generate_bytecode(module, sink);
}

// The backend that does nothing at all: what is left is the machine's own share.
class Nothing : public vm::DeviceBackend {
public:
    Result<void> launch(const vm::DeviceLaunch&) override { return {}; }
    Result<std::uint64_t> allocate(std::size_t, bool) override { return std::uint64_t{1}; }
    void free(std::uint64_t) override {}
    Result<void> copy_to_device(std::uint64_t, const void*, std::size_t) override { return {}; }
    Result<void> copy_to_host(void*, std::uint64_t, std::size_t) override { return {}; }
    Result<void> copy_on_device(std::uint64_t, std::uint64_t, std::size_t) override { return {}; }
};

constexpr int calls = 1000;

vm::Pointer map(vm::Machine& machine, const char* name, std::uint64_t address) {
    return machine.map(nullptr, 4 * 128 * 256,
                       {.name = name, .dtype = "f32", .shape = {128 * 256}, .device_address = address});
}

double call_us(vm::Machine& machine, const artifact::Program& program, bool with_mapping) {
    std::vector<vm::Argument> args;
    for (std::uint64_t i = 1; i <= 3; ++i)
        args.push_back(map(machine, "a", i << 20));
    double ms = bench::median_ms([&] {
        for (int i = 0; i < calls; ++i) {
            if (with_mapping)
                for (std::uint64_t a = 1; a <= 3; ++a)
                    args[a - 1] = map(machine, "a", a << 20);
            if (!machine.call(program, "launch", args).ok)
                std::abort();
            if (with_mapping)
                for (const vm::Argument& arg : args)
                    machine.unmap(std::get<vm::Pointer>(arg));
        }
    });
    return ms * 1000 / calls;
}

} // namespace

int main() {
    artifact::Program program = compile();
    Nothing nothing;
    vm::Machine alone({.backend = &nothing});
    bench::figure("launch, the machine's share", call_us(alone, program, false), "us");

    auto driver = cuda::Driver::load(HIDET_FAKE_CUDA_LIBRARY).value();
    auto context = cuda::Context::open(driver).value();
    auto stream = cuda::Stream::create(context).value();
    cuda::Backend backend(stream);
    backend.add(program, cuda::Module::create(context, {"fake-module sm_90\nkernel add params=8,8,8", "sm_90", ""}),
                {{.name = "add", .symbol = "add", .params = program.functions[0].params}});
    vm::Machine machine({.backend = &backend});
    bench::figure("launch of 3 tensors", call_us(machine, program, false), "us", 3);
    bench::figure("the same, tensors mapped each time", call_us(machine, program, true), "us", 3);
    return 0;
}
