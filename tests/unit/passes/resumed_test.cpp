// SPDX-License-Identifier: Apache-2.0
// The text of a module after any pass is all of the module: it prints the same once it was read, and the passes that are left make
// the same CUDA C++ of it as of a module that was never a text.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "app/session/preview/sites.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/pass.h"

using namespace hidet;

namespace {

std::set<std::string> scripts_in(const char* folder) {
    std::set<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cat(HIDET_SOURCE_FOLDER, "/", folder)))
        if (const std::string path = entry.path(); path.ends_with(".py"))
            paths.insert(path);
    return paths;
}

std::vector<session::RecordedSite> modules_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    session::PreviewRequest request;
    request.source.name = std::filesystem::path(path).filename();
    request.source.text.assign(std::istreambuf_iterator<char>(in), {});
    request.source.folder = std::filesystem::path(path).parent_path();
    session::Work work = session::work_for("lower", request);
    return session::build_script(work, request).sites;
}

// The module after each pass that changed it, with the number of passes behind it.
class Stages : public compiler::PassInstrument {
public:
    struct Stage {
        int passes = 0;
        std::string name;
        ir::ModuleRef module;
    };
    void after(const compiler::PassInfo& pass, const ir::Module& before, const ir::Module& after, double) override {
        ++m_passes;
        if (&before != &after)
            all.push_back({m_passes, pass.name, ir::ModuleRef(&after)});
    }
    std::vector<Stage> all;

private:
    int m_passes = 0;
};

compiler::LowerOptions options() {
    compiler::LowerOptions out;
    out.launch_rule = compiler::LaunchRule::NotAsked;
    return out;
}

std::optional<std::string> cuda_of(const ir::ModuleRef& kernels, DiagnosticSink& sink) {
    const auto source = kernels ? compiler::generate_cuda(kernels, artifact::default_gpu(), sink) : std::nullopt;
    return source ? std::optional(source->text) : std::nullopt;
}

std::string difference(const std::string& a, const std::string& b) {
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at])
        ++at;
    const std::size_t begin = at < 200 ? 0 : at - 200;
    return cat("before:\n", a.substr(begin, 400), "\nnow:\n", b.substr(begin, 400));
}

std::string with_temporaries(const ir::PrintedText& printed) {
    return cat("# ", ir::temporaries_mark, printed.temporaries, "\n", printed.text);
}

void check(const std::string& name, const Stages::Stage& stage, const std::string& cuda) {
    const ir::PrintedText printed = ir::print_module(*stage.module);
    const std::string text = printed.text, where = cat(name, " after ", stage.name);
    SourceMap sources;
    DiagnosticSink sink;
    const ir::ModuleRef read = ir::parse_module(sources, sources.add("stage.ir", with_temporaries(printed)), sink);
    if (!read)
        FAIL(where, ": ", render(sink.all(), sources));
    if (const std::string again = ir::print_module(*read).text; again != text)
        FAIL(where, ": other text: ", difference(text, again));
    const auto now = cuda_of(compiler::lower(compiler::with_passes_done(read, stage.passes), options(), sink), sink);
    if (!now)
        FAIL(where, ": ", render(sink.all(), sources));
    if (*now != cuda)
        FAIL(where, ": other CUDA: ", difference(cuda, *now));
}

int check_scripts(const char* folder) {
    int stages = 0;
    for (const std::string& path : scripts_in(folder))
        for (const session::RecordedSite& site : modules_of(path)) {
            Stages lowering;
            DiagnosticSink sink;
            const ir::ModuleRef kernels = compiler::lower(site.module, options(), sink, {&lowering});
            const std::optional<std::string> cuda = cuda_of(kernels, sink);
            for (const Stages::Stage& stage : lowering.all)
                if (cuda)
                    check(std::filesystem::path(path).filename(), stage, *cuda), ++stages;
        }
    return stages;
}

class Random {
public:
    std::size_t below(std::size_t end) {
        m_state = m_state * 6364136223846793005u + 1442695040888963407u;
        return end == 0 ? 0 : static_cast<std::size_t>(m_state >> 33) % end;
    }

private:
    std::uint64_t m_state = 7;
};

// A word of the text in the place of another one, which reads more often than other bytes do.
std::string mutated(std::string text, Random& random) {
    std::vector<std::pair<std::size_t, std::size_t>> words; // begin, size
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find_first_not_of(" \n,()[]:", at);
        if (begin == std::string::npos)
            break;
        at = std::min(text.find_first_of(" \n,()[]:", begin), text.size());
        words.emplace_back(begin, at - begin);
    }
    const auto [to, size] = words[random.below(words.size())];
    const auto [from, length] = words[random.below(words.size())];
    return text.replace(to, size, text.substr(from, length));
}

} // namespace

TEST_CASE("the passes take or refuse what was changed at random") {
    Random random;
    int taken = 0, refused = 0;
    for (const char* name : {"naive_matmul", "shared_matmul", "softmax"}) {
        Stages lowering;
        DiagnosticSink quiet;
        const auto sites = modules_of(cat(HIDET_SOURCE_FOLDER, "/samples/kernels/", name, ".py"));
        REQUIRE(!sites.empty());
        compiler::lower(sites.front().module, options(), quiet, {&lowering});
        for (const Stages::Stage& stage : lowering.all)
            for (int i = 0; i < 60; ++i) {
                SourceMap sources;
                DiagnosticSink sink;
                const std::string text = mutated(ir::print_module(*stage.module).text, random);
                ir::ModuleRef module = ir::parse_module(sources, sources.add("stage.ir", text), sink);
                const bool is_fine =
                    module && module->level >= compiler::level_after(stage.passes) && ir::is_well_formed(*module, sink);
                if (is_fine)
                    module = compiler::lower(compiler::with_passes_done(module, stage.passes), options(), sink);
                REQUIRE((module || sink.has_errors()));
                ++(is_fine ? taken : refused);
            }
    }
    REQUIRE((taken > 20 && refused > 20));
}

TEST_CASE("samples go on from the text after any pass") {
    REQUIRE(check_scripts("samples/kernels") > 300);
}

TEST_CASE("programs of the tests go on from the text after any pass") {
    REQUIRE(check_scripts("tests/run") + check_scripts("tests/bench/kernels") > 1000);
}
