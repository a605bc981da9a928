// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/other_gpu.h"

#include "app/ui/core/words.h"

namespace hidet::ui {

const session::BoardModule* OtherGpu::module(const DiffSide& side) const {
    const LivePipeline* live = m_studio.live();
    if (!live)
        return nullptr;
    return live->board().module(side.function.isEmpty() ? live->module() : findModule(live->board(), side.function));
}

void OtherGpu::want(const DiffSide& side) {
    const session::BoardModule* shown = module(side);
    if (!shown)
        return;
    const LivePipeline& live = *m_studio.live();
    const Asked wanted{side, live.document().name(), live.evaluatedText(), live.calls()};
    if (wanted != m_asked)
        make(wanted, shown->snapshot->number);
}

SideText OtherGpu::text(const DiffSide& side) const {
    SideText out;
    out.language = languageOf(side.stage);
    out.title = side.function.isEmpty() ? tr("%1 for %2").arg(titleOf(side.stage), side.arch)
                                        : tr("%1 of %2 for %3").arg(titleOf(side.stage), side.function, side.arch);
    const LivePipeline* live = m_studio.live();
    out.reason = !live           ? tr("No script is open")
                 : !module(side) ? tr("The script builds no such module")
                                 : tr("It is on its way");
    if (!live || m_made.side != side || m_made.script != live->document().name())
        return out;
    if (m_result.module)
        out.text = stageTextIn(m_result.module, side.stage);
    out.reason = m_result.reason.empty() ? tr("It could not be made") : sentence(m_result.reason);
    out.figures = m_result.figures;
    return out;
}

void OtherGpu::make(const Asked& asked, int module) {
    m_asked = asked;
    const Document& document = m_studio.live()->document();
    session::PreviewRequest request;
    request.source = {asked.script.toStdString(), asked.text.toStdString(), document.folder().toStdString(),
                      document.isIr()};
    request.calls = utf8Of(asked.calls);
    request.texts = asked.side.stage.isIr() ? session::Keep::Everything : session::Keep::Last;
    if (const auto form = asked.side.stage.form())
        request.forms = {*form};
    request.arch = asked.side.arch.toStdString();
    request.tools = m_studio.tools;
    request.module = module;
    m_job.run(
        [request = std::move(request)](const std::atomic<bool>& stopped) mutable {
            request.cancelled = &stopped;
            return session::made_elsewhere(std::move(request));
        },
        [this, asked](session::Elsewhere&& made) {
            m_made = asked;
            m_result = std::move(made);
            emit changed();
        });
}

} // namespace hidet::ui
