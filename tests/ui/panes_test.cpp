// SPDX-License-Identifier: GPL-3.0-only
// Panes of stages in the real window: links, passes, searches, and what is shown while a script is broken.
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QLineEdit>
#include <QMimeData>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include "app/ui/code/text_patch.h"
#include "app/ui/panes/instantiation_bar.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::marked;
using hidet::ui::test::StudioFixture;

namespace {

int hueAt(CodeView& view, int offset) {
    return static_cast<int>(view.SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT,
                                               static_cast<unsigned long>(CodeView::LinkFill),
                                               static_cast<long>(offset)));
}

int find(CodeView& view, const QByteArray& text) {
    return static_cast<int>(view.bytes().indexOf(text));
}

constexpr const char* factory = R"(import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx


def scaled(n, factor=2):
    with hidet.script_module() as script_module:

        @hidet.script
        def scale(a: f32[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            a[threadIdx.x] = a[threadIdx.x] * factor

    return script_module.build()
)";

} // namespace

class Panes : public QObject {
    Q_OBJECT
private slots:
    void aPatchLeavesEqualLinesWhereTheyAre() {
        const std::string before = "a\nb\nc\nd\n", after = "a\nx\ny\nc\nd\n";
        const TextPatch patch(before, after);
        QCOMPARE(patch.mapped(0), 0);
        QCOMPARE(patch.mapped(1), -1);
        QCOMPARE(patch.nearest(1), 1);
        QCOMPARE(patch.mapped(2), 3);
        QCOMPARE(patch.mapped(3), 4);
        QCOMPARE(patch.replacements().size(), std::size_t(1));
        QVERIFY(TextPatch(before, before).hunks().empty());
        QVERIFY(TextPatch("", "").hunks().empty());
    }

    // Few changes in their places, very many as one.
    void aPatchOfManyChangesGivesTheNewText() {
        for (const int lines : {60, 300}) {
            std::string before, after;
            for (int line = 0; line < lines; ++line) {
                before += "line " + std::to_string(line) + "\n";
                if (line % 7 != 0)
                    after += line % 11 == 0 ? "other\n" : "line " + std::to_string(line) + "\n";
            }
            const TextPatch patch(before, after);
            std::string text = before;
            const auto changes = patch.replacements();
            QVERIFY(patch.hunks().size() > 5);
            QCOMPARE(changes.size(), lines == 60 ? patch.hunks().size() : std::size_t(1));
            for (auto change = changes.rbegin(); change != changes.rend(); ++change)
                text.replace(change->begin, change->end - change->begin, change->text);
            QCOMPARE(text, after);
        }
    }

    void linkedTextHasOneHueInScriptAndStages() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        CodeView& cuda = studio.window().stages().show("cuda"_stage)->view();
        CodeView& ir = studio.window().stages().find("ir"_stage)->view();
        const int hue = hueAt(studio.editor(), find(studio.editor(), "total +="));
        QVERIFY(hue != 0);
        QCOMPARE(hueAt(cuda, find(cuda, "total +=")), hue);
        QCOMPARE(hueAt(ir, find(ir, "total = total")), hue);
        QVERIFY(hueAt(cuda, find(cuda, "c[i * ")) != hue);
    }

    void whatTheScriptAndTheIrLinkAreTokens() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        // A comment behind a statement became nothing.
        QByteArray text = studio.editor().bytes();
        studio.editor().replaceAll(text.replace("total = f32(0.0)", "total = f32(0.0)  # nothing yet"));
        QVERIFY(studio.settle());
        QVERIFY(hueAt(studio.editor(), find(studio.editor(), "f32(0.0)")) != 0);
        QCOMPARE(hueAt(studio.editor(), find(studio.editor(), "# nothing yet")), 0);
        // The caret in an operand means the operand, there and in every pane.
        CodeView& ir = studio.window().stages().find("ir"_stage)->view();
        studio.editor().setFocus();
        studio.editor().setCaret(find(studio.editor(), "a[i, p] * b") + 1);
        QTRY_VERIFY(marked(studio.editor(), CodeView::LinkOutline).startsWith("a[i, p"));
        const QByteArray outlined = marked(ir, CodeView::LinkOutline);
        QVERIFY2(outlined.startsWith("a[") && !outlined.contains("total"), outlined.constData());
        ir.setFocus();
        ir.setCaret(find(ir, "b[p"));
        QTRY_VERIFY(marked(studio.editor(), CodeView::LinkOutline).startsWith("b[p, j"));
    }

    void theMouseOverAPaneOutlinesAllOthersAndMovesNoText() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        CodeView& cuda = studio.window().stages().show("cuda"_stage)->view();
        const int at = find(cuda, "total +=");
        cuda.reveal({at, at + 1});
        const int first = cuda.firstLine();
        emit cuda.hovered(at + 1);
        QVERIFY(marked(studio.editor(), CodeView::LinkOutline).contains("total"));
        QVERIFY(
            marked(studio.window().stages().find("ir"_stage)->view(), CodeView::LinkOutline).contains("total = total"));
        QCOMPARE(cuda.firstLine(), first);
        emit cuda.hoverLeft();
        QVERIFY(!marked(studio.window().stages().find("ir"_stage)->view(), CodeView::LinkOutline)
                     .contains("total = total"));
    }

    void aLinkIsFollowedFromPaneToPaneByKeyboard() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        studio.window().activateWindow();
        studio.editor().setFocus();
        studio.editor().setCaret(find(studio.editor(), "total +="));
        CodeView& ir = studio.window().stages().find("ir"_stage)->view();
        CodeView& cuda = studio.window().stages().find("cuda"_stage)->view();
        QTRY_VERIFY(marked(cuda, CodeView::LinkOutline).contains("total"));
        QTest::keyClick(&studio.editor(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(ir.hasFocus());
        QVERIFY(ir.bytes(ir.rangeOfLine(ir.lineOf(ir.caret()))).contains("total = total"));
        QTest::keyClick(&ir, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(cuda.hasFocus());
        QVERIFY(cuda.bytes(cuda.rangeOfLine(cuda.lineOf(cuda.caret()))).contains("total +="));
        QTest::keyClick(&cuda, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(studio.editor().hasFocus());
    }

    void aPinnedLinkStaysOutlined() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        CodeView& cuda = studio.window().stages().find("cuda"_stage)->view();
        studio.editor().setFocus();
        studio.editor().setCaret(find(studio.editor(), "total +="));
        QTRY_VERIFY(marked(cuda, CodeView::LinkOutline).contains("total"));
        QVERIFY(studio.trigger("pane.pin_link"));
        studio.editor().setCaret(find(studio.editor(), "i = blockIdx"));
        QTRY_COMPARE(studio.studio().links.caret()->place.line, 24);
        QVERIFY(marked(cuda, CodeView::LinkOutline).contains("total"));
        QVERIFY(studio.trigger("pane.pin_link"));
        QTRY_VERIFY(!marked(cuda, CodeView::LinkOutline).contains("total"));
    }

    void linkedRangesAreSteppedThrough() {
        StudioFixture studio;
        QVERIFY(studio.openSample("tensor_core_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().find("cuda"_stage);
        CodeView& cuda = pane->view();
        cuda.setFocus();
        // A place that became many ranges.
        std::optional<hidet::session::Place> place;
        for (int at = 0; at < cuda.byteCount() && !place; at += 5)
            if (auto here = pane->placeAt(at); here && pane->targetsOf(*here).size() > 2)
                place = here;
        QVERIFY(place.has_value());
        const std::vector<ByteRange> ranges = pane->targetsOf(*place);
        cuda.setCaret(ranges[0].begin);
        QVERIFY(studio.trigger("pane.next_link"));
        QCOMPARE(cuda.caret(), ranges[1].begin);
        QVERIFY(studio.trigger("pane.previous_link"));
        QCOMPARE(cuda.caret(), ranges[0].begin);
    }

    void passesAreSteppedThroughByKeys() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().find("ir"_stage);
        const QByteArray last = pane->view().bytes();
        pane->view().setFocus();
        QTest::keyClick(&pane->view(), '[');
        QVERIFY(pane->stage() != "ir"_stage);
        QVERIFY(pane->title().startsWith("IR after "));
        QVERIFY(pane->view().bytes() != last);
        QCOMPARE(pane->accessibleName(), pane->title());
        PaneGroup* group = studio.window().stages().groupOf(pane);
        QCOMPARE(group->tabText(group->indexOf(pane)), pane->title());
        QTest::keyClick(&pane->view(), ']');
        QCOMPARE(pane->view().bytes(), last);
        for (int i = 0; i < 60; ++i)
            QTest::keyClick(&pane->view(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(pane->stage(), "ir:script"_stage);
        QTest::keyClick(&pane->view(), Qt::Key_Down, Qt::AltModifier);
        QVERIFY(pane->stage() != "ir:script"_stage);
    }

    void passesOfOneNameAreToldApart() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        const auto& passes = studio.studio().scripts.live()->board().passes(studio.studio().scripts.live()->module());
        for (const auto& pass : passes)
            QCOMPARE(passNumber(passes, nameOfPass(passes, pass.number)), pass.number);
        QCOMPARE(shownPass(passes, "ir"_stage), passes.back().number);
        QCOMPARE(passNumber(passes, "ir:no-such-pass"_stage), -1);
    }

    void theListOfPassesShowsTheirIr() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.passes"));
        auto* table = studio.window().findChild<QTableView*>("passes.table");
        QTRY_VERIFY(table->model()->rowCount() > 10);
        const int all = table->model()->rowCount();
        studio.window().findChild<QToolButton*>("passes.changed_only")->click();
        QVERIFY(table->model()->rowCount() < all);
        table->setFocus();
        table->setCurrentIndex(table->model()->index(1, 1));
        QTest::keyClick(table, 'j');
        const QString name = table->model()->index(2, 1).data().toString();
        QVERIFY(studio.window().stages().showIr(studio.studio().stages.shownIr())->title().contains(name));
        QCOMPARE(table->currentIndex().row(), 2);
        // The row stays when the script changes.
        QByteArray text = studio.editor().bytes();
        studio.editor().replaceAll(text.replace("0.0", "1.0"));
        QVERIFY(studio.settle());
        QTRY_COMPARE(table->currentIndex().data().toString().isEmpty(), false);
        QCOMPARE(table->currentIndex().row(), 2);
    }

    void thePassThatMadeALineIsNamed() {
        StudioFixture studio;
        QVERIFY(studio.openSample("tensor_core_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().find("ir"_stage);
        QVERIFY(!pane->blame().isShown());
        QVERIFY(studio.trigger("passes.blame"));
        QVERIFY(pane->blame().isShown());
        QStringList passes;
        for (int line = 0; line < pane->view().lines(); ++line)
            passes << pane->blame().passOf(line);
        QVERIFY(passes.contains("expand-task-mapping"));
        const int line = static_cast<int>(passes.indexOf("expand-task-mapping"));
        QVERIFY(pane->blame().htmlOf(line).contains("expand-task-mapping"));
        QVERIFY(pane->view().marginWidth(CodeView::NoteMargin) > 40);
        QVERIFY(studio.trigger("passes.blame"));
        QCOMPARE(pane->view().marginWidth(CodeView::NoteMargin), 0);
    }

    void panesAreSplitMovedClosedAndMadeAgain() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        StageArea& area = studio.window().stages();
        const qsizetype groups = area.groups().size();
        QVERIFY(studio.trigger("pane.split_down"));
        QCOMPARE(area.groups().size(), groups + 1);
        area.currentStage()->setStage("ptx"_stage);
        QVERIFY(studio.trigger("pane.duplicate"));
        QCOMPARE(area.groupOf(area.current())->count(), 2);
        Pane* moved = area.current();
        QVERIFY(studio.trigger("pane.move"));
        QVERIFY(area.groupOf(moved)->count() >= 2);
        area.moveToEdge(moved, area.groups().first(), Qt::LeftEdge);
        QCOMPARE(area.groupOf(moved), area.groups().first());
        QCOMPARE(area.groups().first()->count(), 1);
        area.compare({"ir"_stage}, {"cuda"_stage});
        const QJsonObject state = area.state();
        QStringList before;
        for (Pane* pane : area.panes())
            before << pane->state();
        while (area.panes().size() > 1)
            QVERIFY(studio.trigger("pane.close"));
        area.restore(state);
        QStringList after;
        for (Pane* pane : area.panes())
            after << pane->state();
        QCOMPARE(after, before);
        QCOMPARE(area.state()["children"].toArray().size(), state["children"].toArray().size());
    }

    void aPinnedPaneKeepsItsTextAlsoWhenItsModeIsLeft() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        studio.window().stages().show("cuda"_stage)->setFocus();
        QVERIFY(studio.trigger("pane.pin"));
        const QByteArray pinned = studio.window().stages().currentStage()->view().bytes();
        QByteArray text = studio.editor().bytes();
        studio.editor().replaceAll(text.replace("f32(0.0)", "f32(7.0)"));
        QVERIFY(studio.settle());
        QCOMPARE(studio.window().stages().currentStage()->view().bytes(), pinned);
        QVERIFY(studio.trigger("view.mode_lower"));
        QVERIFY(studio.trigger("view.mode_edit"));
        StagePane* pane = nullptr;
        for (StagePane* each : studio.window().stages().stagePanes())
            if (each->isPinned())
                pane = each;
        QVERIFY(pane);
        QCOMPARE(pane->view().bytes(), pinned);
        QVERIFY(pane->notice().startsWith("Pinned"));
        pane->setPinned(false);
        QVERIFY(pane->view().bytes().contains("7.0f"));
    }

    void aTextThatIsOldSaysWhy() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().show("cuda"_stage);
        QVERIFY(pane->notice().isEmpty());
        QByteArray text = studio.editor().bytes();
        studio.editor().replaceAll(text.replace("range(k):", "range(k:"));
        QVERIFY(studio.settle());
        QVERIFY(pane->notice().contains("does not parse"));
        QVERIFY(pane->view().isStale());
        studio.editor().undo();
        QVERIFY(studio.settle());
        QVERIFY(pane->notice().isEmpty());
    }

    void anEmptyPaneSaysWhatWillBeThere() {
        StudioFixture studio;
        QVERIFY(studio.trigger("file.new"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().stagePanes().first();
        QVERIFY(pane->isEmpty());
        QVERIFY(pane->emptyText().contains("will appear here"));
        studio.type("a = 1 +\n");
        QVERIFY(studio.settle());
        QVERIFY(pane->isEmpty());
    }

    void aReaderStaysAtTheirLine() {
        StudioFixture studio;
        QVERIFY(studio.openSample("tensor_core_matmul"));
        QVERIFY(studio.settle());
        CodeView& cuda = studio.window().stages().show("cuda"_stage)->view();
        cuda.setFirstLine(60);
        cuda.setCaret(cuda.rangeOfLine(64).begin);
        cuda.setFirstLine(60);
        const QByteArray top = cuda.bytes(cuda.rangeOfLine(60)), line = cuda.bytes(cuda.rangeOfLine(64));
        // One more statement at the top of the kernel.
        QByteArray text = studio.editor().bytes();
        const qsizetype at = text.indexOf("for turn in");
        const qsizetype begin = text.lastIndexOf('\n', at) + 1;
        text.insert(begin, text.mid(begin, at - begin) + "syncthreads()\n");
        studio.editor().replaceAll(text);
        QVERIFY(studio.settle());
        QCOMPARE(studio.window().stages().show("cuda"_stage)->shown().state, hidet::session::Freshness::Fresh);
        QCOMPARE(cuda.bytes(cuda.rangeOfLine(cuda.firstLine())), top);
        QCOMPARE(cuda.bytes(cuda.rangeOfLine(cuda.lineOf(cuda.caret()))), line);
    }

    void anotherStageShowsTheSamePlace() {
        StudioFixture studio;
        QVERIFY(studio.openSample("tensor_core_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().find("ir"_stage);
        const int at = find(pane->view(), "mma_sync");
        QVERIFY(at > 0);
        pane->view().setCaret(at);
        pane->view().setFirstLine(pane->view().lineOf(at));
        pane->setStage("ir:script"_stage);
        const int line = pane->view().lineOf(find(pane->view(), "mma_sync"));
        QVERIFY(pane->view().isVisible(pane->view().rangeOfLine(line)));
        QVERIFY(pane->view().firstLine() > 0);
    }

    void allStagesAreSearched() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.search"));
        auto* text = studio.window().findChild<QLineEdit*>("search.text");
        auto* results = studio.window().findChild<QTreeWidget*>("search.results");
        QVERIFY(text->hasFocus());
        QTest::keyClicks(text, "total");
        QTRY_VERIFY(results->topLevelItemCount() >= 3);
        QStringList stages;
        for (int i = 0; i < results->topLevelItemCount(); ++i)
            stages << results->topLevelItem(i)->text(0).section("  ", 0, 0);
        QVERIFY(stages.contains("Script"));
        QVERIFY(stages.contains("CUDA"));
        QTreeWidgetItem* hit = results->topLevelItem(static_cast<int>(stages.indexOf("CUDA")))->child(0);
        results->scrollToItem(hit);
        QTest::mouseClick(results->viewport(), Qt::LeftButton, {}, results->visualItemRect(hit).center());
        CodeView& cuda = studio.window().stages().find("cuda"_stage)->view();
        QCOMPARE(cuda.bytes(cuda.selection()), QByteArray("total"));
        studio.window().findChild<QToolButton*>("search.regex")->click();
        text->setText("tot[a");
        auto* count = studio.window().findChild<QLabel*>("search.count");
        QTRY_VERIFY(count->text().contains("not valid"));
        text->setText("t.t\\w+ \\+=");
        QTRY_VERIFY(count->text().contains("hits"));
        studio.window().findChild<QToolButton*>("search.case")->click();
        text->setText("TOTAL");
        QTRY_COMPARE(count->text(), QString("Nothing was found"));
    }

    void aCopyHasTheColoursOfTheTheme() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        CodeView& cuda = studio.window().stages().show("cuda"_stage)->view();
        QVERIFY(studio.trigger("pane.copy_all"));
        const QMimeData* copied = QGuiApplication::clipboard()->mimeData();
        QCOMPARE(copied->text().toUtf8(), cuda.bytes());
        const Theme& theme = studio.studio().themes.theme();
        QVERIFY(copied->html().contains(theme.color(SyntaxColor::Keyword).name()));
        QVERIFY(copied->html().contains("total"));
        const int at = find(cuda, "total +=");
        cuda.setFocus();
        cuda.SendScintilla(QsciScintilla::SCI_SETSEL, static_cast<unsigned long>(at), static_cast<long>(at + 5));
        QVERIFY(studio.trigger("edit.copy"));
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("total"));
        QVERIFY(QGuiApplication::clipboard()->mimeData()->html().startsWith("<pre"));
    }

    void aStageIsSavedAsTextAndAsPicture() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        studio.window().stages().show("cuda"_stage)->setFocus();
        const QString text = studio.folder() + "/kernel.cu", png = studio.folder() + "/pane.png",
                      svg = studio.folder() + "/pane.svg";
        studio.answerDialogs({text, png, svg});
        QVERIFY(studio.trigger("pane.save_text"));
        QFile file(text);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray saved = file.readAll();
        const QByteArray madeBy = saved.first(saved.size() - studio.textOf("cuda"_stage).size());
        QVERIFY2(madeBy.startsWith("// made by: Hidet Studio"), madeBy.constData());
        QVERIFY2(madeBy.contains("// holds: CUDA for sm_90a\n// source: naive_matmul.py, text "), madeBy.constData());
        QCOMPARE(saved, madeBy + studio.textOf("cuda"_stage));
        QVERIFY(studio.trigger("pane.picture"));
        const QImage picture(png);
        QCOMPARE(picture.width(), studio.window().stages().currentStage()->width() * 2);
        QVERIFY(studio.trigger("pane.picture"));
        QFile drawing(svg);
        QVERIFY(drawing.open(QIODevice::ReadOnly));
        QVERIFY(drawing.readAll().contains("<svg"));
    }

    void filtersLeaveLinksWhereTheyBelong() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().show("ptx"_stage);
        if (pane->shown().state == hidet::session::Freshness::Unavailable)
            QSKIP("this machine has no NVRTC");
        QCOMPARE(pane->shown().state, hidet::session::Freshness::Fresh);
        const QByteArray whole = pane->view().bytes();
        QVERIFY(whole.contains(".version"));
        studio.editor().setFocus();
        studio.editor().setCaret(find(studio.editor(), "total +="));
        QTRY_VERIFY(marked(pane->view(), CodeView::LinkOutline).contains("fma"));
        QVERIFY(studio.trigger("pane.filter.ptx-directives"));
        QVERIFY(studio.settle());
        QVERIFY(!pane->view().bytes().contains(".version"));
        QVERIFY(pane->view().bytes().size() < whole.size());
        QVERIFY(marked(pane->view(), CodeView::LinkOutline).contains("fma"));
        QVERIFY(studio.trigger("pane.filter.ptx-directives"));
        QCOMPARE(pane->view().bytes(), whole);
    }

    void anInstructionIsExplained() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().show("ptx"_stage);
        if (pane->shown().state == hidet::session::Freshness::Unavailable)
            QSKIP("this machine has no NVRTC");
        QCOMPARE(pane->shown().state, hidet::session::Freshness::Fresh);
        pane->view().setFocus();
        pane->view().setCaret(find(pane->view(), "fma.rn.f32") + 2);
        QVERIFY(studio.trigger("pane.explain"));
        auto* card = studio.window().findChild<HelpCard*>("pane.help");
        QVERIFY(card->isVisible());
        QVERIFY(card->text().contains("fma"));
        QTest::keyClick(&pane->view(), Qt::Key_Down);
        QVERIFY(!card->isVisible());
    }

    void aKernelFactoryIsCalledFromTheBar() {
        StudioFixture studio;
        studio.openText(factory);
        QVERIFY(studio.settle());
        auto* bar = studio.window().findChild<InstantiationBar*>("call");
        auto* call = studio.window().findChild<QLineEdit*>("call.text");
        QTRY_VERIFY(bar->isVisible());
        QCOMPARE(call->placeholderText(), QString("scaled(n)"));
        call->setFocus();
        QTest::keyClicks(call, "scaled(64)");
        QTest::keyClick(call, Qt::Key_Return);
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda"_stage).contains("scale"));
        QVERIFY(bar->isVisible());
        // Calls that are set elsewhere are seen at once; a field that was emptied stays so while the script is edited.
        studio.studio().scripts.live()->setCalls({"scaled(32)", "scaled(16)"});
        QCOMPARE(call->text(), QString("scaled(32); scaled(16)"));
        call->setFocus();
        call->selectAll();
        QTest::keyClick(call, Qt::Key_Delete);
        studio.type("# a remark\n");
        QVERIFY(studio.settle());
        QCOMPARE(call->text(), QString());
    }

    void theModuleIsChosenForAllPanes() {
        StudioFixture studio;
        QByteArray text = factory;
        text += "\n\nfirst = scaled(32)\nsecond = scaled(64)\n";
        studio.openText(text);
        QVERIFY(studio.settle());
        QCOMPARE(studio.studio().scripts.live()->board().modules().size(), std::size_t(2));
        StagePane* pane = studio.window().stages().show("cuda"_stage);
        const QByteArray first = pane->view().bytes();
        auto* modules = pane->findChild<QComboBox*>("pane.module");
        QVERIFY(modules->isVisible());
        QCOMPARE(modules->count(), 2);
        modules->setFocus();
        QTest::keyClick(modules, Qt::Key_Down);
        QVERIFY(studio.settle());
        QVERIFY(pane->view().bytes() != first);
        QVERIFY(pane->view().bytes().contains("64"));
    }

    void panesScrollTogetherWhenAsked() {
        StudioFixture studio;
        QVERIFY(studio.openSample("tensor_core_matmul"));
        QVERIFY(studio.settle());
        CodeView& ir = studio.window().stages().find("ir"_stage)->view();
        CodeView& cuda = studio.window().stages().find("cuda"_stage)->view();
        cuda.setFocus();
        ir.setFirstLine(ir.lines());
        const int before = ir.firstLine();
        cuda.setFirstLine(cuda.lines() / 2);
        QCOMPARE(ir.firstLine(), before);
        QVERIFY(studio.trigger("pane.sync_scroll"));
        cuda.setFirstLine(0);
        QTRY_VERIFY(ir.firstLine() < before);
        const int top = ir.firstLine();
        const int script = studio.editor().firstLine();
        cuda.setFirstLine(cuda.lines() * 2 / 3);
        QTRY_VERIFY(ir.firstLine() > top);
        QTRY_VERIFY(studio.editor().firstLine() > script);
        // The script leads as well.
        const int below = cuda.firstLine();
        studio.editor().setFocus();
        studio.editor().setFirstLine(0);
        QTRY_VERIFY(cuda.firstLine() < below);
        QTRY_VERIFY(ir.firstLine() <= top);
    }
};

HIDET_UI_TEST_MAIN(Panes)
#include "panes_test.moc"
