// SPDX-License-Identifier: GPL-3.0-only
// Scripts to begin a new one with: samples/starts. Each runs and checks itself.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace hidet::ui {

struct Start {
    QString id;       // "row_reduction"
    QString title;    // "Row reduction"
    QString sentence; // "A warp for each row, whose lanes ..."
    QByteArray text;  // without the line of the licence: what it begins is the user's
};
QList<Start> allStarts(); // by name of file; none where the samples are not installed

} // namespace hidet::ui
