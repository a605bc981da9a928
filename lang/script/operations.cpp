// SPDX-License-Identifier: Apache-2.0
#include "lang/script/operations.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/script/ir_queries.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

bool unknown(const Value& a) {
    return a.is(ValueKind::Unknown);
}

// The spans of both operands point at the operator's expression; the diagnostic marks the operand that does not fit.
[[noreturn]] void bad_operands(std::string_view op, const Value& a, const Value& b, Span a_span, Span b_span) {
    bool left_is_fine = can_be_expr(a) && !a.is(ValueKind::Str);
    fail(DiagId::ScriptBadOperands, left_is_fine ? b_span : a_span, op, describe(a), describe(b));
}

bool is_number_like(const Value& value) {
    return value.is_number() || value.is(ValueKind::Expr);
}

bool is_zero(const ir::ExprRef& expr) {
    auto number = ir::constant_number(expr);
    return number && *number == 0;
}

bool is_integer_expr(const ir::ExprRef& expr) {
    auto dtype = ir::scalar_of(expr->type);
    return dtype && ir::is_integer(*dtype);
}

// x ** n for a constant whole n: products, by repeated squaring.
ir::ExprRef power_by_products(const ir::ExprRef& base, std::int64_t exponent) {
    bool simple = ir::as<ir::Var>(base) || ir::as<ir::Constant>(base) || ir::as<ir::BuiltinVar>(base) || exponent == 1;
    ir::VarRef var = simple ? nullptr : ir::make_var("base", base->type);
    ir::ExprRef square = simple ? base : ir::ExprRef(var);
    ir::ExprRef out;
    for (std::int64_t n = exponent;;) {
        if (n & 1)
            out = out ? ir::mul(out, square) : square;
        n >>= 1;
        if (n == 0)
            break;
        square = ir::mul(square, square);
    }
    return simple ? out : ir::make_let(var, base, out);
}

ir::ExprRef power(const ir::ExprRef& a, const ir::ExprRef& b, Span span) {
    constexpr std::int64_t most = 64;
    if (auto n = ir::constant_int(b); n && *n >= 0 && *n <= most) {
        if (*n == 0) {
            ir::ExprRef one = ir::cast_to(ir::int_constant(1), a->type);
            return has_effect(a) ? ir::make_let(ir::make_var("base", a->type), a, one) : one;
        }
        return power_by_products(a, *n);
    }
    if (is_integer_expr(a) && is_integer_expr(b))
        fail(DiagId::ScriptIntegerPower, span);
    return ir::math(ir::IntrinsicId::Pow, {a, b});
}

// A pointer to anything counts bytes, as compilers of C have it.
ir::ExprRef move_by_bytes(ast::BinaryOp op, const ir::ExprRef& pointer, const ir::ExprRef& offset) {
    const ir::ExprRef bytes = ir::cast_to(pointer, ir::pointer_type(ir::data_type(ir::DType::U8)));
    return ir::cast_to(op == ast::BinaryOp::Add ? ir::add(bytes, offset) : ir::sub(bytes, offset), pointer->type);
}

bool is_void_pointer(const ir::ExprRef& expr) {
    const auto* pointer = ir::as<ir::PointerType>(expr->type);
    return pointer && ir::as<ir::VoidType>(pointer->base);
}

ir::ExprRef arithmetic(ast::BinaryOp op, const ir::ExprRef& a, const ir::ExprRef& b, Span b_span) {
    using Op = ast::BinaryOp;
    if ((op == Op::Add || op == Op::Sub) && is_void_pointer(a) && is_integer_expr(b))
        return move_by_bytes(op, a, b);
    if (op == Op::Add && is_integer_expr(a) && is_void_pointer(b))
        return move_by_bytes(op, b, a);
    bool divides = op == Op::Div || op == Op::FloorDiv || op == Op::Mod;
    if (divides && is_zero(b) && is_integer_expr(a) && is_integer_expr(b))
        fail(DiagId::ScriptDivisionByZero, b_span);
    switch (op) {
    case Op::Add: return ir::add(a, b);
    case Op::Sub: return ir::sub(a, b);
    case Op::Mul: return ir::mul(a, b);
    case Op::Div: return ir::div(a, b);
    case Op::FloorDiv: return ir::floor_div(a, b);
    case Op::Mod: return ir::floor_mod(a, b);
    case Op::Pow: return power(a, b, b_span);
    case Op::Shl: return ir::shift_left(a, b);
    case Op::Shr: return ir::shift_right(a, b);
    case Op::BitAnd: return ir::bit_and(a, b);
    case Op::BitOr: return ir::bit_or(a, b);
    case Op::BitXor: return ir::bit_xor(a, b);
    case Op::MatMul: break;
    }
    fail(DiagId::ScriptMatMul, b_span);
}

// make(b, a), with `a` evaluated first.
template <class F>
ir::ExprRef turned(const ir::ExprRef& a, const ir::ExprRef& b, F&& make) {
    bool acts = has_effect(a) || has_effect(b);
    if (!acts || ir::as<ir::Constant>(a) || ir::as<ir::Constant>(b))
        return make(b, a);
    ir::VarRef left = ir::make_var("left", a->type);
    return ir::make_let(left, a, make(b, left));
}

ir::ExprRef comparison(ast::CompareOp op, const ir::ExprRef& a, const ir::ExprRef& b) {
    switch (op) {
    case ast::CompareOp::Eq: return ir::equal(a, b);
    case ast::CompareOp::Ne: return ir::not_equal(a, b);
    case ast::CompareOp::Lt: return ir::less(a, b);
    case ast::CompareOp::Le: return ir::less_equal(a, b);
    case ast::CompareOp::Gt: return turned(a, b, ir::less);
    case ast::CompareOp::Ge: return turned(a, b, ir::less_equal);
    default: break;
    }
    return nullptr;
}

// A bit that is shifted to the sign of a signed type, beside an unsigned value of as many bits: what C++ compares as unsigned is
// another number here.
void warn_of_sign(const ir::ExprRef& shifted, const ir::ExprRef& other, Span span, DiagnosticSink& sink) {
    const auto* shift = ir::as<ir::Binary>(shifted);
    const auto type = ir::scalar_of(shifted->type), wanted = ir::scalar_of(other->type);
    const bool is_shift = shift && shift->op == ir::BinOp::Shl && type && wanted;
    if (!is_shift || !ir::is_integer(*wanted) || !ir::is_signed(*type) || ir::is_signed(*wanted) ||
        *wanted == ir::DType::Bool || ir::info(*type).bits > ir::info(*wanted).bits)
        return;
    const char* unsigned_name = ir::info(*wanted).short_name;
    sink.report(DiagId::ScriptSignedBits, span, ir::info(*type).short_name, unsigned_name,
                ir::info(*ir::promote(*type, *wanted)).short_name, unsigned_name);
}

// Types, layouts and mappings compare by structure, data types also with their names.
bool same_value(const Value& a, const Value& b) {
    if (a.is(ValueKind::Type) && b.is(ValueKind::Str)) {
        auto dtype = ir::find_dtype(b.as_str());
        return dtype && ir::scalar_of(a.as_type()) == dtype;
    }
    if (b.is(ValueKind::Type) && a.is(ValueKind::Str))
        return same_value(b, a);
    if (a.kind() != b.kind())
        return false;
    switch (a.kind()) {
    case ValueKind::Type: return ir::same_type(a.as_type(), b.as_type());
    case ValueKind::Layout: return ir::structural_equal(a.as_layout(), b.as_layout());
    case ValueKind::Mapping: return ir::structural_equal(a.as_mapping(), b.as_mapping());
    case ValueKind::Stmt: return a.as_stmt() == b.as_stmt();
    case ValueKind::Expr: return a.as_expr() == b.as_expr();
    default: return false;
    }
}

bool same_rank(const ir::ExprVec& a, const ir::ExprVec& b) {
    return a.size() == b.size();
}

} // namespace

void Operations::need_gpu(std::string_view name, Span span) {
    if (translator())
        translator()->use_on_gpu(std::string(name), span);
}

void Operations::need_host(std::string_view name, Span span) {
    if (translator())
        translator()->use_on_host(std::string(name), span);
}

ir::ExprVec Operations::fold_known(const ir::ExprVec& exprs) {
    return translator() ? translator()->fold_known(exprs) : exprs;
}

void Operations::close(Span site) {
    if (m_modules.empty())
        return;
    const Ref<ScriptModule> module = m_modules.back();
    m_modules.pop_back();
    if (m_has_ended)
        return;
    if (m_known.insert(module.get()).second)
        m_defined.emplace_back(module, site);
}

void Operations::finish() {
    for (const auto& [module, site] : m_defined) {
        if (module->is_taken())
            continue;
        if (const ir::ModuleRef readable = module->translated())
            m_eval.result().modules.push_back({readable, site, ModuleState::Defined});
    }
    m_defined.clear();
    m_known.clear();
    m_has_ended = true;
}

Value Operations::unary(ast::UnaryOp op, const Value& a, Span span) {
    if (unknown(a))
        return a;
    if (op == ast::UnaryOp::Invert && a.is(ValueKind::Type)) {
        ir::TypeRef type = a.as_type();
        if (const auto* tensor = ir::as<ir::TensorType>(type))
            return Value::type(ir::tensor_pointer_type(ir::self(*tensor)));
        return Value::type(ir::pointer_type(type));
    }
    if (op == ast::UnaryOp::Not && !a.is(ValueKind::Expr))
        return Value::boolean(false); // types, layouts and mappings are objects: true
    if (!a.is(ValueKind::Expr))
        fail(DiagId::ScriptBadOperand, span,
             op == ast::UnaryOp::Minus  ? "-"
             : op == ast::UnaryOp::Plus ? "+"
                                        : "~",
             describe(a));
    ir::ExprRef expr = a.as_expr();
    switch (op) {
    case ast::UnaryOp::Plus: return a;
    case ast::UnaryOp::Minus: return Value::expr(typed(span, [&] { return ir::negate(expr); }));
    case ast::UnaryOp::Not: return Value::expr(typed(span, [&] { return ir::logical_not(expr); }));
    case ast::UnaryOp::Invert: break;
    }
    if (const auto* slice = ir::as<ir::TensorSlice>(expr)) { // its first element
        ir::ExprVec index = slice->indices;
        for (std::size_t i = 0; i < index.size(); ++i)
            if (!index[i])
                index[i] = slice->starts[i] ? slice->starts[i] : ir::int_constant(0);
        expr = typed(span, [&] { return ir::make_element(slice->base, index); });
    }
    if (const ir::TensorType* tensor = ir::as<ir::Var>(expr) ? ir::tensor_of(expr->type) : nullptr) // likewise
        expr =
            typed(span, [&] { return ir::make_element(expr, ir::ExprVec(tensor->shape.size(), ir::int_constant(0))); });
    bool is_place = ir::as<ir::TensorElement>(expr) || ir::as<ir::Deref>(expr) || ir::as<ir::Var>(expr);
    if (!is_place)
        fail(DiagId::ScriptNoAddress, span, describe(a));
    if (auto dtype = ir::scalar_of(expr->type); dtype && ir::is_subbyte(*dtype) && ir::as<ir::Var>(expr))
        typed(span, [&]() -> ir::ExprRef {
            throw ir::TypeError(cat("a variable of '", ir::info(*dtype).short_name,
                                    "' is smaller than a byte and has no address; elements of tensors have"));
        });
    if (translator())
        translator()->take_address(expr);
    return Value::expr(typed(span, [&] { return ir::make_address(expr); }));
}

Value Operations::composed(ir::LayoutRef layout, Span span) {
    m_eval.charge_steps(2 * cost::ir_object, span);
    m_eval.charge_nodes(layout->size, span);
    return Value::layout(std::move(layout));
}

Value Operations::composed(ir::MappingRef mapping, Span span) {
    m_eval.charge_steps(2 * cost::ir_object, span);
    m_eval.charge_nodes(mapping->size, span);
    return Value::mapping(std::move(mapping));
}

static ir::ExprVec all_extents(ir::ExprVec first, const ir::ExprVec& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// A script function does not tell lists from tuples.
static Value joined(const Value& a, const Value& b) {
    std::vector<Value> items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    return Value::list(std::move(items));
}

Value Operations::binary(ast::BinaryOp op, const Value& a, const Value& b, Span a_span, Span b_span) {
    if (unknown(a) || unknown(b))
        return Value::unknown();
    Span span = cover(a_span, b_span);
    if (is_sequence(a) && is_sequence(b)) {
        if (!translator())
            fail(DiagId::UnsupportedOperand, span, ast::spelling(op), type_name(a), type_name(b));
        return joined(a, b);
    }
    std::string_view text = ast::spelling(op);
    if (a.is(ValueKind::Mapping) && b.is(ValueKind::Mapping) && op == ast::BinaryOp::Mul) {
        if (!same_rank(ir::shape_of(a.as_mapping()), ir::shape_of(b.as_mapping())))
            fail(DiagId::ScriptMappingRank, b_span, ir::rank_of(a.as_mapping()), ir::rank_of(b.as_mapping()));
        want_countable_tasks(all_extents(ir::shape_of(a.as_mapping()), ir::shape_of(b.as_mapping())), span);
        want_countable_tasks({ir::workers_of(a.as_mapping()), ir::workers_of(b.as_mapping())}, span);
        return composed(ir::compose(a.as_mapping(), b.as_mapping()), span);
    }
    if (a.is(ValueKind::Layout) && b.is(ValueKind::Layout) && op == ast::BinaryOp::Mul) {
        auto outer = ir::shape_of(a.as_layout()), inner = ir::shape_of(b.as_layout());
        if (!same_rank(outer, inner))
            fail(DiagId::ScriptLayoutRank, b_span, outer.size(), inner.size());
        of_a_tensor(all_extents(std::move(outer), inner), span);
        return composed(ir::compose(a.as_layout(), b.as_layout()), span);
    }
    if (b.is(ValueKind::Layout) && op == ast::BinaryOp::Add) {
        if (a.is(ValueKind::Layout))
            return composed(ir::concat(a.as_layout(), b.as_layout()), span);
        if (is_sequence(a))
            return composed(ir::concat(ir::row_major(to_shape(a, a_span)), b.as_layout()), span);
    }
    if (a.is(ValueKind::Layout) && is_sequence(b) && op == ast::BinaryOp::Add)
        return composed(ir::concat(a.as_layout(), ir::row_major(to_shape(b, b_span))), span);
    if (!is_number_like(a) || !is_number_like(b))
        bad_operands(text, a, b, a_span, b_span);
    ir::ExprRef left = to_expr(a, a_span), right = to_expr(b, b_span);
    for (const ir::ExprRef& side : {left, right})
        if (ir::tensor_of(side->type) && !(op == ast::BinaryOp::Add || op == ast::BinaryOp::Sub))
            fail(DiagId::ScriptTensorOperand, side == left ? a_span : b_span, text);
    return Value::expr(typed(span, [&] { return arithmetic(op, left, right, b_span); }));
}

Value Operations::compare(ast::CompareOp op, const Value& a, const Value& b, Span a_span, Span b_span) {
    using Op = ast::CompareOp;
    if (unknown(a) || unknown(b))
        return Value::unknown();
    bool negated = op == Op::Ne || op == Op::NotIn || op == Op::IsNot;
    if (op == Op::In || op == Op::NotIn) {
        if (a.is(ValueKind::Expr) || !is_sequence(b))
            fail(DiagId::ScriptBadOperands, a.is(ValueKind::Expr) ? a_span : b_span, ast::spelling(op), describe(a),
                 describe(b));
        for (const Value& item : b.items())
            if (same_value(a, item))
                return Value::boolean(!negated);
        return Value::boolean(negated);
    }
    bool against_none = a.is(ValueKind::None) || b.is(ValueKind::None);
    bool equality = op == Op::Eq || op == Op::Ne || op == Op::Is || op == Op::IsNot;
    if (against_none && equality)
        return Value::boolean(negated);
    if (!a.is(ValueKind::Expr) && !b.is(ValueKind::Expr) && equality)
        return Value::boolean(same_value(a, b) != negated);
    if (op == Op::Is || op == Op::IsNot)
        fail(DiagId::ScriptIdentity, cover(a_span, b_span), ast::spelling(op), op == Op::Is ? "==" : "!=");
    if (!is_number_like(a) || !is_number_like(b))
        bad_operands(ast::spelling(op), a, b, a_span, b_span);
    Span span = cover(a_span, b_span);
    ir::ExprRef left = to_expr(a, a_span), right = to_expr(b, b_span);
    if (ir::is_pointer(left->type) != ir::is_pointer(right->type) && !is_zero(left) && !is_zero(right))
        fail(DiagId::ScriptBadOperands, span, ast::spelling(op), describe(a), describe(b));
    warn_of_sign(left, right, a_span, m_eval.sink());
    warn_of_sign(right, left, b_span, m_eval.sink());
    return Value::expr(typed(span, [&] { return comparison(op, left, right); }));
}

static ir::ExprRef logical_operand(const Value& value, Span span, std::string_view op) {
    if (!is_number_like(value))
        fail(DiagId::ScriptLogicalOperand, span, op, describe(value));
    ir::ExprRef expr = to_expr(value, span);
    if (ir::scalar_of(expr->type) != ir::DType::Bool)
        fail(DiagId::ScriptLogicalOperand, span, op, describe(Value::expr(expr)));
    return expr;
}

Value Operations::logical(bool is_and, const Value& a, const Value& b, Span a_span, Span b_span) {
    if (unknown(a) || unknown(b))
        return Value::unknown();
    std::string_view op = is_and ? "and" : "or";
    ir::ExprRef left = logical_operand(a, a_span, op), right = logical_operand(b, b_span, op);
    return Value::expr(typed(cover(a_span, b_span),
                             [&] { return is_and ? ir::logical_and(left, right) : ir::logical_or(left, right); }));
}

Value Operations::select(const Value& condition, const Value& a, const Value& b, Span span) {
    if (unknown(condition) || unknown(a) || unknown(b))
        return Value::unknown();
    ir::ExprRef test = typed(span, [&] { return ir::as_condition(to_expr(condition, span)); });
    if (auto known = ir::constant_int(test))
        return *known ? a : b;
    if (!can_be_expr(a) || !can_be_expr(b))
        fail(DiagId::ScriptNotAValue, span, describe(can_be_expr(a) ? b : a));
    return Value::expr(typed(span, [&] { return ir::select(test, to_expr(a, span), to_expr(b, span)); }));
}

Value Operations::attribute(const Value& object, std::string_view name, Span span) {
    std::unique_ptr<Value> found;
    switch (object.kind()) {
    case ValueKind::Unknown: return object;
    case ValueKind::Expr: found = expr_attribute(*this, object.as_expr(), name, span); break;
    case ValueKind::Type: found = type_attribute(*this, object.as_type(), name, span); break;
    case ValueKind::Layout: found = layout_attribute(*this, object.as_layout(), name, span); break;
    case ValueKind::Mapping: found = mapping_attribute(*this, object.as_mapping(), name, span); break;
    case ValueKind::ScriptFunction: found = function_attribute(*this, object, name); break;
    default: break;
    }
    if (found)
        return std::move(*found);
    throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownAttribute, span, describe(object), name)
                              .suggest(span, name, attribute_names(object)));
}

Value Operations::define_script(const ast::FunctionDef& def, Environment& environment) {
    constexpr std::size_t deepest = 16; // script functions made by host functions that script functions call
    if (m_translators.size() >= deepest)
        fail(DiagId::ScriptRecursion, def.name.span, def.name.text);
    m_eval.charge_steps(cost::script, def.name.span);
    Translator translator(m_eval, *this, def, environment);
    m_translators.push_back(&translator);
    Ref<TranslatedFunction> function;
    try {
        function = translator.translate();
    } catch (...) {
        m_translators.pop_back();
        throw;
    }
    m_translators.pop_back();
    if (ScriptModule* open = module())
        open->define(function, m_eval.sink());
    return Value::object(ValueKind::ScriptFunction, Ref<Object>(function));
}

std::string Operations::repr(const Value& value) {
    charge_tree(m_eval, value, 32, m_eval.impl().current);
    switch (value.kind()) {
    case ValueKind::Expr: return ir::to_string(value.as_expr());
    case ValueKind::Stmt: return ir::to_string(value.as_stmt());
    case ValueKind::Type: return ir::to_string(value.as_type());
    case ValueKind::Layout: return ir::to_string(value.as_layout());
    case ValueKind::Mapping: return ir::to_string(value.as_mapping());
    case ValueKind::ScriptFunction: {
        auto& function = static_cast<ScriptFunctionObject&>(*value.object());
        return function.function ? ir::print_function(*function.function).text
                                 : "<script function " + function.name + ">";
    }
    default: return type_name(value);
    }
}

} // namespace hidet::lang
