// SPDX-License-Identifier: Apache-2.0
// From text to lowered IR and CUDA C++: what a keystroke costs, what it keeps in memory, and what a second thread brings.
#include <sys/resource.h>

#include <filesystem>
#include <thread>

#include "app/session/session.h"
#include "lang/parse/parser.h"
#include "tests/bench/bench.h"

using namespace hidet;
using namespace hidet::bench;

namespace {

enum class Until { Evaluated, Lowered, Cuda };

session::PreviewRequest request_of(const std::string& path, Until until) {
    session::PreviewRequest request;
    request.source.name = path;
    request.source.text = read_text(path);
    request.source.folder = std::filesystem::path(path).parent_path();
    request.texts = session::Keep::Nothing;
    request.lower = until != Until::Evaluated;
    if (until == Until::Cuda)
        request.forms = {session::Form::Cuda};
    return request;
}

bool is_ok(const std::string& path) {
    session::PreviewResult result = session::preview(request_of(path, Until::Lowered));
    for (const session::DiagnosticView& diagnostic : result.diagnostics)
        std::fprintf(stderr, "%s", diagnostic.rendered.c_str());
    return result.status == session::Status::Ok && result.modules_built > 0;
}

double parse_ms(const std::string& path) {
    std::string text = read_text(path);
    return median_ms([&] {
        SourceMap sources;
        DiagnosticSink sink;
        lang::parse(sources, sources.add(path, text), sink);
    });
}

// The stages of one script. The goals are those of a keystroke in the studio.
void stages(const std::string& title, const std::string& path, double parse_goal, double goal, double cuda_goal) {
    double parse = parse_ms(path);
    auto evaluated = request_of(path, Until::Evaluated);
    auto lowered = request_of(path, Until::Lowered);
    double evaluate = median_ms([&] { session::preview(evaluated); });
    double all = median_ms([&] { session::preview(lowered); });
    figure(title + ": parse", parse, "ms", parse_goal);
    figure(title + ": evaluate", evaluate - parse, "ms");
    figure(title + ": lower", all - evaluate, "ms");
    figure(title + ": all together", all, "ms", goal);
    auto cuda = request_of(path, Until::Cuda);
    figure(title + ": from the script to CUDA C++", median_ms([&] { session::preview(cuda); }), "ms", cuda_goal);
}

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

// How many previews a second `threads` threads finish together.
double throughput(const session::PreviewRequest& request, int threads) {
    constexpr int each = 60;
    auto start = Clock::now();
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i)
        running.emplace_back([&] {
            for (int k = 0; k < each; ++k)
                session::preview(request);
        });
    for (std::thread& thread : running)
        thread.join();
    return threads * each / milliseconds_since(start) * 1000;
}

void two_threads(const std::string& path) {
    auto request = request_of(path, Until::Lowered);
    double best = 0;
    for (int i = 0; i < 5; ++i)
        best = std::max(best, throughput(request, 2) / throughput(request, 1));
    figure("2 threads that compile at once, to 1", best, "times", 1.7, Better::More);
}

std::string largest_sample(const std::string& folder) {
    std::string best;
    std::size_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".py" || entry.file_size() < size)
            continue;
        size = entry.file_size();
        best = entry.path();
    }
    return best;
}

} // namespace

int main(int argc, char** argv) {
    std::string root = argc > 1 ? argv[1] : ".";
    std::string script = root + "/tests/bench/kernels/script_300.py";
    std::string sample = largest_sample(root + "/samples/kernels");
    double before = peak_megabytes();
    if (!is_ok(script) || !is_ok(sample))
        return 1;
    figure("memory of the first check, 300 lines", peak_megabytes() - before, "MB");
    stages("300 lines", script, 3, 15, 25);
    stages(std::filesystem::path(sample).stem().string(), sample, 3, 50, 50);
    two_threads(script);
    figure("memory at the end", peak_megabytes(), "MB");
    return 0;
}
