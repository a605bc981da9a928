// SPDX-License-Identifier: GPL-3.0-only
// What is left out of a listing of PTX or SASS, chosen from a menu. The button counts what is on: a listing that lacks
// something says so. Filters are the same wherever listings are shown.
#pragma once

#include <QMenu>
#include <QToolButton>
#include <optional>
#include <utility>
#include <vector>

#include "app/session/view/filters.h"
#include "app/ui/core/icons.h"
#include "app/ui/live/stage_name.h"
#include "app/ui/panes/stage_text.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class FilterButton : public QToolButton {
    Q_OBJECT
public:
    FilterButton(Studio& studio, QWidget* parent = nullptr) : QToolButton(parent), m_studio(studio) {
        setAccessibleName(tr("Filters"));
        setToolTip(tr("What is left out of this listing"));
        setAutoRaise(true);
        setFocusPolicy(Qt::TabFocus);
        setPopupMode(QToolButton::InstantPopup);
        setMenu(new QMenu(this));
        menu()->setToolTipsVisible(true);
        hide();
        studio.themes.follow(this, &FilterButton::applyTheme);
    }

    // hidden where it has no filters
    void setStage(const StageName& stage) {
        const auto form = stage.form();
        const bool some = form == session::Form::Ptx || form == session::Form::Sass;
        setVisible(some);
        if (!some)
            return;
        const std::vector<session::Filter> inUse = filtersInUse(m_studio.settings, *form);
        if (m_filled == std::pair(*form, inUse))
            return;
        m_filled = std::pair(*form, inUse);
        fill(*form);
    }

private:
    void fill(session::Form form) {
        menu()->clear();
        int on = 0;
        for (const session::FilterInfo& filter : session::all_filters()) {
            if (filter.form != form)
                continue;
            QAction* row = menu()->addAction(tr("Hide %1").arg(QString(filter.title).toLower()));
            row->setCheckable(true);
            row->setChecked(isFilterOn(m_studio.settings, filter));
            row->setToolTip(filter.summary);
            // The same action as the palette's.
            connect(row, &QAction::triggered, this, [this, id = QString("pane.filter.") + filter.id] {
                if (QAction* action = m_studio.commands.find(id))
                    action->trigger();
            });
            on += row->isChecked();
        }
        setToolButtonStyle(on ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        setText(on ? QString::number(on) : QString());
        setAccessibleDescription(on ? tr("%1 in use").arg(on) : QString());
        applyTheme();
    }

    void applyTheme() {
        const Theme& theme = m_studio.themes.theme();
        setIcon(ui::icon("filter", text().isEmpty() ? theme.muted : theme.accent));
    }

    Studio& m_studio;
    std::optional<std::pair<session::Form, std::vector<session::Filter>>> m_filled; // what the menu says is on
};

} // namespace hidet::ui
