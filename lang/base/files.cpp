// SPDX-License-Identifier: Apache-2.0
#include "lang/base/files.h"

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
    return {number == ENOENT || number == ENOTDIR ? "file-not-found" : "file-unreadable",
            cat("'", path, "' cannot be read: ", std::strerror(number))};
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
    return Error{"file-unreadable",
                 cat("'", path, "' ", is_known && S_ISDIR(facts.st_mode) ? "is a folder" : "is no regular file")};
}

// The file that a path leads to, which need not be there.
std::string behind_links(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, failed);
    return failed || !std::filesystem::is_symlink(path, failed) ? path : real.string();
}

// A name of its own, and the rights that the old file has.
int create_beside(const std::string& path, const struct stat* old, std::string& name) {
    static std::atomic<unsigned> made{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        name = cat(path, ".", ::getpid(), "-", made++, ".part");
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

// A file may grow or shrink while it is read: what counts is what was there.
Result<std::string> read_file(const std::string& path, std::int64_t most) {
    HIDET_TRY(const InputFile file, InputFile::open(path));
    const std::int64_t size = file.bytes();
    if (size > most)
        return Error{"file-too-large", cat("'", path, "' is larger than ", most, " bytes")};
    std::string bytes(static_cast<std::size_t>(size), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::read(file.descriptor(), bytes.data() + done, bytes.size() - done);
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

bool write_to(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

Error write_error(const std::string& path, int number) {
    const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    return {is_full ? "disk-full" : "file-not-written", cat("'", path, "' cannot be written: ", std::strerror(number))};
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
            out.m_descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
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
    if (!write_to(m_descriptor, bytes))
        return write_error(m_path, errno);
    return {};
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
    if (Result<void> written = file.write(bytes); !written)
        return written;
    return file.commit();
}

} // namespace hidet
