// SPDX-License-Identifier: GPL-3.0-only
// A worker's threads write into a mailbox and post one event for all that has come since the GUI thread last looked: a script
// that prints without end costs one event at a time. A mailbox belongs to one job; the last words of an older one go nowhere.
#include "app/ui/workbench/job_runner.h"

#include <atomic>
#include <mutex>

#include "app/ui/core/figures.h"
#include "app/ui/core/placement.h"
#include "app/ui/core/remote_worker.h"
#include "app/ui/core/window_words.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// Whoever still holds it when the window is gone finds nobody to post to.
struct JobRunner::Mailbox {
    std::mutex mutex;
    JobRunner* owner = nullptr; // null: nobody listens any more
    std::string printed;
    std::optional<session::JobEvent> progress;
    bool posted = false;

    template <class Body>
    void post(Body body) { // with the mutex held
        if (owner)
            QMetaObject::invokeMethod(owner, std::move(body), Qt::QueuedConnection);
    }
};

// Rung from threads of services; once for all that has changed since the GUI thread last came by.
struct JobRunner::Bell {
    std::atomic<bool> rung = false;
};

QString RunningJob::words() const {
    QString out = doing;
    if (!out.isEmpty())
        out[0] = out[0].toUpper();
    out = JobRunner::tr("%1, %2 s").arg(out).arg(fixedText(double(since.elapsed()) / 1000, 1));
    if (secondsLeft && *secondsLeft >= 1 && !cancelling)
        out += JobRunner::tr(", about %1 s left").arg(qRound(*secondsLeft));
    return out;
}

JobRunner::JobRunner(Studio& studio, session::ServiceMaker make)
    : QObject(&studio), m_studio(studio), m_bell(std::make_shared<Bell>()),
      m_workers(make ? std::move(make) : session::worker_processes(), [this](session::WorkerPlace) { ring(); }) {
    const auto forget = [this](QObject* subject) {
        if (isRunning(*subject))
            cancel();
    };
    connect(&studio.tabs, &OpenTabs::documentClosing, this, forget);
    connect(&studio.tabs, &OpenTabs::modelClosing, this, forget);
    studio.settings.follow({Setting::Target, Setting::RemoteWorker}, this, [this] { followSettings(); });
    followSettings();
    bindCommands();
}

JobRunner::~JobRunner() {
    if (!m_mailbox)
        return;
    std::lock_guard lock(m_mailbox->mutex);
    m_mailbox->owner = nullptr;
}

void JobRunner::bindCommands() {
    Commands& commands = m_studio.commands;
    commands.bind(
        Command::RunCancel, this, [this] { cancel(); }, [this] { return m_running && !m_running->cancelling; });
    commands.bind(Command::RunRestartWorker, this, [this] { restartWorker(); });
}

void JobRunner::followSettings() {
    followRemoteWorker();
    if (!m_running)
        m_place = info(placementOf(m_studio.settings)).worker;
    emit workerChanged();
}

// The file may have changed since.
void JobRunner::followRemoteWorker() {
    const auto worker = remoteWorkerOf(m_studio.settings);
    m_workers.set_remote(worker ? worker.value().command : std::vector<std::string>());
}

// On whichever thread.
void JobRunner::ring() {
    if (m_bell->rung.exchange(true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this, bell = m_bell] {
            bell->rung = false;
            emit workerChanged();
            m_studio.commands.refresh();
        },
        Qt::QueuedConnection);
}

QString JobRunner::targetProblem() const {
    if (info(placementOf(m_studio.settings)).worker != session::WorkerPlace::Remote)
        return {};
    const auto worker = remoteWorkerOf(m_studio.settings);
    return worker ? QString() : QString::fromStdString(worker.error().message);
}

QString JobRunner::whyNotRunnable() const {
    if (!m_running)
        return {};
    if (m_running->cancelling)
        return tr("%1 is being stopped").arg(m_running->title);
    const QString key = m_studio.commands.action(Command::RunCancel)->shortcut().toString(QKeySequence::NativeText);
    return tr("%1 is being run; %2 stops it").arg(m_running->title, key.isEmpty() ? tr("Stop") : key);
}

void JobRunner::start(JobOrder order) {
    m_running.emplace();
    m_running->subject = order.subject;
    m_running->title = order.title;
    m_running->target = order.target;
    m_running->doing = tr("starting");
    m_running->since.start();
    m_patience.start();
    m_place = info(order.target).worker;
    if (m_place == session::WorkerPlace::Remote)
        followRemoteWorker();
    session::Job job = std::move(order.job);
    m_order = std::move(order);
    auto mailbox = m_mailbox = std::make_shared<Mailbox>();
    mailbox->owner = this;
    auto collect = [mailbox](const session::JobEvent& event) {
        std::lock_guard lock(mailbox->mutex);
        if (event.kind == session::JobEvent::Kind::Printed)
            mailbox->printed += event.text;
        else if (event.kind == session::JobEvent::Kind::Progress)
            mailbox->progress = event;
        if (!std::exchange(mailbox->posted, true))
            mailbox->post([owner = mailbox->owner, mailbox] {
                if (owner->m_mailbox == mailbox)
                    owner->take();
            });
    };
    auto done = [mailbox](session::Answer answer) {
        std::lock_guard lock(mailbox->mutex);
        mailbox->post([owner = mailbox->owner, mailbox, answer = std::move(answer)]() mutable {
            if (owner->m_mailbox == mailbox)
                owner->finish(std::move(answer));
        });
    };
    m_ticket = m_workers.at(m_place).submit(std::move(job), std::move(collect), std::move(done));
    emit changed();
    m_studio.commands.refresh();
}

void JobRunner::cancel() {
    if (!m_running || m_running->cancelling)
        return;
    m_running->cancelling = true;
    m_patience.stop();
    m_studio.notices.withdraw(endlessNotice);
    m_running->doing = tr("stopping");
    m_workers.at(m_place).cancel(m_ticket);
    emit changed();
    m_studio.commands.refresh();
}

void JobRunner::take() {
    std::string printed;
    std::optional<session::JobEvent> progress;
    {
        std::lock_guard lock(m_mailbox->mutex);
        printed.swap(m_mailbox->printed);
        progress.swap(m_mailbox->progress);
        m_mailbox->posted = false;
    }
    if (!m_running)
        return;
    if (!printed.empty() && m_running->subject && m_order.printed)
        m_order.printed(printed);
    if (!progress || m_running->cancelling)
        return;
    m_patience.start();
    m_studio.notices.withdraw(endlessNotice);
    m_running->doing = QString::fromStdString(progress->text);
    m_running->fraction = progress->fraction;
    m_running->secondsLeft = progress->seconds_left;
    emit changed();
}

void JobRunner::finish(session::Answer answer) {
    take();
    m_patience.stop();
    m_studio.notices.withdraw(endlessNotice);
    const RunningJob was = *std::exchange(m_running, std::nullopt);
    const auto ended = std::exchange(m_order, {}).ended;
    m_mailbox = nullptr;
    m_ticket = 0;
    if (was.subject && ended)
        ended(inWindowWords(std::move(answer)), double(was.since.elapsed()) / 1000);
    emit changed();
    m_studio.commands.refresh();
}

// Only a limit of steps ends a loop without an end, which takes much longer than a person needs to see it.
void JobRunner::doubt() {
    if (!qobject_cast<Document*>(m_running->subject))
        return; // what models do takes long
    QAction* stop = m_studio.commands.action(Command::RunCancel);
    m_studio.notices.notify({endlessNotice,
                             NoticeKind::Info,
                             tr("%1 has run for %2 s without getting any further. Does a loop of its kernel end?")
                                 .arg(m_running->title)
                                 .arg(m_running->since.elapsed() / 1000),
                             {{stop->text(), [stop] { stop->trigger(); }}},
                             {}});
}

session::ServiceState JobRunner::workerState() const {
    return m_workers.state(m_place);
}

void JobRunner::restartWorker() {
    m_workers.restart(m_place);
    m_studio.notices.showStatus(tr("The worker starts afresh with the next run"));
    emit workerChanged();
}

void JobRunner::doNext(const JobReport& report, const std::function<void(session::Placement target)>& again) {
    switch (report.next) {
    case NextStep::Nothing: return;
    case NextStep::ShowPlace: return m_studio.requests.show(report.place);
    case NextStep::RunOnEmulator: return again(session::Placement::Emulate);
    case NextStep::Restart: return restartWorker();
    case NextStep::Settings: return m_studio.requests.showPage("settings");
    }
}

} // namespace hidet::ui
