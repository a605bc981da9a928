// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/graph_display.h"

#include <utility>

#include "app/ui/core/commands.h"

namespace hidet::ui {

GraphDisplay::GraphDisplay(Commands& commands, QObject* parent) : QObject(parent), m_commands(commands) {}

void GraphDisplay::setGrouping(const session::GroupingOptions& grouping) {
    if (grouping == m_grouping)
        return;
    m_grouping = grouping;
    emit groupingChanged();
    m_commands.refresh();
}

void GraphDisplay::setOpen(drawing::Key group, bool open) {
    if (m_open.contains(group) == open)
        return;
    if (open)
        m_open.insert(group);
    else
        m_open.remove(group);
    emit foldingChanged();
}

void GraphDisplay::setAllOpen(const QSet<drawing::Key>& groups) {
    if (std::exchange(m_open, groups) != groups)
        emit foldingChanged();
}

void GraphDisplay::setOverlay(session::OverlayKind kind) {
    if (std::exchange(m_overlay, kind) != kind)
        emit overlayChanged();
}

void GraphDisplay::setCompared(std::optional<Compared> nodes) {
    if (nodes == m_compared)
        return;
    m_compared = std::move(nodes);
    emit overlayChanged();
}

} // namespace hidet::ui
