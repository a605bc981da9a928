// SPDX-License-Identifier: GPL-3.0-only
// What is found in a script, and when and in which words the window says it.
#include <QLabel>
#include <QRegularExpression>
#include <QTreeWidget>

#include "app/session/tools/tools.h"
#include "app/ui/core/window_words.h"
#include "app/ui/editor/completion_popup.h"
#include "app/ui/workbench/compile_workers.h"
#include "tests/ui/fixture/scripted_run.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

const QByteArray endless = QByteArray(doubling)
                               .replace("block_dim = 8", "block_dim = 512")
                               .replace("threadIdx.x]", "threadIdx.x % 8]")
                               .replace("        b[", "        while threadIdx.x >= 0:\n            b[");

bool isSaid(StudioFixture& studio, const QString& words) {
    return std::ranges::any_of(studio.window().findChildren<QLabel*>(), [&](const QLabel* label) {
        return label->isVisible() && label->text().contains(words);
    });
}

} // namespace

class FindingsTest : public QObject {
    Q_OBJECT
private slots:
    void whatAProofRefutesIsAProblemAtItsLine() {
        if (session::open_tools()->toolchain().locate(toolchain::Tool::Z3).state != toolchain::State::Found)
            QSKIP("there is no solver");
        QTemporaryDir folder;
        Settings settings(folder.filePath("settings.conf"), nullptr);
        StudioFixture studio({}, openCompileWorkers(settings));
        studio.openText(QByteArray(doubling).replace("b[blockIdx.x, threadIdx.x]", "b[blockIdx.x, threadIdx.x + 1]"));
        QVERIFY(studio.settle());
        auto& list = in<QTreeWidget>(studio, "problems.list");
        QTRY_COMPARE_WITH_TIMEOUT(list.topLevelItemCount(), 1, 60'000);
        QCOMPARE(list.topLevelItem(0)->text(1), QString("refuted"));
        QVERIFY(list.topLevelItem(0)->text(0).startsWith("kernel 'double' "));
        QVERIFY(list.topLevelItem(0)->text(2).startsWith("14:"));
        emit list.itemClicked(list.topLevelItem(0), 0);
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()), 13);
        // It runs all the same, and is mended as any other.
        QVERIFY(studio.trigger("run.run"));
        QVERIFY(studio.studio().jobs->running());
        QVERIFY(studio.trigger("run.cancel"));
        QVERIFY(studio.retype("threadIdx.x + 1", "threadIdx.x"));
        QTRY_COMPARE(list.topLevelItemCount(), 0);
    }

    void findingsSpeakOfNoOptions() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        session::KernelBenchResult result;
        session::DiagnosticView finding;
        finding.id = "step-budget";
        finding.message = "kernel 'double' exceeded the step limit (--max-steps); is this loop infinite?";
        finding.place = {studio.studio().tabs.current()->name().toStdString(), 14, 9, 14, 20};
        result.diagnostics = {finding};
        result.verdict = {session::VerdictKind::Failed, finding.message};
        QVERIFY(answer(studio, log, answered(result)));
        const QString said = "kernel 'double' exceeded the step limit; is this loop infinite?";
        auto& list = in<QTreeWidget>(studio, "problems.list");
        QTRY_COMPARE(list.topLevelItemCount(), 1);
        QCOMPARE(list.topLevelItem(0)->text(0), said);
        QCOMPARE(studio.studio().runs->currentReport()->trouble, capitalized(said));
    }

    // Of the ids that a run can end with.
    void everyMessageOfARunHasWordsOfTheWindow() {
        for (const DiagnosticInfo& each : all_diagnostics()) {
            if (each.id == info(DiagId::OneModuleOnly).id) // of verbs that write files
                continue;
            const QString said = QString::fromStdString(inWindowWords(std::string(each.format)));
            QVERIFY2(!said.contains(QRegularExpression("(^|[ '(])--[a-z]")), qPrintable(said));
            QVERIFY2(!said.contains("'hidetc emulate"), qPrintable(said));
        }
    }

    void aRunThatDoesNotEndIsStoppedAtOnce() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::Target, "emulate");
        QVERIFY(open(studio, endless));
        QVERIFY(studio.trigger("run.run"));
        const Commands& commands = studio.studio().commands;
        QVERIFY2(commands.whyNot(commands.action(Command::RunRun)).endsWith("is being run; Shift+F5 stops it"),
                 qPrintable(commands.whyNot(commands.action(Command::RunRun))));
        QTRY_VERIFY_WITH_TIMEOUT(isSaid(studio, "Does a loop of its kernel end?"), 60'000);
        QElapsedTimer since;
        since.start();
        QTest::keyClick(&studio.editor(), Qt::Key_F5, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.studio().jobs->running(), 30'000);
        qInfo("stopped after %lld ms", since.elapsed());
        QCOMPARE(studio.studio().runs->currentReport()->end, RunEnd::Cancelled);
        QVERIFY(!isSaid(studio, "Does a loop of its kernel end?"));
    }

    void thatThereIsNoKernelIsSaidOfAFinishedEvaluation() {
        StudioFixture studio;
        studio.openText("x = 1\n");
        QVERIFY(studio.settle());
        QTRY_VERIFY(isSaid(studio, "builds no kernel"));
        studio.editor().replaceAll("n = 0\nwhile True:\n    n += 1\n");
        QTRY_VERIFY(!isSaid(studio, "builds no kernel"));
        QVERIFY(!studio.studio().scripts.live()->isEvaluated());
        studio.editor().replaceAll("x = 2\n");
        QTRY_VERIFY(isSaid(studio, "builds no kernel"));
    }

    void aCommandClosesTheCompletions() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        studio.editor().setFocus();
        studio.editor().setCaret(studio.editor().byteCount());
        studio.type("modu");
        const auto isOpen = [&] { return studio.editor().completer().isOpen(); };
        QTRY_VERIFY(isOpen());
        QVERIFY(studio.trigger("edit.complete"));
        QTRY_VERIFY(isOpen());
        QVERIFY(studio.trigger("run.run"));
        QVERIFY(!isOpen());
        QVERIFY(studio.settle());
        QVERIFY(!isOpen());
    }
};

HIDET_UI_TEST_MAIN(FindingsTest)
#include "findings_test.moc"
