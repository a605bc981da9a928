// SPDX-License-Identifier: Apache-2.0
// The arguments of a call as the virtual machine takes them: tensors mapped for as long as this lives.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/execute/executor.h"
#include "runtime/vm/machine.h"

namespace hidet::session {

// Says of a tensor what the machine is to know of it, besides.
using TensorDescriber = std::function<void(const lang::Tensor& tensor, vm::BufferInfo& info)>;

// Puts a `cuda` tensor on the device and returns where it lies there.
using TensorPlacer = std::function<Result<std::uint64_t>(lang::Tensor& tensor, const std::string& name)>;

class MachineArguments {
public:
    // Without a placer the emulator finds the bytes of `cuda` tensors in host memory too.
    MachineArguments(vm::Machine& machine, const ir::Function& callee, const FunctionCall& call,
                     const TensorPlacer& placer = {}, const TensorDescriber& describe = {});
    ~MachineArguments();
    MachineArguments(const MachineArguments&) = delete;
    MachineArguments& operator=(const MachineArguments&) = delete;

    const std::vector<vm::Argument>& values() const { return m_values; }
    const std::optional<Error>& error() const { return m_error; } // what the placer refused

private:
    vm::Argument convert(const lang::CallArgument& arg, const ir::TypeRef& type);
    vm::Pointer map(lang::Tensor& tensor, const std::string& name);
    vm::Pointer map(std::string& text, const std::string& name);
    vm::Pointer add(void* data, std::size_t bytes, vm::BufferInfo info);

    vm::Machine& m_machine;
    const TensorPlacer& m_placer;
    const TensorDescriber& m_describe;
    std::vector<vm::Pointer> m_mapped;
    std::deque<std::string> m_texts;
    std::vector<vm::Argument> m_values;
    std::optional<Error> m_error;
};

// What a call returned, as the evaluator takes it.
ReturnValue returned_by(const vm::CallResult& called);

} // namespace hidet::session
