// SPDX-License-Identifier: GPL-3.0-only
// Running: with a service that does what the test says, and with the emulator in a worker process.
#include <cmath>

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTableWidget>
#include <QTreeWidget>

#include "app/session/tools/tools.h"
#include "app/ui/charts/plot_view.h"
#include "app/ui/core/remote_worker.h"
#include "app/ui/run/argument_model.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/run/run_results.h"
#include "app/ui/run/verdict.h"
#include "app/ui/run/worker_button.h"
#include "app/ui/window/verdict_strip.h"
#include "app/ui/workbench/compile_workers.h"
#include "tests/ui/fixture/scripted_run.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

int childProcesses() {
    int out = 0;
    const QByteArray self = QByteArray::number(QCoreApplication::applicationPid());
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        QFile stat("/proc/" + name + "/stat");
        if (name[0].isDigit() && stat.open(QIODevice::ReadOnly)) {
            const QByteArray line = stat.readAll();
            const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
            out += fields.size() > 1 && fields[1] == self && fields[0] != "Z";
        }
    }
    return out;
}

} // namespace

class RunTest : public QObject {
    Q_OBJECT

    static VerdictStrip& strip(StudioFixture& studio) { return in<VerdictStrip>(studio, "verdict"); }
    static RunController& runs(StudioFixture& studio) { return *studio.studio().runs; }
    static const RunReport* report(StudioFixture& studio) {
        return runs(studio).report(*studio.studio().tabs.current());
    }

    static bool runToEnd(StudioFixture& studio, const char* command = "run.run") {
        return studio.trigger(command) && QTest::qWaitFor([&] { return !studio.studio().jobs->running(); }, 120'000);
    }

private slots:
    void theEmptyStateSaysWhatToDo() {
        StudioFixture studio;
        QVERIFY(open(studio, doubling));
        QCOMPARE(strip(studio).sentence(), QString("Not run yet. F5 runs it, checks it and measures it"));
        QVERIFY(strip(studio).shownParts().isEmpty());
    }

    void theVerdictIsOneSentence() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(answer(studio, log, answered(kernelBenchOf(41.2e-6))));
        const QString said = strip(studio).sentence();
        for (const char* part : {"Correct, error 2.1e-6", "41.2", "62 % of roofline (memory)",
                                 "96 registers per thread", "32 KiB shared", "50 % occupancy (limited by registers)"})
            QVERIFY2(said.contains(part), qPrintable(said));
        QVERIFY(!strip(studio).line().stale);
        auto& comparisons = in<QTableWidget>(studio, "run.comparisons");
        QCOMPARE(comparisons.item(0, 0)->text(), QString("b"));
        QCOMPARE(comparisons.item(0, 5)->text(), QString("2.1e-6"));
        auto& kernels = in<QTableWidget>(studio, "run.kernels");
        QCOMPARE(kernels.item(0, 1)->text(), QString("96"));
        QCOMPARE(kernels.item(0, 9)->text(), QString("8 fewer registers per thread would allow one more block"));
    }

    void whatWasNotComparedHasNoErrorOfZero() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        session::KernelBenchResult result = kernelBenchOf(41.2e-6);
        result.verdict = {session::VerdictKind::Unchecked, "not checked: it ran, and there is nothing to compare with"};
        result.comparisons.clear();
        result.kernels[0].occupancy.reset();
        QVERIFY(answer(studio, log, answered(result)));
        QVERIFY2(strip(studio).sentence().startsWith("Not checked"), qPrintable(strip(studio).sentence()));
        QVERIFY(!strip(studio).sentence().contains("error"));
        QVERIFY(studio.trigger("dock.history"));
        auto& history = in<QTableWidget>(studio, "history.table");
        QTRY_VERIFY(history.item(0, 9));
        QCOMPARE(history.item(0, 2)->text(), QString("Not checked"));
        QCOMPARE(history.item(0, 8)->text(), QString()); // nor an occupancy of zero
        QCOMPARE(history.item(0, 9)->text(), QString("not compared"));
        // Nothing but NaN: wrong, and no error of zero either.
        result = kernelBenchOf(41.2e-6);
        result.verdict = {session::VerdictKind::Wrong, "wrong: 64 of 64 elements of 'b' " + std::string(80, '.')};
        result.comparisons[0].bad = 64;
        result.comparisons[0].worst = {3, 7};
        result.comparisons[0].got = std::nan("");
        result.comparisons[0].wanted = 2;
        result.comparisons[0].max_absolute.reset();
        QVERIFY(answer(studio, log, answered(result)));
        QVERIFY2(strip(studio).sentence().startsWith("Wrong at b[3, 7]: got nan, expected 2"),
                 qPrintable(strip(studio).sentence()));
        QCOMPARE(in<QTableWidget>(studio, "run.comparisons").item(0, 5)->text(), QString("not compared"));
        QVERIFY(Qt::mightBeRichText(in<QToolButton>(studio, "verdict.verdict").toolTip())); // which wraps
    }

    // A race need not show in what the emulator computes.
    void aRefutedKernelIsNotCalledCorrect() {
        RunReport report;
        report.end = RunEnd::Answered;
        report.result = std::make_shared<session::KernelBenchResult>(kernelBenchOf(41.2e-6));
        session::KernelExplained kernel;
        kernel.name = report.result->function;
        kernel.proof.emplace().claims = {{"races", "refuted", 1}};
        session::DoubtView doubt;
        doubt.verdict = "refuted";
        doubt.sentence = "races on tile[0, 8]: one thread writes it, and another one reads it";
        doubt.place.line = 25;
        kernel.proof->doubts.push_back(doubt);
        session::Explained explained;
        explained.kernels.push_back(kernel);
        VerdictLine line = verdictLine(report, nullptr, &explained, false);
        const QString wanted = "Correct this time, but kernel '%1' races on tile[0, 8] (line 25)";
        QCOMPARE(line.parts.front().text, wanted.arg(QString::fromStdString(kernel.name)));
        QVERIFY(line.parts.front().tone == VerdictTone::Warning);
        QVERIFY(line.parts.front().hint.contains("another one reads it"));
        QVERIFY(line.parts.front().detail == VerdictDetail::Place); // a click goes there
        QCOMPARE(line.parts.front().place.line, 25);
        QVERIFY2(!line.sentence.contains("refuted"), qPrintable(line.sentence));
        // Of a text that has changed since nothing is known.
        line = verdictLine(report, nullptr, &explained, true);
        QVERIFY(line.parts.front().text.startsWith("Correct, error"));
        // What is proved is not told to be unchecked.
        explained.kernels.front().proof.emplace().claims = {{"races", "proved", 1}};
        line = verdictLine(report, nullptr, &explained, false);
        QVERIFY2(!line.sentence.contains("not checked: races"), qPrintable(line.sentence));
        QVERIFY2(line.sentence.contains("races and bounds proved for all sizes"), qPrintable(line.sentence));
    }

    void anAmpersandOfAVerdictIsShown() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        session::KernelBenchResult result = kernelBenchOf(41.2e-6);
        result.verdict = {session::VerdictKind::Wrong, "wrong: '&&' is written 'and'"};
        result.comparisons.clear();
        QVERIFY(answer(studio, log, answered(result)));
        QCOMPARE(in<QToolButton>(studio, "verdict.verdict").text(), QString("Wrong: '&&&&' is written 'and'"));
    }

    void idleMultiprocessorsStandBesideTheOccupancy() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        session::KernelBenchResult result = kernelBenchOf(41.2e-6);
        session::Occupancy& occupancy = *result.kernels[0].occupancy;
        occupancy.fraction = 1;
        occupancy.multiprocessors = 132;
        occupancy.busy_multiprocessors = 44;
        occupancy.waves = 44.0 / 264;
        QVERIFY(answer(studio, log, answered(result)));
        QVERIFY2(strip(studio).sentence().contains("100 % occupancy on 44 of 132 multiprocessors"),
                 qPrintable(strip(studio).sentence()));
        QCOMPARE(in<QTableWidget>(studio, "run.kernels").item(0, 8)->text(), QString("0.17"));
    }

    void anEditMakesTheVerdictStale() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(answer(studio, log, answered(kernelBenchOf(1e-5))));
        studio.type("# ");
        QVERIFY(strip(studio).line().stale);
        QVERIFY(strip(studio).sentence().startsWith("Of the text or the arguments before"));
        QVERIFY(studio.trigger("edit.undo"));
        QTRY_VERIFY(!strip(studio).line().stale || studio.editor().bytes() != doubling);
    }

    void inANarrowWindowTheLeastImportantPartsGo() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(answer(studio, log, answered(kernelBenchOf(1e-5))));
        const qsizetype all = strip(studio).line().parts.size();
        studio.window().resize(720, 700);
        QTRY_VERIFY(strip(studio).shownParts().size() < all);
        QVERIFY(strip(studio).shownParts().contains("verdict"));
        QVERIFY(strip(studio).shownParts().contains("time"));
        QVERIFY(strip(studio).toolTip().contains("50 % occupancy"));
    }

    void whatIsRunIsTheTextOfTheEditor() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        studio.editor().replaceAll(doubling + "# more\n");
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("run.run"));
        const auto& request = std::get<session::KernelBenchRequest>(log.jobs.last()->job.request);
        QVERIFY(QByteArray::fromStdString(request.run.source.text).endsWith("# more\n"));
        QVERIFY(request.arguments.empty());
        log.jobs.last()->onDone(answered(kernelBenchOf(1e-5)));
        QTRY_VERIFY(!studio.studio().jobs->running());
    }

    void outputAndProgressArriveWhileItRuns() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(studio.trigger("run.run"));
        QVERIFY(!studio.trigger("run.run")); // one at a time
        log.jobs.last()->onEvent({session::JobEvent::Kind::Printed, "hello\n", {}});
        log.jobs.last()->onEvent({session::JobEvent::Kind::Progress, "measuring 'double'", 0.4});
        QTRY_COMPARE(in<QPlainTextEdit>(studio, "run.output").toPlainText(), QString("hello\n"));
        QTRY_COMPARE(studio.studio().jobs->running()->doing, QString("measuring 'double'"));
        QTRY_VERIFY(in<QLabel>(studio, "verdict.words").text().startsWith("Measuring 'double', "));
        log.jobs.last()->onDone(answered(kernelBenchOf(1e-5)));
        QTRY_VERIFY(report(studio));
    }

    void aCrashIsToldAndTheNextRunWorks() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(answer(studio, log,
                       {session::Ended::WorkerLost,
                        {},
                        {"worker-died", "the worker was ended by a segmentation fault while running"},
                        "last words"}));
        QCOMPARE(report(studio)->end, RunEnd::Lost);
        QVERIFY(strip(studio).sentence().contains("segmentation fault"));
        QVERIFY(strip(studio).sentence().contains("Run it on the emulator to find the access"));
        QVERIFY(in<QPlainTextEdit>(studio, "run.output").toPlainText().contains("last words"));
        in<QToolButton>(studio, "verdict.advice").click();
        QCOMPARE(std::get<session::KernelBenchRequest>(log.jobs.last()->job.request).run.target,
                 session::Target::Emulate);
        log.jobs.last()->onDone(answered(kernelBenchOf(1e-5)));
        QTRY_VERIFY(report(studio) && report(studio)->end == RunEnd::Answered);
    }

    void aHangIsStoppedByTheUser() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(studio.trigger("run.run"));
        QVERIFY(studio.trigger("run.cancel"));
        QCOMPARE(log.cancelled.size(), 1);
        log.jobs.last()->onDone({session::Ended::Cancelled, {}, {}, {}});
        QTRY_VERIFY(report(studio));
        QCOMPARE(report(studio)->end, RunEnd::Cancelled);
        QCOMPARE(strip(studio).sentence(), QString("Stopped"));
    }

    void aWorkerThatDoesNotStartIsTold() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QCOMPARE(chooseRemoteWorker(studio.studio().settings, "nowhere = ssh nowhere hidetc worker"), QString());
        studio.studio().settings.set(Setting::Target, "remote");
        QVERIFY(open(studio, doubling));
        QVERIFY(answer(studio, log,
                       {session::Ended::WorkerLost, {}, {"worker-not-started", "no worker could be started"}, {}}));
        QVERIFY(strip(studio).sentence().contains("command of the remote worker"));
        log.state.phase = session::ServiceState::Phase::Broken;
        log.state.reason = "no worker could be started";
        QVERIFY(studio.trigger("run.restart_worker"));
        QCOMPARE(log.restarts, 1);
        QVERIFY(in<WorkerButton>(studio, "worker").text().contains("gave up"));
    }

    void withoutACommandTheRemoteTargetWaits() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QFile::remove(QString::fromStdString(session::remote_workers_file()));
        studio.studio().settings.set(Setting::Target, "remote");
        QVERIFY(open(studio, doubling));
        QVERIFY(!studio.trigger("run.run"));
        QVERIFY(runs(studio).whyNotRunnable().contains("settings"));
    }

    void aWrongArgumentIsMarkedAndRunWaits() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        auto& table = in<QTableView>(studio, "run.arguments");
        QCOMPARE(table.model()->rowCount(), 2);
        const QModelIndex shape = table.model()->index(0, ArgumentModel::Shape);
        QCOMPARE(shape.data().toString(), QString("8, 8"));
        QVERIFY(table.model()->setData(shape, "8, many", Qt::EditRole));
        QVERIFY(!shape.data(ArgumentModel::ReasonRole).toString().isEmpty());
        QVERIFY(!studio.trigger("run.run"));
        QVERIFY(in<QLabel>(studio, "run.message").text().contains("many"));
        in<QLineEdit>(studio, "run.seed").setFocus();
        QTest::keyClick(&in<QLineEdit>(studio, "run.seed"), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(shape.data().toString(), QString("8, 8"));
        QVERIFY(studio.trigger("run.run"));
        log.jobs.last()->onDone(answered(kernelBenchOf(1e-5)));
        QTRY_VERIFY(!studio.studio().jobs->running());
    }

    void typedArgumentsReachTheRequestAndAreReset() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        auto* model = qobject_cast<ArgumentModel*>(in<QTableView>(studio, "run.arguments").model());
        model->setFill(0, session::Fill::Arange);
        QTest::keyClicks(&in<QLineEdit>(studio, "run.seed"), "7");
        QTest::keyClicks(&in<QLineEdit>(studio, "run.absolute"), "1e-3");
        QVERIFY(studio.trigger("run.run"));
        const auto request = std::get<session::KernelBenchRequest>(log.jobs.last()->job.request);
        QCOMPARE(request.arguments.size(), 2U);
        QCOMPARE(request.arguments[0].fill, session::Fill::Arange);
        QCOMPARE(request.arguments[1].fill, session::Fill::FromScript);
        QCOMPARE(request.run.seed, 7U);
        QCOMPARE(*request.tolerance.absolute, 1e-3);
        log.jobs.last()->onDone(answered(kernelBenchOf(1e-5)));
        QTRY_VERIFY(!studio.studio().jobs->running());
        QVERIFY(studio.trigger("run.reset"));
        QVERIFY(runs(studio).plans().plan(*studio.studio().tabs.current()).isDefault());
        QVERIFY(strip(studio).line().stale);
    }

    void aSweepIsDrawn() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        session::KernelBenchResult result = kernelBenchOf(1e-5);
        for (int i = 0; i < 4; ++i) {
            session::SweepPoint point;
            point.value = 256 << i;
            point.verdict = {i == 2 ? session::VerdictKind::Wrong : session::VerdictKind::Correct, "correct"};
            point.measured = measured(1e-5 * (i + 1));
            result.sweep.push_back(point);
        }
        QVERIFY(studio.trigger("view.mode_run"));
        QVERIFY(answer(studio, log, answered(result)));
        auto& view = in<PlotView>(studio, "plots.view");
        QCOMPARE(view.plot().title, QString("Size sweep"));
        QCOMPARE(view.plot().series[0].points.size(), 4);
        QVERIFY(view.plot().tsv().contains("2048\t40"));
        QCOMPARE(view.plot().series.last().name, QString("wrong"));
        QVERIFY(view.svg().contains("<svg"));
        const QString path = studio.folder() + "/plot.tsv";
        studio.answerDialogs({path});
        for (QToolButton* button : view.parentWidget()->findChildren<QToolButton*>())
            if (button->accessibleName() == "Save picture")
                button->click();
        QTRY_VERIFY(QFile::exists(path));
    }

    void valuesOfASweepAreRead() {
        QString reason;
        QCOMPARE(*parseSweep("256, 512, 1024..4096*2", reason),
                 (std::vector<std::int64_t>{256, 512, 1024, 2048, 4096}));
        QCOMPARE(*parseSweep("8..32+8", reason), (std::vector<std::int64_t>{8, 16, 24, 32}));
        for (const char* wrong : {"", "8,", "-4", "8..4", "4..8*1", "1..1000", "many"})
            QVERIFY2(!parseSweep(wrong, reason) && !reason.isEmpty(), wrong);
    }

    void findingsOfARunAreProblemsUntilTheTextChanges() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        session::KernelBenchResult result = kernelBenchOf(1e-5);
        result.verdict = {session::VerdictKind::Failed, "it did not run"};
        result.status = session::Status::UserMistake;
        session::DiagnosticView finding;
        finding.id = "out-of-bounds";
        finding.message = "index 9 is out of bounds";
        finding.place = {studio.studio().tabs.current()->name().toStdString(), 14, 9, 14, 20};
        result.diagnostics = {finding};
        QVERIFY(answer(studio, log, answered(result)));
        QCOMPARE(studio.studio().scripts.findings(*studio.studio().tabs.current()).size(), 1U);
        QVERIFY(strip(studio).sentence().contains("Index 9 is out of bounds"));
        studio.type("#");
        QVERIFY(studio.studio().scripts.findings(*studio.studio().tabs.current()).empty());
    }

    void aScriptWithAMistakeIsNotRun() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QByteArray broken = doubling;
        broken.replace("* 2.0\n\n", "* two\n\n");
        studio.editor().replaceAll(broken);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("run.run"));
        QVERIFY(log.jobs.isEmpty());
        QCOMPARE(report(studio)->end, RunEnd::Refused);
        QVERIFY2(strip(studio).sentence().contains("Line 14"), qPrintable(strip(studio).sentence()));
    }

    // ---- with the emulator in a process of its own -----------------------------------------------------------------

    void aSampleRunsOnTheEmulatorAndIsCorrect() {
        {
            StudioFixture studio;
            studio.studio().settings.set(Setting::Target, "emulate");
            QVERIFY(studio.openSample("scalar_addition"));
            QVERIFY(studio.settle());
            QTRY_VERIFY_WITH_TIMEOUT(runs(studio).signatures(), 30'000);
            QVERIFY(runToEnd(studio));
            QVERIFY(report(studio));
            QVERIFY2(report(studio)->end == RunEnd::Answered, qPrintable(report(studio)->trouble));
            QVERIFY2(strip(studio).sentence().startsWith("Correct"), qPrintable(strip(studio).sentence()));
            QVERIFY(!in<QPlainTextEdit>(studio, "run.output").toPlainText().isEmpty());
            QVERIFY(in<WorkerButton>(studio, "worker").text().contains("idle"));
        }
        QTRY_COMPARE(childProcesses(), 0);
    }

    void aWrongKernelIsWrongAtItsWorstIndex() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::Target, "emulate");
        QByteArray wrong = doubling;
        wrong.replace("* 2.0\n\n\ndef",
                      "* 2.0\n        if threadIdx.x >= 5:\n            b[blockIdx.x, threadIdx.x] = 0.0\n\n\ndef");
        QVERIFY(open(studio, wrong));
        RunPlan plan;
        plan.reference = {ReferencePlan::Function, 0, "expected"};
        runs(studio).plans().change(*studio.studio().tabs.current(), plan, {}, "reference");
        QVERIFY(runToEnd(studio));
        auto& comparisons = in<QTableWidget>(studio, "run.comparisons");
        QCOMPARE(comparisons.item(0, 1)->text(), QString("24"));
        QVERIFY(strip(studio).sentence().startsWith("Wrong at b" + comparisons.item(0, 2)->text() + ": got "));
        QCOMPARE(in<ErrorMapView>(studio, "run.map").summary(), QString("24 of 64 elements of 'b' are wrong"));
    }

    void anEndlessKernelIsStopped() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::Target, "emulate");
        QByteArray endless = doubling;
        endless.replace("print('doubled')", "for i in range(1000000):\n    module(a, b)");
        QVERIFY(open(studio, endless));
        QVERIFY(studio.trigger("run.run"));
        QTRY_VERIFY_WITH_TIMEOUT(studio.studio().jobs->workerState().phase == session::ServiceState::Phase::Busy,
                                 30'000);
        QVERIFY(studio.trigger("run.cancel"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio.studio().jobs->running(), 30'000);
        QCOMPARE(report(studio)->end, RunEnd::Cancelled);
    }

    void aScriptWithoutAKernelRunsAsAProgram() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::Target, "emulate");
        QVERIFY(open(studio, "print(6 * 7)\n"));
        QVERIFY(runToEnd(studio));
        QCOMPARE(in<QPlainTextEdit>(studio, "run.output").toPlainText(), QString("42\n"));
        QVERIFY2(strip(studio).sentence().startsWith("Not checked"), qPrintable(strip(studio).sentence()));
    }

    void tensorsThatACheckFoundToDifferFillTheComparison() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::Target, "emulate");
        QByteArray wrong = doubling;
        wrong.replace("print('doubled')", "torch.testing.assert_close(b, a * 3.0)");
        QVERIFY(open(studio, wrong));
        QVERIFY(runToEnd(studio));
        QVERIFY2(strip(studio).sentence().startsWith("Wrong at b["), qPrintable(strip(studio).sentence()));
        auto& comparisons = in<QTableWidget>(studio, "run.comparisons");
        QCOMPARE(comparisons.rowCount(), 1);
        QCOMPARE(comparisons.item(0, 0)->text(), QString("b"));
        QCOMPARE(comparisons.item(0, 8)->text(), QString("64"));
    }

    void soDoTensorsOfAScriptWithoutAKernel() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::Target, "emulate");
        QVERIFY(open(studio, "import torch\na = torch.ones(8)\ntorch.testing.assert_close(a * 2, a + 2)\n"));
        QVERIFY(runToEnd(studio));
        QVERIFY2(strip(studio).sentence().startsWith("Wrong at a * 2[0]"), qPrintable(strip(studio).sentence()));
        QCOMPARE(in<QTableWidget>(studio, "run.comparisons").item(0, 1)->text(), QString("8"));
    }

    void theEmulatorIsOfferedWhereThereIsNoGpu() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::Target, "cuda");
        QVERIFY(open(studio, doubling));
        QVERIFY(runToEnd(studio));
        if (studio.studio().tools->gpu())
            QSKIP("this machine has a GPU");
        QVERIFY(!report(studio)->trouble.isEmpty());
        QVERIFY2(strip(studio).sentence().contains("Run it on the emulator"), qPrintable(strip(studio).sentence()));
        QCOMPARE(report(studio)->next, NextStep::RunOnEmulator);
    }

    void compileWorkersLeaveNoProcessBehind() {
        QTemporaryDir folder;
        Settings settings(folder.filePath("settings.conf"), nullptr);
        {
            auto tools = openCompileWorkers(settings);
            QTRY_VERIFY_WITH_TIMEOUT(childProcesses() > 0, 10'000);
        }
        QTRY_COMPARE(childProcesses(), 0);
    }
};

HIDET_UI_TEST_MAIN(RunTest)
#include "run_test.moc"
