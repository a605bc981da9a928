// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/run_ranks.h"

#include <algorithm>

#include "lang/base/helpers.h"
#include "lang/base/text.h"
#include "runtime/vm/team.h"

namespace hidet::session {

namespace {

struct RankRun {
    std::string printed;
    RunResult result;
};

void run_rank(const RunRequest& request, const std::shared_ptr<vm::Team>& team, int rank, RankRun& out) {
    RunRequest own = request;
    own.place = {team, rank};
    own.print = [&out](std::string_view text) { out.printed += text; };
    try {
        out.result = run(own);
    } catch (...) {
        out.result.status = Status::Internal;
    }
    team->leave(rank, out.result.status == Status::Ok ? vm::Team::End::Well : vm::Team::End::Failed);
}

std::string with_rank(int rank, std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out += cat("[", rank, "] ", text.substr(0, end), "\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

// The same mistake of several ranks is one, and that some ended for another's sake is none.
void merge(RunResult& into, RunResult& from) {
    if (into.status == Status::Ok)
        into.status = from.status;
    for (DiagnosticView& each : from.diagnostics)
        if (!each.is(DiagId::Cancelled) && std::ranges::none_of(into.diagnostics, [&](const DiagnosticView& known) {
                return known.id == each.id && known.rendered == each.rendered;
            }))
            into.diagnostics.push_back(std::move(each));
}

} // namespace

RunResult run_ranks(const RunRequest& request) {
    const auto team = std::make_shared<vm::Team>(request.ranks);
    std::vector<RankRun> runs(static_cast<std::size_t>(request.ranks));
    Helpers helpers;
    for (int rank = 0; rank < request.ranks; ++rank) {
        RankRun& own = runs[static_cast<std::size_t>(rank)];
        if (helpers.start([&request, &team, &own, rank] { run_rank(request, team, rank, own); }))
            continue;
        own.result.status = Status::Environment;
        own.result.diagnostics.push_back(
            view_of(Diagnostic::make(DiagId::EnvironmentRefused, {}, "the system gives no thread for each rank"), {}));
        team->leave(rank, vm::Team::End::Failed);
    }
    helpers.wait();
    RunResult out = std::move(runs[0].result);
    std::erase_if(out.diagnostics, [](const DiagnosticView& each) { return each.is(DiagId::Cancelled); });
    for (int rank = 0; rank < request.ranks; ++rank) {
        RankRun& each = runs[static_cast<std::size_t>(rank)];
        if (rank > 0)
            merge(out, each.result);
        if (request.print && !each.printed.empty())
            request.print(with_rank(rank, each.printed));
    }
    return out;
}

} // namespace hidet::session
