// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/tune/tuning_page.h"

#include <algorithm>

#include <QHeaderView>

#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/code/code_target.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/widgets/elided_combo.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

using session::CandidateRow;
using session::CandidateState;

constexpr int schedule_width = 240;
constexpr std::size_t most_rows = 300; // the others are refused ones

enum Column { Schedule, Predicted, Measured, Spread, Note };

} // namespace

TuningPage::TuningPage(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_operators(new ElidedCombo(this)), m_level(new QComboBox(this)),
      m_summary(new ElidedLabel(this)), m_work(new WorkLine(studio.themes, this)),
      m_note(new PaneNotice(studio.themes, this)), m_stack(new QStackedWidget(this)), m_empty(new EmptyState(this)),
      m_split(new QSplitter(this)), m_rows(new FigureTable(studio.themes, tr("Schedules of the operator"),
                                                           {{tr("Schedule"), true},
                                                            {tr("Predicted"), false},
                                                            {tr("Measured"), false},
                                                            {tr("Spread"), false},
                                                            {tr("Note"), true}},
                                                           this)),
      m_plot(new PlotView(studio.themes, this)) {
    build();
    bindCommands();
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &TuningPage::follow);
    connect(studio.jobs, &JobRunner::changed, this, &TuningPage::showNote);
    connect(studio.modelRuns, &ModelRuns::reportChanged, this, [this](LiveModel* model) {
        const ModelReport* report = m_studio.modelRuns->report(*model);
        if (!report || report->job != ModelJob::Tune || !report->tuned)
            return;
        ModelTuning::of(*model).take(report->tuned, report->revision);
        if (model == m_model && report->isGood())
            tellFastest();
    });
    connect(&studio.themes, &ThemeSource::changed, this, &TuningPage::refresh);
    follow();
}

void TuningPage::build() {
    named(m_operators, "tuning.operators", tr("Operator"));
    m_operators->setToolTip(tr("Operators that have several schedules"));
    m_operators->setProperty("flat", true);
    m_operators->setMinimumContentsLength(16);
    m_operators->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    named(m_level, "tuning.level", tr("How many schedules are looked at"));
    m_level->setProperty("flat", true);
    m_level->addItem(tr("Few schedules"));
    m_level->addItem(tr("Many schedules"));
    m_level->setItemData(0, tr("At most 8 schedules of an operator are measured"), Qt::ToolTipRole);
    m_level->setItemData(1, tr("At most 200 schedules of an operator are measured"), Qt::ToolTipRole);
    m_summary->setObjectName("tuning.summary");
    m_summary->setProperty("muted", true);
    m_summary->setFont(m_studio.themes.smallFont());
    m_note->setObjectName("tuning.note");
    m_empty->setObjectName("tuning.empty");
    m_rows->setObjectName("tuning.rows");
    m_rows->setSelectionMode(QAbstractItemView::SingleSelection);
    m_rows->horizontalHeader()->setSectionResizeMode(Schedule, QHeaderView::Interactive);
    m_rows->setColumnWidth(Schedule, schedule_width);
    m_rows->setTextElideMode(Qt::ElideMiddle); // schedules differ at their ends
    m_plot->setObjectName("tuning.plot");
    for (const Command command :
         {Command::TuneChoose, Command::TuneCode, Command::TuneAutomatic, Command::TemplateShow})
        m_rows->addAction(m_studio.commands.action(command));
    QHBoxLayout* bar = newRow({8, 2, 8, 2}, 4, {m_operators, m_level, {m_summary, 1}});
    for (const Command command :
         {Command::TuneChoose, Command::TuneCode, Command::TuneOperator, Command::TuneModel, Command::RunCancel}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(m_studio.commands.action(command));
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        bar->addWidget(button);
    }
    m_split->addWidget(m_rows);
    m_split->addWidget(m_plot);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 1);
    m_split->setSizes({600, 500});
    m_split->setChildrenCollapsible(false);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_split);
    newColumn(this, {bar, m_work, m_note, {m_stack, 1}});
    setFocusProxy(m_rows);
    connect(m_operators, &QComboBox::activated, this, [this](int row) {
        if (!m_model)
            return;
        const GraphItem item = GraphItem::ofNode(m_operators->itemData(row).toUInt());
        m_model->graphs().setShown(-1);
        m_model->selection().goTo(item, this);
        refresh();
    });
    connect(m_level, &QComboBox::currentIndexChanged, this, [this](int row) {
        if (m_model)
            ModelTuning::of(*m_model).setLevel(row + 1);
    });
    connect(m_rows, &QTableWidget::currentCellChanged, this, [this] {
        if (m_filling)
            return;
        showPlot();
        m_studio.commands.refresh();
    });
    connect(m_rows, &QTableWidget::cellActivated, this, [this] { showCode(); });
    connect(m_plot, &PlotView::chosen, this, [this](int series, int point) {
        if (const auto row = m_drawn.rowOf({series, point}))
            m_rows->setCurrentCell(int(*row), Schedule);
    });
    connect(m_plot, &PlotView::activated, this, [this](int series, int point) {
        if (const auto row = m_drawn.rowOf({series, point})) {
            m_rows->setCurrentCell(int(*row), Schedule);
            showCode();
        }
    });
}

void TuningPage::bindCommands() {
    const auto canRun = [this](Command command, bool needsOperator) {
        QString reason = m_studio.modelRuns->whyNotRunnable();
        if (reason.isEmpty() && needsOperator && !shownOperator())
            reason = tr("no operator with several schedules is selected");
        Commands::explain(m_studio.commands.action(command), reason);
        return reason.isEmpty();
    };
    const auto canChoose = [this] {
        const CandidateRow* row = currentRow();
        return row && !(row->is_used && m_table.is_chosen) &&
               (row->state == CandidateState::Measured || row->state == CandidateState::Open);
    };
    const auto hasCode = [this] { return currentRow() && currentRow()->state != CandidateState::Refused; };
    const auto isChosen = [this] { return shownOperator() && m_table.is_chosen; };
    const auto forget = [this] { ModelTuning::of(*m_model).choose(*shownOperator(), {}); };
    const auto hasFaster = [this] {
        const auto result = m_model ? ModelTuning::of(*m_model).result() : nullptr;
        return result &&
               session::with_fastest(m_model->setup().choices().toStdString(), result->operators).operators > 0;
    };
    m_studio.commands.bind(
        this,
        {{Command::TuneOperator, [this] { tune(false); }, [canRun] { return canRun(Command::TuneOperator, true); }},
         {Command::TuneModel, [this] { tune(true); }, [canRun] { return canRun(Command::TuneModel, false); }},
         {Command::TuneChoose, [this] { choose(); }, canChoose},
         {Command::TuneCode, [this] { showCode(); }, hasCode},
         {Command::TuneAutomatic, forget, isChosen},
         {Command::TuneFastest, [this] { chooseFastest(); }, hasFaster}});
}

void TuningPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_model)
        ModelTuning::of(*m_model).setWanted(this, true);
    refresh();
}

void TuningPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (m_model)
        ModelTuning::of(*m_model).setWanted(this, false);
}

void TuningPage::follow() {
    LiveModel* model = m_studio.tabs.model();
    if (model == m_model)
        return refresh();
    ModelTuning::leave(m_model, this);
    m_model = model;
    if (m_model) {
        ModelTuning& tuning = ModelTuning::of(*m_model);
        connect(&m_model->selection(), &GraphSelection::selectionChanged, this, &TuningPage::refresh);
        connect(&m_model->setup(), &ModelSetup::choicesChanged, this, &TuningPage::refresh);
        connect(m_model, &LiveModel::stateChanged, this, &TuningPage::refresh);
        connect(&tuning, &ModelTuning::changed, this, &TuningPage::refresh);
        connect(&tuning, &ModelTuning::failed, this,
                [this](const QString& sentence) { m_studio.notices.showStatus(sentence); });
        const QSignalBlocker quiet(m_level);
        m_level->setCurrentIndex(tuning.level() - 1);
        tuning.setWanted(this, isVisible());
    }
    refresh();
}

// --- what is shown ---

quint32 TuningPage::selectedNode() const {
    if (!m_model || !m_model->graphs().snapshot() || !m_model->graphs().snapshot()->code)
        return session::no_id;
    const GraphItem& item = m_model->selection().selected();
    if (item.kind == GraphItem::Kind::Group && m_model->graphs().shown()) {
        for (const quint32 node : nodesOf(*m_model->graphs().shown(), m_model->display().grouping(), item.group))
            if (ModelTuning::of(*m_model).operatorOf(node))
                return node;
        return session::no_id;
    }
    return targetOf(*m_model, *m_model->graphs().snapshot()->code).node;
}

const session::TunedOperator* TuningPage::shownOperator() const {
    const quint32 node = selectedNode();
    return node == session::no_id ? nullptr : ModelTuning::of(*m_model).operatorOf(node);
}

void TuningPage::refresh() {
    if (!isVisible())
        return;
    const ModelTuning* tuning = m_model ? &ModelTuning::of(*m_model) : nullptr;
    m_work->setWorking(tuning && tuning->isBusy());
    showOperators();
    const session::TunedOperator* op = shownOperator();
    if (op && !op->candidates.empty()) {
        m_stack->setCurrentWidget(m_split);
        showTable();
    } else {
        m_table = {};
        m_shownOf.clear();
        explainMissing();
    }
    showNote();
    m_studio.commands.refresh();
}

void TuningPage::showOperators() {
    const auto result = m_model ? ModelTuning::of(*m_model).result() : nullptr;
    const session::TunedOperator* shown = shownOperator();
    const QSignalBlocker quiet(m_operators);
    m_operators->clear();
    int current = -1;
    if (result)
        for (const session::TunedOperator& op : result->operators) {
            if (op.candidates.empty() || op.anchors.empty()) // of a function of a script, which the graph does not have
                continue;
            if (shown && shown->signature == op.signature)
                current = m_operators->count();
            const QString name = text(op.name);
            m_operators->addItem(op.uses > 1 ? tr("%1 x %2").arg(op.uses).arg(name) : name, op.anchors.front());
        }
    m_operators->setCurrentIndex(current);
    m_operators->setEnabled(m_operators->count() > 0);
}

void TuningPage::showTable() {
    const session::TunedOperator& op = *shownOperator();
    const std::string before = m_shownOf == op.signature ? current() : std::string();
    m_table = ModelTuning::of(*m_model).tableOf(op);
    m_shownOf = op.signature;
    const Theme& theme = m_studio.themes.theme();
    FigureRows cells;
    for (const CandidateRow& row : m_table.rows) {
        if (cells.size() == most_rows)
            break;
        const bool isOut = row.state == CandidateState::Refused || row.state == CandidateState::Discarded;
        QStringList notes;
        if (row.is_used)
            notes << (m_table.is_chosen ? tr("chosen") : tr("used"));
        if (row.is_automatic && m_table.is_chosen)
            notes << tr("automatic");
        if (row.is_fastest)
            notes << tr("fastest");
        if (!row.note.empty())
            notes << text(row.note);
        const QColor color = isOut ? theme.muted : QColor();
        const QString note = capitalized(notes.join(", "));
        FigureCell schedule{text(row.schedule), text(row.schedule), color, {}};
        schedule.icon = row.is_used ? icon("ok", theme.accent) : QIcon();
        FigureCell predicted{row.predicted ? '~' + timeText(*row.predicted) : QString(), {}, color, {}, true};
        cells.push_back(
            {schedule,
             predicted,
             {row.seconds ? timeText(*row.seconds) : QString(), {}, color, {}},
             {row.seconds ? QChar(0x00b1) + percentText(row.spread / 2) : QString(), {}, color, {}},
             {note, note, row.state == CandidateState::Discarded && row.seconds ? theme.error : color, {}}});
    }
    m_filling = true;
    m_rows->show(cells);
    m_filling = false;
    QStringList summary{m_table.rows.size() == 1 ? tr("1 schedule")
                                                 : tr("%1 schedules").arg(m_table.rows.size() - m_table.refused)};
    if (m_table.measured > 0)
        summary << tr("%1 measured").arg(m_table.measured);
    if (m_table.discarded > 0)
        summary << tr("%1 wrong or failed").arg(m_table.discarded);
    if (m_table.refused > 0)
        summary << tr("%1 refused").arg(m_table.refused);
    m_summary->setText(summary.join(", "));
    if (!before.empty())
        setCurrent(before);
    else if (m_table.used)
        setCurrent(m_table.rows[*m_table.used].schedule);
    showPlot();
}

void TuningPage::showPlot() {
    const int row = m_rows->currentRow();
    const bool isOne = row >= 0 && std::size_t(row) < m_table.rows.size();
    m_drawn = candidatePlot(m_table, isOne ? std::optional(std::size_t(row)) : std::nullopt);
    m_plot->show(m_drawn.data);
}

// What is missing for measured times, or what is being done about it.
void TuningPage::showNote() {
    if (!isVisible())
        return;
    m_note->setAction({}, {});
    if (m_model && m_studio.jobs->isRunning(*m_model)) {
        m_note->show(PaneNotice::Kind::Hint, m_studio.jobs->running()->words());
        return;
    }
    const auto result = m_model ? ModelTuning::of(*m_model).result() : nullptr;
    const bool isTable = m_stack->currentWidget() == m_split;
    if (!isTable || !result || m_table.measured > 0)
        return m_note->show(PaneNotice::Kind::Hint, {});
    if (result->can_measure) {
        m_note->show(PaneNotice::Kind::Hint, tr("Nothing is measured yet: these are predictions"));
        m_note->setAction(tr("Tune operator"), [this] { tune(false); });
        return;
    }
    m_note->show(PaneNotice::Kind::Hint,
                 tr("Nothing is measured: that takes a GPU, here or at a remote worker. These are predictions"));
    m_note->setAction(tr("Settings"), [this] { m_studio.requests.showPage("settings"); });
}

void TuningPage::showEmpty(const QString& said) {
    m_stack->setCurrentWidget(m_empty);
    m_summary->setText({});
    m_empty->setAction({}, {});
    m_empty->say(tr("The schedules that an operator may have"), said);
}

void TuningPage::explainMissing() {
    if (!m_model) {
        showEmpty(tr("Appear here when a model is open"));
        return m_empty->setAction(tr("Open a model"),
                                  [this] { m_studio.commands.action(Command::FileOpen)->trigger(); });
    }
    const ModelTuning& tuning = ModelTuning::of(*m_model);
    if (m_model->graphs().isBroken())
        return showEmpty(tr("This model cannot be read"));
    if (!tuning.result() || tuning.isBusy())
        return showEmpty(tr("They are being looked up"));
    for (const session::DiagnosticView& each : tuning.result()->diagnostics)
        if (each.severity == Severity::Error)
            return showEmpty(sentence(each.message));
    const auto& assumed =
        m_model->graphs().snapshot() ? m_model->graphs().snapshot()->totals.assumed : std::vector<std::string>();
    if (!assumed.empty()) {
        showEmpty(tr("Templates need all extents; unspecified: '%1'").arg(text(assumed.front())));
        return m_empty->setAction(tr("Set"), [this] { m_studio.commands.find("dock.model_run")->trigger(); });
    }
    if (tuning.result()->operators.empty())
        return showEmpty(tuning.result()->where.empty()
                             ? tr("On a CPU kernels have one schedule: choose a GPU or the emulator as the target")
                             : tr("No template is for an operator of this model"));
    showEmpty(m_model->selection().selected() ? tr("This operator has one schedule: no template is for it")
                                              : tr("Select an operator in the graph, or in the list above"));
}

// --- what is done ---

std::string TuningPage::current() const {
    const CandidateRow* row = currentRow();
    return row ? row->schedule : std::string();
}

const CandidateRow* TuningPage::currentRow() const {
    const int row = m_rows->currentRow();
    return row >= 0 && std::size_t(row) < m_table.rows.size() ? &m_table.rows[std::size_t(row)] : nullptr;
}

void TuningPage::setCurrent(const std::string& schedule) {
    const auto found = std::ranges::find(m_table.rows, schedule, &CandidateRow::schedule);
    const auto row = int(found - m_table.rows.begin());
    if (row < m_rows->rowCount())
        m_rows->setCurrentCell(row, Schedule);
}

void TuningPage::choose() {
    const session::TunedOperator* op = shownOperator();
    const std::string schedule = current();
    if (!op || schedule.empty())
        return;
    m_studio.notices.showStatus(tr("Chose %1").arg(text(schedule)));
    ModelTuning::of(*m_model).choose(*op, schedule);
}

void TuningPage::showCode() {
    const session::TunedOperator* op = shownOperator();
    const CandidateRow* row = currentRow();
    if (!op || !row || row->state == CandidateState::Refused)
        return;
    ModelTuning::of(*m_model).showCode(*op, row->schedule);
}

void TuningPage::chooseFastest() {
    ModelTuning::of(*m_model).chooseFastest();
    m_studio.notices.withdraw("tuned");
    m_studio.notices.showStatus(tr("Chose the fastest schedules"));
}

void TuningPage::tune(bool all) {
    TuneOrder order;
    ModelTuning& tuning = ModelTuning::of(*m_model);
    order.level = tuning.level();
    order.records = tuning.records();
    if (const session::TunedOperator* op = shownOperator(); op && !all)
        order.operators = {op->keys.front()};
    m_studio.modelRuns->tune(std::move(order));
}

// What was measured is no choice yet.
void TuningPage::tellFastest() {
    const auto result = ModelTuning::of(*m_model).result();
    if (!result)
        return;
    const session::FastestChoices fastest =
        session::with_fastest(m_model->setup().choices().toStdString(), result->operators);
    if (fastest.operators == 0)
        return;
    Notice notice;
    notice.id = "tuned";
    notice.sentence = fastest.operators == 1 ? tr("1 operator has a faster schedule")
                                             : tr("%1 operators have a faster schedule").arg(fastest.operators);
    if (fastest.now < fastest.before)
        notice.sentence += tr(": together %1 instead of %2").arg(timeText(fastest.now), timeText(fastest.before));
    notice.offers = {{tr("Choose them"), [this, model = m_model] {
                          if (model && model == m_model)
                              chooseFastest();
                      }}};
    m_studio.notices.notify(notice);
}

} // namespace hidet::ui
