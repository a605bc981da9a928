// SPDX-License-Identifier: GPL-3.0-only
// The whole text as a thin strip beside the scroll bar, with a mark for every problem and every hit of a search. A click
// goes there. Keys do the same by the commands for problems and hits.
#pragma once

#include <QWidget>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

class OverviewRuler : public QWidget {
    Q_OBJECT
public:
    enum class Kind { Hit, Use, Warning, Error }; // later ones are drawn above

    OverviewRuler(CodeView& view, QWidget* parent);

    void setLines(Kind kind, std::vector<int> lines); // 0-based
    const std::vector<int>& lines(Kind kind) const { return m_lines[static_cast<std::size_t>(kind)]; }
    int lineAt(int y) const; // of the nearest mark; -1: none is near
    int yOf(int line) const;

signals:
    void lineClicked(int line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    CodeView& m_view;
    std::array<std::vector<int>, 4> m_lines;
};

} // namespace hidet::ui
