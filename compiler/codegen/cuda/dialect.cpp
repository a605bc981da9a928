// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as NVRTC takes it without any header. Functions have the names that CUDA C++ gives them where NVRTC declares
// them; the others are snippets over one instruction of PTX.
//
// exp and its like are the accurate functions, which agree with the emulator to the last bit or two; __expf would be faster
// and off by more than results of one kernel on two devices may differ.
#include "compiler/codegen/cuda/dialect.h"

#include <algorithm>

#include "compiler/codegen/cuda/hopper.h"
#include "compiler/codegen/cuda/matrix.h"
#include "compiler/codegen/cuda/memory.h"
#include "compiler/codegen/cuda/operands.h"
#include "compiler/codegen/cuda/ptx.h"
#include "compiler/codegen/cuda/tensor_memory.h"
#include "compiler/codegen/cuda/wmma.h"
#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/wide_access.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::compiler {

extern const std::string_view text_types_inl, text_floats_inl, text_vectors_inl;
extern const std::string_view cuda_builtin_cuh, cuda_floats_cuh, cuda_sync_cuh, cuda_atomic_cuh, cuda_async_cuh,
    cuda_bulk_cuh, cuda_mbarrier_cuh, cuda_peers_cuh, cuda_tensor_memory_cuh;

using ir::DType;
using ir::IntrinsicId;
using ir::WideAccess;

namespace {

struct Row {
    IntrinsicId id;
    const char* text;
    const char* snippet;
    const char* instruction;
};
constexpr Row rows[] = {
#define HIDET_CUDA_SPELL(name, text, snippet, instruction) {IntrinsicId::name, text, snippet, instruction},
#define HIDET_CUDA_PTX(...)
#include "compiler/codegen/cuda/intrinsics.def"
#undef HIDET_CUDA_SPELL
#undef HIDET_CUDA_PTX
};

TargetSyntax row_syntax(IntrinsicId id) {
    const Row& row = *std::find_if(std::begin(rows), std::end(rows), [&](const Row& known) { return known.id == id; });
    return over_instruction(row.text, row.snippet, row.instruction);
}

struct ClusterRow {
    ir::Builtin which;
    const char* text;
    const char* snippet;
};
constexpr ClusterRow cluster_rows[] = {
    {ir::Builtin::ClusterThreadRank, "cluster_thread_rank()", "cluster_thread_rank"},
    {ir::Builtin::ClusterBlockRank, "int(__clusterRelativeBlockRank())", ""},
    {ir::Builtin::ClusterDimThreads, "cluster_threads()", "cluster_threads"},
    {ir::Builtin::ClusterDimBlocks, "int(__clusterSizeInBlocks())", ""},
};

// What NVRTC declares as functions with C linkage, besides those that this dialect calls.
constexpr std::string_view library_functions =
    "cbrt cbrtf copysign copysignf cospi cospif cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f erfc erfcf "
    "erfcinv "
    "erfcinvf erfcx erfcxf erfinv erfinvf exp10 exp10f fdim fdimf fdivide fdividef frexp frexpf hypot hypotf ilogb "
    "ilogbf j0 "
    "j0f j1 j1f jn jnf ldexp ldexpf lgamma lgammaf llmax llmin llrint llrintf llround llroundf logb logbf lrint lrintf "
    "lround lroundf modf modff nan nanf nearbyint nearbyintf nextafter nextafterf norm norm3d norm3df norm4d norm4df "
    "normcdf "
    "normcdff normcdfinv normcdfinvf normf rcbrt rcbrtf remainder remainderf remquo remquof rhypot rhypotf rint rintf "
    "rnorm "
    "rnorm3d rnorm3df rnorm4d rnorm4df rnormf scalbln scalblnf scalbn scalbnf sincos sincosf sincospi sincospif sinpi "
    "sinpif tgamma tgammaf ullmax ullmin umax umin va_arg va_copy va_end va_start y0 y0f y1 y1f yn ynf";

// ldg, stg, lds and sts: one instruction for 128 bits and fewer, several for more.
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

SnippetTable make_cuda_snippets() {
    SnippetTable snippets("__device__");
    for (std::string_view file :
         {text_types_inl, cuda_builtin_cuh, text_floats_inl, cuda_floats_cuh, text_vectors_inl, cuda_sync_cuh,
          cuda_atomic_cuh, cuda_async_cuh, cuda_bulk_cuh, cuda_mbarrier_cuh, cuda_peers_cuh, cuda_tensor_memory_cuh})
        snippets.add_file(file);
    add_ptx_snippets(snippets);
    add_matrix_snippets(snippets);
    add_hopper_snippets(snippets);
    add_tensor_memory_snippets(snippets);
    add_wide_access_snippets(snippets);
    add_wmma_snippets(snippets);
    return snippets;
}

class CudaDialect final : public SharedDialect {
public:
    CudaDialect() : SharedDialect(make_cuda_snippets()) {
        reserve("threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 int3 atomicAdd atomicSub atomicMin atomicMax "
                "atomicExch atomicCAS atomicAnd atomicOr atomicXor atomicInc atomicDec clock64 trap cudaError_t");
        for (const char* base : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                                 "ulonglong", "float", "double"})
            for (const char* lanes : {"1", "2", "3", "4"})
                reserve(cat(base, lanes, " make_", base, lanes));
        reserve_families();
        reserve_outermost(library_functions);
    }

    std::optional<TargetSyntax> tensor_map(bool is_parameter) const override {
        TargetSyntax syntax =
            plain(is_parameter ? "const __grid_constant__ CUtensorMap" : "const CUtensorMap", {"CUtensorMap"});
        syntax.capability = {{90}, "a tensor map"};
        return syntax;
    }
    bool mixes_signs() const override { return true; }
    bool traps_on_division() const override { return false; }
    std::optional<TargetSyntax> builtin(ir::Builtin which) const override {
        for (const ClusterRow& row : cluster_rows)
            if (row.which == which)
                return over_instruction(row.text, row.snippet, "a thread block cluster", {90});
        return plain(ir::builtin_name(which));
    }

private:
    // Snippets with parameters declare these.
    void reserve_families() {
        for (const char* scope : {"cta", "cluster", "gpu", "sys"})
            for (const char* sem : {"relaxed", "acquire", "release", "acq_rel", "sc"})
                for (const char* what : {"fence", "load", "store", "atom_add", "atom_sub", "atom_min", "atom_max",
                                         "atom_exch", "atom_cas", "atom_and", "atom_or", "atom_xor"})
                    reserve(cat(what, "_", sem, "_", scope));
        reserve("shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync");
        for (const char* cache : {"", "_global"})
            for (const char* prefetch : {"", "_prefetch_64", "_prefetch_128", "_prefetch_256"})
                for (const char* policy : {"", "_evict_first", "_evict_last"})
                    reserve(cat("cp_async", cache, prefetch, policy));
        for (const auto& names : {ptx_function_names(), matrix_function_names(), hopper_function_names(),
                                  tensor_memory_function_names(), wide_access_function_names(), wmma_function_names()})
            for (const std::string& name : names)
                reserve(name);
    }
    std::string remainder(DType dtype) const override { return dtype == DType::F64 ? "fmod" : "fmodf"; }
    std::optional<TargetSyntax> real_math(IntrinsicId id, DType dtype) const override {
        std::size_t arguments = static_cast<std::size_t>(ir::info(id).max_args);
        bool is_test = ir::info(id).result.kind == ir::IntrinsicResult::Kind::Fixed;
        const char* suffix = dtype == DType::F32 && !is_test ? "f" : "";
        return plain(call_text(cat(c_function(id), suffix), arguments));
    }
    std::optional<TargetSyntax> integer_math(IntrinsicId id, DType dtype) const override {
        if (id == IntrinsicId::Min || id == IntrinsicId::Max)
            return plain(id == IntrinsicId::Min ? "min({0}, {1})" : "max({0}, {1})");
        if (id == IntrinsicId::Abs)
            return plain(!ir::is_signed(dtype) ? "({0})" : dtype == DType::I64 ? "llabs({0})" : "abs({0})");
        return std::nullopt;
    }
    std::optional<TargetSyntax> own_math(IntrinsicId id, DType dtype) const override {
        if (id == IntrinsicId::Fma && dtype == DType::F16)
            return plain("fma({0}, {1}, {2})", {"half_fma"});
        return std::nullopt;
    }
    std::string own_operator(ir::BinOp op, DType dtype) const override {
        const char* name = op == ir::BinOp::Add   ? "add"
                           : op == ir::BinOp::Sub ? "sub"
                           : op == ir::BinOp::Mul ? "mul"
                                                  : nullptr;
        if (!name || (dtype != DType::F16 && dtype != DType::F16x2))
            return {};
        return cat(dtype == DType::F16 ? "half" : "half2", "_operator(", ir::spelling(op), ", ", name, ")");
    }
    // cvt.rzi saturates, as the conversion of the language does; a NaN becomes 0 between 32 bits only.
    std::string float_to_int(DType from, DType to, Snippets& needs) const override {
        if (from != DType::F64 && ir::info(to).bits < 64)
            return type(to)->text;
        needs.insert("float_to_int");
        return cat("float_to_int<", type(to)->text, ">");
    }

    // `mode`: "_up", "_down", "_xor", or "" by the number of the lane.
    std::optional<TargetSyntax> shuffle(std::string_view mode, const ir::Intrinsic& call) const {
        auto dtype = ir::scalar_of(call.args.at(1)->type);
        auto value = dtype ? type(*dtype) : std::nullopt;
        if (!value)
            return std::nullopt;
        std::size_t arguments = ir::is_constant(call.args.at(3), 32) ? 3 : 4; // a whole warp goes without saying
        std::string native = call_text(cat("__shfl", mode, "_sync"), arguments);
        if (ir::is_integer(*dtype) && ir::info(*dtype).bits < 32)
            return plain(cat(value->text, "(", native, ")"), value->needs);
        if (ir::is_integer(*dtype) || *dtype == DType::F32 || *dtype == DType::F64)
            return plain(native);
        value->text = call_text(cat("shfl", mode, "_sync"), arguments);
        value->needs.insert(cat("shuffle(", mode, ")"));
        return value;
    }

    // __popc and __popcll; a result of the operand's type is unsigned there.
    std::optional<TargetSyntax> of_integer(std::string_view function, const ir::Intrinsic& call) const {
        const auto dtype = ir::scalar_of(call.args.at(0)->type);
        if (!dtype || !ir::is_register_integer(*dtype))
            return std::nullopt;
        const std::string native = cat("__", function, ir::info(*dtype).bits == 64 ? "ll" : "", "({0})");
        const bool keeps_type = ir::info(call.id).result.kind == ir::IntrinsicResult::Kind::Operand;
        return plain(keeps_type && ir::is_signed(*dtype) ? cat(type(*dtype)->text, "(", native, ")") : native);
    }

    // `which`: "any" or "all".
    std::optional<TargetSyntax> matched(std::string_view which, const ir::Intrinsic& call) const {
        const auto dtype = ir::scalar_of(call.args.at(1)->type);
        if (!dtype || !ir::is_match_type(*dtype))
            return std::nullopt;
        const std::string name = cat("match_", which);
        return over_instruction(cat(name, "({0}, {1})"), name, "match.sync");
    }

    std::optional<TargetSyntax> reduced(const ir::Intrinsic& call) const {
        const auto dtype = ir::scalar_of(call.args.at(1)->type);
        if (dtype != DType::I32 && dtype != DType::U32)
            return std::nullopt;
        constexpr const char* functions[] = {"add", "min", "max", "and", "or", "xor"};
        const auto op = ir::attribute<ir::WarpReduction>(call.attr);
        const std::string native = cat("__reduce_", functions[static_cast<std::size_t>(op)], "_sync({0}, {1})");
        const bool is_of_bits = op >= ir::WarpReduction::bits_and;
        return TargetSyntax{.text = is_of_bits && dtype == DType::I32 ? cat("int(", native, ")") : native,
                            .capability = {{}, "redux.sync"}};
    }

    std::optional<TargetSyntax> atomic(const ir::Intrinsic& call) const {
        auto value = ir::scalar_of(call.args.at(1)->type);
        auto syntax = value ? type(*value) : std::nullopt;
        return syntax ? atomic_syntax(call, *value, *syntax) : std::nullopt;
    }

    // The last two operands are the block of the cluster, -1 for its own, and whether it is sent.
    std::optional<TargetSyntax> signal_syntax(const ir::Intrinsic& call) const {
        const std::size_t rank = call.args.size() - 2;
        const std::string name(ir::info(call.id).short_name());
        if (!ir::is_constant(call.args[rank], -1)) {
            const std::string remote = name + "_at";
            return over_instruction(call_text(remote, call.args.size()), remote, "mbarrier of another block", {90});
        }
        const std::string here = call_text(name, rank);
        const bool is_sent = ir::is_constant(call.args[rank + 1], 1);
        return over_instruction(is_sent ? here : cat("(({", rank + 1, "}) ? ", here, " : void())"), name, "mbarrier");
    }

    std::optional<TargetSyntax> target_intrinsic(const ir::Intrinsic& call, DType) const override {
        auto syntax = spell(call);
        const Architecture& needs = ir::info(call.id).needs;
        if (syntax && syntax->capability.arch.number < needs.number)
            syntax->capability.arch = needs;
        return syntax;
    }

    std::optional<TargetSyntax> spell(const ir::Intrinsic& call) const {
        switch (call.id) {
#define HIDET_CUDA_PTX(...)
#define HIDET_CUDA_SPELL(id, ...) case IntrinsicId::id:
#include "compiler/codegen/cuda/intrinsics.def"
#undef HIDET_CUDA_SPELL
            return row_syntax(call.id);
#undef HIDET_CUDA_PTX
#define HIDET_CUDA_SPELL(...)
#define HIDET_CUDA_PTX(id, ...) case IntrinsicId::id:
#include "compiler/codegen/cuda/intrinsics.def"
#undef HIDET_CUDA_SPELL
#undef HIDET_CUDA_PTX
            return ptx_syntax(call);
#define HIDET_INTRINSIC(id, ...) case IntrinsicId::id:
#include "compiler/ir/intrinsics/atomic.def"
#undef HIDET_INTRINSIC
            return atomic(call);
        case IntrinsicId::MbarrierArrive:
        case IntrinsicId::MbarrierArriveAndExpect:
        case IntrinsicId::MbarrierComplete: return signal_syntax(call);
        case IntrinsicId::SyncWarp: return plain(call_text("__syncwarp", call.args.size()));
        case IntrinsicId::BarrierSync: return plain(call_text("barrier_sync", call.args.size()), {"barrier_sync"});
        case IntrinsicId::ThreadFence: return fence_syntax(call);
        case IntrinsicId::ShflSync: return shuffle("", call);
        case IntrinsicId::ShflUpSync: return shuffle("_up", call);
        case IntrinsicId::ShflDownSync: return shuffle("_down", call);
        case IntrinsicId::ShflXorSync: return shuffle("_xor", call);
        case IntrinsicId::Popc: return of_integer("popc", call);
        case IntrinsicId::Clz: return of_integer("clz", call);
        case IntrinsicId::Ffs: return of_integer("ffs", call);
        case IntrinsicId::Brev: return of_integer("brev", call);
        case IntrinsicId::MatchAnySync: return matched("any", call);
        case IntrinsicId::MatchAllSync: return matched("all", call);
        case IntrinsicId::ReduxSync: return reduced(call);
        case IntrinsicId::LoadAcquire:
        case IntrinsicId::StoreRelease: return ordered_access_syntax(call);
        case IntrinsicId::CpAsync: return cp_async_syntax(call);
        case IntrinsicId::CopyTensorG2S:
        case IntrinsicId::CopyIm2colG2S:
        case IntrinsicId::CopyBulkG2S: return load_syntax(call);
        case IntrinsicId::CopyTensorS2G:
        case IntrinsicId::CopyTensorReduce: return tensor_store_syntax(call);
        case IntrinsicId::CopyBulkReduce: return bulk_reduce_syntax(call);
        case IntrinsicId::CopyBulkS2S:
        case IntrinsicId::CopyBulkS2G:
        case IntrinsicId::CopyBulkPrefetch: return bulk_copy_syntax(call);
        case IntrinsicId::CopyBulkWait: {
            const bool only_reads = ir::attribute<ir::BulkWait>(call.attr) == ir::BulkWait::read;
            const std::string name = only_reads ? "copy_bulk_wait_group_read" : "copy_bulk_wait_group";
            return over_instruction(cat(name, "<", *ir::constant_int(call.args[0]), ">()"), name,
                                    "cp.async.bulk.wait_group");
        }
        case IntrinsicId::Wgmma:
        case IntrinsicId::WgmmaRegisters: return wgmma_syntax(call);
        case IntrinsicId::WgmmaFenceOperand: {
            const std::int64_t bytes = ir::size_in_bytes(call.args[0]->type);
            const bool is_array = ir::is_array(call.args[0]->type) && bytes > 0;
            return plain(cat("wgmma_fence_operand({0}, ", is_array ? bytes / 4 : 1, ")"), {"wgmma_fence_operand"});
        }
        case IntrinsicId::Tcgen05Alloc:
        case IntrinsicId::Tcgen05Dealloc:
        case IntrinsicId::Tcgen05Relinquish: return tensor_group_syntax(call);
        case IntrinsicId::Tcgen05Load:
        case IntrinsicId::Tcgen05Store: return tensor_load_syntax(call);
        case IntrinsicId::Tcgen05Copy: return tensor_copy_syntax(call);
        case IntrinsicId::Tcgen05Mma:
        case IntrinsicId::Tcgen05MmaTmem: return tensor_product_syntax(call);
        case IntrinsicId::Tcgen05Commit: return tensor_commit_syntax(call);
        case IntrinsicId::LdMatrix:
        case IntrinsicId::StMatrix: return matrices_syntax(call);
        case IntrinsicId::WmmaLoadA:
        case IntrinsicId::WmmaLoadB:
        case IntrinsicId::WmmaMma:
        case IntrinsicId::WmmaStore: return wmma_syntax(call);
#define HIDET_INTRINSIC(id, ...) case IntrinsicId::id:
#include "compiler/ir/intrinsics/wide_access.def"
#undef HIDET_INTRINSIC
            return wide_access_syntax(call);
        case IntrinsicId::MmaSync:
            return mma_syntax(call);
            // Spelled by SharedDialect, which both languages have.
#define HIDET_INTRINSIC(id, ...) case IntrinsicId::id:
#include "compiler/ir/intrinsics/math.def"
#undef HIDET_INTRINSIC
        case IntrinsicId::MakeVector:
        case IntrinsicId::StoreBits:
        case IntrinsicId::VectorLane:
        case IntrinsicId::Bitcast:
        // Written by the emitter.
        case IntrinsicId::Printf:
        case IntrinsicId::DynamicSharedMemory:
        // Of the host, and of code that runs on the CPU.
        case IntrinsicId::Inside:
        case IntrinsicId::CreateTensorMap:
        case IntrinsicId::CreateIm2colMap:
        case IntrinsicId::MemcpyAsync:
        case IntrinsicId::GetSymbolValue:
        case IntrinsicId::SetSymbolValue:
        case IntrinsicId::RequestWorkspace:
#define HIDET_INTRINSIC(id, ...) case IntrinsicId::id:
#include "compiler/ir/intrinsics/cpu.def"
#undef HIDET_INTRINSIC
            return std::nullopt;
        }
        return std::nullopt;
    }
};

} // namespace

const Dialect& cuda_dialect() {
    static const CudaDialect dialect;
    return dialect;
}

} // namespace hidet::compiler
