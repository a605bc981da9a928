// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pane_header.h"

#include "app/ui/core/icons.h"

namespace hidet::ui {

QString figuresOf(const session::FormSnapshot& form) {
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

PaneHeader::PaneHeader(Studio& studio, const QString& name, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_name(name), m_lines(new QVBoxLayout(this)), m_first(new QHBoxLayout),
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
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    connect(m_copy, &QToolButton::clicked, this, &PaneHeader::copyRequested);
    connect(&studio.themes, &ThemeSource::changed, this, &PaneHeader::applyTheme);
    setFigures({});
    applyTheme();
}

QToolButton* PaneHeader::newButton(const QString& part, const QString& iconName, const QString& name,
                                   const QString& tip) {
    auto* made = new QToolButton(this);
    made->setObjectName(m_name + '.' + part);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    made->setIcon(icon(iconName, m_studio.themes.theme().muted));
    m_buttons << Button{made, iconName};
    return made;
}

ElidedLabel* PaneHeader::newLabel(const QString& part) {
    auto* made = new ElidedLabel(this);
    made->setObjectName(m_name + '.' + part);
    made->setProperty("muted", true);
    made->setFont(m_studio.themes.smallFont());
    m_labels << made;
    return made;
}

void PaneHeader::addChoice(QWidget* widget) {
    m_first->insertWidget(1, widget);
}

void PaneHeader::addButton(QToolButton* button) {
    m_first->insertWidget(m_first->indexOf(m_copy), button);
}

QHBoxLayout* PaneHeader::addLine() {
    auto* made = new QHBoxLayout;
    made->setSpacing(8);
    m_lines->addLayout(made);
    return made;
}

void PaneHeader::moveFiguresBelow() {
    m_first->removeWidget(m_figures);
    m_first->setStretchFactor(m_stages, 2);
    m_lines->addWidget(m_figures);
}

void PaneHeader::mark(QToolButton* button, bool isMarked) {
    for (Button& each : m_buttons)
        if (each.button == button)
            each.isMarked = isMarked;
    applyTheme();
}

void PaneHeader::applyTheme() {
    const Theme& theme = m_studio.themes.theme();
    for (const Button& each : std::as_const(m_buttons))
        each.button->setIcon(icon(each.icon, each.isMarked ? theme.accent : theme.muted));
    for (ElidedLabel* label : std::as_const(m_labels))
        label->setFont(m_studio.themes.smallFont());
}

void PaneHeader::say(ElidedLabel& label, const QString& text) {
    label.setText(text);
    label.setAccessibleName(text);
    label.setVisible(!text.isEmpty());
}

void PaneHeader::setStage(const StageName& stage) {
    m_stages->setStage(stage);
    m_filter->setStage(stage);
}

void PaneHeader::setFigures(const QString& text) {
    say(*m_figures, text); // the state takes its room
}

void PaneHeader::setState(const QString& text) {
    m_state->setText(text);
    m_state->setAccessibleName(text);
}

void PaneHeader::setCopies(bool possible) {
    m_copy->setEnabled(possible);
}

} // namespace hidet::ui
