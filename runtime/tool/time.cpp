// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "runtime/tool/format.h"
#include "runtime/tool/model.h"
#include "runtime/tool/profile.h"
#include "runtime/tool/verbs.h"

namespace hidet::tool {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

class Watch {
public:
    double microseconds() const { return std::chrono::duration<double, std::micro>(Clock::now() - m_begin).count(); }
    double lap() {
        const double passed = microseconds();
        m_begin = Clock::now();
        return passed;
    }

private:
    Clock::time_point m_begin = Clock::now();
};

struct Start {
    double open = 0, create = 0, first_result = 0; // microseconds
    double all() const { return open + create + first_result; }
};

constexpr int warm_runs = 3; // of which the second may be recorded as a graph
constexpr int least_runs = 10, most_runs = 100'000;
constexpr double enough = 1e6; // microseconds

void run_and_wait(runtime::Model& model) {
    take(model.run());
    take(model.wait());
}

// Microseconds, in ascending order.
std::vector<double> measure(runtime::Model& model, int runs) {
    for (int i = 0; i < warm_runs; ++i)
        run_and_wait(model);
    std::vector<double> times;
    Watch all;
    while (runs ? times.size() < static_cast<std::size_t>(runs)
                : times.size() < least_runs || (all.microseconds() < enough && times.size() < most_runs)) {
        Watch one;
        run_and_wait(model);
        times.push_back(one.microseconds());
    }
    std::ranges::sort(times);
    return times;
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

std::uint64_t peak_memory() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

struct Figures {
    std::string runs_on;
    Start start;
    std::vector<double> times;
    hidet_memory_use memory = {};
};

void print_row(const char* name, const std::string& figure, const std::string& remark = "") {
    print(pad(name, 14) + (remark.empty() ? figure : pad(figure, 10) + remark));
}

void print_figures(const Figures& figures) {
    print_row("on", figures.runs_on);
    print_row("open", time_text(figures.start.open));
    print_row("create", time_text(figures.start.create));
    print_row("first result", time_text(figures.start.first_result));
    print_row("cold start", time_text(figures.start.all()), "the three together");
    print_row("run", time_text(quantile(figures.times, 0.5)),
              "median of " + std::to_string(figures.times.size()) + ", from " +
                  time_text(quantile(figures.times, 0.1)) + " to " + time_text(quantile(figures.times, 0.9)) +
                  " (10 % to 90 %)");
    print_row("weights", bytes_text(figures.memory.weights));
    print_row("activations", bytes_text(figures.memory.activations));
    print_row("process", bytes_text(peak_memory()), "at most");
}

json json_of(const Figures& figures) {
    return {{"runsOn", figures.runs_on},
            {"microseconds",
             {{"open", figures.start.open},
              {"create", figures.start.create},
              {"firstResult", figures.start.first_result},
              {"coldStart", figures.start.all()},
              {"median", quantile(figures.times, 0.5)},
              {"low", quantile(figures.times, 0.1)},
              {"high", quantile(figures.times, 0.9)}}},
            {"runs", figures.times.size()},
            {"bytes",
             {{"weights", figures.memory.weights},
              {"activations", figures.memory.activations},
              {"process", peak_memory()}}}};
}

// In a model of its own, because a run that is watched waits after each step.
void watch_steps(const runtime::Package& package, const Arguments& arguments, Processes& processes,
                 const std::vector<Array>& inputs, Profile& profile) {
    runtime::Model model = create_model(package, arguments, processes, profile.callback());
    take(model.run(tensors_of(inputs)));
    profile.clear();
    run_and_wait(model);
}

} // namespace

void time(const Arguments& asked) {
    Arguments arguments = asked;
    Figures figures;
    Watch watch;
    const runtime::Package package = open_package(arguments);
    figures.start.open = watch.lap();
    Processes processes(json::parse(package.describe()), arguments);
    if (processes.size() > 1 && arguments.runs == 0)
        throw Stop{exit_usage, "processes that share a model run it equally often: --runs N says how often"};
    watch.lap();
    runtime::Model model = create_model(package, arguments, processes);
    figures.start.create = watch.lap();
    const std::vector<Array> inputs = make_inputs(package, model, arguments);
    watch.lap();
    take(model.run(tensors_of(inputs)));
    for (std::size_t i = 0; i < model.outputs().size(); ++i)
        read_output(model, i);
    figures.start.first_result = watch.lap();
    figures.times = measure(model, arguments.runs);
    processes.check();
    figures.memory = model.memory();
    figures.runs_on = model.runs_on();
    Profile profile;
    if (arguments.profile)
        watch_steps(package, arguments, processes, inputs, profile);
    if (!processes.is_first())
        return;
    processes.wait();
    if (arguments.json) {
        json document = json_of(figures);
        if (arguments.profile)
            document["steps"] = profile.json();
        return print(document);
    }
    print_figures(figures);
    if (arguments.profile)
        profile.print();
}

} // namespace hidet::tool
