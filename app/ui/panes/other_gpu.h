// SPDX-License-Identifier: GPL-3.0-only
// A side of a comparison that is made for another GPU than the panes show: lowered and compiled on another thread, anew for each
// text that was evaluated.
#pragma once

#include "app/session/explain/elsewhere.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/panes/diff_side.h"

namespace hidet::ui {

class OtherGpu : public QObject {
    Q_OBJECT
public:
    OtherGpu(Studio& studio, QObject* parent) : QObject(parent), m_studio(studio) {}

    // begins to make what is not there
    void want(const DiffSide& side) {
        const session::BoardModule* shown = module(side);
        if (!shown)
            return;
        const LivePipeline& live = *m_studio.scripts.live();
        const Asked wanted{side, live.document().name(), live.evaluatedText(), live.calls()};
        if (wanted != m_asked)
            make(wanted, shown->snapshot->number);
    }

    SideText text(const DiffSide& side) const {
        SideText out;
        out.language = languageOf(side.stage);
        out.title = side.function.isEmpty() ? tr("%1 for %2").arg(titleOf(side.stage), side.arch)
                                            : tr("%1 of %2 for %3").arg(titleOf(side.stage), side.function, side.arch);
        const LivePipeline* live = m_studio.scripts.live();
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

    bool isBusy() const { return m_job.busy(); }

signals:
    void changed();

private:
    struct Asked {
        DiffSide side;
        QString script;
        QByteArray text;
        QStringList calls;
        friend bool operator==(const Asked&, const Asked&) = default;
    };
    // null: there is none
    const session::BoardModule* module(const DiffSide& side) const {
        const LivePipeline* live = m_studio.scripts.live();
        if (!live)
            return nullptr;
        return live->board().module(side.function.isEmpty() ? live->module()
                                                            : findModule(live->board(), side.function));
    }

    void make(const Asked& asked, int module) {
        m_asked = asked;
        const Document& document = m_studio.scripts.live()->document();
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

    Studio& m_studio;
    Asked m_asked, m_made; // the newest, and what is there
    session::Elsewhere m_result;
    LatestTask m_job;
};

} // namespace hidet::ui
