// SPDX-License-Identifier: Apache-2.0
#include "lang/script/built_function.h"

#include <algorithm>
#include <cctype>

#include "compiler/ir/intrinsic.h"
#include "lang/script/free_variables.h"
#include "lang/script/ir_queries.h"
#include "lang/script/launch_dims.h"

namespace hidet::lang {

namespace {

const char* const kinds[] = {"cuda_kernel", "cuda_internal", "cpu_kernel", "cpu_internal", "public"};

// Returned values get the type that the function returns.
class ReturnConversion : public ir::Rewriter {
public:
    using ir::Rewriter::visit;
    ReturnConversion(const FunctionParts& parts, Span span, DiagnosticSink& sink)
        : m_parts(parts), m_span(span), m_sink(sink) {}

protected:
    ir::StmtRef visit(const ir::ReturnStmt& node) override {
        const bool is_void = ir::as<ir::VoidType>(m_parts.ret) != nullptr;
        if (!node.value && !is_void)
            fail(DiagId::ScriptReturnWithoutValue, m_span, m_parts.name, type_text(m_parts.ret));
        if (node.value && is_void)
            fail(DiagId::ScriptReturnUndeclared, m_span, m_parts.name, type_text(node.value->type));
        return node.value ? ir::make_return(convert_to(node.value, m_parts.ret, m_span, m_sink)) : ir::make_return();
    }

private:
    const FunctionParts& m_parts;
    Span m_span;
    DiagnosticSink& m_sink;
};

// What runs on the other side only: thread indices, and intrinsics by their place.
void check_place(const FunctionParts& parts, Span span) {
    const bool on_gpu = ir::runs_on_gpu(parts.kind);
    const char* kind = ir::func_kind_name(parts.kind);
    any_node(parts.body, [&](const ir::Node& node) {
        if (!on_gpu && node.kind == ir::Kind::BuiltinVar)
            fail(DiagId::ScriptGpuOnly, span, ir::builtin_name(static_cast<const ir::BuiltinVar&>(node).which), kind);
        if (node.kind != ir::Kind::Intrinsic)
            return false;
        const ir::IntrinsicInfo& row = ir::info(static_cast<const ir::Intrinsic&>(node).id);
        const ir::IntrinsicPlace place = ir::place_of(row.category);
        if (place == (on_gpu ? ir::IntrinsicPlace::Host : ir::IntrinsicPlace::Kernel))
            fail(on_gpu ? DiagId::ScriptHostOnly : DiagId::ScriptGpuOnly, span, row.short_name(), kind);
        return false;
    });
}

void check_variables(Operations& operations, const FunctionParts& parts, TranslatedFunction& out, Span span) {
    FreeVariables free;
    for (const ir::VarRef& param : parts.params)
        free.define(param);
    free.walk(parts.body);
    for (const ir::VarRef& var : free.defined_again())
        fail(DiagId::BadValue, span,
             cat("variable '", var->name, "' is declared twice in '", parts.name, "': make one for each place"));
    for (const ir::VarRef& var : free.used()) {
        if (free.defines(var.get()) || ir::as<ir::FuncType>(var->type))
            continue;
        if (!operations.is_global(var))
            fail(DiagId::ScriptForeignVariable, span, var->name, parts.name);
        out.globals.push_back(var);
    }
}

void set_launch(ir::Function& function, const FunctionParts& parts, Span span) {
    const auto is_given = [](const Value& value) { return !value.is(ValueKind::None); };
    const auto dims = [&](const Value& value, const char* name) {
        return launch_dims(value, name, span, [&](const Value& item) {
            ir::ExprRef expr = to_extent(item, span);
            check_launch_expression(expr, parts.params, name, span);
            return expr;
        });
    };
    if (parts.kind != ir::FuncKind::CudaKernel) {
        if (is_given(parts.grid_dim) || is_given(parts.block_dim))
            fail(DiagId::ScriptDimsOfNoKernel, span, is_given(parts.grid_dim) ? "cuda.grid_dim" : "cuda.block_dim",
                 ir::func_kind_name(parts.kind));
        return;
    }
    if (!is_given(parts.grid_dim) || !is_given(parts.block_dim))
        fail(DiagId::ScriptMissingDim, span, parts.name, is_given(parts.grid_dim) ? "cuda.block_dim" : "cuda.grid_dim");
    if (!ir::as<ir::VoidType>(parts.ret))
        fail(DiagId::ScriptKernelReturns, span, parts.name);
    check_grid_dim(function.grid_dim = dims(parts.grid_dim, "cuda.grid_dim"), span);
    check_block_dim(function.block_dim = dims(parts.block_dim, "cuda.block_dim"), span);
    if (is_given(parts.cluster_dim))
        check_cluster_dim(function.cluster_dim = dims(parts.cluster_dim, "cuda.cluster_dim"), span);
    if (is_given(parts.dynamic_smem_bytes)) {
        function.dynamic_smem_bytes = to_extent(parts.dynamic_smem_bytes, span);
        check_launch_expression(function.dynamic_smem_bytes, parts.params, "cuda.dynamic_smem_bytes", span);
    }
    if (is_given(parts.min_blocks))
        function.min_blocks = to_int(parts.min_blocks, span, "'cuda.min_blocks'");
}

} // namespace

ir::FuncKind func_kind_named(const std::string& name, Span span) {
    if (name == "hip_kernel" || name == "hip_internal")
        fail(DiagId::ScriptNotSupportedYet, span, name);
    if (auto kind = ir::find_func_kind(name))
        return *kind;
    throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownKind, span, name)
                              .suggest(span, name, {std::begin(kinds), std::end(kinds)}));
}

void check_function_name(const std::string& name, Span span) {
    const bool fine =
        !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
        std::ranges::all_of(name, [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '_'); });
    if (!fine)
        fail(DiagId::ScriptBadFunctionName, span, name);
}

Ref<TranslatedFunction> make_function(Operations& operations, const FunctionParts& parts, Span span) {
    Ref<TranslatedFunction> out(new TranslatedFunction);
    out->name = parts.name;
    out->span = span;
    check_function_name(parts.name, span);
    check_place(parts, span);
    check_variables(operations, parts, *out, span);
    ir::Function function;
    function.name = parts.name;
    function.func_kind = parts.kind;
    function.params = parts.params;
    function.ret = parts.ret;
    function.label = parts.label;
    set_launch(function, parts, span);
    function.body = ReturnConversion(parts, span, operations.evaluator().sink()).rewrite(parts.body);
    if (!function.body)
        function.body = ir::make_seq({});
    if (!ir::as<ir::VoidType>(parts.ret) && !never_falls_through(function.body))
        fail(DiagId::ScriptMissingReturn, span, parts.name, type_text(parts.ret));
    out->function = ir::make<ir::Function>(std::move(function));
    out->function->origin = {span, 0};
    return out;
}

} // namespace hidet::lang
