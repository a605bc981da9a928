// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/file_store.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/distributed/pause.h"

namespace hidet::distributed {

namespace {

// Two bytes far behind the records. Locks end with the process that has them.
constexpr off_t change_byte = off_t(1) << 40;
constexpr off_t presence_byte = change_byte + 1;

// How a store begins, so that no other file is taken for one, and emptied.
constexpr std::string_view mark = "hidet store 1\n";

struct RecordHead {
    std::uint32_t key_bytes, value_bytes;
};

bool lock_byte(int file, short kind, off_t byte) {
    struct flock request {};
    request.l_type = kind;
    request.l_whence = SEEK_SET;
    request.l_start = byte;
    request.l_len = 1;
    return fcntl(file, F_OFD_SETLK, &request) == 0;
}

Error file_error(const std::string& path, std::string_view doing) {
    return {"store", cat("the store ", path, " cannot be ", doing, ": ", std::strerror(errno))};
}

// Who changes the file is alone.
class Change {
public:
    Change(int file, const Patience& patience) : m_file(file) {
        Pause pause(patience);
        do
            m_is_held = lock_byte(file, F_WRLCK, change_byte);
        while (!m_is_held && pause.again());
    }
    ~Change() {
        if (m_is_held)
            lock_byte(m_file, F_UNLCK, change_byte);
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    bool is_held() const { return m_is_held; }

private:
    int m_file;
    bool m_is_held = false;
};

// Empty, or what an earlier program has left. `status`: of the file.
bool is_store(int file, const struct stat& status) {
    std::string found(mark.size(), '\0');
    return S_ISREG(status.st_mode) &&
           (status.st_size == 0 ||
            (pread(file, found.data(), found.size(), 0) == ssize_t(found.size()) && found == mark));
}

bool begin_anew(int file) {
    return ftruncate(file, 0) == 0 && pwrite(file, mark.data(), mark.size(), 0) == ssize_t(mark.size());
}

} // namespace

// Of this file, and not of another one that has the path by now.
static void remove_name(int file, const std::string& path) {
    struct stat ours {
    }, there{};
    if (fstat(file, &ours) == 0 && stat(path.c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
        ours.st_ino == there.st_ino)
        unlink(path.c_str());
}

FileStore::FileStore(std::string path, process::Descriptor file, Patience patience)
    : Store(std::move(patience)), m_path(std::move(path)), m_file(std::move(file)), m_read(mark.size()) {}

Result<std::unique_ptr<FileStore>> FileStore::open(const std::string& path, const Patience& patience) {
    Pause pause(patience);
    do {
        process::Descriptor file = process::above_standard_streams(
            process::Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)));
        if (!file.is_open())
            return file_error(path, "opened");
        const Change change(file.get(), patience);
        struct stat status {};
        if (!change.is_held() || fstat(file.get(), &status) != 0)
            return file_error(path, "locked");
        if (status.st_nlink == 0)
            continue; // the last of an earlier program has just removed it
        if (!is_store(file.get(), status))
            return Error{"store", cat("the file ", path, " is no store: it is left as it is")};
        if (lock_byte(file.get(), F_WRLCK, presence_byte) && !begin_anew(file.get()))
            return file_error(path, "written");
        if (!lock_byte(file.get(), F_RDLCK, presence_byte))
            return file_error(path, "locked");
        return std::unique_ptr<FileStore>(new FileStore(path, std::move(file), patience));
    } while (pause.again());
    return pause.end(cat("the store ", path, " is removed again and again"));
}

FileStore::~FileStore() {
    const Change change(m_file.get(), 1.0);
    if (change.is_held() && lock_byte(m_file.get(), F_WRLCK, presence_byte))
        remove_name(m_file.get(), m_path);
}

void FileStore::all_are_here() {
    const Change change(m_file.get(), patience());
    if (change.is_held())
        remove_name(m_file.get(), m_path);
}

Result<void> FileStore::read_news() {
    struct stat status {};
    if (fstat(m_file.get(), &status) != 0)
        return file_error(m_path, "read");
    const auto end = static_cast<std::size_t>(status.st_size);
    if (end <= m_read)
        return {};
    std::string news(end - m_read, '\0');
    const ssize_t got = pread(m_file.get(), news.data(), news.size(), static_cast<off_t>(m_read));
    if (got < 0)
        return file_error(m_path, "read");
    std::string_view rest(news.data(), static_cast<std::size_t>(got));
    RecordHead head{};
    while (rest.size() >= sizeof head) {
        std::memcpy(&head, rest.data(), sizeof head);
        const std::size_t bytes = sizeof head + std::size_t(head.key_bytes) + head.value_bytes;
        if (rest.size() < bytes)
            break;
        m_values[std::string(rest.substr(sizeof head, head.key_bytes))] =
            rest.substr(sizeof head + head.key_bytes, head.value_bytes);
        rest.remove_prefix(bytes);
        m_read += bytes;
    }
    return {};
}

// What somebody who was killed has begun is written over.
Result<void> FileStore::append(const std::string& key, const std::string& value) {
    const RecordHead head{static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())};
    std::string record(reinterpret_cast<const char*>(&head), sizeof head);
    record += key;
    record += value;
    if (ftruncate(m_file.get(), static_cast<off_t>(m_read)) != 0)
        return file_error(m_path, "written");
    if (pwrite(m_file.get(), record.data(), record.size(), static_cast<off_t>(m_read)) !=
        static_cast<ssize_t>(record.size()))
        return file_error(m_path, "written");
    return {};
}

Result<void> FileStore::set(const std::string& key, const std::string& value) {
    const Change change(m_file.get(), patience());
    if (!change.is_held())
        return file_error(m_path, "locked");
    HIDET_TRY_TO(read_news());
    return append(key, value);
}

Result<std::optional<std::string>> FileStore::find(const std::string& key) {
    const Change change(m_file.get(), patience());
    if (!change.is_held())
        return file_error(m_path, "locked");
    HIDET_TRY_TO(read_news());
    const auto found = m_values.find(key);
    return found == m_values.end() ? std::nullopt : std::optional(found->second);
}

Result<std::int64_t> FileStore::add(const std::string& key, std::int64_t amount) {
    const Change change(m_file.get(), patience());
    if (!change.is_held())
        return file_error(m_path, "locked");
    HIDET_TRY_TO(read_news());
    const auto found = m_values.find(key);
    HIDET_TRY(const std::int64_t sum,
              added(key, found == m_values.end() ? std::nullopt : std::optional(found->second), amount));
    HIDET_TRY_TO(append(key, cat(sum)));
    return sum;
}

} // namespace hidet::distributed
