// SPDX-License-Identifier: Apache-2.0
#include "app/session/compare/expectation.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/analysis/parameter_accesses.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/packing.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

namespace {

bool adds_to_itself(const ir::AssignStmt& assign) {
    const auto dtype = ir::scalar_of(assign.var->type);
    return dtype && ir::is_float(*dtype) && ir::any_of_nodes(assign.value, [&](const ir::Binary& sum) {
               return sum.op == ir::BinOp::Add &&
                      (ir::as<ir::Var>(sum.a) == assign.var.get() || ir::as<ir::Var>(sum.b) == assign.var.get());
           });
}

// Variables that one of the loops within adds to, and that are not its own.
std::set<const ir::Var*> sums_of(const ir::StmtRef& body) {
    std::set<const ir::Var*> sums, own;
    ir::each_node(
        body,
        [&](const ir::AssignStmt& assign) {
            if (adds_to_itself(assign))
                sums.insert(assign.var.get());
        },
        [&](const ir::DeclareStmt& declared) { own.insert(declared.var.get()); });
    std::erase_if(sums, [&](const ir::Var* var) { return own.contains(var); });
    return sums;
}

double longest_loop(const ir::ModuleRef& module, double unknown) {
    std::map<const ir::Var*, double> lengths;
    ir::each_node(module, [&](const ir::ForStmt& loop) {
        const std::optional<std::int64_t> extent = ir::constant_int(loop.extent);
        for (const ir::Var* var : sums_of(loop.body))
            lengths.try_emplace(var, 1).first->second *= extent ? static_cast<double>(*extent) : unknown;
    });
    double longest = 1;
    for (const auto& [var, length] : lengths)
        longest = std::max(longest, length);
    return longest;
}

// What is known of a call's scalars before it is made.
perf::KnownValues known_values(const ir::Function& function, const std::vector<lang::CallArgument>& args) {
    perf::KnownValues known;
    for (std::size_t i = 0; i < args.size() && i < function.params.size(); ++i)
        if (const auto* integer = std::get_if<std::int64_t>(&args[i].value))
            known[function.params[i].get()] = *integer;
    return known;
}

// How many addends an element of the results is the sum of, about: by its operations, of which every multiply-add counts
// two, or by the longest loop that adds to one variable, whatever more is.
double sum_length(const perf::RoofedWork& work, const ir::ModuleRef& module, const Arguments& args,
                  const std::vector<compiler::ParameterAccess>& accesses) {
    double written = 0, extent = 1, most = 1;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const lang::TensorRef tensor = tensor_in(args[i]);
        if (!tensor)
            continue;
        const auto count = static_cast<double>(tensor->count());
        written += accesses[i].written ? count : 0;
        most = std::max(most, count);
        for (const std::int64_t each : tensor->shape)
            extent = std::max(extent, static_cast<double>(each));
    }
    const double by_operations = work.flops && written > 0 ? *work.flops / 2 / written : extent;
    return std::max({1.0, by_operations, std::min(longest_loop(module, extent), most)});
}

} // namespace

void count_work(const Executable& module, const FunctionCall& call, perf::RoofedWork& out) {
    DiagnosticSink ignored;
    const ir::ModuleRef lowered = compiler::lower(module.origin(), {}, ignored);
    const ir::Function* function = lowered ? ir::find_function(*lowered, call.function) : nullptr;
    if (!function) {
        out.flops_unknown = "the function is not part of the lowered module";
        return;
    }
    const SymbolValues symbols = symbols_of(*ir::find_function(*module.module, call.function), call);
    const perf::WorkCount work = perf::count_work(*function, *lowered, known_values(*function, call.args), symbols);
    add_work(work, 1, out);
    auto accesses = compiler::parameter_accesses(*function, *lowered);
    for (std::size_t i = 0; i < call.args.size() && i < accesses.size(); ++i) {
        const lang::TensorRef tensor = tensor_in(call.args[i]);
        if (!tensor)
            continue;
        const auto bytes = static_cast<double>(ir::packed_bytes(tensor->dtype, tensor->count()));
        out.bytes += bytes * ((accesses[i].read ? 1 : 0) + (accesses[i].written ? 1 : 0));
    }
}

ir::DType sum_type(const perf::RoofedWork& work, const Arguments& args) {
    const ir::DType declared = ir::find_dtype(work.sum_type).value_or(ir::DType::F32);
    std::optional<ir::DType> narrowest;
    for (const lang::CallArgument& arg : args)
        if (lang::TensorRef tensor = tensor_in(arg); tensor && ir::is_float(tensor->dtype))
            if (!narrowest || ir::info(tensor->dtype).bits < ir::info(*narrowest).bits)
                narrowest = tensor->dtype;
    return narrowest && ir::info(declared).bits < ir::info(*narrowest).bits ? *narrowest : declared;
}

Expectation expectation_of(const perf::RoofedWork& work, const ir::ModuleRef& module, const Arguments& args,
                           const std::vector<compiler::ParameterAccess>& accesses) {
    Expectation out;
    out.sum_length = sum_length(work, module, args, accesses);
    out.rounds_to_tf32 = work.uses_matrix_units && work.matrix_type == "tf32";
    out.sum_type = sum_type(work, args);
    return out;
}

} // namespace hidet::session
