// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/saved_stage.h"

#include <filesystem>

#include "app/session/exporting/provenance.h"
#include "app/session/kernel_bench/run_texts.h"
#include "app/session/request/edited_stage.h"
#include "lang/base/text.h"

namespace hidet::session {

std::string comment_of(const SavedStage& stage, const char* mark) {
    const std::string of = stage.arch.empty() ? "" : cat(" for ", stage.arch);
    const std::string by = stage.compiler.empty() ? "" : cat(", by ", stage.compiler);
    const std::string hash = stage.text.empty() ? "" : cat(", text ", hash_text(stage.text));
    std::vector<ProvenanceRow> rows = {
        {"made by", cat("Hidet Studio ", stage.version)},
        {std::string(holds_row), cat(stage.what, of, by)},
        {std::string(source_row), cat(std::filesystem::path(stage.subject).filename().string(), hash)}};
    if (!stage.calls.empty())
        rows.push_back({"calls", join(stage.calls, ", ")});
    if (!stage.contracts)
        rows.push_back({std::string(rounding_row), "a * b + c rounds twice"});
    if (!stage.kernels.empty()) {
        rows.push_back({std::string(edits_row), join(stage.kernels, ", ")});
        rows.push_back({std::string(script_row), stage.path});
        if (stage.module > 0)
            rows.push_back({std::string(module_row), cat(stage.module)});
        rows.push_back({std::string(generated_row), hash_text(stage.generated)});
        if (!stage.temporaries.empty())
            rows.push_back({std::string(temporaries_row), stage.temporaries});
    }
    return comment_of(rows, mark);
}

bool depends_on_arch(Form form) {
    return info(form).needs != Needs::Nothing || form == Form::Cuda;
}

} // namespace hidet::session
