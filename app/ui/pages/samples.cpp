// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/pages/samples.h"

#include <algorithm>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>

#include "app/ui/core/paths.h"
#include "app/ui/workbench/studio.h"

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

// The table of samples/README.md is in the order of learning: "| [name](kernels/name.py) | what it shows |".
static QHash<QString, std::pair<qsizetype, QString>> catalogue() {
    QHash<QString, std::pair<qsizetype, QString>> out;
    QFile file(samplesFolder() + "/README.md");
    if (!file.open(QIODevice::ReadOnly))
        return out;
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        const QString name = line.section("](kernels/", 1).section(')', 0, 0);
        if (!name.isEmpty() && !out.contains(name))
            out[name] = {out.size(), line.section('|', 2, 2).trimmed()};
    }
    return out;
}

QList<Sample> allSamples() {
    QList<Sample> out;
    if (samplesFolder().isEmpty())
        return out;
    const QDir folder(samplesFolder() + "/kernels");
    const auto known = catalogue();
    QStringList names = folder.entryList({"*.py"}, QDir::Files, QDir::Name);
    std::stable_sort(names.begin(), names.end(), [&](const QString& a, const QString& b) {
        return known.value(a, {known.size(), {}}).first < known.value(b, {known.size(), {}}).first;
    });
    for (const QString& name : names) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        Sample sample = sampleOf(file.fileName(), QString::fromUtf8(file.read(4096)));
        if (QString shows = known.value(name).second; !shows.isEmpty()) {
            const bool isCode = shows.startsWith('`'); // names are written as they are
            shows.remove('`');
            if (!isCode)
                shows[0] = shows[0].toUpper();
            sample.sentence = shows + '.';
        }
        out << sample;
    }
    return out;
}

void addSampleCommands(Studio& studio, QObject& owner) {
    if (samplesFolder().isEmpty())
        return;
    const QFileInfoList files = QDir(samplesFolder() + "/kernels").entryInfoList({"*.py"}, QDir::Files, QDir::Name) +
                                QDir(samplesFolder() + "/models").entryInfoList({"*.onnx"}, QDir::Files, QDir::Name);
    for (const QFileInfo& file : files) {
        const QString name = file.completeBaseName();
        studio.commands.add("file.sample." + name, "File/Samples", name, QObject::tr("Opens the sample %1").arg(name),
                            {}, &owner, [&studio, path = file.absoluteFilePath()] {
                                if (studio.tabs.openFile(path))
                                    emit studio.requests.editorRequested();
                            });
    }
}

} // namespace hidet::ui
