// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/scale.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "app/session/model/mesh_times.h"
#include "app/session/model/stages.h"
#include "app/session/tools/tools.h"
#include "app/session/work/named_gpus.h"
#include "compiler/perf/exchange.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

constexpr double least_efficiency = 0.5;
constexpr double same_time = 0.995; // of which a step takes as long as before

// What one mesh came to.
struct Planned : Outcome {
    MeshTimes times;
    std::string device;
    double memory_bytes = 0;
    artifact::Links links;
    std::string name;
    std::int64_t batch = 1;
    std::vector<std::string> assumes;
    std::size_t shared = 0; // operators
    std::string left;       // why most of the others are not
};

std::int64_t batch_of(const graph::Graph& graph) {
    if (graph.inputs.empty())
        return 1;
    const graph::Shape& shape = graph.value(graph.inputs.front()).spec.shape;
    return shape.empty() ? 1 : std::max<std::int64_t>(graph::constant_of(shape.front()).value_or(1), 1);
}

// The reason that most operators have.
std::string usual_reason(const std::vector<ModelPlacement>& placements) {
    std::map<std::string, std::size_t> counts;
    for (const ModelPlacement& each : placements)
        if (!each.left.empty())
            ++counts[each.left];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    return most == counts.end() ? "it has no operators" : most->first;
}

std::optional<artifact::TargetSpec> gpu_of(Work& work, const ModelScaleRequest& request) {
    if (request.arch.empty()) {
        const auto gpu = request.tools->gpu();
        return gpu ? gpu.value()->context().device().spec : artifact::default_gpu();
    }
    const std::optional<std::vector<artifact::TargetSpec>> named = named_gpus(work, {request.arch});
    return named ? std::optional(named->front()) : std::nullopt;
}

void plan(Work& work, const ModelScaleRequest& request, Planned& out) {
    const std::optional<artifact::TargetSpec> target = gpu_of(work, request);
    if (!target)
        return;
    ModelStages stages(work, request);
    stages.settings.target = target;
    if (!stages.import() || !stages.optimise() || !stages.plan())
        return;
    const perf::DeviceRoofs roofs = perf::roofs_of(stages.target());
    Predictor predictor(roofs, request.dims);
    predictor.assume(stages.compiled().graph);
    const ModelFacts facts = stages.facts();
    out.links = perf::links_of(stages.target());
    out.times = mesh_times(stages.compiled(), predictor, out.links);
    out.times.mesh.data = request.replicas;
    out.times.mesh.tensor = request.processes / request.replicas;
    out.times.mesh.weight_bytes = facts.weight_bytes;
    out.device = roofs.name;
    out.memory_bytes = static_cast<double>(stages.target().memory_bytes);
    out.name = facts.name;
    out.batch = batch_of(stages.imported());
    out.assumes = predictor.assumptions();
    out.shared = static_cast<std::size_t>(std::ranges::count(facts.placements, std::string(), &ModelPlacement::left));
    out.left = usual_reason(facts.placements);
}

class Scaling {
public:
    Scaling(const ModelScaleRequest& request, ModelScaleResult& result) : m_request(request), m_result(result) {}

    void run() {
        const Planned* const alone = planned(1, 1);
        if (!alone)
            return;
        static_cast<Outcome&>(m_result) = *alone; // its warnings are those of all
        m_result.name = alone->name;
        m_result.device = alone->device;
        m_result.memory_bytes = alone->memory_bytes;
        m_result.links = {alone->links.bytes_per_second, alone->links.seconds, alone->links.host_size,
                          alone->links.network_bytes_per_second, alone->links.network_seconds};
        m_result.batch = m_divisible = alone->batch;
        m_result.assumes = alone->assumes;
        m_result.not_counted = alone->times.not_counted;
        m_alone = alone->times.mesh.seconds();
        find_degrees();
        for (const std::int64_t gpus : m_request.gpus)
            if (!failed())
                add_row(gpus);
        if (failed())
            return;
        for (const auto& [mesh, each] : m_planned)
            if (each.status == Status::Ok)
                m_result.meshes.push_back(each.times.mesh);
        judge();
    }

private:
    bool failed() const { return m_result.status != Status::Ok; }

    // Null: the model is not divided so, or the request has failed.
    const Planned* planned(std::int64_t data, std::int64_t tensor) {
        const auto [found, is_new] = m_planned.try_emplace({data, tensor});
        Planned& out = found->second;
        if (is_new) {
            out = plan_anew(data, tensor);
            // The mesh alone differs from what was planned before: nothing else is new to refuse.
            if (out.status != Status::Ok && (data * tensor == 1 || out.status != Status::WrongUsage))
                static_cast<Outcome&>(m_result) = out;
        }
        return out.status == Status::Ok ? &out : nullptr;
    }
    Planned plan_anew(std::int64_t data, std::int64_t tensor) const {
        ModelScaleRequest request = m_request;
        request.replicas = static_cast<int>(data);
        request.processes = static_cast<int>(data * tensor);
        if (data * tensor > 1)
            request.print = [](std::string_view) {}; // it has been said
        if (m_request.progress)
            m_request.progress({cat("planning for ", data * tensor, data * tensor == 1 ? " GPU" : " GPUs")});
        request.progress = nullptr;
        return answer<Planned>(request, "compile", [&](Work& work, Planned& out) { plan(work, request, out); });
    }

    // Of sharing operators, as long as more of them are faster at all: on parts of the batch they are so the less.
    void find_degrees() {
        m_degrees = {1};
        double least = m_alone;
        for (const std::int64_t degree : candidates()) {
            if (is_left_out(degree))
                continue;
            const Planned* const each = planned(1, degree);
            if (!each)
                return;
            if (each->shared == 0) {
                m_result.left_out.push_back({degree, each->left});
                continue;
            }
            const double seconds = each->times.mesh.seconds();
            if (seconds < least * same_time) {
                least = seconds;
                m_degrees.push_back(degree);
            } else if (degree >= 2 * m_degrees.back()) {
                return;
            }
        }
    }
    bool is_left_out(std::int64_t degree) const {
        return std::ranges::any_of(m_result.left_out,
                                   [&](const ModelDegree& each) { return degree % each.tensor == 0; });
    }
    std::set<std::int64_t> candidates() const {
        std::set<std::int64_t> out;
        for (const std::int64_t gpus : m_request.gpus) {
            for (std::int64_t degree = 2; degree <= gpus; degree *= 2)
                out.insert(degree);
            for (std::int64_t degree = 2; degree * degree <= gpus; ++degree)
                if (gpus % degree == 0)
                    out.insert({degree, gpus / degree});
        }
        return out;
    }

    // As many replicas as the batch has equal parts for.
    const Planned* with_replicas(std::int64_t most, std::int64_t tensor) {
        std::int64_t data = std::min(most, m_divisible);
        while (m_divisible % data != 0)
            --data;
        const Planned* out = planned(data, tensor);
        if (out || data == 1 || failed())
            return out;
        m_divisible = 1; // no operator computes a part of the batch
        return planned(1, tensor);
    }
    bool has_room(const ModelMesh& mesh) const {
        return m_result.memory_bytes <= 0 || mesh.weight_bytes + mesh.arena_bytes <= m_result.memory_bytes;
    }
    void add_row(std::int64_t gpus) {
        std::optional<ModelMesh> best;
        const auto rank = [&](const ModelMesh& mesh) {
            return std::tuple(!has_room(mesh), mesh.seconds(), mesh.gpus(), mesh.weight_bytes);
        };
        for (const std::int64_t tensor : m_degrees) {
            const Planned* const each = tensor <= gpus ? with_replicas(gpus / tensor, tensor) : nullptr;
            if (failed())
                return;
            if (each && (!best || rank(each->times.mesh) < rank(*best)))
                best = each->times.mesh;
        }
        const double seconds = best->seconds(); // that of one GPU is always there
        const auto count = static_cast<double>(gpus);
        m_result.rows.push_back({gpus, *best, seconds, seconds > 0 ? 1 / seconds : 0,
                                 seconds > 0 ? m_alone / seconds / count : 0, has_room(*best)});
    }

    // The last row that pays, and what is wrong with the one behind it.
    void judge() {
        const std::vector<ModelScaleRow>& rows = m_result.rows;
        double least = m_alone;
        std::int64_t on = 1;
        std::size_t behind = 0; // it
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool pays = rows[i].efficiency >= least_efficiency && is_faster(rows[i], least);
            if (!pays && rows[i].gpus > 1)
                continue;
            behind = i + 1;
            least = rows[i].seconds;
            on = rows[i].gpus;
        }
        if (behind == rows.size()) {
            m_result.verdict = rows.back().gpus == 1 ? "one GPU was asked about"
                                                     : cat("it pays on up to ", rows.back().gpus,
                                                           " GPUs, the most that were asked about");
            return;
        }
        const ModelScaleRow& stop = rows[behind];
        m_result.stops_at = stop.gpus;
        m_result.verdict = cat("it stops paying at ", stop.gpus, " GPUs: ",
                               is_faster(stop, least) ? cat("they do ", percent_text(stop.efficiency),
                                                            " of what they could, less than half")
                                                      : cat("a step takes no less time than on ", on));
    }
    static bool is_faster(const ModelScaleRow& row, double than) { return row.seconds < than * same_time; }

    const ModelScaleRequest& m_request;
    ModelScaleResult& m_result;
    std::map<std::pair<std::int64_t, std::int64_t>, Planned> m_planned; // by replicas, processes of one
    std::vector<std::int64_t> m_degrees;
    std::int64_t m_divisible = 1; // what of the batch is divided
    double m_alone = 0;           // seconds of a step on one GPU
};

} // namespace

std::string mesh_text(const ModelMesh& mesh) {
    std::vector<std::string> axes;
    if (mesh.data > 1)
        axes.push_back(cat("data=", mesh.data));
    if (mesh.tensor > 1)
        axes.push_back(cat("tensor=", mesh.tensor));
    return join(axes, ",");
}

ModelScaleResult scale_model(const ModelScaleRequest& request) {
    ModelScaleResult result;
    Scaling(request, result).run();
    return result;
}

} // namespace hidet::session
