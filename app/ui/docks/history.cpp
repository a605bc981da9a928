// SPDX-License-Identifier: GPL-3.0-only
#include <QDateTime>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/session/kernel_bench/versions.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/panes/diff_side.h"
#include "app/ui/run/offer_run.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/run/step_slider.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

constexpr std::size_t most_rows = 500;
constexpr int sure_for_ms = 4000;
constexpr const char* after_all = "9999"; // when: later than all that is kept

FigureCell percent(std::optional<double> ratio) {
    return ratio ? percentNumber(*ratio) : QString();
}

QString nameOf(const session::RunRecord& run) {
    const QDateTime when = QDateTime::fromString(QString::fromStdString(run.when), Qt::ISODate).toLocalTime();
    const QString called =
        run.name.empty() ? tr("run of %1").arg(when.toString("yyyy-MM-dd HH:mm:ss")) : QString::fromStdString(run.name);
    const QString time = run.times && run.times->count > 0 ? timeText(run.times->median) : tr("not measured");
    return tr("%1, %2, %3").arg(QString::fromStdString(run.script), called, time);
}

PinnedText pinnedOf(const QString& label, const std::string& text, const session::CodeFigures& figures) {
    PinnedText pinned;
    auto snapshot = std::make_shared<session::TextSnapshot>();
    snapshot->text = text;
    pinned.view.text = std::move(snapshot);
    pinned.view.state = session::Freshness::Fresh;
    pinned.label = label;
    pinned.figures = figures;
    return pinned;
}

// The texts of runs and of edits: shown beside each other, and brought back.
class KeptTexts {
public:
    explicit KeptTexts(Studio& studio) : m_studio(studio), m_store(studio.runs->history()) {}

    // The texts of two runs, or of one and of the script as it is.
    void showChanges(const std::vector<const session::RunRecord*>& chosen) {
        if (chosen.empty() || chosen.size() > 2)
            return;
        const std::vector<session::RunRecord> runs =
            transformed(chosen, [](const session::RunRecord* run) { return *run; });
        m_store.fetch(runs, [this, runs](const HistoryStore::Texts& texts) {
            std::vector<DiffSide> sides;
            for (std::size_t i = 0; i < runs.size(); ++i) {
                if (!texts[i])
                    return m_studio.notices.showStatus(tr("The text of the %1 was not kept").arg(nameOf(runs[i])));
                sides.push_back(kept(runs[i], *texts[i]));
            }
            if (sides.size() == 1)
                sides.push_back(DiffSide::ofScript());
            m_studio.stages.compare(sides[0].name(), sides[1].name());
        });
    }

    void restore(const session::RunRecord& run) {
        const QString name = nameOf(run);
        withText(run.hash, run, name, [this, name](const std::string& text) { restore(name, text); });
    }

    void restore(const session::TextStep& step) {
        const QString name = StepSlider::nameOf(step);
        withText(step.hash, step.run, name, [this, name](const std::string& text) { restore(name, text); });
    }

    void showNow() {
        ++m_asked;
        m_studio.stages.compare(DiffSide::ofScript().name(), DiffSide::ofScript().name());
    }

    // Beside the script as it is, in the place of the step before.
    void show(const session::TextStep& step) {
        const QString name = StepSlider::nameOf(step);
        withText(step.hash, step.run, name, [this, name, figures = step.figures](const std::string& text) {
            PinnedText pinned = pinnedOf(tr("%1, %2").arg(m_studio.tabs.current()->title(), name), text, figures);
            if (m_stepText == 0)
                m_stepText = m_studio.stages.keep(std::move(pinned));
            else
                m_studio.stages.keepAs(m_stepText, std::move(pinned));
            m_studio.stages.compare(DiffSide::ofPinned(m_stepText, {}).name(), DiffSide::ofScript().name());
        });
    }

private:
    DiffSide kept(const session::RunRecord& run, const std::string& text) {
        return DiffSide::ofPinned(m_studio.stages.keep(pinnedOf(nameOf(run), text, session::figures_of(run))), {});
    }

    void restore(const QString& name, const std::string& text) {
        const Document& document = *m_studio.tabs.current();
        const QByteArray& now = document.text();
        session::FixView fix;
        fix.title = tr("Restore the text of the %1").arg(name).toStdString();
        fix.text = text;
        fix.place = {document.name().toStdString(), 1, 1, int(now.count('\n')) + 1,
                     int(now.size() - (now.lastIndexOf('\n') + 1)) + 1};
        m_studio.requests.applyFix({fix});
        m_studio.notices.showStatus(tr("The script is as it was in the %1; undo brings it back").arg(name));
    }

    // Of an edit or of a run. What was asked for before, or of a script that is not in front any more, is
    // dropped.
    void withText(const std::string& hash, const std::optional<session::RunRecord>& run, const QString& name,
                  std::function<void(const std::string&)> taker) {
        const int asked = ++m_asked;
        if (const auto text = m_studio.runs->trails().textOf(*m_studio.tabs.current(), hash))
            return taker(*text);
        if (!run)
            return;
        m_store.fetch({*run},
                      [this, asked, name, taker = std::move(taker),
                       document = QPointer<Document>(m_studio.tabs.current())](const HistoryStore::Texts& texts) {
                          if (asked != m_asked || !document || document != m_studio.tabs.current())
                              return;
                          if (!texts[0])
                              return m_studio.notices.showStatus(tr("The text of the %1 was not kept").arg(name));
                          taker(*texts[0]);
                      });
    }

    Studio& m_studio;
    HistoryStore& m_store;
    int m_asked = 0;    // for texts, by the newest request
    int m_stepText = 0; // the kept text of the step; 0: none was shown
};

class HistoryDock : public DockWidget {
public:
    explicit HistoryDock(Studio& studio) : m_studio(studio), m_store(studio.runs->history()) {
        makePanel(*this);
        setNames("history", m_table, "table", m_compared, "compared", m_pin, "pin", m_clear, "clear", m_name, "name",
                 m_changes, "changes", m_restore, "restore", m_slower, "slower", m_empty, "empty");
        m_compared->setAccessibleName(tr("Comparison of the selected runs"));
        m_name->setPlaceholderText(tr("Name of this run"));
        m_name->setAccessibleName(tr("Name of the selected run"));
        m_name->setMaximumWidth(180);
        m_pages->addWidget(m_empty);
        m_pages->addWidget(m_table);
        for (QToolButton* each : {m_restore, m_copy, m_clear}) {
            each->setToolButtonStyle(Qt::ToolButtonIconOnly);
            each->setToolTip(each->text());
        }
        newColumn(this, {newRow({8, 0, 8, 0}, 4,
                                {{m_compared, 1}, m_name, m_pin, m_changes, m_slower, m_restore, m_copy, m_clear}),
                         m_steps,
                         {m_pages, 1}});
        setFocusProxy(m_table);
        connect(m_pin, &QToolButton::clicked, this, [this] { pin(); });
        connect(m_copy, &QToolButton::clicked, m_table, &FigureTable::copy);
        connect(m_clear, &QToolButton::clicked, this, [this] { clear(); });
        connect(m_changes, &QToolButton::clicked, this, [this] { m_texts.showChanges(selected()); });
        connect(m_restore, &QToolButton::clicked, this, [this] { restore(); });
        connect(m_slower, &QToolButton::clicked, this, [this] { findSlowdown(); });
        connect(m_steps, &StepSlider::stepChosen, this, [this] { showStep(); });
        connect(m_steps, &StepSlider::restoreRequested, this, [this] { restoreStep(); });
        connect(m_name, &QLineEdit::editingFinished, this, [this] { rename(); });
        connect(m_table, &QTableWidget::cellActivated, this, [this] { m_texts.showChanges(selected()); });
        connect(m_table, &QTableWidget::itemSelectionChanged, this, &HistoryDock::compare);
        connect(&m_store, &HistoryStore::changed, this, &HistoryDock::refresh);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &HistoryDock::refresh);
        connect(&studio.themes, &ThemeSource::changed, this, &HistoryDock::refresh);
        studio.scripts.follow({&LiveScripts::liveUpdated}, this, &HistoryDock::refreshSteps);
        connect(&studio.runs->trails(), &EditTrails::changed, this, &HistoryDock::refreshSteps);
        auto hasScript = [this] { return m_studio.tabs.current() != nullptr; };
        studio.commands.bind(
            this, hasScript,
            {{Command::RunOlderText, [this] { step(-1); }}, {Command::RunNewerText, [this] { step(1); }}});
        refresh();
    }

private:
    void shown() override { refreshSteps(); }

    QToolButton* button(const QString& glyph, const QString& text) {
        return newGlyphButton(m_studio.themes, glyph, text, this);
    }

    std::vector<FigureCell> row(const session::RunRecord& run) const {
        const Theme& theme = m_studio.themes.theme();
        std::vector<FigureCell> out;
        const QDateTime when = QDateTime::fromString(QString::fromStdString(run.when), Qt::ISODate).toLocalTime();
        out.push_back({when.toString(when.date() == QDate::currentDate() ? "HH:mm:ss" : "yyyy-MM-dd HH:mm"),
                       run.is_baseline ? tr("The baseline") : QString()});
        out.push_back(QString::fromStdString(run.function));
        const bool good = run.verdict == session::VerdictKind::Correct;
        const bool unchecked = run.verdict == session::VerdictKind::Unchecked;
        const QColor color = good ? theme.ok : unchecked ? theme.muted : theme.error;
        out.push_back({unchecked ? tr("Not checked") : sentence(session::verdict_name(run.verdict)),
                       sentence(run.sentence), color,
                       icon(good        ? "ok"
                            : unchecked ? "info"
                                        : "error",
                            color)});
        const bool timed = run.times && run.times->count > 0;
        // Runs differ by orders of magnitude: each has the unit in which it is a number from 1 to 999.
        out.push_back(timed ? timeText(run.times->median) : QString());
        out.push_back(percent(timed ? std::optional(run.times->spread) : std::nullopt));
        out.push_back(delta(run));
        out.push_back(percent(run.roofline));
        const session::KernelRecord* kernel = run.kernels.empty() ? nullptr : &run.kernels.front();
        out.push_back(kernel ? QString::number(kernel->registers) : QString());
        out.push_back(percent(kernel ? kernel->occupancy : std::nullopt));
        out.push_back({numberText(run.max_absolute), {}, run.max_absolute ? QColor() : theme.muted});
        out.push_back(QString::fromStdString(run.where));
        out.push_back({QString::fromStdString(run.shapes), QString::fromStdString(run.shapes)});
        out.push_back(QString::fromStdString(run.name));
        return out;
    }

    FigureCell delta(const session::RunRecord& run) const {
        const Theme& theme = m_studio.themes.theme();
        if (run.is_baseline)
            return {tr("baseline"), {}, theme.accent, icon("pin", theme.accent)};
        const session::RunRecord* baseline = m_store.baseline(run.key());
        if (!baseline || !m_studio.runs->isRunOf(*baseline, *m_studio.tabs.current()))
            return {};
        const session::Delta delta = session::delta_of(run, *baseline);
        const QString hint = QString::fromStdString(delta.sentence);
        const QString percent = percentText(std::abs(1 - delta.ratio));
        switch (delta.change) {
        case session::Change::Faster: return {tr("%1 faster").arg(percent), hint, theme.ok, icon("down", theme.ok)};
        case session::Change::Slower:
            return {tr("%1 slower").arg(percent), hint, theme.warning, icon("up", theme.warning)};
        case session::Change::WithinSpread: return {tr("within spread"), hint, theme.muted, icon("same", theme.muted)};
        case session::Change::NotComparable:
            return {tr("not comparable"), hint, theme.muted, icon("info", theme.muted)};
        }
        return {};
    }

    void refresh() {
        m_runs.clear();
        m_found.clear();
        const Document* document = m_studio.tabs.current();
        const auto& all = m_store.runs();
        for (auto run = all.rbegin(); document && run != all.rend() && m_runs.size() < most_rows; ++run)
            if (m_studio.runs->isRunOf(*run, *document))
                m_runs.push_back(*run);
        m_table->show(transformed(m_runs, [&](const session::RunRecord& run) { return row(run); }));
        m_pages->setCurrentIndex(m_runs.empty() ? 0 : 1);
        offerRun(m_studio, *m_empty, tr("Every run of this script that can be compared will appear here"));
        setBadge(m_runs.empty() ? QString() : QString::number(m_runs.size()));
        m_copy->setEnabled(!m_runs.empty());
        m_slower->setEnabled(m_runs.size() > 1);
        m_clear->setEnabled(!m_runs.empty());
        m_clear->setText(tr("Clear"));
        compare();
        refreshSteps();
    }

    void refreshSteps() {
        if (isVisible())
            findSteps();
    }

    void findSteps() {
        const Document* document = m_studio.tabs.current();
        if (!document || !document->isScript())
            return m_steps->setSteps({});
        const std::vector<session::RunRecord> runs(m_runs.rbegin(), m_runs.rend());
        std::vector<session::EditState> edits = m_studio.runs->trails().states(*document);
        edits.push_back({after_all, hash_text(document->text().toStdString()), nullptr, {}});
        m_steps->setSteps(session::steps_of(runs, edits));
    }

    void step(int by) {
        findSteps();
        if (!m_steps->canStep(by))
            return m_studio.notices.showStatus(by < 0 ? tr("There is no text before")
                                                      : tr("This is the script as it is"));
        m_steps->step(by);
    }

    std::vector<const session::RunRecord*> selected() const {
        std::vector<const session::RunRecord*> out;
        for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
            if (index.row() < int(m_runs.size()))
                out.push_back(&m_runs[std::size_t(index.row())]);
        std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
            return std::pair(a->when, a->number) < std::pair(b->when, b->number);
        });
        return out;
    }

    void compare() {
        const auto two = selected();
        m_pin->setEnabled(two.size() == 1);
        m_pin->setText(two.size() == 1 && two[0]->is_baseline ? tr("No longer the baseline") : tr("Set as baseline"));
        m_changes->setEnabled(two.size() == 1 || two.size() == 2);
        m_changes->setToolTip(two.size() == 2 ? tr("What differs between the texts of the two runs")
                                              : tr("What has changed in the script since this run"));
        m_restore->setEnabled(two.size() == 1);
        m_name->setVisible(two.size() == 1);
        if (two.size() == 1)
            m_name->setText(QString::fromStdString(two[0]->name));
        if (two.size() != 2) {
            m_compared->setProperty("muted", true);
            m_compared->setText(m_runs.size() < 2   ? QString()
                                : m_found.isEmpty() ? tr("Select two runs to compare them")
                                                    : m_found);
        } else {
            m_compared->setProperty("muted", false);
            QStringList words{
                tr("The later run: %1").arg(QString::fromStdString(session::delta_of(*two[1], *two[0]).sentence))};
            if (!two[0]->kernels.empty() && !two[1]->kernels.empty() &&
                two[0]->kernels[0].registers != two[1]->kernels[0].registers)
                words << tr("registers %1 to %2").arg(two[0]->kernels[0].registers).arg(two[1]->kernels[0].registers);
            if (two[0]->hash == two[1]->hash)
                words << tr("same text");
            m_compared->setText(words.join("; "));
        }
        m_compared->setToolTip(m_compared->text());
    }

    void pin() {
        const auto one = selected();
        if (one.size() != 1)
            return;
        one[0]->is_baseline ? m_store.unpin(one[0]->key()) : m_store.pin(*one[0]);
    }

    void rename() {
        const auto one = selected();
        if (one.size() == 1 && one[0]->name != m_name->text().trimmed().toStdString())
            m_store.rename(*one[0], m_name->text().trimmed().toStdString());
    }

    void restore() {
        if (const auto one = selected(); one.size() == 1)
            m_texts.restore(*one[0]);
    }

    void showStep() {
        const session::TextStep* step = m_steps->chosen();
        if (step && m_studio.tabs.current())
            m_steps->isNow() ? m_texts.showNow() : m_texts.show(*step);
    }

    void restoreStep() {
        if (const session::TextStep* step = m_steps->chosen(); step && m_studio.tabs.current())
            m_texts.restore(*step);
    }

    // Of the selected run's arguments and device, or of the newest's.
    void findSlowdown() {
        const auto chosen = selected();
        const std::string key = chosen.size() == 1 ? chosen[0]->key() : m_runs.front().key();
        std::vector<session::RunRecord> runs(m_runs.rbegin(), m_runs.rend());
        const std::vector<session::Version> versions = session::versions_of(runs, key);
        const auto found = session::slowdown_of(versions);
        m_table->clearSelection();
        m_found = versions.size() < 2 ? tr("Only one text was run with these arguments, here")
                  : !found            ? tr("The newest text is not slower than one before it")
                                      : QString();
        if (!found)
            return compare();
        const session::RunRecord &before = versions[found->before].best, &after = versions[found->after].best;
        m_found = tr("It became slower from %1 to %2: %3")
                      .arg(nameOf(before), nameOf(after), QString::fromStdString(found->step.sentence));
        if (found->unknown > 0)
            m_found += tr("; %n text(s) between them could not be compared", nullptr, found->unknown);
        compare();
        m_texts.showChanges({&before, &after});
    }

    // Twice within some seconds, so that no dialog has to ask.
    void clear() {
        if (!m_sure.isActive()) {
            m_clear->setText(tr("Press again to forget %1 runs").arg(m_runs.size()));
            m_sure.start();
            return;
        }
        m_sure.stop();
        m_store.clear(m_studio.tabs.current()->name().toStdString());
    }

    Studio& m_studio;
    HistoryStore& m_store;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    FigureTable* m_table = new FigureTable(
        m_studio.themes, tr("Runs of this script"),
        {textColumn(tr("When")), textColumn(tr("Function")), textColumn(tr("Result")), tr("Time"), tr("Spread, %"),
         textColumn(tr("vs. baseline")), tr("% of roofline"), tr("Registers"), tr("Occupancy, %"), tr("Max error"),
         textColumn(tr("On")), textColumn(tr("Arguments")), textColumn(tr("Name"))},
        this);
    StepSlider* m_steps = new StepSlider(m_studio.themes, this);
    QLabel* m_compared = new QLabel(this);
    QLineEdit* m_name = new QLineEdit(this);
    QToolButton* m_pin = button("pin", tr("Set as baseline"));
    QToolButton* m_changes = button("diff", tr("Compare texts"));
    QToolButton* m_restore = button("history", tr("Restore text"));
    QToolButton* m_slower = button("search", tr("What made it slower"));
    QToolButton* m_copy = button("copy", tr("Copy as table"));
    QToolButton* m_clear = button("close", tr("Clear"));
    OneShot m_sure{sure_for_ms, [this] { m_clear->setText(tr("Clear")); }};
    std::vector<session::RunRecord> m_runs; // newest first, as the table has them
    QString m_found;                        // what made it slower, once that was asked
    KeptTexts m_texts{m_studio};
};

} // namespace

DockWidget* makeHistoryDock(Studio& studio) {
    return new HistoryDock(studio);
}

} // namespace hidet::ui
