// SPDX-License-Identifier: Apache-2.0
// The two ways in which files are read and written here, whoever names them.
//
// Reading opens regular files alone: opening a FIFO or a device may wait for ever, and reading one may never end. Writing makes a
// new file beside the old one and renames it when it is whole, so that a full disk, a crash or a kill leaves the old one.
//
// A process that may open no file (runtime/process/confine.h) has a door instead: somebody outside opens the file and hands it in.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "lang/base/result.h"

namespace hidet {

// A regular file that is open for reading.
class InputFile {
public:
    // "file-not-found"; "file-unreadable": no regular file, or not ours to read.
    static Result<InputFile> open(const std::string& path);
    explicit InputFile(int descriptor) : m_descriptor(descriptor) {} // takes it
    ~InputFile();
    InputFile(InputFile&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    InputFile& operator=(InputFile&& other) noexcept {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }

    int descriptor() const { return m_descriptor; }
    std::int64_t bytes() const; // of the file, at this moment
    // The first bytes of the file behind `from`, at most so many. The path is for the message: "file-unreadable".
    Result<std::string> start(std::int64_t most, const std::string& path, std::int64_t from = 0) const;
    int release() { return std::exchange(m_descriptor, -1); }

private:
    int m_descriptor;
};

struct CloseStream {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// All of a file. Besides the codes of InputFile: "file-too-large", of more than `most` bytes.
Result<std::string> read_file(const std::string& path, std::int64_t most = std::int64_t{1} << 40);

inline constexpr const char* unfinished_ending = ".part"; // of what is written beside a file

// What a file shall hold from commit() on; before it, and without it, the path has what it had.
class FileReplacement {
public:
    // "disk-full", "file-not-written". A path that is a symbolic link means the file that it leads to. Mode and owner of a
    // file that is there are kept as far as we may. What exists and is no regular file (/dev/stdout) is written directly,
    // and a FIFO that nobody reads is refused.
    static Result<FileReplacement> begin(const std::string& path);
    ~FileReplacement(); // without commit(): removes what was written
    FileReplacement(FileReplacement&& other) noexcept;
    FileReplacement& operator=(FileReplacement&&) = delete;

    int descriptor() const { return m_descriptor; } // to be written to
    Result<void> write(std::string_view bytes);     // at the end
    Result<void> copy(const InputFile& from);       // all of it, at the end
    Result<void> commit();                          // to the disk, then in the place of the old one; closes

private:
    FileReplacement() = default;
    std::string m_path;    // of the result; behind links
    std::string m_written; // beside it; "": it is written directly, or somebody outside renames it
    int m_descriptor = -1;
};

Result<void> replace_file(const std::string& path, std::string_view bytes);
Result<void> make_folders(const std::string& path); // and those above it, where they are not there

// "disk-full" or "file-not-written", by errno: "cannot write 'out.cu': No space left on device".
Error write_error(const std::string& path, int number);

bool write_all(int descriptor, std::string_view bytes); // false: errno says why

// Whoever opens files for this process, from any thread.
class FileDoor {
public:
    virtual ~FileDoor() = default;
    virtual Result<int> open_input(const std::string& path) = 0; // a descriptor
    // `content`: of a file in memory, to be stored whole.
    virtual Result<void> store(const std::string& path, int content) = 0;
    virtual Result<void> make_folders(const std::string& path) = 0;
};
void set_file_door(FileDoor* door); // lives as long as the process; null: files are opened here

} // namespace hidet
