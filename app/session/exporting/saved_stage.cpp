// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/saved_stage.h"

#include <filesystem>

#include "app/session/exporting/provenance.h"
#include "app/session/kernel_bench/run_texts.h"
#include "lang/base/text.h"

namespace hidet::session {

std::string comment_of(const SavedStage& stage, const char* mark) {
    const std::string of = stage.arch.empty() ? "" : cat(" for ", stage.arch);
    const std::string by = stage.compiler.empty() ? "" : cat(", by ", stage.compiler);
    const std::string hash = stage.text.empty() ? "" : cat(", text ", hash_text(stage.text));
    std::vector<ProvenanceRow> rows = {{"made by", cat("Hidet Studio ", stage.version)},
                                       {"holds", cat(stage.what, of, by)},
                                       {"source", cat(std::filesystem::path(stage.subject).filename().string(), hash)}};
    if (!stage.calls.empty())
        rows.push_back({"calls", join(stage.calls, ", ")});
    if (!stage.contracts)
        rows.push_back({"rounding", "a * b + c rounds twice"});
    return comment_of(rows, mark);
}

bool depends_on_arch(Form form) {
    return info(form).needs != Needs::Nothing || form == Form::Cuda;
}

} // namespace hidet::session
