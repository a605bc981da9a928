// SPDX-License-Identifier: GPL-3.0-only
// Who has the room of the window: docks that come and go, tabs with their names, the width of the script.
#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QTableView>
#include <QToolButton>

#include "app/ui/code/carets.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/verdict_strip.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QByteArray fine = "size = 4\nprint(size)\n";

} // namespace

class SpaceTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    ScriptEditor& editor() { return m_studio->editor(); }
    bool isOpen(const char* id) { return m_studio->window().dock(id)->isVisible(); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers, 30);
    }
    void type(const QString& text) {
        for (const QChar letter : text)
            QTest::keyClicks(QApplication::focusWidget(), QString(letter), {}, 40);
    }
    void openQuietly(const QByteArray& text) {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->studio().settings.set(Setting::QuietDocks, true);
        m_studio->openText(text);
        editor().setFocus();
        QVERIFY(m_studio->settle());
    }

private slots:
    void cleanup() { m_studio.reset(); }

    void docksComeWithAMistakeAndGoWithItsEnd() {
        openQuietly(fine);
        QTRY_VERIFY(!isOpen("problems") && !isOpen("run"));
        editor().setCaret(static_cast<int>(fine.indexOf("size)")));
        type("x");
        QVERIFY(!isOpen("problems")); // not between two keys
        QTRY_VERIFY(isOpen("problems"));
        QVERIFY(!m_studio->window().dock("problems")->visibleRegion().isEmpty()); // in front
        QVERIFY(editor().hasFocus());
        key(Qt::Key_Backspace);
        QTRY_VERIFY(!isOpen("problems") && !isOpen("run"));
        QVERIFY(editor().hasFocus());
    }

    void aDockWithTheKeyboardStaysOpen() {
        openQuietly("print(sise)\n");
        QTRY_VERIFY(isOpen("problems"));
        key(Qt::Key_P, Qt::AltModifier | Qt::ShiftModifier);
        QVERIFY(!editor().hasFocus());
        editor().replaceAll("print(4)\n");
        QVERIFY(m_studio->settle());
        QTest::qWait(1'600); // longer than they wait
        QVERIFY(isOpen("problems"));
    }

    void whatTheUserHasOpenedStaysAndWhatHeHasClosedIsNotOpenedAgain() {
        openQuietly(fine);
        QTRY_VERIFY(!isOpen("problems"));
        key(Qt::Key_R, Qt::AltModifier | Qt::ShiftModifier);
        QVERIFY(isOpen("run"));
        key(Qt::Key_Escape);
        QVERIFY(editor().hasFocus());
        QTest::qWait(1'600);
        QVERIFY(isOpen("run"));
        key(Qt::Key_R, Qt::AltModifier | Qt::ShiftModifier);
        key(Qt::Key_R, Qt::AltModifier | Qt::ShiftModifier);
        QVERIFY(!isOpen("run"));
        QVERIFY(editor().hasFocus());
        QTest::qWait(1'600);
        QVERIFY(!isOpen("run"));
    }

    void tabsKeepTheirNamesAndAListHasAllOfThem() {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->window().resize(1280, 800);
        for (const char* name : {"cluster_histogram", "double_buffered_matmul", "tensor_core_attention",
                                 "multistage_matmul", "swizzled_transpose", "vector_addition", "warp_reduction"})
            QVERIFY(m_studio->openSample(name));
        auto* tabs = m_studio->window().findChild<QTabBar*>("documents");
        QTRY_COMPARE(tabs->count(), 7);
        for (int i = 0; i < tabs->count(); ++i)
            QVERIFY(tabs->tabRect(i).width() > tabs->fontMetrics().horizontalAdvance(tabs->tabText(i)));
        auto* menus = m_studio->window().findChild<QMenuBar*>("menus");
        for (const QAction* menu : menus->actions()) // tabs give way, not menus
            QVERIFY2(
                menus->rect().contains(menus->actionGeometry(const_cast<QAction*>(menu))),
                qPrintable(
                    QString("%1 in %2 of %3").arg(menu->text()).arg(menus->width()).arg(menus->sizeHint().width())));
        auto* all = m_studio->window().findChild<QToolButton*>("allTabs");
        QTRY_VERIFY(all->isVisible());
        emit all->menu()->aboutToShow();
        QCOMPARE(all->menu()->actions().size(), 7);
        all->menu()->actions()[1]->trigger();
        QCOMPARE(m_studio->studio().tabs.current()->title(), QString("double_buffered_matmul.py"));
    }

    void aScriptHasNinetyColumnsAt1600Pixels() {
        m_studio = std::make_unique<StudioFixture>();
        m_studio->window().resize(1600, 1000);
        m_studio->openText("x = '" + QByteArray(84, '.') + "'\n"); // 90 letters
        QTRY_COMPARE(m_studio->window().width(), 1600);
        QCoreApplication::processEvents();
        m_studio->window().resetLayout();
        QCoreApplication::processEvents();
        const int end = static_cast<int>(ask(editor(), QsciScintilla::SCI_POINTXFROMPOSITION, 0, 90));
        QVERIFY2(end <= editor().viewport()->width(), qPrintable(QString::number(end)));
    }

    void arrowsInTheListOfPassesMoveThePane() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(m_studio->openSample("naive_matmul"));
        QVERIFY(m_studio->trigger("view.mode_lower"));
        QVERIFY(m_studio->settle());
        QVERIFY(m_studio->trigger("dock.passes"));
        auto* table = m_studio->window().findChild<QTableView*>("passes.table");
        QTRY_VERIFY(table->model()->rowCount() > 3);
        table->setFocus();
        key(Qt::Key_Home, Qt::ControlModifier);
        const StageName before = m_studio->studio().stages.shownIr();
        key(Qt::Key_Down);
        key(Qt::Key_Down);
        QTRY_VERIFY(!(m_studio->studio().stages.shownIr() == before));
        QVERIFY(table->hasFocus());
        const StageName second = m_studio->studio().stages.shownIr();
        key(Qt::Key_Up);
        QTRY_VERIFY(!(m_studio->studio().stages.shownIr() == second));
    }
};

HIDET_UI_TEST_MAIN(SpaceTest)
#include "space_test.moc"
