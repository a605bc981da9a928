// SPDX-License-Identifier: GPL-3.0-only
// A script that ends its evaluator (tests/fake/evaluator) costs the window a notice, and what was shown stays.
#include "app/session/worker/worker_rehearser.h"
#include "app/ui/core/background.h"
#include "app/ui/panes/stage_pane.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class RehearsalTest : public QObject {
    Q_OBJECT

    session::WorkerRehearser m_rehearser{{{HIDET_FAULTY_HIDETC, "worker"}}};

private slots:
    void initTestCase() { session::set_rehearser(&m_rehearser); }
    void cleanupTestCase() {
        waitForWork();
        session::set_rehearser(nullptr);
    }

    void aScriptThatEndsItsEvaluatorLeavesTheWindow() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        const QByteArray shown = studio.textOf("cuda"_stage);
        QVERIFY(shown.contains("__global__"));
        const StagePane& pane = *studio.window().stages().show("cuda"_stage);
        QCOMPARE(pane.shown().state, session::Freshness::Fresh);
        for (const char* way : {"segv", "abort", "stack"}) {
            const QByteArray text = studio.editor().bytes();
            studio.editor().setCaret(0);
            studio.type(QStringLiteral("# end: %1\n").arg(way));
            QVERIFY(studio.settle());
            const auto& problems = studio.editor().problems();
            QCOMPARE(problems.size(), std::size_t(1));
            QCOMPARE(problems[0].diagnostic.id, std::string("evaluation-ended"));
            QCOMPARE(studio.textOf("cuda"_stage), shown);
            QCOMPARE(pane.shown().state, session::Freshness::Stale);
            QVERIFY(pane.shown().reason.starts_with("line 1: evaluating this script ended its process"));
            studio.editor().replaceAll(text);
            QVERIFY(studio.settle());
            QVERIFY(studio.editor().problems().empty());
            QCOMPARE(pane.shown().state, session::Freshness::Fresh);
        }
    }
};

HIDET_UI_TEST_MAIN(RehearsalTest)
#include "rehearsal_test.moc"
