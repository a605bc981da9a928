// SPDX-License-Identifier: Apache-2.0
// Every way in which what a pane shows can become fresh, stale, awaited, failed or unavailable.
#include "app/session/live/module_match.h"
#include "app/session/live/stage_board.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::session;

namespace {

std::shared_ptr<const TextSnapshot> text(const std::string& content) {
    TextSnapshot out;
    out.text = content;
    return std::make_shared<const TextSnapshot>(std::move(out));
}

// A module of three passes (0 to 2, the last of which changes nothing) and CUDA text.
struct ModuleMaker {
    std::string name;
    int line = 1;
    std::string word; // in its texts
    Progress lowering = Progress::Made;
    std::string reason = "";
    Progress cuda = Progress::Made;
    Progress ptx = Progress::NotAsked;

    LiveModule make() const {
        ModuleSnapshot module;
        module.site = {"kernel.py", line, 1, line, 9};
        module.functions.push_back({name, "cuda_kernel", {}});
        LiveModule out;
        if (lowering != Progress::Pending)
            module.passes.push_back({0, "script", "", true, 0, text("script " + word)});
        if (lowering == Progress::Made) {
            module.passes.push_back({1, "unroll", "", true, 1.5, text("unroll " + word)});
            module.passes.push_back({2, "simplify", "", false, 0.5, nullptr});
        }
        if (cuda == Progress::Made && lowering == Progress::Made) {
            auto form = std::make_shared<FormSnapshot>();
            form->name = "cuda";
            form->text.text = "cuda " + word;
            form->ms = 3;
            module.forms.push_back(form);
        }
        out.lowering = lowering;
        out.reason = reason;
        out.forms[static_cast<std::size_t>(Form::Cuda)] = {cuda, cuda == Progress::Failed ? "no way" : "", 4};
        out.forms[static_cast<std::size_t>(Form::Ptx)] = {ptx, ptx == Progress::Missing ? "no NVRTC here" : "", 0};
        out.snapshot = std::make_shared<const ModuleSnapshot>(std::move(module));
        return out;
    }
};

std::shared_ptr<LiveSnapshot> snapshot(std::uint64_t revision, const std::vector<ModuleMaker>& modules) {
    auto out = std::make_shared<LiveSnapshot>();
    out->revision = revision;
    out->evaluated = true;
    for (const ModuleMaker& module : modules)
        out->modules.push_back(module.make());
    return out;
}

std::shared_ptr<LiveSnapshot> broken(std::uint64_t revision, const std::string& id, int line,
                                     const std::vector<ModuleMaker>& modules = {}) {
    auto out = snapshot(revision, modules);
    out->broken = out->has_errors = true;
    DiagnosticView view;
    view.id = id;
    view.message = "unknown name 'x'";
    view.place = {"kernel.py", line, 1, line, 2};
    out->diagnostics.push_back(view);
    return out;
}

LiveRequest request(std::uint64_t revision, std::vector<Form> forms = {Form::Cuda}) {
    LiveRequest out;
    out.revision = revision;
    out.forms = std::move(forms);
    return out;
}

const char* name_of(Freshness state) {
    switch (state) {
    case Freshness::Fresh: return "fresh";
    case Freshness::Stale: return "stale";
    case Freshness::Working: return "working";
    case Freshness::Failed: return "failed";
    case Freshness::Unavailable: return "unavailable";
    }
    return "?";
}

// "fresh, 'cuda one' of 1"
std::string shown(const StageBoard& board, ModuleId id, const Stage& stage) {
    StageView view = board.view(id, stage);
    std::string out = name_of(view.state);
    if (view.text)
        out += cat(", '", view.text->text, "' of ", view.revision);
    if (!view.reason.empty())
        out += "; " + view.reason;
    return out;
}

const Stage script_stage = Stage::after_pass(0), last = Stage::after_pass(Stage::last_pass),
            of_cuda = Stage::of_form(Form::Cuda), ptx = Stage::of_form(Form::Ptx);

ModuleId only_id(const StageBoard& board) {
    REQUIRE(board.modules().size() == 1u);
    return board.modules()[0].id;
}

} // namespace

TEST_CASE("before anything came, everything is awaited") {
    StageBoard board;
    REQUIRE(shown(board, 0, of_cuda) == "working");
    REQUIRE((board.modules().empty() && !board.latest()));
}

TEST_CASE("what was made is fresh, with what it took") {
    StageBoard board;
    board.submitted(request(1));
    REQUIRE(board.update(snapshot(1, {{"f", 3, "one"}})));
    ModuleId id = only_id(board);
    REQUIRE(shown(board, id, script_stage) == "fresh, 'script one' of 1");
    REQUIRE(shown(board, id, Stage::after_pass(1)) == "fresh, 'unroll one' of 1");
    REQUIRE(shown(board, id, Stage::after_pass(2)) == "fresh, 'unroll one' of 1");
    REQUIRE(shown(board, id, Stage::after_pass(77)) == "fresh, 'unroll one' of 1");
    REQUIRE(shown(board, id, last) == "fresh, 'unroll one' of 1");
    REQUIRE(shown(board, id, of_cuda) == "fresh, 'cuda one' of 1");
    REQUIRE(board.view(id, of_cuda).ms == 3.0);
    REQUIRE(board.view(id, Stage::after_pass(1)).ms == 1.5);
    double all = 0;
    for (const PassSnapshot& pass : board.passes(id))
        all += pass.ms;
    REQUIRE(board.view(id, last).ms == all);
    REQUIRE(board.passes(id).size() == 3u);
}

TEST_CASE("a submission makes what is fresh awaited, and its stages become fresh one by one") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one"}}));
    ModuleId id = only_id(board);
    board.submitted(request(2));
    REQUIRE(shown(board, id, last) == "working, 'unroll one' of 1");
    REQUIRE(shown(board, id, of_cuda) == "working, 'cuda one' of 1");
    board.update(snapshot(2, {{"f", 3, "two", Progress::Pending, "", Progress::Pending}}));
    REQUIRE(shown(board, id, last) == "working, 'unroll one' of 1");
    board.update(snapshot(2, {{"f", 3, "two", Progress::Made, "", Progress::Pending}}));
    REQUIRE(shown(board, id, last) == "fresh, 'unroll two' of 2");
    REQUIRE(shown(board, id, of_cuda) == "working, 'cuda one' of 1");
    board.update(snapshot(2, {{"f", 3, "two"}}));
    REQUIRE(shown(board, id, of_cuda) == "fresh, 'cuda two' of 2");
    REQUIRE(only_id(board) == id);
}

TEST_CASE("a script that does not parse leaves the last version, stale, with the line") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one"}}));
    ModuleId id = only_id(board);
    board.update(broken(2, "syntax-missing-colon", 12));
    REQUIRE(only_id(board) == id);
    REQUIRE(board.modules()[0].gone);
    REQUIRE(shown(board, id, last) ==
            "stale, 'unroll one' of 1; line 12 does not parse: showing the last version that did");
    REQUIRE(shown(board, id, of_cuda) ==
            "stale, 'cuda one' of 1; line 12 does not parse: showing the last version that did");
    board.submitted(request(3));
    REQUIRE(shown(board, id, of_cuda) == "working, 'cuda one' of 1");
    board.update(snapshot(3, {{"f", 3, "three"}}));
    REQUIRE(shown(board, id, of_cuda) == "fresh, 'cuda three' of 3");
    REQUIRE(only_id(board) == id);
    REQUIRE(!board.modules()[0].gone);
}

TEST_CASE("another mistake is told in its own words") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one"}}));
    board.update(broken(2, "unknown-name", 4));
    REQUIRE(shown(board, only_id(board), last) ==
            "stale, 'unroll one' of 1; line 4: unknown name 'x': showing the last version that was fine");
}

TEST_CASE("a mistake that ends with a question is no clause of what follows") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one"}}));
    const std::shared_ptr<LiveSnapshot> asking = broken(2, "unknown-name", 4);
    asking->diagnostics.front().message = "name 'rsqr' is not defined; did you mean 'rsqrt'?";
    board.update(asking);
    REQUIRE(shown(board, only_id(board), last) ==
            "stale, 'unroll one' of 1; line 4: name 'rsqr' is not defined; did you mean 'rsqrt'? Showing the last "
            "version that was fine");
}

TEST_CASE("modules that a broken script still builds are fresh beside those that it does not") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "f1"}, {"g", 9, "g1"}, {"h", 12, "h1"}}));
    ModuleId g = board.modules()[1].id;
    board.update(broken(2, "unknown-name", 4, {{"f", 3, "f2"}, {"h", 12, "h2"}}));
    REQUIRE(board.modules().size() == 3u);
    REQUIRE(board.modules()[1].id == g);
    REQUIRE(board.modules()[1].gone);
    REQUIRE(shown(board, board.modules()[0].id, of_cuda) == "fresh, 'cuda f2' of 2");
    REQUIRE(shown(board, g, of_cuda).starts_with("stale, 'cuda g1' of 1"));
    REQUIRE(shown(board, board.modules()[2].id, of_cuda) == "fresh, 'cuda h2' of 2");
}

TEST_CASE("a module that a fine script no longer builds is gone for good") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "f1"}, {"g", 9, "g1"}}));
    ModuleId g = board.modules()[1].id;
    board.update(snapshot(2, {{"f", 3, "f2"}}));
    REQUIRE(board.modules().size() == 1u);
    REQUIRE(!board.module(g));
    REQUIRE(shown(board, g, of_cuda) == "unavailable; the script does not build this module");
    board.update(snapshot(3, {{"f", 3, "f3"}, {"g", 9, "g3"}}));
    REQUIRE(board.modules()[1].id != g);
}

TEST_CASE("a module that cannot be lowered shows what ran, and keeps the rest of the last version") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one"}}));
    ModuleId id = only_id(board);
    auto failed = snapshot(2, {{"f", 3, "two", Progress::Failed, "line 5: too many threads", Progress::Failed}});
    failed->has_errors = true;
    board.update(failed);
    REQUIRE(shown(board, id, script_stage) == "fresh, 'script two' of 2");
    REQUIRE(shown(board, id, last) ==
            "stale, 'unroll one' of 1; line 5: too many threads: showing the last version that was fine");
    REQUIRE(shown(board, id, of_cuda) == "stale, 'cuda one' of 1; no way: showing the last version that was fine");
}

TEST_CASE("what never was made has failed") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one", Progress::Failed, "line 5: too many threads", Progress::Failed}}));
    ModuleId id = only_id(board);
    REQUIRE(shown(board, id, last) == "failed; line 5: too many threads");
    REQUIRE(shown(board, id, of_cuda) == "failed; no way");
    REQUIRE(shown(board, id, script_stage) == "fresh, 'script one' of 1");
}

TEST_CASE("what was not asked for is unavailable until it is") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one"}}));
    ModuleId id = only_id(board);
    REQUIRE(shown(board, id, ptx) == "unavailable; not asked for");
    board.submitted(request(2));
    REQUIRE(shown(board, id, ptx) == "unavailable; not asked for");
    board.submitted(request(3, {Form::Cuda, Form::Ptx}));
    REQUIRE(shown(board, id, ptx) == "working");
}

TEST_CASE("a tool that is missing stays missing while others are awaited") {
    StageBoard board;
    auto missing = ModuleMaker{"f", 3, "one", Progress::Made, "", Progress::Made, Progress::Missing};
    board.update(snapshot(1, {missing}));
    ModuleId id = only_id(board);
    REQUIRE(shown(board, id, ptx) == "unavailable; no NVRTC here");
    board.submitted(request(2, {Form::Cuda, Form::Ptx}));
    REQUIRE(shown(board, id, ptx) == "unavailable; no NVRTC here");
    REQUIRE(shown(board, id, of_cuda) == "working, 'cuda one' of 1");
}

TEST_CASE("snapshots of older revisions change nothing") {
    StageBoard board;
    board.update(snapshot(2, {{"f", 3, "two"}}));
    REQUIRE(!board.update(snapshot(1, {{"f", 3, "one"}})));
    board.submitted(request(4));
    REQUIRE(!board.update(snapshot(3, {{"f", 3, "three"}})));
    REQUIRE(shown(board, only_id(board), of_cuda) == "working, 'cuda two' of 2");
}

TEST_CASE("a kernel that is renamed keeps its pane") {
    StageBoard board;
    board.update(snapshot(1, {{"f", 3, "one"}, {"g", 9, "g"}}));
    ModuleId id = board.modules()[0].id;
    board.update(snapshot(2, {{"fast", 3, "two"}, {"g", 9, "g"}}));
    REQUIRE(board.modules()[0].id == id);
    REQUIRE(shown(board, id, of_cuda) == "fresh, 'cuda two' of 2");
}

TEST_CASE("modules are matched by names, then line, then a common name, then because nothing else is left") {
    using Faces = std::vector<ModuleFace>;
    using Numbers = std::vector<int>;
    REQUIRE(match_modules(Faces{{{"a"}, 1}, {{"b"}, 2}}, Faces{{{"b"}, 1}, {{"a"}, 2}}) == (Numbers{1, 0}));
    REQUIRE(match_modules(Faces{{{"a"}, 1}, {{"a"}, 2}}, Faces{{{"a"}, 2}, {{"a"}, 3}}) == (Numbers{1, 0}));
    REQUIRE(match_modules(Faces{{{"a"}, 5}, {{"b"}, 7}}, Faces{{{"c"}, 7}, {{"d"}, 5}}) == (Numbers{1, 0}));
    REQUIRE(match_modules(Faces{{{"a", "launch"}, 5}}, Faces{{{"x"}, 9}, {{"launch"}, 8}}) == (Numbers{-1, 0}));
    REQUIRE(match_modules(Faces{{{"a"}, 5}}, Faces{{{"b"}, 9}}) == (Numbers{0}));
    REQUIRE(match_modules(Faces{{{"a"}, 5}}, Faces{{{"b"}, 9}, {{"c"}, 10}}) == (Numbers{-1, -1}));
    REQUIRE(match_modules({}, Faces{{{"b"}, 9}}) == (Numbers{-1}));
}
