// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/runs/model_runs.h"

#include <mutex>

#include "app/ui/core/run_target.h"
#include "app/ui/graph/runs/model_verdict.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/run/verdict.h"
#include "app/ui/run/workers.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

constexpr qsizetype most_printed = 64 << 10; // characters that are kept

// Of one job. The service outlives us in a window that is closed: it asks here whether there is still somebody.
struct ModelRuns::Mailbox {
    std::mutex mutex;
    ModelRuns* owner = nullptr; // null: nobody listens any more
    std::string printed;
    std::optional<session::JobEvent> progress;
    bool posted = false;

    template <class Body>
    void post(Body body) { // with the mutex held
        if (owner)
            QMetaObject::invokeMethod(owner, std::move(body), Qt::QueuedConnection);
    }
};

QString ModelRunning::words() const {
    QString out = doing;
    if (!out.isEmpty())
        out[0] = out[0].toUpper();
    out = ModelRuns::tr("%1, %2 s").arg(out).arg(double(since.elapsed()) / 1000, 0, 'f', 1);
    if (secondsLeft && *secondsLeft >= 1 && !cancelling)
        out += ModelRuns::tr(", about %1 s left").arg(qRound(*secondsLeft));
    return out;
}

ModelRuns::ModelRuns(Studio& studio) : QObject(&studio), m_studio(studio) {
    studio.modelRuns = this;
    connect(&studio, &Studio::modelClosing, this, [this](LiveModel* model) {
        if (isRunning(*model))
            cancel();
        m_reports.remove(model);
        m_studio.withdraw(noticeOf(*model));
    });
    connect(&workers(), &Workers::changed, this, [this] { emit runningChanged(); });
    bindCommands();
}

ModelRuns::~ModelRuns() {
    if (!m_mailbox)
        return;
    std::lock_guard lock(m_mailbox->mutex);
    m_mailbox->owner = nullptr;
}

void ModelRuns::bindCommands() {
    Commands& commands = m_studio.commands;
    for (const auto& [command, job] : {std::pair(Command::RunRun, ModelJob::Bench),
                                       {Command::ModelCompile, ModelJob::Compile},
                                       {Command::ModelCompare, ModelJob::Compare}})
        commands.bind(
            command, this, [this, job = job] { start(job); },
            [this, action = commands.action(command)] {
                const QString reason = obstacle();
                Commands::explain(action, reason);
                return reason.isEmpty();
            });
    commands.bind(
        Command::RunEmulate, this, [this] { start(ModelJob::Bench, nameOf(session::Target::Emulate)); },
        [this] { return obstacle().isEmpty(); });
    commands.bind(
        Command::GraphFirstBad, this, [this] { showFirstBad(); },
        [this, action = commands.action(Command::GraphFirstBad)] {
            const LiveModel* model = m_studio.model();
            const auto comparison = model ? model->findings().comparison : nullptr;
            Commands::explain(action, !model        ? tr("no model is in front")
                                      : !comparison ? tr("the model has not been compared")
                                                    : tr("no operator is out of tolerance"));
            return comparison && firstBad(*comparison);
        });
    commands.bind(
        Command::RunCancel, this, [this] { cancel(); }, [this] { return m_running && !m_running->cancelling; });
    commands.bind(
        Command::RunRestartWorker, this, [this] { restartWorker(); }, [this] { return m_studio.model() != nullptr; });
}

void ModelRuns::showFirstBad() {
    LiveModel& model = *m_studio.model();
    const session::ModelNodeError* first = firstBad(*model.findings().comparison);
    if (!first || first->node_id == session::no_id)
        return;
    const GraphItem item = GraphItem::ofNode(first->node_id);
    model.setShown(-1); // what was run
    model.select(item, this);
    model.reveal(item);
}

Workers& ModelRuns::workers() const {
    return m_studio.runs->workers();
}

QString ModelRuns::obstacle() const {
    const LiveModel* model = m_studio.model();
    if (!model)
        return tr("no model is in front");
    if (model->isBroken())
        return tr("the model cannot be read");
    if (m_running)
        return tr("%1 is being run").arg(m_running->model ? m_running->model->title() : tr("a model"));
    if (!workers().occupant().isEmpty())
        return tr("%1 is being run").arg(workers().occupant());
    const Settings& settings = m_studio.settings;
    if (runTarget(settings.text(Setting::Target)).isRemote && settings.text(Setting::RemoteWorker).trimmed().isEmpty())
        return tr("no remote worker is set: give its command in the settings");
    return {};
}

session::Job ModelRuns::jobOf(const LiveModel& model, const ModelReport& report) const {
    session::ModelRunRequest request;
    static_cast<session::ModelRequest&>(request) = model.request();
    request.tools = nullptr; // of the worker
    request.kernel_seconds = m_studio.settings.number(Setting::KernelSeconds);
    if (report.target != m_studio.settings.text(Setting::Target))
        request.target = runTarget(report.target).target;
    session::Job job;
    job.title = model.title().toStdString();
    switch (report.job) {
    case ModelJob::Compile: job.request = static_cast<session::ModelRequest&>(request); break;
    case ModelJob::Bench: job.request = session::ModelBenchRequest{std::move(request)}; break;
    case ModelJob::Compare:
        request.compare = true;
        job.request = std::move(request);
        break;
    }
    return job;
}

void ModelRuns::start(ModelJob job, const QString& target) {
    if (const QString reason = obstacle(); !reason.isEmpty())
        return m_studio.say(tr("Not run: %1").arg(reason));
    LiveModel& model = *m_studio.model();
    m_studio.withdraw(noticeOf(model));
    m_next = {};
    m_next.job = job;
    m_next.revision = model.revision();
    m_next.target = target.isEmpty() ? m_studio.settings.text(Setting::Target) : target;
    m_next.where = runTarget(m_next.target).where;
    m_running.emplace();
    m_running->model = &model;
    m_running->job = job;
    m_running->target = m_next.target;
    m_running->doing = tr("starting");
    m_running->since.start();
    m_place = placeOf(m_next.target);
    auto mailbox = m_mailbox = std::make_shared<Mailbox>(); // an older job's last words go nowhere
    mailbox->owner = this;
    auto collect = [mailbox](const session::JobEvent& event) {
        std::lock_guard lock(mailbox->mutex);
        if (event.kind == session::JobEvent::Kind::Printed)
            mailbox->printed += event.text;
        else
            mailbox->progress = event;
        if (!std::exchange(mailbox->posted, true))
            mailbox->post([owner = mailbox->owner, mailbox] {
                if (owner->m_mailbox == mailbox)
                    owner->take();
            });
    };
    auto done = [mailbox](session::Answer answer) {
        std::lock_guard lock(mailbox->mutex);
        mailbox->post([owner = mailbox->owner, mailbox, answer = std::move(answer)] {
            if (owner->m_mailbox == mailbox)
                owner->finish(answer);
        });
    };
    workers().occupy(model.title());
    m_ticket = workers().service(m_place).submit(jobOf(model, m_next), std::move(collect), std::move(done));
    emit runningChanged();
    m_studio.commands.refresh();
}

void ModelRuns::cancel() {
    if (!m_running || m_running->cancelling)
        return;
    m_running->cancelling = true;
    m_running->doing = tr("stopping");
    workers().service(m_place).cancel(m_ticket);
    emit runningChanged();
    m_studio.commands.refresh();
}

void ModelRuns::take() {
    std::string printed;
    std::optional<session::JobEvent> progress;
    {
        std::lock_guard lock(m_mailbox->mutex);
        printed.swap(m_mailbox->printed);
        progress.swap(m_mailbox->progress);
        m_mailbox->posted = false;
    }
    m_next.printed = (m_next.printed + QString::fromStdString(printed)).right(most_printed);
    if (!m_running || !progress || m_running->cancelling)
        return;
    m_running->doing = QString::fromStdString(progress->text);
    m_running->fraction = progress->fraction;
    m_running->secondsLeft = progress->seconds_left;
    emit runningChanged();
}

void ModelRuns::finish(const session::Answer& answer) {
    take();
    const QPointer<LiveModel> model = m_running->model;
    ModelReport report = std::move(m_next);
    report.seconds = double(m_running->since.elapsed()) / 1000;
    m_running.reset();
    m_ticket = 0;
    workers().leave();
    conclude(report, answer);
    if (model && m_studio.models().contains(model.data()))
        tell(*model, report);
    emit runningChanged();
    m_studio.commands.refresh();
}

// What was measured of an older revision is shown too, and is stale at once.
void ModelRuns::tell(LiveModel& model, const ModelReport& report) {
    m_reports[&model] = report;
    if (report.isGood() && report.bench)
        model.setBench(report.bench, report.revision);
    if (report.isGood() && report.comparison)
        model.setComparison(report.comparison, report.revision);
    if (report.end == RunEnd::Cancelled)
        m_studio.say(tr("Stopped %1 of %2 after %3").arg(doingOf(report.job), model.title(), timeText(report.seconds)));
    else if (!report.isGood())
        complain(model, report);
    else if (report.compiled)
        m_studio.say(tr("Compiled %1 in %2: %3 programs")
                         .arg(model.title(), timeText(report.seconds))
                         .arg(report.compiled->facts.programs));
    emit reportChanged(&model);
}

QString ModelRuns::noticeOf(const LiveModel& model) {
    return "model-run:" + model.path();
}

void ModelRuns::complain(LiveModel& model, const ModelReport& report) {
    Notice notice;
    notice.id = noticeOf(model);
    notice.kind = NoticeKind::Error;
    notice.sentence = report.advice.isEmpty() ? tr("%1: %2").arg(model.title(), report.trouble)
                                              : tr("%1: %2. %3").arg(model.title(), report.trouble, report.advice);
    const auto again = [this, report, of = QPointer<LiveModel>(&model)](const QString& target) {
        if (!of)
            return;
        m_studio.setCurrent(*of);
        start(report.job, target);
    };
    notice.offers << Offer{tr("Run again"), [again, report] { again(report.target); }};
    if (report.next != NextStep::Nothing) {
        const QString words = report.next == NextStep::ShowPlace       ? tr("Show it")
                              : report.next == NextStep::RunOnEmulator ? tr("Run on the emulator")
                              : report.next == NextStep::Restart       ? tr("Restart the worker")
                                                                       : tr("Settings");
        if (report.next == NextStep::RunOnEmulator)
            notice.offers << Offer{words, [again] { again(nameOf(session::Target::Emulate)); }};
        else
            notice.offers << Offer{words, [this, report] { doNext(report); }};
    }
    m_studio.notify(notice);
}

const ModelReport* ModelRuns::report(const LiveModel& model) const {
    const auto found = m_reports.constFind(&model);
    return found == m_reports.constEnd() ? nullptr : &*found;
}

void ModelRuns::restartWorker() {
    workers().restart(m_running ? m_place : placeOf(m_studio.settings.text(Setting::Target)));
}

void ModelRuns::doNext(const ModelReport& report) {
    switch (report.next) {
    case NextStep::Nothing: return;
    case NextStep::ShowPlace: return m_studio.show(report.place);
    case NextStep::RunOnEmulator: return start(report.job, nameOf(session::Target::Emulate));
    case NextStep::Restart: return restartWorker();
    case NextStep::Settings: return m_studio.showPage("settings");
    }
}

} // namespace hidet::ui
