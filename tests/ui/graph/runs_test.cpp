// SPDX-License-Identifier: GPL-3.0-only
// Running models: with a service that does what the test says, and in real workers on the CPU.
#include <csignal>

#include <QComboBox>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QTableView>
#include <QTableWidget>

#include "app/ui/charts/bar_chart.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/graph/compare/compare_host.h"
#include "app/ui/graph/graph_area.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/persistence/kept_session.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/verdict_strip.h"
#include "app/ui/workbench/live_model.h"
#include "tests/ui/fixture/child_processes.h"
#include "tests/ui/fixture/scripted_service.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::childProcesses;
using hidet::ui::test::scripted;
using hidet::ui::test::ScriptedService;
using hidet::ui::test::StudioFixture;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");

// One step for each kernel of the plan, each a microsecond longer than the one before.
session::ModelBenchResult measured(const session::ModelSnapshot& snapshot) {
    session::ModelBenchResult out;
    out.where = "CPU, 2 threads";
    double start = 0;
    const session::ModelGraph& graph = *snapshot.last();
    for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
        const session::GraphKernel& kernel = graph.kernels[i];
        session::ModelStepRow row;
        row.step = i;
        row.group = kernel.key;
        row.kernel = "kernel_" + std::to_string(i);
        row.node_ids = kernel.nodes;
        row.nodes = {graph.node(kernel.anchor)->name};
        row.seconds = row.run_seconds = 1e-6 * double(i + 1);
        row.spread = 0.1;
        row.start_seconds = start;
        row.launches = 1;
        start += row.run_seconds;
        out.steps.push_back(row);
    }
    out.facts.steps = out.steps.size();
    out.facts.arena_bytes = 4096;
    out.facts.schedules = "2 of 14 kernels tuned at level 1";
    out.times.median = start;
    out.times.p10 = start * 0.9;
    out.times.p90 = start * 1.1;
    out.times.count = 10;
    return out;
}

session::ModelRunResult compared(const session::ModelSnapshot& snapshot, std::size_t bad) {
    session::ModelRunResult out;
    const session::ModelGraph& graph = *snapshot.last();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const session::GraphNode& node = *graph.nodes[i];
        session::ModelNodeError row;
        row.node = node.name;
        row.op = node.op;
        row.node_id = node.id;
        row.relative = i < bad ? 1e-7 : 1e-2;
        row.tolerance = 1e-5;
        row.is_bad = i >= bad;
        out.nodes.push_back(row);
    }
    if (bad < graph.nodes.size())
        out.status = session::Status::UserMistake;
    return out;
}

session::Answer answered(session::JobResult result) {
    return {session::Ended::Answered, std::move(result), {}, {}};
}

} // namespace

class GraphRuns : public QObject {
    Q_OBJECT

    ScriptedService::Log m_log;
    std::unique_ptr<StudioFixture> m_studio;
    QList<Notice> m_notices;
    QStringList m_withdrawn;

    Studio& studio() { return m_studio->studio(); }
    ModelRuns& runs() { return *studio().modelRuns; }
    LiveModel* model() { return studio().tabs.model(); }
    VerdictStrip& strip() { return *m_studio->window().findChild<VerdictStrip*>(); }
    bool open(const QString& name) {
        studio().tabs.openModel(models + name + "/" + name + ".onnx");
        return QTest::qWaitFor(
            [this] { return model()->graphs().snapshot() && model()->graphs().snapshot()->is_complete; }, 60'000);
    }
    bool start(bool scriptedWorkers) {
        m_log = {};
        m_notices.clear();
        m_withdrawn.clear();
        m_studio = std::make_unique<StudioFixture>(scriptedWorkers ? scripted(m_log) : session::ServiceMaker());
        studio().settings.set(Setting::Target, "cpu");
        connect(&studio().notices, &Notices::noticed, this, [this](const Notice& notice) { m_notices << notice; });
        connect(&studio().notices, &Notices::withdrawn, this, [this](const QString& id) { m_withdrawn << id; });
        return open("residual");
    }
    bool does(const QString& command) { return m_studio->trigger(command); }
    void tell(const session::JobEvent& event) { m_log.jobs.last()->onEvent(event); }
    // The job's answer; what follows from it is there.
    bool answer(session::Answer answer) {
        m_log.jobs.last()->onDone(std::move(answer));
        return QTest::qWaitFor([this] { return !studio().jobs->running(); }, 5000);
    }
    bool bench() { return does("run.run") && answer(answered(measured(*model()->graphs().snapshot()))); }
    BarChart& chart(const QString& dock) {
        does("dock." + dock);
        return *m_studio->window().findChild<BarChart*>(dock + ".chart");
    }
    template <class Request>
    const Request& asked() {
        return std::get<Request>(m_log.jobs.last()->job.request);
    }

private slots:
    void init() { QVERIFY(start(true)); }
    void cleanup() { m_studio.reset(); }

    // One is kept by the window that is closed then; the next one finds it, and shows it beside what was measured now.
    void aRunIsComparedWithOneOfAnEarlierSession() {
        const auto runsOf = [this] { return int(runs().history().runsOf(*model()).size()); };
        const int before = runsOf();
        QVERIFY(bench());
        QTRY_COMPARE_WITH_TIMEOUT(runsOf(), before + 1, 20'000);
        m_studio.reset();
        QVERIFY(start(true));
        QTRY_COMPARE_WITH_TIMEOUT(runsOf(), before + 1, 20'000);
        session::ModelBenchResult slower = measured(*model()->graphs().snapshot());
        slower.steps[2].seconds += 50e-6;
        slower.times.median += 50e-6;
        QVERIFY(does("run.run") && answer(answered(slower)));
        QTRY_COMPARE_WITH_TIMEOUT(runsOf(), before + 2, 20'000);
        LiveModel* now = model();
        QVERIFY(does("dock.model_history"));
        auto& table = test::in<QTableWidget>(*m_studio, "model_history.table");
        QCOMPARE(table.rowCount(), before + 2);
        table.setFocus();
        table.selectRow(1);
        auto& name = test::in<QLineEdit>(*m_studio, "model_history.name");
        QTRY_VERIFY(name.isVisible());
        name.setFocus();
        test::typeInto(name, "of last week");
        QTest::keyClick(&name, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(table.item(1, 1)->text(), QString("of last week"), 20'000);
        table.setFocus();
        table.selectRow(1);
        table.setCurrentCell(1, 0);
        QTest::keyClick(&table, Qt::Key_Return);
        CompareHost& host = m_studio->window().findChild<GraphArea*>()->comparison();
        QTRY_VERIFY_WITH_TIMEOUT(host.view() && !host.view()->pair().isBusy() && host.view()->pair().comparison(),
                                 60'000);
        ModelPair& pair = host.view()->pair();
        QTRY_VERIFY_WITH_TIMEOUT(!pair.left().graphs().isBusy() && !pair.isBusy() && pair.comparison()->is_measured,
                                 60'000);
        QCOMPARE(&pair.right(), now);
        QCOMPARE(pair.left().title(), QString("residual.onnx, of last week"));
        QCOMPARE(pair.comparison()->matching.changed, std::size_t(0));
        // The one kernel that is slower stands first.
        const session::ComparedKernels& worst = pair.comparison()->kernels.front();
        QVERIFY(std::abs(*worst.right_seconds - *worst.left_seconds - 50e-6) < 1e-9);
        QVERIFY(!worst.is_within_spread());
        QVERIFY(host.view()->kernels().isVisible());
        const QAbstractItemModel* rows = host.view()->kernels().model();
        QVERIFY(rows->index(0, 4).data().toString().startsWith("+50"));
        QVERIFY(rows->rowCount() > 1);
        for (const QString& path : recentFiles(studio().settings))
            QVERIFY2(!path.contains("models.jsonl"), qPrintable(path));
    }

    void runMeasuresTheModelInFront() {
        QVERIFY(does("run.run"));
        const session::ModelRunRequest& request = asked<session::ModelBenchRequest>().run;
        QCOMPARE(QString::fromStdString(request.path), model()->path());
        QVERIFY(request.target == session::Target::Cpu);
        QVERIFY(!request.tools);
        tell({session::JobEvent::Kind::Progress, "measuring each step, 3 of 12", 0.25, 8.0});
        QTRY_VERIFY(studio().jobs->running()->fraction);
        QVERIFY2(studio().jobs->running()->words().startsWith("Measuring each step, 3 of 12"),
                 qPrintable(studio().jobs->running()->words()));
        QVERIFY2(studio().jobs->running()->words().endsWith("about 8 s left"),
                 qPrintable(studio().jobs->running()->words()));
        QCOMPARE(strip().findChild<QProgressBar*>()->value(), 250);
        QVERIFY(answer(answered(measured(*model()->graphs().snapshot()))));
        QVERIFY(model()->results().findings().bench);
        QVERIFY(!model()->results().isStale());
        QVERIFY(strip().shownParts().contains("time"));
        QVERIFY(strip().shownParts().contains("launches"));
        const auto overlay = session::overlay_of(*model()->graphs().snapshot(), *model()->graphs().last(),
                                                 model()->results().findings(), session::OverlayKind::Latency);
        QCOMPARE(overlay.unavailable, std::string());
        QVERIFY(
            std::any_of(overlay.nodes.begin(), overlay.nodes.end(), [](const auto& node) { return node.value > 0; }));
    }

    void aWorkspaceSaysWhichFilesAModelRunsOn() {
        const QString file = m_studio->folder() + "/w.hidet-workspace";
        const QJsonObject document{{"path", model()->path()}, {"inputs", QJsonObject{{"x", "data/x.npy"}, {"y", 3}}}};
        writeJson(file, {{"format", "hidet-workspace"}, {"version", 1}, {"documents", QJsonArray{document}}});
        QVERIFY(studio().tabs.openFile(file));
        QTRY_VERIFY_WITH_TIMEOUT(model() && model()->graphs().snapshot() && model()->graphs().snapshot()->is_complete,
                                 60'000);
        QVERIFY(does("run.run"));
        const auto& inputs = asked<session::ModelBenchRequest>().run.inputs;
        QCOMPARE(inputs.size(), 1u);
        QCOMPARE(QString::fromStdString(inputs[0].first), "x");
        QCOMPARE(QString::fromStdString(inputs[0].second), m_studio->folder() + "/data/x.npy");
    }

    void aTimeOnTheEmulatorIsNoTimeOfAGpu() {
        QVERIFY(does("run.run"));
        session::ModelBenchResult result = measured(*model()->graphs().snapshot());
        result.is_emulated = true;
        result.where = "emulator";
        QVERIFY(answer(answered(result)));
        const auto& parts = strip().line().parts;
        const auto time = std::find_if(parts.begin(), parts.end(), [](const auto& part) { return part.id == "time"; });
        QVERIFY(time != parts.end());
        QVERIFY2(time->hint.startsWith("Median of 10 runs on the emulator (not GPU time), 10th to 90th percentile: "),
                 qPrintable(time->hint));
        QVERIFY2(strip().sentence().contains("2 of 14 kernels tuned at level 1"), qPrintable(strip().sentence()));
    }

    void aResultOfAnOlderStateIsShownAndStale() {
        QVERIFY(does("run.run"));
        const auto result = measured(*model()->graphs().snapshot());
        model()->setup().choose(R"({"format": "hidet-choices", "version": 1})", "a choice");
        QVERIFY(answer(answered(result)));
        QVERIFY(model()->results().findings().bench);
        QVERIFY(model()->results().isStale());
        QVERIFY(strip().line().stale);
        QTRY_VERIFY_WITH_TIMEOUT(!model()->graphs().isBusy(), 30'000);
        QVERIFY(bench());
        QVERIFY(!strip().line().stale);
        const auto& sent = asked<session::ModelBenchRequest>().run;
        QVERIFY(!sent.choices_text.empty());
        model()->setup().undo().undo();
        QVERIFY(strip().line().stale);
    }

    void aComparisonFindsTheFirstBadOperator() {
        QVERIFY(!does("graph.first_bad"));
        QVERIFY(does("model.compare"));
        QVERIFY(asked<session::ModelRunRequest>().compare);
        QVERIFY(answer(answered(compared(*model()->graphs().snapshot(), 2))));
        QVERIFY(m_notices.isEmpty()); // what it found is no failure
        QVERIFY2(strip().sentence().contains("Wrong from"), qPrintable(strip().sentence()));
        QVERIFY(does("graph.first_bad"));
        const session::ModelGraph& graph = *model()->graphs().last();
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(graph.nodes[2]->id));
        does("dock.numerics");
        auto* table = m_studio->window().findChild<QTableView*>("numerics.table");
        QCOMPARE(table->model()->rowCount(), int(graph.nodes.size()));
        QTRY_COMPARE(table->currentIndex().row(), 2);
        table->selectRow(0);
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(graph.nodes[0]->id));
        QVERIFY(chart("numerics").chart().bars[2].hue == ChartBar::error);
    }

    void aComparisonThatFindsNothingSaysSo() {
        QVERIFY(does("model.compare"));
        QVERIFY(answer(answered(compared(*model()->graphs().snapshot(), SIZE_MAX))));
        QVERIFY2(strip().sentence().contains("Correct"), qPrintable(strip().sentence()));
        QVERIFY(!does("graph.first_bad"));
    }

    void oneRunsAtATimeAndCanBeStopped() {
        QVERIFY(!does("run.cancel"));
        QVERIFY(does("model.compile"));
        QVERIFY(std::holds_alternative<session::ModelRequest>(m_log.jobs.last()->job.request));
        QVERIFY(!does("run.run"));
        QVERIFY(!does("model.compare"));
        QVERIFY(does("run.cancel"));
        QCOMPARE(m_log.cancelled.size(), 1);
        QVERIFY(!does("run.cancel"));
        QVERIFY(answer({session::Ended::Cancelled, {}, {}, {}}));
        QVERIFY(m_notices.isEmpty());
        QCOMPARE(strip().line().parts.front().text, QString("Stopped"));
        QVERIFY(bench());
        QCOMPARE(m_log.made, 1); // the same worker
    }

    void aScriptAndAModelDoNotRunAtOnce() {
        QVERIFY(does("run.run"));
        m_studio->openText("print(1)\n");
        QVERIFY(m_studio->settle());
        QVERIFY(!does("run.run"));
        QVERIFY(studio().runs->whyNotRunnable().contains("residual.onnx"));
        m_log.jobs.last()->onDone({session::Ended::Cancelled, {}, {}, {}});
        QTRY_VERIFY(!studio().jobs->running());
        QVERIFY(does("run.run"));
        studio().tabs.setCurrent(*studio().tabs.models().first());
        QVERIFY(!does("run.run"));
        QVERIFY2(runs().whyNotRunnable().contains("script"), qPrintable(runs().whyNotRunnable()));
    }

    void aLostWorkerIsToldAndTheNextRunIsOffered() {
        QVERIFY(bench());
        QVERIFY(does("run.run"));
        QVERIFY(
            answer({session::Ended::WorkerLost, {}, {"worker-died", "the worker died while measuring"}, "last words"}));
        QCOMPARE(m_notices.size(), 1);
        QVERIFY(m_notices[0].sentence.contains("The worker died while measuring"));
        QVERIFY(model()->results().findings().bench); // what was measured before is kept
        QCOMPARE(m_notices[0].offers.front().text, QString("Run again"));
        m_notices[0].offers.front().act();
        QVERIFY(studio().jobs->running());
        QVERIFY(m_withdrawn.contains(m_notices[0].id));
        QVERIFY(answer(answered(measured(*model()->graphs().snapshot()))));
        QVERIFY(runs().report(*model())->isGood());
        QVERIFY(answerOfBroken());
    }
    bool answerOfBroken() {
        if (!does("run.run") || !answer({session::Ended::WorkerLost, {}, {"worker-broken", "it died"}, {}}))
            return false;
        const Notice& notice = m_notices.last();
        notice.offers.last().act();
        return notice.offers.last().text == "Restart the worker" && m_log.restarts == 1;
    }

    void aMistakeOfTheModelIsANoticeInWords() {
        QVERIFY(does("run.run"));
        session::ModelBenchResult result;
        result.status = session::Status::Environment;
        session::DiagnosticView diagnostic;
        diagnostic.id = "no-gpu";
        diagnostic.message = "there is no driver";
        result.diagnostics.push_back(diagnostic);
        QVERIFY(answer(answered(result)));
        QCOMPARE(m_notices.size(), 1);
        QVERIFY(m_notices[0].sentence.contains("no GPU"));
        QCOMPARE(m_notices[0].offers.last().text, QString("Settings"));
        QVERIFY(!model()->results().findings().bench);
    }

    void twoModelsKeepTheirOwnResults() {
        LiveModel* first = model();
        QVERIFY(does("run.run"));
        const auto result = measured(*model()->graphs().snapshot());
        QVERIFY(open("mlp"));
        QVERIFY(model() != first);
        QVERIFY(answer(answered(result)));
        QVERIFY(first->results().findings().bench);
        QVERIFY(!model()->results().findings().bench);
        QVERIFY(!strip().shownParts().contains("launches"));
        studio().tabs.setCurrent(*first);
        QVERIFY(strip().shownParts().contains("launches"));
    }

    void aModelThatIsClosedStopsItsRun() {
        QVERIFY(does("run.run"));
        QVERIFY(does("file.close"));
        QCOMPARE(m_log.cancelled.size(), 1);
        m_log.jobs.last()->onDone({session::Ended::Cancelled, {}, {}, {}});
        QTRY_VERIFY(!studio().jobs->running());
    }

    void theTimelineFollowsAndMakesTheSelection() {
        does("dock.timeline");
        QVERIFY(m_studio->window().findChild<QWidget*>("timeline.empty")->isVisible());
        QVERIFY(bench());
        BarChart& timeline = chart("timeline");
        const session::ModelGraph& graph = *model()->graphs().last();
        QCOMPARE(timeline.chart().bars.size(), graph.kernels.size());
        const int last = int(graph.kernels.size()) - 1;
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, timeline.rectOf(last).center().toPoint());
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(graph.kernels[std::size_t(last)].anchor));
        QVERIFY2(timeline.accessibleDescription().contains("kernel_"), qPrintable(timeline.accessibleDescription()));
        timeline.setFocus();
        QTest::keyClick(&timeline, Qt::Key_Home);
        QCOMPARE(timeline.current(), 0);
        QTest::keyClick(&timeline, Qt::Key_Right);
        QTest::keyClick(&timeline, Qt::Key_Return);
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(graph.kernels[1].anchor));
        QTest::keyClick(&timeline, Qt::Key_Plus);
        QVERIFY(timeline.to() - timeline.from() < timeline.chart().x.max);
        QTest::keyClick(&timeline, Qt::Key_0);
        QCOMPARE(timeline.to(), timeline.chart().x.max);
        QVERIFY(timeline.chart().tsv().startsWith("step\tkernel"));
        const QRect first = timeline.rectOf(0).toRect(), end = timeline.rectOf(last).toRect();
        QTest::mousePress(&timeline, Qt::LeftButton, Qt::ShiftModifier, {first.left(), first.center().y()});
        QTest::mouseMove(&timeline, {end.right() - 1, first.center().y() + 1});
        QTest::mouseRelease(&timeline, Qt::LeftButton, Qt::ShiftModifier, {end.right() - 1, first.center().y() + 1});
        QVERIFY(timeline.range());
        const QString said = QString("%1 steps run for").arg(graph.kernels.size());
        QVERIFY2(timeline.accessibleDescription().contains(said), qPrintable(timeline.accessibleDescription()));
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, first.center());
        QVERIFY(!timeline.range());
    }

    void aChartOfManyBarsIsZoomedAndPanned() {
        constexpr int count = 20'000;
        Chart many;
        many.name = "many";
        many.x = timeAxis("time", count * 1e-6);
        many.lanes << "Kernels";
        for (int i = 0; i < count; ++i)
            many.bars.push_back({i * 1e-6, (i + 1) * 1e-6, 0, 0, i % 12});
        many.words = [](int bar) { return QString::number(bar); };
        BarChart wide(studio().themes);
        wide.resize(1000, 200);
        wide.show(many);
        QVERIFY(!wide.grab().isNull());
        const double middle = many.x.max / 2;
        wide.zoom(1000, middle);
        const int at = wide.barAt(wide.rectOf(count / 2).center());
        QCOMPARE(at, count / 2);
        QVERIFY(wide.rectOf(count / 2).width() > 20);
        wide.setSelected({0}); // it is out of view, and comes into it
        QVERIFY(wide.from() < 1e-6);
        QCOMPARE(wide.barAt({-5, -5}), -1);
        wide.setCurrent(count - 1);
        QCOMPARE(wide.accessibleDescription(), QString::number(count - 1));
        wide.zoom(1e-9, middle);
        QCOMPARE(wide.from(), 0.0);
        QCOMPARE(wide.to(), many.x.max);
        many.sum = [](double from, double to) { return QString::number(to - from); };
        wide.show(many);
        wide.setCurrent(count - 1);
        QTest::keyClick(&wide, Qt::Key_Left, Qt::ShiftModifier);
        QVERIFY(wide.range() && wide.accessibleDescription() == many.sum(wide.range()->first, wide.range()->second));
        many.bars.resize(1); // the bar where the range began is gone
        wide.show(many);
        QTest::keyClick(&wide, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(wide.range()->second, many.bars[0].right);
    }

    void memoryNeedsNoRun() {
        BarChart& memory = chart("memory");
        QVERIFY(!memory.chart().bars.empty());
        QVERIFY(!memory.chart().lines.empty());
        const session::GraphNode& node = *model()->graphs().last()->nodes.front();
        QTest::mouseClick(&memory, Qt::LeftButton, {}, memory.rectOf(0).center().toPoint());
        QVERIFY(model()->selection().selected());
        model()->selection().select(GraphItem::ofNode(node.id));
        QVERIFY(!memory.chart().words(0).isEmpty());
    }

    void dynamicDimensionsAreFields() {
        QVERIFY(open("mlp"));
        does("dock.model_run");
        // The bar is told after the model.
        const auto field = [&] { return m_studio->window().findChild<QLineEdit*>("model_run.dimension.batch"); };
        QTRY_VERIFY(field() && field()->isVisible());
        field()->setFocus();
        QTest::keyClicks(field(), "8");
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(model()->setup().dimensions().value("batch"), 8);
        QTRY_VERIFY_WITH_TIMEOUT(!model()->graphs().isBusy(), 30'000);
        QTRY_VERIFY(field() && field()->isVisible()); // it can be changed again
        QVERIFY(does("run.run"));
        const auto& dims = asked<session::ModelBenchRequest>().run.dims;
        QVERIFY(dims.size() == 1 && dims[0].value == 8);
        field()->setFocus();
        field()->selectAll();
        QTest::keyClick(field(), Qt::Key_Backspace);
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(model()->setup().dimensions().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(!model()->graphs().isBusy(), 30'000);
        QTRY_VERIFY(field() && field()->isVisible());
    }

    void aWindowThatIsClosedHearsNothingMore() {
        QVERIFY(does("run.run"));
        const auto job = m_log.jobs.last();
        m_studio.reset();
        job->onEvent({session::JobEvent::Kind::Printed, "late", {}});
        job->onDone({session::Ended::Cancelled, {}, {}, {}});
        QCoreApplication::processEvents();
    }

    void aRealWorkerCompilesMeasuresAndCompares() {
        QVERIFY(start(false));
        QVERIFY(does("model.compile"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio().jobs->running(), 120'000);
        QVERIFY2(runs().report(*model())->isGood(), qPrintable(runs().report(*model())->trouble));
        QVERIFY(does("run.run"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio().jobs->running(), 120'000);
        QVERIFY(model()->results().findings().bench);
        QVERIFY(!chart("timeline").chart().bars.empty());
        QVERIFY(does("model.compare"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio().jobs->running(), 120'000);
        QVERIFY(model()->results().findings().comparison);
        QVERIFY2(strip().sentence().contains("Correct"), qPrintable(strip().sentence()));
        QVERIFY(m_notices.isEmpty());

        // Operators that are selected show what they made, and what they should have made.
        const auto& rows = model()->results().findings().comparison->nodes;
        QVERIFY(rows.size() > 2);
        QVERIFY(!does("graph.values")); // nothing is selected
        model()->selection().select(GraphItem::ofNode(rows[1].node_id), nullptr);
        QVERIFY(does("graph.values"));
        auto* figures = m_studio->window().findChild<QLabel*>("tensors.figures");
        auto* entries = m_studio->window().findChild<QComboBox*>("tensors.entries");
        QTRY_VERIFY2(entries->currentText().startsWith(QString::fromStdString(rows[1].node)),
                     qPrintable(entries->currentText()));
        QTRY_VERIFY2(figures->text().contains("elements"), qPrintable(figures->text()));
        model()->selection().select(GraphItem::ofNode(rows[2].node_id), nullptr); // the viewer goes along
        QTRY_VERIFY2(entries->currentText().startsWith(QString::fromStdString(rows[2].node)),
                     qPrintable(entries->currentText()));
    }

    void aRealCompilationIsStopped() {
        QVERIFY(start(false));
        QVERIFY(open("attention"));
        QVERIFY(does("model.compile"));
        QTRY_VERIFY_WITH_TIMEOUT(studio().jobs->running() && studio().jobs->running()->doing.startsWith("compiling"),
                                 60'000);
        QVERIFY(does("run.cancel"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio().jobs->running(), 5000);
        QVERIFY(runs().report(*model())->end == RunEnd::Cancelled);
    }

    void aRealWorkerThatIsKilledIsReplaced() {
        QVERIFY(start(false));
        QVERIFY(does("run.run"));
        QTRY_VERIFY_WITH_TIMEOUT(studio().jobs->running() && studio().jobs->running()->doing != "starting", 60'000);
        for (const qint64 worker : childProcesses())
            QCOMPARE(::kill(static_cast<pid_t>(worker), SIGKILL), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!studio().jobs->running(), 30'000);
        QVERIFY(runs().report(*model())->end == RunEnd::Lost);
        QCOMPARE(m_notices.size(), 1);
        QVERIFY(does("run.restart_worker"));
        QVERIFY(does("run.run"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio().jobs->running(), 120'000);
        QVERIFY2(runs().report(*model())->isGood(), qPrintable(runs().report(*model())->trouble));
    }
};

HIDET_UI_TEST_MAIN(GraphRuns)
#include "runs_test.moc"
