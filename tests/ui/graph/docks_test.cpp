// SPDX-License-Identifier: GPL-3.0-only
// The table of operators and the inspector of what is selected, on models of the tests; and the colours of overlays.
#include <algorithm>
#include <ctime>

#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>

#include "app/ui/graph/canvas/overlay_colors.h"
#include "app/ui/graph/inspector/inspector_delegate.h"
#include "app/ui/graph/inspector/inspector_view.h"
#include "app/ui/graph/tables/operator_model.h"
#include "app/ui/workbench/live_model.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

const QString models = QStringLiteral(HIDET_SAMPLES "/../tests/models/");
constexpr int most_ms = 50; // of an event

// What this thread has computed: other programs on the machine do not count.
double ownMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

// A row of the inspector, at any depth, whose first cell has the text.
QModelIndex found(const QAbstractItemModel& model, const QString& text, const QModelIndex& above = {}) {
    for (int row = 0; row < model.rowCount(above); ++row) {
        const QModelIndex at = model.index(row, 0, above);
        if (at.data().toString() == text)
            return at;
        if (const QModelIndex below = found(model, text, at); below.isValid())
            return below;
    }
    return {};
}

std::shared_ptr<const OperatorTable> longTable(int rows) {
    auto table = std::make_shared<OperatorTable>();
    auto graph = std::make_shared<session::ModelGraph>();
    for (int i = 0; i < rows; ++i) {
        auto node = std::make_shared<session::GraphNode>();
        node->id = quint32(i);
        node->name = "/encoder/layer." + std::to_string((i * 7919) % rows) + "/attention/MatMul";
        node->op = i % 3 ? "MatMul" : "Add";
        OperatorRow row;
        row.node = node;
        row.reading.value = (i * 104729) % rows;
        row.shape = "[1, 128, 768]";
        table->rows.push_back(row);
        graph->nodes.push_back(node);
    }
    rankWords(table->rows);
    table->graph = graph;
    table->overlay.kind = session::OverlayKind::Bytes;
    return table;
}

} // namespace

class GraphDocks : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    LiveModel* model() { return m_studio->studio().tabs.model(); }
    QTableView* table() { return m_studio->window().findChild<QTableView*>("operators.table"); }
    InspectorView* inspector() { return m_studio->window().findChild<InspectorView*>("node.inspector"); }
    QString title() { return m_studio->window().findChild<QLabel*>("node.title")->text(); }
    bool open(const QString& name) {
        m_studio->studio().tabs.openFile(models + name + "/" + name + ".onnx");
        const bool isRead = QTest::qWaitFor([this] { return model() && !model()->graphs().isBusy(); }, 30'000);
        const auto rows = [this] {
            return table()->model()->rowCount() == int(model()->graphs().shown()->nodes.size());
        };
        if (!table()->isVisible())
            m_studio->trigger("dock.operators");
        if (!inspector()->isVisible())
            m_studio->trigger("dock.node");
        return isRead && QTest::qWaitFor(rows, 10'000);
    }
    QStringList column(int number) {
        QStringList out;
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            out << table()->model()->index(row, number).data().toString();
        return out;
    }
    const session::GraphNode* nodeWith(const QString& op) {
        for (const auto& node : model()->graphs().shown()->nodes)
            if (QString::fromStdString(node->op) == op)
                return node.get();
        return nullptr;
    }
    const session::GraphValue* edge() { // between two operators
        for (const auto& value : model()->graphs().shown()->values)
            if (value->producer != session::no_id && !value->consumers.empty())
                return value.get();
        return nullptr;
    }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void theTableSortsByWordsAndNumbers() {
        QVERIFY(open("residual"));
        const QStringList inOrder = column(OperatorModel::Name);
        table()->sortByColumn(OperatorModel::Operator, Qt::AscendingOrder);
        QStringList operators = column(OperatorModel::Operator);
        QVERIFY(std::is_sorted(operators.begin(), operators.end(),
                               [](const QString& a, const QString& b) { return a.toLower() < b.toLower(); }));
        model()->display().setOverlay(session::OverlayKind::Bytes);
        QTRY_VERIFY(table()
                        ->model()
                        ->headerData(OperatorModel::Value, Qt::Horizontal, Qt::DisplayRole)
                        .toString()
                        .startsWith("Bytes"));
        table()->sortByColumn(OperatorModel::Value, Qt::DescendingOrder);
        QList<double> numbers;
        for (const QString& text : column(OperatorModel::Value))
            if (!text.isEmpty())
                numbers << (text == "<0.01" ? 0.0 : text.toDouble());
        QVERIFY(!numbers.isEmpty());
        QVERIFY(std::is_sorted(numbers.rbegin(), numbers.rend()));
        table()->sortByColumn(-1, Qt::AscendingOrder);
        QCOMPARE(column(OperatorModel::Name), inOrder);
    }

    void theTableFiltersWithTheLanguageOfTheSearch() {
        QVERIFY(open("residual"));
        auto* filter = m_studio->window().findChild<QLineEdit*>("operators.filter");
        auto* total = m_studio->window().findChild<QLabel*>("operators.total");
        const QString op = QString::fromStdString(model()->graphs().shown()->nodes.front()->op);
        filter->setText("op:" + op);
        QVERIFY(table()->model()->rowCount() > 0);
        for (const QString& text : column(OperatorModel::Operator))
            QVERIFY(text.contains(op, Qt::CaseInsensitive));
        QVERIFY(total->text().contains(" of "));
        filter->setText("nothing is called so");
        QCOMPARE(table()->model()->rowCount(), 0);
        filter->clear();
        QCOMPARE(table()->model()->rowCount(), int(model()->graphs().shown()->nodes.size()));
    }

    void theTableFiltersByExpressions() {
        QVERIFY(open("residual"));
        auto* filter = m_studio->window().findChild<QLineEdit*>("operators.filter");
        auto* total = m_studio->window().findChild<QLabel*>("operators.total");
        auto* expression = m_studio->window().findChild<QToolButton*>("operators.expression");
        const int all = table()->model()->rowCount();
        filter->setFocus();
        QTest::keyClicks(filter, "name:^conv[12]$");
        QCOMPARE(table()->model()->rowCount(), 0);
        QVERIFY(m_studio->trigger("graph.expression"));
        QVERIFY(expression->isChecked());
        const auto is_filtered = [&] {
            const auto is_meant = [](const QString& text) { return text.startsWith("conv"); };
            return table()->model()->rowCount() > 0 && std::ranges::all_of(column(OperatorModel::Name), is_meant);
        };
        QTRY_VERIFY2(is_filtered(), qPrintable(column(OperatorModel::Name).join(' ')));
        filter->selectAll();
        QTest::keyClicks(filter, "(conv");
        QTRY_VERIFY2(total->text().contains("parenthes"), qPrintable(total->text()));
        QTRY_COMPARE(table()->model()->rowCount(), all);
        QTest::mouseClick(expression, Qt::LeftButton);
        QVERIFY(!expression->isChecked());
        QCOMPARE(table()->model()->rowCount(), 0); // of words, no name has it
        filter->clear();
        QCOMPARE(table()->model()->rowCount(), all);
    }

    void selectionGoesBothWays() {
        QVERIFY(open("residual"));
        table()->sortByColumn(OperatorModel::Name, Qt::DescendingOrder);
        const quint32 node = model()->graphs().shown()->nodes.front()->id;
        model()->selection().select(GraphItem::ofNode(node));
        const QString name = QString::fromStdString(model()->graphs().shown()->node(node)->name);
        QCOMPARE(table()->currentIndex().siblingAtColumn(OperatorModel::Name).data().toString(), name);
        QCOMPARE(title(), name);
        const int other = table()->currentIndex().row() == 0 ? 1 : 0;
        table()->selectRow(other);
        QCOMPARE(model()->selection().selected().kind, GraphItem::Kind::Node);
        QCOMPARE(title(), table()->model()->index(other, OperatorModel::Name).data().toString());
        // Another overlay reads the table anew: the row stays selected.
        model()->display().setOverlay(session::OverlayKind::Precision);
        QTRY_COMPARE(table()->model()->headerData(OperatorModel::Value, Qt::Horizontal, Qt::DisplayRole).toString(),
                     QString("Precision"));
        QVERIFY(table()->selectionModel()->isRowSelected(other));
        QList<GraphItem> revealed;
        connect(&model()->selection(), &GraphSelection::revealRequested, this,
                [&](const GraphItem& item) { revealed << item; });
        table()->setFocus();
        QTest::keyClick(table(), Qt::Key_Return);
        QCOMPARE(revealed, QList<GraphItem>{model()->selection().selected()});
    }

    void theKeyboardAloneSelectsNothing() {
        QVERIFY(open("residual"));
        inspector()->setFocus();
        table()->setFocus();
        QVERIFY(!model()->selection().selected());
        QTest::keyClick(table(), Qt::Key_Down);
        QCOMPARE(model()->selection().selected().kind, GraphItem::Kind::Node);
    }

    void rowsAreCopiedAsTable() {
        QVERIFY(open("mlp"));
        table()->setFocus();
        QTest::keyClick(table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), table()->model()->rowCount() + 1);
        QCOMPARE(lines[0].split('\t').size(), int(OperatorModel::ColumnCount));
    }

    void everyOverlayIsACommandWithAMark() {
        QAction* bytes = m_studio->studio().commands.find("graph.overlay.bytes");
        QVERIFY(bytes && !bytes->isEnabled());
        QVERIFY(open("mlp"));
        QVERIFY(m_studio->trigger("graph.overlay.bytes"));
        QCOMPARE(model()->display().overlay(), session::OverlayKind::Bytes);
        QVERIFY(bytes->isChecked());
        model()->display().setOverlay(session::OverlayKind::Latency);
        QVERIFY(!bytes->isChecked() && m_studio->studio().commands.find("graph.overlay.latency")->isChecked());
        auto* total = m_studio->window().findChild<QLabel*>("operators.total");
        QTRY_VERIFY2(total->text().contains("F5"), qPrintable(total->text()));
    }

    void theCriticalPathIsMarked() {
        QVERIFY(open("residual"));
        QVERIFY(m_studio->trigger("graph.critical_path"));
        QTRY_VERIFY(model()->selection().marked());
        QVERIFY(!model()->selection().marked()->isEmpty());
        QVERIFY(m_studio->trigger("graph.critical_path"));
        QTRY_VERIFY(!model()->selection().marked());
    }

    void theInspectorOfAnOperatorHasItsAttributesAndLinksThatWalk() {
        QVERIFY(open("residual"));
        model()->graphs().setShown(0);
        const session::GraphValue* between = edge();
        QVERIFY(between);
        const quint32 consumer = between->consumers.front();
        model()->selection().select(GraphItem::ofNode(consumer));
        const auto& content = *inspector()->model();
        for (const auto& [name, value] : model()->graphs().shown()->node(consumer)->attributes) {
            const QModelIndex row = found(content, QString::fromStdString(name));
            QVERIFY(row.isValid());
            QCOMPARE(row.siblingAtColumn(1).data().toString(), QString::fromStdString(value));
        }
        const QModelIndex from = found(content, "from");
        QVERIFY(from.isValid());
        inspector()->setFocus();
        inspector()->setCurrentIndex(from);
        QTest::keyClick(inspector(), Qt::Key_Return);
        QCOMPARE(model()->selection().selected().kind, GraphItem::Kind::Node);
        QVERIFY(model()->selection().selected().node != consumer);
        QVERIFY(m_studio->trigger("go.back"));
        QCOMPARE(model()->selection().selected(), GraphItem::ofNode(consumer));
    }

    void whatWasMeasuredIsShownAndGreyOnceItIsOld() {
        QVERIFY(open("residual"));
        auto bench = std::make_shared<session::ModelBenchResult>();
        for (const session::GraphKernel& kernel : model()->graphs().last()->kernels) {
            session::ModelStepRow row;
            row.group = kernel.key;
            row.seconds = 3e-6;
            bench->steps.push_back(row);
        }
        model()->results().setBench(bench, model()->setup().revision());
        model()->display().setOverlay(session::OverlayKind::Latency);
        const auto value = [this] { return table()->model()->index(0, OperatorModel::Value); };
        const session::Overlay latency =
            session::overlay_of(*model()->graphs().snapshot(), *model()->graphs().last(), model()->results().findings(),
                                session::OverlayKind::Latency);
        QTRY_COMPARE(value().data(Qt::AccessibleTextRole).toString(),
                     QString::fromStdString(latency.nodes.front().text));
        double sum = 0; // of all operators: what the kernels took
        for (const session::NodeReading& reading : latency.nodes)
            sum += reading.value.value_or(0);
        QVERIFY(qAbs(sum - 3e-6 * double(bench->steps.size())) < 1e-12);
        const Theme& theme = m_studio->studio().themes.theme();
        QCOMPARE(value().data(Qt::ForegroundRole).value<QColor>(), theme.text);
        model()->selection().select(GraphItem::ofNode(model()->graphs().shown()->nodes.front()->id));
        QTRY_VERIFY(found(*inspector()->model(), "Measured").isValid());
        QCOMPARE(found(*inspector()->model(), "Measured").data(InspectorRole::Tone).toInt(), int(InspectorTone::Plain));
        model()->setup().outdate();
        QTRY_COMPARE(value().data(Qt::ForegroundRole).value<QColor>(), theme.stale(theme.text));
        QTRY_COMPARE(found(*inspector()->model(), "Measured").data(InspectorRole::Tone).toInt(),
                     int(InspectorTone::Stale));
    }

    void constantsHaveAPicture() {
        QVERIFY(open("residual"));
        model()->graphs().setShown(0);
        const session::GraphValue* weight = nullptr;
        for (const auto& value : model()->graphs().shown()->values)
            if (value->is_constant && value->contents.empty())
                weight = value.get();
        QVERIFY(weight);
        model()->selection().select(GraphItem::ofValue(weight->id));
        QTRY_VERIFY(inspector()->wanted().isEmpty());
        const QModelIndex section = found(*inspector()->model(), "Contents");
        QVERIFY(section.isValid());
        const auto picture =
            inspector()->model()->index(0, 0, section).data(InspectorRole::Picture).value<ConstantPicturePtr>();
        QVERIFY(picture && !picture->histogram.empty());
        QVERIFY(inspector()->text().contains("deviation"));
    }

    void edgesGroupsAndTheModelHaveInspectors() {
        QVERIFY(open("residual"));
        QVERIFY(found(*inspector()->model(), "Totals").isValid());
        const session::GraphValue* between = edge();
        model()->selection().select(GraphItem::ofEdge(between->id, between->consumers.front()));
        QVERIFY(found(*inspector()->model(), "Producer").isValid());
        QVERIFY(found(*inspector()->model(), "Fusion").isValid());
        model()->display().setGrouping({false, false, true});
        const auto boxes = model()->graphs().shown()->boxes(model()->display().grouping());
        QVERIFY(boxes->drawn.groups.size() > 1);
        model()->selection().select(GraphItem::ofGroup(boxes->drawn.groups.back().key));
        QTRY_VERIFY(found(*inspector()->model(), "Operators").isValid());
        model()->selection().select({});
        QTRY_VERIFY(found(*inspector()->model(), "About").isValid());
    }

    void whatIsGoneFromTheShownGraphIsTold() {
        QVERIFY(open("residual"));
        const session::ModelGraph& first = *model()->graphs().snapshot()->graphs.front();
        for (const auto& node : first.nodes)
            if (!model()->graphs().shown()->node(node->id)) {
                model()->selection().select(GraphItem::ofNode(node->id));
                QCOMPARE(title(), QString::fromStdString(node->name));
                return;
            }
        QSKIP("no pass removed anything");
    }

    void aBrokenModelSaysSo() {
        const QString broken = m_studio->folder() + "/broken.onnx";
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("this is no model") > 0);
        file.close();
        m_studio->studio().tabs.openModel(broken);
        QVERIFY(QTest::qWaitFor([this] { return model() && !model()->graphs().isBusy(); }, 30'000));
        for (const char* name : {"operators.empty", "node.empty"})
            QVERIFY(m_studio->window().findChild<QWidget*>(name)->accessibleName().contains("cannot be read"));
    }

    void anotherThemeAndAnotherModelLeaveTheDocksRight() {
        QVERIFY(open("residual"));
        model()->selection().select(GraphItem::ofNode(model()->graphs().shown()->nodes.front()->id));
        m_studio->studio().themes.use("dark");
        QVERIFY(!table()->grab().isNull() && !inspector()->grab().isNull());
        QVERIFY(open("mlp"));
        QVERIFY(!model()->selection().selected());
        m_studio->studio().themes.use("light");
        QVERIFY(!table()->grab().isNull());
        m_studio->studio().tabs.close(*model());
        m_studio->studio().tabs.close(*m_studio->studio().tabs.models().front());
        QVERIFY(!model());
        QVERIFY(m_studio->window().findChild<QWidget*>("operators.empty"));
    }

    void twentyThousandRowsAreSortedInAMoment() {
        OperatorModel rows(m_studio->studio().themes);
        QTableView view;
        view.setModel(&rows);
        rows.show(longTable(20'000));
        view.resize(800, 600);
        view.show();
        for (int column = 0; column < OperatorModel::ColumnCount; ++column)
            for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
                const double before = ownMs();
                rows.sort(column, order);
                QVERIFY2(ownMs() - before < most_ms,
                         qPrintable(QString("column %1: %2 ms").arg(column).arg(ownMs() - before)));
            }
        rows.sort(OperatorModel::Name, Qt::AscendingOrder);
        QVERIFY(rows.index(2, 0).data().toString().contains("layer.2/"));
        QVERIFY(rows.index(10, 0).data().toString().contains("layer.10/"));
    }

    void textCanBeReadOnEveryColourOfAnOverlay() {
        QStringList wrong;
        for (const Theme& theme : allThemes())
            for (const session::OverlayInfo& info : session::all_overlays()) {
                session::Overlay overlay;
                overlay.kind = info.kind;
                overlay.greatest = 1;
                for (quint32 i = 0; i < 14; ++i) {
                    overlay.classes.push_back(std::to_string(i));
                    overlay.hues.push_back(i);
                }
                const OverlayColors colors(theme, overlay);
                for (int i = 0; i <= 64; ++i)
                    if (contrast(theme.text, colors.at(i / 64.0)) < least_contrast)
                        wrong << QString("%1 at %2").arg(theme.id).arg(i);
                for (quint32 i = 0; i < 14; ++i)
                    if (contrast(theme.text, colors.ofClass(i)) < least_contrast)
                        wrong << QString("%1 class %2 of %3").arg(theme.id).arg(i).arg(info.id);
            }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // Without telling hues apart, more is always darker, or always lighter.
    void theScaleIsOrderedByLightness() {
        for (const Theme& theme : allThemes()) {
            session::Overlay overlay;
            overlay.greatest = 1;
            const OverlayColors colors(theme, overlay);
            for (int i = 1; i <= 64; ++i) {
                const double before = contrast(colors.at((i - 1) / 64.0), Qt::black);
                const double now = contrast(colors.at(i / 64.0), Qt::black);
                QVERIFY2(theme.dark ? now > before : now < before, qPrintable(theme.id));
            }
        }
    }
};

HIDET_UI_TEST_MAIN(GraphDocks)
#include "docks_test.moc"
