// SPDX-License-Identifier: GPL-3.0-only
// From operators of a model to their code and back, and scripts that define operators.
#include <QClipboard>
#include <QFile>
#include <QSignalSpy>
#include <QToolButton>

#include "app/session/model/model_code.h"
#include "app/ui/graph/code/model_code.h"
#include "app/ui/graph/code/model_scripts.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/find_bar.h"
#include "app/ui/workbench/notice_bar.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;
namespace session = hidet::session;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");
constexpr int patience = 60'000;

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool write(const QString& path, const QByteArray& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

} // namespace

class GraphCode : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    LiveModel* model() { return m_studio->studio().tabs.model(); }
    ModelCodePane& pane() { return test::anywhere<ModelCodePane>(); }
    bool settled() {
        return QTest::qWaitFor(
            [this] { return model() && !model()->graphs().isBusy() && (!pane().isVisible() || pane().isSettled()); },
            patience);
    }
    // With kernels for a GPU, and the tab open; the keyboard is in the graph.
    bool open(const QString& path) {
        m_studio->studio().settings.set(Setting::Target, "emulate");
        if (!m_studio->studio().tabs.openFile(path) || !settled())
            return false;
        return pane().isVisible() || (m_studio->trigger("dock.code") && settled() && m_studio->trigger("pane.editor"));
    }
    bool openTest(const QString& name) { return open(models + name + "/" + name + ".onnx"); }
    quint32 nodeCalled(const QString& name) {
        for (const auto& node : model()->graphs().last()->nodes)
            if (QString::fromStdString(node->name) == name)
                return node->id;
        return session::no_id;
    }
    bool select(const QString& name) {
        const quint32 node = nodeCalled(name);
        model()->selection().select(GraphItem::ofNode(node));
        return node != session::no_id && settled();
    }
    QByteArray text() { return pane().isEmpty() ? QByteArray() : pane().view().bytes(); }
    QString offered() { return pane().findChild<EmptyState*>()->findChild<QPushButton*>()->text(); }
    QByteArray outlined() { return test::marked(pane().view(), CodeView::LinkOutline); }
    QString copyOfScript() {
        const QString copy = m_studio->folder() + "/operators.py";
        QFile::remove(copy);
        return write(copy, contentOf(HIDET_SAMPLES "/models/custom_operator.py")) ? copy : QString();
    }
    NoticeBar& notices() { return *m_studio->window().findChild<NoticeBar*>(); }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void withoutAModelItSaysWhatWillAppear() {
        QVERIFY(pane().isEmpty());
        QVERIFY(pane().emptyText().contains("No model is open"));
        QVERIFY(!m_studio->trigger("graph.code"));
    }

    void anOperatorShowsTheCudaTextOfItsKernel() {
        QVERIFY(openTest("mlp"));
        QVERIFY(pane().isEmpty());
        QVERIFY(pane().emptyText().contains("Select an operator"));
        QVERIFY(select("dense1"));
        QCOMPARE(pane().stage(), "cuda"_stage);
        QVERIFY(text().contains("__global__"));
        QVERIFY(text().contains("matmul_add_relu("));
        QVERIFY(pane().headerText().contains("matmul_add_relu"));
        QVERIFY(pane().headerText().contains("relu1"));
        QVERIFY(text().contains("sums[i * 4 + j] += left[i] * right[j]"));
        QVERIFY(!test::marked(pane().view(), CodeView::LinkFill).isEmpty());
    }

    void everyStageCanBeChosen() {
        QVERIFY(openTest("mlp"));
        QVERIFY(select("relu1"));
        QByteArray before;
        for (const char* key : {"definition", "ir:script", "ir:flatten-tensor-index", "ir", "cuda"}) {
            const StageName stage = StageName::ofKey(key);
            pane().setStage(stage);
            QVERIFY(settled());
            QCOMPARE(pane().stage(), stage);
            QVERIFY2(!text().isEmpty(), key);
            QVERIFY(text() != before);
            before = text();
        }
        QVERIFY(m_studio->trigger("pane.stage.ir"));
        QCOMPARE(pane().stage(), "ir"_stage);
        pane().setStage("definition"_stage);
        QVERIFY(settled());
        QVERIFY(text().contains("= Relu("));
        QVERIFY(text().contains("x: f32"));
        QCOMPARE(pane().nodeAt(text().indexOf("= Relu(")), nodeCalled("relu1"));
    }

    void whereTheTargetIsTheCpuItIsCpp() {
        m_studio->studio().settings.set(Setting::Target, "cpu");
        QVERIFY(m_studio->studio().tabs.openFile(models + "mlp/mlp.onnx"));
        QVERIFY(settled());
        QVERIFY(m_studio->trigger("graph.code"));
        QVERIFY(select("dense1"));
        QCOMPARE(pane().stage(), "cpp"_stage);
        QVERIFY(text().contains("matmul"));
        pane().setStage("ptx"_stage);
        QVERIFY(settled());
        QVERIFY(pane().isEmpty());
    }

    void machineCodeAndBack() {
        QVERIFY(openTest("mlp"));
        QVERIFY(select("dense1"));
        pane().setStage("sass"_stage);
        QVERIFY(settled());
        if (pane().isEmpty())
            QSKIP(qPrintable(pane().emptyText()));
        QVERIFY(text().contains("FFMA"));
        QVERIFY(pane().headerText().contains("registers"));
        int at = 0; // in the first line of an operator
        while (at >= 0 && pane().nodeAt(at) == session::no_id)
            at = static_cast<int>(text().indexOf('\n', at + 1));
        QVERIFY(at >= 0);
        pane().view().setFocus();
        pane().view().setCaret(at);
        pane().setStage("ptx"_stage);
        QVERIFY(settled());
        QVERIFY(text().contains(".visible .entry"));
    }

    void withoutTheCompilerItSaysHowToGetIt() {
        m_studio.reset();
        qputenv("HIDET_NVRTC", "/nowhere/libnvrtc.so");
        m_studio = std::make_unique<StudioFixture>();
        const bool opened = openTest("attention");
        model()->selection().select(GraphItem::ofNode(model()->graphs().last()->nodes.front()->id));
        pane().setStage("ptx"_stage);
        const bool answered = settled();
        qunsetenv("HIDET_NVRTC");
        QVERIFY(opened && answered);
        QVERIFY(pane().isEmpty());
        QVERIFY2(pane().emptyText().contains("NVRTC"), qPrintable(pane().emptyText()));
        pane().setStage("cuda"_stage);
        QVERIFY(settled());
        QVERIFY(!pane().isEmpty());
    }

    void aCaretInALineSelectsItsOperator() {
        QVERIFY(openTest("mlp"));
        QVERIFY(select("dense1"));
        QVERIFY(m_studio->trigger("graph.code"));
        QVERIFY(pane().view().hasFocus());
        const int at = static_cast<int>(text().indexOf("x < 0.0f ? 0.0f : x"));
        QVERIFY(at > 0);
        const QByteArray before = text();
        QCOMPARE(pane().nodeAt(at), nodeCalled("relu1"));
        pane().view().setCaret(at);
        QTRY_COMPARE(model()->selection().selected(), GraphItem::ofNode(nodeCalled("relu1")));
        QVERIFY(settled());
        QCOMPARE(text(), before);
        QVERIFY(outlined().contains("x < 0.0f ? 0.0f : x"));
        QSignalSpy revealed(&model()->selection(), &GraphSelection::revealRequested);
        QVERIFY(m_studio->trigger("pane.follow_link"));
        QCOMPARE(revealed.size(), 1);
        QVERIFY(!pane().view().hasFocus());
        QVERIFY(m_studio->trigger("graph.code"));
        QVERIFY(m_studio->trigger("graph.code")); // from there it goes back
        QVERIFY(!pane().view().hasFocus());
        QVERIFY(pane().isVisible());
    }

    void whatTheMouseIsOverIsOutlined() {
        QVERIFY(openTest("mlp"));
        QVERIFY(select("dense1"));
        model()->selection().hover(GraphItem::ofNode(nodeCalled("relu1")));
        QVERIFY(outlined().contains("x < 0.0f ? 0.0f : x"));
        model()->selection().hover({});
        QVERIFY(!outlined().contains("x < 0.0f ? 0.0f : x"));
    }

    void theNewestSelectionWins() {
        QVERIFY(open(HIDET_SAMPLES "/models/encoder.onnx"));
        const auto& nodes = model()->graphs().last()->nodes;
        QVERIFY(nodes.size() > 10);
        for (std::size_t i = 0; i < 10; ++i) {
            model()->selection().select(GraphItem::ofNode(nodes[i]->id));
            if (i % 3 == 2) // at once, while the pane pauses, and when it has an answer
                QVERIFY(settled());
            else if (i % 3 == 1)
                QCoreApplication::processEvents();
        }
        const auto found = std::find_if(nodes.rbegin(), nodes.rend(), [&](const auto& each) {
            return model()->graphs().snapshot()->code->place_of(each->id).has_value();
        });
        model()->selection().select(GraphItem::ofNode((*found)->id));
        QVERIFY(settled());
        const auto place = model()->graphs().snapshot()->code->place_of((*found)->id);
        const auto& use = model()->graphs().snapshot()->code->programs()[place->program].uses[place->use];
        QVERIFY(text().contains(QByteArray::fromStdString(use.kernels.front())));
    }

    void groupsThatShareAKernelAreSteppedThrough() {
        QVERIFY(open(HIDET_SAMPLES "/models/encoder.onnx"));
        const auto code = model()->graphs().snapshot()->code;
        const auto shared = std::find_if(code->programs().begin(), code->programs().end(),
                                         [](const auto& each) { return each.uses.size() > 2; });
        QVERIFY(shared != code->programs().end());
        model()->selection().select(GraphItem::ofNode(shared->uses[0].nodes.back()));
        QVERIFY(settled());
        const auto count = QString::number(shared->uses.size());
        QVERIFY(pane().headerText().contains("1 of " + count + " groups"));
        const QByteArray before = text();
        m_studio->window().findChild<QToolButton*>("code.next")->click();
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(shared->uses[1].nodes.back()));
        QVERIFY(settled());
        QVERIFY(pane().headerText().contains("2 of " + count + " groups"));
        QCOMPARE(text(), before);
        QVERIFY(!outlined().isEmpty());
        // A line is that of the operator of this group.
        pane().view().setFocus();
        for (int at = 0; at < pane().view().byteCount(); ++at)
            if (const quint32 node = pane().nodeAt(at); node != session::no_id)
                QVERIFY(std::find(shared->uses[1].nodes.begin(), shared->uses[1].nodes.end(), node) !=
                        shared->uses[1].nodes.end());
    }

    void anOperatorOfAnEarlierGraphHasTheCodeOfItsHeir() {
        QVERIFY(open(HIDET_SAMPLES "/models/encoder.onnx"));
        model()->graphs().setShown(0);
        const auto& first = *model()->graphs().snapshot()->graphs.front();
        int found = 0;
        for (const auto& node : first.nodes)
            if (!model()->graphs().last()->node(node->id) &&
                successorOf(*model()->graphs().snapshot(), 0, node->id) != session::no_id) {
                model()->selection().select(GraphItem::ofNode(node->id));
                QVERIFY(settled());
                found += !pane().isEmpty();
            }
        QVERIFY(found > 0);
    }

    void whatRunsOnTheHostSaysSo() {
        QVERIFY(openTest("positions"));
        const auto& snapshot = *model()->graphs().snapshot();
        for (const auto& node : model()->graphs().last()->nodes)
            if (snapshot.code->runs_on_host(node->id)) {
                model()->selection().select(GraphItem::ofNode(node->id));
                QVERIFY(settled());
                QVERIFY(pane().isEmpty());
                QVERIFY2(pane().emptyText().contains("host"), qPrintable(pane().emptyText()));
                pane().setStage("definition"_stage);
                QVERIFY(settled());
                QVERIFY(!text().isEmpty());
                return;
            }
        QFAIL("no operator runs on the host");
    }

    void aBrokenModelSaysWhy() {
        m_studio->studio().tabs.openFile(models + "broken/broken.onnx");
        QVERIFY(settled());
        m_studio->trigger("graph.code");
        QVERIFY(settled());
        QVERIFY(pane().isEmpty());
        QVERIFY(pane().emptyText().size() > 20);
        QCOMPARE(offered(), "Read the model again");
    }

    void aModelWithUnknownOperatorsAsksForScripts() {
        m_studio->studio().tabs.openFile(models + "custom/custom.onnx");
        QVERIFY(settled());
        QVERIFY(m_studio->trigger("dock.code"));
        QVERIFY(settled());
        QVERIFY(pane().isEmpty());
        QVERIFY2(pane().emptyText().contains("RootMeanSquare"), qPrintable(pane().emptyText()));
        QCOMPARE(offered(), m_studio->studio().commands.action(Command::ModelScripts)->text());
    }

    void textIsFoundCopiedAndSaved() {
        QVERIFY(openTest("mlp"));
        QVERIFY(select("dense1"));
        QVERIFY(m_studio->trigger("graph.code"));
        QTRY_VERIFY(m_studio->trigger("edit.find"));
        FindBar* bar = FindBar::of(pane().view());
        QVERIFY(bar->isVisible());
        m_studio->typeHere("sums");
        QTRY_VERIFY(!bar->isSearching() && bar->hits().size() > 2);
        m_studio->press(Qt::Key_Escape);
        QVERIFY(pane().view().hasFocus());
        QVERIFY(m_studio->trigger("pane.copy_all"));
        QCOMPARE(QGuiApplication::clipboard()->text().toUtf8(), text());
        const QString path = m_studio->folder() + "/kernel.cu";
        m_studio->answerDialogs({path});
        QVERIFY(m_studio->trigger("pane.save_text"));
        const QByteArray saved = contentOf(path);
        QVERIFY(saved.startsWith("// made by: Hidet Studio") && saved.endsWith(text()));
    }

    void twoModelsEachHaveTheirOwn() {
        QVERIFY(openTest("mlp"));
        QVERIFY(select("dense1"));
        const QByteArray first = text();
        LiveModel* mlp = model();
        QVERIFY(openTest("residual"));
        QVERIFY(pane().isEmpty());
        const auto& nodes = model()->graphs().last()->nodes;
        model()->selection().select(GraphItem::ofNode(nodes.front()->id));
        QVERIFY(settled());
        QVERIFY(text() != first);
        m_studio->studio().tabs.setCurrent(*mlp);
        QVERIFY(settled());
        QCOMPARE(text(), first);
        m_studio->studio().tabs.close(*mlp);
        QVERIFY(settled());
        QVERIFY(text() != first);
    }

    void aScriptThatChangesChangesTheCode() {
        const QString script = copyOfScript();
        QVERIFY(!script.isEmpty());
        m_studio->studio().settings.set(Setting::Target, "emulate");
        m_studio->studio().tabs.openFile(models + "custom/custom.onnx");
        QVERIFY(settled());
        QVERIFY(m_studio->trigger("dock.code"));
        m_studio->answerDialogs({script});
        QVERIFY(m_studio->trigger("model.scripts"));
        QCOMPARE(model()->setup().scripts(), QStringList(script));
        QVERIFY(settled());
        QVERIFY(model()->graphs().last());
        QVERIFY(m_studio->window().findChild<ModelScriptBar*>()->isVisible());
        QVERIFY(select("rms"));
        QVERIFY(text().contains("root_mean_square"));
        QVERIFY(!outlined().isEmpty());
        QVERIFY(text().contains("sqrtf("));
        // sqrt(mean) becomes sqrt(mean + 0.125)
        QByteArray now = contentOf(script);
        now.replace("sqrt(mean[i])", "sqrt(mean[i] + 0.125)");
        QVERIFY(write(script, now));
        QTRY_VERIFY_WITH_TIMEOUT(settled() && text().contains("0.125"), patience);
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(nodeCalled("rms")));
        // Closed and reopened, it has its scripts.
        QVERIFY(m_studio->trigger("file.close"));
        QVERIFY(m_studio->trigger("file.reopen"));
        QVERIFY(settled());
        QCOMPARE(model()->setup().scripts(), QStringList(script));
        QVERIFY(select("rms"));
        // its script
        QVERIFY(m_studio->trigger("model.operator"));
        QVERIFY(m_studio->studio().tabs.current());
        QCOMPARE(m_studio->studio().tabs.current()->path(), script);
        QVERIFY(m_studio->editor()
                    .bytes(m_studio->editor().rangeOfLine(m_studio->editor().lineOf(m_studio->editor().caret())))
                    .size() > 0);
    }

    void aMistakeInAScriptIsToldAndTheGraphStays() {
        const QString script = copyOfScript();
        m_studio->studio().tabs.openFile(models + "custom/custom.onnx");
        QVERIFY(settled());
        model()->setup().setScripts({script});
        QVERIFY(settled());
        QVERIFY(m_studio->trigger("graph.code"));
        QVERIFY(select("rms"));
        const QByteArray before = text();
        QVERIFY(!before.isEmpty());
        const QByteArray fine = contentOf(script);
        QByteArray wrong = fine;
        wrong.replace("sqrt(mean[i])", "sqroot(mean[i])");
        QVERIFY(write(script, wrong));
        QTRY_VERIFY_WITH_TIMEOUT(model()->graphs().failed() != nullptr, patience);
        QVERIFY(model()->graphs().last());
        QCOMPARE(text(), before);
        QTRY_VERIFY(notices().isVisible());
        QVERIFY(notices().sentences().join(' ').contains("operators.py"));
        QVERIFY(!pane().notice().isEmpty());
        QByteArray other = fine; // without a mistake, and without the operator
        other.replace("domain='samples'", "domain='elsewhere'");
        QVERIFY(write(script, other));
        QTRY_VERIFY_WITH_TIMEOUT(notices().sentences().join(' ').contains("RootMeanSquare"), patience);
        QVERIFY(model()->graphs().last());
        QVERIFY(write(script, fine));
        QTRY_VERIFY_WITH_TIMEOUT(model()->graphs().failed() == nullptr && !model()->graphs().isBusy(), patience);
        QTRY_VERIFY(!notices().isVisible());
        QCOMPARE(text(), before);
    }

    void anOperatorThatIsBuiltInShowsItsDefinition() {
        QVERIFY(openTest("mlp"));
        QVERIFY(select("dense1"));
        QVERIFY(m_studio->trigger("model.operator"));
        QVERIFY(settled());
        QCOMPARE(pane().stage(), "definition"_stage);
        QVERIFY(text().contains("= Matmul("));
    }
};

HIDET_UI_TEST_MAIN(GraphCode)
#include "code_test.moc"
