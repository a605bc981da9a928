// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/history_json.h"

#include "app/session/kernel_bench/record_json.h"

namespace hidet::session {

static void list_members(KernelRecord& kernel, RecordMembers& members) {
    members.need("name", kernel.name, "registers", kernel.registers, "spillBytes", kernel.spill_bytes, "sharedBytes",
                 kernel.shared_bytes, "occupancy", kernel.occupancy);
}

static void list_members(RunRecord& run, RecordMembers& members) {
    members.need("when", run.when, "number", run.number, "script", run.script, "hash", run.hash, "module", run.module,
                 "function", run.function, "shapes", run.shapes, "target", run.target, "where", run.where);
    std::string verdict = verdict_name(run.verdict);
    members.need("verdict", verdict);
    for (VerdictKind kind : {VerdictKind::Correct, VerdictKind::Wrong, VerdictKind::Unchecked, VerdictKind::Failed})
        if (verdict == verdict_name(kind))
            run.verdict = kind;
    members.need("sentence", run.sentence);
    members.if_any("maxAbsolute", run.max_absolute, "seconds", run.times, "flops", run.flops);
    members.need("bytes", run.bytes);
    members.if_any("roofline", run.roofline);
    members.need("kernels", run.kernels);
    members.if_any("predicted", run.predicted, "name", run.name);
}

namespace {

struct RunPlace {
    std::string when;
    int number = 0;
};
void list_members(RunPlace& place, RecordMembers& members) {
    members.need("when", place.when, "number", place.number);
}

void pin(const RunPlace& place, std::vector<RunRecord>& runs) {
    const RunRecord* chosen = nullptr;
    for (const RunRecord& run : runs)
        if (run.when == place.when && run.number == place.number)
            chosen = &run;
    if (!chosen)
        return; // it was trimmed
    std::string key = chosen->key();
    for (RunRecord& run : runs)
        if (run.key() == key)
            run.is_baseline = &run == chosen;
}

} // namespace

std::string line_of(const RunRecord& record) {
    return line_of("run", record);
}

std::string pin_line(const std::string& when, int number) {
    return line_of("pin", RunPlace{when, number});
}

std::string unpin_line(const std::string& key) {
    return line_of("unpin", key);
}

bool apply_line(std::string_view line, std::vector<RunRecord>& runs) {
    return read_line(line, [&](const RecordMembers& members) {
        if (members.has("run"))
            return runs.push_back(members.get<RunRecord>("run"));
        if (members.has("pin"))
            return pin(members.get<RunPlace>("pin"), runs);
        if (members.has("name"))
            return apply_name(members.get<RecordName>("name"), runs);
        const auto key = members.get<std::string>("unpin");
        for (RunRecord& run : runs)
            run.is_baseline = run.is_baseline && run.key() != key;
    });
}

} // namespace hidet::session
