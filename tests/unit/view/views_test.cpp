// SPDX-License-Identifier: Apache-2.0
// Filters of PTX and SASS, help on instructions, and search over stages.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <string_view>

#include "app/session/session.h"
#include "app/session/view/filters.h"
#include "app/session/view/instruction_help.h"
#include "app/session/view/search.h"
#include "runtime/toolchain/sass/pipes.h"
#include "tests/harness/skip.h"

using namespace hidet;
using namespace hidet::session;

namespace {

// Line n of the text came from line n of the CUDA text and line 100 + n of the script.
TextSnapshot listing(std::string text) {
    TextSnapshot out;
    out.text = std::move(text);
    int count = static_cast<int>(std::count(out.text.begin(), out.text.end(), '\n'));
    for (int line = 1; line <= count; ++line) {
        out.lines.push_back({{"k.py", 100 + line, 1, 100 + line, 2}, ""});
        out.source_lines.push_back(line);
    }
    return out;
}

std::string sources_of(const TextSnapshot& text) {
    std::string out;
    for (std::size_t i = 0; i < text.source_lines.size(); ++i) {
        REQUIRE(text.lines[i].place.line == 100 + text.source_lines[i]);
        out += cat(i > 0 ? " " : "", text.source_lines[i]);
    }
    return out;
}

const std::string ptx = ".version 9.0\n"
                        ".target sm_90a\n"
                        "\n"
                        ".visible .entry add(\n"
                        "    .param .u64 add_param_0\n"
                        ")\n"
                        ".maxntid 128, 1, 1\n"
                        "{\n"
                        "    .reg .b32 %r<5>;\n"
                        "\n"
                        "    // begin\n"
                        "$L__BB0_1:\n"
                        "    mov.u32 %r2, %tid.x; // the thread\n"
                        "    @%p1 bra $L__BB0_2;\n"
                        "$L__BB0_2:\n"
                        "    ret;\n"
                        "}\n";

const std::string sass = "add:\n"
                         "    0000        S2R R9, SR_TID.X\n"
                         "    0010  @P0   EXIT\n"
                         "    0020        BRA .L2\n"
                         ".L1:\n"
                         "    0030        FADD R1, R2, R3\n"
                         ".L2:\n"
                         "    0040        EXIT\n"
                         ".L3:\n"
                         "    0050        BRA .L3\n"
                         "    0060        NOP\n";

std::string first_help(AssemblyLanguage language, const std::string& line) {
    auto help = instruction_help(language, line);
    if (!help)
        return "nothing";
    std::string out = help->base + ": " + help->meaning;
    for (const ModifierHelp& modifier : help->modifiers)
        out += cat(" [", modifier.text, " ", modifier.meaning, "]");
    return out;
}

SearchText stage(std::string name, std::string text) {
    return {std::move(name), std::make_shared<const TextSnapshot>(listing(std::move(text)))};
}

std::string hits(const SearchResult& result) {
    std::string out;
    for (const SearchHit& hit : result.hits)
        out += cat(hit.stage, ":", hit.line, ":", hit.range.begin, "-", hit.range.end, " ");
    return out;
}

// Names that stand in listings and in no table.
void collect_unknown(const TextSnapshot& text, AssemblyLanguage language, std::set<std::string>& unknown, int& known) {
    LineTable lines(text.text);
    for (int line = 1; line <= lines.count(); ++line) {
        TextRange range = instruction_in(language, lines.text(line));
        if (range.begin == range.end)
            continue;
        if (instruction_help(language, lines.text(line)))
            ++known;
        else
            unknown.emplace(lines.text(line).substr(range.begin, range.end - range.begin));
    }
}

// Whether all instructions of these samples are in the tables; false: there is no compiler.
bool check_samples(const std::shared_ptr<Tools>& tools, const std::string& arch) {
    std::set<std::string> unknown;
    int known = 0;
    for (const char* name : {"tensor_core_matmul", "softmax", "histogram"}) {
        PreviewRequest request;
        DiagnosticSink sink;
        REQUIRE(read_source(cat(HIDET_SOURCE_FOLDER, "/samples/kernels/", name, ".py"), request.source, sink));
        request.forms = {Form::Ptx, Form::Sass};
        request.arch = arch;
        request.tools = tools;
        request.texts = Keep::Nothing;
        PreviewResult result = preview(request);
        for (const ModuleSnapshot& module : result.modules)
            for (const auto& form : module.forms)
                collect_unknown(form->text, form->name == "ptx" ? AssemblyLanguage::Ptx : AssemblyLanguage::Sass,
                                unknown, known);
    }
    std::string all;
    for (const std::string& name : unknown)
        all += name + " ";
    REQUIRE(all == "");
    return known > 0;
}

} // namespace

TEST_CASE("every instruction of the samples has help") {
    auto tools = open_tools();
    bool compiled = false;
    for (const char* arch : {"sm_75", "sm_80", "sm_90a", "sm_100a"}) {
        CAPTURE(arch);
        compiled |= check_samples(tools, arch);
    }
    if (!compiled)
        test::skip("no compiler here: the instructions of the samples were not checked");
}

TEST_CASE("directives of PTX go, the head of a kernel and its parameters stay") {
    TextSnapshot out = filtered(listing(ptx), Form::Ptx, {Filter::PtxDirectives});
    REQUIRE(out.text.starts_with(".visible .entry add(\n    .param .u64 add_param_0\n)\n{\n\n    // begin\n"));
    REQUIRE(sources_of(out) == "4 5 6 8 10 11 12 13 14 15 16 17");
}

TEST_CASE("comments go, and lines that hold nothing else") {
    TextSnapshot out = filtered(listing(ptx), Form::Ptx, {Filter::PtxComments});
    REQUIRE(out.text.find("//") == std::string::npos);
    REQUIRE(out.text.find("    mov.u32 %r2, %tid.x;\n") != std::string::npos);
    REQUIRE(sources_of(out) == "1 2 3 4 5 6 7 8 9 10 12 13 14 15 16 17");
    REQUIRE(filtered(listing("a /* b\nc */ d\n"), Form::Ptx, {Filter::PtxComments}).text == "a\n d\n");
}

TEST_CASE("labels that nothing jumps to go") {
    TextSnapshot out = filtered(listing(ptx), Form::Ptx, {Filter::PtxLabels});
    REQUIRE((out.text.find("BB0_1:") == std::string::npos && out.text.find("BB0_2:") != std::string::npos));
    TextSnapshot machine = filtered(listing(sass), Form::Sass, {Filter::SassLabels});
    REQUIRE((machine.text.find(".L1:") == std::string::npos && machine.text.find(".L2:") != std::string::npos));
    REQUIRE(machine.text.starts_with("add:\n"));
}

TEST_CASE("addresses go in both forms, predicates stay") {
    TextSnapshot out = filtered(listing(sass), Form::Sass, {Filter::SassAddresses});
    REQUIRE((out.text.find("  @P0   EXIT\n") != std::string::npos && out.text.find("0010") == std::string::npos));
    REQUIRE(filtered(listing("        /*0010*/   EXIT ;\n"), Form::Sass, {Filter::SassAddresses}).text == "  EXIT ;\n");
    REQUIRE(filtered(listing("        FADD R1, R2\n"), Form::Sass, {Filter::SassAddresses}).text ==
            "        FADD R1, R2\n");
}

TEST_CASE("encodings, directives and padding go") {
    REQUIRE(filtered(listing("  EXIT ;  /* 0x000000000000794d */\n    /* 0x000fea0003800000 */\n"), Form::Sass,
                     {Filter::SassEncodings})
                .text == "  EXIT ;\n");
    REQUIRE(filtered(listing(".section .text.add\n.L1:\n"), Form::Sass, {Filter::SassDirectives}).text == ".L1:\n");
    REQUIRE(sources_of(filtered(listing(sass), Form::Sass, {Filter::SassPadding})) == "1 2 3 4 5 6 7 8");
}

TEST_CASE("filters of another form, and none, change nothing") {
    for (const std::vector<Filter>& filters : {std::vector<Filter>{}, {Filter::SassAddresses}})
        REQUIRE(filtered(listing(ptx), Form::Ptx, filters).text == ptx);
}

TEST_CASE("every filter has a name of its own") {
    std::set<std::string> ids;
    for (const FilterInfo& info : all_filters())
        REQUIRE((ids.insert(info.id).second && *info.title && *info.summary));
}

TEST_CASE("an instruction is found behind its address and its predicate") {
    auto at = [](AssemblyLanguage language, std::string_view line) {
        TextRange range = instruction_in(language, line);
        return std::string(line.substr(range.begin, range.end - range.begin));
    };
    using enum AssemblyLanguage;
    REQUIRE(at(Sass, "    00d0  @!P0  LDG.E.128 R4, desc[UR4][R4.64]") == "LDG.E.128");
    REQUIRE(at(Sass, "        /*0000*/  @UP0 UMOV UR4, 0x1 ;") == "UMOV");
    REQUIRE(at(Sass, ".L1:") == "");
    REQUIRE(at(Sass, "add:") == "");
    REQUIRE(at(Ptx, "    @%p1 bra $L__BB0_2;") == "bra");
    REQUIRE(at(Ptx, "    { mov.b64 %rd1, 1; }") == "mov.b64");
    REQUIRE(at(Ptx, "    .reg .b32 %r<5>;") == "");
    REQUIRE(at(Ptx, "$L__BB0_1:") == "");
    REQUIRE(at(Ptx, "") == "");
}

TEST_CASE("help says what an instruction and its modifiers mean") {
    using enum AssemblyLanguage;
    REQUIRE(first_help(Sass, "    00d0  LDG.E.128.CONSTANT R4, desc[UR4][R4.64]") ==
            "LDG: Loads from global memory. [.E a 64-bit address] [.128 128 bits: four registers at once] "
            "[.CONSTANT of memory that the kernel does not write: through the read-only path]");
    REQUIRE(first_help(Sass, "    0000  ATOMG.E.ADD.STRONG.GPU PT, R4, [R4.64], R5") ==
            "ATOMG: An atomic operation on global memory that returns what was there. [.E a 64-bit address] "
            "[.ADD adds] [.STRONG ordered as volatile and atomic accesses are] [.GPU seen by the whole GPU]");
    REQUIRE(first_help(Ptx, "    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1};").substr(0, 4) ==
            "mma:");
    REQUIRE(
        first_help(Ptx, "  ld.global.nc.v4.f32 {%f1}, [%rd1];").starts_with("ld.global: Loads from global memory."));
    REQUIRE(first_help(Ptx, "  cp.async.cg.shared.global [%r1], [%rd1], 16;").starts_with("cp.async: "));
    REQUIRE(first_help(Ptx, "  st.shared::cta.u32 [%r1], %r2;").find("in shared memory of this block") !=
            std::string::npos);
    REQUIRE(first_help(Sass, "    0000  FROBNICATE R1") == "nothing");
}

TEST_CASE("the same modifier means what it means for its instruction") {
    using enum AssemblyLanguage;
    REQUIRE(first_help(Sass, "  0000  SHFL.UP PT, R1, R2").find("further down") != std::string::npos);
    REQUIRE(first_help(Ptx, "  setp.lo.u32 %p1, %r1, %r2;").find("lower, unsigned") != std::string::npos);
    REQUIRE(first_help(Ptx, "  mul.lo.s32 %r1, %r1, %r2;").find("lower half") != std::string::npos);
}

TEST_CASE("help is given on the name alone when a column is asked for") {
    std::string line = "    0040        EXIT";
    REQUIRE(!instruction_help(AssemblyLanguage::Sass, line, 6));
    REQUIRE(instruction_help(AssemblyLanguage::Sass, line, 17).has_value());
    REQUIRE(!instruction_help(AssemblyLanguage::Sass, line, 21));
}

TEST_CASE("each instruction of SASS that is explained has its pipe") {
    for (const std::string& name : known_instructions(AssemblyLanguage::Sass)) {
        CAPTURE(name);
        REQUIRE(toolchain::sass::is_known_opcode(name));
    }
}

TEST_CASE("the tables are as long as promised") {
    REQUIRE(known_instructions(AssemblyLanguage::Sass).size() >= 120);
    REQUIRE(known_instructions(AssemblyLanguage::Ptx).size() >= 100);
}

TEST_CASE("search finds all matches of a stage, in order") {
    auto texts = {stage("CUDA", "a = b\nA += ab\n"), stage("PTX", "mov a, a\n"), SearchText{"SASS", nullptr}};
    REQUIRE(hits(search_stages(texts, {.text = "a"})) == "CUDA:1:0-1 CUDA:2:0-1 CUDA:2:5-6 PTX:1:4-5 PTX:1:7-8 ");
    REQUIRE(hits(search_stages(texts, {.text = "A", .match_case = true})) == "CUDA:2:0-1 ");
    REQUIRE(hits(search_stages(texts, {.text = "a", .match_case = true, .whole_word = true})) ==
            "CUDA:1:0-1 PTX:1:4-5 PTX:1:7-8 ");
    REQUIRE(hits(search_stages(texts, {.text = "+=", .whole_word = true})) == "CUDA:2:2-4 ");
    REQUIRE(hits(search_stages(texts, {.text = ""})) == "");
    SearchResult result = search_stages(texts, {.text = "mov"});
    REQUIRE(result.hits.at(0).line_text == "mov a, a");
    REQUIRE(result.hits.at(0).origin.line == 101);
    REQUIRE(result.hits.at(0).source == 1u);
}

TEST_CASE("a matcher of the caller replaces the text, a limit cuts, a cancel ends") {
    auto texts = {stage("CUDA", "one\ntwo\nthree\n")};
    SearchQuery query;
    query.matcher = [](std::string_view line) {
        return std::vector<TextRange>{{0, static_cast<std::uint32_t>(line.size())}};
    };
    REQUIRE(hits(search_stages(texts, query)) == "CUDA:1:0-3 CUDA:2:0-3 CUDA:3:0-5 ");
    query.limit = 2;
    SearchResult cut = search_stages(texts, query);
    REQUIRE((cut.cut && cut.hits.size() == 2));
    std::atomic<bool> cancelled{true};
    query.cancelled = &cancelled;
    REQUIRE(search_stages(texts, query).hits.empty());
}
