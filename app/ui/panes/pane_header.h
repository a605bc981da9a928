// SPDX-License-Identifier: GPL-3.0-only
// The line above a text of code: which stage it is, with which filters, how the kernel does, and the way to the clipboard.
// A pane adds what it has besides: choices behind the stage, buttons before the copy, lines below.
#pragma once

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/ui/panes/filter_button.h"
#include "app/ui/panes/stage_chooser.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class PaneHeader : public QWidget {
    Q_OBJECT
public:
    // its parts have names that begin with that
    PaneHeader(Studio& studio, const QString& name, QWidget* parent)
        : QWidget(parent), m_name(name), m_parts(new BarParts(studio.themes, this)),
          m_stages(new StageChooser(studio.themes, this)), m_filter(new FilterButton(studio, this)),
          m_figures(newLabel("figures")), m_state(newLabel("state")),
          m_copy(newButton("copy", "copy", tr("Copy the whole text"), tr("Copy the whole text, with colours"))) {
        m_lines->setContentsMargins(8, 4, 4, 4);
        m_lines->setSpacing(4);
        m_lines->addLayout(m_first);
        m_first->setSpacing(8);
        m_first->addWidget(m_stages);
        m_first->addWidget(m_figures, 3);
        m_first->addWidget(m_state, 1);
        m_first->addWidget(m_filter);
        m_first->addWidget(m_copy);
        m_stages->setObjectName(name + ".stage");
        m_filter->setObjectName(name + ".filters");
        m_state->setMinimumWidth(4); // also where a pane has no room for it
        m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        connect(m_copy, &QToolButton::clicked, this, &PaneHeader::copyRequested);
        setFigures({});
    }

    StageChooser& stages() { return *m_stages; }
    // with what belongs to it: its filters
    void setStage(const StageName& stage) {
        m_stages->setStage(stage);
        m_filter->setStage(stage);
    }

    void setFigures(const QString& text) {
        say(*m_figures, text); // the state takes its room
    }

    QString figures() const { return m_figures->text(); }
    // "working", "12 ms"; its room stays
    void setState(const QString& text) {
        m_state->setText(text);
        m_state->setAccessibleName(text);
    }

    void setCopies(bool possible) { m_copy->setEnabled(possible); }

    void addChoice(QWidget* widget) { m_first->insertWidget(1, widget); }
    QToolButton* newButton(const QString& part, const QString& icon, const QString& name, const QString& tip) {
        QToolButton* made = m_parts->newButton(icon, name, tip);
        made->setObjectName(m_name + '.' + part);
        return made;
    }

    void addButton(QToolButton* button) { m_first->insertWidget(m_first->indexOf(m_copy), button); }
    void mark(QToolButton* button, bool isMarked) { m_parts->mark(button, isMarked); }
    ElidedLabel* newLabel(const QString& part) {
        ElidedLabel* made = m_parts->newLabel();
        made->setObjectName(m_name + '.' + part);
        return made;
    }

    QHBoxLayout* addLine() {
        auto* made = newRow({}, 8, {});
        m_lines->addLayout(made);
        return made;
    }

    // of all lines that there are
    void moveFiguresBelow() {
        m_first->removeWidget(m_figures);
        m_first->setStretchFactor(m_stages, 2);
        m_lines->addWidget(m_figures);
    }

    // hidden where it is empty
    static void say(ElidedLabel& label, const QString& text) {
        label.setText(text);
        label.setAccessibleName(text);
        label.setVisible(!text.isEmpty());
    }

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
inline QString figuresOf(const session::FormSnapshot& form) {
    QStringList kernels;
    for (const session::KernelFacts& kernel : form.kernels) {
        QStringList figures{PaneHeader::tr("%1 registers").arg(kernel.registers)};
        const int spills = kernel.spill_store_bytes + kernel.spill_load_bytes;
        figures << (spills ? PaneHeader::tr("%1 bytes spilled").arg(spills) : PaneHeader::tr("no spills"));
        if (kernel.static_shared_bytes)
            figures << PaneHeader::tr("%1 bytes shared").arg(kernel.static_shared_bytes);
        if (kernel.stack_bytes)
            figures << PaneHeader::tr("%1 bytes stack").arg(kernel.stack_bytes);
        const QString name = form.kernels.size() > 1 ? QString::fromStdString(kernel.name) + ": " : QString();
        kernels << name + figures.join(", ");
    }
    return kernels.join("; ");
}

} // namespace hidet::ui
