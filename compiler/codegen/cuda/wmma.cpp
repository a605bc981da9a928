// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/cuda/wmma.h"

#include <algorithm>

#include "compiler/codegen/cuda/operands.h"
#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsics/wmma.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::DType;
using ir::IntrinsicId;
using ir::TileOrder;
using ir::WmmaShape;

namespace {

std::string_view short_name(DType dtype) {
    return ir::info(dtype).short_name;
}

std::string size_of(const WmmaShape& shape) {
    return cat("m", shape.m, "n", shape.n, "k", shape.k);
}

struct Registers {
    int count;
    bool are_real; // of f32, else words
    std::string type() const { return are_real ? "float" : "uint32_t"; }
    std::string bound(std::string_view mode, std::string_view array) const {
        return constraints(cat(mode, are_real ? "f" : "r"), array, count);
    }
};

Registers sums_of(const WmmaShape& shape) {
    return {shape.c_registers(), shape.out == DType::F32};
}

// wmma.load.a.sync.aligned.row.m16n16k16.f16, wmma.store.d.sync.aligned.row.m16n16k16.f32
std::string move_name(IntrinsicId id, TileOrder order, const WmmaShape& shape) {
    const bool is_store = id == IntrinsicId::WmmaStore;
    const char* tile = is_store ? "store.d" : id == IntrinsicId::WmmaLoadA ? "load.a" : "load.b";
    return cat("wmma.", tile, ".sync.aligned.", ir::word(order), ".", size_of(shape), ".",
               short_name(is_store ? shape.out : shape.in));
}

std::string product_name(TileOrder a, TileOrder b, const WmmaShape& shape) {
    const std::string_view in = short_name(shape.in), out = short_name(shape.out);
    const std::string types = shape.in == DType::F16 ? cat(out, ".", out) : cat(out, ".", in, ".", in, ".", out);
    return cat("wmma.mma.sync.aligned.", ir::word(a), ".", ir::word(b), ".", size_of(shape), ".", types);
}

std::string function_name(std::string instruction) {
    constexpr std::string_view middle = ".sync.aligned";
    instruction.erase(instruction.find(middle), middle.size());
    std::ranges::replace(instruction, '.', '_');
    return instruction;
}

std::string load_text(const std::string& name, int count) {
    const Registers words{count, false};
    return cat("// ", name, ": rows or columns that lie `stride` elements apart\n", "inline __device__ void ",
               function_name(name), "(void* lane, const void* memory, int stride) {\n    uint32_t words[", count,
               "];\n    asm volatile(\"", name, " ", operand_list(0, count), ", [%", count, "], %", count + 1,
               ";\"\n                 : ", words.bound("=", "words"),
               "\n                 : \"l\"(memory), \"r\"(stride)\n                 : \"memory\");\n",
               "    memcpy(lane, words, sizeof words);\n}\n");
}

std::string store_text(const std::string& name, const Registers& sums) {
    return cat("// ", name, ": rows or columns that lie `stride` elements apart\n", "inline __device__ void ",
               function_name(name), "(void* memory, const void* lane, int stride) {\n    ", sums.type(), " words[",
               sums.count, "];\n    memcpy(words, lane, sizeof words);\n    asm volatile(\"", name, " [%0], ",
               operand_list(2, sums.count), ", %1;\"\n                 ::\"l\"(memory), \"r\"(stride), ",
               sums.bound("", "words"), "\n                 : \"memory\");\n}\n");
}

std::string product_text(const std::string& name, const WmmaShape& shape) {
    const Registers a{shape.a_registers(), false}, b{shape.b_registers(), false}, c = sums_of(shape);
    const std::string sums = operand_list(0, c.count);
    return cat(
        "// ", name, ": c += a * b\n", "inline __device__ void ", function_name(name),
        "(const void* a_lane, const void* b_lane, void* c_lane) {\n    uint32_t a[", a.count, "], b[", b.count,
        "];\n    ", c.type(), " c[", c.count,
        "];\n    memcpy(a, a_lane, sizeof a);\n    memcpy(b, b_lane, sizeof b);\n    memcpy(c, c_lane, sizeof c);\n",
        "    asm volatile(\"", name, " \"\n                 \"", sums, ", ", operand_list(c.count, a.count), ", ",
        operand_list(c.count + a.count, b.count), ", ", sums, ";\"\n                 : ", c.bound("+", "c"),
        "\n                 : ", a.bound("", "a"), ", ", b.bound("", "b"), ");\n    memcpy(c_lane, c, sizeof c);\n}\n");
}

constexpr TileOrder orders[] = {TileOrder::row, TileOrder::col};

// f(name of the instruction, what writes its function), each instruction at least once.
template <class F>
void for_each_instruction(F&& f) {
    for (const WmmaShape& shape : ir::wmma_shapes)
        for (TileOrder order : orders) {
            for (IntrinsicId id : {IntrinsicId::WmmaLoadA, IntrinsicId::WmmaLoadB}) {
                const int count = id == IntrinsicId::WmmaLoadA ? shape.a_registers() : shape.b_registers();
                f(move_name(id, order, shape), [=](const std::string& name) { return load_text(name, count); });
            }
            f(move_name(IntrinsicId::WmmaStore, order, shape),
              [=](const std::string& name) { return store_text(name, sums_of(shape)); });
            for (TileOrder other : orders)
                f(product_name(order, other, shape),
                  [=](const std::string& name) { return product_text(name, shape); });
        }
}

} // namespace

// Shapes that differ in the type of their sums alone load by the same instruction.
std::vector<std::string> wmma_function_names() {
    std::vector<std::string> names;
    for_each_instruction([&](const std::string& name, const auto&) { names.push_back(function_name(name)); });
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

void add_wmma_snippets(SnippetTable& snippets) {
    std::vector<std::string> known;
    for_each_instruction([&](const std::string& name, const auto& text) {
        if (std::ranges::find(known, name) != known.end())
            return;
        known.push_back(name);
        snippets.add_written(function_name(name), {"uint32_t"},
                             [=](const std::vector<std::string>&) { return text(name); });
    });
}

std::optional<TargetSyntax> wmma_syntax(const ir::Intrinsic& call) {
    const WmmaShape& shape = ir::info(ir::attribute<ir::Wmma>(call.attr));
    const auto order = [&](std::string_view name) {
        return static_cast<TileOrder>(call.attr.values[ir::attr_index(call.id, name)]);
    };
    const std::string name = call.id == IntrinsicId::WmmaMma ? product_name(order("a_order"), order("b_order"), shape)
                                                             : move_name(call.id, order("order"), shape);
    const std::string function = function_name(name);
    return over_instruction(call_text(function, call.args.size()), function, name, {shape.needs()});
}

} // namespace hidet::compiler
