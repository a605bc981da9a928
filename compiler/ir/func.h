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

struct Function : NodeOf<Kind::Function, Node> {
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
    static void visit_fields(auto& s, auto&& v) {
        v(s.name, s.func_kind, s.params, s.ret, s.body, s.grid_dim, s.cluster_dim, s.block_dim, s.dynamic_smem_bytes,
          s.min_blocks, s.wide_access, s.label);
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

struct Module : NodeOf<Kind::Module, Node> {
    std::string name;
    Level level = Level::Script;
    VarVec globals; // device-global variables
    VarVec externs; // declared functions: Vars of FuncType, called by name
    std::vector<FunctionRef> functions;
    std::string options; // what its code is to be like (module_options.h); empty: as usual
    static void visit_fields(auto& s, auto&& v) { v(s.name, s.level, s.globals, s.externs, s.functions, s.options); }
};

const Function* find_function(const Module& module, std::string_view name);

} // namespace hidet::ir
