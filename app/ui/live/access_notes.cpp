// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/access_notes.h"

#include <algorithm>

#include "app/session/live/findings.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/window_words.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

using session::AccessView;
using session::ContractState;
using session::ContractView;

LineNote noteOf(const AccessView& view) {
    LineNote out;
    out.line = view.place.line;
    out.text = degreeText(view);
    const QString what =
        view.tensor.empty() ? text(view.kind) : tr("%1 of '%2'").arg(text(view.kind), text(view.tensor));
    out.words = tr("%1: %2").arg(what, text(view.finding));
    if (!view.cure.empty())
        out.words += tr("\nFix: %1").arg(text(view.cure));
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
    const QString figure = view.figure            ? digitsText(*view.figure, *view.figure < 1 ? 2 : 6)
                           : view.verdict.empty() ? tr("not known")
                                                  : text(view.verdict);
    out.isPredicted = view.figure && view.name == "of_roof";
    out.text = tr("%1 %2%3").arg(name, out.isPredicted ? "~" : "", figure);
    switch (view.state) {
    case ContractState::Kept: out.tone = NoteTone::Ok; break;
    case ContractState::Broken: out.tone = NoteTone::Error; break;
    case ContractState::Unknown: out.tone = NoteTone::Plain; break;
    }
    const QString state = capitalized(QString(session::contract_state_name(view.state)));
    out.words = tr("%1: %2. %3").arg(state, text(view.text), sentence(inWindowWords(view.sentence)));
    return out;
}

} // namespace

QColor colorOf(NoteTone tone, const Theme& theme) {
    switch (tone) {
    case NoteTone::Ok: return theme.ok;
    case NoteTone::Warning: return theme.warning;
    case NoteTone::Error: return theme.error;
    case NoteTone::Plain: break;
    }
    return theme.muted;
}

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
    const session::LineFindings findings = session::line_findings(explained, file);
    std::vector<LineNote> out;
    for (const session::BoundsAccess* view : findings.leaving)
        out.push_back(noteOf(*view));
    for (const AccessView* view : findings.costly)
        out.push_back(noteOf(*view));
    for (const ContractView* view : findings.contracts)
        out.push_back(noteOf(*view));
    std::ranges::stable_sort(out, {}, &LineNote::line);
    return out;
}

} // namespace hidet::ui
