// SPDX-License-Identifier: GPL-3.0-only
// Which code belongs to what is selected in a graph. Operators of earlier graphs have that of what replaced them.
#pragma once

#include <optional>

#include <QCoreApplication>
#include <QList>

#include "app/session/model/model_code.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

struct CodeTarget {
    Q_DECLARE_TR_FUNCTIONS(CodeTarget)
public:
    quint32 node = session::no_id;                // of the graph that is run; no_id: nothing of it is meant
    std::optional<session::CodePlace> place = {}; // of its kernel
    QString title = {}, text = {};                // without a place: why there is none
};

CodeTarget targetOf(const LiveModel& model, const session::ModelCode& code);
// Of a group, by what is in it; the nodes are of the graph that is shown.
CodeTarget targetOf(const LiveModel& model, const session::ModelCode& code, const QList<quint32>& nodes);

// The operators of a group, the anchor of a kernel first. For any thread.
QList<quint32> nodesOf(const session::ModelGraph& graph, const session::GroupingOptions& grouping, drawing::Key group);

// What became of a node in the graph that is run; no_id: nothing is left of it.
quint32 successorOf(const session::ModelSnapshot& snapshot, int graph, quint32 node);

} // namespace hidet::ui
