// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/json_parts.h"
#include "app/cli/try.h"

namespace hidet::cli {

using namespace session;

static Json json_part(const ErrorMap& map) {
    Json out;
    out["matrix"] = {map.matrix_rows, map.matrix_columns};
    out["cell"] = {map.cell_rows, map.cell_columns};
    out["rows"] = map.rows;
    out["columns"] = map.columns;
    out["values"] = map.values;
    return out;
}

static Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

static Json json_part(const Comparison& comparison) {
    Json out;
    out["tensor"] = comparison.tensor;
    out["dtype"] = comparison.dtype;
    out["shape"] = comparison.shape;
    if (!comparison.refusal.empty()) {
        out["refusal"] = comparison.refusal;
        return out;
    }
    out["tolerance"] = {comparison.absolute, comparison.relative};
    out["count"] = comparison.count;
    out["bad"] = comparison.bad;
    out["maxAbsolute"] = comparison.max_absolute;
    out["maxRelative"] = comparison.max_relative;
    out["meanAbsolute"] = comparison.mean_absolute;
    out["maxUlp"] = comparison.max_ulp;
    out["firstBad"] = comparison.bad > 0 ? Json(comparison.first_bad) : Json(nullptr);
    out["got"] = comparison.bad > 0 ? number_or_null(comparison.got) : Json(nullptr);
    out["wanted"] = comparison.bad > 0 ? number_or_null(comparison.wanted) : Json(nullptr);
    out["gotNan"] = comparison.got_nan;
    out["gotInfinite"] = comparison.got_infinite;
    out["wantedNan"] = comparison.wanted_nan;
    out["wantedInfinite"] = comparison.wanted_infinite;
    out["neverWritten"] = comparison.never_written;
    out["map"] = json_part(comparison.map);
    return out;
}

static Json json_part(const Occupancy& occupancy) {
    Json out;
    out["blocks"] = occupancy.blocks;
    out["warps"] = occupancy.warps;
    out["mostWarps"] = occupancy.most_warps;
    out["fraction"] = occupancy.fraction;
    out["limitedBy"] = occupancy.limited_by;
    out["oneMore"] = occupancy.one_more;
    out["impossible"] = occupancy.impossible.empty() ? Json(nullptr) : Json(occupancy.impossible);
    return out;
}

static Json json_part(const KernelView& kernel) {
    Json out = kernel.facts ? json_part(*kernel.facts) : Json::object();
    out["name"] = kernel.name;
    out["arch"] = kernel.arch;
    out["unavailable"] = kernel.facts ? Json(nullptr) : Json(kernel.unavailable);
    if (!kernel.launched)
        return out;
    out["grid"] = kernel.grid;
    out["block"] = kernel.block;
    out["cluster"] = kernel.cluster;
    out["dynamicSharedBytes"] = kernel.dynamic_shared_bytes;
    out["launches"] = kernel.launches;
    out["occupancy"] = kernel.occupancy ? json_part(*kernel.occupancy) : Json(nullptr);
    return out;
}

static Json json_part(const Verdict& verdict) {
    Json out;
    out["kind"] = verdict_name(verdict.kind);
    out["sentence"] = verdict.sentence;
    return out;
}

static Json json_part(const SweepPoint& point) {
    Json out;
    out["value"] = point.value;
    out["shapes"] = point.shapes;
    out["verdict"] = json_part(point.verdict);
    out["maxAbsolute"] = point.max_absolute;
    out["bad"] = point.bad;
    out["measured"] = point.measured ? json_part(*point.measured) : Json(nullptr);
    out["unavailable"] = point.unavailable.empty() ? Json(nullptr) : Json(point.unavailable);
    return out;
}

static Json json_part(const Roofline& roofline) {
    Json roofs = Json::array();
    for (const Roof& roof : roofline.roofs) {
        Json row;
        row["kind"] = roof.kind == RoofKind::Memory ? "memory" : "arithmetic";
        row["name"] = roof.name;
        row["rate"] = roof.rate;
        row["measured"] = roof.measured;
        roofs.push_back(row);
    }
    Json out;
    out["roofs"] = roofs;
    out["intensity"] = roofline.point ? Json(roofline.point->intensity) : Json(nullptr);
    out["flopsPerSecond"] = roofline.point ? Json(roofline.point->flops_per_second) : Json(nullptr);
    out["unknown"] = roofline.unknown.empty() ? Json(nullptr) : Json(roofline.unknown);
    out["reached"] = roofline.reached ? Json(*roofline.reached) : Json(nullptr);
    return out;
}

static Json measured_json(const std::optional<BenchRow>& row) {
    if (!row)
        return nullptr;
    Json out = json_part(*row);
    out["samples"] = row->times.samples;
    return out;
}

template <class Row>
static Json array_of(const std::vector<Row>& rows) {
    Json out = Json::array();
    for (const Row& row : rows)
        out.push_back(json_part(row));
    return out;
}

std::string json_of(const TrialResult& result, const std::string& output) {
    Json trial;
    trial["module"] = result.module;
    trial["function"] = result.function;
    trial["shapes"] = result.shapes;
    trial["where"] = result.where;
    trial["reference"] = result.reference;
    trial["verdict"] = json_part(result.verdict);
    trial["comparisons"] = array_of(result.comparisons);
    trial["measured"] = measured_json(result.measured);
    trial["bytesPerSecond"] = result.bytes_per_second ? Json(*result.bytes_per_second) : Json(nullptr);
    trial["flopsPerSecond"] = result.flops_per_second ? Json(*result.flops_per_second) : Json(nullptr);
    trial["roofline"] = result.measured ? json_part(result.roofline) : Json(nullptr);
    trial["kernels"] = array_of(result.kernels);
    trial["sweep"] = array_of(result.sweep);
    Json out;
    out["output"] = output;
    out["diagnostics"] = json_part(result.diagnostics);
    out["trial"] = trial;
    return text_of(out);
}

} // namespace hidet::cli
