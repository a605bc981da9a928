// SPDX-License-Identifier: GPL-3.0-only
// One selection for the editor and every pane: a place in the script. Whoever the mouse or the caret is in says which place
// that is; everybody outlines what belongs to it. What is pinned wins over the mouse, the mouse over the caret.
#pragma once

#include <optional>

#include <QObject>
#include <QPointer>

#include "app/session/snapshot/snapshot.h"

namespace hidet::ui {

class LinkHub : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    enum class By { Caret, Mouse, Pin };
    struct Focus {
        session::Place place; // in the script
        By by = By::Caret;
        QPointer<QObject> origin; // it need not scroll to what it shows already
    };

    const std::optional<Focus>& focus() const;
    const std::optional<Focus>& caret() const { return m_caret; } // whatever the mouse is over
    bool isPinned() const { return m_pinned.has_value(); }

    void setCaret(QObject* origin, std::optional<session::Place> place);
    void setMouse(QObject* origin, std::optional<session::Place> place); // nothing: the mouse has left
    void setPinned(std::optional<session::Place> place);
    void clear(); // another script
    // The first line that `origin` shows came from here; others may scroll along.
    void setTop(QObject* origin, const session::Place& place) { emit topChanged(origin, place); }

signals:
    void focusChanged();
    void topChanged(QObject* origin, hidet::session::Place place);

private:
    void set(std::optional<Focus>& slot, std::optional<Focus> value);

    std::optional<Focus> m_caret, m_mouse, m_pinned;
};

} // namespace hidet::ui
