// SPDX-License-Identifier: Apache-2.0
#include "app/session/report/kernel_part.h"

#include "app/session/fields/choices.h"
#include "app/session/picture/pictures.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t most_pictures = 12; // of accesses of a kernel

std::string extents_text(const std::vector<std::int64_t>& extents) {
    return join(transformed(extents, [](const std::int64_t extent) { return std::to_string(extent); }), " x ");
}

void add_waves(Page& page, const WavesView& waves) {
    page.subheading("Waves");
    if (!waves.unknown.empty())
        return page.paragraph(cat("Not known: ", waves.unknown, "."), "faint");
    page.paragraph(cat(waves.blocks, " blocks, of which ", waves.resident, " run together; the last ",
                       waves.rounds_of.empty() ? "wave" : "turn", " has work for ", percent_text(waves.last), ", and ",
                       percent_text(waves.lost), " of the time is lost if all blocks take equally long."));
    page.figure(picture_of(waves));
    Table table{
        {waves.rounds_of.empty() ? "wave" : "turn", "blocks", "asked for", "distinct", "from the second-level cache"}};
    for (const WaveView& wave : waves.waves)
        table.add({wave.number, wave.blocks, Cell(bytes_text(wave.requested), wave.requested),
                   Cell(bytes_text(wave.distinct), wave.distinct), Cell(percent_text(wave.hits), wave.hits)});
    if (waves.requested > 0)
        page.table(table);
    if (!waves.left_out.empty())
        page.paragraph(cat("Not followed: ", join(waves.left_out, ", "), "."), "faint");
}

} // namespace

Table cost_table(const KernelExplained& kernel) {
    const CostView& cost = *kernel.cost;
    Table table{{"quantity", "value"}};
    table.add({"grid, block", cat(extents_text(cost.grid), ", ", extents_text(cost.block))});
    table.add({"operations", flops_text(cost)});
    table.add({"global memory", cat(bytes_text(cost.requested_bytes), " requested, ", bytes_text(cost.sector_bytes),
                                    " in sectors, ", bytes_text(cost.unique_bytes), " of arguments")});
    table.add(
        {"registers", cost.facts ? cat(cost.facts->registers, " a thread") : cat("not known: ", cost.facts_unknown)});
    if (cost.occupancy)
        table.add({"occupancy", cost.occupancy->impossible.empty() ? occupancy_text(*cost.occupancy)
                                                                   : "none: " + cost.occupancy->impossible});
    table.add({"predicted", Cell(predicted_text(cost), cost.predicted_seconds)});
    return table;
}

Table why_table(const KernelExplained& kernel) {
    Table table{{"line", "why", "costs", "cure"}};
    for (const KernelFinding& each : kernel.findings)
        table.add({each.place.known() ? Cell(each.place.line) : Cell(""), each.sentence,
                   each.seconds > 0 ? Cell(time_text(each.seconds), each.seconds) : Cell(""), each.cure},
                  each.place);
    return table;
}

Table access_table(const KernelExplained& kernel) {
    Table table{{"line", "access", "memory", "moves", "ideal", "unit", "address in bytes", "finding"}};
    for (const AccessView& view : kernel.accesses) {
        const bool is_counted = view.units > 0;
        table.add({view.place.line, cat(view.kind, " ", view.tensor), view.memory,
                   is_counted ? Cell(count_text(view.units), view.units) : Cell(view.counted),
                   is_counted ? Cell(count_text(view.least), view.least) : Cell(""), is_counted ? view.unit : "",
                   view.address, view.finding},
                  view.place);
    }
    return table;
}

Table verdict_table(const std::vector<KernelExplained>& kernels) {
    Table table{{"kernel", "predicted", "verdict"}};
    for (const KernelExplained& kernel : kernels) {
        std::vector<std::string> found;
        for (const KernelFinding& each : kernel.findings)
            if (each.seconds > 0)
                found.push_back(each.place.known() ? cat("line ", each.place.line, ": ", each.sentence)
                                                   : each.sentence);
        table.add({kernel.name,
                   kernel.cost ? Cell(predicted_text(*kernel.cost), kernel.cost->predicted_seconds) : Cell("not known"),
                   found.empty() ? "nothing found" : join(found, "; ")},
                  kernel.place);
    }
    return table;
}

Table findings_table(const std::vector<DiagnosticView>& findings) {
    const auto index_text = [](const std::array<std::int64_t, 3>& at) {
        return cat("(", at[0], ", ", at[1], ", ", at[2], ")");
    };
    Table table{{"severity", "id", "message", "block", "thread"}};
    for (const DiagnosticView& each : findings)
        table.add({fields::choice_name(each.severity), each.id, each.message,
                   each.where ? index_text(each.where->block) : "", each.where ? index_text(each.where->thread) : ""},
                  each.place);
    return table;
}

void add_kernel(Page& page, const KernelExplained& kernel) {
    page.heading(cat("Kernel ", kernel.name));
    if (!kernel.sizes.empty())
        page.paragraph(cat(kernel.sizes, " by the script's first call."), "faint");
    if (kernel.cost) {
        page.subheading("Cost");
        page.table(cost_table(kernel));
        page.figure(picture_of(kernel.cost->roofline));
    }
    if (const Table why = why_table(kernel); !why.rows.empty()) {
        page.subheading("Why it takes its time");
        page.table(why);
    }
    page.subheading("Accesses");
    page.table(access_table(kernel));
    std::size_t shown = 0;
    for (const AccessView& view : kernel.accesses)
        if (!view.lanes.offsets.empty() && shown++ < most_pictures)
            page.figure(picture_of(view));
    if (kernel.waves)
        add_waves(page, *kernel.waves);
}

} // namespace hidet::session
