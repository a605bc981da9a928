// SPDX-License-Identifier: GPL-3.0-only
// The mapping canvas: it follows the caret, its numbers change the script by mouse and keys in one step of undo, and a mistake
// leaves the last picture with its reason.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QSlider>
#include <QToolButton>

#include "app/ui/mapping/factor_bar.h"
#include "app/ui/mapping/mapping_view.h"
#include "app/ui/widgets/empty_state.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QByteArray script = "from hidet.lang import repeat, spatial\n"
                          "from hidet.lang.layout import row_major\n"
                          "rows = 4\n"
                          "mapping = spatial(rows, 8).repeat(2, 1)\n"
                          "layout = row_major(2, 3, 4)\n";

class Canvas {
public:
    explicit Canvas(StudioFixture& studio) : m_studio(studio) {}
    MappingView& view() { return *m_studio.window().findChild<MappingView*>("mapping.view"); }
    template <class Widget>
    Widget* part(const QString& name) {
        return m_studio.window().findChild<Widget*>("mapping." + name);
    }
    QString sentence() { return part<QLabel>("sentence")->text(); }
    const hidet::session::CanvasPicture* picture() { return view().data() ? &view().data()->shown() : nullptr; }
    bool hasWorkers(qint64 workers) {
        return QTest::qWaitFor([&] { return picture() && picture()->workers == workers && !view().isStale(); });
    }
    bool isStale() {
        return QTest::qWaitFor([&] { return view().isStale(); });
    }
    // The script above with the caret at a text, and the dock.
    bool open(const QByteArray& caretAt) {
        m_studio.openText(script);
        if (!m_studio.settle())
            return false;
        m_studio.editor().setCaret(static_cast<int>(script.indexOf(caretAt)));
        return m_studio.trigger("dock.mapping") && QTest::qWaitFor([&] { return picture() != nullptr; });
    }

private:
    StudioFixture& m_studio;
};

} // namespace

class MappingTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsTypedFromNothingIsShownAndItsNumberChangesTheScriptByKeysInOneStepOfUndo() {
        StudioFixture studio;
        studio.openText("");
        studio.type("from hidet.lang import spatial\n");
        studio.press(Qt::Key_Escape);
        studio.type("mapping = spatial(4, 8)");
        studio.press(Qt::Key_Escape);
        QVERIFY(studio.settle());
        const QByteArray typed = studio.editor().document().text();
        Canvas canvas(studio);
        studio.trigger("dock.mapping");
        QVERIFY(canvas.hasWorkers(32));
        auto* number = canvas.part<NumberField>("number_0_0");
        number->setFocus();
        QTest::keyClick(number, Qt::Key_PageUp);
        QVERIFY(canvas.hasWorkers(64));
        QVERIFY(studio.editor().document().text().contains("spatial(8, 8)"));
        QTest::keyClicks(canvas.part<NumberField>("number_0_1"), "16");
        QTest::keyClick(canvas.part<NumberField>("number_0_1"), Qt::Key_Return);
        QVERIFY(canvas.hasWorkers(128));
        studio.editor().undo();
        QVERIFY(canvas.hasWorkers(64));
        studio.editor().undo();
        QVERIFY(canvas.hasWorkers(32));
        QCOMPARE(studio.editor().document().text(), typed);
    }

    void dragIsOneStepOfUndoAndAVariableIsChangedWhereItIsAssigned() {
        StudioFixture studio;
        Canvas canvas(studio);
        QVERIFY(canvas.open("spatial(rows"));
        QVERIFY(canvas.hasWorkers(32));
        auto* number = canvas.part<NumberField>("number_0_0");
        const QPoint middle = number->rect().center();
        QTest::mousePress(number, Qt::LeftButton, {}, middle);
        QTest::mouseMove(number, middle + QPoint(20, 0));
        QVERIFY(canvas.hasWorkers(48));
        QTest::mouseMove(number, middle + QPoint(36, 0));
        QVERIFY(canvas.hasWorkers(64));
        QTest::mouseRelease(number, Qt::LeftButton, {}, middle + QPoint(36, 0));
        QVERIFY(studio.editor().document().text().contains("rows = 8\n"));
        QVERIFY(studio.editor().document().text().contains("spatial(rows, 8)"));
        studio.editor().undo();
        QCOMPARE(studio.editor().document().text(), script);
        QVERIFY(canvas.hasWorkers(32));
    }

    void factorsAreSwappedAddedAndTakenOut() {
        StudioFixture studio;
        Canvas canvas(studio);
        QVERIFY(canvas.open("spatial(rows"));
        QVERIFY(canvas.hasWorkers(32));
        canvas.part<QToolButton>("swap_0")->click();
        QVERIFY(studio.editor().document().text().contains("mapping = repeat(2, 1).spatial(rows, 8)\n"));
        QVERIFY(QTest::qWaitFor([&] { return canvas.picture()->elements.at(1) == 32; }));
        canvas.part<QToolButton>("add_spatial")->click();
        QVERIFY(studio.editor().document().text().contains("repeat(2, 1).spatial(rows, 8).spatial(1, 1)\n"));
        QVERIFY(QTest::qWaitFor([&] { return canvas.part<QToolButton>("remove_2") != nullptr; }));
        canvas.part<QToolButton>("remove_0")->click();
        QVERIFY(QTest::qWaitFor([&] { return canvas.picture()->per_worker == 1; }));
        QVERIFY(studio.editor().document().text().contains("mapping = spatial(rows, 8).spatial(1, 1)\n"));
    }

    // By the keyboard in one of its numbers, or by the mouse on it.
    void theFactorThatIsPointedAtIsMarkedInThePicture() {
        StudioFixture studio;
        Canvas canvas(studio);
        QVERIFY(canvas.open("spatial(rows"));
        QVERIFY(canvas.hasWorkers(32));
        const QString whole = canvas.sentence();
        canvas.part<NumberField>("number_0_0")->setFocus();
        QTRY_COMPARE(canvas.sentence(), QString("spatial(4, 8): 32 parts of (2, 1), each for workers of its own"));
        QCOMPARE(canvas.view().cells().part(7, 7), 31);
        canvas.view().setFocus();
        QTRY_COMPARE(canvas.sentence(), QString("element (0, 0): task 0 of worker 0"));
        QWidget* chip = canvas.part<NumberField>("number_1_0")->parentWidget();
        const QString marked =
            "repeat(2, 1): 2 parts an element each, one after the other for the same workers; marked "
            "is the first of 32 such blocks";
        int moves = 0; // the pointer of the platform may be where it is moved to already
        QVERIFY(QTest::qWaitFor([&] {
            QTest::mouseMove(chip, QPoint(3 + moves++ % 2, 3));
            return canvas.sentence() == marked;
        }));
        QCOMPARE(canvas.view().cells().part(1, 0), 1);
        QCOMPARE(canvas.view().cells().part(2, 0), -1);
        QTest::keyClick(&canvas.view(), Qt::Key_Right); // what is done last counts
        QTRY_COMPARE(canvas.sentence(), QString("element (0, 1): task 0 of worker 1"));
        canvas.part<NumberField>("number_0_0")->setFocus();
        QTRY_VERIFY(canvas.sentence().startsWith("spatial(4, 8)"));
        QVERIFY(whole.startsWith("(8, 8): 32 workers"));
    }

    void mistakeLeavesTheLastPictureWithItsReasonUntilItIsGone() {
        StudioFixture studio;
        Canvas canvas(studio);
        QVERIFY(canvas.open("8).repeat"));
        QVERIFY(canvas.hasWorkers(32));
        studio.editor().setFocus();
        studio.type("nothing");
        QVERIFY(canvas.isStale());
        QCOMPARE(canvas.picture()->workers, 32);
        QVERIFY2(canvas.sentence().contains("'nothing8' is not defined"), qPrintable(canvas.sentence()));
        for (int i = 0; i < 7; ++i)
            studio.press(Qt::Key_Backspace);
        QVERIFY(canvas.hasWorkers(32));
    }

    void cellsSayWhoHasThemByTheKeyboardAlone() {
        StudioFixture studio;
        Canvas canvas(studio);
        QVERIFY(canvas.open("spatial(rows"));
        QVERIFY(canvas.hasWorkers(32));
        canvas.view().setFocus(Qt::TabFocusReason);
        QTest::keyClick(&canvas.view(), Qt::Key_Home);
        QCOMPARE(canvas.sentence(), QString("element (0, 0): task 0 of worker 0"));
        QTest::keyClick(&canvas.view(), Qt::Key_Right);
        QTest::keyClick(&canvas.view(), Qt::Key_Down);
        QCOMPARE(canvas.sentence(), QString("element (1, 1): task 1 of worker 1"));
        canvas.part<QSlider>("step")->setValue(1);
        QVERIFY(canvas.sentence().startsWith("Task 0 of 2 of each worker"));
    }

    void slicesOfThreeDimensionsAreChosen() {
        StudioFixture studio;
        Canvas canvas(studio);
        QVERIFY(canvas.open("row_major(2"));
        QVERIFY(QTest::qWaitFor([&] { return canvas.picture() && canvas.picture()->shape.size() == 3; }));
        QCOMPARE(canvas.view().data()->grid.at(0, 0).slot, 0);
        QTest::keyClick(canvas.part<QWidget>("index_0"), Qt::Key_Up);
        QVERIFY(QTest::qWaitFor([&] { return canvas.view().data()->grid.at(0, 0).slot == 12; }));
    }

    void banksOfATileAreMarkedWhereItsColumnsMeetInOneAndNotOnceItIsSwizzled() {
        StudioFixture studio;
        const QByteArray text = "import hidet\n"
                                "from hidet.lang import attrs, f32, shared_tensor\n"
                                "from hidet.lang.cuda import threadIdx\n"
                                "from hidet.lang.layout import row_major\n"
                                "with hidet.script_module() as module:\n"
                                "    @hidet.script\n"
                                "    def kernel(out: f32[32]):\n"
                                "        attrs.func_kind = 'cuda_kernel'\n"
                                "        attrs.cuda.grid_dim = 1\n"
                                "        attrs.cuda.block_dim = 32\n"
                                "        tile = shared_tensor(f32, layout=row_major(32, 32))\n"
                                "        out[threadIdx.x] = tile[threadIdx.x, 0]\n"
                                "module.build()\n";
        studio.openText(text);
        QVERIFY(studio.settle());
        studio.editor().setCaret(static_cast<int>(text.indexOf("row_major(32")));
        QVERIFY(studio.trigger("dock.mapping"));
        Canvas canvas(studio);
        QVERIFY(QTest::qWaitFor([&] { return canvas.picture() && canvas.picture()->element_bits == 32; }));
        canvas.part<QToolButton>("banks")->click();
        QVERIFY(canvas.view().cells().has(MappingMark::Conflict, 3, 5));
        QVERIFY2(canvas.sentence().contains("along a column: 32 passes"), qPrintable(canvas.sentence()));
        studio.editor().setFocus();
        studio.editor().setCaret(static_cast<int>(text.indexOf("32))\n        out") + 3));
        studio.type(".swizzle(1)");
        studio.press(Qt::Key_Escape);
        QVERIFY(QTest::qWaitFor([&] { return canvas.sentence().contains("along a column: no conflict"); }));
        QVERIFY(!canvas.view().cells().has(MappingMark::Conflict, 3, 5));
    }

    void workersThatTheBlockHasNoThreadForAreMarked() {
        StudioFixture studio;
        const QByteArray text = "import hidet\n"
                                "from hidet.lang import attrs, f32, spatial\n"
                                "from hidet.lang.cuda import threadIdx\n"
                                "with hidet.script_module() as module:\n"
                                "    @hidet.script\n"
                                "    def kernel(out: f32[8, 8]):\n"
                                "        attrs.func_kind = 'cuda_kernel'\n"
                                "        attrs.cuda.grid_dim = 1\n"
                                "        attrs.cuda.block_dim = 32\n"
                                "        for i, j in spatial(8, 8).on(threadIdx.x):\n"
                                "            out[i, j] = 1.0\n"
                                "module.build()\n";
        studio.openText(text);
        QVERIFY(studio.settle());
        studio.editor().setCaret(static_cast<int>(text.indexOf("spatial(8")));
        QVERIFY(studio.trigger("dock.mapping"));
        Canvas canvas(studio);
        QVERIFY(canvas.hasWorkers(64));
        QVERIFY(canvas.view().cells().has(MappingMark::Nobody, 4, 0));
        QVERIFY(!canvas.view().cells().has(MappingMark::Nobody, 3, 7));
        QVERIFY2(canvas.sentence().contains("the workers from 32 on are never asked"), qPrintable(canvas.sentence()));
        QTest::keyClicks(canvas.part<NumberField>("number_0_1"), "2");
        QTest::keyClick(canvas.part<NumberField>("number_0_1"), Qt::Key_Return);
        QVERIFY(canvas.hasWorkers(16));
        QVERIFY2(canvas.sentence().contains("those from 16 on have no task"), qPrintable(canvas.sentence()));
    }

    void operandsOfAMatrixInstructionAreChosen() {
        StudioFixture studio;
        const QByteArray text = "from hidet.lang.cuda import MmaConfig\nconfig = MmaConfig.m16n8k16_f16_f32()\n";
        studio.openText(text);
        QVERIFY(studio.settle());
        studio.editor().setCaret(static_cast<int>(text.indexOf("MmaConfig.m16")));
        QVERIFY(studio.trigger("dock.mapping"));
        Canvas canvas(studio);
        QVERIFY(canvas.hasWorkers(32));
        QCOMPARE(canvas.part<QComboBox>("pictures")->count(), 3);
        QCOMPARE(canvas.picture()->per_worker, 8);
        QTest::keyClick(canvas.part<QComboBox>("pictures"), Qt::Key_Down);
        QVERIFY(QTest::qWaitFor([&] { return canvas.picture()->per_worker == 4; }));
    }

    // The bound is far above what an event takes on a quiet machine.
    void noEventIsLongWhileALargeMappingIsDragged() {
        StudioFixture studio;
        const QByteArray text = "from hidet.lang import repeat, spatial\nmapping = repeat(16, 16) * spatial(16, 16)\n";
        studio.openText(text);
        QVERIFY(studio.settle());
        studio.editor().setCaret(static_cast<int>(text.indexOf("repeat(16")));
        QVERIFY(studio.trigger("dock.mapping"));
        Canvas canvas(studio);
        QVERIFY(canvas.hasWorkers(256));
        auto* app = static_cast<Application*>(qApp);
        app->resetSlowest();
        auto* number = canvas.part<NumberField>("number_1_1");
        const QPoint middle = number->rect().center();
        QTest::mousePress(number, Qt::LeftButton, {}, middle);
        for (int step = 1; step <= 4; ++step) {
            QTest::mouseMove(number, middle + QPoint(8 * step + 4, 0));
            QVERIFY(canvas.hasWorkers(16 * (16 + step)));
        }
        QTest::mouseRelease(number, Qt::LeftButton, {}, middle + QPoint(36, 0));
        for (int column = 0; column < 20; ++column)
            QTest::keyClick(&canvas.view(), Qt::Key_Right);
        QVERIFY(studio.settle());
        QVERIFY2(app->slowest().ms < 150, qPrintable(app->slowest().what));
    }

    void pictureIsSavedAsSvgAndPng() {
        StudioFixture studio;
        Canvas canvas(studio);
        QVERIFY(canvas.open("spatial(rows"));
        QVERIFY(canvas.hasWorkers(32));
        for (const char* name : {"mapping.svg", "mapping.png"}) {
            const QString path = studio.folder() + '/' + QString(name);
            studio.answerDialogs({path});
            canvas.part<QToolButton>("save")->click();
            QVERIFY(QTest::qWaitFor([&] { return QFile(path).size() > 500; }));
        }
    }

    void emptyDockSaysWhatToDo() {
        StudioFixture studio;
        studio.openText("x = 1\n");
        QVERIFY(studio.settle());
        studio.trigger("dock.mapping");
        Canvas canvas(studio);
        QVERIFY(QTest::qWaitFor([&] { return !canvas.view().isVisible(); }));
        const auto* empty = canvas.part<EmptyState>("empty");
        QVERIFY2(empty->text().contains("when the caret is on a task mapping"), qPrintable(empty->text()));
    }
};

HIDET_UI_TEST_MAIN(MappingTest)
#include "mapping_test.moc"
