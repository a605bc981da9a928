// SPDX-License-Identifier: GPL-3.0-only
// A workspace as a file: all that is open in a window and how it is looked at, run and compared, as text that can be committed
// and passed on. It is a kept session, told so that it means the same elsewhere: files by their paths from the workspace's
// folder on, sizes in shares of the window, neither times nor pixels. The same state is the same bytes.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "app/session/kernel_bench/history.h"
#include "app/ui/core/settings.h"
#include "app/ui/persistence/kept_session.h"

namespace hidet::ui {

// What builds and runs depend on, and what somebody else's machine may have otherwise. Opening a file runs nothing: whether
// to measure while editing is not among them.
inline constexpr Setting workspace_settings[] = {Setting::Arch,       Setting::Target,  Setting::KernelSeconds,
                                                 Setting::CopySteps,  Setting::Markers, Setting::TimedBlock,
                                                 Setting::TimedLaunch};

struct Workspace {
    KeptSession session;                  // with absolute paths
    QJsonObject settings;                 // by key
    std::vector<session::RunRecord> runs; // baselines, and what has a name
    // What this program does not know, as it was: of the whole, and of its documents by keyOf().
    QJsonObject others;
    QHash<QString, QJsonObject> othersOf;
};

QString keyOf(const KeptDocument& kept); // its path, or the number of its title

QByteArray printed(const Workspace& workspace, const QString& folder);
// What it amounts to, whoever looks at it where: without carets, sizes and what is in front.
QJsonObject essenceOf(const Workspace& workspace);
bool isSame(const QJsonObject& essence,
            const QJsonObject& other); // panes of modes that one of them has not seen do not count

struct ReadWorkspace {
    Workspace workspace;
    QStringList remarks; // what was not understood, by name
};
// Nothing: it is no workspace; why, with line and column where its text is at fault.
std::optional<ReadWorkspace> readWorkspace(const QByteArray& text, const QString& folder, QString& mistake);

QJsonValue jsonOf(const Settings& settings, Setting setting);

} // namespace hidet::ui
