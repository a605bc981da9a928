// SPDX-License-Identifier: GPL-3.0-only
// The texts that each open script went through in this session, with what is foretold of them. Texts with mistakes are none.
#pragma once

#include <map>

#include <QObject>

#include "app/session/kernel_bench/edit_trail.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class EditTrails : public QObject {
    Q_OBJECT
public:
    EditTrails(Studio& studio, QObject* parent);

    const session::EditTrail& of(const Document& document) const;
    void endBurst(const Document& document); // it is run

signals:
    void changed(); // of the current document

private:
    void note();
    void explain();

    Studio& m_studio;
    std::map<const Document*, session::EditTrail> m_trails;
};

} // namespace hidet::ui
