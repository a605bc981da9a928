// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/access_notes.h"

#include <algorithm>
#include <map>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

using session::AccessView;
using session::ContractState;
using session::ContractView;

bool isWorse(const AccessView& a, const AccessView& b) {
    return a.units - a.least > b.units - b.least;
}

LineNote noteOf(const AccessView& view) {
    LineNote out;
    out.line = view.place.line;
    out.text = degreeText(view);
    const QString what =
        view.tensor.empty() ? text(view.kind) : tr("%1 of '%2'").arg(text(view.kind), text(view.tensor));
    out.words = tr("%1: %2").arg(what, text(view.finding));
    if (!view.cure.empty())
        out.words += tr("\nCure: %1").arg(text(view.cure));
    out.tone = NoteTone::Warning;
    out.isPredicted = view.counted != "exact";
    return out;
}

// A thread that leaves the tensor, found before anything ran.
LineNote noteOf(const session::BoundsAccess& view) {
    LineNote out;
    out.line = view.place.line;
    out.text = tr("outside");
    out.words = tr("%1: %2").arg(text(view.kind), text(view.example));
    out.tone = NoteTone::Error;
    return out;
}

// Of several kernels the one that keeps a contract least.
LineNote noteOf(const ContractView& view) {
    LineNote out;
    out.line = view.place.line;
    out.isContract = true;
    const QString name = text(view.name);
    const QString figure = view.figure ? digitsText(*view.figure, *view.figure < 1 ? 2 : 6) : tr("not known");
    out.isPredicted = view.figure && view.name == "of_roof";
    out.text = tr("%1 %2%3").arg(name, out.isPredicted ? "~" : "", figure);
    switch (view.state) {
    case ContractState::Kept: out.tone = NoteTone::Ok; break;
    case ContractState::Broken: out.tone = NoteTone::Error; break;
    case ContractState::Unknown: out.tone = NoteTone::Plain; break;
    }
    const QString state = capitalized(QString(session::contract_state_name(view.state)));
    out.words = tr("%1: %2. %3").arg(state, text(view.text), sentence(view.sentence));
    return out;
}

int rankOf(ContractState state) {
    return state == ContractState::Broken ? 2 : state == ContractState::Unknown ? 1 : 0;
}

} // namespace

QString degreeText(const AccessView& view) {
    if (view.finding.empty())
        return {};
    const QString tilde = view.counted == "exact" ? "" : "~";
    if (view.memory == "shared")
        return tilde + tr("%1-way").arg(view.worst);
    return tilde + tr("%1x").arg(fixedText(view.ratio, view.ratio < 10 ? 1 : 0));
}

std::vector<const AccessView*> accessesWithFixes(const session::Explained& explained, const std::string& file) {
    std::vector<const AccessView*> out;
    for (const session::KernelExplained& kernel : explained.kernels)
        for (const AccessView& view : kernel.accesses)
            if (!view.fixes.empty() && view.place.file == file)
                out.push_back(&view);
    return out;
}

std::vector<LineNote> notesOf(const session::Explained& explained, const std::string& file) {
    std::map<std::pair<int, bool>, const AccessView*> worst; // by line and whether it is of shared memory
    for (const session::KernelExplained& kernel : explained.kernels)
        for (const AccessView& view : kernel.accesses) {
            if (view.finding.empty() || view.place.file != file)
                continue;
            const AccessView*& kept = worst[{view.place.line, view.memory == "shared"}];
            if (!kept || isWorse(view, *kept))
                kept = &view;
        }
    std::map<int, const session::BoundsAccess*> leaving; // by line
    for (const session::KernelExplained& kernel : explained.kernels) {
        if (!kernel.bounds)
            continue;
        for (const session::BoundsAccess& view : kernel.bounds->accesses)
            if (view.verdict == "leaves" && view.place.file == file)
                leaving.try_emplace(view.place.line, &view);
    }
    std::map<std::pair<int, int>, const ContractView*> least; // by place
    for (const ContractView& view : explained.contracts) {
        if (view.place.file != file)
            continue;
        const ContractView*& kept = least[{view.place.line, view.place.column}];
        if (!kept || rankOf(view.state) > rankOf(kept->state))
            kept = &view;
    }
    std::vector<LineNote> out;
    for (const auto& [line, view] : leaving)
        out.push_back(noteOf(*view));
    for (const auto& [key, view] : worst)
        out.push_back(noteOf(*view));
    for (const auto& [key, view] : least)
        out.push_back(noteOf(*view));
    std::ranges::stable_sort(out, {}, &LineNote::line);
    return out;
}

} // namespace hidet::ui
