// SPDX-License-Identifier: Apache-2.0
#include "lang/host/script_file.h"

#include <algorithm>
#include <filesystem>

#include "lang/base/file_place.h"
#include "lang/base/files.h"
#include "lang/host/evaluator.h"
#include "lang/parse/limits.h"

namespace hidet::lang {

namespace fs = std::filesystem;

static bool is_below(const std::string& folder, const fs::path& target) {
    const fs::path inside = look_at(folder.empty() ? "." : folder).real;
    return !inside.empty() &&
           std::mismatch(inside.begin(), inside.end(), target.begin(), target.end()).first == inside.end();
}

ScriptFile read_script_file(const std::string& folder, const std::string& path) {
    using State = ScriptFile::State;
    const FilePlace place = look_at(path);
    if (!place.exists())
        return {place.is_link ? State::NoEnd : State::Missing, {}};
    if (!is_below(folder, place.real))
        return {State::Outside, {}};
    const Result<InputFile> file = InputFile::open(path);
    if (!file)
        return {State::NoFile, {}};
    const std::int64_t most = std::min<std::int64_t>(file.value().bytes(), max_script_bytes + 1);
    Result<std::string> text = file.value().start(most, path);
    if (!text)
        return {State::NoFile, {}};
    return {State::Read, std::move(text).value()};
}

std::string path_in_folder(const Evaluator& evaluator, const std::string& given, Span span) {
    if (evaluator.options().is_program)
        return given;
    const std::string& folder = evaluator.options().script_folder;
    const fs::path normal = fs::path(given).lexically_normal();
    const std::string path = folder + "/" + given;
    const FilePlace place = look_at(path);
    const bool leads_out = place.exists() && !is_below(folder, place.real);
    if (folder.empty() || normal.empty() || normal.is_absolute() || *normal.begin() == ".." || leads_out)
        fail(DiagId::FileUnreadable, span, given, "it is not below the folder of the script");
    return path;
}

bool ImportFiles::is_folder(const std::string& path) {
    return hidet::is_folder(path);
}

} // namespace hidet::lang
