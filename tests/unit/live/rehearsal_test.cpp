// SPDX-License-Identifier: Apache-2.0
// Scripts that end whatever evaluates them (tests/fake/evaluator), in a live session that a rehearser protects. The
// evaluator of this program is the ordinary one, and would find nothing wrong with them.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "app/session/kernel_bench/signatures.h"
#include "app/session/live/stage_board.h"
#include "app/session/model/view/model_view.h"
#include "app/session/preview/canvas.h"
#include "app/session/preview/preview.h"
#include "app/session/script/load.h"
#include "app/session/script/previewed_script.h"
#include "app/session/work/work.h"
#include "app/session/worker/worker_rehearser.h"
#include "lang/base/files.h"
#include "tests/unit/live/live_tool.h"

using namespace hidet;
using namespace hidet::test;

namespace {

// For the life of a test.
class Rehearsing {
public:
    explicit Rehearsing(RehearserOptions options = {{FAULTY_HIDETC, "worker"}}) : m_rehearser(std::move(options)) {
        set_rehearser(&m_rehearser);
    }
    ~Rehearsing() { set_rehearser(nullptr); }

private:
    WorkerRehearser m_rehearser;
};

std::string ending(const std::string& way, const std::string& more = "") {
    return script("ends", "1.0", "# end: " + way + "\n" + more);
}

std::string only_message(const std::vector<DiagnosticView>& diagnostics) {
    REQUIRE(diagnostics.size() == 1u);
    return diagnostics[0].message + " [" + diagnostics[0].id + "]";
}

std::string notice_of(const LiveSnapshot& snapshot) {
    REQUIRE(snapshot.broken);
    REQUIRE(snapshot.modules.empty());
    return only_message(snapshot.diagnostics);
}

std::string ended(const std::string& how) {
    return "evaluating this script ended its process (" + how + ") [evaluation-ended]";
}

std::string folder_of_test(const char* name) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / cat("hidet_rehearsal_", name, "_", getpid());
    std::filesystem::create_directories(path);
    return path.string();
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

} // namespace

TEST_CASE("of 100 scripts that end their evaluator each says so, and the one after it is shown") {
    const std::pair<const char*, const char*> ways[] = {
        {"segv", "segmentation fault"},
        {"abort", "aborted"},
        {"stack", "segmentation fault"},
        {"memory", "it takes more memory than a preview may have"},
        {"kill", "killed"},
        {"after-segv", "segmentation fault"},
    };
    Rehearsing rehearsing;
    Heard heard;
    StageBoard board;
    LiveSession session(options_for(heard));
    std::uint64_t revision = 0;
    const auto show = [&](std::string text) {
        LiveRequest request = live_request(++revision, std::move(text));
        board.submitted(request);
        session.submit(std::move(request));
        auto snapshot = heard.complete(revision);
        board.update(snapshot);
        return snapshot;
    };
    const Stage ir = Stage::after_pass(Stage::last_pass);
    ModuleId shown = 0;
    const auto shows = [&](const std::string& value) {
        return board.view(shown, ir).text->text.find(value) != std::string::npos;
    };
    for (int i = 0; i < 100; ++i) {
        const std::string value = std::to_string(i) + ".5";
        const auto good = show(script("add", value));
        REQUIRE(good->diagnostics.empty());
        REQUIRE(good->modules.size() == 1u);
        shown = board.modules().at(0).id;
        REQUIRE(shows(value));
        REQUIRE(board.view(shown, ir).state == Freshness::Fresh);
        const auto& [way, how] = ways[static_cast<std::size_t>(i) % std::size(ways)];
        REQUIRE(notice_of(*show(ending(way, "# " + value + "\n"))) == ended(how));
        REQUIRE(shows(value));
        REQUIRE(board.view(shown, ir).state == Freshness::Stale);
    }
}

TEST_CASE("the same text takes the same steps each time") {
    class Steps final : public lang::StepWatcher {
    public:
        std::vector<std::uint64_t> all;
        bool reached(std::uint64_t steps) override { return all.push_back(steps), true; }
    };
    int scripts = 0;
    for (const auto& entry : std::filesystem::directory_iterator(HIDET_SOURCE_FOLDER "/samples/kernels")) {
        if (entry.path().extension() != ".py")
            continue;
        const std::string text = read_file(entry.path().string()).value();
        const auto steps_of = [&] {
            Work work;
            const lang::ast::Module module = parse_script(work, {entry.path().string(), text, ""}, {});
            Steps steps;
            PreviewOptions options;
            options.imports = std::make_shared<lang::ImportFiles>();
            options.watcher = &steps;
            evaluate_preview(work, module, std::move(options));
            return steps.all;
        };
        const std::vector<std::uint64_t> steps = steps_of();
        REQUIRE(!steps.empty());
        REQUIRE(steps == steps_of());
        ++scripts;
    }
    REQUIRE(scripts > 10);
}

TEST_CASE("an evaluation that never ends is ended") {
    Rehearsing rehearsing({.command = {FAULTY_HIDETC, "worker"}, .hang_seconds = 3, .unwatched = {}});
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(1, ending("hang")));
    REQUIRE(notice_of(*heard.complete(1)) == ended("it came to no end"));
    session.submit(live_request(2, script("add", "1.0")));
    REQUIRE(heard.complete(2)->diagnostics.empty());
}

TEST_CASE("a newer text does not wait for the end of one that has none") {
    Rehearsing rehearsing;
    Heard heard;
    LiveSession session(options_for(heard));
    for (std::uint64_t revision = 1; revision < 20; revision += 2) {
        session.submit(live_request(revision, ending("hang")));
        session.submit(live_request(revision + 1, script("add", "1.0")));
        REQUIRE(heard.complete(revision + 1)->diagnostics.empty());
    }
}

TEST_CASE("many scripts that end their evaluator in a row end nothing else") {
    Rehearsing rehearsing;
    Heard heard;
    LiveSession session(options_for(heard));
    for (std::uint64_t revision = 1; revision <= 30; ++revision) {
        session.submit(live_request(revision, ending("segv", "# " + std::to_string(revision) + "\n")));
        REQUIRE(notice_of(*heard.complete(revision)) == ended("segmentation fault"));
    }
    session.submit(live_request(31, script("add", "1.0")));
    REQUIRE(heard.complete(31)->diagnostics.empty());
}

TEST_CASE("who asks anything else of such a script gets the same answer") {
    Rehearsing rehearsing;
    PreviewRequest request;
    request.source = {"kernel.py", ending("segv"), ""};
    REQUIRE(only_message(preview(request).diagnostics) == ended("segmentation fault"));
    REQUIRE(only_message(signatures(request.source, {}, nullptr).diagnostics) == ended("segmentation fault"));
    CanvasRequest places;
    places.preview = request;
    REQUIRE(only_message(canvas(places).diagnostics) == ended("segmentation fault"));
    ModelViewRequest model;
    model.path = "kernel.py";
    model.texts = {{"kernel.py", request.source.text}};
    REQUIRE(only_message(view_model(model)->diagnostics) == ended("segmentation fault"));
}

TEST_CASE("imported files are those that were tried") {
    Rehearsing rehearsing;
    const std::string folder = folder_of_test("imports");
    write(folder + "/helper.py", "from further import value\n");
    write(folder + "/further.py", "value = 2.5\n");
    std::filesystem::create_directories(folder + "/parts");
    write(folder + "/parts/last.py", "import missing_here\n");
    Heard heard;
    LiveSession session(options_for(heard));
    std::uint64_t revision = 0;
    const auto show = [&](const std::string& first, std::shared_ptr<const assist::Buffers> buffers = nullptr) {
        LiveRequest request = live_request(++revision, first + script("add", "value"));
        request.source.name = folder + "/kernel.py";
        request.source.folder = folder;
        request.buffers = std::move(buffers);
        session.submit(std::move(request));
        return heard.complete(revision);
    };
    const auto ir = [](const LiveSnapshot& snapshot) {
        REQUIRE(snapshot.modules.size() == 1u);
        return snapshot.modules[0].snapshot->passes.back().module->text;
    };
    REQUIRE(ir(*show("from helper import value\n")).find("2.5") != std::string::npos);
    write(folder + "/further.py", "value = 3.5\n"); // behind an import: the text and what it imports are the same
    REQUIRE(ir(*show("from helper import value\n")).find("3.5") != std::string::npos);
    write(folder + "/helper.py", "value = 4.5\n");
    REQUIRE(ir(*show("from helper import value\n")).find("4.5") != std::string::npos);
    auto buffers = std::make_shared<assist::Buffers>();
    (*buffers)[folder + "/helper.py"] = "value = 5.5\n";
    REQUIRE(ir(*show("from helper import value\n", buffers)).find("5.5") != std::string::npos);
    const auto missing = show("value = 1.0\nfrom parts import last\n");
    REQUIRE(only_message(missing->diagnostics).find("missing_here") != std::string::npos);
    std::filesystem::remove_all(folder);
}

TEST_CASE("without a worker that is said once, and scripts are evaluated") {
    std::atomic<int> said{0};
    Rehearsing rehearsing(
        {.command = {"/nonexistent/hidetc"}, .hang_seconds = 60, .unwatched = [&](const std::string&) { ++said; }});
    Heard heard;
    LiveSession session(options_for(heard));
    for (std::uint64_t revision = 1; revision < 5; ++revision) {
        session.submit(live_request(revision, script("add", std::to_string(revision) + ".5")));
        REQUIRE(heard.complete(revision)->modules.size() == 1u);
    }
    REQUIRE(said == 1);
}
