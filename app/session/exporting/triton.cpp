// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/packaged.h"
#include "lang/base/text.h"
#include "runtime/capi/hidet_runtime.h"
#include "runtime/serving/repository.h"

namespace hidet::session {

namespace {

// What the library says of the package; empty: it cannot open what was just written.
std::string description_of(const std::string& package) {
    hidet_package* opened = nullptr;
    hidet_error error;
    std::string text;
    if (hidet_open_memory(package.data(), package.size(), nullptr, &opened, &error) == HIDET_OK)
        text = hidet_describe(opened);
    hidet_close(opened);
    return text;
}

} // namespace

bool export_triton(ExportWork& out) {
    if (out.request.model.processes > 1)
        return out.refuse(out.name,
                          "the server runs a model in one process: leave '--tensor-parallel' and '--mesh' out, "
                          "or export a package, whose processes hidet-run starts");
    std::optional<PackagedModel> model = packaged_model(out);
    if (!model)
        return false;
    const std::string description = description_of(model->bytes);
    auto files = serving::triton_repository(out.name, "", description, std::move(model->bytes));
    if (!files)
        return out.refuse(out.name, files.error().message);
    std::vector<serving::ServedFile> served = std::move(files).value();
    for (serving::ServedFile& file : served)
        out.add(std::move(file.path), std::move(file.bytes));
    for (std::string& line : model->lines)
        out.add_next(std::move(line));
    out.add_next("# with the wheel hidet_runtime beside the Containerfile:");
    out.add_next(cat("podman build -t ", out.name, " ."));
    out.add_next(cat("podman run --device nvidia.com/gpu=all -p 8000:8000 ", out.name));
    out.add_next(cat("curl localhost:8000/v2/models/", out.name));
    return true;
}

} // namespace hidet::session
