// SPDX-License-Identifier: Apache-2.0
#include "lang/host/script_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/parse/limits.h"

namespace hidet::lang {

namespace fs = std::filesystem;

static bool is_below(const fs::path& folder, const fs::path& path) {
    std::error_code failed;
    fs::path inside = fs::canonical(folder.empty() ? "." : folder, failed);
    fs::path target = failed ? fs::path() : fs::canonical(path, failed);
    if (failed)
        return false;
    return std::mismatch(inside.begin(), inside.end(), target.begin(), target.end()).first == inside.end();
}

static std::string read_at_most(int file, std::size_t most) {
    std::string text;
    char block[1 << 16];
    while (text.size() < most) {
        ssize_t count = ::read(file, block, std::min(sizeof block, most - text.size()));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        text.append(block, static_cast<std::size_t>(count));
    }
    return text;
}

ScriptFile read_script_file(const std::string& folder, const std::string& path) {
    using State = ScriptFile::State;
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0)
        return {::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode) ? State::NoEnd : State::Missing, {}};
    if (!is_below(folder, path))
        return {State::Outside, {}};
    int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return {State::NoFile, {}};
    ScriptFile out;
    bool is_regular = ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    out.state = is_regular ? State::Read : State::NoFile;
    if (is_regular)
        out.text = read_at_most(file, max_script_bytes + 1);
    ::close(file);
    return out;
}

} // namespace hidet::lang
