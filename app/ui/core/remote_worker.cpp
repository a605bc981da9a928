// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/remote_worker.h"

#include "app/session/profile/profile.h"

namespace hidet::ui {

Result<session::RemoteWorker> remoteWorkerOf(const Settings& settings) {
    if (const QString name = settings.text(Setting::RemoteWorker); !name.isEmpty())
        return session::remote_worker_named(name.toStdString());
    HIDET_TRY(const auto workers, session::remote_workers());
    if (workers.empty())
        return Error{"unknown-remote-worker", "no remote worker is set: give its command in the settings"};
    return workers.front();
}

QString chooseRemoteWorker(Settings& settings, const QString& text) {
    const std::string line = text.trimmed().toStdString();
    if (line.empty() || session::is_worker_name(line)) {
        settings.set(Setting::RemoteWorker, QString::fromStdString(line));
        const auto chosen = remoteWorkerOf(settings);
        return chosen || line.empty() ? QString() : QString::fromStdString(chosen.error().message);
    }
    const Result<std::string> name = session::keep_remote_worker(line);
    if (!name)
        return QString::fromStdString(name.error().message);
    settings.set(Setting::RemoteWorker, QString::fromStdString(name.value()));
    emit settings.changed(Setting::RemoteWorker); // its command may be another one
    return {};
}

void moveRemoteWorker(Settings& settings) {
    const QString key = infoOf(Setting::RemoteWorker).key;
    const std::string line = settings.extra(key).toString().trimmed().toStdString();
    if (line.empty() || session::is_worker_name(line))
        return;
    // What only a shell understands goes on being read by one.
    const bool isPlain = line.find_first_of("$;|&<>*?~`()[]{}#!\n") == std::string::npos;
    const std::string command = isPlain ? line : session::shell_text({"sh", "-c", line});
    if (session::remote_worker_named("remote") || session::keep_remote_worker("remote = " + command))
        settings.setExtra(key, "remote");
}

} // namespace hidet::ui
