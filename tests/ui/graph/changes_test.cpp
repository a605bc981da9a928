// SPDX-License-Identifier: GPL-3.0-only
// What passes have made of the operators, on groups that are closed and on groups that are open.
#include "app/ui/graph/canvas/graph_tips.h"
#include "app/ui/graph/graph_area.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::session::ChangeCounts;
using hidet::ui::test::StudioFixture;

class GraphChangesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    LiveModel& model() { return *m_studio->studio().tabs.model(); }
    GraphCanvas& canvas() { return m_studio->window().findChild<GraphArea*>()->current()->canvas(); }
    const GraphStyle& style() { return canvas().looks().style(); }
    const GraphPicture& picture() { return *canvas().picture(); }
    bool settles() {
        return QTest::qWaitFor(
            [this] {
                return !model().graphs().isBusy() && canvas().picture() && !canvas().isMaking() &&
                       canvas().picture()->graph.get() == model().graphs().shown() && style().changes &&
                       style().changes->graph.get() == model().graphs().shown() &&
                       style().boxes.size() == picture().nodes.size() &&
                       style().groupSigns.size() == picture().boxes->groups.size();
            },
            60'000);
    }
    ChangeCounts countsOf(quint32 group) { return style().changes->folded.groups[group]; }
    // Of boxes and of what is in no group, read off the picture.
    ChangeCounts shownCounts() {
        ChangeCounts out;
        for (std::size_t i = 0; i < picture().nodes.size(); ++i) {
            const PictureBox& box = picture().nodes[i];
            if (box.role == BoxRole::Closed)
                out += countsOf(box.id);
            else if (box.role == BoxRole::Operator)
                out.count(style().changes->changes.state_of(box.id));
        }
        return out;
    }

private slots:
    void init() {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->studio().settings.set(Setting::Target, "cpu");
        m_studio->studio().tabs.openModel(QStringLiteral(HIDET_SAMPLES "/models/encoder.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(model().graphs().snapshot() && model().graphs().snapshot()->is_complete, 60'000);
        QVERIFY(m_studio->trigger("graph.overlay.since-import"));
        QVERIFY(settles());
    }
    void cleanup() { m_studio.reset(); }

    void closedGroupsSayHowMuchOfThemIsAnother() {
        int told = 0;
        for (std::size_t i = 0; i < picture().nodes.size(); ++i) {
            const PictureBox& box = picture().nodes[i];
            if (box.role != BoxRole::Closed)
                continue;
            QCOMPARE(style().boxes[i].text, textOf(countsOf(box.id)));
            told += countsOf(box.id).any();
            if (countsOf(box.id).any())
                QVERIFY(style().boxes[i].change != hidet::session::PairState::Same);
        }
        QVERIFY(told > 0);
        const ChangeCounts total = style().changes->changes.total;
        QVERIFY(total.gone > 0 && total.added > 0);
        QCOMPARE(countsOf(0), total);
    }

    void openingShowsWhichWithoutChangingTheSum() {
        const ChangeCounts before = countsOf(0), closed = shownCounts();
        QVERIFY(m_studio->trigger("graph.open_all"));
        QVERIFY(settles());
        const ChangeCounts open = shownCounts();
        QCOMPARE(open.added, closed.added);
        QCOMPARE(open.changed, closed.changed);
        QCOMPARE(open.added, before.added);
        // What is gone stands in no box, but in the headers of groups.
        QVERIFY(open.gone == 0);
        int headers = 0;
        for (const PictureGroup& group : picture().groups)
            headers += !style().groupSigns[group.place].isEmpty();
        QVERIFY(headers > 0);
    }

    void whatIsGoneIsNamed() {
        for (quint32 i = 0; i < picture().nodes.size(); ++i) {
            const PictureBox& box = picture().nodes[i];
            if (box.role != BoxRole::Closed || countsOf(box.id).gone == 0)
                continue;
            const QString tip = tipOf(picture(), {PictureHit::What::Box, i}, &style());
            QVERIFY2(tip.contains("gone: "), qPrintable(tip));
            QVERIFY2(tip.contains("operators: "), qPrintable(tip));
            return;
        }
        QFAIL("no group has lost an operator");
    }

    void theSumIsTheSameByModulesAndByKernels() {
        const ChangeCounts total = countsOf(0);
        QVERIFY(m_studio->trigger("graph.kernels"));
        QTRY_VERIFY_WITH_TIMEOUT(settles() && model().display().grouping().by_kernel, 20'000);
        QCOMPARE(countsOf(0), total);
        QVERIFY(m_studio->trigger("graph.scopes"));
        QVERIFY(settles());
        QCOMPARE(countsOf(0), total);
    }

    void theImportHasNoChanges() {
        model().graphs().setShown(0);
        QTRY_VERIFY_WITH_TIMEOUT(!style().changes, 20'000);
        QTRY_VERIFY(!canvas().looks().overlay().unavailable.empty());
    }
};

HIDET_UI_TEST_MAIN(GraphChangesTest)
#include "changes_test.moc"
