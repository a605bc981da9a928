// SPDX-License-Identifier: Apache-2.0
// The pass manager: order, levels, instruments, stopping, cancelling, and what a code generator may rely on.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "compiler/ir/ops.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "lang/base/numeric.h"
#include "tests/unit/passes/support.h"

using namespace hidet;
using namespace hidet::compiler;
using namespace hidet::ir;
using hidet::test::Interpreter;
using hidet::test::Value;

namespace {

ModuleRef small_kernel() {
    VarRef x =
        make_var("x", tensor_pointer_type(tensor_type(data_type(DType::I32), {int_constant(8), int_constant(8)})));
    StmtRef store = make_store(x, {make_builtin(Builtin::ThreadIdxX), int_constant(0)}, int_constant(1));
    return test::module_of({test::function_of("k", FuncKind::CudaKernel, {x}, store)});
}

class Recorder : public PassInstrument {
public:
    std::vector<std::string> events;
    void before(const PassInfo& pass, const Module&) override { events.push_back(cat("before ", pass.name)); }
    void after(const PassInfo& pass, const Module& before, const Module& after, double milliseconds) override {
        REQUIRE(milliseconds >= 0);
        events.push_back(cat("after ", pass.name, &before == &after ? " unchanged" : ""));
    }
};

// a op b as the interpreter has it, before or after the pass that replaces it.
Value float_result(BinOp op, DType dtype, double a, double b, bool lowered) {
    VarRef x = make_var("x", data_type(dtype));
    VarRef y = make_var("y", data_type(dtype));
    FunctionRef function =
        test::function_of("f", FuncKind::CudaInternal, {x, y}, make_return(make_binary(op, x, y)), data_type(dtype));
    ModuleRef module = test::module_of({function}, Level::Flat);
    DiagnosticSink sink;
    if (lowered)
        module = test::run_pass("lower-float-floor", module, sink);
    Interpreter interpreter(*module);
    return interpreter.call("f", {{a}, {b}});
}

} // namespace

TEST_CASE("the table lists the passes in the order in which the pipeline first runs them") {
    std::vector<PassId> order;
    for (PassId id : pipeline(LowerTo::Kernel))
        if (std::find(order.begin(), order.end(), id) == order.end())
            order.push_back(id);
    REQUIRE(order.size() == all_passes().size());
    for (std::size_t i = 0; i < order.size(); ++i)
        REQUIRE(order[i] == all_passes()[i].id);
}

TEST_CASE("the emulator's passes begin those of the code generators") {
    std::vector<PassId> emulation = pipeline(LowerTo::Emulation);
    std::vector<PassId> kernel = pipeline(LowerTo::Kernel);
    REQUIRE(emulation.size() < kernel.size());
    REQUIRE(std::equal(emulation.begin(), emulation.end(), kernel.begin()));
}

TEST_CASE("both ends reach their level") {
    DiagnosticSink sink;
    REQUIRE(lower(small_kernel(), {.to = LowerTo::Emulation}, sink)->level == Level::Loop);
    REQUIRE(lower(small_kernel(), {.to = LowerTo::Kernel}, sink)->level == Level::Kernel);
}

TEST_CASE("lowering goes on from where the emulator takes a module, as if it had not stopped") {
    std::vector<PassId> passes = pipeline(LowerTo::Emulation);
    std::vector<PassId> rest = pipeline(LowerTo::Kernel, LowerFrom::Emulation);
    passes.insert(passes.end(), rest.begin(), rest.end());
    REQUIRE(passes == pipeline(LowerTo::Kernel));
    DiagnosticSink sink;
    ModuleRef emulated = lower(small_kernel(), {.to = LowerTo::Emulation}, sink);
    ModuleRef end = lower(emulated, {.from = LowerFrom::Emulation}, sink);
    REQUIRE(print_module(*end).text == print_module(*lower(small_kernel(), {}, sink)).text);
}

TEST_CASE("lowering stops after the pass that is named") {
    DiagnosticSink sink;
    Recorder recorder;
    ModuleRef module = lower(small_kernel(), {.stop_after = "expand-task-mapping"}, sink, {&recorder});
    REQUIRE(module->level == Level::Loop);
    REQUIRE(recorder.events.front() == "before freeze-loops");
    REQUIRE(recorder.events[1] == "after freeze-loops unchanged");
    REQUIRE(recorder.events.back() == "after expand-task-mapping");
}

TEST_CASE("a cancelled lowering gives nothing and complains about nothing") {
    DiagnosticSink sink;
    std::atomic<bool> cancelled{true};
    REQUIRE(!lower(small_kernel(), {.cancelled = &cancelled}, sink));
    REQUIRE(sink.all().empty());
}

TEST_CASE("lowering twice gives the same text") {
    DiagnosticSink sink;
    ModuleRef module = small_kernel();
    REQUIRE(print_module(*lower(module, {}, sink)).text == print_module(*lower(module, {}, sink)).text);
}

TEST_CASE("passes are found by name") {
    for (const PassInfo& pass : all_passes())
        REQUIRE(find_pass(pass.name) == &pass);
    REQUIRE(find_pass("no-such-pass") == nullptr);
}

TEST_CASE("float floor division and modulo keep their bits") {
    test::Random random(5);
    std::vector<double> values = {0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 7.5, 2.5, 1e30, -1e-30, INFINITY, -INFINITY, 3.0};
    for (int i = 0; i < 40; ++i)
        values.push_back(static_cast<double>(random.in(-1000, 1000)) / static_cast<double>(random.in(1, 64)));
    for (DType dtype : {DType::F32, DType::F64, DType::F16})
        for (BinOp op : {BinOp::FloorDiv, BinOp::FloorMod})
            for (double x : values)
                for (double y : values) {
                    double a = round_to(x, dtype);
                    double b = round_to(y, dtype);
                    if (b == 0.0)
                        continue; // left to run time
                    Value expected = float_result(op, dtype, a, b, false);
                    Value actual = float_result(op, dtype, a, b, true);
                    if (!(expected == actual))
                        FAIL(cat(a, " ", spelling(op), " ", b, " in ", info(dtype).name, ": ", test::to_text(actual),
                                 " instead of ", test::to_text(expected)));
                }
}
