// SPDX-License-Identifier: GPL-3.0-only
// The scripts that come with the program, as the gallery shows them.
#pragma once

#include <QList>
#include <QString>

namespace hidet::ui {

struct Sample {
    QString path;
    QString title;    // "Matrix product, the simple way"
    QString sentence; // "A thread for each element of the result."
};
QList<Sample> allSamples(); // by name of file; reads the first lines of each
Sample sampleOf(const QString& path, const QString& text);

} // namespace hidet::ui
