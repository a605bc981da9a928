// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/runs/model_runs.h"

#include <QDateTime>

#include "app/session/model/tune/candidates.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/paths.h"
#include "app/ui/core/placement.h"
#include "app/ui/graph/runs/model_verdict.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

ModelRuns::ModelRuns(Studio& studio) : QObject(&studio), m_studio(studio), m_history(stateFolder() + "/models.jsonl") {
    studio.modelRuns = this;
    connect(&m_history, &ModelHistoryStore::failed, &studio,
            [&studio](const QString& why) { studio.notices.showStatus(why); });
    connect(&studio.tabs, &OpenTabs::modelClosing, this, [this](LiveModel* model) {
        m_reports.remove(model);
        m_studio.notices.withdraw(noticeOf(*model));
    });
    bindCommands();
}

void ModelRuns::bindCommands() {
    Commands& commands = m_studio.commands;
    for (const auto& [command, job] : {std::pair(Command::RunRun, ModelJob::Bench),
                                       {Command::ModelCompile, ModelJob::Compile},
                                       {Command::ModelCompare, ModelJob::Compare}})
        commands.bind(
            command, this, [this, job = job] { start(job); },
            [this, action = commands.action(command)] {
                const QString reason = whyNotRunnable();
                Commands::explain(action, reason);
                return reason.isEmpty();
            });
    commands.bind(
        Command::RunEmulate, this, [this] { start(ModelJob::Bench, session::Placement::Emulate); },
        [this] { return whyNotRunnable().isEmpty(); });
    commands.bind(
        Command::GraphFirstBad, this, [this] { showFirstBad(); },
        [this, action = commands.action(Command::GraphFirstBad)] {
            const LiveModel* model = m_studio.tabs.model();
            const auto comparison = model ? model->results().findings().comparison : nullptr;
            Commands::explain(action, !model        ? tr("no model is in front")
                                      : !comparison ? tr("the model has not been compared")
                                                    : tr("no operator is out of tolerance"));
            return comparison && firstBad(*comparison);
        });
}

void ModelRuns::showFirstBad() {
    LiveModel& model = *m_studio.tabs.model();
    const session::ModelNodeError* first = firstBad(*model.results().findings().comparison);
    if (!first || first->node_id == session::no_id)
        return;
    model.graphs().setShown(-1); // what was run
    model.selection().goTo(GraphItem::ofNode(first->node_id), this);
}

QString ModelRuns::whyNotRunnable() const {
    const LiveModel* model = m_studio.tabs.model();
    if (!model)
        return tr("no model is in front");
    if (model->graphs().isBroken())
        return tr("the model cannot be read");
    const QString busy = m_studio.jobs->whyNotRunnable();
    return busy.isEmpty() ? m_studio.jobs->targetProblem() : busy;
}

session::Job ModelRuns::jobOf(const LiveModel& model, const ModelReport& report) const {
    session::ModelRunRequest request;
    static_cast<session::ModelRequest&>(request) = model.request();
    request.tools = nullptr; // of the worker
    for (auto each = model.setup().inputs().begin(); each != model.setup().inputs().end(); ++each)
        request.inputs.emplace_back(each.key().toStdString(), each.value().toStdString());
    request.kernel_seconds = m_studio.settings.number(Setting::KernelSeconds);
    request.target = info(report.target).target;
    session::Job job;
    job.title = model.title().toStdString();
    switch (report.job) {
    case ModelJob::Compile: job.request = static_cast<session::ModelRequest&>(request); break;
    case ModelJob::Bench: job.request = session::ModelBenchRequest{std::move(request)}; break;
    case ModelJob::Compare:
        request.compare = true;
        request.results = report.tensors != nullptr;
        if (report.tensors)
            request.output = report.tensors->path().toStdString();
        job.request = std::move(request);
        break;
    case ModelJob::Tune:
        // The search leaves operators alone that somebody chose for.
        request.choices_text = session::without_schedules(request.choices_text);
        request.tuned = report.tuning.operators;
        request.space = report.tuning.level;
        request.records = report.tuning.records;
        job.request = session::ModelTuneRequest{std::move(request)};
        break;
    }
    return job;
}

void ModelRuns::start(ModelJob job, std::optional<session::Placement> target) {
    start(tr("Not run: %1"), job, {}, target);
}

void ModelRuns::tune(TuneOrder order, std::optional<session::Placement> target) {
    start(tr("Not tuned: %1"), ModelJob::Tune, std::move(order), target);
}

void ModelRuns::start(const QString& refusal, ModelJob job, TuneOrder tuning,
                      std::optional<session::Placement> target) {
    if (const QString reason = whyNotRunnable(); !reason.isEmpty())
        return m_studio.notices.showStatus(refusal.arg(reason));
    ModelReport report;
    report.job = job;
    report.tuning = std::move(tuning);
    report.target = target.value_or(placementOf(m_studio.settings));
    start(*m_studio.tabs.model(), std::move(report));
}

// With another target, or the same once more.
void ModelRuns::again(const ModelReport& report, session::Placement target) {
    report.job == ModelJob::Tune ? tune(report.tuning, target) : start(report.job, target);
}

void ModelRuns::start(LiveModel& model, ModelReport report) {
    m_studio.notices.withdraw(noticeOf(model));
    report.revision = model.setup().revision();
    report.where = info(report.target).where;
    if (auto folder = std::make_shared<QTemporaryDir>(); report.job == ModelJob::Compare && folder->isValid())
        report.tensors = std::move(folder);
    JobOrder order;
    order.subject = &model;
    order.title = model.title();
    order.target = report.target;
    order.job = jobOf(model, report);
    order.ended = [this, &model, report](const session::Answer& answer, double seconds) {
        if (m_studio.tabs.models().contains(&model))
            conclude(model, report, answer, seconds);
    };
    m_studio.jobs->start(std::move(order));
}

void ModelRuns::conclude(LiveModel& model, ModelReport report, const session::Answer& answer, double seconds) {
    report.seconds += seconds;
    ui::conclude(report, answer);
    if (!goesOn(model, report))
        tell(model, report);
}

// A schedule that takes its process down costs one process: the records know what was being measured, and the next process
// goes on after it.
bool ModelRuns::goesOn(LiveModel& model, const ModelReport& report) {
    constexpr int most_attempts = 50;
    const bool isLost = report.end == RunEnd::Lost || (report.tuned && report.tuned->is_lost);
    if (report.job != ModelJob::Tune || !isLost || report.attempts >= most_attempts)
        return false;
    m_studio.jobs->restartWorker();
    ModelReport next;
    next.job = report.job;
    next.tuning = report.tuning;
    next.target = report.target;
    next.seconds = report.seconds;
    next.attempts = report.attempts + 1;
    start(model, std::move(next));
    return true;
}

// What was measured of an older revision is shown too, and is stale at once.
void ModelRuns::tell(LiveModel& model, const ModelReport& report) {
    m_reports[&model] = report;
    if (report.isGood() && report.bench) {
        model.results().setBench(report.bench, report.revision);
        keep(model, report);
    }
    if (report.isGood() && report.comparison) {
        m_tensors[&model] = report.tensors;
        model.results().setComparison(report.comparison, report.revision);
    }
    if (report.end == RunEnd::Cancelled)
        m_studio.notices.showStatus(
            tr("Stopped %1 of %2 after %3").arg(doingOf(report.job), model.title(), timeText(report.seconds)));
    else if (!report.isGood())
        showError(model, report);
    else if (report.compiled)
        m_studio.notices.showStatus(tr("Compiled %1 in %2: %3 programs")
                                        .arg(model.title(), timeText(report.seconds))
                                        .arg(report.compiled->facts.programs));
    else if (report.tuned)
        m_studio.notices.showStatus(tr("Tuned %1 in %2: %3 schedules measured")
                                        .arg(model.title(), timeText(report.seconds))
                                        .arg(report.tuned->measured));
    emit reportChanged(&model);
}

// For later sessions. What was measured of a text that is not there any more has no graph to be kept with.
void ModelRuns::keep(const LiveModel& model, const ModelReport& report) {
    if (report.revision != model.setup().revision() || model.kept() || !model.graphs().snapshot() ||
        model.graphs().snapshot()->graphs.empty())
        return;
    const std::string now = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    session::ModelRecord record = session::record_of(model.request(), *report.bench, now);
    record.choices = model.graphs().snapshot()->choices;
    m_history.append(std::move(record), model.graphs().snapshot()->graphs.front());
}

void ModelRuns::compareWithKept(LiveModel& model, const session::ModelRecord& run) {
    m_history.fetchGraph(run, [this, of = QPointer<LiveModel>(&model), run](const QString& path) {
        if (path.isEmpty())
            return m_studio.notices.showStatus(tr("The graph of this run was not kept"));
        if (of)
            emit comparisonRequested(of, run, path);
    });
}

QString ModelRuns::noticeOf(const LiveModel& model) {
    return "model-run:" + model.path();
}

void ModelRuns::showError(LiveModel& model, const ModelReport& report) {
    Notice notice;
    notice.id = noticeOf(model);
    notice.kind = NoticeKind::Error;
    notice.sentence = report.advice.isEmpty() ? tr("%1: %2").arg(model.title(), report.trouble)
                                              : tr("%1: %2. %3").arg(model.title(), report.trouble, report.advice);
    const auto again = [this, report, of = QPointer<LiveModel>(&model)](session::Placement target) {
        if (!of)
            return;
        m_studio.tabs.setCurrent(*of);
        this->again(report, target);
    };
    notice.offers << Offer{tr("Run again"), [again, report] { again(report.target); }};
    if (report.next != NextStep::Nothing) {
        const QString words = report.next == NextStep::ShowPlace       ? tr("Show it")
                              : report.next == NextStep::RunOnEmulator ? tr("Run on the emulator")
                              : report.next == NextStep::Restart       ? tr("Restart the worker")
                                                                       : tr("Settings");
        notice.offers << (report.next == NextStep::RunOnEmulator
                              ? Offer{words, [again] { again(session::Placement::Emulate); }}
                              : Offer{words, [this, report] { doNext(report); }});
    }
    m_studio.notices.notify(notice);
}

const ModelReport* ModelRuns::report(const LiveModel& model) const {
    const auto found = m_reports.constFind(&model);
    return found == m_reports.constEnd() ? nullptr : &*found;
}

void ModelRuns::doNext(const ModelReport& report) {
    m_studio.jobs->doNext(report, [this, report](session::Placement target) { again(report, target); });
}

} // namespace hidet::ui
