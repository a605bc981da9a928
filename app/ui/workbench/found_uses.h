// SPDX-License-Identifier: GPL-3.0-only
// Where a name is used in the scripts of a folder, ready to be shown: a value.
#pragma once

#include <QList>
#include <QString>

#include "app/session/snapshot/snapshot.h"

namespace hidet::ui {

struct FoundUse {
    session::Place place;
    QString line;  // without its indentation
    int begin = 0; // of the name in that line, in characters
    int end = 0;
    bool isDefinition = false;
    bool isWrite = false;
};
struct FileOfUses {
    QString title; // "matmul.py"
    QList<FoundUse> uses;
};
struct FoundUses {
    QString name;
    QList<FileOfUses> files; // the one that was asked in first
};

} // namespace hidet::ui
