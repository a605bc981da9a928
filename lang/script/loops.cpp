// SPDX-License-Identifier: Apache-2.0
// `for`: range, grid and mapping.on become loops of IR, everything else on the host is unrolled here.
#include "lang/ast/walk.h"
#include "lang/host/objects.h"
#include "lang/script/ir_queries.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

// The names that a loop binds: `i`, `(i, j)` or `[i, j]`.
std::vector<const ast::Name*> target_names(const ast::Expr& target) {
    if (const auto* name = ast::as<ast::Name>(&target))
        return {name};
    const auto* items = ast::written_items(&target);
    std::vector<const ast::Name*> names;
    for (const ast::Expr* item : items ? *items : ast::ExprList{}) {
        const auto* name = ast::as<ast::Name>(item);
        if (!name)
            fail(DiagId::ScriptInvalidTarget, item->span);
        names.push_back(name);
    }
    if (names.empty())
        fail(DiagId::ScriptInvalidTarget, target.span);
    return names;
}

bool is_tuple(const ast::Expr& target) {
    return target.kind == ast::Kind::Tuple || target.kind == ast::Kind::List;
}

ir::ExprRef number(std::int64_t value) {
    return to_expr(Value::integer(value), {});
}

// How many times range(start, stop, step) goes round.
ir::ExprRef range_extent(const ir::ExprRef& start, const ir::ExprRef& stop, const ir::ExprRef& step) {
    ir::ExprRef length = start ? ir::sub(stop, start) : stop;
    if (!step || ir::is_constant(step, 1))
        return length;
    auto by = ir::constant_int(step);
    if (by && *by > 0)
        return ir::floor_div(ir::add(length, number(*by - 1)), step);
    ir::ExprRef back = start ? ir::sub(start, stop) : ir::negate(stop);
    if (by && *by < 0)
        return ir::floor_div(ir::add(back, number(-*by - 1)), number(-*by));
    return ir::negate(ir::floor_div(back, step)); // rounds up, whatever the sign of the step
}

} // namespace

Translator::Flow Translator::for_statement(const ast::For& stmt) {
    if (stmt.is_async)
        fail(DiagId::ScriptUnsupported, stmt.span, "'async for'");
    Value iterable = Value::unknown();
    bool fine = guarded([&] { iterable = eval(*stmt.iterable); });
    if (iterable.is(ValueKind::Unknown)) {
        m_failed = true;
        m_env->push("loop", m_statement_span);
        m_loops.push_back({false, m_env->depth(), nullptr});
        poison_target(*stmt.target);
        block(stmt.body);
        m_loops.pop_back();
        m_env->pop();
        return Flow::Next;
    }
    (void)fine;
    if (auto* loop = iterable.extension<LoopIterable>()) {
        ir_loop(stmt, *loop);
        return Flow::Next;
    }
    if (auto* meta = iterable.extension<MetaLoop>())
        return meta_loop(stmt, meta->items);
    if (iterable.is(ValueKind::Range)) { // Python's own, of constants: a loop of IR
        const auto& range = object_of<RangeObject>(iterable);
        LoopIterable loop;
        loop.start = range.start == 0 ? nullptr : number(range.start);
        loop.stop = number(range.stop);
        loop.step = range.step == 1 ? nullptr : number(range.step);
        ir_loop(stmt, loop);
        return Flow::Next;
    }
    if (iterable.is_ir() || iterable.is_number() || iterable.is(ValueKind::Str) || iterable.is(ValueKind::None) ||
        iterable.is(ValueKind::Native) || iterable.is(ValueKind::Function))
        fail(DiagId::ScriptNotIterable, stmt.iterable->span, describe(iterable));
    return meta_loop(stmt, m_eval.iterate(iterable, stmt.iterable->span));
}

Translator::Flow Translator::meta_loop(const ast::For& stmt, std::vector<Value> items) {
    keep(items, stmt.iterable->span);
    m_loops.push_back({true, m_env->depth(), nullptr});
    bool broken = false;
    for (const Value& item : items) {
        assign_host(*stmt.target, item);
        Flow flow = block(stmt.body);
        broken = flow == Flow::Break;
        if (broken)
            break;
    }
    m_loops.pop_back();
    return broken ? Flow::Next : block(stmt.else_body);
}

// A loop evaluates its bounds once, before it begins; what the body may change is kept in a variable.
ir::ExprRef Translator::loop_bound(const ir::ExprRef& bound, const ast::For& stmt, std::string_view name) {
    if (!bound)
        return bound;
    ir::ExprRef folded = fold_known(bound);
    if (is_fixed(folded))
        return folded;
    NameCounts assigned = assigned_names(stmt.body);
    count_target(*stmt.target, 1, assigned);
    bool changes = reads_memory(folded) || any_node(folded, [&](const ir::Node& node) {
                       return node.kind == ir::Kind::Var && assigned.contains(static_cast<const ir::Var&>(node).name);
                   });
    return changes ? freeze(folded, name) : folded;
}

ir::VarRef ScriptValues::loop_variable(std::string_view name, const ir::ExprRef& extent, Span span) {
    auto dtype = ir::scalar_of(extent->type);
    bool wide = dtype && (*dtype == ir::DType::I64 || *dtype == ir::DType::U64 || *dtype == ir::DType::U32);
    return var_at(span, std::string(name), ir::data_type(wide ? ir::DType::I64 : ir::DType::I32));
}

// A variable of that name is what the loop gives its values to, so it has the last one behind the loop, as in Python.
bool Translator::leave_behind(std::string_view name, const ir::ExprRef& value) {
    const auto found = m_env->local(name);
    if (!found || !found->binding->is_variable || found->binding->is_parameter)
        return false;
    const auto* var = ir::as<ir::Var>(found->binding->value.as_expr());
    const auto dtype = var ? ir::scalar_of(var->type) : std::nullopt;
    if (!dtype || !ir::is_integer(*dtype) || *dtype == ir::DType::Bool)
        return false;
    emit(ir::make_assign(ir::self(*var), ir::cast_to(value, *dtype)));
    return true;
}

void Translator::bind_loop_variable(std::string_view name, Span span, const ir::ExprRef& value,
                                    const NameCounts& assigned) {
    if (name == "_")
        return;
    warn_if_hiding(name, span);
    if (leave_behind(name, value) && assigned.contains(name))
        return;
    Binding binding;
    binding.span = span;
    if (assigned.contains(name)) { // the body changes its own copy, as in Python
        ir::VarRef copy = var_at(span, std::string(name), value->type);
        emit(ir::make_declare(copy, value));
        binding.value = Value::expr(copy);
        binding.is_variable = true;
    } else {
        binding.value = Value::expr(value);
        if (const auto* var = ir::as<ir::Var>(value))
            m_fixed.push_back(ir::self(*var));
    }
    m_env->declare(name, std::move(binding));
}

// One name for each loop variable, or one name for the list of all of them.
void Translator::bind_loop_targets(const ast::For& stmt, const ir::ExprVec& values, bool bind_tuple) {
    NameCounts assigned = assigned_names(stmt.body);
    auto names = target_names(*stmt.target);
    bool as_list = !is_tuple(*stmt.target) && (bind_tuple || values.size() > 1);
    if (as_list) {
        std::vector<Value> items;
        for (const ir::ExprRef& value : values) {
            items.push_back(Value::expr(value));
            if (const auto* var = ir::as<ir::Var>(value))
                m_fixed.push_back(ir::self(*var));
        }
        Binding binding;
        warn_if_hiding(names[0]->id, names[0]->span);
        binding.value = m_eval.new_list(std::move(items));
        binding.span = names[0]->span;
        m_env->declare(names[0]->id, std::move(binding));
        return;
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        bind_loop_variable(names[i]->id, names[i]->span, values[i], assigned);
}

void Translator::ir_loop(const ast::For& stmt, const LoopIterable& loop) {
    auto names = target_names(*stmt.target);
    std::size_t rank = loop.rank();
    bool one_list = !is_tuple(*stmt.target) && (rank > 1 || loop.bind_tuple);
    if (!one_list && names.size() != rank)
        fail(DiagId::ScriptLoopTargets, stmt.target->span, count_of(rank, "value", "values"),
             count_of(names.size(), "name", "names"));
    bool is_nest =
        loop.what == LoopIterable::What::Grid && rank > 1; // one loop to the script, which `break` leaves whole
    Loop context = open_loop(stmt.body, stmt.else_body, is_nest);
    switch (loop.what) {
    case LoopIterable::What::Range: range_loop(stmt, loop, context); break;
    case LoopIterable::What::Grid: grid_loop(stmt, loop, context); break;
    case LoopIterable::What::Mapping: mapping_loop(stmt, loop, context); break;
    }
    close_loop(context, stmt.else_body);
}

ir::StmtRef Translator::loop_body(const ast::For& stmt, const ir::ExprVec& values, bool bind_tuple, Loop context) {
    context.depth = m_env->depth();
    m_loops.push_back(context);
    bind_loop_targets(stmt, values, bind_tuple);
    block(stmt.body);
    m_loops.pop_back();
    ir::StmtRef body = ir::make_seq(m_env->pop());
    ir::set_origin(body, {m_statement_span, 0});
    return body;
}

static std::string first_name(const ast::For& stmt, std::size_t i) {
    auto names = target_names(*stmt.target);
    return std::string(i < names.size() ? names[i]->id : names[0]->id);
}

std::optional<Translator::Ends> Translator::ends_in_copies(const ir::ExprRef& index) const {
    if (const auto number = ir::constant_int(index))
        return Ends{*number, *number};
    if (const auto* var = ir::as<ir::Var>(index)) {
        const auto found = m_unrolled.find(var);
        return found == m_unrolled.end() ? std::nullopt : std::optional(Ends{0, found->second - 1});
    }
    const auto* binary = ir::as<ir::Binary>(index);
    const auto a = binary ? ends_in_copies(binary->a) : std::nullopt;
    const auto b = a ? ends_in_copies(binary->b) : std::nullopt;
    constexpr std::int64_t most = 1 << 20; // below it nothing overflows
    if (!b || std::max(std::abs(a->first), std::abs(a->last)) > most ||
        std::max(std::abs(b->first), std::abs(b->last)) > most)
        return std::nullopt;
    switch (binary->op) {
    case ir::BinOp::Add: return Ends{a->first + b->first, a->last + b->last};
    case ir::BinOp::Sub: return Ends{a->first - b->last, a->last - b->first};
    case ir::BinOp::Mul: {
        const auto [first, last] =
            std::minmax({a->first * b->first, a->first * b->last, a->last * b->first, a->last * b->last});
        return Ends{first, last};
    }
    default: return std::nullopt;
    }
}

void Translator::range_loop(const ast::For& stmt, const LoopIterable& loop, const Loop& context) {
    std::string name = first_name(stmt, 0);
    Span span = stmt.target->span;
    ir::ExprRef start = loop_bound(loop.start, stmt, name + "_start");
    ir::ExprRef stop = loop_bound(loop.stop, stmt, name + "_stop");
    ir::ExprRef step = loop_bound(loop.step, stmt, name + "_step");
    if (step && ir::is_constant(step, 0))
        fail(DiagId::ScriptZeroStep, stmt.iterable->span);
    ir::ExprRef extent = typed(stmt.iterable->span, [&] { return range_extent(start, stop, step); });
    auto trips = ir::constant_int(extent);
    if (trips && *trips < 0)
        extent = number(0);
    bool plain = (!start || ir::is_constant(start, 0)) && (!step || ir::is_constant(step, 1));
    bool jumps = has_break(stmt.body) || has_continue(stmt.body);
    ir::LoopAttr attr;
    if (!loop.attrs.empty())
        attr = loop.attrs[0];
    else if (trips && *trips < 4 && !jumps)
        attr.what = ir::LoopAttr::What::UnrollExplicit;
    ir::VarRef var = loop_variable(plain ? name : name + "_trip", extent, span);
    extent = typed(span, [&] { return ir::cast_to(extent, var->type); });
    m_env->push("loop", m_statement_span);
    ir::ExprRef value = var;
    if (!plain) {
        m_fixed.push_back(var);
        value = typed(span, [&] {
            ir::ExprRef scaled = step ? ir::mul(var, step) : ir::ExprRef(var);
            return start ? ir::add(start, scaled) : scaled;
        });
        value = freeze_as(value, name, span);
    }
    if (attr.what == ir::LoopAttr::What::UnrollExplicit && trips)
        m_unrolled[var.get()] = *trips;
    ir::StmtRef body = loop_body(stmt, {value}, loop.bind_tuple, context);
    emit(ir::make_for(var, extent, attr, body));
}

void Translator::grid_loop(const ast::For& stmt, const LoopIterable& loop, const Loop& context) {
    ir::ExprVec extents;
    for (const ir::ExprRef& extent : loop.extents)
        extents.push_back(loop_bound(extent, stmt, first_name(stmt, extents.size()) + "_extent"));
    m_env->push("loop", m_statement_span);
    ir::VarVec vars;
    ir::ExprVec values;
    for (const ir::ExprRef& extent : extents) {
        const std::size_t i = vars.size();
        vars.push_back(loop_variable(first_name(stmt, i), extent, stmt.target->span));
        values.push_back(vars.back());
        const bool is_unrolled = i < loop.attrs.size() && loop.attrs[i].what == ir::LoopAttr::What::UnrollExplicit;
        if (const auto trips = ir::constant_int(extent); trips && is_unrolled)
            m_unrolled[vars.back().get()] = *trips;
    }
    ir::StmtRef body = loop_body(stmt, values, loop.bind_tuple, context);
    for (std::size_t i = vars.size(); i-- > 0;) {
        if (context.broken && i + 1 < vars.size())
            body = ir::make_seq({body, ir::make_if(context.broken, ir::make_break())});
        ir::LoopAttr attr = i < loop.attrs.size() ? loop.attrs[i] : ir::LoopAttr{};
        if (attr.what == ir::LoopAttr::What::UnrollExplicit && !ir::constant_int(extents[i]))
            fail(DiagId::ScriptUnrollExtent, stmt.iterable->span);
        body = ir::make_for(vars[i], typed(stmt.target->span, [&] { return ir::cast_to(extents[i], vars[i]->type); }),
                            attr, body);
        ir::set_origin(body, {m_statement_span, 0});
    }
    emit(body);
}

void Translator::mapping_loop(const ast::For& stmt, const LoopIterable& loop, const Loop& context) {
    ir::ExprRef worker = loop_bound(loop.worker, stmt, "worker");
    m_env->push("loop", m_statement_span);
    ir::VarVec vars;
    ir::ExprVec values;
    for (std::size_t i = 0; i < loop.rank(); ++i) {
        vars.push_back(loop_variable(first_name(stmt, i), number(0), stmt.target->span));
        values.push_back(vars.back());
    }
    ir::StmtRef body = loop_body(stmt, values, loop.bind_tuple, context);
    emit(ir::make_for_mapping(vars, loop.mapping, worker, body));
}

void Translator::poison_target(const ast::Expr& target) {
    NameCounts names;
    count_target(target, 1, names);
    for (const auto& [name, count] : names)
        m_env->declare(name, Binding{Value::unknown(), target.span, false, false, nullptr});
}

} // namespace hidet::lang
