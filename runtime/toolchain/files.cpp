// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"
#include "runtime/process/descriptor.h"

namespace hidet::toolchain {

namespace {

bool read_at(int file, void* to, std::size_t size, std::size_t offset) {
    return pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

constexpr std::size_t padded(std::size_t size) {
    return (size + 3) / 4 * 4;
}

// The note that `ld --build-id` writes, as hexadecimal digits.
std::string id_in_notes(const std::vector<char>& notes) {
    for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
        Elf64_Nhdr note;
        std::memcpy(&note, &notes[at], sizeof note);
        std::size_t name = at + sizeof note;
        std::size_t value = name + padded(note.n_namesz);
        at = value + padded(note.n_descsz);
        if (at > notes.size() || note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            std::memcmp(&notes[name], "GNU", 4) != 0)
            continue;
        return hex_digits({&notes[value], note.n_descsz});
    }
    return {};
}

std::string build_id(int file) {
    Elf64_Ehdr head;
    if (!read_at(file, &head, sizeof head, 0) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum > 256)
        return {};
    std::vector<Elf64_Phdr> segments(head.e_phnum);
    if (!read_at(file, segments.data(), segments.size() * sizeof(Elf64_Phdr), head.e_phoff))
        return {};
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_type != PT_NOTE || segment.p_filesz > 64 * 1024)
            continue;
        std::vector<char> notes(segment.p_filesz);
        if (read_at(file, notes.data(), notes.size(), segment.p_offset))
            if (std::string id = id_in_notes(notes); !id.empty())
                return id;
    }
    return {};
}

constexpr std::string_view folder_prefix = "hidet-work-";

std::string temporary_base() {
    for (const char* variable : {scratch_variable, "TMPDIR"})
        if (const char* base = std::getenv(variable); base && *base)
            return base;
    return "/tmp";
}

int open_folder(const std::string& path) {
    return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_same_folder(int opened, const std::string& path) {
    struct stat there {
    }, here{};
    return fstat(opened, &there) == 0 && lstat(path.c_str(), &here) == 0 && there.st_ino == here.st_ino &&
           there.st_dev == here.st_dev;
}

} // namespace

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make() {
    static std::once_flag cleaned;
    std::call_once(cleaned, remove_abandoned);
    for (;;) {
        std::string path = cat(temporary_base(), "/", folder_prefix, "XXXXXX");
        if (!mkdtemp(path.data()))
            return write_error(path, errno);
        const int lock = open_folder(path);
        if (lock < 0 && errno == ENOENT)
            continue; // somebody took it for abandoned before it could be locked
        if (lock < 0)
            return write_error(path, errno);
        flock(lock, LOCK_EX);
        if (is_same_folder(lock, path))
            return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(path, lock));
        close(lock); // likewise
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
    close(m_lock);
}

void TemporaryFolder::remove_abandoned() {
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry(temporary_base(), ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        if (!entry->path().filename().string().starts_with(folder_prefix))
            continue;
        const std::string path = entry->path().string();
        const process::Descriptor folder(open_folder(path));
        struct stat status {};
        std::error_code failed;
        if (folder.is_open() && fstat(folder.get(), &status) == 0 && status.st_uid == geteuid() &&
            flock(folder.get(), LOCK_EX | LOCK_NB) == 0)
            std::filesystem::remove_all(path, failed);
    }
}

std::string file_identity(const std::string& path) {
    const Result<InputFile> input = InputFile::open(path);
    struct stat status {};
    if (!input || fstat(input.value().descriptor(), &status) != 0)
        return path;
    const int file = input.value().descriptor();
    if (std::string id = build_id(file); !id.empty())
        return id;
    return cat(path, ":", status.st_size, ":", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec);
}

} // namespace hidet::toolchain
