// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/document/starts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "app/ui/core/paths.h"

namespace hidet::ui {

// "Row reduction: a warp for each row. More." is its title and what is said of it.
static void describe(Start& start) {
    const QString quotes = QStringLiteral("\"\"\"");
    const QString said = QString::fromUtf8(start.text).section(quotes, 1, 1).simplified();
    const QString first = said.section(". ", 0, 0);
    start.title = first.section(": ", 0, 0);
    start.sentence = first.section(": ", 1);
    if (start.sentence.isEmpty())
        return;
    start.sentence[0] = start.sentence[0].toUpper();
    if (start.sentence.endsWith('.'))
        start.sentence.chop(1);
}

QList<Start> allStarts() {
    QList<Start> out;
    if (samplesFolder().isEmpty())
        return out;
    for (const QFileInfo& info : QDir(samplesFolder() + "/starts").entryInfoList({"*.py"}, QDir::Files, QDir::Name)) {
        QFile file(info.filePath());
        if (!file.open(QIODevice::ReadOnly))
            continue;
        Start start;
        start.id = info.completeBaseName();
        start.text = file.readAll();
        if (start.text.startsWith("# SPDX"))
            start.text.remove(0, start.text.indexOf('\n') + 1);
        describe(start);
        out << start;
    }
    return out;
}

} // namespace hidet::ui
