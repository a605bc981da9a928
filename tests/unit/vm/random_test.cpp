// SPDX-License-Identifier: Apache-2.0
// Random programs on the machine against a scalar interpreter, thread by thread: every thread of a block runs the program
// on memory of its own with its number in place of the block's, so branches, trip counts, breaks, early returns and calls
// by reference differ between threads in all ways.
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "runtime/vm/machine.h"
#include "tests/unit/passes/random_program.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::ir;

namespace {

constexpr int threads = 96;
constexpr std::size_t slots = 64; // of x, and of y, of a thread

class ThreadForBlock : public Rewriter {
protected:
    using Rewriter::visit;
    ExprRef visit(const BuiltinVar& node) override {
        return node.which == Builtin::BlockIdxX ? make_builtin(Builtin::ThreadIdxX) : Rewriter::visit(node);
    }
};

// The kernel k becomes a function that the kernel kk calls for each thread.
ModuleRef for_threads(const ModuleRef& module) {
    Module out = *module;
    for (FunctionRef& function : out.functions) {
        ir::Function copy = *ThreadForBlock().rewrite(function);
        if (copy.name == "k") {
            copy.func_kind = FuncKind::CudaInternal;
            copy.grid_dim = copy.block_dim = copy.cluster_dim = {};
        }
        function = make<ir::Function>(std::move(copy));
    }
    std::erase_if(out.functions, [](const FunctionRef& f) { return f->func_kind == FuncKind::Public; });
    const ir::Function* k = find_function(out, "k");
    VarRef x = make_var("x", pointer_type(data_type(DType::I32))),
           y = make_var("y", pointer_type(data_type(DType::I32)));
    VarRef n = make_var("n", data_type(DType::I32));
    ExprRef place = make_binary(BinOp::Mul, make_builtin(Builtin::ThreadIdxX), int_constant(slots));
    ExprVec args = {make_cast(make_binary(BinOp::Add, x, place), k->params[0]->type), make_binary(BinOp::Add, y, place),
                    n};
    auto one = [] { return int_constant(1); };
    FunctionRef kernel = test::function_of("kk", FuncKind::CudaKernel, {x, y, n},
                                           make_seq({make_evaluate(make_call("k", args, k->ret))}));
    ir::Function shaped = *kernel;
    shaped.block_dim = {int_constant(threads), one(), one()};
    out.functions.push_back(make<ir::Function>(std::move(shaped)));
    LaunchStmt launch;
    VarVec params = {make_var("x", x->type), make_var("y", y->type), make_var("n", n->type)};
    launch.kernel = "kk";
    launch.args = {params[0], params[1], params[2]};
    launch.grid = launch.cluster = {one(), one(), one()};
    launch.block = {int_constant(threads), one(), one()};
    launch.dynamic_smem_bytes = int_constant(0);
    out.functions.push_back(test::function_of("launch", FuncKind::Public, params, make<LaunchStmt>(std::move(launch))));
    return make<Module>(std::move(out));
}

struct Memory {
    std::vector<std::int32_t> x = std::vector<std::int32_t>(slots * threads), y = x;
};

Memory initial() {
    Memory memory;
    for (std::size_t i = 0; i < memory.x.size(); ++i) {
        memory.x[i] = static_cast<std::int32_t>(i % slots * 7 % 23) - 4;
        memory.y[i] = static_cast<std::int32_t>(i % slots % 5);
    }
    return memory;
}

// False: a thread does something that has no meaning.
bool expect(const Module& module, Memory& memory, std::int64_t n) {
    for (std::size_t t = 0; t < threads; ++t) {
        test::Interpreter interpreter(module);
        interpreter.builtins[Builtin::BlockIdxX] = static_cast<std::int64_t>(t);
        auto x = std::make_shared<test::Buffer>(), y = std::make_shared<test::Buffer>();
        for (std::size_t i = 0; i < slots; ++i) {
            x->slots.push_back({std::int64_t{memory.x[t * slots + i]}});
            y->slots.push_back({std::int64_t{memory.y[t * slots + i]}});
        }
        try {
            interpreter.call("k", {{test::Pointer{x, 0}}, {test::Pointer{y, 0}}, {n}});
        } catch (const test::Trap&) {
            return false;
        }
        for (std::size_t i = 0; i < slots; ++i) {
            memory.x[t * slots + i] = static_cast<std::int32_t>(x->slots[i].integer());
            memory.y[t * slots + i] = static_cast<std::int32_t>(y->slots[i].integer());
        }
    }
    return true;
}

std::string difference(const Memory& is, const Memory& expected) {
    for (std::size_t i = 0; i < is.x.size(); ++i) {
        if (is.x[i] != expected.x[i])
            return cat("thread ", i / slots, ": x[", i % slots, "] is ", is.x[i], ", not ", expected.x[i]);
        if (is.y[i] != expected.y[i])
            return cat("thread ", i / slots, ": y[", i % slots, "] is ", is.y[i], ", not ", expected.y[i]);
    }
    return "";
}

// True when the program could be compared.
bool check(std::uint64_t seed, compiler::LowerTo to) {
    test::Random random(seed);
    ModuleRef module = test::with_open_grid(test::random_program(random));
    DiagnosticSink sink;
    ModuleRef lowered = compiler::lower(module, {.to = to}, sink);
    if (!lowered || sink.has_errors())
        return false;
    Memory expected = initial();
    if (!expect(*lowered, expected, 3))
        return false;
    ModuleRef threaded = for_threads(lowered);
    auto program = compiler::generate_bytecode(threaded, sink);
    if (!program)
        FAIL(cat("seed ", seed, ": ", sink.all().front().message));
    for (int lanes : {0, 32}) {
        Memory memory = initial();
        vm::Machine machine(
            {.seed = static_cast<std::uint64_t>(lanes), .max_steps = 2'000'000'000, .threads = 1, .lanes = lanes});
        auto x = machine.map(memory.x.data(), memory.x.size() * 4, {}),
             y = machine.map(memory.y.data(), memory.y.size() * 4, {});
        vm::CallResult result = machine.call(*program, "launch", {x, y, std::int64_t{3}});
        std::string problem = result.ok ? difference(memory, expected) : result.findings.front().message;
        if (!problem.empty())
            FAIL(cat("seed ", seed, ", ", lanes, " lanes: ", problem, "\n", print_module(*threaded).text));
    }
    return true;
}

void check_all(compiler::LowerTo to) {
    constexpr std::uint64_t rounds = 150;
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed)
        compared += check(seed, to);
    REQUIRE(compared > rounds / 3);
}

} // namespace

TEST_CASE("programs with tensors run as the interpreter says") {
    check_all(compiler::LowerTo::Emulation);
}

TEST_CASE("programs lowered to the end run as the interpreter says") {
    check_all(compiler::LowerTo::Kernel);
}
