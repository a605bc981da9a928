// SPDX-License-Identifier: GPL-3.0-only
// The lines above an operator's code: which stage, of which kernel, what that computes, and where else it is used.
#pragma once

#include <QToolButton>
#include <QWidget>

#include "app/ui/graph/code/code_chooser.h"
#include "app/ui/panes/filter_button.h"
#include "app/ui/widgets/elided_label.h"

namespace hidet::ui {

class CodeHeader : public QWidget {
    Q_OBJECT
public:
    CodeHeader(Studio& studio, QWidget* parent = nullptr);

    CodeChooser& stages() { return *m_stages; }
    FilterButton& filters() { return *m_filters; }
    void setState(const QString& text); // "compiling", "12 ms"
    void setKernel(const QString& kernel, const QString& operators);
    void setUses(int use, int count); // 1-based; one: nothing is shown
    void setFigures(const QString& text);
    void setCopies(bool possible);
    // All of it in one sentence.
    QString text() const;

signals:
    void copyRequested();
    void stepRequested(int by); // to another use

private:
    QToolButton* button(const QString& icon, const QString& name, const QString& tip);
    ElidedLabel* label(const QString& name, bool muted);
    void applyTheme();

    Studio& m_studio;
    QList<std::pair<QToolButton*, QString>> m_icons;
    CodeChooser* m_stages;
    ElidedLabel* m_state;
    FilterButton* m_filters;
    QToolButton* m_copy;
    ElidedLabel* m_kernel;
    ElidedLabel* m_uses;
    QToolButton *m_previous, *m_next;
    ElidedLabel* m_operators;
    ElidedLabel* m_figures;
};

} // namespace hidet::ui
