// SPDX-License-Identifier: Apache-2.0
// A GPU whose kernels do what they should: the fake driver hands each launch to the emulator. So the whole way of a launch
// (machine, backend, driver and back) can be compared with plain emulation.
#pragma once

#include <cstring>
#include <map>

#include "runtime/cuda/backend.h"
#include "runtime/vm/machine.h"
#include "tests/unit/cuda/support.h"

namespace hidet::test {

// What a compiler would have made of the kernels of a program: a module for the fake driver, and its entries.
inline std::string module_text(const artifact::Program& program) {
    std::string text = "fake-module sm_90\n";
    for (const artifact::Function& function : program.functions) {
        if (function.kind != artifact::FunctionKind::Kernel)
            continue;
        std::vector<std::string> sizes;
        for (const artifact::Parameter& param : function.params)
            sizes.push_back(cat(param.is_pointer ? 8 : artifact::scalar_bytes(param.type)));
        text += cat("kernel ", function.name, "_symbol params=", join(sizes, ","), "\n");
    }
    return text;
}
inline std::vector<artifact::EntryPoint> entries_of(const artifact::Program& program) {
    std::vector<artifact::EntryPoint> entries;
    for (const artifact::Function& function : program.functions)
        if (function.kind == artifact::FunctionKind::Kernel)
            entries.push_back({.name = function.name, .symbol = function.name + "_symbol", .params = function.params});
    return entries;
}

// Runs the kernels of one program for the fake driver, each launch by a host function made for its shape.
class EmulatedGpu {
public:
    explicit EmulatedGpu(const artifact::Program& program) : m_program(program) { fake_cuda_on_launch(&run, this); }
    ~EmulatedGpu() { fake_cuda_on_launch(nullptr, nullptr); }
    int launches = 0;
    std::string finding; // of the emulator: none is expected

private:
    static void run(const FakeCudaLaunch* launch, void* self) { static_cast<EmulatedGpu*>(self)->run(*launch); }

    void run(const FakeCudaLaunch& launch) {
        ++launches;
        std::string name = launch.kernel;
        name.resize(name.size() - std::strlen("_symbol"));
        int row = artifact::function_index(m_program, name);
        artifact::Program program = m_program;
        program.functions.push_back(starter(launch, row));
        vm::Machine machine;
        std::vector<vm::Argument> args;
        const auto& params = program.functions[static_cast<std::size_t>(row)].params;
        for (std::size_t i = 0; i < launch.parameter_count; ++i)
            args.push_back(argument(machine, params[i], launch.parameters[i], launch.parameter_bytes[i]));
        vm::CallResult result = machine.call(program, "start", args);
        if (!result.ok && finding.empty())
            finding = result.findings.front().message;
    }

    static vm::Argument argument(vm::Machine& machine, const artifact::Parameter& param, const void* value,
                                 std::size_t bytes) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, value, bytes);
        std::uint64_t base = 0;
        std::size_t size = 0;
        if (param.is_pointer && fake_cuda_find(bits, &base, &size)) {
            vm::Pointer pointer = machine.map(reinterpret_cast<void*>(base), size, {.name = param.name});
            return vm::Pointer{pointer.bits + (bits - base)};
        }
        if (param.type == artifact::Scalar::F32 && !param.is_pointer) {
            float number = 0;
            std::memcpy(&number, value, sizeof number);
            return static_cast<double>(number);
        }
        return static_cast<std::int64_t>(bits);
    }

    artifact::Function starter(const FakeCudaLaunch& launch, int row) const {
        artifact::Function start;
        start.name = "start";
        start.is_public = true;
        artifact::Launch out;
        out.function = row;
        auto count = static_cast<std::int32_t>(launch.parameter_count);
        for (std::int32_t i = 0; i < count; ++i)
            out.args.push_back(artifact::u_operand(i));
        start.first_constant = count;
        auto constant = [&](unsigned value) {
            start.constants.push_back(value);
            return artifact::u_operand(count + static_cast<std::int32_t>(start.constants.size()) - 1);
        };
        for (int d = 0; d < 3; ++d) {
            out.grid[d] = constant(launch.grid[d]);
            out.block[d] = constant(launch.block[d]);
            out.cluster[d] = constant(launch.cluster[d]);
        }
        out.dynamic_shared = constant(launch.dynamic_shared);
        start.u_count = count + static_cast<std::int32_t>(start.constants.size());
        start.params = m_program.functions[static_cast<std::size_t>(row)].params;
        start.launches.push_back(std::move(out));
        start.code = {{.op = artifact::Op::Launch}, {.op = artifact::Op::Return}};
        start.origins.resize(2);
        return start;
    }

    const artifact::Program& m_program;
};

} // namespace hidet::test
