// SPDX-License-Identifier: Apache-2.0
// A warp holds a matrix in registers of 32 bits. How elements are spread over lanes is the same in PTX and in the script
// language, so the registers of a lane are its elements as they lie in its array. They are copied to words and back, which
// costs nothing once arrays are registers, and is right for arrays of any type.
#include "compiler/codegen/cuda/matrix.h"

#include "compiler/codegen/cuda/operands.h"
#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsics/mma.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::DType;

std::string operand_list(int first, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i)
        text += cat(i ? ", %" : "%", first + i);
    return text + "}";
}

std::string constraints(std::string_view constraint, std::string_view array, int count, int first) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += cat(i ? ", \"" : "\"", constraint, "\"(", array, "[", first + i, "])");
    return text;
}

namespace {

const ir::MmaShape* find_mma(std::string_view name) {
    for (const ir::MmaShape& shape : ir::mma_shapes)
        if (shape.name == name)
            return &shape;
    return nullptr;
}

std::string_view ptx_type(DType dtype) {
    switch (dtype) {
    case DType::I8: return "s8";
    case DType::I32: return "s32";
    case DType::F8E4M3: return "e4m3";
    case DType::F8E5M2: return "e5m2";
    default: return ir::info(dtype).short_name;
    }
}

std::string instruction(const ir::MmaShape& mma) {
    std::string_view in = ptx_type(mma.in), out = ptx_type(mma.out);
    return cat("mma.sync.aligned.m", mma.m, "n", mma.n, "k", mma.k, ".row.col.", out, ".", in, ".", in, ".", out);
}

std::string mma_text(const ir::MmaShape& mma) {
    int a = mma.a_registers(), b = mma.b_registers(), c = mma.c_registers();
    bool is_real = mma.out == DType::F32;
    std::string sums = operand_list(0, c);
    return cat(
        "// ", instruction(mma), ": c += a * b\n", "inline __device__ void mma_", mma.name,
        "(const void* a_lane, const void* b_lane, void* c_lane) {\n    uint32_t a[", a, "], b[", b, "];\n    ",
        is_real ? "float" : "uint32_t", " c[", c,
        "];\n    memcpy(a, a_lane, sizeof a);\n    memcpy(b, b_lane, sizeof b);\n    memcpy(c, c_lane, sizeof c);\n",
        "    asm volatile(\"", instruction(mma), " \"\n                 \"", sums, ", ", operand_list(c, a), ", ",
        operand_list(c + a, b), ", ", sums, ";\"\n                 : ", constraints(is_real ? "+f" : "+r", "c", c),
        "\n                 : ", constraints("r", "a", a), ", ", constraints("r", "b", b),
        ");\n    memcpy(c_lane, c, sizeof c);\n}\n");
}

std::string ldmatrix_text(int count, std::string_view suffix) {
    std::string trans = suffix.empty() ? "" : ".trans";
    std::string head, back;
    for (int i = 0; i < count; ++i) {
        head += cat("void* lane", i, ", ");
        back += cat("    memcpy(lane", i, ", &words[", i, "], 4);\n");
    }
    std::string name = cat("ldmatrix.sync.aligned.m8n8.x", count, trans, ".shared.b16");
    return cat("// ", name, ": 8 x 8 matrices of 16 bits, whose rows the lanes give\n",
               "template <class Row>\ninline __device__ void ldmatrix_x", count, suffix, "(", head, "Row row) {\n",
               "    uint32_t words[", count, "];\n    asm volatile(\"", name, " ", operand_list(0, count), ", [%",
               count, "];\"\n                 : ", constraints("=r", "words", count),
               "\n                 : \"r\"(shared_address(row))\n                 : \"memory\");\n", back, "}\n");
}

std::string stmatrix_text(int count, std::string_view suffix) {
    std::string trans = suffix.empty() ? "" : ".trans";
    std::string head, copies;
    for (int i = 0; i < count; ++i) {
        head += cat("const void* lane", i, ", ");
        copies += cat("    memcpy(&words[", i, "], lane", i, ", 4);\n");
    }
    std::string name = cat("stmatrix.sync.aligned.m8n8.x", count, trans, ".shared.b16");
    return cat("// ", name, ": 8 x 8 matrices of 16 bits, whose rows the lanes give\n",
               "template <class Row>\ninline __device__ void stmatrix_x", count, suffix, "(", head, "Row row) {\n",
               "    uint32_t words[", count, "];\n", copies, "    asm volatile(\"", name, " [%0], ",
               operand_list(1, count), ";\"\n                 ::\"r\"(shared_address(row)), ",
               constraints("r", "words", count), "\n                 : \"memory\");\n}\n");
}

} // namespace

void add_matrix_snippets(SnippetTable& snippets) {
    snippets.add_written("ldmatrix(count, suffix)", {"shared_address"}, [](const std::vector<std::string>& arguments) {
        return arguments[0] == "count" ? std::string() : ldmatrix_text(arguments[0][0] - '0', arguments[1]);
    });
    snippets.add_written("stmatrix(count, suffix)", {"shared_address"}, [](const std::vector<std::string>& arguments) {
        return arguments[0] == "count" ? std::string() : stmatrix_text(arguments[0][0] - '0', arguments[1]);
    });
    snippets.add_written("mma(name)", {"uint32_t"}, [](const std::vector<std::string>& arguments) {
        const ir::MmaShape* mma = find_mma(arguments[0]);
        return mma ? mma_text(*mma) : std::string();
    });
}

std::vector<std::string> matrix_function_names() {
    std::vector<std::string> names;
    for (const char* count : {"1", "2", "4"})
        for (const char* suffix : {"", "_trans"})
            for (const char* name : {"ldmatrix_x", "stmatrix_x"})
                names.push_back(cat(name, count, suffix));
    for (const ir::MmaShape& mma : ir::mma_shapes)
        names.push_back(cat("mma_", mma.name));
    return names;
}

std::optional<TargetSyntax> matrices_syntax(const ir::Intrinsic& call) {
    std::size_t count = call.args.size() - 1;
    if (count != 1 && count != 2 && count != 4)
        return std::nullopt;
    std::string suffix = ir::attribute<ir::MatrixOrder>(call.attr) == ir::MatrixOrder::trans ? "_trans" : "";
    const std::string name(ir::info(call.id).short_name());
    return over_instruction(call_text(cat(name, "_x", count, suffix), call.args.size()),
                            cat(name, "(", count, ", ", suffix, ")"), name);
}

std::optional<TargetSyntax> mma_syntax(const ir::Intrinsic& call) {
    const ir::MmaShape& mma = ir::info(ir::attribute<ir::Mma>(call.attr));
    return over_instruction(cat("mma_", mma.name, "({0}, {1}, {2})"), cat("mma(", mma.name, ")"), instruction(mma),
                            {mma.needs});
}

} // namespace hidet::compiler
