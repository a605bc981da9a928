// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/code/code_header.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/ui/core/icons.h"

namespace hidet::ui {

CodeHeader::CodeHeader(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_stages(new CodeChooser(studio, this)), m_state(label("code.state", true)),
      m_filters(new FilterButton(studio, this)),
      m_copy(button("copy", tr("Copy the whole code"), tr("Copy the whole text, with colours"))),
      m_kernel(label("code.kernel", false)), m_uses(label("code.uses", true)),
      m_previous(
          button("up", tr("Previous use of this kernel"), tr("Select the group before that shares this kernel"))),
      m_next(button("down", tr("Next use of this kernel"), tr("Select the next group that shares this kernel"))),
      m_operators(label("code.operators", true)), m_figures(label("code.figures", true)) {
    m_stages->setObjectName("code.stage");
    m_filters->setObjectName("code.filters");
    m_copy->setObjectName("code.copy");
    m_previous->setObjectName("code.previous");
    m_next->setObjectName("code.next");
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_uses->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 4, 4, 4);
    column->setSpacing(4);
    auto row = [column] {
        auto* made = new QHBoxLayout;
        made->setSpacing(8);
        column->addLayout(made);
        return made;
    };
    auto* first = row();
    first->addWidget(m_stages, 2);
    first->addWidget(m_state, 1);
    first->addWidget(m_filters);
    first->addWidget(m_copy);
    auto* second = row();
    second->addWidget(m_kernel, 2);
    second->addWidget(m_uses, 1);
    second->addWidget(m_previous);
    second->addWidget(m_next);
    column->addWidget(m_operators);
    column->addWidget(m_figures);
    connect(m_copy, &QToolButton::clicked, this, &CodeHeader::copyRequested);
    connect(m_previous, &QToolButton::clicked, this, [this] { emit stepRequested(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { emit stepRequested(1); });
    connect(&studio.themes, &ThemeSource::changed, this, &CodeHeader::applyTheme);
    setKernel({}, {});
    setUses(0, 0);
    setFigures({});
    applyTheme();
}

QToolButton* CodeHeader::button(const QString& icon, const QString& name, const QString& tip) {
    auto* made = new QToolButton(this);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    m_icons << std::pair(made, icon);
    return made;
}

ElidedLabel* CodeHeader::label(const QString& name, bool muted) {
    auto* made = new ElidedLabel(this);
    made->setObjectName(name);
    made->setProperty("muted", muted);
    return made;
}

void CodeHeader::applyTheme() {
    const Theme& theme = m_studio.themes.theme();
    for (const auto& [button, name] : m_icons)
        button->setIcon(icon(name, theme.muted));
    for (ElidedLabel* each : {m_state, m_uses, m_operators, m_figures})
        each->setFont(m_studio.themes.smallFont());
    m_kernel->setFont(m_studio.themes.codeFont());
}

static void say(ElidedLabel& label, const QString& text) {
    label.setText(text);
    label.setAccessibleName(text);
    label.setVisible(!text.isEmpty());
}

void CodeHeader::setState(const QString& text) {
    m_state->setText(text); // its room stays
    m_state->setAccessibleName(text);
}

void CodeHeader::setKernel(const QString& kernel, const QString& operators) {
    say(*m_kernel, kernel);
    say(*m_operators, operators);
}

void CodeHeader::setUses(int use, int count) {
    say(*m_uses, count > 1 ? tr("%1 of %2 groups").arg(use).arg(count) : QString());
    m_uses->setToolTip(count > 1 ? tr("Groups of operators that share this kernel") : QString());
    m_previous->setVisible(count > 1);
    m_next->setVisible(count > 1);
}

void CodeHeader::setFigures(const QString& text) {
    say(*m_figures, text);
}

void CodeHeader::setCopies(bool possible) {
    m_copy->setEnabled(possible);
}

QString CodeHeader::text() const {
    QStringList parts;
    for (const ElidedLabel* each : {m_kernel, m_uses, m_operators, m_figures})
        if (!each->text().isEmpty())
            parts << each->text();
    return parts.join("; ");
}

} // namespace hidet::ui
