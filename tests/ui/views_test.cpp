// SPDX-License-Identifier: GPL-3.0-only
// Docks that show what a kernel does as pictures: when warps copy, wait and compute, and which blocks run together.
#include <QAbstractButton>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QStyle>
#include <QTableWidget>

#include "app/ui/charts/bar_chart.h"
#include "app/ui/charts/block_picture.h"
#include "app/ui/charts/waves_picture.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/widgets/empty_state.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

const QByteArray doubling = "import hidet\n"
                            "from hidet.lang import attrs, f32\n"
                            "from hidet.lang.cuda import blockIdx, threadIdx\n"
                            "with hidet.script_module() as module:\n"
                            "    @hidet.script\n"
                            "    def double(a: f32[1024, 1024], b: f32[1024, 1024]):\n"
                            "        attrs.func_kind = 'cuda_kernel'\n"
                            "        attrs.cuda.grid_dim = 64, 64\n"
                            "        attrs.cuda.block_dim = 16, 16\n"
                            "        i = blockIdx.y * 16 + threadIdx.y\n"
                            "        j = blockIdx.x * 16 + threadIdx.x\n"
                            "        b[i, j] = a[i, j] * 2.0\n"
                            "kernel = module.build()\n";

const QByteArray tiled = "import hidet\n"
                         "from hidet.lang import attrs, f32, shared_tensor\n"
                         "from hidet.lang.cuda import blockIdx, syncthreads, threadIdx\n"
                         "n = 4096\n"
                         "threads, rows = 128, 96\n"
                         "with hidet.script_module() as module:\n"
                         "    @hidet.script\n"
                         "    def smooth(a: f32[n], b: f32[n]):\n"
                         "        attrs.func_kind = 'cuda_kernel'\n"
                         "        attrs.cuda.grid_dim = 32\n"
                         "        attrs.cuda.block_dim = threads\n"
                         "        tile = shared_tensor(f32, shape=[rows, threads])\n"
                         "        tile[0, threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x]\n"
                         "        syncthreads()\n"
                         "        b[blockIdx.x * 128 + threadIdx.x] = tile[0, 127 - threadIdx.x]\n"
                         "kernel = module.build()\n";

const QByteArray product = "import hidet\n"
                           "from hidet.lang import attrs, f32\n"
                           "from hidet.lang.cuda import blockIdx, threadIdx\n"
                           "with hidet.script_module() as module:\n"
                           "    @hidet.script\n"
                           "    def matmul(a: f32[512, 512], b: f32[512, 512], c: f32[512, 512]):\n"
                           "        attrs.func_kind = 'cuda_kernel'\n"
                           "        attrs.cuda.grid_dim = 32, 32\n"
                           "        attrs.cuda.block_dim = 16, 16\n"
                           "        i = blockIdx.x * 16 + threadIdx.x\n"
                           "        j = blockIdx.y * 16 + threadIdx.y\n"
                           "        total = f32(0.0)\n"
                           "        for p in range(512):\n"
                           "            total += a[i, p] * b[p, j]\n"
                           "        c[i, j] = total\n"
                           "kernel = module.build()\n";

const QByteArray staged = "import hidet\n"
                          "from hidet.lang import attrs, f32, shared_tensor\n"
                          "from hidet.lang.cuda import blockIdx, syncthreads, threadIdx\n"
                          "with hidet.script_module() as module:\n"
                          "    @hidet.script\n"
                          "    def reversed(a: f32[64, 128], b: f32[64, 128]):\n"
                          "        attrs.func_kind = 'cuda_kernel'\n"
                          "        attrs.cuda.grid_dim = 64\n"
                          "        attrs.cuda.block_dim = 128\n"
                          "        first = shared_tensor(f32, shape=[128])\n"
                          "        second = shared_tensor(f32, shape=[128])\n"
                          "        first[threadIdx.x] = a[blockIdx.x, threadIdx.x]\n"
                          "        syncthreads()\n"
                          "        value = first[127 - threadIdx.x]\n"
                          "        second[threadIdx.x] = value * 2.0\n"
                          "        syncthreads()\n"
                          "        b[blockIdx.x, threadIdx.x] = second[127 - threadIdx.x]\n"
                          "kernel = module.build()\n";

// The middle of its handle.
QPoint handleOf(const QSlider& slider) {
    const int handle = slider.style()->pixelMetric(QStyle::PM_SliderLength, nullptr, &slider);
    const int at = QStyle::sliderPositionFromValue(slider.minimum(), slider.maximum(), slider.sliderPosition(),
                                                   slider.width() - handle);
    return {at + handle / 2, slider.height() / 2};
}

bool runOnEmulator(StudioFixture& studio) {
    RunController& runs = *studio.studio().runs;
    const auto isReady = [&] { return runs.signatures() && runs.whyNotRunnable().isEmpty(); };
    if (!QTest::qWaitFor(isReady, 20'000) || !studio.trigger("run.emulate"))
        return false;
    const Document& document = *studio.studio().tabs.current();
    return QTest::qWaitFor([&] { return runs.report(document) && !studio.studio().jobs->isRunning(document); }, 60'000);
}

bool openPipeline(StudioFixture& studio) {
    if (!studio.openSample("tensor_core_matmul") || !studio.settle() || !runOnEmulator(studio))
        return false;
    studio.editor().setFocus();
    studio.trigger("dock.pipeline");
    return QTest::qWaitFor([&] { return in<BarChart>(studio, "pipeline.chart").hasFocus(); });
}

bool savesTo(StudioFixture& studio, const QString& name, const QByteArray& begins) {
    const QString path = studio.folder() + '/' + name;
    studio.answerDialogs({path});
    if (!studio.trigger("pane.picture") || !QTest::qWaitFor([&] { return QFile(path).size() > 200; }))
        return false;
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(200).contains(begins);
}

} // namespace

class ViewsTest : public QObject {
    Q_OBJECT
private slots:
    void aPipelineIsWalkedByKeysAndLeadsToTheScript() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        auto& chart = in<BarChart>(studio, "pipeline.chart");
        QVERIFY(chart.chart().lanes.size() >= 4); // a warp, and the stages of its ring
        QVERIFY(chart.chart().lanes.first().startsWith("warp 0: copy"));
        QVERIFY(in<QLabel>(studio, "pipeline.head").text().contains("a copy takes 600 steps"));
        studio.press(Qt::Key_Home);
        QVERIFY2(chart.accessibleDescription().contains("begins copies of"), qPrintable(chart.accessibleDescription()));
        const double whole = chart.to() - chart.from();
        studio.press(Qt::Key_Plus);
        QVERIFY(chart.to() - chart.from() < whole);
        studio.press(Qt::Key_0);
        QCOMPARE(chart.to() - chart.from(), whole);
        const QString line = chart.accessibleDescription().section("line ", -1).section(':', 0, 0);
        studio.press(Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(chart.range());
        const auto [begin, end] = *chart.range();
        studio.press(Qt::Key_End, Qt::ShiftModifier);
        QVERIFY(chart.range()->first == begin && chart.range()->second > end);
        QVERIFY2(
            chart.accessibleDescription().contains(QRegularExpression("computes: .* % of the time of these warps")),
            qPrintable(chart.accessibleDescription()));
        studio.press(Qt::Key_Escape);
        QVERIFY(!chart.range() && chart.hasFocus());
        studio.press(Qt::Key_Home);
        studio.press(Qt::Key_Return);
        QTRY_VERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, line.toInt());
    }

    void theMouseSaysWhatABarIsAndAClickGoesToItsLine() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        auto& chart = in<BarChart>(studio, "pipeline.chart");
        // The widest that no other lies on, while docks still find their sizes.
        QPoint middle;
        const auto aim = [&] {
            int widest = -1;
            for (int bar = 0; bar < int(chart.chart().bars.size()); ++bar)
                if (chart.barAt(chart.rectOf(bar).center().toPoint()) == bar &&
                    (widest < 0 || chart.rectOf(bar).width() > chart.rectOf(widest).width()))
                    widest = bar;
            middle = widest < 0 ? QPoint() : chart.rectOf(widest).center().toPoint();
            return widest;
        };
        int moves = 0; // the pointer of the platform may be where it is moved to already
        QVERIFY(QTest::qWaitFor([&] {
            const int bar = aim();
            QTest::mouseMove(&chart, middle - QPoint(moves++ % 2, 0));
            return bar >= 0 && chart.current() == bar && aim() == bar;
        }));
        QVERIFY(studio.studio().links.focus());
        const int line = studio.studio().links.focus()->place.line;
        QVERIFY(line > 1);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, middle);
        QTRY_COMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, line);
    }

    void aWaitOfTheListIsMarkedInTheChart() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        auto& table = in<QTableWidget>(studio, "pipeline.bubbles");
        QVERIFY(table.rowCount() > 0);
        table.setFocus();
        studio.press(Qt::Key_Down);
        studio.press(Qt::Key_Return);
        QTRY_VERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1,
                 table.item(table.currentRow(), 0)->text().toInt());
    }

    void copiesThatTakeLongerMakeAnotherPicture() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        auto& chart = in<BarChart>(studio, "pipeline.chart");
        const double before = chart.chart().x.max;
        auto& copies = in<QComboBox>(studio, "pipeline.copies");
        copies.setFocus();
        studio.press(Qt::Key_End);
        QTRY_VERIFY_WITH_TIMEOUT(chart.chart().x.max > before, 60'000);
        QVERIFY(in<QLabel>(studio, "pipeline.head").text().contains("a copy takes 2400 steps"));
    }

    void anotherBlockIsShownAtAKey() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        auto& head = in<QLabel>(studio, "pipeline.head");
        QVERIFY2(head.text().startsWith("Block 0 of "), qPrintable(head.text()));
        auto& block = in<QSpinBox>(studio, "pipeline.block");
        QVERIFY(block.isVisible() && block.maximum() > 0);
        block.setFocus();
        studio.press(Qt::Key_Up);
        QTRY_VERIFY_WITH_TIMEOUT(head.text().startsWith("Block 1 of "), 60'000);
        QCOMPARE(studio.studio().settings.number(Setting::TimedBlock), 1);
    }

    void aBlockThatNoKernelHasIsSaidAndLeft() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        studio.studio().settings.set(Setting::TimedBlock, 1'000'000);
        QVERIFY(runOnEmulator(studio));
        auto& empty = in<EmptyState>(studio, "pipeline.empty");
        QTRY_VERIFY_WITH_TIMEOUT(empty.text().contains("a block 1000000"), 60'000);
        auto* first = empty.findChild<QAbstractButton*>();
        QVERIFY(first);
        QTest::mouseClick(first, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(in<QLabel>(studio, "pipeline.head").text().startsWith("Block 0 of "), 60'000);
    }

    void marksInTheKernelMakeThePictureWhereTheyAreAskedFor() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        auto& head = in<QLabel>(studio, "pipeline.head");
        QVERIFY(head.text().contains("the emulator's order, not time"));
        QVERIFY(studio.trigger("run.markers"));
        QVERIFY(studio.studio().settings.flag(Setting::Markers));
        QVERIFY(studio.trigger("run.run")); // without a GPU it goes to the emulator
        QTRY_VERIFY_WITH_TIMEOUT(head.text().contains("marks in the kernel"), 60'000);
        QVERIFY(!in<QComboBox>(studio, "pipeline.copies").isVisible());
        auto& chart = in<BarChart>(studio, "pipeline.chart");
        chart.setFocus();
        studio.press(Qt::Key_Home);
        const QString line = chart.accessibleDescription().section("line ", -1).section(':', 0, 0);
        studio.press(Qt::Key_Return);
        QTRY_VERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, line.toInt());
    }

    void aPipelineFadesWhenItsTextChanges() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        auto& chart = in<BarChart>(studio, "pipeline.chart");
        QVERIFY(!chart.chart().isStale);
        studio.editor().setFocus();
        studio.type("# x\n");
        QTRY_VERIFY(chart.chart().isStale);
        QVERIFY(in<QLabel>(studio, "pipeline.head").text().startsWith("Of the run before the last change"));
    }

    void aScriptThatHasNotRunIsOfferedTheEmulator() {
        StudioFixture studio;
        studio.openText(doubling);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.pipeline"));
        QCOMPARE(in<EmptyState>(studio, "pipeline.empty").text(),
                 QString("Appears here when the script has run on the emulator"));
    }

    void wavesFollowTheTextAndAreWalkedByKeys() {
        StudioFixture studio;
        studio.openText(doubling);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.waves"));
        auto& picture = in<WavesPicture>(studio, "waves.picture");
        auto& tail = in<QLabel>(studio, "waves.tail");
        QTRY_VERIFY2(tail.text().contains("4096 blocks, 1056 together (132 multiprocessors with 8 each): 4 waves"),
                     qPrintable(tail.text()));
        QVERIFY2(tail.text().contains("the last has work for 88 %, so 3.0 % of the time is lost"),
                 qPrintable(tail.text()));
        picture.setFocus();
        studio.press(Qt::Key_Right);
        QCOMPARE(picture.words(), QString("Tile at row 0, column 0: wave 1, of 1056 blocks"));
        studio.press(Qt::Key_Return);
        QCOMPARE(picture.wave(), 1);
        auto& steps = in<QSlider>(studio, "waves.step");
        QCOMPARE(steps.value(), 1);
        steps.setFocus();
        studio.press(Qt::Key_Right);
        QCOMPARE(picture.wave(), 2);
        auto& table = in<QTableWidget>(studio, "waves.table");
        QCOMPARE(table.item(table.currentRow(), 0)->text(), QString("2"));
        studio.editor().setFocus();
        QVERIFY(studio.retype("64, 64", "64, 66"));
        QTRY_VERIFY2(tail.text().contains("4224 blocks, 1056 together"), qPrintable(tail.text()));
    }

    void aSizeIsDraggedWhileTheOccupancyFollowsAndIsOneStepOfUndo() {
        StudioFixture studio;
        studio.openText(tiled);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.occupancy"));
        auto& said = in<QLabel>(studio, "occupancy.sentence");
        QTRY_VERIFY2(said.text().contains("4 blocks of 128 threads"), qPrintable(said.text()));
        QVERIFY2(said.text().contains("fewer bytes of shared memory per block would allow one more block"),
                 qPrintable(said.text()));
        QVERIFY(!studio.window().findChild<QSlider*>("occupancy.size.n")); // whoever calls the kernel decides about it
        auto& rows = in<QSlider>(studio, "occupancy.size.rows");
        const QPoint handle = handleOf(rows);
        QTest::mousePress(&rows, Qt::LeftButton, {}, handle);
        for (int by = 20; by <= handle.x(); by += 20) {
            QTest::mouseMove(&rows, handle - QPoint(by, 0));
            QCoreApplication::processEvents();
        }
        QTRY_VERIFY(studio.editor().bytes().contains("threads, rows = 128, 32"));
        QTRY_VERIFY2(said.text().contains("13 blocks of 128 threads"), qPrintable(said.text()));
        QTest::mouseRelease(&rows, Qt::LeftButton, {}, handle - QPoint(handle.x(), 0));
        QVERIFY(studio.settle());
        studio.editor().setFocus();
        studio.press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.editor().bytes(), tiled);
        QVERIFY(studio.settle());
        QTRY_VERIFY2(said.text().contains("4 blocks of 128 threads"), qPrintable(said.text()));
        in<QSlider>(studio, "occupancy.size.threads").setFocus();
        studio.press(Qt::Key_Right);
        QTRY_VERIFY(studio.editor().bytes().contains("threads, rows = 160, 96"));
    }

    void aLoopAtTheCaretSaysWhatLimitsItAndWhichEditWouldRaiseThat() {
        StudioFixture studio;
        studio.openText(product);
        QVERIFY(studio.settle());
        studio.editor().setFocus();
        studio.editor().setCaret(static_cast<int>(product.indexOf("total +=")));
        QVERIFY(studio.trigger("dock.loops"));
        auto& loops = in<QTableWidget>(studio, "loops.table");
        QTRY_COMPARE(loops.rowCount(), 1);
        QCOMPARE(loops.item(0, 0)->text(), QString("13"));
        QCOMPARE(loops.item(0, 1)->text(), QString("inner, over p"));
        QCOMPARE(loops.item(0, 4)->text(), QString("512"));
        QCOMPARE(loops.item(0, 2)->text(), QString("shared memory/L1"));
        QCOMPARE(in<QLabel>(studio, "loops.sentence").text(), QString("~shared memory/L1 limits it"));
        auto& advice = in<QTableWidget>(studio, "loops.advice");
        QVERIFY(advice.rowCount() >= 1);
        QCOMPARE(advice.item(0, 3)->text(), QString("14"));
        advice.setFocus();
        studio.press(Qt::Key_Down);
        studio.press(Qt::Key_Return);
        QTRY_VERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, 14);
        QVERIFY(studio.retype("range(512)", "range(256)"));
        QTRY_COMPARE(loops.item(0, 4)->text(), QString("256"));
    }

    void aBlockShowsWhichElementsItTouchesAndKeysGoFromOperandToOperand() {
        StudioFixture studio;
        studio.openText(product);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.block"));
        auto& picture = in<BlockPicture>(studio, "block.picture");
        auto& words = in<QLabel>(studio, "block.words");
        QTRY_VERIFY2(words.text().startsWith("Blue is read"), qPrintable(words.text()));
        QTRY_VERIFY(picture.hasFocus());
        QVERIFY2(picture.tsv().contains("a\t0\t0\t1\t0"), qPrintable(picture.tsv()));
        studio.press(Qt::Key_Down);
        studio.press(Qt::Key_Right);
        QTRY_VERIFY2(words.text().startsWith("a ["), qPrintable(words.text()));
        QTest::mouseMove(&picture, picture.rectOf(2, 0, 0).center());
        QTRY_VERIFY2(words.text().startsWith("c ["), qPrintable(words.text()));
        const QString before = picture.tsv();
        auto& x = in<QSpinBox>(studio, "block.x");
        x.setFocus();
        QTest::keyClick(&x, Qt::Key_Up);
        QTRY_VERIFY(picture.tsv() != before);
    }

    void sharedTensorsAreBarsAndAClickGoesToTheLine() {
        StudioFixture studio;
        studio.openText(staged);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.shared"));
        auto& said = in<QLabel>(studio, "shared.sentence");
        QTRY_VERIFY2(said.text().contains("'first' is not used any more when 'second' is used first"),
                     qPrintable(said.text()));
        auto& chart = in<BarChart>(studio, "shared.chart");
        QCOMPARE(chart.chart().bars.size(), std::size_t(2));
        QVERIFY(chart.chart().bars[0].right <= chart.chart().bars[1].left);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(1).center().toPoint());
        QTRY_VERIFY(studio.editor().hasFocus());
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, 15);
        auto& table = in<QTableWidget>(studio, "shared.table");
        QCOMPARE(table.item(1, 2)->text(), QString("second"));
        QVERIFY(studio.retype("second[127 - threadIdx.x]", "second[127 - threadIdx.x] + first[0]"));
        QTRY_VERIFY2(!said.text().contains("is not used any more"), qPrintable(said.text()));
    }

    void viewsAreSavedAsPicturesByOneCommand() {
        StudioFixture studio;
        QVERIFY(openPipeline(studio));
        QVERIFY(savesTo(studio, "pipeline.png", "PNG"));
        QVERIFY(savesTo(studio, "pipeline.svg", "<svg"));
        QVERIFY(savesTo(studio, "pipeline.tsv", "begins copies of"));
        studio.openText(doubling);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.waves"));
        QTRY_VERIFY(in<WavesPicture>(studio, "waves.picture").hasFocus());
        QTRY_VERIFY(in<QLabel>(studio, "waves.tail").text().contains("4 waves"));
        QVERIFY(savesTo(studio, "waves.png", "PNG"));
        QVERIFY(savesTo(studio, "waves.svg", "<svg"));
        const QString wrong = studio.folder() + "/waves.bmp";
        studio.answerDialogs({wrong});
        QSignalSpy noticed(&studio.studio().notices, &Notices::noticed);
        QVERIFY(studio.trigger("pane.picture"));
        QTRY_COMPARE(noticed.size(), 1);
        QVERIFY(!QFile::exists(wrong));
    }
};

HIDET_UI_TEST_MAIN(ViewsTest)
#include "views_test.moc"
