// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/many_programs.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "runtime/vm/machine.h"

namespace hidet::test {

using namespace ir;

namespace {

enum class Side : std::uint8_t { Host, Gpu };

// Functions renamed, so that many programs fit in one module; for the host without what only a GPU has.
class Renamer : public Rewriter {
public:
    Renamer(std::string prefix, Side side)
        : Rewriter(0, Definitions::Copy), m_prefix(std::move(prefix)), m_side(side) {}
    FunctionRef run(const FunctionRef& function) {
        Function copy = *rewrite(function);
        copy.name = m_prefix + copy.name;
        if (m_side == Side::Host) {
            copy.func_kind = copy.func_kind == FuncKind::CudaKernel ? FuncKind::Public : FuncKind::CpuInternal;
            copy.grid_dim = copy.block_dim = copy.cluster_dim = {};
        }
        return make<Function>(std::move(copy));
    }

protected:
    using Rewriter::visit;
    ExprRef visit(const BuiltinVar& e) override { return m_side == Side::Host ? int_constant(program_block) : self(e); }
    ExprRef visit(const Call& e) override { return make_call(m_prefix + e.callee, rewrite(e.args), e.type); }
    StmtRef visit(const EvaluateStmt& s) override {
        const auto* hint = as<Intrinsic>(s.value);
        bool is_hint = hint && hint->id == IntrinsicId::Assume && m_side == Side::Host;
        return is_hint ? make_seq({}) : StmtRef(rebuild(s));
    }

private:
    std::string m_prefix;
    Side m_side;
};

} // namespace

ManyPrograms many_programs(std::size_t count) {
    ManyPrograms programs;
    std::vector<FunctionRef> host, gpu;
    for (std::uint64_t seed = 1; programs.names.size() < count; ++seed) {
        Random random(seed);
        DiagnosticSink sink;
        ModuleRef module = with_open_grid(random_program(random));
        module = compiler::lower(module, {.to = compiler::LowerTo::Kernel}, sink);
        if (!module || sink.has_errors())
            continue;
        std::string prefix = cat("p", seed, "_");
        Renamer for_host(prefix, Side::Host), for_gpu(prefix, Side::Gpu);
        for (const FunctionRef& function : module->functions) {
            if (!runs_on_gpu(function->func_kind))
                continue;
            host.push_back(for_host.run(function));
            gpu.push_back(for_gpu.run(function));
        }
        programs.names.push_back(prefix + "k");
    }
    programs.on_host = module_of(std::move(host), Level::Kernel);
    programs.on_gpu = module_of(std::move(gpu), Level::Kernel);
    return programs;
}

ProgramMemory::ProgramMemory() {
    for (int i = 0; i < 64; ++i) {
        x.push_back(i * 7 % 23 - 4);
        y.push_back(i % 5);
    }
}

ProgramMemory run_on_machine(const artifact::Program& program, const std::string& name) {
    ProgramMemory memory;
    vm::Machine machine(
        {.max_block_instructions = 200'000, .print = [&](std::string_view text) { memory.printed += text; }});
    auto map = [&](std::vector<std::int32_t>& data) {
        return machine.map(data.data(), data.size() * 4, {.device = Device::Cpu});
    };
    vm::CallResult result = machine.call(program, name, {map(memory.x), map(memory.y), program_argument});
    if (!result.ok)
        memory.failure = result.findings.front().message;
    return memory;
}

} // namespace hidet::test
