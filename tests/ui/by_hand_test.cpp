// SPDX-License-Identifier: GPL-3.0-only
// IR, CUDA and PTX that are gone on with by hand: a copy in a tab, what compilers say of it, whether it still is what its script
// generates, and runs in the place of the generated kernel. Compilers and driver are those of the tests.
#include "app/ui/editor/by_hand_bar.h"
#include "app/ui/editor/editor_pane.h"
#include "app/ui/run/run_controller.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace session = hidet::session;

namespace {

QString barOf(StudioFixture& studio) {
    const EditorPane* pane = studio.window().editors().currentPane();
    const auto* bar = pane ? pane->findChild<ByHandBar*>() : nullptr;
    return bar && bar->isVisible() ? bar->text() : QString();
}

// Behind this text, in the text of the editor.
void typeBehind(StudioFixture& studio, const QByteArray& text, const QString& more) {
    const qsizetype at = studio.editor().bytes().indexOf(text);
    QVERIFY2(at >= 0, text.constData());
    studio.editor().setCaret(int(at + text.size()));
    studio.type(more);
}

} // namespace

class ByHandTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        qputenv("HIDET_NVRTC", HIDET_FAKE_NVRTC);
        qputenv("FAKE_NVRTC", "module");
        qputenv("HIDET_PTXAS", HIDET_FAKE_PTXAS);
        qputenv("HIDET_LIBCUDA", HIDET_FAKE_CUDA);
        qputenv("HIDET_LIBNVML", "/nowhere/libnvidia-ml.so");
        qputenv("HIDET_NVDISASM", "/nowhere/nvdisasm");
    }

    void aKeyOpensACopyThatKnowsItsScript() {
        StudioFixture studio;
        QVERIFY(open(studio, session::Form::Cuda));
        QCOMPARE(studio.studio().tabs.documents().size(), 2);
        const Document& copy = *studio.studio().tabs.current();
        QVERIFY2(copy.title().endsWith(".cu"), qPrintable(copy.title()));
        QVERIFY(copy.text().contains("\n// edits: matmul\n"));
        QCOMPARE(studio.editor().codeLanguage(), Language::Cuda);
        QTRY_VERIFY2(barOf(studio).startsWith("as generated; CUDA of matmul, naive_matmul.py"),
                     qPrintable(barOf(studio)));
        QVERIFY(!studio.trigger("pane.edit")); // it is edited already
        typeBehind(studio, "total = 0.0f", " + 1.0f");
        QTRY_VERIFY2(barOf(studio).startsWith("diverged; CUDA of matmul"), qPrintable(barOf(studio)));
        QVERIFY(studio.trigger("edit.by_hand_again"));
        QTRY_VERIFY(barOf(studio).startsWith("as generated"));
        QVERIFY(studio.trigger("edit.undo"));
        QVERIFY(studio.editor().bytes().contains("total = 0.0f + 1.0f"));
    }

    void aCopyIsOfTheScriptAsItIsNow() {
        StudioFixture studio;
        QVERIFY(showStage(studio, session::Form::Cuda));
        const QAction* edit = studio.studio().commands.action(Command::PaneEdit);
        QVERIFY(edit->isEnabled());
        QByteArray script = studio.editor().bytes();
        studio.editor().replaceAll(script.replace("f32(0.0)", "f32(2.0)"));
        studio.press(Qt::Key_E, Qt::AltModifier); // the pane still has the text of before
        QCOMPARE(studio.studio().tabs.documents().size(), 1);
        QVERIFY(studio.settle());
        QTRY_VERIFY(edit->isEnabled());
        studio.press(Qt::Key_E, Qt::AltModifier);
        QTRY_COMPARE(studio.studio().tabs.documents().size(), 2);
        QVERIFY(studio.studio().tabs.current()->text().contains("2.0f"));
        QTRY_VERIFY2(barOf(studio).startsWith("as generated; CUDA of matmul"), qPrintable(barOf(studio)));
    }

    void whatCompilersSayStandsAtItsLines() {
        StudioFixture studio;
        QVERIFY(open(studio, session::Form::Cuda));
        QVERIFY(studio.settle());
        QVERIFY(studio.editor().problems().empty());
        QVERIFY(studio.textOf("ptx"_stage).contains(".entry matmul"));
        studio.editor().setCaret(studio.editor().byteCount());
        studio.type("// is refused");
        QTRY_COMPARE(studio.editor().problems().size(), std::size_t(1));
        QCOMPARE(studio.editor().lineOf(studio.editor().problems().front().range.begin),
                 2); // the line that it always says
        for (int i = 0; i < 9; ++i)
            studio.press(Qt::Key_Backspace);
        QTRY_VERIFY(studio.editor().problems().empty());
    }

    void panesThatDoNotApplySayWhy() {
        StudioFixture studio;
        QVERIFY(open(studio, session::Form::Ptx));
        QCOMPARE(studio.editor().codeLanguage(), Language::Ptx);
        QVERIFY(studio.settle());
        QTRY_VERIFY2(barOf(studio).contains("matmul: 12 registers per thread, no spills"), qPrintable(barOf(studio)));
        StagePane* pane = studio.window().stages().show("ptx"_stage);
        QTRY_VERIFY2(pane->isEmpty() && pane->emptyText().contains("the editor has it"), qPrintable(pane->emptyText()));
        pane->setStage("ir"_stage);
        QTRY_VERIFY2(pane->emptyText().contains("IR is of its script"), qPrintable(pane->emptyText()));
        typeBehind(studio, "ret;", " bogus;");
        QTRY_COMPARE(studio.editor().problems().size(), std::size_t(1));
        const auto& problem = studio.editor().problems().front();
        QVERIFY(studio.editor()
                    .bytes(studio.editor().rangeOfLine(studio.editor().lineOf(problem.range.begin)))
                    .contains("bogus"));
    }

    void aScriptThatGoesOnIsSaidAndShown() {
        StudioFixture studio;
        QVERIFY(open(studio, session::Form::Cuda));
        Document* copy = studio.studio().tabs.current();
        studio.studio().tabs.setCurrent(studio.studio().tabs.documents().front());
        QVERIFY(studio.retype("f32(0.0)", "f32(2.0)"));
        QVERIFY(studio.settle());
        studio.studio().tabs.setCurrent(copy);
        QTRY_VERIFY2(barOf(studio).contains("diverged; the script has changed since"), qPrintable(barOf(studio)));
        QVERIFY(studio.trigger("edit.by_hand_changes"));
        auto* pane = qobject_cast<DiffPane*>(studio.window().stages().current());
        QVERIFY(pane);
        QTRY_VERIFY_WITH_TIMEOUT(pane->isSettled() && !pane->shown().changes.empty(), 10'000);
        QVERIFY2(pane->leftTitle().startsWith("CUDA of naive_matmul.py, as generated"), qPrintable(pane->leftTitle()));
        const std::size_t kept = studio.studio().stages.allPinned().size();
        QVERIFY(studio.trigger("edit.by_hand_changes"));
        QCOMPARE(studio.studio().stages.allPinned().size(), kept);
        QVERIFY(studio.trigger("edit.by_hand_again"));
        QTRY_VERIFY2(barOf(studio).startsWith("as generated; CUDA of"), qPrintable(barOf(studio)));
    }

    void itRunsInThePlaceOfTheGeneratedKernel() {
        StudioFixture studio;
        QVERIFY(open(studio, session::Form::Cuda));
        QVERIFY(studio.settle());
        Document& copy = *studio.studio().tabs.current();
        studio.studio().settings.set(Setting::Target, "emulate");
        studio.press(Qt::Key_F5);
        QVERIFY(!studio.studio().runs->report(copy));
        QVERIFY(studio.studio().runs->whyNotRunnable().contains("runs on a GPU alone"));
        studio.studio().settings.set(Setting::Target, "cuda");
        studio.editor().setFocus();
        studio.press(Qt::Key_F5);
        const auto* runs = studio.studio().runs;
        QTRY_VERIFY_WITH_TIMEOUT(runs->report(copy) && runs->report(copy)->result, 30'000);
        const auto& summary = runs->report(copy)->result->summary;
        QCOMPARE(summary.replaced.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(summary.replaced.front()), "matmul by " + copy.name());
    }

    void aFileOfItIsTheSameAgain() {
        StudioFixture studio;
        QVERIFY(open(studio, session::Form::Ptx));
        const QString file = studio.folder() + "/changed.ptx";
        studio.answerDialogs({file});
        QVERIFY(studio.trigger("file.save"));
        QVERIFY(studio.trigger("file.close"));
        QVERIFY(studio.studio().tabs.openFile(file));
        QTRY_VERIFY2(barOf(studio).startsWith("as generated; PTX of matmul, naive_matmul.py"),
                     qPrintable(barOf(studio)));
        studio.studio().tabs.close(*studio.studio().tabs.documents().front());
        QTRY_VERIFY(barOf(studio).startsWith("PTX of matmul, naive_matmul.py"));
        QVERIFY(studio.studio().runs->whyNotRunnable().contains("naive_matmul.py is not open"));
        auto& button = test::in<QToolButton>(studio, "by_hand.open");
        QVERIFY(button.isVisible());
        QTest::mouseClick(&button, Qt::LeftButton);
        QCOMPARE(studio.studio().tabs.current()->title(), QString("naive_matmul.py"));
    }

    void irGoesOnFromItsPass() {
        StudioFixture studio;
        const StageName stage = StageName::afterPass("lower-protected-access");
        QVERIFY(open(studio, stage, session::Form::Ir));
        const Document& copy = *studio.studio().tabs.current();
        QVERIFY2(copy.title().endsWith(".ir"), qPrintable(copy.title()));
        QVERIFY2(copy.text().contains("\n# holds: IR after lower-protected-access (pass 6)\n"),
                 copy.text().constData());
        QVERIFY(copy.text().contains("\n# edits: matmul\n"));
        QTRY_VERIFY2(
            barOf(studio).startsWith("as generated; IR after lower-protected-access of matmul, naive_matmul.py"),
            qPrintable(barOf(studio)));
        QVERIFY(studio.settle());
        QVERIFY(!studio.trigger("pane.edit")); // it is edited already
        const QString generated = studio.textOf("cuda"_stage);
        QVERIFY(generated.contains("total = 0.0f"));
        typeBehind(studio, "total: f32 = ", "1");
        QTRY_VERIFY2(barOf(studio).startsWith("diverged; IR after lower-protected-access"), qPrintable(barOf(studio)));
        QVERIFY(studio.settle());
        QTRY_COMPARE(studio.textOf("cuda"_stage), QString(generated).replace("total = 0.0f", "total = 10.0f"));
        QVERIFY(studio.textOf("ptx"_stage).contains(".entry matmul"));
        QVERIFY(studio.trigger("edit.by_hand_changes"));
        auto* pane = qobject_cast<DiffPane*>(studio.window().stages().current());
        QVERIFY(pane);
        QTRY_VERIFY_WITH_TIMEOUT(pane->isSettled() && pane->shown().changes.size() == 1, 10'000);
    }

    void whatTheVerifierSaysOfIrStandsAtItsLines() {
        StudioFixture studio;
        QVERIFY(open(studio, StageName::lowered(), session::Form::Ir));
        QVERIFY(studio.settle());
        QVERIFY(studio.editor().problems().empty());
        typeBehind(studio, "total + ", "1 + ");
        QTRY_COMPARE(studio.editor().problems().size(), std::size_t(1));
        const auto& problem = studio.editor().problems().front();
        QVERIFY2(QString::fromStdString(problem.diagnostic.message).contains("both operands have the same type"),
                 problem.diagnostic.message.c_str());
        QVERIFY(studio.editor()
                    .bytes(studio.editor().rangeOfLine(studio.editor().lineOf(problem.range.begin)))
                    .contains("total + 1 + "));
    }

    void editedIrRunsOnTheEmulatorAndOnAGpu() {
        StudioFixture studio;
        QVERIFY(open(studio, StageName::afterPass("lower-protected-access"), session::Form::Ir));
        typeBehind(studio, "total: f32 = ", "1");
        QVERIFY(studio.settle());
        const Document& copy = *studio.studio().tabs.current();
        const auto* runs = studio.studio().runs;
        studio.studio().settings.set(Setting::Target, "cpu");
        QVERIFY(runs->whyNotRunnable().contains("on a GPU or on the emulator"));
        studio.studio().settings.set(Setting::Target, "emulate");
        studio.press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(runs->report(copy) && runs->report(copy)->result, 30'000);
        const session::KernelBenchResult& emulated = *runs->report(copy)->result;
        QCOMPARE(emulated.summary.replaced.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(emulated.summary.replaced.front()), "matmul by " + copy.name());
        QVERIFY2(emulated.verdict.kind == session::VerdictKind::Wrong, emulated.verdict.sentence.c_str());
        studio.studio().settings.set(Setting::Target, "cuda");
        studio.editor().setFocus();
        studio.press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(runs->report(copy)->result && !runs->report(copy)->result->summary.emulated, 30'000);
        QCOMPARE(runs->report(copy)->result->summary.replaced.size(), std::size_t(1));
        QVERIFY(runs->report(copy)->record);
    }

private:
    // The sample's stage in a pane, and the key that opens a copy of it.
    static bool open(StudioFixture& studio, session::Form form) { return open(studio, form, form); }
    static bool open(StudioFixture& studio, const StageName& stage, session::Form form) {
        if (!showStage(studio, stage))
            return false;
        studio.press(Qt::Key_E, Qt::AltModifier);
        return QTest::qWaitFor([&] { return studio.studio().tabs.current()->byHand() == form; }, 5'000);
    }

    // The keyboard is in its pane.
    static bool showStage(StudioFixture& studio, const StageName& stage) {
        if (!studio.openSample("naive_matmul") || !studio.settle())
            return false;
        StagePane* pane = studio.window().stages().show(stage);
        if (!QTest::qWaitFor([&] { return pane->isSettled() && pane->shown().state == session::Freshness::Fresh; },
                             20'000))
            return false;
        pane->view().setFocus();
        return true;
    }
};

HIDET_UI_TEST_MAIN(ByHandTest)
#include "by_hand_test.moc"
