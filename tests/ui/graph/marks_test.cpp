// SPDX-License-Identifier: GPL-3.0-only
// What one leaves at the operators of a model and finds again: expressions in the search, bookmarks and notes over sessions and
// crashes, the values of weights, and colours by the numbers of a file.
#include <QAbstractItemView>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>

#include "app/ui/graph/graph_area.h"
#include "app/ui/graph/inspector/inspector_view.h"
#include "app/ui/graph/inspector/note_field.h"
#include "app/ui/persistence/kept_session.h"
#include "app/ui/program/session_keeper.h"
#include "app/ui/tensors/tensor_grid.h"
#include "app/ui/workbench/model_numbers.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::StudioFixture;
using hidet::ui::test::typeInto;

namespace {

const QByteArray decided = R"({"format": "hidet-choices", "version": 1, "fusion": []})";
const QString residual = QStringLiteral(HIDET_SAMPLES "/../tests/models/residual/residual.onnx");

bool written(const QString& path, const QByteArray& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

LiveModel& modelOf(StudioFixture& studio) {
    return *studio.studio().tabs.model();
}
GraphPane& paneOf(StudioFixture& studio) {
    return *studio.window().findChild<GraphArea*>()->current();
}
bool isSettled(StudioFixture& studio) {
    return QTest::qWaitFor(
        [&] {
            return studio.studio().tabs.model() && !modelOf(studio).graphs().isBusy() &&
                   paneOf(studio).canvas().picture() && !paneOf(studio).canvas().isMaking();
        },
        60'000);
}
quint32 nodeCalled(StudioFixture& studio, const char* name, int graph) {
    for (const auto& node : modelOf(studio).graphs().snapshot()->graphs[std::size_t(graph)]->nodes)
        if (node->name == name)
            return node->id;
    return session::no_id;
}

} // namespace

class GraphMarksTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    LiveModel& model() { return modelOf(*m_studio); }
    GraphCanvas& canvas() { return paneOf(*m_studio).canvas(); }
    template <class Widget>
    Widget& part(const char* name) {
        return test::in<Widget>(*m_studio, name);
    }
    bool open() {
        m_studio->studio().settings.set(Setting::Target, "cpu");
        m_studio->studio().tabs.openModel(residual);
        return isSettled(*m_studio);
    }
    QTreeWidget& list() { return part<QTreeWidget>("marks.list"); }
    QString cell(int row, int column) { return list().topLevelItem(row)->text(column); }
    void choose(const char* name, int graph = 0) {
        model().graphs().setShown(graph);
        model().selection().select(GraphItem::ofNode(nodeCalled(*m_studio, name, graph)));
    }
    void keys(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    void writeNote(const QString& text) {
        canvas().setFocus();
        keys(Qt::Key_N, Qt::AltModifier);
        auto& field = part<NoteField>("node.note");
        QVERIFY(field.hasFocus());
        typeInto(field, text);
        keys(Qt::Key_Return, Qt::ControlModifier);
    }
    QRect chipOf(quint32 constant) {
        for (const PictureChip& chip : canvas().picture()->chips)
            if (chip.value == constant)
                return QRectF(canvas().viewport().view().toScreen(chip.rect)).toRect();
        return {};
    }
    const session::GraphValue* weightOf(const char* node) {
        for (const std::uint32_t id :
             model().graphs().shown()->node(nodeCalled(*m_studio, node, model().graphs().shownNumber()))->inputs)
            if (const session::GraphValue* value = model().graphs().shown()->value(id);
                value->is_constant && value->contents.empty())
                return value;
        return nullptr;
    }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void anExpressionFindsAndAMistakeInItKeepsWhatWasFound() {
        QVERIFY(open());
        model().graphs().setShown(0);
        canvas().setFocus();
        keys(Qt::Key_F, Qt::ControlModifier);
        auto& field = part<QLineEdit>("graph.search");
        auto& said = part<QLabel>("graph.search.count");
        QVERIFY(field.hasFocus());
        typeInto(field, "op:^conv");
        QTRY_COMPARE(said.text(), QString("nothing found"));
        QVERIFY(m_studio->trigger("graph.expression"));
        QTRY_COMPARE(said.text(), QString("2 found"));
        typeInto(field, " name:(1|");
        auto& told = part<QLabel>("graph.search.mistake");
        QTRY_VERIFY(told.isVisible());
        QVERIFY2(told.text().contains("parenthes"), qPrintable(told.text()));
        QCOMPARE(model().selection().marked()->size(), 2);
        keys(Qt::Key_Return);
        QCOMPARE(model().selection().selected().kind, GraphItem::Kind::Node);
        typeInto(field, "7)$");
        QTRY_COMPARE(said.text(), QString("1 found"));
        QVERIFY(!told.isVisible());
        QTest::mouseClick(&part<QToolButton>("graph.search.expression"), Qt::LeftButton);
        QTRY_COMPARE(said.text(), QString("nothing found"));
    }

    void anEndlessExpressionEnds() {
        QVERIFY(open());
        part<QToolButton>("graph.search.expression").click();
        auto& field = part<QLineEdit>("graph.search");
        field.setText("((([a-z0-9_]+)+)+)+!");
        auto& said = part<QLabel>("graph.search.count");
        QTRY_COMPARE_WITH_TIMEOUT(said.text(), QString("nothing found"), 20'000);
    }

    void bookmarksAreSetListedWalkedAndUndoneByKeys() {
        QVERIFY(open());
        const session::ModelGraph& import = *model().graphs().snapshot()->graphs.front();
        const quint32 first = import.nodes[1]->id, second = import.nodes[3]->id;
        model().graphs().setShown(0);
        canvas().setFocus();
        for (const quint32 node : {second, first}) {
            model().selection().select(GraphItem::ofNode(node));
            keys(Qt::Key_B, Qt::ControlModifier);
        }
        QCOMPARE(model().marks().all().size(), 2);
        QVERIFY(m_studio->trigger("graph.next_bookmark"));
        QCOMPARE(model().selection().selected(), GraphItem::ofNode(second));
        QVERIFY(m_studio->trigger("graph.next_bookmark")); // around the end
        QCOMPARE(model().selection().selected(), GraphItem::ofNode(first));
        QVERIFY(m_studio->trigger("graph.previous_bookmark"));
        QCOMPARE(model().selection().selected(), GraphItem::ofNode(second));
        QVERIFY(m_studio->trigger("dock.marks"));
        QCOMPARE(list().topLevelItemCount(), 2);
        list().setCurrentItem(list().topLevelItem(1));
        QTest::keyClick(&list(), Qt::Key_Return);
        QCOMPARE(model().selection().selected(), GraphItem::ofNode(first));
        QTest::keyClick(&list(), Qt::Key_Delete);
        QCOMPARE(list().topLevelItemCount(), 1);
        canvas().setFocus();
        keys(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(list().topLevelItemCount(), 2);
        keys(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(list().topLevelItemCount(), 1);
    }

    void aNoteIsWrittenShownChangedDeletedAndUndone() {
        QVERIFY(open());
        choose("conv1");
        QVERIFY(isSettled(*m_studio));
        const QImage before = canvas().grab().toImage();
        writeNote("slow: why?");
        const quint32 node = model().selection().selected().node;
        QCOMPARE(model().marks().of(node)->note, QString("slow: why?"));
        QVERIFY(canvas().hasFocus());
        QVERIFY(canvas().grab().toImage() != before);
        auto& field = part<NoteField>("node.note");
        QVERIFY(field.isVisible());
        writeNote(" Measured.");
        QCOMPARE(model().marks().of(node)->note, QString("slow: why? Measured."));
        keys(Qt::Key_N, Qt::AltModifier);
        typeInto(field, "nonsense");
        keys(Qt::Key_Escape);
        QCOMPARE(model().marks().of(node)->note, QString("slow: why? Measured."));
        QVERIFY(m_studio->trigger("graph.delete_note"));
        QVERIFY(!model().marks().of(node));
        QVERIFY(!field.isVisible());
        keys(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(model().marks().of(node)->note, QString("slow: why? Measured."));
        keys(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(model().marks().of(node)->note, QString("slow: why?"));
    }

    void whatWasTypedIsOfTheOperatorThatWasSelected() {
        QVERIFY(open());
        choose("conv1");
        const quint32 first = model().selection().selected().node;
        canvas().setFocus();
        keys(Qt::Key_N, Qt::AltModifier);
        typeInto(part<NoteField>("node.note"), "of the first");
        choose("conv2");
        QCOMPARE(model().marks().of(first)->note, QString("of the first"));
        QVERIFY(!model().marks().of(model().selection().selected().node));
    }

    void marksFollowTheirOperatorsThroughPasses() {
        QVERIFY(open());
        choose("conv1");
        QVERIFY(m_studio->trigger("graph.bookmark"));
        QVERIFY(m_studio->trigger("dock.marks"));
        const int last = int(model().graphs().snapshot()->graphs.size()) - 1;
        for (int graph = 0; graph <= last; ++graph) {
            model().graphs().setShown(graph);
            const session::AnchoredNode place = model().marks().placeOf(0);
            QCOMPARE(place.graph, graph);
            QVERIFY(model().graphs().shown()->node(place.node));
            QCOMPARE(cell(0, 3), QString("in the shown graph"));
            QVERIFY(model().marks().of(place.node)->isBookmark);
        }
    }

    void marksOutliveTheSessionAndOneWhoseOperatorIsGoneStays() {
        QTemporaryDir state;
        {
            SessionKeeper keeper(m_studio->window(), state.path(), {});
            keeper.start();
            QVERIFY(open());
            choose("conv1");
            QVERIFY(m_studio->trigger("graph.bookmark"));
            writeNote("two\nlines");
            model().marks().restore({{{"nobody", "nobody", "relu"}, false, "of one that is gone"}});
            keeper.end();
        }
        m_studio = std::make_unique<StudioFixture>();
        SessionKeeper keeper(m_studio->window(), state.path(), {});
        keeper.start();
        QVERIFY(isSettled(*m_studio));
        QCOMPARE(model().marks().all().size(), 2);
        model().graphs().setShown(0);
        const quint32 conv = nodeCalled(*m_studio, "conv1", 0);
        QVERIFY(model().marks().of(conv) && model().marks().of(conv)->isBookmark);
        QCOMPARE(model().marks().of(conv)->note, QString("two\nlines"));
        QVERIFY(m_studio->trigger("dock.marks"));
        QCOMPARE(cell(1, 3), QString("gone from the model"));
        QCOMPARE(cell(1, 2), QString("of one that is gone"));
        // Closed and opened from its file: nothing is lost, and what was removed does not come back.
        QVERIFY(m_studio->trigger("file.close"));
        m_studio->studio().tabs.openModel(residual);
        QVERIFY(isSettled(*m_studio));
        QCOMPARE(model().marks().all().size(), 2);
        model().marks().remove(1);
        QVERIFY(m_studio->trigger("file.close"));
        QVERIFY(m_studio->trigger("file.reopen"));
        QVERIFY(isSettled(*m_studio));
        QCOMPARE(model().marks().all().size(), 1);
        keeper.end();
    }

    void whatWasDecidedAndNotedOutlivesACrash() {
        QTemporaryDir state;
        const QString dead = state.filePath("running/1-dead");
        {
            SessionKeeper keeper(m_studio->window(), state.path(), {});
            keeper.start();
            QVERIFY(QDir().mkpath(dead));
            QVERIFY(open());
            choose("conv2");
            writeNote("before the crash");
            model().setup().choose(decided, "keep apart");
            QVERIFY(keeper.flush());
            // As a killed program leaves it: its folder without its lock.
            const QDir running(state.filePath("running"));
            for (const QString& folder : running.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                if (folder != "1-dead")
                    QVERIFY(QFile::copy(running.filePath(folder) + "/session.json", dead + "/session.json"));
            keeper.end();
        }
        QFile::remove(state.filePath("sessions/last.json"));
        m_studio = std::make_unique<StudioFixture>();
        SessionKeeper keeper(m_studio->window(), state.path(), {});
        keeper.start();
        QVERIFY(isSettled(*m_studio));
        QCOMPARE(model().marks().all().size(), 1);
        QCOMPARE(model().marks().all().first().note, QString("before the crash"));
        QCOMPARE(model().setup().choices(), decided);
        m_studio->studio().commands.action(Command::EditUndo)->trigger(); // they are a step
        QCOMPARE(model().setup().choices(), QByteArray());
        keeper.end();
    }

    void aWeightThatIsClickedShowsItsValuesAndIsSaved() {
        QVERIFY(open());
        model().graphs().setShown(0);
        QVERIFY(isSettled(*m_studio));
        const session::GraphValue* weight = weightOf("conv1");
        QVERIFY(weight);
        model().selection().select(GraphItem::ofNode(nodeCalled(*m_studio, "conv1", 0)));
        QVERIFY(m_studio->trigger("graph.actual_size"));
        model().selection().reveal(model().selection().selected());
        QVERIFY(isSettled(*m_studio));
        const QRect chip = chipOf(weight->id);
        QVERIFY(canvas().rect().contains(chip.center()));
        canvas().setFocus();
        QTest::mouseClick(&canvas(), Qt::LeftButton, {}, chip.center());
        QCOMPARE(model().selection().selected(), GraphItem::ofValue(weight->id));
        QVERIFY(canvas().hasFocus()); // nothing opens uninvited
        QVERIFY(m_studio->trigger("graph.values"));
        auto& grid = part<TensorGrid>("tensors.grid");
        QTRY_VERIFY(grid.isVisible() && !grid.textAt(0, 0).isEmpty());
        QTRY_VERIFY(part<QLabel>("tensors.figures").text().contains("elements"));
        const QString saved = m_studio->folder() + "/w.npy";
        m_studio->answerDialogs({saved});
        part<QToolButton>("tensors.export").click();
        QTRY_VERIFY(QFile::exists(saved));
        const auto read = session::StoredTensor::open(saved.toStdString());
        QVERIFY(read);
        QVERIFY(read.value()->count() > 0);
        // Of an operator what it reads, by a key.
        model().selection().select(GraphItem::ofNode(nodeCalled(*m_studio, "conv2", 0)));
        canvas().setFocus();
        QVERIFY(m_studio->trigger("graph.values"));
        QTRY_VERIFY(grid.isAncestorOf(QApplication::focusWidget()) || grid.hasFocus());
        QTRY_VERIFY(part<QComboBox>("tensors.entries")
                        .currentText()
                        .startsWith(QString::fromStdString(weightOf("conv2")->name)));
    }

    void aFileOfNumbersColoursAndIsReadAgain() {
        const QString file = m_studio->folder() + "/times.csv";
        QVERIFY(written(file, "name,Energy (mJ)\nconv1,1.5\nconv2,30\nnobody,2\n"));
        QVERIFY(open());
        model().graphs().setShown(0);
        m_studio->answerDialogs({file});
        QVERIFY(m_studio->trigger("graph.numbers"));
        QCOMPARE(model().display().overlay(), session::OverlayKind::Numbers);
        const auto* legend = m_studio->window().findChild<QWidget*>("graphLegend");
        const auto said = [&](const QString& text) {
            return QTest::qWaitFor([&] { return legend->accessibleName().contains(text); }, 10'000);
        };
        QVERIFY2(said("Energy, from 1.5 mJ to 30 mJ"), qPrintable(legend->accessibleName()));
        QVERIFY2(said("operators without a number, 1 name in the file meets no operator"),
                 qPrintable(legend->accessibleName()));
        QTRY_COMPARE(model().numbers().unmatched(), QStringList("nobody"));
        model().selection().select({});
        m_studio->trigger("dock.node");
        QTRY_VERIFY(part<InspectorView>("node.inspector").text().contains("nobody"));
        // It changes on disk.
        QVERIFY(written(file, "name,Energy (mJ)\nconv1,1.5\nconv2,300\n"));
        QVERIFY2(said("to 300 mJ"), qPrintable(legend->accessibleName()));
        QTRY_VERIFY(model().numbers().unmatched().isEmpty());
        // A mistake in it: the line is named, and the colours stay.
        QVERIFY(written(file, "name,Energy (mJ)\nconv1,1.5\nconv2,fast\n"));
        QTRY_VERIFY(m_studio->window().notices().sentences().join(' ').contains("times.csv:3: 'fast' is no number"));
        QVERIFY(legend->accessibleName().contains("to 300 mJ"));
        QVERIFY(written(file, "{\"conv1\": 7}"));
        QTRY_VERIFY(m_studio->window().notices().sentences().isEmpty());
        QVERIFY(m_studio->trigger("graph.no_numbers"));
        QCOMPARE(model().display().overlay(), session::OverlayKind::Family);
        QVERIFY(!m_studio->trigger("graph.no_numbers"));
    }
};

HIDET_UI_TEST_MAIN(GraphMarksTest)
#include "marks_test.moc"
