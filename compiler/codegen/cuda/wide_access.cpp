// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/cuda/wide_access.h"

#include "compiler/codegen/cuda/operands.h"
#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/wide_access.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::compiler {

using ir::WideAccess;

namespace {

constexpr int most_words = 4; // of an instruction that all architectures have

// "ld.global.lu.v4.b32"
std::string instruction(const WideAccess& access) {
    const int words = access.bytes_at_once() / access.bytes_of_register();
    return cat(access.is_load ? "ld" : "st", access.is_shared ? ".shared" : ".global", access.is_last_use ? ".lu" : "",
               words > 1 ? cat(".v", words) : "", ".b", 8 * access.bytes_of_register());
}

std::string assembly(const WideAccess& access, int first) {
    const int words = access.bytes_at_once() / access.bytes_of_register();
    const std::string registers =
        words == 1 ? cat("%", access.is_load ? 0 : 1) : operand_list(access.is_load ? 0 : 1, words);
    const std::string offset = first ? cat(" + ", 4 * first) : "";
    const std::string place = cat("[%", access.is_load ? words : 0, offset, "]");
    const std::string address = access.is_shared ? "\"r\"(shared_address(memory))" : "\"l\"(memory)";
    const std::string values = constraints(access.is_load ? "=r" : "r", "words", words, first);
    return cat("    asm volatile(\"", instruction(access), " ", access.is_load ? registers : place, ", ",
               access.is_load ? place : registers, ";\"\n                 :",
               access.is_load ? cat(" ", values, "\n                 : ", address) : cat(": ", address, ", ", values),
               "\n                 : \"memory\");\n");
}

std::string copies(const WideAccess& access) {
    std::string text;
    for (int i = 0; i < access.registers(); ++i) {
        const std::string word = cat("&words[", i, "]"), lane = cat("lane", i);
        text += cat("    memcpy(", access.is_load ? lane : word, ", ", access.is_load ? word : lane, ", ",
                    access.bytes_of_register(), ");\n");
    }
    return text;
}

std::string function_text(const ir::IntrinsicInfo& row, const WideAccess& access) {
    const std::string_view name = row.short_name();
    const bool clears = access.is_load && !access.is_shared && access.bits == 16; // where the predicate does not hold
    std::string head, loads;
    for (int i = 0; i < access.registers(); ++i)
        head += cat(access.is_load ? "void* lane" : "const void* lane", i, ", ");
    for (int first = 0; first < access.registers(); first += most_words)
        loads += assembly(access, first);
    const std::string missing = clears ? "    if (!guard) {\n        const uint32_t zero = 0;\n        memcpy(lane0, "
                                         "&zero, 2);\n        return;\n    }\n"
                                       : "    if (!guard)\n        return;\n";
    return cat("// ", instruction(access), ": ", access.bits, access.is_load ? " bits from " : " bits to ",
               access.is_shared ? "shared" : "global", " memory\n", "inline __device__ void ", name, "(", head,
               access.is_load ? "const void* memory" : "void* memory", access.is_shared ? "" : ", bool guard", ") {\n",
               access.is_shared ? "" : missing, "    uint32_t words[", access.registers(),
               access.is_load || access.bits >= 32 ? "];\n" : "] = {};\n", access.is_load ? "" : copies(access), loads,
               access.is_load ? copies(access) : "", "}\n");
}

constexpr ir::IntrinsicId accesses[] = {
#define HIDET_INTRINSIC(id, ...) ir::IntrinsicId::id,
#include "compiler/ir/intrinsics/wide_access.def"
#undef HIDET_INTRINSIC
};

} // namespace

void add_wide_access_snippets(SnippetTable& snippets) {
    for (ir::IntrinsicId id : accesses) {
        const ir::IntrinsicInfo& row = ir::info(id);
        std::vector<std::string> needs{"uint32_t"};
        if (ir::wide_access(id)->is_shared)
            needs.emplace_back("shared_address");
        snippets.add_written(std::string(row.short_name()), needs, [&row](const std::vector<std::string>&) {
            return function_text(row, *ir::wide_access(row.id));
        });
    }
}

std::vector<std::string> wide_access_function_names() {
    return transformed<std::string>(accesses, [&](ir::IntrinsicId id) { return ir::info(id).short_name(); });
}

std::optional<TargetSyntax> wide_access_syntax(const ir::Intrinsic& call) {
    const std::string name(ir::info(call.id).short_name());
    return over_instruction(call_text(name, call.args.size()), name, instruction(*ir::wide_access(call.id)));
}

} // namespace hidet::compiler
