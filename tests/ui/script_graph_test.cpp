// SPDX-License-Identifier: GPL-3.0-only
// The graph that a script traces, beside it: it follows what is typed, and keeps what was selected and where it stood.
#include <QComboBox>
#include <QFile>
#include <QToolButton>

#include "app/ui/graph/canvas/picture_hits.h"
#include "app/ui/graph/graph_area.h"
#include "app/ui/graph/script_graph.h"
#include "app/ui/program/session_keeper.h"
#include "app/ui/workbench/graph_marks.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QByteArray script = "import hidet\n"
                          "from hidet import ops\n"
                          "\n"
                          "x = hidet.symbol([8, 16], device='cpu')\n"
                          "w = hidet.symbol([16, 16], device='cpu')\n"
                          "h = ops.matmul(x, w)\n"
                          "y = ops.relu(h)\n"
                          "graph = hidet.trace_from(y, inputs=[x, w])\n";

} // namespace

class ScriptGraphTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    Studio& studio() { return m_studio->studio(); }
    GraphArea& area() { return *m_studio->window().findChild<GraphArea*>(); }
    ScriptGraph& beside() { return area().beside(); }
    LiveModel* model() { return beside().model(); }
    GraphCanvas& canvas() { return area().paneOf(*model())->canvas(); }
    bool isSettled() {
        return model() && !model()->graphs().isBehind() && !model()->graphs().isBusy() &&
               model()->graphs().snapshot() && model()->graphs().snapshot()->is_complete && canvas().picture() &&
               !canvas().isMaking() && canvas().picture()->graph.get() == model()->graphs().shown();
    }
    bool settles() {
        return QTest::qWaitFor([this] { return isSettled(); }, 60'000);
    }
    bool open(const QByteArray& text) {
        m_studio->openText(text);
        return m_studio->trigger("graph.of_script") && settles();
    }
    QStringList imported() {
        QStringList out;
        for (const auto& node : model()->graphs().snapshot()->graphs.front()->nodes)
            out << QString::fromStdString(node->op);
        return out;
    }
    quint32 nodeOf(const std::string& op) {
        for (const auto& node : model()->graphs().shown()->nodes)
            if (node->op == op)
                return node->id;
        return hidet::session::no_id;
    }
    QPointF placeOf(const std::string& op) {
        return canvas()
            .viewport()
            .view()
            .toScreen(rectOfItem(*canvas().picture(), GraphItem::ofNode(nodeOf(op))))
            .topLeft();
    }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void aScriptShowsTheGraphThatItTraces() {
        QVERIFY(open(script));
        QVERIFY(beside().isVisible());
        QVERIFY(studio().tabs.current()); // the script is still in front
        QVERIFY(!studio().tabs.model());
        QCOMPARE(imported(), QStringList({"Matmul", "Relu"}));
        QVERIFY(m_studio->trigger("graph.of_script")); // and away
        QVERIFY(!beside().isVisible());
        QVERIFY(studio().tabs.models().isEmpty());
    }

    void itFollowsWhatIsTyped() {
        QVERIFY(open(script));
        QVERIFY(m_studio->retype("ops.relu(h)", "ops.relu(h * 2.0)"));
        QVERIFY(settles());
        QCOMPARE(imported(), QStringList({"Matmul", "Multiply", "Relu"}));
        QVERIFY(m_studio->retype("ops.relu", "ops.sigmoid"));
        QVERIFY(settles());
        QCOMPARE(imported().last(), QString("Sigmoid"));
        QVERIFY(studio().tabs.current()->isModified()); // nothing had to be saved
    }

    void selectionAndPlacesStay() {
        QVERIFY(open(script));
        model()->graphs().setShown(0);
        QVERIFY(settles());
        model()->selection().select(GraphItem::ofNode(nodeOf("Relu")));
        model()->marks().toggleBookmark(nodeOf("Matmul"));
        canvas().viewport().fitItem(model()->selection().selected());
        const QPointF before = placeOf("Relu");
        const quint32 id = nodeOf("Relu");
        // An operator before it: ids are others now.
        QVERIFY(m_studio->retype("ops.matmul(x, w)", "ops.matmul(ops.tanh(x), w)"));
        QVERIFY(settles());
        QVERIFY(nodeOf("Relu") != id);
        QCOMPARE(model()->graphs().shownNumber(), 0);
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(nodeOf("Relu")));
        QCOMPARE(model()->marks().shown().keys(), QList<quint32>{nodeOf("Matmul")});
        QVERIFY2((placeOf("Relu") - before).manhattanLength() < 2, "it moved under the mouse");
        // What is gone is selected no more.
        QVERIFY(m_studio->retype("ops.relu(h)", "h"));
        QVERIFY(settles());
        QVERIFY(!model()->selection().selected());
    }

    void aMistakeLeavesItAsItWasAndGrey() {
        QVERIFY(open(script));
        model()->selection().select(GraphItem::ofNode(nodeOf("Relu")));
        const auto shown = model()->graphs().snapshot();
        QVERIFY(m_studio->retype("ops.relu(h)", "ops.rely(h)"));
        QTRY_VERIFY_WITH_TIMEOUT(canvas().isFaded(), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(!beside().notice().isEmpty(), 20'000);
        QVERIFY2(beside().notice().contains("line 7"), qPrintable(beside().notice()));
        QCOMPARE(model()->graphs().snapshot(), shown);
        QVERIFY(model()->selection().selected());
        QVERIFY(m_studio->retype("ops.rely", "ops.relu"));
        QVERIFY(settles());
        QVERIFY(!canvas().isFaded());
        QVERIFY(beside().notice().isEmpty());
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(nodeOf("Relu")));
    }

    void theNewestTextWins() {
        QVERIFY(open(script));
        int snapshots = 0;
        connect(&model()->graphs(), &ModelGraphs::snapshotChanged, this, [&] { ++snapshots; });
        for (const char* op : {"tanh", "sigmoid", "exp", "abs", "sqrt"}) {
            QByteArray text = script;
            text.replace("ops.relu", QByteArray("ops.") + op);
            m_studio->editor().replaceAll(text);
        }
        QVERIFY(settles());
        QCOMPARE(imported().last(), QString("Sqrt"));
        QVERIFY2(snapshots <= 2, qPrintable(QString::number(snapshots)));
    }

    void oneOfSeveralGraphsIsChosen() {
        QVERIFY(open(script + "other = hidet.trace_from(ops.exp(h), inputs=[x, w])\n"));
        QCOMPARE(imported().last(), QString("Exp"));
        auto& traced = test::in<QComboBox>(*m_studio, "scriptGraph.traced");
        QVERIFY(traced.isVisible());
        QCOMPARE(traced.count(), 2);
        QCOMPARE(traced.itemText(0), QString("Traced in line 8"));
        traced.setFocus();
        QTest::keyClick(&traced, Qt::Key_Up);
        emit traced.activated(traced.currentIndex());
        QVERIFY(settles());
        QCOMPARE(imported().last(), QString("Relu"));
    }

    void keysInTheGraphAreTheGraphs() {
        QVERIFY(open(script));
        QTest::mouseClick(&canvas(), Qt::LeftButton, {}, QPoint(5, 5));
        QTRY_COMPARE(studio().tabs.graphModel(), model());
        QVERIFY(m_studio->trigger("graph.kernels"));
        QVERIFY(model()->display().grouping().by_kernel);
        m_studio->editor().setFocus();
        QTRY_VERIFY(!studio().tabs.graphModel());
        QVERIFY(!m_studio->trigger("graph.kernels"));
        QCOMPARE(studio().tabs.current()->text(), script);
    }

    void theCaretPointsAtItsOperator() {
        QVERIFY(open(script));
        model()->graphs().setShown(0);
        QVERIFY(settles());
        QVERIFY(m_studio->find("matmul"));
        QTRY_COMPARE(model()->selection().hovered(), GraphItem::ofNode(nodeOf("Matmul")));
        QVERIFY(m_studio->find("relu"));
        QTRY_COMPARE(model()->selection().hovered(), GraphItem::ofNode(nodeOf("Relu")));
    }

    void itIsThereAgainAtTheNextStart() {
        QTemporaryDir state;
        const QString file = state.filePath("traced.py");
        {
            QFile out(file);
            QVERIFY(out.open(QIODevice::WriteOnly) && out.write(script) == script.size());
        }
        const QByteArray decided = R"({"format": "hidet-choices", "version": 1})";
        {
            SessionKeeper keeper(m_studio->window(), state.path(), {});
            keeper.start();
            QVERIFY(studio().tabs.openFile(file));
            QVERIFY(m_studio->trigger("graph.of_script") && settles());
            model()->graphs().setShown(0);
            model()->marks().toggleBookmark(nodeOf("Matmul"));
            model()->setup().choose(decided, "decide");
            QVERIFY(settles());
            keeper.end();
        }
        m_studio = std::make_unique<StudioFixture>();
        SessionKeeper keeper(m_studio->window(), state.path(), {});
        keeper.start();
        QVERIFY(studio().tabs.current());
        QCOMPARE(studio().tabs.current()->path(), file);
        QVERIFY(QTest::qWaitFor([this] { return isSettled(); }, 60'000));
        QVERIFY(beside().isVisible());
        QCOMPARE(model()->setup().choices(), decided);
        QCOMPARE(model()->marks().all().size(), 1);
        QCOMPARE(studio().tabs.current()->text(), script); // choices are no text
        // Away and back: what was decided is there, and the script is as it was.
        QVERIFY(m_studio->trigger("graph.of_script"));
        QVERIFY(!beside().isVisible());
        QVERIFY(m_studio->trigger("file.reopen"));
        QVERIFY(settles());
        QCOMPARE(model()->setup().choices(), decided);
        QCOMPARE(studio().tabs.current()->text(), script);
        keeper.end();
    }

    void aloneItHasAllThatModelsHave() {
        QVERIFY(open(script));
        Document* document = studio().tabs.current();
        LiveModel* graph = model();
        test::in<QToolButton>(*m_studio, "scriptGraph.whole").click();
        QCOMPARE(studio().tabs.model(), graph);
        QVERIFY(area().paneOf(*graph)->isVisible());
        QCOMPARE(graph->title(), QString("Graph of Untitled 1"));
        QVERIFY(m_studio->trigger("graph.of_script")); // back
        QCOMPARE(studio().tabs.current(), document);
        QVERIFY(beside().isVisible());
        studio().tabs.close(*document);
        QVERIFY(studio().tabs.models().isEmpty());
    }

    void aScriptWithoutAGraphSaysSo() {
        m_studio->openText("import hidet\n");
        QVERIFY(m_studio->trigger("graph.of_script"));
        QTRY_VERIFY_WITH_TIMEOUT(model()->graphs().isBroken() && !model()->graphs().isBusy(), 20'000);
        QVERIFY(QString::fromStdString(model()->graphs().snapshot()->diagnostics.front().message)
                    .contains("traces no graph"));
        m_studio->editor().replaceAll(script);
        QVERIFY(settles());
        QCOMPARE(imported(), QStringList({"Matmul", "Relu"}));
    }

    void operatorsOfAModelFollowTheirScript() {
        const QString folder = m_studio->folder();
        const QString path = folder + "/custom_operator.py";
        QVERIFY(QFile::copy(QStringLiteral(HIDET_SAMPLES "/models/custom_operator.py"), path));
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
        LiveModel* custom =
            studio().tabs.openModel(QStringLiteral(HIDET_SAMPLES "/../tests/models/custom/custom.onnx"));
        custom->setup().setScripts({path});
        const auto has = [&](const std::string& op) {
            return !custom->graphs().isBusy() && !custom->graphs().isBehind() && custom->graphs().snapshot() &&
                   custom->graphs().snapshot()->is_complete && !custom->graphs().snapshot()->graphs.empty() &&
                   std::ranges::any_of(custom->graphs().snapshot()->graphs.front()->nodes,
                                       [&](const auto& node) { return node->op == op; });
        };
        QTRY_VERIFY_WITH_TIMEOUT(has("UserOperator"), 60'000);
        // From the operator to its script, with the graph beside it.
        const auto& nodes = custom->graphs().snapshot()->graphs.front()->nodes;
        const auto user =
            std::ranges::find(nodes, std::string("UserOperator"), [](const auto& node) { return node->op; });
        custom->selection().select(GraphItem::ofNode((*user)->id));
        QVERIFY(m_studio->trigger("model.operator"));
        QCOMPARE(studio().tabs.current()->path(), path);
        QVERIFY(beside().isVisible());
        QCOMPARE(beside().model(), custom);
        QVERIFY(m_studio->retype("return root_mean_square(inputs[0])", "return ops.mean(inputs[0], dims=1)"));
        QTRY_VERIFY_WITH_TIMEOUT(has("ReduceMean"), 60'000);
        QVERIFY(studio().tabs.current()->isModified());
        QVERIFY(!has("UserOperator"));
        QVERIFY(m_studio->trigger("graph.of_script")); // away, and the model stays open
        QVERIFY(!beside().isVisible());
        QVERIFY(studio().tabs.models().contains(custom));
    }
};

HIDET_UI_TEST_MAIN(ScriptGraphTest)
#include "script_graph_test.moc"
