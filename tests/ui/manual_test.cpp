// SPDX-License-Identifier: GPL-3.0-only
// The language manual beside the code: F1 at a word, search, links, the way back, examples as scripts.
#include <QLineEdit>
#include <QTextBlock>

#include "app/ui/docks/manual.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class ManualTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    QDockWidget& dock() { return *m_studio->window().dock("manual"); }
    ManualDock& page() { return *static_cast<ManualDock*>(dock().widget()); }
    QString shown() { return page().text().toPlainText(); }
    // The real key, where the caret stands in this word of the script.
    void pressAt(const QByteArray& word) {
        ScriptEditor* editor = m_studio->window().editors().current();
        editor->setFocus();
        const auto at = m_studio->studio().tabs.current()->text().lastIndexOf(word);
        QVERIFY(at >= 0);
        editor->setCaret(static_cast<int>(at) + 1);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1);
        QVERIFY(dock().isVisible() && static_cast<QWidget*>(editor)->isVisible());
        QVERIFY(page().isAncestorOf(QApplication::focusWidget()));
    }

private slots:
    void init() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(m_studio->openSample("shared_matmul"));
        QTRY_VERIFY(m_studio->studio().scripts.live()->answersAreCurrent());
    }
    void cleanup() { m_studio.reset(); }

    void f1ExplainsTheWordAtTheCaret() {
        pressAt("syncthreads");
        QCOMPARE(page().place().page, std::string("threads"));
        QVERIFY(shown().contains("Barriers of a block"));
        QVERIFY(shown().contains("import hidet"));     // an example
        QVERIFY(!shown().contains("barrier_arrive ")); // rows of other words are left out
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(m_studio->window().editors().current()->hasFocus());
        QVERIFY(dock().isVisible()); // until it is closed
    }

    void examplesHaveTheColoursOfEditorsAndOpenAsScripts() {
        pressAt("syncthreads");
        const QTextDocument& text = *page().text().document();
        QTextBlock line = text.firstBlock();
        while (line.isValid() && !line.text().startsWith("import hidet"))
            line = line.next();
        QVERIFY(line.isValid());
        const Theme& theme = m_studio->studio().themes.theme();
        QCOMPARE(line.begin().fragment().text(), QString("import"));
        QCOMPARE(line.begin().fragment().charFormat().foreground().color(),
                 theme.readable(theme.color(SyntaxColor::Keyword), theme.panel));
        QTextCursor link = text.find("Open as a script");
        QVERIFY(!link.isNull());
        const qsizetype tabs = m_studio->studio().tabs.all().size();
        emit page().text().anchorClicked(QUrl(link.charFormat().anchorHref()));
        QCOMPARE(m_studio->studio().tabs.all().size(), tabs + 1);
        QVERIFY(m_studio->studio().tabs.current()->text().startsWith("import hidet"));
        QVERIFY(dock().isVisible());
    }

    void linesAreNoLongerThanCanBeRead() {
        pressAt("syncthreads");
        dock().setFloating(true);
        dock().resize(1600, 700);
        QTRY_VERIFY(page().text().width() > 1500);
        const int letters = page().text().document()->textWidth() / page().text().fontMetrics().averageCharWidth();
        QVERIFY2(letters > 60 && letters < 100, qPrintable(QString::number(letters)));
    }

    void keywordsTypesAndModulesHaveTheirPlaces() {
        pressAt("for ");
        QCOMPARE(page().place().page, std::string("statements"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        pressAt("f32,");
        QCOMPARE(page().place().page, std::string("types"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        pressAt("assert_close");
        QCOMPARE(page().place().page, std::string("torch"));
    }

    void anOwnNameAndTheMenuShowTheContents() {
        pressAt("block_k");
        QVERIFY(shown().contains("Task mappings"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(m_studio->trigger("file.close"));
        QVERIFY(m_studio->trigger("help.manual"));
        QVERIFY(shown().contains("Task mappings"));
    }

    void aWordIsFoundALinkFollowedAndTheWayBackGone() {
        pressAt("syncthreads");
        auto* field = page().findChild<QLineEdit*>("manual.search");
        field->setFocus();
        QTest::keyClicks(field, "wgmma_async");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(page().place().page, std::string("matrix"));
        emit page().text().anchorClicked(QUrl("types.md#vectors"));
        QVERIFY(shown().startsWith("Vectors"));
        page().findChild<QPushButton*>("manual.back")->click();
        QCOMPARE(page().place().page, std::string("matrix"));
        field->setText("wgmma_asink");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(page().place().page, std::string("matrix")); // the status line has a suggestion
    }

    void everyPageIsShownWithoutMarks() {
        for (const auto& each : hidet::session::assist::manual_pages()) {
            if (each.name == "index") // the field is the index here
                continue;
            page().show({.word = {}, .page = each.name, .anchor = {}, .title = {}});
            QVERIFY2(shown().startsWith(QString::fromStdString(each.title)), each.name.c_str());
            QVERIFY2(!shown().contains("<!--"), each.name.c_str());
        }
    }
};

HIDET_UI_TEST_MAIN(ManualTest)
#include "manual_test.moc"
