// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/tune/template_copies.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>

#include "app/ui/core/paths.h"

namespace hidet::ui {

// Models of one name in two folders have two of them.
QString templateFolder(const LiveModel& model) {
    const QFileInfo file(model.path());
    const QByteArray hash =
        QCryptographicHash::hash(file.absoluteFilePath().toUtf8(), QCryptographicHash::Sha256).toHex().left(8);
    return stateFolder() + "/templates/" + file.completeBaseName() + '-' + QString::fromLatin1(hash);
}

bool isTemplateCopy(const LiveModel& model, const QString& path) {
    return QFileInfo(path).absolutePath() == QFileInfo(templateFolder(model)).absoluteFilePath();
}

// The name of its file is part of the name of a template.
QString copyOf(const LiveModel& model, const session::CodeTemplate& from) {
    return templateFolder(model) + '/' + QFileInfo(QString::fromStdString(from.file)).fileName();
}

QStringList withoutCopies(const LiveModel& model) {
    QStringList scripts = model.setup().scripts();
    scripts.removeIf([&](const QString& path) { return isTemplateCopy(model, path); });
    return scripts;
}

QString takeCopy(LiveModel& model, const session::CodeTemplate& from, FileError& error) {
    const QString path = copyOf(model, from);
    if (!QDir().mkpath(templateFolder(model))) {
        error.message = LiveModel::tr("%1 cannot be made").arg(templateFolder(model));
        return {};
    }
    if (!QFileInfo::exists(path) && !writeTextFile(path, {QByteArray::fromStdString(from.text), {}}, error))
        return {};
    QStringList scripts = model.setup().scripts();
    scripts.removeAll(path);
    model.setup().setScripts(scripts << path);
    return path;
}

void leaveCopy(LiveModel& model, const QString& path) {
    QStringList scripts = model.setup().scripts();
    scripts.removeAll(path);
    model.setup().setScripts(scripts);
}

} // namespace hidet::ui
