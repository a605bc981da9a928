// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/what_if_page.h"

#include <cmath>

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QToolButton>

#include "app/ui/core/icons.h"
#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/graph/tables/short_name.h"

namespace hidet::ui {

namespace {

constexpr int narrowest_beside = 900; // the effect stands below the list in docks that are narrower

QString titleOf(const session::ModelChoice& choice) {
    const QString what = QString::fromStdString(choice.what);
    switch (choice.kind) {
    case session::ChoiceKind::Precision: return WhatIfPage::tr("Compute in %1").arg(what);
    case session::ChoiceKind::Fusion: return choice.is_on ? WhatIfPage::tr("Fuse") : WhatIfPage::tr("Don't fuse");
    case session::ChoiceKind::Rewrite:
        return (choice.is_on ? WhatIfPage::tr("Apply %1") : WhatIfPage::tr("Do not apply %1")).arg(what);
    case session::ChoiceKind::Template: return WhatIfPage::tr("Use template %1").arg(what);
    case session::ChoiceKind::Switch: return choice.is_on ? WhatIfPage::tr("Switch on") : WhatIfPage::tr("Switch off");
    }
    return {};
}

QString aboutOf(const session::ModelChoice& choice) {
    const QString node = shortName(QString::fromStdString(choice.node));
    switch (choice.kind) {
    case session::ChoiceKind::Switch: return QString::fromStdString(choice.what);
    case session::ChoiceKind::Fusion:
        return QString("%1 %2 %3").arg(node, QChar(0x2192), shortName(QString::fromStdString(choice.consumer)));
    default: return node.isEmpty() ? WhatIfPage::tr("the whole model") : node;
    }
}

} // namespace

WhatIfPage::WhatIfPage(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_list(new QTreeWidget(this)), m_body(new QStackedWidget(this)),
      m_empty(new EmptyState(this)), m_note(new ElidedLabel(this)), m_effect(new EffectPanel(studio, this)),
      m_line(new QFrame(this)) {
    build();
    connect(m_list, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int column) {
        const ChoiceEffects::Row* row = rowOf(item);
        if (column != Decision || !row || !m_model)
            return;
        const bool on = item->checkState(Decision) == Qt::Checked;
        if (on != row->isOn)
            ChoiceEffects::of(*m_model).setOn(session::ModelChoice(row->listed.choice), on);
    });
    connect(m_list, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (const ChoiceEffects::Row* row = rowOf(item))
            showInGraph(*row);
    });
    connect(m_list, &QTreeWidget::currentItemChanged, this, &WhatIfPage::showNote);
    connect(m_list, &QTreeWidget::customContextMenuRequested, this, &WhatIfPage::openMenu);
    connect(&studio.themes, &ThemeSource::changed, this, &WhatIfPage::applyTheme);
    applyTheme();
}

void WhatIfPage::build() {
    setObjectName("fusion.what_if");
    m_list->setObjectName("fusion.choices");
    m_list->setAccessibleName(tr("Choices"));
    m_list->setColumnCount(ColumnCount);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->installEventFilter(this);
    for (int column = Launches; column <= Time; ++column)
        m_list->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    QHeaderView* columns = m_list->header();
    columns->setStretchLastSection(false);
    columns->setSectionResizeMode(QHeaderView::ResizeToContents);
    columns->setSectionResizeMode(About, QHeaderView::Stretch);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_body->addWidget(m_list);
    m_body->addWidget(m_empty);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(8, 4, 8, 4);
    tools->setSpacing(4);
    for (const Command command : {Command::ChoicesOpen, Command::ChoicesSave, Command::ChoicesClear}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(m_studio.commands.action(command));
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(m_studio.commands.action(command)->text());
        tools->addWidget(button);
    }
    tools->addStretch(1);
    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->addLayout(tools);
    left->addWidget(m_body, 1);
    m_note->setObjectName("fusion.choice_note");
    m_note->setProperty("muted", true);
    m_note->setContentsMargins(8, 4, 8, 4);
    left->addWidget(m_note);
    m_line->setProperty("separator", true);
    m_halves = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_halves->setContentsMargins(0, 0, 0, 0);
    m_halves->setSpacing(0);
    m_halves->addLayout(left, 1);
    m_halves->addWidget(m_line);
    m_halves->addWidget(m_effect);
    setFocusProxy(m_list);
}

void WhatIfPage::applyTheme() {
    const QFont font = m_studio.themes.smallFont();
    m_list->setFont(font);
    m_note->setFont(font);
    fill();
}

void WhatIfPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool beside = width() >= narrowest_beside;
    m_halves->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    if (beside)
        m_line->setFixedSize(1, QWIDGETSIZE_MAX);
    else
        m_line->setFixedSize(QWIDGETSIZE_MAX, 1);
}

bool WhatIfPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
        removeCurrent();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void WhatIfPage::show(LiveModel* model) {
    m_model = model;
    fill();
    m_effect->show(model ? &ChoiceEffects::of(*model) : nullptr, model);
    showState();
}

const ChoiceEffects::Row* WhatIfPage::rowOf(const QTreeWidgetItem* item) const {
    if (!m_model || !item)
        return nullptr;
    const auto& rows = ChoiceEffects::of(*m_model).rows();
    const auto place = static_cast<std::size_t>(m_list->indexOfTopLevelItem(const_cast<QTreeWidgetItem*>(item)));
    return place < rows.size() ? &rows[place] : nullptr;
}

// Items stay where they are, so that the row that is current stays so.
void WhatIfPage::fill() {
    const QSignalBlocker quiet(m_list);
    static const std::vector<ChoiceEffects::Row> none;
    const auto& rows = m_model ? ChoiceEffects::of(*m_model).rows() : none;
    double bytes = 0, seconds = 0;
    for (const ChoiceEffects::Row& row : rows)
        if (row.change) {
            bytes = std::max(bytes, std::abs(row.change->bytes));
            seconds = std::max(seconds, std::abs(row.change->seconds));
        }
    const FigureUnit byteUnit = unitOfBytes(bytes), timeUnit = unitOfSeconds(seconds);
    m_list->setHeaderLabels({tr("Decision"), tr("About"), tr("Launches"), tr("Memory, %1").arg(byteUnit.name),
                             tr("Time, %1").arg(timeUnit.name)});
    while (m_list->topLevelItemCount() > static_cast<int>(rows.size()))
        delete m_list->takeTopLevelItem(m_list->topLevelItemCount() - 1);
    while (m_list->topLevelItemCount() < static_cast<int>(rows.size())) {
        auto* item = new QTreeWidgetItem(m_list);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        for (int column = Launches; column <= Time; ++column)
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        showRow(*m_list->topLevelItem(static_cast<int>(i)), rows[i], byteUnit, timeUnit);
    showNote();
}

void WhatIfPage::showRow(QTreeWidgetItem& item, const ChoiceEffects::Row& row, const FigureUnit& bytes,
                         const FigureUnit& seconds) {
    const Theme& theme = m_studio.themes.theme();
    const QString words = sentenceOf(QString::fromStdString(session::words_of(row.listed.choice)));
    item.setText(Decision, titleOf(row.listed.choice));
    item.setText(About, aboutOf(row.listed.choice));
    item.setCheckState(Decision, row.isOn ? Qt::Checked : Qt::Unchecked);
    const QString problem = QString::fromStdString(row.listed.problem);
    for (const int column : {Decision, About}) {
        item.setToolTip(column, problem.isEmpty() ? words : words + '\n' + problem);
        item.setForeground(column, row.isOn ? theme.text : theme.muted);
    }
    item.setData(Decision, Qt::AccessibleTextRole, problem.isEmpty() ? words : words + ": " + problem);
    item.setIcon(Decision, !row.isOn || problem.isEmpty() ? QIcon()
                           : row.listed.is_mistake        ? icon("error", theme.error)
                                                          : icon("warning", theme.warning));
    item.setText(Launches, row.change ? changeText(row.change->launches) : QString());
    item.setText(Memory, row.change ? "~" + bytes.change(row.change->bytes) : QString());
    item.setText(Time, row.change ? "~" + seconds.change(row.change->seconds) : QString());
    QFont italic = m_studio.themes.smallFont();
    italic.setItalic(true);
    item.setFont(Memory, italic);
    item.setFont(Time, italic);
}

// Of the current row, or the first that something is wrong with.
void WhatIfPage::showNote() {
    const ChoiceEffects::Row* row = rowOf(m_list->currentItem());
    for (int i = 0; !row && i < m_list->topLevelItemCount(); ++i)
        if (const ChoiceEffects::Row* each = rowOf(m_list->topLevelItem(i)); each && !each->listed.problem.empty())
            row = each;
    QString note;
    if (row && !row->listed.problem.empty())
        note = sentenceOf(QString::fromStdString(row->listed.problem));
    else if (row && row->isOn && row->change && row->change->is_nothing())
        note = tr("Changes nothing by itself");
    else if (row)
        note = sentenceOf(QString::fromStdString(session::words_of(row->listed.choice)));
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

void WhatIfPage::showState() {
    m_body->setCurrentIndex(m_list->topLevelItemCount() > 0 ? 0 : 1);
    m_empty->say(tr("No overrides: the compiler decides"),
                 tr("Select an edge and choose Fuse or Don't fuse to see what changes"));
    QAction* next = m_studio.commands.action(Command::GraphWhyNot);
    m_empty->setAction(next->isEnabled() ? tr("Show an edge that was not fused") : QString(),
                       [next] { next->trigger(); });
}

void WhatIfPage::removeCurrent() {
    if (const ChoiceEffects::Row* row = rowOf(m_list->currentItem()))
        ChoiceEffects::of(*m_model).remove(session::ModelChoice(row->listed.choice));
}

// The edge that it is about, or the operator: by their keys, in the last graph that has them.
void WhatIfPage::showInGraph(const ChoiceEffects::Row& row) {
    const session::SnapshotPtr& snapshot = m_model->snapshot();
    const session::ModelChoice& choice = row.listed.choice;
    const std::string& key = choice.consumer.empty() ? choice.node : choice.consumer;
    if (!snapshot || key.empty())
        return;
    for (std::size_t i = snapshot->graphs.size(); i-- > 0;)
        for (const auto& node : snapshot->graphs[i]->nodes) {
            if (node->key != key)
                continue;
            GraphItem item = GraphItem::ofNode(node->id);
            for (const quint32 input : node->inputs)
                if (const session::GraphValue* value = snapshot->graphs[i]->value(input);
                    value && !choice.consumer.empty())
                    if (const session::GraphNode* from = snapshot->graphs[i]->node(value->producer);
                        from && from->key == choice.node)
                        item = GraphItem::ofEdge(input, node->id);
            m_model->setShown(static_cast<int>(i));
            m_model->select(item, this);
            return m_model->reveal(item);
        }
    m_studio.showStatus(tr("The model has no operator '%1'").arg(QString::fromStdString(key)));
}

void WhatIfPage::openMenu(const QPoint& at) {
    QTreeWidgetItem* item = m_list->currentItem();
    if (!rowOf(item))
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Show in the graph"), this, [this] {
        if (const ChoiceEffects::Row* row = rowOf(m_list->currentItem()))
            showInGraph(*row);
    });
    menu->addAction(tr("Remove"), this, &WhatIfPage::removeCurrent);
    const QRect row = m_list->visualItemRect(item);
    menu->popup(m_list->viewport()->mapToGlobal(row.contains(at) ? at : row.bottomLeft()));
}

} // namespace hidet::ui
