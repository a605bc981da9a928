// SPDX-License-Identifier: Apache-2.0
// Reads of global memory that nothing has been written to: of tensors that began undefined, and of workspaces. What is told once
// counts as written, so that what else reads it says nothing.
#include "lang/base/text.h"
#include "runtime/vm/block.h"
#include "runtime/vm/update.h"

namespace hidet::vm {

void GlobalChecker::check_unwritten(Group& group, const Step& step, const Target& target, Purpose purpose) {
    const int bytes = ready_access(step).bytes;
    const auto look = [&](std::int64_t begin, std::int64_t count) {
        const std::int64_t unwritten = purpose == Purpose::Load ? target.written->first_unwritten(begin, count) : -1;
        if (unwritten >= 0)
            report_unwritten(group, &step, "", lane_at(group, target, unwritten, bytes), purpose);
        if (unwritten >= 0 || purpose == Purpose::Store)
            target.written->write(begin, count);
    };
    if (!target.part)
        return look(target.written_at, bytes);
    for (const LanePart::Run& run : runs_of(group, *target.part, bytes))
        look(target.written_at + run.offset, run.bytes);
}

// Who of the access has that byte.
int GlobalChecker::lane_at(const Group& group, const Target& target, std::int64_t byte, int bytes) const {
    for (int lane = 0; lane < m_lanes; ++lane) {
        const std::int64_t at = group.active.test(lane) ? target.written_at + target.offset_of(lane) : byte + 1;
        if (at <= byte && byte < at + bytes)
            return lane;
    }
    return group.active.first(m_chunks);
}

// Atomics, and threads whose pointers go into several allocations.
void GlobalChecker::check_unwritten_lane(Group& group, const Step& step, InitBitmap& written, std::int64_t begin,
                                         int bytes, int lane, Purpose purpose) {
    const bool reads = purpose == Purpose::Load || (purpose == Purpose::Atomic && reads_first(step.op));
    const bool is_unwritten = reads && written.first_unwritten(begin, bytes) >= 0;
    if (is_unwritten)
        report_unwritten(group, &step, "", lane, purpose);
    if (is_unwritten || purpose != Purpose::Load)
        written.write(begin, bytes);
}

// Copies.
void GlobalChecker::check_unwritten_bytes(Group& group, const Allocation& allocation, std::int64_t place,
                                          std::int64_t bytes, int lane, Purpose purpose) {
    InitBitmap* written = allocation.info.written.get();
    if (!written || written->is_complete())
        return;
    const std::int64_t begin = allocation.info.written_at + place;
    const std::int64_t unwritten = purpose == Purpose::Store ? -1 : written->first_unwritten(begin, bytes);
    if (unwritten >= 0)
        report_unwritten(group, nullptr, cat(allocation.info.name, " at byte ", unwritten - allocation.info.written_at),
                         lane, purpose);
    if (unwritten >= 0 || purpose != Purpose::Load)
        written->write(begin, bytes);
}

void GlobalChecker::report_unwritten(Group& group, const Step* step, const std::string& what, int lane,
                                     Purpose purpose) {
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::Unwritten;
    const std::string element = step ? m_block.findings.name_element(finding, group, access_of(*step), lane) : what;
    finding.message = sentence(lane, "", text_of(verb_of(purpose)), element,
                               ", which nothing has been written to: memory of empty() and workspaces begin undefined");
    note(std::move(finding));
}

} // namespace hidet::vm
