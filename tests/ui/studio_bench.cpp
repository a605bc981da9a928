// SPDX-License-Identifier: GPL-3.0-only
// From a keystroke in the real window to each stage in its pane, on the largest sample, and the longest that any event kept
// the window busy meanwhile. The pause before compiling (a setting) counts.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <QElapsedTimer>
#include <QTimer>

#include "tests/bench/bench.h"
#include "tests/ui/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;

namespace {

constexpr int rounds = 8;
constexpr int keys_a_round = 5;
const QByteArray before = "regs_c[x * 16 + i, y * 8 + j] = 0.0";

struct Measured {
    const char* title;
    StageName stage;
    double goal; // ms
    StagePane* pane = nullptr;
    std::vector<double> times = {};
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

template <class Condition>
bool handleEventsUntil(Condition condition) {
    QElapsedTimer timer;
    timer.start();
    QTimer wake;
    wake.start(1000);
    while (!condition()) {
        if (timer.elapsed() > 60'000)
            return false;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    return true;
}

// Types a digit, and waits until the script's mistakes are known and each pane shows a text of the script as it is now.
bool typeAndWait(test::StudioFixture& studio, std::vector<double>& diagnostics, std::vector<Measured>& panes,
                 int digit) {
    const auto start = bench::Clock::now();
    QTest::keyClick(&studio.editor(), static_cast<Qt::Key>(Qt::Key_0 + digit));
    const LivePipeline& live = *studio.studio().live();
    std::vector<bool> done(panes.size());
    bool evaluated = false;
    // Not QTest::qWaitFor: it sleeps for ten milliseconds at a time.
    return handleEventsUntil([&] {
        if (live.evaluatedText() != studio.editor().bytes() || !live.latest()->evaluated)
            return false;
        if (!std::exchange(evaluated, true))
            diagnostics.push_back(bench::milliseconds_since(start));
        for (std::size_t i = 0; i < panes.size(); ++i)
            if (!done[i] && panes[i].pane->shown().state == session::Freshness::Fresh) {
                panes[i].times.push_back(bench::milliseconds_since(start));
                done[i] = true;
            }
        return std::all_of(done.begin(), done.end(), [](bool it) { return it; });
    });
}

// Another number, by one undoable edit that is not measured: each text is compiled for the first time.
bool startRound(test::StudioFixture& studio, int round) {
    QByteArray text = studio.editor().bytes();
    const qsizetype at = text.indexOf(before.left(before.size() - 1));
    if (at < 0)
        return false;
    const qsizetype end = text.indexOf('\n', at);
    const QByteArray line = before.left(before.size() - 1) + QByteArray::number(round + 1);
    text.replace(at, end - at, line);
    studio.editor().replaceAll(text);
    studio.editor().setCaret(static_cast<int>(at + line.size()));
    return studio.settle();
}

bool measure(test::StudioFixture& studio, std::vector<double>& diagnostics, std::vector<Measured>& panes) {
    for (int round = 0; round < rounds; ++round) {
        if (!startRound(studio, round))
            return false;
        for (int key = 0; key < keys_a_round; ++key)
            if (!typeAndWait(studio, diagnostics, panes, 1 + key))
                return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv) {
    test::prepareEnvironment();
    Application app(argc, argv);
    test::StudioFixture studio;
    std::vector<Measured> panes = {{"IR", "ir"_stage, 50}, {"CUDA C++", "cuda"_stage, 60}, {"PTX", "ptx"_stage, 150}};
    if (!studio.openSample("tensor_core_matmul"))
        return 1;
    // Side by side, so that all are painted.
    studio.window().stages().restore(StageArea::of({{"ir"_stage}, {"cuda"_stage}, {"ptx"_stage}}));
    if (!studio.trigger("dock.accesses") || !studio.settle())
        return 1;
    for (Measured& pane : panes)
        for (Pane* shown : studio.window().stages().panes())
            if (auto* stage = qobject_cast<StagePane*>(shown); stage && stage->stage() == pane.stage)
                pane.pane = stage;
    if (panes.back().pane->view().bytes().isEmpty()) {
        std::fprintf(stderr, "no NVRTC on this machine: PTX is not measured\n");
        panes.pop_back();
    }
    app.resetSlowest();
    std::vector<double> diagnostics;
    if (!measure(studio, diagnostics, panes))
        return 1;
    bench::figure("keystroke to its diagnostics", median(diagnostics), "ms", 40);
    for (const Measured& pane : panes)
        bench::figure(std::string("keystroke to a fresh pane of ") + pane.title, median(pane.times), "ms", pane.goal);
    bench::figure("longest event meanwhile: " + app.slowest().what.toStdString(), app.slowest().ms, "ms", 16);
    return 0;
}
