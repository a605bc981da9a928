// SPDX-License-Identifier: GPL-3.0-only
// The line above a text of code: which stage it is, with which filters, how the kernel does, and the way to the clipboard.
// A pane adds what it has besides: choices behind the stage, buttons before the copy, lines below.
#pragma once

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/ui/panes/filter_button.h"
#include "app/ui/panes/stage_chooser.h"
#include "app/ui/widgets/bar_parts.h"

namespace hidet::ui {

class PaneHeader : public QWidget {
    Q_OBJECT
public:
    PaneHeader(Studio& studio, const QString& name, QWidget* parent); // its parts have names that begin with that

    StageChooser& stages() { return *m_stages; }
    void setStage(const StageName& stage); // with what belongs to it: its filters
    void setFigures(const QString& text);
    QString figures() const { return m_figures->text(); }
    void setState(const QString& text); // "working", "12 ms"; its room stays
    void setCopies(bool possible);

    void addChoice(QWidget* widget);
    QToolButton* newButton(const QString& part, const QString& icon, const QString& name, const QString& tip);
    void addButton(QToolButton* button);
    void mark(QToolButton* button, bool isMarked) { m_parts->mark(button, isMarked); }
    ElidedLabel* newLabel(const QString& part);
    QHBoxLayout* addLine();
    void moveFiguresBelow();                                  // of all lines that there are
    static void say(ElidedLabel& label, const QString& text); // hidden where it is empty

signals:
    void copyRequested();

private:
    const QString m_name;
    BarParts* m_parts;
    QVBoxLayout* m_lines = new QVBoxLayout(this);
    QHBoxLayout* m_first = new QHBoxLayout;
    StageChooser* m_stages;
    FilterButton* m_filter;
    ElidedLabel* m_figures;
    ElidedLabel* m_state;
    QToolButton* m_copy;
};

// Registers, shared memory and spills, as ptxas gives them.
QString figuresOf(const session::FormSnapshot& form);

} // namespace hidet::ui
