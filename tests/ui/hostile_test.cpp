// SPDX-License-Identifier: GPL-3.0-only
// Scripts that are written to break their evaluator (tests/hostile), each opened in one window, which workers protect and compile
// for as they do for the program. Of each it is said that it was taken, and what went wrong with it; the table is HIDET_HOSTILE_SCRIPTS, or the
// one of containers.
#include <algorithm>
#include <cstdio>

#include "app/session/worker/worker_rehearser.h"
#include "app/ui/core/background.h"
#include "app/ui/core/settings.h"
#include "app/ui/workbench/compile_workers.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class HostileTest : public QObject {
    Q_OBJECT

    session::WorkerRehearser m_rehearser;

private slots:
    void initTestCase() { session::set_rehearser(&m_rehearser); }
    void cleanupTestCase() {
        waitForWork();
        session::set_rehearser(nullptr);
    }

    void noScriptEndsTheWindowOrItsEvaluator() {
        QFile table(
            qEnvironmentVariable("HIDET_HOSTILE_SCRIPTS", QStringLiteral(HIDET_TESTS "/hostile/containers.txt")));
        QVERIFY(table.open(QFile::ReadOnly));
        QList<QByteArray> scripts;
        for (const QByteArray& line : table.readAll().split('\n'))
            if (line.startsWith("#: "))
                scripts.append(line.sliced(3) + '\n');
            else if (!scripts.isEmpty())
                scripts.last() += line + '\n';
        QVERIFY(scripts.size() > 1);
        QTemporaryDir folder;
        const Settings settings(folder.filePath("settings.conf"), nullptr);
        StudioFixture studio({}, openCompileWorkers(settings));
        studio.openText("");
        int wrong = 0;
        for (const QByteArray& script : scripts) {
            const qsizetype end = script.indexOf('\n');
            forgetHighWater();
            const QByteArray trouble = take(studio, script.sliced(end + 1));
            const QByteArray title = script.first(end);
            if (!trouble.isEmpty() && ++wrong)
                std::printf("wrong: %s: %s\n", title.constData(), trouble.constData());
            std::printf("took: %lld %s\n", static_cast<long long>(highWater()), title.constData());
            std::fflush(stdout);
        }
        QCOMPARE(wrong, 0);
    }

private:
    // The most bytes that the process has had since; 0 where the system does not say.
    static void forgetHighWater() {
        QFile file("/proc/self/clear_refs");
        if (file.open(QFile::WriteOnly))
            file.write("5");
    }
    static qint64 highWater() {
        QFile file("/proc/self/status");
        if (!file.open(QFile::ReadOnly))
            return 0;
        const QByteArray status = file.readAll(); // "VmHWM: 123 kB"
        const qsizetype at = status.indexOf("VmHWM:");
        return at < 0 ? 0 : status.mid(at + 6, status.indexOf('k', at) - at - 6).trimmed().toLongLong() << 10;
    }
    static QByteArray take(StudioFixture& studio, const QByteArray& script) {
        studio.editor().replaceAll(script);
        if (!studio.settle())
            return "it does not settle";
        for (const auto& problem : studio.editor().problems())
            if (problem.diagnostic.id == "evaluation-ended" || problem.diagnostic.id == "internal-error")
                return QByteArray::fromStdString(problem.diagnostic.id);
        return {};
    }
};

HIDET_UI_TEST_MAIN(HostileTest)
#include "hostile_test.moc"
