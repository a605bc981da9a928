// SPDX-License-Identifier: GPL-3.0-only
// The palette: what it finds, in which order, and by the keyboard alone.
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

QStringList textsOf(const Palette& palette) {
    QStringList out;
    for (const PaletteItem& item : palette.shown())
        out << item.text;
    return out;
}

} // namespace

class PaletteTest : public QObject {
    Q_OBJECT
private slots:
    void everyCommandIsListedWithItsKey() {
        StudioFixture studio;
        QVERIFY(studio.trigger("view.palette"));
        const Palette& palette = studio.window().palette();
        QVERIFY(palette.isVisible());
        qsizetype listed = 0;
        for (const QAction* action : studio.studio().commands.all())
            listed += !action->text().isEmpty() && Commands::idOf(action) != "view.palette";
        QCOMPARE(qsizetype(palette.shown().size()), listed);
        for (const PaletteItem& item : palette.shown())
            if (item.id == "file.new")
                QCOMPARE(item.keys, QString("Ctrl+N"));
    }

    void typingAndEnterDoTheCommandAndTheNextTimeItComesFirst() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        Palette& palette = studio.window().palette();
        studio.studio().requests.search(">");
        QTest::keyClicks(&palette.input(), "lower mode");
        QCOMPARE(textsOf(palette).value(0), QString("Lower mode"));
        QTest::keyClick(&palette.input(), Qt::Key_Return);
        QVERIFY(!palette.isVisible());
        QCOMPARE(studio.window().mode(), Mode::Lower);
        studio.studio().requests.search(">");
        QCOMPARE(textsOf(palette).value(0), QString("Lower mode"));
    }

    void whatCannotBeDoneIsListedLastAndSaysWhyAndEnterDoesNothing() {
        StudioFixture studio;
        studio.studio().requests.search(">save as");
        const Palette& palette = studio.window().palette();
        const auto& items = palette.shown();
        bool disabled = false;
        for (const PaletteItem& item : items) {
            QVERIFY2(!(disabled && item.possible), qPrintable(item.text));
            disabled = disabled || !item.possible;
        }
        QVERIFY(disabled);
        for (const PaletteItem& item : items)
            if (item.id == "file.save_as")
                QVERIFY2(item.help.contains("no script is open"), qPrintable(item.help));
    }

    void escapeGivesTheKeyboardBack() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        studio.editor().setFocus();
        studio.studio().requests.search({});
        QTest::keyClick(&studio.window().palette().input(), Qt::Key_Escape);
        QVERIFY(!studio.window().palette().isVisible());
        QTRY_VERIFY(studio.editor().hasFocus());
    }

    void arrowsGoRoundAndTabStaysInside() {
        StudioFixture studio;
        studio.studio().requests.search(">");
        Palette& palette = studio.window().palette();
        QCOMPARE(palette.selected(), 0);
        QTest::keyClick(&palette.input(), Qt::Key_Up);
        QCOMPARE(palette.selected(), int(palette.shown().size()) - 1);
        QTest::keyClick(&palette.input(), Qt::Key_Tab);
        QCOMPARE(palette.selected(), 0);
        QVERIFY(palette.isVisible());
    }

    void scriptsNamesLinesAndPassesAreFound() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        Palette& palette = studio.window().palette();
        studio.studio().requests.search("naive");
        QCOMPARE(textsOf(palette).value(0), QString("naive_matmul.py"));
        studio.studio().requests.search("@matmul");
        QTRY_VERIFY(textsOf(palette).contains("matmul"));
        studio.studio().requests.search("#flatten");
        QVERIFY(textsOf(palette).value(0).contains("flatten"));
        studio.studio().requests.search(":12:5");
        QTest::keyClick(&palette.input(), Qt::Key_Return);
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()), 11);
    }
};

HIDET_UI_TEST_MAIN(PaletteTest)
#include "palette_test.moc"
