// SPDX-License-Identifier: GPL-3.0-only
// Two models side by side in the window: how the comparison begins and ends, what it says, and what both sides share.
#include <QFile>
#include <QMenu>
#include <QTabBar>
#include <QToolButton>

#include "app/ui/graph/compare/compare_host.h"
#include "app/ui/graph/graph_area.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::session::PairState;
using hidet::ui::test::StudioFixture;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");
const QString residual = models + "residual/residual.onnx", edited = models + "edited/edited.onnx";

} // namespace

class GraphCompare : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    Studio& studio() { return m_studio->studio(); }
    CompareHost& host() { return m_studio->window().findChild<GraphArea*>()->comparison(); }
    ModelCompare* view() { return host().view(); }
    LiveModel& left() { return view()->pair().left(); }
    LiveModel& right() { return view()->pair().right(); }
    bool settled() {
        return QTest::qWaitFor(
            [this] {
                return view() && !left().graphs().isBusy() && !right().graphs().isBusy() && !view()->pair().isBusy();
            },
            60'000);
    }
    bool compare(const QString& first, const QString& second) {
        studio().tabs.openModel(first);
        m_studio->answerDialogs({second});
        return m_studio->trigger("model.side_by_side") && settled();
    }
    // As the files have them, before any pass.
    bool showImports() {
        left().graphs().setShown(0);
        right().graphs().setShown(0);
        return settled();
    }
    static quint32 nodeNamed(const LiveModel& model, const std::string& name) {
        for (const auto& node : model.graphs().shown()->nodes)
            if (node->name == name)
                return node->id;
        return hidet::session::no_id;
    }
    static QStringList texts(CompareTable& table, int column) {
        QStringList out;
        for (int i = 0; i < table.model()->rowCount(); ++i)
            out << table.model()->index(i, column).data().toString();
        return out;
    }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void theSecondModelIsAskedFor() {
        QVERIFY(compare(residual, edited));
        QCOMPARE(left().title(), QString("residual.onnx"));
        QCOMPARE(right().title(), QString("edited.onnx"));
        QCOMPARE(studio().tabs.model(), &left());
        QVERIFY(view()->isVisible());
        QVERIFY(view()->paneOf(left())->isVisible() && view()->paneOf(right())->isVisible());
        QCOMPARE(studio().tabs.models().size(), 2);
        QCOMPARE(view()->totals().model()->rowCount(), 10);
        QVERIFY(view()->kernels().model()->rowCount() > 0);
    }

    void aRefusedDialogLeavesAllAsItWas() {
        studio().tabs.openModel(residual);
        QVERIFY(m_studio->trigger("model.side_by_side"));
        QVERIFY(!view());
        QCOMPARE(studio().tabs.models().size(), 1);
    }

    void openModelsAreOffered() {
        studio().tabs.openModel(edited);
        studio().tabs.openModel(residual);
        QVERIFY(m_studio->trigger("model.side_by_side"));
        auto* menu = m_studio->window().findChild<QMenu*>("compare.choose");
        QVERIFY(menu && menu->isVisible());
        QCOMPARE(menu->actions().first()->text(), QString("edited.onnx"));
        menu->actions().first()->trigger();
        menu->hide();
        QVERIFY(settled());
        QCOMPARE(right().title(), QString("edited.onnx"));
    }

    void differencesAreListedInWords() {
        QVERIFY(compare(residual, edited));
        QVERIFY(showImports());
        QCOMPARE(view()->summary(), QString("1 changed, 1 new, 1 gone, weights differ in 6"));
        QCOMPARE(texts(view()->differences(), 0), QStringList({"\u2260", "\u2212", "+"}));
        QCOMPARE(texts(view()->differences(), 1), QStringList({"Conv2d  conv2", "Relu  relu2", ""}));
        QCOMPARE(texts(view()->differences(), 2), QStringList({"Conv2d  node_3", "", "Sigmoid  node_8"}));
        QVERIFY(texts(view()->differences(), 3).first().contains("[8, 8, 3, 3] \u2192 [8, 8, 5, 5]"));
        QCOMPARE(left().display().compared()->value(nodeNamed(left(), "relu2")), PairState::Gone);
        QCOMPARE(right().display().compared()->value(nodeNamed(right(), "node_8")), PairState::New);
    }

    void otherWeightsAreListedOnDemand() {
        QVERIFY(compare(residual, edited));
        QVERIFY(showImports());
        auto* minor = view()->findChild<QToolButton*>("compare.minor");
        QVERIFY(minor->isVisible());
        QCOMPARE(minor->text(), QString("6 more"));
        minor->click();
        QCOMPARE(view()->differences().model()->rowCount(), 9);
        QCOMPARE(texts(view()->differences(), 3).first(), QString("weights differ"));
    }

    void aDocumentBesideItsModelDiffersInNothing() {
        QVERIFY(compare(models + "mlp/mlp.onnx", models + "document/mlp.json"));
        QVERIFY(showImports());
        QCOMPARE(view()->summary(), QString("No differences"));
    }

    void aSelectionIsThatOfBoth() {
        QVERIFY(compare(residual, edited));
        QVERIFY(showImports());
        left().selection().select(GraphItem::ofNode(nodeNamed(left(), "conv2")));
        QCOMPARE(right().selection().selected(), GraphItem::ofNode(nodeNamed(right(), "node_3")));
        right().selection().select(GraphItem::ofNode(nodeNamed(right(), "node_0")));
        QCOMPARE(left().selection().selected(), GraphItem::ofNode(nodeNamed(left(), "conv1")));
        right().selection().select(GraphItem::ofNode(nodeNamed(right(), "node_8")));
        QVERIFY(!left().selection().selected()); // it is new
        right().selection().hover(GraphItem::ofNode(nodeNamed(right(), "node_0")));
        QCOMPARE(left().selection().hovered(), GraphItem::ofNode(nodeNamed(left(), "conv1")));
        right().selection().select(GraphItem::ofValue(right().graphs().shown()->inputs.front()));
        QCOMPARE(left().selection().selected(), GraphItem::ofValue(left().graphs().shown()->inputs.front()));
    }

    void keysStepThroughTheDifferences() {
        QVERIFY(compare(residual, edited));
        QVERIFY(showImports());
        QVERIFY(m_studio->trigger("pane.next_change"));
        QCOMPARE(left().selection().selected(), GraphItem::ofNode(nodeNamed(left(), "conv2")));
        QVERIFY(m_studio->trigger("pane.next_change"));
        QCOMPARE(left().selection().selected(), GraphItem::ofNode(nodeNamed(left(), "relu2")));
        QVERIFY(!right().selection().selected());
        QVERIFY(m_studio->trigger("pane.next_change"));
        QVERIFY(m_studio->trigger("pane.next_change")); // around the end
        QCOMPARE(left().selection().selected(), GraphItem::ofNode(nodeNamed(left(), "conv2")));
        QVERIFY(m_studio->trigger("pane.previous_change"));
        QCOMPARE(right().selection().selected(), GraphItem::ofNode(nodeNamed(right(), "node_8")));
    }

    void sidesAreSwapped() {
        QVERIFY(compare(residual, edited));
        QVERIFY(showImports());
        GraphPane* pane = view()->paneOf(left());
        view()->findChild<QToolButton*>("compare.swap")->click();
        QVERIFY(settled());
        QCOMPARE(left().title(), QString("edited.onnx"));
        QCOMPARE(view()->paneOf(right()), pane);
        QVERIFY(pane->isVisible());
        QVERIFY(view()->paneOf(left())->x() == 0);
        QCOMPARE(view()->summary(), QString("1 changed, 1 new, 1 gone, weights differ in 6"));
        QCOMPARE(right().display().compared()->value(nodeNamed(right(), "relu2")), PairState::New);
    }

    void theCommandEndsItAgain() {
        QVERIFY(compare(residual, edited));
        GraphPane* pane = view()->paneOf(left());
        LiveModel& model = left();
        QVERIFY(m_studio->trigger("model.side_by_side"));
        QVERIFY(!view());
        QVERIFY(!model.display().compared());
        QVERIFY(pane->isVisible());
        QCOMPARE(studio().tabs.model(), &model);
        QVERIFY(!m_studio->trigger("pane.next_change"));
    }

    void escapeInAGraphEndsIt() {
        QVERIFY(compare(residual, edited));
        view()->paneOf(left())->setFocus();
        QVERIFY(view()->hasKeyboard());
        QVERIFY(m_studio->trigger("pane.editor"));
        QVERIFY(!view());
    }

    void escapeInATableGoesToTheGraph() {
        QVERIFY(compare(residual, edited));
        view()->differences().setFocus();
        QVERIFY(m_studio->trigger("pane.editor"));
        QVERIFY(view() && view()->hasKeyboard());
    }

    void theGraphWithTheKeyboardIsTheOneInFront() {
        QVERIFY(compare(residual, edited));
        view()->paneOf(right())->setFocus();
        QCOMPARE(studio().tabs.model(), &right());
        QVERIFY(view()->isVisible());
        view()->paneOf(left())->setFocus();
        QCOMPARE(studio().tabs.model(), &left());
    }

    void closingATabEndsIt() {
        QVERIFY(compare(residual, edited));
        LiveModel* other = &right();
        QVERIFY(m_studio->trigger("file.close")); // the left one
        QVERIFY(!view());
        QCOMPARE(studio().tabs.models(), QList<LiveModel*>{other});
        QVERIFY(!other->display().compared());
    }

    void aCopyHasNoDifferences() {
        const QString copy = m_studio->folder() + "/residual.onnx";
        QVERIFY(QFile::copy(residual, copy));
        QVERIFY(compare(residual, copy));
        QCOMPARE(view()->summary(), QString("No differences"));
        QVERIFY(view()->findChild<QWidget*>("compare.empty")->isVisible());
        QVERIFY(!m_studio->trigger("pane.next_change"));
        for (int column : {3, 4}) // totals differ in nothing
            for (const QString& text : texts(view()->totals(), column))
                QVERIFY(text.isEmpty() || text.startsWith('0'));
    }

    void aBrokenModelIsSaidSo() {
        QVERIFY(compare(residual, models + "broken/broken.onnx"));
        QVERIFY(view()->findChild<QWidget*>("compare.empty")->isVisible());
        QVERIFY(view()->pair().whyNone().contains("broken.onnx"));
        view()->findChild<QToolButton*>("compare.close")->click();
        QVERIFY(!view());
    }

    void groupsOpenOnBothSides() {
        const QString sample = QStringLiteral(HIDET_SAMPLES "/models/encoder.onnx");
        const QString copy = m_studio->folder() + "/copy.onnx";
        QVERIFY(QFile::copy(sample, copy));
        QVERIFY(compare(sample, copy));
        const auto boxes = left().graphs().shown()->boxes(left().display().grouping());
        QVERIFY(boxes->drawn.groups.size() > 1);
        const auto key = boxes->drawn.groups[1].key;
        left().display().setOpen(key, true);
        QVERIFY(right().display().open().contains(view()->pair().partnerOf(left(), GraphItem::ofGroup(key)).group));
        left().display().setOpen(key, false);
        QVERIFY(!right().display().open().contains(view()->pair().partnerOf(left(), GraphItem::ofGroup(key)).group));
        left().display().setGrouping({false, false, false});
        QCOMPARE(right().display().grouping(), left().display().grouping());
    }

    void anotherPassIsComparedAgain() {
        QVERIFY(compare(residual, edited));
        const QString before = view()->summary();
        QVERIFY(showImports());
        QVERIFY(view()->summary() != before || before == "1 changed, 1 new, 1 gone, weights differ in 6");
        QVERIFY(view()->pair().comparison()->matching.nodes.size() >= left().graphs().shown()->nodes.size());
    }

    void severalThemesAndTables() {
        QVERIFY(compare(residual, edited));
        auto* tabs = view()->findChild<QTabBar*>("compare.tabs");
        for (int i = 0; i < tabs->count(); ++i) {
            tabs->setCurrentIndex(i);
            QCoreApplication::processEvents();
        }
        QVERIFY(view()->totals().isVisible());
        studio().themes.use("dark");
        QCoreApplication::processEvents();
    }
};

HIDET_UI_TEST_MAIN(GraphCompare)
#include "compare_test.moc"
