// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/charts/chart_dock.h"

#include "app/ui/core/icons.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

ChartDock::ChartDock(Studio& studio, const QString& id)
    : m_studio(studio), m_bar(new QHBoxLayout), m_pages(new QStackedWidget(this)), m_full(new QWidget(this)),
      m_row(new QHBoxLayout), m_head(new QLabel(this)), m_fit(new QToolButton(this)), m_copy(new QToolButton(this)),
      m_chart(new BarChart(studio.themes, this)), m_empty(new EmptyState(this)) {
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    m_link = new ChartLink(*m_chart);
    m_head->setObjectName(id + ".head");
    m_head->setAccessibleName(tr("What it comes to"));
    m_head->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_chart->setObjectName(id + ".chart");
    m_chart->setAccessibleName(tr("Chart"));
    m_empty->setObjectName(id + ".empty");
    m_fit->setText(tr("Fit"));
    m_fit->setAccessibleName(tr("Show all of it"));
    m_fit->setToolTip(tr("Shows all of it; Ctrl and the wheel, or + and -, zoom"));
    m_copy->setAccessibleName(tr("Copy the chart"));
    m_copy->setToolTip(tr("Copies the chart as a picture and as a table"));
    m_bar->setContentsMargins(8, 2, 8, 2);
    m_bar->setSpacing(4);
    m_bar->addWidget(m_head, 1);
    m_bar->addWidget(m_fit);
    m_bar->addWidget(m_copy);
    auto* saver = new PictureSaver(
        studio, *this, [this] { return m_pages->currentWidget() == m_full; },
        [this, id] { return m_chart->saved(id); });
    m_bar->addWidget(saver->newButton(this));
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(0);
    m_row->addWidget(m_chart, 1);
    auto* column = new QVBoxLayout(m_full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(m_bar);
    column->addLayout(m_row, 1);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_full);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_pages);
    setFocusProxy(m_chart);
    connect(m_fit, &QToolButton::clicked, m_chart, &BarChart::fit);
    connect(m_copy, &QToolButton::clicked, m_chart, &BarChart::copy);
    connect(&studio, &Studio::currentChanged, this, &ChartDock::outdate);
    connect(&studio, &Studio::modelAdded, this, [this](LiveModel* added) {
        connect(added, &LiveModel::snapshotChanged, this, &ChartDock::outdate);
        connect(added, &LiveModel::findingsChanged, this, &ChartDock::outdate);
    });
    connect(&studio.themes, &ThemeSource::changed, this, &ChartDock::applyTheme);
    applyTheme();
}

void ChartDock::applyTheme() {
    m_copy->setIcon(icon("copy", m_studio.themes.theme().text));
}

LiveModel* ChartDock::model() const {
    return m_studio.model();
}

void ChartDock::outdate() {
    m_outdated = !isVisible();
    if (!m_outdated)
        refresh();
}

void ChartDock::showEvent(QShowEvent* event) {
    DockWidget::showEvent(event);
    if (std::exchange(m_outdated, false))
        refresh();
}

void ChartDock::addBeside(QWidget* widget) {
    m_row->addWidget(widget, 1);
}

void ChartDock::showChart(ModelChart chart, const QString& head) {
    m_head->setText(chart.chart.isStale ? tr("%1 (of an older state of the model)").arg(head) : head);
    m_head->setToolTip(m_head->text());
    m_head->setEnabled(!chart.chart.isStale);
    m_link->show(model(), std::move(chart));
    m_pages->setCurrentWidget(m_full);
}

void ChartDock::offer(const QString& text, std::function<void()> act) {
    m_empty->setAction(text, std::move(act));
}

void ChartDock::showEmpty(const QString& title, const QString& text, std::optional<Command> offer) {
    m_link->show(model(), {});
    m_pages->setCurrentWidget(m_empty);
    m_empty->say(title, text);
    if (!offer)
        return m_empty->setAction({}, {});
    QAction* action = m_studio.commands.action(*offer);
    const QString words = *offer == Command::RunRun ? tr("Run") : action->text().remove('&');
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    m_empty->setAction(keys.isEmpty() ? words : tr("%1 (%2)").arg(words, keys), [action] { action->trigger(); });
}

} // namespace hidet::ui
