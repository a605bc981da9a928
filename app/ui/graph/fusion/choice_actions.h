// SPDX-License-Identifier: GPL-3.0-only
// What can be decided about something that is selected in a graph: commands, entries of context menus, and choices files.
#pragma once

#include <optional>

#include "app/ui/workbench/live_model.h"

class QMenu;

namespace hidet::ui {

// A change of the choices, one step of undo. Nothing: it cannot be done, or nothing would change.
struct ChoiceStep {
    QByteArray choices;
    QString what; // "don't fuse 'conv1' and 'relu1'"
};

std::optional<ChoiceStep> shareStep(const LiveModel& model, const GraphItem& item);
// Of an operator that a rule made: keeps the rule from what it replaced.
std::optional<ChoiceStep> apartStep(const LiveModel& model, const GraphItem& item);
std::optional<ChoiceStep> apartStep(const LiveModel& model, const std::vector<quint32>& nodes); // each from each
std::optional<ChoiceStep> withoutRuleStep(const LiveModel& model, const GraphItem& item);
std::optional<ChoiceStep> precisionStep(const LiveModel& model, const GraphItem& item, const QString& dtype);
std::optional<ChoiceStep> asUsualStep(const LiveModel& model, const GraphItem& item);
QString ruleOf(const LiveModel& model, const GraphItem& item); // that made the operator; empty: none

// Whatever of all that is possible, at the end of a context menu.
void addChoiceActions(QMenu& menu, Studio& studio, LiveModel& model, const GraphItem& item);

// The commands that decide something about the selection of the model in front.
void bindChoiceCommands(Studio& studio, QObject* owner);

// Files of choices: what is broken is refused, and the window says where.
bool openChoices(Studio& studio, LiveModel& model, const QString& path);
bool saveChoices(Studio& studio, LiveModel& model, const QString& path);

} // namespace hidet::ui
