// SPDX-License-Identifier: GPL-3.0-only
// A comparison of two models as rows of tables. Pure; on whichever thread.
#pragma once

#include "app/session/model/compare/compare_models.h"
#include "app/ui/graph/compare/compare_table.h"

namespace hidet::ui {

QString wordOf(session::PairState state); // "New"

QList<CompareRow> differenceRows(const session::ModelComparison& comparison, const session::ModelGraph& left,
                                 const session::ModelGraph& right);
QList<CompareRow> kernelRows(const session::ModelComparison& comparison);
QList<CompareRow> totalRows(const session::ModelComparison& comparison);

} // namespace hidet::ui
