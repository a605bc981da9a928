// SPDX-License-Identifier: Apache-2.0
// Functions, modules, and the levels a module goes through.
#pragma once

#include "compiler/ir/layout.h"
#include "compiler/ir/mapping.h"
#include "compiler/ir/stmt.h"

namespace hidet::ir {

enum class FuncKind : std::uint8_t { CudaKernel, CudaInternal, CpuKernel, CpuInternal, Public };
const char* func_kind_name(FuncKind kind); // "cuda_kernel"
std::optional<FuncKind> find_func_kind(std::string_view name);
bool runs_on_gpu(FuncKind kind);

struct Function : Node {
    static constexpr Kind tag = Kind::Function;
    Function() : Node(tag) {}
    std::string name;
    FuncKind func_kind = FuncKind::CudaInternal;
    VarVec params;
    TypeRef ret;
    StmtRef body;
    ExprVec grid_dim;    // kernels: 3 expressions over the parameters and symbols; otherwise empty
    ExprVec cluster_dim; // 3 or empty (= 1, 1, 1)
    ExprVec block_dim;
    ExprRef dynamic_smem_bytes; // may be null (= 0)
    std::int64_t min_blocks = 0;
    // Of a kernel: its tensors begin at multiples of 16 bytes, and what it writes overlaps nothing else that it is given.
    bool wide_access = false;
    std::string label;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("name", s.name), v("func_kind", s.func_kind), v("params", s.params), v("ret", s.ret), v("body", s.body),
            v("grid_dim", s.grid_dim), v("cluster_dim", s.cluster_dim), v("block_dim", s.block_dim),
            v("dynamic_smem_bytes", s.dynamic_smem_bytes), v("min_blocks", s.min_blocks),
            v("wide_access", s.wide_access), v("label", s.label);
    }
};

// What may appear in a module; executable specifications in verify.h, checked between passes.
enum class Level : std::uint8_t {
    Script, // as written: mappings, slices, protected access
    Tile,   // reserved for tile operations
    Loop,   // only For and While loops; multi-dimensional elements; layouts still on the tensors
    Flat,   // one-dimensional elements of pointers and local arrays
    Kernel, // ready for code generation: unrolled, simplified, symbols are parameters
};
const char* level_name(Level level);
std::optional<Level> find_level(std::string_view name);

struct Module : Node {
    static constexpr Kind tag = Kind::Module;
    Module() : Node(tag) {}
    std::string name;
    Level level = Level::Script;
    VarVec globals; // device-global variables
    VarVec externs; // declared functions: Vars of FuncType, called by name
    std::vector<FunctionRef> functions;
    std::string options; // what its code is to be like (module_options.h); empty: as usual
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("name", s.name), v("level", s.level), v("globals", s.globals), v("externs", s.externs),
            v("functions", s.functions), v("options", s.options);
    }
};

const Function* find_function(const Module& module, std::string_view name);

} // namespace hidet::ir
