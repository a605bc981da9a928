// SPDX-License-Identifier: GPL-3.0-only
// What the language service gives to the editor, with real keys and the mouse in the real window.
#include <QApplication>
#include <QSignalSpy>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QTreeWidget>

#include "app/ui/editor/editor_pane.h"
#include "app/ui/editor/item_icons.h"
#include "app/ui/run/run_controller.h"
#include "tests/harness/open_count.h"
#include "tests/ui/fixture/studio_fixture.h"

namespace assist = hidet::session::assist;
using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QByteArray script = "import hidet\n"
                          "from hidet.lang import attrs, f32, shared_tensor\n"
                          "from hidet.lang.cuda import threadIdx\n"
                          "\n"
                          "size = 128\n"
                          "\n"
                          "with hidet.script_module() as script_module:\n"
                          "\n"
                          "    @hidet.script\n"
                          "    def copy(source: f32[size], target: f32[size]):\n"
                          "        attrs.func_kind = 'cuda_kernel'\n"
                          "        attrs.cuda.grid_dim = 1\n"
                          "        attrs.cuda.block_dim = size\n"
                          "        tile = shared_tensor(f32, shape=[size])\n"
                          "        index = threadIdx.x\n"
                          "        tile[index] = source[index]\n"
                          "        target[index] = tile[index]\n"
                          "\n"
                          "module = script_module.build()\n";

} // namespace

class AssistTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    ScriptEditor& edit(const QByteArray& text, bool whileTyping = false) {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->studio().settings.set(Setting::CompleteWhileTyping, whileTyping);
        m_studio->openText(text);
        editor().SendScintilla(QsciScintilla::SCI_EMPTYUNDOBUFFER);
        editor().setFocus();
        read();
        return editor();
    }
    ScriptEditor& editor() { return m_studio->editor(); }
    bool read() {
        return QTest::qWaitFor([&] { return editor().live().valuesAreCurrent(); }, 30'000);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }
    template <class T>
    T* panel(const char* name) {
        T* found = m_studio->window().findChild<T*>(name);
        return found && found->isVisible() ? found : nullptr;
    }
    CompletionPopup* completions() { return panel<CompletionPopup>("completions"); }
    int offsetOf(const QByteArray& text) { return static_cast<int>(editor().bytes().indexOf(text)); }
    // Views hear of a caret when they are painted.
    bool moveCaret(int offset) {
        QSignalSpy moved(&editor(), &CodeView::caretMoved);
        editor().setCaret(offset);
        return QTest::qWaitFor([&] { return moved.count() > 0; });
    }
    // Behind the text, where it stands first.
    void caretBehind(const QByteArray& text) { QVERIFY(moveCaret(offsetOf(text) + static_cast<int>(text.size()))); }
    QPoint pointOf(int offset) { return editor().rectOf({offset, offset + 1}).topLeft() + QPoint(2, 4); }

private slots:
    void whatIsSaidInTheStatusLineStandsAlone() {
        StudioFixture studio;
        const auto& times = in<QWidget>(studio, "latency");
        QVERIFY(times.isVisible());
        studio.window().hide();
        QStatusTipEvent tip("Writes the script to its file"), none("");
        QApplication::sendEvent(&studio.window(), &tip);
        studio.window().show();
        QVERIFY(!times.isVisible());
        QApplication::sendEvent(&studio.window(), &none);
        QVERIFY(times.isVisible());
        QApplication::sendEvent(&studio.window(), &tip);
        QVERIFY(!times.isVisible());
    }

    void theStatusLineForgetsWhatIsMended() {
        StudioFixture studio;
        studio.openText("x = y\n");
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("go.next_problem"));
        QCOMPARE(studio.window().statusBar()->currentMessage(), QString("name 'y' is not defined"));
        QVERIFY(studio.retype("y", "1"));
        QVERIFY(studio.settle());
        QTRY_COMPARE(studio.window().statusBar()->currentMessage(), QString());
    }

    void cleanup() { m_studio.reset(); }

    void completionOpensWhileTypingNarrowsAndIsAccepted() {
        ScriptEditor& editor = edit(script, true);
        caretBehind("index = threadIdx.x");
        key(Qt::Key_Return);
        const QByteArray before = editor.bytes();
        type("ti");
        QTRY_VERIFY(completions());
        QVERIFY(read());
        const int many = completions()->count();
        type("le");
        QVERIFY(completions());
        QVERIFY(completions()->count() <= many);
        QTRY_VERIFY(completions() && completions()->chosen()->label == "tile");
        QVERIFY(editor.hasFocus());
        key(Qt::Key_Tab);
        QVERIFY(!completions());
        QVERIFY(editor.bytes().contains("threadIdx.x\n        tile\n"));
        while (editor.bytes() != before && editor.isUndoAvailable())
            editor.undo();
        QCOMPARE(editor.bytes(), before);
        while (editor.isUndoAvailable())
            editor.undo();
        QCOMPARE(editor.bytes(), script);
    }

    void returnBehindAWholeWordOfTheListIsANewLine() {
        ScriptEditor& editor = edit(script);
        caretBehind("tile = shared_tensor(f32, shape=[size])");
        key(Qt::Key_Return);
        type("threadIdx");
        QVERIFY(read());
        key(Qt::Key_Space, Qt::ControlModifier);
        QTRY_VERIFY(completions());
        key(Qt::Key_Return);
        QVERIFY(!completions());
        QVERIFY2(editor.bytes().contains("        threadIdx\n        \n"), editor.bytes().constData());
    }

    void returnTakesTheRowThatTheUserHasGoneTo() {
        ScriptEditor& editor = edit(script);
        caretBehind("tile = shared_tensor(f32, shape=[size])");
        key(Qt::Key_Return);
        type("source");
        editor.setCaret(editor.caret() - 5);
        QVERIFY(read());
        key(Qt::Key_Space, Qt::ControlModifier);
        QTRY_VERIFY(completions() && completions()->count() > 1);
        key(Qt::Key_Down);
        const QByteArray chosen = QByteArray::fromStdString(completions()->chosen()->insert);
        key(Qt::Key_Return);
        QVERIFY(!completions());
        QVERIFY2(editor.bytes().contains("        " + chosen + "\n"), editor.bytes().constData());
    }

    // As fast as keys can come: nothing is painted between them.
    void aListThatWasLeftTakesNoKeys() {
        ScriptEditor& editor = edit(script);
        caretBehind("tile = shared_tensor(f32, shape=[size])");
        key(Qt::Key_Return);
        type("th");
        QVERIFY(read());
        key(Qt::Key_Space, Qt::ControlModifier);
        QTRY_VERIFY(completions());
        for (int i = 0; i < 3; ++i)
            key(Qt::Key_Backspace);
        key(Qt::Key_Tab);
        QVERIFY2(editor.bytes().contains("shape=[size])\n        \n        index"), editor.bytes().constData());
    }

    // From start to start: another window has another list of what is open, and the same user.
    void whatWasTakenLastComesFirstAfterTheNextStart() {
        const QByteArray names = "value_a = 1\nvalue_b = 2\nvalue_c = 3\n";
        auto first = [&] {
            edit(names, true);
            caretBehind("value_c = 3");
            key(Qt::Key_Return);
            type("val");
            const bool is_there = read() && QTest::qWaitFor([&] { return completions() != nullptr; });
            return is_there ? completions()->chosen()->label : std::string();
        };
        QCOMPARE(first(), std::string("value_c")); // the nearest
        for (int i = 0; i < 3 && completions()->chosen()->label != "value_a"; ++i)
            key(Qt::Key_Down);
        key(Qt::Key_Tab);
        m_studio.reset();
        QCOMPARE(first(), std::string("value_a"));
    }

    void completionIsAskedForMovesAndCloses() {
        ScriptEditor& editor = edit(script);
        caretBehind("index = thr");
        key(Qt::Key_Space, Qt::ControlModifier);
        QTRY_VERIFY(completions());
        const std::string first = completions()->chosen()->label;
        QCOMPARE(first, std::string("threadIdx"));
        const int caret = editor.caret();
        if (completions()->count() > 1) {
            key(Qt::Key_Down);
            QVERIFY(completions()->chosen()->label != first);
            key(Qt::Key_Up);
            QCOMPARE(completions()->chosen()->label, first);
        }
        key(Qt::Key_Escape);
        QVERIFY(!completions());
        QCOMPARE(editor.caret(), caret);
        QCOMPARE(editor.bytes(), script);
        key(Qt::Key_Space, Qt::ControlModifier);
        QTRY_VERIFY(completions());
        QVERIFY(moveCaret(0));
        QVERIFY(!completions());
    }

    void aChosenCompletionReplacesTheWholeWordInOneStep() {
        ScriptEditor& editor = edit(script);
        caretBehind("index = thr");
        key(Qt::Key_Space, Qt::ControlModifier);
        QTRY_VERIFY(completions());
        key(Qt::Key_Return);
        QCOMPARE(editor.bytes(), script); // it was that word already
        caretBehind("target[ind");
        key(Qt::Key_Space, Qt::ControlModifier);
        QTRY_VERIFY(completions());
        QCOMPARE(completions()->chosen()->label, std::string("index"));
        key(Qt::Key_Tab);
        QCOMPARE(editor.bytes(), script);
        QCOMPARE(editor.caret(), offsetOf("target[index]") + 12);
    }

    void nothingIsOfferedInComments() {
        edit("# a com\n", true);
        caretBehind("# a com");
        type("m");
        QVERIFY(read());
        QCoreApplication::processEvents();
        QVERIFY(!completions());
    }

    void theSignatureShowsTheParameterAtTheCaret() {
        edit(script);
        caretBehind("index = threadIdx.x");
        key(Qt::Key_Return);
        type("x = shared_tensor(");
        QTRY_VERIFY(panel<SignatureTip>("signature"));
        QVERIFY(panel<SignatureTip>("signature")->text().contains("shared_tensor"));
        const QString first = panel<SignatureTip>("signature")->text();
        QVERIFY(first.contains("<b "));
        type("f32,");
        QTRY_VERIFY(panel<SignatureTip>("signature") && panel<SignatureTip>("signature")->text() != first);
        key(Qt::Key_Escape);
        QVERIFY(!panel<SignatureTip>("signature"));
    }

    void theCardTellsOfATensor() {
        ScriptEditor& editor = edit(script);
        caretBehind("        tile[in");
        editor.setCaret(offsetOf("tile[index] = source") + 1);
        key(Qt::Key_I, Qt::ControlModifier);
        HoverCard* card = panel<HoverCard>("card");
        QVERIFY(card);
        QVERIFY(card->text().contains("shared"));
        QVERIFY(card->text().contains("128"));
        QVERIFY(editor.hasFocus());
        key(Qt::Key_Escape);
        QVERIFY(!panel<HoverCard>("card"));
        QVERIFY(editor.hasFocus());
    }

    void theMouseAtRestOpensTheCard() {
        edit(script);
        caretBehind("size = ");
        const QPoint there = pointOf(offsetOf("tile[index] = source") + 1);
        // Whatever else moves the mouse of this platform ends a rest: then it comes to rest again.
        for (int attempt = 0; attempt < 10 && !panel<HoverCard>("card"); ++attempt) {
            QTest::mouseMove(editor().viewport(), there - QPoint(30 + attempt, 0));
            QTest::mouseMove(editor().viewport(), there);
            if (QTest::qWaitFor([&] { return panel<HoverCard>("card") != nullptr; }, 1'500))
                break;
        }
        QVERIFY(panel<HoverCard>("card"));
        QTest::mouseClick(editor().viewport(), Qt::LeftButton, {}, there);
        QVERIFY(!panel<HoverCard>("card"));
    }

    void namesAreColouredByWhatTheyMean() {
        ScriptEditor& editor = edit(script);
        const Theme& theme = editor.themes().theme();
        auto color = [&](int offset) {
            return ask(editor, QsciScintilla::SCI_INDICATORVALUEAT, CodeView::Semantic, offset);
        };
        const int tile = offsetOf("tile[index] = source");
        QCOMPARE(color(tile), long{CodeView::valueOf(theme.color(SyntaxColor::SharedTensor))});
        QCOMPARE(color(offsetOf("source[index]")), long{CodeView::valueOf(theme.color(SyntaxColor::GlobalTensor))});
        editor.themes().use("dark");
        const Theme& dark = editor.themes().theme();
        QCOMPARE(color(tile), long{CodeView::valueOf(dark.color(SyntaxColor::SharedTensor))});
    }

    void colorsStayWithTheirTextUntilTheNextOnesAreThere() {
        ScriptEditor& editor = edit(script);
        editor.setCaret(0);
        type("x");
        const int tile = offsetOf("tile[index] = source");
        QVERIFY(ask(editor, QsciScintilla::SCI_INDICATORVALUEAT, CodeView::Semantic, tile));
        QVERIFY(!ask(editor, QsciScintilla::SCI_INDICATORVALUEAT, CodeView::Semantic, tile - 1));
    }

    void usesOfTheNameAtTheCaretAreMarked() {
        ScriptEditor& editor = edit(script);
        editor.setCaret(offsetOf("index = ") + 1);
        auto is = [&](int offset) {
            return ask(editor, QsciScintilla::SCI_INDICATORVALUEAT, CodeView::SameName, offset) != 0;
        };
        QTRY_VERIFY(is(offsetOf("index] = source")));
        QVERIFY(is(offsetOf("index = ")));
        QVERIFY(!is(offsetOf("tile = ")));
        QVERIFY(m_studio->trigger("go.next_use"));
        QCOMPARE(editor.caret(), offsetOf("index] = source"));
    }

    void definitionsAreFoundByKeyAndMouseAndTheWayBackToo() {
        ScriptEditor& editor = edit(script);
        const int use = offsetOf("tile[index]\n") + 1;
        editor.setCaret(use);
        key(Qt::Key_F2);
        QCOMPARE(editor.caret(), offsetOf("tile = "));
        key(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(editor.caret(), use);
        key(Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(editor.caret(), offsetOf("tile = "));
        QTest::mouseClick(editor.viewport(), Qt::LeftButton, Qt::ControlModifier, pointOf(offsetOf("size]):") + 1));
        QCOMPARE(editor.caret(), offsetOf("size = 128"));
        QCOMPARE(caretsOf(editor).size(), std::size_t(1));
    }

    void aNameIsRenamedEverywhereInOneStep() {
        ScriptEditor& editor = edit(script);
        editor.setCaret(offsetOf("tile = ") + 2);
        key(Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(panel<InPlaceField>("rename"));
        type("class");
        QVERIFY(!panel<InPlaceField>("rename")->refusal().isEmpty());
        key(Qt::Key_Return);
        QVERIFY(panel<InPlaceField>("rename"));
        QCOMPARE(editor.bytes(), script);
        QApplication::focusWidget()->setProperty("text", "staged");
        QVERIFY(panel<InPlaceField>("rename")->refusal().isEmpty());
        key(Qt::Key_Return);
        QVERIFY(!panel<InPlaceField>("rename"));
        QVERIFY(editor.hasFocus());
        QCOMPARE(editor.bytes(), QByteArray(script).replace("tile", "staged"));
        editor.undo();
        QCOMPARE(editor.bytes(), script);
        QVERIFY(!editor.isUndoAvailable());
    }

    void aFixIsOfferedAndAppliedInOneStep() {
        const QByteArray broken = "a = 1\nif a = 1:\n    pass\n";
        ScriptEditor& editor = edit(broken);
        QVERIFY(m_studio->settle());
        QCOMPARE(editor.problems().size(), std::size_t(1));
        QVERIFY(editor.markersAtLine(1) & (1U << CodeView::ErrorMark));
        key(Qt::Key_F8);
        QCOMPARE(editor.caret(), offsetOf("= 1:"));
        QTRY_VERIFY(editor.markersAtLine(1) == 1U << CodeView::FixMark);
        QVERIFY(panel<HoverCard>("card")); // also when the view has told of its caret
        QTRY_COMPARE(editor.markersAtLine(1), 1U << CodeView::FixMark);
        key(Qt::Key_Return, Qt::AltModifier);
        QVERIFY(panel<ChoiceList>("fixes"));
        key(Qt::Key_Return);
        QVERIFY(!panel<ChoiceList>("fixes"));
        QVERIFY(editor.hasFocus());
        QCOMPARE(editor.bytes(), QByteArray("a = 1\nif a == 1:\n    pass\n"));
        editor.undo();
        QCOMPARE(editor.bytes(), broken);
        QVERIFY(m_studio->settle());
        const hidet::session::FixView fix = editor.problems().front().diagnostic.fixes.front();
        editor.setFocus();
        type("x");
        QVERIFY(!editor.apply({fix})); // of another text
    }

    void theFunctionThatLaunchesKernelsIsWrittenByAFix() {
        const QByteArray kernels = "import hidet\n"
                                   "from hidet.lang import attrs, f32\n"
                                   "from hidet.lang.cuda import threadIdx\n"
                                   "\n"
                                   "with hidet.script_module() as script_module:\n"
                                   "    @hidet.script\n"
                                   "    def scale(x: f32[32], y: f32[32]):\n"
                                   "        attrs.func_kind = 'cuda_kernel'\n"
                                   "        attrs.cuda.grid_dim, attrs.cuda.block_dim = 1, 32\n"
                                   "        y[threadIdx.x] = x[threadIdx.x]\n"
                                   "\n"
                                   "    @hidet.script\n"
                                   "    def shift(\n"
                                   "        x: f32[32],\n"
                                   "        y: f32[16, 2],\n"
                                   "    ):\n"
                                   "        attrs.func_kind = 'cuda_kernel'\n"
                                   "        attrs.cuda.grid_dim, attrs.cuda.block_dim = 1, 32\n"
                                   "        y[threadIdx.x // 2, threadIdx.x % 2] = x[threadIdx.x]\n";
        const QByteArray launch = "\n"
                                  "    @hidet.script\n"
                                  "    def launch(x: f32[32], y: f32[32], shift_y: f32[16, 2]):\n"
                                  "        attrs.func_kind = 'public'\n"
                                  "        scale(x, y)\n"
                                  "        shift(x, shift_y)\n";
        const QByteArray build = "\nmodule = script_module.build()\n";
        ScriptEditor& editor = edit(kernels + build);
        QVERIFY(m_studio->settle());
        for (const char* stage : {"ir", "cuda"}) { // both are shown meanwhile
            const QByteArray text = m_studio->textOf(StageName::ofKey(stage));
            QVERIFY2(text.contains("scale") && text.contains("shift"), text.constData());
        }
        editor.goToProblem(1);
        QVERIFY(m_studio->trigger("edit.fix"));
        key(Qt::Key_Return);
        QCOMPARE(editor.bytes(), kernels + launch + build);
        QVERIFY(m_studio->settle());
        QCOMPARE(editor.problems().size(), std::size_t(0));
        editor.undo();
        QCOMPARE(editor.bytes(), kernels + build);
    }

    void aClickOnTheMarkOfAProblemOffersItsFix() {
        ScriptEditor& editor = edit("a = 1\nif a = 1:\n    pass\n");
        QVERIFY(m_studio->settle());
        const int x = editor.marginWidth(CodeView::NumberMargin) + editor.marginWidth(CodeView::SymbolMargin) / 2;
        const QPoint there(x, editor.rectOf({offsetOf("if"), offsetOf("if") + 1}).center().y());
        QTest::mouseClick(editor.viewport(), Qt::LeftButton, {}, there);
        QVERIFY(panel<ChoiceList>("fixes"));
        key(Qt::Key_Escape);
        QVERIFY(!panel<ChoiceList>("fixes"));
    }

    void problemsAreVisitedInTurn() {
        // Both are mistakes of the grammar, which is read to its end.
        ScriptEditor& editor = edit("a = 1\nif a = 1:\n    pass\nif a = 2:\n    pass\n");
        QVERIFY(m_studio->settle());
        QCOMPARE(editor.problems().size(), std::size_t(2));
        key(Qt::Key_F8);
        QCOMPARE(editor.caret(), offsetOf("= 1:"));
        key(Qt::Key_F8);
        QCOMPARE(editor.caret(), offsetOf("= 2:"));
        key(Qt::Key_F8);
        QCOMPARE(editor.caret(), offsetOf("= 1:")); // around
        key(Qt::Key_F8, Qt::ShiftModifier);
        QCOMPARE(editor.caret(), offsetOf("= 2:"));
    }

    void placesAreGoneToByTheirText() {
        ScriptEditor& editor = edit(script);
        key(Qt::Key_G, Qt::ControlModifier);
        type("5:8");
        key(Qt::Key_Return);
        QVERIFY(editor.hasFocus());
        QCOMPARE(editor.caret(), offsetOf("128"));
        key(Qt::Key_G, Qt::ControlModifier);
        type("nowhere");
        key(Qt::Key_Return);
        QVERIFY(!editor.hasFocus());
        key(Qt::Key_Escape);
        QVERIFY(editor.hasFocus());
        const auto place = placeOfText(" kernels/a b.py:12:5: ");
        QVERIFY(place);
        QCOMPARE(place->file, std::string("kernels/a b.py"));
        QCOMPARE(place->line, 12);
        QCOMPARE(place->column, 5);
        QVERIFY(!placeOfText("0"));
        QVERIFY(!placeOfText("a.py"));
    }

    void theWayBackLeadsThroughDocuments() {
        edit(script);
        QVERIFY(moveCaret(offsetOf("tile = ")));
        Document* first = m_studio->studio().tabs.current();
        m_studio->openText("a = 1\n\nb = 2\n");
        editor().setFocus();
        QVERIFY(moveCaret(offsetOf("b")));
        key(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(m_studio->studio().tabs.current(), first);
        QCOMPARE(editor().caret(), offsetOf("tile = "));
    }

    void theOutlineFollowsTheCaretAndGoesToWhatIsChosen() {
        ScriptEditor& editor = edit(script);
        QVERIFY(m_studio->trigger("dock.outline"));
        auto* tree = m_studio->window().findChild<QTreeWidget*>("outline");
        QVERIFY(tree && tree->isVisible());
        QVERIFY(tree->topLevelItemCount() > 0);
        editor.setFocus();
        QVERIFY(moveCaret(offsetOf("tile[index] = source")));
        QVERIFY(tree->currentItem());
        QVERIFY(tree->currentItem()->text(0).contains("copy"));
        QList<QTreeWidgetItem*> found = tree->findItems("tile", Qt::MatchExactly | Qt::MatchRecursive);
        QVERIFY(!found.isEmpty());
        tree->setFocus();
        tree->setCurrentItem(found.front());
        QTest::keyClick(tree, Qt::Key_Return);
        QCOMPARE(editor.caret(), offsetOf("tile = "));
        QVERIFY(editor.hasFocus());
        // What was folded stays folded when the text is read again.
        QTreeWidgetItem* kernel = tree->findItems("copy", Qt::MatchExactly | Qt::MatchRecursive).front();
        kernel->setExpanded(false);
        editor.setCaret(0);
        type(" ");
        key(Qt::Key_Backspace);
        QVERIFY(read());
        QVERIFY(!tree->findItems("copy", Qt::MatchExactly | Qt::MatchRecursive).front()->isExpanded());
    }

    // Whoever evaluates the script, or reads it, opens what it imports.
    void anEditIsEvaluatedOnceForAll() {
        m_studio = std::make_unique<StudioFixture>();
        const QString folder = m_studio->folder();
        auto write = [&](const QString& name, const QByteArray& text) {
            QFile file(folder + '/' + name);
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
        };
        QVERIFY(write("helper.py", "size = 128\n"));
        QVERIFY(write("kernel.py", "import helper\n" + QByteArray(script).replace("= 128", "= helper.size")));
        QVERIFY(m_studio->trigger("dock.outline"));
        FileError error;
        QVERIFY(m_studio->studio().tabs.open(folder + "/kernel.py", error));
        RunController& runs = *m_studio->studio().runs;
        QVERIFY(m_studio->settle());
        QTRY_VERIFY(runs.signatures());
        hidet::test::OpenCount opened(folder.toStdString());
        for (int edit = 1; edit <= 3; ++edit) {
            editor().setFocus();
            caretBehind("grid_dim = 1");
            QSignalSpy signatures(&runs, &RunController::signaturesChanged);
            type("0");
            caretBehind("index = thr");
            editor().completer().ask();
            QVERIFY(read());
            QVERIFY(m_studio->settle());
            QTRY_VERIFY(signatures.count() > 0);
            QTRY_VERIFY(completions());
            editor().completer().close();
            editor().showCard(offsetOf("tile = "), FloatingPanel::Prefer::Below);
            editor().completer().askSignature();
            QVERIFY(!assist::outline(*editor().live().answers()).empty());
            m_studio->studio().requests.search("@tile");
            QVERIFY(!m_studio->window().palette().shown().empty());
            m_studio->window().palette().close();
            QCOMPARE(opened.take("helper.py"), 1);
        }
    }

    void symbolsOfTheScriptAreListed() {
        edit(script);
        QStringList names;
        const auto collect = [&](const std::vector<assist::OutlineNode>& nodes, const auto& again) -> void {
            for (const assist::OutlineNode& node : nodes) {
                names << QString::fromStdString(node.name);
                again(node.children, again);
            }
        };
        collect(assist::outline(*editor().live().answers()), collect);
        QVERIFY(names.contains("copy"));
        QVERIFY(names.contains("tile"));
    }

    void everythingAtOnceIsUndone() {
        ScriptEditor& editor = edit(script, true);
        caretBehind("index = threadIdx.x");
        key(Qt::Key_Return);
        type("if index > size:");
        key(Qt::Key_Return);
        type("ti");
        QTRY_VERIFY(completions());
        key(Qt::Key_Return);
        type("[index] = 0.0");
        QVERIFY(m_studio->trigger("edit.comment"));
        QVERIFY(m_studio->trigger("edit.duplicate"));
        QVERIFY(m_studio->trigger("edit.move_up"));
        QVERIFY(m_studio->trigger("edit.join"));
        QVERIFY(editor.bytes() != script);
        while (editor.isUndoAvailable())
            editor.undo();
        QCOMPARE(editor.bytes(), script);
    }
};

HIDET_UI_TEST_MAIN(AssistTest)
#include "assist_test.moc"
