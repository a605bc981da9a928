// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/files_of_caller.h"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/process/descriptor.h"

namespace hidet::session {

namespace {

constexpr std::int64_t piece_bytes = 4 << 20; // of a file in a message
constexpr std::size_t most_open = 64;

Told refusal(const Ask& ask, Error error) {
    return {std::move(error), ask.number};
}

Error outside_of_job(const std::string& path) {
    return {"file-unreadable", cat("'", path, "' is outside of what this job is about")};
}

} // namespace

bool CallerFiles::is_own(const std::string& path) const {
    return std::ranges::any_of(m_own_places,
                               [&](const std::string& place) { return !place.empty() && path.starts_with(place); });
}

std::uint64_t CallerFiles::next_number() {
    std::lock_guard lock(m_mutex);
    return ++m_last;
}

Told CallerFiles::answer_to(const Ask& ask) {
    m_ask(ask);
    std::unique_lock lock(m_mutex);
    m_told.wait(lock, [&] { return m_answers.contains(ask.number); });
    return std::move(m_answers.extract(ask.number).mapped());
}

void CallerFiles::hear(Told told) {
    std::lock_guard lock(m_mutex);
    const std::uint64_t number = told.number;
    m_answers[number] = std::move(told);
    m_told.notify_all();
}

Result<int> CallerFiles::open_input(const std::string& path) {
    if (is_own(path))
        return m_own.open_input(path);
    process::Descriptor file(::memfd_create("input", MFD_CLOEXEC));
    Ask ask{Ask::What::OpenFile, path, next_number()};
    for (;;) {
        const Told told = answer_to(ask);
        if (!told.error.code.empty())
            return told.error;
        if (!write_all(file.get(), told.content))
            return write_error(path, errno);
        if (told.is_last) {
            ::lseek(file.get(), 0, SEEK_SET);
            return file.release();
        }
        ask.from += told.content.size();
    }
}

Result<void> CallerFiles::store(const std::string& path, int content) {
    if (is_own(path))
        return m_own.store(path, content);
    InputFile file(content);
    Ask ask{Ask::What::StoreFile, path, next_number()};
    Error error;
    do {
        Result<std::string> piece = file.start(piece_bytes, path, static_cast<std::int64_t>(ask.from));
        if (!piece) {
            error = piece.error();
            break;
        }
        ask.content = std::move(piece).value();
        ask.is_last = ask.content.size() < static_cast<std::size_t>(piece_bytes);
        error = answer_to(ask).error;
        ask.from += ask.content.size();
    } while (error.code.empty() && !ask.is_last);
    (void)file.release(); // the caller's
    if (!error.code.empty())
        return error;
    return {};
}

Result<void> CallerFiles::make_folders(const std::string& path) {
    if (is_own(path))
        return m_own.make_folders(path);
    if (const Told told = answer_to({Ask::What::MakeFolders, path, next_number()}); !told.error.code.empty())
        return told.error;
    return {};
}

FilePlace CallerFiles::look(const std::string& path) {
    return is_own(path) ? look_here(path) : answer_to({Ask::What::Look, path, next_number()}).place;
}

void FilesForWorker::begin(const JobRequest& request) {
    m_rights = {};
    m_read.clear();
    m_written.clear();
    m_rights.add(request);
}

Told FilesForWorker::answer(const Ask& ask) {
    const bool may_read = m_rights.may_read(ask.path), may_write = m_rights.may_write(ask.path);
    Result<void> made;
    switch (ask.what) {
    case Ask::What::OpenFile:
        if (may_read)
            return open(ask);
        break;
    case Ask::What::StoreFile:
        if (may_write)
            return store(ask);
        break;
    case Ask::What::MakeFolders:
        if (!may_write)
            break;
        made = make_folders(ask.path);
        return refusal(ask, made ? Error{} : made.error());
    case Ask::What::Look:
        if (may_read || may_write)
            return {.number = ask.number, .place = look_at(ask.path)};
    }
    return refusal(ask, outside_of_job(ask.path));
}

Told FilesForWorker::open(const Ask& ask) {
    auto file = m_read.find(ask.number);
    if (file == m_read.end()) {
        Result<InputFile> opened = InputFile::open(ask.path);
        if (!opened)
            return refusal(ask, opened.error());
        if (m_read.size() >= most_open)
            return refusal(ask, {"file-unreadable", "too many files are open"});
        file = m_read.emplace(ask.number, std::move(opened).value()).first;
    }
    Result<std::string> piece = file->second.start(piece_bytes, ask.path, static_cast<std::int64_t>(ask.from));
    if (!piece)
        return refusal(ask, piece.error());
    const bool is_last = piece.value().size() < static_cast<std::size_t>(piece_bytes);
    if (is_last)
        m_read.erase(file);
    return {{}, ask.number, std::move(piece).value(), is_last};
}

Told FilesForWorker::store(const Ask& ask) {
    auto file = m_written.find(ask.number);
    if (file == m_written.end()) {
        Result<FileReplacement> begun = FileReplacement::begin(ask.path);
        if (!begun)
            return refusal(ask, begun.error());
        if (m_written.size() >= most_open)
            return refusal(ask, {"file-not-written", "too many files are open"});
        file = m_written.emplace(ask.number, std::move(begun).value()).first;
    }
    Result<void> done = file->second.write(ask.content);
    if (done && ask.is_last)
        done = file->second.commit();
    if (!done || ask.is_last)
        m_written.erase(file);
    return refusal(ask, done ? Error{} : done.error());
}

} // namespace hidet::session
