// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>

#include "app/session/worker/worker_rehearser.h"

namespace hidet::ui {

// While it lives, a script that ends its evaluator costs a notice, and not the window. Made before the window is.
class Rehearsals : public QObject {
    Q_OBJECT
public:
    Rehearsals();
    ~Rehearsals() override; // when nothing is evaluated any more

signals:
    void failed(const QString& why); // once: scripts are evaluated in the window's process

private:
    session::WorkerRehearser m_rehearser;
};

} // namespace hidet::ui
