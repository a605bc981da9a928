// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <functional>

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/rewrite.h"
#include "lang/base/numeric.h"

namespace hidet::compiler::bytecode {

using ir::BinOp;

void unsupported(const ir::Node& node, const std::string& what) {
    fail(DiagId::EmulateUnsupported, node.origin.span, what);
}

Value ValueGenerator::constant(std::int64_t bits, Scalar type) {
    return {.kind = Value::Kind::Constant, .type = type, .bits = static_cast<std::uint64_t>(bits)};
}

Value ValueGenerator::in_register(std::int32_t reg, Scalar type) {
    return {.kind = Value::Kind::Register, .type = type, .reg = reg};
}

std::int32_t ValueGenerator::operand(const Value& value) {
    if (value.kind == Value::Kind::Constant)
        return m_builder.constant(value.bits);
    if (value.kind == Value::Kind::Pointer)
        return materialise(value).reg;
    if (value.kind == Value::Kind::Sum)
        return add_up(value);
    HIDET_CHECK(value.kind == Value::Kind::Register, "a value that has no register");
    return value.reg;
}

std::int32_t ValueGenerator::v_operand(const Value& value) {
    std::int32_t reg = operand(value);
    if (is_v(reg))
        return reg;
    std::int32_t dst = m_builder.new_v(value.type);
    m_builder.emit({.op = Op::Move, .type = value.type, .dst = dst, .a = reg});
    return dst;
}

Value ExprGenerator::gen_constant(const ir::Constant& e) {
    auto dtype = ir::scalar_of(e.type);
    if (!dtype) {
        if (const auto* bits = std::get_if<std::int64_t>(&e.value))
            return constant(*bits, Scalar::U64);
        unsupported(e, "a text as a value");
    }
    if (ir::is_complex(*dtype)) {
        const ir::DType part = ir::info(*dtype).lane;
        return gen_cast(gen_constant(*ir::as<ir::Constant>(ir::make_constant(e.value, ir::data_type(part)))),
                        ir::data_type(part), e.type);
    }
    if (ir::is_vector(*dtype)) {
        Value vector{.kind = Value::Kind::Vector};
        ir::Constant lane = e;
        lane.type = ir::data_type(ir::info(*dtype).lane);
        vector.lanes.assign(static_cast<std::size_t>(ir::lanes_of(*dtype)), gen_constant(lane));
        return vector;
    }
    Scalar type = scalar_of_dtype(*dtype);
    double number = std::holds_alternative<double>(e.value) ? std::get<double>(e.value)
                                                            : static_cast<double>(std::get<std::int64_t>(e.value));
    switch (type) {
    case Scalar::F64: return constant(std::bit_cast<std::int64_t>(number), type);
    case Scalar::F32: return constant(std::bit_cast<std::uint32_t>(static_cast<float>(number)), type);
    case Scalar::TF32:
        return constant(std::bit_cast<std::uint32_t>(static_cast<float>(ir::round_to(number, *dtype))), type);
    case Scalar::F16: return constant(f32_to_f16(static_cast<float>(ir::round_to(number, *dtype))), type);
    case Scalar::BF16: return constant(f32_to_bf16(static_cast<float>(ir::round_to(number, *dtype))), type);
    case Scalar::F8E4M3:
    case Scalar::F8E5M2:
        return constant(type == Scalar::F8E4M3 ? f32_to_e4m3(static_cast<float>(ir::round_to(number, *dtype)))
                                               : f32_to_e5m2(static_cast<float>(ir::round_to(number, *dtype))),
                        type);
    default: break;
    }
    std::int64_t integer = std::holds_alternative<std::int64_t>(e.value) ? std::get<std::int64_t>(e.value)
                                                                         : static_cast<std::int64_t>(number);
    return constant(artifact::wrapped(type, integer), type);
}

Value ExprGenerator::builtin(ir::Builtin which) {
    using ir::Builtin;
    int index = static_cast<int>(which);
    if (!m_is_kernel)
        return constant(0, Scalar::I32);
    if (which <= Builtin::ThreadIdxZ) {
        return made({.op = Op::ThreadIdx, .type = Scalar::I32, .dst = m_builder.new_v(Scalar::I32), .x = index},
                    Scalar::I32);
    }
    const auto special = [&](int row) {
        std::int32_t dst = m_builder.new_u();
        m_builder.emit({.op = Op::Special, .type = Scalar::I32, .dst = dst, .x = row});
        return dst;
    };
    if (which == Builtin::ClusterThreadRank) {
        std::int32_t lane = m_builder.new_v(Scalar::I32);
        m_builder.emit({.op = Op::LaneIdx, .type = Scalar::I32, .dst = lane});
        std::int32_t before = special(9); // the rank of the block, then the threads of each before it
        for (int dimension = 3; dimension < 6; ++dimension)
            before = m_builder.emit_value(Op::Mul, Scalar::I32, before, special(dimension));
        return made(Op::Add, Scalar::I32, lane, before);
    }
    return in_register(special(which == Builtin::ClusterBlockRank    ? 9
                               : which == Builtin::ClusterDimThreads ? 11
                               : which == Builtin::ClusterDimBlocks  ? 10
                                                                     : index - 3),
                       Scalar::I32);
}

// A kernel reads a symbol once, at its start; a host function whenever it wants it.
Value ExprGenerator::symbol(const std::string& name, Scalar type) {
    if (auto it = m_symbols.find(name); it != m_symbols.end())
        return in_register(it->second, type);
    std::int32_t dst = m_builder.new_u();
    Instr instr{.op = Op::Symbol, .type = type, .dst = dst, .x = string(name)};
    if (!m_is_kernel) {
        m_builder.emit(instr);
        return in_register(dst, type);
    }
    m_prologue.push_back({.instr = instr, .origin = m_builder.origin()});
    m_symbols[name] = dst;
    return in_register(dst, type);
}

Value ExprGenerator::gen(const ir::ExprRef& expr) {
    Origin outer = m_builder.origin();
    if (expr->origin.known())
        m_builder.set_origin(expr->origin);
    struct Restore {
        Builder& builder;
        Origin origin;
        ~Restore() { builder.set_origin(origin); }
    } restore{m_builder, outer};
    switch (ir::kind_of(*expr)) {
    case ir::ExprKind::Var: {
        const auto& var = static_cast<const ir::Var&>(*expr);
        Variable& v = variable(var);
        if (v.reference)
            return load(*v.reference, ir::is_pointer(var.type) ? var.type : ir::data_type(*ir::scalar_of(var.type)));
        if (v.array >= 0 || v.shared >= 0) {
            auto place = place_of_variable(var);
            if (ir::is_array(var.type) || ir::is_tensor_map(var.type))
                return {.kind = Value::Kind::Pointer, .type = Scalar::U64, .place = place};
            return load(*place, var.type);
        }
        if (!v.parts.empty())
            return {.kind = Value::Kind::Vector, .lanes = v.parts};
        if (v.value.kind == Value::Kind::None) {
            for (std::size_t g = 0; g < m_program.globals.size() && g < m_module.globals.size(); ++g)
                if (m_module.globals[g].get() == &var) {
                    auto place = place_of_variable(var);
                    if (ir::is_array(var.type))
                        return {.kind = Value::Kind::Pointer, .type = Scalar::U64, .place = place};
                    return load(*place, var.type);
                }
            internal_failure(__FILE__, __LINE__, "a variable is used where it is not declared", var.name);
        }
        return v.value;
    }
    case ir::ExprKind::SymbolVar:
        return symbol(static_cast<const ir::SymbolVar&>(*expr).name, scalar_of_type(expr->type));
    case ir::ExprKind::BuiltinVar: return builtin(static_cast<const ir::BuiltinVar&>(*expr).which);
    case ir::ExprKind::Constant: return gen_constant(static_cast<const ir::Constant&>(*expr));
    case ir::ExprKind::Unary: {
        const auto& e = static_cast<const ir::Unary&>(*expr);
        return gen_unary(e.op, gen(e.a));
    }
    case ir::ExprKind::Binary: return gen_binary(static_cast<const ir::Binary&>(*expr));
    case ir::ExprKind::TensorElement: {
        const auto& e = static_cast<const ir::TensorElement&>(*expr);
        if (e.is_protected) {
            const ir::TensorType* tensor = ir::tensor_of(e.base->type);
            HIDET_CHECK(tensor, "protected access of a plain pointer");
            auto inside = ir::within_bound(ir::layout_of(*tensor), e.indices);
            auto zero = ir::make_constant(std::int64_t{0}, e.type);
            if (auto dtype = ir::scalar_of(e.type); dtype && ir::is_float(*dtype))
                zero = ir::float_constant(0, *dtype);
            return gen(ir::make_select(inside, ir::make_element(e.base, e.indices), zero));
        }
        return load(*place_of_element(e.base, e.indices), e.type);
    }
    case ir::ExprKind::Call: return gen_call(static_cast<const ir::Call&>(*expr));
    case ir::ExprKind::Intrinsic: return gen_intrinsic(static_cast<const ir::Intrinsic&>(*expr));
    case ir::ExprKind::Let: {
        const auto& e = static_cast<const ir::Let&>(*expr);
        bind(e.var, frozen(gen_named(e.value)));
        return gen(e.body);
    }
    case ir::ExprKind::Cast: {
        const auto& e = static_cast<const ir::Cast&>(*expr);
        return gen_cast(gen(e.a), e.a->type, e.type);
    }
    case ir::ExprKind::Select: return gen_select(static_cast<const ir::Select&>(*expr));
    case ir::ExprKind::Deref: return load(*place_of_pointer(static_cast<const ir::Deref&>(*expr).pointer), expr->type);
    case ir::ExprKind::Address: {
        auto place = std::make_shared<Place>(*place_of_lvalue(static_cast<const ir::Address&>(*expr).place));
        check_whole(*expr, *place);
        return {.kind = Value::Kind::Pointer, .type = Scalar::U64, .place = std::move(place)};
    }
    case ir::ExprKind::TensorSlice: unsupported(*expr, cat("a ", ir::kind_name(expr->kind), " here"));
    }
    ir::no_such_kind(*expr);
}

Value ExprGenerator::gen_binary(const ir::Binary& e) {
    if (e.op == BinOp::And || e.op == BinOp::Or)
        return gen_logical(e);
    bool pointer_a = ir::is_pointer(e.a->type), pointer_b = ir::is_pointer(e.b->type);
    if ((e.op == BinOp::Add || e.op == BinOp::Sub) && (pointer_a != pointer_b)) {
        auto place = place_of_pointer(ir::ExprRef(&e));
        return {.kind = Value::Kind::Pointer, .type = Scalar::U64, .place = place};
    }
    Value a = gen(e.a);
    Value b = gen(e.b);
    if (auto dtype = ir::scalar_of(e.a->type); dtype && ir::is_complex(*dtype))
        return complex_arithmetic(e.op, a, b);
    if (e.op == BinOp::Sub && pointer_a && pointer_b) {
        std::int64_t bytes = std::max<std::int64_t>(1, ir::size_in_bytes(ir::element_of(e.a->type)));
        auto dtype = ir::scalar_of(ir::element_of(e.a->type));
        const bool is_subbyte = dtype && ir::is_subbyte(*dtype);
        if (is_subbyte)
            bytes = ir::bytes_of(ir::packing_of(*dtype).unit);
        a = in_register(operand(a), Scalar::I64);
        b = in_register(operand(b), Scalar::I64);
        Value difference = arithmetic_scalar(BinOp::Sub, a, b);
        const Value units =
            convert(arithmetic_scalar(BinOp::Div, difference, constant(bytes, Scalar::I64)), Scalar::I32);
        const int per_unit = is_subbyte ? ir::packing_of(*dtype).per_unit : 1;
        return arithmetic_scalar(BinOp::Mul, units, constant(per_unit, Scalar::I32));
    }
    return arithmetic(e.op, a, b);
}

bool ExprGenerator::is_safe(const ir::ExprRef& expr) const {
    switch (ir::kind_of(*expr)) {
    case ir::ExprKind::TensorElement:
    case ir::ExprKind::Deref:
    case ir::ExprKind::Call: return false;
    case ir::ExprKind::Binary: {
        const auto& e = static_cast<const ir::Binary&>(*expr);
        bool divides = e.op == BinOp::Div || e.op == BinOp::Mod || e.op == BinOp::FloorDiv || e.op == BinOp::FloorMod;
        auto dtype = ir::scalar_of(e.type);
        auto divisor = ir::constant_int(e.b);
        if (divides && dtype && ir::is_integer(*dtype) && !(divisor && *divisor != 0))
            return false;
        break;
    }
    case ir::ExprKind::Intrinsic:
        if (ir::info(static_cast<const ir::Intrinsic&>(*expr).id).effect != ir::IntrinsicEffect::Pure)
            return false;
        break;
    case ir::ExprKind::Var:
        if (auto it = m_instance->variables.find(static_cast<const ir::Var*>(expr.get()));
            it != m_instance->variables.end())
            if (it->second.escapes || it->second.reference)
                return false;
        break;
    case HIDET_LEAF_EXPRS:
    case HIDET_SHORTHAND_EXPRS:
    case ir::ExprKind::Unary:
    case ir::ExprKind::Cast:
    case ir::ExprKind::Select:
    case ir::ExprKind::Address: break;
    }
    bool safe = true;
    ir::for_each_child(*expr, [&](const ir::Node* child_node) {
        ir::NodeRef child(child_node);
        if (safe && child && ir::is_expr(*child))
            safe = is_safe(ir::cast<ir::Expr>(child));
    });
    return safe;
}

Value ExprGenerator::gen_logical(const ir::Binary& e) {
    bool is_and = e.op == BinOp::And;
    Value a = gen(e.a);
    if (a.is_constant())
        return (a.integer() != 0) == is_and ? gen(e.b) : a;
    if (is_safe(e.b)) {
        Value b = gen(e.b);
        if (b.is_constant())
            return (b.integer() != 0) == is_and ? a : b;
        return made(is_and ? Op::BitAnd : Op::BitOr, Scalar::Bool, operand(a), operand(b));
    }
    Value result = new_variable(Scalar::Bool, m_is_kernel);
    bool lanes = is_v(operand(a));
    assign_register(result.reg, depth(), a);
    // In a kernel the result is a v register; a condition that all threads share is asked for where it was computed.
    std::int32_t condition = lanes || !m_is_kernel ? result.reg : operand(a);
    int outer = depth();
    if (is_v(condition)) {
        std::int32_t wanted = condition;
        if (!is_and)
            wanted = m_builder.emit_value(Op::Not, Scalar::Bool, condition);
        gen_if_v(
            wanted, may_block(e.b), [&] { assign_register(result.reg, outer, gen(e.b)); }, nullptr);
        return result;
    }
    int end = m_builder.new_label();
    m_builder.emit({.op = Op::JumpIf,
                    .type = Scalar::Bool,
                    .flags = is_and ? artifact::flag_negate : std::uint8_t{0},
                    .a = condition,
                    .x = end});
    m_builder.start_scope();
    assign_register(result.reg, outer, gen(e.b));
    m_builder.stop_scope();
    m_builder.place(end);
    return result;
}

Value ExprGenerator::gen_select(const ir::Select& e) {
    Value condition = gen(e.condition);
    if (condition.is_constant())
        return gen(condition.integer() ? e.a : e.b);
    bool scalar = true;
    if (auto dtype = ir::scalar_of(e.type))
        scalar = !ir::has_lanes(*dtype);
    if (is_safe(e.a) && is_safe(e.b)) {
        auto choose = [&](const Value& a, const Value& b) {
            std::int32_t ra = operand(a), rb = operand(b);
            return made(Op::Select, a.type, ra, rb, operand(condition));
        };
        Value a = gen(e.a);
        Value b = gen(e.b);
        return scalar ? choose(a, b) : lane_wise(a, b, choose);
    }
    std::int32_t test = operand(condition);
    Value result = new_value(e.type, m_is_kernel);
    touch(result);
    int outer = depth();
    if (is_v(test)) {
        gen_if_v(
            test, may_block(ir::ExprRef(&e)), [&] { assign_value(result, outer, gen(e.a)); },
            [&] { assign_value(result, outer, gen(e.b)); });
        return result;
    }
    int other = m_builder.new_label(), end = m_builder.new_label();
    m_builder.emit({.op = Op::JumpIf, .type = Scalar::Bool, .flags = artifact::flag_negate, .a = test, .x = other});
    m_builder.start_scope();
    assign_value(result, outer, gen(e.a));
    m_builder.stop_scope();
    m_builder.emit({.op = Op::Jump, .x = end});
    m_builder.place(other);
    m_builder.start_scope();
    assign_value(result, outer, gen(e.b));
    m_builder.stop_scope();
    m_builder.place(end);
    return result;
}

// An inlined call. Its frame, when its threads come back at different times, is open while the body runs.
Value ExprGenerator::gen_call(const ir::Call& e) {
    const ir::Function* callee = ir::find_function(m_module, e.callee);
    if (!callee || !callee->body)
        unsupported(e, cat("the extern function '", e.callee, "'"));
    if (callee->func_kind == ir::FuncKind::CudaKernel)
        unsupported(e, cat("a call of the kernel '", e.callee, "'"));
    Instance* caller = m_instance;
    Instance* child = caller->calls.at(&e).get();
    std::vector<Value> args(e.args.size());
    for (std::size_t i = 0; i < e.args.size(); ++i) {
        const ir::VarRef& param = callee->params.at(i);
        if (!ir::as<ir::ReferenceType>(param->type))
            args[i] = frozen(gen(e.args[i]));
        else if (Variable& p = child->variables[param.get()]; !p.alias)
            p.reference = place_of_lvalue(e.args[i]);
    }
    RegionInfo region{
        .instance = child, .end_label = m_builder.new_label(), .frame = -1, .depth = depth(), .result = {}};
    bool returns = !ir::as<ir::VoidType>(callee->ret);
    if (returns) {
        region.result = new_value(callee->ret, child->result_varying && m_is_kernel);
        touch(region.result);
    }
    int outer_depth = depth();
    const std::int32_t outer_known = m_builder.known;
    m_builder.start_scope();
    if (child->leaves_apart) {
        region.frame = depth();
        m_builder.emit({.op = Op::RegionBegin});
        m_frames.push_back({region.end_label});
    }
    m_instance = child;
    for (std::size_t i = 0; i < e.args.size(); ++i) {
        const ir::VarRef& param = callee->params[i];
        Variable& p = child->variables[param.get()];
        if (ir::as<ir::ReferenceType>(param->type))
            continue;
        p.generated_depth = depth();
        if (!p.assigned && !p.escapes) {
            give_name(args[i]);
            p.value = args[i];
            know(param->name, p.value);
            continue;
        }
        ir::DeclareStmt declaration;
        declaration.var = param;
        declare(declaration);
        if (p.array >= 0)
            store(*place_of_variable(*param), param->type, args[i]);
        else
            assign(p, args[i]);
    }
    m_regions.push_back(std::move(region));
    gen(callee->body);
    Value result = m_regions.back().result;
    int end = m_regions.back().end_label;
    m_regions.pop_back();
    m_instance = caller;
    m_builder.known = outer_known;
    m_builder.place(end);
    if (child->leaves_apart) {
        m_frames.pop_back();
        m_builder.emit({.op = Op::RegionEnd, .x = closer()});
    }
    m_builder.stop_scope();
    HIDET_CHECK(depth() == outer_depth);
    return result;
}

} // namespace hidet::compiler::bytecode
