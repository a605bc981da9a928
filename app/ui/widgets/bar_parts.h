// SPDX-License-Identifier: GPL-3.0-only
// What stands in the line above a view, of a pane, a graph or a comparison: buttons with an icon, and labels beside them. Their
// colours and fonts follow the theme.
#pragma once

#include <QToolButton>

#include "app/ui/core/theme.h"
#include "app/ui/widgets/elided_label.h"

namespace hidet::ui {

class BarParts : public QObject {
    Q_OBJECT
public:
    BarParts(ThemeSource& themes, QWidget* line); // a line that owns the parts

    QToolButton* newButton(const QString& icon, const QString& name, const QString& tip);
    void mark(const QToolButton* button, bool isMarked);
    ElidedLabel* newLabel(); // muted and small

private:
    struct Button {
        QToolButton* button;
        QString icon;
        bool isMarked = false;
    };
    void applyTheme();
    void show(const Button& each);

    ThemeSource& m_themes;
    QWidget* m_line;
    QList<Button> m_buttons;
    QList<ElidedLabel*> m_labels;
};

// Outside such a line: in the colour of text, with words beside its icon.
QToolButton* newGlyphButton(ThemeSource& themes, const QString& glyph, const QString& text, QWidget* parent);

} // namespace hidet::ui
