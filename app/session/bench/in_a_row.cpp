// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench/in_a_row.h"

#include "app/session/bench/bench_gpu.h"
#include "app/session/execute/argument_copies.h"

namespace hidet::session {

namespace {

cuda::Timer::Work row_of(const Starts& starts, int launches) {
    return [&starts, launches]() -> Result<void> {
        for (int i = 0; i < launches; ++i)
            if (Result<void> started = starts[static_cast<std::size_t>(i) % starts.size()](); !started)
                return started;
        return {};
    };
}

InARow described_row(const ArgumentCopies& copies, int launches) {
    InARow out;
    out.launches = launches;
    out.copies = static_cast<int>(copies.count());
    out.copied = copies.names(true);
    out.shared = copies.names(false);
    out.bytes = static_cast<double>(copies.bytes_each()) * static_cast<double>(copies.count());
    out.leave_cache = copies.leave_cache();
    return out;
}

} // namespace

Result<void> measure_in_a_row(GpuRepeat& mine, Baseline* baseline, int launches, BenchRow& row) {
    HIDET_TRY(std::unique_ptr<ArgumentCopies> copies, ArgumentCopies::make(mine.gpu(), mine.args(), launches));
    const Starts own = starts_on(mine, *copies);
    std::vector<cuda::Timer::Work> rows = {row_of(own, launches)};
    Result<Starts> theirs = baseline ? baseline->on_copies(*copies, launches) : Result<Starts>(Starts{});
    if (!theirs && theirs.error().code != "baseline-does-not-fit")
        return theirs.error();
    if (!theirs)
        row.notes.push_back("not measured in a row: " + theirs.error().message);
    else if (baseline)
        rows.push_back(row_of(theirs.value(), launches));
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(mine.gpu().backend.stream()));
    HIDET_TRY(std::vector<cuda::RowTiming> timings, timer->compare_rows(rows, launches));
    row.in_a_row = described_row(*copies, launches);
    row.in_a_row->is_graph = timings[0].each.in_graph;
    row.in_a_row->times = view_of(timings[0].each);
    if (timings.size() > 1)
        row.in_a_row->baseline_times = view_of(timings[1].each);
    for (const cuda::RowTiming& timing : timings)
        if (!timing.note.empty())
            row.notes.push_back("in a row: " + timing.note);
    return {};
}

} // namespace hidet::session
