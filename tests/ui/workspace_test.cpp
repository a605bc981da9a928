// SPDX-License-Identifier: GPL-3.0-only
// A workspace as a file: what is open comes back from it elsewhere and later, and nothing that could not be put back is lost.
#include <sys/stat.h>

#include <QDropEvent>
#include <QJsonArray>
#include <QMimeData>
#include <QRandomGenerator>
#include <QUrl>

#include "app/ui/core/paths.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/persistence/settings_file.h"
#include "app/ui/persistence/workspace_paths.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/workspace_keeper.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;
namespace session = hidet::session;

namespace {

const QByteArray scaling = "import hidet\n"
                           "from hidet.lang import attrs, f32\n"
                           "from hidet.lang.cuda import threadIdx\n"
                           "with hidet.script_module() as module:\n"
                           "    @hidet.script\n"
                           "    def scale(a: f32[64], b: f32[64]):\n"
                           "        attrs.func_kind = 'cuda_kernel'\n"
                           "        attrs.cuda.grid_dim = 1\n"
                           "        attrs.cuda.block_dim = 64\n"
                           "        b[threadIdx.x] = a[threadIdx.x] * 2.0\n"
                           "kernel = module.build()\n";

QByteArray textIn(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

void put(const QString& path, const QByteArray& text) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

// The first line in which they differ; empty: none.
QByteArray difference(const QByteArray& one, const QByteArray& other) {
    const QList<QByteArray> left = one.split('\n'), right = other.split('\n');
    for (qsizetype i = 0; i < std::max(left.size(), right.size()); ++i)
        if (left.value(i) != right.value(i))
            return "line " + QByteArray::number(i + 1) + ":" + left.value(i) + " | " + right.value(i) + " | after " +
                   left.mid(std::max<qsizetype>(0, i - 6), 6).join('\n');
    return {};
}

class RandomState {
public:
    explicit RandomState(quint32 seed) : m_random(seed) {}

    Workspace make(const QString& folder) {
        Workspace out;
        for (int i = below(5); i >= 0; --i)
            out.session.documents << document(folder);
        out.session.current = below(int(out.session.documents.size()));
        out.session.layout = {{"mode", "edit"}, {"edit", QJsonObject{{"script", below(100)}, {"stages", stages(3)}}}};
        if (below(2))
            out.session.pins << KeptPin{1 + below(9), word(), lines().toUtf8(), "ir:simplify"};
        out.settings = {{"live/arch", "sm_80"}, {"run/copy_steps", below(900)}, {"of/tomorrow", word()}};
        if (below(2))
            out.others["later"] = QJsonObject{{word(), below(7)}};
        if (below(2))
            out.othersOf[keyOf(out.session.documents.first())] = {{"zoom", below(9)}};
        return out;
    }

private:
    int below(int limit) { return m_random.bounded(limit); }
    QString word() {
        static const QStringList words{"matmul", "soft max", "größe", "行列", "a'b\"c\\d", "$x", "..z", "f#1"};
        return words[below(int(words.size()))];
    }
    QString lines() {
        QString out = word();
        for (int i = below(4); i > 0; --i)
            out += '\n' + word();
        return out;
    }
    KeptDocument document(const QString& folder) {
        KeptDocument out;
        const QString file = word() + QString::number(m_count++) + ".py";
        switch (below(4)) {
        case 0: out.path = folder + '/' + file; break;
        case 1: out.path = folder + "/deep er/" + word() + '/' + file; break;
        case 2: out.path = QDir::cleanPath(folder + "/../" + file); break;
        default: out.number = 1 + m_count; out.unsaved = lines().toUtf8();
        }
        out.line = 1 + below(50);
        out.column = 1 + below(50);
        out.firstLine = below(9);
        if (below(2))
            out.folded = {1 + below(5), 7 + below(5)};
        if (below(2))
            out.calls << "matmul(" + QString::number(below(99)) + ")";
        if (below(2))
            out.inputs = {{word(), folder + "/a b.npy"}};
        if (below(2))
            out.plans = {
                {"plan",
                 QJsonObject{{"function", word()},
                             {"arguments", QJsonArray{QJsonObject{{"name", "a"}, {"file", folder + "/a b.npy"}}}}}}};
        return out;
    }
    QJsonObject stages(int depth) {
        if (depth == 0 || below(2))
            return {{"panes", QJsonArray{"ir", "cuda"}}, {"current", below(2)}};
        return {{"split", "right"},
                {"children", QJsonArray{stages(depth - 1), stages(depth - 1)}},
                {"sizes", QJsonArray{30, 70}}};
    }

    QRandomGenerator m_random;
    int m_count = 0;
};

QString savedIn(StudioFixture& studio, const QString& name) {
    const QString path = studio.folder() + '/' + name;
    studio.answerDialogs({path});
    return studio.trigger("file.save_workspace_as") && QTest::qWaitFor([&] { return QFile::exists(path); }) ? path
                                                                                                            : QString();
}

QStringList groupsBelow(StudioFixture& studio, const QString& mode) {
    QStringList out;
    const QJsonObject layout = studio.window().layoutState();
    for (const QJsonValue& group : layout[mode]["shown"]["bottom"]["groups"].toArray()) {
        QStringList tabs;
        for (const QJsonValue& tab : group["tabs"].toArray())
            tabs << tab.toString();
        out << tabs.join(' ');
    }
    return out;
}

session::RunRecord runOf(const QString& script) {
    session::RunRecord out;
    out.when = "2031-01-02T03:04:05Z";
    out.script = script.toStdString();
    out.hash = "abc";
    out.function = "scale";
    out.where = "emulator";
    out.sentence = "Correct";
    return out;
}

bool isRemarked(StudioFixture& studio, const QString& words) {
    return studio.window().notices().sentences().join('\n').contains(words);
}

} // namespace

class WorkspaceTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsPrintedIsReadBack() {
        for (quint32 seed = 0; seed < 300; ++seed) {
            const QString folder = "/srv/some where/größe";
            const Workspace made = RandomState(seed).make(folder);
            const QByteArray text = printed(made, folder);
            QString mistake;
            const auto read = readWorkspace(text, folder, mistake);
            QVERIFY2(read, qPrintable(mistake));
            QVERIFY2(read->remarks.filter("inputs").isEmpty(), qPrintable(read->remarks.join("; ")));
            QCOMPARE(printed(read->workspace, folder), text);
            QCOMPARE(read->workspace.session.documents, made.session.documents);
            QVERIFY(!text.contains("/srv"));
            // Elsewhere it is the same text, of other paths.
            const auto moved = readWorkspace(text, "/srv/other/checkout", mistake);
            QVERIFY(moved);
            QCOMPARE(printed(moved->workspace, "/srv/other/checkout"), text);
        }
    }

    void pathsAreThoseOfTheWorkspacesFolder() {
        QCOMPARE(pathFrom("/a/b", "/a/b/c.py"), QString("c.py"));
        QCOMPARE(pathFrom("/a/b", "/a/b/d e/ü.py"), QString("d e/ü.py"));
        QCOMPARE(pathFrom("/a/b", "/a/c.py"), QString("../c.py"));
        QCOMPARE(pathFrom("/a/b", "/x/c.py"), QString("/x/c.py")); // nothing but the root in common
        QCOMPARE(pathFrom(QDir::homePath() + "/a", QDir::homePath() + "/b/c.py"), QDir::homePath() + "/b/c.py");
        QCOMPARE(pathFrom("/a", "/a/$samples/c.py"), QString("./$samples/c.py"));
        QCOMPARE(pathIn("/a", "./$samples/c.py"), QString("/a/$samples/c.py"));
        const QString sample = samplesFolder() + "/kernels/naive_matmul.py";
        QCOMPARE(pathIn("/a", pathFrom("/a", sample)), QDir::cleanPath(sample));
    }

    void allIsBackFromTheFile() {
        StudioFixture studio;
        const QString script = studio.folder() + "/kernels/scale it.py";
        put(script, scaling);
        QVERIFY(studio.studio().tabs.openFile(script));
        studio.openText("first = 1\nsecond = 2\n");
        studio.editor().setCaret(12);
        studio.studio().tabs.setCurrent(studio.studio().tabs.documents().first());
        QVERIFY(studio.settle());
        studio.editor().setCaret(studio.editor().offsetOf(6, 4));
        studio.editor().SendScintilla(QsciScintilla::SCI_COLOURISE, 0UL, -1L);
        studio.editor().SendScintilla(QsciScintilla::SCI_FOLDLINE, 5UL, 0L);
        QVERIFY(studio.trigger("view.mode_lower"));
        studio.window().stages().restore(
            {{"split", "right"},
             {"children", QJsonArray{QJsonObject{{"panes", QJsonArray{"ir:simplify", "cuda"}}, {"current", 1}},
                                     QJsonObject{{"panes", QJsonArray{"cpp"}}, {"current", 0}}}}});
        QVERIFY(studio.trigger("dock.outline"));
        Document& document = *studio.studio().tabs.current();
        RunPlan plan = studio.studio().runs->plans().plan(document);
        plan.seed = "77";
        studio.studio().runs->plans().change(document, plan, "seed", "seed");
        studio.studio().settings.set(Setting::Arch, "sm_80");
        studio.studio().settings.set(Setting::CopySteps, 321);
        studio.editor().setFocus();
        studio.answerDialogs({studio.folder() + "/scaling.hidet-workspace"});
        studio.press(Qt::Key_S, Qt::AltModifier);
        const QString file = studio.folder() + "/scaling.hidet-workspace";
        QTRY_VERIFY(QFile::exists(file));
        const QByteArray text = textIn(file);
        QVERIFY(text.contains("\"path\": \"kernels/scale it.py\""));
        QVERIFY(!text.contains(studio.folder().toUtf8()));
        QCOMPARE(studio.window().windowTitle(), QString("scale it.py - scaling - Hidet Studio"));

        // Everything is made otherwise.
        studio.studio().settings.set(Setting::Arch, "sm_90a");
        studio.studio().settings.set(Setting::CopySteps, 600);
        studio.studio().runs->plans().change(document, RunPlan(), "seed", "seed");
        QTRY_COMPARE(studio.window().windowTitle(), QString("scale it.py - scaling* - Hidet Studio"));
        QVERIFY(studio.trigger("file.close_workspace"));
        while (!studio.studio().tabs.documents().isEmpty())
            studio.studio().tabs.close(*studio.studio().tabs.documents().first());
        QVERIFY(studio.trigger("view.mode_edit"));
        QVERIFY(studio.trigger("view.reset_layout"));
        studio.openText("other = 1\n");
        QCOMPARE(studio.window().windowTitle(), QString("Untitled 2 - Hidet Studio"));

        studio.answerDialogs({file});
        studio.editor().setFocus();
        studio.press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(isRemarked(studio, "of which this is not saved: Untitled 2"));
        QVERIFY(studio.window().notices().take("Open without saving"));
        QCOMPARE(studio.studio().tabs.documents().size(), 2);
        QCOMPARE(studio.studio().tabs.current()->path(), script);
        QCOMPARE(studio.studio().tabs.documents()[1]->text(), QByteArray("first = 1\nsecond = 2\n"));
        QCOMPARE(studio.editor().caret(), studio.editor().offsetOf(6, 4));
        QVERIFY(!studio.editor().SendScintilla(QsciScintilla::SCI_GETFOLDEXPANDED, 5UL));
        QCOMPARE(studio.window().mode(), Mode::Lower);
        QStringList panes;
        for (Pane* pane : studio.window().stages().panes())
            panes << pane->state();
        QCOMPARE(panes, QStringList({"ir:simplify", "cuda", "cpp"}));
        QVERIFY(!studio.window().dock("outline")->isHidden());
        QCOMPARE(studio.studio().runs->plans().plan(*studio.studio().tabs.current()).seed, QString("77"));
        QCOMPARE(studio.studio().settings.text(Setting::Arch), QString("sm_80"));
        QCOMPARE(studio.studio().settings.number(Setting::CopySteps), 321);
        QCOMPARE(studio.window().windowTitle(), QString("scale it.py - scaling - Hidet Studio"));
        QCOMPARE(recentFiles(studio.studio().settings).value(0), file);
        QVERIFY(studio.settle());
        studio.window().workspace().save();
        QCOMPARE(difference(textIn(file), text), QByteArray()); // the same state, the same bytes
        // What was closed unsaved can be had back.
        QVERIFY(studio.trigger("file.reopen"));
    }

    void whatIsMissingIsNamedAndStaysInTheFile() {
        StudioFixture studio;
        put(studio.folder() + "/there.py", "x = 1\n");
        const QString file = studio.folder() + "/w.hidet-workspace";
        put(file, R"({"format": "hidet-workspace", "version": 2, "from tomorrow": {"deep": [1, 2]},
                      "documents": [{"path": "gone.py", "line": 3}, {"path": "there.py", "zoom": 4}], "front": 1,
                      "layout": {"mode": "edit", "edit": {"stages": {"panes": ["ir", "tile"]},
                                 "shown": {"bottom": {"groups": [{"tabs": ["problems", "oracle"]}]}}}},
                      "settings": {"live/arch": "sm_999", "run/nothing": true}})");
        QVERIFY(studio.studio().tabs.openFile(file));
        QCOMPARE(studio.studio().tabs.documents().size(), 1);
        QCOMPARE(studio.studio().tabs.current()->title(), QString("there.py"));
        const QString said = studio.window().notices().sentences().join('\n');
        for (const char* words :
             {"gone.py cannot be opened", "newer program (version 2)", "'from tomorrow' is not known",
              "'zoom' of there.py is not known", "'sm_999' is no value of Architecture"})
            QVERIFY2(said.contains(words), qPrintable(said));
        QVERIFY(studio.window().workspace().save());
        const QByteArray saved = textIn(file);
        for (const char* kept : {"gone.py", "from tomorrow", "deep", "zoom", "sm_999", "run/nothing"})
            QVERIFY2(saved.contains(kept), saved.constData());
        QVERIFY(studio.window().notices().take("Take it out"));
        QVERIFY(studio.window().workspace().save());
        QVERIFY(!textIn(file).contains("gone.py"));
    }

    void aWorkspaceDoesNotChooseTheRemoteWorker() {
        StudioFixture studio;
        const QString file = studio.folder() + "/w.hidet-workspace";
        put(file, R"({"format": "hidet-workspace", "version": 1, "documents": [],
                      "settings": {"run/target": "remote", "workers/remote": "sh"}})");
        QVERIFY(studio.studio().tabs.openFile(file));
        QCOMPARE(studio.studio().settings.text(Setting::Target), QString("auto"));
        QCOMPARE(studio.studio().settings.text(Setting::RemoteWorker), QString());
        const QString said = studio.window().notices().sentences().join('\n');
        QVERIFY2(said.contains("does not start the remote worker"), qPrintable(said));
    }

    // Who opens a FIFO waits for somebody to write.
    void aFifoIsRefusedWhateverNamesIt() {
        StudioFixture studio;
        put(studio.folder() + "/there.py", "x = 1\n");
        for (const char* name : {"/fifo.py", "/fifo.json", "/fifo.hidet-workspace", "/fifo.ini"})
            QCOMPARE(::mkfifo((studio.folder() + name).toUtf8().constData(), 0600), 0);
        const QString file = studio.folder() + "/w.hidet-workspace";
        put(file, R"({"format": "hidet-workspace", "version": 2,
                      "documents": [{"path": "fifo.py"}, {"path": "there.py"}], "front": 1})");
        QVERIFY(studio.studio().tabs.openFile(file));
        QCOMPARE(studio.studio().tabs.documents().size(), 1);
        QVERIFY(isRemarked(studio, "fifo.py cannot be opened"));
        for (const char* name : {"/fifo.py", "/fifo.json", "/fifo.hidet-workspace", "/dev/zero"})
            QVERIFY(!studio.studio().tabs.openFile(name[1] == 'd' ? QString(name) : studio.folder() + name));
        FileError error;
        QVERIFY(!importSettings(studio.studio().settings, studio.folder() + "/fifo.ini", error));
    }

    void aMalformedFileIsRefusedWithItsPlace() {
        StudioFixture studio;
        const QString file = studio.folder() + "/bad.hidet-workspace";
        put(file, "{\n  \"format\": \"hidet-workspace\",\n  \"documents\": [,]\n}\n");
        studio.openText("x = 1\n");
        studio.studio().tabs.openFile(file);
        QVERIFY(isRemarked(studio, "bad.hidet-workspace cannot be opened: line 3, column 1"));
        put(file, "{\n<<<<<<< mine\n");
        studio.studio().tabs.openFile(file);
        QVERIFY(isRemarked(studio, "a merge that was not finished"));
        put(file, "[1]\n");
        studio.studio().tabs.openFile(file);
        QVERIFY(isRemarked(studio, "it is no workspace"));
        QVERIFY(!studio.studio().tabs.openFile(studio.folder() + "/none.hidet-workspace"));
        QCOMPARE(studio.studio().tabs.documents().size(), 1); // nothing of that touched what is open
        QCOMPARE(studio.studio().tabs.current()->text(), QByteArray("x = 1\n"));
        for (const QByteArray odd :
             {R"({"format": "hidet-workspace", "documents": 5, "settings": [], "runs": [3], "layout": 7})",
              R"({"format": "hidet-workspace", "documents": [1, {}, {"path": ""}], "front": 99, "pins": {}})"}) {
            put(file, odd);
            QString mistake;
            QVERIFY(readWorkspace(odd, studio.folder(), mistake));
        }
    }

    void savingAllComesBeforeOpening() {
        StudioFixture studio;
        const QString script = studio.folder() + "/a.py", file = studio.folder() + "/w.hidet-workspace";
        put(script, "x = 1\n");
        put(file, R"({"format": "hidet-workspace", "version": 1, "documents": [{"path": "a.py"}], "front": 0})");
        QVERIFY(studio.studio().tabs.openFile(script));
        studio.editor().replaceAll("x = 2\n");
        studio.studio().tabs.openFile(file);
        QCOMPARE(studio.window().workspace().path(), QString());
        QVERIFY(studio.window().notices().take("Save all and open"));
        QCOMPARE(textIn(script), QByteArray("x = 2\n"));
        QCOMPARE(studio.window().workspace().path(), file);
        QCOMPARE(studio.editor().bytes(), QByteArray("x = 2\n"));
    }

    void aFileThatIsDroppedIsOpened() {
        StudioFixture studio;
        const QString file = studio.folder() + "/w.hidet-workspace";
        put(file,
            R"({"format": "hidet-workspace", "version": 1, "documents": [{"number": 4, "unsaved": ["x = 1", ""]}]})");
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&studio.window(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(9, 9), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&studio.window(), &drop);
        QCOMPARE(studio.window().workspace().path(), file);
        QCOMPARE(studio.editor().bytes(), QByteArray("x = 1\n"));
        QCOMPARE(studio.studio().tabs.current()->title(), QString("Untitled 4"));
    }

    void baselinesComeAlong() {
        QString file;
        QByteArray text;
        {
            StudioFixture studio;
            put(studio.folder() + "/scale.py", scaling);
            QVERIFY(studio.studio().tabs.openFile(studio.folder() + "/scale.py"));
            HistoryStore& history = studio.studio().runs->history();
            const session::RunRecord run = runOf(studio.studio().tabs.current()->path());
            history.append(run, "text");
            QTRY_COMPARE(history.runs().size(), std::size_t(1));
            const session::RunRecord kept = history.runs().front();
            history.rename(kept, "before the swizzle");
            history.pin(kept);
            QTRY_VERIFY(history.runs().front().is_baseline);
            file = savedIn(studio, "w.hidet-workspace");
            text = textIn(file);
            QVERIFY2(text.contains("before the swizzle") && text.contains("\"baseline\": true"), text.constData());
            QVERIFY(text.contains("\"script\": \"scale.py\""));
            history.clear(run.script);
            QTRY_VERIFY(history.runs().empty());
        }
        StudioFixture colleague;
        put(colleague.folder() + "/scale.py", scaling);
        const QString copy = colleague.folder() + "/w.hidet-workspace";
        put(copy, text);
        QVERIFY(colleague.studio().tabs.openFile(copy));
        HistoryStore& history = colleague.studio().runs->history();
        QTRY_COMPARE(history.runs().size(), std::size_t(1));
        QCOMPARE(history.runs().front().name, std::string("before the swizzle"));
        QVERIFY(history.runs().front().is_baseline);
        QCOMPARE(QString::fromStdString(history.runs().front().script), colleague.folder() + "/scale.py");
        QVERIFY(colleague.settle());
        QVERIFY(colleague.window().workspace().save());
        QTRY_COMPARE(difference(textIn(copy), text), QByteArray());
        QVERIFY(colleague.studio().tabs.openFile(copy)); // once more: they are not there twice
        bool isDone = false;
        history.fetch({}, [&](const HistoryStore::Texts&) { isDone = true; }); // after what was asked for before
        QTRY_VERIFY(isDone);
        QCOMPARE(history.runs().size(), std::size_t(1));
    }

    void runsThatGetOtherNumbersAreNoChange() {
        StudioFixture studio;
        const QString script = studio.folder() + "/scale.py", file = studio.folder() + "/w.hidet-workspace",
                      second = studio.folder() + "/second.hidet-workspace";
        put(script, scaling);
        HistoryStore& history = studio.studio().runs->history();
        session::RunRecord run = runOf(script);
        history.append(run, "my own"); // of the same instant
        run.name = "before the swizzle";
        run.hash = "def";
        Workspace kept;
        kept.session.documents << KeptDocument();
        kept.session.documents.first().path = script;
        kept.runs = {run};
        put(file, printed(kept, studio.folder()));
        put(second, printed({}, studio.folder()));
        QTRY_VERIFY(history.isCurrent());
        const std::size_t own = history.runs().size();
        QVERIFY(studio.studio().tabs.openFile(file));
        QVERIFY(studio.studio().tabs.openFile(second)); // which asks for nothing to be saved
        QTRY_COMPARE(studio.window().workspace().path(), second);
        QCOMPARE(history.runs().size(), own + 1);
        QVERIFY(history.runs().back().number > run.number);
    }

    void aSaveThatWaitsForRunsComesBeforeAnotherWorkspace() {
        StudioFixture studio;
        const QString script = studio.folder() + "/one.py", first = studio.folder() + "/first.hidet-workspace",
                      second = studio.folder() + "/second.hidet-workspace";
        put(script, "x = 1\n");
        put(studio.folder() + "/two.py", "y = 2\n");
        put(second, R"({"format": "hidet-workspace", "version": 1, "documents": [{"path": "two.py"}], "front": 0})");
        const QByteArray there = textIn(second);
        QVERIFY(studio.studio().tabs.openFile(script));
        HistoryStore& history = studio.studio().runs->history();
        QTRY_VERIFY(history.isCurrent());
        session::RunRecord run = runOf(script);
        run.name = "just measured";
        history.append(run, "x = 1\n");
        studio.answerDialogs({first});
        QVERIFY(studio.trigger("file.save_workspace_as"));
        QVERIFY(studio.studio().tabs.openFile(second));
        QTRY_COMPARE(studio.window().workspace().path(), second);
        const QByteArray saved = textIn(first);
        QVERIFY2(saved.contains("one.py") && saved.contains("just measured"), saved.constData());
        QVERIFY2(!saved.contains("two.py"), saved.constData());
        QCOMPARE(textIn(second), there);
    }

    void aSaveThatWaitsEndsWithTheWorkspace() {
        StudioFixture studio;
        const QString script = studio.folder() + "/one.py";
        put(script, "x = 1\n");
        QVERIFY(studio.studio().tabs.openFile(script));
        HistoryStore& history = studio.studio().runs->history();
        QTRY_VERIFY(history.isCurrent());
        const QByteArray saved = textIn(savedIn(studio, "w.hidet-workspace"));
        history.append(runOf(script), "x = 1\n");
        QVERIFY(studio.window().workspace().save());
        QVERIFY(studio.trigger("file.close_workspace"));
        QTRY_VERIFY(history.isCurrent());
        QCOMPARE(studio.window().workspace().path(), QString());
        QCOMPARE(textIn(studio.folder() + "/w.hidet-workspace"), saved);
    }

    void aCallThatIsAskedForIsAChange() {
        StudioFixture studio;
        const QString script = studio.folder() + "/one.py";
        put(script, "def f(n):\n    return n\n");
        QVERIFY(studio.studio().tabs.openFile(script));
        QVERIFY(studio.settle());
        QVERIFY(!savedIn(studio, "w.hidet-workspace").isEmpty());
        QVERIFY(!studio.window().workspace().isModified());
        studio.studio().scripts.live()->setCalls({"f(1)"});
        QTRY_VERIFY(studio.window().workspace().isModified());
    }

    void documentsWithoutAPathAreToldApart() {
        const QByteArray text = R"({"format": "hidet-workspace", "version": 1, "documents": [
            {"number": 2, "unsaved": "x = 1", "zoom": 4}, {"unsaved": "y = 2"}, {"number": 2, "unsaved": "z = 3"}]})";
        QString mistake;
        const auto read = readWorkspace(text, "/srv", mistake);
        QVERIFY2(read, qPrintable(mistake));
        QList<int> numbers;
        for (const KeptDocument& kept : read->workspace.session.documents)
            numbers << kept.number;
        QCOMPARE(numbers, QList<int>({2, 1, 3}));
        const QByteArray saved = printed(read->workspace, "/srv");
        QVERIFY2(saved.count("zoom") == 1 && saved.indexOf("zoom") < saved.indexOf("y = 2"), saved.constData());
    }

    void docksComeBackInTheirGroups() {
        StudioFixture studio;
        put(studio.folder() + "/one.py", "x = 1\n");
        const QString file = studio.folder() + "/w.hidet-workspace";
        put(file, R"({"format": "hidet-workspace", "version": 1, "documents": [{"path": "one.py"}], "front": 0,
            "layout": {"mode": "lower", "lower": {"shown": {"bottom": {"size": 30, "groups": [
                {"tabs": ["problems", "run"], "front": "run", "share": 50},
                {"tabs": ["outline"], "front": "outline", "share": 50}]}}}}})");
        QVERIFY(studio.studio().tabs.openFile(file));
        QCOMPARE(studio.window().mode(), Mode::Lower);
        QTRY_COMPARE(groupsBelow(studio, "lower"), QStringList({"problems run", "outline"}));
        QVERIFY(!studio.window().dock("run")->visibleRegion().isEmpty()); // in front
        // One that stands alone has its title, whatever else may open beside it.
        QTRY_VERIFY(studio.window().dock("problems")->titleBarWidget());
        QVERIFY(!studio.window().dock("outline")->titleBarWidget());
        studio.window().dock("run")->hide();
        QTRY_VERIFY(!studio.window().dock("problems")->titleBarWidget());
    }

    void docksThatSaidNothingComeAsTabsOfEachOther() {
        StudioFixture studio;
        studio.studio().settings.set(Setting::QuietDocks, true);
        put(studio.folder() + "/one.py", "print(1)\n");
        QVERIFY(studio.studio().tabs.openFile(studio.folder() + "/one.py"));
        studio.editor().setFocus();
        QVERIFY(studio.settle());
        QTRY_VERIFY(!studio.window().dock("problems")->isVisible() && !studio.window().dock("run")->isVisible());
        const QString file = savedIn(studio, "w.hidet-workspace");
        QVERIFY(studio.studio().tabs.openFile(file));
        QVERIFY(studio.settle());
        studio.editor().replaceAll("print(nowhere)\n");
        QTRY_VERIFY(studio.window().dock("problems")->isVisible());
        QTRY_COMPARE(groupsBelow(studio, "edit"), QStringList({"problems run analysis"}));
        QVERIFY(!studio.window().dock("problems")->visibleRegion().isEmpty());
    }
};

HIDET_UI_TEST_MAIN(WorkspaceTest)
#include "workspace_test.moc"
