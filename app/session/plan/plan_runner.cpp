// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/plan_runner.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/session/execute/executor.h"
#include "app/session/plan/plan_backend.h"
#include "app/session/plan/replay.h"
#include "compiler/graph/core/shape.h"
#include "compiler/graph/plan/host_steps.h"
#include "compiler/graph/script/distributed/exchange.h"

namespace hidet::session {

namespace {

constexpr std::uint64_t vector_bytes = 16; // what kernels read and write at once
constexpr std::size_t patience = 16; // runs, after which another graph may take the place of one that nobody used since

std::optional<std::size_t> index_in(const Tensors& tensors, std::size_t count, const lang::Storage* storage) {
    for (std::size_t i = 0; i < count; ++i)
        if (tensors[i]->storage.get() == storage)
            return i;
    return std::nullopt;
}

// A result that is an input or a weight under another name: writing to it must not change them.
lang::TensorRef copy_of(const lang::Tensor& tensor, std::size_t bytes) {
    lang::TensorRef copy(new lang::Tensor(tensor));
    copy->storage = std::make_shared<lang::Storage>(std::max<std::size_t>(bytes, 1), lang::Storage::OnDemand{});
    copy->offset = 0;
    copy->storage->copy(0, *tensor.storage, tensor.offset, bytes);
    return copy;
}

} // namespace

// Runs of what is bound that read other inputs and write other results, where those lie: one CUDA graph for each set of places.
class PlacedReplays {
public:
    // which has a replay, and outlives this
    explicit PlacedReplays(PlanRunner& runner) : m_runner(runner) {
        for (const artifact::Row row : runner.plan().inputs)
            m_inputs.push_back(runner.tensor(row));
        for (const artifact::Row row : runner.plan().outputs)
            m_results.push_back(runner.tensor(row));
        for (const Tensors* each : {&m_inputs, &m_results})
            m_is_possible =
                m_is_possible && std::ranges::all_of(*each, [](const auto& tensor) { return bool{tensor}; });
        for (std::size_t i = 0; m_is_possible && i < m_inputs.size(); ++i)
            m_is_possible = !index_in(m_inputs, i, m_inputs[i]->storage.get()); // each can move by itself
        if (m_is_possible)
            find_copies();
    }

    // The tensors have the shapes, dtypes and numbers of those that are bound. The number of the graph that has run; 0: none, as
    // they lie where no vector may begin, there are graphs for `most` other places that were of use lately, or none can be made.
    Result<std::size_t> run(const Tensors& inputs, const Tensors& results, std::size_t most) {
        if (!m_is_possible || inputs.size() != m_inputs.size() || results.size() != m_results.size())
            return 0;
        std::vector<std::uint64_t> places;
        for (const Tensors* each : {&inputs, &results})
            for (const lang::TensorRef& tensor : *each) {
                HIDET_TRY(const std::uint64_t place, place_on_device(m_runner.replay()->gpu(), *tensor, "a tensor"));
                if (place % vector_bytes != 0)
                    return 0;
                places.push_back(place);
            }
        Placed* placed = placed_at(places, most);
        if (!placed || !placed->replay)
            return 0;
        HIDET_TRY_TO(placed->replay->start());
        const auto is_there = [&](const Copy& copy) { // the caller has one memory for both, as Graph::in_place wants
            return copy.input && places[inputs.size() + copy.result] == places[*copy.input] + copy.offset;
        };
        placed->is_whole = std::ranges::all_of(m_copies, is_there);
        for (const Copy& each : m_copies)
            if (!is_there(each))
                fill(each, inputs, results);
        for (const lang::TensorRef& result : results) {
            result->storage->device_is_newer();
            result->storage->uninitialised = false;
        }
        placed->read = storages_of(inputs);
        placed->written = storages_of(results);
        return placed->number;
    }

    // Once more what run() has run under this number, for tensors that lie where those did. False: nothing has run, as the graph
    // is gone or is not all that run() does.
    Result<bool> run_at(std::size_t number) {
        const auto placed = std::ranges::find(m_placed, number, &Placed::number);
        const auto is_stale = [](const auto& each) {
            const auto storage = each.lock();
            return storage && storage->is_device_stale();
        };
        if (placed == m_placed.end() || !placed->is_whole || std::ranges::any_of(placed->read, is_stale))
            return false;
        placed->last_run = ++m_runs;
        HIDET_TRY_TO(placed->replay->start());
        for (const auto& each : placed->written)
            if (const auto storage = each.lock())
                storage->device_is_newer();
        return true;
    }

private:
    // A result that is part of something else: an input, an earlier result, or what stays where it is.
    struct Copy {
        std::size_t result = 0;
        std::optional<std::size_t> input, earlier;
        std::shared_ptr<lang::Storage> storage;
        std::size_t offset = 0; // of the input, the earlier result or the storage, in bytes
        std::size_t bytes = 0;
    };
    using Storages = std::vector<std::weak_ptr<lang::Storage>>; // what a caller had for one run alone is gone
    struct Placed {
        std::vector<std::uint64_t> places; // of inputs and results
        std::unique_ptr<Replay> replay;
        std::size_t number = 0;
        std::size_t last_run = 0;
        bool is_whole = false;            // nothing is copied behind it
        Storages read = {}, written = {}; // of the last run() on it
    };
    void find_copies() {
        const artifact::LaunchPlan& plan = m_runner.plan();
        const std::vector<artifact::ExprValue> sizes = m_runner.expressions();
        for (std::size_t i = 0; i < m_results.size(); ++i) {
            const artifact::Row row = plan.outputs[i];
            const artifact::PlanValue& root = plan.values[root_of(plan, row)];
            const std::shared_ptr<lang::Storage>& storage = m_results[i]->storage;
            const auto bytes = sizes[plan.values[row].bytes];
            const auto earlier = index_in(m_results, i, storage.get());
            if (root.place == artifact::Place::Output && !earlier && bytes == sizes[root.bytes])
                continue;
            Copy copy{i,
                      index_in(m_inputs, m_inputs.size(), storage.get()),
                      {},
                      storage,
                      m_results[i]->offset,
                      static_cast<std::size_t>(bytes.value_or(0))};
            if (earlier && !is_copied(*earlier))
                copy.earlier = earlier;
            if (copy.input || copy.earlier)
                copy.offset -= copy.input ? m_inputs[*copy.input]->offset : m_results[*earlier]->offset;
            m_copies.push_back(std::move(copy));
        }
    }

    bool is_copied(std::size_t result) const {
        return std::ranges::any_of(m_copies, [&](const Copy& copy) { return copy.result == result; });
    }

    static Storages storages_of(const Tensors& tensors) {
        Storages storages;
        for (const lang::TensorRef& tensor : tensors)
            storages.emplace_back(tensor->storage);
        return storages;
    }

    Placed* placed_at(const std::vector<std::uint64_t>& places, std::size_t most) {
        ++m_runs;
        for (Placed& each : m_placed)
            if (each.places == places) {
                each.last_run = m_runs;
                return &each;
            }
        if (m_placed.size() >= most) {
            const auto oldest = std::ranges::min_element(m_placed, {}, &Placed::last_run);
            if (oldest == m_placed.end() || !oldest->replay || oldest->last_run + patience > m_runs)
                return nullptr;
            (void)oldest->replay->wait(); // for it; whether that went well is told by the run that asks
            m_placed.erase(oldest);
        }
        Replay::Moved moved;
        const auto move = [&](const lang::Tensor& tensor, std::uint64_t place) {
            moved.emplace(tensor.storage.get(), place - tensor.offset);
        };
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            move(*m_inputs[i], places[i]);
        for (std::size_t i = 0; i < m_results.size(); ++i)
            if (!is_copied(i))
                move(*m_results[i], places[m_inputs.size() + i]);
        m_placed.push_back({places, Replay::record(m_runner, moved), m_runs, m_runs});
        return &m_placed.back();
    }

    void fill(const Copy& copy, const Tensors& inputs, const Tensors& results) const {
        const lang::Tensor& to = *results[copy.result];
        const lang::Tensor* from = copy.input     ? inputs[*copy.input].get()
                                   : copy.earlier ? results[*copy.earlier].get()
                                                  : nullptr;
        to.storage->copy(to.offset, from ? *from->storage : *copy.storage, copy.offset + (from ? from->offset : 0),
                         copy.bytes);
        to.storage->uninitialised = false;
    }

    PlanRunner& m_runner;
    Tensors m_inputs, m_results; // that are bound
    bool m_is_possible = true;
    std::vector<Copy> m_copies;
    std::vector<Placed> m_placed;
    std::size_t m_runs = 0; // that were asked for
};

PlanRunner::PlanRunner(PlanParts parts, lang::Engine& engine, PlanRunOptions options)
    : m_backend(std::make_unique<Backend>(std::move(parts), engine, std::move(options))) {}
PlanRunner::~PlanRunner() = default;

const artifact::LaunchPlan& PlanRunner::plan() const {
    return *m_backend->parts.plan;
}
const Tensors& PlanRunner::weights() const {
    return m_backend->parts.weights;
}
void PlanRunner::set_site(Span site) {
    m_backend->options.site = site;
}

static bool exchanges(const artifact::PlanStep& step) {
    return step.kind == artifact::StepKind::Host && graph::find_op(artifact::enum_name(step.op))->exchanges;
}

bool PlanRunner::only_calls() const {
    return std::ranges::all_of(plan().steps, [](const artifact::PlanStep& step) {
        return step.kind == artifact::StepKind::Call || step.kind == artifact::StepKind::Launch || exchanges(step);
    });
}

// What a step of the host has made is gone behind its last reader.
lang::TensorRef PlanRunner::made(artifact::Row value) {
    const package::Address address = m_backend->execution().made(value, m_backend->problem);
    if (!m_backend->ended(address.buffer != nullptr))
        return nullptr;
    return m_backend->tensor(m_backend->execution(), value, address);
}

std::optional<PlanRunner::Exchanged> PlanRunner::exchange_of(artifact::Row step) {
    const artifact::PlanStep& planned = plan().steps[step];
    if (!exchanges(planned))
        return std::nullopt;
    return Exchanged{step, made(planned.reads[0]), made(planned.writes[0])};
}

Result<void> PlanRunner::record(const Exchanged& exchanged) {
    const graph::OpCall call = graph::host_call(plan().steps[exchanged.step], expressions(), weights());
    return graph::record_exchange(m_backend->engine(), call, exchanged.from, exchanged.into);
}

SymbolValues PlanRunner::symbols() const {
    SymbolValues out;
    const package::ExprValue* values = m_backend->execution().symbols();
    for (std::size_t i = 0; i < plan().symbols.size(); ++i)
        if (values[i].is_known)
            out[plan().symbols[i].name] = values[i].value;
    return out;
}

std::vector<artifact::ExprValue> PlanRunner::expressions() const {
    std::vector<artifact::ExprValue> out;
    const package::ExprValue* values = m_backend->execution().expressions();
    for (std::size_t i = 0; i < plan().expressions.size(); ++i)
        out.push_back(values[i].is_known ? artifact::ExprValue(values[i].value) : std::nullopt);
    return out;
}

// Of the calls; null: there were none.
static const Executor* executor_of(const lang::BuiltModule* called) {
    return called ? &static_cast<const Executable*>(called)->executor : nullptr;
}

std::string PlanRunner::where() const {
    const Executor* executor = executor_of(m_backend->called.get());
    return executor ? executor->name() : "";
}

bool PlanRunner::is_emulated() const {
    const Executor* executor = executor_of(m_backend->called.get());
    return executor && executor->emulates();
}

void PlanRunner::bind(const Tensors& inputs) {
    m_placed.reset();
    m_replay.reset();
    m_is_recorded = false;
    m_backend->bind(inputs);
}

bool PlanRunner::has_copied_inputs() const {
    return m_backend->has_copied_inputs;
}

Replay* PlanRunner::replay() {
    if (!std::exchange(m_is_recorded, true))
        m_replay = Replay::record(*this);
    return m_replay.get();
}

bool PlanRunner::run_again(DiagnosticSink& sink) {
    return replay() ? m_replay->run(m_backend->options.site, sink) : run(sink);
}

Result<std::size_t> PlanRunner::run_into(const Tensors& inputs, const Tensors& results, std::size_t most) {
    if (!replay() || has_copied_inputs())
        return 0;
    if (!m_placed)
        m_placed = std::make_unique<PlacedReplays>(*this);
    return m_placed->run(inputs, results, most);
}

Result<bool> PlanRunner::run_at(std::size_t number) {
    return m_placed ? m_placed->run_at(number) : false;
}

bool PlanRunner::run(DiagnosticSink& sink) {
    m_backend->sink = &sink;
    return m_backend->ended(m_backend->execution().run(m_backend->problem));
}

bool PlanRunner::run_step(artifact::Row step, DiagnosticSink& sink) {
    m_backend->sink = &sink;
    return m_backend->ended(m_backend->execution().run_step(step, m_backend->problem));
}

std::optional<ProgramCall> PlanRunner::call_of(artifact::Row step) {
    package::KernelLaunch call;
    m_backend->ended(m_backend->execution().prepare(step, call, m_backend->problem));
    if (call.function == artifact::no_row)
        return std::nullopt;
    return m_backend->call_of(call);
}

lang::TensorRef PlanRunner::tensor(artifact::Row value) {
    const package::Address address = m_backend->execution().address(value);
    return address.buffer ? m_backend->tensor(m_backend->execution(), value, address) : nullptr;
}

Tensors PlanRunner::outputs() {
    Tensors results;
    const std::vector<artifact::ExprValue> sizes = expressions();
    for (const artifact::Row row : plan().outputs) {
        const artifact::PlanValue& own = plan().values[row];
        const artifact::Place place = plan().values[root_of(plan(), row)].place;
        const bool is_given = (place == artifact::Place::Input && own.place != artifact::Place::InPlace) ||
                              place == artifact::Place::Constant;
        const lang::TensorRef result = tensor(row);
        if (!result)
            throw graph::OpError("'" + own.name + "' was not made");
        results.push_back(is_given ? copy_of(*result, static_cast<std::size_t>(sizes[own.bytes].value_or(0))) : result);
    }
    return results;
}

} // namespace hidet::session
