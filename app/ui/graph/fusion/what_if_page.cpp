// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/what_if_page.h"

#include <cmath>

#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>

#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/tables/short_name.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"

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
    case session::ChoiceKind::Placement: return WhatIfPage::tr("Place: %1").arg(what);
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
    studio.themes.follow(this, &WhatIfPage::applyTheme);
}

void WhatIfPage::build() {
    setObjectName("fusion.what_if");
    named(m_list, "fusion.choices", tr("Choices"));
    m_list->setColumnCount(ColumnCount);
    makeTree(*m_list);
    m_list->setRootIsDecorated(false);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->installEventFilter(this);
    alignRight(*m_list->headerItem(), Launches, Time);
    QHeaderView* columns = m_list->header();
    columns->setStretchLastSection(false);
    columns->setSectionResizeMode(QHeaderView::ResizeToContents);
    columns->setSectionResizeMode(About, QHeaderView::Stretch);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_body->addWidget(m_list);
    m_body->addWidget(m_empty);
    QHBoxLayout* tools = newRow({8, 4, 8, 4}, 4, {});
    for (const Command command : {Command::ChoicesOpen, Command::ChoicesSave, Command::ChoicesClear}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(m_studio.commands.action(command));
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setAccessibleName(m_studio.commands.action(command)->text());
        tools->addWidget(button);
    }
    tools->addStretch(1);
    m_note->setObjectName("fusion.choice_note");
    m_note->setProperty("muted", true);
    m_note->setContentsMargins(8, 4, 8, 4);
    QVBoxLayout* left = newColumn(nullptr, {tools, {m_body, 1}, m_note});
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
        alignRight(*item, Launches, Time);
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        showRow(*m_list->topLevelItem(static_cast<int>(i)), rows[i], byteUnit, timeUnit);
    showNote();
}

void WhatIfPage::showRow(QTreeWidgetItem& item, const ChoiceEffects::Row& row, const FigureUnit& bytes,
                         const FigureUnit& seconds) {
    const Theme& theme = m_studio.themes.theme();
    const QString words = capitalized(text(session::words_of(row.listed.choice)));
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
    for (const int column : {int(Memory), int(Time)})
        item.setFont(column, italic(m_studio.themes.smallFont()));
}

// Of the current row, or the first that something is wrong with.
void WhatIfPage::showNote() {
    const ChoiceEffects::Row* row = rowOf(m_list->currentItem());
    for (int i = 0; !row && i < m_list->topLevelItemCount(); ++i)
        if (const ChoiceEffects::Row* each = rowOf(m_list->topLevelItem(i)); each && !each->listed.problem.empty())
            row = each;
    QString note;
    if (row && !row->listed.problem.empty())
        note = capitalized(text(row->listed.problem));
    else if (row && row->isOn && row->change && row->change->is_nothing())
        note = tr("Changes nothing by itself");
    else if (row)
        note = capitalized(text(session::words_of(row->listed.choice)));
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
    const session::SnapshotPtr& snapshot = m_model->graphs().snapshot();
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
            m_model->graphs().setShown(static_cast<int>(i));
            return m_model->selection().goTo(item, this);
        }
    m_studio.notices.showStatus(tr("The model has no operator '%1'").arg(QString::fromStdString(key)));
}

void WhatIfPage::openMenu(const QPoint& at) {
    if (!rowOf(m_list->currentItem()))
        return;
    QMenu* menu = newMenu(this);
    menu->addAction(tr("Show in the graph"), this, [this] {
        if (const ChoiceEffects::Row* row = rowOf(m_list->currentItem()))
            showInGraph(*row);
    });
    menu->addAction(tr("Remove"), this, &WhatIfPage::removeCurrent);
    popUp(*menu, *m_list, m_list->currentIndex(), at);
}

namespace {

// "+1.95 us (+4.2 %)"
QString changeOf(double before, double after, FigureUnit (*unitOf)(double)) {
    const QString out = changeText(after - before, unitOf);
    const double share = before > 0 ? (after - before) / before : 0;
    if (share == 0)
        return out;
    return QString("%1 (%2)").arg(out, (share < 0 ? QChar(0x2212) : QChar('+')) + percentText(std::abs(share)));
}

} // namespace

EffectPanel::EffectPanel(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_measure(new QPushButton(tr("Measure"), this)), m_note(new QLabel(this)) {
    setObjectName("fusion.effect");
    const QString titles[] = {tr("Kernels"), tr("Launches"), tr("Memory"), tr("Predicted"), tr("Measured")};
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(2);
    auto label = [this](bool isMuted) {
        auto* out = new QLabel(this);
        out->setProperty("muted", isMuted);
        out->setTextFormat(Qt::PlainText);
        return out;
    };
    const QString heads[] = {{}, tr("Without choices"), tr("With them"), tr("Change")};
    for (int column = 1; column < 4; ++column) {
        QLabel* head = label(true);
        head->setText(heads[column]);
        grid->addWidget(head, 0, column, Qt::AlignRight);
    }
    for (int row = 0; row < RowCount; ++row) {
        Cells& cells = m_rows[static_cast<std::size_t>(row)];
        cells = {label(true), label(false), label(false), label(false)};
        cells.title->setText(titles[row]);
        grid->addWidget(cells.title, row + 1, 0);
        int column = 0;
        for (QLabel* cell : {cells.before, cells.after, cells.change}) {
            cell->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            grid->addWidget(cell, row + 1, ++column);
        }
        m_rows[static_cast<std::size_t>(row)].change->setObjectName(QString("fusion.change%1").arg(row));
    }
    grid->setColumnStretch(4, 1);
    QAction* run = studio.commands.action(Command::RunRun);
    named(m_measure, "fusion.measure", tr("Measure the model as it is now"));
    m_measure->setToolTip(tr("Measures the model as it is now"));
    connect(m_measure, &QPushButton::clicked, run, &QAction::trigger);
    connect(run, &QAction::changed, this, [this, run] { m_measure->setEnabled(run->isEnabled()); });
    m_measure->setEnabled(run->isEnabled());
    m_note->setProperty("muted", true);
    m_note->setWordWrap(true);
    m_note->setObjectName("fusion.effect_note");
    newColumn({12, 4, 12, 4}, 4, {grid, newRow({}, 8, {m_measure, {m_note, 1}}), stretched()}, this);
    studio.themes.follow(this, &EffectPanel::applyTheme);
}

void EffectPanel::applyTheme() {
    const QFont font = m_studio.themes.smallFont();
    for (QLabel* each : findChildren<QLabel*>())
        each->setFont(font);
    for (const Row row : {Memory, Predicted}) {
        const Cells& cells = m_rows[row];
        for (QLabel* each : {cells.before, cells.after, cells.change})
            each->setFont(italic(font));
    }
}

void EffectPanel::set(Row row, const QString& before, const QString& after, const QString& change) {
    const Cells& cells = m_rows[row];
    const QString none = QChar(0x2013);
    cells.before->setText(before.isEmpty() ? none : before);
    cells.after->setText(after.isEmpty() ? none : after);
    cells.change->setText(change);
}

QString EffectPanel::textOf(const QString& row) const {
    for (const Cells& cells : m_rows)
        if (cells.title->text() == row)
            return QStringList{cells.before->text(), cells.after->text(), cells.change->text()}.join(' ').trimmed();
    return {};
}

void EffectPanel::showCounts(Row row, const session::ModelTotals* before, const session::ModelTotals* after,
                             std::size_t session::ModelTotals::*count) {
    const auto number = [&](const session::ModelTotals& totals) { return static_cast<std::int64_t>(totals.*count); };
    set(row, before ? QString::number(number(*before)) : QString(), after ? QString::number(number(*after)) : QString(),
        before && after ? changeText(number(*after) - number(*before)) : QString());
}

void EffectPanel::showFigures(const session::ModelTotals* before, const session::ModelTotals* after) {
    const auto show = [&](Row row, double session::ModelTotals::*figure, FigureUnit (*unitOf)(double)) {
        const double greatest = std::max(before ? before->*figure : 0, after ? after->*figure : 0);
        const FigureUnit unit = unitOf(greatest);
        const auto text = [&](const session::ModelTotals* totals) {
            return totals ? QString("~%1 %2").arg(unit.text(totals->*figure), unit.name) : QString();
        };
        set(row, text(before), text(after),
            before && after ? "~" + changeOf(before->*figure, after->*figure, unitOf) : QString());
    };
    show(Memory, &session::ModelTotals::bytes, unitOfBytes);
    show(Predicted, &session::ModelTotals::seconds, unitOfSeconds);
}

void EffectPanel::showMeasured(const session::ModelBenchResult* before, const session::ModelBenchResult* after) {
    const FigureUnit unit = unitOfSeconds(std::max(before ? before->times.median : 0, after ? after->times.median : 0));
    const auto text = [&](const session::ModelBenchResult* result) {
        if (!result)
            return QString();
        const double spread = (result->times.p90 - result->times.p10) / 2;
        return QString("%1 %2 %3%4").arg(unit.text(result->times.median), unit.name, QChar(0xB1), unit.text(spread));
    };
    set(Measured, text(before), text(after),
        before && after ? changeOf(before->times.median, after->times.median, unitOfSeconds) : QString());
}

void EffectPanel::show(const ChoiceEffects* effects, const LiveModel* model) {
    const auto before = effects ? effects->before() : std::nullopt;
    const bool isChosen = model && !model->setup().choices().isEmpty();
    const auto after = effects && isChosen ? effects->after() : std::nullopt;
    const session::ModelTotals* x = before ? &*before : nullptr;
    const session::ModelTotals* y = after ? &*after : nullptr;
    showCounts(Kernels, x, y, &session::ModelTotals::kernels);
    showCounts(Launches, x, y, &session::ModelTotals::launches);
    showFigures(x, y);
    if (model && model->graphs().snapshot())
        m_rows[Predicted].title->setToolTip(
            tr("Lower bound on %1").arg(QString::fromStdString(model->graphs().snapshot()->roofs.name)));
    const auto was = effects ? effects->measuredBefore() : nullptr;
    const auto is = effects ? effects->measuredAfter() : nullptr;
    showMeasured(was.get(), is.get());
    if (model && model->graphs().isBusy())
        m_note->setText(tr("Deciding anew"));
    else if (isChosen && !y)
        m_note->setText(tr("The model cannot be compiled with these choices; the list says what is wrong"));
    else if (isChosen && is && !was)
        m_note->setText(tr("Measure once without choices to compare: forget them, measure, undo"));
    else if (isChosen && x && !x->assumed.empty())
        m_note->setText(tr("Unspecified dimensions are assumed to be 1"));
    else
        m_note->setText({});
}

} // namespace hidet::ui
