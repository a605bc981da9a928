// SPDX-License-Identifier: GPL-3.0-only
// One-colour icons of 16 pixels, drawn in the colour of the theme at any scale.
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace hidet::ui {

// `name` is a file of app/ui/icons without ".svg"; a name that is not there is our bug.
// A disabled one is drawn in `disabled`, or faint.
QIcon icon(const QString& name, const QColor& color, const QColor& disabled = {});

} // namespace hidet::ui
