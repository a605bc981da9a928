// SPDX-License-Identifier: GPL-3.0-only
// Makes, writes and checks exports, none of it on the GUI thread. What is asked for last counts; an order that comes while
// another is being made ends that.
#pragma once

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QObject>
#include <QStringList>
#include <future>

#include "app/session/exporting/verify_export.h"
#include "app/session/worker/worker_service.h"
#include "app/ui/core/in_order.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/core/paths.h"
#include "app/ui/core/words.h"
#include "app/ui/exporting/export_subject.h"

namespace hidet::ui {

class ExportMaker : public QObject {
    Q_OBJECT
public:
    using Result = std::shared_ptr<const session::ExportResult>;

    explicit ExportMaker(QObject* parent)
        : QObject(parent), m_pause(pause_ms, [this] { make(); }), m_here(std::make_shared<int>(0)) {}
    ~ExportMaker() override = default;

    // after a pause, in which another may come
    void ask(ExportOrder order) {
        m_making.cancel();
        m_checking.cancel();
        m_order = std::move(order);
        m_result = nullptr;
        m_steps.clear();
        m_doing.clear();
        m_stopped = false;
        m_pause.start();
        emit changed();
        emit checked();
    }

    // nothing is asked for
    void clear() {
        ask({});
        m_pause.stop();
        emit changed();
    }

    // what is being made or checked
    void stop() {
        m_stopped = isMaking();
        m_pause.stop();
        m_making.cancel();
        m_checking.cancel();
        emit changed();
        emit checked();
    }

    bool isMaking() const { return m_pause.isActive() || m_making.busy(); }
    bool isChecking() const { return m_checking.busy(); }
    bool isWriting() const { return m_writing; }
    bool wasStopped() const { return m_stopped; }
    // "compiling, 3 of 10"; empty: nothing is known of it
    QString doing() const { return m_doing; }
    const Result& result() const { return m_result; } // of the last order; null: there is none yet

    // what there is
    void write(const QString& folder) {
        if (!m_result || m_writing)
            return;
        m_writing = true;
        emit changed();
        m_files.run([this, here = std::weak_ptr(m_here), result = m_result, folder] {
            session::ExportResult files = *result;
            std::vector<std::string> names;
            const bool isWritten = write_export(files, folder.toStdString() + '/', names);
            const QStringList paths =
                listOf(names, [](const std::string& name) { return QDir::cleanPath(text(name)); });
            const QString why =
                isWritten || files.diagnostics.empty() ? QString() : text(files.diagnostics.back().message);
            QMetaObject::invokeMethod(
                qApp,
                [this, here, paths, folder, isWritten, why] {
                    if (here.expired())
                        return;
                    m_writing = false;
                    emit changed();
                    if (isWritten)
                        emit written(paths, folder);
                    else
                        emit refused(why);
                },
                Qt::QueuedConnection);
        });
    }

    void check() {
        if (!m_result || !m_made)
            return;
        m_steps.clear();
        const auto hearStep = [this, here = std::weak_ptr(m_here), of = m_result](const session::CheckStep& step) {
            QMetaObject::invokeMethod(
                qApp,
                [this, here, of, step] {
                    if (here.expired() || of != m_result || !m_checking.busy())
                        return;
                    m_steps.push_back(step);
                    emit checked();
                },
                Qt::QueuedConnection);
        };
        m_checking.run(
            [order = m_made, result = m_result, programs = programFolder().toStdString(), hearStep](
                const std::atomic<bool>& stopped) { return checkedIn(*order, *result, programs, stopped, hearStep); },
            [this](std::vector<session::CheckStep>&& steps) {
                m_steps = std::move(steps);
                emit checked();
            });
        emit checked();
    }

    const std::vector<session::CheckStep>& steps() const { return m_steps; }
    // which of the files are there
    void look(const QString& folder) {
        if (!m_result || folder.isEmpty())
            return;
        m_looking.run(
            [result = m_result, folder](const std::atomic<bool>& stopped) {
                QStringList there;
                for (const session::ExportedFile& file : result->files)
                    if (!stopped && QFileInfo::exists(QDir(folder).filePath(text(file.path))))
                        there << text(file.path);
                return there;
            },
            [this, folder](const QStringList& there) { emit looked(folder, there); });
    }

signals:
    void changed();                                           // what is made
    void checked();                                           // a step of the check, or its end
    void written(QStringList files, const QString& folder);   // all of them
    void refused(const QString& sentence);                    // by the machine
    void looked(const QString& folder, QStringList existing); // names below the folder

private:
    static constexpr int pause_ms = 120; // walking through formats and typing asks for nothing
    static constexpr int news_ms = 100;
    static constexpr auto patience = std::chrono::milliseconds(50);
    // In a worker of its own, which machine code of a package may end.
    static session::ModelRunResult runModel(session::WorkerService& worker, session::ModelRunRequest request,
                                            const std::atomic<bool>& cancelled) {
        request.tools = nullptr;
        request.cancelled = nullptr;
        request.progress = nullptr;
        request.print = nullptr;
        request.calling = nullptr;
        auto done = std::make_shared<std::promise<session::Answer>>();
        std::future<session::Answer> answer = done->get_future();
        const session::Ticket ticket = worker.submit(
            {request, "check", 0}, {}, [done](session::Answer given) { done->set_value(std::move(given)); });
        bool isCancelled = false;
        while (answer.wait_for(patience) != std::future_status::ready)
            if (cancelled && !std::exchange(isCancelled, true))
                worker.cancel(ticket);
        const session::Answer given = answer.get();
        if (const auto* result = session::result_in<session::ModelRunResult>(given))
            return *result;
        session::ModelRunResult lost;
        lost.status = session::Status::Internal;
        session::DiagnosticView why;
        why.message = given.reason.message;
        lost.diagnostics.push_back(std::move(why));
        return lost;
    }

    static std::vector<session::CheckStep> checkedIn(const ExportOrder& order, const session::ExportResult& result,
                                                     const std::string& programs, const std::atomic<bool>& stopped,
                                                     std::function<void(const session::CheckStep&)> done) {
        session::WorkerService worker; // no process, unless a model runs
        session::CheckRequest request{.exported = order.request, .result = result, .programs = programs};
        request.cancelled = &stopped;
        request.done = std::move(done);
        request.run_model = [&](const session::ModelRunRequest& run) { return runModel(worker, run, stopped); };
        return check_export(request);
    }

    void make() {
        struct Made {
            std::shared_ptr<ExportOrder> order;
            Result result;
        };
        const quint64 number = ++m_number;
        m_order.request.model.progress = [this, here = std::weak_ptr(m_here), number,
                                          last = QElapsedTimer()](const session::ModelProgress& progress) mutable {
            if (last.isValid() && last.elapsed() < news_ms)
                return;
            last.start();
            QMetaObject::invokeMethod(
                qApp,
                [this, here, number, doing = text(progress_text(progress))] {
                    if (!here.expired())
                        hear(number, doing);
                },
                Qt::QueuedConnection);
        };
        m_making.run(
            [order = std::make_shared<ExportOrder>(m_order)](const std::atomic<bool>& stopped) {
                auto result = std::make_shared<const session::ExportResult>(exported(*order, stopped));
                order->request.cancelled = order->request.model.cancelled = nullptr;
                order->request.model.progress = nullptr;
                return Made{order, result};
            },
            [this](const Made& made) {
                m_made = made.order;
                m_result = made.result;
                m_doing.clear();
                emit changed();
            });
        emit changed();
    }

    // Of an order that may not be the last one any more.
    void hear(quint64 number, const QString& doing) {
        if (number != m_number || !m_making.busy() || doing == m_doing)
            return;
        m_doing = doing;
        emit changed();
    }

    OneShot m_pause;
    ExportOrder m_order;
    std::shared_ptr<const ExportOrder> m_made; // that the result is of
    Result m_result;
    QString m_doing;
    bool m_stopped = false, m_writing = false;
    quint64 m_number = 0;
    std::vector<session::CheckStep> m_steps;
    std::shared_ptr<int> m_here; // gone when this is: what other threads post is for nobody then
    LatestTask m_making{LatestTask::Wanted::ByPerson}, m_checking{LatestTask::Wanted::ByPerson};
    LatestTask m_looking;
    InOrder m_files; // last: it ends what it writes
};

} // namespace hidet::ui
