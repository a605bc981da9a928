// SPDX-License-Identifier: Apache-2.0
#include "app/session/tools/doctor.h"

#include "app/cli/output.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

namespace {

struct DoctorOptions {
    bool json = false;
    bool all = false;      // also where each thing was looked for
    bool machines = false; // those of the table instead
};

std::string text_of(const session::ToolFact& tool, bool all) {
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

std::string text_of(const session::MachineView& machine) {
    std::vector<Cells> rows;
    for (const artifact::SpecRow& row : machine.rows)
        rows.push_back({{row.what}, {row.value}});
    return cat(machine.id.empty() ? machine.name : cat(machine.id, ": ", machine.name), "\n", columns_text(rows));
}

int print_known_machines(bool as_json) {
    const std::vector<session::MachineView> machines = session::known_machines();
    if (as_json)
        print_text(Document().add("machines", machines).text());
    else
        for (const session::MachineView& machine : machines)
            print_text(text_of(machine));
    return exit_fine;
}

int doctor(const DoctorOptions& options, const Cancelled&) {
    if (options.machines)
        return print_known_machines(options.json);
    std::shared_ptr<session::Tools> tools = session::open_tools();
    session::DoctorReport report = session::examine(*tools);
    const std::vector<session::MachineView> machines = session::machines_here(*tools);
    if (options.json) {
        print_text(Document().add_members(report).add("machines", machines).text());
        return exit_fine;
    }
    const session::GpuFact& gpu = report.gpu;
    print_text(gpu.usable ? cat("  found    GPU: ", gpu.name, ", ", gpu.arch, ", ", gpu.multiprocessors,
                                " multiprocessors, ", bytes_text(static_cast<double>(gpu.memory_bytes)), "\n")
                          : cat("  missing  GPU\n           ", gpu.name, "\n"));
    for (const session::ToolFact& tool : report.tools)
        print_text(text_of(tool, options.all));
    print_text(cat(report.sandbox.keeps_files ? "  found    sandbox: " : "  missing  sandbox: only ",
                   report.sandbox.what,
                   "\n           for compilers, native code and kernels of files that others wrote\n"));
    for (const session::MachineView& machine : machines)
        print_text(text_of(machine));
    return exit_fine;
}

} // namespace

void add_doctor(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("doctor", "say what this machine has, what is missing, and how to get it");
    DoctorOptions& options = options_for(verb, chosen, doctor);
    verb.flag("--json", options.json, "one JSON document on standard output");
    const Argument all = verb.flag("--all", options.all, "also where each thing was looked for");
    verb.flag("--machines", options.machines, "the machines that are known instead, with their figures").excludes(all);
}

} // namespace hidet::cli
