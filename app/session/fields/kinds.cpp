// SPDX-License-Identifier: Apache-2.0
// The fields of requests, results and views.
#include "app/session/explain/side_by_side.h"
#include "app/session/fields/make_kind.h"
#include "app/session/snapshot/machine.h"

namespace hidet::session::fields {

// The four members of Outcome, which count as one. Documents have their own places for them.
#define HIDET_OUTCOME F(stages).hidden(), F(status).hidden(), F(device_hangs).hidden(), F(diagnostics).hidden()
constexpr int in_outcome = -3;
constexpr int in_tool_finding = -6;
constexpr int in_roofed_work = -11;
constexpr int in_kernel_cost = -24;
// The members of ModelRequest, likewise.
constexpr int in_model_request = -22;

HIDET_STRUCT(Error, 0, F(code), F(message));
HIDET_STRUCT(Place, 0, F(file), F(line), F(column), F(end_line), F(end_column));
HIDET_STRUCT(NoteView, 0, F(message), F(place).flat());
HIDET_STRUCT(FixView, 0, F(title), F(text), F(place).flat());
HIDET_STRUCT(ThreadPlace, 0, F(block), F(thread), F(threads).hidden());
HIDET_STRUCT(ThreadsView, 0, F(does), F(place).flat(), F(block), F(threads), F(tensor).if_any(), F(index).if_any());
HIDET_STRUCT(DiagnosticView, 0, F(id), F(severity), F(message), F(place).flat(), F(notes), F(fixes), F(where).flat(),
             F(parties).if_any(), F(rendered).hidden());
HIDET_STRUCT(StageTime, 0, F(stage), F(ms));
// Left out: by_hand, which no worker is asked of.
HIDET_STRUCT(Source, 1, F(name), F(text), F(folder), F(is_ir));

HIDET_STRUCT(OriginView, 0, F(place).range(), F(pass).or_null());
HIDET_STRUCT(TokenView, 0, F(begin), F(end), F(origin).flat());
HIDET_STRUCT(TextSnapshot, 0, F(text), F(lines), F(tokens).if_any(), F(source_lines).hidden(), F(controls).if_any(),
             F(temporaries).hidden());
HIDET_STRUCT(FormSnapshot, 0, F(name).hidden(), F(text).flat(), F(bytes).hidden(), F(compiler).if_any(),
             F(from_cache).hidden(), F(kernels).if_any(), F(machine).if_any(), F(ms));
HIDET_STRUCT(MachineInstruction, 0, F(line), F(stall), F(yields), F(sets_for_result), F(sets_for_operands), F(waits),
             F(registers), F(predicates), F(uniform_registers), F(uniform_predicates), F(spilled_bytes), F(converts));
HIDET_STRUCT(MachineArrow, 0, F(waiter), F(setter), F(barrier), F(cycles), F(is_first), F(for_operands),
             F(setter_name));
HIDET_STRUCT(MachinePressure, 0, F(place).flat(), F(registers));
HIDET_STRUCT(MachineHolder, 0, F(place).flat(), F(registers));
HIDET_STRUCT(MachineMark, 0, F(place).flat(), F(instructions), F(bytes));
HIDET_STRUCT(MachineAccess, 0, F(place).flat(), F(what), F(space), F(opcode), F(cache).if_any(), F(depth),
             F(instructions), F(lane_bytes), F(sectors));
HIDET_STRUCT(MachinePipe, 0, F(name), F(instructions), F(cycles));
HIDET_STRUCT(MachineStand, 0, F(line).as("listingLine"), F(place).flat(), F(cycles));
HIDET_STRUCT(MachineBound, 0, F(warps), F(cycles), F(by));
HIDET_STRUCT(MachineTurn, 0, F(instructions), F(stalls), F(latency), F(warps_to_hide), F(pipes), F(bounds),
             F(predicated), F(loads), F(in_flight), F(bank_conflicts), F(bank_cycles), F(stands));
HIDET_STRUCT(MachineLoop, 0, F(first_line), F(last_line), F(place).flat(), F(depth), F(is_inner), F(least),
             F(most).or_null());
HIDET_STRUCT(MachineFunction, 0, F(name), F(line).as("listingLine"), F(most_registers), F(peak_line), F(peak).flat(),
             F(instructions), F(arrows), F(pressure), F(holders), F(spills), F(conversions), F(accesses), F(loops));
HIDET_STRUCT(MachineSnapshot, 0, F(functions));
HIDET_STRUCT(PassSnapshot, 0, F(number), F(name), F(summary).hidden(), F(changed), F(ms), F(module).if_any());
HIDET_STRUCT(FunctionSnapshot, 0, F(name), F(kind), F(place).flat());
HIDET_STRUCT(ModuleSnapshot, 0, F(number), F(site).flat(), F(functions), F(lowered), F(passes), F(forms).hidden());
HIDET_STRUCT(StructureRow, 0, F(depth), F(kind), F(name), F(detail), F(line), F(end_line), F(change),
             F(before).if_any());
HIDET_STRUCT(ModuleStructure, 0, F(number), F(after), F(before).if_any(), F(rows));
HIDET_STRUCT(CanvasNumberView, 0, F(name).if_any(), F(text), F(value), F(literal).range(), F(refusal).if_any());
HIDET_STRUCT(CanvasFactorView, 0, F(name), F(place).range(), F(numbers));
HIDET_STRUCT(CanvasPictureView, 0, F(kind), F(title).if_any(), F(refusal).if_any(), F(shape), F(workers),
             F(tasks_per_worker), F(elements).if_any(), F(size), F(element_bits), F(slots).if_any());
HIDET_STRUCT(CanvasResult, in_outcome + 1, HIDET_OUTCOME, F(place).flat(), F(text), F(factors),
             F(views).as("pictures"));
HIDET_STRUCT(PreviewResult, in_outcome, HIDET_OUTCOME, F(modules), F(modules_built).hidden());

HIDET_STRUCT(ExportedFile, 0, F(path), F(bytes).hidden(), F(is_executable));
HIDET_STRUCT(ExportResult, in_outcome, HIDET_OUTCOME, F(format), F(files), F(next));

HIDET_STRUCT(toolchain::CompileRequest, 1, F(language), F(text), F(product), F(arch), F(options), F(objects));
HIDET_STRUCT(toolchain::KernelFigures, 0, F(symbol), F(registers), F(stack_bytes), F(spill_store_bytes),
             F(spill_load_bytes), F(static_shared_bytes), F(constant_bytes), F(barriers));
HIDET_STRUCT(toolchain::CompileResult, 0, F(bytes), F(log), F(figures), F(compiler), F(key), F(from_cache),
             F(not_stored), F(ms));

// Left out: tools, cancelled, print, calling, place.
HIDET_STRUCT(TileChoice, 0, F(block), F(line));
HIDET_STRUCT(KernelReplacement, 0, F(kernel), F(source));
HIDET_STRUCT(RunRequest, 5, F(source), F(target), F(all_checks), F(counts), F(times), F(marks), F(timed_block),
             F(timed_launch), F(copy_steps), F(tiles_of), F(order), F(orders), F(ranks), F(seed), F(max_steps),
             F(max_bytes), F(kernel_seconds), F(checks_bounds), F(contracts), F(watches_calls), F(replacements),
             F(waits), F(keep_calls), F(output), F(is_program), F(trusts), F(version), F(fault));
HIDET_STRUCT(KindCounters, 0, F(kind), F(instructions));
HIDET_STRUCT(AccessCounters, 0, F(memory), F(access), F(requests), F(bytes), F(unit), F(count), F(least), F(worst));
HIDET_STRUCT(LineCounters, 0, F(kernel), F(place).flat(), F(instructions), F(threads), F(flops), F(branches),
             F(divergent), F(kinds), F(accesses));
HIDET_STRUCT(TimelineSpan, 0, F(kind), F(warp), F(place).flat(), F(begin), F(end), F(landed), F(bytes), F(slot),
             F(awaits), F(barrier), F(phase), F(by_copy), F(by_warp), F(by_rank), F(by_place));
HIDET_STRUCT(TimelineBubble, 0, F(role), F(warps), F(awaits), F(barrier), F(place).flat(), F(by_copy), F(by_place),
             F(reason), F(times), F(steps), F(share));
HIDET_STRUCT(TimelineRole, 0, F(name), F(warps));
HIDET_STRUCT(TimelineView, 0, F(kernel), F(source), F(unit), F(marked), F(seconds_with_marks), F(seconds_without_marks),
             F(nanoseconds), F(block), F(blocks), F(launch), F(launches), F(dropped), F(warps), F(steps), F(copy_steps),
             F(stages).as("slots"), F(is_cut_short), F(roles), F(bubbles), F(spans));
HIDET_STRUCT(RunSummary, 0, F(emulated), F(device).or_null(), F(modules), F(calls), F(kernels), F(launches),
             F(native_calls), F(ms), F(schedules).if_any(), F(orders_least).if_any(), F(orders_most).if_any(),
             F(found_in).if_any(), F(not_checked).hidden(), F(uncalled), F(replaced).if_any(), F(counters).if_any(),
             F(timelines).if_any());
HIDET_STRUCT(BenchRequest, 0, F(run), F(against), F(other), F(in_a_row));
HIDET_STRUCT(TimesView, 0, F(median), F(p10), F(p90), F(spread), F(count), F(samples).hidden());
HIDET_STRUCT(Roof, 0, F(kind), F(name), F(rate), F(measured));
HIDET_STRUCT(InARow, 0, F(launches), F(copies), F(copied), F(shared), F(bytes), F(leave_cache).as("copiesLeaveCache"),
             F(is_graph).as("inGraph"), F(times).as("seconds"), F(baseline_times).as("baselineSeconds").or_null());
HIDET_STRUCT(bench::Clocks, 0, F(lowest_mhz).as("lowestMHz"), F(highest_mhz).as("highestMHz"), F(slowed_by));
HIDET_STRUCT(BenchRow, in_roofed_work, F(function), F(shapes), F(where), F(is_emulated), F(site).flat(),
             F(times).as("seconds"), F(hot).as("hotSeconds"), F(in_a_row).if_any(), F(flops), F(flops_at_most),
             F(flops_unknown).or_null(), F(bytes), F(roofline), F(is_memory_bound).hidden(), F(uses_matrix_units),
             F(matrix_type), F(sum_type), F(peak_flops), F(peak_bytes_per_second), F(roofs), F(notes),
             F(clocks).if_any(), F(baseline).hidden(), F(baseline_times).hidden(), F(baseline_hot).hidden(),
             F(baseline_difference).hidden(), F(verdict).if_any());
HIDET_STRUCT(BenchResult, in_outcome, HIDET_OUTCOME, F(rows));

HIDET_STRUCT(ArgumentSpec, 0, F(name), F(dtype), F(shape), F(fill), F(file), F(value));
HIDET_STRUCT(Reference, 0, F(kind), F(function), F(module), F(script));
HIDET_STRUCT(Tolerance, 0, F(absolute), F(relative));
HIDET_STRUCT(Dimension, 0, F(name), F(value));
HIDET_STRUCT(Sweep, 0, F(name), F(values));
// Left out: progress.
HIDET_STRUCT(KernelBenchRequest, 1, F(run), F(calls), F(module), F(function), F(arguments), F(dimensions), F(reference),
             F(tolerance), F(measure), F(figures), F(arch), F(vary), F(against), F(other), F(save));
HIDET_STRUCT(Verdict, 0, F(kind), F(sentence));
HIDET_STRUCT(ErrorMap, 0, F(matrix_rows), F(matrix_columns), F(cell_rows), F(cell_columns), F(rows), F(columns),
             F(values));
HIDET_STRUCT(WrongOwner, 0, F(kernel), F(threads), F(wrong), F(written), F(at));
HIDET_STRUCT(Comparison, 0, F(tensor), F(dtype), F(shape), F(refusal).or_null(), F(absolute), F(relative), F(count),
             F(bad), F(max_absolute), F(max_relative), F(mean_absolute), F(max_ulp), F(first_bad).or_null(),
             F(worst).or_null(), F(got), F(wanted), F(got_nan), F(got_infinite), F(wanted_nan), F(wanted_infinite),
             F(never_written), F(map), F(owners).if_any());
HIDET_STRUCT(RunResult, in_outcome, HIDET_OUTCOME, F(summary), F(verdict).hidden(), F(comparisons).if_any());
HIDET_STRUCT(KernelFacts, 0, F(name), F(registers), F(stack_bytes), F(spill_store_bytes), F(spill_load_bytes),
             F(static_shared_bytes), F(barriers));
HIDET_STRUCT(Occupancy, 0, F(blocks), F(warps), F(most_warps), F(fraction), F(limits).hidden(), F(limited_by),
             F(multiprocessors), F(busy_multiprocessors), F(waves), F(registers_away), F(shared_bytes_away),
             F(one_more), F(impossible).or_null());
HIDET_STRUCT(artifact::LaunchShape, 0, F(grid), F(block), F(cluster), F(dynamic_shared).as("dynamicSharedBytes"),
             F(cooperative).hidden(), F(programmatic).hidden());
HIDET_STRUCT(OwnerLaunch, 0, F(kernel), F(shape).flat());
HIDET_STRUCT(SavedTensor, 0, F(name), F(dtype), F(shape), F(is_written), F(file).or_null(), F(wanted_file).or_null(),
             F(wanted_dtype).hidden(), F(absolute), F(relative), F(refusal).if_any(), F(is_before), F(block).if_any(),
             F(is_asked).hidden(), F(memory).if_any(), F(found_at).if_any(), F(written_file).if_any(),
             F(owner_file).if_any(), F(owner_launches).if_any());
HIDET_STRUCT(KernelView, 0, F(name), F(arch), F(facts).flat(), F(unavailable).or_null(), F(launch).flat(), F(launches),
             F(occupancy));
HIDET_STRUCT(SweepPoint, 0, F(value), F(shapes), F(verdict), F(max_absolute), F(bad), F(measured),
             F(unavailable).or_null());
HIDET_STRUCT(RooflinePoint, 0, F(label), F(intensity), F(flops_per_second));
HIDET_STRUCT(Roofline, 0, F(roofs), F(point).flat(), F(unknown).or_null(), F(limits), F(reached));
HIDET_STRUCT(AroundView, 0, F(variable), F(trips), F(matters), F(by).or_null());
HIDET_STRUCT(LanesView, 0, F(warp), F(offsets), F(bytes), F(sectors).if_any(), F(lines), F(banks).if_any(), F(parts),
             F(is_broadcast), F(units), F(least));
HIDET_STRUCT(HeldView, 0, F(over), F(requests), F(bytes), F(units), F(least));
HIDET_STRUCT(AccessView, 0, F(kernel).hidden(), F(place).flat(), F(kind), F(memory), F(tensor), F(lane_bytes),
             F(vector), F(form), F(address), F(around), F(independent), F(is_guarded), F(counted), F(why), F(requests),
             F(bytes), F(unit), F(units), F(least), F(ratio), F(worst), F(lanes), F(held).or_null(), F(note).if_any(),
             F(verdict), F(finding), F(cure), F(fixes));
HIDET_STRUCT(CostView, in_kernel_cost, F(grid), F(block), F(flops).or_null(), F(flops_unknown), F(flops_at_most),
             F(flops_sampled), F(requested_bytes), F(sector_bytes), F(unique_bytes), F(shared_bytes), F(bytes_unknown),
             F(intensity).or_null(), F(static_shared), F(dynamic_shared), F(facts).or_null(), F(facts_unknown),
             F(occupancy), F(waves), F(tail), F(predicted_seconds), F(occupancy_seconds), F(idle_seconds),
             F(queue_seconds), F(at_least), F(pipes), F(roofline), F(of_roof).or_null());
HIDET_STRUCT(WaveOperand, 0, F(tensor), F(direction), F(requested), F(distinct), F(is_at_most));
HIDET_STRUCT(WaveView, 0, F(number), F(blocks), F(operands), F(requested), F(distinct), F(reused), F(hits));
HIDET_STRUCT(WavesView, 0, F(unknown).or_null(), F(resident).as("slots"), F(multiprocessors), F(of_each), F(blocks),
             F(rounds_of), F(count), F(last), F(lost), F(lost_seconds).or_null(), F(l2_bytes), F(grid_of), F(rows),
             F(columns), F(grid), F(waves), F(left_out), F(requested), F(distinct), F(hits));
HIDET_STRUCT(Pipe, 0, F(name), F(cycles));
HIDET_STRUCT(LoopAdvice, 0, F(rule), F(edit), F(evidence), F(gain), F(limit));
HIDET_STRUCT(LoopView, 0, F(place).flat(), F(variable), F(trips), F(is_inner), F(unknown).or_null(), F(flops),
             F(matrix_flops), F(flops_at_most), F(flops_unknown).or_null(), F(global_bytes), F(shared_bytes),
             F(sector_bytes), F(distinct_bytes), F(pipes), F(limiter), F(advice));
HIDET_STRUCT(BlockOperand, 0, F(tensor), F(direction), F(dtype), F(shape), F(low), F(high), F(read), F(written),
             F(outside), F(is_at_most), F(rows), F(columns), F(cell_rows), F(cell_columns), F(read_share),
             F(written_share));
HIDET_STRUCT(BlockView, 0, F(block), F(grid), F(unknown).or_null(), F(operands), F(left_out));
HIDET_STRUCT(SharedTensor, 0, F(name), F(dtype), F(shape), F(offset), F(bytes), F(is_dynamic), F(stages), F(place),
             F(first), F(last), F(begin), F(end));
HIDET_STRUCT(SharedMoment, 0, F(statement), F(bytes));
HIDET_STRUCT(SharedView, 0, F(tensors), F(statements), F(bytes), F(peak), F(peak_at), F(unused), F(moments), F(advice));
HIDET_STRUCT(TurnView, 0, F(variable), F(number));
HIDET_STRUCT(BoundsAccess, 0, F(place).flat(), F(kind), F(memory), F(tensor), F(verdict), F(for_any_size),
             F(why).if_any(), F(example).if_any(), F(block).if_any(), F(thread).if_any(), F(turns).if_any(),
             F(index).if_any(), F(shape).if_any(), F(threads));
HIDET_STRUCT(BoundsView, 1, F(sentence), F(sizes), F(accesses), F(proved), F(undecided), F(leaves));
HIDET_STRUCT(ClaimView, 0, F(claim), F(verdict), F(places));
HIDET_STRUCT(DoubtView, 0, F(claim), F(verdict), F(place).flat(), F(beside), F(tensor), F(sentence));
HIDET_STRUCT(ProvedKernel, 0, F(module), F(name), F(place).flat(), F(claims), F(doubts), F(questions),
             F(seconds).hidden());
HIDET_STRUCT(ProveResult, in_outcome, HIDET_OUTCOME, F(kernels), F(modules_built).hidden());
HIDET_STRUCT(KernelFinding, 0, F(figure), F(sentence), F(cure), F(place), F(seconds), F(fixes));
HIDET_STRUCT(KernelExplained, 2, F(module), F(launched_by).hidden(), F(launches), F(all_seconds),
             F(is_launched_in_loop).hidden(), F(name), F(place).flat(), F(target), F(sizes), F(accesses), F(cost),
             F(coalesced), F(conflicts), F(is_all_counted), F(waves).if_any(), F(loops).if_any(), F(shared).if_any(),
             F(block).if_any(), F(bounds).if_any(), F(findings).if_any());
HIDET_STRUCT(LaunchTotal, 0, F(module), F(function), F(launches), F(predicted_seconds), F(at_least));
HIDET_STRUCT(ExplainResult, in_outcome, HIDET_OUTCOME, F(kernels), F(totals).if_any(), F(modules_built).hidden(),
             F(analysis_ms));
HIDET_STRUCT(CompiledTextResult, in_outcome, HIDET_OUTCOME, F(arch), F(kernels), F(ptx).or_null(), F(sass).or_null());
HIDET_STRUCT(StallView, 0, F(reason), F(name), F(samples));
HIDET_STRUCT(TrafficView, 0, F(count), F(least));
HIDET_STRUCT(ForeseenView, 0, F(count), F(least), F(is_exact));
HIDET_STRUCT(ProfiledInstruction, 0, F(line).as("listingLine"), F(place).flat(), F(text), F(offset), F(executed),
             F(threads), F(samples), F(divergent), F(sectors), F(wavefronts), F(stalls).if_any());
HIDET_STRUCT(ProfiledLine, 0, F(place).flat(), F(executed), F(threads), F(samples), F(divergent), F(share), F(sectors),
             F(wavefronts), F(foreseen_sectors).or_null(), F(foreseen_wavefronts).or_null(), F(remark).if_any(),
             F(stalls).if_any());
HIDET_STRUCT(ProfiledKernel, 0, F(name), F(module), F(place).flat(), F(arch), F(seconds), F(dram_bytes), F(l2_bytes),
             F(registers), F(occupancy), F(compute_roof), F(memory_roof), F(executed), F(samples), F(sectors),
             F(wavefronts), F(lines_unknown), F(stalls), F(lines), F(instructions));
HIDET_STRUCT(ProfileResult, in_outcome, HIDET_OUTCOME, F(kernels), F(output), F(command), F(modules_built).hidden());
HIDET_STRUCT(ContractView, 0, F(place).flat(), F(text), F(kernel), F(name), F(state), F(figure).or_null(),
             F(verdict).if_any(), F(sentence));
HIDET_STRUCT(ContractResult, in_outcome, HIDET_OUTCOME, F(contracts), F(modules_built).hidden());
HIDET_STRUCT(KernelRecord, 0, F(name), F(registers), F(spill_bytes), F(shared_bytes), F(occupancy).or_null());
HIDET_STRUCT(RunRecord, 0, F(when), F(number), F(script), F(hash), F(edited), F(module), F(function), F(shapes),
             F(target), F(where), F(verdict), F(sentence), F(max_absolute).or_null(), F(times).as("seconds").or_null(),
             F(clocks).if_any(), F(flops).or_null(), F(bytes), F(roofline).or_null(), F(kernels),
             F(predicted).as("predictedSeconds").or_null(), F(name), F(is_baseline));
HIDET_STRUCT(CodeFigures, 0, F(registers).or_null(), F(shared_bytes).or_null(),
             F(predicted).as("predictedSeconds").or_null(), F(measured).as("measuredSeconds").or_null());
HIDET_STRUCT(TextStep, 0, F(when), F(hash), F(runs), F(run).hidden(), F(figures).flat(), F(changes));
HIDET_STRUCT(Delta, 0, F(change), F(ratio), F(sentence));
HIDET_STRUCT(Slowdown, 0, F(fastest), F(before), F(after), F(unknown), F(whole), F(step));
HIDET_STRUCT(KernelBenchResult, in_outcome, HIDET_OUTCOME, F(summary).hidden(), F(script).hidden(), F(module),
             F(function), F(shapes), F(where), F(other_size).if_any(), F(reference), F(verdict), F(comparisons),
             F(measured), F(bytes_per_second), F(flops_per_second), F(roofline), F(kernels), F(sweep),
             F(tensors).if_any());
HIDET_STRUCT(SideBySide, 0, F(word), F(why), F(is_predicted), F(seconds), F(other_seconds), F(bench).as("kernelBench"));
HIDET_STRUCT(TensorStatistics, 0, F(count), F(unwritten), F(nan), F(infinite), F(zeros), F(min), F(max), F(mean),
             F(deviation), F(histogram).if_any(), F(refusal).if_any());
HIDET_STRUCT(TensorDifference, 0, F(count), F(bad), F(max_absolute), F(mean_absolute), F(worst).hidden(),
             F(refusal).if_any());
HIDET_STRUCT(TensorView, 0, F(file), F(dtype), F(shape), F(statistics), F(difference), F(worst).if_any(), F(slice),
             F(rows), F(columns), F(values), F(wrong).if_any(), F(where).if_any());

// Left out: tools, cancelled, progress, print, calling, and what is of several processes, which no worker is one of.
#define HIDET_MODEL_REQUEST                                                                                            \
    F(path), F(target), F(dims), F(precision), F(quantize), F(quantize_limit), F(off), F(on), F(choices),              \
        F(choices_text), F(with), F(traced), F(specialise), F(texts), F(fuse), F(space), F(records), F(deadline),      \
        F(tuned), F(measures), F(seed), F(kernel_seconds), F(fault)
HIDET_STRUCT(ModelRequest, 13, HIDET_MODEL_REQUEST);
HIDET_STRUCT(ModelRunRequest, in_model_request, HIDET_MODEL_REQUEST, F(inputs), F(data), F(expected), F(output),
             F(trace), F(compare), F(results), F(relative), F(absolute), F(trusts), F(entry));
#undef HIDET_MODEL_REQUEST
HIDET_STRUCT(ModelTensor, 0, F(name), F(dtype), F(shape));
HIDET_STRUCT(ModelKernel, 0, F(name), F(nodes).as("operators"), F(program), F(schedule).as("template"), F(launches));
HIDET_STRUCT(ModelRearrangement, 0, F(name), F(moves).as("operators"), F(bytes));
HIDET_STRUCT(ModelWeight, 0, F(node), F(error), F(before).as("bytesBefore"), F(after).as("bytesAfter"),
             F(left).if_any());
HIDET_STRUCT(ModelPlacement, 0, F(node), F(op), F(placement), F(left).if_any());
HIDET_STRUCT(ModelFacts, 0, F(name), F(producer), F(opset), F(target), F(inputs), F(outputs), F(symbols),
             F(imported_nodes), F(nodes), F(groups), F(steps), F(host_steps), F(programs), F(kernels), F(launches),
             F(weight_bytes), F(arena_bytes), F(arena_bound), F(refused), F(rearrangements), F(quantized).if_any(),
             F(placements).if_any(), F(schedules).hidden());
HIDET_STRUCT(ModelOutput, 0, F(tensor).flat(), F(summary), F(file).or_null(), F(comparison));
HIDET_STRUCT(ModelFewBits, 0, F(node), F(node_id).as("id"), F(shape), F(weight_error), F(result_error));
HIDET_STRUCT(ModelNodeError, 0, F(node), F(op), F(kernel), F(node_id).hidden(), F(step), F(max_absolute), F(relative),
             F(tolerance), F(is_bad).hidden(), F(dtype).hidden(), F(shape).hidden(), F(file).if_any(),
             F(wanted_file).if_any(), F(absolute).hidden());
HIDET_STRUCT(DeviceRoofs, 0, F(name), F(flops).as("flopsPerSecond"), F(matrix_flops).as("matrixFlopsPerSecond"),
             F(bytes_per_second), F(launch_seconds), F(is_measured), F(cache_bytes).hidden(),
             F(cache_bytes_per_second).hidden());
HIDET_STRUCT(ModelStepRow, 0, F(step), F(group), F(node_ids).as("ids"), F(kernel), F(nodes).as("operators"), F(seconds),
             F(spread), F(start_seconds), F(run_seconds), F(launches), F(is_host), F(least_seconds),
             F(least_in_run).hidden(), F(constant_bytes).hidden(), F(bound), F(flops), F(bytes),
             F(recorded_seconds).if_any());
HIDET_STRUCT(RecordedRun, 0, F(name), F(seconds));
HIDET_STRUCT(NumberRow, 0, F(name), F(op), F(value), F(text));
HIDET_STRUCT(NumberTable, in_outcome, HIDET_OUTCOME, F(title), F(unit), F(rows), F(unmatched), F(refusal).if_any());
HIDET_STRUCT(ModelCompileResult, in_outcome, HIDET_OUTCOME, F(facts).as("model"), F(kernels));
HIDET_STRUCT(ModelMesh, 0, F(data), F(tensor), F(kernel_seconds), F(exchange_seconds), F(network_seconds), F(kernels),
             F(exchanges), F(exchanged_bytes), F(weight_bytes), F(arena_bytes));
HIDET_STRUCT(ModelScaleRow, 0, F(gpus), F(mesh), F(seconds), F(steps_per_second), F(efficiency), F(has_room));
HIDET_STRUCT(ModelDegree, 0, F(tensor), F(why));
HIDET_STRUCT(ModelLinks, 0, F(bytes_per_second), F(seconds), F(gpus_per_host), F(network_bytes_per_second),
             F(network_seconds));
HIDET_STRUCT(ModelScaleResult, in_outcome, HIDET_OUTCOME, F(name), F(device), F(memory_bytes), F(links), F(batch),
             F(assumes).if_any(), F(not_counted), F(rows), F(meshes), F(left_out).if_any(), F(stops_at), F(verdict));
HIDET_STRUCT(ModelRunResult, in_outcome, HIDET_OUTCOME, F(facts).as("model"), F(where), F(outputs), F(nodes),
             F(nodes_not_compared), F(few_bits).if_any(), F(run_ms).as("milliseconds"), F(is_replayed));
HIDET_STRUCT(ModelBenchResult, in_outcome, HIDET_OUTCOME, F(facts).as("model"), F(where), F(is_emulated),
             F(times).as("seconds"), F(is_replayed), F(host_us).as("hostMicroseconds"), F(flops), F(bytes),
             F(roofs).as("device"), F(steps), F(against).if_any());
HIDET_STRUCT(ModelRecord, 0, F(when), F(number), F(model), F(graph), F(where), F(target), F(is_emulated),
             F(times).as("seconds"), F(nodes), F(kernels), F(launches), F(flops), F(bytes), F(roofs).as("device"),
             F(steps), F(choices).if_any(), F(precision).if_any(), F(quantize).if_any(), F(quantize_limit).if_any(),
             F(dims).if_any(), F(name).if_any());
HIDET_STRUCT(ComparedKernelRow, 0, F(name), F(left_seconds), F(right_seconds), F(left_kernels), F(right_kernels),
             F(is_within_spread));
HIDET_STRUCT(ComparedTotalRow, 0, F(title), F(unit), F(left), F(right));
HIDET_STRUCT(RunComparison, in_outcome, HIDET_OUTCOME, F(left), F(right), F(is_measured), F(operators), F(totals),
             F(slower), F(faster), F(unchanged));
HIDET_STRUCT(ChangeCounts, 0, F(added), F(gone), F(changed));
HIDET_STRUCT(ChangeRow, 0, F(depth), F(change), F(name), F(op).if_any(), F(count), F(counts), F(partners).if_any(),
             F(rule).if_any());
HIDET_STRUCT(ModelChanges, in_outcome, HIDET_OUTCOME, F(from), F(to), F(from_nodes), F(to_nodes), F(total), F(rows));
HIDET_STRUCT(TunedCandidate, 0, F(schedule), F(source), F(predicted), F(seconds), F(spread), F(beside), F(is_recorded),
             F(discarded).if_any());
HIDET_STRUCT(TunedOperator, 0, F(name), F(nodes).as("operators"), F(uses), F(keys), F(anchors).hidden(), F(signature),
             F(best).if_any(), F(candidates), F(refused));
HIDET_STRUCT(TunedFusion, 0, F(producer), F(consumer), F(uses), F(was_fused), F(is_fused), F(fused), F(apart),
             F(discarded).if_any());
HIDET_STRUCT(tune::RecordKey, 0, F(op), F(machine), F(source), F(schedule));
HIDET_STRUCT(ModelTuneResult, in_outcome, HIDET_OUTCOME, F(where), F(measured), F(can_measure), F(is_complete),
             F(is_lost).hidden(), F(fusions), F(operators), F(missing).hidden());
HIDET_STRUCT(ModelOperatorLine, 0, F(node).as("id"), F(key), F(name), F(line));
HIDET_STRUCT(ModelProgram::Use, 0, F(step), F(nodes).as("operators"));
HIDET_STRUCT(ModelProgram, 0, F(key), F(nodes).as("operators"), F(uses), F(module));
HIDET_STRUCT(ModelCodeResult, in_outcome, HIDET_OUTCOME, F(graph_name).hidden(), F(graph_text).hidden(), F(operators),
             F(programs));

HIDET_STRUCT(ToolFact, in_tool_finding, F(name), F(serves), F(usable), F(path), F(version), F(origin), F(problem),
             F(advice), F(looked));
HIDET_STRUCT(GpuFact, 0, F(usable), F(name), F(arch), F(multiprocessors), F(memory_bytes));
HIDET_STRUCT(SandboxFact, 0, F(keeps_files), F(what));
HIDET_STRUCT(DoctorReport, 0, F(gpu), F(tools), F(sandbox));
HIDET_STRUCT(artifact::SpecRow, 0, F(what), F(value));
HIDET_STRUCT(MachineView, 0, F(id).or_null(), F(name), F(rows).hidden());
HIDET_STRUCT(toolchain::SharedCounts, 0, F(place), F(hits), F(misses), F(ignored), F(stored), F(problem));
HIDET_STRUCT(CacheReport, 0, F(folder), F(entries), F(bytes), F(limit), F(shared));

HIDET_MADE_KINDS()
template const Kind& kind_of<SideBySide>();

} // namespace hidet::session::fields
