// SPDX-License-Identifier: GPL-3.0-only
// Finding and replacing with the bar below a text, with real keys.
#include <QApplication>

#include "app/ui/editor/editor_pane.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class FindTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    CodeView& edit(const QByteArray& text) {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->openText("");
        ScriptEditor& editor = m_studio->editor();
        editor.replaceAll(text);
        editor.SendScintilla(QsciScintilla::SCI_EMPTYUNDOBUFFER);
        editor.setFocus();
        editor.setCaret(0);
        return editor;
    }
    FindBar& bar() { return *FindBar::of(m_studio->editor()); }
    QString count(FindBar& bar) { return bar.findChild<QLabel*>("findCount")->text(); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }
    bool searched(FindBar& bar) {
        return QTest::qWaitFor([&] { return !bar.isSearching(); }, 20'000);
    }
    QByteArray selected(const CodeView& view) { return view.bytes(caretsOf(view).front().range()); }
    void choose(const char* option) {
        bar().findChild<QToolButton*>(QString("find.") + option)->click();
        QVERIFY(searched(bar()));
    }

private slots:
    void cleanup() { m_studio.reset(); }

    void hitsAreCountedWhileTypingAndVisitedAround() {
        CodeView& view = edit("ab\nAb\nxab\n");
        key(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(bar().isVisible());
        type("ab");
        QVERIFY(searched(bar()));
        QCOMPARE(count(bar()), QString("1 of 3"));
        QCOMPARE(view.caret(), 2);
        key(Qt::Key_Return);
        QCOMPARE(count(bar()), QString("2 of 3"));
        key(Qt::Key_Return);
        key(Qt::Key_Return);
        QCOMPARE(count(bar()), QString("1 of 3"));
        key(Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(count(bar()), QString("3 of 3"));
        for (int hit : {0, 3, 7})
            QVERIFY(ask(view, QsciScintilla::SCI_INDICATORVALUEAT, CodeView::SearchHit, hit));
        key(Qt::Key_Escape);
        QVERIFY(!bar().isVisible());
        QVERIFY(view.hasFocus());
        QVERIFY(!ask(view, QsciScintilla::SCI_INDICATORVALUEAT, CodeView::SearchHit, 0));
        key(Qt::Key_F3);
        QVERIFY(searched(bar()));
        QCOMPARE(count(bar()), QString("1 of 3"));
    }

    void optionsNarrowTheHits() {
        edit("ab Ab abc a.b");
        key(Qt::Key_F, Qt::ControlModifier);
        type("ab");
        QVERIFY(searched(bar()));
        QCOMPARE(bar().hits().size(), std::size_t(3));
        choose("Aa");
        QCOMPARE(bar().hits().size(), std::size_t(2));
        choose("W");
        QCOMPARE(bar().hits().size(), std::size_t(1));
        choose("W");
        choose("Aa");
        choose(".*");
        bar().findChild<QLineEdit*>("findText")->setText("a.b");
        QVERIFY(searched(bar()));
        QCOMPARE(bar().hits().size(), std::size_t(1));
        bar().findChild<QLineEdit*>("findText")->setText("a(");
        QVERIFY(searched(bar()));
        QVERIFY(!count(bar()).isEmpty());
        QVERIFY(bar().hits().empty());
    }

    void replacingIsOneStepOfUndoAndKnowsGroups() {
        CodeView& view = edit("x = f(1)\ny = f(2)\nz = g(3)\n");
        const QByteArray start = view.bytes();
        key(Qt::Key_H, Qt::ControlModifier);
        choose(".*");
        bar().findChild<QLineEdit*>("findText")->setText("f\\((\\d)\\)");
        bar().findChild<QLineEdit*>("replaceText")->setText("[\\1]");
        QVERIFY(searched(bar()));
        bar().replaceCurrent();
        QVERIFY(searched(bar()));
        QCOMPARE(view.bytes(), QByteArray("x = [1]\ny = f(2)\nz = g(3)\n"));
        QCOMPARE(selected(view), QByteArray("f(2)"));
        view.undo();
        QCOMPARE(view.bytes(), start);
        bar().replaceAll();
        QVERIFY(searched(bar()));
        QCOMPARE(view.bytes(), QByteArray("x = [1]\ny = [2]\nz = g(3)\n"));
        view.undo();
        QCOMPARE(view.bytes(), start);
    }

    void aSelectionBoundsTheSearch() {
        CodeView& view = edit("a\na\na\na\n");
        setCarets(view, {{2, 5}});
        key(Qt::Key_H, Qt::ControlModifier);
        bar().findChild<QLineEdit*>("findText")->setText("a");
        choose("[ ]");
        QCOMPARE(bar().hits().size(), std::size_t(2));
        bar().findChild<QLineEdit*>("replaceText")->setText("bbb");
        bar().replaceAll();
        QVERIFY(searched(bar()));
        QCOMPARE(view.bytes(), QByteArray("a\nbbb\nbbb\na\n"));
    }

    void hitsFollowChangesOfTheText() {
        CodeView& view = edit("\xC3\xA4"
                              "b ab\n");
        key(Qt::Key_F, Qt::ControlModifier);
        type("ab");
        QVERIFY(searched(bar()));
        QCOMPARE(bar().hits().size(), std::size_t(1));
        QCOMPARE(bar().hits().front().begin, 4);
        view.setFocus();
        view.setCaret(0);
        QTest::keyClicks(&view, "ab ");
        QVERIFY(QTest::qWaitFor([&] { return bar().hits().size() == 2; }));
        QCOMPARE(bar().hits().back().begin, 7);
    }

    void aPaneIsSearchedWhereTheKeyboardIs() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(m_studio->openSample("naive_matmul"));
        QVERIFY(m_studio->settle());
        CodeView& pane = m_studio->window().stages().show("cuda"_stage)->view();
        pane.setFocus();
        key(Qt::Key_F, Qt::ControlModifier);
        FindBar& found = *FindBar::of(pane);
        QVERIFY(found.isVisible());
        QVERIFY(!bar().isVisible());
        type("threadIdx");
        QVERIFY(searched(found));
        QVERIFY(!found.hits().empty());
        QCOMPARE(selected(pane), QByteArray("threadIdx"));
        key(Qt::Key_Escape);
        QVERIFY(pane.hasFocus());
    }

    void theOverviewGoesToAHit() {
        QByteArray text;
        for (int line = 0; line < 1'000; ++line)
            text += line == 700 ? "needle\n" : "straw\n";
        CodeView& view = edit(text);
        key(Qt::Key_F, Qt::ControlModifier);
        type("needl");
        QVERIFY(searched(bar()));
        auto& overview = *m_studio->window().findChild<OverviewRuler*>("overview");
        QCOMPARE(overview.lines(OverviewRuler::Kind::Hit), std::vector<int>{700});
        view.setCaret(0);
        QTest::mouseClick(&overview, Qt::LeftButton, {}, QPoint(4, overview.yOf(700)));
        QCOMPARE(view.lineOf(view.caret()), 700);
    }

    void textsOfMegabytesAreSearchedAndReplaced() {
        QByteArray text;
        while (text.size() < 10 << 20)
            text += "total += a[i, p] * b[p, j]  # a line like many others\n";
        CodeView& view = edit(text);
        key(Qt::Key_H, Qt::ControlModifier);
        bar().findChild<QLineEdit*>("findText")->setText("total");
        QVERIFY(searched(bar()));
        const auto lines = static_cast<std::size_t>(text.count('\n'));
        QCOMPARE(bar().hits().size(), lines);
        bar().findChild<QLineEdit*>("replaceText")->setText("sum");
        bar().replaceAll();
        QVERIFY(searched(bar()));
        QCOMPARE(view.bytes(), QByteArray(text).replace("total", "sum"));
        view.undo();
        QCOMPARE(view.bytes(), text);
    }
};

HIDET_UI_TEST_MAIN(FindTest)
#include "find_test.moc"
