// SPDX-License-Identifier: Apache-2.0
// The machine code of all samples: what is decoded of it can be right (runtime/toolchain/sass/proof.h). Needs NVRTC and
// nvdisasm, no GPU.
#include <algorithm>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>

#include "app/session/machine/machine.h"
#include "app/session/session.h"
#include "app/session/tools/tools.h"
#include "runtime/toolchain/sass/flow.h"
#include "runtime/toolchain/sass/pipes.h"
#include "runtime/toolchain/sass/proof.h"
#include "runtime/toolchain/sass/waits.h"
#include "tests/harness/skip.h"

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
};

void expect_sound(const sass::Function& function, const sass::RegisterTable& registers, Seen& seen) {
    const sass::Flow flow = sass::flow_of(function);
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
    REQUIRE(result.status == Status::Fine);
    for (const ModuleSnapshot& module : result.modules) {
        REQUIRE(module.forms.size() == 2);
        Result<LiveDisassembly> code = tools->toolchain().disassemble_live(module.forms[0]->bytes);
        REQUIRE(code);
        const std::vector<sass::Function>& functions = code.value().code.functions;
        for (std::size_t i = 0; i < functions.size(); ++i)
            expect_sound(functions[i], code.value().registers[i], seen);
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
    REQUIRE(seen.instructions > 10000);
    REQUIRE(seen.waits > 1000);
    REQUIRE(seen.fixed > 5000);
    REQUIRE(seen.repeated * 50 < seen.waits);
}
