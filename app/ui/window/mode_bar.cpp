// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/mode_bar.h"

#include "app/ui/core/icons.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

struct Row {
    Mode mode;
    const char* name;
    const char* icon;
    Command command;
};
constexpr Row rows[] = {
    {Mode::Edit, "Edit", "edit", Command::ViewModeEdit},
    {Mode::Lower, "Lower", "lower", Command::ViewModeLower},
    {Mode::Run, "Run", "gauge", Command::ViewModeRun},
    {Mode::Graph, "Graph", "graph", Command::ViewModeGraph},
};

} // namespace

QString modeName(Mode mode) {
    return QString(rows[static_cast<std::size_t>(mode)].name).toLower();
}

ModeBar::ModeBar(Studio& studio, QWidget* parent) : QWidget(parent), m_studio(studio) {
    setAttribute(Qt::WA_StyledBackground);
    auto* column = newColumn({4, 8, 4, 8}, 8, {}, this);
    for (const Row& row : rows) {
        auto* button = new QToolButton(this);
        QAction* action = studio.commands.action(row.command);
        button->setText(row.name);
        button->setToolTip(action->toolTip());
        button->setAccessibleName(action->text());
        button->setCheckable(true);
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
        connect(button, &QToolButton::clicked, action, &QAction::trigger);
        column->addWidget(button);
        m_buttons << button;
    }
    column->addStretch(1);
    studio.themes.follow(this, &ModeBar::applyTheme);
}

void ModeBar::setMode(Mode mode) {
    for (qsizetype i = 0; i < m_buttons.size(); ++i)
        m_buttons[i]->setChecked(rows[i].mode == mode);
}

void ModeBar::applyTheme() {
    for (qsizetype i = 0; i < m_buttons.size(); ++i) {
        m_buttons[i]->setIcon(icon(rows[i].icon, m_studio.themes.theme().text));
        m_buttons[i]->setFont(m_studio.themes.smallFont());
    }
}

} // namespace hidet::ui
