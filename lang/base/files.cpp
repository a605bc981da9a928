// SPDX-License-Identifier: Apache-2.0
#include "lang/base/files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet {

namespace {

std::atomic<FileDoor*> g_door{nullptr};

Error read_error(const std::string& path, int number) {
    if (number == ENOENT || number == ENOTDIR)
        return {"file-not-found", cat("cannot find '", path, "'")};
    return {"file-unreadable", cat("cannot read '", path, "': ", std::strerror(number))};
}

// O_NONBLOCK: who opens a FIFO does not wait for somebody to write, and finds out that it is none of our files.
Result<int> open_here(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return read_error(path, errno);
    struct stat facts {};
    const bool is_known = ::fstat(file, &facts) == 0;
    if (is_known && S_ISREG(facts.st_mode))
        return file;
    ::close(file);
    const bool is_folder = is_known && S_ISDIR(facts.st_mode);
    return Error{"file-unreadable",
                 cat("cannot read '", path, "': it is ", is_folder ? "a folder" : "no regular file")};
}

// The file that a path leads to, which need not be there.
std::string behind_links(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, failed);
    return failed || !std::filesystem::is_symlink(path, failed) ? path : real.string();
}

// Who opens a FIFO does not wait for somebody to read; what is written then waits as it always does.
int open_stream(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0)
        ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
    return file;
}

// A name of its own, and the rights that the old file has.
int create_beside(const std::string& path, const struct stat* old, std::string& name) {
    static std::atomic<unsigned> made{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        name = cat(path, ".", ::getpid(), "-", made++, unfinished_ending);
        const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 && old) {
            (void)!::fchown(file, old->st_uid, old->st_gid);
            (void)!::fchmod(file, old->st_mode & 07777);
        }
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

} // namespace

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

void set_file_door(FileDoor* door) {
    g_door = door;
}

Result<InputFile> InputFile::open(const std::string& path) {
    FileDoor* door = g_door;
    HIDET_TRY(const int file, door ? door->open_input(path) : open_here(path));
    return InputFile(file);
}

InputFile::~InputFile() {
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

std::int64_t InputFile::bytes() const {
    struct stat facts {};
    return ::fstat(m_descriptor, &facts) == 0 ? static_cast<std::int64_t>(facts.st_size) : 0;
}

Result<std::string> InputFile::start(std::int64_t most, const std::string& path, std::int64_t from) const {
    std::string bytes(static_cast<std::size_t>(most), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::pread(m_descriptor, bytes.data() + done, bytes.size() - done,
                                      static_cast<off_t>(from) + static_cast<off_t>(done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return read_error(path, errno);
        if (count == 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
}

// A file may grow or shrink while it is read: what counts is what was there. Files of the kernel say that they have no bytes.
Result<std::string> read_file(const std::string& path, std::int64_t most) {
    constexpr std::int64_t most_of_unknown = 1 << 16;
    HIDET_TRY(const InputFile file, InputFile::open(path));
    const std::int64_t size = file.bytes(), limit = size > 0 ? most : std::min(most, most_of_unknown);
    const Error too_large{"file-too-large", cat("'", path, "' is larger than ",
                                                limit < 1 << 20 ? cat(limit, " bytes") : cat(limit >> 20, " MB"))};
    if (size > limit)
        return too_large;
    HIDET_TRY(std::string bytes, file.start(size > 0 ? size : limit + 1, path));
    if (static_cast<std::int64_t>(bytes.size()) > limit)
        return too_large;
    return bytes;
}

Error write_error(const std::string& path, int number) {
    const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    return {is_full ? "disk-full" : "file-not-written", cat("cannot write '", path, "': ", std::strerror(number))};
}

Result<FileReplacement> FileReplacement::begin(const std::string& path) {
    FileReplacement out;
    out.m_path = path;
    if (g_door.load()) {
        out.m_descriptor = ::memfd_create("replacement", MFD_CLOEXEC);
    } else {
        out.m_path = behind_links(path);
        struct stat facts {};
        const bool is_there = ::stat(out.m_path.c_str(), &facts) == 0;
        if (is_there && !S_ISREG(facts.st_mode))
            out.m_descriptor = open_stream(path);
        else if (is_there && ::access(out.m_path.c_str(), W_OK) != 0)
            return write_error(path, errno);
        else
            out.m_descriptor = create_beside(out.m_path, is_there ? &facts : nullptr, out.m_written);
    }
    if (out.m_descriptor < 0) {
        out.m_written.clear();
        return write_error(path, errno);
    }
    return out;
}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : m_path(std::move(other.m_path)), m_written(std::exchange(other.m_written, "")),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

FileReplacement::~FileReplacement() {
    if (m_descriptor < 0)
        return;
    ::close(m_descriptor);
    if (!m_written.empty())
        ::unlink(m_written.c_str());
}

Result<void> FileReplacement::write(std::string_view bytes) {
    if (!write_all(m_descriptor, bytes))
        return write_error(m_path, errno);
    return {};
}

Result<void> FileReplacement::copy(const InputFile& from) {
    std::string piece(1 << 20, '\0');
    for (off_t at = 0;;) {
        const ssize_t count = ::pread(from.descriptor(), piece.data(), piece.size(), at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return write_error(m_path, errno);
        if (count == 0)
            return {};
        HIDET_TRY_TO(write({piece.data(), static_cast<std::size_t>(count)}));
        at += count;
    }
}

Result<void> FileReplacement::commit() {
    const int file = m_descriptor;
    if (FileDoor* door = m_written.empty() ? g_door.load() : nullptr)
        return door->store(m_path, file);
    if (m_written.empty())
        return {};
    if (::fsync(file) != 0 || ::rename(m_written.c_str(), m_path.c_str()) != 0)
        return write_error(m_path, errno);
    m_written.clear();
    return {};
}

Result<void> make_folders(const std::string& path) {
    if (FileDoor* door = g_door)
        return door->make_folders(path);
    std::error_code failed;
    std::filesystem::create_directories(path, failed);
    if (failed)
        return write_error(path, failed.value());
    return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes) {
    HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
    HIDET_TRY_TO(file.write(bytes));
    return file.commit();
}

} // namespace hidet
