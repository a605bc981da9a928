// SPDX-License-Identifier: GPL-3.0-only
// Notes behind the ends of lines of a script: painted over the text widget, for what stands there is no text. They move with
// their lines while others are typed, and fade when they are of a text that is no more.
#pragma once

#include <QRect>

#include "app/ui/code/code_view.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/live/access_notes.h"

namespace hidet::ui {

class LineNotes : public QObject {
    Q_OBJECT
public:
    explicit LineNotes(CodeView& view);

    void show(std::vector<LineNote> notes);   // of the text as it is
    static constexpr int fade_after_ms = 400; // shorter, and they would flicker at each key
    void setCurrent(bool isCurrent);          // they are of the text as it is; if not, they fade after a while
    bool areFaded() const { return m_isFaded; }
    // A line after each other with its notes, as they stand there: for tests, and for who cannot see them.
    QString text() const;

    void paint(const QRect& changed); // after the view has painted itself
    // The note at a point of the viewport, or null.
    const LineNote* at(const QPoint& point) const;
    QRect rectOf(const LineNote& note) const; // in the viewport; empty: it is not seen
    const std::vector<LineNote>& notes() const { return m_notes; }
    int lineOf(const LineNote& note) const; // 0-based, where it is now; -1: the line is gone

private:
    struct Box {
        QRect rect;
        const LineNote* note = nullptr;
        bool isShort = false;
    };
    std::vector<Box> boxes() const;
    void addBoxes(std::size_t first, std::size_t last, std::vector<Box>& out) const;

    CodeView& m_view;
    std::vector<LineNote> m_notes;
    std::vector<int> m_marks; // handles of marks that move with the lines of the notes
    OneShot m_fading;
    bool m_isFaded = false;
};

} // namespace hidet::ui
