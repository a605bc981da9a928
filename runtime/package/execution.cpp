// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/execution.h"

namespace hidet::package {

namespace {

struct Needs { // of the greatest step
    std::size_t arguments = 0, tensors = 0, extents = 0;
};

Needs needs_of(const Plan& plan) {
    Needs most;
    const auto raise = [](std::size_t& greatest, std::size_t count) { greatest = count > greatest ? count : greatest; };
    for (const Step& step : plan.steps) {
        raise(most.arguments, step.arguments.size());
        if (step.kind != StepKind::Host)
            continue;
        raise(most.tensors, step.reads.size() + step.writes.size());
        std::size_t extents = 0;
        for (const Row read : step.reads)
            extents += plan.values[read].shape.size();
        raise(most.extents, extents);
    }
    return most;
}

} // namespace

Execution::~Execution() {
    if (!m_plan)
        return;
    forget_results();
    for (Held& arena : m_arenas)
        if (arena.address.buffer)
            m_backend->release(m_backend->self, arena.address.buffer);
}

bool Execution::open(const Plan& plan, const Backend& backend, const Address* weights, Problem& problem) {
    const Needs most = needs_of(plan);
    const bool has_memory =
        m_memory.make(m_symbols, plan.symbols.size()) && m_memory.make(m_input_symbols, plan.symbols.size()) &&
        m_memory.make(m_expressions, plan.expressions.size()) &&
        m_memory.make(m_stack, deepest_stack(plan.expressions)) && m_memory.make(m_held, plan.values.size()) &&
        m_memory.make(m_arenas, plan.sections.size()) && m_memory.make(m_is_skipped, plan.steps.size()) &&
        m_memory.make(m_arguments, most.arguments) && m_memory.make(m_tensors, most.tensors) &&
        m_memory.make(m_extents, most.extents);
    if (!has_memory)
        return refuse(problem, Code::Memory, "memory for the tables of a run");
    m_plan = &plan;
    m_backend = &backend;
    m_weights = weights;
    for (const Step& step : plan.steps)
        m_depends_on_data |= step.kind == StepKind::Host;
    return true;
}

bool Execution::run(Problem& problem) {
    for (Row step = 0; step < m_plan->steps.size(); ++step) {
        if (m_backend->is_cancelled && m_backend->is_cancelled(m_backend->self))
            return refuse(problem, Code::Cancelled, "the run was cancelled");
        if (!run_step(step, problem))
            return false;
    }
    return true;
}

} // namespace hidet::package
