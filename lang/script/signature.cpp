// SPDX-License-Identifier: Apache-2.0
// Parameters, return type and attributes of a script function, and what can only be checked when its body is known.
#include <algorithm>

#include "lang/base/text.h"
#include "lang/host/typing.h"
#include "lang/script/built_function.h"
#include "lang/script/free_variables.h"
#include "lang/script/ir_queries.h"
#include "lang/script/launch_dims.h"
#include "lang/script/module.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

static const ir::BuiltinVar* thread_index_in(const ir::NodeRef& node) {
    const ir::BuiltinVar* found = nullptr;
    any_node(node, [&](const ir::Node& part) {
        if (part.kind == ir::Kind::BuiltinVar)
            found = static_cast<const ir::BuiltinVar*>(&part);
        return found != nullptr;
    });
    return found;
}

void ScriptSignature::add_parameter(std::string name, ir::TypeRef type, Span span) {
    if (const auto* tensor = ir::tensor_of(type))
        for (const ir::ExprRef& extent : tensor->shape)
            if (const ir::BuiltinVar* index = thread_index_in(extent))
                fail(DiagId::ScriptThreadShape, span, name, ir::builtin_name(index->which));
    if (const auto* tensor = ir::as<ir::TensorType>(type))
        type = ir::tensor_pointer_type(ir::self(*tensor));
    if (ir::as<ir::VoidType>(type))
        fail(DiagId::ScriptBadParameterType, span, name, type_text(type));
    ir::VarRef var = var_at(span, std::move(name), std::move(type));
    m_params.push_back(var);
    if (!m_assigned.contains(var->name))
        m_fixed.push_back(var);
}

// What calls that leave the last parameter out give: a number, which is known where the function is.
void ScriptSignature::default_value(const ast::Expr& written, const ir::TypeRef& type) {
    const Value value = m_eval.eval(written, m_outer);
    want_known(value);
    if (!value.is_number() && !(value.is(ValueKind::Expr) && ir::as<ir::Constant>(value.as_expr())))
        fail(DiagId::ScriptParameterForm, written.span, "a default value that is no number");
    m_defaults.push_back(convert_to(to_expr(value, written.span), type, written.span, m_eval.sink()));
}

Value ScriptSignature::annotation_of(const ast::Param& param) {
    try {
        return m_eval.eval(*param.annotation, m_outer);
    } catch (DiagnosticError& error) {
        const auto* tensor = ast::as<ast::Subscript>(param.annotation);
        const std::string_view word = m_eval.sources().text(error.diagnostic.span);
        if (error.diagnostic.id == DiagId::UnknownName && tensor && error.diagnostic.span != tensor->object->span)
            error.diagnostic.notes.push_back(
                {{}, cat("an extent that each call decides is a symbol: ", word, " = hidet.symbol_var('", word, "')")});
        throw;
    }
}

void ScriptSignature::parameter(const ast::Param& param) {
    std::string_view name = param.name.text;
    if (param.what == ast::ParamKind::VarArgs || param.what == ast::ParamKind::VarKeywords)
        fail(DiagId::ScriptParameterForm, param.span, param.what == ast::ParamKind::VarArgs ? "'*args'" : "'**kwargs'");
    if (param.what == ast::ParamKind::KeywordOnly)
        fail(DiagId::ScriptParameterForm, param.span, "a keyword-only parameter");
    if (!param.annotation)
        fail(DiagId::ScriptMissingAnnotation, param.name.span, name, name);
    Value annotation = annotation_of(param);
    Span span = param.annotation->span;
    if (param.default_value && annotation.extension<TypesAnnotation>())
        fail(DiagId::ScriptParameterForm, param.default_value->span, "a default value of several parameters");
    if (annotation.is(ValueKind::Str) || annotation.is(ValueKind::None))
        fail(DiagId::ScriptBadAnnotation, span, name, annotation.is(ValueKind::Str) ? "a string" : "None");
    Binding binding;
    binding.span = param.name.span;
    if (auto* several = annotation.extension<TypesAnnotation>()) {
        std::vector<Value> vars;
        for (std::size_t i = 0; i < several->types.size(); ++i) {
            add_parameter(cat(name, "_", i), several->types[i], param.name.span);
            vars.push_back(Value::expr(m_params.back()));
        }
        binding.value = m_eval.new_list(std::move(vars));
        m_env->declare(name, std::move(binding));
        return;
    }
    want_known(annotation);
    auto type = try_type(annotation);
    if (!type)
        fail(DiagId::ScriptBadAnnotation, span, name, describe(annotation));
    add_parameter(std::string(name), *type, param.name.span);
    if (param.default_value)
        default_value(*param.default_value, *type);
    binding.value = Value::expr(m_params.back());
    binding.is_variable = true;
    binding.is_parameter = true;
    m_env->declare(name, std::move(binding));
}

void ScriptSignature::parameters() {
    for (const ast::Param& param : m_def.params) {
        bool known = m_env->local(param.name.text).has_value();
        if (known) { // a syntax error, reported by the parser
            m_failed = true;
            continue;
        }
        tried(param.span, [&] { parameter(param); });
        if (!m_env->local(param.name.text)) {
            Binding poisoned;
            poisoned.value = Value::unknown();
            m_env->declare(param.name.text, std::move(poisoned));
        }
    }
}

// One of several values that the function returns.
void ScriptSignature::result_type(const Value& annotation, Span span) {
    want_known(annotation);
    auto type = try_type(annotation);
    if (!type || ir::as<ir::TensorType>(*type) || ir::as<ir::ReferenceType>(*type) || ir::as<ir::VoidType>(*type))
        fail(DiagId::ScriptBadReturnType, span, cat(describe(annotation), " in a tuple"));
    m_results.push_back(var_at(span, cat("result_", m_results.size()), ir::reference_type(*type)));
}

void ScriptSignature::return_type() {
    if (!m_def.returns)
        return;
    Span span = m_def.returns->span;
    m_returns_nothing = false;
    tried(span, [&] {
        Value annotation = m_eval.eval(*m_def.returns, m_outer);
        if (annotation.is(ValueKind::None))
            return;
        want_known(annotation);
        if (const auto* form = annotation.extension<TypingForm>();
            form && (form->name() == "tuple" || form->name() == "Tuple"))
            annotation = form->subscripts.is(ValueKind::Tuple) ? form->subscripts : Value::tuple({form->subscripts});
        if (annotation.is(ValueKind::Tuple)) {
            for (const Value& each : annotation.items())
                result_type(each, span);
            return;
        }
        auto type = try_type(annotation);
        if (!type || ir::as<ir::TensorType>(*type))
            fail(DiagId::ScriptBadReturnType, span, describe(annotation));
        m_return_type = *type;
    });
}

ir::ExprRef ScriptSignature::launch_expr(const Value& value, std::string_view name, Span span) {
    ir::ExprRef expr = fold_known(to_extent(value, span));
    check_launch_expression(expr, m_params, name, span);
    return expr;
}

void ScriptSignature::attribute_dims(ir::ExprVec& out, std::string_view name, const Value& value, Span span) {
    out = launch_dims(value, name, span, [&](const Value& item) { return launch_expr(item, name, span); });
}

// `full` as it stands behind "attrs.", `name` its last part, with which the span ends.
static DiagnosticError unknown_attribute(const std::string& full, std::string_view name, Span span,
                                         const std::vector<std::string>& known) {
    const Span word{span.file, span.end - static_cast<std::uint32_t>(name.size()), span.end};
    Diagnostic diagnostic = Diagnostic::make(DiagId::ScriptUnknownFunctionAttribute, word, cat("attrs.", full));
    std::string best = closest(full, known);
    if (best.empty()) { // "attrs.block_dim", "attrs.cuda.label"
        std::vector<std::string> last_parts;
        for (const std::string& each : known)
            last_parts.push_back(each.substr(each.find('.') + 1));
        auto at = std::ranges::find(last_parts, name);
        if (at == last_parts.end())
            at = std::ranges::find(last_parts, closest(name, last_parts));
        if (at != last_parts.end())
            best = known[static_cast<std::size_t>(at - last_parts.begin())];
    }
    if (best.empty() && (full.find("shared") != std::string::npos || full.find("smem") != std::string::npos))
        best = "cuda.dynamic_smem_bytes";
    if (best.empty())
        return DiagnosticError(std::move(diagnostic));
    diagnostic.message += "; did you mean 'attrs." + best + "'?";
    const std::string before = full.substr(0, full.size() - name.size()); // "cuda.", which the word is without
    if (best.starts_with(before))
        diagnostic.fixes.push_back({word, best.substr(before.size()), cat("replace by 'attrs.", best, "'")});
    return DiagnosticError(std::move(diagnostic));
}

void ScriptSignature::set_attribute(AttrsObject::Part part, std::string_view name, const Value& value, Span span,
                                    Span value_span) {
    want_known(value);
    std::string full(name);
    if (part == AttrsObject::Part::Root && (name.starts_with("cuda_") || name.starts_with("hip_")))
        full[name.find('_')] = '.'; // the names of older versions
    else if (part != AttrsObject::Part::Root)
        full = cat(part == AttrsObject::Part::Cuda ? "cuda." : "hip.", name);
    if (full.starts_with("hip."))
        fail(DiagId::ScriptNotSupportedYet, span, cat("attrs.", full));
    static const std::vector<std::string> known{
        "func_name",       "func_kind",        "label",           "cuda.grid_dim",
        "cuda.block_dim",  "cuda.cluster_dim", "cuda.min_blocks", "cuda.dynamic_smem_bytes",
        "cuda.wide_access"};
    if (std::ranges::find(known, full) == known.end()) {
        m_attributes.any_failed = true;
        throw unknown_attribute(full, name, span, known);
    }
    if (in_dynamic_block())
        fail(DiagId::ScriptAttributeInBlock, span, full);
    if (auto old = m_attributes.set_at.find(full); old != m_attributes.set_at.end())
        throw DiagnosticError(
            Diagnostic::make(DiagId::ScriptAttributeTwice, span, full).note(old->second, "it is set here"));
    m_attributes.set_at.emplace(full, span);
    if (full == "func_name") {
        m_attributes.func_name = to_text(value, value_span, cat("'attrs.", full, "'"));
        check_function_name(m_attributes.func_name, value_span);
    } else if (full == "func_kind") {
        std::string kind = to_text(value, value_span, cat("'attrs.", full, "'"));
        m_attributes.kind = func_kind_named(kind, value_span);
    } else if (full == "label") {
        m_attributes.label = to_text(value, value_span, cat("'attrs.", full, "'"));
    } else if (full == "cuda.grid_dim") {
        attribute_dims(m_attributes.grid_dim, full, value, value_span);
        check_grid_dim(m_attributes.grid_dim, value_span);
    } else if (full == "cuda.block_dim") {
        attribute_dims(m_attributes.block_dim, full, value, value_span);
        check_block_dim(m_attributes.block_dim, value_span);
    } else if (full == "cuda.cluster_dim") {
        attribute_dims(m_attributes.cluster_dim, full, value, value_span);
        check_cluster_dim(m_attributes.cluster_dim, value_span);
    } else if (full == "cuda.min_blocks") {
        m_attributes.min_blocks = to_int(value, value_span, cat("'attrs.", full, "'"));
    } else if (full == "cuda.wide_access") {
        if (!value.is(ValueKind::Bool))
            fail(DiagId::BadType, value_span, cat("'attrs.", full, "' is True or False"));
        m_attributes.wide_access = value.as_bool();
    } else {
        m_attributes.dynamic_smem_bytes = launch_expr(value, full, span);
    }
}

ir::FuncKind ScriptSignature::decide_kind() {
    bool has_grid = m_attributes.set_at.contains("cuda.grid_dim");
    bool has_block = m_attributes.set_at.contains("cuda.block_dim");
    Span span = m_def.name.span;
    ir::FuncKind kind = ir::FuncKind::CudaInternal;
    if (m_attributes.kind)
        kind = *m_attributes.kind;
    else if (has_grid || has_block)
        kind = ir::FuncKind::CudaKernel;
    bool kind_failed = m_attributes.set_at.contains("func_kind") && !m_attributes.kind;
    if (kind_failed)
        return kind;
    if (kind == ir::FuncKind::CudaKernel) {
        for (const char* missing : {has_grid ? nullptr : "cuda.grid_dim", has_block ? nullptr : "cuda.block_dim"})
            if (missing && !m_attributes.any_failed)
                report(Diagnostic::make(DiagId::ScriptMissingDim, span, m_def.name.text, missing));
        if (m_def.returns && (!ir::as<ir::VoidType>(m_return_type) || !m_results.empty()))
            report(Diagnostic::make(DiagId::ScriptKernelReturns, m_def.returns->span, m_def.name.text));
    } else if (kind == ir::FuncKind::Public && !m_results.empty()) {
        report(Diagnostic::make(DiagId::ScriptBadReturnType, m_def.returns->span,
                                "a tuple, of a function that the host calls,"));
    } else if (has_grid || has_block) {
        Span at = m_attributes.set_at.find(has_grid ? "cuda.grid_dim" : "cuda.block_dim")->second;
        report(Diagnostic::make(DiagId::ScriptDimsOfNoKernel, at, has_grid ? "cuda.grid_dim" : "cuda.block_dim",
                                ir::func_kind_name(kind)));
    }
    return kind;
}

// Hosts and launches give every argument.
void ScriptSignature::check_defaults(ir::FuncKind kind) {
    if (kind == ir::FuncKind::CudaInternal || kind == ir::FuncKind::CpuInternal)
        return;
    for (const ast::Param& param : m_def.params)
        if (param.default_value)
            report(Diagnostic::make(DiagId::ScriptParameterForm, param.default_value->span,
                                    cat("a default value if its kind is '", ir::func_kind_name(kind), "'")));
}

void ScriptSignature::check_uses(ir::FuncKind kind, const ir::StmtRef& body) {
    bool on_gpu = ir::runs_on_gpu(kind);
    for (const Use& use : on_gpu ? m_host_uses : m_gpu_uses)
        report(Diagnostic::make(on_gpu ? DiagId::ScriptHostOnly : DiagId::ScriptGpuOnly, use.span, use.name,
                                ir::func_kind_name(kind)));
    if (const ir::BuiltinVar* index = on_gpu || !m_gpu_uses.empty() ? nullptr : thread_index_in(body))
        report(Diagnostic::make(DiagId::ScriptGpuOnly, index->origin.span, ir::builtin_name(index->which),
                                ir::func_kind_name(kind)));
    for (const auto& [callee, span] : m_callees) {
        if (!callee->function)
            continue;
        ir::FuncKind other = callee->function->func_kind;
        if (other == ir::FuncKind::CudaKernel) {
            if (on_gpu)
                report(Diagnostic::make(DiagId::ScriptLaunchOnGpu, span, callee->name, m_def.name.text,
                                        ir::func_kind_name(kind)));
        } else if (ir::runs_on_gpu(other) != on_gpu) {
            report(Diagnostic::make(DiagId::ScriptWrongSide, span, ir::func_kind_name(other), callee->name,
                                    ir::func_kind_name(kind)));
        }
    }
}

Ref<TranslatedFunction> ScriptSignature::finish(ir::StmtVec stmts) {
    Ref<TranslatedFunction> out(new TranslatedFunction);
    out->name = m_attributes.func_name.empty() ? std::string(m_def.name.text) : m_attributes.func_name;
    out->span = m_def.name.span;
    ir::FuncKind kind = decide_kind();
    check_defaults(kind);
    ir::StmtRef body = ir::make_seq(std::move(stmts));
    ir::set_origin(body, {m_def.name.span, 0});
    if (!(m_attributes.set_at.contains("func_kind") && !m_attributes.kind))
        check_uses(kind, body);
    const bool returns_value = !m_results.empty() || !ir::as<ir::VoidType>(m_return_type);
    if (!m_failed && returns_value && !never_falls_through(body))
        report(Diagnostic::make(DiagId::ScriptMissingReturn, m_def.name.span, out->name,
                                m_results.empty() ? type_text(m_return_type) : "tuple"));
    for (const ir::VarRef& result : m_results) {
        out->results.push_back(ir::as<ir::ReferenceType>(result->type)->base);
        m_params.push_back(result);
    }
    FreeVariables free;
    for (const ir::VarRef& param : m_params)
        free.define(param);
    free.walk(body);
    for (const ir::VarRef& var : free.used()) {
        if (free.defines(var.get()) || ir::as<ir::FuncType>(var->type))
            continue;
        if (m_operations.is_global(var))
            out->globals.push_back(var);
        else if (!m_failed)
            report(Diagnostic::make(DiagId::ScriptForeignVariable, m_def.name.span, var->name, out->name)
                       .note(var->origin.span, "it is declared here"));
    }
    if (m_failed)
        return out;
    for (const auto& [callee, span] : m_callees)
        out->callees.push_back(callee);
    out->defaults = m_defaults;
    out->externs = m_externs;
    ir::Function function;
    function.name = out->name;
    function.func_kind = kind;
    function.params = m_params;
    function.ret = m_return_type;
    function.body = body;
    if (kind == ir::FuncKind::CudaKernel) {
        function.grid_dim = m_attributes.grid_dim;
        function.block_dim = m_attributes.block_dim;
        function.cluster_dim = m_attributes.cluster_dim;
    }
    function.dynamic_smem_bytes = m_attributes.dynamic_smem_bytes;
    function.min_blocks = m_attributes.min_blocks;
    function.wide_access = m_attributes.wide_access;
    function.label = m_attributes.label;
    out->function = ir::make<ir::Function>(std::move(function));
    out->function->origin = {m_def.name.span, 0};
    return out;
}

} // namespace hidet::lang
