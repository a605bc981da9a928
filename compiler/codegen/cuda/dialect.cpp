// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as NVRTC takes it without any header.
#include "compiler/codegen/text/shared_dialect.h"
#include "lang/base/text.h"

namespace hidet::compiler {

extern const std::string_view cuda_builtin_cuh, text_types_inl;

using ir::DType;
using ir::IntrinsicId;

namespace {

Spelling plain(std::string text) {
    return {.text = std::move(text), .needs = {}, .capability = {}};
}

PieceTable make_pieces() {
    PieceTable pieces("__device__");
    for (std::string_view file : {cuda_builtin_cuh, text_types_inl})
        pieces.add_file(file);
    return pieces;
}

class CudaDialect final : public SharedDialect {
public:
    CudaDialect() : SharedDialect(make_pieces(), "") {
        reserve("threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 int3 atomicAdd atomicSub atomicMin atomicMax "
                "atomicExch atomicCAS atomicAnd atomicOr atomicXor atomicInc atomicDec clock64 trap cudaError_t");
        for (const char* base : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                                 "ulonglong", "float", "double"})
            for (const char* lanes : {"1", "2", "3", "4"})
                reserve(cat(base, lanes, " make_", base, lanes));
    }
    std::optional<Spelling> builtin(ir::Builtin which) const override { return plain(ir::builtin_name(which)); }

private:
    std::optional<Spelling> real_math(IntrinsicId id, DType dtype) const override {
        std::size_t arguments = static_cast<std::size_t>(ir::info(id).max_args);
        bool is_test = ir::info(id).result == ir::IntrinsicResult::Bool;
        const char* suffix = dtype == DType::F32 && !is_test ? "f" : "";
        return plain(call_text(cat(c_function(id), suffix), arguments));
    }
    std::optional<Spelling> integer_math(IntrinsicId id, DType dtype) const override {
        if (id == IntrinsicId::Min || id == IntrinsicId::Max)
            return plain(id == IntrinsicId::Min ? "min({0}, {1})" : "max({0}, {1})");
        if (id == IntrinsicId::Abs)
            return plain(!ir::is_signed(dtype) ? "({0})" : dtype == DType::I64 ? "llabs({0})" : "abs({0})");
        return std::nullopt;
    }
    std::optional<Spelling> target_intrinsic(const ir::Intrinsic& call, DType) const override {
        if (call.id == IntrinsicId::SyncThreads)
            return plain("__syncthreads()");
        if (call.id == IntrinsicId::Assume)
            return plain("__builtin_assume({0})");
        return std::nullopt;
    }
};

} // namespace

const Dialect& cuda_dialect() {
    static const CudaDialect dialect;
    return dialect;
}

} // namespace hidet::compiler
