// SPDX-License-Identifier: GPL-3.0-only
// The analysis: what costs most is in front with its picture and its fix, sections are those of what is in front, and what was chosen
// stays chosen while the script changes.
#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeWidget>

#include "app/ui/charts/access_picture.h"
#include "app/ui/docks/analysis.h"
#include "app/ui/panes/figure_pane.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/window/menus.h"
#include "app/ui/window/top_bar.h"
#include "app/ui/workbench/live_model.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");

// A matrix product whose lanes walk down the columns of both, in blocks that fill the GPU.
const QByteArray slow = "import hidet\n"
                        "from hidet.lang import attrs\n"
                        "from hidet.lang.types import f32\n"
                        "from hidet.lang.cuda import blockIdx, threadIdx\n"
                        "with hidet.script_module() as module:\n"
                        "    @hidet.script\n"
                        "    def matmul(a: f32[4096, 512], b: f32[512, 4096], c: f32[4096, 4096]):\n"
                        "        attrs.func_kind = 'cuda_kernel'\n"
                        "        attrs.cuda.grid_dim = 256, 256\n"
                        "        attrs.cuda.block_dim = 16, 16\n"
                        "        i = blockIdx.x * 16 + threadIdx.x\n"
                        "        j = blockIdx.y * 16 + threadIdx.y\n"
                        "        total = f32(0.0)\n"
                        "        for p in range(512):\n"
                        "            total += a[i, p] * b[p, j]\n"
                        "        c[i, j] = total\n"
                        "kernel = module.build()\n";

// The scripts of tests/golden/cli/explain/slow.txt, in its order.
QList<QByteArray> slowKernels() {
    QFile file(HIDET_SAMPLES "/../tests/golden/cli/explain/slow.txt");
    QList<QByteArray> out;
    if (file.open(QFile::ReadOnly))
        for (const QString& part : QString::fromUtf8(file.readAll()).split("# ==== ").mid(1))
            out << part.section('\n', 1).section("# ---- expect", 0, 0).toUtf8();
    return out;
}

QStringList tabsOf(StudioFixture& studio) {
    QStringList out;
    const auto& tabs = in<QTabBar>(studio, "analysis.sections");
    for (int i = 0; i < tabs.count(); ++i)
        out << tabs.tabData(i).toString();
    return out;
}

QString sectionOf(StudioFixture& studio) {
    return static_cast<AnalysisDock*>(studio.window().dock("analysis")->widget())->section()->objectName();
}

QStringList titlesOf(StudioFixture& studio) {
    QStringList out;
    for (const QAction* action : in<QMenuBar>(studio, "menus").actions())
        out << action->text();
    return out;
}

} // namespace

class AnalysisTest : public QObject {
    Q_OBJECT
private slots:
    void aSlowKernelIsMendedByTwoKeys() {
        StudioFixture studio;
        studio.openText(slow);
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.studio().scripts.live()->explanationIsCurrent());
        studio.editor().setFocus();
        studio.press(Qt::Key_X, Qt::AltModifier | Qt::ShiftModifier);
        auto& findings = in<QTreeWidget>(studio, "analysis.findings");
        QTRY_VERIFY(findings.topLevelItemCount() > 0);
        QTRY_COMPARE(findings.topLevelItem(0)->text(0).left(13), QString("Load of 'a': "));
        QCOMPARE(findings.topLevelItem(0)->text(1), QString("15"));
        QVERIFY(findings.topLevelItem(0)->text(2).startsWith("~"));
        QVERIFY(in<QLabel>(studio, "analysis.head").text().startsWith("~"));
        QCOMPARE(sectionOf(studio), QString("section.accesses"));
        QVERIFY(in<AccessPicture>(studio, "accesses.picture").isVisible());
        const QString before = in<QLabel>(studio, "analysis.head").text();
        QTRY_VERIFY(studio.studio().scripts.live()->explained()->are_fixes_tried);
        studio.press(Qt::Key_Return, Qt::AltModifier);
        QVERIFY(studio.settle());
        QVERIFY(studio.editor().bytes() != slow);
        QTRY_VERIFY(in<QLabel>(studio, "analysis.head").text() != before); // it takes less now
    }

    void oneKeySaysWhyEachOfSixKernelsIsSlow_data() {
        QTest::addColumn<int>("kernel");
        QTest::addColumn<QString>("begin"); // of the first finding
        QTest::addColumn<QString>("section");
        QTest::newRow("columns") << 0 << "Load of 'x': moves 8 times the ideal sectors"
                                 << "section.accesses";
        QTest::newRow("banks") << 1 << "Load in shared memory of 'tile': 32-way bank conflict"
                               << "section.accesses";
        QTest::newRow("few warps") << 2 << "Few warps run beside each other: 12 %"
                                   << "section.occupancy";
        QTest::newRow("few blocks") << 3 << "The grid is small: it fills 0.4 %"
                                    << "section.waves";
        QTest::newRow("product") << 4 << "The loop over 't' is limited by shared memory/L1: give each thread"
                                 << "section.loops";
        QTest::newRow("atomics") << 5 << "Atomic operations on 'y' queue up"
                                 << "section.accesses";
    }
    void oneKeySaysWhyEachOfSixKernelsIsSlow() {
        QFETCH(int, kernel);
        QFETCH(QString, begin);
        QFETCH(QString, section);
        StudioFixture studio;
        studio.openText(slowKernels().value(kernel));
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.studio().scripts.live()->explanationIsCurrent());
        studio.editor().setFocus();
        studio.press(Qt::Key_X, Qt::AltModifier | Qt::ShiftModifier);
        auto& findings = in<QTreeWidget>(studio, "analysis.findings");
        QTRY_VERIFY2(findings.topLevelItemCount() > 0 && findings.topLevelItem(0)->text(0).startsWith(begin),
                     qPrintable(findings.topLevelItemCount() ? findings.topLevelItem(0)->text(0) : QString("none")));
        QVERIFY(findings.topLevelItem(0)->text(2).startsWith("~"));
        QTRY_COMPARE(sectionOf(studio), section);
    }

    void findingsAreInTheOrderOfWhatTheyCost() {
        StudioFixture studio;
        studio.openText(slow);
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.studio().scripts.live()->explanationIsCurrent());
        const auto& explained = *studio.studio().scripts.live()->explained();
        double before = 1e9;
        for (const auto& each : hidet::session::findings_of(explained.kernels[0], {})) {
            QVERIFY(each.seconds <= before && each.seconds <= explained.kernels[0].cost->predicted_seconds);
            before = each.seconds;
        }
    }

    void aSectionThatWasChosenStaysWhileTheScriptChanges() {
        StudioFixture studio;
        studio.openText(slow);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.waves"));
        QTRY_VERIFY(studio.studio().scripts.live()->explanationIsCurrent());
        QCOMPARE(sectionOf(studio), QString("section.waves"));
        QVERIFY(studio.retype("range(512)", "range(256)"));
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.studio().scripts.live()->explanationIsCurrent() && studio.studio().scripts.turns().isIdle());
        QCOMPARE(sectionOf(studio), QString("section.waves"));
        QVERIFY(studio.trigger("dock.loops"));
        QCOMPARE(sectionOf(studio), QString("section.loops"));
        QVERIFY(studio.trigger("dock.loops")); // as a dock: once more hides it
        QVERIFY(!studio.window().dock("loops")->isVisible());
    }

    void sectionsAndMenusAreThoseOfWhatIsInFront() {
        StudioFixture studio;
        QCOMPARE(titlesOf(studio), QStringList({"File", "View", "Help"}));
        studio.openText(slow);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.traffic"));
        QVERIFY(tabsOf(studio).contains("pipeline") && !tabsOf(studio).contains("operators"));
        QCOMPARE(titlesOf(studio), QStringList({"File", "Edit", "View", "Run", "Help"}));
        QVERIFY(studio.studio().tabs.openFile(models + "mlp/mlp.onnx"));
        QTRY_VERIFY(studio.studio().tabs.model() && !studio.studio().tabs.model()->graphs().isBusy());
        QVERIFY(studio.trigger("dock.fusion"));
        QVERIFY(tabsOf(studio).contains("operators") && !tabsOf(studio).contains("pipeline"));
        QCOMPARE(sectionOf(studio), QString("section.fusion"));
        QCOMPARE(titlesOf(studio), QStringList({"File", "Graph", "Model", "View", "Help"}));
        studio.studio().tabs.setFront(studio.studio().tabs.documents().first());
        QTRY_COMPARE(sectionOf(studio), QString("section.traffic")); // as it was left
    }

    void figuresOfThePinnedVersionStandBesideTheNewOnes() {
        StudioFixture studio;
        studio.openText(slow);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.occupancy"));
        QTRY_VERIFY(studio.studio().scripts.live()->explanationIsCurrent());
        auto &head = in<QLabel>(studio, "analysis.head"), &limit = in<QLabel>(studio, "analysis.limit");
        QTRY_VERIFY(head.text().startsWith("~"));
        QVERIFY(!head.text().contains("baseline") && !limit.text().contains("baseline"));
        QVERIFY(studio.trigger("pane.pin_baseline"));
        QVERIFY2(head.text().contains("the same)"), qPrintable(head.text()));
        QVERIFY(studio.retype("range(512)", "range(256)"));
        QVERIFY(studio.settle());
        QTRY_VERIFY2(head.text().contains(QRegularExpression("\\(baseline: ~[0-9.]+ .s, [0-9.]+ % faster\\)")),
                     qPrintable(head.text()));
        QVERIFY2(limit.text().contains("8.59 GFLOP (baseline: 17.2 GFLOP)"), qPrintable(limit.text()));
        QVERIFY(studio.trigger("dock.loops"));
        auto& loops = in<FigureTable>(studio, "loops.table");
        QTRY_VERIFY2(loops.tsv().contains("\t256 (baseline: 512)\t"), qPrintable(loops.tsv()));
    }

    void aTabOpensOnceBesideTheScriptAndTheSameKeyClosesIt() {
        StudioFixture studio;
        StageArea& area = studio.window().stages();
        studio.openText(slow);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.mapping"));
        const Pane* mapping = area.figure("mapping");
        QVERIFY(mapping && mapping->isVisible() && mapping->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(studio.trigger("pane.split")); // it is there once: it moves
        QCOMPARE(std::ranges::count(area.panes(), QString("figure:mapping"), &Pane::state), 1);
        QVERIFY(studio.trigger("dock.passes"));
        const Pane* passes = area.figure("passes");
        QVERIFY(area.groupOf(passes) != area.groupOf(mapping) && passes->isVisible() && mapping->isVisible());
        const QJsonObject kept = area.state();
        QVERIFY(studio.trigger("dock.passes"));
        QVERIFY(!area.figure("passes") && area.figure("mapping"));
        area.restore(kept);
        QVERIFY(area.figure("passes") && area.figure("mapping"));
        QVERIFY(studio.window().findChild<QWidget*>("passes.table")->isVisible());
        QVERIFY(studio.trigger("dock.code")); // of models
        QVERIFY(!area.figure("code"));
    }

    void aSectionStandsBesideTheScriptUntilItsTabIsClosed() {
        StudioFixture studio;
        StageArea& area = studio.window().stages();
        QVERIFY(!studio.trigger("pane.figure")); // nothing is open
        studio.openText(slow);
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.occupancy"));
        auto& tabs = in<QTabBar>(studio, "analysis.sections");
        QTest::mouseDClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(tabs.currentIndex()).center());
        QCOMPARE(area.current()->state(), QString("figure:occupancy"));
        QCOMPARE(area.current()->title(), QString("Occupancy"));
        QVERIFY(area.current()->isVisible() && area.current()->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(!studio.trigger("pane.copy_all") && !studio.trigger("pane.pin"));
        QVERIFY(studio.trigger("dock.waves"));
        QVERIFY(studio.trigger("pane.figure"));
        QCOMPARE(area.panes().size(), 4);
        QVERIFY(studio.trigger("pane.figure")); // it is there
        QCOMPARE(area.panes().size(), 4);
        const QJsonObject kept = area.state();
        studio.press(Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(area.panes().size(), 3);
        area.restore(kept);
        QCOMPARE(area.panes().size(), 4);
        QVERIFY(std::ranges::any_of(area.panes(), [](const Pane* each) {
            return each->state() == "figure:waves" && each->title().startsWith("Waves");
        }));
        area.restore({{"panes", QJsonArray{"figure:nothing"}}, {"current", 0}});
        QCOMPARE(area.panes().size(), 1);
        QVERIFY(area.currentStage());
    }

    // What a person can learn: five menus of 15 rows, three docks below and five beside, 120 commands with a row or a key.
    void theWindowHasNoMoreThanAPersonCanLearn() {
        StudioFixture studio;
        QSet<QString> seen;
        for (const QChar front : QString("sgn")) {
            int menus = 0;
            for (const MenuInfo& menu : allMenus())
                if (menu.fronts.contains(front)) {
                    ++menus;
                    const auto rows = std::ranges::count_if(menu.rows, [](const QString& row) { return row != "|"; });
                    QVERIFY2(rows <= 15, qPrintable(menu.title));
                    for (const QString& row : menu.rows)
                        if (studio.studio().commands.find(row))
                            seen << row;
                }
            QVERIFY(menus <= 5);
        }
        for (const QAction* action : studio.studio().commands.all())
            if (!action->shortcuts().isEmpty())
                seen << Commands::idOf(action);
        QVERIFY2(seen.size() <= 120, qPrintable(QString::number(seen.size())));
        QStringList below;
        for (const DockInfo& info : allDocks())
            if (info.area == DockArea::bottom)
                below << info.id;
        QCOMPARE(below, QStringList({"problems", "run", "analysis"}));
        QVERIFY(allDocks().size() <= 8);
    }
};

HIDET_UI_TEST_MAIN(AnalysisTest)
#include "analysis_test.moc"
