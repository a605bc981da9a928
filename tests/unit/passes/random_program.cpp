// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/random_program.h"

#include <algorithm>
#include <numeric>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/mapping.h"
#include "compiler/ir/ops.h"

namespace hidet::test {

using namespace ir;

namespace {

TypeRef i32() {
    return data_type(DType::I32);
}

ExprRef c(std::int64_t value) {
    return int_constant(value);
}

std::vector<std::int64_t> random_ranks(Random& random, std::size_t rank) {
    std::vector<std::int64_t> ranks(rank);
    std::iota(ranks.begin(), ranks.end(), 0);
    for (std::size_t i = rank; i > 1; --i)
        std::swap(ranks[i - 1], ranks[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i) - 1))]);
    return ranks;
}

MappingRef random_part(Random& random, std::size_t rank) {
    ExprVec shape;
    std::vector<LoopAttr> attrs;
    for (std::size_t d = 0; d < rank; ++d) {
        shape.push_back(c(random.chance(30) ? 1 : random.in(1, 4)));
        attrs.push_back({random.chance(30) ? LoopAttr::What::UnrollExplicit : LoopAttr::What::Plain, 0});
    }
    if (random.chance(50))
        return spatial(std::move(shape), random_ranks(random, rank));
    return repeat(std::move(shape), random_ranks(random, rank), random.chance(50) ? attrs : std::vector<LoopAttr>{});
}

struct Helper { // a device function
    std::string name;
    bool by_reference = false;
    bool has_value = true;
};

class Generator {
public:
    explicit Generator(Random& random) : m_random(random) {}

    ModuleRef run() {
        m_x = make_var("x", tensor_pointer_type(tensor_type(i32(), {c(tensor_extent), c(tensor_extent)})));
        m_y = make_var("y", pointer_type(i32()));
        std::vector<FunctionRef> functions;
        std::int64_t count = m_random.in(0, 3);
        for (std::int64_t i = 0; i < count; ++i)
            functions.push_back(helper(cat("h", i)));
        VarRef n = make_var("n", i32());
        m_scalars = {n};
        m_mutables = {n};
        StmtRef body = block(4);
        functions.push_back(function_of("k", FuncKind::CudaKernel, {m_x, m_y, n}, body));
        return module_of(std::move(functions));
    }

private:
    FunctionRef helper(const std::string& name) {
        Helper helper{name, m_random.chance(30), m_random.chance(70)};
        VarRef x = make_var("hx", m_x->type);
        VarRef y = make_var("hy", m_y->type);
        VarRef a = make_var("a", helper.by_reference ? reference_type(i32()) : i32());
        VarRef b = make_var("b", i32());
        std::swap(m_x, x);
        std::swap(m_y, y);
        m_scalars = {a, b};
        m_mutables = {a, b};
        m_returns = helper.has_value ? Returns::Value : Returns::Nothing;
        StmtVec stmts = {block(2)};
        if (helper.has_value)
            stmts.push_back(make_return(number(1)));
        m_returns = Returns::Never;
        TypeRef ret = helper.has_value ? i32() : void_type();
        FunctionRef function =
            function_of(name, FuncKind::CudaInternal, {m_x, m_y, a, b}, make_seq(std::move(stmts)), ret);
        std::swap(m_x, x);
        std::swap(m_y, y);
        m_helpers.push_back(helper);
        return function;
    }

    // ---- expressions ------------------------------------------------------------------------------------------------
    ExprRef number(int depth) {
        if (depth == 0 || m_random.chance(20))
            return m_random.chance(60) ? ExprRef(m_random.of(m_scalars)) : c(m_random.in(-5, 20));
        switch (m_random.in(0, 12)) {
        case 0:
        case 1: return make_binary(BinOp::Add, number(depth - 1), number(depth - 1));
        case 2: return make_binary(BinOp::Sub, number(depth - 1), number(depth - 1));
        case 3: return make_binary(BinOp::Mul, number(depth - 1), c(m_random.in(0, 8)));
        case 4: return make_binary(BinOp::FloorDiv, number(depth - 1), c(m_random.in(1, 9)));
        case 5: return make_binary(BinOp::FloorMod, number(depth - 1), c(m_random.in(1, 9)));
        case 6: return make_select(condition(depth - 1), number(depth - 1), number(depth - 1));
        case 7: return make_element(m_x, {index(tensor_extent), index(tensor_extent)});
        case 8: return make_element(m_x, {number(depth - 1), number(depth - 1)}, true);
        case 9: { // x[i, j0:][j]
            ExprRef slice = make_slice(m_x, {index(tensor_extent), nullptr}, {nullptr, index(4)}, {nullptr, nullptr});
            return make_element(slice, {index(4)});
        }
        case 10: return make_element(m_y, {index(pointer_extent)});
        case 11: {
            VarRef t = make_var("t", i32());
            ExprRef value = number(depth - 1);
            m_scalars.push_back(t);
            ExprRef body = number(depth - 1);
            m_scalars.pop_back();
            return make_let(t, value, body);
        }
        default: return call(true, depth);
        }
    }
    ExprRef call(bool wants_value, int depth) {
        std::vector<Helper> fitting;
        for (const Helper& helper : m_helpers)
            if (helper.has_value == wants_value)
                fitting.push_back(helper);
        if (fitting.empty())
            return wants_value ? c(1) : nullptr;
        const Helper& helper = m_random.of(fitting);
        ExprRef a = helper.by_reference ? ExprRef(m_random.of(m_mutables)) : number(depth - 1);
        return make_call(helper.name, {m_x, m_y, a, number(depth - 1)}, wants_value ? i32() : void_type());
    }
    ExprRef condition(int depth) {
        auto op = m_random.of(std::vector<BinOp>{BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne});
        ExprRef comparison = make_binary(op, number(depth > 0 ? 1 : 0), number(depth > 0 ? depth - 1 : 0));
        if (depth > 0 && m_random.chance(30))
            return make_binary(m_random.chance(50) ? BinOp::And : BinOp::Or, comparison, condition(depth - 1));
        return m_random.chance(15) ? make_unary(UnOp::Not, comparison) : comparison;
    }
    ExprRef index(std::int64_t extent) {
        if (m_random.chance(20))
            return c(m_random.in(0, extent - 1));
        return make_binary(BinOp::FloorMod, number(1), c(extent));
    }

    // ---- statements -------------------------------------------------------------------------------------------------
    StmtRef block(int depth) {
        std::size_t scalars = m_scalars.size();
        std::size_t mutables = m_mutables.size();
        StmtVec stmts;
        std::int64_t count = m_random.in(1, 4);
        for (std::int64_t i = 0; i < count; ++i)
            stmts.push_back(statement(depth));
        m_scalars.resize(scalars);
        m_mutables.resize(mutables);
        return make_seq(std::move(stmts));
    }
    StmtRef statement(int depth) {
        switch (m_random.in(0, depth > 0 ? 15 : 8)) {
        case 0:
        case 1: {
            VarRef var = make_var("v", i32());
            StmtRef declare = make_declare(var, number(2));
            m_scalars.push_back(var);
            m_mutables.push_back(var);
            return declare;
        }
        case 2: return make_assign(m_random.of(m_mutables), number(2));
        case 3: return make_store(m_x, {index(tensor_extent), index(tensor_extent)}, number(2));
        case 4: return make_store(m_x, {number(1), number(1)}, number(2), true);
        case 5: return make_store(m_y, {index(pointer_extent)}, number(2));
        case 6:
            return make_evaluate(
                make_intrinsic(IntrinsicId::Printf, {string_constant("%d\n"), number(2)}, void_type()));
        case 7: {
            ExprRef value = call(false, 2);
            return value ? make_evaluate(value) : make_evaluate(number(2));
        }
        case 8: return exit_or(make_assign(m_random.of(m_mutables), number(1)));
        case 9:
        case 10: return make_if(condition(2), block(depth - 1), m_random.chance(50) ? block(depth - 1) : nullptr);
        case 11:
        case 12: return loop(depth);
        case 13: return while_loop(depth);
        default: return mapping_loop(depth);
        }
    }
    StmtRef exit_or(StmtRef other) {
        if (m_in_loop && m_random.chance(70))
            return make_if(condition(1), m_random.chance(50) ? make_break() : make_continue());
        if (m_returns == Returns::Value && (!m_in_loop || m_random.chance(10)))
            return make_if(condition(1), make_return(number(1)));
        if (m_returns == Returns::Nothing && (!m_in_loop || m_random.chance(10)))
            return make_if(condition(1), make_return());
        return other;
    }
    StmtRef loop_body(const VarVec& vars, int depth) {
        std::size_t scalars = m_scalars.size();
        std::size_t mutables = m_mutables.size();
        bool outer = m_in_loop;
        m_in_loop = true;
        for (const VarRef& var : vars) {
            m_scalars.push_back(var);
            if (m_random.chance(20))
                m_mutables.push_back(var);
        }
        StmtRef body = block(depth - 1);
        m_in_loop = outer;
        m_scalars.resize(scalars);
        m_mutables.resize(mutables);
        return body;
    }
    StmtRef loop(int depth) {
        VarRef var = make_var("i", i32());
        bool unrolls = m_random.chance(40);
        ExprRef extent = unrolls || m_random.chance(50) ? c(m_random.in(0, 4)) : index(4);
        LoopAttr attr{unrolls ? LoopAttr::What::UnrollExplicit : LoopAttr::What::Plain, 0};
        StmtRef body = loop_body({var}, depth);
        return make_for(var, extent, attr, body);
    }
    StmtRef while_loop(int depth) { // counts to 3 whatever its body does
        VarRef counter = make_var("w", i32());
        StmtVec body = {make_assign(counter, add(counter, c(1)))};
        body.push_back(loop_body({}, depth));
        ExprRef goes_on = make_binary(BinOp::And, make_binary(BinOp::Lt, counter, c(3)), condition(1));
        return make_seq({make_declare(counter, c(0)), make_while(goes_on, make_seq(std::move(body)))});
    }
    StmtRef mapping_loop(int depth) {
        auto rank = static_cast<std::size_t>(m_random.in(1, 2));
        MappingRef mapping = random_mapping(m_random, rank);
        VarVec vars;
        for (std::size_t d = 0; d < rank; ++d)
            vars.push_back(make_var(d == 0 ? "i" : "j", i32()));
        ExprRef worker = m_random.chance(50) ? make_builtin(Builtin::BlockIdxX) : ExprRef(m_random.of(m_scalars));
        if (worker->kind == Kind::Var) // workers are not negative
            worker = make_intrinsic(IntrinsicId::Max, {worker, c(0)}, i32());
        StmtRef body = loop_body(vars, depth);
        return make_for_mapping(vars, mapping, worker, body);
    }

    enum class Returns { Never, Nothing, Value };
    Random& m_random;
    VarRef m_x;
    VarRef m_y;
    VarVec m_scalars;  // may be read
    VarVec m_mutables; // may be assigned
    std::vector<Helper> m_helpers;
    Returns m_returns = Returns::Never;
    bool m_in_loop = false;
};

} // namespace

MappingRef random_mapping(Random& random, std::size_t rank) {
    MappingRef mapping = random_part(random, rank);
    std::int64_t parts = random.in(0, 2);
    for (std::int64_t i = 0; i < parts; ++i)
        mapping = random.chance(70) ? compose(mapping, random_part(random, rank))
                                    : compose(random_part(random, rank), mapping);
    if (random.chance(10))
        mapping = project(mapping, {random.in(0, static_cast<std::int64_t>(rank) - 1)});
    return mapping;
}

ModuleRef random_program(Random& random) {
    return Generator(random).run();
}

ModuleRef with_open_grid(const ModuleRef& module) {
    Module copy = *module;
    for (FunctionRef& function : copy.functions)
        if (function->func_kind == FuncKind::CudaKernel) {
            Function kernel = *function;
            kernel.grid_dim[0] = kernel.params[2];
            function = make<Function>(std::move(kernel));
        }
    return make<Module>(std::move(copy));
}

} // namespace hidet::test
