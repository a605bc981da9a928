// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/cuda/tensor_memory.h"

#include <algorithm>

#include "compiler/codegen/cuda/operands.h"
#include "compiler/codegen/cuda/ptx.h"
#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/intrinsics/tensor_memory.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::IntrinsicId;

namespace {

using Words = std::vector<std::string>; // of the attributes, in the order of the row

// A load or a store: from the words of its attributes.
struct Transfer {
    ir::TensorMemoryShape shape{};
    int times = 0;
    bool is_packed = false;

    explicit Transfer(const Words& words) : times(std::stoi(words.at(1))), is_packed(words.at(2) == "1") {
        const auto shapes = ir::words_of(ir::choice_set(shape));
        const auto found = std::find(shapes.begin(), shapes.end(), words.at(0));
        shape = static_cast<ir::TensorMemoryShape>(found - shapes.begin());
    }
    bool has_distance() const { return shape == ir::TensorMemoryShape::s16x32bx2; } // of its second half
    std::string suffix() const { return cat("_", ir::word(shape).substr(1), "_x", times, is_packed ? "_16b" : ""); }
    std::string instruction(std::string_view name, std::string_view packed) const {
        return cat("tcgen05.", name, ".sync.aligned.", ir::word(shape).substr(1), ".x", times, is_packed ? packed : "",
                   ".b32");
    }
    std::string head(std::string_view name, std::string_view parameters) const {
        return cat(has_distance() ? "template <int distance>\n" : "", "inline __device__ void tcgen05_", name, suffix(),
                   "(", parameters, ") {\n");
    }
    int registers() const { return ir::registers_of(shape, times); }
};

std::string load_text(const Words& words) {
    const Transfer load(words);
    const int count = load.registers();
    const std::string instruction = load.instruction("ld", ".pack::16b");
    return cat("// ", instruction, "\n", load.head("ld", "void* lane, uint32_t address"), "    uint32_t words[", count,
               "];\n    asm volatile(\"", instruction, " ", operand_list(0, count), ", [%", count, "]",
               load.has_distance() ? cat(", %", count + 1) : "",
               ";\"\n                 : ", constraints("=r", "words", count), "\n                 : \"r\"(address)",
               load.has_distance() ? ", \"n\"(distance)" : "",
               "\n                 : \"memory\");\n    memcpy(lane, words, sizeof words);\n}\n");
}

std::string store_text(const Words& words) {
    const Transfer store(words);
    const bool is_split = store.has_distance();
    const std::string instruction = store.instruction("st", ".unpack::16b");
    return cat("// ", instruction, "\n", store.head("st", "uint32_t address, const void* lane"), "    uint32_t words[",
               store.registers(), "];\n    memcpy(words, lane, sizeof words);\n    asm volatile(\"", instruction,
               is_split ? " [%0], %1, " : " [%0], ", operand_list(is_split ? 2 : 1, store.registers()),
               ";\"\n                 ::\"r\"(address), ", is_split ? "\"n\"(distance), " : "",
               constraints("r", "words", store.registers()), "\n                 : \"memory\");\n}\n");
}

// "warpx2::02_13" for "warpx2_02_13"
std::string lanes_modifier(const std::string& word) {
    const std::size_t at = word.find('_');
    return at == std::string::npos ? word : cat(word.substr(0, at), "::", word.substr(at + 1));
}

// Of the words shape, group, lanes and the two formats.
struct Copy {
    std::string name, modifiers;

    explicit Copy(const Words& words)
        : name(cat(words[0].substr(1), "_group_", words[1])),
          modifiers(cat("cta_group::", words[1], ".", words[0].substr(1))) {
        for (std::size_t i = 2; i < words.size(); ++i)
            if (words[i] != "none") {
                name += cat("_", words[i]);
                modifiers += cat(".", i == 2 ? lanes_modifier(words[i]) : words[i]);
            }
    }
};

// Of a row with the attribute `use_cta_pair`, or `cta_group`.
int group_of(const ir::IntrinsicAttr& attr) {
    for (const ir::IntrinsicParameter& parameter : ir::info(attr.id).parameters)
        if (std::string_view(parameter.name) == "use_cta_pair")
            return ir::number_attribute(attr, "use_cta_pair") + 1;
    return ir::number_attribute(attr, "cta_group");
}

// What PTX calls it: "tcgen05.alloc".
std::string instruction_of(std::string_view name) {
    return cat("tcgen05.", name.substr(name.find('_') + 1));
}

} // namespace

void add_tensor_memory_snippets(SnippetTable& snippets) {
    const auto unless_named = [](std::string (*written)(const Words&)) {
        return [written](const Words& words) { return words[0] == "shape" ? std::string() : written(words); };
    };
    snippets.add_written("tcgen05_ld(shape, times, is_packed)", {"uint32_t"}, unless_named(load_text));
    snippets.add_written("tcgen05_st(shape, times, is_packed)", {"uint32_t"}, unless_named(store_text));
}

std::vector<std::string> tensor_memory_function_names() {
    std::vector<std::string> names;
    for (const char* group : {"1", "2"}) {
        for (const char* name : {"alloc", "dealloc", "relinquish_alloc_permit", "commit", "commit_multicast"})
            names.push_back(cat("tcgen05_", name, "_group_", group));
        for (const std::string_view kind : ir::words_of(ir::choice_set(ir::Tcgen05Kind{})))
            for (const char* name : {"tcgen05_mma_", "tcgen05_mma_tmem_"})
                names.push_back(cat(name, kind, "_group_", group));
    }
    for (const Words& words : all_words(ir::info(IntrinsicId::Tcgen05Load)))
        for (const char* name : {"tcgen05_ld", "tcgen05_st"})
            names.push_back(name + Transfer(words).suffix());
    for (const Words& words : all_words(ir::info(IntrinsicId::Tcgen05Copy)))
        names.push_back("tcgen05_cp_" + Copy(words).name);
    return names;
}

std::optional<TargetSyntax> tensor_load_syntax(const ir::Intrinsic& call) {
    const Words words = ir::attribute_texts(call.attr);
    const Transfer transfer(words);
    if (!transfer.registers())
        return std::nullopt;
    const std::string name(ir::info(call.id).short_name());
    const std::int64_t distance = ir::constant_int(call.args.at(2)).value_or(0);
    const std::string parameter = transfer.has_distance() ? cat("<", distance, ">") : "";
    return over_instruction(call_text(cat(name, transfer.suffix(), parameter), 2),
                            cat(name, "(", join(words, ", "), ")"), instruction_of(name));
}

std::optional<TargetSyntax> tensor_copy_syntax(const ir::Intrinsic& call) {
    const Copy copy(ir::attribute_texts(call.attr));
    return over_instruction(call_text(cat("tcgen05_cp_", copy.name), 2),
                            cat("tcgen05_cp(", copy.name, ", ", copy.modifiers, ")"), "tcgen05.cp");
}

std::optional<TargetSyntax> tensor_group_syntax(const ir::Intrinsic& call) {
    const std::string name(ir::info(call.id).short_name());
    const int group = group_of(call.attr);
    return over_instruction(call_text(cat(name, "_group_", group), call.args.size()), cat(name, "(", group, ")"),
                            instruction_of(name));
}

std::optional<TargetSyntax> tensor_product_syntax(const ir::Intrinsic& call) {
    const std::string name(ir::info(call.id).short_name());
    const std::string_view kind = ir::word(ir::attribute<ir::Tcgen05Kind>(call.attr));
    const int group = group_of(call.attr);
    return over_instruction(call_text(cat(name, "_", kind, "_group_", group), call.args.size()),
                            cat(name, "(", kind, ", ", group, ")"),
                            cat("tcgen05.mma.cta_group::", group, ".kind::", kind));
}

std::optional<TargetSyntax> tensor_commit_syntax(const ir::Intrinsic& call) {
    const bool has_mask = !ir::is_constant(call.args.at(1), 0);
    const std::string name = has_mask ? "tcgen05_commit_multicast" : "tcgen05_commit";
    const int group = group_of(call.attr);
    return over_instruction(call_text(cat(name, "_group_", group), has_mask ? 2 : 1), cat(name, "(", group, ")"),
                            "tcgen05.commit");
}

} // namespace hidet::compiler
