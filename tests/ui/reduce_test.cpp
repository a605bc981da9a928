// SPDX-License-Identifier: GPL-3.0-only
// A problem becomes the smallest script that shows it, beside the window, in a tab of its own.
#include <QMenu>
#include <QRegularExpression>
#include <QTreeWidget>

#include "app/ui/run/script_reducer.h"
#include "app/ui/workbench/notice_bar.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::in;
using hidet::ui::test::StudioFixture;

namespace {

constexpr int patience = 60'000;

QByteArray longScript() {
    QByteArray text = "import hidet\nfrom hidet.lang import attrs, f32, i32\n\n";
    for (int i = 0; i < 12; ++i)
        text += "def helper" + QByteArray::number(i) + "(a, b=2):\n    total = a * b\n    return total + nowhere\n\n";
    return text + "print(helper3(4))\nfor turn in range(3):\n    print(turn)\nelsewhere.append(helper3)\n";
}

// Of which a third stays, statement by statement.
QByteArray slowScript() {
    constexpr int links = 1'000;
    QByteArray text = "link0 = 1\n";
    for (int i = 1; i < links; ++i)
        text += "link" + QByteArray::number(i) + " = link" + QByteArray::number(i - 1) + " + 1\n";
    text += "link" + QByteArray::number(links - 1) + ".nowhere()\n";
    for (int i = 0; i < 2 * links; ++i)
        text += "rest" + QByteArray::number(i) + " = 1\n";
    return text;
}

constexpr const char* twoMistakes = R"(import hidet
from hidet.lang import attrs

with hidet.script_module() as m:
    @hidet.script
    def one():
        attrs.func_kind = 'public'
        nowhere

    @hidet.script
    def two():
        attrs.func_kind = 'public'
        missing

m.build()
)";

QMenu* shownMenu(QWidget& parent) {
    for (QMenu* menu : parent.findChildren<QMenu*>())
        if (menu->isVisible())
            return menu;
    return nullptr;
}

} // namespace

class ReduceTest : public QObject {
    Q_OBJECT
private slots:
    void aProblemOfTheListBecomesASmallScript() {
        StudioFixture studio;
        studio.openText(longScript());
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("dock.problems"));
        auto& list = in<QTreeWidget>(studio, "problems.list");
        QTRY_VERIFY(list.topLevelItemCount() > 0);
        list.setCurrentItem(list.topLevelItem(0));
        const QString wanted = list.topLevelItem(0)->text(0);
        const QRect row = list.visualItemRect(list.topLevelItem(0));
        emit list.customContextMenuRequested(row.center());
        QTRY_VERIFY(shownMenu(studio.window()));
        QMenu* menu = shownMenu(studio.window());
        QAction* reduce = nullptr;
        for (QAction* action : menu->actions())
            if (action->text().startsWith("Reduce"))
                reduce = action;
        QVERIFY(reduce);
        menu->setActiveAction(reduce);
        QTest::keyClick(menu, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(studio.studio().tabs.documents().size(), 2, patience);
        const QByteArray text = studio.editor().bytes();
        QVERIFY2(text.startsWith("# hidetc check: "), text.constData());
        QVERIFY2(text.size() < longScript().size() / 4, text.constData());
        QVERIFY(studio.studio().tabs.current()->path().isEmpty());
        QVERIFY(studio.settle());
        QTRY_VERIFY(list.topLevelItemCount() > 0);
        QCOMPARE(list.topLevelItem(0)->text(0), wanted);
    }

    void theCommandMeansTheLineAtTheCaret() {
        StudioFixture studio;
        studio.openText(twoMistakes);
        QVERIFY(studio.settle());
        QAction* reduce = studio.studio().commands.find("edit.reduce");
        QTRY_VERIFY(reduce && reduce->isEnabled());
        studio.editor().setCaret(int(QByteArray(twoMistakes).indexOf("missing")));
        QVERIFY(studio.trigger("edit.reduce")); // before anything heard of the caret
        QTRY_COMPARE_WITH_TIMEOUT(studio.studio().tabs.documents().size(), 2, patience);
        QVERIFY2(studio.editor().bytes().contains("missing"), studio.editor().bytes().constData());
        QVERIFY2(!studio.editor().bytes().contains("nowhere"), studio.editor().bytes().constData());
    }

    void aScriptWithoutAProblemHasNothingToReduce() {
        StudioFixture studio;
        studio.openText("print(1)\n");
        QVERIFY(studio.settle());
        QVERIFY(!studio.trigger("edit.reduce"));
        studio.editor().setCaret(0);
        studio.type("nowhere\n");
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.trigger("edit.reduce"));
        QTRY_COMPARE_WITH_TIMEOUT(studio.studio().tabs.documents().size(), 2, patience);
        QVERIFY(studio.editor().bytes().endsWith("\nnowhere\n"));
    }

    void whatThereIsCanBeTaken() {
        StudioFixture studio;
        const QByteArray script = slowScript();
        studio.openText(script);
        QVERIFY(studio.settle());
        QTRY_VERIFY(studio.trigger("edit.reduce"));
        QVERIFY(studio.studio().reducer->isBusy());
        auto* notices = studio.window().findChild<NoticeBar*>();
        QVERIFY(notices);
        const auto isSmaller = [&] {
            static const QRegularExpression lines("(\\d+) line");
            const auto said = lines.match(notices->sentences().join('\n'));
            return said.hasMatch() && said.captured(1).toInt() < script.count('\n') / 2;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isSmaller(), patience);
        QVERIFY(notices->take("Use the current script"));
        QTRY_VERIFY_WITH_TIMEOUT(!studio.studio().reducer->isBusy(), patience);
        QVERIFY(notices->sentences().isEmpty());
        QCOMPARE(studio.studio().tabs.documents().size(), 2);
        const QByteArray taken = studio.editor().bytes();
        QVERIFY(taken.contains(".nowhere()") && taken.count('\n') < script.count('\n') / 2);
        QVERIFY(taken.contains("link500 = ")); // it was not at its end
    }
};

HIDET_UI_TEST_MAIN(ReduceTest)
#include "reduce_test.moc"
