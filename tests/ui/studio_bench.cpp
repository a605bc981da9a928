// SPDX-License-Identifier: GPL-3.0-only
// From a keystroke in the real window to each stage in its pane, and the longest that any event kept the window busy meanwhile:
// of a small script, the largest sample, 600 lines and long machine code, with docks closed and open. Compilers are processes,
// as in the program. `bench_studio . PART` measures the windows whose title has PART in it: `600`, `SASS`, `docks open`.
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include <QElapsedTimer>
#include <QTimer>

#include "app/session/worker/compile_pool.h"
#include "tests/bench/bench.h"
#include "tests/bench/standstill.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;

namespace {

constexpr int rounds = 6;
constexpr int keys_a_round = 5;

struct Script {
    QString title;
    QByteArray text;
    QByteArray before;  // the caret, where digits are typed: "total = f32(0."
    int occurrence = 0; // of that
};

struct Wanted {
    const char* title;
    StageName stage;
    double goal; // ms; 0: none
};

struct Measured {
    const Wanted* wanted = nullptr;
    StagePane* pane = nullptr;
    std::vector<double> times = {};
};

struct Window {
    const Script& script;
    std::vector<Wanted> panes; // side by side, so that all are painted
    double diagnostics_goal = 0;
    QStringList docks = {};
    bool explains_machine = false;

    QString title() const {
        return script.title + (explains_machine ? ", SASS pane" : "") + (docks.isEmpty() ? "" : ", docks open");
    }
};

QString spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? QString()
                          : QString(" (%1 to %2)")
                                .arg(values[values.size() / 10], 0, 'f', 0)
                                .arg(values[values.size() * 9 / 10], 0, 'f', 0);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

// The longest of the events after each key, without what the machine stood still while they were handled.
class Longest {
public:
    void take(const Application::SlowEvent& event, const bench::Standstill& machine) {
        const double stood = std::min(event.ms, machine.between(event.begun, event.ended));
        if (event.ms - stood > m_event.ms) {
            m_event = event;
            m_event.ms -= stood;
        }
        m_stood = std::max(m_stood, stood);
    }
    const Application::SlowEvent& event() const { return m_event; }
    double stood() const { return m_stood; } // ms: the most in one event

private:
    Application::SlowEvent m_event;
    double m_stood = 0;
};

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

class TypedIn {
public:
    TypedIn(Application& app, const Window& window, const std::shared_ptr<session::Tools>& tools,
            const bench::Standstill& machine)
        : m_app(app), m_window(window), m_machine(machine), m_studio({}, tools) {}

    bool run() {
        if (!open())
            return false;
        if (m_panes.empty())
            return true;
        for (int round = 0; round < rounds; ++round) {
            m_app.resetSlowest();
            if (!startRound())
                return false;
            takeSlowest();
            for (int key = 0; key < keys_a_round; ++key) {
                if (!typeAndWait(1 + key))
                    return false;
                takeSlowest();
            }
        }
        report();
        return true;
    }

private:
    bool open() {
        m_studio.studio().settings.set(Setting::Machine, m_window.explains_machine);
        m_studio.openText(m_window.script.text);
        QList<QList<StageName>> columns;
        for (const Wanted& wanted : m_window.panes)
            columns.push_back({wanted.stage});
        m_studio.window().stages().restore(StageArea::of(columns));
        for (const QString& dock : m_window.docks)
            if (!m_studio.trigger("dock." + dock))
                return false;
        if (!m_studio.settle())
            return false;
        for (const Wanted& wanted : m_window.panes)
            for (Pane* shown : m_studio.window().stages().panes())
                if (auto* stage = qobject_cast<StagePane*>(shown); stage && stage->stage() == wanted.stage)
                    add(wanted, *stage);
        return true;
    }

    void add(const Wanted& wanted, StagePane& pane) {
        if (pane.view().bytes().isEmpty())
            std::fprintf(stderr, "this machine cannot make %s\n", wanted.title);
        else
            m_panes.push_back({&wanted, &pane});
    }

    // Another number, by one undoable edit that is not measured: each text is compiled for the first time.
    bool startRound() {
        static int number = 10;
        QByteArray text = m_window.script.text;
        qsizetype at = text.indexOf(m_window.script.before);
        for (int i = 0; i < m_window.script.occurrence; ++i)
            at = text.indexOf(m_window.script.before, at + 1);
        if (at < 0)
            return false;
        at += m_window.script.before.size();
        text.insert(at, QByteArray::number(++number));
        m_studio.editor().replaceAll(text);
        m_studio.editor().setCaret(static_cast<int>(at + 2));
        return m_studio.settle();
    }

    // Types a digit, and waits until the script's mistakes are known and each pane shows a text of the script as it is now.
    bool typeAndWait(int digit) {
        const auto start = bench::Clock::now();
        QTest::keyClick(&m_studio.editor(), static_cast<Qt::Key>(Qt::Key_0 + digit));
        const LivePipeline& live = *m_studio.studio().scripts.live();
        std::vector<bool> done(m_panes.size());
        bool evaluated = false;
        // Not QTest::qWaitFor: it sleeps for ten milliseconds at a time.
        return handleEventsUntil([&] {
            if (live.evaluatedText() != m_studio.editor().bytes() || !live.latest()->evaluated)
                return false;
            if (!std::exchange(evaluated, true))
                m_diagnostics.push_back(bench::milliseconds_since(start));
            for (std::size_t i = 0; i < m_panes.size(); ++i)
                if (!done[i] && m_panes[i].pane->isSettled() &&
                    m_panes[i].pane->shown().state == session::Freshness::Fresh) {
                    m_panes[i].times.push_back(bench::milliseconds_since(start));
                    done[i] = true;
                }
            return std::all_of(done.begin(), done.end(), [](bool it) { return it; });
        });
    }

    void takeSlowest() {
        m_slowest.take(m_app.slowest(), m_machine);
        m_busiest.take(m_app.busiest(), m_machine);
        m_app.resetSlowest();
    }

    void figure(const QString& what, double value, double goal) const {
        bench::figure((m_window.title() + ": " + what).toStdString(), value, "ms", goal);
    }

    void report() const {
        figure("keystroke to its diagnostics" + spread(m_diagnostics), median(m_diagnostics),
               m_window.diagnostics_goal);
        for (const Measured& pane : m_panes)
            figure(QString("keystroke to a fresh pane of ") + pane.wanted->title + spread(pane.times),
                   median(pane.times), pane.wanted->goal);
        figure("longest event meanwhile: " + m_slowest.event().what, m_slowest.event().ms, 16);
        figure("the same by processor time: " + m_busiest.event().what, m_busiest.event().ms, 16);
        if (m_slowest.stood() > 0)
            figure("the machine stood still in an event, which is not counted", m_slowest.stood(), 0);
    }

    Application& m_app;
    const Window& m_window;
    const bench::Standstill& m_machine;
    test::StudioFixture m_studio;
    std::vector<Measured> m_panes;
    std::vector<double> m_diagnostics;
    Longest m_slowest, m_busiest;
};

QByteArray textOf(const char* path) {
    return QByteArray::fromStdString(bench::read_text(path));
}

} // namespace

int main(int argc, char** argv) {
    test::prepareEnvironment();
    Application app(argc, argv);
    const bench::Standstill machine;
    if (!machine.is_known())
        std::fputs("without real-time priority: where the machine stands still counts as the program's time\n", stderr);
    auto compilers = std::make_shared<session::CompilePool>();
    compilers->start();
    const std::shared_ptr<session::Tools> tools = session::open_tools({compilers});
    const QByteArray long_script = textOf(HIDET_TESTS "/bench/kernels/script_300.py");
    const Script naive{"naive_matmul", textOf(HIDET_SAMPLES "/kernels/naive_matmul.py"), "total = f32(0."};
    const Script largest{"hopper_attention", textOf(HIDET_SAMPLES "/kernels/hopper_attention.py"), "totals[i] = 0."};
    const Script matmul{"hopper_matmul", textOf(HIDET_SAMPLES "/kernels/hopper_matmul.py"), "sums[i] = 0."};
    const Script attention{"tensor_core_attention", textOf(HIDET_SAMPLES "/kernels/tensor_core_attention.py"),
                           "y = f32(0."};
    const Script lines{"600 lines", long_script + long_script, "total = f32(0.", 1};
    const QStringList docks{"accesses", "mapping", "machine"};
    const auto panes = [](double ptx_goal) {
        return std::vector<Wanted>{
            {"IR", "ir"_stage, 50}, {"CUDA C++", "cuda"_stage, 60}, {"PTX", "ptx"_stage, ptx_goal}};
    };
    const auto sass = [](double goal) { return std::vector<Wanted>{{"SASS, explained", "sass"_stage, goal}}; };
    const QString only = argc > 2 ? argv[2] : ""; // the first is the source tree, as of all benchmarks
    for (const Window& window : {
             Window{naive, panes(60), 40},
             Window{naive, panes(60), 40, docks},
             Window{naive, sass(350), 40, {}, true},
             Window{matmul, sass(0), 40, {}, true},
             Window{matmul, sass(0), 40, docks, true},
             Window{attention, sass(0), 40, {}, true},
             Window{attention, sass(0), 40, docks, true},
             Window{largest, panes(0), 40},
             Window{largest, panes(0), 40, docks},
             Window{lines, panes(0), 40},
             Window{lines, panes(0), 40, docks},
         })
        if (window.title().contains(only) && !TypedIn(app, window, tools, machine).run()) {
            std::fprintf(stderr, "%s: nothing came of a key\n", qPrintable(window.title()));
            return 1;
        }
    return 0;
}
