// SPDX-License-Identifier: GPL-3.0-only
// What is known of something, as sections of rows: values, links to other things, pictures of constants. Plain values;
// InspectorView shows them.
#pragma once

#include <memory>

#include <QList>
#include <QString>

#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

struct InspectorLink {
    GraphItem item;
    int graph = -1;       // to be shown first; -1: the one that is shown
    session::Place place; // of a script
    explicit operator bool() const { return item || graph >= 0 || place.known(); }
};

enum class InspectorTone { Plain, Muted, Predicted, Stale, Error };

struct InspectorRow {
    QString name = {}; // empty: the value takes the whole width, on as many lines as it needs
    QString value = {};
    QString hint = {}; // beyond the value itself
    InspectorLink link = {};
    InspectorTone tone = InspectorTone::Plain;
    quint32 constant = session::no_id; // whose picture stands here once it is made
    std::shared_ptr<const session::ConstantPicture> picture = {};
    QList<InspectorRow> rows = {};
};

struct InspectorSection {
    QString title;
    QList<InspectorRow> rows;
};

struct Inspector {
    QString title;    // "conv1"
    QString subtitle; // "Conv2d, convolution"
    QString text;     // a sentence
    QList<InspectorSection> sections;
};

} // namespace hidet::ui
