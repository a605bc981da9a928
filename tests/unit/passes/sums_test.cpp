// SPDX-License-Identifier: Apache-2.0
// Regrouped indices name the same elements: random sums and products inside nested loops, before and after reassociate.
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"
#include "tests/unit/passes/support.h"

#include <doctest/doctest.h>

using namespace hidet;
using namespace hidet::ir;
using hidet::test::Buffer;
using hidet::test::Interpreter;
using hidet::test::Pointer;
using hidet::test::Random;

namespace {

constexpr std::int64_t slots = 1 << 15;

class Kernel {
public:
    explicit Kernel(Random& random) : m_random(random) {}

    // Each loop stores a number of its own at a random index, so that a wrong index is seen, and a wrong order too.
    ModuleRef module() {
        ExprRef block = make_builtin(Builtin::BlockIdxX);
        StmtVec body = {let("row", floor_mod(block, c(5))), let("column", floor_mod(block, c(3)))};
        body.push_back(loops(3));
        FunctionRef function = test::function_of("k", FuncKind::CudaKernel, {m_x}, make_seq(std::move(body)));
        return test::module_of({function}, Level::Flat);
    }

private:
    static ExprRef c(std::int64_t value) { return int_constant(value); }

    StmtRef let(const char* name, const ExprRef& value) {
        VarRef var = make_var(name, data_type(DType::I32));
        m_names.push_back(var);
        return make_let_stmt(var, value);
    }
    StmtRef loops(int more) {
        std::size_t known = m_names.size();
        VarRef var = make_var("i", data_type(DType::I32));
        m_names.push_back(var);
        StmtVec body;
        if (m_random.chance(60))
            body.push_back(let("sum", index(2)));
        body.push_back(make_store(m_x, {index(4)}, c(++m_stores)));
        if (more > 1)
            body.push_back(loops(more - 1));
        body.push_back(make_store(m_x, {index(3)}, make_element(m_x, {index(4)})));
        m_names.resize(known);
        LoopAttr attr{m_random.chance(70) ? LoopAttr::What::Unroll : LoopAttr::What::Plain, 0};
        return make_for(var, c(m_random.in(0, 3)), attr, make_seq(std::move(body)));
    }
    ExprRef index(int depth) {
        if (depth == 0 || m_random.chance(10))
            return m_random.chance(20) ? c(m_random.in(-3, 3)) : ExprRef(m_random.of(m_names));
        switch (m_random.in(0, 4)) {
        case 0: return mul(index(depth - 1), c(m_random.in(-3, 5)));
        case 1: return sub(index(depth - 1), index(depth - 1));
        case 2: return m_random.chance(20) ? floor_mod(index(depth - 1), c(3)) : negate(index(depth - 1));
        default: return add(index(depth - 1), index(depth - 1));
        }
    }

    Random& m_random;
    VarRef m_x = make_var("x", pointer_type(data_type(DType::I32)));
    VarVec m_names;
    int m_stores = 0;
};

std::vector<std::int64_t> memory_after(const Module& module, std::int64_t block) {
    Interpreter interpreter(module);
    interpreter.builtins[Builtin::BlockIdxX] = block;
    auto x = std::make_shared<Buffer>();
    x->slots.resize(static_cast<std::size_t>(slots));
    interpreter.call("k", {{Pointer{x, slots / 2}}});
    std::vector<std::int64_t> result;
    for (const test::Value& slot : x->slots)
        result.push_back(slot.integer());
    return result;
}

} // namespace

TEST_CASE("regrouped indices name the same elements") {
    int changed = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Random random(seed);
        ModuleRef before = Kernel(random).module();
        DiagnosticSink sink;
        ModuleRef after = test::run_pass("reassociate", before, sink);
        changed += after != before;
        for (std::int64_t block : {0, 14})
            if (after != before && memory_after(*before, block) != memory_after(*after, block))
                FAIL(cat("seed ", seed, "\n", print_module(*before).text, "---- after\n", print_module(*after).text));
    }
    if (changed < 500)
        FAIL(cat("only ", changed, " programs had something to regroup"));
}
