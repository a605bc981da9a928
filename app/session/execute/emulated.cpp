// SPDX-License-Identifier: Apache-2.0
// The virtual machine: host functions interpreted, kernels emulated, every access checked.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "app/session/execute/debugged.h"
#include "app/session/execute/kernel_tiles.h"
#include "app/session/execute/launched_kernels.h"
#include "app/session/execute/machine_arguments.h"
#include "app/session/execute/race_fix.h"
#include "app/session/execute/timed_launches.h"
#include "app/session/execute/timeline_view.h"
#include "app/session/work/steps.h"
#include "compiler/perf/occupancy.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "runtime/vm/machine.h"
#include "runtime/vm/observe/counters.h"
#include "runtime/vm/team.h"

namespace hidet::session {

namespace {

// Sums what instructions did by the lines of the script that they come from.
class CountedLines {
public:
    void add(const std::vector<vm::CountedInstruction>& counted, const SourceMap& sources);
    std::vector<LineCounters> lines() const; // by kernel, file and line

private:
    struct Sums {
        Place place;
        std::map<vm::WorkKind, vm::Counters> kinds;
    };
    std::map<std::tuple<std::string, std::string, int>, Sums> m_lines;
};

void add_access(std::vector<AccessCounters>& accesses, const char* memory, const char* unit, vm::WorkKind kind,
                const vm::Traffic& traffic) {
    if (traffic.requests > 0)
        accesses.push_back({memory, vm::word_of(kind), traffic.requests, traffic.bytes, unit, traffic.units,
                            traffic.least, traffic.worst});
}

void CountedLines::add(const std::vector<vm::CountedInstruction>& counted, const SourceMap& sources) {
    for (const vm::CountedInstruction& instruction : counted) {
        const Place place = place_of(instruction.origin.span, sources);
        Sums& sums = m_lines[{instruction.kernel, place.file, place.line}];
        sums.place = {place.file, place.line, 1, place.line, 1};
        sums.kinds[instruction.kind].add(instruction.counters);
    }
}

std::vector<LineCounters> CountedLines::lines() const {
    std::vector<LineCounters> out;
    for (const auto& [key, sums] : m_lines) {
        LineCounters line;
        line.kernel = std::get<0>(key), line.place = sums.place;
        for (const auto& [kind, counters] : sums.kinds) {
            line.instructions += counters.warps;
            line.threads += counters.threads;
            line.flops += counters.flops;
            line.branches += counters.branches;
            line.divergent += counters.divergent;
            line.kinds.push_back({vm::word_of(kind), counters.warps});
            add_access(line.accesses, "global", "sectors", kind, counters.global);
            add_access(line.accesses, "shared", "wavefronts", kind, counters.shared);
        }
        out.push_back(std::move(line));
    }
    return out;
}

class EmulatedModule : public Executable {
public:
    using Executable::Executable;
    artifact::Program program;
    artifact::MarkTable marks; // in its kernels
};

ThreadPlace thread_of(const vm::Finding& finding) {
    ThreadPlace place;
    for (std::size_t i = 0; i < 3; ++i) {
        place.block[i] = finding.block[i];
        place.thread[i] = finding.thread[i];
        place.threads[i] = finding.block_dim[i];
    }
    return place;
}

// Where a barrier of the block is what two accesses of a kernel lack.
std::optional<FixIt> fix_of(const vm::Finding& finding, const SourceMap& sources) {
    if (finding.kind != vm::FindingKind::Race || finding.reach != 1 || finding.related.empty())
        return std::nullopt;
    return barrier_between({finding.related.front().origin.span, finding.origin.span}, sources);
}

std::vector<ThreadsView> parties_of(const vm::Finding& finding, const SourceMap& sources) {
    std::vector<ThreadsView> out;
    for (const vm::Party& party : finding.parties)
        out.push_back({vm::name_of(party.doing), place_of(party.origin.span, sources), party.block, party.threads,
                       party.tensor, party.index});
    return out;
}

using OwnerMaps = std::map<const lang::Tensor*, std::shared_ptr<vm::OwnerMap>>;

// Null where elements share bytes, or for memory of the CPU.
std::shared_ptr<vm::OwnerMap> new_owner_map(const lang::Tensor& tensor) {
    const int bits = ir::info(tensor.dtype).bits;
    if (bits < 8 || tensor.device != Device::Cuda)
        return nullptr;
    return std::make_shared<vm::OwnerMap>(tensor.data(), tensor.count(), bits / 8);
}

class EmulatedRepeat : public Repeat {
public:
    EmulatedRepeat(vm::Machine& machine, const EmulatedModule& module, const FunctionCall& call)
        : m_machine(machine), m_program(module.program), m_function(call.function), m_args(call.args),
          m_prepared(machine, *ir::find_function(*module.module, call.function), call) {}
    Result<void> once() override {
        vm::CallResult called = m_machine.call(m_program, m_function, m_prepared.values());
        if (called.ok)
            return {};
        return Error{"call-failed", called.findings.empty() ? "the call failed" : called.findings.front().message};
    }

private:
    vm::Machine& m_machine;
    const artifact::Program& m_program;
    std::string m_function;
    std::vector<lang::CallArgument> m_args;
    MachineArguments m_prepared;
};

class Emulator : public Executor {
public:
    Emulator(Work& work, const RunRequest& request, ModuleDebugger* debugger = nullptr)
        : m_work(work), m_request(request), m_debugger(debugger), m_machine(options_of(work, request)),
          m_timed(request) {}

    Ref<Executable> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) override;
    bool call(Executable& module, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) override;
    std::unique_ptr<Repeat> prepare(Executable& module, const FunctionCall& call) override;
    void add_to(RunSummary& summary) const override;
    std::string name() const override { return "emulator"; }
    bool emulates() const override { return true; }

private:
    static std::function<bool(const Origin&)> line_of(const Work& work, const RunRequest& request);
    vm::MachineOptions options_of(const Work& work, const RunRequest& request);
    void report(const std::vector<vm::Finding>& findings, Span site, DiagnosticSink& sink);
    void follow_written(const std::vector<lang::CallArgument>& args);
    void end_call(const std::vector<lang::CallArgument>& args);
    void take_owners(const OwnerMaps& maps, const std::vector<lang::CallArgument>& args);
    void take_tiles(const vm::CallResult& called, const EmulatedModule& module);
    bool may_call(const EmulatedModule& module, const FunctionCall& call, DiagnosticSink& sink);

    Work& m_work;
    const RunRequest& m_request;
    ModuleDebugger* const m_debugger;           // null: nobody stops
    std::vector<Ref<EmulatedModule>> m_modules; // destroyed after the machine, which refers to their programs
    vm::Machine m_machine;
    std::set<std::pair<const EmulatedModule*, std::string>> m_launched;
    // Of memory that empty() made and launches have not filled yet.
    std::map<std::weak_ptr<lang::Storage>, std::shared_ptr<vm::InitBitmap>, std::owner_less<>> m_written;
    RunSummary m_summary;
    vm::Statistics m_orders; // what it says of them
    CountedLines m_counted;
    TimedLaunches m_timed;
};

// Whether an instruction is of the line whose tiles are asked for; null: of none.
std::function<bool(const Origin&)> Emulator::line_of(const Work& work, const RunRequest& request) {
    const int line = request.tiles_of->line;
    if (line <= 0)
        return nullptr;
    return [&work, line, file = request.source.name](const Origin& origin) {
        const Place place = place_of(origin.span, work.sources);
        return place.line == line && place.file == file;
    };
}

vm::MachineOptions Emulator::options_of(const Work& work, const RunRequest& request) {
    vm::MachineOptions options;
    options.seed = request.order.value_or(request.seed);
    options.schedule = request.order ? vm::Schedule::Random : vm::Schedule::LockStep;
    options.orders = request.orders;
    options.checks = request.all_checks ? vm::Checks::All : vm::Checks::Bounds;
    options.counts = request.counts;
    if (request.times)
        options.times = [this](const artifact::Function& kernel) { return m_timed.wants(kernel); };
    options.timed_block = request.timed_block;
    options.marks = request.marks, options.copy_steps = request.copy_steps;
    if (request.tiles_of)
        options.tiles = vm::TileRequest{request.tiles_of->block, line_of(work, request)};
    options.resident_blocks = [gpu = options.target](std::int64_t threads, std::int64_t shared) {
        const perf::BlockNeeds needs{.threads = threads, .static_shared = shared};
        return std::int64_t{occupancy_of(gpu, needs).blocks} * gpu.multiprocessors;
    };
    options.cancelled = work.cancelled;
    if (request.max_steps > 0)
        options.max_steps = 1024 * (options.max_block_instructions = request.max_steps);
    options.print = [this](std::string_view text) {
        if (!finds_owners && m_request.print)
            m_request.print(text);
    };
    options.launched = launch_keeper(request);
    options.debugger = m_debugger;
    options.team = request.place.team, options.rank = request.place.rank;
    return options;
}

Ref<Executable> Emulator::build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) {
    m_work.enter("lowering a module for the emulator");
    const std::optional<artifact::TargetSpec> gpu = gpu_of(*module, artifact::default_gpu(), site, sink);
    if (!gpu)
        return nullptr;
    Ref<EmulatedModule> built(new EmulatedModule(*this, module));
    built->module = m_request.marks ? lowered_with_marks(m_work, module, *gpu, built->marks, sink)
                                    : lowered(m_work, module, compiler::LowerTo::Emulation, *gpu, sink);
    if (!built->module)
        return nullptr;
    m_work.enter("generating bytecode");
    std::vector<artifact::VariableNotes> notes;
    std::optional<artifact::Program> program =
        bytecode_of(m_work, built->module, sink,
                    {.keeps_locals = m_request.tiles_of || m_debugger, .notes = m_debugger ? &notes : nullptr});
    if (!program)
        return nullptr;
    built->program = std::move(*program);
    if (m_debugger)
        m_debugger->built({&built->program, std::move(notes), module, built->module});
    m_modules.push_back(built);
    return built;
}

void Emulator::report(const std::vector<vm::Finding>& findings, Span site, DiagnosticSink& sink) {
    for (const vm::Finding& finding : findings) {
        if (finding.kind == vm::FindingKind::Cancelled)
            continue;
        if (finding.order)
            m_summary.found_in = finding.order;
        Diagnostic diagnostic = vm::to_diagnostic(finding);
        if (!diagnostic.span.known())
            diagnostic.span = site;
        else if (site.known())
            diagnostic.notes.push_back({site, "called here"});
        if (std::optional<FixIt> fix = fix_of(finding, m_work.sources))
            diagnostic.fixes.push_back(std::move(*fix));
        if (finding.in_kernel)
            m_work.findings.push_back({diagnostic.id, diagnostic.span, diagnostic.message, thread_of(finding),
                                       parties_of(finding, m_work.sources)});
        sink.report(std::move(diagnostic));
    }
}

// Whether the host may have written to a storage shows there as it does for a device: then its bytes are newer than those that a
// launch left. What it has written is not known, so all counts as written from then on.
void Emulator::follow_written(const std::vector<lang::CallArgument>& args) {
    if (!m_request.all_checks)
        return;
    std::erase_if(m_written, [](const auto& entry) {
        const std::shared_ptr<lang::Storage> storage = entry.first.lock();
        return !storage || storage->is_device_stale();
    });
    for (const lang::CallArgument& arg : args) {
        const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        if (!tensor || !*tensor || (*tensor)->device != Device::Cuda)
            continue;
        const std::shared_ptr<lang::Storage>& storage = (*tensor)->storage;
        if (storage->uninitialised && !storage->is_device_stale() && !m_written.contains(storage))
            m_written.emplace(storage, std::make_shared<vm::InitBitmap>(static_cast<std::int64_t>(storage->bytes)));
    }
}

void Emulator::end_call(const std::vector<lang::CallArgument>& args) {
    mark_written(args);
    std::erase_if(m_written, [](const auto& entry) { return entry.second->is_complete(); });
    for (const auto& [held, written] : m_written)
        if (const std::shared_ptr<lang::Storage> storage = held.lock())
            storage->device_is_current();
}

bool Emulator::may_call(const EmulatedModule& module, const FunctionCall& call, DiagnosticSink& sink) {
    if (m_request.target != Target::Cpu)
        return true;
    for (const std::string& kernel : launched_kernels(module.program, call.function)) {
        const ir::Function* found = ir::find_function(*module.module, kernel);
        if (!found || !ir::runs_on_gpu(found->func_kind))
            continue;
        sink.report(DiagId::KernelNeedsGpu, call.site, kernel, "needs a C++ compiler, and there is none");
        return false;
    }
    return true;
}

void Emulator::take_owners(const OwnerMaps& maps, const std::vector<lang::CallArgument>& args) {
    owners.clear();
    for (const lang::CallArgument& arg : args) {
        const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        const auto found = tensor ? maps.find(tensor->get()) : maps.end();
        owners.push_back(found == maps.end() ? nullptr : found->second);
    }
}

// Those of the block that a finding is of come first.
void Emulator::take_tiles(const vm::CallResult& called, const EmulatedModule& module) {
    tiles.clear();
    const auto found =
        std::ranges::find_if(called.findings, [](const vm::Finding& each) { return each.left != nullptr; });
    if (found != called.findings.end()) {
        tiles = tiles_of({*found->left}, *module.origin(), *module.module);
        for (KernelTile& tile : tiles) {
            tile.found = place_of(found->origin.span, m_work.sources);
            tile.is_asked = found->left->is_asked;
        }
    }
    for (KernelTile& tile : tiles_of(called.statistics.tiles, *module.origin(), *module.module))
        tiles.push_back(std::move(tile));
}

bool Emulator::call(Executable& executable, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) {
    auto& module = static_cast<EmulatedModule&>(executable);
    const ir::Function* callee = ir::find_function(*module.module, call.function);
    HIDET_CHECK(callee, call.function); // the evaluator looked it up, and checked the arguments against its parameters
    HIDET_CHECK(call.args.size() == callee->params.size(), call.function);
    if (!may_call(module, call, sink))
        return false;
    m_work.enter("emulating '" + call.function + "'");
    follow_written(call.args);
    OwnerMaps maps;
    const TensorDescriber describe = [&](const lang::Tensor& tensor, vm::BufferInfo& info) {
        if (finds_owners)
            info.owners = maps[&tensor] = new_owner_map(tensor);
        if (m_request.place.team)
            info.peers = m_request.place.team->peers_of(tensor.read());
        if (const auto found = m_written.find(tensor.storage); found != m_written.end())
            info.written = found->second, info.written_at = static_cast<std::int64_t>(tensor.offset);
    };
    MachineArguments prepared(m_machine, *callee, call, {}, describe);
    Work::Clock clock(m_work, "call");
    auto start = std::chrono::steady_clock::now();
    const TimedLaunches::Counting counting(m_timed);
    vm::CallResult called = m_machine.call(module.program, call.function, prepared.values());
    if (finds_owners) {
        take_owners(maps, call.args);
        end_call(call.args);
        report(called.findings, call.site, sink);
        return called.ok;
    }
    m_summary.ms += milliseconds_since(start);
    m_summary.launches += static_cast<std::int64_t>(called.statistics.launches);
    m_orders.add(called.statistics);
    m_counted.add(called.statistics.counted, m_work.sources);
    for (const vm::BlockTimeline& timeline : called.statistics.timelines)
        m_timed.add(timeline_view(timeline, m_work.sources));
    for (const artifact::MarkedBlock& marked : called.statistics.marked)
        m_timed.add(timeline_view(marked, module.marks, {}, m_work.sources));
    if (called.statistics.launches > 0)
        for (const std::string& kernel : launched_kernels(module.program, call.function))
            m_launched.emplace(&module, kernel);
    take_tiles(called, module);
    end_call(call.args);
    report(called.findings, call.site, sink);
    result = returned_by(called);
    return called.ok;
}

std::unique_ptr<Repeat> Emulator::prepare(Executable& module, const FunctionCall& call) {
    return std::make_unique<EmulatedRepeat>(m_machine, static_cast<EmulatedModule&>(module), call);
}

void Emulator::add_to(RunSummary& summary) const {
    summary.launches += m_summary.launches;
    summary.kernels += static_cast<int>(m_launched.size());
    summary.ms += m_summary.ms;
    if (m_orders.orders_most)
        summary.orders_least = m_orders.orders_least, summary.orders_most = m_orders.orders_most;
    summary.found_in = m_summary.found_in;
    summary.counters = m_counted.lines();
    summary.timelines = m_timed.timelines();
}

} // namespace

std::unique_ptr<Executor> make_emulator(Work& work, const RunRequest& request) {
    return std::make_unique<Emulator>(work, request);
}

std::unique_ptr<Executor> make_debugged_emulator(Work& work, const RunRequest& request, ModuleDebugger& debugger) {
    return std::make_unique<Emulator>(work, request, &debugger);
}

} // namespace hidet::session
