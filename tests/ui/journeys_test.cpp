// SPDX-License-Identifier: GPL-3.0-only
// What a user does from start to end, in the real window: every step is a command of the registry or typing.
#include <QClipboard>
#include <QLineEdit>
#include <QTreeWidget>

#include "app/ui/editor/editor_pane.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::marked;
using hidet::ui::test::StudioFixture;

namespace {

QByteArray lineOfCaret(const CodeView& view) {
    return view.bytes(view.rangeOfLine(view.lineOf(view.caret()))).trimmed();
}

} // namespace

class Journeys : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    bool does(const QString& command) { return m_studio->trigger(command); }
    bool opened(const QString& sample) {
        m_studio = std::make_unique<StudioFixture>();
        return does("file.sample." + sample) && m_studio->settle();
    }
    ScriptEditor& editor() { return m_studio->editor(); }
    StageArea& area() { return m_studio->window().stages(); }
    StagePane& pane() { return *area().currentStage(); }
    CodeView& viewOf(const StageName& stage) { return area().find(stage)->view(); }
    // Retypes a part of the script and waits until all has followed.
    bool edited(const QString& text, const QString& now) { return m_studio->retype(text, now) && m_studio->settle(); }

private slots:
    void cleanup() { m_studio.reset(); }

    void aNewcomerOpensASampleAndSeesWhatBecomesOfIt() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(does("help.welcome"));
        QVERIFY(does("file.sample.naive_matmul"));
        QVERIFY(m_studio->settle());
        QVERIFY(m_studio->window().pages().page().isEmpty());
        QVERIFY(m_studio->window().windowTitle().startsWith("naive_matmul.py"));
        QVERIFY(editor().hasFocus());
        QCOMPARE(editor().caret(), 0);
        QVERIFY(editor().isVisible({0, 0}));
        QVERIFY(viewOf("ir"_stage).bytes().contains("def"));
        QVERIFY(viewOf("cuda"_stage).bytes().contains("__global__"));
        QVERIFY(viewOf("cuda"_stage).isVisible({0, 0}));
    }

    void anEditIsSeenInEveryStageAndCanBeTakenBack() {
        QVERIFY(opened("naive_matmul"));
        const QByteArray script = editor().bytes(), ir = viewOf("ir"_stage).bytes(),
                         cuda = viewOf("cuda"_stage).bytes();
        QVERIFY(edited("f32(0.0)", "f32(2.5)"));
        QVERIFY(viewOf("ir"_stage).bytes() != ir);
        QVERIFY(viewOf("ir"_stage).bytes().contains("2.5"));
        QVERIFY(viewOf("cuda"_stage).bytes().contains("2.5f"));
        while (editor().isUndoAvailable())
            QVERIFY(does("edit.undo"));
        QVERIFY(m_studio->settle());
        QCOMPARE(editor().bytes(), script);
        QCOMPARE(viewOf("ir"_stage).bytes(), ir);
        QCOMPARE(viewOf("cuda"_stage).bytes(), cuda);
    }

    void aFileOfIrIsShownAsWhatItBecomes() {
        QVERIFY(opened("naive_matmul"));
        QFile file(m_studio->folder() + "/matmul.ir");
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(m_studio->textOf("ir:script"_stage));
        file.close();
        QVERIFY(m_studio->studio().tabs.openFile(file.fileName()));
        QVERIFY(m_studio->settle());
        QVERIFY(m_studio->textOf("cuda"_stage).contains("__global__"));
    }

    void aBrokenScriptKeepsItsLastGoodStagesAndSaysWhy() {
        QVERIFY(opened("naive_matmul"));
        QVERIFY(does("pane.stage.cuda"));
        const QByteArray good = pane().view().bytes();
        QVERIFY(edited("for p in range", "for p = range"));
        QCOMPARE(pane().view().bytes(), good);
        QCOMPARE(pane().shown().state, hidet::session::Freshness::Stale);
        QVERIFY(pane().view().isStale());
        QVERIFY(pane().notice().contains("does not parse"));
        QVERIFY(does("go.next_problem"));
        QVERIFY(lineOfCaret(editor()).startsWith("for p = range"));
        QVERIFY(edited("for p = range", "for p in range"));
        QCOMPARE(pane().shown().state, hidet::session::Freshness::Fresh);
        QVERIFY(!pane().view().isStale());
        QVERIFY(pane().notice().isEmpty());
    }

    void aMistakeIsFoundByKeyAndMendedByItsFix() {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->studio().settings.set(Setting::CompleteWhileTyping, false);
        QVERIFY(does("file.new"));
        m_studio->type("a = 1\nif a = 1:\nprint(a)\n");
        QVERIFY(m_studio->settle());
        QCOMPARE(editor().bytes(), QByteArray("a = 1\nif a = 1:\n    print(a)\n    "));
        QVERIFY(does("go.next_problem"));
        QCOMPARE(lineOfCaret(editor()), QByteArray("if a = 1:"));
        QVERIFY(does("edit.fix"));
        m_studio->press(Qt::Key_Return);
        QCOMPARE(lineOfCaret(editor()), QByteArray("if a == 1:"));
        QVERIFY(m_studio->settle());
        QVERIFY(editor().problems().empty());
    }

    void passesAreSteppedThroughAndOneIsSeenAsADifference() {
        QVERIFY(opened("tensor_core_matmul"));
        QVERIFY(does("view.mode_lower"));
        QVERIFY(does("pane.stage.script"));
        QVERIFY(m_studio->settle());
        QStringList titles;
        QByteArray before = pane().view().bytes();
        for (int i = 0; i < 4; ++i) {
            QVERIFY(does("passes.next_changed"));
            QVERIFY(pane().view().bytes() != before);
            before = pane().view().bytes();
            QVERIFY2(!titles.contains(pane().title()), qPrintable(pane().title()));
            titles << pane().title();
        }
        QVERIFY(does("passes.diff"));
        auto* changes = qobject_cast<DiffPane*>(area().current());
        QVERIFY(changes);
        QTRY_VERIFY(changes->isSettled() && !changes->shown().changes.empty());
        QCOMPARE(changes->rightTitle(), titles.last());
        for (int i = 0; i < 2; ++i) { // in one column and in two
            const bool was = changes->isInline();
            QVERIFY(does("pane.inline"));
            QTRY_VERIFY(changes->isInline() != was && changes->isSettled());
            QVERIFY(does("pane.next_change"));
        }
        QVERIFY(does("passes.previous_changed"));
        QTRY_COMPARE(changes->rightTitle(), titles[2]);
    }

    void whatAnEditChangedIsComparedWithABaseline() {
        QVERIFY(opened("naive_matmul"));
        QVERIFY(!does("pane.compare_baseline"));
        QVERIFY(does("pane.pin_baseline"));
        QVERIFY(edited("f32(0.0)", "f32(5.0)"));
        QVERIFY(does("pane.stage.cuda"));
        QVERIFY(does("pane.compare_baseline"));
        auto* changes = qobject_cast<DiffPane*>(area().current());
        QVERIFY(changes);
        QTRY_VERIFY(changes->isSettled());
        QTRY_COMPARE(changes->shown().changes.size(), std::size_t(1));
        QVERIFY(changes->wholeText().contains("5.0f"));
    }

    void aLineIsFollowedFromTheScriptThroughItsStagesAndBack() {
        QVERIFY(opened("naive_matmul"));
        QVERIFY(m_studio->find("total +="));
        CodeView &ir = viewOf("ir"_stage), &cuda = viewOf("cuda"_stage);
        QTRY_VERIFY(marked(cuda, CodeView::LinkOutline).contains("total"));
        QVERIFY(does("pane.follow_link"));
        QVERIFY(ir.hasFocus());
        QVERIFY(lineOfCaret(ir).startsWith("total = total"));
        QVERIFY(does("pane.pin_link"));
        QVERIFY(does("pane.follow_link"));
        QVERIFY(cuda.hasFocus());
        QCOMPARE(lineOfCaret(cuda), QByteArray("total += a[i * 80 + p] * b[p * 120 + j];"));
        QVERIFY(does("pane.follow_link"));
        QVERIFY(editor().hasFocus());
        QVERIFY(lineOfCaret(editor()).startsWith("total += a[i, p]"));
        QVERIFY(does("go.line"));
        m_studio->typeHere("1\n");
        QVERIFY(marked(cuda, CodeView::LinkOutline).contains("total")); // it is pinned
        QVERIFY(does("pane.pin_link"));
        QTRY_VERIFY(!marked(cuda, CodeView::LinkOutline).contains("total"));
    }

    void thePassThatMadeALineIsNamed() {
        QVERIFY(opened("tensor_core_matmul"));
        QVERIFY(does("pane.stage.ir"));
        QVERIFY(does("passes.blame"));
        QStringList passes;
        for (int line = 0; line < pane().view().lines(); ++line)
            passes << pane().blame().passOf(line);
        const int line = static_cast<int>(passes.indexOf("expand-task-mapping"));
        QVERIFY(line > 0);
        pane().view().setFocus();
        pane().view().setCaret(pane().view().rangeOfLine(line).begin);
        QVERIFY(does("pane.explain"));
        auto* card = m_studio->window().findChild<HelpCard*>("pane.help");
        QVERIFY(card->isVisible());
        QVERIFY(card->text().contains("expand-task-mapping"));
    }

    void aNameIsSearchedAcrossAllStages() {
        QVERIFY(opened("naive_matmul"));
        QVERIFY(does("dock.search"));
        m_studio->typeHere("__global__");
        auto* results = m_studio->window().findChild<QTreeWidget*>("search.results");
        QTRY_COMPARE(results->topLevelItemCount(), 1);
        QVERIFY(results->topLevelItem(0)->text(0).startsWith("CUDA"));
        m_studio->press(Qt::Key_Return);
        CodeView& cuda = viewOf("cuda"_stage);
        QTRY_COMPARE(cuda.bytes(cuda.selection()), QByteArray("__global__"));
    }

    void aPinnedPaneKeepsItsTextBesideTheOneThatFollows() {
        QVERIFY(opened("naive_matmul"));
        QVERIFY(does("pane.stage.cuda"));
        QVERIFY(does("pane.pin"));
        StagePane& pinned = pane();
        const QByteArray before = pinned.view().bytes();
        QVERIFY(does("pane.split"));
        QVERIFY(does("pane.stage.cuda"));
        QVERIFY(edited("f32(0.0)", "f32(7.0)"));
        QCOMPARE(pinned.view().bytes(), before);
        QVERIFY(pane().view().bytes().contains("7.0f"));
        for (qsizetype i = 0; i <= area().panes().size() + 3 && area().currentStage() != &pinned; ++i)
            QVERIFY(does("pane.previous")); // past the docks
        QCOMPARE(area().currentStage(), &pinned);
        QVERIFY(does("pane.pin"));
        QCOMPARE(pinned.view().bytes(), pane().view().bytes());
        QVERIFY(pinned.view().bytes().contains("7.0f"));
    }

    void aNameIsRenamedWhereverItMeansTheSame() {
        QVERIFY(opened("naive_matmul"));
        const qsizetype uses = editor().bytes().count("total");
        QVERIFY(m_studio->find("total += a"));
        QTRY_VERIFY(editor().live().valuesAreCurrent());
        QVERIFY(m_studio->find("total += a"));
        editor().setCaret(editor().selection().begin + 1);
        QVERIFY(does("go.definition"));
        QVERIFY(lineOfCaret(editor()).startsWith("total = "));
        QVERIFY(does("go.back"));
        QVERIFY(lineOfCaret(editor()).startsWith("total += a"));
        QVERIFY(does("edit.rename"));
        m_studio->press(Qt::Key_A, Qt::ControlModifier);
        m_studio->typeHere("accumulated\n");
        QTRY_COMPARE(editor().bytes().count("accumulated"), uses); // once all files of the folder were read
        QVERIFY(m_studio->settle());
        QVERIFY(viewOf("cuda"_stage).bytes().contains("accumulated +="));
    }

    void everyHitIsReplacedInOneStep() {
        QVERIFY(opened("naive_matmul"));
        const QByteArray before = editor().bytes();
        QVERIFY(does("edit.replace"));
        FindBar& bar = *FindBar::of(editor());
        m_studio->typeHere("threadIdx");
        QVERIFY(QTest::qWaitFor([&] { return !bar.isSearching() && bar.hits().size() > 1; }));
        const std::size_t hits = bar.hits().size();
        QVERIFY(does("edit.find_next"));
        QVERIFY(does("edit.find_previous"));
        bar.findChild<QLineEdit*>("replaceText")->setFocus();
        m_studio->typeHere("blockIdx");
        bar.replaceAll();
        QVERIFY(QTest::qWaitFor([&] { return !bar.isSearching(); }));
        QVERIFY(!editor().bytes().contains("threadIdx"));
        QVERIFY(hits > 1);
        QVERIFY(does("pane.editor"));
        QVERIFY(does("edit.undo"));
        QCOMPARE(editor().bytes(), before);
    }

    void thePaletteDoesWhatHasNoKeyAndFindsAPass() {
        QVERIFY(opened("naive_matmul"));
        QVERIFY(does("view.palette"));
        m_studio->typeHere("lower mode\n");
        QCOMPARE(m_studio->window().mode(), Mode::Lower);
        QVERIFY(does("go.quick_open"));
        m_studio->typeHere("#flatten\n");
        QTRY_VERIFY(pane().title().contains("flatten"));
        QVERIFY(does("go.quick_open"));
        m_studio->typeHere("@matmul");
        QTRY_VERIFY(!m_studio->window().palette().shown().empty());
        m_studio->press(Qt::Key_Return);
        QVERIFY(lineOfCaret(editor()).contains("matmul"));
    }

    void aStageLeavesTheProgramAsTextAsPictureAndByTheClipboard() {
        QVERIFY(opened("naive_matmul"));
        QVERIFY(does("pane.stage.cuda"));
        const QString text = m_studio->folder() + "/kernel.cu", png = m_studio->folder() + "/pane.png",
                      svg = m_studio->folder() + "/pane.svg";
        m_studio->answerDialogs({text, png, svg});
        QVERIFY(does("pane.save_text"));
        QVERIFY(does("pane.picture"));
        QVERIFY(does("pane.picture"));
        QVERIFY(does("pane.copy_all"));
        QFile file(text), drawing(svg);
        QVERIFY(file.open(QIODevice::ReadOnly) && drawing.open(QIODevice::ReadOnly));
        const QByteArray saved = file.readAll();
        QVERIFY(saved.startsWith("// made by: ") && saved.endsWith(pane().view().bytes()));
        QCOMPARE(QGuiApplication::clipboard()->text().toUtf8(), pane().view().bytes());
        QCOMPARE(QImage(png).width(), pane().width() * 2);
        QVERIFY(drawing.readAll().contains("<svg"));
    }

    void panesAreSplitAndClosedAndAModeKeepsThem() {
        QVERIFY(opened("softmax"));
        const qsizetype before = area().panes().size();
        QVERIFY(does("pane.split"));
        QVERIFY(does("pane.split_down"));
        QVERIFY(does("pane.new"));
        QCOMPARE(area().panes().size(), before + 3);
        QVERIFY(does("view.mode_lower"));
        QVERIFY(does("view.mode_edit"));
        QCOMPARE(area().panes().size(), before + 3);
        for (int i = 0; i < 3; ++i)
            QVERIFY(does("pane.close"));
        QCOMPARE(area().panes().size(), before);
        QVERIFY(does("pane.split"));
        QVERIFY(does("view.reset_layout"));
        QCOMPARE(area().panes().size(), before);
    }

    void eachScriptHasItsOwnStages() {
        QVERIFY(opened("softmax"));
        QVERIFY(does("pane.stage.cuda"));
        const QByteArray softmax = pane().view().bytes();
        QVERIFY(does("file.sample.naive_matmul"));
        QVERIFY(m_studio->settle());
        QVERIFY(pane().view().bytes() != softmax);
        QVERIFY(does("view.previous_script"));
        QVERIFY(m_studio->settle());
        QCOMPARE(pane().view().bytes(), softmax);
        QVERIFY(does("view.next_script"));
        QVERIFY(does("file.close"));
        QCOMPARE(m_studio->studio().tabs.documents().size(), 1);
        QCOMPARE(m_studio->studio().tabs.current()->title(), QString("softmax.py"));
    }
};

HIDET_UI_TEST_MAIN(Journeys)
#include "journeys_test.moc"
