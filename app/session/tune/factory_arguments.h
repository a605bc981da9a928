// SPDX-License-Identifier: Apache-2.0
// What the modules of a factory are called with to be measured: tensors of the shapes that their parameters say.
#pragma once

#include <string>
#include <vector>

#include "app/session/compare/call_memory.h"
#include "app/session/execute/executor.h"
#include "lang/tensor/random.h"

namespace hidet::session {

inline const std::string factory_function = "launch"; // which is called

struct FactoryArgument {
    std::string name;
    ir::DType dtype{};
    std::vector<std::int64_t> shape;
    Device device = Device::Cpu;
    friend bool operator==(const FactoryArgument&, const FactoryArgument&) = default;
};
// Of a module as the script made it; the error is "not-measured".
Result<std::vector<FactoryArgument>> arguments_of(const ir::Module& module);
// What is written and never read is uninitialised.
Arguments random_arguments(const std::vector<FactoryArgument>& wanted,
                           const std::vector<compiler::ParameterAccess>& accesses);
// Floats are random numbers, integers zeros, which lie inside of whatever they index.
lang::TensorRef random_tensor(ir::DType dtype, std::vector<std::int64_t> shape, lang::Random& random);

// Why the module cannot be measured here: "not-measured".
Result<void> can_be_measured(lang::Engine& engine, const ir::ModuleRef& module);

} // namespace hidet::session
