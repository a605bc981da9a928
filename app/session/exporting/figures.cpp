// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/figures.h"

#include <map>

#include "app/session/kernel_bench/history.h"
#include "app/session/work/refusal.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// Of a run that measured something that may be right.
bool counts(const RunRecord& run, const ExportRequest& request) {
    const bool is_right = run.verdict == VerdictKind::Correct || run.verdict == VerdictKind::Unchecked;
    return is_right && run.times && run.times->count > 0 && (request.module == 0 || run.module == request.module) &&
           (request.function.empty() || run.function == request.function);
}

std::string microseconds(double seconds) {
    return three_digits(seconds * 1e6);
}

std::string sentence_of(const RunRecord& run) {
    return cat(run.function, "(", run.shapes, "): ", microseconds(run.times->median), " us, the median of ",
               run.times->count, " calls (", microseconds(run.times->p10), " to ", microseconds(run.times->p90),
               "), on ", run.where, ", ", verdict_name(run.verdict));
}

} // namespace

bool add_figures(ExportWork& out) {
    const std::string& path = out.request.history;
    if (path.empty())
        return true;
    History history(path);
    if (const Result<void> loaded = history.load_existing(); !loaded) {
        report_environment(out.work, out.work.sink, loaded.error());
        return false;
    }
    const std::string hash = hash_text(out.request.source.text);
    std::map<std::string, const RunRecord*> last; // by what is compared, but for the name of the script
    for (const RunRecord& run : history.runs())
        if (run.hash == hash && counts(run, out.request))
            last[cat(run.module, "|", run.function, "|", run.shapes, "|", run.where)] = &run;
    for (const auto& [key, run] : last)
        out.figures.push_back(sentence_of(*run));
    return true;
}

} // namespace hidet::session
