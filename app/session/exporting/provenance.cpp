// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/provenance.h"

#include <filesystem>

#include "app/session/exporting/exporter.h"
#include "lang/base/generated_text.h"
#include "lang/base/text.h"

namespace hidet::session {

std::vector<ProvenanceRow> provenance_of(const ExportWork& out) {
    const ExportRequest& request = out.request;
    std::vector<ProvenanceRow> rows = {
        {"made by", cat("Hidet Studio ", request.version, ", export format ", export_version)},
        {"script", std::filesystem::path(request.path()).filename().string()}};
    if (!request.calls.empty())
        rows.push_back({"calls", join(request.calls, ", ")});
    if (!request.function.empty())
        rows.push_back({"function", request.function});
    if (!request.contracts)
        rows.push_back({"rounding", "a * b + c rounds twice"});
    for (const std::string& figure : out.figures)
        rows.push_back({"measured", figure});
    return rows;
}

std::vector<ProvenanceRow> provenance_of(const ExportWork& out, const ExportedModule& module,
                                         const ExportedCode& code) {
    std::vector<ProvenanceRow> rows = provenance_of(out);
    if (module.of > 1)
        rows.push_back({"module", cat(module.number, " of ", module.of)});
    rows.push_back({"architecture", artifact::architecture_name(code.target.arch)});
    return rows;
}

std::string comment_of(const std::vector<ProvenanceRow>& rows, const char* mark) {
    std::string text;
    for (const ProvenanceRow& row : rows)
        text += cat(mark, " ", row.what, ": ", comment_text(row.value), "\n");
    return text;
}

std::string file_of(const ExportedModule& module, const ExportedCode& code, const char* ending) {
    const std::string arch = artifact::architecture_name(code.target.arch);
    return module.code.size() == 1 ? cat(module.name, ".", ending) : cat(module.name, ".", arch, ".", ending);
}

} // namespace hidet::session
