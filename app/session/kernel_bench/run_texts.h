// SPDX-License-Identifier: Apache-2.0
// What past runs were made of, scripts or graphs: each text once, in a file that its hash names, in a folder beside the history.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "lang/base/result.h"
#include "lang/base/text_hash.h"

namespace hidet::session {

class RunTexts {
public:
    explicit RunTexts(std::string folder, std::string suffix = ".py")
        : m_folder(std::move(folder)), m_suffix(std::move(suffix)) {}

    Result<void> keep(std::string_view text) const;          // those of replace_file()
    Result<std::string> text(const std::string& hash) const; // "history-text-missing": it is not there, or was changed
    std::string file_of(const std::string& hash) const;
    void keep_only(const std::set<std::string>& hashes) const;

private:
    std::string m_folder;
    std::string m_suffix;
};

} // namespace hidet::session
