// SPDX-License-Identifier: GPL-3.0-only
// Models as files of the window: opened in every way, in tabs beside scripts, changed on disk, broken, kept and reopened; and
// two hundred random actions on one, the same in every run.
#include <random>

#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QTabBar>
#include <QTreeWidget>

#include "app/ui/core/recent_files.h"
#include "app/ui/program/session_keeper.h"
#include "app/ui/program/start.h"
#include "app/ui/workbench/live_model.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");
constexpr int action_count = 200;
// They end the program or hand over to another one, or need minutes.
const QStringList left_out = {"file.quit", "file.new_window"};

} // namespace

class GraphShell : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    LiveModel* model() { return m_studio->studio().tabs.model(); }
    bool settled() {
        return QTest::qWaitFor([this] { return model() && !model()->graphs().isBusy(); }, 30'000);
    }
    // A copy, which the test may change.
    QString copyOf(const QString& name) {
        const QString copy = m_studio->folder() + "/" + name + ".onnx";
        QFile::remove(copy);
        if (!QFile::copy(models + name + "/" + name + ".onnx", copy))
            return {};
        QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
        return copy;
    }
    QStringList tabTitles() {
        QStringList out;
        auto* tabs = m_studio->window().findChild<QTabBar*>("documents");
        for (int i = 0; i < tabs->count(); ++i)
            out << tabs->tabText(i);
        return out;
    }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void aModelIsOpenedByTheDialogAndStandsInATab() {
        const QString file = copyOf("residual");
        m_studio->answerDialogs({file});
        QVERIFY(m_studio->trigger("file.open"));
        QVERIFY(settled());
        QCOMPARE(model()->title(), QString("residual.onnx"));
        QVERIFY(!model()->graphs().isBroken());
        QVERIFY(model()->graphs().shown());
        QCOMPARE(m_studio->window().mode(), Mode::Graph);
        QVERIFY(m_studio->window().windowTitle().startsWith("residual.onnx"));
        QTRY_COMPARE(tabTitles(), QStringList("residual.onnx"));
        QCOMPARE(recentFiles(m_studio->studio().settings).value(0), file);
        QVERIFY(m_studio->window().pages().page().isEmpty());
    }

    void tabsStandBesideTheGraphAndAreThereAgainWithTheModel() {
        openFiles(m_studio->studio(), {{copyOf("mlp"), 0, 0}});
        QVERIFY(settled());
        auto* tabs = m_studio->window().findChild<QTabWidget*>("graph.tabs");
        QVERIFY(!tabs->isVisible());
        QVERIFY(m_studio->trigger("dock.code"));
        QVERIFY(m_studio->trigger("dock.tensors"));
        QCOMPARE(tabs->count(), 2);
        QVERIFY(tabs->isVisible());
        const QWidget* tensors = m_studio->window().findChild<QWidget*>("pane.tensors");
        QVERIFY(tensors->isVisible());
        m_studio->openText("import hidet\n"); // which has its own tabs, and the same tensors
        QVERIFY(m_studio->trigger("dock.tensors"));
        QVERIFY(m_studio->window().stages().isAncestorOf(tensors) && tensors->isVisible());
        const QJsonObject kept = m_studio->window().layoutState();
        m_studio->studio().tabs.setCurrent(*m_studio->studio().tabs.models().first());
        QTRY_VERIFY(tabs->isAncestorOf(tensors) && tensors->isVisible());
        QVERIFY(m_studio->trigger("dock.tensors")); // has the keyboard
        QVERIFY(m_studio->trigger("dock.tensors"));
        QCOMPARE(tabs->count(), 1);
        QVERIFY(m_studio->trigger("dock.tensors"));
        QCOMPARE(tabs->count(), 2);
        QMetaObject::invokeMethod(tabs, "tabCloseRequested", Q_ARG(int, 0));
        QMetaObject::invokeMethod(tabs, "tabCloseRequested", Q_ARG(int, 0));
        QVERIFY(!tabs->isVisible());
        m_studio->window().restoreLayout(kept);
        QVERIFY(m_studio->trigger("view.mode_edit"));
        QVERIFY(m_studio->trigger("view.mode_graph"));
        QCOMPARE(tabs->count(), 2);
    }

    void theOutlineHasTheModulesAndOperatorsOfTheModel() {
        openFiles(m_studio->studio(), {{copyOf("residual"), 0, 0}});
        QVERIFY(settled());
        QVERIFY(m_studio->trigger("dock.outline"));
        auto* tree = m_studio->window().findChild<QTreeWidget*>("outline.graph");
        QTRY_VERIFY(tree->isVisible() && tree->topLevelItemCount() > 2);
        QTreeWidgetItem* row = tree->topLevelItem(1);
        tree->setCurrentItem(row);
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Return);
        QVERIFY(model()->selection().selected());
        QTRY_COMPARE(tree->currentItem(), row);
    }

    void aModelIsOpenedByTheCommandLine() {
        openFiles(m_studio->studio(), {{copyOf("mlp"), 0, 0}});
        QVERIFY(settled());
        QCOMPARE(model()->title(), QString("mlp.onnx"));
    }

    void aModelIsOpenedByLettingItGoOverTheWindow() {
        const QString file = copyOf("mlp");
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_studio->window(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_studio->window(), &drop);
        QVERIFY(settled());
        QCOMPARE(model()->path(), file);
    }

    void aGraphDocumentIsAModelAndOtherJsonIsAScript() {
        m_studio->studio().tabs.openFile(models + "document/mlp.json");
        QVERIFY(settled());
        QVERIFY(!model()->graphs().isBroken());
        const QString other = m_studio->folder() + "/other.json";
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{}\n") == 3);
        file.close();
        QVERIFY(m_studio->studio().tabs.openFile(other));
        QVERIFY(!model());
        QVERIFY(m_studio->studio().tabs.current());
    }

    void openingTwiceShowsTheOneThatIsOpen() {
        const QString file = copyOf("mlp");
        LiveModel* first = m_studio->studio().tabs.openModel(file);
        m_studio->openText("x = 1\n");
        QCOMPARE(m_studio->studio().tabs.openModel(file), first);
        QCOMPARE(model(), first);
        QCOMPARE(m_studio->studio().tabs.models().size(), 1);
    }

    void aFileThatIsNotThereIsSaidSo() {
        QVERIFY(!m_studio->studio().tabs.openFile("/nowhere/model.onnx"));
        QVERIFY(m_studio->window().notices().sentences().join(' ').contains("/nowhere/model.onnx"));
    }

    void modesFollowWhatIsInFront() {
        m_studio->openText("x = 1\n");
        QVERIFY(!m_studio->trigger("view.mode_graph")); // no model is open
        QVERIFY(m_studio->trigger("view.mode_lower"));
        m_studio->studio().tabs.openFile(copyOf("mlp"));
        QCOMPARE(m_studio->window().mode(), Mode::Graph);
        QVERIFY(!m_studio->studio().tabs.current());
        QVERIFY(m_studio->trigger("view.next_script"));
        QCOMPARE(m_studio->window().mode(), Mode::Lower);
        QVERIFY(m_studio->studio().tabs.current());
        QVERIFY(m_studio->trigger("view.mode_graph"));
        QVERIFY(model());
        QVERIFY(m_studio->trigger("view.mode_edit"));
        QVERIFY(!model());
        QCOMPARE(m_studio->window().mode(), Mode::Edit);
        QVERIFY(m_studio->trigger("view.mode_graph"));
        QVERIFY(m_studio->trigger("file.close"));
        QVERIFY(m_studio->studio().tabs.models().isEmpty());
        QCOMPARE(m_studio->window().mode(), Mode::Edit);
        QVERIFY(m_studio->trigger("file.reopen"));
        QVERIFY(settled());
        QCOMPARE(model()->title(), QString("mlp.onnx"));
    }

    void aModelThatChangesOnDiskIsReadAgain() {
        const QString file = copyOf("mlp");
        m_studio->studio().tabs.openFile(file);
        QVERIFY(settled());
        const std::size_t before = model()->graphs().shown()->nodes.size();
        QFile other(models + "residual/residual.onnx");
        QVERIFY(other.open(QIODevice::ReadOnly));
        FileError error;
        QFile target(file);
        QVERIFY(target.open(QIODevice::WriteOnly | QIODevice::Truncate));
        target.write(other.readAll());
        target.close();
        QTRY_VERIFY_WITH_TIMEOUT(!model()->graphs().isBusy() && model()->graphs().shown() &&
                                     model()->graphs().shown()->nodes.size() != before,
                                 10'000);
        QVERIFY(QFile::remove(file));
        QTRY_VERIFY(model()->isGone());
        QVERIFY(model()->graphs().shown()); // what was read is kept
    }

    void aBrokenModelSaysWhyAndIsMendedByItsFile() {
        const QString file = m_studio->folder() + "/broken.onnx";
        QVERIFY(QFile::copy(models + "broken/broken.onnx", file));
        QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner);
        m_studio->studio().tabs.openFile(file);
        QVERIFY(settled());
        QVERIFY(model()->graphs().isBroken());
        QVERIFY(!model()->graphs().snapshot()->diagnostics.empty());
        QFile::remove(file);
        QVERIFY(QFile::copy(models + "mlp/mlp.onnx", file));
        QTRY_VERIFY_WITH_TIMEOUT(!model()->graphs().isBusy() && !model()->graphs().isBroken(), 10'000);
    }

    void anEmptyFileIsABrokenModel() {
        const QString file = m_studio->folder() + "/empty.onnx";
        QFile empty(file);
        QVERIFY(empty.open(QIODevice::WriteOnly));
        empty.close();
        m_studio->studio().tabs.openFile(file);
        QVERIFY(settled());
        QVERIFY(model()->graphs().isBroken());
    }

    void modelsAreKeptWithTheSessionInTheirPlaces() {
        QTemporaryDir state;
        const QString file = copyOf("mlp");
        {
            SessionKeeper keeper(m_studio->window(), state.path(), {});
            keeper.start();
            m_studio->openText("x = 1\n");
            m_studio->studio().tabs.openFile(file);
            m_studio->openText("y = 1\n");
            m_studio->studio().tabs.setCurrent(*m_studio->studio().tabs.models().first());
            QVERIFY(settled());
            keeper.end();
        }
        StudioFixture second;
        SessionKeeper keeper(second.window(), state.path(), {});
        keeper.start();
        const QList<QObject*>& tabs = second.studio().tabs.all();
        QCOMPARE(tabs.size(), 3);
        QVERIFY(qobject_cast<LiveModel*>(tabs[1]));
        QCOMPARE(second.studio().tabs.model(), tabs[1]);
        QCOMPARE(second.window().mode(), Mode::Graph);
        keeper.end();
    }

    void passesAreSteppedThrough() {
        m_studio->studio().tabs.openFile(copyOf("residual"));
        QVERIFY(settled());
        const int last = model()->graphs().shownNumber();
        QVERIFY(last > 0);
        QVERIFY(!m_studio->trigger("passes.next"));
        int steps = 0;
        while (m_studio->trigger("passes.previous"))
            ++steps;
        QCOMPARE(steps, last);
        QCOMPARE(model()->graphs().shownNumber(), 0);
        QCOMPARE(QString::fromStdString(model()->graphs().shown()->pass), QString("import"));
        for (int step = 1; step <= last; ++step) {
            QVERIFY(m_studio->trigger("passes.next"));
            QCOMPARE(model()->graphs().shownNumber(), step);
        }
    }

    void selectionsCanBeGoneBackTo() {
        m_studio->studio().tabs.openFile(copyOf("residual"));
        QVERIFY(settled());
        const auto& nodes = model()->graphs().shown()->nodes;
        const GraphItem first = GraphItem::ofNode(nodes[0]->id), second = GraphItem::ofNode(nodes[1]->id);
        QVERIFY(!m_studio->trigger("go.back"));
        model()->selection().select(first);
        model()->selection().select(second);
        QVERIFY(m_studio->trigger("graph.bookmark"));
        QVERIFY(m_studio->trigger("go.back"));
        QCOMPARE(model()->selection().selected(), first);
        QVERIFY(m_studio->trigger("go.forward"));
        QCOMPARE(model()->selection().selected(), second);
        model()->selection().select(first);
        QVERIFY(m_studio->trigger("graph.next_bookmark"));
        QCOMPARE(model()->selection().selected(), second);
    }

    void twoHundredRandomActionsBreakNothing() {
        std::mt19937 random(20'262); // a fixed seed
        QTimer closer;               // a key may open a menu, which waits for one
        connect(&closer, &QTimer::timeout, this, [] {
            if (QWidget* menu = QApplication::activePopupWidget())
                menu->close();
        });
        closer.start(100);
        m_studio->studio().tabs.openFile(copyOf("residual"));
        m_studio->studio().tabs.openFile(copyOf("attention"));
        QVERIFY(settled());
        for (int i = 0; i < action_count; ++i) {
            switch (random() % 5) {
            case 0:
            case 1: command(random); break;
            case 2: select(random); break;
            case 3: key(random); break;
            case 4: QTest::qWait(static_cast<int>(random() % 5)); break;
            }
            if (m_studio->studio().tabs.models().isEmpty())
                m_studio->studio().tabs.openFile(copyOf("residual"));
        }
        for (LiveModel* open : m_studio->studio().tabs.models())
            QVERIFY(QTest::qWaitFor([open] { return !open->graphs().isBusy(); }, 60'000));
    }

private:
    template <class Random>
    void command(Random& random) {
        const QList<QAction*> all = m_studio->studio().commands.all();
        QAction* action = all[static_cast<qsizetype>(random() % static_cast<unsigned>(all.size()))];
        const QString id = Commands::idOf(action);
        if (left_out.contains(id) || id.startsWith("file.sample.") || !action->isEnabled())
            return;
        action->trigger();
    }
    template <class Random>
    void select(Random& random) {
        if (!model())
            return m_studio->studio().tabs.setCurrent(*m_studio->studio().tabs.models().first());
        const auto* graph = model()->graphs().shown();
        if (!graph || graph->nodes.empty())
            return;
        const auto& node = graph->nodes[random() % graph->nodes.size()];
        const bool edge = random() % 3 == 0 && !node->inputs.empty();
        model()->selection().select(edge ? GraphItem::ofEdge(node->inputs.front(), node->id)
                                         : GraphItem::ofNode(node->id));
        model()->graphs().setShown(static_cast<int>(random() % model()->graphs().snapshot()->graphs.size()));
    }
    template <class Random>
    void key(Random& random) {
        constexpr Qt::Key keys[] = {Qt::Key_Tab,    Qt::Key_Escape, Qt::Key_Down,  Qt::Key_Up,
                                    Qt::Key_Return, Qt::Key_Left,   Qt::Key_Right, Qt::Key_Home,
                                    Qt::Key_Plus,   Qt::Key_Minus,  Qt::Key_Space, Qt::Key_F6};
        QWidget* target = QApplication::focusWidget() ? QApplication::focusWidget() : &m_studio->window();
        QTest::keyClick(target, keys[random() % std::size(keys)], random() % 8 ? Qt::NoModifier : Qt::ShiftModifier);
    }
};

HIDET_UI_TEST_MAIN(GraphShell)
#include "shell_test.moc"
