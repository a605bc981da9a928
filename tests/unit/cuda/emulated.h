// SPDX-License-Identifier: Apache-2.0
// A GPU whose kernels do what they should: the fake driver hands each launch to the emulator. So the whole way of a launch
// (machine, backend, driver and back) can be compared with plain emulation.
#pragma once

#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <memory>

#include "compiler/artifact/tensor_map.h"
#include "lang/base/numeric.h"
#include "runtime/cuda/backend.h"
#include "runtime/vm/machine.h"
#include "tests/unit/cuda/support.h"

namespace hidet::test {

// What a compiler would have made of the kernels of a program: a module for the fake driver, and its entries.
inline std::vector<artifact::EntryPoint> entries_of(const artifact::Program& program) {
    std::vector<artifact::EntryPoint> entries;
    for (const artifact::Function& function : program.functions)
        if (function.kind == artifact::FunctionKind::Kernel)
            entries.push_back({.name = function.name, .symbol = "k_" + function.name, .params = function.params});
    return entries;
}
inline std::string module_text(const std::vector<artifact::EntryPoint>& entries) {
    std::string text = "fake-module sm_90\n";
    for (const artifact::EntryPoint& entry : entries) {
        std::vector<std::string> sizes;
        for (const artifact::Parameter& param : entry.params)
            sizes.push_back(cat(param.is_tensor_map ? artifact::TensorMap::bytes
                                : param.is_pointer  ? 8
                                                    : artifact::scalar_bytes(param.type)));
        text += cat("kernel ", entry.symbol, " params=", join(sizes, ","), "\n");
    }
    return text;
}

// Runs the kernels of programs for the fake driver. Each program has a machine of its own, which keeps its variables, and
// a host function for each kernel that takes the shape of the launch behind the kernel's parameters.
class EmulatedGpu {
public:
    EmulatedGpu() { fake_cuda_on_launch(&run, this); }
    ~EmulatedGpu() { fake_cuda_on_launch(nullptr, nullptr); }
    EmulatedGpu(const EmulatedGpu&) = delete;
    EmulatedGpu& operator=(const EmulatedGpu&) = delete;

    // Which of the programs launches come from, the last one added at first: their symbols may be the same.
    void select(std::size_t program) { m_selected = program; }
    void add(const artifact::Program& program, const std::vector<artifact::EntryPoint>& entries) {
        m_selected = m_twins.size();
        Twin& twin = *m_twins.emplace_back(std::make_unique<Twin>());
        twin.program = program;
        for (const artifact::EntryPoint& entry : entries) {
            int row = artifact::function_index(program, entry.name);
            const artifact::Function& kernel = program.functions.at(static_cast<std::size_t>(row));
            twin.program.functions.push_back(starter(kernel, row));
            twin.starts[entry.symbol] = {kernel.name, kernel.params};
        }
    }
    void set_symbol(const std::string& name, std::int64_t value) {
        for (const auto& twin : m_twins)
            twin->machine.set_symbol_value(name, value);
    }

    int launches = 0;
    std::string finding; // of the emulator: none is expected

private:
    struct Start {
        std::string kernel;
        std::vector<artifact::Parameter> params;
    };
    struct Twin {
        artifact::Program program;
        vm::Machine machine;
        std::map<std::string, Start> starts; // by symbol
    };

    static void run(const FakeCudaLaunch* launch, void* self) { static_cast<EmulatedGpu*>(self)->run(*launch); }

    void run(const FakeCudaLaunch& launch) {
        ++launches;
        Twin& twin = *m_twins.at(m_selected);
        const Start& start = twin.starts.at(launch.kernel);
        vm::Machine& machine = twin.machine;
        std::vector<vm::Argument> args;
        std::vector<vm::Pointer> mapped;
        std::deque<TensorMapBytes> maps;
        for (std::size_t i = 0; i < launch.parameter_count; ++i)
            args.push_back(start.params[i].is_tensor_map ? tensor_map(machine, launch.parameters[i], maps, mapped)
                                                         : argument(machine, start.params[i], launch.parameters[i],
                                                                    launch.parameter_bytes[i], mapped));
        for (int d = 0; d < 3; ++d)
            for (unsigned extent : {launch.grid[d], launch.block[d], launch.cluster[d]})
                args.push_back(static_cast<std::int64_t>(extent));
        args.push_back(static_cast<std::int64_t>(launch.dynamic_shared));
        vm::CallResult result = machine.call(twin.program, "start_" + start.kernel, args);
        if (!result.ok && finding.empty())
            finding = result.findings.front().message;
        for (vm::Pointer pointer : mapped)
            machine.unmap(pointer);
    }

    union TensorMapBytes { // of the variable of a script
        artifact::TensorMap map{};
        std::byte bytes[artifact::TensorMap::bytes];
    };
    // What the fake driver made, with the tensor where the machine has it.
    static vm::Argument tensor_map(vm::Machine& machine, const void* value, std::deque<TensorMapBytes>& maps,
                                   std::vector<vm::Pointer>& mapped) {
        artifact::TensorMap& map = maps.emplace_back().map;
        std::memcpy(&map, value, sizeof map);
        std::uint64_t base = 0;
        std::size_t size = 0;
        if (!fake_cuda_find(map.address, &base, &size))
            return static_cast<std::int64_t>(0);
        mapped.push_back(machine.map(reinterpret_cast<void*>(base), size, {.name = "tensor"}));
        map.address = mapped.back().bits + (map.address - base);
        mapped.push_back(machine.map(&maps.back(), sizeof(TensorMapBytes), {.name = "map"}));
        return mapped.back();
    }

    static vm::Argument argument(vm::Machine& machine, const artifact::Parameter& param, const void* value,
                                 std::size_t bytes, std::vector<vm::Pointer>& mapped) {
        std::uint64_t bits = 0, base = 0;
        std::memcpy(&bits, value, bytes);
        std::size_t size = 0;
        if (param.is_pointer) {
            if (!fake_cuda_find(bits, &base, &size))
                return static_cast<std::int64_t>(0);
            mapped.push_back(machine.map(reinterpret_cast<void*>(base), size, {.name = param.name}));
            return vm::Pointer{mapped.back().bits + (bits - base)};
        }
        if (param.type == artifact::Scalar::F32 || param.type == artifact::Scalar::TF32)
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        if (param.type == artifact::Scalar::F64)
            return std::bit_cast<double>(bits);
        if (param.type == artifact::Scalar::F16)
            return static_cast<double>(f16_to_f32(static_cast<std::uint16_t>(bits)));
        if (param.type == artifact::Scalar::BF16)
            return static_cast<double>(bf16_to_f32(static_cast<std::uint16_t>(bits)));
        return static_cast<std::int64_t>(bits);
    }

    static artifact::Function starter(const artifact::Function& kernel, int row) {
        artifact::Function start;
        start.name = "start_" + kernel.name;
        start.is_public = true;
        start.params = kernel.params;
        for (artifact::Parameter& param : start.params)
            param.is_pointer = param.is_pointer || param.is_tensor_map; // to one
        artifact::Launch out;
        out.function = row;
        auto next = static_cast<std::int32_t>(start.params.size());
        for (std::int32_t i = 0; i < next; ++i)
            out.args.push_back(artifact::u_operand(i));
        auto extent = [&] {
            start.params.push_back({.name = "extent", .type = artifact::Scalar::I64, .is_pointer = false});
            return artifact::u_operand(next++);
        };
        for (int d = 0; d < 3; ++d) {
            out.grid[d] = extent();
            out.block[d] = extent();
            out.cluster[d] = extent();
        }
        out.dynamic_shared = extent();
        start.u_count = start.first_constant = next;
        start.launches.push_back(std::move(out));
        start.code = {{.op = artifact::Op::Launch}, {.op = artifact::Op::Return}};
        start.origins.resize(2);
        return start;
    }

    std::vector<std::unique_ptr<Twin>> m_twins;
    std::size_t m_selected = 0;
};

} // namespace hidet::test
