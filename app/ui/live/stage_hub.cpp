// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/stage_hub.h"

#include <QTime>

#include "app/session/explain/text_figures.h"
#include "app/session/view/blame.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

std::shared_ptr<const session::TextSnapshot> BaselineModule::text(const StageName& stage) const {
    if (const auto form = stage.form()) {
        return value_in(forms, *form, nullptr);
    }
    const int pass = shownPass(snapshot->passes, stage);
    return pass < 0 ? nullptr : session::text_after(*snapshot, pass);
}

const BaselineModule* Baseline::find(const QString& function) const {
    for (const BaselineModule& module : modules) {
        if (function.isEmpty())
            return &module;
        for (const session::FunctionSnapshot& known : module.snapshot->functions)
            if (QString::fromStdString(known.name) == function)
                return &module;
    }
    return nullptr;
}

Baseline baselineOf(const session::StageBoard& board, std::shared_ptr<const session::Explained> explained) {
    Baseline out;
    const auto figures = explained ? session::figures_of(explained->kernels) : std::map<int, session::CodeFigures>();
    out.label = StageHub::tr("as of %1").arg(QTime::currentTime().toString("HH:mm:ss"));
    for (const session::BoardModule& module : board.modules()) {
        out.revision = std::max<quint64>(out.revision, module.revision);
        BaselineModule kept{module.snapshot, {}, {}};
        if (const auto known = figures.find(module.snapshot->number); known != figures.end())
            kept.figures = known->second;
        for (const session::FormInfo& info : session::all_forms())
            if (auto text = board.view(module.id, session::Stage::of_form(info.form)).text)
                kept.forms[info.form] = std::move(text);
        out.modules.push_back(std::move(kept));
    }
    out.explained = std::move(explained);
    return out;
}

void StageHub::setShown(const StageName& stage) {
    if (stage.isIr())
        m_shownIr = stage;
    m_shown = stage;
    emit shownChanged();
}

void StageHub::pinBaseline(const Document& document, Baseline baseline) {
    m_baselines[&document] = std::move(baseline);
    emit baselineChanged();
}

const Baseline* StageHub::baseline(const Document* document) const {
    return found_in(m_baselines, document);
}

void StageHub::forget(const Document& document) {
    if (m_baselines.erase(&document))
        emit baselineChanged();
}

int StageHub::keep(PinnedText text) {
    const auto isSame = [&](const PinnedText& other) {
        return other.label == text.label && other.stage == text.stage && other.view.text && text.view.text &&
               (other.view.text == text.view.text || other.view.text->text == text.view.text->text);
    };
    for (const auto& [number, other] : m_pinned)
        if (isSame(other))
            return number;
    const int number = m_pinned.empty() ? 1 : m_pinned.rbegin()->first + 1;
    m_pinned[number] = std::move(text);
    return number;
}

const PinnedText* StageHub::pinned(int number) const {
    return found_in(m_pinned, number);
}

} // namespace hidet::ui
