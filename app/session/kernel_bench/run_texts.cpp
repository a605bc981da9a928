// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/run_texts.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "lang/base/files.h"
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

std::string RunTexts::file_of(const std::string& hash) const {
    return (fs::path(m_folder) / (hash + m_suffix)).string();
}

Result<void> RunTexts::keep(std::string_view text) const {
    const std::string hash = hash_text(text);
    if (this->text(hash))
        return {};
    std::error_code error;
    fs::create_directory(m_folder, error);
    return replace_file(file_of(hash), text);
}

Result<std::string> RunTexts::text(const std::string& hash) const {
    const Error missing{"history-text-missing", "the text of this run was not kept"};
    if (!is_hash(hash))
        return missing;
    Result<std::string> text = read_file(file_of(hash));
    if (!text)
        return missing;
    if (hash_text(text.value()) != hash)
        return Error{"history-text-missing", "the file with the text of this run was changed"};
    return text;
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
