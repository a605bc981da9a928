// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/execution.h"

#include <initializer_list>

#include "runtime/package/input_check.h"

namespace hidet::package {

namespace {

struct Needs { // of the greatest step
    std::size_t arguments = 0, tensors = 0, extents = 0, carried = 0, stacks = 0;
};

Needs needs_of(const Body& body) {
    Needs most;
    const auto raise = [](std::size_t& greatest, std::size_t count) { greatest = count > greatest ? count : greatest; };
    for (const Step& step : body.steps) {
        raise(most.arguments, step.arguments.size());
        if (!is_on_host(step.kind))
            continue;
        const std::size_t given = step.kind == StepKind::Loop ? 2 + step.reads.size() : 0;
        raise(most.tensors, step.reads.size() + step.writes.size() + given);
        if (step.kind == StepKind::Loop) {
            raise(most.carried, step.carried);
            raise(most.stacks, step.writes.size() - step.carried);
        }
        std::size_t extents = 0;
        for (const List<Row>* values : {&step.reads, &step.writes})
            for (const Row row : *values)
                extents += body.values[row].shape.size();
        raise(most.extents, extents);
    }
    return most;
}

} // namespace

Execution::~Execution() {
    for (Execution* body : m_own.bodies)
        if (body)
            body->~Execution();
    close();
}

void Execution::close() {
    if (!m_body)
        return;
    forget_results();
    for (HeldValue& arena : m_arenas)
        m_backend.release(arena.address);
}

bool Execution::open(const Plan& plan, const Backend& backend, const Address* weights, Problem& problem) {
    m_plan = &plan;
    m_backend.table = &backend;
    m_weights = weights;
    if (!open_body(*this, no_row, m_own, problem))
        return false;
    if (!m_own.memory.make(m_own.bodies, plan.bodies.size()))
        return refuse(problem, Code::Memory, "memory for the bodies of loops");
    for (Row row = 0; row < plan.bodies.size(); ++row) {
        void* place = m_own.memory.take(sizeof(Execution));
        if (!place)
            return refuse(problem, Code::Memory, "memory for the bodies of loops");
        m_own.bodies[row] = new (place) Execution;
        if (!m_own.bodies[row]->open_body(*this, row, m_own, problem))
            return false;
    }
    return true;
}

bool Execution::open_body(const Execution& plan, Row row, Shared& shared, Problem& problem) {
    m_plan = plan.m_plan;
    m_backend = plan.m_backend;
    m_weights = plan.m_weights;
    m_row = row;
    m_shared = &shared;
    const Body& body = m_plan->body(row);
    const Needs most = needs_of(body);
    Memory& memory = shared.memory;
    const bool has_memory = m_sizes.make_tables(body, memory) && memory.make(m_held, body.values.size()) &&
                            memory.make(m_is_last, body.outputs.size()) &&
                            memory.make(m_arenas, body.sections.size()) &&
                            memory.make(m_is_skipped, body.steps.size()) && memory.make(m_arguments, most.arguments) &&
                            memory.make(m_host.tensors, most.tensors) && memory.make(m_host.extents, most.extents) &&
                            memory.make(m_carried, most.carried) && memory.make(m_stacks, most.stacks);
    if (!has_memory)
        return refuse(problem, Code::Memory, "memory for the tables of a run");
    m_body = &body;
    for (const Step& step : body.steps)
        m_depends_on_data |= is_on_host(step.kind) && !is_input_check(step);
    for (std::size_t i = body.outputs.size(); i-- > 0;) {
        HeldValue& held = m_held[root_of(body, body.outputs[i])];
        m_is_last[i] = !held.is_owned;
        held.is_owned = true; // has been met
    }
    for (HeldValue& held : m_held)
        held = {};
    return true;
}

bool Execution::run(Problem& problem) {
    for (Row step = 0; step < m_body->steps.size(); ++step)
        if (!m_backend.goes_on(problem) || !run_step(step, problem))
            return false;
    return true;
}

} // namespace hidet::package
