// SPDX-License-Identifier: Apache-2.0
// The memory of a call that is judged: a copy of its own, where what stays unwritten shows, and what is written outside.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/parameter_accesses.h"
#include "lang/host/engine.h"

namespace hidet::session {

using Arguments = std::vector<lang::CallArgument>;

// Tensors that share memory share it in the copy too.
using MakeStorage = std::shared_ptr<lang::Storage>(std::size_t bytes);
std::shared_ptr<lang::Storage> plain_storage(std::size_t bytes);
Arguments copy_of(const Arguments& args, MakeStorage& make = plain_storage);

lang::TensorRef tensor_in(const lang::CallArgument& arg); // null: a scalar, or no tensor

// What a script left uninitialised shows where it stays so.
void poison(const Arguments& args, const std::vector<compiler::ParameterAccess>& accesses);

// Of memory in which tensors of any type will lie.
void poison(std::byte* memory, std::size_t bytes);

// With a band before and after it that nobody has any business in: compiled code takes pointers on trust.
std::shared_ptr<lang::Storage> guarded_storage(std::size_t bytes);
struct WriteOutside {
    std::size_t argument = 0;
    std::int64_t byte = 0;
    std::size_t bytes = 0; // that the argument has
};
std::optional<WriteOutside> write_outside(const Arguments& guarded); // the first; nothing: there is none
// "it writes to byte 4096 of 'y', which has 4096"
std::string describe(const WriteOutside& write, const std::string& name);

} // namespace hidet::session
