// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/program/rehearsals.h"

#include "app/ui/core/background.h"

namespace hidet::ui {

// The service calls from a thread of its own.
Rehearsals::Rehearsals()
    : m_rehearser({.unwatched = [this](const std::string& why) {
          QMetaObject::invokeMethod(
              this, [this, why] { emit failed(QString::fromStdString(why)); }, Qt::QueuedConnection);
      }}) {
    session::set_rehearser(&m_rehearser);
}

Rehearsals::~Rehearsals() {
    waitForWork();
    session::set_rehearser(nullptr);
}

} // namespace hidet::ui
