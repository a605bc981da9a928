// SPDX-License-Identifier: Apache-2.0
// hidetc profile: what a GPU counted while it ran a script's kernels, by the lines of the script.

#include <algorithm>
#include <filesystem>

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/text/profile_text.h"
#include "app/cli/verbs.h"
#include "app/session/profile/profile.h"
#include "app/session/worker/compile_pool.h"

namespace hidet::cli {

namespace {

using namespace session;

struct ProfileOptions {
    SourceOptions source;
    PreviewOptions preview;
    std::string function;
    std::string report;
    double timeout = 120;
    bool command = false;
    bool all = false;
};

std::string own_path() {
    std::error_code failed;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
    return failed ? "hidetc" : program.string();
}

int print_command(const ProfileOptions& options, const ProfileRequest& request) {
    ProfileResult result = profile_command(request);
    require_modules(options.source.file, "profile", result.modules_built, result);
    return print_result(
        options.source.json, result, [&] { return json_of(result); },
        [&] { return result.command.empty() ? "" : shell_text(result.command) + "\n"; });
}

int profile_script(const ProfileOptions& options, const Cancelled& cancelled) {
    int exit = exit_fine;
    std::optional<PreviewRequest> preview = open_preview(options.source, options.preview, cancelled, exit);
    if (!preview)
        return exit;
    ProfileRequest request;
    request.preview = std::move(*preview);
    request.preview.function = options.function;
    request.preview.tools = open_confined_tools();
    request.report = options.report;
    request.seconds = options.timeout;
    run_source(request, own_path(), options.source.file == "-" ? "" : options.source.file);
    if (options.command)
        return print_command(options, request);
    ProfileResult result = profile(request);
    require_modules(options.source.file, "profile", result.modules_built, result);
    return print_result(
        options.source.json, result, [&] { return json_of(result); },
        [&] { return profile_text(result, request.preview.source, options.all ? 0 : usual_profile_rows); });
}

} // namespace

void add_profile(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("profile", "count on a GPU what each line does, by Nsight Compute, beside what maps foretell");
    ProfileOptions& options = options_for(verb, chosen, profile_script);
    add_source(verb, options.source);
    add_preview(verb, options.preview);
    verb.text("--function", options.function, "F", "this kernel only");
    verb.text("-o,--report", options.report, "FILE", "keep the report of Nsight Compute, which its window opens");
    const Argument timeout =
        verb.number("--timeout", options.timeout, "SECONDS", "seconds after which Nsight Compute is ended")
            .between(1, 1e6);
    const Argument all = verb.flag("--all", options.all, "all rows of each table");
    verb.flag("--command", options.command, "print the command that counts, to be run elsewhere; needs no GPU")
        .excludes(timeout)
        .excludes(all);
}

} // namespace hidet::cli
