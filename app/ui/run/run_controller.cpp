// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_controller.h"

#include "app/session/kernel_bench/signatures.h"
#include "app/ui/core/paths.h"
#include "app/ui/core/placement.h"
#include "app/ui/core/words.h"
#include "app/ui/run/while_editing.h"
#include "app/ui/workbench/by_hand.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

namespace {

constexpr qsizetype most_output = 2 << 20; // bytes; what came first goes first

QString now() {
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
}

bool isError(const session::DiagnosticView& diagnostic) {
    return diagnostic.severity == Severity::Error;
}

} // namespace

RunController::RunController(Studio& studio)
    : QObject(&studio), m_studio(studio), m_plans(stateFolder() + "/run_plans.json"),
      m_history(stateFolder() + "/history.jsonl"), m_trails(studio, stateFolder() + "/history.jsonl", this) {
    studio.runs = this;
    connect(this, &RunController::reportChanged, this, [this](const Document* document) {
        if (document == m_studio.tabs.current())
            emit currentReportChanged();
    });
    connect(&m_plans, &PlanStore::changed, this, [this](const Document* document) {
        if (document == m_studio.tabs.current()) {
            askForSignatures();
            emit planChanged();
            m_studio.commands.refresh();
        }
    });
    connect(&m_history, &HistoryStore::failed, &studio,
            [&studio = studio](const QString& sentence) { studio.notices.showError(sentence); });
    connect(&studio.tabs, &OpenTabs::currentChanged, this, [this] {
        m_signatures = nullptr;
        askForSignatures();
        emit signaturesChanged();
        emit planChanged();
    });
    connect(&studio.tabs, &OpenTabs::documentAdded, this, [this](Document* document) {
        if (document->path().isEmpty())
            m_since[document] = now();
        connect(document, &Document::textChanged, this, [this, document] {
            if (m_reports.contains(document))
                emit reportChanged(document);
        });
    });
    connect(&studio.tabs, &OpenTabs::documentClosing, this, [this](Document* document) {
        if (m_studio.jobs->isRunning(*document))
            m_isByItself = false; // nobody hears how it ends
        m_plans.forget(*document);
        m_reports.remove(document);
        m_outputs.remove(document);
        m_since.remove(document);
    });
    connect(&studio.scripts, &LiveScripts::liveUpdated, this, &RunController::textChanged);
    connect(&studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::Target || setting == Setting::RemoteWorker) {
            emit planChanged();
            if (m_studio.tabs.current())
                emit reportChanged(m_studio.tabs.current());
        }
    });
    bindCommands();
    new WhileEditing(studio, *this);
}

void RunController::bindCommands() {
    Commands& commands = m_studio.commands;
    const std::pair<Command, std::optional<session::Placement>> runs[] = {
        {Command::RunRun, {}}, {Command::RunEmulate, session::Placement::Emulate}};
    for (const auto& [command, where] : runs)
        commands.bind(
            command, this, [this, where = where] { run(where); },
            [this, action = commands.action(command)] {
                if (m_studio.tabs.model())
                    return false; // it has its own reason
                const QString reason = whyNotRunnable();
                Commands::explain(action, reason);
                return reason.isEmpty();
            });
    QAction* marks = commands.action(Command::RunMarkers);
    marks->setCheckable(true);
    const auto showMarks = [this, marks] { marks->setChecked(m_studio.settings.flag(Setting::Markers)); };
    showMarks();
    connect(&m_studio.settings, &Settings::changed, this, showMarks);
    commands.bind(Command::RunMarkers, this, [this] {
        const bool isOn = !m_studio.settings.flag(Setting::Markers);
        m_studio.settings.set(Setting::Markers, isOn);
        m_studio.notices.showStatus(isOn ? tr("Kernels on a GPU have marks, for the picture of a pipeline")
                                         : tr("Kernels on a GPU have no marks"));
    });
    commands.bind(Command::RunForgetEdits, this, [this] {
        m_trails.forget();
        m_studio.notices.showStatus(tr("The texts of edits are forgotten"));
    });
    commands.bind(
        Command::RunReset, this,
        [this] {
            RunPlan plain;
            Document& document = *m_studio.tabs.current();
            plain.module = m_plans.plan(document).module;
            plain.function = m_plans.plan(document).function;
            m_plans.change(document, plain, {}, tr("reset to the script"));
        },
        [this] { return m_studio.tabs.current() && !m_plans.plan(*m_studio.tabs.current()).isDefault(); });
    commands.bind(
        Command::RunPinBaseline, this,
        [this] {
            const RunReport* shown = report(*m_studio.tabs.current());
            if (const auto& runs = m_history.runs(); !runs.empty())
                for (auto run = runs.rbegin(); run != runs.rend(); ++run)
                    if (run->when == shown->record->when)
                        return m_history.pin(*run);
        },
        [this] {
            const RunReport* shown = currentReport();
            return shown && shown->record;
        });
}

// ---- what can be run -----------------------------------------------------------------------------------------------

session::Placement RunController::target() const {
    return placementOf(m_studio.settings);
}

void RunController::textChanged() {
    // Once for each text that was evaluated, as a run may come before the live view is done; of a script with mistakes only
    // where nothing is known.
    const LivePipeline* live = m_studio.scripts.live();
    const auto latest = live ? live->latest() : nullptr;
    if (latest && latest->evaluated && latest->revision != m_asked && (!latest->broken || !m_signatures))
        askForSignatures();
    m_studio.commands.refresh();
}

void RunController::askForSignatures() {
    Document* document = m_studio.tabs.current();
    if (!document)
        return m_asking.cancel();
    const RunPlan& plan = m_plans.plan(*document);
    QString typed = plan.calls;
    // A name in braces takes the first value of the sweep, or the dimension's.
    QString ignored;
    if (const auto values = parseSweep(plan.sweepValues, ignored); values && !values->empty())
        typed.replace("{" + plan.sweepName + "}", QString::number(values->front()));
    for (auto it = plan.dimensions.begin(); it != plan.dimensions.end(); ++it)
        typed.replace("{" + it.key() + "}", it.value());
    const LivePipeline& live = *m_studio.scripts.liveOf(*document);
    QStringList own;
    for (const QString& call : typed.split(';', Qt::SkipEmptyParts))
        if (!call.contains('{'))
            own << call.trimmed();
    // What is evaluated for the live view serves here too; only calls of the run's own make it another script.
    std::vector<std::string> calls;
    if (own != live.calls())
        calls = utf8Of(own);
    const auto latest = live.latest() && live.latest()->evaluated ? live.latest() : nullptr;
    m_asked = latest ? latest->revision : 0;
    if (calls.empty() && !latest)
        return m_asking.cancel(); // it comes with an update
    std::shared_ptr<const session::PreviewedScript> preview = calls.empty() ? latest->preview : nullptr;
    m_asking.run(
        [source = sourceOf(*document), calls = std::move(calls),
         preview = std::move(preview)](const std::atomic<bool>& stopped) {
            if (!calls.empty())
                return session::signatures(source, calls, &stopped);
            return preview ? session::signatures(*preview, &stopped) : session::SignatureResult(); // IR
        },
        [this](session::SignatureResult&& known) {
            m_signatures = std::make_shared<const session::SignatureResult>(std::move(known));
            emit signaturesChanged();
            emit planChanged();
            m_studio.commands.refresh();
        });
}

const session::FunctionSignature* RunController::function() const {
    const session::SignatureResult* known = signatures();
    if (!known || !m_studio.tabs.current())
        return nullptr;
    return functionOf(const_cast<PlanStore&>(m_plans).plan(*m_studio.tabs.current()), *known);
}

PlanProblems RunController::problems() const {
    Document* document = m_studio.tabs.current();
    if (!document)
        return {};
    const RunPlan& plan = const_cast<PlanStore&>(m_plans).plan(*document);
    PlanProblems out = check(plan, function(), document->folder());
    if (signatures() && !plan.function.isEmpty() && !function() && !signatures()->modules.empty())
        out << PlanProblem{"function", tr("the script has no function '%1' any more").arg(plan.function)};
    if (const QString problem = m_studio.jobs->targetProblem(); !problem.isEmpty())
        out << PlanProblem{"target", problem};
    return out;
}

QString RunController::whyNotRunnable() const {
    if (!m_studio.tabs.current())
        return tr("no script is open");
    if (const QString busy = m_studio.jobs->whyNotRunnable(); !busy.isEmpty() && !m_isByItself)
        return busy;
    if (const QString why = whyNotRunByHand(); !why.isEmpty())
        return why;
    const PlanProblems wrong = problems();
    if (wrong.isEmpty())
        return {};
    const QString field = wrong.first().field.section('.', 0, 0);
    return field.isEmpty() ? wrong.first().reason : tr("%1: %2").arg(field, wrong.first().reason);
}

// ---- running -------------------------------------------------------------------------------------------------------

QString RunController::refusal(RunReport& report) const {
    const LivePipeline* live = m_studio.scripts.live();
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

// A text that was changed by hand runs in its script, on a GPU alone where it is no IR.
QString RunController::whyNotRunByHand() const {
    const auto byHand = byHandOf(m_studio, *m_studio.tabs.current());
    if (!byHand)
        return {};
    if (!byHand->head.is_of_script())
        return tr("the first comment of this text does not say which script it is of");
    if (!byHand->script)
        return tr("%1 is not open").arg(byHand->scriptTitle());
    const session::Target where = info(target()).target;
    if (byHand->form == session::Form::Ir)
        return where == session::Target::Cpu ? tr("edited IR runs on a GPU or on the emulator") : QString();
    if (session::info(where).gpu == session::GpuUse::None)
        return tr("changed code runs on a GPU alone, as the emulator and the CPU run IR");
    return {};
}

// The script, with its own arguments and checks, and this text in the place of its kernels.
session::Job RunController::jobByHand(const RunReport& report) const {
    const Document& document = *m_studio.tabs.current();
    const ByHand byHand = *byHandOf(m_studio, document);
    session::KernelBenchRequest request = requestOf(const_cast<PlanStore&>(m_plans).plan(*byHand.script), nullptr);
    request.run.source = sourceOf(*byHand.script);
    request.run.target = info(report.target).target;
    request.run.kernel_seconds = m_studio.settings.number(Setting::KernelSeconds);
    request.run.contracts = byHand.head.contracts;
    request.run.all_checks = request.run.counts = session::info(request.run.target).emulates;
    for (const std::string& kernel : byHand.head.kernels)
        request.run.replacements.push_back({kernel, sourceOf(document)});
    request.against = session::generated_baseline;
    for (const QString& call : m_studio.scripts.liveOf(*byHand.script)->calls())
        request.calls.push_back(call.toStdString());
    session::Job job;
    job.request = std::move(request);
    job.title = document.title().toStdString();
    return job;
}

session::Job RunController::jobOf(const RunReport& report) const {
    Document& document = *m_studio.tabs.current();
    if (document.byHand())
        return jobByHand(report);
    const session::FunctionSignature* chosen = function();
    session::KernelBenchRequest request = requestOf(report.plan, chosen);
    const session::Target target = info(report.target).target;
    const bool emulates = info(target).emulates;
    if (request.calls.empty() && !(chosen && chosen->called))
        request.calls = utf8Of(m_studio.scripts.live()->calls());
    int module = 0;
    if (chosen && report.plan.module == 0 && functionOf(report.plan, *signatures(), &module))
        request.module = module;
    request.run.source = sourceOf(document);
    request.run.target = target;
    request.run.kernel_seconds = m_studio.settings.number(Setting::KernelSeconds);
    request.run.all_checks = emulates;
    request.run.counts = emulates;
    const bool isMarked = !emulates && target != session::Target::Cpu && m_studio.settings.flag(Setting::Markers);
    request.run.times = emulates || isMarked;
    request.run.marks = isMarked;
    request.run.timed_block = {std::max(0, m_studio.settings.number(Setting::TimedBlock)), -1, -1};
    request.run.timed_launch = std::max(1, m_studio.settings.number(Setting::TimedLaunch));
    request.run.copy_steps = std::uint64_t(std::max(1, m_studio.settings.number(Setting::CopySteps)));
    if (report.tensors) {
        request.save = report.tensors->path().toStdString();
        request.run.tiles_of = tileChoiceOf(report.plan);
    }
    request.arch = m_studio.settings.text(Setting::Arch).toStdString();
    const session::SignatureResult* known = signatures();
    const auto live = m_studio.scripts.live()->latest();
    const bool hasKernel = known ? !known->modules.empty() : !live || !live->evaluated || !live->modules.empty();
    session::Job job;
    if (hasKernel)
        job.request = std::move(request);
    else
        job.request = std::move(request.run);
    job.title = document.title().toStdString();
    return job;
}

void RunController::run(std::optional<session::Placement> target) {
    Document* document = m_studio.tabs.current();
    if (!whyNotRunnable().isEmpty())
        return m_studio.notices.showStatus(tr("Not run: %1").arg(whyNotRunnable()));
    if (m_isByItself) {
        m_next = target;
        return m_studio.jobs->cancel();
    }
    RunReport report = newReport(*document, target.value_or(this->target()));
    m_studio.scripts.setFindings(*document, {});
    m_outputs.remove(document);
    if (const QString reason = refusal(report); !reason.isEmpty()) {
        report.trouble = tr("Not run, the script has a mistake. %1").arg(reason);
        report.next = NextStep::ShowPlace;
        return refuse(std::move(report));
    }
    start(*document, std::move(report), false);
}

bool RunController::signaturesAreCurrent() const {
    const LivePipeline* live = m_studio.scripts.live();
    return m_signatures && !m_asking.busy() && live && live->isEvaluated() && m_asked == live->latest()->revision;
}

void RunController::runByItself() {
    Document& document = *m_studio.tabs.current();
    m_outputs.remove(&document);
    start(document, newReport(document, target()), true);
}

RunReport RunController::newReport(const Document& document, session::Placement target) {
    RunReport out;
    out.text = document.text();
    out.plan = m_plans.plan(document);
    out.target = target;
    out.where = info(target).where;
    return out;
}

void RunController::start(Document& started, RunReport report, bool isByItself) {
    Document* document = &started;
    m_isByItself = isByItself;
    m_trails.endBurst(started);
    if (auto folder = std::make_shared<QTemporaryDir>(); folder->isValid())
        report.tensors = std::move(folder);
    JobOrder order;
    order.subject = document;
    order.title = tr("a script");
    order.target = report.target;
    order.job = jobOf(report);
    order.printed = [this, document](const std::string& text) { took(document, text); };
    order.ended = [this, document, report = std::move(report)](const session::Answer& answer, double seconds) {
        RunReport ended = report;
        ended.seconds = seconds;
        finish(document, std::move(ended), answer, std::exchange(m_isByItself, false));
    };
    m_studio.jobs->start(std::move(order));
    emit reportChanged(document);
}

void RunController::refuse(RunReport report) {
    report.end = RunEnd::Refused;
    m_studio.notices.showStatus(report.trouble);
    keep(m_studio.tabs.current(), std::move(report));
}

void RunController::took(Document* document, const std::string& printed) {
    if (!m_studio.tabs.documents().contains(document))
        return;
    QByteArray& kept = m_outputs[document];
    kept += QByteArray::fromStdString(printed);
    if (kept.size() > most_output)
        kept.remove(0, kept.size() - most_output);
    emit this->printed(document, QByteArray::fromStdString(printed));
}

void RunController::finish(Document* document, RunReport report, const session::Answer& answer, bool isByItself) {
    if (!m_studio.tabs.documents().contains(document))
        return;
    conclude(report, answer);
    if (const auto next = std::exchange(m_next, std::nullopt); next && document == m_studio.tabs.current())
        QMetaObject::invokeMethod(
            this, [this, where = *next] { run(where); }, Qt::QueuedConnection);
    if (isByItself && report.end == RunEnd::Cancelled) {
        emit reportChanged(document); // it is not run any more
        return;
    }
    if (report.result && report.text == document->text()) {
        m_studio.scripts.setFindings(*document, report.result->diagnostics);
        m_studio.profiles->setEmulated(*document, report.result->summary.counters);
    }
    keep(document, std::move(report));
}

// Predictions are of the script's own sizes.
std::optional<double> RunController::predictedOf(const Document& document, const RunReport& report) const {
    if (!report.plan.arguments.isEmpty() || !report.plan.dimensions.isEmpty() || report.plan.sweeps())
        return std::nullopt;
    const std::string hash = hash_text(report.text.toStdString());
    for (const session::EditState& state : m_trails.states(document))
        if (const auto found = state.modules.find(report.result->module);
            state.hash == hash && found != state.modules.end())
            return found->second.predicted;
    return std::nullopt;
}

void RunController::keep(Document* document, RunReport report) {
    if (report.end == RunEnd::Answered && report.result && !report.result->function.empty()) {
        session::KernelBenchRequest request;
        request.run.source = {document->name().toStdString(), report.text.toStdString(), {}, false};
        request.run.target = info(report.target).target;
        report.record = session::record_of(request, *report.result, now().toStdString());
        report.record->predicted = predictedOf(*document, report);
        m_history.append(*report.record, request.run.source.text);
    }
    m_reports[document] = std::move(report);
    emit reportChanged(document);
}

// ---- what is known of it -------------------------------------------------------------------------------------------

const RunReport* RunController::report(const Document& document) const {
    const auto found = m_reports.constFind(&document);
    return found == m_reports.constEnd() ? nullptr : &*found;
}

const RunReport* RunController::currentReport() const {
    return m_studio.tabs.current() ? report(*m_studio.tabs.current()) : nullptr;
}

bool RunController::isStale(const Document& document) const {
    const RunReport* shown = report(document);
    if (!shown)
        return false;
    return shown->text != document.text() || shown->plan != const_cast<PlanStore&>(m_plans).plan(document);
}

const session::RunRecord* RunController::baselineOf(const RunReport& report) const {
    const session::RunRecord* found = report.record ? m_history.baseline(report.record->key()) : nullptr;
    const Document* document = m_studio.tabs.current();
    return found && document && isRunOf(*found, *document) ? found : nullptr;
}

bool RunController::isRunOf(const session::RunRecord& run, const Document& document) const {
    if (run.script != document.name().toStdString())
        return false;
    return !document.path().isEmpty() || run.when >= m_since.value(&document).toStdString();
}

void RunController::doNext(const RunReport& report) {
    m_studio.jobs->doNext(report, [this](session::Placement target) { run(target); });
}

} // namespace hidet::ui
