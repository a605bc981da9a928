// SPDX-License-Identifier: GPL-3.0-only
// The file of numbers that a model is coloured by: read on another thread, and again whenever it changes on disk. A file that
// cannot be read leaves the numbers of before.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "app/session/model/view/number_file.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/document/file_watch.h"

namespace hidet::ui {

struct Studio;
class LiveModel;

class ModelNumbers : public QObject {
    Q_OBJECT
public:
    ModelNumbers(Studio& studio, LiveModel& model);

    const QString& path() const { return m_path; } // empty: none was chosen
    void choose(const QString& path);              // empty: none any more
    // Names in the file that meet no operator and no kernel of the model, as far as it is read.
    const QStringList& unmatched() const { return m_unmatched; }

signals:
    void changed(); // the path, or which names are met

private:
    void read();
    void take(const Result<session::NumberFile>& file);
    void meet();
    void watch();
    QString notice() const { return "numbers:" + m_path; }

    Studio& m_studio;
    LiveModel& m_model;
    QString m_path;
    QStringList m_unmatched;
    FileStamp m_seen;
    FileWatch m_watch;
    LatestTask m_reading, m_meeting; // last: their results arrive here
};

} // namespace hidet::ui
