// SPDX-License-Identifier: Apache-2.0
// Passes keep the meaning of programs: random programs are run before and after each pass of the pipeline.
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/mapping.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"
#include "tests/unit/passes/random_program.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::ir;
using hidet::test::Buffer;
using hidet::test::Interpreter;
using hidet::test::Pointer;
using hidet::test::Random;
using hidet::test::Trap;
using hidet::test::Value;

namespace {

// What a program does to the same inputs, as text.
std::string behaviour(const Module& module, std::int64_t block, std::int64_t n) {
    Interpreter interpreter(module);
    interpreter.builtins[Builtin::BlockIdxX] = block;
    auto x = std::make_shared<Buffer>();
    auto y = std::make_shared<Buffer>();
    for (std::int64_t i = 0; i < test::pointer_extent; ++i) {
        x->slots.push_back({i * 7 % 23 - 4});
        y->slots.push_back({i % 5});
    }
    std::string text;
    try {
        interpreter.call("k", {{Pointer{x, 0}}, {Pointer{y, 0}}, {n}});
    } catch (const Trap& trap) {
        return std::string("trap: ") + trap.what();
    }
    for (const std::string& line : interpreter.log)
        text += line + "\n";
    for (const auto& buffer : {x, y}) {
        for (const Value& slot : buffer->slots)
            text += test::to_text(slot) + " ";
        text += "\n";
    }
    return text;
}

// The grid is as large as the block indices that are tried, so that no mapping has too many workers.
constexpr std::int64_t blocks[] = {0, 1, 5, 40};

void check_program(const ModuleRef& original, std::uint64_t seed) {
    ModuleRef current = original;
    std::vector<std::string> expected;
    for (std::int64_t block : blocks)
        expected.push_back(behaviour(*original, block, 3));
    for (PassId id : compiler::pipeline(compiler::LowerTo::Kernel)) {
        const compiler::PassInfo& pass = compiler::all_passes()[id - 1];
        DiagnosticSink sink;
        ModuleRef next;
        try {
            next = compiler::run_pass(pass, current, {}, sink);
        } catch (const InternalError& error) {
            FAIL(cat("seed ", seed, ": ", error.what(), "\n", print_module(*current).text));
        }
        if (sink.has_errors() && sink.all().front().id == DiagId::LowerUnrollSize)
            return;
        bool is_idle_tasks = sink.has_errors() && sink.all().front().id == DiagId::LowerTooManyWorkers;
        if (!next ||
            (sink.has_errors() && !is_idle_tasks)) // workers that nobody plays are a mistake, but have a meaning
            FAIL(cat("seed ", seed, ": ", pass.name, " refused: ", sink.all().front().message));
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (expected[i].starts_with("trap: too many"))
                continue;
            std::string actual = behaviour(*next, blocks[i], 3);
            if (actual != expected[i])
                FAIL(cat("seed ", seed, ", block ", blocks[i], ": ", pass.name, " changed the behaviour\n", expected[i],
                         "----\n", actual, "---- before\n", print_module(*current).text, "---- after\n",
                         print_module(*next).text));
        }
        current = next;
    }
}

// A kernel that prints the tasks of worker blockIdx.x in order, and ends some of them early.
ModuleRef task_printer(const MappingRef& mapping, std::size_t rank, Random& random) {
    VarVec vars;
    ExprVec printed = {string_constant("%d\n")};
    for (std::size_t d = 0; d < rank; ++d) {
        vars.push_back(make_var(cat("i", d), data_type(DType::I32)));
        printed.push_back(vars.back());
    }
    StmtVec body;
    auto early = [&](StmtRef exit) {
        ExprRef sum = vars[0];
        for (std::size_t d = 1; d < rank; ++d)
            sum = add(sum, vars[d]);
        body.push_back(make_if(equal(floor_mod(sum, int_constant(random.in(2, 5))), int_constant(1)), std::move(exit)));
    };
    if (random.chance(30))
        early(make_continue());
    body.push_back(make_evaluate(make_intrinsic(IntrinsicId::Printf, printed, void_type())));
    if (random.chance(30))
        early(make_break());
    VarRef x = make_var("x", pointer_type(data_type(DType::I32)));
    VarRef y = make_var("y", pointer_type(data_type(DType::I32)));
    VarRef n = make_var("n", data_type(DType::I32));
    StmtRef loop = make_for_mapping(vars, mapping, make_builtin(Builtin::BlockIdxX), make_seq(std::move(body)));
    return test::with_open_grid(test::module_of({test::function_of("k", FuncKind::CudaKernel, {x, y, n}, loop)}));
}

} // namespace

TEST_CASE("expanded mappings visit the tasks of every worker in order") {
    Random random(11);
    for (std::uint64_t round = 0; round < 600; ++round) {
        auto rank = static_cast<std::size_t>(random.in(1, 3));
        MappingRef mapping = test::random_mapping(random, rank);
        ModuleRef module = task_printer(mapping, rank, random);
        check_program(module, round);
    }
}

TEST_CASE("random programs behave the same after every pass") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        check_program(test::with_open_grid(test::random_program(random)), seed);
    }
}
