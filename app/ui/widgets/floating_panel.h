// SPDX-License-Identifier: GPL-3.0-only
// What floats above an editor and never takes the keyboard: a child of the window, not a window of its own. Window systems
// misplace those, and steal the keyboard for them.
#pragma once

#include <functional>

#include <QFrame>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

class FloatingPanel : public QFrame {
    Q_OBJECT
public:
    enum class Prefer { Below, Above };

    explicit FloatingPanel(CodeView& view);

    // Beside the range, inside of the window: where it is preferred when there is room.
    void placeAt(ByteRange range, Prefer prefer);
    void placeAgain() { placeAt(m_range, m_prefer); }             // the view has scrolled
    bool isOverView() const { return m_view.isVisible(m_range); } // what it belongs to is seen
    // Where a range of the view is, in the coordinates of the window.
    QRect rectInWindow(ByteRange range) const;

protected:
    CodeView& view() const { return m_view; }
    const Theme& theme() const { return m_view.themes().theme(); }
    void paintEvent(QPaintEvent* event) override;
    void leave(); // hides it, and the view has the keyboard again
    // For the event filter of a field inside: filterKeys(), with leave() for Escape, and the panel hides when the field loses
    // the keyboard.
    bool filterField(QEvent* event, const std::function<void()>& onReturn);

private:
    CodeView& m_view;
    ByteRange m_range;
    Prefer m_prefer = Prefer::Below;
};

// For the event filter of a field: Return and Escape are these, also where a command has the key. True: the field does not get
// the event.
bool filterKeys(QEvent* event, const std::function<void()>& onReturn, const std::function<void()>& onEscape);

} // namespace hidet::ui
