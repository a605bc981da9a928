// SPDX-License-Identifier: Apache-2.0
// What the row of an intrinsic says of its parameters is what inline assembly wants to know: an address of registers that is
// written is an output, one of shared memory is 32 bits wide, a constant is a parameter of a template, an attribute is part
// of the instruction's name.
#include "compiler/codegen/cuda/ptx.h"

#include <cctype>

#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::DType;
using ir::IntrinsicId;
using ir::IntrinsicParameter;
using ir::MemorySpace;
using ir::ParameterRole;

namespace {

struct PtxRow {
    IntrinsicId id;
    std::string_view text;
};
constexpr PtxRow ptx_rows[] = {
#define HIDET_CUDA_SPELL(...)
#define HIDET_CUDA_PTX(id, text) {IntrinsicId::id, text},
#include "compiler/codegen/cuda/intrinsics.def"
#undef HIDET_CUDA_SPELL
#undef HIDET_CUDA_PTX
};

using Words = std::vector<std::string>; // of the attributes, in the order of the row

struct Operand {
    const IntrinsicParameter* parameter; // null: the result
    std::string name;
    std::string declaration; // "uint32_t* d"; empty: of a template
    std::string constraint;  // "\"=r\"(*d)"
    bool is_output;
};

std::string type_text(DType dtype) {
    switch (dtype) {
    case DType::I32: return "int";
    case DType::F32: return "float";
    case DType::F64: return "double";
    case DType::U16:
    case DType::U32:
    case DType::U64:
    case DType::I64: return cat(ir::info(dtype).name, "_t");
    default: HIDET_CHECK(false, ir::info(dtype).name);
    }
}

std::string letter(DType dtype) {
    if (ir::is_float(dtype))
        return dtype == DType::F32 ? "f" : "d";
    int bits = ir::info(dtype).bits;
    return bits == 16 ? "h" : bits == 32 ? "r" : "l";
}

std::string bound(std::string_view letters, std::string_view value) {
    return cat("\"", letters, "\"(", value, ")");
}

Operand operand_of(const IntrinsicParameter& parameter) {
    Operand out{
        .parameter = &parameter, .name = parameter.name, .declaration = {}, .constraint = {}, .is_output = false};
    bool is_address = parameter.role == ParameterRole::Address || parameter.space == MemorySpace::Shared;
    if (parameter.role == ParameterRole::Constant) {
        out.constraint = bound("n", out.name);
    } else if (is_address && parameter.space == MemorySpace::Registers) {
        out.is_output = parameter.access.writes;
        std::string mode = !out.is_output ? "" : parameter.access.reads ? "+" : "=";
        out.declaration = cat(out.is_output ? "" : "const ", type_text(*parameter.dtype), "* ", out.name);
        out.constraint = bound(mode + letter(*parameter.dtype), "*" + out.name);
    } else if (is_address) {
        bool is_narrow = parameter.space == MemorySpace::Shared;
        out.declaration = cat("const void* ", out.name);
        out.constraint = is_narrow ? bound("r", cat("shared_address(", out.name, ")")) : bound("l", out.name);
    } else {
        HIDET_CHECK(parameter.dtype, parameter.name);
        out.declaration = cat(type_text(*parameter.dtype), " ", out.name);
        out.constraint = bound(letter(*parameter.dtype), out.name);
    }
    return out;
}

// The result first, then in the order of the row.
std::vector<Operand> operands_of(const ir::IntrinsicInfo& info) {
    std::vector<Operand> out;
    if (info.result.kind == ir::IntrinsicResult::Kind::Fixed)
        out.push_back({.parameter = nullptr,
                       .name = "result",
                       .declaration = {},
                       .constraint = bound("=" + letter(info.result.dtype), "result"),
                       .is_output = true});
    for (const IntrinsicParameter& parameter : info.parameters)
        if (parameter.is_operand())
            out.push_back(operand_of(parameter));
    return out;
}

// f(name, value of the attribute)
template <class F>
void for_each_attribute(const ir::IntrinsicInfo& info, const Words& words, F&& f) {
    std::size_t index = 0;
    for (const IntrinsicParameter& parameter : info.parameters)
        if (parameter.is_attribute())
            f(std::string(parameter.name), words.at(index++));
}

std::string function_name(const ir::IntrinsicInfo& info, const Words& words) {
    std::string name(info.short_name());
    for_each_attribute(info, words, [&](const std::string&, const std::string& word) {
        if (word != "none")
            name += "_" + word;
    });
    return name;
}

// The template with the values of the attributes and the numbers of the operands.
std::string instruction_text(const PtxRow& row, const Words& words) {
    const ir::IntrinsicInfo& info = ir::info(row.id);
    std::vector<Operand> operands = operands_of(info);
    std::map<std::string, std::string> values;
    int number = 0;
    for (bool is_output : {true, false})
        for (const Operand& operand : operands)
            if (operand.is_output == is_output)
                values[operand.name] = cat("%", number++);
    for_each_attribute(info, words, [&](const std::string& name, const std::string& word) { values[name] = word; });
    std::string out;
    for (std::size_t at = 0; at < row.text.size(); ++at) {
        if (row.text[at] != '$') {
            out += row.text[at];
            continue;
        }
        std::size_t end = at + 1;
        while (end < row.text.size() &&
               (std::isalnum(static_cast<unsigned char>(row.text[end])) || row.text[end] == '_'))
            ++end;
        auto found = values.find(std::string(row.text.substr(at + 1, end - at - 1)));
        HIDET_CHECK(found != values.end(), row.text);
        if (found->second == "none")
            out.pop_back(); // the dot
        else
            out += found->second;
        at = end - 1;
    }
    return out;
}

std::string opcode(const PtxRow& row, const Words& words) {
    std::string text = instruction_text(row, words);
    return text.substr(0, text.find(' '));
}

// "closes a group of copies"
std::string as_remark(std::string sentence) {
    sentence[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence[0])));
    sentence.pop_back();
    return sentence;
}

// Registers alone: an expression like any other, which the compiler may move.
bool is_volatile(const ir::IntrinsicInfo& info) {
    bool touches_memory = false;
    for (const IntrinsicParameter& parameter : info.parameters)
        touches_memory = touches_memory || (parameter.access.any() && parameter.space != MemorySpace::Registers);
    return touches_memory || info.does != ir::Does::Nothing;
}

std::string function_text(const PtxRow& row, const Words& words) {
    const ir::IntrinsicInfo& info = ir::info(row.id);
    Words outputs, inputs, constants, parameters;
    for (const Operand& operand : operands_of(info)) {
        (operand.is_output ? outputs : inputs).push_back(operand.constraint);
        if (operand.parameter && operand.declaration.empty())
            constants.push_back("int " + operand.name);
        else if (operand.parameter)
            parameters.push_back(operand.declaration);
    }
    bool has_result = info.result.kind == ir::IntrinsicResult::Kind::Fixed;
    std::string result = has_result ? type_text(info.result.dtype) : "void";
    std::string clobbers = is_volatile(info) ? " : \"memory\"" : "";
    std::string assembly = cat("asm", is_volatile(info) ? " volatile" : "", "(\"", instruction_text(row, words), ";\"");
    if (outputs.empty())
        assembly +=
            cat(" ::", join(inputs, ", "), inputs.empty() && !clobbers.empty() ? clobbers.substr(1) : clobbers, ");");
    else
        assembly += cat("\n        : ", join(outputs, ", "), "\n        : ", join(inputs, ", "),
                        clobbers.empty() ? "" : "\n       " + clobbers, ");");
    std::string body = cat(has_result ? cat("    ", result, " result;\n") : "", "    ", assembly, "\n",
                           has_result ? "    return result;\n" : "");
    return cat("// ", opcode(row, words), ": ", as_remark(info.sentence), "\n",
               constants.empty() ? "" : cat("template <", join(constants, ", "), ">\n"), "inline __device__ ", result,
               " ", function_name(info, words), "(", join(parameters, ", "), ") {\n", body, "}\n");
}

Words attribute_names(const ir::IntrinsicInfo& info) {
    Words names;
    for (const IntrinsicParameter& parameter : info.parameters)
        if (parameter.is_attribute())
            names.emplace_back(parameter.name);
    return names;
}

std::string snippet_name(const ir::IntrinsicInfo& info, const Words& words) {
    return cat("ptx_", info.short_name(), words.empty() ? "" : cat("(", join(words, ", "), ")"));
}

// What the declarations need.
Words needed_snippets(const ir::IntrinsicInfo& info) {
    Words needs;
    for (const IntrinsicParameter& parameter : info.parameters) {
        if (parameter.is_operand() && parameter.dtype && type_text(*parameter.dtype).ends_with("_t"))
            needs.push_back(type_text(*parameter.dtype));
        if (parameter.space == MemorySpace::Shared)
            needs.emplace_back("shared_address");
    }
    if (info.result.kind == ir::IntrinsicResult::Kind::Fixed && type_text(info.result.dtype).ends_with("_t"))
        needs.push_back(type_text(info.result.dtype));
    return needs;
}

const PtxRow& find_row(IntrinsicId id) {
    for (const PtxRow& row : ptx_rows)
        if (row.id == id)
            return row;
    HIDET_CHECK(false, ir::info(id).name);
}

} // namespace

std::vector<std::vector<std::string>> all_words(const ir::IntrinsicInfo& info) {
    std::vector<Words> out{{}};
    for (const IntrinsicParameter& parameter : info.parameters) {
        if (!parameter.is_attribute())
            continue;
        std::vector<Words> longer;
        for (const Words& words : out)
            for (const std::string& value : ir::allowed_texts(parameter)) {
                longer.push_back(words);
                longer.back().push_back(value);
            }
        out = std::move(longer);
    }
    return out;
}

void add_ptx_snippets(SnippetTable& snippets) {
    for (const PtxRow& row : ptx_rows) {
        const ir::IntrinsicInfo& info = ir::info(row.id);
        Words names = attribute_names(info);
        snippets.add_written(snippet_name(info, names), needed_snippets(info), [&row, names](const Words& words) {
            return words == names && !names.empty() ? std::string() : function_text(row, words);
        });
    }
}

std::vector<std::string> ptx_function_names() {
    std::vector<std::string> names;
    for (const PtxRow& row : ptx_rows)
        for (const Words& words : all_words(ir::info(row.id)))
            names.push_back(function_name(ir::info(row.id), words));
    return names;
}

TargetSyntax ptx_syntax(const ir::Intrinsic& call) {
    const PtxRow& row = find_row(call.id);
    const ir::IntrinsicInfo& info = ir::info(call.id);
    Words words = ir::attribute_texts(call.attr), constants, values;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        bool is_constant = ir::parameter_of(info, i, call.args.size()).role == ParameterRole::Constant;
        if (is_constant)
            constants.push_back(std::to_string(ir::constant_int(call.args[i]).value_or(0)));
        else
            values.push_back(cat("{", i, "}"));
    }
    std::string parameters = constants.empty() ? "" : cat("<", join(constants, ", "), ">");
    return over_instruction(cat(function_name(info, words), parameters, "(", join(values, ", "), ")"),
                            snippet_name(info, words), opcode(row, words));
}

} // namespace hidet::compiler
