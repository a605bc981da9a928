// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/func.h"

namespace hidet::ir {

static constexpr const char* func_kind_names[] = {"cuda_kernel", "cuda_internal", "cpu_kernel", "cpu_internal",
                                                  "public"};

const char* func_kind_name(FuncKind kind) {
    return func_kind_names[static_cast<std::size_t>(kind)];
}

std::optional<FuncKind> find_func_kind(std::string_view name) {
    for (std::size_t i = 0; i < std::size(func_kind_names); ++i)
        if (name == func_kind_names[i])
            return static_cast<FuncKind>(i);
    return std::nullopt;
}

bool runs_on_gpu(FuncKind kind) {
    return kind == FuncKind::CudaKernel || kind == FuncKind::CudaInternal;
}

static constexpr const char* level_names[] = {"script", "tile", "loop", "flat", "kernel"};

const char* level_name(Level level) {
    return level_names[static_cast<std::size_t>(level)];
}

std::optional<Level> find_level(std::string_view name) {
    for (std::size_t i = 0; i < std::size(level_names); ++i)
        if (name == level_names[i])
            return static_cast<Level>(i);
    return std::nullopt;
}

const Function* find_function(const Module& module, std::string_view name) {
    for (const FunctionRef& function : module.functions)
        if (function->name == name)
            return function.get();
    return nullptr;
}

} // namespace hidet::ir
