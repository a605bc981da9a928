// SPDX-License-Identifier: Apache-2.0
// The machine code of all samples: what is decoded of it can be right (tests/unit/toolchain/proof.h), and the registers that each
// instruction reads and writes and that are live there are those that nvdisasm knows. Needs NVRTC and nvdisasm, no GPU.
#include <algorithm>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>

#include "app/session/machine/machine.h"
#include "app/session/session.h"
#include "app/session/tools/tools.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/sass/flow.h"
#include "runtime/toolchain/sass/pipes.h"
#include "runtime/toolchain/sass/waits.h"
#include "tests/harness/skip.h"
#include "tests/unit/toolchain/life_ranges.h"
#include "tests/unit/toolchain/proof.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::toolchain;

namespace {

std::vector<std::string> samples() {
    std::vector<std::string> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(HIDET_SOURCE_FOLDER) / "samples/kernels"))
        if (entry.path().extension() == ".py" && !entry.path().filename().string().starts_with("cpu_"))
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

struct Seen {
    int instructions = 0, waits = 0, repeated = 0, results = 0, fixed = 0;
    int compared = 0,
        longer = 0; // instructions whose registers were compared; at which more are live than nvdisasm says
};

using RegisterNames = std::vector<sass::Register>;

RegisterNames without(const RegisterNames& names, const RegisterNames& left_out) {
    RegisterNames out;
    std::set_difference(names.begin(), names.end(), left_out.begin(), left_out.end(), std::back_inserter(out));
    return out;
}

bool is_predicate(sass::Register name) {
    return name.kind == sass::RegisterKind::Predicate || name.kind == sass::RegisterKind::UniformPredicate;
}

bool has(const sass::Function& function, std::string_view opcode) {
    return std::ranges::any_of(function.code, [&](const sass::Instruction& each) { return each.is(opcode); });
}

// nvdisasm takes the predicate of LDGSTS for a result, and overlooks those that P2R gathers.
bool has_same_operands(const sass::Instruction& instruction, const sass::RegisterRow& ours,
                       const sass::RegisterRow& theirs) {
    const auto are_predicates = [](const RegisterNames& names) { return std::ranges::all_of(names, is_predicate); };
    if (instruction.is("LDGSTS"))
        return ours.reads == theirs.reads && ours.writes.empty() && are_predicates(theirs.writes);
    if (instruction.is("P2R"))
        return ours.writes == theirs.writes && without(theirs.reads, ours.reads).empty() &&
               are_predicates(without(ours.reads, theirs.reads));
    return ours.reads == theirs.reads && ours.writes == theirs.writes;
}

// What is written under a guard: here it may keep what it held, so it is live before; nvdisasm thinks so of some instructions.
RegisterNames written_under_guards(const sass::Function& function, const sass::RegisterTable& registers) {
    RegisterNames out;
    for (std::size_t i = 0; i < function.code.size(); ++i)
        if (!function.code[i].guard.empty())
            out.insert(out.end(), registers[i].writes.begin(), registers[i].writes.end());
    std::sort(out.begin(), out.end());
    return out;
}

std::string described(const sass::Function& function, std::size_t at) {
    return cat(function.name, ": ", function.code[at].opcode, " ", function.code[at].operands, " at ",
               function.code[at].address);
}

// Around a call nvdisasm goes by what any function may change; the functions that are called here are in the same text.
void expect_same_registers(const sass::Function& function, const sass::RegisterTable& ours,
                           const sass::RegisterTable& theirs, Seen& seen) {
    const bool calls = has(function, "CALL"), gathers = has(function, "P2R");
    const RegisterNames guarded = written_under_guards(function, ours);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        CAPTURE(described(function, i));
        if (function.code[i].is("CALL"))
            continue;
        ++seen.compared;
        REQUIRE(has_same_operands(function.code[i], ours[i], theirs[i]));
        if (calls)
            continue;
        REQUIRE(without(theirs[i].all, ours[i].all).empty());
        const RegisterNames more = without(ours[i].all, theirs[i].all);
        seen.longer += !more.empty();
        for (sass::Register name : more)
            REQUIRE(((gathers && is_predicate(name)) || std::ranges::binary_search(guarded, name)));
    }
}

std::string life_ranges(Tools& tools, const std::string& cubin) {
    const std::string program = tools.toolchain().locate(Tool::Nvdisasm).path;
    auto outcome = process::run_to_end({.words = {program, "-c", "-lrm", "narrow", "/dev/stdin"}, .input = cubin});
    REQUIRE(outcome);
    REQUIRE(outcome.value().succeeded());
    return outcome.value().output;
}

void expect_sound(const sass::Function& function, const sass::Flow& flow, const sass::RegisterTable& registers,
                  Seen& seen) {
    for (const sass::Instruction& instruction : function.code) {
        CAPTURE(instruction.opcode);
        REQUIRE(instruction.word.known());
        REQUIRE(sass::is_known_opcode(instruction.opcode));
    }
    const sass::Waits waits = sass::waits_of(function, flow);
    for (const auto& [waiter, barrier] : waits.unanswered)
        FAIL(cat(function.name, ": ", function.code[waiter].opcode, " at ", function.code[waiter].address,
                 " waits for barrier ", barrier, ", which nothing raises"));
    for (const sass::Reading& reading : sass::readings_of(function, flow, registers)) {
        ++seen.results;
        seen.fixed += reading.least > 0;
        if (reading.is_sound())
            continue;
        const sass::Instruction &writer = function.code[reading.writer], &reader = function.code[reading.reader];
        FAIL(cat(function.name, ": ", reader.opcode, " at ", reader.address, " reads what ", writer.opcode, " at ",
                 writer.address, " writes after ", reading.cycles, " of ", reading.least, " cycles",
                 reading.is_waited ? "" : ", and does not wait"));
    }
    seen.instructions += static_cast<int>(function.code.size());
    seen.waits += static_cast<int>(waits.arrows.size());
    seen.repeated += static_cast<int>(waits.repeated.size());
}

// A kernel whose warps ask for registers while they run may have more than it is launched with, up to 255.
int most_allowed(const FormSnapshot& sass, const KernelFacts& kernel) {
    return sass.text.text.find("USETMAXREG") == std::string::npos ? kernel.registers : 255;
}

void check(const std::string& path, const std::shared_ptr<Tools>& tools, Seen& seen) {
    PreviewRequest request;
    DiagnosticSink sink;
    REQUIRE(read_source(path, request.source, sink));
    request.forms = {Form::Cubin, Form::Sass};
    request.explains = true;
    request.tools = tools;
    request.texts = Keep::Nothing;
    const PreviewResult result = preview(request);
    REQUIRE(result.status == Status::Ok);
    for (const ModuleSnapshot& module : result.modules) {
        REQUIRE(module.forms.size() == 2);
        Result<Disassembly> code = tools->toolchain().disassemble(module.forms[0]->bytes);
        REQUIRE(code);
        const std::vector<sass::Function>& functions = code.value().functions;
        const std::vector<sass::RegisterTable> told =
            test::read_life_ranges(life_ranges(*tools, module.forms[0]->bytes), functions);
        for (std::size_t i = 0; i < functions.size(); ++i) {
            const sass::Flow flow = sass::flow_of(functions[i]);
            const sass::RegisterTable registers = sass::registers_of(functions[i], flow);
            expect_sound(functions[i], flow, registers, seen);
            expect_same_registers(functions[i], registers, told[i], seen);
        }
        // And the same, folded to the lines of the script.
        REQUIRE(module.forms[1]->machine);
        REQUIRE(module.forms[1]->machine->functions.size() == functions.size());
        REQUIRE(module.forms[1]->text.controls.size() == module.forms[1]->text.lines.size());
        for (const KernelFacts& kernel : module.forms[1]->kernels)
            for (const MachineFunction& function : module.forms[1]->machine->functions)
                if (function.name == kernel.name)
                    REQUIRE(function.most_registers <= most_allowed(*module.forms[1], kernel));
    }
}

} // namespace

TEST_CASE("each wait of the samples' machine code has its setter, and each fixed latency is covered by stalls") {
    auto tools = open_tools();
    for (Tool tool : {Tool::Nvrtc, Tool::Nvdisasm})
        if (const Finding found = tools->toolchain().locate(tool); found.state != State::Found)
            return test::skip(found.problem);
    Seen seen;
    for (const std::string& path : samples()) {
        CAPTURE(path);
        check(path, tools, seen);
    }
    std::printf("%d instructions, %d waits (%d more are careful repetitions), %d results read, %d of a known latency\n",
                seen.instructions, seen.waits, seen.repeated, seen.results, seen.fixed);
    std::printf("the registers of %d instructions are those of nvdisasm; at %d more are live, written under guards\n",
                seen.compared, seen.longer);
    REQUIRE(seen.longer * 20 < seen.compared);
    REQUIRE(seen.instructions > 10000);
    REQUIRE(seen.waits > 1000);
    REQUIRE(seen.fixed > 5000);
    REQUIRE(seen.repeated * 50 < seen.waits);
}
