// SPDX-License-Identifier: GPL-3.0-only
// A picture of a graph as a file: SVG and PDF with text as text, PNG at twice the size of the screen.
#pragma once

#include "app/ui/graph/canvas/graph_painter.h"

namespace hidet::ui {

// `part` of the picture, at 100 %. The ending of the path says which kind. False: `error` is a sentence for the user.
bool exportGraph(GraphPainter& painter, const GraphScene& scene, const QRectF& part, const QString& title,
                 const QString& path, QString& error);
// Of the selection: a group, a box with what is beside it, or all that is marked. Empty: there is nothing of it.
QRectF partOfSelection(const GraphPicture& picture, const GraphItem& selected,
                       const std::optional<QSet<quint32>>& marked);

} // namespace hidet::ui
