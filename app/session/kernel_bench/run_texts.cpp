// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/run_texts.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

namespace fs = std::filesystem;

// A history is a file that anybody may have written: what it calls a hash must not lead elsewhere.
bool is_hash(const std::string& text) {
    return text.size() == 16 && std::all_of(text.begin(), text.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

} // namespace

std::string hash_text(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

std::string RunTexts::file_of(const std::string& hash) const {
    return (fs::path(m_folder) / (hash + m_suffix)).string();
}

Result<void> RunTexts::keep(std::string_view text) const {
    const std::string hash = hash_text(text);
    if (this->text(hash))
        return {};
    std::error_code error;
    fs::create_directory(m_folder, error);
    const fs::path path = file_of(hash);
    // Another program may write the same text, and another thread of this one.
    static std::atomic<unsigned> written{0};
    const fs::path half = cat(path.string(), ".", ::getpid(), ".", written++);
    {
        std::ofstream file(half, std::ios::binary);
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        if (!file.flush())
            return Error{"history-unwritable", cat("cannot write '", half.string(), "'")};
    }
    fs::rename(half, path, error);
    if (error)
        return Error{"history-unwritable", cat("cannot write '", path.string(), "'")};
    return {};
}

Result<std::string> RunTexts::text(const std::string& hash) const {
    const Error missing{"history-text-missing", "the text of this run was not kept"};
    if (!is_hash(hash))
        return missing;
    std::ifstream file(file_of(hash), std::ios::binary);
    if (!file)
        return missing;
    std::ostringstream out;
    out << file.rdbuf(); // fails of an empty text, which is one as well
    if (hash_text(out.str()) != hash)
        return Error{"history-text-missing", "the file with the text of this run was changed"};
    return out.str();
}

void RunTexts::keep_only(const std::set<std::string>& hashes) const {
    std::error_code error;
    std::vector<fs::path> others;
    for (fs::directory_iterator at(m_folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == m_suffix && !hashes.count(at->path().stem().string()))
            others.push_back(at->path());
    for (const fs::path& path : others)
        fs::remove(path, error);
}

} // namespace hidet::session
