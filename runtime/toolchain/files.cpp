// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::toolchain {

namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor() {
        if (m_number >= 0)
            close(m_number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return m_number; }
    bool is_open() const { return m_number >= 0; }

private:
    int m_number;
};

bool read_at(const Descriptor& file, void* to, std::size_t size, std::size_t offset) {
    return pread(file.number(), to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
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
        std::string digits;
        for (std::size_t i = 0; i < note.n_descsz; ++i) {
            auto byte = static_cast<unsigned char>(notes[value + i]);
            digits += "0123456789abcdef"[byte / 16];
            digits += "0123456789abcdef"[byte % 16];
        }
        return digits;
    }
    return {};
}

std::string build_id(const Descriptor& file) {
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

} // namespace

Result<std::string> read_file(const std::string& path) {
    Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file.is_open())
        return Error{errno == ENOENT ? "file-not-found" : "file-not-read",
                     cat("'", path, "' cannot be opened: ", std::strerror(errno))};
    if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
        return Error{"file-not-read", cat("'", path, "' is no file")};
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        ssize_t count = read(file.number(), bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return Error{"file-not-read", cat("'", path, "' cannot be read")};
        done += static_cast<std::size_t>(count);
    }
    return bytes;
}

Error write_error(const std::string& what, int number) {
    bool full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    return {full ? "disk-full" : "file-not-written", cat(what, ": ", std::strerror(number))};
}

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make() {
    const char* base = std::getenv("TMPDIR");
    std::string path = cat(base && *base ? base : "/tmp", "/hidet-XXXXXX");
    if (!mkdtemp(path.data()))
        return write_error("no temporary folder can be made", errno);
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(path));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::string file_identity(const std::string& path) {
    Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file.is_open() || fstat(file.number(), &status) != 0)
        return path;
    if (std::string id = build_id(file); !id.empty())
        return id;
    return cat(path, ":", status.st_size, ":", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec);
}

} // namespace hidet::toolchain
