// SPDX-License-Identifier: Apache-2.0
// What the tests of passes share: random numbers, small modules, running passes.
#pragma once

#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/structure.h"
#include "compiler/transform/pass.h"
#include "tests/unit/passes/interpreter.h"

namespace hidet::test {

class Random {
public:
    explicit Random(std::uint64_t seed) : m_engine(seed) {}
    std::int64_t in(std::int64_t low, std::int64_t high) {                                   // both included
        auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1; // 0: all numbers
        std::uint64_t drawn = count == 0 ? m_engine() : m_engine() % count;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + drawn);
    }
    bool chance(int percent) { return in(1, 100) <= percent; }
    template <class T>
    const T& of(const std::vector<T>& items) {
        return items[static_cast<std::size_t>(in(0, static_cast<std::int64_t>(items.size()) - 1))];
    }

private:
    std::mt19937_64 m_engine;
};

inline ir::ModuleRef module_of(std::vector<ir::FunctionRef> functions, ir::Level level = ir::Level::Script) {
    ir::Module module;
    module.name = "test";
    module.level = level;
    module.functions = std::move(functions);
    return ir::make<ir::Module>(std::move(module));
}

inline ir::FunctionRef function_of(std::string name, ir::FuncKind kind, ir::VarVec params, ir::StmtRef body,
                                   ir::TypeRef ret = ir::void_type()) {
    ir::Function function;
    function.name = std::move(name);
    function.func_kind = kind;
    function.params = std::move(params);
    function.ret = std::move(ret);
    function.body = body ? std::move(body) : ir::make_seq({});
    if (kind == ir::FuncKind::CudaKernel)
        function.grid_dim = function.block_dim =
            function.cluster_dim = {ir::int_constant(1), ir::int_constant(1), ir::int_constant(1)};
    return ir::make<ir::Function>(std::move(function));
}

inline ir::ModuleRef run_pass(const std::string& name, const ir::ModuleRef& module, DiagnosticSink& sink) {
    const compiler::PassInfo* pass = compiler::find_pass(name);
    if (!pass)
        FAIL("no pass '", name, "'");
    compiler::PassContext context{.diagnostics = sink, .target = artifact::default_gpu(), .pass = pass->id};
    return pass->run(module, context);
}

// The value of an expression, or the reason why it has none.
inline std::string value_of(const ir::ExprRef& expr, const ir::VarVec& vars, const std::vector<Value>& values) {
    ir::ModuleRef module =
        module_of({function_of("f", ir::FuncKind::CudaInternal, vars, ir::make_return(expr), expr->type)});
    Interpreter interpreter(*module);
    try {
        return to_text(interpreter.call("f", values));
    } catch (const Trap& trap) {
        return std::string("trap: ") + trap.what();
    }
}

} // namespace hidet::test
