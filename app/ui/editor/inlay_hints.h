// SPDX-License-Identifier: GPL-3.0-only
// What the language service writes between the words of a script, shown behind the lines: types, shapes and folded values. The
// widget of the text cannot make room between its words. Hints go along with their lines while the next ones are on their way.
#pragma once

#include <QMap>
#include <QObject>
#include <QPaintEvent>

#include "app/session/live/assist.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

class InlayHints : public QObject {
    Q_OBJECT
public:
    explicit InlayHints(CodeView& view);

    void show(const std::vector<session::assist::InlayHint>& hints); // of the text that the view has
    void paint(const QPaintEvent& event);                            // over what the view has painted
    QString textOf(int line) const { return m_lines.value(line); }

private:
    QString worded(const session::assist::InlayHint& hint) const;
    void textChanged(int position, int what, int addedLines);

    CodeView& m_view;
    QMap<int, QString> m_lines; // by line, 0-based
};

} // namespace hidet::ui
