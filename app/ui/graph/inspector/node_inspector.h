// SPDX-License-Identifier: GPL-3.0-only
// Inspectors of what can be selected in a graph, and of the whole model.
#pragma once

#include "app/session/model/view/kernel_figures.h"
#include "app/ui/graph/inspector/inspector.h"

namespace hidet::ui {

// What inspectors are made from; all of it of one moment.
struct InspectorSource {
    session::SnapshotPtr snapshot;
    int shown = -1;
    session::ModelFindings findings;
    bool isStale = false;
    std::shared_ptr<const session::KernelTable> kernels;

    const session::ModelGraph& graph() const { return *snapshot->graphs[std::size_t(shown)]; }
    const session::ModelGraph& last() const { return *snapshot->graphs.back(); }
};

// `unmatched`: names of the file of numbers that nothing in the model has.
Inspector inspectorOfModel(const InspectorSource& source, const QString& file, const QStringList& unmatched);
// Of a node that the shown graph lacks, as it was in the last graph that has it; an empty title: no graph has it.
Inspector inspectorOfNode(const InspectorSource& source, quint32 node);
// With a consumer: the edge to it, and why its ends do not share a kernel.
Inspector inspectorOfValue(const InspectorSource& source, quint32 value, quint32 consumer);
// Groups are formed once more to be looked at, which takes a while: for another thread.
Inspector inspectorOfGroup(const InspectorSource& source, const session::GroupingOptions& grouping, drawing::Key group);

} // namespace hidet::ui
