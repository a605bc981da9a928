// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/house/samples.h"

#include <QDir>
#include <QFile>

#include "app/ui/core/paths.h"

namespace hidet::ui {

// The first sentence of the text that a script begins with: what stands before a colon is the title, the rest is said of it.
Sample sampleOf(const QString& path, const QString& text) {
    Sample out;
    out.path = path;
    const QString quotes = QStringLiteral("\"\"\"");
    const qsizetype begin = text.indexOf(quotes);
    const qsizetype end = begin < 0 ? -1 : text.indexOf(quotes, begin + 3);
    const QString said = end < 0 ? QString() : text.mid(begin + 3, end - begin - 3).section("\n\n", 0, 0).simplified();
    const QString first = said.section(". ", 0, 0);
    out.title = first.section(": ", 0, 0);
    out.sentence = first.section(": ", 1);
    if (out.title.endsWith('.'))
        out.title.chop(1);
    if (out.title.isEmpty())
        out.title = QFileInfo(path).completeBaseName().replace('_', ' ');
    if (out.sentence.isEmpty())
        out.sentence = said.section(". ", 1, 1);
    if (!out.sentence.isEmpty()) {
        out.sentence[0] = out.sentence[0].toUpper();
        if (!out.sentence.endsWith('.'))
            out.sentence += '.';
    }
    return out;
}

QList<Sample> allSamples() {
    QList<Sample> out;
    if (samplesFolder().isEmpty())
        return out;
    const QDir folder(samplesFolder() + "/kernels");
    for (const QString& name : folder.entryList({"*.py"}, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            out << sampleOf(file.fileName(), QString::fromUtf8(file.read(4096)));
    }
    return out;
}

} // namespace hidet::ui
