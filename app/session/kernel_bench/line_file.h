// SPDX-License-Identifier: Apache-2.0
// Files of lines that several programs append to: histories. Nothing in such a file is ever changed, until it is written anew
// because it has grown too large. A lock on the file keeps writers apart; one write() adds a whole line, so a reader sees a
// part of one at most at the very end, and skips it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lang/base/result.h"

namespace hidet::session {

// While one waits for the lock another may put a new file in the place of the old one: it is the new one that is locked.
class LineFileLock {
public:
    LineFileLock(const std::string& path, int flags); // of open()
    ~LineFileLock() { close(); }
    LineFileLock(const LineFileLock&) = delete;
    LineFileLock& operator=(const LineFileLock&) = delete;

    bool is_open() const { return m_file >= 0; }
    bool append(const std::string& line); // with its line feed

private:
    bool is_at(const std::string& path) const;
    void close();
    int m_file = -1;
};

// The newest lines of a file, of `most` bytes at most: one that other programs have made as long as they like is opened as fast.
struct NewestLines {
    std::string text;
    bool leaves_out = false; // older ones
};
Result<NewestLines> read_line_file(const std::string& path,
                                   std::int64_t most); // one that is missing is empty. Those of InputFile
Result<void> is_line_file(const std::string& path);    // it is there. Those of InputFile
std::int64_t size_of_line_file(const std::string& path);

// What is to be said of lines that are left out or that `read` refuses: "2 lines of 'history.jsonl' could not be read";
// empty: nothing.
std::string for_each_line(const std::string& path, const NewestLines& lines,
                          const std::function<bool(std::string_view)>& read);

} // namespace hidet::session
