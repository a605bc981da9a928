// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QList>

namespace hidet::ui::test {

// Of this process, that have not ended.
inline QList<qint64> childProcesses() {
    QList<qint64> out;
    const QByteArray self = QByteArray::number(QCoreApplication::applicationPid());
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        QFile stat("/proc/" + name + "/stat");
        if (!name[0].isDigit() || !stat.open(QIODevice::ReadOnly))
            continue;
        const QByteArray line = stat.readAll();
        const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 1 && fields[1] == self && fields[0] != "Z")
            out << name.toLongLong();
    }
    return out;
}

} // namespace hidet::ui::test
