// SPDX-License-Identifier: Apache-2.0
// The Model Context Protocol: what the verbs answer, for programs that write kernels; and the page that such a program should read.
#include <set>

#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/mcp/server.h"

namespace hidet::cli {

namespace {

struct McpOptions {
    std::vector<std::string> devices;
};

struct GuideOptions {};

// What is of use to somebody who writes kernels: each tool's description is read before any of them is called.
bool is_tool(const mcp::VerbShape& verb) {
    static const std::set<std::string> tools = {
        "bench",   "try",    "doctor",     "run",           "check",     "lower",       "emulate",      "emit",
        "compile", "tune",   "explain",    "machine",       "profile",   "export",      "prove",        "reduce",
        "compare", "manual", "model_show", "model_compile", "model_run", "model_bench", "model_compare"};
    return tools.contains(mcp::tool_name(verb));
}

int serve_programs(const McpOptions& options, const Cancelled&) {
    mcp::ServerOptions server{verb_shapes(), {}, HIDET_VERSION};
    std::erase_if(server.verbs, std::not_fn(is_tool));
    for (const std::string& device : options.devices)
        (device == "cpu" ? server.devices.cpu : server.devices.cuda) = true;
    return mcp::serve_standard_streams(server);
}

int print_guide(const GuideOptions&, const Cancelled&) {
    print_text(mcp::agent_guide());
    return exit_fine;
}

} // namespace

void add_mcp(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("mcp", "a server of the Model Context Protocol: these verbs as tools for programs");
    McpOptions& options = options_for(verb, chosen, serve_programs);
    verb.texts("--device", options.devices, "DEVICE", "kernels may run there too, not on the emulator alone: cpu, cuda")
        .one_of({"cpu", "cuda"});
}

void add_agent_guide(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("agent-guide", "the page that a program which writes kernels should read first");
    options_for(verb, chosen, print_guide);
}

} // namespace hidet::cli
