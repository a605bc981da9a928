// SPDX-License-Identifier: GPL-3.0-only
// Findings of real runs on the emulator that are about several threads: who races with whom, who came to a barrier, and where the
// others stand, in the pictures that "show me" leads to.
#include <QComboBox>
#include <QMenu>
#include <QTableWidget>
#include <QTreeWidget>

#include "app/ui/charts/access_picture.h"
#include "app/ui/charts/threads_picture.h"
#include "app/ui/workbench/lessons.h"
#include "tests/ui/fixture/small_kernel.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

const QByteArray divergent = "        if threadIdx.x < 40:\n"                  // line 12
                             "            syncthreads()\n"                     // 13
                             "        x[threadIdx.x] = threadIdx.x\n";         // 14
const QByteArray racing = "        tile = shared_tensor(i32, shape=[64])\n"    // 12
                          "        tile[threadIdx.x] = threadIdx.x\n"          // 13
                          "        x[threadIdx.x] = tile[63 - threadIdx.x]\n"; // 14

// Emulates the script, by its key.
void emulate(StudioFixture& studio, const QByteArray& body) {
    studio.openText(kernelOf(body));
    QVERIFY(studio.settle());
    studio.editor().setFocus();
    studio.press(Qt::Key_F5, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!studio.studio().scripts.findings(*studio.studio().tabs.current()).empty(), 60'000);
}

// As by the right mouse button in the list of problems.
void showMe(StudioFixture& studio, const QString& id) {
    QVERIFY(studio.trigger("dock.problems"));
    auto& list = in<QTreeWidget>(studio, "problems.list");
    QTreeWidgetItem* row = nullptr;
    for (int i = 0; i < list.topLevelItemCount(); ++i)
        if (list.topLevelItem(i)->text(1) == id)
            row = list.topLevelItem(i);
    QVERIFY(row);
    list.setCurrentItem(row);
    emit list.customContextMenuRequested(list.visualItemRect(row).center());
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    for (QAction* action : menu->actions())
        if (action->text() == "Show me")
            action->trigger();
    menu->close();
    studio.window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&studio.window()));
}

QString cellOf(QTableWidget& table, int row, int column) {
    return table.item(row, column)->text();
}

} // namespace

class ThreadsTest : public QObject {
    Q_OBJECT
private slots:
    void aDivergentBarrierShowsWhereEveryThreadIs() {
        StudioFixture studio;
        emulate(studio, divergent);
        showMe(studio, "divergent-barrier");
        auto& picture = in<ThreadsPicture>(studio, "threads.picture");
        QTRY_VERIFY(picture.isVisible() && picture.hasPicture());
        auto& table = in<QTableWidget>(studio, "threads.table");
        QStringList does;
        for (int row = 0; row < table.rowCount(); ++row)
            does << cellOf(table, row, 3) + ": " + cellOf(table, row, 0);
        QVERIFY2(does.contains("40 to 63: goes another way at line 12"), qPrintable(does.join('\n')));
        QVERIFY2(does.contains("0 to 39: arrives at line 13"), qPrintable(does.join('\n')));
        QVERIFY(picture.partyOf(1, 7) != picture.partyOf(1, 8));
        QVERIFY(picture.partyOf(1, 0) >= 0);
        // The mouse says of a thread where it is, and a click goes there.
        const QPoint parted = picture.rectOf(1, 8).center().toPoint();
        int moves = 0; // the first one after a menu may be lost
        const auto says = [&](const QString& words) {
            QTest::mouseMove(&picture, parted + QPoint(moves++ % 2, 0));
            return picture.words().contains(words);
        };
        QTRY_VERIFY2(says("lane 8 of warp 1: goes another way at line 12"), qPrintable(picture.words()));
        QTest::mouseClick(&picture, Qt::LeftButton, {}, parted);
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, 12);
        // So do the keys.
        picture.setFocus();
        QTest::keyClick(&picture, Qt::Key_Home);
        QTest::keyClick(&picture, Qt::Key_Down);
        QVERIFY2(picture.words().contains("(32, 0, 0)"), qPrintable(picture.words()));
        QTest::keyClick(&picture, Qt::Key_Return);
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, 13);
        QVERIFY(picture.tsv().contains("(0, 0, 0)\t1\t8\taway\t12\n"));
        // What is typed next is another kernel.
        studio.editor().setFocus();
        studio.type(" ");
        QTRY_VERIFY(!picture.isVisible());
    }

    void aRaceFramesBothLanesAtBothAccesses() {
        StudioFixture studio;
        emulate(studio, racing);
        const session::DiagnosticView race = studio.studio().scripts.findings(*studio.studio().tabs.current()).front();
        QCOMPARE(lessonOf(race), QString("race"));
        QCOMPARE(race.parties.size(), std::size_t(2));
        QCOMPARE(race.parties[0].does, std::string("reads"));
        QCOMPARE(race.parties[1].does, std::string("writes"));
        QCOMPARE(race.parties[1].place.line, 13);
        QCOMPARE(race.parties[0].index, race.parties[1].index);
        showMe(studio, "race");
        const int reader = race.parties[0].threads[0][0] % 32, writer = race.parties[1].threads[0][0] % 32;
        auto& picture = in<AccessPicture>(studio, "accesses.picture");
        auto& other = in<AccessPicture>(studio, "accesses.other");
        QTRY_COMPARE(picture.marked(), std::vector<int>{reader});
        QVERIFY(other.isVisible());
        QCOMPARE(other.marked(), std::vector<int>{writer});
        // The same two in the picture of the threads.
        QVERIFY(studio.trigger("dock.threads"));
        auto& threads = in<ThreadsPicture>(studio, "threads.picture");
        QTRY_VERIFY(threads.isVisible());
        const int thread = race.parties[0].threads[0][0];
        QCOMPARE(threads.partyOf(thread / 32, thread % 32), 0);
        // Once it is mended there is nothing to frame.
        studio.editor().setFocus();
        QVERIFY(studio.retype("= threadIdx.x", "= threadIdx.x\nsyncthreads()"));
        QVERIFY(studio.settle());
        QTRY_VERIFY(!other.isVisible());
    }
};

HIDET_UI_TEST_MAIN(ThreadsTest)
#include "threads_test.moc"
