// SPDX-License-Identifier: Apache-2.0
// What a model takes on more and more GPUs, on paper. Each way to divide it is planned for one of its processes, as it would run:
// kernels take the least time that the GPU allows, as fused, and exchanges what the links allow (compiler/perf/exchange.h), one
// behind the other. Nothing is compiled, measured or run, and no GPU is needed.
//
// A step is one run of the model on the whole batch, which is the first dimension of its first input.
#pragma once

#include "app/session/model/model.h"

namespace hidet::session {

struct ModelScaleRequest : ModelRequest {
    std::string arch;               // "sm_90a", "h200"; empty: the GPU that is here, else a usual one
    std::vector<std::int64_t> gpus; // how many, ascending
};

// Replicas, and processes that share the operators of each; and what one of those does in a step.
struct ModelMesh {
    std::int64_t data = 1, tensor = 1;
    double kernel_seconds = 0;
    double exchange_seconds = 0;
    double network_seconds = 0; // of those of exchanges: of exchanges that other hosts make slow
    std::size_t kernels = 0;
    std::size_t exchanges = 0;
    double exchanged_bytes = 0; // of the tensors that all have behind the exchanges
    double weight_bytes = 0;
    double arena_bytes = 0; // between kernels

    std::int64_t gpus() const { return data * tensor; }
    double seconds() const { return kernel_seconds + exchange_seconds; }
};
std::string mesh_text(const ModelMesh& mesh); // as --mesh takes it: "data=2,tensor=4"

// The fastest of the ways that so many GPUs allow.
struct ModelScaleRow {
    std::int64_t gpus = 0; // of which the mesh may leave some idle
    ModelMesh mesh;
    double seconds = 0;
    double steps_per_second = 0;
    double efficiency = 0; // over one GPU, 0 to 1
    bool has_room = true;  // a GPU's memory, for the weights and what is between kernels
};

struct ModelDegree { // of sharing operators, which is left out with its multiples
    std::int64_t tensor = 0;
    std::string why;
};

struct ModelLinks { // of a GPU; each way
    double bytes_per_second = 0, seconds = 0;
    std::int64_t gpus_per_host = 0;
    double network_bytes_per_second = 0, network_seconds = 0;
};

struct ModelScaleResult : Outcome {
    std::string name;   // of the model
    std::string device; // "NVIDIA H200"
    double memory_bytes = 0;
    ModelLinks links;
    std::int64_t batch = 1;
    std::vector<std::string> assumes; // dynamic dimensions that count as 1
    std::size_t not_counted = 0;      // operators on the host, branches and loops
    std::vector<ModelScaleRow> rows;
    std::vector<ModelMesh> meshes; // that were planned
    std::vector<ModelDegree> left_out;
    std::int64_t stops_at = 0; // GPUs of the first row behind the last one that pays; 0: none is
    std::string verdict;       // in a sentence
};
ModelScaleResult scale_model(const ModelScaleRequest& request);

} // namespace hidet::session
