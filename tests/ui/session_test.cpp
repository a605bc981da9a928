// SPDX-License-Identifier: GPL-3.0-only
// What is kept from start to start, and what happens to the files of open scripts.
#include <QJsonArray>

#include "app/ui/program/session_keeper.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

// Another start of the program, with the state that the one before left.
struct Start {
    explicit Start(const QString& state, SessionOptions options = {}) : keeper(studio.window(), state, options) {
        keeper.start();
    }
    StudioFixture studio;
    SessionKeeper keeper;
};

} // namespace

class SessionTest : public QObject {
    Q_OBJECT
private slots:
    void whatALayoutNamesIsShownAgain() {
        StudioFixture studio;
        const QStringList names{"ir",
                                "ir:script",
                                "ir:simplify",
                                "ir:simplify#2",
                                "cuda",
                                "cpp",
                                "ptx",
                                "sass",
                                "diff:side:@before|@after",
                                "diff:inline:baseline:cuda@matmul|ir:simplify#2"};
        StageArea& area = studio.window().stages();
        area.restore({{"panes", QJsonArray::fromStringList(names + QStringList{"no_such_form"})}, {"current", 0}});
        QStringList shown;
        for (Pane* pane : area.panes())
            shown << pane->state();
        QCOMPARE(shown, names + QStringList{"ir"});
        for (const StageName& stage : generatedStages())
            QVERIFY(names.contains(stage.key()));
    }

    void everythingIsThereAgainAfterQuitting() {
        QTemporaryDir state;
        const QString file = state.filePath("a.py");
        write(file, "x = 1\ny = 2\n");
        {
            Start first(state.path());
            FileError error;
            QVERIFY(first.studio.studio().tabs.open(file, error));
            first.studio.editor().replaceAll("x = 1\ny = 3\n");
            first.studio.openText("z = 0\n");
            first.studio.studio().tabs.setCurrent(first.studio.studio().tabs.documents().first());
            first.studio.editor().setCaret(8);
            first.keeper.end();
        }
        QCOMPARE(contentOf(file), QByteArray("x = 1\ny = 2\n")); // nothing was saved behind the user's back
        Start second(state.path());
        const auto& documents = second.studio.studio().tabs.documents();
        QCOMPARE(documents.size(), 2);
        QCOMPARE(documents[0]->text(), QByteArray("x = 1\ny = 3\n"));
        QVERIFY(documents[0]->isModified());
        QCOMPARE(second.studio.editor().bytes(), documents[0]->text());
        QCOMPARE(second.studio.editor().caret(), 8);
        QCOMPARE(documents[1]->title(), QString("Untitled 1"));
        QCOMPARE(documents[1]->text(), QByteArray("z = 0\n"));
        second.keeper.end();
    }

    void aSecondWindowLeavesTheSessionAloneAndLosesNothing() {
        QTemporaryDir state;
        {
            Start first(state.path());
            first.studio.openText("first = 1\n");
            {
                Start second(state.path());
                QVERIFY(first.keeper.ownsSession());
                QVERIFY(!second.keeper.ownsSession());
                QVERIFY(second.studio.studio().tabs.documents().isEmpty());
                second.studio.openText("second = 2\n");
                second.keeper.end();
            }
            first.keeper.end();
        }
        Start third(state.path());
        QList<QByteArray> texts;
        for (const Document* document : third.studio.studio().tabs.documents())
            texts << document->text();
        QVERIFY(texts.contains("first = 1\n"));
        QVERIFY(texts.contains("second = 2\n"));
        QVERIFY(third.studio.window().notices().sentences().join(' ').contains("another window"));
        third.keeper.end();
    }

    void withoutRestoringOnlyUnsavedTextComesBack() {
        QTemporaryDir state;
        const QString file = state.filePath("a.py");
        write(file, "x = 1\n");
        {
            Start first(state.path());
            FileError error;
            QVERIFY(first.studio.studio().tabs.open(file, error));
            first.studio.openText("z = 0\n");
            first.keeper.end();
        }
        Start second(state.path(), {"last", false, false});
        QCOMPARE(second.studio.studio().tabs.documents().size(), 1);
        QCOMPARE(second.studio.studio().tabs.documents()[0]->text(), QByteArray("z = 0\n"));
        second.keeper.end();
    }

    void layoutsOfModesAreKept() {
        QTemporaryDir state;
        {
            Start first(state.path());
            first.studio.openText("x = 1\n");
            QVERIFY(first.studio.trigger("view.mode_lower"));
            first.keeper.end();
        }
        Start second(state.path());
        QCOMPARE(second.studio.window().mode(), Mode::Lower);
        second.keeper.end();
    }

    void damagedStateIsNoHindrance() {
        QTemporaryDir state;
        QVERIFY(QDir(state.path()).mkpath("sessions"));
        QVERIFY(QDir(state.path()).mkpath("running/1-dead"));
        write(state.filePath("sessions/last.json"), "{\"documents\": [1, {\"path\": 7}, {}], \"current\": 99");
        write(state.filePath("running/1-dead/x.swap"), "no JSON at all");
        write(state.filePath("running/1-dead/session.json"), "[]");
        Start start(state.path());
        QCOMPARE(start.studio.studio().tabs.documents().size(), 0);
        start.keeper.end();
    }

    void whatACrashCameUponIsOfferedAndNotOpened() {
        QTemporaryDir state;
        const QString model = state.filePath("bad.json"), script = state.filePath("a.py");
        write(model, R"({"format": "hidet-graph"})");
        write(script, "x = 1\n");
        const QString dead = state.filePath("running/1-dead");
        QVERIFY(QDir().mkpath(dead));
        KeptSession crashed;
        crashed.documents.emplace_back().path = model;
        crashed.documents.emplace_back().path = script;
        crashed.current = 1;
        QVERIFY(writeJson(dead + "/session.json", toJson(crashed)));
        QVERIFY(writeJson(dead + "/opening", {{"paths", QJsonArray{model}}}));
        Start start(state.path());
        QVERIFY(start.studio.studio().tabs.models().isEmpty());
        QCOMPARE(start.studio.studio().tabs.documents().size(), 1);
        QCOMPARE(start.studio.studio().tabs.current()->path(), script);
        QCOMPARE(start.studio.window().notices().sentences(),
                 QStringList("Hidet Studio crashed while it opened bad.json"));
        QVERIFY(start.studio.window().notices().take("Open bad.json"));
        QCOMPARE(start.studio.studio().tabs.models().size(), 1);
        start.keeper.end();
    }

    void filesAreNotedWhileTheyAreOpened() {
        QTemporaryDir state;
        const QString model = state.filePath("bad.json");
        write(model, R"({"format": "hidet-graph"})");
        Start start(state.path());
        const auto noted = [&] {
            const QDir running(state.filePath("running"));
            const QString folder = running.entryList(QDir::Dirs | QDir::NoDotAndDotDot).value(0);
            return contentOf(running.filePath(folder) + "/opening");
        };
        LiveModel* opened = start.studio.studio().tabs.openModel(model);
        QVERIFY(noted().contains("bad.json"));
        QTRY_VERIFY(!opened->graphs().isBusy());
        QTRY_COMPARE(noted(), QByteArray("cannot be read"));
        start.keeper.end();
    }

    void aClosedScriptWithUnsavedTextCanBeReopened() {
        StudioFixture studio;
        studio.openText("x = 1\n");
        QVERIFY(studio.trigger("file.close"));
        QVERIFY(studio.studio().tabs.documents().isEmpty());
        QCOMPARE(studio.window().notices().sentences(), QStringList("Closed Untitled 1 with unsaved changes"));
        QVERIFY(studio.window().notices().take("Reopen"));
        QCOMPARE(studio.studio().tabs.documents().size(), 1);
        QCOMPARE(studio.editor().bytes(), QByteArray("x = 1\n"));
        QVERIFY(studio.studio().tabs.current()->isModified());
    }

    void anUnchangedScriptFollowsItsFile() {
        StudioFixture studio;
        const QString file = studio.folder() + "/a.py";
        write(file, "x = 1\n");
        FileError error;
        QVERIFY(studio.studio().tabs.open(file, error));
        write(file, "x = 2\n");
        QTRY_COMPARE(studio.editor().bytes(), QByteArray("x = 2\n"));
        QVERIFY(!studio.studio().tabs.current()->isModified());
        QVERIFY(studio.trigger("edit.undo"));
        QCOMPARE(studio.editor().bytes(), QByteArray("x = 1\n"));
    }

    void aFileThatIsReplacedIsStillWatched() {
        StudioFixture studio;
        const QString file = studio.folder() + "/a.py";
        write(file, "x = 1\n");
        FileError error;
        QVERIFY(studio.studio().tabs.open(file, error));
        for (const QByteArray text : {"x = 2\n", "x = 3\n"}) {
            FileError ignored;
            QVERIFY(writeTextFile(file, {text, {}}, ignored)); // through another file, as many editors do
            QTRY_COMPARE(studio.editor().bytes(), text);
        }
    }

    void aChangedScriptIsNotOverwrittenByItsFile() {
        StudioFixture studio;
        const QString file = studio.folder() + "/a.py";
        write(file, "x = 1\n");
        FileError error;
        QVERIFY(studio.studio().tabs.open(file, error));
        studio.editor().replaceAll("x = 9\n");
        write(file, "x = 2\n");
        QTRY_COMPARE(studio.window().notices().sentences(), QStringList("a.py changed on disk, and has changes here"));
        QCOMPARE(studio.editor().bytes(), QByteArray("x = 9\n"));
        QVERIFY(studio.window().notices().take("Reload"));
        QCOMPARE(studio.editor().bytes(), QByteArray("x = 2\n"));
        QVERIFY(!studio.studio().tabs.current()->isModified());
    }

    void whatANoticeOffersCanBeDoneByCommand() {
        StudioFixture studio;
        const QString file = studio.folder() + "/a.py";
        write(file, "x = 1\n");
        FileError error;
        QVERIFY(studio.studio().tabs.open(file, error));
        QVERIFY(!studio.trigger("file.keep_mine"));
        studio.editor().replaceAll("x = 9\n");
        write(file, "x = 2\n");
        QTRY_COMPARE(studio.window().notices().sentences().size(), 1);
        QVERIFY(studio.trigger("file.show_changes"));
        QCOMPARE(studio.window().pages().page(), QString("changes"));
        QVERIFY(studio.trigger("file.keep_mine"));
        QVERIFY(studio.window().notices().sentences().isEmpty());
        QVERIFY(!studio.trigger("file.keep_mine"));
        QCOMPARE(studio.editor().bytes(), QByteArray("x = 9\n"));
        QCOMPARE(studio.studio().tabs.current()->saved(), QByteArray("x = 2\n"));
        studio.studio().notices.showError("Something went wrong");
        QVERIFY(studio.trigger("view.dismiss"));
        QVERIFY(studio.window().notices().sentences().isEmpty());
        QVERIFY(!studio.trigger("view.dismiss"));
    }

    void aFileThatIsGoneIsKeptHereAndCanBeSavedAgain() {
        StudioFixture studio;
        const QString file = studio.folder() + "/a.py";
        write(file, "x = 1\n");
        FileError error;
        QVERIFY(studio.studio().tabs.open(file, error));
        QVERIFY(QFile::remove(file));
        QTRY_VERIFY(studio.studio().tabs.current()->isModified());
        QVERIFY(studio.window().notices().take("Save again"));
        QCOMPARE(contentOf(file), QByteArray("x = 1\n"));
        QVERIFY(!studio.studio().tabs.current()->isModified());
    }

    void savingKeepsPermissionsLinksAndTheLastLine() {
        StudioFixture studio;
        const QString file = studio.folder() + "/real.py", link = studio.folder() + "/link.py";
        write(file, "\xEF\xBB\xBFx = 1\r\ny = 2");
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QVERIFY(QFile::link(file, link));
        FileError error;
        QVERIFY(studio.studio().tabs.open(link, error));
        studio.editor().replaceAll("x = 1\ny = 3");
        QVERIFY(studio.trigger("file.save"));
        QVERIFY(QFileInfo(link).isSymLink());
        QCOMPARE(contentOf(file), QByteArray("\xEF\xBB\xBFx = 1\r\ny = 3"));
        QVERIFY(QFile::permissions(file) & QFile::ExeOwner);
        QVERIFY(!(QFile::permissions(file) & QFile::ReadOther));
    }

    void aScriptThatCannotBeSavedCanBeSavedElsewhere() {
        StudioFixture studio;
        const QString folder = studio.folder() + "/gone";
        QVERIFY(QDir().mkpath(folder));
        write(folder + "/a.py", "x = 1\n");
        FileError error;
        QVERIFY(studio.studio().tabs.open(folder + "/a.py", error));
        QVERIFY(QDir(folder).removeRecursively());
        QVERIFY(studio.trigger("file.save"));
        studio.answerDialogs({studio.folder() + "/b.py"});
        QVERIFY(studio.window().notices().take("Save elsewhere"));
        QCOMPARE(contentOf(studio.folder() + "/b.py"), QByteArray("x = 1\n"));
        QCOMPARE(studio.studio().tabs.current()->title(), QString("b.py"));
    }
};

HIDET_UI_TEST_MAIN(SessionTest)
#include "session_test.moc"
