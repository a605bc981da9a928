// SPDX-License-Identifier: GPL-3.0-only
// What a kernel holds where it stands in the debugger: variables over the lanes of a warp, arguments, shared memory.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>
#include <initializer_list>

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
        setNames("debug", m_groups, "group", m_said, "sentence", m_table, "table", m_element, "element", m_writer,
                 "writer", m_go, "go", m_watch, "watch");
        m_said->setMostLines(2);
        m_writer->setMostLines(2);
        m_watch->setCheckable(true);
        makeField(*m_element, tr("Element of a tensor"), tr("who wrote it last, as in tile[3, 4]"));
        newColumn(
            this,
            {newBar({m_groups, {m_said, 1}}), {m_table, 1}, newBar({{m_element, 1}, {m_writer, 2}, m_go, m_watch})});
        listen();
    }

    // Values of before stay, fainter, while the kernel goes on to its next stop.
    void refresh() {
        const DebugStop* stop = m_studio.debug.stop();
        for (QWidget* part : std::initializer_list<QWidget*>{m_table, m_groups, m_element})
            part->setEnabled(stop);
        refreshElement();
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
        for (const QString& id : m_studio.debug.watched())
            rows.push_back({id, tr("stops before it is written"), QString()});
        m_table->show(rows);
    }

private:
    void listen() {
        connect(m_groups, &QComboBox::activated, this, [this](int row) {
            if (const DebugStop* stop = m_studio.debug.stop(); stop && row < stop->groups.size())
                emit m_studio.debug.groupRequested(stop->groups[row]);
        });
        connect(m_element, &QLineEdit::returnPressed, this,
                [this] { emit m_studio.debug.elementRequested(m_element->text()); });
        connect(m_go, &QToolButton::clicked, this,
                [this] { emit m_studio.debug.placeRequested(*m_studio.debug.element()->written); });
        connect(m_watch, &QToolButton::clicked, this, [this](bool isDown) {
            m_studio.debug.setWatched(m_studio.debug.element()->id, isDown);
            refresh();
        });
    }

    void refreshElement() {
        const DebugElement* element = m_studio.debug.element();
        const bool isKnown = element && !element->id.isEmpty();
        if (element && !m_element->hasFocus())
            m_element->setText(element->asked);
        m_writer->setProperty("role", element && !isKnown ? "error" : "");
        m_writer->style()->polish(m_writer);
        m_writer->setText(element ? element->said : QString());
        m_go->setEnabled(element && element->written);
        m_watch->setEnabled(isKnown);
        m_watch->setChecked(isKnown && m_studio.debug.watched().contains(element->id));
    }

    Studio& m_studio;
    QComboBox* m_groups = newChoice(tr("Warps that run together"), this);
    ElidedLabel* m_said = new ElidedLabel(this);
    QLineEdit* m_element = new QLineEdit(this);
    ElidedLabel* m_writer = new ElidedLabel(this);
    QToolButton* m_go = newToolButton(this, tr("Go there"), tr("Go to where it was written"),
                                      tr("Goes back to the instruction that wrote it last"));
    QToolButton* m_watch = newToolButton(this, tr("Stop at writes"), tr("Stop before the element is written"),
                                         tr("Stops, on the way on and back, before the element is written"));
    FigureTable* m_table = new FigureTable(
        m_studio.themes, tr("Variables"),
        {textColumn(tr("Variable")), textColumn(tr("Values of the lanes of a warp")), textColumn(tr("Type"))}, this);
};

} // namespace hidet::ui
