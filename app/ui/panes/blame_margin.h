// SPDX-License-Identifier: GPL-3.0-only
// A margin that names the pass that made each line; where lines of one pass follow each other, once.
#pragma once

#include <QStringList>

#include "app/session/view/blame.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

class BlameMargin : public QObject {
    Q_OBJECT
public:
    explicit BlameMargin(CodeView& view);

    // Null: the margin goes.
    void show(std::shared_ptr<const session::ModuleSnapshot> module, std::shared_ptr<const session::TextSnapshot> text);
    bool isShown() const { return m_module != nullptr; }
    QString passOf(int line) const; // 0-based; empty: none
    QString htmlOf(int line) const; // for the card; empty: nothing to say

signals:
    void lineActivated(int line); // a click into the margin

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void paintNotes();
    int lettersThatFit() const;

    CodeView& m_view;
    std::shared_ptr<const session::ModuleSnapshot> m_module;
    std::shared_ptr<const session::TextSnapshot> m_text;
    QStringList m_passes; // by line
    int m_letters = 0;    // of a pass that are shown
};

} // namespace hidet::ui
