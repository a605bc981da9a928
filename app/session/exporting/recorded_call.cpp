// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/recorded_call.h"

#include "app/session/exporting/exporter.h"
#include "app/session/kernel_bench/script.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string bytes_of_tensor(const lang::Tensor& tensor, std::size_t bytes) {
    return {reinterpret_cast<const char*>(tensor.read()), bytes};
}

std::size_t byte_count(const lang::Tensor& tensor) {
    const ir::DTypeInfo& info = ir::info(tensor.dtype);
    return static_cast<std::size_t>(ir::is_subbyte(tensor.dtype) ? (tensor.count() * info.bits + 7) / 8
                                                                 : tensor.count() * ir::bytes_of(tensor.dtype));
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
    if (!plan.script && !function.symbols.empty()) {
        out.refuse(function.script_name,
                   cat("its check is the script's own first call of it, and the script makes none, "
                       "which would say what '",
                       function.symbols.front().name, "' is"));
        return std::nullopt;
    }
    std::optional<Arguments> args = make_arguments(out.work, plan);
    if (args && plan.script)
        args = copy_of(plan.script->args);
    Ref<Executable> built = args ? script.build(*callable) : nullptr;
    if (!built)
        return std::nullopt;
    const Arguments before = copy_of(*args);
    if (!script.call(*built, *callable, *args))
        return std::nullopt;
    RecordedCall call;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        RecordedArgument argument;
        if (const auto* tensor = std::get_if<lang::TensorRef>(&before[i].value)) {
            const lang::TensorRef& after = std::get<lang::TensorRef>((*args)[i].value);
            if (!*tensor || !after) {
                out.refuse(function.script_name, "the script passes None to it");
                return std::nullopt;
            }
            argument.is_memory = true;
            argument.count = (*tensor)->count();
            argument.shape = (*tensor)->shape;
            argument.before = bytes_of_tensor(**tensor, byte_count(**tensor));
            argument.after = bytes_of_tensor(*after, byte_count(**tensor));
        } else if (const auto* whole = std::get_if<std::int64_t>(&before[i].value)) {
            argument.number = cat(*whole);
        } else {
            argument.number = shortest(std::get<double>(before[i].value));
        }
        call.arguments.push_back(std::move(argument));
    }
    for (const ExportedSymbol& symbol : function.symbols) {
        if (!symbol.is_in_a_shape) {
            out.refuse(function.script_name, cat("no shape of its parameters says what '", symbol.name, "' is"));
            return std::nullopt;
        }
        call.symbols.push_back(call.arguments[symbol.tensor].shape[symbol.dimension]);
    }
    return call;
}

} // namespace

std::vector<RecordedCall> recorded_calls(ExportWork& out, const ExportedProgram& program) {
    RunRequest run;
    run.source = out.request.source;
    run.target = Target::Emulate;
    run.seed = out.request.seed;
    run.tools = out.request.tools;
    run.cancelled = out.request.cancelled;
    KernelBenchScript script(out.work, run);
    out.work.enter("running the script on the emulator");
    if (!script.evaluate(KernelBenchScript::Evaluate::Run, out.request.calls, "") || out.work.sink.has_errors())
        return {};
    std::vector<RecordedCall> calls;
    for (const ExportedFunction& function : program.functions) {
        std::optional<RecordedCall> call = record(out, script, function, program.modules[function.module].number);
        if (!call)
            return {};
        calls.push_back(std::move(*call));
    }
    return calls;
}

} // namespace hidet::session
