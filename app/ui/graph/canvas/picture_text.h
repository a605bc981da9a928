// SPDX-License-Identifier: GPL-3.0-only
// What boxes, tags and edges of a picture say.
#pragma once

#include <QStringList>

#include "app/session/model/view/model_view.h"

namespace hidet::ui {

QString shapeOf(const session::GraphValue& value); // "[1, 64, 56, 56]", "int64 [1, 128]"
// The attributes by which operators of a kind differ: "stride [2, 2], padding [3, 3]"; empty: none worth a line.
QString attributesOf(const session::GraphNode& node);
QString chipOf(const session::GraphValue& constant);  // "weight [64, 3, 7, 7]", "0.5"
QString titleOf(const session::GraphBoxGroup& group); // "layer.0 to layer.11  ×12"
QString titleOf(const session::GraphKernel& kernel);  // one with names: "conv2d_add_relu", "normalize_sum +2"
QString sizeOf(const session::GraphBoxGroup& group);  // "12 operators"

} // namespace hidet::ui
