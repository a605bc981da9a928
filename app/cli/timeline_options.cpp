// SPDX-License-Identifier: Apache-2.0
#include "app/cli/timeline_options.h"

#include "app/cli/output.h"
#include "app/cli/text/picture_file.h"
#include "app/cli/tile_choice.h"

namespace hidet::cli {

namespace {

bool misused(const std::string& why) {
    wrong_usage(DiagId::BadValue, why);
    return false;
}

} // namespace

void add_timeline(Verb& verb, TimelineOptions& options, TimelineBy by) {
    if (by == TimelineBy::EventsOrMarks) {
        verb.flag("--timeline", options.events,
                  "show when the warps of a block of each kernel copy, wait, compute and store");
        verb.number("--copy-steps", options.copy_steps, "N", "steps that a copy takes in it (600)").between(1, 1e6);
    }
    verb.flag(
        "--markers", options.marks,
        by == TimelineBy::Marks
            ? "show when the warps of a block of each kernel copy, wait, compute and store, by marks in the kernel, "
              "which reads a clock; what that costs is said"
            : "likewise, by the marks in the kernel that a GPU has too");
    verb.text("--block", options.block, "N|X,Y,Z", "the block that is shown, by its number or its index (0)");
    verb.number("--launch", options.launch, "N", "the launch of each kernel that is shown (1)").between(1, 1e9);
    add_svg(verb, options.svg);
}

bool take_timeline(const TimelineOptions& options, session::RunRequest& request) {
    const bool is_refined = options.copy_steps || !options.svg.empty() || !options.block.empty() || options.launch != 1;
    if (!options.is_asked())
        return !is_refined ||
               misused("'--block', '--launch', '--copy-steps' and '--svg' are of '--timeline' and '--markers'");
    if (options.marks && options.copy_steps)
        return misused("'--copy-steps' is of '--timeline' without '--markers': marks do not know when a copy lands");
    if (options.marks && request.target == session::Target::Cpu)
        return misused("'--markers' are in kernels on a GPU or on the emulator, and '--target cpu' has none");
    if (!options.block.empty() && !read_block(options.block, request.timed_block))
        return false;
    request.times = true;
    request.marks = options.marks;
    request.timed_launch = static_cast<std::int64_t>(options.launch);
    if (options.copy_steps)
        request.copy_steps = options.copy_steps;
    return true;
}

bool has_timeline(const session::RunRequest& request, const session::RunSummary& summary) {
    if (!request.times || !summary.timelines.empty())
        return true;
    const auto& [x, y, z] = request.timed_block;
    const bool is_number = y < 0 || (x == 0 && y == 0 && z == 0);
    const std::string block = is_number ? cat(x) : cat("(", x, ", ", y, ", ", z, ")");
    return misused(summary.launches == 0
                       ? "there is no pipeline to show: the script launched no kernel for a GPU"
                       : cat("there is no pipeline to show: no kernel has a launch ", request.timed_launch,
                             " with a block ", block, request.marks ? " and statements that are timed" : ""));
}

} // namespace hidet::cli
