// SPDX-License-Identifier: GPL-3.0-only
// The real program, killed in mid-edit: the next start has every text.
#include <csignal>

#include <QDirIterator>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include "app/ui/persistence/kept_session.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;

namespace {

class Program {
public:
    Program(const QString& home, QStringList arguments) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_STATE_HOME", home + "/state");
        environment.insert("XDG_CONFIG_HOME", home + "/config");
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(HIDET_STUDIO_PROGRAM, arguments);
    }
    ~Program() {
        m_process.kill();
        m_process.waitForFinished();
    }
    void kill() { // as the kernel does when memory is short: nothing can be caught
        ::kill(static_cast<pid_t>(m_process.processId()), SIGKILL);
        QVERIFY(m_process.waitForFinished());
    }
    void crash() { // its own handler has a say
        ::kill(static_cast<pid_t>(m_process.processId()), SIGSEGV);
        QVERIFY(m_process.waitForFinished());
        QCOMPARE(m_process.exitStatus(), QProcess::CrashExit);
    }
    bool end() { return m_process.waitForFinished() && m_process.exitStatus() == QProcess::NormalExit; }
    qint64 id() const { return m_process.processId(); }

private:
    QProcess m_process;
};

// The unsaved texts that lie in swap files now.
QList<QByteArray> swapped(const QString& home, qint64 process = 0) {
    QList<QByteArray> out;
    const QString pattern = process ? QString::number(process) + "-" : QString();
    QDirIterator files(home + "/state/hidet-studio/running", {"*.swap"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        files.next();
        if (!QFileInfo(files.fileInfo().path()).fileName().startsWith(pattern))
            continue;
        const auto json = readJson(files.filePath());
        const KeptDocument kept = json ? keptDocument(*json) : KeptDocument();
        if (kept.unsaved)
            out << *kept.unsaved;
    }
    return out;
}

QList<QByteArray> sessionTexts(const QString& home) {
    QList<QByteArray> out;
    if (const auto json = readJson(home + "/state/hidet-studio/sessions/last.json"))
        for (const KeptDocument& kept : keptSession(*json).documents)
            out << kept.unsaved.value_or("saved");
    return out;
}

} // namespace

class Recovery : public QObject {
    Q_OBJECT
private slots:
    void aKilledProgramLosesNoBuffer() {
        QTemporaryDir home;
        const QString file = home.filePath("a.py");
        {
            QFile written(file);
            QVERIFY(written.open(QIODevice::WriteOnly));
            written.write("x = 1\n");
        }
        Program first(home.path(), {file, "--do", "type y = 2\\n", "--do", "file.new", "--do", "type z = 3\\n"});
        QTRY_COMPARE_WITH_TIMEOUT(swapped(home.path()).size(), 2, 30'000);
        first.kill();
        // It quits by itself: what it has then is in the session.
        Program second(home.path(), {"--do", "wait", "--do", "file.quit"});
        QVERIFY(second.end());
        QCOMPARE(sessionTexts(home.path()), QList<QByteArray>({"y = 2\nx = 1\n", "z = 3\n"}));
        QVERIFY(swapped(home.path()).isEmpty());
    }

    void aCrashIsToldAtTheNextStartAndLosesNothing() {
        QTemporaryDir home;
        const QString told = home.filePath("state/hidet-studio/crash.txt");
        Program first(home.path(), {"--do", "file.new", "--do", "type kept = 1\\n"});
        QTRY_COMPARE_WITH_TIMEOUT(swapped(home.path()).size(), 1, 30'000);
        QVERIFY(!QFile::exists(told));
        first.crash();
        QFile line(told);
        QVERIFY(line.open(QIODevice::ReadOnly));
        QVERIFY(line.readAll().startsWith("SIGSEGV"));
        Program second(home.path(), {"--do", "wait", "--do", "file.quit"});
        QVERIFY(second.end());
        QVERIFY(!QFile::exists(told)); // it was told
        QCOMPARE(sessionTexts(home.path()), QList<QByteArray>{"kept = 1\n"});
    }

    void aScriptThatWasClosedUnsavedIsReopenedByALaterStart() {
        QTemporaryDir home;
        Program first(home.path(),
                      {"--do", "file.new", "--do", "type kept = 1\\n", "--do", "file.close", "--do", "file.quit"});
        QVERIFY(first.end());
        Program second(home.path(), {"--do", "file.reopen", "--do", "wait", "--do", "file.quit"});
        QVERIFY(second.end());
        QCOMPARE(sessionTexts(home.path()), QList<QByteArray>{"kept = 1\n"});
    }

    void twoProgramsDoNotDisturbEachOther() {
        QTemporaryDir home;
        Program first(home.path(), {"--do", "file.new", "--do", "type first = 1\\n"});
        QTRY_COMPARE_WITH_TIMEOUT(swapped(home.path(), first.id()).size(), 1, 30'000);
        Program second(home.path(), {"--do", "file.new", "--do", "type second = 2\\n"});
        QTRY_COMPARE_WITH_TIMEOUT(swapped(home.path(), second.id()).size(), 1, 30'000);
        QCOMPARE(swapped(home.path(), first.id()), QList<QByteArray>{"first = 1\n"});
        QCOMPARE(swapped(home.path(), second.id()), QList<QByteArray>{"second = 2\n"});
        second.kill();
        first.kill();
        Program third(home.path(), {"--do", "wait", "--do", "file.quit"});
        QVERIFY(third.end());
        QList<QByteArray> texts = sessionTexts(home.path());
        std::sort(texts.begin(), texts.end());
        QCOMPARE(texts, QList<QByteArray>({"first = 1\n", "second = 2\n"}));
    }

    void aNewWindowIsAProgramOfItsOwn() {
        QTemporaryDir home;
        Program first(home.path(), {"--do", "file.new_window", "--do", "wait"});
        const QDir running(home.path() + "/state/hidet-studio/running");
        QList<qint64> others;
        auto another = [&] {
            others.clear();
            for (const QString& name : running.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                if (const qint64 id = name.section('-', 0, 0).toLongLong(); id != first.id())
                    others << id;
            return others.size() == 1;
        };
        QTRY_VERIFY_WITH_TIMEOUT(another(), 30'000);
        first.kill();
        QCOMPARE(::kill(static_cast<pid_t>(others.first()), SIGTERM), 0); // it lives on without the first one
    }

    void aPictureThatDoesNotShowItsStateIsAFailure() {
        QTemporaryDir home;
        const QString program = home.filePath("hidet-studio"); // far from the samples
        QVERIFY(QFile::copy(HIDET_STUDIO_PROGRAM, program));
        QProcess process;
        process.setProgram(program);
        process.setArguments({"--screenshot", home.filePath("pictures"), "--state", "edit", "--theme", "light"});
        process.start();
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 1);
        QVERIFY(process.readAllStandardError().contains("naive_matmul.py cannot be opened"));
    }

    void aProgramThatIsKilledWhileItRestoresLosesNothingEither() {
        QTemporaryDir home;
        Program first(home.path(), {"--do", "file.new", "--do", "type kept = 1\\n"});
        QTRY_COMPARE_WITH_TIMEOUT(swapped(home.path()).size(), 1, 30'000);
        first.kill();
        for (int i = 0; i < 3; ++i) {
            Program next(home.path(), {});
            QTRY_COMPARE_WITH_TIMEOUT(swapped(home.path(), next.id()).size(), 1, 30'000);
            next.kill();
        }
        Program last(home.path(), {"--do", "wait", "--do", "file.quit"});
        QVERIFY(last.end());
        QCOMPARE(sessionTexts(home.path()), QList<QByteArray>{"kept = 1\n"});
    }
};

HIDET_UI_TEST_MAIN(Recovery)
#include "recovery_test.moc"
