// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/parameters.h"

#include "app/session/compare/compare.h"
#include "compiler/ir/structure.h"
#include "lang/base/ranges.h"

namespace hidet::session {

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

} // namespace

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

} // namespace hidet::session
