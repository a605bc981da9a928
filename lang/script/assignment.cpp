// SPDX-License-Identifier: Apache-2.0
// `=` in a script function.
//
// A name is either a variable of IR, which assignments change at run time, or a binding of the host, which exists only
// while the function is translated: lists, layouts, mappings, types, slices, functions. A host binding cannot change in
// a branch or a loop, because nobody knows at compile time whether the branch is taken; such assignments are refused.
#include "lang/ast/walk.h"
#include "lang/base/transformed.h"
#include "lang/host/objects.h"
#include "lang/host/value_observer.h"
#include "lang/script/ir_queries.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

bool same_dtype_name(const ir::TypeRef& type, std::string_view name) { // "float32" is f32 too
    auto dtype = ir::scalar_of(type);
    return dtype && ir::find_dtype(name) == dtype;
}

bool constant_extents(const ir::TensorType& type) {
    for (const ir::ExprRef& extent : type.shape)
        if (!ir::constant_int(extent))
            return false;
    return ir::constant_int(ir::size_of(ir::layout_of(type))).has_value();
}

} // namespace

void ScriptAssignments::assign_statement(const ast::Assign& stmt) {
    if (stmt.targets.size() > 1) { // a = b = value: the value is computed once
        Value value = eval_whole(*stmt.value);
        if (value.extension<Declaration>() || value.is(ValueKind::Type))
            fail(DiagId::ScriptChainedDeclaration, stmt.value->span);
        if (value.is(ValueKind::Expr) && !is_alias(value.as_expr()))
            value = Value::expr(freeze(value.as_expr(), "value"));
        for (const ast::Expr* target : stmt.targets)
            assign(*target, value, stmt.value->span);
        return;
    }
    const ast::Expr& target = *stmt.targets[0];
    if (const auto* items = ast::written_items(&target))
        assign_sequence(*items, target.span, *stmt.value);
    else
        assign(target, eval_whole(*stmt.value), stmt.value->span);
}

void ScriptAssignments::assign(const ast::Expr& target, const Value& value, Span value_span) {
    if (const auto* name = ast::as<ast::Name>(&target)) {
        assign_name(name->id, name->span, value, value_span);
    } else if (const auto* subscript = ast::as<ast::Subscript>(&target)) {
        assign_element(*subscript, value, value_span);
    } else if (const auto* attribute = ast::as<ast::Attribute>(&target)) {
        Value object = eval(*attribute->object);
        want_known(object);
        auto* attrs = object.extension<AttrsObject>();
        if (!attrs)
            fail(DiagId::ScriptInvalidTarget, target.span);
        set_attribute(attrs->part, attribute->name.text, value, attribute->span, value_span);
    } else if (const auto* items = ast::written_items(&target)) {
        want_known(value);
        if (!is_sequence(value))
            fail(DiagId::ScriptCannotUnpack, value_span, describe(value));
        std::vector<Value> values = value.items();
        assign_values(*items, target.span, values, std::vector<Span>(values.size(), value_span));
    } else {
        fail(DiagId::ScriptInvalidTarget, target.span);
    }
}

void ScriptAssignments::assign_sequence(ast::ExprList targets, Span target_span, const ast::Expr& value) {
    std::vector<Value> values;
    std::vector<Span> spans;
    const ast::ExprList* listed = ast::written_items(&value);
    const ast::ExprList written = listed ? *listed : ast::ExprList{};
    bool starred = false;
    for (const ast::Expr* item : written)
        starred = starred || item->kind == ast::Kind::Starred;
    if (!written.empty() && !starred) {
        for (const ast::Expr* item : written) {
            values.push_back(eval(*item));
            spans.push_back(item->span);
        }
    } else {
        Value sequence = eval_whole(value);
        want_known(sequence);
        if (sequence.is_ir() || sequence.is_number() || sequence.is(ValueKind::None) ||
            sequence.extension<NativeObject>())
            fail(DiagId::ScriptCannotUnpack, value.span, describe(sequence));
        values = m_eval.iterate(sequence, value.span);
        spans.assign(values.size(), value.span);
    }
    assign_values(targets, target_span, std::move(values), spans);
}

// All values are computed before the first target changes: `a, b = b, a` swaps.
void ScriptAssignments::assign_values(ast::ExprList targets, Span target_span, std::vector<Value> values,
                                      const std::vector<Span>& spans) {
    for (const ast::Expr* target : targets)
        if (target->kind == ast::Kind::Starred)
            fail(DiagId::ScriptInvalidTarget, target->span);
    if (targets.size() != values.size())
        fail(DiagId::ScriptUnpackCount, target_span, count_of(values.size(), "value", "values"),
             count_of(targets.size(), "name", "names"));
    // A place with a call in it changes what nobody knows.
    bool is_ordered = std::ranges::any_of(targets, [](const auto* target) { return may_call(*target); });
    for (const Value& value : values)
        is_ordered = is_ordered || (value.is(ValueKind::Expr) && has_effect(value.as_expr()));
    ir::VarVec changed;
    bool stored = false;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (values[i].is(ValueKind::Expr) && !is_alias(values[i].as_expr())) {
            const ir::ExprRef& expr = values[i].as_expr();
            bool affected = (is_ordered && !is_fixed(expr)) || (stored && reads_memory(expr));
            for (const ir::VarRef& var : changed)
                affected = affected || mentions(expr, *var);
            if (affected)
                values[i] = Value::expr(freeze_as(expr, "saved", spans[i]));
        }
        if (const auto* name = ast::as<ast::Name>(targets[i])) {
            if (auto found = m_env->local(name->id); found && found->binding->is_variable)
                changed.push_back(ir::cast<ir::Var>(found->binding->value.as_expr()));
        } else {
            stored = true;
        }
    }
    for (std::size_t i = 0; i < targets.size(); ++i)
        assign(*targets[i], values[i], spans[i]);
}

void ScriptAssignments::assign_name(std::string_view name, Span span, const Value& value, Span value_span) {
    if (value.is(ValueKind::Unknown)) {
        m_failed = true;
        if (!m_env->local(name))
            m_env->declare(name, Binding{value, span, false, false, nullptr});
        return;
    }
    bool is_void = value.is(ValueKind::Expr) && ir::as<ir::VoidType>(value.as_expr()->type);
    if (value.is(ValueKind::Stmt) || is_void)
        fail(DiagId::ScriptNoValue, value_span);
    if (name == "_") {
        if (value.is(ValueKind::Expr) && has_effect(value.as_expr()))
            emit(ir::make_evaluate(value.as_expr()));
        return;
    }
    auto found = m_env->local(name);
    if (found && found->binding->value.is(ValueKind::Unknown) && !value.is(ValueKind::Unknown))
        found.reset(); // what failed before may be defined again
    if (found && found->binding->is_variable && can_be_expr(value) && !value.is(ValueKind::Str)) {
        assign_variable(name, *found->binding, span, value, value_span);
        return;
    }
    if (!found && can_be_expr(value)) {
        Value* outer = m_outer.find(name);
        if (outer && outer->is(ValueKind::Expr) && ir::as<ir::Var>(outer->as_expr())) { // a global variable
            ir::VarRef var = ir::cast<ir::Var>(outer->as_expr());
            ir::ExprRef converted = convert_to(to_expr(value, value_span), var->type, value_span, m_eval.sink());
            emit(ir::make_assign(var, converted));
            return;
        }
    }
    if (auto* declaration = value.extension<Declaration>()) {
        declare(name, span, *declaration, value_span);
    } else if (value.is(ValueKind::Type)) { // a = f32[4, 4]
        declare(name, span, Declaration("variable", value.as_type(), ir::Scope::Default, false, nullptr), value_span);
    } else if (value.is(ValueKind::Expr) && is_alias(value.as_expr())) {
        bind_host(name, span, freeze_slice(value, name));
    } else if (value.is(ValueKind::Expr) || value.is_number()) {
        declare_value(name, span, to_expr(value, value_span));
    } else {
        bind_host(name, span, freeze_items(value, name, span));
    }
}

// [x + 1, y] keeps the values that its items have now. An element of a local tensor and what deref() names stay what they
// are, places, because lists of registers are how instructions name their results.
Value ScriptValues::freeze_items(const Value& value, std::string_view name, Span span, int depth) {
    if (!is_sequence(value))
        return value;
    if (depth > most_nested_sequences)
        fail(DiagId::NestedTooDeep, span);
    m_eval.charge_steps(1, span);
    std::vector<Value> items = value.items();
    bool changed = false;
    for (Value& item : items) {
        if (is_sequence(item)) {
            Value inner = freeze_items(item, name, span, depth + 1);
            changed = changed || inner.object() != item.object();
            item = inner;
            continue;
        }
        if (!item.is(ValueKind::Expr) || is_alias(item.as_expr()) || is_fixed(item.as_expr()) ||
            !may_change(item.as_expr()))
            continue;
        const auto* element = ir::as<ir::TensorElement>(item.as_expr());
        const bool is_place =
            (element && ir::as<ir::TensorType>(element->base->type)) || ir::as<ir::Deref>(item.as_expr());
        if (is_place)
            continue;
        item = Value::expr(freeze_as(item.as_expr(), name, span));
        changed = true;
    }
    if (!changed)
        return value;
    return value.is(ValueKind::Tuple) ? Value::tuple(std::move(items)) : m_eval.new_list(std::move(items));
}

// Whether the function assigns a variable of the expression again, or the expression reads memory.
bool ScriptValues::may_change(const ir::ExprRef& expr) const {
    return reads_memory(expr) || any_node(expr, [&](const ir::Node& node) {
               if (node.kind != ir::Kind::Var)
                   return false;
               auto found = m_assigned.find(static_cast<const ir::Var&>(node).name);
               return found != m_assigned.end() && found->second > 1;
           });
}

void ScriptAssignments::assign_variable(std::string_view name, const Binding& binding, Span span, const Value& value,
                                        Span value_span) {
    ir::VarRef var = ir::cast<ir::Var>(binding.value.as_expr());
    if (ir::as<ir::TensorType>(var->type))
        fail(DiagId::ScriptTensorAssigned, span, name);
    if (binding.is_parameter && ir::as<ir::TensorPointerType>(var->type))
        fail(DiagId::ScriptTensorAssigned, span, name);
    ir::TypeRef type = var->type;
    if (const auto* reference = ir::as<ir::ReferenceType>(type))
        type = reference->base;
    ir::ExprRef converted = convert_to(to_expr(value, value_span), type, value_span, m_eval.sink());
    emit(ir::make_assign(var, converted));
}

// A block may be left or never entered, so what is bound in it cannot replace what is bound outside of it.
void ScriptAssignments::check_rebinding(std::string_view name, Span span, std::string_view what) {
    auto found = m_env->local(name);
    if (found && found->binding->value.is(ValueKind::Unknown))
        return; // its own statement failed
    if (found && found->depth + 1 != m_env->depth())
        throw DiagnosticError(Diagnostic::make(DiagId::ScriptRebindInBlock, span, name, what, m_env->top().what)
                                  .note(found->binding->span, "it is bound here"));
    if (!found && in_dynamic_block() && m_env->was_captured(name))
        fail(DiagId::ScriptCapturedAssigned, span, name, m_env->top().what);
}

static bool is_of_language(std::string_view name, const Value& value) {
    if (value.extension<Dim3Object>())
        return true;
    if (value.is(ValueKind::Type))
        return type_text(value.as_type()) == name || same_dtype_name(value.as_type(), name);
    if (!value.is(ValueKind::Native))
        return false;
    std::string_view own = object_of<NativeFunctionObject>(value).name;
    return own.substr(own.rfind('.') + 1) == name;
}

// A name of the language that the function gives to a variable cannot be used in it any more, and a loop variable ends what
// a parameter was. Neither is meant by most.
void ScriptAssignments::warn_if_hiding(std::string_view name, Span span) {
    if (auto found = m_env->local(name)) {
        if (found->binding->is_parameter)
            report(Diagnostic::make(DiagId::ScriptHides, span, name, "the parameter of that name")
                       .note(found->binding->span, "it is declared here"));
        return;
    }
    if (const Value* outer = m_outer.find(name); outer && is_of_language(name, *outer))
        report(Diagnostic::make(DiagId::ScriptHides, span, name,
                                outer->extension<Dim3Object>() ? cat("the index '", name, "'")
                                                               : cat("'", name, "' of the language")));
}

void ScriptAssignments::warn_if_no_variable(std::string_view name, Span span, const Value& value) {
    const auto found = m_env->local(name);
    const Value* before = found ? &found->binding->value : nullptr;
    if (!before || !before->is(ValueKind::Expr) || !(found->binding->is_variable || found->binding->is_parameter))
        return;
    report(Diagnostic::make(DiagId::ScriptNoVariable, span, name, type_text(before->as_expr()->type), describe(value))
               .note(found->binding->span, "it is declared here"));
}

void ScriptAssignments::bind_host(std::string_view name, Span span, const Value& value) {
    check_rebinding(name, span, describe(value));
    if (!m_env->local(name))
        warn_if_hiding(name, span);
    if (!value.is(ValueKind::Expr) && !value.is(ValueKind::Unknown))
        warn_if_no_variable(name, span, value);
    m_env->declare(name, {.value = value, .span = span});
}

void ScriptAssignments::assign_host(const ast::Expr& target, const Value& value) {
    if (const auto* name = ast::as<ast::Name>(&target)) {
        if (name->id != "_")
            bind_host(name->id, name->span, value);
        return;
    }
    const auto* items = ast::written_items(&target);
    if (!items)
        fail(DiagId::ScriptInvalidTarget, target.span);
    std::vector<Value> values = m_eval.iterate(value, target.span);
    if (values.size() != items->size())
        fail(DiagId::ScriptUnpackCount, target.span, count_of(values.size(), "value", "values"),
             count_of(items->size(), "name", "names"));
    for (std::size_t i = 0; i < items->size(); ++i)
        assign_host(*(*items)[i], values[i]);
}

void ScriptAssignments::declare(std::string_view name, Span span, const Declaration& declaration, Span value_span) {
    check_rebinding(name, span, "another " + declaration.maker);
    if (!m_env->local(name))
        warn_if_hiding(name, span);
    ir::TypeRef type = declaration.type;
    if (const auto* tensor = ir::as<ir::TensorType>(type)) {
        auto folded = ir::tensor_type(tensor->element, fold_known(tensor->shape), tensor->layout);
        if (!constant_extents(*folded))
            fail(DiagId::ScriptShapeNotConstant, value_span, type_text(type));
        type = folded;
        if (declaration.scope == ir::Scope::Global)
            fail(DiagId::ScriptGlobalScope, value_span);
    }
    if (ir::as<ir::VoidType>(type))
        fail(DiagId::ScriptNoValue, value_span);
    if (declaration.scope == ir::Scope::Shared)
        use_on_gpu(declaration.maker, value_span);
    ir::VarRef var = var_at(span, std::string(name), type);
    ir::ExprRef init = declaration.init ? convert_to(declaration.init, type, value_span, m_eval.sink()) : nullptr;
    emit(ir::make_declare(var, init, declaration.scope, declaration.is_static));
    m_env->declare(name, {.value = Value::expr(var), .span = span, .is_variable = true});
    if (ValueObserver* observer = m_eval.options().observer)
        observer->declared(span, declaration.scope);
}

void ScriptAssignments::declare_value(std::string_view name, Span span, const ir::ExprRef& value) {
    check_rebinding(name, span, describe(Value::expr(value)));
    if (!m_env->local(name))
        warn_if_hiding(name, span);
    ir::TypeRef type = value->type;
    if (const auto* reference = ir::as<ir::ReferenceType>(type))
        type = reference->base;
    ir::VarRef var = var_at(span, std::string(name), type);
    emit(ir::make_declare(var, value));
    auto assigned = m_assigned.find(name);
    if (ir::as<ir::Constant>(value) && assigned != m_assigned.end() && assigned->second == 1)
        m_known[var.get()] = value;
    m_env->declare(name, {.value = Value::expr(var), .span = span, .is_variable = true});
}

// A variable with this name that always has this value from now on.
ir::ExprRef ScriptValues::freeze_as(const ir::ExprRef& value, std::string_view name, Span span) {
    ir::VarRef var = var_at(span, std::string(name), value->type);
    define(var, value);
    return var;
}

// g = x[o, :] keeps meaning the row that `o` is now.
Value ScriptValues::freeze_slice(const Value& value, std::string_view name) {
    const auto* slice = ir::as<ir::TensorSlice>(value.as_expr());
    if (!slice)
        return value;
    std::string hint = cat(name, "_at");
    auto each = [&](const ir::ExprVec& exprs) {
        return transformed(exprs, [&](const ir::ExprRef& expr) { return freeze(expr, hint); });
    };
    ir::ExprRef base = slice->base;
    if (ir::as<ir::TensorSlice>(base))
        base = freeze_slice(Value::expr(base), name).as_expr();
    else if (!ir::as<ir::TensorType>(base->type))
        base = freeze(base, cat(name, "_of"));
    ir::ExprVec indices = each(slice->indices), starts = each(slice->starts), stops = each(slice->stops);
    Span span = value.as_expr()->origin.span;
    return Value::expr(typed(span, [&] { return ir::make_slice(base, indices, starts, stops); }));
}

void ScriptAssignments::annotated_assignment(const ast::AnnAssign& stmt) {
    const auto* name = ast::as<ast::Name>(stmt.target);
    if (!name)
        fail(DiagId::ScriptInvalidTarget, stmt.target->span);
    Value annotation = eval(*stmt.annotation);
    want_known(annotation);
    auto type = try_type(annotation);
    if (!type)
        fail(DiagId::ScriptBadAnnotation, stmt.annotation->span, name->id, describe(annotation));
    auto found = m_env->local(name->id);
    if (found && found->depth + 1 == m_env->depth())
        throw DiagnosticError(Diagnostic::make(DiagId::ScriptRedeclared, name->span, name->id)
                                  .note(found->binding->span, "the first one is here"));
    if (!found)
        warn_if_hiding(name->id, name->span);
    if (found)
        report(Diagnostic::make(DiagId::ScriptShadowed, name->span, name->id)
                   .note(found->binding->span, "the outer one is here"));
    ir::ExprRef init;
    if (stmt.value) {
        Value value = eval(*stmt.value);
        want_known(value);
        if (ir::as<ir::TensorType>(*type))
            fail(DiagId::ScriptTensorAssigned, stmt.value->span, name->id);
        init = convert_to(to_expr(value, stmt.value->span), *type, stmt.value->span, m_eval.sink());
    }
    const auto* tensor = ir::as<ir::TensorType>(*type);
    if (tensor && !constant_extents(*tensor))
        fail(DiagId::ScriptShapeNotConstant, stmt.annotation->span, type_text(*type));
    ir::VarRef var = var_at(name->span, std::string(name->id), *type);
    emit(ir::make_declare(var, init));
    m_env->declare(name->id, {.value = Value::expr(var), .span = name->span, .is_variable = true});
}

void ScriptAssignments::augmented_assignment(const ast::AugAssign& stmt) {
    Span span = stmt.target->span;
    if (const auto* name = ast::as<ast::Name>(stmt.target)) {
        Value current = eval(*stmt.target);
        bool is_global = current.is(ValueKind::Expr) && ir::as<ir::Var>(current.as_expr());
        if (!m_env->local(name->id) && !is_global)
            fail(DiagId::ScriptAugmentedCapture, span, name->id);
        Value operand = eval(*stmt.value);
        Value result = m_eval.binary(stmt.op, current, operand, span, stmt.value->span);
        assign_name(name->id, span, result, cover(span, stmt.value->span));
        return;
    }
    const auto* target = ast::as<ast::Subscript>(stmt.target);
    if (!target)
        fail(DiagId::ScriptInvalidTarget, span);
    Place place = element_place(*target);
    std::size_t before = m_env->top().stmts.size();
    Value operand = eval(*stmt.value);
    bool acts = operand.is(ValueKind::Expr) && has_effect(operand.as_expr());
    ir::ExprRef element = place_read_before(place, {before, acts}, span);
    Value result = m_eval.binary(stmt.op, Value::expr(element), operand, span, stmt.value->span);
    store(place, result, cover(span, stmt.value->span));
}

// What `a[i] += f()` reads: the place is evaluated once, and before the operand, which has been evaluated by now.
ir::ExprRef ScriptAssignments::place_read_before(Place& place, const Operand& operand, Span span) {
    ir::StmtVec& stmts = m_env->top().stmts;
    bool has_emitted = stmts.size() > operand.first_stmt;
    bool acts = operand.acts || has_emitted || has_effect(place.base) || std::ranges::any_of(place.indices, has_effect);
    auto element = [&] { return typed(span, [&] { return ir::make_element(place.base, place.indices); }); };
    if (!acts)
        return element();
    auto first = stmts.begin() + static_cast<std::ptrdiff_t>(operand.first_stmt);
    ir::StmtVec emitted(first, stmts.end());
    stmts.erase(first, stmts.end());
    if (!is_alias(place.base) && !is_fixed(place.base) && !ir::as<ir::Var>(place.base))
        place.base = freeze_as(place.base, "base", span);
    for (ir::ExprRef& index : place.indices)
        if (!is_fixed(index))
            index = freeze_as(index, "index", span);
    ir::ExprRef read = has_emitted ? freeze_as(element(), "element", span) : element();
    stmts.insert(stmts.end(), emitted.begin(), emitted.end());
    return read;
}

ScriptAssignments::Place ScriptAssignments::element_place(const ast::Subscript& target) {
    const Value object = eval(*target.object);
    return element_place(target, object, eval(*target.index));
}

ScriptAssignments::Place ScriptAssignments::element_place(const ast::Subscript& target, const Value& object,
                                                          const Value& index) {
    want_known(object, index);
    if (!object.is(ValueKind::Expr))
        fail(DiagId::ScriptHostElement, target.span, describe(object));
    Subscripts s = read_subscripts(m_operations, object.as_expr(), index, target.object->span, target.index->span);
    if (!s.is_element)
        fail_slice_assigned(object.as_expr(), s, target.span);
    return {object.as_expr(), s.indices};
}

void ScriptAssignments::store(const Place& place, const Value& value, Span value_span) {
    want_known(value);
    if (!can_be_expr(value) || value.is(ValueKind::Str))
        fail(DiagId::ScriptNotAValue, value_span, describe(value));
    ir::TypeRef element = ir::element_of(place.base->type);
    ir::ExprRef converted = convert_to(to_expr(value, value_span), element, value_span, m_eval.sink());
    emit(ir::make_store(place.base, place.indices, converted));
}

// `t[:]` or `t[1, 2:4]`. What a sequence within the index has is not looked at: it is refused, and may be a list of itself.
static bool has_slice(const Value& index) {
    const auto is_slice = [](const Value& v) { return v.is(ValueKind::Slice); };
    return is_slice(index) || (is_sequence(index) && std::ranges::any_of(index.items(), is_slice));
}

// Of a tensor that the function declares: what others may write meanwhile is assigned one element at a time.
static bool is_own_tensor(const ir::ExprRef& base) {
    const ir::ExprRef* root = &base;
    while (const auto* slice = ir::as<ir::TensorSlice>(*root))
        root = &slice->base;
    return ir::as<ir::Var>(*root) && ir::as<ir::TensorType>((*root)->type);
}

// acc[:] = 0, acc[1, 2:4] = x: the thread writes all elements of the slice.
void ScriptAssignments::fill(const ir::ExprRef& base, const Subscripts& subscripts, const Value& value,
                             Span value_span) {
    const ir::TensorType& tensor = *ir::tensor_of(base->type);
    ir::ExprRef converted = convert_to(to_expr(value, value_span), tensor.element, value_span, m_eval.sink());
    if (!is_fixed(converted))
        converted = freeze_as(converted, "value", value_span);
    struct Loop {
        ir::VarRef var;
        ir::ExprRef extent;
    };
    std::vector<Loop> loops;
    ir::ExprVec indices;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        if (subscripts.indices[i]) {
            indices.push_back(freeze(subscripts.indices[i], "index"));
            continue;
        }
        const ir::ExprRef start = subscripts.starts[i] ? freeze(subscripts.starts[i], "start") : nullptr;
        const ir::ExprRef stop = subscripts.stops[i] ? freeze(subscripts.stops[i], "stop") : tensor.shape[i];
        const ir::ExprRef extent = fold_known(start ? ir::sub(stop, start) : stop);
        loops.push_back({loop_variable("i", extent, value_span), extent});
        indices.push_back(start ? ir::add(start, loops.back().var) : ir::ExprRef(loops.back().var));
    }
    ir::StmtRef body = ir::make_store(base, std::move(indices), converted);
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
        body = ir::make_for(loop->var, loop->extent, {}, body);
    emit(body);
}

void ScriptAssignments::assign_element(const ast::Subscript& target, const Value& value, Span value_span) {
    const Value object = eval(*target.object), index = eval(*target.index);
    want_known(object, index, value);
    const bool is_number = can_be_expr(value) && !value.is(ValueKind::Str) && !is_sequence(value) &&
                           !(value.is(ValueKind::Expr) && is_alias(value.as_expr()));
    const bool fills = has_slice(index) && object.is(ValueKind::Expr) && is_own_tensor(object.as_expr());
    if (!fills || !is_number)
        return store(element_place(target, object, index), value, value_span);
    fill(object.as_expr(),
         read_subscripts(m_operations, object.as_expr(), index, target.object->span, target.index->span), value,
         value_span);
}

} // namespace hidet::lang
