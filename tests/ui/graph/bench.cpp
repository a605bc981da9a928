// SPDX-License-Identifier: GPL-3.0-only
// From the graph of a large model to its first picture, a frame while it is moved and zoomed, what a node costs in memory, and
// the longest that any event kept the window busy while such a model is opened, looked at, compiled and measured.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <QImage>

#include "app/ui/docks/docks.h"
#include "app/ui/graph/graph_area.h"
#include "app/ui/graph/runs/model_runs.h"
#include "compiler/graph/document/document.h"
#include "tests/bench/bench.h"
#include "tests/bench/graph_models.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;

namespace {

constexpr QSize screen(1600, 1000);

std::size_t bytesOf(const session::ModelGraph& graph) {
    std::size_t sum = 0;
    for (const auto& node : graph.nodes) {
        sum += sizeof(*node) + node->name.capacity() + node->key.capacity() + node->op.capacity();
        sum += (node->inputs.capacity() + node->outputs.capacity() + node->replaces.capacity()) * 4;
        for (const auto& [name, value] : node->attributes)
            sum += sizeof(name) * 2 + name.capacity() + value.capacity();
    }
    for (const auto& value : graph.values)
        sum += sizeof(*value) + value->name.capacity() + value->shape.capacity() + value->consumers.capacity() * 4;
    return sum;
}

struct Frames {
    GraphPainter painter;
    PicturePtr picture;
    GraphStyle style;
    QImage image{screen, QImage::Format_RGB32};

    Frames(ThemeSource& themes, PicturePtr of) : painter(themes), picture(std::move(of)) {
        style = makeStyle(*picture, painter.colors(), {});
    }
    double draw(const GraphView& view) {
        GraphScene scene;
        scene.picture = picture.get();
        scene.style = &style;
        const auto start = bench::Clock::now();
        QPainter device(&image);
        painter.paint(device, scene, view);
        device.end();
        return bench::milliseconds_since(start);
    }
    // The 95th of a hundred: frames over the middle of the picture, each a little further.
    double moving(double zoom, double factor) {
        std::vector<double> times;
        GraphView view{{}, zoom, screen};
        const QSizeF seen = view.size / zoom;
        view.origin = picture->bounds.center() - QPointF(seen.width() / 2, seen.height() / 2);
        for (int i = 0; i < 100; ++i) {
            view.origin += QPointF(3, 17) / view.zoom;
            view.zoom *= factor;
            times.push_back(draw(view));
        }
        std::nth_element(times.begin(), times.begin() + 95, times.end());
        return times[95];
    }
};

void measurePicture(const session::ModelSnapshot& snapshot, ThemeSource& themes, const std::string& name, int nodes,
                    bool isNested) {
    const std::string title = "graph/" + name + " of " + std::to_string(nodes) +
                              (isNested ? " nodes in open groups: " : " nodes without groups: ");
    PictureRequest request;
    request.graph = snapshot.graphs.front();
    request.grouping = {isNested, isNested, false};
    request.metrics = GraphPainter(themes).metrics();
    request.store = std::make_shared<LayoutStore>();
    const std::atomic<bool> cancelled = false;
    const auto boxes = request.graph->boxes(request.grouping);
    for (const auto& group : boxes->drawn.groups) // without names, parts of a picture that is too large are groups
        request.open.insert(group.key);
    const auto start = bench::Clock::now();
    Frames frames(themes, makePicture(request, cancelled));
    frames.draw({{}, 0.7, screen});
    bench::figure(title + "layout and first drawing", bench::milliseconds_since(start), "ms", nodes / 5.0);
    const QSizeF all = frames.picture->bounds.size();
    const double fit = std::min(screen.width() / all.width(), screen.height() / all.height());
    for (const auto& [name, zoom] :
         {std::pair<std::string, double>{"at 100 %", 1}, {"at 40 %", 0.4}, {"at 15 %", 0.15}, {"all of it", fit}}) {
        bench::figure(title + "frame of moving, " + name, frames.moving(zoom, 1), "ms", 16);
        bench::figure(title + "frame of zooming, " + name, frames.moving(zoom, 1.004), "ms", 16);
    }
    const double count = double(request.graph->nodes.size());
    bench::figure(title + "picture", double(frames.picture->bytes()) / count, "bytes a node");
}

void measure(session::ModelViewRequest request, ThemeSource& themes, const std::string& name, int nodes) {
    request.plans = false;
    request.target = session::Target::Cpu;
    request.tools = session::open_tools({nullptr, false});
    const session::SnapshotPtr snapshot = session::view_model(request);
    bench::figure("graph/" + name + " of " + std::to_string(nodes) + " nodes: graph of the import",
                  double(bytesOf(*snapshot->graphs.front())) / double(nodes), "bytes a node");
    for (const bool isNested : {false, true})
        measurePicture(*snapshot, themes, name, nodes, isNested);
}

// Every dock once, the passes one by one, then the model is compiled and measured by a worker process.
bool useAll(Application& app, test::StudioFixture& studio) {
    LiveModel& model = *studio.studio().tabs.model();
    auto slowest = [&](const char* during) {
        bench::figure(std::string("longest event while 20000 nodes are ") + during + ": " +
                          app.slowest().what.toStdString(),
                      app.slowest().ms, "ms", 50);
        app.resetSlowest();
    };
    app.resetSlowest();
    model.selection().select(
        GraphItem::ofNode(model.graphs().last()->nodes[model.graphs().last()->nodes.size() / 2]->id));
    for (const DockInfo& dock : allDocks())
        if (dock.modes.contains('g') || dock.area == DockArea::bottom) {
            studio.trigger("dock." + dock.id);
            QTest::qWait(300);
        }
    slowest("looked at in every dock");
    for (int graph = int(model.graphs().snapshot()->graphs.size()) - 1; graph >= 0; --graph) {
        model.graphs().setShown(graph);
        QTest::qWait(500);
    }
    slowest("seen after each pass");
    studio.studio().settings.set(Setting::Target, "cpu");
    if (!QTest::qWaitFor([&] { return !model.graphs().isBusy(); }, 120'000))
        return false;
    slowest("planned for another target");
    const auto start = bench::Clock::now();
    if (!studio.trigger("run.run") || !QTest::qWaitFor([&] { return !studio.studio().jobs->running(); }, 600'000))
        return false;
    bench::figure("graph/20000 nodes: compiled and measured", bench::milliseconds_since(start), "ms");
    QTest::qWait(500);
    slowest("compiled and measured");
    return model.results().findings().bench != nullptr;
}

bool open(Application& app, const QString& path) {
    test::StudioFixture studio;
    app.resetSlowest();
    const auto start = bench::Clock::now();
    studio.studio().tabs.openModel(path);
    const auto& area = *studio.window().findChild<GraphArea*>();
    LiveModel& model = *studio.studio().tabs.model();
    const auto isShown = [&] { return area.current() && area.current()->canvas().picture(); };
    if (!QTest::qWaitFor(isShown, 300'000))
        return false;
    bench::figure("graph/20000 nodes: from opening to the first picture", bench::milliseconds_since(start), "ms");
    if (!QTest::qWaitFor([&] { return !model.graphs().isBusy() && !area.current()->canvas().isMaking(); }, 600'000))
        return false;
    studio.trigger("graph.open_all");
    if (!QTest::qWaitFor([&] { return !area.current()->canvas().isMaking(); }, 300'000))
        return false;
    QTest::qWait(200);
    bench::figure("longest event while 20000 nodes are opened: " + app.slowest().what.toStdString(), app.slowest().ms,
                  "ms", 50);
    return useAll(app, studio);
}

} // namespace

int main(int argc, char** argv) {
    test::prepareEnvironment();
    Application app(argc, argv);
    ThemeSource themes;
    themes.use("light");
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "hidet-graph-bench.json";
    struct Model {
        const char* name;
        graph::Graph (*build)(int nodes);
    };
    for (const auto& [name, build] : {Model{"readers of one tensor", bench::fan}, {"transformer", bench::transformer}})
        for (const int nodes : {5000, 20000}) {
            std::ofstream(file) << graph::write_document({build(nodes)});
            session::ModelViewRequest request;
            request.path = file.string();
            measure(std::move(request), themes, name, nodes);
        }
    const bool isFine = open(app, QString::fromStdString(file.string()));
    std::filesystem::remove(file);
    return isFine ? 0 : 1;
}
