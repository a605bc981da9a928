// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/profiles.h"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>

#include "app/session/worker/worker_service.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

Profiles::Profiles(Studio& studio) : QObject(&studio), m_studio(studio) {
    const auto some = [&studio] { return studio.tabs.current() && studio.tabs.current()->isScript(); };
    studio.commands.bind(
        Command::RunProfile, this, [this] { start(); }, some);
    studio.commands.bind(
        Command::RunProfileCommand, this, [this] { copyCommand(); }, some);
    connect(&studio.tabs, &OpenTabs::documentAdded, this, [this](Document* document) {
        connect(document, &Document::textChanged, this, [this, document] {
            if (m_results.remove(document) + m_emulated.remove(document) > 0)
                emit changed();
        });
    });
    connect(&studio.tabs, &OpenTabs::documentClosing, this, [this](Document* document) {
        m_results.remove(document);
        m_emulated.remove(document);
    });
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &Profiles::changed);
}

std::shared_ptr<const session::ProfileResult> Profiles::of(const Document* document) const {
    return m_results.value(document);
}

// The text of the editor counts, saved or not: what is not in the file goes in by standard input.
session::ProfileRequest Profiles::requestFor(const Document& document) const {
    session::ProfileRequest request;
    request.preview.source = sourceOf(document);
    request.preview.tools = m_studio.tools;
    const bool isFile = !document.path().isEmpty() && !document.isModified();
    run_source(request, session::default_worker_command().front(),
               isFile ? document.path().toStdString() : std::string());
    if (isFile)
        request.folder = document.folder().toStdString();
    return request;
}

void Profiles::start() {
    Document* document = m_studio.tabs.current();
    m_studio.notices.showStatus(tr("Nsight Compute runs %1").arg(document->title()));
    m_task.run(
        [request = requestFor(*document)](const std::atomic<bool>& stop) mutable {
            request.preview.cancelled = &stop;
            return session::profile(request);
        },
        [this, document = QPointer<Document>(document), text = document->text()](session::ProfileResult result) {
            if (document && document->text() == text)
                take(*document, std::move(result));
        });
}

QString Profiles::hottestOf(const session::ProfileResult& result) const {
    QStringList out;
    for (const session::ProfiledKernel& kernel : result.kernels) {
        const auto hottest = std::ranges::max_element(kernel.lines, {}, &session::ProfiledLine::samples);
        const QString name = QString::fromStdString(kernel.name);
        out << (hottest == kernel.lines.end() ? tr("%1: %2").arg(name, timeText(kernel.seconds))
                                              : tr("%1: %2, %3 % of the samples in line %4")
                                                    .arg(name, timeText(kernel.seconds), percentNumber(hottest->share))
                                                    .arg(hottest->place.line));
    }
    return out.join("; ");
}

void Profiles::take(Document& document, session::ProfileResult result) {
    if (result.status != session::Status::Ok || result.kernels.empty()) {
        const QString why = firstMessage(result.diagnostics, tr("Nothing was counted"));
        return m_studio.notices.showError(tr("No profile: %1").arg(why),
                                          {{tr("Copy the command"), [this] { copyCommand(); }}});
    }
    const QString hottest = hottestOf(result);
    m_results[&document] = std::make_shared<const session::ProfileResult>(std::move(result));
    m_studio.notices.showStatus(hottest);
    emit changed();
}

void Profiles::copyCommand() {
    if (!m_studio.tabs.current())
        return;
    m_command.run(
        [request = requestFor(*m_studio.tabs.current())](const std::atomic<bool>&) {
            return session::profile_command(request);
        },
        [this](session::ProfileResult result) {
            if (result.command.empty())
                return m_studio.notices.showError(
                    tr("There is no command: %1")
                        .arg(firstMessage(result.diagnostics, tr("the script builds no kernel"))));
            QGuiApplication::clipboard()->setText(QString::fromStdString(session::shell_text(result.command)));
            m_studio.notices.showStatus(tr("Copied the command that profiles this kernel"));
        });
}

void Profiles::setEmulated(const Document& document, std::vector<session::LineCounters> counters) {
    if (counters.empty() && !m_emulated.contains(&document))
        return;
    m_emulated[&document] = std::move(counters);
    emit changed();
}

QHash<int, Profiles::Line> Profiles::emulatedLinesOf(const Document& document) const {
    QHash<int, Line> out;
    const std::vector<session::LineCounters> counters = m_emulated.value(&document);
    double all = 0;
    for (const session::LineCounters& line : counters)
        all += static_cast<double>(line.instructions);
    for (const session::LineCounters& line : counters) {
        if (QString::fromStdString(line.place.file) != document.name())
            continue;
        const double share = static_cast<double>(line.instructions) / all;
        QStringList said{tr("%1 % of the instructions on the emulator: %2 of warps")
                             .arg(percentNumber(share))
                             .arg(line.instructions)};
        for (const session::AccessCounters& access : line.accesses)
            if (access.count > access.least)
                said << tr("%1 %2, ideal %3")
                            .arg(access.count)
                            .arg(QString::fromStdString(access.unit))
                            .arg(access.least);
        Line& shown = out[line.place.line];
        shown.share += share;
        shown.hint += (shown.hint.isEmpty() ? QString() : QString("\n")) + said.join('\n');
    }
    return out;
}

QHash<int, Profiles::Line> Profiles::linesOf(const Document& document) const {
    QHash<int, Line> out;
    const auto result = of(&document);
    if (!result)
        return emulatedLinesOf(document);
    double samples = 0;
    for (const session::ProfiledKernel& kernel : result->kernels)
        samples += static_cast<double>(kernel.samples);
    for (const session::ProfiledKernel& kernel : result->kernels)
        for (const session::ProfiledLine& line : kernel.lines) {
            if (QString::fromStdString(line.place.file) != document.name())
                continue;
            Line& shown = out[line.place.line];
            shown.share += samples > 0 ? static_cast<double>(line.samples) / samples : 0;
            QStringList said{tr("%1 % of the samples of %2, executed by %3 warps")
                                 .arg(percentNumber(line.share), QString::fromStdString(kernel.name))
                                 .arg(line.executed)};
            for (const session::StallView& stall : line.stalls)
                if (said.size() < 4)
                    said << tr("%1 samples: %2").arg(stall.samples).arg(QString::fromStdString(stall.reason));
            if (line.sectors.count)
                said << tr("%1 sectors, ideal %2").arg(line.sectors.count).arg(line.sectors.least);
            if (line.wavefronts.count)
                said << tr("%1 wavefronts, ideal %2").arg(line.wavefronts.count).arg(line.wavefronts.least);
            if (!line.remark.empty())
                said << QString::fromStdString(line.remark);
            shown.hint += (shown.hint.isEmpty() ? QString() : QString("\n")) + said.join('\n');
        }
    return out;
}

} // namespace hidet::ui
