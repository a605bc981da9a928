// SPDX-License-Identifier: GPL-3.0-only
// The canvas in the real window: looking, walking, folding, searching, highlighting and exporting, on models of the tests.
#include <QFile>
#include <QLineEdit>
#include <QSlider>

#include "app/ui/graph/graph_area.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {
const QString encoder = QStringLiteral(HIDET_SAMPLES "/models/encoder.onnx");
const QString residual = QStringLiteral(HIDET_SAMPLES "/../tests/models/residual/residual.onnx");
} // namespace

class GraphCanvasTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    LiveModel& model() { return *m_studio->studio().tabs.model(); }
    GraphPane& pane() { return *m_studio->window().findChild<GraphArea*>()->current(); }
    GraphCanvas& canvas() { return pane().canvas(); }
    bool settled() {
        return QTest::qWaitFor(
            [this] {
                return m_studio->studio().tabs.model() && !model().graphs().isBusy() && canvas().picture() &&
                       !canvas().isMaking();
            },
            60'000);
    }
    bool open(const QString& path) {
        m_studio->studio().tabs.openModel(path);
        return settled();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(&canvas(), key, modifiers);
    }
    QPoint placeOf(const GraphItem& item) {
        const QRectF rect = rectOfItem(*canvas().picture(), item);
        return canvas()
            .viewport()
            .view()
            .toScreen(rect.topLeft() + QPointF(rect.width() / 2, std::min(rect.height() / 2, 12.0)))
            .toPoint();
    }
    GraphItem anyGroup() {
        for (const PictureBox& box : canvas().picture()->nodes)
            if (box.role == BoxRole::Closed)
                return itemOf(box);
        return {};
    }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void aModelIsSeenAtOnceAndReadable() {
        QVERIFY(open(residual));
        QVERIFY(!canvas().picture()->nodes.empty());
        QVERIFY(canvas().viewport().view().zoom >= 0.6);
        QVERIFY(canvas().viewport().view().seen().intersects(canvas().picture()->bounds));
        QVERIFY(!canvas().grab().isNull());
    }

    void keysWalkAndTheSelectionIsSharedAndInSight() {
        QVERIFY(open(residual));
        press(Qt::Key_Home);
        QVERIFY(model().selection().selected());
        GraphItem last;
        for (int i = 0; i < 40 && !(last == model().selection().selected()); ++i) {
            last = model().selection().selected();
            press(Qt::Key_Down);
            QVERIFY(canvas().rect().contains(placeOf(model().selection().selected())));
        }
        const GraphItem end = model().selection().selected();
        press(Qt::Key_End);
        QCOMPARE(model().selection().selected(), end);
        press(Qt::Key_Up);
        QVERIFY(!(model().selection().selected() == end));
        QVERIFY(!canvas().accessibleDescription().isEmpty());
        QVERIFY(m_studio->trigger("go.back"));
        QCOMPARE(model().selection().selected(), end);
    }

    void aClickSelectsAndEscapeLeaves() {
        QVERIFY(open(residual));
        press(Qt::Key_Home);
        press(Qt::Key_Down);
        const GraphItem node = model().selection().selected();
        model().selection().select({});
        QTest::mouseClick(&canvas(), Qt::LeftButton, {}, placeOf(node));
        QCOMPARE(model().selection().selected(), node);
        for (int i = 0; i < 8 && model().selection().selected(); ++i)
            press(Qt::Key_Escape);
        QVERIFY(!model().selection().selected());
    }

    void draggingMovesAndTheWheelZooms() {
        QVERIFY(open(residual));
        const QPointF before = canvas().viewport().view().origin;
        QTest::mousePress(&canvas(), Qt::LeftButton, {}, {200, 200});
        QTest::mouseMove(&canvas(), {150, 180});
        QTest::mouseMove(&canvas(), {120, 160});
        QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, {120, 160});
        QVERIFY(canvas().viewport().view().origin != before);
        QVERIFY(!model().selection().selected());
        const QPointF at(300, 200), stays = canvas().viewport().view().toPicture(at);
        canvas().viewport().zoomTo(canvas().viewport().view().zoom * 1.3, at);
        const QPointF off = canvas().viewport().view().toPicture(at) - stays;
        QVERIFY(std::abs(off.x()) + std::abs(off.y()) < 1);
        press(Qt::Key_F);
        QVERIFY(canvas().viewport().view().seen().contains(canvas().picture()->bounds));
        press(Qt::Key_1);
        QCOMPARE(canvas().viewport().view().zoom, 1.0);
    }

    void groupsOpenInPlaceAndClose() {
        QVERIFY(open(encoder));
        const GraphItem group = anyGroup();
        QVERIFY(group);
        canvas().viewport().show(group);
        const QPoint at = placeOf(group);
        QTest::mouseDClick(&canvas(), Qt::LeftButton, {}, at);
        QVERIFY(settled());
        QVERIFY(model().display().open().contains(group.group));
        QVERIFY(canvas().picture()->groupOfKey.contains(group.group));
        const auto& header = canvas().picture()->groups[canvas().picture()->groupOfKey.at(group.group)].header;
        QVERIFY(header.contains(canvas().viewport().view().toPicture(at)));
        model().selection().select(group);
        QTest::mouseDClick(&canvas(), Qt::LeftButton, {}, at);
        QVERIFY(settled());
        QVERIFY(!model().display().open().contains(group.group));
        QVERIFY(rectOfItem(*canvas().picture(), group).contains(canvas().viewport().view().toPicture(at)));
        press(Qt::Key_Return);
        QVERIFY(settled());
        QVERIFY(model().display().open().contains(group.group));
        QVERIFY(m_studio->trigger("graph.close_all"));
        QVERIFY(settled());
        QVERIFY(canvas().picture()->groups.empty());
        QVERIFY(m_studio->trigger("graph.open_all"));
        QVERIFY(settled());
        QVERIFY(!anyGroup());
    }

    void whatIsRevealedIsOpenedAndInSight() {
        QVERIFY(open(encoder));
        const auto& nodes = model().graphs().shown()->nodes;
        for (std::size_t i : {std::size_t(0), nodes.size() / 2, nodes.size() - 1}) {
            const GraphItem item = GraphItem::ofNode(nodes[i]->id);
            model().selection().select(item);
            model().selection().reveal(item);
            QVERIFY(settled());
            const quint32 box = boxOfItem(*canvas().picture(), item);
            QVERIFY(box != no_box);
            QCOMPARE(canvas().picture()->nodes[box].id, item.node);
            QVERIFY(canvas().rect().contains(placeOf(item)));
        }
    }

    void pathsAreHighlightedAndCleared() {
        QVERIFY(open(residual));
        press(Qt::Key_End);
        press(Qt::Key_Up);
        QVERIFY(m_studio->trigger("graph.producers"));
        QVERIFY(model().selection().marked());
        QVERIFY(!model().selection().marked()->isEmpty());
        QVERIFY(canvas().scene().strongEdges);
        QVERIFY(m_studio->trigger("graph.unmark"));
        QVERIFY(!model().selection().marked());
        QVERIFY(!canvas().scene().strongEdges);
        QVERIFY(m_studio->trigger("graph.path"));
        press(Qt::Key_Escape);
        QVERIFY(!model().selection().marked());
    }

    void aSearchMarksAndGoesFromHitToHit() {
        QVERIFY(open(encoder));
        QVERIFY(m_studio->trigger("edit.find"));
        auto* field = m_studio->window().findChild<QLineEdit*>("graph.search");
        QVERIFY(field && field->hasFocus());
        test::typeInto(*field, "matmul");
        QTRY_VERIFY(pane().strip().search().hasHits());
        QVERIFY(model().selection().marked());
        QVERIFY(!canvas().scene().strongEdges);
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(settled());
        const GraphItem first = model().selection().selected();
        QCOMPARE(first.node, pane().strip().search().hits().front());
        QVERIFY(m_studio->trigger("edit.find_next"));
        QVERIFY(settled());
        QVERIFY(!(model().selection().selected() == first));
        QTest::keyClick(field, Qt::Key_Escape);
        QTRY_VERIFY(!model().selection().marked());
    }

    void theSliderGoesThroughPassesAndKeepsWhatIsLookedAt() {
        QVERIFY(open(encoder));
        auto* slider = m_studio->window().findChild<QSlider*>("graph.passes");
        QVERIFY(slider);
        QCOMPARE(slider->value(), model().graphs().shownNumber());
        QVERIFY(slider->maximum() > 0);
        slider->setValue(0);
        QVERIFY(settled());
        QCOMPARE(model().graphs().shownNumber(), 0);
        for (int i = 1; i <= slider->maximum(); ++i) {
            QVERIFY(m_studio->trigger("passes.next"));
            QVERIFY(settled());
            QCOMPARE(canvas().picture()->graph.get(), model().graphs().shown());
        }
    }

    void boxesMoveToTheirPlacesAndStay() {
        QVERIFY(open(encoder));
        canvas().viewport().actualSize();
        canvas().setAnimated(true);
        QVERIFY(m_studio->trigger("graph.open_all"));
        QVERIFY(settled());
        QVERIFY(canvas().isMoving());
        const QImage moving = canvas().grab().toImage();
        QTRY_VERIFY(!canvas().isMoving());
        QVERIFY(canvas().grab().toImage() != moving);
        QVERIFY(m_studio->trigger("passes.previous"));
        QVERIFY(settled());
        QTRY_VERIFY(!canvas().isMoving());
    }

    void kernelsAreDrawnAndBlockersSaidOnEdges() {
        QVERIFY(open(residual));
        QVERIFY(m_studio->trigger("graph.kernels"));
        QVERIFY(settled());
        QVERIFY(m_studio->trigger("graph.open_all"));
        QVERIFY(settled());
        const GraphPicture& picture = *canvas().picture();
        const bool hasKernels =
            std::any_of(picture.groups.begin(), picture.groups.end(),
                        [](const PictureGroup& group) { return group.kernel != hidet::session::no_id; });
        QVERIFY(hasKernels || model().graphs().shown()->kernels.size() == model().graphs().shown()->nodes.size());
        if (!model().graphs().shown()->blockers.empty())
            QVERIFY(canvas().scene().showsBlockers);
    }

    void theMinimapIsThereWhenNotAllIsSeen() {
        QVERIFY(open(encoder));
        QVERIFY(m_studio->trigger("graph.open_all"));
        QVERIFY(settled());
        canvas().viewport().actualSize();
        QVERIFY(pane().minimap().isVisible());
        QVERIFY(canvas().rect().contains(pane().minimap().geometry()));
        QVERIFY(m_studio->trigger("graph.minimap"));
        QVERIFY(!pane().minimap().isVisible());
        QVERIFY(m_studio->trigger("graph.minimap"));
        const QPointF before = canvas().viewport().view().origin;
        QTest::mouseClick(&pane().minimap(), Qt::LeftButton, {}, pane().minimap().rect().bottomRight() - QPoint(8, 8));
        QVERIFY(canvas().viewport().view().origin != before);
        canvas().viewport().fit();
        if (canvas().viewport().view().seen().contains(canvas().picture()->bounds))
            QVERIFY(!pane().minimap().isVisible());
    }

    void theLegendHasTheColoursThatAreUsed() {
        QVERIFY(open(residual));
        QTRY_VERIFY(!pane().legend().entries().isEmpty());
        QSet<QRgb> legend, used;
        for (const GraphLegend::Entry& entry : pane().legend().entries())
            legend.insert(entry.color.rgb());
        for (std::size_t i = 0; i < canvas().looks().style().boxes.size(); ++i)
            if (canvas().picture()->nodes[i].role == BoxRole::Operator)
                used.insert(canvas().looks().style().boxes[i].fill.rgb());
        QVERIFY(legend.contains(used));
    }

    void picturesHaveTheNamesAsText() {
        QVERIFY(open(residual));
        for (const QString& name : {QString("all.svg"), QString("all.png"), QString("all.pdf")}) {
            const QString path = m_studio->folder() + '/' + name;
            m_studio->answerDialogs({path});
            QVERIFY(m_studio->trigger("pane.picture"));
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), 20'000);
        }
        QFile svg(m_studio->folder() + "/all.svg");
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        for (const PictureBox& box : canvas().picture()->nodes)
            QVERIFY2(text.contains(box.label.toHtmlEscaped().toUtf8()), qPrintable(box.label));
        press(Qt::Key_Home);
        const QString path = m_studio->folder() + "/part.svg";
        m_studio->answerDialogs({path});
        QVERIFY(m_studio->trigger("graph.picture_selection"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), 20'000);
        QVERIFY(QFile(path).size() < svg.size());
        m_studio->answerDialogs({"/nowhere/picture.svg"});
        QVERIFY(m_studio->trigger("pane.picture"));
        QTRY_VERIFY(m_studio->window().notices().sentences().join(' ').contains("/nowhere/picture.svg"));
    }

    void themesAndScalesAreFollowed() {
        QVERIFY(open(residual));
        const QImage light = canvas().grab().toImage();
        m_studio->studio().themes.use("dark");
        QVERIFY(settled());
        QVERIFY(canvas().grab().toImage() != light);
    }
};

HIDET_UI_TEST_MAIN(GraphCanvasTest)
#include "canvas_test.moc"
