// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_side.h"

namespace hidet::ui {

namespace {

constexpr const char* baseline_prefix = "baseline:";

constexpr const char* after_name = "@after";
constexpr const char* before_name = "@before";

StageName stageOf(const Studio& studio, const DiffSide& side) {
    const LivePipeline* live = studio.live();
    if (!live || side.follows == DiffSide::Follows::Nothing)
        return side.stage;
    const auto& passes = live->board().passes(live->module());
    const int shown = shownPass(passes, studio.stages.shownIr());
    if (shown < 0)
        return StageName::lowered();
    return nameOfPass(passes, side.follows == DiffSide::Follows::After ? shown : std::max(0, shown - 1));
}

} // namespace

QString DiffSide::name() const {
    if (follows != Follows::Nothing)
        return follows == Follows::After ? after_name : before_name;
    return (baseline ? baseline_prefix : "") + stage.key() + (function.isEmpty() ? QString() : '@' + function);
}

DiffSide DiffSide::of(const QString& name) {
    if (name == after_name || name == before_name)
        return following(name == after_name ? Follows::After : Follows::Before);
    DiffSide side;
    side.baseline = name.startsWith(baseline_prefix);
    const QString rest = side.baseline ? name.mid(int(qstrlen(baseline_prefix))) : name;
    const qsizetype at = rest.indexOf('@');
    side.stage = StageName::ofKey(at < 0 ? rest : rest.left(at));
    side.function = at < 0 ? QString() : rest.mid(at + 1);
    return side;
}

SideText resolved(const Studio& studio, const DiffSide& side) {
    SideText out;
    const StageName stage = stageOf(studio, side);
    out.language = languageOf(stage);
    out.title = titleOf(stage);
    if (!side.function.isEmpty())
        out.title = StageHub::tr("%1 of %2").arg(out.title, side.function);
    const LivePipeline* live = studio.live();
    if (!live) {
        out.reason = StageHub::tr("No script is open");
        return out;
    }
    QString function = side.function;
    if (side.baseline) {
        const Baseline* baseline = studio.stages.baseline(studio.current());
        out.title = StageHub::tr("%1, baseline").arg(out.title);
        if (!baseline) {
            out.reason = StageHub::tr("There is no baseline: pin one first");
            return out;
        }
        out.title += ' ' + baseline->label;
        if (const session::BoardModule* shown = live->board().module(live->module());
            function.isEmpty() && shown && !shown->snapshot->functions.empty())
            function = QString::fromStdString(shown->snapshot->functions.front().name);
        const BaselineModule* module = baseline->find(function);
        if (!module)
            module = side.function.isEmpty() ? baseline->find({}) : nullptr;
        out.text = module ? module->text(stage) : nullptr;
        if (!out.text)
            out.reason = StageHub::tr("The baseline has no such text");
        return out;
    }
    const session::ModuleId module = function.isEmpty() ? live->module() : findModule(live->board(), function);
    const session::StageView view = viewOf(live->board(), module, stage);
    out.text = view.text;
    if (!out.text)
        out.reason = view.reason.empty() ? StageHub::tr("It is on its way") : QString::fromStdString(view.reason);
    return out;
}

} // namespace hidet::ui
