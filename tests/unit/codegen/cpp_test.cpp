// SPDX-License-Identifier: Apache-2.0
// Generated C++ does what the virtual machine does, to the bit: random expressions of all types, and random programs with
// loops, branches, calls and printf. Skipped where there is no C++ compiler.
#include <cstdio>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "compiler/artifact/host_table.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "runtime/vm/machine.h"
#include "tests/unit/codegen/loaded.h"
#include "tests/unit/codegen/many_programs.h"
#include "tests/unit/codegen/random_expr.h"
#include "tests/unit/codegen/with_cxx.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

constexpr int expressions = 250;
constexpr int programs = 40;

// ---- the host -----------------------------------------------------------------------------------------------------------

struct Host {
    std::string printed;
    std::string failure;
    hidet_host table{};

    Host() {
        table.self = this;
        table.parallel_for = [](void*, long long count, int, void (*body)(void*, long long, long long), void* context) {
            long long middle = count / 2; // on two threads
            std::thread other([&] { body(context, middle, count); });
            body(context, 0, middle);
            other.join();
        };
        table.print = [](void* self, const char* text, long long length) {
            static_cast<Host*>(self)->printed.append(text, static_cast<std::size_t>(length));
        };
        table.fail = [](void* self, int, const char* message) { static_cast<Host*>(self)->failure = message; };
        table.workspace = [](void*, long long, int) -> void* { return nullptr; };
        table.symbol = [](void*, const char*) { return 0ll; };
    }
};

void call(const test::Loaded& code, const std::string& symbol, Host& host, std::vector<void*> values) {
    using Entry = void (*)(const hidet_host*, void* const*, void*);
    std::vector<void*> args;
    for (void*& value : values)
        args.push_back(&value);
    code.find<Entry>(symbol)(&host.table, args.data(), nullptr);
}

struct Built {
    artifact::Source source;
    test::Loaded code;
};

Built build(toolchain::Compiler& compiler, const ModuleRef& module, std::vector<std::string> options) {
    for (const std::string& problem : verify(*module))
        FAIL(problem);
    DiagnosticSink sink;
    auto source = compiler::generate_cpp(module, sink);
    if (!source)
        FAIL(sink.all().front().message);
    return {*source, test::Loaded(compiler, source->text, std::move(options))};
}

std::string symbol_of(const artifact::Source& source, const std::string& name) {
    for (const artifact::EntryPoint& entry : source.entries)
        if (entry.name == name)
            return entry.symbol;
    throw std::runtime_error("no entry point for " + name);
}

// The lines of a function, to show.
std::string text_of(const artifact::Source& source, const std::string& name) {
    std::size_t at = source.text.find(cat("static void ", name, "("));
    return at == std::string::npos ? "" : source.text.substr(at, source.text.find("\n}\n", at) - at);
}

// ---- expressions ----------------------------------------------------------------------------------------------------------

void compare_expressions(toolchain::Compiler& compiler) {
    std::vector<FunctionRef> functions;
    for (std::uint64_t seed = 1; seed <= expressions; ++seed) {
        test::Random random(seed);
        functions.push_back(test::random_expression(random, cat("e", seed), FuncKind::Public));
    }
    ModuleRef module = test::module_of(functions, Level::Kernel);
    // An overflow of signed integers traps. Comparisons of constants that no script has are not warned of.
    Built built = build(compiler, module,
                        {"-O1", "-w", "-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"});
    DiagnosticSink sink;
    auto program = compiler::generate_bytecode(module, sink);
    REQUIRE(program.has_value());
    for (const FunctionRef& function : functions) {
        std::vector<std::int64_t> x = test::expression_inputs();
        std::vector<std::int64_t> expected(test::expr_rows), actual(test::expr_rows);
        vm::Machine machine(vm::MachineOptions{});
        auto map = [&](std::vector<std::int64_t>& data) {
            return machine.map(data.data(), data.size() * 8, {.device = Device::Cpu});
        };
        vm::CallResult result = machine.call(*program, function->name, {map(x), map(expected)});
        if (!result.ok)
            FAIL(cat(function->name, ": ", result.findings.front().message));
        Host host;
        call(built.code, symbol_of(built.source, function->name), host, {x.data(), actual.data()});
        if (!host.failure.empty())
            FAIL(cat(function->name, ": ", host.failure));
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (expected[i] != actual[i])
                FAIL(cat(function->name, ", row ", i, ": ", actual[i], ", the machine has ", expected[i], "\n",
                         text_of(built.source, function->name), "\n", print_function(*function).text));
    }
}

// ---- programs -------------------------------------------------------------------------------------------------------------

void compare_programs(toolchain::Compiler& compiler) {
    test::ManyPrograms all = test::many_programs(programs);
    Built built = build(compiler, all.on_host, {"-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused"});
    DiagnosticSink sink;
    auto program = compiler::generate_bytecode(all.on_host, sink);
    REQUIRE(program.has_value());
    int compared = 0;
    for (const std::string& name : all.names) {
        test::ProgramMemory expected = test::run_on_machine(*program, name), actual;
        if (!expected.failure.empty())
            continue;
        ++compared;
        Host host;
        call(built.code, symbol_of(built.source, name), host,
             {actual.x.data(), actual.y.data(), reinterpret_cast<void*>(std::intptr_t{test::program_argument})});
        bool is_same = actual.x == expected.x && actual.y == expected.y && host.printed == expected.printed;
        if (!is_same)
            FAIL(cat(name, " differs\n", text_of(built.source, name), "\n",
                     print_function(*find_function(*all.on_host, name)).text));
    }
    REQUIRE(compared > programs / 2);
}

} // namespace

TEST_CASE_FIXTURE(test::WithCxx, "expressions have the bits of the virtual machine") {
    if (is_skipped())
        return;
    compare_expressions(compiler);
}

TEST_CASE_FIXTURE(test::WithCxx, "programs do and print what the virtual machine does") {
    if (is_skipped())
        return;
    compare_programs(compiler);
}
