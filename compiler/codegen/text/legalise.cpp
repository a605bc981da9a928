// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/legalise.h"

#include <bit>
#include <deque>

#include "compiler/analysis/range_rewriter.h"
#include "compiler/analysis/same.h"
#include "compiler/codegen/text/sequence.h"
#include "compiler/codegen/text/signs.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/transform/functions.h"
#include "lang/base/transformed.h"

namespace hidet::compiler::text {

using namespace ir;

namespace {

// What a place asks of an integer expression.
enum class Use : std::uint8_t {
    Exact,   // the type of the IR
    Value,   // the value; the type may be unsigned
    Bits,    // a conversion to the type follows
    Mixed,   // the other operand is unsigned, so this one becomes it
    Address, // part of an index: overflow need not be thought of
};

bool is_sum_or_product(BinOp op) {
    return op == BinOp::Add || op == BinOp::Sub || op == BinOp::Mul;
}

TypeRef unsigned_type(const TypeRef& type) {
    return data_type(scalar_of(type) == DType::I64 ? DType::U64 : DType::U32);
}

bool is_narrowing(DType from, DType to) { // or of the same width
    return is_integer(from) && is_integer(to) && to != DType::Bool && bytes_of(to) <= bytes_of(from);
}

// What passes "part of an index" on to its operands.
bool is_chain(const ExprRef& e) {
    if (const auto* u = as<Unary>(e))
        return u->op == UnOp::Neg;
    const auto* b = as<Binary>(e);
    return b && is_sum_or_product(b->op);
}

bool is_place(const Function* callee, std::size_t argument) {
    return callee && argument < callee->params.size() && callee->params[argument]->type->kind == Kind::ReferenceType;
}

ExprRef with_args(const Intrinsic& e, ExprVec args) {
    return args == e.args ? self(e) : make_intrinsic(e.attr, std::move(args), e.type);
}
ExprRef with_operands(const Binary& e, BinOp op, ExprRef a, ExprRef b) {
    return op == e.op && a == e.a && b == e.b ? self(e) : make_binary(op, std::move(a), std::move(b));
}

// `x + -5` is `x - 5`.
std::pair<BinOp, ExprRef> without_sign(const Binary& e) {
    auto scalar = scalar_of(e.type);
    auto value = constant_int(e.b);
    bool is_sum = e.op == BinOp::Add || e.op == BinOp::Sub;
    if (!is_sum || !value || *value >= 0 || !scalar || !is_integer(*scalar) || *value == integer_range(*scalar).lowest)
        return {e.op, e.b};
    ExprRef magnitude = int_constant(-*value, *scalar);
    return {e.op == BinOp::Add ? BinOp::Sub : BinOp::Add, std::move(magnitude)};
}

// What a conversion from one type to another asks of what is converted.
Use conversion_use(std::optional<DType> from, std::optional<DType> to, const Dialect& dialect) {
    if (!from || from == to || dialect.cast(*from, *to) || is_vector(*from) || is_vector(*to))
        return Use::Exact;
    return is_narrowing(*from, *to) ? Use::Bits : Use::Value;
}

class ExprLegaliser : public Rewriter {
public:
    ExprLegaliser(const Module& module, const Dialect& dialect, const Uses& uses, const LaunchBounds* bounds,
                  LegalFunction& out)
        : m_out(out), m_signs(dialect, uses, bounds), m_module(module), m_dialect(dialect) {}

protected:
    using Rewriter::visit;

    // As the IR has them, wherever nothing else is said below.
    ExprRef visit(const BuiltinVar& e) override { return at(self(e), Use::Exact); }
    ExprRef visit(const Unary& e) override { return at(self(e), Use::Exact); }
    ExprRef visit(const Binary& e) override { return at(self(e), Use::Exact); }
    ExprRef visit(const Select& e) override { return at(self(e), Use::Exact); }
    ExprRef visit(const Cast& e) override { return at(self(e), Use::Exact); }
    ExprRef visit(const TensorElement& e) override {
        ExprRef base = rewrite(e.base);
        ExprVec indices = transformed(e.indices, [&](const ExprRef& each) { return index(each); });
        if (base == e.base && indices == e.indices)
            return self(e);
        return make_element(std::move(base), std::move(indices), e.is_protected);
    }
    ExprRef visit(const Call& e) override {
        const Function* callee = find_function(m_module, e.callee);
        ExprVec args;
        for (std::size_t i = 0; i < e.args.size(); ++i)
            args.push_back(at(e.args[i], is_place(callee, i) ? Use::Exact : Use::Bits));
        return args == e.args ? self(e) : make_call(e.callee, std::move(args), e.type);
    }
    ExprRef visit(const Intrinsic& e) override {
        auto scalar = e.args.empty() ? std::nullopt : scalar_of(e.args[0]->type);
        bool is_of_integers = scalar && is_integer(*scalar);
        switch (e.id) {
        case IntrinsicId::Round:
        case IntrinsicId::Ceil:
        case IntrinsicId::Floor:
        case IntrinsicId::Trunc:
            if (is_of_integers)
                return at(e.args[0], Use::Exact);
            break;
        case IntrinsicId::Fma:
            if (is_of_integers)
                return at(m_made.emplace_back(
                              make_binary(BinOp::Add, make_binary(BinOp::Mul, e.args[0], e.args[1]), e.args[2])),
                          Use::Exact);
            break;
        case IntrinsicId::DynamicSharedMemory: return with_args(e, {index(e.args[0])});
        case IntrinsicId::MemcpyAsync: {
            ExprVec args = transformed(e.args, [&](const ExprRef& arg) { return at(arg, Use::Value); });
            return with_args(e, std::move(args));
        }
        default: break;
        }
        return with_args(e, rewrite(e.args));
    }
    ExprRef visit(const Let& e) override {
        ExprRef value = at(e.value, Use::Bits);
        ExprRef inner = rewrite(e.body);
        return value == e.value && inner == e.body ? self(e) : make_let(e.var, std::move(value), std::move(inner));
    }
    // Types stay as they are, and with them the identity of the variables.
    TypeRef visit(const TensorType& type) override { return self(type); }
    TypeRef visit(const TensorPointerType& type) override { return self(type); }
    TypeRef visit(const PointerType& type) override { return self(type); }

    // Of the type of the IR.
    ExprRef at(const ExprRef& e, Use use) { return implied(legal(e, use), e->type); }
    ExprRef index(const ExprRef& e) { return at(e, is_nonnegative(e) ? Use::Value : Use::Address); }
    // `a = a + b` that is written `a += b`: when the right side is unsigned, so is the sum, until it is stored.
    ExprRef compound(const Binary& e, const ExprRef& old) {
        auto [op, b] = without_sign(e);
        bool is_wide = is_plain_signed(e.type);
        bool is_modular = is_wide && (is_unsigned(b) || m_signs.may_wrap(self(e)));
        ExprRef right = !is_modular ? at(b, Use::Bits) : is_unsigned(b) ? legal(b, Use::Bits) : as_unsigned(b);
        ExprRef result = make_binary(op, implied(old, right->type), right);
        set_origin(NodeRef(result), e.origin);
        return implied(result, e.type);
    }

    LegalFunction& m_out;
    Signs m_signs;

private:
    bool is_nonnegative(const ExprRef& e) const { return m_signs.is_nonnegative(e); }
    bool is_unsigned(const ExprRef& e) { return m_signs.is_unsigned(e); }

    // ---- changes of sign ----

    ExprRef implied(ExprRef e, const TypeRef& type) {
        if (scalar_of(e->type) == scalar_of(type))
            return e;
        const auto* cast = as<Cast>(e);
        if (cast && m_out.has(Mark::Implied, *e) && scalar_of(cast->a->type) == scalar_of(type))
            return cast->a;
        return m_out.marked(make_cast(std::move(e), type), Mark::Implied);
    }
    ExprRef as_unsigned(const ExprRef& e) {
        TypeRef type = unsigned_type(e->type);
        if (auto value = constant_int(e); value && *value >= 0)
            return int_constant(*value, *scalar_of(type));
        return m_out.marked(make_cast(at(e, Use::Bits), type), Mark::Sign);
    }
    ExprRef mixed(const ExprRef& e) {
        if (auto value = constant_int(e); value && *value < 0)
            return as_unsigned(e);
        return implied(legal(e, Use::Mixed), unsigned_type(e->type));
    }

    // Of the unsigned type where is_unsigned(), unless the place wants another.
    ExprRef legal(const ExprRef& e, Use use) {
        if (!scalar_of(e->type))
            return e->kind == Kind::Binary || e->kind == Kind::Select || e->kind == Kind::Cast ? natural(e, Use::Exact)
                                                                                               : rewrite(e);
        bool is_signed_here = use == Use::Exact || use == Use::Address || (use == Use::Value && !is_nonnegative(e));
        if (!is_signed_here || (use == Use::Address && is_chain(e)) || !is_unsigned(e))
            return natural(e, use);
        ExprRef result = m_out.marked(make_cast(natural(e, Use::Bits), e->type), Mark::Sign);
        set_origin(NodeRef(result), e->origin);
        return result;
    }
    ExprRef natural(const ExprRef& e, Use use) {
        ExprRef result = computed(e, use);
        if (result != e && !result->origin.known())
            set_origin(NodeRef(result), e->origin);
        return result;
    }
    ExprRef computed(const ExprRef& e, Use use) {
        switch (kind_of(*e)) {
        case ExprKind::BuiltinVar: return is_unsigned(e) ? implied(e, unsigned_type(e->type)) : e;
        case ExprKind::Unary: return unary(static_cast<const Unary&>(*e), use);
        case ExprKind::Binary: return binary(static_cast<const Binary&>(*e), use);
        case ExprKind::Cast: return cast(static_cast<const Cast&>(*e), use);
        case ExprKind::Select: return select(static_cast<const Select&>(*e), use);
        case ExprKind::Var:
        case ExprKind::SymbolVar:
        case ExprKind::Constant:
        case HIDET_MEMORY_EXPRS:
        case HIDET_SHORTHAND_EXPRS:
        case HIDET_CALL_EXPRS:
        case ExprKind::Address: return rewrite(e);
        }
        no_such_kind(*e);
    }

    // ---- operators ----

    ExprRef unproven(BinOp op, const Binary& e) {
        return m_out.marked(make_binary(op, at(e.a, Use::Exact), at(e.b, Use::Exact)), Mark::Unproven);
    }

    ExprRef unary(const Unary& e, Use use) {
        bool must_wrap = e.op == UnOp::Neg && use != Use::Address && is_plain_signed(e.type) && !is_unsigned(e.a) &&
                         m_signs.may_wrap(self(e));
        ExprRef a = must_wrap           ? as_unsigned(e.a)
                    : e.op == UnOp::Not ? at(e.a, Use::Exact)
                                        : legal(e.a, use == Use::Address ? Use::Address : Use::Bits);
        return a == e.a ? self(e) : make_unary(e.op, std::move(a));
    }
    ExprRef binary(const Binary& e, Use use) {
        if (is_pointer(e.a->type) || is_pointer(e.b->type))
            return of_pointers(e);
        auto scalar = scalar_of(e.type);
        if (!scalar || !is_integer(*scalar) || !scalar_of(e.a->type))
            return with_operands(e, e.op, at(e.a, Use::Exact), at(e.b, Use::Exact));
        switch (e.op) {
        case BinOp::Add:
        case BinOp::Sub:
        case BinOp::Mul: return sum_or_product(e, use);
        case BinOp::Div:
        case BinOp::Mod:
        case BinOp::FloorDiv:
        case BinOp::FloorMod: return division(e);
        case BinOp::Lt:
        case BinOp::Le:
        case BinOp::Eq:
        case BinOp::Ne: return pair(e, e.op);
        case BinOp::BitAnd:
        case BinOp::BitOr:
        case BinOp::BitXor:
            if (is_unsigned(e.a) || is_unsigned(e.b))
                return with_operands(e, e.op, mixed(e.a), mixed(e.b));
            break;
        case BinOp::Shl:
        case BinOp::Shr: return shift(e);
        case BinOp::And:
        case BinOp::Or: break;
        }
        return with_operands(e, e.op, at(e.a, Use::Exact), at(e.b, Use::Exact));
    }
    ExprRef of_pointers(const Binary& e) {
        bool are_both = is_pointer(e.a->type) && is_pointer(e.b->type);
        auto operand = [&](const ExprRef& each) {
            return are_both || is_pointer(each->type) ? at(each, Use::Exact) : index(each);
        };
        return with_operands(e, e.op, operand(e.a), operand(e.b));
    }
    // Operands whose signs matter: both unsigned where both are known not to be negative, else both signed.
    ExprRef pair(const Binary& e, BinOp op) {
        bool is_mixed = is_unsigned(e.a) || is_unsigned(e.b);
        if (is_mixed && m_signs.are_nonnegative(e.a, e.b))
            return with_operands(e, op, mixed(e.a), mixed(e.b));
        Use use = is_mixed ? Use::Exact : Use::Bits;
        return with_operands(e, op, at(e.a, use), at(e.b, use));
    }
    ExprRef sum_or_product(const Binary& e, Use use) {
        auto [op, b] = without_sign(e);
        bool is_wide = is_plain_signed(e.type);
        if (use == Use::Address && is_wide)
            return with_operands(e, op, at(e.a, Use::Address), at(b, Use::Address));
        if (is_unsigned(e.a) || is_unsigned(b))
            return with_operands(e, op, mixed(e.a), mixed(b));
        if (!is_wide || !m_signs.may_wrap(self(e)))
            return with_operands(e, op, at(e.a, Use::Bits), at(b, Use::Bits));
        auto count = constant_int(b);
        bool is_right = count && *count >= 0;
        return is_right ? make_binary(op, mixed(e.a), as_unsigned(b)) : make_binary(op, as_unsigned(e.a), mixed(b));
    }
    ExprRef division(const Binary& e) {
        DType scalar = *scalar_of(e.type);
        bool is_div = e.op == BinOp::Div || e.op == BinOp::FloorDiv;
        bool rounds_down = (e.op == BinOp::FloorDiv || e.op == BinOp::FloorMod) && is_signed(scalar) &&
                           !(is_nonnegative(e.a) && is_nonnegative(e.b));
        BinOp truncating = is_div ? BinOp::Div : BinOp::Mod;
        if (m_dialect.traps_on_division() && m_signs.may_trap(e))
            return unproven(rounds_down ? e.op : truncating, e);
        if (!rounds_down)
            return pair(e, truncating);
        auto value = constant_int(e.b);
        if (!value || *value <= 1 || !std::has_single_bit(static_cast<std::uint64_t>(*value)))
            return with_operands(e, e.op, at(e.a, Use::Exact), at(e.b, Use::Exact));
        ExprRef a = at(e.a, Use::Exact);
        return is_div ? make_binary(BinOp::Shr, a, int_constant(std::countr_zero(static_cast<std::uint64_t>(*value))))
                      : make_binary(BinOp::BitAnd, a, int_constant(*value - 1, scalar));
    }
    ExprRef shift(const Binary& e) {
        if (!m_signs.has_plain_count(e))
            return unproven(e.op, e);
        return with_operands(e, e.op, legal(e.a, e.op == BinOp::Shl ? Use::Bits : Use::Value), at(e.b, Use::Value));
    }

    // ---- conversions ----

    ExprRef cast(const Cast& e, Use use) {
        auto from = scalar_of(e.a->type), to = scalar_of(e.type);
        if (from && from == to)
            return legal(e.a, use);
        ExprRef a = at(e.a, conversion_use(from, to ? to : std::optional(DType::U64), m_dialect));
        return a == e.a ? self(e) : make_cast(std::move(a), e.type);
    }
    ExprRef select(const Select& e, Use use) {
        ExprRef condition = at(e.condition, Use::Exact);
        bool is_mixed = is_unsigned(self(e));
        Use arms = use == Use::Address || use == Use::Mixed ? Use::Exact : use;
        ExprRef a = is_mixed ? mixed(e.a) : at(e.a, arms);
        ExprRef b = is_mixed ? mixed(e.b) : at(e.b, arms);
        if (condition == e.condition && a == e.a && b == e.b)
            return self(e);
        return make_select(std::move(condition), std::move(a), std::move(b));
    }

    const Module& m_module;
    const Dialect& m_dialect;
    std::deque<ExprRef> m_made; // which m_signs was asked about
};

// Statements, and what each tells of the signs behind it.
class Legaliser final : public ExprLegaliser {
public:
    Legaliser(const Module& module, const Dialect& dialect, const Uses& uses, const LaunchBounds* bounds,
              LegalFunction& out)
        : ExprLegaliser(module, dialect, uses, bounds, out), m_uses(uses) {}

protected:
    using ExprLegaliser::visit;

    StmtRef visit(const SeqStmt& s) override {
        StmtVec stmts;
        bool has_changed = false;
        for (const StmtRef& item : s.stmts) {
            stmts.push_back(rewrite(item));
            has_changed = has_changed || stmts.back() != item;
            // What the condition of `if c: return` tells holds to the end of the body.
            const auto* branch = as<IfStmt>(item);
            if (branch && !branch->else_body && always_leaves(*branch->then_body))
                m_signs.assume(branch->condition, false);
        }
        return has_changed ? make_seq(std::move(stmts)) : self(s);
    }
    StmtRef visit(const IfStmt& s) override {
        ExprRef condition = rewrite(s.condition);
        StmtRef then_body = body(s.then_body, [&] { m_signs.assume(s.condition, true); });
        StmtRef else_body = body(s.else_body, [&] { m_signs.assume(s.condition, false); });
        if (condition == s.condition && then_body == s.then_body && else_body == s.else_body)
            return self(s);
        return make_if(std::move(condition), std::move(then_body), std::move(else_body));
    }
    StmtRef visit(const ForStmt& s) override {
        ExprRef extent = rewrite(s.extent);
        StmtRef inner = body(s.body, [&] { m_signs.learn(s); });
        if (extent == s.extent && inner == s.body)
            return self(s);
        return make_for(s.var, std::move(extent), s.attr, std::move(inner));
    }
    StmtRef visit(const WhileStmt& s) override {
        std::size_t facts = m_signs.mark();
        StmtRef result = rebuild(s);
        m_signs.restore(facts);
        return result;
    }
    StmtRef visit(const DeclareStmt& s) override {
        if (!s.init)
            return self(s);
        ExprRef init = at(s.init, Use::Bits);
        m_signs.learn(s);
        if (init == s.init)
            return self(s);
        DeclareStmt changed = s;
        changed.init = std::move(init);
        changed.origin = {};
        return make<DeclareStmt>(std::move(changed));
    }
    StmtRef visit(const AssignStmt& s) override {
        const Binary* sum = compound_of(s, m_out);
        ExprRef value = sum ? compound(*sum, s.var) : at(s.value, Use::Bits);
        return value == s.value ? self(s) : make_assign(s.var, std::move(value));
    }
    StmtRef visit(const StoreStmt& s) override {
        ExprRef base = rewrite(s.base);
        ExprVec indices = transformed(s.indices, [&](const ExprRef& each) { return index(each); });
        const Binary* sum = compound_of(s, m_uses, m_out);
        ExprRef value = sum ? compound(*sum, make_element(base, indices)) : at(s.value, Use::Bits);
        if (base == s.base && indices == s.indices && value == s.value)
            return self(s);
        return make_store(std::move(base), std::move(indices), std::move(value), s.is_protected);
    }
    StmtRef visit(const ReturnStmt& s) override {
        ExprRef value = s.value ? at(s.value, Use::Bits) : nullptr;
        return value == s.value ? self(s) : make_return(std::move(value));
    }

private:
    template <class F>
    StmtRef body(const StmtRef& stmt, F&& learn) {
        std::size_t facts = m_signs.mark();
        learn();
        StmtRef result = rewrite(stmt);
        m_signs.restore(facts);
        return result;
    }

    const Uses& m_uses;
};

} // namespace

const ExprRef& LegalFunction::written(const ExprRef& expr) const {
    const ExprRef* inner = &expr;
    while (has(Mark::Implied, **inner))
        inner = &static_cast<const Cast&>(**inner).a;
    return *inner;
}

ExprRef LegalFunction::marked(ExprRef expr, Mark mark) {
    m_marked.insert_or_assign(expr.get(), Marked{expr, mark});
    return expr;
}

// `x = x + y` of the types that C++ has operators for.
static const Binary* sum_in(const ExprRef& value, const TypeRef& type, const LegalFunction& legal) {
    const auto* sum = as<Binary>(legal.written(value));
    auto scalar = scalar_of(type);
    bool is_number =
        scalar && (*scalar == DType::F32 || *scalar == DType::F64 || (is_integer(*scalar) && bytes_of(*scalar) >= 4));
    return sum && is_number && is_sum_or_product(sum->op) ? sum : nullptr;
}

const Binary* compound_of(const AssignStmt& s, const LegalFunction& legal) {
    const Binary* sum = sum_in(s.value, s.var->type, legal);
    return sum && legal.written(sum->a).get() == s.var.get() ? sum : nullptr;
}

const Binary* compound_of(const StoreStmt& s, const Uses& uses, const LegalFunction& legal) {
    const Binary* sum = sum_in(s.value, element_of(s.base->type), legal);
    const auto* old = sum ? as<TensorElement>(legal.written(sum->a)) : nullptr;
    bool is_own = old && old->base == s.base && s.base->kind == Kind::Var && old->indices.size() == 1 &&
                  same_expr(old->indices[0], s.indices[0]) && effect_of(s.value, uses) != Effect::Acts;
    return is_own ? sum : nullptr;
}

LegalFunction legalise(const FunctionRef& function, const ModuleRef& module, const Dialect& dialect,
                       const LaunchBounds* bounds) {
    LegalFunction legal;
    legal.function = in_sequence(function, module);
    Uses uses = uses_in(*legal.function, module.get());
    Legaliser legaliser(*module, dialect, uses, bounds, legal);
    legal.function = with_body(legal.function, legaliser.rewrite(legal.function->body));
    return legal;
}

} // namespace hidet::compiler::text
