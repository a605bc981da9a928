// SPDX-License-Identifier: Apache-2.0
#include "lang/base/file_place.h"

#include <filesystem>

namespace hidet {

namespace fs = std::filesystem;

namespace {

std::function<FilePlace(const std::string&)>& looker_elsewhere() {
    static std::function<FilePlace(const std::string&)> looker;
    return looker;
}

FilePlace::Kind kind_of_status(const fs::file_status& status) {
    switch (status.type()) {
    case fs::file_type::not_found: return FilePlace::Kind::Missing;
    case fs::file_type::regular: return FilePlace::Kind::File;
    case fs::file_type::directory: return FilePlace::Kind::Folder;
    case fs::file_type::none: return FilePlace::Kind::Unknown;
    default: return FilePlace::Kind::Other;
    }
}

} // namespace

FilePlace look_here(const std::string& path) {
    FilePlace place;
    std::error_code failed, ignored;
    place.kind = kind_of_status(fs::status(path, failed));
    if (place.kind == FilePlace::Kind::Unknown)
        place.problem = failed.message();
    place.is_link = fs::is_symlink(path, ignored);
    const fs::path real = place.exists() ? fs::canonical(path, failed) : fs::path();
    if (!failed)
        place.real = real.string();
    return place;
}

FilePlace look_at(const std::string& path) {
    return looker_elsewhere() ? looker_elsewhere()(path) : look_here(path);
}

void set_looker(std::function<FilePlace(const std::string& path)> looker) {
    looker_elsewhere() = std::move(looker);
}

} // namespace hidet
