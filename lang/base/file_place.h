// SPDX-License-Identifier: Apache-2.0
// What lies at a path: on this machine, or where the files lie that a process works on though another machine keeps them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace hidet {

struct FilePlace {
    enum class Kind : std::uint8_t { Missing, File, Folder, Other, Unknown };
    Kind kind = Kind::Missing;
    std::string real;     // where it lies, behind all links; empty: nobody can say
    bool is_link = false; // there is a link of this name, wherever it leads
    std::string problem;  // Unknown: why

    bool exists() const { return kind != Kind::Missing && kind != Kind::Unknown; }
};

FilePlace look_at(const std::string& path);
FilePlace look_here(const std::string& path); // on this machine, wherever other files lie
inline bool is_folder(const std::string& path) {
    return look_at(path).kind == FilePlace::Kind::Folder;
}
// Whoever looks for this process, from any thread, as long as it lives; empty: it looks itself.
void set_looker(std::function<FilePlace(const std::string& path)> looker);

} // namespace hidet
