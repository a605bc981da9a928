// SPDX-License-Identifier: GPL-3.0-only
// The window answers while the session works. The bound is far above what an event takes on a quiet machine, so that a
// loaded one does not fail it; bench_studio measures.
#include <QSignalSpy>

#include "tests/ui/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class Responsive : public QObject {
    Q_OBJECT
private slots:
    // An event that did the work of a stage would take as long as the compiler does: seconds under load.
    void noEventWaitsForACompilation() {
        StudioFixture studio;
        QVERIFY(studio.trigger("view.mode_lower"));
        QVERIFY(studio.trigger("dock.accesses")); // what accesses cost is looked at beside the window
        QVERIFY(studio.openSample("tensor_core_matmul"));
        QVERIFY(studio.settle());
        auto* app = static_cast<Application*>(qApp);
        app->resetSlowest();
        QSignalSpy analysed(studio.studio().live(), &LivePipeline::analysed);
        for (int i = 0; i < 10; ++i) {
            studio.editor().setCaret(studio.editor().byteCount());
            studio.type("\n# x");
            QVERIFY(analysed.wait(10'000));
        }
        QVERIFY(studio.settle());
        const auto& latest = *studio.studio().live()->latest();
        if (latest.modules.at(0).progress(hidet::session::Form::Ptx).state == hidet::session::Progress::Missing)
            QSKIP("this machine has no NVRTC");
        QVERIFY(latest.latency.of(hidet::session::Form::Ptx).has_value());
        const double compiled = *latest.latency.of(hidet::session::Form::Ptx);
        QVERIFY2(app->slowest().ms < std::max(250.0, compiled), qPrintable(app->slowest().what));
    }
};

HIDET_UI_TEST_MAIN(Responsive)
#include "responsive_test.moc"
