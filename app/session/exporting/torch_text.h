// SPDX-License-Identifier: Apache-2.0
// A Python package with operators of PyTorch, over a shared object with C functions.
#pragma once

#include <optional>
#include <string>

#include "app/session/exporting/functions.h"

namespace hidet::session {

// Of __init__.py; the operators are torch.ops.<space>.<name of the function>. Nothing: a type that PyTorch has not, which is
// in the work's sink.
std::optional<std::string> torch_module(ExportWork& out, const ExportedProgram& program, const std::string& space);

// The C functions as a shared object. Nothing: the reason is in the work's sink.
std::optional<std::string> c_object(ExportWork& out, ExportedProgram& program);

} // namespace hidet::session
