// SPDX-License-Identifier: Apache-2.0

#include "app/cli/output.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/session/tools/doctor.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

namespace {

struct CacheOptions {
    bool json = false;
    bool clear = false;
};

std::string held_text(std::int64_t entries, std::int64_t bytes) {
    return cat(entries, entries == 1 ? " entry, " : " entries, ", bytes_text(static_cast<double>(bytes)));
}

std::string shared_text(const toolchain::SharedCounts& shared) {
    if (shared.place.empty())
        return "";
    return cat("shared by ", shared.place, ": ", shared.hits, shared.hits == 1 ? " hit, " : " hits, ", shared.misses,
               shared.misses == 1 ? " miss, " : " misses, ", shared.stored, " stored, ", shared.ignored, " ignored\n",
               shared.problem.empty() ? "" : cat("the last problem: ", shared.problem, "\n"));
}

int cache(const CacheOptions& options, const Cancelled&) {
    std::shared_ptr<session::Tools> tools = session::open_tools();
    if (options.clear) {
        session::CacheCleared cleared = session::clear_cache(*tools);
        if (!options.json && cleared.status == session::Status::Ok)
            print_text(cat("removed ", held_text(cleared.entries, cleared.bytes), "\n"));
        else
            print_diagnostics(cleared.diagnostics);
        if (options.json)
            print_text(Document().add_members(session::cache_report(*tools)).text());
        return exit_code(cleared.status);
    }
    session::CacheReport report = session::cache_report(*tools);
    if (options.json)
        print_text(Document().add_members(report).text());
    else if (report.folder.empty())
        print_text("there is no cache: compilations are not kept\n");
    else
        print_text(cat(report.folder, "\n", held_text(report.entries, report.bytes), " of at most ",
                       bytes_text(static_cast<double>(report.limit)), "\n", shared_text(report.shared)));
    return exit_fine;
}

} // namespace

void add_cache(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("cache", "where compilations are kept, and how much there is");
    CacheOptions& options = options_for(verb, chosen, cache);
    verb.flag("--json", options.json, "one JSON document on standard output");
    verb.flag("--clear", options.clear, "remove all of them");
}

} // namespace hidet::cli
