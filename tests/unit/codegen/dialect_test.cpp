// SPDX-License-Identifier: Apache-2.0
// What the two languages answer to every call that a script can make.
#include "compiler/ir/packing.h"
#include "tests/unit/codegen/zoo.h"

#include "compiler/ir/intrinsic.h"

#include "lang/base/text.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::compiler;
using ir::IntrinsicId;

namespace {

ir::DType subject(const ir::Intrinsic& call) {
    for (const ir::TypeRef& type : {call.args.empty() ? call.type : call.args.back()->type, call.type})
        if (auto dtype = ir::scalar_of(type))
            return *dtype;
    ir::TypeRef element = ir::element_of(call.args.empty() ? call.type : call.args[0]->type);
    return (element ? ir::scalar_of(element) : std::nullopt).value_or(ir::DType::I32);
}

// Neither language has values of these types: what is left of them in what generators get are bytes and units.
bool has_foreign_type(const ir::Intrinsic& call) {
    std::vector<ir::TypeRef> types{call.type};
    for (const ir::ExprRef& arg : call.args)
        types.push_back(arg->type);
    for (const ir::TypeRef& type : types) {
        ir::TypeRef element = ir::is_pointer(type) ? ir::element_of(type) : type;
        auto dtype = ir::scalar_of(element);
        if (dtype && ir::is_subbyte(*dtype))
            return true;
    }
    if (call.id != IntrinsicId::StoreBits)
        return false;
    const auto stored = ir::scalar_of(call.args.at(2)->type);
    return stored && *stored != ir::DType::U8 && *stored != ir::DType::U32;
}

// Bits of registers.
bool is_of_other_type(const ir::Intrinsic& call) {
    switch (call.id) {
    case IntrinsicId::Popc:
    case IntrinsicId::Clz:
    case IntrinsicId::Ffs:
    case IntrinsicId::Brev: return !ir::is_register_integer(subject(call));
    case IntrinsicId::MatchAnySync:
    case IntrinsicId::MatchAllSync: return !ir::is_match_type(subject(call));
    case IntrinsicId::ReduxSync: return !ir::is_register_integer(subject(call)) || ir::bytes_of(subject(call)) != 4;
    default: return false;
    }
}

bool is_not_in_cuda(const ir::Intrinsic& call) {
    ir::DType dtype = subject(call);
    int bits = ir::info(dtype).bits;
    const ir::IntrinsicInfo& row = ir::info(call.id);
    bool is_of_emitter = call.id == IntrinsicId::Printf || call.id == IntrinsicId::DynamicSharedMemory;
    bool is_of_cpp = call.id == IntrinsicId::Inside;
    if (is_of_emitter || is_of_cpp || ir::place_of(row.category) == ir::IntrinsicPlace::Host)
        return true;
    if (call.id == IntrinsicId::LoadAcquire || call.id == IntrinsicId::StoreRelease)
        return bits > 64; // no single instruction
    if (is_of_other_type(call))
        return true;
    if (row.category != ir::IntrinsicCategory::Atomic)
        return false;
    bool is_bitwise =
        call.id == IntrinsicId::AtomicAnd || call.id == IntrinsicId::AtomicOr || call.id == IntrinsicId::AtomicXor;
    if (ir::has_lanes(dtype) || (is_bitwise && !ir::is_integer(dtype)))
        return true;
    // With all of the system only what is one instruction.
    bool is_of_system = ir::attribute<ir::MemoryScope>(call.attr) == ir::MemoryScope::sys;
    return is_of_system && (bits < 32 || ir::is_float(dtype) || call.id == IntrinsicId::AtomicSub);
}

bool is_not_in_cpp(const ir::Intrinsic& call) {
    return ir::place_of(ir::info(call.id).category) != ir::IntrinsicPlace::Anywhere || call.id == IntrinsicId::Printf ||
           call.id == IntrinsicId::Inside || is_of_other_type(call) ||
           (call.id == IntrinsicId::CpuAtomicLoad && !ir::is_order_of_read(*ir::constant_int(call.args.at(1))));
}

template <class Excuse>
void check_calls(const Dialect& dialect, Excuse&& is_excused) {
    for (const ZooCall& zoo : all_calls()) {
        auto syntax = dialect.intrinsic(*zoo.call);
        if (!syntax && !has_foreign_type(*zoo.call) && !is_excused(*zoo.call))
            FAIL(zoo.name, ": no syntax");
        if (!syntax)
            continue;
        for (std::size_t i = 0; i < zoo.call->args.size(); ++i) {
            std::size_t at = syntax->text.find(cat("{", i, "}"));
            if (at == std::string::npos)
                continue;
            char before = syntax->text[at - 1], after = syntax->text[at + cat("{", i, "}").size()];
            if ((before != '(' && before != ' ') || (after != ')' && after != ','))
                FAIL(zoo.name, ": an argument that is neither whole nor in parentheses: ", syntax->text);
        }
        REQUIRE((syntax->capability.arch.number == 0 || !syntax->capability.instruction.empty()));
        dialect.prelude(syntax->needs); // knows all of them
    }
}

} // namespace

TEST_CASE("CUDA C++ has every call of a kernel") {
    check_calls(cuda_dialect(), is_not_in_cuda);
}

TEST_CASE("C++ has mathematics") {
    check_calls(cpp_dialect(), is_not_in_cpp);
}

TEST_CASE("every row is called") {
    std::set<IntrinsicId> called;
    for (const ZooCall& zoo : all_calls())
        called.insert(zoo.call->id);
    for (const ir::IntrinsicInfo& row : ir::all_intrinsics())
        if (!called.contains(row.id))
            FAIL(row.name);
}

TEST_CASE("what the preludes declare is reserved") {
    for (const char* name : {"half", "bfloat16", "int8_t", "vec", "each", "bit_cast", "floor_div", "for", "to_half2",
                             "sinf", "expf", "min"})
        for (const Dialect* dialect : {&cuda_dialect(), &cpp_dialect()})
            if (!dialect->reserved_names().contains(name))
                FAIL(name);
    for (const char* name : {"threadIdx", "make_float4", "atomicAdd", "fence_acq_rel_gpu", "cp_async_global",
                             "mma_m16n8k16_f16_f32", "ldmatrix_x4_trans", "load_acquire_gpu", "shared_address"})
        if (!cuda_dialect().reserved_names().contains(name))
            FAIL(name);
    for (const char* name : {"a", "b", "value", "old", "x", "lane", "scope"})
        if (cuda_dialect().reserved_names().contains(name) || cpp_dialect().reserved_names().contains(name))
            FAIL(name);
}

TEST_CASE("names of the library are free for variables only") {
    for (const char* name : {"norm", "j1", "y0", "hypot", "erfc"}) {
        REQUIRE(cuda_dialect().library_names().contains(name));
        REQUIRE(!cuda_dialect().reserved_names().contains(name));
    }
}

TEST_CASE("numbers of short floats are exact") {
    using ir::DType;
    REQUIRE(cuda_dialect().literal(1.5, DType::F16)->text == "half(1.5f)");
    REQUIRE(cuda_dialect().literal(-0.0, DType::BF16)->text == "bfloat16(-0.0f)");
    REQUIRE(cpp_dialect().literal(448, DType::F8E4M3)->text == "float8_e4m3(448.0f)");
    REQUIRE(cpp_dialect().literal(1e30, DType::BF16)->text == "bfloat16(1e+30f)");
    REQUIRE(cuda_dialect().literal(2, DType::F16x2)->text == "half2(half(2.0f))");
    REQUIRE(cuda_dialect().literal(0, DType::F32x4)->text == "all_float4(0.0f)");
    REQUIRE(cuda_dialect().literal(3, DType::I8x4)->text == "int8x4(3)");
    REQUIRE(!cuda_dialect().literal(1.0, DType::F32));
}

TEST_CASE("a call says what hardware it needs") {
    for (const ZooCall& zoo : all_calls()) {
        auto syntax = cuda_dialect().intrinsic(*zoo.call);
        if (zoo.name == "cuda.mma_sync m16n8k16_f16_f32") {
            REQUIRE(syntax->capability.arch.number == 80);
            REQUIRE(syntax->capability.instruction == "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
        }
        if (zoo.name == "cuda.fence sc.cluster")
            REQUIRE(syntax->capability.instruction == "fence.sc.cluster");
        if (zoo.name == "cuda.load generic.acquire.gpu i32")
            REQUIRE(syntax->capability.arch.number == 70);
    }
}
