// SPDX-License-Identifier: GPL-3.0-only
// What a kernel holds where it stands in the debugger: variables over the lanes of a warp, arguments, shared memory.
#pragma once

#include <QComboBox>

#include "app/ui/core/words.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class DebugPage : public QWidget {
    Q_OBJECT
public:
    DebugPage(Studio& studio, QWidget* parent) : QWidget(parent), m_studio(studio) {
        setNames("debug", m_groups, "group", m_said, "sentence", m_table, "table");
        m_said->setMostLines(2);
        newColumn(this, {newBar({m_groups, {m_said, 1}}), {m_table, 1}});
        connect(m_groups, &QComboBox::activated, this, [this](int row) {
            if (const DebugStop* stop = m_studio.debug.stop(); stop && row < stop->groups.size())
                emit m_studio.debug.groupRequested(stop->groups[row]);
        });
    }

    // Values of before stay, fainter, while the kernel goes on to its next stop.
    void refresh() {
        const DebugStop* stop = m_studio.debug.stop();
        m_table->setEnabled(stop);
        m_groups->setEnabled(stop);
        if (!stop)
            return m_said->setText(tr("The kernel runs to a breakpoint or a finding"));
        m_groups->clear();
        m_groups->addItems(stop->places);
        m_groups->setCurrentIndex(int(stop->groups.indexOf(stop->group)));
        m_said->setText(tr("Line %1: %2").arg(stop->line).arg(stop->why.section('\n', 0, 0)));
        FigureRows rows{{tr("Lanes that run"), stop->lanes, QString()}};
        for (const DebugValue& each : stop->variables)
            rows.push_back({each.name, {each.value, each.value}, each.type});
        for (const DebugValue& each : stop->shared)
            rows.push_back({each.name, {each.value, each.value}, tr("shared %1").arg(each.type)});
        m_table->show(rows);
    }

private:
    Studio& m_studio;
    QComboBox* m_groups = newChoice(tr("Warps that run together"), this);
    ElidedLabel* m_said = new ElidedLabel(this);
    FigureTable* m_table = new FigureTable(
        m_studio.themes, tr("Variables"),
        {textColumn(tr("Variable")), textColumn(tr("Values of the lanes of a warp")), textColumn(tr("Type"))}, this);
};

} // namespace hidet::ui
