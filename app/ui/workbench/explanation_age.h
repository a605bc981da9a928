// SPDX-License-Identifier: GPL-3.0-only
// Tells a view of what is known of the kernels before they run when that is of a text that has changed since: not at once, since
// mostly the next is there before an eye sees it.
#pragma once

#include <functional>

#include "app/ui/core/one_shot.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class ExplanationAge : public QObject {
    Q_OBJECT
public:
    ExplanationAge(Studio& studio, QObject* parent);
    bool isStale() const { return m_isStale; }
    void look();                                                 // after what is shown has changed
    std::shared_ptr<const session::Explained> explained() const; // of the current script; null: nothing is known

signals:
    void changed(bool isStale);

private:
    void set(bool isStale);

    Studio& m_studio;
    OneShot m_fading;
    bool m_isStale = false;
};

} // namespace hidet::ui
