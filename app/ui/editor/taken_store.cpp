// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/taken_store.h"

#include <QFile>
#include <QSaveFile>

namespace hidet::ui {

namespace {

constexpr qint64 most_bytes = 1 << 16;

session::assist::TakenNames namesIn(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return session::assist::TakenNames::of(file.read(most_bytes).toStdString());
}

// What another program has taken meanwhile stays. That it cannot be written is no matter: names come in another order then.
void addTo(const QString& path, const std::string& name) {
    session::assist::TakenNames names = namesIn(path);
    names.take(name);
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QByteArray::fromStdString(names.text()));
        file.commit();
    }
}

} // namespace

TakenStore::TakenStore(QString file, QObject* parent) : QObject(parent), m_file(std::move(file)) {
    m_writing.run([this, path = m_file] {
        QMetaObject::invokeMethod(
            this, [this, names = namesIn(path)] { m_names = names; }, Qt::QueuedConnection);
    });
}

void TakenStore::take(const std::string& name) {
    m_names.take(name);
    m_writing.run([path = m_file, name] { addTo(path, name); });
}

} // namespace hidet::ui
