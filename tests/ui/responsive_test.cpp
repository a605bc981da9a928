// SPDX-License-Identifier: GPL-3.0-only
// The window answers while the session works. The bound is far above what an event takes on a quiet machine, so that a
// loaded one does not fail it; bench_studio measures.
#include <optional>
#include <utility>

#include <QLabel>
#include <QSignalSpy>

#include "app/ui/core/in_turns.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/widgets/elided_label.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::marked;
using hidet::ui::test::StudioFixture;

namespace {

// Counts how often a widget is painted.
class Paints : public QObject {
public:
    explicit Paints(QWidget& widget) { widget.installEventFilter(this); }
    int taken() {
        QCoreApplication::processEvents();
        return std::exchange(m_count, 0);
    }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        m_count += event->type() == QEvent::Paint;
        return false;
    }

private:
    int m_count = 0;
};

// Counts the events of a kind that come to an object.
class Events : public QObject {
public:
    Events(QObject& of, QEvent::Type type) : m_type(type) { of.installEventFilter(this); }
    int count() const { return m_count; }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        m_count += event->type() == m_type;
        return false;
    }

private:
    QEvent::Type m_type;
    int m_count = 0;
};

// Each line is linked.
std::vector<LinkedRange> linksOf(const CodeView& view) {
    std::vector<LinkedRange> out;
    for (int line = 0; line + 1 < view.lines(); ++line)
        out.push_back({view.rangeOfLine(line), line % 2});
    return out;
}

bool isFilled(const CodeView& view, int line) {
    return view.SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, static_cast<unsigned long>(CodeView::LinkFill),
                              static_cast<long>(view.rangeOfLine(line).begin)) != 0;
}

CodeView& irOf(StudioFixture& studio) {
    if (!studio.openSample("naive_matmul") || !studio.settle() || studio.window().stages().stagePanes().isEmpty())
        qFatal("there is no pane");
    return studio.window().stages().stagePanes().front()->view();
}

} // namespace

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
        QSignalSpy analysed(studio.studio().scripts.live(), &LivePipeline::analysed);
        for (int i = 0; i < 10; ++i) {
            studio.editor().setCaret(studio.editor().byteCount());
            studio.type("\n# x");
            QVERIFY(analysed.wait(10'000));
        }
        QVERIFY(studio.settle());
        const auto& latest = *studio.studio().scripts.live()->latest();
        if (latest.modules.at(0).progress(hidet::session::Form::Ptx).state == hidet::session::Progress::Missing)
            QSKIP("this machine has no NVRTC");
        QVERIFY(latest.latency.of(hidet::session::Form::Ptx).has_value());
        const double compiled = *latest.latency.of(hidet::session::Form::Ptx);
        QVERIFY2(app->slowest().ms < std::max(250.0, compiled), qPrintable(app->slowest().what));
    }

    void linksThatStayAreNotPaintedAgain() {
        StudioFixture studio;
        CodeView& view = irOf(studio);
        const std::vector<LinkedRange> links{{{0, 5}, 0}, {{9, 30}, 1}, {{40, 41}, 2}};
        view.setLinks(links);
        Paints paints(*view.viewport());
        paints.taken();
        view.setLinks(links);
        QCOMPARE(paints.taken(), 0);
        view.setLinks({links[0], links[2]});
        QVERIFY(paints.taken() > 0);
        QCOMPARE(marked(view, CodeView::LinkFill), view.bytes({0, 5}) + '\n' + view.bytes({40, 41}) + '\n');
    }

    // Of a long text; the others are there before they are painted, wherever keys lead, also after the text has changed.
    void linksAreFilledWhereTheyAreSeen() {
        StudioFixture studio;
        studio.openText(QByteArray("x = 1\n").repeated(2'000));
        QVERIFY(studio.settle());
        CodeView& view = studio.editor();
        view.setLinks(linksOf(view));
        QCoreApplication::processEvents();
        QVERIFY(isFilled(view, view.firstLine()));
        QVERIFY(!isFilled(view, 1'900));
        studio.type("# typed here\n");
        QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
        view.viewport()->grab();
        QVERIFY(view.firstLine() > 1'500);
        QCOMPARE(marked(view, CodeView::LinkFill).right(6), QByteArray("x = 1\n"));
        QVERIFY(isFilled(view, 1'990));
        QTest::keyClick(&view, Qt::Key_PageUp);
        QTest::keyClick(&view, Qt::Key_PageUp);
        view.viewport()->grab();
        QVERIFY(isFilled(view, view.firstLine()));
    }

    void whatIsStaleIsPaintedPalerAndNotMeasuredAgain() {
        StudioFixture studio;
        CodeView& view = irOf(studio);
        const auto colorOf = [&](int style) {
            return view.SendScintilla(QsciScintilla::SCI_STYLEGETFORE, static_cast<unsigned long>(style));
        };
        const long before = colorOf(0);
        const QImage fresh = view.viewport()->grab().toImage();
        view.setStale(true);
        QCOMPARE(colorOf(0), before);
        QVERIFY(view.viewport()->grab().toImage() != fresh);
        view.setStale(false);
        QCOMPARE(view.viewport()->grab().toImage(), fresh);
    }

    // Each listener in an event of its own, the texts that are seen first, and once for all news that came meanwhile.
    void newsAreToldInTurns() {
        StudioFixture studio;
        StaggeredUpdates& turns = studio.studio().scripts.turns();
        QLabel hidden, beside, text;
        beside.show();
        text.show();
        Events timers(turns, QEvent::Timer);
        QList<std::pair<QObject*, int>> told;
        const auto note = [&](QObject* who) { told << std::pair(who, timers.count()); };
        studio.studio().scripts.follow({&LiveScripts::explanationChanged, &LiveScripts::analysed}, &hidden, note);
        studio.studio().scripts.follow({&LiveScripts::explanationChanged, &LiveScripts::analysed}, &beside, note);
        studio.studio().scripts.follow({&LiveScripts::analysed}, &text, note, StaggeredUpdates::Rank::Text);
        emit studio.studio().scripts.explanationChanged();
        emit studio.studio().scripts.analysed();
        QVERIFY(told.isEmpty());
        QVERIFY(turns.isDue(&text) && !turns.isIdle());
        QTRY_VERIFY(turns.isIdle());
        QCOMPARE(told.size(), 3);
        QCOMPARE(told[0].first, &text);
        QCOMPARE(told[1].first, &beside);
        QCOMPARE(told[2].first, &hidden);
        QVERIFY(told[0].second < told[1].second && told[1].second < told[2].second);
    }

    // Keys change what headers and the status line say, not how large they are.
    void labelsThatGiveWayAskForNoLayout() {
        StudioFixture studio;
        irOf(studio);
        studio.settle();
        QTRY_VERIFY(
            studio.studio().scripts.live()->explanationIsCurrent()); // the analysis counts what it finds in its tab
        QTRY_VERIFY(studio.studio().scripts.turns().isIdle());
        const Events late(studio.window(), QEvent::LayoutRequest);
        int before = -1;
        QTRY_VERIFY(std::exchange(before, late.count()) == late.count()); // none from one look to the next
        Events layouts(studio.window(), QEvent::LayoutRequest);
        auto* state = studio.window().findChild<QLabel*>("pane.state");
        auto* latency = studio.window().findChild<QLabel*>("latency");
        QVERIFY(state && latency);
        for (QLabel* label : {state, latency}) {
            static_cast<ElidedLabel*>(label)->setText("something else, and longer than before");
            QVERIFY(!label->isHidden());
        }
        QCoreApplication::processEvents();
        QCOMPARE(layouts.count(), 0);
    }

    // The view paints them, so that Scintilla has no pattern to fill the margin with.
    void foldsHaveSigns() {
        StudioFixture studio;
        CodeView& view = irOf(studio);
        const int x = view.marginWidth(CodeView::NumberMargin) + view.marginWidth(CodeView::SymbolMargin) +
                      view.marginWidth(CodeView::FoldMargin) / 2;
        const auto height = static_cast<int>(view.SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0UL));
        const auto levelOf = [&](int line) {
            return view.SendScintilla(QsciScintilla::SCI_GETFOLDLEVEL, static_cast<unsigned long>(line));
        };
        const QImage image = view.viewport()->grab().toImage();
        const Theme& theme = view.themes().theme();
        int signs = 0;
        for (int line = view.firstLine(); line + 1 < view.lines(); ++line) {
            const int y = view.topOfLine(line) + height / 2;
            if (y >= image.height())
                break;
            const bool begins = levelOf(line) & QsciScintilla::SC_FOLDLEVELHEADERFLAG;
            signs += begins;
            QCOMPARE(image.pixelColor(x, y).name(), (begins ? theme.muted : theme.panel).name());
        }
        QVERIFY(signs > 2);
    }

    // In any order: a thread that has stepped back cannot return.
    void onlyWhatTheWindowShowsStepsBack() {
        if (hidet::has_stepped_back())
            QSKIP("all that runs here has stepped back");
        LatestTask shown, wanted(LatestTask::Wanted::ByPerson);
        for (int i = 0; i < 20; ++i)
            for (LatestTask* task : {&shown, &wanted}) {
                std::optional<bool> stepped;
                task->run([](const std::atomic<bool>&) { return hidet::has_stepped_back(); },
                          [&](bool has) { stepped = has; });
                QTRY_VERIFY(stepped.has_value());
                QCOMPARE(*stepped, task == &shown);
            }
    }
};

HIDET_UI_TEST_MAIN(Responsive)
#include "responsive_test.moc"
