// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/plan_runner.h"

#include <algorithm>
#include <utility>

#include "app/session/execute/executor.h"
#include "app/session/plan/placed_replays.h"
#include "app/session/plan/plan_backend.h"
#include "app/session/plan/replay.h"
#include "compiler/graph/core/shape.h"

namespace hidet::session {

namespace {

// A result that is an input or a weight under another name: writing to it must not change them.
lang::TensorRef copy_of(const lang::Tensor& tensor, std::size_t bytes) {
    lang::TensorRef copy(new lang::Tensor(tensor));
    copy->storage = std::make_shared<lang::Storage>(std::max<std::size_t>(bytes, 1), lang::Storage::OnDemand{});
    copy->offset = 0;
    copy->storage->copy(0, *tensor.storage, tensor.offset, bytes);
    return copy;
}

} // namespace

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

bool PlanRunner::only_calls() const {
    return std::ranges::all_of(plan().steps, [](const artifact::PlanStep& step) {
        return step.kind == artifact::StepKind::Call || step.kind == artifact::StepKind::Launch;
    });
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

Result<bool> PlanRunner::run_into(const Tensors& inputs, const Tensors& results, std::size_t most) {
    if (!replay() || has_copied_inputs())
        return false;
    if (!m_placed)
        m_placed = std::make_unique<PlacedReplays>(*this);
    return m_placed->run(inputs, results, most);
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
