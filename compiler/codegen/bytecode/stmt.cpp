// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/artifact/tensor_map.h"
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/family.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/structure.h"

namespace hidet::compiler::bytecode {

using artifact::flag_blend;
using artifact::flag_may_block;
using artifact::flag_negate;

std::int32_t ValueGenerator::string(const std::string& text) {
    auto [it, is_new] = m_strings.try_emplace(text, 0);
    if (is_new) {
        auto found = std::find(m_program.strings.begin(), m_program.strings.end(), text);
        it->second = static_cast<std::int32_t>(found - m_program.strings.begin());
        if (found == m_program.strings.end())
            m_program.strings.push_back(text);
    }
    return it->second;
}

Variable& variable_in(Instance& instance, const ir::Var& var) {
    Variable* v = &instance.variables[&var];
    while (v->alias)
        v = v->alias;
    return *v;
}

void ExprGenerator::bind(const ir::VarRef& var, Value value) {
    Variable& v = variable(*var);
    give_name(value);
    v.value = std::move(value);
    v.parts.clear();
    v.array = v.shared = -1;
}

void ExprGenerator::give_name(const Value& value) {
    m_builder.name(value.reg);
    m_builder.name(value.sum.u);
    m_builder.name(value.sum.v);
    for (const Value& lane : value.lanes)
        give_name(lane);
    if (!value.place)
        return;
    if (value.place->space == Space::Pointer)
        m_builder.name(value.place->base);
    m_builder.name(value.place->shift.u), m_builder.name(value.place->shift.v);
    for (const Term& term : value.place->terms)
        m_builder.name(term.index.u), m_builder.name(term.index.v);
}

// A name that stands for a value must not follow the variable that the value was read from.
void ValueGenerator::freeze(std::int32_t& reg, Scalar type) {
    if (reg < 0)
        return;
    const VirtualRegister& info = is_u(reg) ? m_builder.u[static_cast<std::size_t>(artifact::register_of(reg))]
                                            : m_builder.v[static_cast<std::size_t>(reg)];
    if (!info.is_variable)
        return;
    std::int32_t copy = is_u(reg) ? m_builder.new_u() : m_builder.new_v(type);
    m_builder.emit({.op = Op::Move, .type = type, .dst = copy, .a = reg});
    reg = copy;
}

Value ValueGenerator::frozen(Value value) {
    if (value.kind == Value::Kind::Register)
        freeze(value.reg, value.type);
    if (value.kind == Value::Kind::Sum) {
        freeze(value.sum.u, Scalar::I64);
        freeze(value.sum.v, value.sum.wide ? Scalar::I64 : Scalar::I32);
    }
    for (Value& lane : value.lanes)
        lane = frozen(lane);
    if (value.kind == Value::Kind::Pointer) {
        value.place = std::make_shared<Place>(*value.place);
        if (value.place->space == Space::Pointer)
            freeze(value.place->base, Scalar::U64);
        freeze(value.place->shift.u, Scalar::I64);
        freeze(value.place->shift.v, value.place->shift.wide ? Scalar::I64 : Scalar::I32);
        for (Term& term : value.place->terms) {
            freeze(term.index.u, Scalar::I64);
            freeze(term.index.v, term.index.wide ? Scalar::I64 : Scalar::I32);
            freeze(term.stride_u, Scalar::I64);
            freeze(term.extent_u, Scalar::I64);
        }
    }
    return value;
}

void ValueGenerator::know(const std::string& name, const Value& value) {
    artifact::NamedValue known{.name = name, .type = value.type};
    switch (value.kind) {
    case Value::Kind::Constant: known.constant = value.bits; break;
    case Value::Kind::Register:
        (is_u(value.reg) ? known.u : known.v) = value.reg;
        known.is_wide = artifact::scalar_words(value.type) == 2;
        break;
    case Value::Kind::Sum:
        known.constant = static_cast<std::uint64_t>(value.sum.constant);
        known.u = value.sum.u, known.v = value.sum.v, known.is_wide = value.sum.wide;
        break;
    default: return; // a pointer, or several numbers
    }
    m_builder.know(std::move(known));
}

Value ValueGenerator::new_variable(Scalar type, bool varying) {
    return in_register(varying && m_is_kernel ? m_builder.new_v(type, true) : m_builder.new_u(true), type);
}

void ValueGenerator::assign_register(std::int32_t reg, int declared_depth, const Value& value) {
    std::int32_t source = operand(value);
    std::uint8_t flags = is_v(reg) && depth() > declared_depth ? flag_blend : std::uint8_t{0};
    if (source == reg)
        return;
    bool same_bank = is_u(source) == is_u(reg);
    if (Instr* last = m_builder.last_definition(source); last && same_bank) {
        last->dst = reg;
        last->flags |= flags;
        return;
    }
    m_builder.emit({.op = Op::Move, .type = value.type, .flags = flags, .dst = reg, .a = source});
}

void ExprGenerator::assign(Variable& info, const Value& value) {
    if (!info.parts.empty()) {
        for (std::size_t i = 0; i < info.parts.size(); ++i)
            assign_register(info.parts[i].reg, info.generated_depth, value.lanes.empty() ? value : value.lanes.at(i));
        return;
    }
    assign_register(info.value.reg, info.generated_depth, value);
}

void ExprGenerator::declare_in_memory(const ir::VarRef& var, Variable& info, Scalar element, std::int64_t count,
                                      bool packed) {
    if (info.array < 0) {
        info.array = static_cast<std::int32_t>(m_out.locals.size());
        int bytes = artifact::scalar_bytes(element);
        std::int64_t words = packed ? (count * bytes + 3) / 4 : count * artifact::scalar_words(element);
        // A thread of a kernel has its array in registers; host functions have real memory.
        if (words > (m_is_kernel ? 1 << 16 : 1 << 26))
            unsupported(*var, cat("the local tensor '", var->name, "' of ", count, " elements"));
        ArrayKind kind = !packed && artifact::scalar_words(element) == 2 ? ArrayKind::Wide : ArrayKind::Narrow;
        std::int32_t first =
            m_is_kernel ? m_builder.new_array(static_cast<int>(std::max<std::int64_t>(1, words)), kind) : -1;
        m_out.locals.push_back(
            {.name = string(var->name), .first = first, .count = count, .element = element, .packed = packed});
        m_local_depth.push_back(depth());
    }
    m_local_depth[static_cast<std::size_t>(info.array)] = depth();
    if (m_is_kernel)
        m_builder.undefine(m_out.locals[static_cast<std::size_t>(info.array)].first, string(var->name));
}

void ExprGenerator::share(const ir::Var& var, Variable& info, const Stored& memory) {
    if (info.shared >= 0)
        return;
    info.shared = static_cast<std::int32_t>(m_out.shared.size());
    m_out.shared.push_back({.name = string(var.name),
                            .bytes = memory.count * artifact::scalar_bytes(memory.scalar),
                            .element = memory.scalar});
}

void ExprGenerator::declare_tensor(const ir::DeclareStmt& stmt, Variable& info) {
    ir::TypeRef element = ir::element_of(stmt.var->type);
    std::int64_t count = -1;
    if (const auto* array = ir::as<ir::ArrayType>(stmt.var->type))
        count = array->count;
    else if (const ir::TensorType* tensor = ir::tensor_of(stmt.var->type))
        if (auto size = ir::constant_int(ir::size_of(ir::layout_of(*tensor))))
            count = *size;
    if (count < 0)
        unsupported(*stmt.var, cat("the tensor '", stmt.var->name, "' with a shape that is not constant"));
    const auto dtype = ir::scalar_of(element);
    const bool has_lanes = dtype && ir::has_lanes(*dtype), is_subbyte = dtype && ir::is_subbyte(*dtype);
    const Stored memory = stored(element, count);
    if (stmt.scope == ir::Scope::Shared) {
        share(*stmt.var, info, memory);
        return;
    }
    const bool packed = info.escapes || has_lanes || !m_is_kernel;
    if (is_subbyte && !packed) // a register for each element
        return declare_in_memory(stmt.var, info, scalar_of_type(element), count, false);
    declare_in_memory(stmt.var, info, memory.scalar, memory.count, packed);
}

void ExprGenerator::declare(const ir::DeclareStmt& stmt) {
    Variable& info = variable(*stmt.var);
    info.generated_depth = depth();
    bool is_tensor = ir::is_array(stmt.var->type);
    if (ir::is_tensor_map(stmt.var->type)) {
        declare_in_memory(stmt.var, info, Scalar::U8, artifact::TensorMap::bytes, true);
        return;
    }
    if (info.array == -2)
        info.array = -1;
    if (info.shared == -2)
        info.shared = -1;
    if (is_tensor && stmt.init) {
        bind(stmt.var, frozen(gen(stmt.init)));
        return;
    }
    if (is_tensor) {
        declare_tensor(stmt, info);
        return;
    }
    if (stmt.scope == ir::Scope::Shared) {
        share(*stmt.var, info, stored(stmt.var->type, 1));
        return;
    }
    if (!info.assigned && !info.escapes && stmt.init) {
        bind(stmt.var, frozen(gen_named(stmt.init)));
        return know(stmt.var->name, info.value);
    }
    if (info.escapes) {
        const Stored memory = stored(stmt.var->type, 1);
        declare_in_memory(stmt.var, info, memory.scalar, memory.count, true);
        if (stmt.init)
            store(*place_of_variable(*stmt.var), stmt.var->type, gen(stmt.init));
        return;
    }
    Value init = stmt.init ? gen(stmt.init) : Value{};
    const Value made = new_value(stmt.var->type, info.varying);
    info.parts = made.lanes;
    if (info.parts.empty())
        info.value = made;
    touch(made);
    if (info.parts.empty())
        know(stmt.var->name, info.value);
    if (stmt.init)
        return assign(info, init);
    if (!m_is_kernel)
        return;
    for (const Value& part : info.parts)
        m_builder.undefine(part.reg, string(stmt.var->name));
    if (info.parts.empty())
        m_builder.undefine(info.value.reg, string(stmt.var->name));
}

bool Generator::gen(const ir::StmtRef& stmt) {
    if (!stmt)
        return true;
    if (stmt->origin.known())
        m_builder.set_origin(stmt->origin);
    switch (ir::kind_of(*stmt)) {
    case ir::StmtKind::EvaluateStmt: gen(static_cast<const ir::EvaluateStmt&>(*stmt).value); return true;
    case ir::StmtKind::DeclareStmt: declare(static_cast<const ir::DeclareStmt&>(*stmt)); return true;
    case ir::StmtKind::StoreStmt: {
        const auto& s = static_cast<const ir::StoreStmt&>(*stmt);
        if (s.is_protected) {
            const ir::TensorType* tensor = ir::tensor_of(s.base->type);
            HIDET_CHECK(tensor, "protected store to a plain pointer");
            auto inside = ir::within_bound(ir::layout_of(*tensor), s.indices);
            ir::StmtRef guarded = ir::make_if(inside, ir::make_store(s.base, s.indices, s.value));
            return gen(guarded);
        }
        Value value = gen(s.value);
        if (value.kind == Value::Kind::Pointer)
            value = materialise(value);
        m_builder.set_origin(stmt->origin.known() ? stmt->origin : m_builder.origin());
        store(*place_of_element(s.base, s.indices), ir::element_of(s.base->type), value);
        return true;
    }
    case ir::StmtKind::AssignStmt: {
        const auto& s = static_cast<const ir::AssignStmt&>(*stmt);
        Value value = gen(s.value);
        Variable& info = variable(*s.var);
        if (info.reference || info.array >= 0 || info.shared >= 0)
            store(*place_of_variable(*s.var), s.var->type, value);
        else
            assign(info, value);
        return true;
    }
    case ir::StmtKind::ReturnStmt: return gen_return(static_cast<const ir::ReturnStmt&>(*stmt));
    case ir::StmtKind::ForStmt: return gen_for(static_cast<const ir::ForStmt&>(*stmt));
    case ir::StmtKind::WhileStmt: return gen_while(static_cast<const ir::WhileStmt&>(*stmt));
    case ir::StmtKind::BreakStmt: return gen_leave_loop(true);
    case ir::StmtKind::ContinueStmt: return gen_leave_loop(false);
    case ir::StmtKind::IfStmt: return gen_if(static_cast<const ir::IfStmt&>(*stmt));
    case ir::StmtKind::AssertStmt: {
        const auto& s = static_cast<const ir::AssertStmt&>(*stmt);
        std::int32_t condition = operand(gen(s.condition));
        m_builder.emit({.op = Op::Assert, .type = Scalar::Bool, .a = condition, .x = string(s.message)});
        return true;
    }
    case ir::StmtKind::CommentStmt: return true;
    case ir::StmtKind::SeqStmt: return gen_seq(static_cast<const ir::SeqStmt&>(*stmt));
    case ir::StmtKind::LaunchStmt: gen_launch(static_cast<const ir::LaunchStmt&>(*stmt)); return true;
    case ir::StmtKind::AsmStmt: unsupported(*stmt, "inline assembly");
    case ir::StmtKind::ForMappingStmt: unsupported(*stmt, "a loop over a task mapping that was not lowered");
    }
    ir::no_such_kind(*stmt);
}

bool Generator::gen_seq(const ir::SeqStmt& stmt) {
    const std::int32_t outer = m_builder.known;
    const bool falls = std::ranges::all_of(stmt.stmts, [&](const ir::StmtRef& s) { return gen(s); });
    m_builder.known = outer;
    return falls;
}

void ExprGenerator::gen_if_v(std::int32_t condition, bool may_block_inside, const std::function<void()>& then_body,
                             const std::function<void()>& else_body) {
    int other = m_builder.new_label(), end = m_builder.new_label();
    m_builder.emit({.op = Op::If,
                    .type = Scalar::Bool,
                    .flags = may_block_inside ? flag_may_block : std::uint8_t{0},
                    .a = condition,
                    .x = else_body ? other : end});
    m_frames.push_back({else_body ? other : end});
    m_builder.start_scope();
    then_body();
    m_builder.stop_scope();
    if (else_body) {
        m_frames.back().closer = end;
        m_builder.place(other);
        m_builder.emit({.op = Op::Else, .x = end});
        m_builder.start_scope();
        else_body();
        m_builder.stop_scope();
    }
    m_frames.pop_back();
    m_builder.place(end);
    m_builder.emit({.op = Op::EndIf, .x = closer()});
}

bool Generator::gen_if(const ir::IfStmt& stmt) {
    Value condition = gen(stmt.condition);
    if (condition.is_constant())
        return gen(condition.integer() ? stmt.then_body : stmt.else_body);
    std::int32_t test = operand(condition);
    if (is_v(test)) {
        bool blocks = may_block(ir::NodeRef(stmt.then_body)) || may_block(ir::NodeRef(stmt.else_body));
        std::function<void()> else_body;
        if (stmt.else_body)
            else_body = [&] { gen(stmt.else_body); };
        gen_if_v(
            test, blocks, [&] { gen(stmt.then_body); }, else_body);
        return true;
    }
    int other = m_builder.new_label(), end = m_builder.new_label();
    m_builder.emit({.op = Op::JumpIf, .type = Scalar::Bool, .flags = flag_negate, .a = test, .x = other});
    m_builder.start_scope();
    bool then_falls = gen(stmt.then_body);
    m_builder.stop_scope();
    if (stmt.else_body && then_falls)
        m_builder.emit({.op = Op::Jump, .x = end});
    m_builder.place(other);
    m_builder.start_scope();
    bool else_falls = gen(stmt.else_body);
    m_builder.stop_scope();
    m_builder.place(end);
    return then_falls || else_falls;
}

namespace {

// Nodes of a body once its constant loops are unrolled; stops counting at `limit`.
std::int64_t unrolled_size(const ir::NodeRef& node, std::int64_t limit) {
    if (!node)
        return 0;
    if (ir::is_expr(*node))
        return node->size;
    std::int64_t size = 1;
    ir::for_each_child(*node, [&](const ir::Node* child_node) {
        ir::NodeRef child(child_node);
        if (size < limit && child && ir::runs(*child))
            size += unrolled_size(child, limit);
    });
    if (const auto* loop = ir::as<ir::ForStmt>(node))
        if (auto extent = ir::constant_int(loop->extent))
            size = *extent > limit ? limit : size * std::max<std::int64_t>(1, *extent);
    return std::min(size, limit);
}

bool leaves_loop(const ir::NodeRef& node) {
    if (!node)
        return false;
    if (!ir::is_stmt(*node))
        return false;
    if (node->kind == ir::Kind::BreakStmt || node->kind == ir::Kind::ContinueStmt)
        return true;
    if (node->kind == ir::Kind::ForStmt || node->kind == ir::Kind::WhileStmt) // its own
        return false;
    bool leaves = false;
    ir::for_each_child(*node, [&](const ir::Node* child_node) {
        ir::NodeRef child(child_node);
        leaves = leaves || leaves_loop(child);
    });
    return leaves;
}

constexpr std::int64_t unroll_limit = 6'000; // nodes
// Of short loops nobody asked for: a step along k of a tile in registers, of which several are summed together.
constexpr std::int64_t short_limit = 40'000;
constexpr std::int64_t unroll_extent = 16;

} // namespace

bool Generator::should_unroll(const ir::ForStmt& stmt, std::int64_t extent) const {
    bool asked = stmt.attr.what == ir::LoopAttr::What::UnrollExplicit || stmt.attr.what == ir::LoopAttr::What::Unroll;
    if (!m_is_kernel || extent > (asked ? 256 : unroll_extent) || leaves_loop(ir::NodeRef(stmt.body)))
        return false;
    if (!asked && may_block(ir::NodeRef(stmt.body)))
        return false;
    const std::int64_t limit = asked ? unroll_limit : short_limit;
    return unrolled_size(ir::NodeRef(&stmt), limit) < limit;
}

Generator::LoopInfo Generator::open_loop(bool is_masked) {
    LoopInfo loop{.break_label = m_builder.new_label(),
                  .continue_label = m_builder.new_label(),
                  .top = m_builder.new_label(),
                  .frame = -1};
    if (is_masked) {
        loop.frame = depth();
        m_builder.emit({.op = Op::LoopBegin});
        m_frames.push_back({loop.continue_label});
    }
    m_builder.start_loop();
    m_builder.place(loop.top);
    return loop;
}

void Generator::test_turn(const LoopInfo& loop, std::int32_t test, const ir::StmtRef& body) {
    if (is_v(test))
        m_builder.emit({.op = Op::LoopTest,
                        .type = Scalar::Bool,
                        .flags = may_block(ir::NodeRef(body)) ? flag_may_block : std::uint8_t{0},
                        .a = test,
                        .x = loop.break_label});
    else
        m_builder.emit(
            {.op = Op::JumpIf, .type = Scalar::Bool, .flags = flag_negate, .a = test, .x = loop.break_label});
}

void Generator::gen_turn(const LoopInfo& loop, const ir::StmtRef& body) {
    m_loops.push_back(loop);
    gen(body);
    m_loops.pop_back();
    m_builder.place(loop.continue_label);
}

void Generator::close_loop(const LoopInfo& loop) {
    const bool is_masked = loop.frame >= 0;
    m_builder.emit({.op = is_masked ? Op::LoopNext : Op::Jump, .x = loop.top});
    m_builder.stop_loop();
    m_builder.place(loop.break_label);
    if (is_masked) {
        m_frames.pop_back();
        m_builder.emit({.op = Op::LoopEnd, .x = closer()});
    }
}

bool Generator::gen_for(const ir::ForStmt& stmt) {
    Value extent = gen(stmt.extent);
    bool masked = m_instance->masked.contains(&stmt) && m_is_kernel;
    if (extent.is_constant() && extent.integer() <= 0)
        return true;
    if (extent.is_constant() && !masked && should_unroll(stmt, extent.integer())) {
        for (std::int64_t i = 0; i < extent.integer(); ++i) {
            const std::int32_t outer = m_builder.known;
            bind(stmt.var, constant(i, scalar_of_type(stmt.var->type)));
            know(stmt.var->name, variable(*stmt.var).value);
            const bool falls = gen(stmt.body);
            m_builder.known = outer;
            if (!falls)
                return false;
        }
        return true;
    }
    Scalar type = scalar_of_type(stmt.var->type);
    std::int32_t limit = operand(frozen(extent));
    Value counter = in_register(m_builder.new_u(true), type);
    m_builder.emit({.op = Op::Move, .type = type, .dst = counter.reg, .a = m_builder.constant(0)});
    const LoopInfo loop = open_loop(masked);
    test_turn(loop, m_builder.emit_value(Op::Lt, extent.type, Scalar::Bool, counter.reg, limit), stmt.body);
    // The counter is a variable, but it keeps its value for the whole turn: a name for it needs no copy.
    Value in_body = in_register(m_builder.new_u(), type);
    m_builder.emit({.op = Op::Move, .type = type, .dst = in_body.reg, .a = counter.reg});
    bind(stmt.var, in_body);
    const std::int32_t outer = m_builder.known;
    know(stmt.var->name, in_body);
    gen_turn(loop, stmt.body);
    m_builder.known = outer;
    m_builder.emit({.op = Op::Add, .type = type, .dst = counter.reg, .a = counter.reg, .b = m_builder.constant(1)});
    close_loop(loop);
    return true;
}

bool Generator::gen_while(const ir::WhileStmt& stmt) {
    bool masked = m_instance->masked.contains(&stmt) && m_is_kernel;
    const LoopInfo loop = open_loop(masked);
    if (waits(ir::NodeRef(&stmt)))
        m_builder.emit({.op = Op::Spin});
    Value condition = gen(stmt.condition);
    if (!condition.is_constant() || !condition.integer())
        test_turn(loop, operand(condition), stmt.body);
    gen_turn(loop, stmt.body);
    close_loop(loop);
    return true;
}

bool Generator::gen_leave_loop(bool is_break) {
    HIDET_CHECK(!m_loops.empty(), "break or continue outside of a loop");
    const LoopInfo& loop = m_loops.back();
    if (loop.frame < 0) {
        m_builder.emit({.op = Op::Jump, .x = is_break ? loop.break_label : loop.continue_label});
        return false;
    }
    m_builder.emit({.op = is_break ? Op::Break : Op::Continue, .c = frames_above(loop.frame), .x = closer()});
    return false;
}

bool Generator::gen_return(const ir::ReturnStmt& stmt) {
    if (!m_regions.empty()) {
        if (stmt.value) {
            Value value = gen(stmt.value);
            assign_value(m_regions.back().result, m_regions.back().depth, value);
        }
        const RegionInfo& region = m_regions.back();
        if (region.frame >= 0)
            m_builder.emit({.op = Op::Leave, .c = frames_above(region.frame), .x = closer()});
        else
            m_builder.emit({.op = Op::Jump, .x = region.end_label});
        return false;
    }
    if (m_is_kernel) {
        m_builder.emit({.op = Op::Exit, .c = depth(), .x = closer()});
        return false;
    }
    std::int32_t value = no_operand;
    if (stmt.value)
        value = operand(gen(stmt.value));
    m_builder.emit({.op = Op::Return, .type = m_out.return_type, .a = value});
    return false;
}

void Generator::gen_launch(const ir::LaunchStmt& stmt) {
    int row = artifact::function_index(m_program, stmt.kernel);
    HIDET_CHECK(row >= 0, "launch of an unknown kernel " + stmt.kernel);
    artifact::Launch launch;
    launch.function = row;
    for (const ir::ExprRef& arg : stmt.args)
        launch.args.push_back(operand(gen(arg)));
    auto three = [&](const ir::ExprVec& dims, std::int32_t(&out)[3]) {
        for (std::size_t d = 0; d < 3; ++d)
            out[d] = d < dims.size() ? operand(gen(dims[d])) : m_builder.constant(1);
    };
    three(stmt.grid, launch.grid);
    three(stmt.block, launch.block);
    three(stmt.cluster, launch.cluster);
    launch.dynamic_shared = stmt.dynamic_smem_bytes ? operand(gen(stmt.dynamic_smem_bytes)) : m_builder.constant(0);
    m_out.launches.push_back(std::move(launch));
    m_builder.set_origin(stmt.origin.known() ? stmt.origin : m_builder.origin());
    m_builder.emit({.op = Op::Launch, .x = static_cast<std::int32_t>(m_out.launches.size()) - 1});
}

namespace {

template <class F>
bool any_intrinsic(const ir::Module& module, const ir::NodeRef& node, const F& test, int calls = 0) {
    if (!node || !ir::runs(*node))
        return false;
    if (const auto* e = ir::as<ir::Intrinsic>(node); e && test(e->id))
        return true;
    if (const auto* call = ir::as<ir::Call>(node); call && calls < 64)
        if (const ir::Function* callee = ir::find_function(module, call->callee))
            if (any_intrinsic(module, ir::NodeRef(callee->body), test, calls + 1))
                return true;
    bool any = false;
    ir::for_each_child(*node, [&](const ir::Node* child_node) {
        ir::NodeRef child(child_node);
        any = any || any_intrinsic(module, child, test, calls);
    });
    return any;
}

} // namespace

bool ExprGenerator::may_block(const ir::NodeRef& node) const {
    return any_intrinsic(m_module, node, [](ir::IntrinsicId id) {
        const ir::Does does = ir::info(id).does;
        return does == ir::Does::JoinsBlock || does == ir::Does::Awaits;
    });
}

bool Generator::waits(const ir::NodeRef& node) const {
    return any_intrinsic(m_module, node, [](ir::IntrinsicId id) { return ir::info(id).does == ir::Does::Observes; });
}

} // namespace hidet::compiler::bytecode
