// SPDX-License-Identifier: GPL-3.0-only
// The texts that each open script went through, with what is foretold of them: those of this session, and those that earlier
// ones have kept beside the history. Texts with mistakes are none.
#pragma once

#include <map>

#include <QObject>

#include "app/session/kernel_bench/kept_edits.h"
#include "app/ui/core/in_order.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class EditTrails : public QObject {
    Q_OBJECT
public:
    EditTrails(Studio& studio, const QString& history, QObject* parent);
    ~EditTrails() override;

    std::vector<session::EditState> states(const Document& document) const;                             // oldest first
    std::shared_ptr<const std::string> textOf(const Document& document, const std::string& hash) const; // null: none
    void forget();                           // all, of all scripts
    void endBurst(const Document& document); // it is run

signals:
    void changed(); // of the current document

private:
    struct Trail {
        std::vector<session::EditState> before; // of earlier sessions
        session::EditTrail now;
        std::string name; // that it is kept by
    };
    Trail& trailOf(const Document& document);
    void fetch(const Document& document);
    void keep(const Trail& trail, std::size_t count); // the first ones of this session
    void note();
    void explain();

    Studio& m_studio;
    const session::KeptEdits m_store;
    std::map<const Document*, Trail> m_trails;
    InOrder m_writing; // last: what was asked for is written
};

} // namespace hidet::ui
