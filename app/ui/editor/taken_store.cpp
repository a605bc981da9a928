// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/taken_store.h"

namespace hidet::ui {

TakenStore::TakenStore(const QString& file, QObject* parent) : QObject(parent), m_file(file.toStdString()) {
    m_writing.run([this] {
        QMetaObject::invokeMethod(
            this, [this, names = m_file.read()] { m_names = names; }, Qt::QueuedConnection);
    });
}

void TakenStore::take(const std::string& name) {
    m_names.take(name);
    m_writing.run([this, name] { m_file.add(name); });
}

} // namespace hidet::ui
