// SPDX-License-Identifier: Apache-2.0
// A model as a package, for the machines that are asked for. Needs no GPU.
#pragma once

#include "app/session/model/model.h"
#include "app/session/work/work.h"

namespace hidet::session {

// An entry of a package with several: the model that is exported or another one, at dimensions of its own.
struct ModelEntry {
    std::string name;            // "prefill"
    std::string path;            // empty: the request's
    std::vector<Dimension> dims; // beside those of the request, or in their place
};

struct ModelExportRequest : ModelRequest {
    std::vector<ModelEntry> entries;        // none: one, "main"
    std::vector<Target> targets;            // Cuda, Cpu; none: those that this machine can compile for
    std::vector<std::string> architectures; // of GPUs: a variant for each; none: the GPU that is here, else sm_90a
    std::string output;                     // "model.hidet"
    std::string version;                    // of this program
    std::string key;                        // to sign it with (package/package_writer.h); empty: it is not signed
};

struct ExportedVariant {
    std::string entry;        // "main"
    std::string target;       // "cuda", "cpu"
    std::string architecture; // "sm_90a", "x86-64"
    ModelFacts facts;
    std::vector<ModelKernel> kernels;
};

struct ModelExportResult {
    std::vector<ExportedVariant> variants;
    std::vector<std::string> notes; // what was left out, and why
    std::string public_key;         // that others verify it with; empty: it is not signed
};
// False: the work says why.
bool export_model(Work& work, const ModelExportRequest& request, ModelExportResult& result);

// As compile_model(), into a package for the request's target.
ModelCompileResult compile_to_package(const ModelExportRequest& request);

} // namespace hidet::session
