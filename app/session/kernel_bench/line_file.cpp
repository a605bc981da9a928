// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/line_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// A line that was cut off by a crash must not swallow the next one.
bool ends_line(int file) {
    off_t end = ::lseek(file, 0, SEEK_END);
    char last = '\n';
    return end <= 0 || (::pread(file, &last, 1, end - 1) == 1 && last == '\n');
}

} // namespace

LineFileLock::LineFileLock(const std::string& path, int flags) {
    do {
        close();
        m_file = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
        if (m_file < 0)
            return;
        while (::flock(m_file, LOCK_EX) != 0 && errno == EINTR) {
        }
    } while (!is_at(path));
}

bool LineFileLock::append(const std::string& line) {
    return write_all(m_file, (ends_line(m_file) ? "" : "\n") + line);
}

bool LineFileLock::is_at(const std::string& path) const {
    struct stat here = {}, there = {};
    return ::fstat(m_file, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

void LineFileLock::close() {
    if (m_file >= 0)
        ::close(m_file); // and unlocks
    m_file = -1;
}

Result<std::string> read_line_file(const std::string& path) {
    const Error unreadable{"history-unreadable", cat("cannot read '", path, "'")};
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file)
        return errno == ENOENT ? Result<std::string>(std::string()) : Result<std::string>(unreadable);
    std::string text;
    char block[65536];
    for (std::size_t got; (got = std::fread(block, 1, sizeof block, file)) > 0;)
        text.append(block, got);
    bool fine = std::ferror(file) == 0;
    std::fclose(file);
    return fine ? Result<std::string>(std::move(text)) : Result<std::string>(unreadable);
}

Result<void> is_line_file(const std::string& path) {
    struct stat facts = {};
    if (::stat(path.c_str(), &facts) != 0)
        return Error{"history-unreadable", cat("there is no file '", path, "'")};
    return {};
}

std::int64_t size_of_line_file(const std::string& path) {
    struct stat facts = {};
    return ::stat(path.c_str(), &facts) == 0 ? facts.st_size : 0;
}

bool replace_line_file(const std::string& path, const std::string& text) {
    const std::string half = path + ".new";
    int file = ::open(half.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool written = file >= 0 && write_all(file, text);
    if (file >= 0)
        ::close(file);
    return written && std::rename(half.c_str(), path.c_str()) == 0;
}

std::string for_each_line(const std::string& path, std::string_view text,
                          const std::function<bool(std::string_view)>& read) {
    int unreadable = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        unreadable += !line.empty() && !read(line);
        at = end + 1;
    }
    return unreadable == 0
               ? ""
               : cat(unreadable, unreadable == 1 ? " line" : " lines", " of '", path, "' could not be read");
}

} // namespace hidet::session
