// SPDX-License-Identifier: GPL-3.0-only
// What the colours of a chart mean, in a line.
#pragma once

#include <functional>
#include <vector>

#include <QStringList>
#include <QWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class ChartLegend : public QWidget {
    Q_OBJECT
public:
    ChartLegend(ThemeSource& themes, QWidget* parent);

    // A name for each colour of the palette; an empty one is left out.
    void show(const QStringList& names, std::function<std::vector<QColor>(const Theme&)> palette);
    using QWidget::show;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeSource& m_themes;
    QStringList m_names;
    std::function<std::vector<QColor>(const Theme&)> m_palette;
};

} // namespace hidet::ui
