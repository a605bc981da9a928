// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/pipes.h"

#include <algorithm>
#include <functional>

namespace hidet::perf {

using artifact::Arithmetic;

namespace {

constexpr double special_lanes = 16; // of a multiprocessor in a cycle
constexpr double of_multiply_add = 2;

} // namespace

const char* pipe_name(PipeKind pipe) {
    switch (pipe) {
    case PipeKind::Matrix: return "matrix units";
    case PipeKind::Arithmetic: return "arithmetic";
    case PipeKind::Special: return "special functions";
    case PipeKind::Memory: return "shared memory/L1";
    case PipeKind::Queue: return "updates of one word";
    case PipeKind::Device: return "device memory";
    }
    return "";
}

double memory_cycles(bool is_shared, double requests, double units) {
    return is_shared ? units : std::max(requests, units / sectors_a_cycle);
}

PipeWork pipe_work(const perf::WorkCount& of_thread, double threads) {
    PipeWork out;
    out.matrix_flops = of_thread.matrix_flops * threads;
    out.matrix_units = artifact::matrix_arithmetic(of_thread.matrix_type, of_thread.sum_type_name());
    out.instructions = of_thread.instructions * threads;
    out.doubles = of_thread.doubles * threads;
    out.special = of_thread.special * threads;
    return out;
}

double rate_of(const artifact::TargetSpec& target, double per_second) {
    const double cycles = target.clock_mhz * 1e6 * target.multiprocessors;
    return cycles > 0 ? per_second / cycles : 0;
}

std::vector<Pipe> pipes_of(const PipeWork& work, const artifact::TargetSpec& target) {
    std::vector<Pipe> out;
    const auto add = [&](PipeKind pipe, double amount, double rate) {
        if (amount > 0 && rate > 0)
            out.push_back({pipe_name(pipe), amount / rate});
    };
    const auto lanes = [&](Arithmetic arithmetic) {
        return rate_of(target, target.peak(arithmetic)) / of_multiply_add;
    };
    const double f32 = lanes(Arithmetic::F32), f64 = lanes(Arithmetic::F64);
    const double doubles = f64 > 0 ? work.doubles / f64 : 0; // cycles
    add(PipeKind::Matrix, work.matrix_flops, work.matrix_units ? rate_of(target, target.peak(*work.matrix_units)) : 0);
    add(PipeKind::Arithmetic, work.instructions + doubles * f32, f32);
    add(PipeKind::Special, work.special, special_lanes);
    add(PipeKind::Memory, work.memory_cycles, 1);
    add(PipeKind::Queue, work.queue_cycles, 1);
    add(PipeKind::Device, work.device_bytes, rate_of(target, target.bytes_per_second));
    std::ranges::stable_sort(out, std::greater(), &Pipe::cycles);
    return out;
}

} // namespace hidet::perf
