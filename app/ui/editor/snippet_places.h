// SPDX-License-Identifier: GPL-3.0-only
// The places to fill in of a snippet that was just written. Tab goes from one to the next, Shift+Tab back; what has the same
// number is typed together. It ends at the last place, by Escape, or when the caret goes elsewhere.
#pragma once

#include <QKeyEvent>
#include <QObject>
#include <algorithm>

#include "app/ui/code/carets.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

struct SnippetText {
    struct Place {
        int number = 0; // 0: the last one
        ByteRange range;
    };
    QByteArray text;
    std::vector<Place> places;
};
// "for ${1:i} in range(${2:n}):\n    $0"
// "$0", "${1:word}", and what a backslash stands before as it is.
inline SnippetText parsedSnippet(const QByteArray& snippet) {
    SnippetText out;
    for (qsizetype i = 0; i < snippet.size(); ++i) {
        const char next = i + 1 < snippet.size() ? snippet[i + 1] : '\0';
        if (snippet[i] == '\\' && next) {
            out.text += next;
            ++i;
        } else if (snippet[i] == '$' && next >= '0' && next <= '9') {
            const int at = static_cast<int>(out.text.size());
            out.places.push_back({next - '0', {at, at}});
            ++i;
        } else if (snippet[i] == '$' && next == '{') {
            const qsizetype colon = snippet.indexOf(':', i), close = snippet.indexOf('}', i);
            if (close < 0)
                break;
            const qsizetype named = colon > 0 && colon < close ? colon : close;
            const QByteArray word = named < close ? snippet.mid(named + 1, close - named - 1) : QByteArray();
            const int at = static_cast<int>(out.text.size());
            out.places.push_back({snippet.mid(i + 2, named - i - 2).toInt(), {at, at + static_cast<int>(word.size())}});
            out.text += word;
            i = close;
        } else {
            out.text += snippet[i];
        }
    }
    return out;
}

class SnippetPlaces : public QObject {
    Q_OBJECT
public:
    explicit SnippetPlaces(CodeView& view) : m_view(view) {
        connect(&view, &QsciScintillaBase::SCN_MODIFIED, this,
                [this](int position, int what, const char*, int length, int, int, int, int, int, int) {
                    if (isActive() && what & (Sci::SC_MOD_INSERTTEXT | Sci::SC_MOD_DELETETEXT))
                        textChanged(position, what, length);
                });
        connect(&view, &CodeView::caretMoved, this, &SnippetPlaces::caretMoved);
    }

    // where it was written
    void begin(const SnippetText& snippet, int offset) {
        m_places = snippet.places;
        m_numbers.clear();
        for (SnippetText::Place& place : m_places) {
            place.range = {place.range.begin + offset, place.range.end + offset};
            if (std::find(m_numbers.begin(), m_numbers.end(), place.number) == m_numbers.end())
                m_numbers.push_back(place.number);
        }
        std::sort(m_numbers.begin(), m_numbers.end(), [](int a, int b) { return (a ? a : 1'000) < (b ? b : 1'000); });
        m_at = 0;
        if (isActive())
            select(m_numbers.front());
    }

    void end() { m_places.clear(); }
    bool isActive() const { return !m_places.empty(); }
    bool wants(const QKeyEvent& key) const { return isActive() && key.key() == Qt::Key_Escape; }
    bool handle(const QKeyEvent& key) {
        if (!isActive())
            return false;
        caretMoved(); // views hear late of what the keys before have done
        const bool plain = !(key.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier));
        if (!isActive() || !plain)
            return false;
        switch (key.key()) {
        case Qt::Key_Tab: go(1); return true;
        case Qt::Key_Backtab: go(-1); return true;
        case Qt::Key_Escape: {
            end();
            const int caret = m_view.caret();
            setCarets(m_view, {{caret, caret}});
            return true;
        }
        default: return false;
        }
    }

private:
    using Sci = QsciScintillaBase;

    void go(int step) {
        if (step < 0 && m_at == 0)
            return;
        m_at = step < 0 ? m_at - 1 : m_at + 1;
        if (m_at >= m_numbers.size())
            return end();
        const int number = m_numbers[m_at];
        select(number);
        if (m_at + 1 == m_numbers.size())
            end();
    }

    // The first of them last: it is the caret that is scrolled to.
    void select(int number) {
        std::vector<Caret> carets;
        for (const SnippetText::Place& place : m_places)
            if (place.number == number)
                carets.insert(carets.begin(), {place.range.begin, place.range.end});
        setCarets(m_view, carets);
        ask(m_view, Sci::SCI_SCROLLCARET);
    }

    // Text at the edges of what is filled in belongs to it.
    void textChanged(int position, int what, int length) {
        if (what & (Sci::SC_PERFORMED_UNDO | Sci::SC_PERFORMED_REDO))
            return end();
        const int number = m_numbers[m_at];
        for (SnippetText::Place& place : m_places) {
            auto& [begin, last] = place.range;
            const bool isFilled = place.number == number;
            if (what & Sci::SC_MOD_DELETETEXT) {
                auto moved = [&](int at) { return at <= position ? at : std::max(position, at - length); };
                place.range = {moved(begin), moved(last)};
            } else if (position < begin || (position == begin && !isFilled)) {
                begin += length;
                last += length;
            } else if (position < last || (position == last && isFilled)) {
                last += length;
            }
        }
    }

    void caretMoved() {
        if (!isActive())
            return;
        const int caret = m_view.caret(), number = m_numbers[m_at];
        const bool inside = std::any_of(m_places.begin(), m_places.end(), [&](const SnippetText::Place& place) {
            return place.number == number && place.range.begin <= caret && caret <= place.range.end;
        });
        if (!inside)
            end();
    }

    CodeView& m_view;
    std::vector<SnippetText::Place> m_places;
    std::vector<int> m_numbers; // in the order of Tab
    std::size_t m_at = 0;       // the number that is filled in
};

} // namespace hidet::ui
