// SPDX-License-Identifier: GPL-3.0-only
// What is known of something, as sections of rows: values, links to other things, pictures of constants. Plain values; a
// SheetView shows them.
#pragma once

#include <memory>

#include <QList>
#include <QString>

#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

struct SheetLink {
    GraphItem item;
    int graph = -1;       // to be shown first; -1: the one that is shown
    session::Place place; // of a script
    explicit operator bool() const { return item || graph >= 0 || place.known(); }
};

enum class SheetTone { Plain, Muted, Predicted, Stale, Error };

struct SheetRow {
    QString name; // empty: the value takes the whole width, on as many lines as it needs
    QString value;
    QString hint; // beyond the value itself
    SheetLink link;
    SheetTone tone = SheetTone::Plain;
    quint32 constant = session::no_id; // whose picture stands here once it is made
    std::shared_ptr<const session::ConstantPicture> picture;
    QList<SheetRow> rows;
};

struct SheetSection {
    QString title;
    QList<SheetRow> rows;
};

struct Sheet {
    QString title;    // "conv1"
    QString subtitle; // "Conv2d, convolution"
    QString text;     // a sentence
    QList<SheetSection> sections;
};

} // namespace hidet::ui
