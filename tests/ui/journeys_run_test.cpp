// SPDX-License-Identifier: GPL-3.0-only
// What a user does from start to end with runs, crashes, files and sessions: every step is a command of the registry or
// typing. Scripts run in worker processes, as they do at a user's desk.
#include <csignal>

#include <QDir>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableWidget>

#include "app/ui/core/background.h"
#include "app/ui/persistence/file_keeper.h"
#include "app/ui/program/session_keeper.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/verdict_strip.h"
#include "tests/ui/fixture/child_processes.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::childProcesses;
using hidet::ui::test::StudioFixture;

namespace {

// Its kernel adds one to each element, or does something else there.
QByteArray scriptThat(const QByteArray& statement) {
    return QByteArray(R"(import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx


with hidet.script_module() as script_module:

    @hidet.script
    def add_one(a: f32[64], b: f32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        STATEMENT


module = script_module.build()
a = torch.arange(64, dtype=torch.float32, device='cuda')
b = torch.empty(64, device='cuda')
module(a, b)
assert torch.allclose(b, a + 1.0)
print('added')
)")
        .replace("STATEMENT", statement);
}

void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

} // namespace

class JourneysRun : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    bool does(const QString& command) { return m_studio->trigger(command); }
    ScriptEditor& editor() { return m_studio->editor(); }
    RunController& runs() { return *m_studio->studio().runs; }
    const RunReport* report() { return runs().report(*m_studio->studio().tabs.current()); }
    QString verdict() { return m_studio->window().findChild<VerdictStrip*>("verdict")->sentence(); }
    bool opened(const QByteArray& script) {
        m_studio = std::make_unique<StudioFixture>();
        const QString file = m_studio->folder() + "/kernel.py";
        write(file, script);
        m_studio->answerDialogs({file});
        return does("file.open") && m_studio->settle() &&
               QTest::qWaitFor([&] { return runs().signatures() != nullptr; }, 30'000);
    }
    bool edited(const QString& text, const QString& now) { return m_studio->retype(text, now) && m_studio->settle(); }
    bool ran(const char* command = "run.emulate") {
        return does(command) && QTest::qWaitFor([&] { return !m_studio->studio().jobs->running(); }, 120'000) &&
               report();
    }
    // Until the worker is at the kernel.
    bool begun() {
        return does("run.emulate") &&
               QTest::qWaitFor(
                   [&] { return m_studio->studio().jobs->workerState().phase == session::ServiceState::Phase::Busy; },
                   30'000);
    }

private slots:
    void cleanup() { m_studio.reset(); }

    void aSampleIsRunOnTheEmulatorAndItsVerdictIsRead() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(does("file.sample.scalar_addition"));
        QVERIFY(m_studio->settle());
        QVERIFY(does("view.mode_run"));
        QVERIFY(ran());
        QVERIFY2(report()->end == RunEnd::Answered, qPrintable(report()->trouble));
        QVERIFY2(verdict().startsWith("Correct"), qPrintable(verdict()));
        QVERIFY(m_studio->window().findChild<QPlainTextEdit*>("run.output")->toPlainText().contains("7.5"));
    }

    void aWrongKernelIsMendedUntilItIsCorrect() {
        QVERIFY(opened(scriptThat("b[threadIdx.x] = a[threadIdx.x] + 2.0")));
        QVERIFY(does("run.target.emulate"));
        QVERIFY(ran("run.run"));
        QVERIFY2(verdict().startsWith("Wrong at actual["), qPrintable(verdict()));
        QVERIFY(edited("+ 2.0", "+ 1.0"));
        QVERIFY(runs().isStale(*m_studio->studio().tabs.current()));
        QVERIFY(ran("run.run"));
        QCOMPARE(report()->end, RunEnd::Answered);
        QVERIFY2(verdict().startsWith("Correct"), qPrintable(verdict()));
        QVERIFY(does("run.pin_baseline"));
        QVERIFY(does("dock.history"));
    }

    void anAccessOutOfBoundsIsGoneToAndMended() {
        QVERIFY(opened(scriptThat("b[threadIdx.x] = a[threadIdx.x + 1] + 1.0")));
        QVERIFY(ran());
        QVERIFY2(verdict().startsWith("Wrong: kernel 'add_one' reads a[64], outside of its shape"),
                 qPrintable(verdict()));
        QVERIFY(does("pane.editor"));
        QVERIFY(does("go.next_problem"));
        QVERIFY(editor().bytes(editor().rangeOfLine(editor().lineOf(editor().caret()))).contains("threadIdx.x + 1"));
        QVERIFY(edited("a[threadIdx.x + 1]", "a[threadIdx.x"));
        QVERIFY(editor().problems().empty());
        QVERIFY(ran());
        QVERIFY2(report()->end == RunEnd::Answered && !verdict().contains("outside"), qPrintable(verdict()));
    }

    void anEndlessKernelIsStoppedAndTheNextRunWorks() {
        QVERIFY(opened(scriptThat("for i in range(100000000):\n            b[threadIdx.x] = a[threadIdx.x] + 1.0")));
        QVERIFY(begun());
        QVERIFY(!does("run.emulate")); // one at a time
        QVERIFY(does("run.cancel"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_studio->studio().jobs->running(), 30'000);
        QCOMPARE(report()->end, RunEnd::Cancelled);
        QVERIFY(edited("100000000", "1"));
        QVERIFY(ran());
        QCOMPARE(report()->end, RunEnd::Answered);
    }

    void aWorkerThatCrashesTakesNothingWithItAndTheNextRunWorks() {
        QVERIFY(opened(scriptThat("for i in range(100000000):\n            b[threadIdx.x] = a[threadIdx.x] + 1.0")));
        QVERIFY(begun());
        const QByteArray text = editor().bytes();
        const QList<qint64> workers = childProcesses();
        QVERIFY(!workers.isEmpty());
        for (const qint64 worker : workers)
            QCOMPARE(::kill(static_cast<pid_t>(worker), SIGSEGV), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!m_studio->studio().jobs->running(), 30'000);
        QCOMPARE(report()->end, RunEnd::Lost);
        QVERIFY2(verdict().contains("segmentation fault"), qPrintable(verdict()));
        QCOMPARE(editor().bytes(), text);
        QVERIFY(edited("100000000", "1"));
        QVERIFY(ran());
        QCOMPARE(report()->end, RunEnd::Answered);
        QVERIFY2(!verdict().contains("fault"), qPrintable(verdict()));
        QVERIFY(does("run.restart_worker"));
        m_studio.reset();
        QTRY_COMPARE(childProcesses(), QList<qint64>());
    }

    void aScriptOfOnesOwnIsSavedChangedOutsideAndReloaded() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(does("file.new"));
        m_studio->type("print(1)\n");
        const QString path = m_studio->folder() + "/mine.py";
        m_studio->answerDialogs({path});
        QVERIFY(does("file.save"));
        QCOMPARE(contentOf(path), QByteArray("print(1)\n"));
        QCOMPARE(m_studio->studio().tabs.current()->title(), QString("mine.py"));
        QVERIFY(!m_studio->studio().tabs.current()->isModified());
        write(path, "print(2)\n"); // another program
        QTRY_COMPARE(editor().bytes(), QByteArray("print(2)\n"));
        m_studio->type("# ");
        const QByteArray mine = editor().bytes();
        write(path, "print(3)\n");
        QTRY_VERIFY(m_studio->window().notices().sentences().join(' ').contains("changed on disk"));
        QCOMPARE(editor().bytes(), mine);
        QVERIFY(does("file.reload"));
        QCOMPARE(editor().bytes(), QByteArray("print(3)\n"));
        QVERIFY(does("edit.undo"));
        QCOMPARE(editor().bytes(), mine);
        QVERIFY(does("file.save"));
        QCOMPARE(contentOf(path), mine);
    }

    void aLateLookAtTheFileDoesNotUndoWhatWasSavedSince() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(does("file.new"));
        m_studio->type("print(1)\n");
        const QString path = m_studio->folder() + "/mine.py";
        m_studio->answerDialogs({path});
        QVERIFY(does("file.save"));
        QSignalSpy said(&m_studio->studio().notices, &Notices::said);
        m_studio->window().findChild<FileKeeper*>()->checkNow();
        background().waitForDone();        // it has read the text of now, and nobody was told yet
        editor().replaceAll("print(2)\n"); // typing would let it be told
        QVERIFY(does("file.save"));
        QVERIFY(m_studio->settle());
        background().waitForDone();        // whatever looks at the file has looked, and
        QCoreApplication::processEvents(); // has told of it
        for (const QList<QVariant>& sentence : said)
            QVERIFY2(!sentence.first().toString().contains("Reloaded"), qPrintable(sentence.first().toString()));
        QCOMPARE(editor().bytes(), QByteArray("print(2)\n"));
        QCOMPARE(contentOf(path), QByteArray("print(2)\n"));
    }

    void aScriptThatWasClosedUnsavedIsReopened() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(does("file.new"));
        m_studio->type("x = 1\n");
        QVERIFY(does("file.close"));
        QVERIFY(m_studio->studio().tabs.documents().isEmpty());
        QVERIFY(does("file.reopen"));
        QCOMPARE(editor().bytes(), QByteArray("x = 1\n"));
        QVERIFY(m_studio->studio().tabs.current()->isModified());
    }

    void theNextStartIsWhereTheLastOneEnded() {
        QTemporaryDir state;
        m_studio = std::make_unique<StudioFixture>();
        const QString file = state.filePath("kernel.py");
        write(file, scriptThat("b[threadIdx.x] = a[threadIdx.x] + 1.0"));
        QByteArray pinned;
        {
            SessionKeeper keeper(m_studio->window(), state.path(), {});
            keeper.start();
            m_studio->answerDialogs({file});
            QVERIFY(does("file.open"));
            QVERIFY(m_studio->retype("+ 1.0", "+ 8.0"));
            QVERIFY(does("file.new"));
            m_studio->type("# not saved yet");
            QVERIFY(does("view.previous_script"));
            QVERIFY(does("view.mode_lower"));
            QVERIFY(does("pane.split_down"));
            QVERIFY(does("pane.stage.cuda"));
            QVERIFY(m_studio->settle());
            QVERIFY(does("pane.pin"));
            pinned = m_studio->window().stages().currentStage()->view().bytes();
            QVERIFY(does("go.line"));
            m_studio->typeHere("10\n");
            keeper.end();
        }
        const qsizetype panes = m_studio->window().stages().panes().size();
        m_studio = std::make_unique<StudioFixture>();
        SessionKeeper keeper(m_studio->window(), state.path(), {});
        keeper.start();
        QCOMPARE(m_studio->window().mode(), Mode::Lower);
        QCOMPARE(m_studio->window().stages().panes().size(), panes);
        QCOMPARE(m_studio->studio().tabs.documents().size(), 2);
        QCOMPARE(m_studio->studio().tabs.current()->title(), QString("kernel.py"));
        QVERIFY(editor().bytes().contains("+ 8.0"));
        QCOMPARE(editor().lineOf(editor().caret()), 9);
        QVERIFY(!contentOf(file).contains("+ 8.0"));
        QVERIFY(pinned.contains("8.0f"));
        QVERIFY(m_studio->retype("+ 8.0", "+ 9.0") && m_studio->settle());
        const QList<StagePane*> all = m_studio->window().stages().stagePanes();
        const auto kept = std::find_if(all.begin(), all.end(), [](const StagePane* pane) { return pane->isPinned(); });
        QVERIFY(kept != all.end());
        QCOMPARE((*kept)->view().bytes(), pinned);
        QVERIFY((*kept)->notice().startsWith("Pinned: add_one as of"));
        QVERIFY(does("view.next_script"));
        QCOMPARE(editor().bytes(), QByteArray("# not saved yet"));
        keeper.end();
    }
};

HIDET_UI_TEST_MAIN(JourneysRun)
#include "journeys_run_test.moc"
