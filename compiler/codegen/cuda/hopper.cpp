// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/cuda/hopper.h"

#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::IntrinsicId;

namespace {

// "%4, %5"
std::string places(int first, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += cat(i ? ", %" : "%", first + i);
    return text;
}

std::string bound_elements(std::string_view constraint, std::string_view array, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += cat(i ? ", \"" : "\"", constraint, "\"(", array, "[", i, "])");
    return text;
}

std::string coordinates(int dims) {
    std::string text;
    for (int d = 0; d < dims; ++d)
        text += cat(", int c", d);
    return text;
}

std::string bound_coordinates(int dims) {
    std::string text;
    for (int d = 0; d < dims; ++d)
        text += cat(d ? ", \"r\"(c" : "\"r\"(c", d, ")");
    return text;
}

// ---- copies --------------------------------------------------------------------------------------------------------------

// What a copy to shared memory has besides: the blocks of the cluster that get it, a hint for the second-level cache.
struct LoadForm {
    bool has_blocks = false;
    std::string policy; // empty: none

    std::string suffix() const { return cat(has_blocks ? "_multicast" : "", policy.empty() ? "" : "_", policy); }
    std::string modifiers() const {
        return cat(".mbarrier::complete_tx::bytes", has_blocks ? ".multicast::cluster" : "",
                   policy.empty() ? "" : ".L2::cache_hint");
    }
};

std::string blocks_word(const ir::ExprRef& mask) {
    return ir::is_constant(mask, 0) ? "" : "blocks";
}
std::string policy_word(const ir::IntrinsicAttr& attr) {
    const auto policy = ir::attribute<ir::EvictPolicy>(attr);
    return policy == ir::EvictPolicy::evict_normal ? "" : std::string(ir::word(policy));
}
LoadForm form_of(const std::string& blocks, const std::string& policy) {
    return {.has_blocks = !blocks.empty(), .policy = policy};
}

// The function around one instruction that copies: the mask is its operand `next`, the policy made in place.
std::string load_function(const std::string& name, const std::string& parameters, const std::string& instruction,
                          const std::string& operands, const std::string& bound, const LoadForm& form, int next) {
    const std::string mask = form.has_blocks ? cat(", %", next) : "";
    const bool has_policy = !form.policy.empty();
    const std::string before = has_policy
                                   ? cat("{\\n    .reg .b64 policy;\\n    createpolicy.fractional.L2::", form.policy,
                                         ".b64 policy, 1.0;\\n\"\n                 \"    ")
                                   : "";
    return cat("// ", instruction, "\ninline __device__ void ", name, form.suffix(), "(", parameters, ") {\n",
               "    asm volatile(\"", before, instruction, "\"\n                 \" ", operands, mask,
               has_policy ? ", policy;\\n}" : ";", "\"\n                 ::", bound,
               form.has_blocks ? ", \"h\"(blocks)" : "", "\n                 : \"memory\");\n}\n");
}

std::string tensor_load_text(int dims, const LoadForm& form) {
    const std::string instruction =
        cat("cp.async.bulk.tensor.", dims, "d.shared::cluster.global.tile", form.modifiers());
    return load_function(
        cat("copy_tensor_g2s_", dims, "d"),
        cat("const void* tile, const void* map, const void* mbar", form.has_blocks ? ", uint16_t blocks" : "",
            coordinates(dims)),
        instruction, cat("[%0], [%1, {", places(3, dims), "}], [%2]"),
        cat("\"r\"(shared_address(tile)), \"l\"(map), \"r\"(shared_address(mbar)), ", bound_coordinates(dims)), form,
        3 + dims);
}

// Behind the coordinates stands the place in the filter.
std::string pixel_load_text(int dims, const LoadForm& form) {
    const int offsets = dims - 2;
    std::string parameters = cat("const void* tile, const void* map, const void* mbar",
                                 form.has_blocks ? ", uint16_t blocks" : "", coordinates(dims));
    std::string bound =
        cat("\"r\"(shared_address(tile)), \"l\"(map), \"r\"(shared_address(mbar)), ", bound_coordinates(dims));
    for (int d = 0; d < offsets; ++d) {
        parameters += cat(", int f", d);
        bound += cat(", \"h\"(uint16_t(f", d, "))");
    }
    return load_function(cat("copy_im2col_g2s_", dims, "d"), parameters,
                         cat("cp.async.bulk.tensor.", dims, "d.shared::cluster.global.im2col", form.modifiers()),
                         cat("[%0], [%1, {", places(3, dims), "}], [%2], {", places(3 + dims, offsets), "}"), bound,
                         form, 3 + dims + offsets);
}

std::string bulk_load_text(const LoadForm& form) {
    return load_function("copy_bulk_g2s",
                         cat("int bytes, const void* to, const void* from, const void* mbar",
                             form.has_blocks ? ", uint16_t blocks" : ""),
                         cat("cp.async.bulk.shared::cluster.global", form.modifiers()), "[%0], [%1], %2, [%3]",
                         "\"r\"(shared_address(to)), \"l\"(from), \"r\"(bytes), \"r\"(shared_address(mbar))", form, 4);
}

// "and" for "bits_and"
std::string reduction_of(const std::string& word) {
    return word.starts_with("bits_") ? word.substr(5) : word;
}

// `reduction`: empty: a plain copy.
std::string tensor_store_text(int dims, const std::string& reduction) {
    const std::string instruction =
        cat(reduction.empty() ? "cp.async.bulk.tensor." : "cp.reduce.async.bulk.tensor.", dims, "d.global.shared::cta",
            reduction.empty() ? "" : ".", reduction_of(reduction), ".tile.bulk_group");
    return cat("// ", instruction, "\ninline __device__ void copy_tensor_", reduction.empty() ? "" : "reduce_", "s2g_",
               dims, "d", reduction.empty() ? "" : "_", reduction, "(const void* tile, const void* map",
               coordinates(dims), ") {\n    asm volatile(\"", instruction, " [%1, {", places(2, dims),
               "}], [%0];\"\n                 ::\"r\"(shared_address(tile)), \"l\"(map), ", bound_coordinates(dims),
               "\n                 : \"memory\");\n}\n");
}

// Bits have no sign, and short floats are not flushed to zero.
std::string reduced_type(const std::string& reduction, const std::string& type) {
    const bool is_bitwise = reduction.starts_with("bits_");
    const std::string size = type.substr(type.find_first_of("0123456789"));
    if (is_bitwise)
        return cat("b", size);
    if (type[0] == 'i')
        return cat(type == "i64" && reduction == "add" ? "u" : "s", size); // sums of 64 bits have one form
    const bool is_short = type == "f16" || type == "bf16";
    return cat(is_short && reduction == "add" ? "noftz." : "", type);
}

std::string bulk_reduce_text(const std::string& reduction, const std::string& type) {
    const std::string instruction = cat("cp.reduce.async.bulk.global.shared::cta.bulk_group.", reduction_of(reduction),
                                        ".", reduced_type(reduction, type));
    return cat("// ", instruction, "\ninline __device__ void copy_bulk_reduce_s2g_", reduction, "_", type,
               "(int bytes, const void* to, const void* from) {\n    asm volatile(\"", instruction,
               " [%0], [%1], %2;\"\n                 ::\"l\"(to), \"r\"(shared_address(from)), \"r\"(bytes)\n",
               "                 : \"memory\");\n}\n");
}

// ---- products -------------------------------------------------------------------------------------------------------------

struct Product {
    std::string types; // "f16_f32"
    int n = 0;
    bool a_in_registers = false;
    std::string scale_a, scale_b, trans_a, trans_b;

    std::string in() const { return types.substr(0, types.find('_')); }
    std::string out() const { return types.substr(types.find('_') + 1); }
    bool has_halves() const { return in() == "f16" || in() == "bf16"; }
    bool is_integer() const { return out() == "i32"; }
    int k() const { return has_halves() ? 16 : in() == "tf32" ? 8 : 32; }
    int registers() const { return out() == "f16" ? n / 4 : n / 2; }
    std::string instruction() const {
        const auto ptx = [](const std::string& type) { return type == "i8" ? "s8" : type == "i32" ? "s32" : type; };
        return cat("wgmma.mma_async.sync.aligned.m64n", n, "k", k(), ".", ptx(out()), ".", ptx(in()), ".", ptx(in()));
    }
    std::string function() const {
        return cat("wgmma_m64n", n, "k", k(), "_", types, a_in_registers ? "_registers" : "",
                   scale_a == "-1" ? "_minus_a" : "", scale_b == "-1" ? "_minus_b" : "",
                   trans_a == "1" ? "_trans_a" : "", trans_b == "1" ? "_trans_b" : "");
    }
};

// From the words of the attributes: types, n, the scales, then trans_a unless a is in registers, and trans_b.
Product product_of(const std::vector<std::string>& words) {
    Product out;
    out.types = words.at(0);
    out.n = std::stoi(words.at(1).substr(1));
    out.scale_a = words.at(2);
    out.scale_b = words.at(3);
    out.a_in_registers = words.size() == 5;
    out.trans_a = out.a_in_registers ? "0" : words.at(4);
    out.trans_b = words.back();
    return out;
}

std::string product_text(const Product& product) {
    const int sums = product.registers(), a_count = product.a_in_registers ? 4 : 1;
    const bool is_real = product.out() == "f32";
    std::string tail;
    if (!product.is_integer())
        tail += cat(", ", product.scale_a, ", ", product.scale_b);
    if (product.has_halves())
        tail += product.a_in_registers ? cat(", ", product.trans_b) : cat(", ", product.trans_a, ", ", product.trans_b);
    const std::string a = product.a_in_registers ? cat("{", places(sums, 4), "}") : cat("%", sums);
    const std::string a_bound = product.a_in_registers ? bound_elements("r", "a", 4) : "\"l\"(a)";
    return cat("// ", product.instruction(), "\ninline __device__ void ", product.function(), "(",
               product.a_in_registers ? "const void* a_lane" : "uint64_t a",
               ", void* c_lane, uint64_t b, int keeps) {\n",
               product.a_in_registers ? "    const uint32_t* a = static_cast<const uint32_t*>(a_lane);\n" : "", "    ",
               is_real ? "float" : "uint32_t", "* c = static_cast<", is_real ? "float" : "uint32_t",
               "*>(c_lane);\n    asm volatile(\"{\\n    .reg .pred keeps;\\n    setp.ne.b32 keeps, %",
               sums + a_count + 1, ", 0;\\n    \"\n                 \"", product.instruction(), " {", places(0, sums),
               "}, ", a, ", %", sums + a_count, ", keeps", tail,
               ";\\n}\"\n                 : ", bound_elements(is_real ? "+f" : "+r", "c", sums),
               "\n                 : ", a_bound, ", \"l\"(b), \"r\"(keeps));\n}\n");
}

std::vector<std::string> words_of(std::string_view name, bool in_registers) {
    std::vector<std::string> out{std::string(name), "n8", "1", "1"};
    out.insert(out.end(), in_registers ? 1 : 2, "0");
    return out;
}

std::string snippet(const std::vector<std::string>& words) {
    return cat(words.size() == 5 ? "wgmma_registers(" : "wgmma(", join(words, ", "), ")");
}

} // namespace

void add_hopper_snippets(SnippetTable& snippets) {
    using Words = std::vector<std::string>;
    snippets.add_written(
        "copy_tensor_g2s(dims, blocks, policy)", {"shared_address", "uint16_t"}, [](const Words& words) {
            return words[0] == "dims" ? std::string()
                                      : tensor_load_text(words[0][0] - '0', form_of(words[1], words[2]));
        });
    snippets.add_written(
        "copy_im2col_g2s(dims, blocks, policy)", {"shared_address", "uint16_t"}, [](const Words& words) {
            return words[0] == "dims" ? std::string() : pixel_load_text(words[0][0] - '0', form_of(words[1], words[2]));
        });
    snippets.add_written("copy_bulk_g2s(blocks, policy)", {"shared_address", "uint16_t"}, [](const Words& words) {
        return words[1] == "policy" ? std::string() : bulk_load_text(form_of(words[0], words[1]));
    });
    snippets.add_written("copy_tensor_s2g(dims, reduction)", {"shared_address"}, [](const Words& words) {
        return words[0] == "dims" ? std::string() : tensor_store_text(words[0][0] - '0', words[1]);
    });
    snippets.add_written("copy_bulk_reduce_s2g(reduction, type)", {"shared_address"}, [](const Words& words) {
        return words[0] == "reduction" ? std::string() : bulk_reduce_text(words[0], words[1]);
    });
    const auto product = [](const std::vector<std::string>& words) {
        return words[0] == "types" ? std::string() : product_text(product_of(words));
    };
    snippets.add_written("wgmma(types, n, scale_a, scale_b, trans_a, trans_b)", {"uint32_t", "uint64_t"}, product);
    snippets.add_written("wgmma_registers(types, n, scale_a, scale_b, trans_b)", {"uint32_t", "uint64_t"}, product);
}

std::vector<std::string> hopper_function_names() {
    std::vector<std::string> names;
    const auto reductions = ir::words_of(ir::choice_set(ir::BulkReduction{}));
    for (const char* blocks : {"", "blocks"})
        for (const char* policy : {"", "evict_first", "evict_last"}) {
            const std::string suffix = form_of(blocks, policy).suffix();
            names.push_back(cat("copy_bulk_g2s", suffix));
            for (int dims = 1; dims <= 5; ++dims)
                for (const char* name : {"copy_tensor_g2s_", "copy_im2col_g2s_"})
                    names.push_back(cat(name, dims, "d", suffix));
        }
    for (int dims = 1; dims <= 5; ++dims) {
        names.push_back(cat("copy_tensor_s2g_", dims, "d"));
        for (const std::string_view reduction : reductions)
            names.push_back(cat("copy_tensor_reduce_s2g_", dims, "d_", reduction));
    }
    for (const std::string_view reduction : reductions)
        for (const std::string_view type : ir::words_of(ir::choice_set(ir::TensorMapType{})))
            names.push_back(cat("copy_bulk_reduce_s2g_", reduction, "_", type));
    for (const std::string_view types : ir::words_of(ir::choice_set(ir::WgmmaTypes{})))
        for (const std::string_view n : ir::words_of(ir::choice_set(ir::WgmmaN{})))
            for (const bool in_registers : {false, true}) {
                std::vector<std::string> words = words_of(types, in_registers);
                words[1] = n;
                names.push_back(product_of(words).function());
            }
    return names;
}

// A load's operands, without a mask that names no other blocks.
static std::string load_call(const std::string& name, const ir::Intrinsic& call, std::size_t mask,
                             const LoadForm& form) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < call.args.size(); ++i)
        if (i != mask || form.has_blocks)
            values.push_back(cat("{", i, "}"));
    return cat(name, form.suffix(), "(", join(values, ", "), ")");
}

std::optional<TargetSyntax> load_syntax(const ir::Intrinsic& call) {
    const bool is_tensor = call.id != IntrinsicId::CopyBulkG2S, is_pixels = call.id == IntrinsicId::CopyIm2colG2S;
    const std::size_t mask = is_tensor ? 3 : 4;
    const std::string blocks = blocks_word(call.args[mask]), policy = policy_word(call.attr);
    const LoadForm form = form_of(blocks, policy);
    const std::string tail = cat(blocks, ", ", policy, ")");
    if (!is_tensor)
        return over_instruction(load_call("copy_bulk_g2s", call, mask, form), cat("copy_bulk_g2s(", tail),
                                "cp.async.bulk");
    const std::size_t numbers = call.args.size() - 4, dims = is_pixels ? (numbers + 2) / 2 : numbers;
    const std::string name(ir::info(call.id).short_name());
    return over_instruction(load_call(cat(name, "_", dims, "d"), call, mask, form), cat(name, "(", dims, ", ", tail),
                            "cp.async.bulk.tensor");
}

std::optional<TargetSyntax> tensor_store_syntax(const ir::Intrinsic& call) {
    const std::size_t dims = call.args.size() - 2;
    const bool combines = call.id == IntrinsicId::CopyTensorReduce;
    const std::string reduction(combines ? ir::word(ir::attribute<ir::BulkReduction>(call.attr)) : "");
    const std::string name =
        combines ? cat("copy_tensor_reduce_s2g_", dims, "d_", reduction) : cat("copy_tensor_s2g_", dims, "d");
    return over_instruction(call_text(name, call.args.size()), cat("copy_tensor_s2g(", dims, ", ", reduction, ")"),
                            "cp.async.bulk.tensor");
}

std::optional<TargetSyntax> bulk_reduce_syntax(const ir::Intrinsic& call) {
    const std::vector<std::string> words = ir::attribute_texts(call.attr);
    return over_instruction(call_text(cat("copy_bulk_reduce_s2g_", words[0], "_", words[1]), call.args.size()),
                            cat("copy_bulk_reduce_s2g(", words[0], ", ", words[1], ")"), "cp.reduce.async.bulk");
}

std::optional<TargetSyntax> bulk_copy_syntax(const ir::Intrinsic& call) {
    const std::string name(ir::info(call.id).short_name());
    return over_instruction(call_text(name, call.args.size()), name, "cp.async.bulk");
}

std::optional<TargetSyntax> wgmma_syntax(const ir::Intrinsic& call) {
    const std::vector<std::string> words = ir::attribute_texts(call.attr);
    const Product product = product_of(words);
    return over_instruction(call_text(product.function(), call.args.size()), snippet(words), product.instruction());
}

} // namespace hidet::compiler
