// SPDX-License-Identifier: GPL-3.0-only
// Panes of a script that is not whole: what there is of it is shown.
#include "app/ui/live/live_pipeline.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

QByteArray kernel(const QByteArray& name, const QByteArray& value) {
    return "    @hidet.script\n    def " + name + "(x: f32[64]):\n        attrs.func_kind = 'cuda_kernel'\n" +
           "        attrs.cuda.grid_dim = 1\n        attrs.cuda.block_dim = 64\n        x[threadIdx.x] = " + value +
           "\n\n";
}

// A module that nothing builds.
QByteArray script(const QByteArray& kernels) {
    return "import hidet\nfrom hidet.lang import attrs, f32\nfrom hidet.lang.cuda import threadIdx\n\n"
           "with hidet.script_module() as script_module:\n\n" +
           kernels;
}

} // namespace

class Partial : public QObject {
    Q_OBJECT
private slots:
    void whatIsDefinedIsShownBeforeItIsBuilt() {
        StudioFixture studio;
        studio.openText(script(kernel("scale", "2.0")));
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda"_stage).contains("scale"));
        const auto diagnostics = [&] { return studio.studio().scripts.live()->latest()->diagnostics; };
        QVERIFY(diagnostics().empty());
        // A second kernel: both are shown, and the function that is missing is offered.
        studio.editor().replaceAll(script(kernel("scale", "2.0") + kernel("shift", "3.0")));
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda"_stage).contains("scale"));
        QVERIFY(studio.textOf("cuda"_stage).contains("shift"));
        QCOMPARE(diagnostics().size(), std::size_t(1));
        QVERIFY(diagnostics().front().severity == hidet::Severity::Warning);
        QCOMPARE(diagnostics().front().fixes.size(), std::size_t(1));
    }

    void whatIsFineIsShownBesideAMistake() {
        const QByteArray whole = script(kernel("scale", "2.0") + kernel("shift", "3.0"));
        const QByteArray broken = script(kernel("scale", "2.0") + kernel("shift", "missing"));
        StudioFixture studio;
        studio.openText(broken);
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda"_stage).contains("scale"));
        QVERIFY(!studio.textOf("cuda"_stage).contains("shift"));
        // What was whole stays while it is being changed.
        studio.editor().replaceAll(whole);
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda"_stage).contains("shift"));
        studio.editor().replaceAll(broken);
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda"_stage).contains("scale"));
        QVERIFY(studio.textOf("cuda"_stage).contains("shift"));
    }
};

HIDET_UI_TEST_MAIN(Partial)
#include "partial_test.moc"
