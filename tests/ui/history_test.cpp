// SPDX-License-Identifier: GPL-3.0-only
// The runs of the past: compared with each other and with the script, named, restored, and asked what made them slower; and the
// texts that the script was, one after the other.
#include <algorithm>

#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QTableWidget>
#include <QToolButton>

#include "app/ui/panes/diff_pane.h"
#include "app/ui/window/verdict_strip.h"
#include "tests/ui/fixture/scripted_run.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

class HistoryTest : public QObject {
    Q_OBJECT

private slots:
    void runsAreComparedWithTheBaseline() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(answer(studio, log, answered(kernelBenchOf(2e-5))));
        auto& table = in<QTableWidget>(studio, "history.table");
        QTRY_COMPARE(table.rowCount(), 1);
        QVERIFY(studio.trigger("run.pin_baseline"));
        QTRY_COMPARE(table.item(0, 5)->text(), QString("baseline"));
        QVERIFY(answer(studio, log, answered(kernelBenchOf(1e-5))));
        QTRY_COMPARE(table.rowCount(), 2);
        QCOMPARE(table.item(0, 5)->text(), QString("50 % faster"));
        QTRY_VERIFY(in<VerdictStrip>(studio, "verdict").sentence().contains("50 % faster"));
        table.selectAll();
        QVERIFY2(in<QLabel>(studio, "history.compared").text().contains("faster"),
                 qPrintable(in<QLabel>(studio, "history.compared").text()));
        auto& clear = in<QToolButton>(studio, "history.clear");
        clear.click();
        QCOMPARE(table.rowCount(), 2);
        clear.click();
        QTRY_COMPARE(table.rowCount(), 0);
    }

    void aRunIsNamedComparedWithTheScriptAndRestored() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        QVERIFY(open(studio, doubling));
        QVERIFY(answer(studio, log, answered(kernelBenchOf(1e-5))));
        auto& table = in<QTableWidget>(studio, "history.table");
        QTRY_COMPARE(table.rowCount(), 1);
        QByteArray slower = doubling;
        slower.replace("a * 2.0", "a + a").replace("* 2.0", "* 1.0 * 2.0");
        studio.editor().replaceAll(slower);
        QVERIFY(studio.settle());
        QVERIFY(answer(studio, log, answered(kernelBenchOf(2e-5))));
        QTRY_COMPARE(table.rowCount(), 2);
        QVERIFY(studio.trigger("dock.history"));

        table.selectRow(1);
        auto& name = in<QLineEdit>(studio, "history.name");
        QTRY_VERIFY(name.isVisible());
        name.setFocus();
        QTest::keyClicks(&name, "plain");
        QTest::keyClick(&name, Qt::Key_Return);
        QTRY_COMPARE(table.item(1, 12)->text(), QString("plain"));

        in<QToolButton>(studio, "history.slower").click();
        QTRY_VERIFY2(in<QLabel>(studio, "history.compared").text().contains("plain"),
                     qPrintable(in<QLabel>(studio, "history.compared").text()));
        auto diff = [&] {
            const QList<DiffPane*> panes = studio.window().findChildren<DiffPane*>();
            return panes.isEmpty() ? nullptr : panes.first();
        };
        QTRY_VERIFY(diff() && diff()->isSettled() && diff()->shown().removed == 2);
        QVERIFY2(diff()->leftTitle().contains("plain"), qPrintable(diff()->leftTitle()));

        table.selectRow(1);
        in<QToolButton>(studio, "history.changes").click();
        QTRY_COMPARE(diff()->rightTitle(), studio.studio().tabs.current()->title());
        in<QToolButton>(studio, "history.restore").click();
        QTRY_COMPARE(studio.studio().tabs.current()->text(), doubling);
        QTRY_COMPARE(diff()->shown().removed, 0); // the comparison follows the script
        QVERIFY(studio.trigger("edit.undo"));
        QCOMPARE(studio.studio().tabs.current()->text(), slower);
    }

    void theSliderGoesThroughTextsOfRunsAndEdits() {
        ScriptedService::Log log;
        StudioFixture studio(scripted(log));
        const QByteArray remarks = QByteArray("# a remark\n").repeated(80);
        const QByteArray first = doubling + remarks;
        QVERIFY(open(studio, first));
        session::KernelBenchResult slow = kernelBenchOf(2e-5);
        slow.kernels[0].facts->registers = 120;
        QVERIFY(answer(studio, log, answered(slow)));
        const QByteArray second =
            QByteArray("# one\n# two\n# three\n") + first; // what was first lacks lines above the kernel
        studio.editor().replaceAll(second);
        QVERIFY(studio.settle());
        QVERIFY(answer(studio, log, answered(kernelBenchOf(1e-5))));
        QByteArray third = second;
        third.replace("a * 2.0", "2.0 * a");
        studio.editor().replaceAll(third);
        QVERIFY(studio.settle());
        studio.editor().setCaret(int(third.indexOf("b[blockIdx")));
        QVERIFY(studio.trigger("dock.history"));

        auto& slider = in<QSlider>(studio, "steps.slider");
        QTRY_VERIFY(slider.isVisible() && slider.maximum() == 2);
        QCOMPARE(slider.value(), 2);
        auto figures = [&] { return in<QLabel>(studio, "steps.figures").text(); };
        auto diff = [&] {
            const QList<DiffPane*> panes = studio.window().findChildren<DiffPane*>();
            return panes.isEmpty() ? nullptr : panes.first();
        };
        slider.setFocus();
        QTest::keyClick(&slider, Qt::Key_Left);
        QTRY_VERIFY(diff() && diff()->isSettled() && diff()->shown().removed == 1);
        QVERIFY(slider.hasFocus());
        QVERIFY2(figures().startsWith("2 of 3, run of "), qPrintable(figures()));
        for (const char* said : {"96 registers", "10.0 \u00b5s measured", "registers 120 to 96", "50 % faster"})
            QVERIFY2(figures().contains(QString::fromUtf8(said)), qPrintable(figures()));

        // The line of the caret keeps its place on the screen, though lines above it come and go.
        diff()->setInline(false);
        QTRY_VERIFY(diff()->isSettled());
        const int caretLine = int(third.left(third.indexOf("b[blockIdx")).count('\n')) + 1;
        auto rowOfCaret = [&] {
            const std::vector<int>& lines = diff()->shown().rightLines;
            return int(std::find(lines.begin(), lines.end(), caretLine) - lines.begin());
        };
        diff()->rightView().setFirstLine(rowOfCaret() - 4);
        QTRY_COMPARE(diff()->view().firstLine(), diff()->rightView().firstLine());
        QTest::keyClick(&slider, Qt::Key_Home);
        QTRY_VERIFY(diff()->isSettled() && diff()->shown().added == 4);
        QCOMPARE(rowOfCaret() - diff()->rightView().firstLine(), 4);
        QVERIFY2(diff()->leftTitle().contains("run of"), qPrintable(diff()->leftTitle()));

        // The mouse at the right end is the script as it is; from the editor keys go back.
        while (slider.value() < slider.maximum())
            QTest::mouseClick(&slider, Qt::LeftButton, {}, QPoint(slider.width() - 3, slider.height() / 2));
        QTRY_VERIFY(diff()->isSettled() && !diff()->shown().added && !diff()->shown().removed);
        studio.editor().setFocus();
        QVERIFY(studio.trigger("run.older_text"));
        QTRY_COMPARE(slider.value(), 1);
        QVERIFY(studio.trigger("run.older_text"));
        QTRY_COMPARE(slider.value(), 0);
        QVERIFY(studio.trigger("run.newer_text"));
        QTRY_COMPARE(slider.value(), 1);
        QVERIFY(studio.trigger("run.older_text"));
        in<QToolButton>(studio, "steps.restore").click();
        QTRY_COMPARE(studio.studio().tabs.current()->text(), first);
        QVERIFY(studio.trigger("edit.undo"));
        QCOMPARE(studio.studio().tabs.current()->text(), third);
    }

    void anEditThatWasNotRunIsAStepAndOneWithMistakesIsNone() {
        StudioFixture studio;
        studio.openText(doubling);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.history"));
        auto& slider = in<QSlider>(studio, "steps.slider");
        QVERIFY(!slider.isVisible());
        QByteArray broken = doubling;
        studio.editor().replaceAll(broken.replace("a * 2.0", "a * "));
        QVERIFY(studio.settle());
        QTRY_COMPARE(slider.maximum(), 1); // the text as it was, and as it is
        QByteArray other = doubling;
        studio.editor().replaceAll(other.replace("a * 2.0", "a + a"));
        QVERIFY(studio.settle());
        QTRY_COMPARE(studio.studio().runs->trails().states(*studio.studio().tabs.current()).size(), std::size_t(2));
        QTRY_COMPARE(slider.maximum(), 1);
        QTRY_VERIFY(in<QLabel>(studio, "steps.figures").text().contains("predicted"));
    }

    void editsOfEarlierSessionsAreStepsUntilTheyAreForgotten() {
        QTemporaryDir folder;
        const QString path = folder.filePath("doubling.py");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(doubling) == doubling.size());
        file.close();
        QByteArray other = doubling, third = doubling;
        other.replace("a * 2.0", "a + a");
        third.replace("a * 2.0", "2.0 * a");
        {
            StudioFixture studio;
            QVERIFY(studio.studio().tabs.openFile(path));
            QVERIFY(studio.settle());
            for (const QByteArray& text : {other, third}) {
                studio.editor().replaceAll(text);
                QVERIFY(studio.settle());
            }
            QVERIFY(studio.trigger("edit.undo")); // nothing was saved
        }
        StudioFixture studio;
        QVERIFY(studio.studio().tabs.openFile(path));
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.history"));
        auto& slider = in<QSlider>(studio, "steps.slider");
        QTRY_VERIFY(slider.isVisible() && slider.maximum() >= 2);
        slider.setFocus();
        QTest::keyClick(&slider, Qt::Key_Home);
        QTest::keyClick(&slider, Qt::Key_Right);
        in<QToolButton>(studio, "steps.restore").click();
        QTRY_VERIFY(studio.studio().tabs.current()->text() != doubling);
        QVERIFY(studio.trigger("edit.undo"));
        QVERIFY(studio.trigger("run.forget_edits"));
        QTRY_VERIFY(!slider.isVisible());
    }
};

HIDET_UI_TEST_MAIN(HistoryTest)
#include "history_test.moc"
