// SPDX-License-Identifier: GPL-3.0-only
// Searches of the session by words or by regular expressions. They end soon whatever they are: an expression that tries too
// long on a text is one that the text does not meet.
#pragma once

#include <QToolButton>

#include "app/session/model/view/model_search.h"

namespace hidet::ui {

session::ExpressionReader regularExpressions(); // upper and lower case are alike

enum class SearchBy : quint8 { Words, Expressions };
session::NodeSearch findNodes(const session::ModelGraph& graph, const QString& query, SearchBy by,
                              const std::atomic<bool>& stopped);

// The switch between the two, for the line of a field: ".*".
QToolButton* newExpressionSwitch(QWidget* line);

} // namespace hidet::ui
