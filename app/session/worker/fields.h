// SPDX-License-Identifier: Apache-2.0
// The members of every struct that goes over the wire, each named once: encoding, decoding and the test of both go through
// these lists. A member that is forgotten does not build (is_complete), nor does an enumerator (is_known).
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "app/session/worker/messages.h"
#include "lang/base/check.h"

namespace hidet::session::wire {

template <class Struct, class Member>
struct Field {
    const char* name;
    Member Struct::*member;
};
template <class Struct, class Member>
Field(const char*, Member Struct::*) -> Field<Struct, Member>;

// Members of a base class are listed like one's own; `others` counts the members that stay behind, and takes away those
// that a base has more than one of.
template <class T>
struct Fields;

#define HIDET_STRUCT(type, others_count, ...)                                                                          \
    template <>                                                                                                        \
    struct Fields<type> {                                                                                              \
        using S = type;                                                                                                \
        static constexpr int others = others_count;                                                                    \
        static constexpr auto list = std::tuple(__VA_ARGS__);                                                          \
    }
#define F(name)                                                                                                        \
    Field {                                                                                                            \
#name, &S::name                                                                                                \
    }

// The four members of Outcome, which count as one.
#define HIDET_OUTCOME F(stages), F(status), F(device_hangs), F(diagnostics)
constexpr int in_outcome = -3;
// The thirteen members of ModelRequest, likewise.
constexpr int in_model_request = -12;

HIDET_STRUCT(Error, 0, F(code), F(message));
HIDET_STRUCT(Place, 0, F(file), F(line), F(column), F(end_line), F(end_column));
HIDET_STRUCT(NoteView, 0, F(place), F(message));
HIDET_STRUCT(FixView, 0, F(place), F(text), F(title));
HIDET_STRUCT(ThreadPlace, 0, F(block), F(thread));
HIDET_STRUCT(DiagnosticView, 0, F(id), F(severity), F(message), F(place), F(notes), F(fixes), F(where), F(rendered));
HIDET_STRUCT(StageTime, 0, F(stage), F(ms));
HIDET_STRUCT(Source, 0, F(name), F(text), F(folder), F(is_ir));

HIDET_STRUCT(toolchain::CompileRequest, 1, F(language), F(text), F(product), F(arch), F(options));
HIDET_STRUCT(toolchain::KernelFigures, 0, F(symbol), F(registers), F(stack_bytes), F(spill_store_bytes),
             F(spill_load_bytes), F(static_shared_bytes), F(constant_bytes));
HIDET_STRUCT(toolchain::CompileResult, 0, F(bytes), F(log), F(figures), F(compiler), F(key), F(from_cache),
             F(not_stored), F(ms));
HIDET_STRUCT(DisassembleRequest, 0, F(cubin));
HIDET_STRUCT(DisassembleResult, 0, F(text));
HIDET_STRUCT(WarmUpRequest, 0);
HIDET_STRUCT(WarmUpResult, 0);

// Left out: tools, cancelled, print.
HIDET_STRUCT(RunRequest, 3, F(source), F(target), F(all_checks), F(seed), F(max_steps), F(kernel_seconds),
             F(keep_calls), F(fault));
HIDET_STRUCT(RunSummary, 0, F(modules), F(calls), F(kernels), F(launches), F(ms), F(emulated), F(device),
             F(native_calls), F(uncalled));
HIDET_STRUCT(RunResult, in_outcome, HIDET_OUTCOME, F(summary));
HIDET_STRUCT(BenchRequest, 0, F(run), F(against), F(other));
HIDET_STRUCT(TimesView, 0, F(median), F(p10), F(p90), F(count), F(spread), F(samples));
HIDET_STRUCT(Roof, 0, F(kind), F(name), F(rate), F(measured));
HIDET_STRUCT(BenchRow, 0, F(function), F(shapes), F(where), F(site), F(times), F(hot), F(notes), F(flops),
             F(flops_unknown), F(flops_at_most), F(uses_matrix_units), F(matrix_type), F(sum_type), F(bytes),
             F(peak_flops), F(peak_bytes_per_second), F(roofs), F(roofline), F(is_memory_bound), F(peer), F(peer_times),
             F(peer_hot), F(peer_difference));
HIDET_STRUCT(BenchResult, in_outcome, HIDET_OUTCOME, F(rows));

HIDET_STRUCT(ArgumentSpec, 0, F(name), F(dtype), F(shape), F(fill), F(file), F(value));
HIDET_STRUCT(Reference, 0, F(kind), F(function), F(module), F(script));
HIDET_STRUCT(Tolerance, 0, F(absolute), F(relative));
HIDET_STRUCT(Dimension, 0, F(name), F(value));
HIDET_STRUCT(Sweep, 0, F(name), F(values));
// Left out: progress.
HIDET_STRUCT(TrialRequest, 1, F(run), F(calls), F(module), F(function), F(arguments), F(dimensions), F(reference),
             F(tolerance), F(measure), F(figures), F(arch), F(vary), F(against));
HIDET_STRUCT(Verdict, 0, F(kind), F(sentence));
HIDET_STRUCT(ErrorMap, 0, F(matrix_rows), F(matrix_columns), F(cell_rows), F(cell_columns), F(rows), F(columns),
             F(values));
HIDET_STRUCT(Comparison, 0, F(tensor), F(dtype), F(shape), F(refusal), F(absolute), F(relative), F(count), F(bad),
             F(max_absolute), F(max_relative), F(mean_absolute), F(max_ulp), F(first_bad), F(got), F(wanted),
             F(got_nan), F(got_infinite), F(wanted_nan), F(wanted_infinite), F(never_written), F(map));
HIDET_STRUCT(KernelFacts, 0, F(name), F(registers), F(stack_bytes), F(spill_store_bytes), F(spill_load_bytes),
             F(static_shared_bytes));
HIDET_STRUCT(Occupancy, 0, F(blocks), F(warps), F(most_warps), F(fraction), F(limits), F(limited_by), F(registers_away),
             F(shared_bytes_away), F(one_more), F(impossible));
HIDET_STRUCT(KernelView, 0, F(name), F(arch), F(facts), F(unavailable), F(launched), F(grid), F(block), F(cluster),
             F(dynamic_shared_bytes), F(launches), F(occupancy));
HIDET_STRUCT(SweepPoint, 0, F(value), F(shapes), F(verdict), F(max_absolute), F(bad), F(measured), F(unavailable));
HIDET_STRUCT(RooflinePoint, 0, F(label), F(intensity), F(flops_per_second));
HIDET_STRUCT(Roofline, 0, F(roofs), F(point), F(unknown), F(limits), F(reached));
HIDET_STRUCT(TrialResult, in_outcome, HIDET_OUTCOME, F(summary), F(script), F(module), F(function), F(shapes), F(where),
             F(reference), F(verdict), F(comparisons), F(measured), F(bytes_per_second), F(flops_per_second),
             F(roofline), F(kernels), F(sweep));

// Left out: tools, cancelled, progress, print.
#define HIDET_MODEL_REQUEST                                                                                            \
    F(path), F(target), F(dims), F(precision), F(off), F(on), F(choices), F(choices_text), F(with), F(fuse), F(seed),  \
        F(kernel_seconds), F(fault)
HIDET_STRUCT(ModelRequest, 4, HIDET_MODEL_REQUEST);
HIDET_STRUCT(ModelRunRequest, in_model_request, HIDET_MODEL_REQUEST, F(inputs), F(data), F(output), F(trace),
             F(compare), F(relative), F(absolute));
#undef HIDET_MODEL_REQUEST
HIDET_STRUCT(ModelBenchRequest, 0, F(run));
HIDET_STRUCT(ModelTensor, 0, F(name), F(dtype), F(shape));
HIDET_STRUCT(ModelKernel, 0, F(name), F(nodes), F(program), F(launches));
HIDET_STRUCT(ModelFacts, 0, F(name), F(producer), F(opset), F(target), F(inputs), F(outputs), F(symbols),
             F(imported_nodes), F(nodes), F(groups), F(steps), F(host_steps), F(programs), F(kernels), F(weight_bytes),
             F(arena_bytes), F(arena_bound), F(refused));
HIDET_STRUCT(ModelOutput, 0, F(tensor), F(summary), F(file), F(comparison));
HIDET_STRUCT(ModelNodeError, 0, F(node), F(op), F(kernel), F(node_id), F(step), F(max_absolute), F(relative),
             F(tolerance), F(is_bad));
HIDET_STRUCT(DeviceRoofs, 0, F(name), F(flops), F(bytes_per_second), F(launch_seconds), F(is_measured));
HIDET_STRUCT(ModelStepRow, 0, F(step), F(group), F(node_ids), F(kernel), F(nodes), F(seconds), F(spread),
             F(start_seconds), F(run_seconds), F(launches), F(is_host), F(flops), F(bytes), F(least_seconds));
HIDET_STRUCT(ModelCompileResult, in_outcome, HIDET_OUTCOME, F(facts), F(kernels));
HIDET_STRUCT(ModelRunResult, in_outcome, HIDET_OUTCOME, F(facts), F(where), F(run_ms), F(outputs), F(nodes),
             F(nodes_not_compared));
HIDET_STRUCT(ModelBenchResult, in_outcome, HIDET_OUTCOME, F(facts), F(where), F(times), F(is_replayed), F(flops),
             F(bytes), F(roofs), F(steps));

HIDET_STRUCT(FactsRequest, 0);
HIDET_STRUCT(ToolFact, 0, F(name), F(serves), F(usable), F(path), F(version), F(origin), F(problem), F(advice),
             F(looked));
HIDET_STRUCT(GpuFact, 0, F(usable), F(name), F(arch), F(multiprocessors), F(memory_bytes));
HIDET_STRUCT(DoctorReport, 0, F(tools), F(gpu));

HIDET_STRUCT(JobEvent, 0, F(kind), F(text), F(fraction), F(seconds_left));
HIDET_STRUCT(Answer, 0, F(ended), F(result), F(reason), F(last_words));
HIDET_STRUCT(Hello, 0, F(protocol), F(host));
HIDET_STRUCT(Submit, 0, F(id), F(request));
HIDET_STRUCT(Cancel, 0, F(id));
HIDET_STRUCT(Shutdown, 0);
HIDET_STRUCT(Ping, 0, F(number));
HIDET_STRUCT(Pong, 0, F(number));
HIDET_STRUCT(Happened, 0, F(id), F(event));
HIDET_STRUCT(Done, 0, F(id), F(answer), F(leaving));

#undef HIDET_OUTCOME
#undef F
#undef HIDET_STRUCT

// A switch without default: the build names the enumerator that is missing.
constexpr bool is_known(Severity value) {
    switch (value) {
    case Severity::Error:
    case Severity::Warning:
    case Severity::Note: return true;
    }
    return false;
}
constexpr bool is_known(Status value) {
    switch (value) {
    case Status::Fine:
    case Status::UserMistake:
    case Status::WrongUsage:
    case Status::Environment:
    case Status::Internal:
    case Status::Cancelled: return true;
    }
    return false;
}
constexpr bool is_known(Target value) {
    switch (value) {
#define HIDET_TARGET(name, ...) case Target::name:
#include "app/session/snapshot/targets.def"
        return true;
    }
    return false;
}
constexpr bool is_known(artifact::Language value) {
    switch (value) {
    case artifact::Language::CudaCxx:
    case artifact::Language::Cxx: return true;
    }
    return false;
}
constexpr bool is_known(toolchain::Product value) {
    switch (value) {
    case toolchain::Product::Ptx:
    case toolchain::Product::Cubin:
    case toolchain::Product::SharedObject:
    case toolchain::Product::Syntax: return true;
    }
    return false;
}
constexpr bool is_known(RoofKind value) {
    switch (value) {
    case RoofKind::Memory:
    case RoofKind::Arithmetic: return true;
    }
    return false;
}
constexpr bool is_known(Fill value) {
    switch (value) {
#define HIDET_FILL(name, text, summary) case Fill::name:
#include "app/session/trial/fills.def"
        return true;
    }
    return false;
}
constexpr bool is_known(ReferenceKind value) {
    switch (value) {
    case ReferenceKind::None:
    case ReferenceKind::ScriptFunction:
    case ReferenceKind::Variant:
    case ReferenceKind::Emulator:
    case ReferenceKind::ScriptChecks: return true;
    }
    return false;
}
constexpr bool is_known(VerdictKind value) {
    switch (value) {
    case VerdictKind::Correct:
    case VerdictKind::Wrong:
    case VerdictKind::Unchecked:
    case VerdictKind::Failed: return true;
    }
    return false;
}
constexpr bool is_known(OccupancyLimit value) {
    switch (value) {
    case OccupancyLimit::Warps:
    case OccupancyLimit::Blocks:
    case OccupancyLimit::Registers:
    case OccupancyLimit::SharedMemory: return true;
    }
    return false;
}
constexpr bool is_known(JobEvent::Kind value) {
    switch (value) {
    case JobEvent::Kind::Printed:
    case JobEvent::Kind::Progress: return true;
    }
    return false;
}
constexpr bool is_known(Ended value) {
    switch (value) {
    case Ended::Answered:
    case Ended::Refused:
    case Ended::Cancelled:
    case Ended::WorkerLost: return true;
    }
    return false;
}

// How many initialisers a struct takes is how many members (and bases) it has.
struct Anything {
    template <class T>
    operator T() const {
        throw InternalError("only its type is of use");
    }
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires {
        T{(static_cast<void>(I), Anything{})...};
    };
}
template <class T, std::size_t Most = 48>
constexpr int member_count() {
    if constexpr (Most == 0 || takes<T>(std::make_index_sequence<Most>()))
        return static_cast<int>(Most);
    else
        return member_count<T, Most - 1>();
}
template <class T>
constexpr bool is_complete() {
    return static_cast<int>(std::tuple_size_v<decltype(Fields<T>::list)>) + Fields<T>::others == member_count<T>();
}

// Calls visit(name, value) for each member that goes over the wire.
template <class T, class Visit>
void for_each_field(T& value, Visit&& visit) {
    using Struct = std::remove_const_t<T>;
    static_assert(is_complete<Struct>(), "a member of this struct is missing in app/session/worker/fields.h");
    std::apply([&](const auto&... field) { (visit(field.name, value.*(field.member)), ...); }, Fields<Struct>::list);
}

} // namespace hidet::session::wire
