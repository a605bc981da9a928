// SPDX-License-Identifier: Apache-2.0
// Slurm by its own programs: 'srun' starts a worker and joins its streams to ours. A job each, so that the loss of a node is that of
// one worker, and the next 'srun' gets another node. Without --unbuffered Slurm passes output on line by line, which ours has none of.
#include <algorithm>
#include <filesystem>

#include "app/session/fleet/fleet.h"
#include "lang/base/text.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::session {

namespace {

constexpr double controller_seconds = 30; // for a controller that does not answer

Error unusable(const std::string& what) {
    return {"fleet-unusable", cat("'--fleet slurm': ", what)};
}

bool is_on_path(const std::string& program) {
    const std::vector<std::string> folders = split(toolchain::environment_variables()("PATH"), ':');
    return std::ranges::any_of(folders, [&](const std::string& folder) {
        std::error_code failed;
        return !folder.empty() && std::filesystem::is_regular_file(folder + "/" + program, failed);
    });
}

// What was asked for with -p NAME, --partition NAME or --partition=NAME; empty: nothing was.
std::string partition_in(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if ((words[i] == "-p" || words[i] == "--partition") && i + 1 < words.size())
            return words[i + 1];
        for (const std::string_view before : {"--partition=", "-p"})
            if (words[i].starts_with(before))
                return words[i].substr(before.size());
    }
    return "";
}

// The default one has a star behind its name.
Result<std::vector<std::string>> partitions() {
    HIDET_TRY(const process::Outcome outcome,
              process::run_to_end({.words = {"sinfo", "--noheader", "--format=%P"}, .seconds = controller_seconds}));
    if (!outcome.succeeded())
        return unusable(cat("'sinfo' ", outcome.story(), outcome.errors.empty() ? "" : ": ", trimmed(outcome.errors)));
    std::vector<std::string> names;
    for (const std::string& line : split(outcome.output, '\n'))
        if (!trimmed(line).empty())
            names.emplace_back(trimmed(line));
    return names;
}

Result<void> check_partition(const std::vector<std::string>& words) {
    HIDET_TRY(const std::vector<std::string> names, partitions());
    const std::string known =
        names.empty() ? "Slurm has no partition" : cat("Slurm has the partitions ", join(names, ", "));
    const std::string wanted = partition_in(words);
    const auto is_wanted = [&](const std::string& name) {
        return wanted.empty() ? name.ends_with('*') : name == wanted || name == wanted + "*";
    };
    const std::vector<std::string> asked = split(wanted, ','); // it may be any of several
    if (asked.size() > 1 || std::ranges::any_of(names, is_wanted))
        return {};
    if (wanted.empty())
        return unusable(cat("no partition is named, and none is the default; ", known,
                            "; a line 'fleet.slurm = --partition=NAME' of ~/.config/hidet/workers.conf names one"));
    return unusable(cat("there is no partition ", quote(wanted), "; ", known));
}

} // namespace

Result<Fleet> slurm_fleet(int workers) {
    HIDET_TRY(const FleetSettings settings, fleet_settings("slurm"));
    for (const char* program : {"srun", "sinfo", "scancel"})
        if (!is_on_path(program))
            return unusable(
                cat("'", program, "' is not on PATH; Slurm is reached by its programs srun, sinfo and scancel"));
    HIDET_TRY_TO(check_partition(settings.words));
    const std::string name = "hidet-" + random_hex(8);
    std::vector<std::string> command = {"srun", "--ntasks=1", "--unbuffered", "--quiet", "--job-name=" + name};
    command.insert(command.end(), settings.words.begin(), settings.words.end());
    command.insert(command.end(), settings.worker.begin(), settings.worker.end());
    Fleet fleet{"slurm", std::vector(static_cast<std::size_t>(workers), command)};
    fleet.end = [name] {
        static_cast<void>(
            process::run_to_end({.words = {"scancel", "--quiet", "--name=" + name}, .seconds = controller_seconds}));
    };
    return fleet;
}

} // namespace hidet::session
