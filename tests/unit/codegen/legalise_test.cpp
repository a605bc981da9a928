// SPDX-License-Identifier: Apache-2.0
// What is legal for a C-like language is IR that means the same.
#include "compiler/codegen/text/legalise.h"

#include <doctest/doctest.h>

#include "compiler/codegen/bytecode/generate.h"
#include "compiler/codegen/cpp/dialect.h"
#include "compiler/codegen/cuda/dialect.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "runtime/vm/machine.h"
#include "tests/unit/codegen/random_expr.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

constexpr int functions_count = 300;

ModuleRef random_functions() {
    std::vector<FunctionRef> functions;
    for (std::uint64_t seed = 1; seed <= functions_count; ++seed) {
        test::Random random(seed);
        functions.push_back(test::random_expression(random, cat("e", seed), FuncKind::Public));
    }
    return test::module_of(functions, Level::Kernel);
}

ModuleRef legal(const ModuleRef& module, const compiler::Dialect& dialect) {
    std::vector<FunctionRef> functions;
    for (const FunctionRef& function : module->functions)
        functions.push_back(compiler::text::legalise(function, module, dialect, nullptr).function);
    return test::module_of(functions, Level::Kernel);
}

artifact::Program program_of(const ModuleRef& module) {
    for (const std::string& problem : verify(*module))
        FAIL(problem);
    DiagnosticSink sink;
    auto program = compiler::generate_bytecode(module, sink);
    REQUIRE(program.has_value());
    return *program;
}

std::vector<std::int64_t> run(const artifact::Program& program, const std::string& function) {
    std::vector<std::int64_t> x = test::expression_inputs(), out(test::expr_rows);
    vm::Machine machine(vm::MachineOptions{});
    auto map = [&](std::vector<std::int64_t>& data) {
        return machine.map(data.data(), data.size() * 8, {.device = Device::Cpu});
    };
    vm::CallResult result = machine.call(program, function, {map(x), map(out)});
    if (!result.ok)
        FAIL(cat(function, ": ", result.findings.front().message));
    return out;
}

void check_meaning(const compiler::Dialect& dialect) {
    ModuleRef module = random_functions(), legal_module = legal(module, dialect);
    artifact::Program before = program_of(module), after = program_of(legal_module);
    for (std::size_t i = 0; i < module->functions.size(); ++i) {
        const std::string& name = module->functions[i]->name;
        if (run(before, name) != run(after, name))
            FAIL(cat(print_function(*module->functions[i]).text, "is not\n",
                     print_function(*legal_module->functions[i]).text));
    }
}

} // namespace

TEST_CASE("what is legal in CUDA C++ means the same") {
    check_meaning(compiler::cuda_dialect());
}

TEST_CASE("what is legal in C++ means the same") {
    check_meaning(compiler::cpp_dialect());
}
