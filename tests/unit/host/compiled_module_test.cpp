// SPDX-License-Identifier: Apache-2.0
// Arguments of compiled functions are checked before an engine sees them. The engine only counts.
#include "lang/host/compiled_module.h"

#include "compiler/ir/structure.h"
#include "compiler/ir/type.h"
#include "lang/host/tensors/tensor_data.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

using namespace hidet;
using namespace hidet::lang;

namespace {

class Built : public BuiltModule {
public:
    explicit Built(ir::ModuleRef module) : m_module(std::move(module)) {}
    const ir::ModuleRef& lowered() const override { return m_module; }
    std::string source() const override { return "source"; }

private:
    ir::ModuleRef m_module;
};

class CountingEngine : public Engine {
public:
    Ref<BuiltModule> build(const ir::ModuleRef& module, Span, DiagnosticSink&) override {
        return Ref<BuiltModule>(new Built(module));
    }
    bool call(BuiltModule&, const std::string& function, const std::vector<CallArgument>& args, Span,
              std::variant<std::monostate, std::int64_t, double>& result, DiagnosticSink&) override {
        ++calls;
        last = function;
        count = args.size();
        result = 7.5;
        return true;
    }
    bool has_cuda() const override { return false; }
    void print(std::string_view) override {}
    int calls = 0;
    std::size_t count = 0;
    std::string last;
};

ir::TypeRef tensor_pointer(ir::DType dtype, ir::ExprVec shape) {
    return ir::tensor_pointer_type(ir::tensor_type(ir::data_type(dtype), std::move(shape)));
}

// cuda_kernel f(a: f32[n, 4], b: f32[n, 4], p: ~f32, k: i8)
ir::ModuleRef kernel_module() {
    ir::ExprRef n = ir::make_symbol("n", ir::data_type(ir::DType::I32));
    ir::Function function;
    function.name = "f";
    function.func_kind = ir::FuncKind::CudaKernel;
    function.params = {ir::make_var("a", tensor_pointer(ir::DType::F32, {n, ir::int_constant(4)})),
                       ir::make_var("b", tensor_pointer(ir::DType::F32, {n, ir::int_constant(4)})),
                       ir::make_var("p", ir::pointer_type(ir::data_type(ir::DType::F32))),
                       ir::make_var("k", ir::data_type(ir::DType::I8))};
    function.ret = ir::void_type();
    function.body = ir::make_seq({});
    function.grid_dim = {ir::int_constant(1), ir::int_constant(1), ir::int_constant(1)};
    function.block_dim = function.grid_dim;
    ir::Module module;
    module.name = "m";
    module.functions = {ir::make(std::move(function))};
    return ir::make(std::move(module));
}

// An evaluator with the engine, and what a call of the module says.
struct Bench {
    SourceMap sources;
    DiagnosticSink sink;
    CountingEngine engine;
    Evaluator evaluator{sources, sink, {}, &engine};
    Value module = build_module(evaluator, kernel_module(), {}, {});

    Value tensor(Shape shape, ir::DType dtype = ir::DType::F32, Device device = Device::Cuda) {
        return Value::tensor(new_tensor(evaluator, shape, {dtype, device, false}, {}));
    }
    std::string call(std::vector<Value> values) {
        Args args;
        args.positional = std::move(values);
        try {
            module.extension<CompiledModule>()->call(evaluator, args, {});
        } catch (const DiagnosticError& error) {
            return info(error.diagnostic.id).id;
        }
        return "";
    }
};

} // namespace

TEST_CASE("fitting arguments reach the engine as a call of launch") {
    Bench bench;
    REQUIRE(bench.call({bench.tensor({3, 4}), bench.tensor({3, 4}), Value(), Value::integer(5)}) == "");
    REQUIRE(bench.engine.calls == 1);
    REQUIRE(bench.engine.last == "launch");
    REQUIRE(bench.engine.count == 4u);
}

TEST_CASE("a missing argument is counted") {
    Bench bench;
    REQUIRE(bench.call({bench.tensor({3, 4})}) == "argument-count");
}

TEST_CASE("a number where a tensor is wanted is refused") {
    Bench bench;
    REQUIRE(bench.call({Value::integer(1), bench.tensor({3, 4}), Value(), Value::integer(5)}) == "argument-kind");
}

TEST_CASE("another data type is refused") {
    Bench bench;
    REQUIRE(bench.call({bench.tensor({3, 4}, ir::DType::F16), bench.tensor({3, 4}), Value(), Value::integer(5)}) ==
            "argument-dtype");
    REQUIRE(bench.call({bench.tensor({3, 4}), bench.tensor({3, 4}), bench.tensor({9}, ir::DType::I32),
                        Value::integer(5)}) == "argument-dtype");
}

TEST_CASE("another rank or extent is refused") {
    Bench bench;
    REQUIRE(bench.call({bench.tensor({3, 5}), bench.tensor({3, 4}), Value(), Value::integer(5)}) == "argument-shape");
    REQUIRE(bench.call({bench.tensor({12}), bench.tensor({3, 4}), Value(), Value::integer(5)}) == "argument-shape");
}

TEST_CASE("a symbol has one value in all arguments") {
    Bench bench;
    REQUIRE(bench.call({bench.tensor({3, 4}), bench.tensor({2, 4}), Value(), Value::integer(5)}) == "symbol-conflict");
}

TEST_CASE("a kernel of the GPU takes hidet's tensors of the CPU and refuses those of PyTorch") {
    Bench bench;
    Value cpu = bench.tensor({3, 4}, ir::DType::F32, Device::Cpu);
    REQUIRE(bench.call({cpu, bench.tensor({3, 4}), Value(), Value::integer(5)}) == "");
    Value torch = Value::tensor(new_tensor(bench.evaluator, {3, 4}, {ir::DType::F32, Device::Cpu, true}, {}));
    REQUIRE(bench.call({torch, bench.tensor({3, 4}), Value(), Value::integer(5)}) == "argument-device");
}

TEST_CASE("an integer must fit its parameter") {
    Bench bench;
    REQUIRE(bench.call({bench.tensor({3, 4}), bench.tensor({3, 4}), Value(), Value::integer(200)}) == "argument-range");
    REQUIRE(bench.call({bench.tensor({3, 4}), bench.tensor({3, 4}), Value(), Value::real(0.5)}) == "argument-kind");
}

TEST_CASE("a strided view of torch is refused") {
    Bench bench;
    Value view = bench.tensor({3, 4});
    view.as_tensor()->is_strided_view = true;
    REQUIRE(bench.call({view, bench.tensor({3, 4}), Value(), Value::integer(5)}) == "argument-kind");
}

TEST_CASE("building records the module") {
    Bench bench;
    REQUIRE(bench.evaluator.result().modules.size() == 1u);
}
