// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/exporter.h"
#include "app/session/package/export_model.h"
#include "app/session/work/refusal.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "runtime/toolchain/files.h"

namespace hidet::session {

namespace {

ModelExportRequest request_of(const ExportRequest& from, std::string output) {
    ModelExportRequest request;
    static_cast<ModelRequest&>(request) = from.model;
    request.tools = from.tools;
    request.cancelled = from.cancelled;
    request.targets = from.targets;
    request.architectures = from.architectures;
    request.output = std::move(output);
    request.version = from.version;
    request.key = from.key;
    return request;
}

} // namespace

// It is written to a file, as archives are, and read back from there.
bool export_package(ExportWork& out) {
    const auto missing = [&](const Error& error) {
        report_environment(out.work, out.work.sink, error);
        return false;
    };
    Result<std::unique_ptr<toolchain::TemporaryFolder>> folder = toolchain::TemporaryFolder::make();
    if (!folder)
        return missing(folder.error());
    const std::string path = folder.value()->path() + "/model.hidet";
    ModelExportResult made;
    if (!export_model(out.work, request_of(out.request, path), made))
        return false;
    Result<std::string> bytes = toolchain::read_file(path);
    if (!bytes)
        return missing(bytes.error());
    const std::string name = out.name + ".hidet";
    for (const ExportedVariant& variant : made.variants)
        out.add_next(cat("# ", variant.target, " (", variant.architecture, "): ", variant.facts.launches, " launches, ",
                         bytes_text(variant.facts.weight_bytes), " of weights"));
    for (const std::string& note : made.notes)
        out.add_next("# " + note);
    if (!made.public_key.empty())
        out.add_next("# signed: its public key is " + made.public_key);
    out.add_next(cat("hidet-run describe ", name));
    out.add_next(cat("hidet-run run ", name, " --trust"));
    out.add_next(cat("python3 -c \"import hidet_runtime as hr; print(hr.load('", name, "', trust=True).inputs)\""));
    out.add(name, std::move(bytes).value());
    return true;
}

} // namespace hidet::session
