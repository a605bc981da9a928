// SPDX-License-Identifier: GPL-3.0-only
// Five hundred random commands, keys and edits, the same in every run: nothing crashes, nothing warns, and no text is lost.
#include <random>

#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

constexpr int action_count = 500;
// They end the program or hand over to another one.
const QStringList left_out = {"file.quit", "file.new_window"};

constexpr const char* typed[] = {"\n",  "x", "(", ")", ":", "    ", "def f():\n", "\"", "#", "for i in grid(4):\n",
                                 "1.0", "."};

} // namespace

class Random : public QObject {
    Q_OBJECT
private slots:
    void nothingCrashesAndNothingWarns() {
        StudioFixture studio;
        std::mt19937 random(20'261); // a fixed seed
        QVERIFY(studio.openSample("naive_matmul"));
        for (int i = 0; i < action_count; ++i) {
            switch (random() % 5) {
            case 0:
            case 1: command(studio, random); break;
            case 2: edit(studio, random); break;
            case 3: key(studio, random); break;
            case 4: QTest::qWait(static_cast<int>(random() % 5)); break;
            }
            checkTextsAgree(studio);
        }
        QVERIFY(!studio.studio().tabs.current() || studio.settle());
    }

private:
    template <class Random>
    static void command(StudioFixture& studio, Random& random) {
        const QList<QAction*> all = studio.studio().commands.all();
        QAction* action = all[static_cast<qsizetype>(random() % static_cast<unsigned>(all.size()))];
        // A sample that is opened where it is installed would be saved there.
        if (left_out.contains(Commands::idOf(action)) || Commands::idOf(action).startsWith("file.sample.") ||
            !action->isEnabled())
            return;
        action->trigger();
    }
    template <class Random>
    static void edit(StudioFixture& studio, Random& random) {
        ScriptEditor* editor = studio.window().editors().current();
        if (!editor) {
            studio.openSample("softmax");
            return;
        }
        const int size = std::max(1, editor->byteCount());
        editor->setCaret(static_cast<int>(random() % static_cast<unsigned>(size)));
        test::typeInto(*editor, typed[random() % std::size(typed)]);
    }
    template <class Random>
    static void key(StudioFixture& studio, Random& random) {
        constexpr Qt::Key keys[] = {Qt::Key_Tab,      Qt::Key_Escape, Qt::Key_Down,   Qt::Key_Up,        Qt::Key_Return,
                                    Qt::Key_PageDown, Qt::Key_Home,   Qt::Key_Delete, Qt::Key_Backspace, Qt::Key_F6};
        QWidget* target = QApplication::focusWidget() ? QApplication::focusWidget() : &studio.window();
        QTest::keyClick(target, keys[random() % std::size(keys)], random() % 8 ? Qt::NoModifier : Qt::ShiftModifier);
    }
    // What the document holds is what the editor shows.
    static void checkTextsAgree(StudioFixture& studio) {
        for (Document* document : studio.studio().tabs.documents()) {
            ScriptEditor* editor = studio.window().editors().editorOf(*document);
            QVERIFY(editor);
            QCOMPARE(editor->bytes(), document->text());
        }
    }
};

HIDET_UI_TEST_MAIN(Random)
#include "random_test.moc"
