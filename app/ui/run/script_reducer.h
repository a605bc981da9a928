// SPDX-License-Identifier: GPL-3.0-only
// Makes the smallest script that still shows a problem, beside the window, and opens it in a tab of its own. One at a time: a new one
// ends the one before. What it is at stands in a notice, whose button takes what there is by then.
#pragma once

#include <QObject>
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "app/session/reduce/reduce.h"
#include "app/session/work/large_thread.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/workbench/studio.h"

namespace hidet::session {
struct ReduceProgress;
struct ReduceResult;
} // namespace hidet::session

namespace hidet::ui {

class ScriptReducer : public QObject {
    Q_OBJECT
public:
    // The studio's own from now on. `caret` asks the editor for its place, in bytes: LiveScripts::caretMoved comes only once the
    // view is painted, and a command means where the caret is now.
    ScriptReducer(Studio& studio, std::function<int()> caret)
        : QObject(&studio), m_studio(studio), m_caret(std::move(caret)) {
        studio.reducer = this;
        studio.commands.bind(
            Command::EditReduce, this,
            [this] {
                if (const auto problem = problemAtCaret())
                    reduce(*m_studio.tabs.current(), problem->id, problem->message);
            },
            [this] {
                const bool areThere = hasProblems();
                Commands::explain(m_studio.commands.action(Command::EditReduce),
                                  areThere ? QString() : tr("the script has no problem"));
                return areThere;
            });
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &ScriptReducer::look);
        connect(&studio.scripts, &LiveScripts::liveUpdated, this, &ScriptReducer::look);
        connect(&studio.scripts, &LiveScripts::findingsChanged, this, &ScriptReducer::look);
    }

    ~ScriptReducer() override { stop(); }

    // A problem with this id and, where it is given, this message.
    void reduce(Document& document, const QString& id, const QString& message) {
        stop();
        m_stop = std::make_shared<std::atomic<bool>>(false);
        session::ReduceRequest request;
        request.source = sourceOf(document);
        request.code = id.toStdString();
        request.version = HIDET_VERSION;
        if (const LivePipeline* live = m_studio.scripts.liveOf(document)) {
            request.calls = utf8Of(live->calls());
            // What a run found may have other numbers when the script runs by itself.
            const std::string words = message.toStdString();
            if (live->latest() &&
                std::ranges::count(live->latest()->diagnostics, words, &session::DiagnosticView::message) > 0) {
                request.way = session::TrialWay::Check;
                request.keep = words;
            }
        }
        const QString title = document.title();
        show(title, {});
        m_task.run(
            [this, request = std::move(request), stop = m_stop, title](const std::atomic<bool>& isUnwanted) mutable {
                request.cancelled = stop.get();
                auto told = std::make_shared<std::chrono::steady_clock::time_point>();
                request.progress = [this, &isUnwanted, stop, title, told](const session::ReduceProgress& progress) {
                    if (isUnwanted)
                        *stop = true;
                    const auto now = std::chrono::steady_clock::now();
                    if (*stop || now - *told < betweenNews)
                        return;
                    *told = now;
                    // It outlives this call: the flag is set before it goes.
                    QMetaObject::invokeMethod(qApp, [this, stop, title, progress] {
                        if (!*stop)
                            show(title, progress);
                    });
                };
                return reduced(request);
            },
            [this, title](const session::ReduceResult& result) { take(title, result); });
    }

    bool isBusy() const { return m_task.busy(); }
    // with what there is
    void stop() {
        if (m_stop)
            *m_stop = true;
    }

private:
    static constexpr const char* reduceNotice = "reduce";
    static constexpr std::chrono::milliseconds betweenNews{200};
    static session::ReduceResult reduced(const session::ReduceRequest& request) {
        session::ReduceResult result;
        session::on_large_thread([&] { result = session::reduce(request); }); // walks of syntax trees recurse
        return result;
    }

    struct Chosen {
        QString id, message;
    };
    // of the current script
    std::vector<session::DiagnosticView> problems() const {
        const Document* document = m_studio.tabs.current();
        if (!document || !document->isScript())
            return {};
        std::vector<session::DiagnosticView> all = m_studio.scripts.findings(*document);
        if (const LivePipeline* live = m_studio.scripts.live(); live && live->latest())
            all.insert(all.begin(), live->latest()->diagnostics.begin(), live->latest()->diagnostics.end());
        return all;
    }

    bool hasProblems() const {
        const Document* document = m_studio.tabs.current();
        if (!document || !document->isScript())
            return false;
        const LivePipeline* live = m_studio.scripts.live();
        return !m_studio.scripts.findings(*document).empty() ||
               (live && live->latest() && !live->latest()->diagnostics.empty());
    }

    // or the first one; nothing: there is none
    std::optional<Chosen> problemAtCaret() const {
        const std::vector<session::DiagnosticView> all = problems();
        if (all.empty())
            return {};
        const Document* document = m_studio.tabs.current();
        const int line = int(document->text().left(m_caret()).count('\n')) + 1;
        const auto isHere = [&](const session::DiagnosticView& each) {
            return each.place.line == line && each.place.file == document->name().toStdString();
        };
        const auto here = std::ranges::find_if(all, isHere);
        const session::DiagnosticView& chosen = here == all.end() ? all.front() : *here;
        return Chosen{QString::fromStdString(chosen.id), QString::fromStdString(chosen.message)};
    }

    // whether there are some now
    void look() {
        const bool areThere = hasProblems();
        if (areThere != std::exchange(m_hasProblems, areThere))
            m_studio.commands.refresh();
    }

    void show(const QString& title, const session::ReduceProgress& progress) {
        const QString sentence = progress.tries == 0
                                     ? tr("Looking for the smallest script that shows what is wrong with %1").arg(title)
                                     : tr("Reducing %1: %n line(s) show it", nullptr, progress.lines).arg(title) +
                                           tr(", %1 scripts tried").arg(qulonglong(progress.tries));
        m_studio.notices.notify(
            {reduceNotice, NoticeKind::Info, sentence, {{tr("Use the current script"), [this] { stop(); }}}, {}});
    }

    void take(const QString& title, const session::ReduceResult& result) {
        m_studio.notices.withdraw(reduceNotice);
        if (result.text.empty()) {
            if (result.status != session::Status::Cancelled)
                m_studio.notices.showError(tr("%1 cannot be reduced: %2").arg(title, firstMessage(result.diagnostics)));
            return;
        }
        m_studio.tabs.create(QByteArray::fromStdString(result.text));
        m_studio.notices.showStatus(tr("%1 of %2 lines of %3 show it, by %4")
                                        .arg(result.lines_after)
                                        .arg(result.lines_before)
                                        .arg(title, info(result.way).command));
    }

    Studio& m_studio;
    const std::function<int()> m_caret;
    bool m_hasProblems = false;
    std::shared_ptr<std::atomic<bool>> m_stop;
    LatestTask m_task{LatestTask::Wanted::ByPerson};
};

} // namespace hidet::ui
