// SPDX-License-Identifier: GPL-3.0-only
// Keys of commands write nothing, whether or not the command can be done, wherever the keyboard is.
#include <QAbstractSpinBox>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>

#include "app/ui/editor/editor_pane.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QByteArray script = "import hidet\nx = 1\n";

// What a display sends with the key: the letter, also while Alt or Meta is held.
QString textOf(const QKeyCombination& keys) {
    const int key = keys.key();
    if (key <= Qt::Key_Space || key >= Qt::Key_Escape)
        return {};
    const QChar letter(key);
    return keys.keyboardModifiers() & Qt::ShiftModifier ? letter.toUpper() : letter.toLower();
}

void press(QWidget& widget, const QKeySequence& keys) {
    QTest::sendKeyEvent(QTest::Click, &widget, keys[0].key(), textOf(keys[0]), keys[0].keyboardModifiers());
}

} // namespace

class KeysTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    // Every key of every command, which cannot be done meanwhile.
    QStringList written(QWidget& widget, const std::function<QByteArray()>& text) {
        QStringList out;
        for (QAction* action : m_studio->studio().commands.all())
            for (const QKeySequence& keys : action->shortcuts()) {
                const bool possible = action->isEnabled();
                action->setEnabled(false);
                const QByteArray before = text();
                widget.setFocus();
                press(widget, keys);
                if (text() != before)
                    out << keys.toString() + ": " + QString::fromUtf8(text());
                action->setEnabled(possible);
            }
        return out;
    }
    QStringList writtenInto(QLineEdit& field) {
        field.setText("");
        return written(field, [&] { return field.text().toUtf8(); });
    }

private slots:
    void init() {
        QApplication::clipboard()->clear();
        m_studio = std::make_unique<StudioFixture>();
        m_studio->studio().settings.set(Setting::CompleteWhileTyping, false);
        m_studio->openText(script);
    }
    void cleanup() { m_studio.reset(); }

    void theyWriteNothingIntoAScript() {
        ScriptEditor& editor = m_studio->editor();
        editor.setCaret(editor.byteCount());
        QCOMPARE(written(editor, [&] { return editor.bytes(); }), QStringList());
        QCOMPARE(editor.bytes(), script);
    }

    void norDoKeysThatNoCommandHas() {
        ScriptEditor& editor = m_studio->editor();
        editor.setFocus();
        for (const char* keys : {"Alt+Z", "Alt+Shift+Z", "Meta+Z", "Ctrl+1", "Ctrl+;", "Alt+9"})
            press(editor, QKeySequence(keys));
        QCOMPARE(editor.bytes(), script);
    }

    void whatIsTypedWithAltGrIsText() {
        ScriptEditor& editor = m_studio->editor();
        editor.setCaret(editor.byteCount());
        editor.setFocus();
        QTest::sendKeyEvent(QTest::Click, &editor, Qt::Key_At, "@", Qt::ControlModifier | Qt::AltModifier);
        QTest::sendKeyEvent(QTest::Click, &editor, Qt::Key_BracketLeft, "[", Qt::GroupSwitchModifier);
        QVERIFY2(editor.bytes().startsWith(script + "@["), editor.bytes().constData());
    }

    void theyWriteNothingIntoTheFieldsOfAnyPage_data() {
        QTest::addColumn<QString>("command");
        for (const char* command :
             {"view.settings", "view.shortcuts", "help.welcome", "help.about", "view.palette", "go.quick_open",
              "edit.find", "edit.replace", "go.line", "view.mode_run", "view.mode_lower"})
            QTest::newRow(command) << QString(command);
    }
    void theyWriteNothingIntoTheFieldsOfAnyPage() {
        QFETCH(QString, command);
        QVERIFY(m_studio->trigger(command));
        QVERIFY(m_studio->settle());
        QStringList out;
        const QList<QLineEdit*> fields = m_studio->window().findChildren<QLineEdit*>();
        for (QLineEdit* field : fields)
            if (field->isVisible() && field->isEnabled() && !field->isReadOnly() && !field->validator() &&
                !qobject_cast<QAbstractSpinBox*>(field->parentWidget()) &&
                !qobject_cast<QComboBox*>(field->parentWidget()))
                out << writtenInto(*field);
        QCOMPARE(out, QStringList());
    }

    void theyWriteNothingIntoAnEditableBox() {
        QComboBox box(&m_studio->window());
        box.setEditable(true);
        box.show();
        QCOMPARE(written(box, [&] { return box.currentText().toUtf8(); }), QStringList());
    }

    void theReasonIsSaid() {
        QSignalSpy said(&m_studio->studio().notices, &Notices::said);
        press(m_studio->editor(), QKeySequence("Alt+4"));
        QCOMPARE(said.count(), 1);
        QCOMPARE(said[0][0].toString(), QString("Graph mode: no model is open"));
    }
};

HIDET_UI_TEST_MAIN(KeysTest)
#include "keys_test.moc"
