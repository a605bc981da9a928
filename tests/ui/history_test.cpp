// SPDX-License-Identifier: GPL-3.0-only
// The runs of the past: compared with each other and with the script, named, restored, and asked what made them slower.
#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>
#include <QToolButton>

#include "app/ui/panes/diff_pane.h"
#include "app/ui/window/verdict_strip.h"
#include "tests/ui/scripted_run.h"

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
        QTRY_COMPARE(diff()->rightTitle(), studio.studio().current()->title());
        in<QToolButton>(studio, "history.restore").click();
        QTRY_COMPARE(studio.studio().current()->text(), doubling);
        QTRY_COMPARE(diff()->shown().removed, 0); // the comparison follows the script
        QVERIFY(studio.trigger("edit.undo"));
        QCOMPARE(studio.studio().current()->text(), slower);
    }
};

HIDET_UI_TEST_MAIN(HistoryTest)
#include "history_test.moc"
