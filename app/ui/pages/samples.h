// SPDX-License-Identifier: GPL-3.0-only
// The scripts that come with the program, as the gallery shows them.
#pragma once

#include <QList>
#include <QString>

class QObject;

namespace hidet::ui {

struct Studio;

struct Sample {
    QString path;
    QString title;    // "Matrix product, the simple way"
    QString sentence; // "A thread for each element of the result."
};
QList<Sample> allSamples(); // by name of file; reads the first lines of each
Sample sampleOf(const QString& path, const QString& text);
// "file.sample.naive_matmul" for each, as long as `owner` lives.
void addSampleCommands(Studio& studio, QObject& owner);

} // namespace hidet::ui
