// SPDX-License-Identifier: GPL-3.0-only
// What is known of a kernel before it runs: notes behind lines, the dock of accesses and its pictures, fixes by keys, contracts,
// the predicted point, and measuring again while the script is edited.
#include <QComboBox>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>

#include "app/ui/charts/access_picture.h"
#include "app/ui/charts/memory_picture.h"
#include "app/ui/charts/plot_view.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/crumbs.h"
#include "app/ui/workbench/lessons.h"
#include "tests/ui/fixture/scripted_service.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

// As a person types it: the editor indents, closes brackets and quotes.
const QString typed = "import hidet\n"
                      "from hidet.lang import attrs\n"
                      "from hidet.lang.types import f32\n"
                      "from hidet.lang.cuda import blockIdx, threadIdx\n"
                      "\n"
                      "with hidet.script_module() as module:\n"
                      "@hidet.script\n"
                      "def scale(a: f32[64, 64], b: f32[64, 64]):\n"
                      "attrs.func_kind = 'cuda_kernel'\n"
                      "attrs.cuda.grid_dim = 4, 4\n"
                      "attrs.cuda.block_dim = 16, 16\n"
                      "i = blockIdx.x * 16 + threadIdx.x\n"
                      "j = blockIdx.y * 16 + threadIdx.y\n"
                      "b[i, j] = a[i, jj] * 2.0\n";

QByteArray scaling(const QByteArray& rows = "x", const QByteArray& more = {}) {
    const QByteArray columns = rows == "x" ? "y" : "x";
    return "import hidet\n"
           "from hidet.lang import attrs\n"
           "from hidet.lang.types import f32\n"
           "from hidet.lang.cuda import blockIdx, threadIdx\n"
           "with hidet.script_module() as module:\n"
           "    @hidet.script\n"
           "    def scale(a: f32[64, 64], b: f32[64, 64]):\n"
           "        attrs.func_kind = 'cuda_kernel'\n"
           "        attrs.cuda.grid_dim = 4, 4\n"
           "        attrs.cuda.block_dim = 16, 16\n" +
           more + "        i = blockIdx." + rows + " * 16 + threadIdx." + rows + "\n        j = blockIdx." + columns +
           " * 16 + threadIdx." + columns +
           "\n        b[i, j] = a[i, j] * 2.0\n"
           "kernel = module.build()\n";
}

const QByteArray tile = "import hidet\n"
                        "from hidet.lang import attrs, f32, shared_tensor\n"
                        "from hidet.lang.cuda import syncthreads, threadIdx\n"
                        "with hidet.script_module() as module:\n"
                        "    @hidet.script\n"
                        "    def turn(x: f32[32, 32], y: f32[32, 32]):\n"
                        "        attrs.func_kind = 'cuda_kernel'\n"
                        "        attrs.cuda.grid_dim = 1\n"
                        "        attrs.cuda.block_dim = 32, 32\n"
                        "        tile = shared_tensor(f32, shape=[32, 32])\n"
                        "        i, j = threadIdx.y, threadIdx.x\n"
                        "        tile[i, j] = x[i, j]\n"
                        "        syncthreads()\n"
                        "        y[i, j] = tile[j, i]\n"
                        "kernel = module.build()\n";

QString notesOf(StudioFixture& studio) {
    return studio.editor().notes().text();
}

} // namespace

class ExplainTest : public QObject {
    Q_OBJECT
private slots:
    void aKernelTypedFromNothingIsCuredByKeys() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::CompleteWhileTyping, false);
        QVERIFY(studio.trigger("file.new"));
        studio.type(typed);
        studio.press(Qt::Key_Backspace);
        studio.press(Qt::Key_Backspace);
        studio.type("kernel = module.build()\n");
        QVERIFY(studio.settle());
        QVERIFY(!studio.editor().problems().empty()); // 'jj' is no name
        QCOMPARE(notesOf(studio), QString());
        QVERIFY(studio.retype("jj", "j"));
        QVERIFY(studio.settle());
        QVERIFY2(studio.editor().problems().empty(), studio.editor().bytes().constData());
        QCOMPARE(notesOf(studio), QString("14: 4.0x"));
        const QByteArray bad = studio.editor().bytes();

        studio.press(Qt::Key_X, Qt::AltModifier | Qt::ShiftModifier);
        auto& table = in<QTableWidget>(studio, "accesses.table");
        QTRY_VERIFY(table.hasFocus());
        QCOMPARE(table.rowCount(), 2);
        QCOMPARE(table.item(0, 2)->text(), QString("4.0x"));
        QVERIFY(in<AccessPicture>(studio, "accesses.picture").hasPicture());
        studio.press(Qt::Key_Down);
        QCOMPARE(table.currentRow(), 1);
        studio.press(Qt::Key_Return, Qt::AltModifier);
        QVERIFY(studio.settle());
        QVERIFY(studio.editor().bytes().contains("i = blockIdx.x * 16 + threadIdx.y"));
        QCOMPARE(notesOf(studio), QString());
        QCOMPARE(table.item(0, 2)->text(), QString());

        studio.press(Qt::Key_Escape);
        QTRY_VERIFY(studio.editor().hasFocus());
        studio.press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.editor().bytes(), bad); // one step
        QVERIFY(studio.settle());
        QCOMPARE(notesOf(studio), QString("14: 4.0x"));
    }

    void theLightBulbOffersTheFixOfAnAccess() {
        StudioFixture studio;
        studio.openText(tile);
        QVERIFY(studio.settle());
        QCOMPARE(notesOf(studio), QString("14: 32-way"));
        studio.editor().setFocus();
        studio.editor().setCaret(studio.editor().rangeOfLine(13).end);
        QTRY_VERIFY(studio.editor().markersAtLine(13) & (1U << CodeView::FixMark));
        studio.press(Qt::Key_Return, Qt::AltModifier);
        studio.press(Qt::Key_Return);
        QVERIFY2(studio.editor().bytes().contains("shape=[32, 32 + 1]"), studio.editor().bytes().constData());
        QVERIFY(studio.settle());
        QCOMPARE(notesOf(studio), QString());
        QVERIFY(!(studio.editor().markersAtLine(13) & (1U << CodeView::FixMark)));
    }

    void aFixOfTheTextBeforeIsNotApplied() {
        StudioFixture studio;
        studio.openText(tile);
        QVERIFY(studio.settle());
        studio.press(Qt::Key_X, Qt::AltModifier | Qt::ShiftModifier);
        auto& table = in<QTableWidget>(studio, "accesses.table");
        QTRY_VERIFY(table.hasFocus() && table.currentRow() == 0);
        studio.editor().setCaret(0);
        studio.type("if = 3\n"); // what is known of the kernel is of the text without it
        QVERIFY(studio.settle());
        const QByteArray text = studio.editor().bytes();
        table.setFocus();
        studio.press(Qt::Key_Return, Qt::AltModifier);
        QCOMPARE(studio.editor().bytes(), text);
        while (studio.editor().bytes() != tile)
            studio.editor().undo();
        QVERIFY(studio.settle());
        table.setFocus();
        studio.press(Qt::Key_Return, Qt::AltModifier);
        QVERIFY2(studio.editor().bytes().contains("shape=[32, 32 + 1]"), studio.editor().bytes().constData());
    }

    void aNoteThatIsClickedOpensTheDockAtItsAccess() {
        StudioFixture studio;
        studio.openText(tile);
        QVERIFY(studio.settle());
        const LineNotes& notes = studio.editor().notes();
        QTest::mouseClick(studio.editor().viewport(), Qt::LeftButton, {}, notes.rectOf(notes.notes()[0]).center());
        auto& table = in<QTableWidget>(studio, "accesses.table");
        QTRY_VERIFY(table.isVisible() && table.currentRow() >= 0);
        QCOMPARE(table.item(table.currentRow(), 0)->text(), QString("14"));
        QCOMPARE(table.item(table.currentRow(), 2)->text(), QString("32-way"));
        table.setFocus();
        studio.press(Qt::Key_Return);
        QTRY_VERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()), 13);
    }

    void aNoteOfALineThatIsWiderThanTheViewStandsBehindItsCode() {
        StudioFixture studio;
        QByteArray wide = tile;
        wide.replace("tile[j, i]\n", "tile[j, i]  # " + QByteArray(600, '-') + '\n');
        studio.openText(wide);
        QVERIFY(studio.settle());
        ScriptEditor& editor = studio.editor();
        const LineNote& note = editor.notes().notes()[0];
        const int end = editor.rangeOfLine(note.line - 1).end;
        QVERIFY(editor.rectOf({end, end}).left() > editor.viewport()->width());
        QVERIFY(editor.notes().rectOf(note).left() > editor.rectOf({end, end}).left());
        const int reach = editor.horizontalScrollBar()->maximum() + editor.viewport()->width();
        QTRY_VERIFY(editor.horizontalScrollBar()->maximum() > 0 &&
                    editor.notes().rectOf(note).right() <= reach); // where one can scroll to
    }

    void notesMoveWithTheirLinesAndFadeOverAMistake() {
        StudioFixture studio;
        studio.openText(scaling());
        QVERIFY(studio.settle());
        QCOMPARE(notesOf(studio), QString("13: 4.0x"));
        studio.editor().setCaret(0);
        studio.type("if = 3\n");
        QCOMPARE(notesOf(studio), QString("14: 4.0x"));
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.editor().notes().areFaded());
        while (studio.editor().bytes() != scaling())
            studio.editor().undo();
        QVERIFY(studio.settle());
        QCOMPARE(notesOf(studio), QString("13: 4.0x"));
        QVERIFY(!studio.editor().notes().areFaded());
        studio.studio().settings.set(Setting::AccessNotes, false);
        QCOMPARE(notesOf(studio), QString());
    }

    void linksStayAtTheirWordsAndFadeWhileTheKernelIsBroken() {
        StudioFixture studio;
        studio.openText(scaling());
        QVERIFY(studio.settle());
        const QByteArray links = marked(studio.editor(), CodeView::LinkFill);
        QVERIFY(!links.isEmpty());
        QVERIFY(studio.find("'cuda_kernel'"));
        studio.typeHere("(\n\n");
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.editor().areLinksFaded());
        QCOMPARE(marked(studio.editor(), CodeView::LinkFill), links);
        while (studio.editor().bytes() != scaling())
            studio.editor().undo();
        QVERIFY(studio.settle());
        QTRY_VERIFY(!studio.editor().areLinksFaded());
        QCOMPARE(marked(studio.editor(), CodeView::LinkFill), links);
    }

    void contractsSayWhatHoldsBesideThem() {
        StudioFixture studio;
        studio.openText(scaling("x", "        # studio: expect coalesced >= 0.9, conflicts == 0, of_roof >= 0.99\n"));
        QVERIFY(studio.settle());
        const auto& notes = studio.editor().notes().notes();
        QVERIFY(notes.size() >= 4);
        QCOMPARE(notes[0].text, QString("coalesced 0.25"));
        QCOMPARE(notes[0].tone, NoteTone::Error);
        QCOMPARE(notes[1].tone, NoteTone::Ok);
        QVERIFY(notes[2].isPredicted && notes[2].text.startsWith("of_roof ~"));
        // What cannot be read is said, and keeps nobody from running the script.
        QVERIFY(studio.retype("conflicts ==", "conflict =="));
        QVERIFY(studio.settle());
        QCOMPARE(studio.editor().problems().size(), 1U);
        QVERIFY(!studio.studio().scripts.live()->latest()->has_errors);
    }

    void outlineAndCrumbsSayWhatIsKnownOfAKernel() {
        StudioFixture studio;
        studio.openText(scaling("x", "        # studio: expect coalesced >= 0.9\n"));
        QVERIFY(studio.trigger("dock.outline"));
        QVERIFY(studio.settle());
        const auto said = [&] {
            const auto found =
                in<QTreeWidget>(studio, "outline").findItems("scale", Qt::MatchExactly | Qt::MatchRecursive);
            return found.isEmpty() ? QString() : found.front()->data(0, Qt::AccessibleTextRole).toString();
        };
        QVERIFY2(said().contains("Predicted: "), qPrintable(said()));
        QVERIFY2(said().contains("Line 14: "), qPrintable(said()));
        QVERIFY2(said().contains("Broken: coalesced >= 0.9"), qPrintable(said()));
        QVERIFY2(said().contains("of global memory moved"), qPrintable(said()));
        // The same where the caret is in the kernel, and a click on its name goes to it.
        auto& crumbs = in<Crumbs>(studio, "crumbs");
        QVERIFY(!crumbs.isVisible());
        QVERIFY(studio.find("2.0"));
        QTRY_VERIFY(crumbs.isVisible());
        QVERIFY2(crumbs.text().contains("scale ~") && crumbs.text().contains("contract broken"),
                 qPrintable(crumbs.text()));
        QTest::mouseClick(
            &crumbs, Qt::LeftButton, {},
            {crumbs.fontMetrics().horizontalAdvance(crumbs.text().section(QString(" ") + QChar(0x203a), 0, 0)) + 28,
             crumbs.height() / 2});
        QCOMPARE(studio.editor().caret(), int(studio.editor().bytes().indexOf("scale")));
        // The cure takes both away.
        QVERIFY(studio.retype("j = blockIdx.y * 16 + threadIdx.y", "j = blockIdx.y * 16 + threadIdx.x"));
        QVERIFY(studio.retype("i = blockIdx.x * 16 + threadIdx.x", "i = blockIdx.x * 16 + threadIdx.y"));
        QVERIFY(studio.settle());
        QTRY_VERIFY2(crumbs.text().contains("contract kept") && !crumbs.text().contains("finding"),
                     qPrintable(crumbs.text()));
        QVERIFY2(said().contains("Kept: coalesced >= 0.9") && !said().contains("Line 14"), qPrintable(said()));
    }

    void crumbsAreThoseOfTheTabInFront() {
        StudioFixture studio;
        studio.openText(scaling("x", ""));
        QVERIFY(studio.settle());
        auto& crumbs = in<Crumbs>(studio, "crumbs");
        QVERIFY(studio.find("2.0"));
        QTRY_VERIFY(crumbs.text().contains("scale"));
        Document* inside = studio.studio().tabs.current();
        studio.openText(scaling("x", "")); // its caret is before the kernel
        QVERIFY(studio.settle());
        QTRY_VERIFY(!crumbs.isVisible());
        Document* before = studio.studio().tabs.current();
        studio.studio().tabs.setCurrent(inside);
        QTRY_VERIFY(crumbs.isVisible() && crumbs.text().contains("scale"));
        studio.studio().tabs.setCurrent(before);
        QTRY_VERIFY(!crumbs.isVisible());
    }

    void aFindingIsShownExplainedAndTried() {
        StudioFixture studio;
        studio.openText(tile);
        QVERIFY(studio.settle());
        studio.studio().requests.showAccess(14); // as a click on the note does
        auto& picture = in<AccessPicture>(studio, "accesses.picture");
        QTRY_COMPARE(picture.marked().size(), std::size_t(32)); // all lanes want the one bank
        auto& learn = in<LessonButton>(studio, "accesses.learn");
        QVERIFY(learn.isVisible());
        QCOMPARE(learn.lesson(), QString("bank-conflict"));
        // What the manual says of it, its script in a tab, and the script that is cured.
        emit learn.menu()->aboutToShow();
        QCOMPARE(learn.menu()->actions().size(), 3);
        learn.menu()->actions().at(0)->trigger();
        QVERIFY(in<QTextBrowser>(studio, "manual.text").toPlainText().startsWith("Bank conflicts"));
        learn.menu()->actions().at(1)->trigger();
        QVERIFY(studio.settle());
        QCOMPARE(studio.studio().tabs.documents().size(), 2);
        QVERIFY(notesOf(studio).contains("32-way"));
        QVERIFY(studio.trigger("finding.cure.bank-conflict"));
        QVERIFY(studio.settle());
        QCOMPARE(studio.studio().tabs.documents().size(), 3);
        QCOMPARE(notesOf(studio), QString());
    }

    void anAccessThatLeavesItsTensorIsNotedBeforeAnythingRuns() {
        StudioFixture studio;
        studio.openText(QByteArray(tile).replace("x[i, j]", "x[i, j + 1]"));
        QVERIFY(studio.settle());
        QTRY_VERIFY2(notesOf(studio).contains("12: outside"), qPrintable(notesOf(studio)));
        const auto leaves = [&] {
            for (const LineNote& note : studio.editor().notes().notes())
                if (note.words.contains("x[0, 32] is outside of its shape [32, 32]") &&
                    note.words.contains("(31, 0, 0)"))
                    return note.tone == NoteTone::Error;
            return false;
        };
        QVERIFY(leaves());
        QVERIFY(studio.retype("j + 1", "j"));
        QVERIFY(studio.settle());
        QTRY_VERIFY2(!notesOf(studio).contains("outside"), qPrintable(notesOf(studio)));
    }

    void aRaceIsShownByItsLanes() {
        StudioFixture studio;
        QVERIFY(studio.trigger("finding.example.race"));
        QVERIFY(studio.settle());
        Document& document = *studio.studio().tabs.current();
        session::DiagnosticView race;
        race.id = "race";
        race.message = "reads what another thread writes";
        race.place.file = document.name().toStdString();
        race.place.line = race.place.end_line = 14;
        race.place.column = race.place.end_column = 26;
        race.where = session::ThreadPlace{{0, 0, 0}, {37, 0, 0}};
        studio.studio().scripts.setFindings(document, {race});
        QCOMPARE(lessonOf(race), QString("race"));
        showFinding(studio.studio(), "race", race.place);
        QTRY_COMPARE(in<AccessPicture>(studio, "accesses.picture").marked(), std::vector<int>{5});
        // F1 in the list of problems says what it is.
        QVERIFY(studio.trigger("dock.problems"));
        auto& list = in<QTreeWidget>(studio, "problems.list");
        QTRY_COMPARE(list.topLevelItemCount(), 1);
        list.setCurrentItem(list.topLevelItem(0));
        list.setFocus();
        QTest::keyClick(&list, Qt::Key_F1);
        QVERIFY(in<QTextBrowser>(studio, "manual.text").toPlainText().startsWith("Races"));
    }

    void problemsAreThoseOfAllOpenFiles() {
        StudioFixture studio;
        studio.openText("one = nowhere\n");
        QVERIFY(studio.settle());
        const QString first = studio.studio().tabs.current()->title();
        studio.openText("two = elsewhere\nthree = 1\n");
        QVERIFY(studio.settle());
        auto& list = in<QTreeWidget>(studio, "problems.list");
        QTRY_COMPARE(list.topLevelItemCount(), 2);
        QVERIFY(list.topLevelItem(0)->text(0).contains("elsewhere")); // that in front is first
        QVERIFY(list.topLevelItem(1)->text(0).contains("nowhere"));
        QVERIFY(list.topLevelItem(1)->text(2).startsWith(first));
        auto& files = in<QComboBox>(studio, "problems.files");
        QVERIFY(files.isVisible());
        files.setCurrentText(first);
        QCOMPARE(list.topLevelItemCount(), 1);
        emit list.itemClicked(list.topLevelItem(0), 0);
        QCOMPARE(studio.studio().tabs.current()->title(), first);
        // It is mended there, and the other file's is left.
        QVERIFY(studio.retype("nowhere", "1"));
        QVERIFY(studio.settle());
        QTRY_COMPARE(list.topLevelItemCount(), 0);
        files.setCurrentIndex(0);
        QCOMPARE(list.topLevelItemCount(), 1);
    }

    void aMistakeOfRanksHasAFixThatWasTried() {
        StudioFixture studio;
        studio.openText(scaling().replace("a[i, j] * 2.0", "a[i] * 2.0"));
        QVERIFY(studio.settle());
        auto& list = in<QTreeWidget>(studio, "problems.list");
        QTRY_COMPARE(list.topLevelItemCount(), 1);
        QTRY_VERIFY2(list.topLevelItem(0)->toolTip(0).contains("index 'a' of shape [64, 64] by [i, j]"),
                     qPrintable(list.topLevelItem(0)->toolTip(0)));
        list.setCurrentItem(list.topLevelItem(0));
        list.setFocus();
        studio.press(Qt::Key_Return, Qt::AltModifier);
        QVERIFY(studio.settle());
        QCOMPARE(studio.editor().bytes(), scaling());
        QVERIFY(studio.editor().problems().empty());
    }

    void whatMovesBetweenLevelsFollowsTheText() {
        StudioFixture studio;
        studio.openText(scaling());
        QVERIFY(studio.trigger("dock.traffic"));
        QVERIFY(studio.settle());
        auto& picture = in<MemoryPicture>(studio, "traffic.picture");
        QTRY_VERIFY(picture.isVisible() && picture.hasPicture());
        QVERIFY2(picture.words().contains("L2 and L1: ~64 KiB read, 64 KiB written, 4.00 times the ideal sectors"),
                 qPrintable(picture.words()));
        QVERIFY(studio.retype("j = blockIdx.y * 16 + threadIdx.y", "j = blockIdx.y * 16 + threadIdx.x"));
        QVERIFY(studio.retype("i = blockIdx.x * 16 + threadIdx.x", "i = blockIdx.x * 16 + threadIdx.y"));
        QVERIFY(studio.settle());
        QTRY_VERIFY2(picture.words().contains("as few sectors as possible"), qPrintable(picture.words()));
    }

    void picturesAreSavedAsPicturesAndTables() {
        StudioFixture studio;
        studio.openText(tile);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.accesses"));
        auto& picture = in<AccessPicture>(studio, "accesses.picture");
        QTRY_VERIFY(picture.hasPicture());
        QVERIFY(picture.words().contains("32-way bank conflict"));
        for (const char* ending : {"png", "svg", "tsv"}) {
            const QString path = studio.folder() + "/picture." + ending;
            studio.answerDialogs({path});
            picture.setFocus();
            QVERIFY(studio.trigger("pane.picture"));
            QVERIFY(QTest::qWaitFor([&] { return QFile(path).size() > 100; }));
        }
        QCOMPARE(picture.tsv().count('\n'), 33);
        picture.setFocus();
        studio.press(Qt::Key_Right);
        QCOMPARE(picture.accessibleDescription(), QString("lane 0: bytes 0 to 3, bank 0"));
    }

    void thePredictedPointMovesWhileTyping() {
        StudioFixture studio;
        studio.openText(scaling());
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.plots"));
        in<QTabBar>(studio, "plots.kind").setCurrentIndex(2);
        auto& plot = in<PlotView>(studio, "plots.view");
        QVERIFY(plot.hasPlot());
        const auto point = [&] { return plot.plot().series.last(); };
        QCOMPARE(point().mark, PlotMark::Predicted);
        QVERIFY(point().name.startsWith("~scale"));
        const QPointF before = point().points.first();
        QVERIFY(studio.retype("* 2.0", "* 2.0 + 1.0 * a[i, j]"));
        QVERIFY(studio.settle());
        QVERIFY(point().points.first().x() > before.x());
    }

    void theKernelIsMeasuredAgainAfterAPause() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        studio.openText(scaling());
        QVERIFY(studio.settle());
        QTest::qWait(700);
        QCOMPARE(log.jobs.size(), 0); // off until the user says otherwise
        QVERIFY(studio.trigger("run.while_editing"));
        QTRY_COMPARE(log.jobs.size(), 1);
        studio.editor().setCaret(studio.editor().byteCount());
        studio.type("# x");
        QTRY_COMPARE(log.cancelled.size(), 1); // the newest wins
        log.jobs[0]->onDone({session::Ended::Cancelled, {}, {}, {}});
        QTRY_COMPARE(log.jobs.size(), 2);
        QVERIFY(!studio.studio().runs->report(*studio.studio().tabs.current())); // what was stopped leaves no trace
        session::KernelBenchResult result;
        result.function = "scale";
        log.jobs[1]->onDone({session::Ended::Answered, result, {}, {}});
        QTRY_VERIFY(studio.studio().runs->report(*studio.studio().tabs.current()));
        QVERIFY(!studio.studio().runs->isStale(*studio.studio().tabs.current()));
        studio.type("\nx = )"); // a mistake: the last figure stays, and is of the text before
        QVERIFY(studio.settle());
        QTest::qWait(700);
        QCOMPARE(log.jobs.size(), 2);
        QVERIFY(studio.studio().runs->isStale(*studio.studio().tabs.current()));
    }

    void whatTheUserRunsComesBeforeWhatRunsByItself() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        studio.openText(scaling());
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("run.while_editing"));
        QTRY_COMPARE(log.jobs.size(), 1);
        QVERIFY(studio.trigger("run.run"));
        QCOMPARE(log.cancelled.size(), 1);
        log.jobs[0]->onDone({session::Ended::Cancelled, {}, {}, {}});
        QTRY_COMPARE(log.jobs.size(), 2);
        QVERIFY(!studio.studio().runs->isByItself());
        log.jobs[1]->onDone({session::Ended::Cancelled, {}, {}, {}});
        QTRY_VERIFY(!studio.studio().jobs->running());
    }
};

HIDET_UI_TEST_MAIN(ExplainTest)
#include "explain_test.moc"
