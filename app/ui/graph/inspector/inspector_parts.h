// SPDX-License-Identifier: GPL-3.0-only
// What inspectors have in common: rows for values, nodes and figures.
#pragma once

#include "app/ui/graph/inspector/node_inspector.h"

namespace hidet::ui {

constexpr qsizetype most_listed = 40; // of anything; a last row says how many more there are

QString counted(std::size_t count, const QString& one, const QString& many); // "1 kernel", "%1 kernels"

QString nameOf(const session::GraphNode& node);
QString nameOf(const session::GraphValue& value);
QString typeOf(const session::GraphValue& value); // "float32 [1, 64], 256 B"

// The shown graph if it has the node, or else the last one that does; -1: none.
int graphWith(const InspectorSource& source, quint32 node);
int graphWithValue(const InspectorSource& source, quint32 value);

InspectorRow fact(const QString& name, const QString& value);
InspectorRow figure(const QString& name, double value, const char* unit);
InspectorRow predicted(const InspectorSource& source, const QString& name, double seconds);
InspectorRow measured(const InspectorSource& source, const QString& name, double value, const char* unit);
InspectorRow sentence(const QString& text, InspectorTone tone = InspectorTone::Plain);
// To a node, in the graph of that number.
InspectorRow nodeRow(const InspectorSource& source, const QString& name, quint32 node, int graph);
InspectorRow constantRow(const session::GraphValue& value); // with its picture below
QList<InspectorRow> shortened(QList<InspectorRow> rows);

void addSection(Inspector& inspector, const QString& title, QList<InspectorRow> rows); // none without rows
// Of one kernel: what it holds, and what it takes.
void addKernel(Inspector& inspector, const InspectorSource& source, quint32 kernel, quint32 butNot = session::no_id);

} // namespace hidet::ui
