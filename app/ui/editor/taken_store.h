// SPDX-License-Identifier: GPL-3.0-only
// The names that the user took from lists of completions, in all scripts and from start to start: a file of the user's that
// several programs may write to.
#pragma once

#include <QObject>

#include "app/session/live/taken_file.h"
#include "app/ui/core/in_order.h"

namespace hidet::ui {

class TakenStore : public QObject {
    Q_OBJECT
public:
    explicit TakenStore(const QString& file, QObject* parent = nullptr) : QObject(parent), m_file(file.toStdString()) {
        m_writing.run([this] {
            QMetaObject::invokeMethod(
                this, [this, names = m_file.read()] { m_names = names; }, Qt::QueuedConnection);
        });
    }

    const session::assist::TakenNames& names() const { return m_names; }
    void take(const std::string& name) {
        m_names.take(name);
        m_writing.run([this, name] { m_file.add(name); });
    }

private:
    session::TakenFile m_file; // of the thread that writes
    session::assist::TakenNames m_names;
    InOrder m_writing; // last: what was taken is written
};

} // namespace hidet::ui
