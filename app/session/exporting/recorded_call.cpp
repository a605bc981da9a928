// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/recorded_call.h"

#include <algorithm>

#include "app/session/compare/expectation.h"
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/kernel_bench/script.h"
#include "compiler/ir/packing.h"
#include "lang/base/numeric.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string bytes_of_tensor(const lang::Tensor& tensor, std::size_t bytes) {
    return {reinterpret_cast<const char*>(tensor.read()), bytes};
}

std::size_t byte_count(const lang::Tensor& tensor) {
    return static_cast<std::size_t>(ir::is_subbyte(tensor.dtype) ? ir::packed_bytes(tensor.dtype, tensor.count())
                                                                 : tensor.count() * ir::bytes_of(tensor.dtype));
}

std::string c_number(double value, ir::DType dtype) {
    return fraction_of_short(dtype) ? cat(short_bits(value, dtype)) : real_text(value);
}

bool takes_more_than_tensors(const ExportedFunction& function) {
    return std::ranges::any_of(function.parameters, [](const ExportedParameter& parameter) {
        return parameter.kind != ParameterKind::Tensor;
    });
}

// Both sides are computed, and each is as far from the truth as the other.
Expectation expectation_of_call(const Executable& module, const Callable& callable, const Arguments& args,
                                const std::vector<compiler::ParameterAccess>& accesses) {
    perf::RoofedWork work;
    count_work(module, {callable.callee, args, callable.site}, work);
    Expectation out = expectation_of(work, callable.module, args, accesses);
    out.widened = 2;
    return out;
}

std::optional<RecordedCall> record(ExportWork& out, KernelBenchScript& script, const ExportedFunction& function,
                                   int module) {
    std::optional<Callable> callable = script.find(function.script_name, module);
    if (!callable)
        return std::nullopt;
    const auto accesses = accesses_of(*callable);
    const std::vector<ArgumentSpec> no_specs;
    const std::vector<compiler::ParameterAccess> assumed(callable->function->params.size(),
                                                         {.read = true, .written = true});
    const ArgumentPlan plan{
        *callable,     accesses ? *accesses : assumed, no_specs,        {}, script.first_call(*callable),
        script.name(), out.request.source.folder,      out.request.seed};
    RecordedCall call;
    const auto without = [&](std::string why) {
        call.missing = std::move(why);
        return call;
    };
    if (!plan.script && !function.symbols.empty())
        return without(cat("its check is the script's own first call of it, and the script makes none, "
                           "which would say what '",
                           function.symbols.front().name, "' is"));
    if (!plan.script && function.is_on_cpu && takes_more_than_tensors(function))
        return without("its check is the script's own first call of it, and the script makes none");
    const bool has_data = plan.script && plan.script->has_data;
    std::optional<Arguments> args = has_data ? copy_of(plan.script->args) : make_arguments(out.work, plan);
    Ref<Executable> built = args ? script.build(*callable) : nullptr;
    if (!built)
        return std::nullopt;
    poison(*args, plan.accesses);
    const Arguments before = copy_of(*args);
    if (!script.call(*built, *callable, *args, &call.result))
        return std::nullopt;
    const Expectation expectation = expectation_of_call(*built, *callable, *args, plan.accesses);
    if (function.result)
        if (const auto* real = std::get_if<double>(&call.result))
            call.result_tolerance = tolerance_of(expectation, *function.result, {*real});
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        RecordedArgument argument;
        if (const auto* tensor = std::get_if<lang::TensorRef>(&before[i].value)) {
            const lang::TensorRef& after = std::get<lang::TensorRef>((*args)[i].value);
            if (!*tensor || !after)
                return without("the script passes None to it");
            argument.is_memory = true;
            argument.count = (*tensor)->count();
            argument.shape = (*tensor)->shape;
            argument.before = bytes_of_tensor(**tensor, byte_count(**tensor));
            argument.after = bytes_of_tensor(*after, byte_count(**tensor));
            if (function.parameters[i].is_written && lang::holds_numbers(after->dtype))
                argument.tolerance = tolerance_of(expectation, after->dtype, lang::read_doubles(*after));
        } else if (const auto* whole = std::get_if<std::int64_t>(&before[i].value)) {
            argument.number = cat(*whole);
        } else {
            argument.number = c_number(std::get<double>(before[i].value), function.parameters[i].dtype);
        }
        call.arguments.push_back(std::move(argument));
    }
    const SymbolValues values = symbols_of(*callable->function, before);
    for (const ExportedSymbol& symbol : function.symbols) {
        const auto known = values.find(function.body.symbols[symbol.row].name);
        if (known == values.end())
            return without(cat("no shape of its parameters says what '", symbol.name, "' is"));
        call.symbols.push_back(known->second);
    }
    return call;
}

} // namespace

std::uint16_t short_bits(double value, ir::DType dtype) {
    return dtype == ir::DType::F16 ? f32_to_f16(static_cast<float>(round_to_f16(value)))
                                   : f32_to_bf16(static_cast<float>(round_to_bf16(value)));
}

std::optional<std::vector<RecordedCall>> recorded_calls(ExportWork& out, const ExportedProgram& program) {
    RunRequest run;
    run.source = out.request.source;
    run.target = Target::Emulate;
    run.seed = out.request.seed;
    run.tools = out.request.tools;
    run.cancelled = out.request.cancelled;
    KernelBenchScript script(out.work, run);
    out.work.enter("running the script on the emulator");
    if (!script.evaluate(KernelBenchScript::Evaluate::Run, out.request.calls, "") || out.work.sink.has_errors())
        return std::nullopt;
    std::vector<RecordedCall> calls;
    for (const ExportedFunction& function : program.functions) {
        std::optional<RecordedCall> call = record(out, script, function, module_number(program, function));
        if (!call)
            return std::nullopt;
        calls.push_back(std::move(*call));
    }
    return calls;
}

} // namespace hidet::session
