// SPDX-License-Identifier: GPL-3.0-only
// Two texts of a script side by side or in one column: passes, stages, a baseline.
#include <algorithm>

#include <QLabel>

#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::marked;
using hidet::ui::test::StudioFixture;

namespace {

// The IR of a script beside the lowered one, in two columns; null: it did not come, or nothing differs.
DiffPane* compared(StudioFixture& studio) {
    if (!studio.openSample("naive_matmul") || !studio.settle())
        return nullptr;
    DiffPane* pane = studio.window().stages().compare({"ir:script"_stage}, {"ir"_stage});
    pane->setInline(false);
    const bool is_there = QTest::qWaitFor([&] { return pane->isSettled() && !pane->shown().changes.empty(); }, 10'000);
    return is_there ? pane : nullptr;
}

} // namespace

class Comparisons : public QObject {
    Q_OBJECT
private slots:
    void bothSidesOfAComparisonAreLinked() {
        StudioFixture studio;
        DiffPane* pane = compared(studio);
        QVERIFY(pane);
        studio.editor().setFocus();
        studio.editor().setCaret(static_cast<int>(studio.editor().bytes().indexOf("total +=")));
        QTRY_VERIFY(marked(pane->view(), CodeView::LinkOutline).contains("total = total"));
        QVERIFY(marked(pane->rightView(), CodeView::LinkOutline).contains("total = total"));
        pane->rightView().setFocus();
        pane->rightView().setCaret(static_cast<int>(pane->rightView().bytes().indexOf("b[p")));
        QTRY_VERIFY(marked(studio.editor(), CodeView::LinkOutline).startsWith("b[p, j"));
        pane->setInline(true);
        QTRY_VERIFY(pane->isSettled() && pane->isInline());
        QTRY_VERIFY(marked(pane->view(), CodeView::LinkOutline).contains("b["));
    }

    // Code and figures of another GPU, and of two passes; neither needs a compiler.
    void aStageStandsBesideItselfForAnotherGpu() {
        StudioFixture studio;
        QVERIFY(studio.openSample("shared_matmul"));
        QVERIFY(studio.settle());
        studio.window().stages().show("cuda"_stage);
        QVERIFY(studio.trigger("pane.compare_gpus"));
        auto* pane = qobject_cast<DiffPane*>(studio.window().stages().current());
        QVERIFY(pane);
        QTRY_VERIFY_WITH_TIMEOUT(pane->isSettled() && !pane->shown().rightLines.empty(), 30'000);
        QCOMPARE(pane->leftTitle(), QString("CUDA for sm_80"));
        pane->setInline(false);
        const DiffSide side = DiffSide::forArch("cuda"_stage, "matmul", "sm_80");
        QCOMPARE(DiffSide::of(side.name()), side);
        auto figures = [&](const char* name) { return pane->findChild<QLabel*>(name)->text(); };
        QTRY_VERIFY2(figures("diff.left_figures").contains("predicted"), qPrintable(figures("diff.left_figures")));
        QTRY_VERIFY2(figures("diff.right_figures").contains("from left to right: "),
                     qPrintable(figures("diff.right_figures")));
        QVERIFY(figures("diff.right_figures").contains("of shared memory"));
        const auto& passes = studio.studio().scripts.live()->board().passes(studio.studio().scripts.live()->module());
        pane->setSides({nameOfPass(passes, 1)}, {nameOfPass(passes, 3)});
        QTRY_VERIFY(pane->isSettled());
        QVERIFY2(pane->leftTitle().startsWith("IR after "), qPrintable(pane->leftTitle()));
        QCOMPARE(figures("diff.left_figures"), figures("diff.right_figures")); // both are of the same kernel
    }

    void aPassIsShownAsADifference() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("passes.diff"));
        auto* pane = qobject_cast<DiffPane*>(studio.window().stages().current());
        QVERIFY(pane);
        pane->setInline(false);
        QTRY_VERIFY(pane->isSettled() && !pane->shown().changes.empty());
        QCOMPARE(pane->view().lines(), pane->rightView().lines());
        QVERIFY(!marked(pane->view(), CodeView::RemovedWord).isEmpty() ||
                !marked(pane->rightView(), CodeView::AddedWord).isEmpty() || pane->shown().added > 0);
        // It follows the passes.
        const QString before = pane->rightTitle();
        QVERIFY(studio.trigger("passes.previous_changed"));
        QTRY_VERIFY(pane->rightTitle() != before && pane->isSettled());
        QVERIFY(pane->leftTitle() != pane->rightTitle());
    }

    void changesAreSteppedThroughAndOneColumnShowsBothSides() {
        StudioFixture studio;
        DiffPane* pane = compared(studio);
        QVERIFY(pane);
        pane->view().setFocus();
        QVERIFY(pane->shown().changes.size() > 1);
        pane->view().setCaret(pane->view().rangeOfLine(pane->shown().changes[0]).begin);
        QTest::keyClick(&pane->view(), 'n');
        QCOMPARE(pane->view().lineOf(pane->view().caret()), pane->shown().changes[1]);
        QCOMPARE(pane->rightView().lineOf(pane->rightView().caret()), pane->shown().changes[1]);
        QTRY_COMPARE(pane->view().firstLine(), pane->rightView().firstLine());
        QVERIFY(studio.trigger("pane.previous_change"));
        QCOMPARE(pane->view().lineOf(pane->view().caret()), pane->shown().changes[0]);
        QVERIFY(studio.trigger("pane.next_change"));
        QCOMPARE(pane->view().lineOf(pane->view().caret()), pane->shown().changes[1]);
        const int added = pane->shown().added, removed = pane->shown().removed;
        pane->setInline(true);
        QTRY_VERIFY(pane->isSettled());
        QVERIFY(!pane->rightView().QWidget::isVisible());
        const auto count = [&](DiffMark mark) {
            return std::count(pane->shown().left.marks.begin(), pane->shown().left.marks.end(), mark);
        };
        QCOMPARE(count(DiffMark::Added), added);
        QCOMPARE(count(DiffMark::Removed), removed);
        QVERIFY(pane->wholeText().startsWith("--- IR of the script\n+++ IR\n@@"));
    }

    void aBaselineIsComparedWith() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QVERIFY(!studio.trigger("pane.compare_baseline"));
        QVERIFY(studio.trigger("pane.pin_baseline"));
        studio.window().stages().show("cuda"_stage)->setFocus();
        QByteArray text = studio.editor().bytes();
        studio.editor().replaceAll(text.replace("f32(0.0)", "f32(5.0)"));
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("pane.compare_baseline"));
        auto* pane = qobject_cast<DiffPane*>(studio.window().stages().current());
        QVERIFY(pane);
        pane->setInline(false);
        QTRY_VERIFY(pane->isSettled());
        QTRY_COMPARE(pane->shown().changes.size(), std::size_t(1));
        QVERIFY(marked(pane->rightView(), CodeView::AddedWord).contains("5"));
        QVERIFY(pane->leftTitle().contains("baseline"));
    }
};

HIDET_UI_TEST_MAIN(Comparisons)
#include "comparisons_test.moc"
