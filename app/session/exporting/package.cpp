// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/packaged.h"
#include "app/session/model/export_model.h"
#include "app/session/work/refusal.h"
#include "lang/base/files.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "runtime/toolchain/files.h"

namespace hidet::session {

namespace {

ModelExportRequest request_of(const ExportRequest& from, std::string output) {
    ModelExportRequest request;
    static_cast<ModelRequest&>(request) = from.model;
    request.entries = from.entries;
    request.targets = from.targets;
    request.architectures = from.architectures;
    request.output = std::move(output);
    request.version = from.version;
    request.key = from.key;
    return request;
}

} // namespace

// It is written to a file, as archives are, and read back from there.
std::optional<PackagedModel> packaged_model(ExportWork& out) {
    const auto missing = [&](const Error& error) {
        report_environment(out.work, out.work.sink, error);
        return std::nullopt;
    };
    Result<std::unique_ptr<toolchain::TemporaryFolder>> folder = toolchain::TemporaryFolder::make();
    if (!folder)
        return missing(folder.error());
    const std::string path = folder.value()->path() + "/model.hidet";
    ModelExportResult made;
    if (!export_model(out.work, request_of(out.request, path), made))
        return std::nullopt;
    Result<std::string> bytes = read_file(path);
    if (!bytes)
        return missing(bytes.error());
    PackagedModel model{std::move(bytes).value(), {}};
    const bool is_named = !out.request.entries.empty() || out.request.model.processes > 1;
    for (const ExportedVariant& variant : made.variants)
        model.lines.push_back(cat("# ", is_named ? variant.entry + ": " : "", variant.target, " (",
                                  variant.architecture, "): ", variant.facts.launches, " launches, ",
                                  bytes_text(variant.facts.weight_bytes), " of weights"));
    for (const std::string& note : made.notes)
        model.lines.push_back("# " + note);
    if (!made.public_key.empty())
        model.lines.push_back("# signed: its public key is " + made.public_key);
    return model;
}

bool export_package(ExportWork& out) {
    std::optional<PackagedModel> model = packaged_model(out);
    if (!model)
        return false;
    const std::string name = out.name + ".hidet";
    for (std::string& line : model->lines)
        out.add_next(std::move(line));
    out.add_next(cat("hidet-run describe ", name));
    out.add_next(cat("hidet-run run ", name, " --trust"));
    if (out.request.model.processes == 1)
        out.add_next(cat("python3 -c \"import hidet_runtime as hr; print(hr.load('", name, "', trust=True).inputs)\""));
    out.add(name, std::move(model->bytes));
    return true;
}

} // namespace hidet::session
