// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/placed_replays.h"

#include <algorithm>

#include "compiler/graph/core/shape.h"

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

} // namespace

PlacedReplays::PlacedReplays(PlanRunner& runner) : m_runner(runner) {
    for (const artifact::Row row : runner.plan().inputs)
        m_inputs.push_back(runner.tensor(row));
    for (const artifact::Row row : runner.plan().outputs)
        m_results.push_back(runner.tensor(row));
    for (const Tensors* each : {&m_inputs, &m_results})
        m_is_possible = m_is_possible && std::ranges::all_of(*each, [](const auto& tensor) { return bool{tensor}; });
    for (std::size_t i = 0; m_is_possible && i < m_inputs.size(); ++i)
        m_is_possible = !index_in(m_inputs, i, m_inputs[i]->storage.get()); // each can move by itself
    if (m_is_possible)
        find_copies();
}

void PlacedReplays::find_copies() {
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

bool PlacedReplays::is_copied(std::size_t result) const {
    return std::ranges::any_of(m_copies, [&](const Copy& copy) { return copy.result == result; });
}

Replay* PlacedReplays::replay_at(const std::vector<std::uint64_t>& places, std::size_t most) {
    ++m_runs;
    for (Placed& each : m_placed)
        if (each.places == places) {
            each.last_run = m_runs;
            return each.replay.get();
        }
    if (m_placed.size() >= most) {
        const auto oldest = std::ranges::min_element(m_placed, {}, &Placed::last_run);
        if (oldest == m_placed.end() || oldest->last_run + patience > m_runs)
            return nullptr;
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
    m_placed.push_back({places, Replay::record(m_runner, moved), m_runs});
    return m_placed.back().replay.get();
}

Result<bool> PlacedReplays::run(const Tensors& inputs, const Tensors& results, std::size_t most) {
    if (!m_is_possible || inputs.size() != m_inputs.size() || results.size() != m_results.size())
        return false;
    std::vector<std::uint64_t> places;
    for (const Tensors* each : {&inputs, &results})
        for (const lang::TensorRef& tensor : *each) {
            HIDET_TRY(const std::uint64_t place, place_on_device(m_runner.replay()->gpu(), *tensor, "a tensor"));
            if (place % vector_bytes != 0)
                return false;
            places.push_back(place);
        }
    Replay* replay = replay_at(places, most);
    if (!replay)
        return false;
    if (Result<void> started = replay->start(); !started)
        return started.error();
    const auto is_there = [&](const Copy& copy) { // the caller has one memory for both, as Graph::in_place wants
        return copy.input && places[inputs.size() + copy.result] == places[*copy.input] + copy.offset;
    };
    for (const Copy& each : m_copies)
        if (!is_there(each))
            fill(each, inputs, results);
    for (const lang::TensorRef& result : results) {
        result->storage->device_is_newer();
        result->storage->uninitialised = false;
    }
    return true;
}

void PlacedReplays::fill(const Copy& copy, const Tensors& inputs, const Tensors& results) const {
    const lang::Tensor& to = *results[copy.result];
    const lang::Tensor* from = copy.input     ? inputs[*copy.input].get()
                               : copy.earlier ? results[*copy.earlier].get()
                                              : nullptr;
    to.storage->copy(to.offset, from ? *from->storage : *copy.storage, copy.offset + (from ? from->offset : 0),
                     copy.bytes);
    to.storage->uninitialised = false;
}

} // namespace hidet::session
