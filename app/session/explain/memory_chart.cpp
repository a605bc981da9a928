// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/memory_chart.h"

#include "compiler/analysis/access/access_map.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using compiler::access::AccessKind;

constexpr double bytes_of_wavefront = 128;

bool is(const AccessView& view, AccessKind kind) {
    return view.kind == kind_name(kind);
}

bool is_write(const AccessView& view) {
    return is(view, AccessKind::Store) || is(view, AccessKind::StoreMatrix);
}

// From global to shared memory, past the registers.
bool is_copy(const AccessView& view) {
    return is(view, AccessKind::CopyAsync) || is(view, AccessKind::CopyUnit);
}

struct Sum {
    double read = 0, written = 0;
    void add(bool writes, double bytes) { (writes ? written : read) += bytes; }
    double both() const { return read + written; }
};

MemoryFlow flow_of(MemoryLevel from, MemoryLevel to, const Sum& sum) {
    MemoryFlow out;
    out.from = from, out.to = to;
    out.read = sum.read, out.written = sum.written;
    out.bytes = sum.both();
    return out;
}

struct Sums {
    Sum asked, copied, sectors; // of global memory
    Sum shared, wavefronts;
    double least_wavefronts = 0, least_sectors = 0;
    double wavefronts_in_ir = 0, sectors_in_ir = 0;
    bool has_multicast = false;
};

// What the compiler can hold in registers over loops is loaded once before them.
Sums sums_of(const std::vector<AccessView>& accesses) {
    Sums out;
    for (const AccessView& view : accesses) {
        const HeldView moved = view.held.value_or(HeldView{{}, view.requests, view.bytes, view.units, view.least});
        if (view.memory == "shared") {
            out.wavefronts.add(is_write(view) || is_copy(view), moved.units * bytes_of_wavefront);
            out.least_wavefronts += moved.least;
            out.wavefronts_in_ir += view.units;
            if (!is_copy(view))
                out.shared.add(is_write(view), moved.bytes);
            continue;
        }
        (is_copy(view) ? out.copied : out.asked).add(is_write(view), moved.bytes);
        out.sectors.add(is_write(view), moved.units * artifact::sector_bytes);
        out.least_sectors += moved.least;
        out.sectors_in_ir += view.units;
        out.has_multicast = out.has_multicast || !view.note.empty();
    }
    return out;
}

// How much more it would be if every load of the IR were one of the machine.
std::string held_text(double in_ir, double units) {
    return in_ir > units
               ? cat("; ", three_digits(in_ir / units), " times that without loads held in registers over loops")
               : "";
}

std::string ratio_text(double ratio, const char* units) {
    return ratio > 1 ? cat(three_digits(ratio), " times the ideal ", units) : cat("as few ", units, " as possible");
}

void add_device(const CostView& cost, const Sums& sums, MemoryChart& out) {
    if (cost.unique_bytes <= 0)
        return;
    MemoryFlow flow;
    flow.from = MemoryLevel::Device, flow.to = MemoryLevel::Second;
    flow.bytes = cost.unique_bytes;
    flow.is_least = true;
    flow.ratio = sums.sectors.both() / cost.unique_bytes;
    flow.says = flow.ratio > 1 ? cat("each argument once; L2 moves ", three_digits(flow.ratio), " times that")
                               : "each argument once";
    out.flows.push_back(std::move(flow));
}

void add_global(const Sums& sums, MemoryChart& out) {
    const double asked = sums.asked.both() + sums.copied.both();
    if (asked <= 0)
        return;
    MemoryFlow sectors = flow_of(MemoryLevel::Second, MemoryLevel::First, sums.sectors);
    sectors.ratio = sums.least_sectors > 0 ? sums.sectors.both() / (sums.least_sectors * artifact::sector_bytes) : 1;
    sectors.says = ratio_text(sectors.ratio, "sectors");
    sectors.says += held_text(sums.sectors_in_ir, sums.sectors.both() / artifact::sector_bytes);
    if (sums.has_multicast)
        sectors.says += "; a copy to several blocks of a cluster is one read";
    out.flows.push_back(std::move(sectors));
    if (sums.copied.both() > 0) {
        out.flows.push_back(flow_of(MemoryLevel::First, MemoryLevel::Shared, sums.copied));
        out.flows.back().says = sums.has_multicast ? "copies, past the registers; each block of a cluster gets its own"
                                                   : "copies, past the registers";
    }
    if (sums.asked.both() > 0) {
        out.flows.push_back(flow_of(MemoryLevel::First, MemoryLevel::Registers, sums.asked));
        out.flows.back().says = "what threads ask for";
    }
}

void add_shared(const Sums& sums, MemoryChart& out) {
    if (sums.shared.both() <= 0)
        return;
    MemoryFlow flow = flow_of(MemoryLevel::Shared, MemoryLevel::Registers, sums.shared);
    const double wavefronts = sums.wavefronts.both() / bytes_of_wavefront;
    flow.ratio = sums.least_wavefronts > 0 ? wavefronts / sums.least_wavefronts : 1;
    flow.says = ratio_text(flow.ratio, "wavefronts");
    flow.says += held_text(sums.wavefronts_in_ir, wavefronts);
    out.flows.push_back(std::move(flow));
}

void add_local(const CostView& cost, MemoryChart& out) {
    if (!cost.facts || cost.facts->spill_load_bytes + cost.facts->spill_store_bytes == 0)
        return;
    double threads = 1;
    for (const auto& extents : {cost.grid, cost.block})
        for (const std::int64_t extent : extents)
            threads *= static_cast<double>(extent);
    out.flows.push_back(flow_of(MemoryLevel::Local, MemoryLevel::Registers,
                                {threads * cost.facts->spill_load_bytes, threads * cost.facts->spill_store_bytes}));
    out.flows.back().is_least = true;
    out.flows.back().says = "spilled registers, each once a thread";
}

void add_counted(const CountedTraffic& counted, MemoryChart& out) {
    for (MemoryFlow& flow : out.flows) {
        if (flow.from == MemoryLevel::Device)
            flow.counted = counted.device;
        else if (flow.from == MemoryLevel::Second)
            flow.counted = counted.second;
        else if (flow.from == MemoryLevel::First && flow.to == MemoryLevel::Registers)
            flow.counted = counted.first;
        else if (flow.from == MemoryLevel::Shared)
            flow.counted = counted.shared;
    }
}

} // namespace

const char* memory_level_name(MemoryLevel level) {
    switch (level) {
    case MemoryLevel::Device: return "global memory";
    case MemoryLevel::Second: return "L2";
    case MemoryLevel::First: return "L1";
    case MemoryLevel::Shared: return "shared memory";
    case MemoryLevel::Local: return "local memory";
    case MemoryLevel::Registers: return "registers";
    }
    return "";
}

MemoryChart memory_chart(const KernelExplained& kernel, const std::optional<CountedTraffic>& counted) {
    MemoryChart out;
    const Sums sums = sums_of(kernel.accesses);
    if (kernel.cost) {
        out.unknown = kernel.cost->bytes_unknown;
        add_device(*kernel.cost, sums, out);
    }
    add_global(sums, out);
    add_shared(sums, out);
    if (kernel.cost)
        add_local(*kernel.cost, out);
    if (counted)
        add_counted(*counted, out);
    return out;
}

} // namespace hidet::session
