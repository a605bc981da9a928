// SPDX-License-Identifier: GPL-3.0-only
// Formatting, hints, uses and names of a folder, imports, snippets, the menu of the editor: with real keys, as fast as people
// type, in the real window.
#include <QApplication>
#include <QContextMenuEvent>
#include <QFile>
#include <QMenu>
#include <QTreeWidget>

#include "app/ui/editor/editor_pane.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

constexpr int between_keys_ms = 25;

const QByteArray kernel = R"(import hidet
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import threadIdx

size = 4 * 32

with hidet.script_module() as script_module:

    @hidet.script
    def copy(source: f32[size], target: f32[size]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = size
        tile = shared_tensor(f32, shape=[size])
        index = threadIdx.x
        tile[index] = source[index]
        target[index] = tile[index]

module = script_module.build()
)";

} // namespace

class ServiceTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    ScriptEditor& editor() { return m_studio->editor(); }
    bool read() {
        return QTest::qWaitFor([&] { return editor().live().valuesAreCurrent(); }, 30'000);
    }
    ScriptEditor& edit(const QByteArray& text) {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->openText(text);
        editor().SendScintilla(QsciScintilla::SCI_EMPTYUNDOBUFFER);
        editor().setFocus();
        read();
        return editor();
    }
    void write(const QString& name, const QByteArray& text) {
        QFile file(m_studio->folder() + '/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QByteArray onDisk(const QString& name) {
        QFile file(m_studio->folder() + '/' + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void openFile(const QString& name) {
        FileError error;
        QVERIFY(m_studio->studio().tabs.open(m_studio->folder() + '/' + name, error));
        editor().setFocus();
        QVERIFY(read());
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers, between_keys_ms);
    }
    void type(const QString& text) {
        for (const QChar letter : text)
            QTest::keyClicks(QApplication::focusWidget(), QString(letter), {}, between_keys_ms);
    }
    int offsetOf(const QByteArray& text) { return static_cast<int>(editor().bytes().indexOf(text)); }
    void caretBehind(const QByteArray& text) {
        editor().setCaret(offsetOf(text) + static_cast<int>(text.size()));
        QCoreApplication::processEvents();
    }
    int lineOf(const QByteArray& text) { return editor().lineOf(offsetOf(text)); }
    CompletionPopup* completions() {
        auto* found = m_studio->window().findChild<CompletionPopup*>("completions");
        return found && found->isVisible() ? found : nullptr;
    }
    QTreeWidget& uses() { return *m_studio->window().findChild<QTreeWidget*>("references.list"); }
    QMenu* menu() {
        auto* found = editor().findChild<QMenu*>("editorMenu");
        return found && found->isVisible() ? found : nullptr;
    }

private slots:
    void cleanup() { m_studio.reset(); }

    void theScriptIsFormattedInOneStepAndTheCaretStays() {
        ScriptEditor& editor = edit("import hidet\nx=1\ny = [ 1,2 ]\nprint( x+ 1 )\n");
        caretBehind("print( x");
        const QByteArray before = editor.bytes();
        key(Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(editor.bytes(), QByteArray("import hidet\nx = 1\ny = [1, 2]\nprint(x + 1)\n"));
        QCOMPARE(editor.caret(), offsetOf("print(x") + 7);
        editor.undo();
        QCOMPARE(editor.bytes(), before);
        QVERIFY(!editor.isUndoAvailable());
    }

    void onlyTheSelectedLinesAreFormatted() {
        ScriptEditor& editor = edit("x=1\ny=2\nz=3\n");
        editor.setCaret(offsetOf("y"));
        key(Qt::Key_End, Qt::ShiftModifier);
        key(Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(editor.bytes(), QByteArray("x=1\ny = 2\nz=3\n"));
    }

    void aScriptWithMistakesStaysAsItIs() {
        ScriptEditor& editor = edit("x=1\nif x\n  y=2\n");
        const QByteArray before = editor.bytes();
        key(Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(editor.bytes(), before);
    }

    void hintsStandBehindLinesAndGoAlongWithThem() {
        ScriptEditor& editor = edit(kernel);
        QTRY_VERIFY(editor.hints().textOf(lineOf("tile = shared")).contains("shared f32[128]"));
        QCOMPARE(editor.hints().textOf(lineOf("size = 4")), QString("= 128"));
        editor.setCaret(offsetOf("size = 4"));
        const int line = lineOf("tile = shared");
        key(Qt::Key_Return);
        QVERIFY(editor.hints().textOf(line + 1).contains("shared f32[128]"));
        m_studio->studio().settings.set(Setting::InlayHints, false);
        QTRY_VERIFY(editor.hints().textOf(line + 1).isEmpty());
    }

    void usesInAllScriptsOfTheFolderAreListedAndGoneTo() {
        edit({});
        write("helper.py", "def twice(x):\n    return 2 * x\n");
        write("main.py", "from helper import twice\n\nprint(twice(3))\n");
        openFile("main.py");
        caretBehind("print(twi");
        key(Qt::Key_F12, Qt::ShiftModifier);
        QTRY_COMPARE(uses().topLevelItemCount(), 2);
        QVERIFY(uses().isVisible());
        QVERIFY(uses().hasFocus());
        QCOMPARE(uses().topLevelItem(0)->childCount(), 2);
        QTreeWidgetItem* definition = uses().topLevelItem(1)->child(0);
        QCOMPARE(definition->text(0), QString("def twice(x):"));
        uses().setCurrentItem(definition);
        key(Qt::Key_Return);
        QTRY_COMPARE(m_studio->studio().tabs.current()->title(), QString("helper.py"));
        QCOMPARE(editor().caret(), offsetOf("twice"));
        QVERIFY(editor().hasFocus());
    }

    void aNameIsRenamedInAllScriptsOfTheFolderAndSavedByTheUser() {
        edit({});
        write("helper.py", "def twice(x):\n    return 2 * x\n");
        write("main.py", "from helper import twice\n\nprint(twice(3))\n");
        openFile("main.py");
        caretBehind("print(twi");
        key(Qt::Key_F6, Qt::ShiftModifier);
        type("dubled");
        for (int i = 0; i < 5; ++i) // a slip
            key(Qt::Key_Backspace);
        type("oubled");
        key(Qt::Key_Return);
        QTRY_COMPARE(editor().bytes(), QByteArray("from helper import doubled\n\nprint(doubled(3))\n"));
        QTRY_COMPARE(m_studio->studio().tabs.current()->title(), QString("main.py"));
        Document* helper = nullptr;
        for (Document* document : m_studio->studio().tabs.documents())
            if (document->title() == "helper.py")
                helper = document;
        QVERIFY(helper);
        QCOMPARE(helper->text(), QByteArray("def doubled(x):\n    return 2 * x\n"));
        QVERIFY(helper->isModified());
        QVERIFY(onDisk("helper.py").contains("twice"));
        editor().undo();
        QVERIFY(editor().bytes().contains("import twice"));
        editor().redo();
        QVERIFY(m_studio->trigger("file.save_all"));
        QVERIFY(onDisk("helper.py").contains("doubled") && onDisk("main.py").contains("doubled"));
    }

    void aNameThatIsNotImportedIsCompletedAndImportedInOneStep() {
        ScriptEditor& editor = edit(kernel);
        caretBehind("tile[index] = source[index]");
        key(Qt::Key_Return);
        const QByteArray before = editor.bytes();
        type("sync_threads");
        for (int i = 0; i < 8; ++i) // as CUDA has it, it is one word
            key(Qt::Key_Backspace);
        QVERIFY(read());
        type("th");
        QTRY_VERIFY(completions() && completions()->chosen()->label == "syncthreads");
        key(Qt::Key_Tab);
        QVERIFY2(editor.bytes().contains("import threadIdx, syncthreads\n"), editor.bytes().constData());
        QVERIFY(editor.bytes().contains("        syncthreads\n"));
        QCOMPARE(editor.caret(), offsetOf("        syncthreads\n") + 19);
        type("()");
        QVERIFY(m_studio->settle());
        QCOMPARE(editor.problems().size(), std::size_t(0));
        while (editor.bytes() != before && editor.isUndoAvailable())
            editor.undo();
        QCOMPARE(editor.bytes(), before);
    }

    void returnBehindAWordDoesNotBringAnImport() {
        ScriptEditor& editor = edit(kernel);
        caretBehind("module = script_module.build()");
        key(Qt::Key_Return);
        type("syncthr");
        QVERIFY(read());
        key(Qt::Key_Return);
        QVERIFY2(editor.bytes().contains("syncthr\n"), editor.bytes().constData());
        QVERIFY(!editor.bytes().contains("syncthreads"));
    }

    void whatIsNearIsOfferedBeforeTheAlphabet() {
        ScriptEditor& editor = edit(kernel);
        caretBehind("tile[index] = source[index]");
        key(Qt::Key_Return);
        type("t");
        QTRY_VERIFY(completions());
        QVERIFY(read());
        QTRY_VERIFY(completions() &&
                    (completions()->chosen()->label == "tile" || completions()->chosen()->label == "target"));
        type("h"); // narrowed here, before the service has read it: the same ranks
        QTRY_VERIFY(completions() && completions()->chosen()->label == "threadIdx");
        Q_UNUSED(editor);
    }

    void aSnippetIsFilledInFromPlaceToPlace() {
        ScriptEditor& editor = edit(kernel);
        caretBehind("tile[index] = source[index]");
        key(Qt::Key_Return);
        type("gua");
        QVERIFY(read());
        QTRY_VERIFY(completions() && completions()->chosen()->label == "guard");
        key(Qt::Key_Tab);
        QVERIFY2(editor.bytes().contains("        if i < n:\n            pass\n"), editor.bytes().constData());
        type("indx");
        key(Qt::Key_Backspace);
        type("ex");
        key(Qt::Key_Tab);
        type("sise");
        for (int i = 0; i < 2; ++i)
            key(Qt::Key_Backspace);
        type("ze");
        key(Qt::Key_Tab);
        type("target[index] = 0.0");
        key(Qt::Key_Escape);
        QVERIFY2(editor.bytes().contains("        if index < size:\n            target[index] = 0.0\n"),
                 editor.bytes().constData());
        QVERIFY(m_studio->settle());
        QCOMPARE(editor.problems().size(), std::size_t(0));
    }

    void everyUnknownNameThatExistsSomewhereHasItsImport() {
        QByteArray text = kernel;
        text.replace("import attrs, f32, shared_tensor", "import attrs, f32")
            .replace("import threadIdx", "import blockIdx");
        ScriptEditor& editor = edit(text);
        QVERIFY(m_studio->settle());
        editor.setCaret(offsetOf("= threadIdx") + 3);
        QTRY_VERIFY(read() && !editor.fixesAt(editor.lineOf(editor.caret())).empty());
        key(Qt::Key_Return, Qt::AltModifier);
        QTRY_VERIFY(editor.findChild<ChoiceList*>("fixes") || m_studio->window().findChild<ChoiceList*>("fixes"));
        key(Qt::Key_Return); // the first of them imports all
        for (const QByteArray& name : {QByteArray("threadIdx"), QByteArray("shared_tensor")})
            QVERIFY2(editor.bytes().contains(", " + name + "\n"), editor.bytes().constData());
        QVERIFY(m_studio->settle());
        QCOMPARE(editor.problems().size(), std::size_t(0));
    }

    void theRightButtonOffersWhatFitsTheWord() {
        ScriptEditor& editor = edit(kernel);
        editor.setCaret(0);
        const int offset = offsetOf("tile[index] = source") + 1;
        const QPoint there = editor.rectOf({offset, offset + 1}).center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, there, editor.viewport()->mapToGlobal(there));
        QCoreApplication::sendEvent(editor.viewport(), &event);
        QVERIFY(menu());
        QCOMPARE(editor.caret(), offset);
        QStringList texts;
        QAction* definition = nullptr;
        for (QAction* action : menu()->actions()) {
            texts << action->text();
            if (action->objectName() == "go.definition")
                definition = action;
        }
        QVERIFY2(texts.contains("Find references to 'tile'"), qPrintable(texts.join('\n')));
        QVERIFY(texts.contains("What this line became"));
        QVERIFY(definition);
        definition->trigger();
        QCOMPARE(editor.caret(), offsetOf("tile = "));
        menu()->close();
    }

    void theKeyOfTheMenuOpensItAtTheCaretWithTheFixes() {
        QByteArray text = kernel;
        text.replace("import threadIdx", "import blockIdx");
        ScriptEditor& editor = edit(text);
        QVERIFY(m_studio->settle());
        editor.setCaret(offsetOf("= threadIdx") + 3);
        QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, editor.mapToGlobal(QPoint()));
        QCoreApplication::sendEvent(&editor, &event);
        QVERIFY(menu());
        QVERIFY(menu()->actions().first()->text().startsWith("import 'threadIdx'"));
        menu()->actions().first()->trigger();
        QVERIFY(editor.bytes().contains("import blockIdx, threadIdx\n"));
        menu()->close();
    }

    void aNewScriptOffersWhatToBeginWith() {
        edit(kernel);
        key(Qt::Key_N, Qt::ControlModifier);
        auto* panel = editor().parentWidget()->findChild<QWidget*>("starts");
        QVERIFY(panel);
        QTRY_VERIFY(panel->isVisible());
        QVERIFY(editor().hasFocus());
        key(Qt::Key_Down);
        key(Qt::Key_Down);
        key(Qt::Key_Up);
        key(Qt::Key_Down);
        key(Qt::Key_Return);
        QVERIFY(!panel->isVisible());
        QVERIFY(editor().hasFocus());
        QVERIFY(editor().bytes().contains("row_sums"));
        QVERIFY(m_studio->settle());
        QCOMPARE(editor().problems().size(), std::size_t(0));
        editor().undo();
        QVERIFY(editor().bytes().isEmpty());
    }

    void whoTypesInANewScriptIsNotAsked() {
        edit(kernel);
        key(Qt::Key_N, Qt::ControlModifier);
        auto* panel = editor().parentWidget()->findChild<QWidget*>("starts");
        QTRY_VERIFY(panel && panel->isVisible());
        type("x = 1");
        QVERIFY(!panel->isVisible());
        QCOMPARE(editor().bytes(), QByteArray("x = 1"));
    }
};

HIDET_UI_TEST_MAIN(ServiceTest)
#include "service_test.moc"
