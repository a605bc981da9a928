// SPDX-License-Identifier: Apache-2.0
// The live pipeline against scripts that change, break, run away and crash it, and a compiler that hangs or refuses.
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "app/session/kernel_bench/signatures.h"
#include "tests/harness/open_count.h"
#include "tests/unit/live/live_tool.h"

using namespace hidet;
using namespace hidet::test;

namespace {

// Tools with the NVRTC that behaves as the word says, and without a cache.
std::shared_ptr<Tools> fake_tools(const char* behaviour) {
    setenv("HIDET_NVRTC", FAKE_NVRTC_LIBRARY, 1);
    setenv("FAKE_NVRTC", behaviour, 1);
    setenv("HIDET_CACHE_LIMIT", "0", 1);
    return open_tools();
}

const LiveModule& only_module(const LiveSnapshot& snapshot) {
    REQUIRE(snapshot.modules.size() == 1u);
    return snapshot.modules[0];
}

std::string text_after_last(const LiveSnapshot& snapshot) {
    const auto& passes = only_module(snapshot).snapshot->passes;
    for (auto pass = passes.rbegin(); pass != passes.rend(); ++pass)
        if (pass->module)
            return pass->module->text;
    return "";
}

// All that a module says of places.
std::string places_of(const LiveSnapshot& snapshot) {
    std::string out;
    for (const LiveModule& module : snapshot.modules) {
        auto put = [&](const Place& place) { out += cat(place.line, ":", place.column, "-", place.end_column, " "); };
        put(module.snapshot->site);
        for (const PassSnapshot& pass : module.snapshot->passes)
            for (const OriginView& line : pass.module ? pass.module->lines : std::vector<OriginView>())
                put(line.place);
        for (const auto& form : module.snapshot->forms)
            for (const TokenView& token : form->text.tokens)
                put(token.origin.place);
    }
    return out;
}

// An empty folder, for a while.
class LiveFolder {
public:
    LiveFolder() : m_path(std::filesystem::temp_directory_path() / cat("hidet_live_", getpid())) {
        std::filesystem::create_directories(m_path);
    }
    ~LiveFolder() { std::filesystem::remove_all(m_path); }
    std::string path() const { return m_path.string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(m_path / name) << text; }

private:
    std::filesystem::path m_path;
};

std::string two_modules() {
    return script("first", "1.0") + script("second", "2.0").substr(std::string("import hidet\n").size());
}

} // namespace

TEST_CASE("stages of a revision arrive one after the other, and the last is complete") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(1, script("add", "1.0")));
    heard.complete(1);
    auto all = heard.all();
    REQUIRE(all.size() == 5u);
    REQUIRE((all[0]->document && !all[0]->evaluated && all[0]->modules.empty()));
    REQUIRE((all[1]->evaluated && all[1]->modules.size() == 1));
    REQUIRE((all[1]->document && all[1]->document != all[0]->document && all[1]->preview));
    REQUIRE((only_module(*all[1]).lowering == Progress::Pending && only_module(*all[1]).snapshot->passes.empty()));
    REQUIRE((only_module(*all[2]).lowering == Progress::Made && only_module(*all[2]).snapshot->forms.empty()));
    REQUIRE(only_module(*all[3]).progress(Form::Cuda).state == Progress::Made);
    REQUIRE(only_module(*all[3]).progress(Form::Ptx).state == Progress::NotAsked);
    REQUIRE((all[4]->complete && !all[3]->complete));
    REQUIRE((all[4]->latency.ir && all[4]->latency.of(Form::Cuda) && !all[4]->latency.of(Form::Ptx)));
    REQUIRE(*all[4]->latency.ir <= *all[4]->latency.of(Form::Cuda));
}

TEST_CASE("every pass that changed something has its text, and publications share it") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(1, script("add", "1.0")));
    heard.complete(1);
    auto all = heard.all();
    const auto& passes = only_module(*all[2]).snapshot->passes;
    REQUIRE(passes.size() > 20);
    for (std::size_t i = 0; i < passes.size(); ++i) {
        REQUIRE(passes[i].changed == (passes[i].module != nullptr));
        REQUIRE(passes[i].module == only_module(*all[4]).snapshot->passes[i].module);
    }
}

TEST_CASE("nothing of an older revision is published once a newer one was submitted") {
    Heard heard;
    std::atomic<std::uint64_t> submitted{0};
    std::atomic<int> late{0};
    LiveSession session({nullptr, [&](std::shared_ptr<const LiveSnapshot> snapshot) {
                             late += snapshot->revision < submitted.load();
                             heard(std::move(snapshot));
                         }});
    for (std::uint64_t revision = 1; revision <= 60; ++revision) {
        session.submit(live_request(revision, script("add", cat(revision, ".0"))));
        submitted = revision;
        if (revision % 7 == 0) // now and then it may get somewhere
            heard.first([&](const LiveSnapshot& snapshot) { return snapshot.revision == revision; });
    }
    REQUIRE(text_after_last(*heard.complete(60)).find("60.0") != std::string::npos);
    REQUIRE(late.load() == 0);
}

TEST_CASE("a revision that does not grow is ignored") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(5, script("add", "1.0")));
    session.submit(live_request(5, "oops("));
    session.submit(live_request(4, "oops("));
    REQUIRE(!heard.complete(5)->has_errors);
    session.submit(live_request(6, script("add", "2.0")));
    heard.complete(6);
    for (const auto& snapshot : heard.all())
        REQUIRE((snapshot->revision >= 5 && !snapshot->has_errors));
}

TEST_CASE("a script that never ends is stopped by the next one") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(1, "i = 0\nwhile True:\n    i = (i + 1) % 7\n"));
    session.submit(live_request(2, script("add", "1.0")));
    REQUIRE(heard.complete(2)->status == Status::Ok);
}

TEST_CASE("a script that does not parse is a revision with diagnostics") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(1, "import hidet\nif True\n    pass\n"));
    auto last = heard.complete(1);
    REQUIRE((last->broken && last->has_errors && last->modules.empty()));
    REQUIRE(last->status == Status::UserMistake);
    REQUIRE(last->diagnostics.at(0).place.line == 2);
}

TEST_CASE("a bug of ours is a diagnostic, and the session goes on") {
    Heard heard;
    LiveSession session(options_for(heard));
    LiveRequest request = live_request(1, script("add", "1.0"));
    request.fault = "expand-task-mapping";
    session.submit(request);
    auto last = heard.complete(1);
    REQUIRE((last->status == Status::Internal && last->has_errors));
    REQUIRE(only_module(*last).lowering == Progress::Failed);
    REQUIRE(only_module(*last).reason.find("internal error") != std::string::npos);
    REQUIRE(only_module(*last).progress(Form::Cuda).state == Progress::Failed);
    session.submit(live_request(2, script("add", "1.0")));
    REQUIRE(heard.complete(2)->status == Status::Ok);
}

TEST_CASE("one module that cannot be lowered does not keep the others from it") {
    Heard heard;
    LiveSession session(options_for(heard));
    std::string text = two_modules();
    text.insert(text.find("        a[threadIdx.x]"), "        s = hidet.lang.shared_tensor('float32', [16384])\n"
                                                     "        s[threadIdx.x] = a[threadIdx.x]\n");
    session.submit(live_request(1, text));
    auto last = heard.complete(1);
    REQUIRE(last->modules.size() == 2u);
    REQUIRE(last->modules[0].lowering == Progress::Failed);
    REQUIRE(last->modules[0].reason.starts_with("line "));
    REQUIRE(last->modules[1].lowering == Progress::Made);
    REQUIRE((!last->broken && last->has_errors));
}

TEST_CASE("the module that the user looks at comes first") {
    Heard heard;
    LiveSession session(options_for(heard));
    LiveRequest request = live_request(1, two_modules());
    auto names = [](const ModuleSnapshot& module) {
        std::vector<std::string> out;
        for (const FunctionSnapshot& function : module.functions)
            out.push_back(function.name);
        return out;
    };
    session.submit(request);
    request.first_module = names(*heard.complete(1)->modules[1].snapshot);
    request.revision = 2;
    request.source.text = "\n" + request.source.text;
    session.submit(request);
    auto half = heard.first([](const LiveSnapshot& snapshot) {
        return snapshot.revision == 2 && snapshot.modules.size() == 2 &&
               (snapshot.modules[0].lowering == Progress::Made) != (snapshot.modules[1].lowering == Progress::Made);
    });
    REQUIRE(half->modules[1].lowering == Progress::Made);
}

TEST_CASE("a module that an edit did not touch is taken over as it is") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(1, script("add", "1.0")));
    session.submit(live_request(2, script("add", "1.0")));
    auto before = heard.complete(2);
    session.submit(live_request(3, script("add", "1.0", "# a comment behind it\n")));
    auto after = heard.complete(3);
    REQUIRE(only_module(*before).snapshot->passes[0].module == only_module(*after).snapshot->passes[0].module);
    REQUIRE(only_module(*before).snapshot->forms[0] == only_module(*after).snapshot->forms[0]);
    REQUIRE((after->latency.ir && after->latency.of(Form::Cuda)));
}

TEST_CASE("what is taken over has the places of the new text") {
    std::string text = script("add", "1.0");
    for (const std::string& changed :
         {"# one line more\n" + text, script("add", "1.0", "x = 1\n"), script("add", "2.0")}) {
        Heard heard, alone;
        LiveSession session(options_for(heard)), fresh(options_for(alone));
        session.submit(live_request(1, text));
        heard.complete(1);
        session.submit(live_request(2, changed));
        fresh.submit(live_request(2, changed));
        REQUIRE(places_of(*heard.complete(2)) == places_of(*alone.complete(2)));
    }
}

TEST_CASE("lines that move without a byte more are seen") {
    std::string head = "# ab\n", same_size = "#\n#b\n", text = script("add", "1.0");
    Heard heard, alone;
    LiveSession session(options_for(heard)), fresh(options_for(alone));
    session.submit(live_request(1, head + text));
    heard.complete(1);
    session.submit(live_request(2, same_size + text));
    fresh.submit(live_request(2, same_size + text));
    REQUIRE(places_of(*heard.complete(2)) == places_of(*alone.complete(2)));
}

TEST_CASE("a variable that is renamed is renamed in what is shown") {
    Heard heard;
    LiveSession session(options_for(heard));
    std::string text = script("add", "1.0");
    session.submit(live_request(1, text));
    heard.complete(1);
    for (std::size_t at = 0; (at = text.find("a[threadIdx.x]", at)) != std::string::npos;)
        text[at] = 'b';
    text[text.find("a: f32")] = 'b';
    session.submit(live_request(2, text));
    REQUIRE(text_after_last(*heard.complete(2)).find("b[") != std::string::npos);
}

TEST_CASE("without tools the forms of compilers are missing, and that is no mistake") {
    Heard heard;
    LiveSession session(options_for(heard));
    LiveRequest request = live_request(1, script("add", "1.0"));
    request.forms = {Form::Cuda, Form::Sass};
    session.submit(request);
    auto last = heard.complete(1);
    REQUIRE((last->status == Status::Ok && last->diagnostics.empty()));
    REQUIRE(only_module(*last).progress(Form::Sass).state == Progress::Missing);
    REQUIRE(only_module(*last).progress(Form::Cubin).state == Progress::Missing);
    REQUIRE(only_module(*last).progress(Form::Cuda).state == Progress::Made);
}

TEST_CASE("an NVRTC that cannot be loaded is said where PTX would be") {
    auto tools = fake_tools("mute");
    Heard heard;
    LiveSession session(options_for(heard, tools));
    LiveRequest request = live_request(1, script("add", "1.0"));
    request.forms = {Form::Ptx};
    session.submit(request);
    auto last = heard.complete(1);
    REQUIRE((last->status == Status::Ok && last->diagnostics.empty()));
    REQUIRE(only_module(*last).progress(Form::Ptx).state == Progress::Missing);
    REQUIRE(!only_module(*last).progress(Form::Ptx).reason.empty());
}

TEST_CASE("IR and CUDA do not wait for a compiler that hangs, and a newer revision ends it") {
    auto tools = fake_tools("hang");
    Heard heard;
    LiveSession session(options_for(heard, tools));
    for (std::uint64_t revision = 1; revision <= 3; ++revision) {
        LiveRequest request = live_request(revision, script("add", cat(revision, ".0")));
        request.forms = {Form::Cuda, Form::Ptx};
        session.submit(request);
        heard.first([&](const LiveSnapshot& snapshot) {
            return snapshot.revision == revision && snapshot.modules.size() == 1 &&
                   snapshot.modules[0].progress(Form::Cuda).state == Progress::Made;
        });
    }
    for (const auto& snapshot : heard.all())
        REQUIRE(!snapshot->complete);
    session.submit(live_request(4, script("add", "4.0"))); // which wants no PTX
    REQUIRE(only_module(*heard.complete(4)).progress(Form::Ptx).state == Progress::NotAsked);
    LiveRequest last = live_request(5, script("add", "5.0"));
    last.forms = {Form::Ptx};
    session.submit(last);
    heard.first([](const LiveSnapshot& snapshot) { return snapshot.revision == 5 && snapshot.latency.ir; });
    session.stop(); // ends it as well
}

TEST_CASE("a compiler that refuses generated text is a bug of ours, said once") {
    auto tools = fake_tools("wrong");
    Heard heard;
    LiveSession session(options_for(heard, tools));
    LiveRequest request = live_request(1, script("add", "1.0"));
    request.forms = {Form::Ptx, Form::Sass};
    session.submit(request);
    auto last = heard.complete(1);
    REQUIRE(last->status == Status::Internal);
    REQUIRE(last->diagnostics.size() == 1u);
    REQUIRE(only_module(*last).progress(Form::Ptx).state == Progress::Failed);
    REQUIRE(only_module(*last).progress(Form::Cubin).state == Progress::Failed);
    REQUIRE(only_module(*last).progress(Form::Sass).state == Progress::Failed);
}

TEST_CASE("PTX and the cubin follow the text, each when it is there") {
    auto tools = fake_tools("module");
    Heard heard;
    LiveSession session(options_for(heard, tools));
    LiveRequest request = live_request(1, script("add", "1.0"));
    request.forms = {Form::Cuda, Form::Ptx, Form::Cubin};
    session.submit(request);
    auto last = heard.complete(1);
    REQUIRE((last->latency.of(Form::Ptx) && last->latency.of(Form::Cubin)));
    REQUIRE((*last->latency.of(Form::Cuda) <= *last->latency.of(Form::Ptx) &&
             *last->latency.of(Form::Ptx) <= *last->latency.of(Form::Cubin)));
    REQUIRE((form_of(*only_module(*last).snapshot, Form::Ptx) && form_of(*only_module(*last).snapshot, Form::Cubin)));
    REQUIRE(heard.first([](const LiveSnapshot& s) { return s.latency.of(Form::Ptx) && !s.latency.of(Form::Cubin); }) !=
            nullptr);
}

TEST_CASE("a document for the editor's questions comes before the evaluation, also of a broken script") {
    Heard heard;
    LiveSession session(options_for(heard));
    std::string endless = "n = 128\ni = 0\nwhile True:\n    i = (i + 1) % 7\n";
    session.submit(live_request(1, endless));
    auto first = heard.first([](const LiveSnapshot& snapshot) { return snapshot.document != nullptr; });
    REQUIRE((assist::text_of(*first->document) == endless && !first->evaluated));
    session.submit(live_request(2, "n = 128\ndef f(\n"));
    auto second = heard.complete(2);
    REQUIRE((second->document != nullptr && second->broken));
    REQUIRE(assist::hover(*second->document, 0).value == "128");
}

TEST_CASE("until a text was evaluated its document knows the values of the text before") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(live_request(1, "n = 128\n"));
    heard.complete(1);
    session.submit(live_request(2, "n = 128\ni = 0\nwhile True:\n    i = (i + 1) % 7\n"));
    auto read = heard.first([](const LiveSnapshot& snapshot) { return snapshot.revision == 2; });
    REQUIRE(!read->evaluated);
    REQUIRE(assist::hover(*read->document, 0).value == "128");
}

TEST_CASE("the lowering waits until the pause is over, the analysis does not, and the wait is no latency") {
    using namespace std::chrono_literals;
    Heard heard;
    LiveSession session(options_for(heard));
    LiveRequest request = live_request(1, script("add", "1.0"));
    request.pause = 1h;
    session.submit(request);
    auto known = heard.first([](const LiveSnapshot& snapshot) { return snapshot.evaluated; });
    REQUIRE(only_module(*known).lowering == Progress::Pending);
    request = live_request(2, script("add", "2.0"));
    request.pause = 300ms;
    const auto start = std::chrono::steady_clock::now();
    session.submit(request);
    auto last = heard.complete(2);
    const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start;
    REQUIRE(all >= 300ms);
    REQUIRE(*last->latency.ir < all.count() - 100);
    for (const auto& snapshot : heard.all())
        REQUIRE((snapshot->revision == 2 || (!snapshot->complete && !snapshot->latency.ir)));
}

TEST_CASE("an edit is read and evaluated once, and so are the files that it imports") {
    LiveFolder folder;
    folder.write("helper.py", "import deeper\nscale = deeper.scale\n");
    folder.write("deeper.py", "scale = 2.0\n");
    Heard heard;
    LiveSession session(options_for(heard, fake_tools("module")));
    OpenCount opened(folder.path());
    for (std::uint64_t revision = 1; revision <= 3; ++revision) {
        LiveRequest request =
            live_request(revision, "import helper\n" + script("add", cat(revision, ".0 * helper.scale")));
        request.source.folder = folder.path();
        request.forms = {Form::Cuda, Form::Cpp, Form::Ptx};
        request.explains = true;
        session.submit(request);
        auto last = heard.complete(revision);
        REQUIRE((last->status == Status::Ok && last->document && last->modules.size() == 1 && last->explained));
        REQUIRE(signatures(*last->preview).modules.size() == 1u);
        REQUIRE(!assist::completions(*last->document, 0).items.empty());
        REQUIRE(opened.take("helper.py") == 1);
        REQUIRE(opened.take("deeper.py") == 1);
    }
}

TEST_CASE("after stop() nothing is taken and nothing is said") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.stop();
    session.submit(live_request(1, script("add", "1.0")));
    session.stop();
    REQUIRE(heard.all().empty());
}
