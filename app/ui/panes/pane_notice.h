// SPDX-License-Identifier: GPL-3.0-only
// A thin bar that says one sentence: why a text is old, that a pane is pinned. With a button when something can be done.
#pragma once

#include <functional>

#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>

#include "app/ui/core/theme.h"
#include "app/ui/widgets/elided_label.h"

namespace hidet::ui {

class PaneNotice : public QWidget {
    Q_OBJECT
public:
    PaneNotice(ThemeSource& themes, QWidget* parent = nullptr);

    enum class Kind { Hint, Warning };
    // An empty text hides the bar.
    void show(Kind kind, const QString& text);
    QString text() const;
    void setAction(const QString& text, std::function<void()> act); // an empty text takes it away

private:
    void applyTheme();

    ThemeSource& m_themes;
    QLabel* m_icon = new QLabel(this);
    ElidedLabel* m_text = new ElidedLabel(this);
    QToolButton* m_button = new QToolButton(this);
    Kind m_kind = Kind::Hint;
    std::function<void()> m_act;
};

} // namespace hidet::ui
