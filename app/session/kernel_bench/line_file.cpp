// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/line_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

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
        m_file = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
        struct stat facts = {};
        if (m_file >= 0 && (::fstat(m_file, &facts) != 0 || !S_ISREG(facts.st_mode)))
            close();
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

Result<NewestLines> read_line_file(const std::string& path, std::int64_t most) {
    const Result<InputFile> file = InputFile::open(path);
    if (!file && file.error().code == "file-not-found")
        return NewestLines{};
    if (!file)
        return file.error();
    const std::int64_t bytes = file.value().bytes(), from = std::max<std::int64_t>(bytes - most, 0);
    HIDET_TRY(std::string text, file.value().start(bytes - from, path, from));
    if (from > 0) // in the middle of a line
        text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
    return NewestLines{std::move(text), from > 0};
}

Result<void> is_line_file(const std::string& path) {
    const Result<InputFile> file = InputFile::open(path);
    return file ? Result<void>() : file.error();
}

std::int64_t size_of_line_file(const std::string& path) {
    struct stat facts = {};
    return ::stat(path.c_str(), &facts) == 0 ? facts.st_size : 0;
}

std::string for_each_line(const std::string& path, const NewestLines& lines,
                          const std::function<bool(std::string_view)>& read) {
    const std::string_view text = lines.text;
    int unreadable = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        unreadable += !line.empty() && !read(line);
        at = end + 1;
    }
    std::string out = lines.leaves_out ? cat("older lines of '", path, "', which is very long, are left out") : "";
    if (unreadable > 0)
        out += cat(out.empty() ? "" : "; ", unreadable, unreadable == 1 ? " line" : " lines", " of '", path,
                   "' could not be read");
    return out;
}

} // namespace hidet::session
