// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/model_numbers.h"

#include <QFileInfo>

#include "app/ui/core/words.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {
constexpr int numbers_settle_ms = 200;
}

ModelNumbers::ModelNumbers(Studio& studio, LiveModel& model)
    : QObject(&model), m_studio(studio), m_model(model), m_watch(numbers_settle_ms, [this] {
          watch(); // a file that was replaced is another one
          if (!m_path.isEmpty() && stampOf(m_path) != m_seen)
              read();
      }) {
    connect(&model.graphs(), &ModelGraphs::snapshotChanged, this, &ModelNumbers::meet);
}

void ModelNumbers::choose(const QString& path) {
    m_studio.notices.withdraw(notice());
    m_path = path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
    m_unmatched.clear();
    watch();
    if (m_path.isEmpty()) {
        m_reading.cancel();
        m_model.results().setNumbers(nullptr);
    } else {
        read();
    }
    emit changed();
}

void ModelNumbers::watch() {
    QStringList wanted;
    if (!m_path.isEmpty())
        for (const QString& each : {m_path, QFileInfo(m_path).absolutePath()})
            if (QFileInfo::exists(each))
                wanted << each;
    m_watch.watchOnly(wanted);
}

void ModelNumbers::read() {
    m_seen = stampOf(m_path);
    m_reading.run([path = m_path.toStdString()](const std::atomic<bool>&) { return session::read_number_file(path); },
                  [this](const Result<session::NumberFile>& file) { take(file); });
}

void ModelNumbers::take(const Result<session::NumberFile>& file) {
    if (!file) {
        const QString path = m_path;
        m_studio.notices.notify({notice(),
                                 NoticeKind::Error,
                                 QString::fromStdString(file.error().message),
                                 {{tr("Open the file"), [&studio = m_studio, path] { studio.tabs.openFile(path); }}},
                                 {}});
        return;
    }
    m_studio.notices.withdraw(notice());
    const std::size_t count = file.value().numbers.size();
    m_studio.notices.showStatus(tr("%1: %2 numbers").arg(QFileInfo(m_path).fileName()).arg(count));
    m_model.results().setNumbers(std::make_shared<const session::NumberFile>(file.value()));
    meet();
}

void ModelNumbers::meet() {
    const session::SnapshotPtr snapshot = m_model.graphs().snapshot();
    if (!m_model.results().findings().numbers || !snapshot || snapshot->graphs.empty())
        return m_meeting.cancel();
    session::ModelFindings findings;
    findings.numbers = m_model.results().findings().numbers;
    m_meeting.run(
        [snapshot, findings](const std::atomic<bool>&) {
            return session::overlay_of(*snapshot, *snapshot->last(), findings, session::OverlayKind::Numbers).unmatched;
        },
        [this](const std::vector<std::string>& names) {
            m_unmatched = textsOf(names);
            emit changed();
        });
}

} // namespace hidet::ui
