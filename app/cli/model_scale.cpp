// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_scale.h"

#include <algorithm>

#include "app/cli/output.h"
#include "app/cli/text/cells.h"
#include "app/cli/text/numbers.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"

namespace hidet::cli {

using namespace session;

namespace {

constexpr std::int64_t most_gpus = 65'536;
constexpr std::int64_t usual_counts[] = {1, 2, 4, 8, 16, 64, 256, 1024, 4096, 16'384, 65'536};

std::string mesh_of(const ModelScaleRow& row) {
    const std::string mesh = row.mesh.gpus() == 1 ? "-" : mesh_text(row.mesh);
    const std::int64_t idle = row.gpus - row.mesh.gpus();
    return idle > 0 ? cat(mesh, ", ", idle, " idle") : mesh;
}

// Which link exchanges wait for longer.
std::string link_of(const ModelMesh& mesh) {
    if (mesh.exchanges == 0)
        return "-";
    return 2 * mesh.network_seconds > mesh.exchange_seconds ? "between hosts" : "within a host";
}

Cells cells_of(const ModelScaleRow& row) {
    const ModelMesh& mesh = row.mesh;
    return cells(right(cat(row.gpus)), mesh_of(row), right(time_text(row.seconds)),
                 right(time_text(mesh.kernel_seconds)), right(time_text(mesh.exchange_seconds)),
                 right(cat(mesh.exchanges)), right(bytes_text(mesh.exchanged_bytes)), link_of(mesh),
                 right(three_digits(row.steps_per_second)), right(percent_text(row.efficiency)),
                 right(bytes_text(mesh.weight_bytes)));
}

std::string links_text(const ModelLinks& links) {
    const std::string within = cat(si_text(links.bytes_per_second, "B/s"), ", ", time_text(links.seconds));
    if (links.gpus_per_host <= 0)
        return within;
    return cat(within, " within a host of ", links.gpus_per_host, "; ", si_text(links.network_bytes_per_second, "B/s"),
               ", ", time_text(links.network_seconds), " a hop between hosts");
}

std::string notes_text(const ModelScaleResult& result) {
    std::string out;
    for (const ModelDegree& each : result.left_out)
        out += cat("left out: tensor=", each.tensor, " and its multiples, which share no operator: ", each.why, "\n");
    std::vector<std::string> crowded;
    for (const ModelScaleRow& row : result.rows)
        if (!row.has_room)
            crowded.push_back(cat(row.gpus));
    if (!crowded.empty())
        out += cat("no room in the ", bytes_text(result.memory_bytes),
                   " of a GPU for weights and what is between kernels: on ", join(crowded, ", "), "\n");
    if (!result.assumes.empty())
        out += cat("counted as 1: ", join(result.assumes, ", "), ", which --dim gives\n");
    if (result.not_counted > 0)
        out += cat("not counted: ", count_of(static_cast<std::int64_t>(result.not_counted), "step"), " on the host\n");
    return out;
}

} // namespace

bool read_gpu_counts(const std::string& text, std::vector<std::int64_t>& counts) {
    for (const std::string& each : split(text, ',')) {
        std::int64_t count = 0;
        if (!read_number(each, count) || count < 1 || count > most_gpus)
            return wrong_usage(cat("'", each, "' is no number of GPUs between 1 and ", most_gpus,
                                   ": '--scale 1024' goes up to there, '--scale 1,8,64' has these"));
        counts.push_back(count);
    }
    if (counts.size() == 1) {
        const std::int64_t most = counts.front();
        std::ranges::copy_if(usual_counts, std::back_inserter(counts),
                             [&](std::int64_t count) { return count < most; });
    }
    std::ranges::sort(counts);
    counts.erase(std::ranges::unique(counts).begin(), counts.end());
    return true;
}

std::string scale_text(const ModelScaleResult& result) {
    const std::vector<Cells> facts = {
        {{"links"}, {links_text(result.links)}},
        {{"batch"}, {cat(result.batch)}},
        {{"step"}, {"kernels as fast as memory, arithmetic and launches allow, and exchanges, one behind the other"}}};
    std::vector<Cells> rows = {titles({"GPUs>", "mesh", "step>", "kernels>", "exchanges>", "number>", "bytes>",
                                       "slowest link", "steps/s>", "efficiency>", "weights>"})};
    for (const ModelScaleRow& row : result.rows)
        rows.push_back(cells_of(row));
    return cat(result.name.empty() ? "model" : result.name, " on GPUs as ", result.device, ", predicted\n",
               columns_text(facts), "\n", columns_text(rows), "\n", notes_text(result), result.verdict, "\n");
}

} // namespace hidet::cli
