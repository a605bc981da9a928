// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/kernel_badges.h"

#include <algorithm>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/run/run_controller.h"

namespace hidet::ui {

namespace {

using session::ContractState;
using session::Explained;
using session::KernelExplained;

bool isWithin(const session::Place& place, const session::Place& lines) {
    return place.file == lines.file && lines.line <= place.line && place.line <= lines.end_line;
}

// Once the text has changed lines are others, and the name has to do.
std::vector<const KernelExplained*> kernelsOf(const LivePipeline& live, const std::string& name,
                                              const session::Place& lines) {
    std::vector<const KernelExplained*> out;
    if (!live.explained())
        return out;
    for (const KernelExplained& kernel : live.explained()->kernels)
        if (kernel.name == name && (!live.explanationIsCurrent() || isWithin(kernel.place, lines)))
            out.push_back(&kernel);
    return out;
}

// Of the kernels those whose cost is known, the slowest first.
std::vector<const KernelExplained*> costlyOf(std::vector<const KernelExplained*> kernels) {
    std::erase_if(kernels, [](const KernelExplained* each) { return !each->cost; });
    std::ranges::stable_sort(kernels, [](const KernelExplained* a, const KernelExplained* b) {
        return a->cost->predicted_seconds > b->cost->predicted_seconds;
    });
    return kernels;
}

void addPredicted(KernelBadges& out, const std::vector<const KernelExplained*>& kernels) {
    const KernelExplained& slowest = *kernels.front();
    if (slowest.cost->predicted_seconds <= 0 || std::ranges::count(slowest.cost->grid, 0) > 0)
        return;
    QString hint = tr("Predicted: %1 on %2").arg(timeText(slowest.cost->predicted_seconds), text(slowest.target));
    if (kernels.size() > 1)
        hint += tr(", the slowest of %1 modules").arg(kernels.size());
    const bool isAtLeast = !slowest.cost->at_least.empty();
    if (isAtLeast)
        hint += tr(" at least: %1").arg(text(session::at_least_text(slowest.cost->at_least)));
    out << KernelBadge{(isAtLeast ? QChar(0x2265) : QChar('~')) + timeText(slowest.cost->predicted_seconds), hint,
                       NoteTone::Plain, true};
}

// What was measured is a call: it is the kernel's where that launches no other.
void addMeasured(KernelBadges& out, const Studio& studio, const std::string& name) {
    const RunReport* report = studio.runs->report(*studio.tabs.current());
    if (!report || !report->result || !report->result->measured || report->result->measured->is_emulated)
        return;
    const session::KernelBenchResult& result = *report->result;
    const bool isAlone = result.kernels.size() == 1 && result.kernels.front().name == name;
    if (result.measured->times.count == 0 || (result.function != name && !isAlone))
        return;
    const QString time = timeText(result.measured->times.median);
    const bool isStale = studio.runs->isStale(*studio.tabs.current());
    out << KernelBadge{time,
                       (isStale ? tr("Measured before the last change: %1 on %2") : tr("Measured: %1 on %2"))
                           .arg(time, text(result.where)),
                       isStale ? NoteTone::Plain : NoteTone::Ok, false};
}

int spillsOf(const KernelExplained& kernel) {
    if (!kernel.cost || !kernel.cost->facts)
        return 0;
    return kernel.cost->facts->spill_store_bytes + kernel.cost->facts->spill_load_bytes;
}

void addFindings(KernelBadges& out, const Studio& studio, const std::vector<const KernelExplained*>& kernels,
                 const session::Place& lines) {
    std::vector<std::pair<int, QString>> said; // by line, each once
    const auto add = [&](int line, const QString& what) {
        if (std::ranges::find(said, std::pair(line, what)) == said.end())
            said.emplace_back(line, what);
    };
    bool isWrong = false;
    for (const session::DiagnosticView& finding : studio.scripts.findings(*studio.tabs.current()))
        if (isWithin(finding.place, lines)) {
            add(finding.place.line, sentence(finding.message));
            isWrong = isWrong || finding.severity == Severity::Error;
        }
    for (const KernelExplained* kernel : kernels) {
        for (const session::AccessView& view : kernel->accesses)
            if (!view.finding.empty())
                add(view.place.line, sentence(view.finding));
        if (spillsOf(*kernel) > 0)
            add(kernel->place.line, tr("Registers are spilled"));
    }
    if (said.empty())
        return;
    const int count = static_cast<int>(said.size());
    const QStringList hints =
        listOf(said, [](const auto& each) { return tr("Line %1: %2").arg(each.first).arg(each.second); });
    out << KernelBadge{count == 1 ? tr("1 finding") : tr("%1 findings").arg(count), hints.join('\n'),
                       isWrong ? NoteTone::Error : NoteTone::Warning, false};
}

void addContracts(KernelBadges& out, const Explained& explained, const std::string& name) {
    int kept = 0, broken = 0, unknown = 0;
    QStringList hints;
    for (const session::ContractView& view : explained.contracts) {
        if (view.kernel != name)
            continue;
        ++(view.state == ContractState::Kept ? kept : view.state == ContractState::Broken ? broken : unknown);
        hints << tr("%1: %2").arg(capitalized(session::contract_state_name(view.state)), text(view.text));
    }
    if (kept + broken + unknown == 0)
        return;
    KernelBadge badge;
    badge.hint = hints.join('\n');
    if (broken > 0) {
        badge.text = tr("contract broken");
        badge.tone = NoteTone::Error;
    } else if (unknown > 0) {
        badge.text = tr("contract not known");
    } else {
        badge.text = tr("contract kept");
        badge.tone = NoteTone::Ok;
    }
    out << badge;
}

// Of modules that have it under one name the worst.
void addProof(KernelBadges& out, const std::vector<const KernelExplained*>& kernels) {
    static const QStringList verdicts = {"proved", "proved if", "open", "refuted"};
    const session::ProvedKernel* worst = nullptr;
    const auto rank = [](const session::ProvedKernel& proof) {
        return verdicts.indexOf(text(session::worst_verdict(proof)));
    };
    for (const KernelExplained* kernel : kernels) {
        if (!kernel->proof)
            return;
        if (!worst || rank(*kernel->proof) > rank(*worst))
            worst = &*kernel->proof;
    }
    if (!worst)
        return;
    const int of = static_cast<int>(rank(*worst));
    const QString words[] = {tr("proved"), tr("proved if"), tr("proof open"), tr("refuted")};
    const NoteTone tones[] = {NoteTone::Ok, NoteTone::Plain, NoteTone::Plain, NoteTone::Error};
    out << KernelBadge{words[of], tr("For every size, block and thread:\n%1").arg(text(session::proof_text(*worst))),
                       tones[of], false};
}

void addBytes(KernelBadges& out, const session::CostView& cost) {
    if (cost.sector_bytes <= 0)
        return;
    const QString moved = bytesText(cost.sector_bytes);
    out << KernelBadge{moved, tr("%1 of arguments, %2 of global memory moved").arg(bytesText(cost.unique_bytes), moved),
                       NoteTone::Plain, false};
}

} // namespace

KernelBadges kernelBadges(const Studio& studio, const std::string& name, const session::Place& lines) {
    KernelBadges out;
    const LivePipeline* live = studio.scripts.live();
    if (!live)
        return out;
    const std::vector<const KernelExplained*> kernels = kernelsOf(*live, name, lines);
    const std::vector<const KernelExplained*> costly = costlyOf(kernels);
    if (!costly.empty())
        addPredicted(out, costly);
    addMeasured(out, studio, name);
    addFindings(out, studio, kernels, lines);
    if (!kernels.empty())
        addContracts(out, *live->explained(), name);
    addProof(out, kernels);
    if (!costly.empty())
        addBytes(out, *costly.front()->cost);
    return out;
}

} // namespace hidet::ui
