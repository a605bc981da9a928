// SPDX-License-Identifier: GPL-3.0-only
// Fusion and what could be otherwise: edges that were not fused say why, a decision shows its effect, is taken back, kept in a
// file that hidetc heeds, and refused where it is broken; and the passes that led to the graph.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTreeWidget>

#include "app/session/model/tune/what_if.h"
#include "app/ui/code/code_view.h"
#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/graph/fusion/what_if_page.h"
#include "app/ui/graph/passes/graph_diff_view.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");

} // namespace

class GraphFusion : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    LiveModel* model() { return m_studio->studio().tabs.model(); }
    template <class Widget>
    Widget& part(const char* name) {
        return *m_studio->window().findChild<Widget*>(name);
    }
    bool settled() {
        return QTest::qWaitFor(
            [this] { return model() && !model()->graphs().isBusy() && !ChoiceEffects::of(*model()).isBusy(); }, 30'000);
    }
    bool open(const QString& name) {
        m_studio->studio().settings.set(Setting::Target, "cpu");
        m_studio->studio().tabs.openModel(models + name + "/" + name + ".onnx");
        return settled() && model()->graphs().snapshot()->phase == session::ModelPhase::Planned;
    }
    // Inside of a kernel, the last there is: behind it is nothing to share a kernel with instead.
    GraphItem fusedEdge() {
        const session::ModelGraph& graph = *model()->graphs().last();
        GraphItem out;
        for (const auto& node : graph.nodes)
            for (const std::uint32_t input : node->inputs) {
                const session::GraphValue* value = graph.value(input);
                if (value && value->producer != session::no_id &&
                    graph.kernel_of(value->producer) == graph.kernel_of(node->id))
                    out = GraphItem::ofEdge(input, node->id);
            }
        return out;
    }
    std::size_t kernels() { return model()->graphs().snapshot()->totals.kernels; }
    QString contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QString();
    }

private slots:
    void init() {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->window().resize(1440, 900);
    }
    void cleanup() { m_studio.reset(); }

    void edgesThatWereNotFusedSayWhy() {
        QVERIFY(open("residual"));
        QVERIFY(m_studio->trigger("dock.fusion"));
        auto& table = part<QTableView>("fusion.blockers");
        const auto& blockers = model()->graphs().last()->blockers;
        QVERIFY(!blockers.empty());
        QCOMPARE(table.model()->rowCount(), static_cast<int>(blockers.size()));
        for (int row = 0; row < table.model()->rowCount(); ++row)
            QVERIFY(!table.model()->index(row, 2).data().toString().isEmpty());
        auto& reasons = part<QComboBox>("fusion.reasons");
        QVERIFY(reasons.count() > 1);
        reasons.setCurrentIndex(1);
        QVERIFY(table.model()->rowCount() <= static_cast<int>(blockers.size()));
        QVERIFY(table.model()->rowCount() > 0);
    }

    void everyEdgeIsWalkedToAndShown() {
        QVERIFY(open("residual"));
        QSet<quint64> seen;
        QSignalSpy revealed(&model()->selection(), &GraphSelection::revealRequested);
        const auto count = model()->graphs().last()->blockers.size();
        for (std::size_t i = 0; i < count; ++i) {
            QVERIFY(m_studio->trigger("graph.why_not"));
            QCOMPARE(model()->selection().selected().kind, GraphItem::Kind::Edge);
            seen << (quint64(model()->selection().selected().value) << 32 | model()->selection().selected().node);
        }
        QVERIFY(!seen.isEmpty());
        QCOMPARE(revealed.count(), static_cast<int>(count));
        QVERIFY(m_studio->trigger("graph.why_not")); // and around again
    }

    void keepingAnEdgeApartIsSeenAtOnceAndCanBeUndone() {
        QVERIFY(open("residual"));
        QVERIFY(m_studio->trigger("dock.fusion"));
        const std::size_t before = kernels();
        const GraphItem edge = fusedEdge();
        QVERIFY(edge);
        model()->selection().select(edge);
        QVERIFY(m_studio->trigger("graph.keep_apart"));
        QVERIFY(settled());
        QVERIFY(kernels() > before);
        auto& effect = part<WhatIfPage>("fusion.what_if").effect();
        const auto launches = [&] { return effect.textOf("Launches"); };
        const auto& totals = model()->graphs().snapshot()->totals;
        QTRY_VERIFY(launches().contains(QString::number(totals.launches)) && launches().contains('+'));
        QVERIFY(effect.textOf("Predicted").startsWith('~'));
        QTRY_VERIFY(ChoiceEffects::of(*model()).rows().front().change.has_value());
        QVERIFY(m_studio->trigger("edit.undo"));
        QVERIFY(settled());
        QCOMPARE(kernels(), before);
        QVERIFY(model()->setup().choices().isEmpty());
        QVERIFY(m_studio->trigger("edit.redo"));
        QVERIFY(settled());
        QVERIFY(kernels() > before);
        model()->selection().select(edge);
        QVERIFY(m_studio->trigger("graph.as_usual"));
        QVERIFY(settled());
        QCOMPARE(kernels(), before);
    }

    void whatCannotBeFusedIsRefusedWithTheReason() {
        QVERIFY(open("residual"));
        const session::ModelGraph& graph = *model()->graphs().last();
        const auto found =
            std::find_if(graph.blockers.begin(), graph.blockers.end(), [&](const session::GraphBlocker& each) {
                return !session::why_not_fused(*model()->graphs().snapshot(), {}, each.value, each.consumer).empty();
            });
        QVERIFY(found != graph.blockers.end());
        const QString reason = QString::fromStdString(
            session::why_not_fused(*model()->graphs().snapshot(), {}, found->value, found->consumer));
        const std::size_t before = kernels();
        model()->selection().select(GraphItem::ofEdge(found->value, found->consumer));
        QString said;
        connect(&m_studio->studio().notices, &Notices::noticed, this,
                [&](const Notice& notice) { said = notice.sentence; });
        QVERIFY(m_studio->trigger("graph.fuse"));
        QTRY_VERIFY(!said.isEmpty());
        QVERIFY2(said.startsWith("Cannot fuse '") && said.endsWith(reason), qPrintable(said));
        QVERIFY(settled());
        QVERIFY(model()->setup().choices().isEmpty());
        QCOMPARE(kernels(), before);
    }

    void aDecisionIsSwitchedOffAndOnInTheList() {
        QVERIFY(open("mlp"));
        QVERIFY(m_studio->trigger("dock.fusion"));
        model()->selection().select(fusedEdge());
        QVERIFY(m_studio->trigger("graph.keep_apart"));
        QVERIFY(settled());
        const QByteArray choices = model()->setup().choices();
        auto& list = part<QTreeWidget>("fusion.choices");
        QCOMPARE(list.topLevelItemCount(), 1);
        list.topLevelItem(0)->setCheckState(0, Qt::Unchecked);
        QVERIFY(model()->setup().choices().isEmpty());
        QCOMPARE(list.topLevelItemCount(), 1);
        list.topLevelItem(0)->setCheckState(0, Qt::Checked);
        QCOMPARE(model()->setup().choices(), choices);
        list.setCurrentItem(list.topLevelItem(0));
        QTest::keyClick(&list, Qt::Key_Delete);
        QCOMPARE(list.topLevelItemCount(), 0);
        QVERIFY(model()->setup().choices().isEmpty());
        QVERIFY(settled());
    }

    void whatWasMeasuredStandsBesideWhatIsPredicted() {
        QVERIFY(open("residual"));
        QVERIFY(m_studio->trigger("dock.fusion"));
        const auto measure = [&](double seconds) {
            auto result = std::make_shared<session::ModelBenchResult>();
            result->times.median = seconds;
            result->times.p10 = seconds * 0.9;
            result->times.p90 = seconds * 1.1;
            model()->results().setBench(result, model()->setup().revision());
        };
        auto& effect = part<WhatIfPage>("fusion.what_if").effect();
        measure(2e-3);
        QVERIFY(effect.textOf("Measured").startsWith("2.00"));
        model()->selection().select(fusedEdge());
        QVERIFY(m_studio->trigger("graph.keep_apart"));
        QVERIFY(settled());
        QVERIFY(effect.textOf("Measured").startsWith("2.00")); // that of before is still true
        measure(3e-3);
        const QString text = effect.textOf("Measured");
        QVERIFY2(text.contains("2.00") && text.contains("3.00") && text.contains("+1.00") && text.contains("+50 %"),
                 qPrintable(text));
        QVERIFY(!text.contains('~'));
        model()->setup().outdate(); // another file is another model
        QVERIFY(settled());
        QVERIFY(!effect.textOf("Measured").contains("2.00"));
    }

    void aRuleIsKeptFromOneOperator() {
        QVERIFY(open("residual"));
        for (const auto& graph : model()->graphs().snapshot()->graphs)
            for (const session::GraphMatch& match : graph->matches)
                if (match.rule == "scale-into-convolution" && !match.after.empty() &&
                    model()->graphs().last()->node(match.after.front()))
                    model()->selection().select(GraphItem::ofNode(match.after.front()));
        QCOMPARE(ruleOf(*model(), model()->selection().selected()), QString("scale-into-convolution"));
        QVERIFY(m_studio->trigger("graph.keep_apart"));
        QVERIFY(settled());
        for (const auto& graph : model()->graphs().snapshot()->graphs)
            for (const session::GraphMatch& match : graph->matches)
                QVERIFY(match.rule != "scale-into-convolution");
        QVERIFY(m_studio->trigger("edit.undo"));
        QVERIFY(settled());
        const auto step =
            precisionStep(*model(), GraphItem::ofNode(model()->graphs().last()->nodes.front()->id), "float16");
        QVERIFY(step.has_value());
        model()->setup().choose(step->choices, step->what);
        QVERIFY(settled());
        for (const session::DiagnosticView& diagnostic : model()->graphs().snapshot()->diagnostics)
            QVERIFY2(false, diagnostic.message.c_str());
    }

    void savedChoicesGiveTheCommandLineTheSameKernels() {
        QVERIFY(open("residual"));
        const std::size_t before = kernels();
        model()->selection().select(fusedEdge());
        QVERIFY(m_studio->trigger("graph.keep_apart"));
        QVERIFY(settled());
        QVERIFY(model()->setup().hasUnsavedChoices());
        const QString file = m_studio->folder() + "/apart.json";
        m_studio->answerDialogs({file});
        QVERIFY(m_studio->trigger("choices.save"));
        QVERIFY(!model()->setup().hasUnsavedChoices());
        QCOMPARE(contentOf(file), QString::fromUtf8(model()->setup().choices()));
        session::ModelRequest request;
        request.path = model()->path().toStdString();
        request.target = session::Target::Cpu;
        request.tools = m_studio->studio().tools;
        const auto groupsOf = [&](const QString& choices) {
            request.choices = choices.toStdString();
            return session::compile_model(request).facts.groups;
        };
        QCOMPARE(groupsOf(file), model()->graphs().last()->kernels.size());
        QVERIFY(groupsOf(file) > groupsOf({}));
        QVERIFY(kernels() > before);
        QVERIFY(m_studio->trigger("choices.clear"));
        QVERIFY(settled());
        QCOMPARE(kernels(), before);
        m_studio->answerDialogs({file});
        QVERIFY(m_studio->trigger("choices.open"));
        QVERIFY(settled());
        QVERIFY(kernels() > before);
        QVERIFY(!model()->setup().hasUnsavedChoices());
    }

    void aBrokenFileIsRefused() {
        QVERIFY(open("mlp"));
        const QString path = m_studio->folder() + "/broken.json";
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": \"hidet-choices\",\n\"fusion\": [1]}");
        file.close();
        m_studio->answerDialogs({path});
        QVERIFY(m_studio->trigger("choices.open"));
        const QString said = m_studio->window().notices().sentences().join(' ');
        QVERIFY2(said.contains("broken.json") && said.contains("line 2"), qPrintable(said));
        QVERIFY(model()->setup().choices().isEmpty());
        QVERIFY(!openChoices(m_studio->studio(), *model(), m_studio->folder() + "/nowhere.json"));
        QVERIFY(!saveChoices(m_studio->studio(), *model(), m_studio->folder() + "/no/where.json"));
    }

    void whatAModelDoesNotKnowIsSaidBesideTheDecision() {
        QVERIFY(open("mlp"));
        QVERIFY(m_studio->trigger("dock.fusion"));
        model()->setup().choose(QByteArray::fromStdString(
                                    session::with_choice("", session::ModelChoice::fusion("nothing", "nobody", false))),
                                "try");
        QVERIFY(settled());
        auto& list = part<QTreeWidget>("fusion.choices");
        QCOMPARE(list.topLevelItemCount(), 1);
        QVERIFY(list.topLevelItem(0)->toolTip(0).contains("no operator 'nothing'"));
        QVERIFY(part<QLabel>("fusion.choice_note").text().contains("nothing"));
    }

    void aRuleIsSwitchedOff() {
        QVERIFY(open("residual"));
        QVERIFY(m_studio->trigger("dock.fusion"));
        auto& rules = part<QTreeWidget>("fusion.rules");
        const auto found = rules.findItems("scale-into-convolution", Qt::MatchExactly | Qt::MatchRecursive);
        QCOMPARE(found.size(), 1);
        QVERIFY(found[0]->text(1).toInt() > 0);
        found[0]->setCheckState(0, Qt::Unchecked);
        QVERIFY(settled());
        QCOMPARE(rules.findItems("scale-into-convolution", Qt::MatchExactly | Qt::MatchRecursive)[0]->text(1),
                 QString());
        for (const auto& graph : model()->graphs().snapshot()->graphs)
            for (const session::GraphMatch& match : graph->matches)
                QVERIFY(match.rule != "scale-into-convolution");
        auto& precision = part<QComboBox>("fusion.precision");
        precision.setCurrentIndex(precision.findData("float16"));
        emit precision.activated(precision.currentIndex());
        QVERIFY(settled());
        QVERIFY(model()->setup().choices().contains("\"precision\": \"float16\""));
        QVERIFY(m_studio->trigger("edit.undo"));
        QVERIFY(m_studio->trigger("edit.undo"));
        QVERIFY(settled());
        QVERIFY(rules.findItems("scale-into-convolution", Qt::MatchExactly | Qt::MatchRecursive)[0]->checkState(0) ==
                Qt::Checked);
        QCOMPARE(precision.currentIndex(), 0);
    }

    void passesFollowTheSliderAndNameWhatIsNew() {
        QVERIFY(open("residual"));
        QVERIFY(m_studio->trigger("dock.graph_passes"));
        auto& passes = part<QTreeWidget>("graph_passes.list");
        auto& diff = *m_studio->window().findChild<GraphDiffView*>();
        QCOMPARE(passes.topLevelItemCount(), static_cast<int>(model()->graphs().snapshot()->graphs.size()));
        for (int i = 1; i < passes.topLevelItemCount(); ++i) {
            model()->graphs().setShown(i);
            QCOMPARE(passes.indexOfTopLevelItem(passes.currentItem()), i);
            QTRY_VERIFY(diff.isSettled());
            const session::ModelGraph& graph = *model()->graphs().shown();
            if (graph.added.empty())
                continue;
            QVERIFY(diff.hasChanges());
            const std::vector<std::uint32_t>& lines = graph.printed().nodes;
            QCOMPARE(diff.columns().added > 0, true);
            QVERIFY(std::any_of(lines.begin(), lines.end(), [&](std::uint32_t node) {
                return std::find(graph.added.begin(), graph.added.end(), node) != graph.added.end();
            }));
            QVERIFY(m_studio->trigger("pane.next_change"));
            QVERIFY(m_studio->trigger("pane.previous_change"));
        }
        passes.setCurrentItem(passes.topLevelItem(0));
        QCOMPARE(model()->graphs().shownNumber(), 0);
        QTRY_VERIFY(diff.isSettled() && !diff.hasChanges());
        QVERIFY(diff.leftView().bytes().contains("Conv2d"));
    }

    void aLineOfTheDifferenceIsItsOperator() {
        QVERIFY(open("residual"));
        QVERIFY(m_studio->trigger("dock.graph_passes"));
        auto& diff = *m_studio->window().findChild<GraphDiffView*>();
        model()->graphs().setShown(0);
        QTRY_VERIFY(diff.isSettled());
        CodeView& view = diff.leftView();
        const int at = static_cast<int>(view.bytes().indexOf("Conv2d("));
        QVERIFY(at > 0);
        view.setFocus();
        QTRY_VERIFY(view.hasFocus());
        view.setCaret(at);
        QTRY_COMPARE(model()->selection().selected().kind, GraphItem::Kind::Node);
        QCOMPARE(model()->graphs().shown()->node(model()->selection().selected().node)->op, std::string("Conv2d"));
    }

    void withoutAModelEveryListSaysWhatWillBeThere() {
        QVERIFY(m_studio->trigger("dock.fusion"));
        QVERIFY(!part<EmptyState>("analysis.empty").title().isEmpty());
        QVERIFY(!m_studio->trigger("graph.why_not"));
        QVERIFY(!m_studio->trigger("choices.open"));
        QVERIFY(open("mlp"));
        QVERIFY(!m_studio->trigger("graph.keep_apart")); // nothing is selected
        QVERIFY(!m_studio->trigger("choices.clear"));
        const QString file = m_studio->folder() + "/broken.onnx";
        QFile::copy(models + "broken/broken.onnx", file);
        m_studio->studio().tabs.openModel(file);
        QVERIFY(settled());
        QVERIFY(!m_studio->trigger("graph.why_not"));
    }
};

HIDET_UI_TEST_MAIN(GraphFusion)
#include "fusion_test.moc"
