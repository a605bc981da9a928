// SPDX-License-Identifier: Apache-2.0
#include "app/session/doctor.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"

namespace hidet::cli {

static std::string text_of(const session::ToolFact& tool, bool all) {
    std::string out = cat(tool.usable ? "  found    " : "  missing  ", tool.name);
    if (!tool.version.empty())
        out += " " + tool.version;
    if (tool.usable)
        out += cat(" (", tool.origin, "): ", tool.path);
    out += cat("\n           for ", tool.serves, "\n");
    if (!tool.usable)
        out += cat("           ", tool.problem, "\n           ", tool.advice, "\n");
    if (all)
        for (const std::string& place : tool.looked)
            out += cat("           looked at ", place, "\n");
    return out;
}

int doctor(const Options& options, const std::atomic<bool>&) {
    session::DoctorReport report = session::examine(*session::open_tools());
    if (options.json) {
        print_text(json_of(report));
        return exit_fine;
    }
    for (const session::ToolFact& tool : report.tools)
        print_text(text_of(tool, options.all));
    return exit_fine;
}

} // namespace hidet::cli
