// SPDX-License-Identifier: Apache-2.0
// What the live pipeline says of accesses, cost and contracts: the same as the verb, without evaluating the script again, and
// never of a text that was overtaken.
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>

#include "app/session/live/explained.h"
#include "app/session/tools/tools.h"
#include "runtime/toolchain/z3.h"
#include "tests/unit/live/live_tool.h"

using namespace hidet;
using namespace hidet::test;

namespace {

// Lanes walk along columns, 256 bytes from one to the next.
std::string columns(const std::string& more = "") {
    return "import hidet\n"
           "from hidet.lang import attrs\n"
           "from hidet.lang.types import f32\n"
           "from hidet.lang.cuda import blockIdx, threadIdx\n"
           "with hidet.script_module() as script_module:\n"
           "    @hidet.script\n"
           "    def scale(a: f32[64, 64], b: f32[64, 64]):\n"
           "        attrs.func_kind = 'cuda_kernel'\n"
           "        attrs.cuda.grid_dim = 4, 4\n"
           "        attrs.cuda.block_dim = 16, 16\n"
           "        # studio: expect coalesced >= 0.9, conflicts == 0, registers <= 64\n"
           "        i = blockIdx.x * 16 + threadIdx.x\n"
           "        j = blockIdx.y * 16 + threadIdx.y\n"
           "        b[i, j] = a[i, j] * 2.0\n"
           "module = script_module.build()\n" +
           more;
}

LiveRequest explained_request(std::uint64_t revision, std::string text) {
    LiveRequest request = live_request(revision, std::move(text));
    request.explains = true;
    return request;
}

std::string summary_of(const KernelExplained& kernel) {
    std::string out = cat(kernel.name, " ", kernel.place.line, " ", kernel.coalesced, " ", kernel.conflicts);
    for (const AccessView& view : kernel.accesses)
        out += cat("; ", view.place.line, " ", view.kind, " ", view.tensor, " ", view.units, "/", view.least, " ",
                   view.address, " ", view.finding, " ", view.fixes.size());
    if (kernel.cost)
        out += cat("; ", kernel.cost->sector_bytes, " ", kernel.cost->predicted_seconds);
    return out;
}

} // namespace

TEST_CASE("what is said of a text while it is typed is what the verb says of it") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(explained_request(1, columns()));
    const auto last = heard.complete(1);
    REQUIRE((last->explained && last->explained->are_fixes_tried && last->latency.explained));
    ExplainRequest request;
    request.preview.source = last->request->source;
    request.preview.arch = "sm_90a";
    const ExplainResult asked = explain(request);
    REQUIRE(asked.kernels.size() == 1u);
    REQUIRE(last->explained->kernels.size() == 1u);
    REQUIRE(summary_of(last->explained->kernels[0]) == summary_of(asked.kernels[0]));
    REQUIRE(!last->explained->kernels[0].accesses[0].fixes.empty());
}

namespace {

// The solver of this machine, as if it was another process.
class CountingSolver final : public toolchain::Solver {
public:
    explicit CountingSolver(std::shared_ptr<toolchain::Z3> solver) : m_solver(std::move(solver)) {}
    Result<toolchain::SolverAnswer> solve(const std::string& question, const std::atomic<bool>*) override {
        ++asked;
        return m_solver->ask(question);
    }
    std::atomic<int> asked = 0;

private:
    std::shared_ptr<toolchain::Z3> m_solver;
};

} // namespace

TEST_CASE("kernels are proved behind everything else, where another process does it, and contracts follow") {
    const toolchain::Finding found = open_tools()->toolchain().locate(toolchain::Tool::Z3);
    if (found.state != toolchain::State::Found)
        return;
    auto z3 = toolchain::Z3::open(found.path);
    REQUIRE(z3);
    const auto solver = std::make_shared<CountingSolver>(z3.value());
    Heard heard;
    LiveSession session(options_for(heard, open_tools({.use_gpu = false, .has_cache = false, .solver = solver})));
    std::string text = columns();
    text.replace(text.find("coalesced >= 0.9"), 16, "proved races    ");
    LiveRequest request = explained_request(1, text);
    request.forms = {};
    session.submit(std::move(request));
    REQUIRE(!heard.complete(1)->explained->kernels[0].proof);
    const auto proved =
        heard.first([](const LiveSnapshot& state) { return state.explained && state.explained->kernels[0].proof; });
    REQUIRE(solver->asked > 0);
    REQUIRE(worst_verdict(*proved->explained->kernels[0].proof) == "proved");
    REQUIRE(proof_text(*proved->explained->kernels[0].proof) ==
            "bounds, races, barriers, alignment proved for all sizes");
    REQUIRE(proved->explained->contracts[0].state == ContractState::Kept);
}

TEST_CASE("contracts are kept, broken or not known as the text is") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(explained_request(1, columns()));
    const auto contracts = heard.complete(1)->explained->contracts;
    REQUIRE(contracts.size() == 3u);
    REQUIRE(contracts[0].state == ContractState::Broken);
    REQUIRE(contracts[1].state == ContractState::Kept);
    REQUIRE(contracts[2].state == ContractState::Unknown); // nothing is compiled here
}

TEST_CASE("a contract that cannot be read is a warning") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(explained_request(1, columns("# studio: expect speed > 3\n")));
    const auto last = heard.complete(1);
    REQUIRE(!last->has_errors);
    REQUIRE(last->diagnostics.size() == 1u);
    REQUIRE(last->diagnostics[0].is(DiagId::BadStudioComment));
}

TEST_CASE("an edit behind a kernel changes nothing of what is known of it") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(explained_request(1, columns()));
    const auto before = heard.complete(1);
    session.submit(explained_request(2, columns("# more\n")));
    // The fixes are there with the first word: nobody tried them again.
    const auto first =
        heard.first([](const LiveSnapshot& snapshot) { return snapshot.revision == 2 && snapshot.explained; });
    REQUIRE(first->explained->are_fixes_tried);
    REQUIRE(summary_of(first->explained->kernels[0]) == summary_of(before->explained->kernels[0]));
}

TEST_CASE("a fix whose lines have changed is tried again") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(explained_request(1, columns()));
    heard.complete(1);
    std::string text = columns();
    text.replace(text.find("j = blockIdx.y"), 1, "j ");
    session.submit(explained_request(2, text));
    const auto last = heard.complete(2);
    REQUIRE(last->explained->are_fixes_tried);
    const auto& fixes = last->explained->kernels[0].accesses[0].fixes;
    REQUIRE(!fixes.empty());
    REQUIRE(with_edits(last->request->source, fixes).value().find("j  = blockIdx.y * 16 + threadIdx.x") !=
            std::string::npos);
}

TEST_CASE("nothing is explained of a text that was overtaken") {
    Heard heard;
    LiveSession session(options_for(heard));
    for (std::uint64_t revision = 1; revision <= 20; ++revision)
        session.submit(explained_request(revision, columns(cat("x = ", revision, "\n"))));
    const auto last = heard.complete(20);
    REQUIRE(last->explained);
    std::uint64_t newest = 0;
    for (const auto& snapshot : heard.all()) {
        REQUIRE(snapshot->revision >= newest);
        newest = snapshot->revision;
    }
}

TEST_CASE("a script without kernels, and one that cannot be lowered, are explained as far as they go") {
    Heard heard;
    LiveSession session(options_for(heard));
    session.submit(explained_request(1, "x = 1\n"));
    REQUIRE(heard.complete(1)->status == Status::Ok);
    std::string text = columns();
    text.replace(text.find("threadIdx.x\n"), 11, "threadIdx.q");
    session.submit(explained_request(2, text));
    const auto last = heard.complete(2);
    REQUIRE(last->has_errors);
    REQUIRE((!last->explained || last->explained->kernels.empty()));
}

TEST_CASE("the explanation of many modules is published when all of them are known") {
    Heard heard;
    LiveSession session(options_for(heard));
    const std::string second = columns().substr(std::string("import hidet\n").size());
    session.submit(explained_request(1, columns() + second));
    heard.complete(1);
    for (const auto& snapshot : heard.all())
        if (snapshot->explained)
            REQUIRE(snapshot->explained->kernels.size() == 2u);
    REQUIRE(heard.complete(1)->explained->contracts.size() == 6u);
}
