// SPDX-License-Identifier: Apache-2.0
// The table of intrinsics: what follows from a row, the text of attributes, and that the words of rows say what the
// instructions of Hopper do to memory.
#include "compiler/ir/intrinsics/intrinsic_rows.h"

#include <doctest/doctest.h>
#include <string>

#include "compiler/ir/intrinsics/mma.h"
#include "lang/base/text.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

// Rows that other tables could have.
constexpr auto tensor_copy =
    rows::list(rows::writes("dst", MemorySpace::Cluster).by(Proxy::Async).until(Completion::Barrier),
               rows::names("tensor_map", MemorySpace::Global), rows::mbarrier("mbar", MemorySpace::Cluster),
               rows::value("coords", DType::I32).up_to(5), rows::value("multicast_mask", DType::U16).optional());
constexpr auto wgmma = rows::list(rows::updates("c", MemorySpace::Registers).until(Completion::WgmmaGroup),
                                  rows::reads("a", MemorySpace::Shared).by(Proxy::Async).until(Completion::WgmmaGroup),
                                  rows::reads("b", MemorySpace::Shared).by(Proxy::Async).until(Completion::WgmmaGroup),
                                  rows::number("scale_a", 1, -1), rows::number("trans_a", 0, 1));

IntrinsicInfo made(std::span<const IntrinsicParameter> parameters, Does does) {
    return rows::row(IntrinsicId::Sin, "cuda.made", IntrinsicCategory::AsyncCopy, does, rows::none, rows::only_sm(90),
                     "A row.", parameters);
}

} // namespace

TEST_CASE("every value of every attribute is read back from its text") {
    for (const IntrinsicInfo& row : all_intrinsics())
        for (const IntrinsicParameter& parameter : row.parameters) {
            if (!parameter.is_attribute())
                continue;
            std::size_t at = attr_index(row.id, parameter.name);
            for (const std::string& value : allowed_texts(parameter)) {
                std::vector<std::string> texts = attribute_texts(default_attr(row.id));
                texts[at] = value;
                auto attr = parse_attr(row.id, join(texts, "."));
                REQUIRE(attr.has_value());
                REQUIRE(attribute_texts(*attr)[at] == value);
                REQUIRE(parse_attr(row.id, to_text(*attr)) == attr);
            }
        }
}

TEST_CASE("defaults have no text, and what has none must be said") {
    REQUIRE(to_text(default_attr(IntrinsicId::AtomicAdd)) == "");
    REQUIRE(!parse_attr(IntrinsicId::MmaSync, ""));
    REQUIRE(!parse_attr(IntrinsicId::AtomicAdd, "sc.global.gpu")); // a word of the set that the row does not allow
    REQUIRE(!parse_attr(IntrinsicId::CpAsync, "5.always.0.evict_normal"));
    REQUIRE(!parse_attr(IntrinsicId::SyncThreads, "x"));
    REQUIRE(!parse_attr(IntrinsicId::CpAsync, "16"));
    auto order = with(default_attr(IntrinsicId::AtomicCas), MemoryOrder::acquire);
    REQUIRE(to_text(order) == "acquire.global.gpu");
    REQUIRE(attribute<MemoryScope>(order) == MemoryScope::gpu);
}

TEST_CASE("operands find their parameters") {
    const IntrinsicInfo& ldmatrix = info(IntrinsicId::LdMatrix);
    REQUIRE(std::string(parameter_of(ldmatrix, 3, 5).name) == "regs");
    REQUIRE(std::string(parameter_of(ldmatrix, 4, 5).name) == "smem_addr");
    REQUIRE(std::string(parameter_of(ldmatrix, 1, 2).name) == "smem_addr");
    REQUIRE(std::string(parameter_of(info(IntrinsicId::Printf), 7, 8).name) == "values");
    REQUIRE(info(IntrinsicId::Printf).max_args == -1);
    REQUIRE(info(IntrinsicId::CpAsync).min_args == 2);
    REQUIRE(info(IntrinsicId::CpAsync).max_args == 3);
    REQUIRE(info(IntrinsicId::ShflSync).min_args == 4);
}

TEST_CASE("effects follow from operands") {
    REQUIRE(info(IntrinsicId::Fma).effect == IntrinsicEffect::Pure);
    REQUIRE(info(IntrinsicId::GetSymbolValue).effect == IntrinsicEffect::Reads);
    REQUIRE(info(IntrinsicId::CvtaToShared).effect == IntrinsicEffect::Pure); // names an address
    for (IntrinsicId id : {IntrinsicId::ShflSync, IntrinsicId::LdMatrix, IntrinsicId::CpAsync, IntrinsicId::Printf})
        REQUIRE(acts(id));
    REQUIRE((!info(IntrinsicId::ShflSync).writes && info(IntrinsicId::LdMatrix).writes));
}

TEST_CASE("rows can say what Hopper does") {
    IntrinsicInfo copy = made(tensor_copy, Does::Nothing), product = made(wgmma, Does::Exchanges);
    REQUIRE((copy.effect == IntrinsicEffect::Acts && copy.writes && copy.needs.is_specific));
    REQUIRE(copy.min_args == 4);
    REQUIRE(copy.max_args == 9);
    REQUIRE((copy.parameters[0].proxy == Proxy::Async && copy.parameters[0].completion == Completion::Barrier));
    REQUIRE(!copy.parameters[1].access.any());
    REQUIRE((copy.parameters[2].role == ParameterRole::Barrier && copy.parameters[2].access.writes));
    REQUIRE(product.max_args == 3);
    REQUIRE((product.parameters[0].proxy == Proxy::Generic && product.parameters[1].proxy == Proxy::Async));
    REQUIRE((product.parameters[3].allows(-1) && !product.parameters[3].allows(0)));
}

TEST_CASE("what one generation has may be had by several, and by no general architecture") {
    const Architecture tensor_memory = info(IntrinsicId::Tcgen05Alloc).needs,
                       wgmma_only = info(IntrinsicId::Wgmma).needs;
    for (int number : {100, 103, 110}) {
        REQUIRE(Architecture{number, true}.provides(tensor_memory));
        REQUIRE(!Architecture{number, false}.provides(tensor_memory));
        REQUIRE(!Architecture{number, true}.provides(wgmma_only));
        REQUIRE(Architecture{number, true}.provides(info(IntrinsicId::SetMaxNReg).needs));
    }
    REQUIRE((!Architecture{90, true}.provides(tensor_memory) && !Architecture{120, true}.provides(tensor_memory)));
    REQUIRE((Architecture{90, true}.provides(wgmma_only) && !Architecture{90, false}.provides(wgmma_only)));
    REQUIRE((Architecture{120, false}.provides({90}) && !Architecture{89, false}.provides({90})));
}

TEST_CASE("the name of a matrix instruction is its shape and its types") {
    for (const MmaShape& s : mma_shapes) {
        std::string types = cat(info(s.in).short_name, "_", info(s.out).short_name);
        REQUIRE(std::string(s.name) == cat("m", s.m, "n", s.n, "k", s.k, "_", types));
    }
    REQUIRE(info(Mma::m16n8k16_f16_f32).a_registers() == 4);
    REQUIRE(std::string(word(Mma::m16n8k16_f16_f32)) == "m16n8k16_f16_f32");
}
