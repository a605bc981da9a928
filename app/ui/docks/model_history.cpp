// SPDX-License-Identifier: GPL-3.0-only
#include <QDateTime>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>

#include <cmath>

#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/docks/docks.h"
#include "app/ui/graph/runs/model_history_store.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

class ModelHistoryDock : public DockWidget {
public:
    explicit ModelHistoryDock(Studio& studio) : m_studio(studio), m_store(studio.modelRuns->history()) {
        makePanel(*this);
        setNames("model_history", m_table, "table", m_empty, "empty", m_name, "name", m_compare, "compare", m_hint,
                 "hint");
        m_name->setPlaceholderText(tr("Name of this run"));
        m_name->setAccessibleName(tr("Name of the selected run"));
        m_name->setMaximumWidth(180);
        m_hint->setProperty("muted", true);
        m_pages->addWidget(m_empty);
        m_pages->addWidget(m_table);
        newColumn(this, {newRow({8, 0, 8, 0}, 4, {{m_hint, 1}, m_name, m_compare, m_copy}), {m_pages, 1}});
        setFocusProxy(m_table);
        connect(m_copy, &QToolButton::clicked, m_table, &FigureTable::copy);
        connect(m_compare, &QToolButton::clicked, this, [this] { compare(); });
        connect(m_table, &QTableWidget::cellActivated, this, [this] { compare(); });
        connect(m_table, &QTableWidget::itemSelectionChanged, this, &ModelHistoryDock::refreshBar);
        connect(m_name, &QLineEdit::editingFinished, this, [this] { rename(); });
        connect(&m_store, &ModelHistoryStore::changed, this, &ModelHistoryDock::refresh);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &ModelHistoryDock::refresh);
        connect(studio.modelRuns, &ModelRuns::reportChanged, this, &ModelHistoryDock::refresh);
        connect(&studio.themes, &ThemeSource::changed, this, &ModelHistoryDock::refresh);
        refresh();
    }

private:
    std::vector<FigureCell> row(const session::ModelRecord& run) const {
        const QDateTime when = QDateTime::fromString(QString::fromStdString(run.when), Qt::ISODate).toLocalTime();
        const QString name = QString::fromStdString(run.name), where = QString::fromStdString(run.where);
        return {when.toString(when.date() == QDate::currentDate() ? "HH:mm:ss" : "yyyy-MM-dd HH:mm"),
                {name, name},
                timeText(run.times.median),
                percentNumber(run.times.spread),
                delta(run),
                QString::number(run.kernels),
                {where, where}};
    }

    // Of the newest run beside this one, on the same device.
    FigureCell delta(const session::ModelRecord& run) const {
        const Theme& theme = m_studio.themes.theme();
        const session::ModelRecord& newest = m_runs.front();
        if (&run == &newest)
            return {tr("the last run"), {}, theme.accent};
        if (run.where != newest.where || run.times.median <= 0)
            return {tr("not comparable"), tr("It ran on another device"), theme.muted};
        const double ratio = newest.times.median / run.times.median;
        const QString by = percentText(std::abs(ratio - 1));
        if (newest.times.p90 < run.times.p10)
            return {tr("%1 faster now").arg(by), {}, theme.ok, icon("down", theme.ok)};
        if (newest.times.p10 > run.times.p90)
            return {tr("%1 slower now").arg(by), {}, theme.warning, icon("up", theme.warning)};
        return {tr("within spread"), tr("The medians differ by %1").arg(by), theme.muted, icon("same", theme.muted)};
    }

    void refresh() {
        const LiveModel* model = m_studio.tabs.model();
        m_runs = model ? m_store.runsOf(*model) : ModelHistoryStore::Runs();
        m_table->show(transformed(m_runs, [&](const session::ModelRecord& run) { return row(run); }));
        m_pages->setCurrentIndex(m_runs.empty() ? 0 : 1);
        m_empty->say(tr("The measured runs of a model, kept from session to session"),
                     model ? tr("Run the model (F5): the run appears here, and can be compared with later ones")
                           : tr("Appears here when a model is open"));
        refreshBar();
    }

    const session::ModelRecord* selected() const {
        const auto rows = m_table->selectionModel()->selectedRows();
        const int row = rows.size() == 1 ? rows.first().row() : -1;
        return row >= 0 && row < int(m_runs.size()) ? &m_runs[std::size_t(row)] : nullptr;
    }

    void refreshBar() {
        const session::ModelRecord* run = selected();
        m_compare->setEnabled(run != nullptr);
        m_copy->setEnabled(!m_runs.empty());
        m_name->setVisible(run != nullptr);
        if (run && !m_name->hasFocus()) {
            m_name->setText(QString::fromStdString(run->name));
            m_name->setCursorPosition(0);
        }
        m_hint->setText(m_runs.empty() ? QString()
                        : run          ? tr("Return compares the open model with this run")
                                       : tr("Select a run to name it or to compare it with the open model"));
    }

    void rename() {
        const session::ModelRecord* run = selected();
        const std::string name = m_name->text().trimmed().toStdString();
        if (run && name != run->name)
            m_store.rename(*run, name);
    }

    void compare() {
        LiveModel* model = m_studio.tabs.model();
        if (const session::ModelRecord* run = selected(); run && model)
            m_studio.modelRuns->compareWithKept(*model, *run);
    }

    Studio& m_studio;
    ModelHistoryStore& m_store;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    FigureTable* m_table = new FigureTable(m_studio.themes, tr("Runs of this model"),
                                           {textColumn(tr("When")), textColumn(tr("Name")), tr("Time"), tr("Spread, %"),
                                            textColumn(tr("vs. the last run")), tr("Kernels"), textColumn(tr("On"))},
                                           this);
    QLabel* m_hint = new QLabel(this);
    QLineEdit* m_name = new QLineEdit(this);
    QToolButton* m_compare = newGlyphButton(m_studio.themes, "diff", tr("Compare"), this);
    QToolButton* m_copy = newGlyphButton(m_studio.themes, "copy", tr("Copy as table"), this);
    ModelHistoryStore::Runs m_runs; // newest first, as the table has them
};

} // namespace

DockWidget* makeModelHistoryDock(Studio& studio) {
    return new ModelHistoryDock(studio);
}

} // namespace hidet::ui
