// SPDX-License-Identifier: Apache-2.0
// Walking, rewriting, equality up to renaming, origins, and nodes shared by threads.
#include "compiler/ir/rewrite.h"

#include <cmath>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <thread>

#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/unit/ir/random_module.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

// Every f16 becomes f32; constants and casts follow, definitions get fresh Vars.
class Widen : public Rewriter {
public:
    using Rewriter::Rewriter;

protected:
    using Rewriter::visit;
    TypeRef visit(const DataType& type) override {
        return type.dtype == DType::F16 ? data_type(DType::F32) : TypeRef(&type);
    }
};

class RemoveAsserts : public Rewriter {
public:
    using Rewriter::Rewriter;

protected:
    using Rewriter::visit;
    StmtRef visit(const AssertStmt&) override { return nullptr; }
};

// Every assert becomes two.
class DoubleAsserts : public Rewriter {
protected:
    using Rewriter::visit;
    StmtRef visit(const AssertStmt& node) override { return make_seq({self(node), self(node)}); }
};

class CountUses : public Walker {
public:
    int uses = 0, definitions = 0, f16 = 0;

protected:
    using Walker::visit;
    void visit(const Var&) override { ++uses; }
    void define(const Var& var) override {
        ++definitions;
        Walker::define(var);
    }
    void visit(const DataType& type) override { f16 += type.dtype == DType::F16; }
};

class Definitions : public Walker {
public:
    std::set<const Var*> vars;

protected:
    void define(const Var& var) override { vars.insert(&var); }
};

VarRef int_var(const char* name) {
    return make_var(name, data_type(DType::I32));
}
StmtRef assertion(const ExprRef& condition) {
    return make_assert(condition, "");
}

StmtRef loop_over(const VarRef& i, const VarRef& sum) {
    return make_seq(
        {make_declare(sum, int_constant(0)), make_for(i, int_constant(10), {}, make_assign(sum, add(sum, i)))});
}

} // namespace

TEST_CASE("a rewriter that changes nothing returns the same nodes") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        ModuleRef module = test::random_module(seed, {static_cast<Level>(seed % 5), 12});
        REQUIRE(Rewriter().rewrite(module) == module);
    }
}

TEST_CASE("definitions whose type changes are replaced, and their uses follow") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        ModuleRef module = test::random_module(seed, {Level::Loop, 12});
        ModuleRef widened = Widen().rewrite(module);
        CountUses before, after;
        before.walk(module);
        after.walk(widened);
        REQUIRE(after.f16 == 0);
        REQUIRE(before.uses + before.definitions == after.uses + after.definitions);
        for (const std::string& violation : verify(*widened)) // no use may point to a Var that is gone
            REQUIRE(violation.find("this variable") == std::string::npos);
    }
}

TEST_CASE("the type of a parameter follows a later parameter") {
    VarRef n = make_var("n", data_type(DType::F16));
    VarRef a =
        make_var("a", tensor_pointer_type(tensor_type(data_type(DType::F32), {make_cast(n, data_type(DType::I32))})));
    Function f;
    f.name = "f";
    f.params = {a, n};
    f.ret = void_type();
    f.body = make_evaluate(make_element(a, {int_constant(0)}));
    FunctionRef widened = Widen().rewrite(make<Function>(std::move(f)));
    const auto& dim = static_cast<const Cast&>(*tensor_of(widened->params[0]->type)->shape[0]);
    REQUIRE(dim.a == ExprRef(widened->params[1]));
    const auto& element = static_cast<const TensorElement&>(*static_cast<const EvaluateStmt&>(*widened->body).value);
    REQUIRE(element.base == ExprRef(widened->params[0]));
}

TEST_CASE("a statement that becomes nothing vanishes, and bodies stay bodies") {
    ExprRef c = make_var("c", data_type(DType::Bool));
    StmtRef body = make_seq({assertion(c), make_if(c, assertion(c), assertion(c)), make_while(c, assertion(c))});
    StmtRef after = RemoveAsserts().rewrite(body);
    REQUIRE(to_string(after) == "if c:\n    pass\nwhile c:\n    pass\n");
    const auto& branch = static_cast<const IfStmt&>(*static_cast<const SeqStmt&>(*after).stmts[0]);
    REQUIRE(branch.else_body == nullptr);
    REQUIRE(RemoveAsserts().rewrite(assertion(c)) == nullptr);
}

TEST_CASE("a statement that becomes several joins its Seq") {
    ExprRef c = make_var("c", data_type(DType::Bool));
    StmtRef after = DoubleAsserts().rewrite(make_seq({assertion(c), make_break(), assertion(c)}));
    REQUIRE((static_cast<const SeqStmt&>(*after).stmts.size()) == 5u);
    for (const StmtRef& stmt : static_cast<const SeqStmt&>(*after).stmts)
        REQUIRE(stmt->kind != Kind::SeqStmt);
}

TEST_CASE("a copy defines variables of its own and is equal up to their names") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        StmtRef body = test::random_module(seed)->functions[0]->body;
        StmtRef copy = Rewriter(0, Rewriter::Definitions::Copy).rewrite(body);
        Definitions before, after;
        before.walk(NodeRef(body));
        after.walk(NodeRef(copy));
        REQUIRE(before.vars.size() == after.vars.size());
        for (const Var* var : after.vars)
            REQUIRE(!before.vars.contains(var));
        REQUIRE((structural_equal(body, copy) && structural_hash(body) == structural_hash(copy)));
    }
}

TEST_CASE("equality is up to a one-to-one renaming") {
    VarRef i = int_var("i"), j = int_var("j"), s = int_var("s"), t = int_var("t");
    REQUIRE(structural_equal(loop_over(i, s), loop_over(j, t)));
    REQUIRE(!structural_equal(add(i, j), add(s, s)));
    REQUIRE(!structural_equal(add(s, s), add(i, j)));
    REQUIRE(!structural_equal(i, make_var("i", data_type(DType::I64))));
    REQUIRE(!structural_equal(sub(i, j), add(i, j)));
    REQUIRE(!structural_equal(float_constant(0.0), float_constant(-0.0)));
    REQUIRE(structural_equal(float_constant(std::nan("1")), float_constant(std::nan("2"))));
    REQUIRE(!structural_equal(make_symbol("m", i->type), make_symbol("n", i->type)));
    // A shared subtree does not hide that its variable is another one outside of it.
    StmtRef shared = make_declare(i, int_constant(1));
    REQUIRE(!structural_equal(make_seq({shared, make_evaluate(i)}), make_seq({shared, make_evaluate(j)})));
}

TEST_CASE("what a rewrite makes has the origin of what it replaces, and the pass") {
    Origin script{{1, 10, 20}, 0};
    VarRef x = make_var("x", data_type(DType::F16));
    StmtRef store = make_seq({make_declare(x), make_assign(x, float_constant(1, DType::F16)), make_break()});
    set_origin(store, script);
    StmtRef after = Widen(7).rewrite(store);
    const auto& seq = static_cast<const SeqStmt&>(*after);
    REQUIRE((seq.origin == script && seq.stmts[1]->origin == script));
    REQUIRE((seq.stmts[2] == static_cast<const SeqStmt&>(*store).stmts[2]));
    const auto& assign = static_cast<const AssignStmt&>(*seq.stmts[1]);
    REQUIRE(assign.var->origin.span == script.span);
    StmtRef invented = DoubleAsserts().rewrite(make_break());
    REQUIRE(!invented->origin.known());
}

TEST_CASE("a substitution replaces uses, and only variables replace definitions") {
    VarRef i = int_var("i"), s = int_var("s");
    Rewriter rewriter;
    rewriter.replace(i, int_constant(3));
    REQUIRE(to_string(rewriter.rewrite(add(s, i))) == "s + 3");
    bool has_thrown = false;
    try {
        rewriter.rewrite(loop_over(i, s));
    } catch (const InternalError&) {
        has_thrown = true;
    }
    REQUIRE(has_thrown);
}

TEST_CASE("the deepest tree is walked, compared, hashed and rewritten") {
    VarRef x = make_var("x", data_type(DType::F16));
    auto deep = [&] {
        ExprRef sum = x;
        for (int i = 0; i < max_depth - 2; ++i)
            sum = make_unary(UnOp::Neg, sum);
        return sum;
    };
    ExprRef a = deep(), b = deep();
    REQUIRE((structural_equal(a, b) && structural_hash(a) == structural_hash(b)));
    Rewriter rewriter;
    rewriter.replace(x, float_constant(1, DType::F16));
    REQUIRE(rewriter.rewrite(a)->depth == a->depth);
    bool has_thrown = false;
    try {
        make_unary(UnOp::Neg, make_unary(UnOp::Neg, a));
    } catch (const InternalError&) {
        has_thrown = true;
    }
    REQUIRE(has_thrown);
}

TEST_CASE("a long Seq and a million nodes die without recursion") {
    StmtVec stmts;
    VarRef s = int_var("s");
    for (int i = 0; i < 250'000; ++i)
        stmts.push_back(make_assign(s, make_unary(UnOp::Neg, make_unary(UnOp::Neg, int_constant(i)))));
    StmtRef seq = make_seq(std::move(stmts));
    REQUIRE(seq->size > 1'000'000);
    REQUIRE(Rewriter().rewrite(seq) == seq);
}

TEST_CASE("threads share nodes") {
    ModuleRef module = test::random_module(5);
    std::string expected = print_module(*module).text;
    std::vector<std::thread> threads;
    std::vector<int> failures(4);
    for (std::size_t t = 0; t < failures.size(); ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 100; ++round) {
                ModuleRef mine = Widen().rewrite(module);
                bool is_right = verify(*module).empty() && print_module(*module).text == expected && mine != nullptr;
                failures[t] += !is_right;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    for (int count : failures)
        REQUIRE(count == 0);
}
