// SPDX-License-Identifier: GPL-3.0-only
// Debugging a kernel as a person does it: by keys and the margin, with the real adapter behind the window.
#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableWidget>

#include "app/ui/editor/in_place_field.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/workbench/notice_bar.h"
#include "tests/ui/fixture/small_kernel.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

const QByteArray summing = "        total = i32(5)\n"                          // line 12
                           "        for i in range(n):\n"                      // 13
                           "            # a comment\n"                         // 14
                           "            total += i * threadIdx.x\n"            // 15
                           "        x[threadIdx.x] = total\n";                 // 16
const QByteArray racing = "        tile = shared_tensor(i32, shape=[64])\n"    // line 12
                          "        tile[threadIdx.x] = threadIdx.x * 2\n"      // 13
                          "        x[threadIdx.x] = tile[63 - threadIdx.x]\n"; // 14

class Debugging : public StudioFixture {
public:
    explicit Debugging(const QByteArray& script) : said(&studio().notices, &Notices::said) {
        openText(script);
        settle();
        editor().setFocus();
    }

    const Document* document() { return studio().tabs.current(); }
    void caretTo(int line) { editor().setCaret(editor().rangeOfLine(line - 1).begin); }
    void breakAt(int line) {
        caretTo(line);
        press(Qt::Key_F9);
    }
    QList<int> linesOf(CodeView::Marker mark) {
        QList<int> out;
        for (int line = 0; line < editor().lines(); ++line)
            if (editor().markersAtLine(line) & 1U << mark)
                out << line + 1;
        return out;
    }
    bool standsAt(int line) {
        const bool stands = QTest::qWaitFor(
            [&] { return linesOf(CodeView::StandMark) == QList{line} && studio().debug.stop(); }, 20'000);
        if (!stands)
            for (const QList<QVariant>& each : said)
                qInfo("said: %s", qPrintable(each[0].toString()));
        return stands;
    }
    // Opened at the caret by the palette's command.
    InPlaceField& conditionField() {
        trigger("debug.condition");
        return in<InPlaceField>(*this, "condition");
    }
    void retypeField(const QString& text) {
        in<QLineEdit>(*this, "conditionText").selectAll();
        text.isEmpty() ? press(Qt::Key_Delete) : typeHere(text);
    }
    bool hasEnded() {
        return QTest::qWaitFor([&] { return !studio().debug.debugged(); }, 60'000);
    }
    // As the table has it; empty: it has no such row.
    QString value(const QString& variable) {
        auto& table = in<QTableWidget>(*this, "debug.table");
        for (int row = 0; table.isVisible() && row < table.rowCount(); ++row)
            if (table.item(row, 0)->text() == variable)
                return table.item(row, 1)->text();
        return {};
    }
    QString lastSaid() { return said.isEmpty() ? QString() : said.last()[0].toString(); }
    bool can(const char* command) { return studio().commands.find(command)->isEnabled(); }

    QSignalSpy said;
};

QString overLanes(int factor, int plus) {
    QStringList out;
    for (int lane = 0; lane < 32; ++lane)
        out << QString::number(lane * factor + plus);
    return out.join(' ');
}

} // namespace

class DebugTest : public QObject {
    Q_OBJECT
private slots:
    void aStepAndAStepBackShowTheSameValues() {
        Debugging studio(kernelOf(summing));
        QVERIFY(!studio.can("debug.step") && !studio.can("debug.step_back") && !studio.can("debug.back"));
        studio.breakAt(15);
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList{15});
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(15));
        QVERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.linesOf(CodeView::StandLine), QList{15});
        const QImage seen = studio.editor().viewport()->grab().toImage();
        const QPoint behind = QPoint(studio.editor().viewport()->width() - 40, studio.editor().topOfLine(14) + 4);
        QVERIFY(seen.pixelColor(behind * seen.devicePixelRatio()) != studio.studio().themes.theme().currentLine);
        QCOMPARE(studio.value("total"), QString("5"));
        QCOMPARE(studio.value("i"), QString("0"));
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.value("i"), QString("1"), 60'000);
        studio.press(Qt::Key_F10);
        QVERIFY(studio.standsAt(13));
        QTRY_COMPARE(studio.value("total"), overLanes(1, 5));
        studio.press(Qt::Key_F10, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(15));
        QTRY_COMPARE(studio.value("total"), QString("5"));
        QCOMPARE(studio.value("i"), QString("1"));
        studio.press(Qt::Key_F9, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.value("i"), QString("0"), 60'000);
        // Without its breakpoint it runs to the end.
        studio.breakAt(15);
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList<int>());
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.hasEnded());
        QCOMPARE(studio.lastSaid(), QString("Debugging has ended: the script is done"));
        QCOMPARE(studio.linesOf(CodeView::StandLine), QList<int>());
        QCOMPARE(studio.studio().runs->output(*studio.document()), QByteArray("done\n"));
        QVERIFY(studio.window().notices().sentences().isEmpty());
        QVERIFY(!studio.can("debug.step"));
    }

    void withoutABreakpointItStandsAtTheBeginning() {
        Debugging studio(kernelOf(summing));
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(12));
        QVERIFY2(studio.lastSaid().endsWith("The launch begins"), qPrintable(studio.lastSaid()));
        studio.press(Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(!studio.studio().debug.debugged());
        QCOMPARE(studio.lastSaid(), QString("Debugging was stopped"));
        // And once more.
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(12));
    }

    void aRaceIsNamedAndItsCauseIsAStepBack() {
        Debugging studio(kernelOf(racing));
        studio.breakAt(13);
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(13));
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(14));
        QVERIFY(studio.studio().debug.stop()->isFinding);
        QVERIFY2(studio.lastSaid().contains("tile") && studio.lastSaid().startsWith("Line 14: "),
                 qPrintable(studio.lastSaid()));
        auto& strip = in<QAbstractButton>(studio, "verdict.debug");
        QVERIFY(strip.isVisible() && strip.property("part").toString().contains("tile"));
        QVERIFY2(studio.value("tile").startsWith("0 2 4 6 "), qPrintable(studio.value("tile")));
        studio.press(Qt::Key_F9, Qt::AltModifier);
        QVERIFY(studio.standsAt(13));
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(14));
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.hasEnded()); // what was found at the stop needs no notice
        QVERIFY(studio.window().notices().sentences().isEmpty());
    }

    void breakpointsGoToTheNextStatementOrAreHollow() {
        Debugging studio(kernelOf(summing));
        ScriptEditor& editor = studio.editor();
        const int x = editor.marginWidth(CodeView::NumberMargin) + editor.marginWidth(CodeView::SymbolMargin) / 2;
        QTest::mouseClick(editor.viewport(), Qt::LeftButton, {}, {x, editor.topOfLine(13) + 4});
        studio.breakAt(20);
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList({14, 20}));
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(15));
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList{15});
        QCOMPARE(studio.linesOf(CodeView::HollowMark), QList{20});
        QStringList all;
        for (const QList<QVariant>& each : studio.said)
            all << each[0].toString();
        QVERIFY2(all.contains("Line 14 has no statement of the kernel: its breakpoint is at line 15 now"),
                 qPrintable(all.join('\n')));
        QVERIFY2(all.join('\n').contains("The breakpoint at line 20 is not reached: "), qPrintable(all.join('\n')));
        // One that is set while the kernel stands holds at once.
        studio.breakAt(16);
        QTest::mouseClick(editor.viewport(), Qt::LeftButton, {}, {x, editor.topOfLine(14) + 4});
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList{16});
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(16));
        QVERIFY(studio.trigger("run.cancel"));
        QCOMPARE(studio.linesOf(CodeView::HollowMark), QList<int>());
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList({16, 20}));
    }

    void theFirstEditEndsItAndSaysSo() {
        Debugging studio(kernelOf(summing));
        studio.breakAt(15);
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(15));
        studio.editor().setCaret(studio.editor().rangeOfLine(10).end); // of line 11
        studio.type("\n");
        QVERIFY(!studio.studio().debug.debugged());
        QVERIFY(studio.lastSaid().contains("the script was changed"));
        QCOMPARE(studio.linesOf(CodeView::StandMark), QList<int>());
        // The breakpoint has moved with its line, and holds for the text as it is now.
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList{16});
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(16));
    }

    void breakpointsOutliveATextThatIsReadAgain() {
        Debugging studio(kernelOf(summing));
        studio.breakAt(15);
        studio.editor().replaceAll(kernelOf(summing) + "print('more')\n");
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList{15});
        studio.editor().undo();
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList{15});
    }

    void closingTheScriptEndsIt() {
        Debugging studio(kernelOf(summing));
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(12));
        QVERIFY(studio.trigger("file.close"));
        QVERIFY(!studio.studio().debug.debugged());
        QVERIFY(studio.lastSaid().contains("the script was closed"));
        QVERIFY(!studio.can("debug.start") && !studio.can("debug.step"));
    }

    void aScriptThatFailsSaysWhy() {
        Debugging studio("raise ValueError('no such luck')\n");
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.hasEnded());
        const QStringList notices = studio.window().notices().sentences();
        QVERIFY2(notices.size() == 1 && notices[0].startsWith("Debugging has ended. ") &&
                     notices[0].contains("no such luck"),
                 qPrintable(notices.join('\n')));
    }

    void aScriptWithoutAKernelSaysSo() {
        Debugging studio("print('nothing to see')\n");
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.hasEnded());
        QVERIFY(studio.lastSaid().contains("launched no kernel"));
    }

    void aConditionIsTypedAtItsLineWithItsMistakesBelow() {
        Debugging studio(kernelOf(summing));
        studio.caretTo(15);
        auto& field = studio.conditionField();
        studio.typeHere("j == 2");
        QCOMPARE(field.refusal(), QString("'j' is not known here"));
        studio.press(Qt::Key_Return);
        QVERIFY(field.isVisible()); // until it is mended
        studio.retypeField("i = 2");
        QCOMPARE(field.refusal(), QString("An expression is wanted, as a script has it"));
        studio.retypeField("i == 2 and threadIdx.x == 5");
        QVERIFY2(field.refusal().isEmpty(), qPrintable(field.refusal()));
        studio.press(Qt::Key_Return);
        QVERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.linesOf(CodeView::ConditionMark), QList{15});
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(15));
        QTRY_COMPARE(studio.value("i"), QString("2"));
        QCOMPARE(studio.studio().debug.stop()->why, QString("Breakpoint"));
        // On the way back, too, and while it stands.
        studio.caretTo(15);
        studio.conditionField();
        studio.retypeField("i == 1");
        studio.press(Qt::Key_Return);
        studio.press(Qt::Key_F9, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.value("i"), QString("1"), 60'000);
        // Without text it stops each time.
        studio.caretTo(15);
        studio.conditionField();
        studio.retypeField("");
        studio.press(Qt::Key_Return);
        QCOMPARE(studio.linesOf(CodeView::BreakpointMark), QList{15});
        studio.press(Qt::Key_F9, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.value("i"), QString("0"), 60'000);
    }

    void aConditionThatTheValuesSpeakAgainstIsHollowAndSaysWhy() {
        Debugging studio(kernelOf(summing));
        studio.caretTo(15);
        studio.conditionField();
        studio.typeHere("x[threadIdx.x + 1] == 0");
        studio.press(Qt::Key_Return);
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(15)); // for the threads before the last it holds
        studio.caretTo(15);
        studio.conditionField();
        studio.retypeField("x[threadIdx.x + 1] == 1");
        studio.press(Qt::Key_Return);
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.linesOf(CodeView::HollowMark), QList{15}, 60'000);
        QVERIFY(studio.standsAt(15));
        studio.caretTo(15);
        QCOMPARE(studio.conditionField().refusal(),
                 QString("Its condition cannot be computed: x[64] is outside of the shape [64]"));
        studio.press(Qt::Key_Escape);
        QVERIFY(studio.trigger("run.cancel"));
        QCOMPARE(studio.linesOf(CodeView::ConditionMark), QList{15});
    }

    void aConditionMovesWithItsLine() {
        Debugging studio(kernelOf(summing));
        studio.caretTo(15);
        studio.conditionField();
        studio.typeHere("i == 2");
        studio.press(Qt::Key_Return);
        studio.editor().setCaret(studio.editor().rangeOfLine(10).end);
        studio.type("\n");
        QCOMPARE(studio.linesOf(CodeView::ConditionMark), QList{16});
        const Breakpoint* moved = studio.studio().debug.breakpointAt(*studio.document(), 16);
        QVERIFY(moved && moved->condition == "i == 2");
    }

    void whoWroteAnElementIsSaidAndGoneTo() {
        Debugging studio(kernelOf(racing));
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(13));
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(14));
        QVERIFY(studio.studio().debug.stop()->isFinding);
        studio.caretTo(14);
        studio.press(Qt::Key_End);
        studio.press(Qt::Key_Left);
        studio.press(Qt::Key_Left);
        QVERIFY(studio.trigger("debug.writer"));
        QTRY_VERIFY_WITH_TIMEOUT(studio.studio().debug.element(), 60'000);
        const DebugElement element = *studio.studio().debug.element();
        QCOMPARE(element.asked, QString("tile[63 - threadIdx.x]"));
        QVERIFY2(element.said.contains("wrote it in line 13, at instruction "), qPrintable(element.said));
        QCOMPARE(in<QLabel>(studio, "debug.writer").text(), element.said);
        // It is watched: the way back leads there, and so does the way on.
        auto& watch = in<QAbstractButton>(studio, "debug.watch");
        QVERIFY(watch.isEnabled());
        QTest::mouseClick(&watch, Qt::LeftButton);
        QCOMPARE(studio.value(element.id), QString("stops before it is written"));
        studio.press(Qt::Key_F9, Qt::AltModifier);
        QVERIFY(studio.standsAt(13));
        QVERIFY2(studio.studio().debug.stop()->why.endsWith(" writes " + element.id),
                 qPrintable(studio.studio().debug.stop()->why));
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(14));
        // Asked again, it is gone to.
        auto& field = in<QLineEdit>(studio, "debug.element");
        field.setFocus();
        field.selectAll();
        studio.typeHere(element.asked);
        studio.press(Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(studio.studio().debug.element(), 60'000);
        studio.press(Qt::Key_Return);
        QVERIFY(studio.standsAt(13));
        QVERIFY(!in<QAbstractButton>(studio, "debug.go").isEnabled());
        // What is no element is said where it was typed.
        field.setFocus();
        field.selectAll();
        studio.typeHere("tile[64]");
        studio.press(Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(studio.studio().debug.element(), 60'000);
        QCOMPARE(in<QLabel>(studio, "debug.writer").text(), QString("tile[64] is outside of the shape [64]"));
        QVERIFY(!watch.isEnabled());
    }

    void whatRunsIsPausedByTheKeyThatStartedIt() {
        Debugging studio(kernelOf("        total = 0\n"
                                  "        for i in range(100000000):\n"
                                  "            total += i * threadIdx.x\n"
                                  "        x[threadIdx.x] = total\n"));
        studio.breakAt(12);
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(studio.standsAt(12));
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(!studio.studio().debug.stop());
        studio.press(Qt::Key_F9, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(studio.studio().debug.stop(), 60'000);
        QCOMPARE(studio.studio().debug.stop()->why, QString("Paused"));
    }

    void whileItRunsItIsNotStartedTwiceAndCanBeStopped() {
        Debugging studio("while True:\n    pass\n");
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.lastSaid().startsWith("Pausing"));
        QVERIFY(studio.studio().debug.debugged() && !studio.studio().debug.stop());
        studio.press(Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(!studio.studio().debug.debugged());
        QVERIFY(studio.can("debug.start"));
    }

    void theSecondOfTwoKernelsIsDebuggedWhereItsBreakpointIs() {
        const QByteArray two = kernelOf("        x[threadIdx.x] = 1\n") +
                               "with hidet.script_module() as second:\n\n"
                               "    @hidet.script\n"
                               "    def other(x: i32[64]):\n"
                               "        attrs.func_kind = 'cuda_kernel'\n"
                               "        attrs.cuda.grid_dim = 1\n"
                               "        attrs.cuda.block_dim = 64\n"
                               "        x[threadIdx.x] = 2\n\n"
                               "second.build()(hidet.zeros([64], dtype='int32', device='cuda'))\n";
        Debugging studio(two);
        const int line = int(two.left(two.indexOf("= 2")).count('\n')) + 1;
        studio.breakAt(line);
        QVERIFY(studio.trigger("debug.start"));
        QVERIFY(studio.standsAt(line));
    }
};

HIDET_UI_TEST_MAIN(DebugTest)
#include "debug_test.moc"
