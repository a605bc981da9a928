// SPDX-License-Identifier: GPL-3.0-only
// What a picture of a graph promises, and how it is drawn: with fixed widths of letters, the same on every machine.
#include <map>

#include <QBuffer>
#include <QImage>
#include <QTest>

#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/graph_tips.h"
#include "app/ui/graph/canvas/graph_walk.h"
#include "app/ui/graph/canvas/picture_labels.h"
#include "tests/ui/fixture/studio_fixture.h"
#include "tests/ui/graph/graph_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using namespace hidet::ui::test;

namespace {

// Made graphs, closed and open.
std::vector<std::pair<QByteArray, PicturePtr>> pictures() {
    std::vector<std::pair<QByteArray, PicturePtr>> out = {
        {"residual, closed", residualNetwork(3, 2).closed()},
        {"residual, open", residualNetwork(3, 2).opened()},
        {"transformer", transformer(3, true).opened()},
        {"transformer with a mask", transformer(14, false, true).opened()},
    };
    for (quint64 seed = 1; seed <= 12; ++seed)
        out.emplace_back("mixed " + QByteArray::number(seed), mixedGraph(seed, 30 + int(seed) * 10).opened());
    return out;
}

bool runsThrough(const QRectF& rect, QPointF from, QPointF to) {
    const QRectF inner = rect.adjusted(0.7, 0.7, -0.7, -0.7);
    for (int i = 0; i <= 32; ++i)
        if (inner.contains(bentAt(from, to, i / 32.0)))
            return true;
    return false;
}

QString faultOfEdges(const GraphPicture& picture) {
    for (std::size_t e = 0; e < picture.edges.size(); ++e) {
        const PictureEdge& edge = picture.edges[e];
        for (quint32 k = edge.first; k + 1 < edge.first + edge.points; ++k) {
            if (picture.lines[k] == GraphPicture::NoLine)
                continue;
            const QPointF from = picture.points[k], to = picture.points[k + 1];
            for (const PictureBox& box : picture.nodes)
                if (runsThrough(box.rect, from, to))
                    return QString("edge %1 runs through %2").arg(e).arg(box.label);
            for (const PictureLabel& label : picture.labels)
                if (runsThrough(label.rect, from, to))
                    return QString("edge %1 runs through the label %2").arg(e).arg(label.text);
        }
    }
    return {};
}

template <class List, class Rect>
QString faultOfOverlap(const List& list, Rect rectOf) {
    for (std::size_t a = 0; a < list.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (rectOf(list[a]).intersects(rectOf(list[b])))
                return QString("%1 and %2 overlap").arg(b).arg(a);
    return {};
}

QByteArray drawn(const GraphPicture& picture, const GraphView& view, ThemeSource& themes) {
    GraphPainter painter(themes);
    session::Overlay families;
    families.classes.resize(std::size_t(session::OpFamily::Other) + 1, "family");
    for (const auto& node : picture.graph->nodes)
        families.nodes.push_back({node->id, {}, quint32(node->family), {}, false});
    StyleRequest request;
    request.overlay = &families;
    const GraphStyle style = makeStyle(picture, painter.colors(), request);
    GraphScene scene;
    scene.picture = &picture;
    scene.style = &style;
    QImage image(view.size.toSize(), QImage::Format_RGB32);
    QPainter device(&image);
    painter.paint(device, scene, view);
    device.end();
    QByteArray out;
    QBuffer buffer(&out);
    image.save(&buffer, "PNG");
    if (const QByteArray folder = qgetenv("HIDET_TEST_PICTURES"); !folder.isEmpty())
        image.save(QString::fromUtf8(folder) + QString("/%1-%2.png").arg(picture.nodes.size()).arg(view.zoom));
    return out;
}

} // namespace

class GraphPictureTest : public QObject {
    Q_OBJECT

private slots:
    void boxesDoNotOverlap() {
        for (const auto& [name, picture] : pictures()) {
            QVERIFY2(picture, name);
            QString fault = faultOfOverlap(picture->nodes, [](const PictureBox& box) { return box.rect; });
            if (fault.isEmpty())
                fault = faultOfOverlap(picture->labels, [](const PictureLabel& label) { return label.rect; });
            if (fault.isEmpty())
                fault = faultOfOverlap(picture->stubs, [](const PictureStub& stub) { return stub.rect; });
            QVERIFY2(fault.isEmpty(), name + ": " + fault.toUtf8());
        }
    }

    void edgesRunThroughNothing() {
        for (const auto& [name, picture] : pictures()) {
            const QString fault = faultOfEdges(*picture);
            QVERIFY2(fault.isEmpty(), name + ": " + fault.toUtf8());
        }
    }

    void textsFit() {
        for (const auto& [name, picture] : pictures()) {
            const GraphMetrics& metrics = picture->metrics;
            for (const PictureBox& box : picture->nodes) {
                QVERIFY2(metrics.width(box.label, GraphFace::Label) <= box.rect.width() - 12, name);
                for (const QString& line : box.details)
                    QVERIFY2(metrics.width(line, GraphFace::Detail) <= box.rect.width() - 12, name);
                for (quint32 i = box.firstChip; i < box.firstChip + box.chips; ++i) {
                    QVERIFY2(box.rect.contains(picture->chips[i].rect), name);
                    QVERIFY2(metrics.width(picture->chips[i].text, GraphFace::Detail) <= picture->chips[i].rect.width(),
                             name);
                }
            }
            for (const PictureGroup& group : picture->groups)
                QVERIFY2(metrics.width(group.label, GraphFace::Label) +
                                 metrics.width(group.detail, GraphFace::Detail) <=
                             group.header.width(),
                         name);
            for (const PictureStub& stub : picture->stubs)
                QVERIFY2(metrics.width(stub.text, GraphFace::Detail) <= stub.rect.width(), name);
        }
    }

    void labelsAreOfNoBox() {
        for (const auto& [name, picture] : pictures())
            for (const PictureLabel& label : picture->labels) {
                for (const PictureBox& box : picture->nodes)
                    QVERIFY2(!box.rect.intersects(label.rect), name);
                for (const PictureGroup& group : picture->groups)
                    QVERIFY2(!group.header.intersects(label.rect), name);
                for (const PictureEdge& edge : picture->edges) {
                    if (edge.blocker == session::no_id)
                        continue;
                    const double r = GraphPainter::sign_radius;
                    const QPointF at = GraphPainter::signOf(*picture, edge);
                    QVERIFY2(!QRectF(at - QPointF(r, r), QSizeF(2 * r, 2 * r)).intersects(label.rect), name);
                }
            }
    }

    void whatProcessesExchangeHasItsBytes() {
        GraphMaker maker;
        const quint32 part =
            maker.node("Matmul", session::OpFamily::MatrixProduct, "part", {maker.input("x", "[4, 8]")}, "[4, 512]");
        maker.takes(part, 8192);
        const quint32 sum = maker.node("AllReduce", session::OpFamily::Other, "sum", {part}, "[4, 512]");
        maker.takes(sum, 8192);
        maker.output(maker.node("Relu", session::OpFamily::Activation, "relu", {sum}, "[4, 512]"), "y");
        const PicturePtr picture = maker.finish().closed();
        QCOMPARE(picture->labels.size(), std::size_t(1));
        QCOMPARE(picture->labels[0].text, QString("8 KiB"));
        QCOMPARE(picture->edges[picture->labels[0].edge].value, part);
    }

    void groupsHoldWhatIsInThem() {
        const MadeGraph made = residualNetwork(2, 2);
        const PicturePtr closed = made.closed(), open = made.opened();
        QCOMPARE(closed->groups.size(), std::size_t(0));
        QCOMPARE(open->groups.size(), made.groups.size());
        for (const PictureBox& box : open->nodes) {
            if (box.level == 0)
                continue;
            const GraphKey key = open->boxes->drawn.groups[box.level].key;
            QVERIFY(open->groups[open->groupOfKey.at(key)].rect.contains(box.rect));
        }
        const quint32 repeat = closed->nodeOfKey.at(made.groups.front());
        QCOMPARE(closed->nodes[repeat].label, QString("layer1  \u00D72"));
        QVERIFY(closed->nodes[repeat].details.contains("15 operators"));
    }

    void openingKeepsOthersInOrder() {
        const MadeGraph made = residualNetwork(3, 2);
        auto store = std::make_shared<LayoutStore>();
        const PicturePtr before = made.picture({}, store);
        const PicturePtr open = made.picture({made.groups.front()}, store);
        const PicturePtr after = made.picture({}, store);
        QCOMPARE(open->groups.size(), std::size_t(1));
        for (std::size_t i = 0; i < before->nodes.size(); ++i)
            QCOMPARE(before->nodes[i].rect, after->nodes[i].rect);
    }

    void boxesAreHitWhereTheyAre() {
        const PicturePtr picture = transformer(3, true).opened();
        for (quint32 i = 0; i < picture->nodes.size(); ++i) {
            const PictureHit hit = hitAt(*picture, picture->nodes[i].rect.center(), 4, false);
            QCOMPARE(int(hit.what), int(PictureHit::What::Box));
            QCOMPARE(hit.place, i);
        }
        for (quint32 i = 0; i < picture->groups.size(); ++i)
            QCOMPARE(hitAt(*picture, picture->groups[i].header.center(), 4, false).place, i);
        QVERIFY(!hitAt(*picture, picture->bounds.bottomRight() + QPointF(100, 100), 4, false));
    }

    void edgesAreHitAlongTheirWay() {
        const PicturePtr picture = residualNetwork(2, 2).opened();
        int hits = 0;
        for (const PictureEdge& edge : picture->edges) {
            const QPointF middle = bentAt(picture->points[edge.first], picture->points[edge.first + 1], 0.5);
            const PictureHit hit = hitAt(*picture, middle, 4, false);
            if (hit.what == PictureHit::What::Edge && picture->edges[hit.place].value == edge.value)
                ++hits;
        }
        QVERIFY2(hits > int(picture->edges.size()) * 8 / 10, QByteArray::number(hits));
    }

    void refusedEdgesSayWhy() {
        const PicturePtr picture = residualNetwork(2, 2).opened();
        int signs = 0;
        for (const PictureEdge& edge : picture->edges) {
            if (edge.blocker == session::no_id)
                continue;
            const PictureHit hit = hitAt(*picture, GraphPainter::signOf(*picture, edge), 4, true);
            QCOMPARE(int(hit.what), int(PictureHit::What::Sign));
            QVERIFY(tipOf(*picture, hit, nullptr).contains("is read elsewhere"));
            QCOMPARE(int(itemOf(*picture, hit).kind), int(GraphItem::Kind::Edge));
            ++signs;
        }
        QVERIFY(signs > 0);
    }

    void keysWalkAlongEdges() {
        const PicturePtr picture = residualNetwork(2, 2).opened();
        GraphItem at = walk(*picture, {}, WalkTo::First, {});
        QCOMPARE(int(at.kind), int(GraphItem::Kind::Value));
        QSet<quint32> seen;
        GraphItem before;
        for (int i = 0; i < 200; ++i) {
            const GraphItem next = walk(*picture, at, WalkTo::Down, before);
            if (!next)
                break;
            before = std::exchange(at, next);
            if (at.kind == GraphItem::Kind::Node)
                seen.insert(at.node);
        }
        QCOMPARE(at, walk(*picture, {}, WalkTo::Last, {}));
        QVERIFY(seen.size() > 12);
        const GraphItem up = walk(*picture, at, WalkTo::Up, {});
        QCOMPARE(walk(*picture, up, WalkTo::Down, at), at);
        // The two convolutions that a block begins with.
        const GraphItem first = GraphItem::ofNode(3), second = walk(*picture, first, WalkTo::Right, {});
        const GraphItem other = second ? second : walk(*picture, first, WalkTo::Left, {});
        QVERIFY(!other || walk(*picture, other, second ? WalkTo::Left : WalkTo::Right, {}) == first);
        QVERIFY(enclosing(*picture, first).kind == GraphItem::Kind::Group);
    }

    void pathsReachAllThatDepends() {
        const PicturePtr picture = residualNetwork(1, 2).closed();
        const int all = int(picture->graph->nodes.size());
        QCOMPARE(reachable(*picture, GraphItem::ofNode(0), Along::Consumers).size(), all);
        QCOMPARE(reachable(*picture, GraphItem::ofNode(0), Along::Producers).size(), 1);
        QCOMPARE(reachable(*picture, GraphItem::ofNode(quint32(all) - 1), Along::Producers).size(), all);
    }

    void culledIsAsIfAllWereDrawn() {
        ThemeSource themes;
        themes.use("light");
        const PicturePtr picture = transformer(4, false).opened(GraphPainter(themes).metrics());
        for (double zoom : {0.2, 0.5, 1.0}) {
            const QSizeF whole = picture->bounds.size() * zoom;
            const QImage all = QImage::fromData(drawn(*picture, {{0, 0}, zoom, whole}, themes));
            // A part from the middle.
            const QPoint at(int(whole.width() / 4), int(whole.height() / 3));
            const QSize size(int(whole.width() / 2), int(whole.height() / 4));
            const QImage part = QImage::fromData(drawn(*picture, {QPointF(at) / zoom, zoom, size}, themes));
            int different = 0;
            for (int y = 0; y < size.height(); ++y)
                for (int x = 0; x < size.width(); ++x)
                    different += all.pixel(at.x() + x, at.y() + y) != part.pixel(x, y);
            QVERIFY2(different < size.width() * size.height() / 1000, QByteArray::number(different));
        }
    }

    void framesAreTheSame() {
        ThemeSource themes;
        const MadeGraph made = mixedGraph(5, 80);
        const GraphMetrics metrics = GraphPainter(themes).metrics();
        for (double zoom : {0.2, 0.5, 1.0})
            QCOMPARE(drawn(*made.opened(metrics), {{-20, -20}, zoom, {800, 600}}, themes),
                     drawn(*made.opened(metrics), {{-20, -20}, zoom, {800, 600}}, themes));
    }

    void motionsBeginWhereBoxesWere() {
        ThemeSource themes;
        const MadeGraph made = residualNetwork(2, 2);
        GraphPainter painter(themes);
        const PicturePtr closed = made.picture({}, {}, painter.metrics()), open = made.opened(painter.metrics());
        const GraphStyle style = makeStyle(*open, painter.colors(), {});
        std::vector<QImage> frames;
        for (double progress : {0.0, 0.5, 1.0}) {
            const GraphMotion motion{closed, {}, progress};
            GraphScene scene;
            scene.picture = open.get();
            scene.style = &style;
            scene.motion = &motion;
            QImage image(600, 800, QImage::Format_RGB32);
            QPainter device(&image);
            painter.paint(device, scene, {{-20, -20}, 1, image.size()});
            device.end();
            frames.push_back(image);
        }
        QVERIFY(frames[0] != frames[1]);
        QVERIFY(frames[1] != frames[2]);
    }

    void linesOfAValueAreDrawnOnce() {
        for (const auto& [name, picture] : pictures()) {
            // Own lines of one value, one above the other, do not overlap.
            std::map<std::pair<quint32, double>, std::vector<std::pair<double, double>>> drawn;
            for (const PictureEdge& edge : picture->edges)
                for (quint32 k = edge.first; k + 1 < edge.first + edge.points; ++k) {
                    const QPointF from = picture->points[k], to = picture->points[k + 1];
                    if (picture->lines[k] != GraphPicture::OwnLine || from.x() != to.x())
                        continue;
                    auto& known = drawn[{edge.value, from.x()}];
                    for (const auto& [top, bottom] : known)
                        QVERIFY2(to.y() <= top || from.y() >= bottom, name);
                    known.emplace_back(from.y(), to.y());
                }
        }
    }

    void emptyGraphsAreDrawn() {
        ThemeSource themes;
        const PicturePtr picture = GraphMaker().finish().opened();
        QVERIFY(picture);
        QVERIFY(picture->nodes.empty());
        QVERIFY(!drawn(*picture, {{0, 0}, 1, {200, 100}}, themes).isEmpty());
        QVERIFY(!walk(*picture, {}, WalkTo::First, {}));
    }

    void cancelledPicturesAreNone() {
        const MadeGraph made = residualNetwork(1, 1);
        const std::atomic<bool> cancelled = true;
        QVERIFY(!makePicture(
            {made.graph, made.boxes, {}, {}, GraphMetrics::fixed(), std::make_shared<LayoutStore>(), nullptr},
            cancelled));
    }
};

HIDET_UI_TEST_MAIN(GraphPictureTest)
#include "picture_test.moc"
