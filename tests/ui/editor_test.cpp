// SPDX-License-Identifier: GPL-3.0-only
// Typing and the commands of the menu Edit, with real keys in the real window. Every test ends by undoing all: the text is
// then the one of the start.
#include <QApplication>

#include "app/ui/widgets/find_bar.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

// A text with '|' at the caret, or '<' and '>' around what is selected.
struct Marked {
    QByteArray text;
    int anchor = 0;
    int caret = 0;
};

Marked marked(QByteArray text) {
    Marked out;
    if (const auto at = text.indexOf('|'); at >= 0) {
        text.remove(at, 1);
        out.anchor = out.caret = static_cast<int>(at);
    } else {
        out.anchor = static_cast<int>(text.indexOf('<'));
        text.remove(out.anchor, 1);
        out.caret = static_cast<int>(text.indexOf('>'));
        text.remove(out.caret, 1);
    }
    out.text = text;
    return out;
}

QByteArray shown(const CodeView& view) {
    std::vector<Caret> carets = caretsOf(view);
    QByteArray text = view.bytes();
    for (auto caret = carets.rbegin(); caret != carets.rend(); ++caret) {
        if (caret->isEmpty()) {
            text.insert(caret->at, '|');
        } else {
            text.insert(caret->end(), '>');
            text.insert(caret->begin(), '<');
        }
    }
    return text;
}

} // namespace

class EditorTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;
    QByteArray m_start;

    CodeView& edit(const QByteArray& text) {
        const Marked start = marked(text);
        m_studio = std::make_unique<StudioFixture>();
        m_studio->studio().settings.set(Setting::CompleteWhileTyping, false);
        m_studio->openText("");
        ScriptEditor& editor = m_studio->editor();
        editor.replaceAll(start.text);
        editor.SendScintilla(QsciScintilla::SCI_EMPTYUNDOBUFFER);
        editor.setFocus();
        setCarets(editor, {{start.anchor, start.caret}});
        m_start = start.text;
        return editor;
    }
    ScriptEditor& editor() { return m_studio->editor(); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }
    void undoAll() {
        while (editor().isUndoAvailable())
            editor().undo();
    }

private slots:
    void cleanup() {
        if (!m_studio)
            return;
        undoAll();
        QCOMPARE(editor().bytes(), m_start);
        m_studio.reset();
    }

    void commandsChangeLinesAndAreOneStepOfUndo_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        auto row = [](const char* name, const char* command, const char* before, const char* after) {
            QTest::newRow(name) << QString(command) << QByteArray(before) << QByteArray(after);
        };
        row("a line becomes a comment", "edit.comment", "  a = 1|\n", "  # a = 1|\n");
        row("a comment becomes a line", "edit.comment", "# a = 1|\n", "a = 1|\n");
        row("lines become comments at their smallest indentation", "edit.comment", "<if a:\n    b\n>c",
            "<# if a:\n#     b\n>c");
        row("a line is indented", "edit.indent", "a|b\n", "    a|b\n");
        row("whole lines stay selected when they are indented", "edit.indent", "<a\n\nb\n>c", "<    a\n\n    b\n>c");
        row("a line is unindented", "edit.unindent", "      a|b\n", "  a|b\n");
        row("a line without blanks is not unindented", "edit.unindent", "|a\n", "|a\n");
        row("a line is written twice", "edit.duplicate", "a\nb|c\nd", "a\nbc\nb|c\nd");
        row("the last line is written twice", "edit.duplicate", "a\nb|", "a\nb\nb|");
        row("lines are written twice", "edit.duplicate", "<a\nb>\nc", "a\nb\n<a\nb>\nc");
        row("a line is deleted", "edit.delete_line", "a\nb|c\nde\n", "a\nd|e\n");
        row("the last line is deleted with the end of the one above", "edit.delete_line", "a\nb|", "a|");
        row("selected lines are deleted", "edit.delete_line", "<a\nb\n>c", "|c");
        row("a line is joined with the next", "edit.join", "a|\n    b\nc", "a| b\nc");
        row("lines are joined", "edit.join", "<f(\n    a,\n    b\n>)", "<f(a, b\n>)");
        row("the last line has nothing to be joined with", "edit.join", "a|", "a|");
        row("a line moves up", "edit.move_up", "a\nb|\nc", "b|\na\nc");
        row("a line moves down", "edit.move_down", "a|\nb\nc", "b\na|\nc");
        row("the last line moves up", "edit.move_up", "a\nb|", "b|\na");
        row("trailing blanks are removed", "edit.strip_blanks", "a  \nb \t|\n\n c", "a\nb|\n\n c");
    }
    void commandsChangeLinesAndAreOneStepOfUndo() {
        QFETCH(QString, command);
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        CodeView& view = edit(before);
        QVERIFY(m_studio->trigger(command));
        QCOMPARE(shown(view), after);
        if (view.bytes() != m_start) {
            view.undo();
            QCOMPARE(view.bytes(), m_start);
            view.redo();
            QCOMPARE(view.bytes(), marked(after).text);
        }
    }

    void keysReachTheirCommands_data() {
        QTest::addColumn<int>("key");
        QTest::addColumn<int>("modifiers");
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        auto row = [](const char* name, int key, int modifiers, const char* before, const char* after) {
            QTest::newRow(name) << key << modifiers << QByteArray(before) << QByteArray(after);
        };
        const int control = Qt::ControlModifier, shift = Qt::ShiftModifier, alt = Qt::AltModifier;
        row("Ctrl+/", Qt::Key_Slash, control, "a|", "# a|");
        row("Ctrl+]", Qt::Key_BracketRight, control, "a|", "    a|");
        row("Ctrl+[", Qt::Key_BracketLeft, control, "    a|", "a|");
        row("Ctrl+Shift+D", Qt::Key_D, control | shift, "a|", "a\na|");
        row("Ctrl+Shift+K", Qt::Key_K, control | shift, "a|\nb", "b|");
        row("Alt+Up", Qt::Key_Up, alt, "a\nb|", "b|\na");
        row("Alt+Down", Qt::Key_Down, alt, "a|\nb", "b\na|");
        row("Ctrl+D", Qt::Key_D, control, "a|b ab", "<ab> ab");
        row("Ctrl+Shift+L", Qt::Key_L, control | shift, "a|b ab", "<ab> <ab>");
        row("Alt+Shift+Down", Qt::Key_Down, alt | shift, "a|b\ncd", "a|b\nc|d");
        row("Alt+Shift+Up", Qt::Key_Up, alt | shift, "ab\nc|d", "a|b\nc|d");
        row("Tab", Qt::Key_Tab, 0, "a|", "a   |");
        row("Tab on lines", Qt::Key_Tab, 0, "<a\nb>", "<    a\n    b>");
        row("Shift+Tab", Qt::Key_Backtab, shift, "    a|", "a|");
        row("Ctrl+A", Qt::Key_A, control, "a|b", "<ab>");
        row("Backspace in the indentation", Qt::Key_Backspace, 0, "        |a", "    |a");
    }
    void keysReachTheirCommands() {
        QFETCH(int, key);
        QFETCH(int, modifiers);
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        CodeView& view = edit(before);
        this->key(static_cast<Qt::Key>(key), static_cast<Qt::KeyboardModifiers>(modifiers));
        QCOMPARE(shown(view), after);
    }

    void typingIndentsAndClosesBrackets_data() {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QString>("keys"); // '\n' is Enter, '\b' Backspace
        QTest::addColumn<QByteArray>("after");
        auto row = [](const char* name, const char* before, const char* keys, const char* after) {
            QTest::newRow(name) << QByteArray(before) << QString(keys) << QByteArray(after);
        };
        row("a line below a colon is deeper", "if a:|", "\nb", "if a:\n    b|");
        row("a line below a line is as deep", "    a|", "\nb", "    a\n    b|");
        row("a line below return is shallower", "def f():\n    return 1|", "\n", "def f():\n    return 1\n|");
        row("brackets with nothing between open up", "f(|)", "\n", "f(\n    |\n)");
        row("arguments are aligned", "f(a,|", "\n", "f(a,\n  |");
        row("blanks behind the caret are eaten", "a|  b", "\n", "a\n|b");
        row("else goes below its if", "if a:\n    b\n    else|", ":", "if a:\n    b\nelse:|");
        row("a bracket is closed", "f|", "(", "f(|)");
        row("a bracket before a word is not closed", "|f", "(", "(|f");
        row("what was closed is typed over", "f|", "(a)", "f(a)|");
        row("a bracket of the user's own is not typed over", "f(a|)", ")", "f(a)|)");
        row("both of a pair go", "f|", "(\b", "f|");
        row("a pair of the user's own is erased one by one", "f(|)", "\b", "f|)");
        row("a bracket that Return has moved is typed over below", "f|", "(\na\n\b)", "f(\n    a\n)|");
        row("a bracket that Return has moved is typed over at once", "f|", "(\na)", "f(\n    a)|");
        row("brackets in a bracket that Return has moved", "f|", "(\ng([1]))", "f(\n    g([1]))|");
        row("a text of several lines is typed over", "|", "\"\"\"a\n\nb\n\"\"\"", "\"\"\"a\n\nb\n\"\"\"|");
        row("an empty line keeps no blanks", "    a|", "\n\nb", "    a\n\n    b|");
        row("brackets nest", "|", "([{", "([{|}])");
        row("nested brackets are typed over", "|", "([1])", "([1])|");
        row("a quote is closed", "a = |", "'", "a = '|'");
        row("a quote with a prefix is closed", "a = f|", "'", "a = f'|'");
        row("an apostrophe in a word is alone", "don|", "'", "don'|");
        row("a quote is typed over", "|", "'a'", "'a'|");
        row("three quotes are closed by three", "|", "\"\"\"", "\"\"\"|\"\"\"");
        row("brackets in a string are text", "'a|'", "(", "'a(|'");
        row("brackets in a comment are text", "# a|", "(", "# a(|");
        row("behind a string at the end of its line a bracket is closed", "f('a')['b'|\nc", "(", "f('a')['b'(|)\nc");
        row("below a comment a bracket is closed", "# a\n|\nb", "(", "# a\n(|)\nb");
        row("below a string a bracket is closed", "a = 'b'\n|\n", "(", "a = 'b'\n(|)\n");
        row("in a string of several lines brackets are text", "\"\"\"a\n|\n\"\"\"", "(", "\"\"\"a\n(|\n\"\"\"");
        row("behind a quote in such a string as well", "\"\"\"a\nb'|\n\"\"\"", "(", "\"\"\"a\nb'(|\n\"\"\"");
        row("a selection is wrapped", "a <b> c", "(", "a (<b>) c");
        row("a selection is quoted", "<b>", "'", "'<b>'");
        row("an umlaut is a letter", "|", "(\xC3\xA4", "(\xC3\xA4|)");
    }
    void typingIndentsAndClosesBrackets() {
        QFETCH(QByteArray, before);
        QFETCH(QString, keys);
        QFETCH(QByteArray, after);
        CodeView& view = edit(before);
        for (const QChar c : keys) {
            if (c == '\n')
                key(Qt::Key_Return);
            else if (c == '\b')
                key(Qt::Key_Backspace);
            else if (c.unicode() < 0x80)
                type(c);
            else // keyClicks knows no such key
                QTest::sendKeyEvent(QTest::Click, &view, Qt::Key_unknown, QString(c), Qt::NoModifier);
        }
        QCOMPARE(shown(view), after);
    }

    void whatIsMadeAgainGoesOnWhereItWas_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<int>("steps");
        QTest::addColumn<QString>("more");
        QTest::addColumn<QByteArray>("after");
        auto row = [](const char* name, const char* typed, int steps, const char* more, const char* after) {
            QTest::newRow(name) << QString(typed) << steps << QString(more) << QByteArray(after);
        };
        row("behind what was typed over", "f(a)", 1, " + 1", "f(a) + 1|");
        row("in the pair", "f(", 1, "a)", "f(a)|");
        row("in three quotes", "\"\"\"", 1, "a\"\"\"", "\"\"\"a\"\"\"|");
        row("behind several brackets", "f(g([1]))", 2, "\n", "f(g([1]))\n|");
        row("behind a bracket that was moved back", "f(\na)", 1, "\n", "f(\n    a)\n|");
        row("behind the colon of a clause that moved", "if a:\nb\nelse:", 1, "\n", "if a:\n    b\nelse:\n    |");
    }
    void whatIsMadeAgainGoesOnWhereItWas() {
        QFETCH(QString, typed);
        QFETCH(int, steps);
        QFETCH(QString, more);
        QFETCH(QByteArray, after);
        CodeView& view = edit("|");
        hidet::ui::test::typeInto(view, typed);
        for (int i = 0; i < steps; ++i)
            key(Qt::Key_Z, Qt::ControlModifier);
        for (int i = 0; i < steps; ++i)
            key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        hidet::ui::test::typeInto(view, more);
        QCOMPARE(shown(view), after);
    }
    void whatWasTypedOverIsTypedOverAgainWhenItWasUndone() {
        CodeView& view = edit("|");
        type("f(a)");
        key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(shown(view), QByteArray("f(|)"));
        type("b)");
        QCOMPARE(shown(view), QByteArray("f(b)|"));
    }

    void bracketsAreNotClosedWhenTheSettingIsOff() {
        CodeView& view = edit("f|");
        m_studio->studio().settings.set(Setting::CloseBrackets, false);
        type("('");
        QCOMPARE(shown(view), QByteArray("f('|"));
    }

    void severalCaretsTypeIndentAndCloseTogether() {
        CodeView& view = edit("a|b\nab\nab");
        key(Qt::Key_D, Qt::ControlModifier);
        key(Qt::Key_D, Qt::ControlModifier);
        key(Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(shown(view), QByteArray("<ab>\n<ab>\n<ab>"));
        type("x");
        QCOMPARE(shown(view), QByteArray("x|\nx|\nx|"));
        type("(");
        QCOMPARE(shown(view), QByteArray("x(|)\nx(|)\nx(|)"));
        type("1)");
        QCOMPARE(shown(view), QByteArray("x(1)|\nx(1)|\nx(1)|"));
        key(Qt::Key_Return);
        QCOMPARE(view.bytes(), QByteArray("x(1)\n\nx(1)\n\nx(1)\n"));
        key(Qt::Key_Escape);
        QCOMPARE(caretsOf(view).size(), std::size_t(1));
    }

    void linesOfSeveralCaretsMoveAlsoWhenOneIsAtTheEdge() {
        CodeView& view = edit("a|\nb\nc\nd\n");
        setCarets(view, {{0, 0}, {6, 6}});
        QVERIFY(m_studio->trigger("edit.move_up"));
        QCOMPARE(view.bytes(), QByteArray("a\nb\nd\nc\n"));
        view.undo();
        setCarets(view, {{2, 2}, {8, 8}});
        QVERIFY(m_studio->trigger("edit.move_down"));
        QCOMPARE(view.bytes(), QByteArray("a\nc\nb\nd\n"));
    }

    void linesOfALongTextAreCommentedAndItsBracketsFound() {
        QByteArray text;
        while (text.size() < 3 << 20)
            text += "f(')', [1, 2])\n";
        const int middle = static_cast<int>(text.size() / 30 * 15);
        CodeView& view = edit("|" + text);
        view.setCaret(middle + 1);
        QVERIFY(m_studio->trigger("go.bracket"));
        QCOMPARE(view.caret(), middle + 13);
        QVERIFY(m_studio->trigger("edit.comment"));
        QCOMPARE(view.bytes({middle, middle + 6}), QByteArray("# f(')"));
    }

    void altClickAddsACaret() {
        CodeView& view = edit("ab|\ncd\n");
        const QRect there = view.rectOf({4, 5});
        QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::AltModifier, there.topLeft() + QPoint(1, 4));
        QCOMPARE(shown(view), QByteArray("ab|\nc|d\n"));
    }

    void blocksFoldAtTheCaretAndAllTogether() {
        CodeView& view = edit("if a:\n    if b:\n        c|\nd\n");
        auto seen = [&](int line) { return ask(view, QsciScintilla::SCI_GETLINEVISIBLE, line) != 0; };
        QVERIFY(m_studio->trigger("edit.fold"));
        QVERIFY(seen(1) && !seen(2));
        QVERIFY(m_studio->trigger("edit.fold"));
        QVERIFY(!seen(1));
        QCOMPARE(view.lineOf(view.caret()), 0);
        QVERIFY(m_studio->trigger("edit.unfold"));
        QVERIFY(seen(1));
        QVERIFY(m_studio->trigger("edit.unfold_all"));
        QVERIFY(seen(1) && seen(2));
        QVERIFY(m_studio->trigger("edit.fold_all"));
        QVERIFY(!seen(1) && !seen(2) && seen(3));
    }

    void theWheelWithControlChangesTheSizeOfCode() {
        CodeView& view = edit("a|");
        const int before = m_studio->studio().themes.codeFont().pointSize();
        const QPointF middle(50, 50);
        QWheelEvent event(middle, view.viewport()->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
        QCOMPARE(m_studio->studio().settings.number(Setting::CodeFontSize), before + 1);
    }

    void settingsOfTabsAndWrappingTakeEffectAtOnce() {
        CodeView& view = edit("|");
        m_studio->studio().settings.set(Setting::TabWidth, 2);
        key(Qt::Key_Tab);
        QCOMPARE(view.bytes(), QByteArray("  "));
        QCOMPARE(view.wrapMode(), QsciScintilla::WrapNone);
        m_studio->studio().settings.set(Setting::WrapLines, true);
        QCOMPARE(view.wrapMode(), QsciScintilla::WrapWord);
    }

    // Else Scintilla takes each line for changed by any key, and measures all that is seen in each phase of painting.
    void linesThatAKeyLeftAloneKeepTheirMeasures() {
        CodeView& view = edit("# a note\nx = 'text'  # and why\nif x == 2:\n\n    y = \"\"\"of\n  lines\"\"\"|\n");
        view.SendScintilla(QsciScintilla::SCI_COLOURISE, 0UL, -1L);
        QVERIFY(view.lines() > 6);
        for (int line = 0; line + 1 < view.lines(); ++line) {
            const ByteRange range = view.rangeOfLine(line);
            const auto styleAt = [&](int at) {
                return view.SendScintilla(QsciScintilla::SCI_GETSTYLEAT, static_cast<unsigned long>(at));
            };
            QCOMPARE(styleAt(range.end), range.end > range.begin ? styleAt(range.end - 1) : 0L);
        }
        QCOMPARE(view.SendScintilla(QsciScintilla::SCI_GETLAYOUTCACHE), long{QsciScintilla::SC_CACHE_PAGE});
    }

    void theBracketOfABracketIsFound() {
        CodeView& view = edit("f(')', [1|, 2])");
        view.setCaret(1);
        key(Qt::Key_M, Qt::ControlModifier);
        QCOMPARE(view.caret(), 13);
    }
};

HIDET_UI_TEST_MAIN(EditorTest)
#include "editor_test.moc"
