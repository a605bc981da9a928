// SPDX-License-Identifier: GPL-3.0-only
// The places to fill in of a snippet that was just written. Tab goes from one to the next, Shift+Tab back; what has the same
// number is typed together. It ends at the last place, by Escape, or when the caret goes elsewhere.
#pragma once

#include <QKeyEvent>
#include <QObject>

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
SnippetText parsedSnippet(const QByteArray& snippet); // "for ${1:i} in range(${2:n}):\n    $0"

class SnippetPlaces : public QObject {
    Q_OBJECT
public:
    explicit SnippetPlaces(CodeView& view);

    void begin(const SnippetText& snippet, int offset); // where it was written
    void end();
    bool isActive() const { return !m_places.empty(); }
    bool wants(const QKeyEvent& key) const;
    bool handle(const QKeyEvent& key);

private:
    void go(int step);
    void select(int number);
    void textChanged(int position, int what, int length);
    void caretMoved();

    CodeView& m_view;
    std::vector<SnippetText::Place> m_places;
    std::vector<int> m_numbers; // in the order of Tab
    std::size_t m_at = 0;       // the number that is filled in
};

} // namespace hidet::ui
