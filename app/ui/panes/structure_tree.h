// SPDX-License-Identifier: GPL-3.0-only
// What is inside of what in a text of IR, as a tree in the colours of the text; what a pass added, altered and removed is
// marked.
#pragma once

#include <QTreeWidget>

#include "app/session/view/structure.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class StructureTree : public QTreeWidget {
    Q_OBJECT
public:
    StructureTree(const ThemeSource& themes, QWidget* parent = nullptr);

    void setStructure(session::Structure structure);
    void setCaretLine(int line); // of the text, from 1 on: the innermost row that is seen is selected

signals:
    void lineChosen(int line);

private:
    void fill();

    const ThemeSource& m_themes;
    session::Structure m_structure;
    QList<QTreeWidgetItem*> m_items; // of its rows
    QHash<QString, bool> m_collapsed;
    bool m_isFilling = false;
    int m_line = 0;
};

} // namespace hidet::ui
