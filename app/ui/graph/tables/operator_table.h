// SPDX-License-Identifier: GPL-3.0-only
// The rows of the table of operators: what they say does not depend on how they are sorted and filtered. Made on a thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/model/view/overlay.h"

namespace hidet::ui {

constexpr std::uint32_t no_word = UINT32_MAX;

struct OperatorRow {
    std::shared_ptr<const session::GraphNode> node;
    std::string shape, dtype;                                                        // of the first result
    std::string kernel;                                                              // empty: none is formed yet
    std::array<std::uint32_t, 5> ranks{no_word, no_word, no_word, no_word, no_word}; // of wordsOf(), to sort by
    session::NodeReading reading;
    std::optional<double> share; // of the total, 0 to 1
};

struct OperatorTable {
    std::shared_ptr<const session::ModelGraph> graph;
    std::vector<OperatorRow> rows; // in the order of the graph
    session::Overlay overlay;      // without its nodes: they are in the rows
    UnitScale unit;                // that the numbers are shown in
    std::size_t kernels = 0, host = 0;

    const session::OverlayInfo& info() const { return session::info_of(overlay.kind); }
    bool hasNumbers() const { return overlay.unavailable.empty() && overlay.classes.empty(); }
    bool isPredicted() const { return info().source == session::OverlaySource::Predicted; }
};

// `graph` is the place of one in the snapshot.
std::shared_ptr<const OperatorTable> operatorTable(const session::ModelSnapshot& snapshot, std::size_t graph,
                                                   const session::ModelFindings& findings, session::OverlayKind kind);

// Name, operator, shape, type and kernel.
std::array<std::string_view, 5> wordsOf(const OperatorRow& row);
// "conv10" comes after "conv2"; upper and lower case are alike.
bool comesBefore(std::string_view a, std::string_view b);
void rankWords(std::vector<OperatorRow>& rows); // empty words have no rank

// What a kernel is called: by its names once they are known, or else after its operators.
std::string titleOfKernel(const session::ModelGraph& graph, const session::GraphKernel& kernel);

} // namespace hidet::ui
