// SPDX-License-Identifier: GPL-3.0-only
// Templates and the schedules that they offer: looked up, measured by a service that does what the test says, chosen, shown as
// code; and copies of templates that are edited for a model.
#include <QComboBox>
#include <QFile>
#include <QSignalSpy>
#include <QToolButton>

#include "app/session/model/model_code.h"
#include "app/session/model/tune/choice_edit.h"
#include "app/session/tune/tuning.h"
#include "app/ui/graph/code/model_code.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/graph/tune/template_copies.h"
#include "app/ui/graph/tune/template_pane.h"
#include "app/ui/graph/tune/tuning_page.h"
#include "app/ui/program/session_keeper.h"
#include "tests/ui/fixture/scripted_service.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using test::scripted;
using test::ScriptedService;
using test::StudioFixture;
namespace session = hidet::session;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");
constexpr int patience = 60'000;

// Each candidate half as long as predicted, but the last one, which is five times as fast, and the second, which is wrong.
session::ModelTuneResult measured(session::ModelTuneResult result) {
    result.can_measure = true;
    for (session::TunedOperator& op : result.operators) {
        for (session::TunedCandidate& candidate : op.candidates) {
            candidate.seconds = candidate.predicted / 2;
            candidate.is_recorded = true;
            ++result.measured;
        }
        op.candidates[1].discarded = "its results are wrong";
        op.candidates.back().seconds = op.candidates.back().predicted / 5;
        op.best = op.candidates.back().schedule;
    }
    return result;
}

} // namespace

class GraphTune : public QObject {
    Q_OBJECT

    ScriptedService::Log m_log;
    std::unique_ptr<StudioFixture> m_studio;
    QList<Notice> m_notices;

    Studio& studio() { return m_studio->studio(); }
    LiveModel* model() { return studio().tabs.model(); }
    ModelTuning& tuning() { return ModelTuning::of(*model()); }
    TuningPage& page() { return *m_studio->window().findChild<TuningPage*>(); }
    TemplatePane& script() { return test::anywhere<TemplatePane>(); }
    ModelCodePane& code() { return test::anywhere<ModelCodePane>(); }
    QTableWidget& rows() { return *page().findChild<QTableWidget*>("tuning.rows"); }
    PlotView& plot() { return *page().findChild<PlotView*>("tuning.plot"); }
    bool does(const QString& command) { return m_studio->trigger(command); }
    bool can(const QString& command) { return studio().commands.find(command)->isEnabled(); }

    bool isLookedUp() { return tuning().result() && !tuning().isBusy() && !tuning().isStale(); }
    bool settled() {
        return QTest::qWaitFor(
            [this] {
                return model() && !model()->graphs().isBusy() && model()->graphs().snapshot()->is_complete &&
                       isLookedUp() && (!code().isVisible() || code().isSettled());
            },
            patience);
    }
    quint32 nodeCalled(const QString& name) {
        for (const auto& node : model()->graphs().last()->nodes)
            if (QString::fromStdString(node->name) == name)
                return node->id;
        return session::no_id;
    }
    void select(const QString& name) { model()->selection().select(GraphItem::ofNode(nodeCalled(name))); }
    QByteArray codeText() { return code().isEmpty() ? QByteArray() : code().view().bytes(); }
    std::string chosen() {
        const auto choice = session::choice_about(model()->setup().choices().toStdString(),
                                                  session::ModelChoice::scheduled("dense1", ""));
        return choice ? choice->what : std::string();
    }
    void start() {
        m_log = {};
        m_notices.clear();
        m_studio = std::make_unique<StudioFixture>(scripted(m_log));
        studio().settings.set(Setting::Target, "emulate");
        connect(&studio().notices, &Notices::noticed, this, [this](const Notice& notice) { m_notices << notice; });
    }
    bool open(const QString& dock = "dock.tuning") {
        studio().tabs.openModel(models + "mlp/mlp.onnx");
        model()->setup().setDimensions({{"batch", 2}});
        tuning().setRecords(m_studio->folder() + "/tuning.db");
        return does(dock) && settled();
    }
    bool answer(session::JobResult result) {
        m_log.jobs.last()->onDone({session::Ended::Answered, std::move(result), {}, {}});
        return QTest::qWaitFor([this] { return !studio().jobs->running(); }, 5000);
    }
    bool tuneAll() { return does("tune.model") && answer(measured(*tuning().result())); }
    // A run in which the kernel of 'dense1' takes so long.
    std::shared_ptr<const session::ModelBenchResult> benched(double seconds) {
        auto result = std::make_shared<session::ModelBenchResult>();
        result->where = "NVIDIA H200";
        session::ModelStepRow row;
        row.node_ids = {nodeCalled("dense1"), nodeCalled("relu1")};
        row.seconds = seconds;
        result->steps.push_back(row);
        return result;
    }
    int rowOf(const std::string& schedule) {
        for (int row = 0; row < rows().rowCount(); ++row)
            if (rows().item(row, 0)->text().toStdString() == schedule)
                return row;
        return -1;
    }
    void click(int row) {
        QTest::mouseClick(rows().viewport(), Qt::LeftButton, {}, rows().visualItemRect(rows().item(row, 0)).center());
    }
    QToolButton& button(const QString& text) {
        for (QToolButton* each : script().findChildren<QToolButton*>())
            if (each->text() == text)
                return *each;
        qWarning("there is no such button");
        return *script().findChild<QToolButton*>();
    }

private slots:
    void init() { start(); }
    void cleanup() {
        if (m_studio && model())
            QFile::remove(templateFolder(*model()) + "/product_simt.py");
        m_studio.reset();
    }

    void withoutAGpuCandidatesAreShownAsPredictedAndWhatIsMissingIsSaid() {
        QVERIFY(open());
        QVERIFY(page().table().rows.empty());
        select("dense1");
        QVERIFY(page().table().rows.size() > 4);
        QCOMPARE(page().table().measured, std::size_t(0));
        QVERIFY(page().table().refused > 0);
        QVERIFY2(page().note().contains("takes a GPU"), qPrintable(page().note()));
        QCOMPARE(plot().plot().title, "Predicted times of the candidates");
        QVERIFY(rows().item(0, 1)->text().startsWith('~'));
        QVERIFY(rows().item(0, 1)->font().italic());
        const int last = rows().rowCount() - 1; // a refused one, with the reason
        QVERIFY(rows().item(last, 1)->text().isEmpty());
        QVERIFY(!rows().item(last, 4)->text().isEmpty());
        click(last);
        QVERIFY(!can("tune.choose"));
        QVERIFY(!can("tune.code"));
    }

    void theListOfOperatorsSelectsInTheGraph() {
        QVERIFY(open());
        auto& list = *page().findChild<QComboBox*>("tuning.operators");
        QCOMPARE(list.count(), 3);
        list.setFocus();
        QTest::keyClick(&list, Qt::Key_Down);
        QVERIFY(model()->selection().selected());
        QCOMPARE(model()->selection().selected().node, list.currentData().toUInt());
        QVERIFY(!page().table().rows.empty());
    }

    void tuningAnOperatorAsksAWorkerAndShowsHowFarItIs() {
        QVERIFY(open());
        QVERIFY(!can("tune.operator"));
        select("dense1");
        QVERIFY(does("tune.operator"));
        const session::ModelRequest& request =
            std::get<session::ModelTuneRequest>(m_log.jobs.last()->job.request).model;
        QCOMPARE(request.tuned, std::vector<std::string>{"dense1"});
        QCOMPARE(request.space, 1);
        m_log.jobs.last()->onEvent({session::JobEvent::Kind::Progress, "measured 3 candidates, 1 of 4", 0.25, 8.0});
        QTRY_VERIFY(page().note().startsWith("Measured 3 candidates, 1 of 4"));
        QVERIFY(page().note().contains("left"));
        QVERIFY(does("run.cancel"));
        QCOMPARE(m_log.cancelled.size(), 1);
        m_log.jobs.last()->onDone({session::Ended::Cancelled, {}, {}, {}});
        QTRY_VERIFY(!studio().jobs->running());
        QVERIFY(page().note().contains("takes a GPU"));
    }

    void measuredCandidatesAreAScatterAndTheFastestAreOffered() {
        QVERIFY(open());
        select("dense1");
        QVERIFY(tuneAll());
        const session::CandidateTable& table = page().table();
        QCOMPARE(table.discarded, std::size_t(1));
        QVERIFY(table.measured > 2);
        QVERIFY(table.rows.front().is_fastest);
        QCOMPARE(plot().plot().title, "Predicted and measured times of the candidates");
        QVERIFY(plot().plot().x.isLog && plot().plot().y.isLog);
        QStringList series;
        for (const PlotSeries& each : plot().plot().series)
            series << each.name;
        QVERIFY2(series.contains("as predicted") && series.contains("wrong") && series.contains("fastest") &&
                     series.contains("used"),
                 qPrintable(series.join(", ")));
        QCOMPARE(page().note(), QString());
        QCOMPARE(m_notices.last().id, "tuned");
        QVERIFY(m_notices.last().sentence.contains("3 operators"));
        m_notices.last().offers.front().act();
        QVERIFY(settled());
        QCOMPARE(chosen(), table.rows.front().schedule);
        QVERIFY(page().table().is_chosen);
        QVERIFY(!can("tune.fastest"));
        QVERIFY(does("edit.undo"));
        QVERIFY(settled());
        QCOMPARE(chosen(), std::string());
    }

    void aPointOfThePlotIsARowOfTheTable() {
        QVERIFY(open());
        select("dense1");
        QVERIFY(tuneAll());
        const CandidatePlot drawn = candidatePlot(page().table(), {});
        const std::size_t wrong = std::size_t(rowOf(tuning().operatorOf(nodeCalled("dense1"))->candidates[1].schedule));
        const QPoint place = plot().placeOf(drawn.spotOf(wrong));
        QTest::mouseMove(&plot(), place);
        QTRY_VERIFY(plot().accessibleDescription().contains("predicted ~"));
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, place);
        QVERIFY(rows().currentRow() >= 0);
        QVERIFY(plot().plot().marked.series >= 0);
        plot().setFocus();
        const int before = rows().currentRow();
        QTest::keyClick(&plot(), Qt::Key_Right);
        QTest::keyClick(&plot(), Qt::Key_Right);
        QVERIFY(rows().currentRow() != before || rows().rowCount() == 1);
    }

    void aScheduleIsChosenByKeysAndTakenBack() {
        QVERIFY(open());
        select("dense1");
        const std::string other = tuning().operatorOf(nodeCalled("dense1"))->candidates[2].schedule;
        click(rowOf(other));
        QCOMPARE(page().current(), other);
        QVERIFY(does("tune.choose"));
        QVERIFY(settled());
        QCOMPARE(chosen(), other);
        QCOMPARE(page().current(), other);
        QVERIFY(!can("tune.choose"));
        const auto& kernels = model()->graphs().last()->kernels;
        QVERIFY(std::any_of(kernels.begin(), kernels.end(), [&](const auto& each) { return each.schedule == other; }));
        QVERIFY(does("tune.automatic"));
        QVERIFY(settled());
        QVERIFY(model()->setup().choices().isEmpty());
    }

    void aCandidateIsShownAsCodeWithoutBeingChosen() {
        QVERIFY(open());
        QVERIFY(does("dock.code"));
        select("dense1");
        QVERIFY(settled());
        const QByteArray own = codeText();
        QVERIFY(own.contains("__global__"));
        const std::string other = tuning().operatorOf(nodeCalled("dense1"))->candidates[2].schedule;
        rows().setFocus();
        click(rowOf(other));
        QTest::keyClick(&rows(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(model()->selection().peeked(), patience);
        QVERIFY(settled());
        QVERIFY(codeText().contains("__global__"));
        QVERIFY(codeText() != own);
        QVERIFY(code().notice().contains(QString::fromStdString(other)));
        QVERIFY(model()->setup().choices().isEmpty());
        select("softmax");
        QVERIFY(!model()->selection().peeked());
        select("dense1");
        QVERIFY(settled());
        QCOMPARE(codeText(), own);
    }

    void aJobThatLosesItsDeviceGoesOnInAnotherProcess() {
        QVERIFY(open());
        QVERIFY(does("tune.model"));
        session::ModelTuneResult lost;
        lost.is_lost = true;
        lost.status = session::Status::Environment;
        m_log.jobs.last()->onDone({session::Ended::Answered, lost, {}, {}});
        QTRY_COMPARE(m_log.jobs.size(), 2);
        QCOMPARE(m_log.restarts, 1);
        QVERIFY(answer(measured(*tuning().result())));
        QVERIFY(studio().modelRuns->report(*model())->isGood());
        QCOMPARE(studio().modelRuns->report(*model())->attempts, 2);
    }

    void onACpuThereIsNothingToTune() {
        studio().settings.set(Setting::Target, "cpu");
        QVERIFY(open());
        select("dense1");
        QVERIFY(page().table().rows.empty());
        auto& empty = *page().findChild<EmptyState*>("tuning.empty");
        QVERIFY2(empty.text().contains("CPU"), qPrintable(empty.text()));
    }

    void theTemplateOfAnOperatorIsShownBesideItsKernel() {
        QVERIFY(open());
        select("dense1");
        QVERIFY(does("template.show"));
        QVERIFY(settled());
        QVERIFY(script().isVisible() && code().isVisible());
        QCOMPARE(script().title(), "product_simt.py, read only");
        QVERIFY(script().view().bytes().contains("@hidet.template"));
        QVERIFY(script().view().isReadOnly());
        QVERIFY(codeText().contains("__global__"));
        select("softmax");
        QCOMPARE(script().title(), "softmax.py, read only");
        QVERIFY(does("template.show"));
        QVERIFY(!script().isVisible());
    }

    void aCopyIsEditedForTheModelAndItsKernelFollows() {
        QVERIFY(open());
        select("dense1");
        QVERIFY(does("template.show"));
        QVERIFY(settled());
        const QByteArray ours = script().view().bytes();
        const QByteArray kernel = codeText();
        QTest::mouseClick(&button("Edit for this model"), Qt::LeftButton);
        QVERIFY(script().isEdited());
        QVERIFY(!script().view().isReadOnly());
        QCOMPARE(model()->setup().scripts(), QStringList{templateFolder(*model()) + "/product_simt.py"});
        QVERIFY(settled());
        QVERIFY(script().isEdited());
        QCOMPARE(codeText(), kernel);
        QVERIFY2(script().effect().contains("Predicted ~") && script().effect().contains("now"),
                 qPrintable(script().effect()));
        const int at = int(ours.indexOf("block_m=None"));
        QVERIFY(at > 0);
        script().view().setFocus();
        script().view().setCaret(0);
        test::typeInto(script().view(), "# mine\n");
        QTRY_VERIFY_WITH_TIMEOUT(script().isSettled(), patience);
        QFile file(model()->setup().scripts().front());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith("# mine\n"));
        QVERIFY(settled());
        QCOMPARE(script().view().bytes(), "# mine\n" + ours);
        QTest::mouseClick(&button("Put back"), Qt::LeftButton);
        QVERIFY(model()->setup().scripts().isEmpty());
        QVERIFY(settled());
        QTRY_COMPARE(script().title(), "product_simt.py, read only");
        QCOMPARE(script().view().bytes(), ours);
        QVERIFY(does("template.edit"));
        QCOMPARE(script().view().bytes(), "# mine\n" + ours);
        QVERIFY(!m_notices.isEmpty());
        QCOMPARE(m_notices.last().id, "template-copy");
        m_notices.last().offers.front().act();
        QCOMPARE(script().view().bytes(), ours);
        script().view().setFocus();
        QVERIFY(does("edit.undo"));
        QVERIFY(script().view().bytes().startsWith("# mine\n"));
    }

    void whatACopyChangesIsMeasuredByRunsBeforeAndAfter() {
        QVERIFY(open());
        select("dense1");
        QVERIFY(does("template.show"));
        QVERIFY(settled());
        model()->results().setBench(benched(3e-6), model()->setup().revision());
        QVERIFY(does("template.edit"));
        QVERIFY(settled());
        QVERIFY2(script().effect().contains("not measured"), qPrintable(script().effect()));
        model()->results().setBench(benched(2e-6), model()->setup().revision());
        const QString micro = QChar(0x00b5) + QString("s");
        QVERIFY2(
            script().effect().contains("measured 3.00 " + micro + " before, 2.00 " + micro + " now on NVIDIA H200"),
            qPrintable(script().effect()));
    }

    void aMistakeInACopyIsSaidAtItsLineAndTheModelStaysAsItWas() {
        QVERIFY(open());
        select("dense1");
        QVERIFY(does("template.edit") || does("template.show"));
        if (!script().isEdited()) {
            QVERIFY(settled());
            QVERIFY(does("template.edit"));
        }
        QVERIFY(settled());
        const QByteArray kernel = codeText();
        script().view().setFocus();
        script().view().setCaret(0);
        test::typeInto(script().view(), "if if\n");
        QTRY_VERIFY_WITH_TIMEOUT(script().notice().startsWith("Line 1:"), patience);
        QCOMPARE(codeText(), kernel);
        QVERIFY(script().isEdited());
        QVERIFY(script().view().bytes().startsWith("if if\n"));
    }

    void aCopyComesBackWithTheSession() {
        const QTemporaryDir folder;
        const QString state = folder.path();
        {
            SessionKeeper keeper(m_studio->window(), state, {});
            keeper.start();
            QVERIFY(open());
            select("dense1");
            QVERIFY(does("template.show"));
            QVERIFY(settled());
            QVERIFY(does("template.edit"));
            script().view().setCaret(0);
            script().view().setFocus();
            test::typeInto(script().view(), "# kept\n");
            script().flush();
            keeper.end();
        }
        auto before = std::move(m_studio); // both have the folder of copies, which is the program's
        start();
        SessionKeeper keeper(m_studio->window(), state, {});
        keeper.start();
        QVERIFY(model());
        model()->setup().setDimensions({{"batch", 2}});
        QCOMPARE(model()->setup().scripts().size(), 1);
        tuning().setRecords(m_studio->folder() + "/tuning.db");
        QVERIFY(does("dock.tuning"));
        QVERIFY(settled());
        select("dense1");
        QVERIFY(does("template.show"));
        QTRY_VERIFY(script().isEdited());
        QVERIFY(script().view().bytes().startsWith("# kept\n"));
        before.reset();
    }
};

HIDET_UI_TEST_MAIN(GraphTune)
#include "tune_test.moc"
