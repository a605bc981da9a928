// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_controller.h"

#include <QDateTime>
#include <QTimeZone>

#include "app/ui/core/paths.h"
#include "app/ui/core/run_target.h"

namespace hidet::ui {

namespace {

constexpr qsizetype most_output = 2 << 20; // bytes; what came first goes first

session::Source sourceOf(const Document& document) {
    return {document.name().toStdString(), document.text().toStdString(), document.folder().toStdString(),
            document.name().endsWith(".ir")};
}

QString now() {
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
}

bool isError(const session::DiagnosticView& diagnostic) {
    return diagnostic.severity == Severity::Error;
}

} // namespace

// What printed and what is being done, gathered until the GUI thread comes by: a script that prints without end costs
// one event at a time.
struct RunController::Mailbox {
    std::mutex mutex;
    session::Ticket ticket = 0;
    std::string printed;
    std::optional<session::JobEvent> progress;
    bool posted = false;
};

RunController::RunController(Studio& studio, ServiceMaker services)
    : QObject(&studio), m_studio(studio), m_plans(stateFolder() + "/run_plans.json"),
      m_history(stateFolder() + "/history.jsonl"), m_mailbox(std::make_shared<Mailbox>()),
      m_workers(std::make_unique<Workers>(studio, std::move(services))) {
    studio.runs = this;
    connect(m_workers.get(), &Workers::changed, this, [this] {
        emit workerChanged();
        m_studio.commands.refresh();
    });
    setSignatureSource(
        [](const session::Source& source, const std::vector<std::string>& calls, const std::atomic<bool>* cancelled) {
            return session::signatures(source, calls, cancelled);
        });
    connect(&m_plans, &PlanStore::changed, this, [this](const Document* document) {
        if (document == m_studio.current()) {
            askForSignatures();
            emit planChanged();
            m_studio.commands.refresh();
        }
    });
    connect(&m_history, &HistoryStore::complained, &studio,
            [&studio = studio](const QString& sentence) { studio.complain(sentence); });
    connect(&studio, &Studio::currentChanged, this, [this] {
        m_signatures->forget();
        askForSignatures();
        emit signaturesChanged();
        emit planChanged();
    });
    connect(&studio, &Studio::documentAdded, this, [this](Document* document) {
        if (document->path().isEmpty())
            m_since[document] = now();
        connect(document, &Document::textChanged, this, [this, document] {
            if (m_reports.contains(document))
                emit reportChanged(document);
        });
    });
    connect(&studio, &Studio::documentClosing, this, [this](Document* document) {
        if (m_running && m_running->document == document)
            cancel();
        m_plans.forget(*document);
        m_reports.remove(document);
        m_outputs.remove(document);
        m_since.remove(document);
    });
    connect(&studio, &Studio::liveUpdated, this, &RunController::textChanged);
    connect(&studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::Target || setting == Setting::RemoteWorker) {
            if (!m_running)
                m_place = placeOf(target());
            emit planChanged();
            emit workerChanged();
            if (m_studio.current())
                emit reportChanged(m_studio.current());
        }
    });
    m_place = placeOf(target());
    bindCommands();
}

RunController::~RunController() {
    m_workers = nullptr;
}

void RunController::bindCommands() {
    Commands& commands = m_studio.commands;
    for (const auto& [command, where] :
         {std::pair(Command::RunRun, QString()), {Command::RunEmulate, nameOf(session::Target::Emulate)}})
        commands.bind(
            command, this, [this, where = where] { run(where); },
            [this, action = commands.action(command)] {
                if (m_studio.model())
                    return false; // it has its own reason
                const QString reason = obstacle();
                Commands::explain(action, reason);
                return reason.isEmpty();
            });
    commands.bind(
        Command::RunCancel, this, [this] { cancel(); }, [this] { return m_running && !m_running->cancelling; });
    commands.bind(Command::RunRestartWorker, this, [this] { restartWorker(); });
    commands.bind(
        Command::RunReset, this,
        [this] {
            RunPlan plain;
            Document& document = *m_studio.current();
            plain.module = m_plans.plan(document).module;
            plain.function = m_plans.plan(document).function;
            m_plans.change(document, plain, {}, tr("reset to the script"));
        },
        [this] { return m_studio.current() && !m_plans.plan(*m_studio.current()).isDefault(); });
    commands.bind(
        Command::RunPinBaseline, this,
        [this] {
            const RunReport* shown = report(*m_studio.current());
            if (const auto& runs = m_history.runs(); !runs.empty())
                for (auto run = runs.rbegin(); run != runs.rend(); ++run)
                    if (run->when == shown->record->when)
                        return m_history.pin(*run);
        },
        [this] {
            const RunReport* shown = m_studio.current() ? report(*m_studio.current()) : nullptr;
            return shown && shown->record;
        });
}

void RunController::setSignatureSource(SignatureLoader::Source source) {
    m_signatures = new SignatureLoader(std::move(source), this);
    connect(m_signatures, &SignatureLoader::answered, this, [this] {
        emit signaturesChanged();
        emit planChanged();
        m_studio.commands.refresh();
    });
}

// ---- what can be run -----------------------------------------------------------------------------------------------

QString RunController::target() const {
    return m_studio.settings.text(Setting::Target);
}

void RunController::textChanged() {
    // Only of what the live view has evaluated, so that typing is not slowed down.
    const LivePipeline* live = m_studio.live();
    if (live && live->latest() && live->latest()->complete && !live->latest()->has_errors)
        askForSignatures();
    m_studio.commands.refresh();
}

void RunController::askForSignatures() {
    Document* document = m_studio.current();
    m_asked = document;
    if (!document)
        return m_signatures->cancel();
    const RunPlan& plan = m_plans.plan(*document);
    std::vector<std::string> calls;
    QString typed = plan.calls;
    // A name in braces takes the first value of the sweep, or the dimension's.
    QString ignored;
    if (const auto values = parseSweep(plan.sweepValues, ignored); values && !values->empty())
        typed.replace("{" + plan.sweepName + "}", QString::number(values->front()));
    for (auto it = plan.dimensions.begin(); it != plan.dimensions.end(); ++it)
        typed.replace("{" + it.key() + "}", it.value());
    for (const QString& call : typed.split(';', Qt::SkipEmptyParts))
        if (!call.contains('{'))
            calls.push_back(call.trimmed().toStdString());
    if (calls.empty())
        for (const QString& call : m_studio.liveOf(*document)->calls())
            calls.push_back(call.toStdString());
    m_signatures->ask(sourceOf(*document), std::move(calls));
}

const session::FunctionSignature* RunController::function() const {
    const session::SignatureResult* known = signatures();
    if (!known || !m_studio.current())
        return nullptr;
    return functionOf(const_cast<PlanStore&>(m_plans).plan(*m_studio.current()), *known);
}

PlanProblems RunController::problems() const {
    Document* document = m_studio.current();
    if (!document)
        return {};
    const RunPlan& plan = const_cast<PlanStore&>(m_plans).plan(*document);
    PlanProblems out = check(plan, function(), document->folder());
    if (signatures() && !plan.function.isEmpty() && !function() && !signatures()->modules.empty())
        out << PlanProblem{"function", tr("the script has no function '%1' any more").arg(plan.function)};
    if (runTarget(target()).isRemote && m_studio.settings.text(Setting::RemoteWorker).trimmed().isEmpty())
        out << PlanProblem{"target", tr("no remote worker is set: give its command in the settings")};
    return out;
}

QString RunController::obstacle() const {
    if (!m_studio.current())
        return tr("no script is open");
    if (m_running)
        return tr("a script is running");
    if (!m_workers->occupant().isEmpty())
        return tr("%1 is being run").arg(m_workers->occupant());
    const PlanProblems wrong = problems();
    if (wrong.isEmpty())
        return {};
    const QString field = wrong.first().field.section('.', 0, 0);
    return field.isEmpty() ? wrong.first().reason : tr("%1: %2").arg(field, wrong.first().reason);
}

// ---- running -------------------------------------------------------------------------------------------------------

QString RunController::refusal(RunReport& report) const {
    const LivePipeline* live = m_studio.live();
    if (!live || !live->latest() || live->evaluatedText() != report.text)
        return {}; // not evaluated yet: the worker will say
    for (const session::DiagnosticView& diagnostic : live->latest()->diagnostics)
        if (isError(diagnostic)) {
            report.place = diagnostic.place;
            return diagnostic.place.known()
                       ? tr("Line %1: %2").arg(diagnostic.place.line).arg(QString::fromStdString(diagnostic.message))
                       : QString::fromStdString(diagnostic.message);
        }
    return {};
}

session::Job RunController::jobOf(const RunReport& report) const {
    Document& document = *m_studio.current();
    const session::FunctionSignature* chosen = function();
    session::TrialRequest request = requestOf(report.plan, chosen);
    // The emulator is no check of itself.
    if (report.plan.reference.kind == ReferencePlan::Automatic &&
        session::info(runTarget(report.target).target).emulates &&
        request.reference.kind == session::ReferenceKind::Emulator)
        request.reference.kind = session::ReferenceKind::None;
    if (request.calls.empty() && !(chosen && chosen->called))
        for (const QString& call : m_studio.live()->calls())
            request.calls.push_back(call.toStdString());
    int module = 0;
    if (chosen && report.plan.module == 0 && functionOf(report.plan, *signatures(), &module))
        request.module = module;
    request.run.source = sourceOf(document);
    request.run.target = runTarget(report.target).target;
    request.run.kernel_seconds = m_studio.settings.number(Setting::KernelSeconds);
    request.run.all_checks = session::info(request.run.target).emulates;
    request.arch = m_studio.settings.text(Setting::Arch).toStdString();
    const session::SignatureResult* known = signatures();
    const auto live = m_studio.live()->latest();
    const bool hasKernel = known ? !known->modules.empty() : !live || !live->evaluated || !live->modules.empty();
    session::Job job;
    if (hasKernel)
        job.request = std::move(request);
    else
        job.request = std::move(request.run);
    job.title = document.title().toStdString();
    return job;
}

void RunController::run(const QString& target) {
    Document* document = m_studio.current();
    if (!obstacle().isEmpty())
        return m_studio.say(tr("Not run: %1").arg(obstacle()));
    RunReport report;
    report.text = document->text();
    report.plan = m_plans.plan(*document);
    report.target = target.isEmpty() ? this->target() : target;
    report.where = runTarget(report.target).where;
    m_studio.setFindings(*document, {});
    m_outputs.remove(document);
    if (const QString reason = refusal(report); !reason.isEmpty()) {
        report.trouble = tr("Not run, the script has a mistake. %1").arg(reason);
        report.next = NextStep::ShowPlace;
        return refuse(std::move(report));
    }
    const RunPlace place = placeOf(report.target);
    session::Job job = jobOf(report);
    m_next = std::move(report);
    m_running.emplace();
    m_running->document = document;
    m_running->target = m_next.target;
    m_running->doing = tr("starting");
    m_running->since.start();
    m_place = place;
    auto mailbox = m_mailbox = std::make_shared<Mailbox>(); // an older job's last words go nowhere
    auto collect = [this, mailbox](const session::JobEvent& event) {
        std::lock_guard lock(mailbox->mutex);
        if (event.kind == session::JobEvent::Kind::Printed)
            mailbox->printed += event.text;
        else
            mailbox->progress = event;
        if (std::exchange(mailbox->posted, true))
            return;
        QMetaObject::invokeMethod(
            this,
            [this, mailbox] {
                if (mailbox == m_mailbox)
                    take();
            },
            Qt::QueuedConnection);
    };
    auto done = [this, mailbox](session::Answer answer) {
        QMetaObject::invokeMethod(
            this,
            [this, mailbox, answer = std::move(answer)] {
                if (mailbox == m_mailbox)
                    finish(answer);
            },
            Qt::QueuedConnection);
    };
    m_workers->occupy(tr("a script"));
    m_ticket = m_workers->service(place).submit(std::move(job), std::move(collect), std::move(done));
    emit runningChanged();
    emit reportChanged(document);
    m_studio.commands.refresh();
}

void RunController::refuse(RunReport report) {
    report.end = RunEnd::Refused;
    m_studio.say(report.trouble);
    keep(m_studio.current(), std::move(report));
}

void RunController::cancel() {
    if (!m_running || m_running->cancelling)
        return;
    m_running->cancelling = true;
    m_running->doing = tr("stopping");
    m_workers->service(m_place).cancel(m_ticket);
    emit runningChanged();
    m_studio.commands.refresh();
}

void RunController::take() {
    std::string printed;
    std::optional<session::JobEvent> progress;
    {
        std::lock_guard lock(m_mailbox->mutex);
        printed.swap(m_mailbox->printed);
        progress.swap(m_mailbox->progress);
        m_mailbox->posted = false;
    }
    if (!m_running || !m_running->document)
        return;
    Document* document = m_running->document;
    if (!printed.empty()) {
        QByteArray& kept = m_outputs[document];
        kept += QByteArray::fromStdString(printed);
        if (kept.size() > most_output)
            kept.remove(0, kept.size() - most_output);
        emit this->printed(document, QByteArray::fromStdString(printed));
    }
    if (progress && !m_running->cancelling) {
        m_running->doing = QString::fromStdString(progress->text);
        m_running->fraction = progress->fraction.value_or(0);
        emit runningChanged();
    }
}

void RunController::finish(const session::Answer& answer) {
    take();
    QPointer<Document> document = m_running->document;
    const qint64 ms = m_running->since.elapsed();
    m_running.reset();
    m_workers->leave();
    m_ticket = 0;
    RunReport report = std::move(m_next);
    m_next = {};
    report.seconds = double(ms) / 1000;
    conclude(report, answer);
    if (document && m_studio.documents().contains(document)) {
        if (report.result && report.text == document->text())
            m_studio.setFindings(*document, report.result->diagnostics);
        keep(document, std::move(report));
    }
    emit runningChanged();
    m_studio.commands.refresh();
}

void RunController::keep(Document* document, RunReport report) {
    if (report.end == RunEnd::Answered && report.result && !report.result->function.empty()) {
        session::TrialRequest request;
        request.run.source = {document->name().toStdString(), report.text.toStdString(), {}, false};
        request.run.target = runTarget(report.target).target;
        report.record = session::record_of(request, *report.result, now().toStdString());
        m_history.append(*report.record);
    }
    m_reports[document] = std::move(report);
    emit reportChanged(document);
}

// ---- what is known of it -------------------------------------------------------------------------------------------

const RunReport* RunController::report(const Document& document) const {
    const auto found = m_reports.constFind(&document);
    return found == m_reports.constEnd() ? nullptr : &*found;
}

bool RunController::isStale(const Document& document) const {
    const RunReport* shown = report(document);
    if (!shown)
        return false;
    return shown->text != document.text() || shown->plan != const_cast<PlanStore&>(m_plans).plan(document);
}

const session::RunRecord* RunController::baselineOf(const RunReport& report) const {
    const session::RunRecord* found = report.record ? m_history.baseline(report.record->key()) : nullptr;
    const Document* document = m_studio.current();
    return found && document && isRunOf(*found, *document) ? found : nullptr;
}

bool RunController::isRunOf(const session::RunRecord& run, const Document& document) const {
    if (run.script != document.name().toStdString())
        return false;
    return !document.path().isEmpty() || run.when >= m_since.value(&document).toStdString();
}

QByteArray RunController::output(const Document& document) const {
    return m_outputs.value(&document);
}

session::ServiceState RunController::workerState() const {
    return m_workers->state(m_place);
}

void RunController::restartWorker() {
    m_workers->restart(m_place);
}

void RunController::doNext(const RunReport& report) {
    switch (report.next) {
    case NextStep::Nothing: return;
    case NextStep::ShowPlace: return m_studio.show(report.place);
    case NextStep::RunOnEmulator: return run(nameOf(session::Target::Emulate));
    case NextStep::Restart: return restartWorker();
    case NextStep::Settings: return m_studio.showPage("settings");
    }
}

} // namespace hidet::ui
