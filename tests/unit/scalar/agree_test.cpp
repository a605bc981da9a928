// SPDX-License-Identifier: Apache-2.0
// All that evaluate scalars do what lang/base/scalar_ops.def says, for every operator, every conversion and every type, at the
// edges: the folder of constants, constants of graphs, extents, launch plans, the host evaluator, the virtual machine's u and
// v registers with each instruction set, before and after Python's division of floats is lowered, and compiled C++ where
// there is a compiler. What a math library computes is compared where it is the same library.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "compiler/artifact/host_table.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/graph/interpreter/lanes.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/ir/evaluate.h"
#include "compiler/ir/fold.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/passes.h"
#include "lang/base/text.h"
#include "lang/base/whole.h"
#include "lang/host/evaluator.h"
#include "tests/unit/codegen/loaded.h"
#include "tests/unit/codegen/with_cxx.h"
#include "tests/unit/ir/parsed.h"
#include "tests/unit/scalar/edges.h"
#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::ir;
using test::ScalarCase;
using test::ScalarRows;

namespace {

void disagree(const ScalarCase& each, ScalarValue a, ScalarValue b, ScalarValue expected, const std::string& actual) {
    FAIL(each.name, "(", test::text_of(each.in, a), ", ", test::text_of(each.in, b), ") is ", actual,
         ", the table says ", test::text_of(each.out, expected));
}

void compare(const ScalarCase& each, const ScalarRows& rows, const std::vector<ScalarValue>& actual) {
    for (std::size_t i = 0; i < rows.a.size(); ++i)
        if (!test::same(each.out, rows.result[i], actual[i]))
            disagree(each, rows.a[i], rows.b[i], rows.result[i], test::text_of(each.out, actual[i]));
}

// ---- in the compiler ----------------------------------------------------------------------------------------------

ExprRef constant(DType dtype, ScalarValue value) {
    return is_float(dtype) ? float_constant(value.d, dtype) : int_constant(value.i, dtype);
}

ExprRef folded(const ScalarCase& each, ScalarValue a, ScalarValue b) {
    const ExprRef x = constant(each.in, a), y = constant(each.in, b);
    if (const auto* unary = as<Unary>(each.expr))
        return fold_unary(unary->op, each.in, x);
    if (const auto* binary = as<Binary>(each.expr))
        return fold_binary(binary->op, each.in, x, y);
    if (const auto* call = as<Intrinsic>(each.expr))
        return fold_math(call->id, each.in,
                         call->args.size() == 1   ? ExprVec{x}
                         : call->args.size() == 2 ? ExprVec{x, y}
                                                  : ExprVec{x, y, x});
    return fold_cast(x, each.out);
}

bool may_stay(const ScalarCase& each, ScalarValue a, ScalarValue b) {
    if (!each.op || info(*each.op).bits == ScalarBits::Library)
        return each.op.has_value();
    switch (*each.op) {
    case ScalarOp::Div:
    case ScalarOp::Mod:
    case ScalarOp::FloorDiv:
    case ScalarOp::FloorMod: return is_float(each.in) && b.d == 0;
    case ScalarOp::Shl:
    case ScalarOp::Shr: return b.i < 0 || b.i >= info(each.in).bits;
    case ScalarOp::Min:
    case ScalarOp::Max: return is_float(each.in) && a.d == 0 && b.d == 0;
    default: return false;
    }
}

void check_folder(const ScalarCase& each, const ScalarRows& rows) {
    for (std::size_t i = 0; i < rows.a.size(); ++i) {
        const ExprRef result = folded(each, rows.a[i], rows.b[i]);
        const auto* value = as<Constant>(result);
        if (!value && may_stay(each, rows.a[i], rows.b[i]))
            continue;
        if (!value) {
            disagree(each, rows.a[i], rows.b[i], rows.result[i], "not folded");
            continue;
        }
        ScalarValue actual;
        if (is_float(each.out))
            actual.d = std::get<double>(value->value);
        else
            actual.i = std::get<std::int64_t>(value->value);
        if (!test::same(each.out, rows.result[i], actual))
            disagree(each, rows.a[i], rows.b[i], rows.result[i], to_string(result));
    }
}

void check_graph(const ScalarCase& each, const ScalarRows& rows) {
    std::vector<ScalarValue> actual;
    for (std::size_t begin = 0; begin < rows.a.size(); begin += graph::lanes::lane_count) {
        const std::size_t count = std::min<std::size_t>(graph::lanes::lane_count, rows.a.size() - begin);
        graph::lanes::Row a(rows.a.begin() + begin, rows.a.begin() + begin + count);
        graph::lanes::Row b(rows.b.begin() + begin, rows.b.begin() + begin + count);
        graph::lanes::Environment environment;
        environment.rows = {{each.a.get(), &a}, {each.b.get(), &b}};
        graph::lanes::Code code(each.expr, environment);
        const auto& result = code.run(static_cast<int>(count), graph::lanes::Active(count, 1));
        actual.insert(actual.end(), result.begin(), result.begin() + count);
    }
    compare(each, rows, actual);
}

bool has_word_of_plan(const ScalarCase& each) {
    if (each.in == DType::I64)
        return artifact::whole_op(*each.op).has_value();
    return (each.in == DType::F32 || each.in == DType::F64) && artifact::real_op(*each.op);
}

std::optional<std::int64_t> in_launch_plan(const ExprRef& expr) {
    artifact::LaunchPlan plan;
    const artifact::Row row = graph::Expressions(plan).of(expr);
    return artifact::evaluate(plan.expressions, {})[row];
}

// Extents and counts of work, and those of launch plans, which have whole numbers. Floats stand between them: their constants, and what they become.
void check_extents(const ScalarCase& each, const ScalarRows& rows) {
    const bool is_whole = each.in == DType::I64;
    if (!each.op || info(*each.op).operands > 2 || (!is_whole && !is_float(each.in)))
        return;
    for (std::size_t i = 0; i < rows.a.size(); ++i) {
        const ExprRef a = constant(each.in, rows.a[i]), b = constant(each.in, rows.b[i]);
        ExprRef expr;
        if (const auto* unary = as<Unary>(each.expr))
            expr = make_unary(unary->op, a);
        else if (const auto* binary = as<Binary>(each.expr))
            expr = make_binary(binary->op, a, b);
        else if (const auto* call = as<Intrinsic>(each.expr))
            expr = make_intrinsic(call->id, call->args.size() == 1 ? ExprVec{a} : ExprVec{a, b}, each.expr->type);
        const bool is_real = is_float(each.out);
        if (is_real)
            expr = make_cast(expr, data_type(DType::I64));
        const auto actual = evaluate_whole(expr, [](const ExprRef&) { return std::nullopt; });
        const bool fits = is_real ? std::fabs(rows.result[i].d) < 0x1p63
                                  : !is_whole || hidet::whole(*each.op, rows.a[i].i, rows.b[i].i).has_value();
        const std::int64_t expected = is_real && fits ? static_cast<std::int64_t>(rows.result[i].d) : rows.result[i].i;
        if (actual.has_value() != fits || (fits && *actual != expected))
            disagree(each, rows.a[i], rows.b[i], rows.result[i], actual ? std::to_string(*actual) : "nothing");
        if (const auto planned = in_launch_plan(expr); has_word_of_plan(each) && planned != actual)
            disagree(each, rows.a[i], rows.b[i], rows.result[i], planned ? std::to_string(*planned) : "nothing");
    }
}

// ---- the host evaluator -------------------------------------------------------------------------------------------

struct HostOperator {
    lang::ast::BinaryOp host;
    ScalarOp op;
};
constexpr HostOperator host_operators[] = {
    {lang::ast::BinaryOp::Add, ScalarOp::Add},      {lang::ast::BinaryOp::Sub, ScalarOp::Sub},
    {lang::ast::BinaryOp::Mul, ScalarOp::Mul},      {lang::ast::BinaryOp::FloorDiv, ScalarOp::FloorDiv},
    {lang::ast::BinaryOp::Mod, ScalarOp::FloorMod}, {lang::ast::BinaryOp::Shl, ScalarOp::Shl},
    {lang::ast::BinaryOp::Shr, ScalarOp::Shr},      {lang::ast::BinaryOp::BitAnd, ScalarOp::BitAnd},
    {lang::ast::BinaryOp::BitOr, ScalarOp::BitOr},  {lang::ast::BinaryOp::BitXor, ScalarOp::BitXor},
};

std::optional<lang::Value> on_host(lang::Evaluator& evaluator, lang::ast::BinaryOp op, const lang::Value& a,
                                   const lang::Value& b) {
    try {
        return evaluator.binary(op, a, b, {}, {});
    } catch (const DiagnosticError&) {
        return std::nullopt; // ZeroDivisionError, OverflowError, ValueError
    }
}

void check_host() {
    SourceMap sources;
    DiagnosticSink sink;
    lang::Evaluator evaluator(sources, sink, {}, nullptr);
    for (const HostOperator& each : host_operators) {
        for (ScalarValue a : test::edges(DType::I64))
            for (ScalarValue b : test::edges(DType::I64)) {
                auto actual = on_host(evaluator, each.host, lang::Value::integer(a.i), lang::Value::integer(b.i));
                auto expected = hidet::whole(each.op, a.i, b.i);
                if (actual.has_value() != expected.has_value() || (actual && actual->as_int() != *expected))
                    FAIL(info(each.op).name, " of ", a.i, " and ", b.i);
            }
        if (info(each.op).takes == ScalarTakes::Integer)
            continue;
        for (ScalarValue a : test::edges(DType::F64))
            for (ScalarValue b : test::edges(DType::F64)) {
                const bool is_error = b.d == 0 && (each.op == ScalarOp::FloorDiv || each.op == ScalarOp::FloorMod);
                auto actual = on_host(evaluator, each.host, lang::Value::real(a.d), lang::Value::real(b.d));
                ScalarValue expected = apply(each.op, DType::F64, a, b);
                if (actual.has_value() == is_error ||
                    (actual && !test::same(DType::F64, {.d = actual->as_double()}, expected)))
                    FAIL(info(each.op).name, " of ", test::text_of(DType::F64, a), " and ",
                         test::text_of(DType::F64, b));
            }
    }
}

// ---- machines -----------------------------------------------------------------------------------------------------

std::vector<std::byte> packed(DType dtype, const std::vector<ScalarValue>& values) {
    std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(bytes_of(dtype)));
    for (std::size_t i = 0; i < values.size(); ++i)
        graph::lanes::store(dtype, bytes.data(), static_cast<std::int64_t>(i), values[i]);
    return bytes;
}

std::vector<ScalarValue> unpacked(DType dtype, const std::vector<std::byte>& bytes) {
    std::vector<ScalarValue> values;
    for (std::size_t i = 0; i < bytes.size() / static_cast<std::size_t>(bytes_of(dtype)); ++i)
        values.push_back(graph::lanes::load(dtype, bytes.data(), static_cast<std::int64_t>(i)));
    return values;
}

std::string element_text(const ScalarCase& each) {
    const char* in = info(each.in).short_name;
    return cat("let a: ", in, " = x[i]\nlet b: ", in, " = y[i]\nz[i] = ", to_string(each.expr), "\n");
}

std::string params_of(const ScalarCase& each) {
    const char* in = info(each.in).short_name;
    return cat("x: ~", in, ", y: ~", in, ", z: ~", info(each.out).short_name);
}

std::vector<ScalarValue> run(const artifact::Program& program, const ScalarCase& each, const ScalarRows& rows,
                             vm::MachineOptions options, Device device) {
    auto x = packed(each.in, rows.a), y = packed(each.in, rows.b);
    std::vector<std::byte> z(rows.a.size() * static_cast<std::size_t>(bytes_of(each.out)));
    vm::Machine machine(std::move(options));
    std::string finding = test::run(program, machine,
                                    {test::map(machine, x, "x", {}, device), test::map(machine, y, "y", {}, device),
                                     test::map(machine, z, "z", {}, device)});
    if (!finding.empty())
        FAIL(each.name, ": ", finding);
    return unpacked(each.out, z);
}

void check_lanes(const ScalarCase& each, const ScalarRows& rows) {
    const std::size_t blocks = (rows.a.size() + 31) / 32;
    test::KernelText k{.params = params_of(each), .args = "x, y, z", .grid = cat(blocks, ", 1, 1")};
    k.body = cat("let i: i32 = blockIdx.x * 32 + threadIdx.x\nif i < ", rows.a.size(), ":\n");
    for (const std::string& line : split(element_text(each), '\n'))
        k.body += line.empty() ? "" : cat("    ", line, "\n");
    const artifact::Program program = test::compile(test::module_text(k));
    for (vm::VectorIsa isa : {vm::VectorIsa::V2, vm::VectorIsa::V3, vm::VectorIsa::V4})
        if (vm::has_isa(isa))
            compare(each, rows, run(program, each, rows, {.isa = isa}, Device::Cuda));
}

std::string function_text(const ScalarCase& each, const std::string& name, std::size_t count) {
    std::string text = cat("def ", name, "(", params_of(each),
                           "):\n    attrs.func_kind = 'public'\n    for i in range(", count, "):\n");
    for (const std::string& line : split(element_text(each), '\n'))
        text += line.empty() ? "" : cat("        ", line, "\n");
    return text + "\n";
}

ModuleRef lowered(const ModuleRef& module) {
    DiagnosticSink sink;
    compiler::PassContext context{.diagnostics = sink, .target = artifact::default_gpu()};
    return compiler::lower_float_floor(module, context);
}

bool is_float_floor(const ScalarCase& each) {
    return is_float(each.in) && (each.op == ScalarOp::FloorDiv || each.op == ScalarOp::FloorMod);
}

void check_slots(const ScalarCase& each, const ScalarRows& rows) {
    ModuleRef module = test::parsed_module("module '' level kernel\n\n" + function_text(each, "launch", rows.a.size()));
    compare(each, rows, run(test::compile(module), each, rows, {}, Device::Cpu));
    if (is_float_floor(each))
        compare(each, rows, run(test::compile(lowered(module)), each, rows, {}, Device::Cpu));
}

// ---- C++ ----------------------------------------------------------------------------------------------------------

void check_entry(const test::Loaded& code, const artifact::EntryPoint& entry, const ScalarCase& each,
                 const ScalarRows& rows) {
    auto x = packed(each.in, rows.a), y = packed(each.in, rows.b);
    std::vector<std::byte> z(rows.a.size() * static_cast<std::size_t>(bytes_of(each.out)));
    void* pointers[] = {x.data(), y.data(), z.data()};
    void* args[] = {&pointers[0], &pointers[1], &pointers[2]};
    hidet_host host{};
    host.fail = [](void*, int, const char*) {};
    code.find<void (*)(const hidet_host*, void* const*, void*)>(entry.symbol)(&host, args, nullptr);
    compare(each, rows, unpacked(each.out, z));
}

void check_cpp(toolchain::Compiler& compiler, const std::vector<ScalarCase>& cases) {
    std::string text = "module '' level kernel\n\n";
    for (const ScalarCase& each : cases)
        text += function_text(each, each.name, rows_of(each).a.size());
    DiagnosticSink sink;
    auto source = compiler::generate_cpp(lowered(test::parsed_module(text)), sink);
    if (!source)
        FAIL(sink.all().front().message);
    test::Loaded code(compiler, source->text, {"-O1", "-w"});
    for (const artifact::EntryPoint& entry : source->entries) {
        const ScalarCase& each =
            *std::ranges::find_if(cases, [&](const ScalarCase& one) { return one.name == entry.name; });
        const ScalarRows rows = rows_of(each);
        check_entry(code, entry, each, rows);
    }
}

// The machine code that users get: optimised, with exponents and divisors that the compiler sees, in loops that it makes vectors of.
void check_optimised(toolchain::Compiler& compiler) {
    constexpr double seen[] = {0.5, -0.5, 1.5, 0.25, 2.0, 3.0, -1.0, 0.0, -0.0, 1.0 / 3};
    std::vector<ScalarCase> cases;
    std::vector<double> constants;
    std::string text = "module '' level kernel\n\n";
    for (const ScalarCase& each : test::scalar_cases()) {
        const bool has_two = each.op && info(*each.op).operands == 2;
        if (!each.op || info(*each.op).operands > 2 || (each.in != DType::F32 && each.in != DType::F64))
            continue;
        for (const double value : has_two ? std::span(seen) : std::span(seen).first(1)) {
            ScalarCase made = each;
            made.name = cat(each.name, "_of_", cases.size());
            const std::size_t count = test::edges(each.in).size();
            std::string function = function_text(each, made.name, count);
            const std::string read = has_two ? "y[i]" : "";
            if (const std::size_t at = has_two ? function.find(read) : std::string::npos; at != std::string::npos)
                function.replace(at, read.size(), to_string(constant(each.in, {.d = round_to(value, each.in)})));
            text += function;
            cases.push_back(made), constants.push_back(round_to(value, each.in));
        }
    }
    DiagnosticSink sink;
    auto source = compiler::generate_cpp(lowered(test::parsed_module(text)), sink);
    if (!source)
        FAIL(sink.all().front().message);
    test::Loaded code(compiler, source->text, {"-w"});
    for (const artifact::EntryPoint& entry : source->entries) {
        const auto at = std::ranges::find(cases, entry.name, &ScalarCase::name);
        const ScalarCase& each = *at;
        ScalarRows rows;
        rows.a = test::edges(each.in);
        rows.b.assign(rows.a.size(), {.d = constants[static_cast<std::size_t>(at - cases.begin())]});
        for (std::size_t i = 0; i < rows.a.size(); ++i)
            rows.result.push_back(apply(*each.op, each.in, rows.a[i], rows.b[i], rows.a[i]));
        check_entry(code, entry, each, rows);
    }
}

// What compilers make one truncation of, were they allowed to drop the integer.
const char* const round_trip = R"(module '' level kernel

def launch(x: ~f32, y: ~f64, z: ~f32, w: ~f64):
    attrs.func_kind = 'public'
    for i in range(4):
        z[i] = 1.0 / cast(cast(x[i], i32), f32)
        w[i] = f64(1.0) / cast(cast(y[i], i64), f64)
)";

void check_round_trip(toolchain::Compiler& compiler) {
    DiagnosticSink sink;
    auto source = compiler::generate_cpp(test::parsed_module(round_trip), sink);
    REQUIRE(source.has_value());
    test::Loaded code(compiler, source->text, {});
    float x[] = {-0.3f, -0.0f, std::nanf(""), 0.9f}, z[4];
    double y[] = {-0.3, -0.0, std::nan(""), 0.9}, w[4];
    void* pointers[] = {x, y, z, w};
    void* args[] = {&pointers[0], &pointers[1], &pointers[2], &pointers[3]};
    hidet_host host{};
    for (const artifact::EntryPoint& entry : source->entries)
        code.find<void (*)(const hidet_host*, void* const*, void*)>(entry.symbol)(&host, args, nullptr);
    for (int i = 0; i < 4; ++i)
        REQUIRE((z[i] > 0 && std::isinf(z[i]) && w[i] > 0 && std::isinf(w[i])));
}

using Check = void (*)(const ScalarCase&, const ScalarRows&);

void for_all(Check check) {
    for (const ScalarCase& each : test::scalar_cases())
        check(each, test::rows_of(each));
}

} // namespace

TEST_CASE("constants fold as the table says") {
    for_all(check_folder);
}
TEST_CASE("constants of graphs are what the table says") {
    for_all(check_graph);
}
TEST_CASE("extents are what the table says") {
    for_all(check_extents);
}
TEST_CASE("the host evaluator computes what the table says") {
    check_host();
}
TEST_CASE("slots of the machine hold what the table says") {
    for_all(check_slots);
}
TEST_CASE("lanes of the machine hold what the table says") {
    for_all(check_lanes);
}
TEST_CASE_FIXTURE(test::WithCxx, "compiled C++ computes what the table says") {
    if (!is_skipped())
        check_cpp(compiler, test::scalar_cases());
}
TEST_CASE_FIXTURE(test::WithCxx, "optimised C++ computes what the table says, of constants too") {
    if (!is_skipped())
        check_optimised(compiler);
}
TEST_CASE_FIXTURE(test::WithCxx, "an integer between two floats is not dropped by the C++ compiler") {
    if (!is_skipped())
        check_round_trip(compiler);
}
