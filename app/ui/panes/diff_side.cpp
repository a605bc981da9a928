// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_side.h"

#include <QUrl>

#include "app/session/explain/text_figures.h"
#include "app/session/request/edited_stage.h"
#include "app/session/view/blame.h"

namespace hidet::ui {

namespace {

constexpr const char* baseline_prefix = "baseline:";
constexpr const char* pin_prefix = "pin:";
constexpr const char* script_prefix = "script:";
constexpr const char* arch_prefix = "arch:";

constexpr const char* after_name = "@after";
constexpr const char* before_name = "@before";

std::optional<session::CodeFigures> moduleFigures(const LivePipeline& live, session::ModuleId module) {
    const session::BoardModule* shown = live.board().module(module);
    if (!shown || !live.explained())
        return std::nullopt;
    const auto all = session::figures_of(live.explained()->kernels);
    const auto found = all.find(shown->snapshot->number);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

SideText ofPinned(const Studio& studio, const DiffSide& side) {
    SideText out;
    out.language = side.stage.isEmpty() ? Language::Script : languageOf(side.stage);
    const PinnedText* pinned = studio.stages.pinned(side.pinned);
    out.title = pinned ? pinned->label : StageHub::tr("Kept text");
    if (pinned && !side.stage.isEmpty())
        out.title = StageHub::tr("%1 of %2").arg(titleOf(side.stage), pinned->label);
    out.text = pinned ? pinned->view.text : nullptr;
    out.figures = pinned ? pinned->figures : std::nullopt;
    if (!out.text)
        out.reason = StageHub::tr("This text is not kept any more");
    return out;
}

SideText ofScript(const Studio& studio, const DiffSide& side) {
    SideText out;
    out.language = Language::Script;
    const Document* document = side.document == DiffSide::current_script ? studio.tabs.current() : nullptr;
    for (const Document* open : studio.tabs.documents())
        if (!document && open->title() == side.document)
            document = open;
    out.title = document ? document->title() : side.document;
    if (!document) {
        out.reason = StageHub::tr("No such script is open");
        return out;
    }
    auto text = std::make_shared<session::TextSnapshot>();
    text->text = document->text().toStdString();
    if (const auto form = document->byHand()) { // what its first comment says is no code
        out.language = languageOf(*form);
        text->text = session::without_head(text->text);
    }
    out.text = std::move(text);
    if (document == studio.tabs.current())
        out.figures = moduleFigures(*studio.scripts.live(), studio.scripts.live()->module());
    return out;
}

} // namespace

StageName stageShownBy(const Studio& studio, const DiffSide& side) {
    const LivePipeline* live = studio.scripts.live();
    if (!live || side.follows == DiffSide::Follows::Nothing)
        return side.stage;
    const auto& passes = live->board().passes(live->module());
    const int shown = shownPass(passes, studio.stages.shownIr());
    if (shown < 0)
        return StageName::lowered();
    return nameOfPass(passes, side.follows == DiffSide::Follows::After ? shown : std::max(0, shown - 1));
}

std::shared_ptr<const session::TextSnapshot> stageTextIn(const std::shared_ptr<const session::ModuleSnapshot>& module,
                                                         const StageName& stage) {
    if (const auto form = stage.form()) {
        const auto made = session::form_of(*module, *form);
        return made ? std::shared_ptr<const session::TextSnapshot>(made, &made->text) : nullptr;
    }
    const int pass = shownPass(module->passes, stage);
    return pass < 0 ? nullptr : session::text_after(*module, pass);
}

QString DiffSide::name() const {
    if (follows != Follows::Nothing)
        return follows == Follows::After ? after_name : before_name;
    if (pinned > 0)
        return pin_prefix + QString::number(pinned) + ':' + stage.key();
    if (!document.isEmpty()) // '|' stands between two sides
        return script_prefix + QString::fromLatin1(QUrl::toPercentEncoding(document, "*"));
    const QString place = arch.isEmpty() ? QString(baseline ? baseline_prefix : "") : arch_prefix + arch + ':';
    return place + stage.key() + (function.isEmpty() ? QString() : '@' + function);
}

DiffSide DiffSide::of(const QString& name) {
    if (name == after_name || name == before_name)
        return following(name == after_name ? Follows::After : Follows::Before);
    if (name.startsWith(pin_prefix))
        return ofPinned(name.section(':', 1, 1).toInt(), StageName::ofKey(name.section(':', 2)));
    if (name.startsWith(script_prefix))
        return ofScript(QUrl::fromPercentEncoding(name.mid(int(qstrlen(script_prefix))).toLatin1()));
    DiffSide side;
    side.baseline = name.startsWith(baseline_prefix);
    QString rest = side.baseline ? name.mid(int(qstrlen(baseline_prefix))) : name;
    if (name.startsWith(arch_prefix)) {
        side.arch = name.section(':', 1, 1);
        rest = name.section(':', 2);
    }
    const qsizetype at = rest.indexOf('@');
    side.stage = StageName::ofKey(at < 0 ? rest : rest.left(at));
    side.function = at < 0 ? QString() : rest.mid(at + 1);
    return side;
}

SideText resolved(const Studio& studio, const DiffSide& side) {
    if (side.pinned > 0)
        return ofPinned(studio, side);
    if (!side.document.isEmpty())
        return ofScript(studio, side);
    SideText out;
    const StageName stage = stageShownBy(studio, side);
    out.language = languageOf(stage);
    out.title = titleOf(stage);
    if (!side.function.isEmpty())
        out.title = StageHub::tr("%1 of %2").arg(out.title, side.function);
    const LivePipeline* live = studio.scripts.live();
    if (!live) {
        out.reason = StageHub::tr("No script is open");
        return out;
    }
    QString function = side.function;
    if (side.baseline) {
        const Baseline* baseline = studio.stages.baseline(studio.tabs.current());
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
        out.figures = module ? module->figures : std::nullopt;
        if (!out.text)
            out.reason = StageHub::tr("The baseline has no such text");
        return out;
    }
    const session::ModuleId module = function.isEmpty() ? live->module() : findModule(live->board(), function);
    const session::StageView view = viewOf(live->board(), module, stage);
    out.text = view.text;
    out.figures = moduleFigures(*live, module);
    if (!out.text)
        out.reason = view.reason.empty() ? StageHub::tr("It is on its way") : QString::fromStdString(view.reason);
    return out;
}

} // namespace hidet::ui
