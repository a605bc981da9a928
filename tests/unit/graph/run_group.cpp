// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/run_group.h"

#include "app/session/script/engine.h"
#include "app/session/tools/tools.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/pass.h"
#include "tests/unit/graph/interpret.h"

#include <doctest/doctest.h>
#include <string>

namespace hidet::test {

using namespace graph;

namespace {

class SymbolReplacer : public ir::Rewriter {
public:
    explicit SymbolReplacer(const SymbolValues& symbols) : m_symbols(symbols) {}

protected:
    using Rewriter::visit;
    ir::ExprRef visit(const ir::SymbolVar& symbol) override { return dim(m_symbols.at(symbol.name)); }

private:
    const SymbolValues& m_symbols;
};

std::int64_t value_of(const Dim& extent, const SymbolValues& symbols) {
    return *constant_of(simplified(SymbolReplacer(symbols).rewrite(extent)));
}

session::RunRequest request_for(Backend backend) {
    session::RunRequest request;
    request.target = backend == Backend::Native ? session::Target::Cpu
                     : backend == Backend::Gpu  ? session::Target::Cuda
                                                : session::Target::Emulate;
    if (backend == Backend::Native || backend == Backend::Gpu)
        request.tools = std::make_shared<session::Tools>();
    return request;
}

lang::TensorRef empty_tensor(ir::DType dtype, std::vector<std::int64_t> shape, Device device) {
    auto tensor = Ref<lang::Tensor>(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->device = device;
    tensor->storage = std::make_shared<lang::Storage>(
        static_cast<std::size_t>(std::max<std::int64_t>(tensor->count() * ir::bytes_of(dtype), 1)));
    tensor->storage->uninitialised = true;
    return tensor;
}

lang::TensorRef on(const lang::TensorRef& tensor, Device device) {
    auto copy = Ref<lang::Tensor>(new lang::Tensor(*tensor));
    copy->device = device;
    return copy;
}

} // namespace

struct GroupRunner::State {
    explicit State(Backend backend) : backend(backend), request(request_for(backend)), engine(work, request) {}
    Backend backend;
    session::Work work;
    session::RunRequest request;
    session::ScriptEngine engine;
};

GroupRunner::GroupRunner(Backend backend) : m_state(std::make_unique<State>(backend)) {}
GroupRunner::~GroupRunner() = default;

const artifact::TargetSpec& GroupRunner::target() const {
    const bool is_cuda = m_state->backend == Backend::Emulated || m_state->backend == Backend::Gpu;
    return is_cuda ? artifact::default_gpu() : artifact::default_cpu();
}

bool GroupRunner::is_there() const {
    if (m_state->backend == Backend::Gpu)
        return m_state->engine.has_cuda();
    return m_state->backend != Backend::Native ||
           m_state->request.tools->toolchain().locate(toolchain::Tool::CxxCompiler).state == toolchain::State::Found;
}

void GroupRunner::run(const Graph& graph, const GroupProgram& program, Values& values, const SymbolValues& symbols) {
    State& state = *m_state;
    const auto fail = [&](const std::string& what) {
        FAIL(what, "\n", render(state.work.sink.all(), state.work.sources), ir::print_module(*program.module).text);
    };
    for (const std::string& violation : ir::verify(*program.module))
        fail("not well formed: " + violation);
    auto built = state.engine.build(program.module, {}, state.work.sink);
    if (!built)
        fail("not built");
    const Device device = target().is_cuda() ? Device::Cuda : Device::Cpu;
    std::vector<lang::CallArgument> args;
    for (ValueId input : program.inputs)
        args.push_back({on(values.at(input), device), "input", {}});
    for (const PackedConstant& packed : program.packed)
        args.push_back({on(run_task(packed.task, {values.at(packed.value)})[0], device), "packed", {}});
    for (ValueId output : program.outputs) {
        const TensorSpec& spec = graph.value(output).spec;
        std::vector<std::int64_t> shape;
        for (const Dim& extent : spec.shape)
            shape.push_back(value_of(extent, symbols));
        values[output] = empty_tensor(spec.dtype, std::move(shape), device);
        args.push_back({values[output], "output", {}});
    }
    if (program.workspace_bytes)
        args.push_back(
            {empty_tensor(ir::DType::U8, {value_of(program.workspace_bytes, symbols)}, device), "workspace", {}});
    state.engine.symbols = symbols;
    session::ReturnValue result;
    if (!state.engine.call(*built, "launch", args, {}, result, state.work.sink) || !state.work.sink.all().empty())
        fail("the call failed");
}

std::string compile_errors(const GroupProgram& program) {
    toolchain::InProcessCompiler nvrtc(toolchain::default_places());
    if (!nvrtc.nvrtc())
        return "";
    DiagnosticSink sink;
    const ir::ModuleRef lowered = compiler::lower(program.module, {}, sink);
    const auto source = lowered ? compiler::generate_cuda(lowered, artifact::default_gpu(), sink) : std::nullopt;
    if (!source)
        return render(sink.all(), SourceMap());
    toolchain::CompileRequest request;
    request.language = artifact::Language::CudaCxx;
    request.text = source->text;
    request.product = toolchain::Product::Cubin;
    request.arch = "sm_90a";
    auto result = nvrtc.compile(request);
    return result ? "" : result.error().message + "\n" + source->text;
}

void interpret(const Graph& graph, Values& values, const SymbolValues& symbols) {
    for (NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        std::vector<lang::TensorRef> inputs;
        for (ValueId input : node.inputs)
            inputs.push_back(values.at(input));
        const auto outputs = evaluate(*node.task, inputs, symbols);
        for (std::size_t i = 0; i < outputs.size(); ++i)
            values[node.outputs[i]] = outputs[i];
    }
}

} // namespace hidet::test
