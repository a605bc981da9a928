// SPDX-License-Identifier: GPL-3.0-only
// The first half hour of the manual, done with real keys as the page says, slips included: its scripts are typed, its keys are
// pressed, its commands are run.
#include <QApplication>
#include <QProcess>
#include <QRegularExpression>
#include <QSignalSpy>

#include "app/session/live/manual.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/verdict_strip.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

QString pageText() {
    const auto* page = hidet::session::assist::manual_page("first_half_hour");
    return page ? QString::fromUtf8(page->text.data(), qsizetype(page->text.size())) : QString();
}

// What stands between fences of a kind: "python", "" for commands' output.
QStringList blocksOf(const QString& text, const QString& kind) {
    QStringList out;
    const QRegularExpression fence("^```(\\w*)\\n(.*?)^```$", QRegularExpression::MultilineOption |
                                                                  QRegularExpression::DotMatchesEverythingOption);
    for (auto found = fence.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        if (match.captured(1) == kind)
            out << match.captured(2);
    }
    return out;
}

int blanksOf(const QString& line) {
    int out = 0;
    while (out < line.size() && line[out] == ' ')
        ++out;
    return out;
}

} // namespace

class HalfHour : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;
    QSet<QString> m_pressed;

    ScriptEditor& editor() { return m_studio->editor(); }
    QWidget* keyboard() { return QApplication::focusWidget() ? QApplication::focusWidget() : &m_studio->window(); }
    // A key as the page writes it.
    void press(const QString& keys) {
        m_pressed << keys;
        const QString portable = QString(keys).replace("Escape", "Esc");
        const QKeyCombination key = QKeySequence::fromString(portable, QKeySequence::PortableText)[0];
        QTest::keyClick(keyboard(), key.key(), key.keyboardModifiers(), 20);
    }
    void type(const QString& text) {
        for (const QChar letter : text)
            QTest::keyClicks(keyboard(), QString(letter));
    }
    // The indentation that Return gives is changed where it is not what is meant.
    void typeLine(const QString& line) {
        const int wanted = blanksOf(line);
        int at = editor().columnOf(editor().caret());
        for (; at > wanted; at = editor().columnOf(editor().caret()))
            QTest::keyClick(keyboard(), Qt::Key_Backspace);
        for (; at < wanted; at = editor().columnOf(editor().caret()))
            QTest::keyClick(keyboard(), Qt::Key_Tab);
        type(line.mid(wanted));
    }
    void typeScript(const QString& script) {
        const QStringList lines = script.split('\n');
        for (qsizetype i = 0; i < lines.size(); ++i) {
            if (i == 0) // goes on where the caret is
                type(lines[i]);
            else if (!lines[i].isEmpty())
                typeLine(lines[i]);
            if (i + 1 < lines.size())
                QTest::keyClick(keyboard(), Qt::Key_Return);
        }
    }
    // Blanks that Return has left in empty lines are nobody's.
    QByteArray typed() {
        QByteArray out;
        for (const QByteArray& line : editor().bytes().split('\n'))
            out += (line.trimmed().isEmpty() ? QByteArray() : line) + '\n';
        return out.trimmed();
    }
    void hasTyped(const QString& script) {
        const QStringList lines = QString::fromUtf8(typed()).split('\n'), wanted = script.trimmed().split('\n');
        for (qsizetype i = 0; i < std::max(lines.size(), wanted.size()); ++i)
            QCOMPARE(lines.value(i), wanted.value(i));
    }
    QString verdict() { return m_studio->window().findChild<VerdictStrip*>("verdict")->sentence(); }
    bool run(const QString& keys) {
        if (!m_studio->settle())
            return false;
        QSignalSpy reports(m_studio->studio().runs, &RunController::reportChanged); // when it begins, and when it ends
        press(keys);
        return QTest::qWaitFor([&] { return reports.size() >= 2 && !m_studio->studio().jobs->running(); }, 120'000);
    }
    // What a command of the page prints, in the folder of the script.
    QString printed(const QStringList& words) {
        QProcess process;
        process.setWorkingDirectory(m_studio->folder());
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(HIDETC_PROGRAM, words);
        process.waitForFinished(60'000);
        return QString::fromUtf8(process.readAll());
    }
    void says(const QString& output, const QString& block) {
        for (const QString& line : block.split('\n', Qt::SkipEmptyParts))
            QVERIFY2(output.contains(line), qPrintable("not said: " + line + "\nbut\n" + output));
    }
    static double predicted(const QString& output) { // microseconds
        const auto found = QRegularExpression("predicted +([0-9.]+) (ns|µs|ms)").match(output);
        const QString unit = found.captured(2);
        return found.captured(1).toDouble() * (unit == "ns" ? 1e-3 : unit == "ms" ? 1e3 : 1);
    }

private slots:
    void cleanup() { m_studio.reset(); }

    void itIsDoneAsThePageSays() {
        const QStringList scripts = blocksOf(pageText(), "python");
        const QStringList outputs = blocksOf(pageText(), "");
        QCOMPARE(scripts.size(), 3);
        QCOMPARE(outputs.size(), 2);
        m_studio = std::make_unique<StudioFixture>();

        // A script that runs.
        QCOMPARE(m_studio->window().pages().page(), QString("welcome"));
        press("Ctrl+N");
        auto* starts = editor().parentWidget()->findChild<QWidget*>("starts");
        QTRY_VERIFY(starts && starts->isVisible());
        press("Down");
        press("Return");
        QVERIFY(editor().bytes().contains("def elementwise"));
        QVERIFY(run("F5"));
        QVERIFY2(verdict().startsWith("Correct"), qPrintable(verdict()));
        QVERIFY2(verdict().contains("not checked:") && verdict().contains("; on "), qPrintable(verdict()));
        editor().setCaret(static_cast<int>(editor().bytes().indexOf("threadIdx")) + 2);
        press("F1");
        QVERIFY(m_studio->window().dock("manual")->isVisible());
        press("Escape");
        editor().setFocus();
        press("Ctrl+I");
        press("Escape");

        // A softmax that is correct.
        press("Ctrl+N");
        typeScript(scripts[0].section("import exp\n", 0, 0) + "import exq");
        QTest::keyClick(keyboard(), Qt::Key_Backspace); // a slip
        type("p");
        typeScript("\n" + scripts[0].section("import exp\n", 1).section("threadIdx.x\n", 0, 0) + "threa");
        QTRY_VERIFY(completes("threadIdx"));
        press("Tab");
        typeScript(".x\n" + scripts[0].section("threadIdx.x\n", 1));
        hasTyped(scripts[0]);
        m_studio->answerDialogs({m_studio->folder() + "/softmax.py"});
        QVERIFY(m_studio->trigger("file.save"));
        QVERIFY(run("F5"));
        QVERIFY2(verdict().startsWith("Correct"), qPrintable(verdict()));
        QVERIFY(run("Ctrl+F5"));
        QVERIFY2(verdict().startsWith("Correct") && !verdict().contains("races"), qPrintable(verdict()));
        const QString first = printed({"explain", "softmax.py"});
        says(first, outputs[0]);

        // Memory in whole lines.
        QVERIFY(m_studio->trigger("edit.select_all"));
        typeScript(QString(scripts[1]).replace("threadIdx, syncthreads\n", "threadIdx\n")); // an import is forgotten
        QVERIFY(mendImport());
        hasTyped(scripts[1]);
        QVERIFY(run("Ctrl+F5"));
        QVERIFY2(verdict().startsWith("Correct"), qPrintable(verdict()));
        QVERIFY(m_studio->trigger("file.save"));
        const QString second = printed({"explain", "softmax.py"});
        QVERIFY2(!second.contains("load of 'x'") && !second.contains("store of 'y'"), qPrintable(second));
        says(second, outputs[1]);
        const QByteArray whole = editor().bytes();
        QVERIFY(m_studio->find("syncthreads()"));
        type("pass");
        QVERIFY(run("Ctrl+F5"));
        QVERIFY2(verdict().startsWith("Wrong") && verdict().contains("nothing orders the two"), qPrintable(verdict()));
        editor().setFocus();
        while (editor().bytes() != whole)
            QTest::keyClick(keyboard(), Qt::Key_Z, Qt::ControlModifier);

        // No bank conflicts.
        press("Ctrl+F");
        type("32, columns");
        auto* bar = FindBar::of(editor());
        QTRY_VERIFY(!bar->isSearching() && bar->hits().size() == 1);
        press("Escape");
        QVERIFY(editor().hasFocus());
        type("32, columns + 1");
        QVERIFY(m_studio->find("attrs.func_kind"));
        QTest::keyClick(keyboard(), Qt::Key_Left);
        type("# studio: expect conflicts == 0, coalesced >= 0.9");
        QTest::keyClick(keyboard(), Qt::Key_Return);
        hasTyped(scripts[2]);
        QVERIFY(run("F5"));
        QVERIFY2(verdict().startsWith("Correct"), qPrintable(verdict()));
        QVERIFY(m_studio->trigger("file.save"));
        QCOMPARE(printed({"check", "--contracts", "softmax.py"}).count(": kept: "), 2);
        const QString last = printed({"explain", "softmax.py"});
        QVERIFY2(!last.contains("conflict:") && !last.contains("times the sectors"), qPrintable(last));
        QVERIFY2(predicted(first) > 35 * predicted(last), qPrintable(first + last));

        // Where to go on.
        press("Ctrl+Shift+P");
        press("Escape");
        press("Ctrl+K");
        press("Escape");
        press("Alt+2");
        QCOMPARE(m_studio->window().mode(), Mode::Lower);
        everyKeyOfThePageWasPressed();
    }

private:
    bool completes(const std::string& name) {
        auto* list = m_studio->window().findChild<CompletionPopup*>("completions");
        return list && list->isVisible() && list->chosen() && list->chosen()->label == name;
    }
    // The name that was left out of the imports, taken from the list as the page says.
    bool mendImport() {
        const int at = static_cast<int>(editor().bytes().indexOf("syncthreads()"));
        editor().setFocus();
        editor().setCaret(at + 3);
        if (!QTest::qWaitFor([&] { return !editor().fixesAt(editor().lineOf(editor().caret())).empty(); }, 10'000))
            return false;
        press("Alt+Return");
        QTest::keyClick(keyboard(), Qt::Key_Return);
        return editor().bytes().contains("import blockIdx, threadIdx, syncthreads\n");
    }
    void everyKeyOfThePageWasPressed() {
        const QRegularExpression span("`((?:Ctrl\\+|Alt\\+|Shift\\+)*(?:[A-Z0-9]|F\\d+|Down|Return|Tab|Escape))`");
        QStringList missing;
        for (auto found = span.globalMatch(pageText()); found.hasNext();)
            if (const QString keys = found.next().captured(1); !m_pressed.contains(keys))
                missing << keys;
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
    }
};

HIDET_UI_TEST_MAIN(HalfHour)
#include "half_hour_test.moc"
