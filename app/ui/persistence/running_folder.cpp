// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/persistence/running_folder.h"

#include <algorithm>

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRandomGenerator>

namespace hidet::ui {

namespace {

constexpr const char* session_file = "session.json";
constexpr const char* lock_file = "lock";
constexpr const char* closed_file = "closed";
constexpr const char* opening_file = "opening";

std::unique_ptr<QLockFile> lockIn(const QString& folder) {
    auto lock = std::make_unique<QLockFile>(folder + '/' + lock_file);
    lock->setStaleLockTime(0); // only the death of its process frees it, however long that runs
    return lock->tryLock(0) ? std::move(lock) : nullptr;
}

// A program that is killed while it takes over from a dead one leaves the same texts in both folders: one is enough.
void dropRepeated(std::vector<RunningFolder::Found>& all) {
    for (std::size_t i = 1; i < all.size(); ++i)
        all[i].session.documents.removeIf([&](const KeptDocument& document) {
            return document.unsaved &&
                   std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), [&](auto& before) {
                       return std::any_of(before.session.documents.begin(), before.session.documents.end(),
                                          [&](const KeptDocument& other) {
                                              return other.path == document.path && other.unsaved == document.unsaved;
                                          });
                   });
        });
}

} // namespace

RunningFolder::RunningFolder(const QString& stateFolder) {
    // Process numbers come again; the folder of an earlier one with the same number is not ours.
    m_path = QString("%1/running/%2-%3")
                 .arg(stateFolder)
                 .arg(QCoreApplication::applicationPid())
                 .arg(QRandomGenerator::global()->generate(), 8, 16, QChar('0'));
    if (QDir().mkpath(m_path)) {
        QFile::setPermissions(m_path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        m_lock = lockIn(m_path);
    }
}

RunningFolder::~RunningFolder() {
    m_writing.wait();
}

QString RunningFolder::fileOf(const KeptDocument& document) const {
    const QString name = document.path.isEmpty() ? QString("untitled %1").arg(document.number) : document.path;
    const QByteArray hash = QCryptographicHash::hash(name.toUtf8(), QCryptographicHash::Sha1).toHex();
    return m_path + '/' + QString::fromLatin1(hash) + ".swap";
}

void RunningFolder::write(const QString& path, const QJsonObject& json) {
    if (!isUsable())
        return;
    m_writing.run([this, path, json] { m_failed = !writeJson(path, json); });
}

void RunningFolder::keep(const KeptSession& session) {
    KeptSession lean = session;
    for (KeptDocument& document : lean.documents)
        document.unsaved.reset();
    QJsonObject json = toJson(lean);
    json["documents"] = [&] { // those without a file as well: their texts lie in swap files
        QJsonArray all;
        for (const KeptDocument& document : lean.documents)
            all << toJson(document);
        return all;
    }();
    write(m_path + '/' + session_file, json);
}

void RunningFolder::swap(const KeptDocument& document) {
    write(fileOf(document), toJson(document));
}

void RunningFolder::drop(const KeptDocument& document) {
    m_writing.run([path = fileOf(document)] { QFile::remove(path); });
}

void RunningFolder::setOpening(const QStringList& paths) {
    QFile file(m_path + '/' + opening_file);
    if (!isUsable())
        return;
    if (paths.isEmpty())
        file.remove();
    else if (file.open(QIODevice::WriteOnly))
        file.write(QJsonDocument(QJsonObject{{"paths", QJsonArray::fromStringList(paths)}}).toJson());
}

bool RunningFolder::flush() {
    m_writing.wait();
    return isUsable() && !m_failed;
}

void RunningFolder::remove() {
    m_writing.wait();
    if (!isUsable())
        return;
    m_lock->unlock();
    QDir(m_path).removeRecursively();
}

void RunningFolder::leave() {
    m_writing.wait();
    if (!isUsable())
        return;
    writeJson(m_path + '/' + closed_file, {});
    m_lock->unlock();
}

void RunningFolder::Found::remove() {
    lock->unlock();
    QDir(path).removeRecursively();
}

std::vector<RunningFolder::Found> RunningFolder::takeDead(const QString& stateFolder) {
    std::vector<Found> out;
    const QDir all(stateFolder + "/running");
    for (const QString& name : all.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        Found found;
        found.path = all.filePath(name);
        found.lock = lockIn(found.path);
        if (!found.lock)
            continue; // it lives
        const QDir folder(found.path);
        found.crashed = !folder.exists(closed_file);
        const QJsonObject opening = readJson(folder.filePath(opening_file)).value_or(QJsonObject());
        if (found.crashed)
            for (const QJsonValue& path : opening["paths"].toArray())
                found.opening << path.toString();
        const QJsonObject session = readJson(folder.filePath(session_file)).value_or(QJsonObject());
        found.session = keptSession(session);
        found.session.documents.clear();
        for (const QJsonValue& document : session["documents"].toArray())
            found.session.documents << keptDocument(document.toObject());
        for (const QString& swap : folder.entryList({"*.swap"}, QDir::Files, QDir::Name)) {
            const KeptDocument kept = keptDocument(readJson(folder.filePath(swap)).value_or(QJsonObject()));
            if (!kept.unsaved)
                continue;
            bool known = false;
            for (KeptDocument& document : found.session.documents)
                if (document.path == kept.path && document.number == kept.number) {
                    document.unsaved = kept.unsaved;
                    document.form = kept.form;
                    known = true;
                }
            if (!known)
                found.session.documents << kept;
        }
        found.session.documents.removeIf(
            [](const KeptDocument& document) { return document.path.isEmpty() && !document.unsaved; });
        out.push_back(std::move(found));
    }
    dropRepeated(out);
    return out;
}

} // namespace hidet::ui
