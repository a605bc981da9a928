// SPDX-License-Identifier: GPL-3.0-only
// What is left out of a listing of PTX or SASS, chosen from a menu. The button counts what is on: a listing that lacks
// something says so. Filters are the same wherever listings are shown.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QToolButton>

#include "app/session/view/filters.h"
#include "app/ui/live/stage_name.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class FilterButton : public QToolButton {
    Q_OBJECT
public:
    FilterButton(Studio& studio, QWidget* parent = nullptr);
    void setStage(const StageName& stage); // hidden where it has no filters

private:
    void fill(session::Form form);
    void applyTheme();

    Studio& m_studio;
    std::optional<std::pair<session::Form, std::vector<session::Filter>>> m_filled; // what the menu says is on
};

} // namespace hidet::ui
