// SPDX-License-Identifier: GPL-3.0-only
// The tensor viewer: what a run left is shown by itself, keys go to what is wrong, and files come out of it.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

#include "app/ui/run/run_controller.h"
#include "app/ui/tensors/tensor_grid.h"
#include "app/ui/tensors/tensor_map_view.h"
#include "app/ui/widgets/empty_state.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

// Row 5 of the second matrix is wrong, and holds a NaN.
const QByteArray script =
    "import hidet\n"
    "import torch\n"
    "from hidet.lang import attrs, f32\n"
    "from hidet.lang.cuda import blockIdx, threadIdx\n"
    "with hidet.script_module() as script_module:\n"
    "    @hidet.script\n"
    "    def twice(x: f32[2, 8, 16], y: f32[2, 8, 16]):\n"
    "        attrs.func_kind = 'cuda_kernel'\n"
    "        attrs.cuda.grid_dim = 2, 8\n"
    "        attrs.cuda.block_dim = 16\n"
    "        y[blockIdx.x, blockIdx.y, threadIdx.x] = x[blockIdx.x, blockIdx.y, threadIdx.x] * 2.0\n"
    "        if blockIdx.x == 1 and blockIdx.y == 5 and threadIdx.x == 3:\n"
    "            y[1, 5, 3] = 100.0\n"
    "        if blockIdx.x == 1 and blockIdx.y == 5 and threadIdx.x == 9:\n"
    "            y[1, 5, 9] = (x[0, 0, 0] - x[0, 0, 0]) / (x[0, 0, 0] - x[0, 0, 0])\n"
    "def expected(x):\n"
    "    return x * 2.0\n"
    "module = script_module.build()\n"
    "x = torch.ones(2, 8, 16, device='cuda')\n"
    "y = torch.empty(2, 8, 16, device='cuda')\n"
    "module(x, y)\n";

// Each block has a swizzled tile of the numbers that follow each other.
const QByteArray tiled = "import hidet\n"
                         "import torch\n"
                         "from hidet.ir.layout import row_major\n"
                         "from hidet.lang import attrs, f32, shared_tensor\n"
                         "from hidet.lang.cuda import blockIdx, threadIdx\n"
                         "with hidet.script_module() as script_module:\n"
                         "    @hidet.script\n"
                         "    def twice(x: f32[2, 4, 4], y: f32[2, 4, 4]):\n"
                         "        attrs.func_kind = 'cuda_kernel'\n"
                         "        attrs.cuda.grid_dim = 2\n"
                         "        attrs.cuda.block_dim = 4\n"
                         "        tile = shared_tensor(f32, layout=row_major(4, 4).swizzle(1))\n"
                         "        tile[threadIdx.x, 0] = x[blockIdx.x, threadIdx.x, 0]\n"
                         "        for j in range(1, 4):\n"
                         "            tile[threadIdx.x, j] = x[blockIdx.x, threadIdx.x, j]\n"
                         "        for j in range(4):\n"
                         "            y[blockIdx.x, threadIdx.x, j] = tile[threadIdx.x, j] * 2.0\n"
                         "def expected(x):\n"
                         "    return x * 2.0\n"
                         "module = script_module.build()\n"
                         "x = torch.arange(32, dtype='float32', device='cuda').reshape(2, 4, 4)\n"
                         "y = torch.empty(2, 4, 4, device='cuda')\n"
                         "module(x, y)\n";

// The last block reads outside of x, when its threads hold two rows of numbers each.
const QByteArray stopped = "import hidet\n"
                           "import torch\n"
                           "from hidet.lang import attrs, f32, register_tensor, shared_tensor\n"
                           "from hidet.lang.cuda import blockIdx, threadIdx\n"
                           "with hidet.script_module() as script_module:\n"
                           "    @hidet.script\n"
                           "    def outside(x: f32[12], y: f32[16]):\n"
                           "        attrs.func_kind = 'cuda_kernel'\n"
                           "        attrs.cuda.grid_dim = 4\n"
                           "        attrs.cuda.block_dim = 4\n"
                           "        tile = shared_tensor(f32, shape=[4])\n"
                           "        own = register_tensor(f32, shape=[2])\n"
                           "        own[0] = f32(10 * blockIdx.x + threadIdx.x)\n"
                           "        tile[threadIdx.x] = own[0] + 0.5\n"
                           "        y[4 * blockIdx.x + threadIdx.x] = x[4 * blockIdx.x + threadIdx.x]\n"
                           "        own[1] = tile[threadIdx.x] + 1.0\n"
                           "        y[4 * blockIdx.x + threadIdx.x] = own[1]\n"
                           "module = script_module.build()\n"
                           "x = torch.ones(12, device='cuda')\n"
                           "y = torch.empty(16, device='cuda')\n"
                           "module(x, y)\n";

class Viewer {
public:
    explicit Viewer(StudioFixture& studio) : m_studio(studio) {}
    TensorGrid& grid() { return *part<TensorGrid>("grid"); }
    template <class Widget>
    Widget* part(const QString& name) {
        return m_studio.window().findChild<Widget*>("tensors." + name);
    }
    bool shows(std::int64_t row, std::int64_t column, const QString& text) {
        return QTest::qWaitFor([&] { return grid().textAt(row, column) == text; });
    }
    bool says(const QString& text) {
        return QTest::qWaitFor([&] { return part<QLabel>("sentence")->text() == text; });
    }
    bool run(const QByteArray& text = script) {
        m_studio.openText(text);
        if (!m_studio.settle() || !m_studio.trigger("dock.tensors"))
            return false;
        RunController& runs = *m_studio.studio().runs;
        if (!QTest::qWaitFor([&] { return runs.signatures() && runs.whyNotRunnable().isEmpty(); }, 20'000))
            return false;
        Document& document = *m_studio.studio().tabs.current();
        RunPlan plan = runs.plans().plan(document);
        plan.reference = {ReferencePlan::Function, 0, "expected"};
        runs.plans().change(document, plan, {}, "arguments");
        m_studio.trigger("run.emulate");
        return QTest::qWaitFor([&] { return !grid().textAt(0, 0).isEmpty(); }, 60'000);
    }

private:
    StudioFixture& m_studio;
};

} // namespace

class TensorsTest : public QObject {
    Q_OBJECT
private slots:
    void keysGoToWhatIsWrongInAnySliceAndTheSentenceSaysHowFarItIsOff() {
        StudioFixture studio;
        Viewer viewer(studio);
        QVERIFY(viewer.run());
        QVERIFY(viewer.shows(0, 0, "2"));
        QVERIFY(viewer.part<QLabel>("figures")->text().contains("1 NaN"));
        viewer.grid().setFocus();
        QTest::keyClick(&viewer.grid(), Qt::Key_W);
        const auto* sentence = viewer.part<QLabel>("sentence");
        QVERIFY(
            QTest::qWaitFor([&] { return sentence->text().startsWith("y[1, 5, 3] = 100, should be 2, off by 98, "); }));
        QVERIFY2(sentence->text().contains("times what is tolerated, written by"), qPrintable(sentence->text()));
        QCOMPARE(viewer.part<QSpinBox>("index_0")->value(), 1);
        QTest::keyClick(&viewer.grid(), Qt::Key_N);
        QVERIFY(viewer.says("y[1, 5, 9] = nan, should be 2, which is wrong, written by block (1, 5), warp 0, lane 9"));
        QTest::keyClick(&viewer.grid(), Qt::Key_Left);
        QVERIFY(viewer.says("y[1, 5, 8] = 2, should be 2, written by block (1, 5), warp 0, lane 8"));
        QTest::keyClick(viewer.part<QSpinBox>("index_0"), Qt::Key_Down);
        QVERIFY(viewer.says("y[0, 5, 8] = 2, should be 2, written by block (0, 5), warp 0, lane 8"));
    }

    void ofACallThatFailedTheValuesAreThoseOfThatMoment() {
        StudioFixture studio;
        Viewer viewer(studio);
        QByteArray broken = script; // its eighth block writes where there is nothing
        broken.replace("y[blockIdx.x, blockIdx.y, threadIdx.x] = ",
                       "y[blockIdx.x, blockIdx.y + blockIdx.y // 7, threadIdx.x] = ");
        QVERIFY(viewer.run(broken));
        const auto* sentence = viewer.part<QLabel>("sentence");
        QTRY_VERIFY2(sentence->text().startsWith("As it was when the call failed"), qPrintable(sentence->text()));
        viewer.grid().setFocus();
        QVERIFY(viewer.part<QLabel>("figures")->text().contains("256 elements"));
    }

    void sharedTilesOfABlockAreShownAndAnotherBlockIsEmulatedAnew() {
        StudioFixture studio;
        Viewer viewer(studio);
        QVERIFY(viewer.run(tiled));
        auto* entries = viewer.part<QComboBox>("entries");
        auto* block = viewer.part<QLineEdit>("block");
        QTRY_VERIFY(block->isVisible());
        entries->setFocus();
        QTest::keyClick(entries, Qt::Key_End); // arguments come first
        QTRY_VERIFY2(entries->currentText().startsWith("tile of block (0, 0, 0) of twice"),
                     qPrintable(entries->currentText()));
        QVERIFY(viewer.shows(1, 2, "6")); // though its layout has it elsewhere
        block->setFocus();
        block->selectAll();
        QTest::keyClicks(block, "1");
        QTest::keyClick(block, Qt::Key_Return);
        QVERIFY(QTest::qWaitFor([&] { return entries->currentText().startsWith("tile of block (1, 0, 0) of twice"); },
                                60'000));
        QVERIFY(viewer.shows(1, 2, "22"));
    }

    void whatABlockHeldAtAFindingIsListedWithItsRegisters() {
        StudioFixture studio;
        Viewer viewer(studio);
        QVERIFY(viewer.run(stopped));
        auto* entries = viewer.part<QComboBox>("entries");
        const auto choose = [&](const QString& name) {
            for (int i = 0; i < entries->count(); ++i)
                if (entries->itemText(i).startsWith(name)) {
                    entries->setFocus();
                    QTest::keyClick(entries, Qt::Key_Home);
                    for (int step = 0; step < i; ++step)
                        QTest::keyClick(entries, Qt::Key_Down);
                    return entries->currentText().startsWith(name);
                }
            return false;
        };
        QTRY_VERIFY(choose("tile of block (3, 0, 0) of outside, as of the finding at line 15"));
        QVERIFY(viewer.shows(0, 2, "32.5"));
        QTRY_VERIFY(choose("own of block (3, 0, 0) of outside, as of the finding at line 15"));
        QVERIFY(viewer.shows(2, 0, "32"));
        QTRY_VERIFY(viewer.grid().textAt(2, 1) == QString(QChar(0x2013))); // never written
        QTRY_VERIFY(choose("own of block (0, 0, 0) of outside"));          // which had ended
        QVERIFY(viewer.shows(2, 1, "3.5"));
    }

    void behindALineElementsThatNobodyHasWrittenAreMarked() {
        StudioFixture studio;
        Viewer viewer(studio);
        QVERIFY(viewer.run(tiled));
        auto* entries = viewer.part<QComboBox>("entries");
        auto* line = viewer.part<QSpinBox>("line");
        QTRY_VERIFY(line->isVisible());
        entries->setFocus();
        QTest::keyClick(entries, Qt::Key_End);
        QVERIFY(viewer.shows(3, 3, "15"));
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, "13"); // which fills the first column alone
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(QTest::qWaitFor([&] { return viewer.grid().textAt(3, 3) == QString(QChar(0x2013)); }, 60'000));
        QVERIFY(viewer.shows(3, 0, "12"));
        QVERIFY(viewer.part<QLabel>("figures")->text().contains("12 never written"));
        viewer.grid().setFocus();
        viewer.grid().goTo(3, 3);
        QVERIFY(viewer.says("tile of block (0, 0, 0) of twice[3, 3] was never written"));
    }

    void whoWroteWhatIsWrongIsColouredAndSaid() {
        StudioFixture studio;
        Viewer viewer(studio);
        QVERIFY(viewer.run());
        auto* owners = viewer.part<QToolButton>("owners");
        QTRY_VERIFY(owners->isVisible());
        QVERIFY2(viewer.part<QLabel>("figures")->text().contains("block (1, 5), lanes 3, 9: 2 of 2 elements wrong"),
                 qPrintable(viewer.part<QLabel>("figures")->text()));
        QTest::mouseClick(owners, Qt::LeftButton);
        viewer.grid().setFocus();
        QTest::keyClick(&viewer.grid(), Qt::Key_W);
        QVERIFY(viewer.shows(5, 3, "0:3"));
        const auto* sentence = viewer.part<QLabel>("sentence");
        QTRY_VERIFY2(sentence->text().endsWith(", written by block (1, 5), warp 0, lane 3"),
                     qPrintable(sentence->text()));
        const auto* map = viewer.part<TensorMapView>("map");
        const QColor byLane = map->picture().pixelColor(3, 5);
        QVERIFY(byLane != map->picture().pixelColor(9, 5));
        auto* part = viewer.part<QComboBox>("owner_part");
        QVERIFY(part->isVisible());
        part->setFocus();
        QTest::keyClick(part, Qt::Key_End); // by block
        QTRY_COMPARE(map->picture().pixelColor(3, 5), map->picture().pixelColor(9, 5));
    }

    void differencesAreAMapAndNumbersHaveTheFormatThatIsChosen() {
        StudioFixture studio;
        Viewer viewer(studio);
        QVERIFY(viewer.run());
        QTest::keyClick(viewer.part<QSpinBox>("index_0"), Qt::Key_Up);
        QVERIFY(viewer.shows(5, 3, "100"));
        viewer.part<QToolButton>("differences")->click();
        QVERIFY(viewer.shows(5, 3, "98"));
        const QImage& map = viewer.part<TensorMapView>("map")->picture();
        QCOMPARE(map.size(), QSize(16, 8));
        QVERIFY(map.pixelColor(3, 5) != map.pixelColor(2, 5));
        QCOMPARE(map.pixelColor(0, 0), map.pixelColor(2, 5));
        viewer.part<QToolButton>("values")->click();
        QTest::keyClick(viewer.part<QComboBox>("format"), Qt::Key_Down);
        QVERIFY(viewer.shows(5, 3, "100.00000"));
    }

    void tensorIsSavedAsAnArrayAsTextAndAsAPicture() {
        StudioFixture studio;
        Viewer viewer(studio);
        QVERIFY(viewer.run());
        for (const char* name : {"y.npy", "y.tsv", "y.png", "y.svg"}) {
            const QString path = studio.folder() + '/' + QString(name);
            studio.answerDialogs({path});
            viewer.part<QToolButton>(path.endsWith("npy") || path.endsWith("tsv") ? "export" : "picture")->click();
            QVERIFY(QTest::qWaitFor([&] { return QFile(path).size() > 0; }));
        }
        QCOMPARE(QFile(studio.folder() + "/y.npy").size(), 128 + 4 * 2 * 8 * 16);
        QCOMPARE(QImage(studio.folder() + "/y.png").size(), QSize(64, 32));
        QFile text(studio.folder() + "/y.tsv");
        QVERIFY(text.open(QIODevice::ReadOnly));
        QCOMPARE(text.readAll().count('\n'), 8);
    }

    void emptyViewerOffersTheRun() {
        StudioFixture studio;
        studio.openText("x = 1\n");
        QVERIFY(studio.settle());
        studio.trigger("dock.tensors");
        QVERIFY(Viewer(studio).part<EmptyState>("empty")->text().startsWith("Appears here when the script has run"));
    }
};

HIDET_UI_TEST_MAIN(TensorsTest)
#include "tensors_test.moc"
