// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/parameters.h"

#include <algorithm>

#include "compiler/ir/structure.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

using ir::FuncKind;

namespace {

std::string extent_text(const ir::ExprRef& extent) {
    if (auto known = ir::constant_int(extent))
        return cat(*known);
    if (const auto* symbol = ir::as<ir::SymbolVar>(extent))
        return symbol->name;
    if (const auto* var = ir::as<ir::Var>(extent))
        return var->name;
    return "?";
}

bool is_kernel(const ir::Function& function) {
    return function.func_kind == FuncKind::CudaKernel || function.func_kind == FuncKind::CpuKernel;
}

// A kernel alone among the kernels of its module gets a function that launches it.
ir::ModuleRef reduced_to(const ir::Module& module, const ir::Function& kernel) {
    ir::Module some = module;
    std::erase_if(some.functions, [&](const ir::FunctionRef& function) {
        return function.get() != &kernel && (is_kernel(*function) || function->func_kind == FuncKind::Public);
    });
    return ir::make<ir::Module>(std::move(some));
}

} // namespace

std::optional<ir::DType> dtype_of(const ir::Var& parameter) {
    if (auto scalar = ir::scalar_of(parameter.type))
        return scalar;
    ir::TypeRef element = ir::element_of(parameter.type);
    if (const ir::TensorType* tensor = ir::tensor_of(parameter.type))
        element = tensor->element;
    auto dtype = element ? ir::scalar_of(element) : std::nullopt;
    if (!dtype)
        return std::nullopt;
    if (ir::info(*dtype).lanes > 1)
        return ir::info(*dtype).lane;
    return *dtype;
}

ParameterKind kind_of(const ir::Var& parameter) {
    if (ir::as<ir::StringType>(parameter.type))
        return ParameterKind::Text;
    if (ir::scalar_of(parameter.type))
        return ParameterKind::Scalar;
    return ir::tensor_of(parameter.type) ? ParameterKind::Tensor : ParameterKind::Pointer;
}

ParameterView view_of(const ir::Var& parameter, const compiler::ParameterAccess& access) {
    ParameterView view;
    view.name = parameter.name;
    view.kind = kind_of(parameter);
    if (auto dtype = dtype_of(parameter))
        view.dtype = ir::info(*dtype).short_name;
    if (const ir::TensorType* tensor = ir::tensor_of(parameter.type))
        for (const ir::ExprRef& extent : tensor->shape)
            view.shape.push_back(extent_text(extent));
    bool is_memory = view.kind == ParameterKind::Tensor || view.kind == ParameterKind::Pointer;
    view.read = is_memory && access.read;
    view.written = is_memory && access.written;
    return view;
}

std::string type_text(const ParameterView& parameter) {
    switch (parameter.kind) {
    case ParameterKind::Tensor: return cat(parameter.dtype, "[", join(parameter.shape, ", "), "]");
    case ParameterKind::Pointer: return cat("a pointer to ", parameter.dtype.empty() ? "bytes" : parameter.dtype);
    case ParameterKind::Scalar: return parameter.dtype;
    case ParameterKind::Text: return "a str";
    }
    return "";
}

std::string extents_text(const std::vector<std::int64_t>& shape) {
    std::vector<std::string> extents;
    for (std::int64_t extent : shape)
        extents.push_back(cat(extent));
    return cat("[", join(extents, ", "), "]");
}

std::string arguments_text(const std::vector<lang::CallArgument>& args) {
    std::vector<std::string> out;
    for (const lang::CallArgument& arg : args) {
        if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value))
            out.push_back(*tensor ? ir::info((*tensor)->dtype).short_name + extents_text((*tensor)->shape) : "None");
        else if (const auto* integer = std::get_if<std::int64_t>(&arg.value))
            out.push_back(cat(*integer));
        else if (const auto* real = std::get_if<double>(&arg.value))
            out.push_back(shortest(*real));
        else
            out.push_back(quote(std::get<std::string>(arg.value)));
    }
    return join(out, ", ");
}

std::vector<Callable> callables_of(const ir::ModuleRef& module, int number, Span site) {
    std::vector<Callable> out;
    std::vector<const ir::Function*> kernels;
    for (const ir::FunctionRef& function : module->functions)
        if (is_kernel(*function))
            kernels.push_back(function.get());
    const ir::Function* launch = ir::find_function(*module, "launch");
    if (launch && launch->func_kind != FuncKind::Public)
        launch = nullptr;
    if (launch)
        out.push_back({module, number, site, "launch", "launch", launch, true});
    bool alone = kernels.size() == 1 && !launch; // it gets its own function that launches it
    for (const ir::FunctionRef& function : module->functions) {
        if (is_kernel(*function))
            out.push_back({alone ? module : reduced_to(*module, *function), number, site, function->name, "launch",
                           function.get(), alone});
        else if (function->func_kind == FuncKind::Public && function.get() != launch)
            out.push_back({module, number, site, function->name, function->name, function.get(), false});
    }
    return out;
}

std::optional<std::vector<compiler::ParameterAccess>> accesses_of(const Callable& callable) {
    DiagnosticSink ignored;
    ir::ModuleRef module = compiler::lower(callable.module, {}, ignored);
    const ir::Function* function = module ? ir::find_function(*module, callable.callee) : nullptr;
    if (!function)
        return std::nullopt;
    std::vector<compiler::ParameterAccess> accesses = compiler::parameter_accesses(*function, *module);
    accesses.resize(callable.function->params.size(), {.read = true, .written = true});
    return accesses;
}

} // namespace hidet::session
