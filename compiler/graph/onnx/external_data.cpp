// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/external_data.h"

#include <cerrno>
#include <filesystem>

#include <unistd.h>

#include "lang/base/file_place.h"
#include "lang/base/files.h"

namespace hidet::graph::onnx {

namespace {

namespace fs = std::filesystem;

Error problem(const ExternalPlace& place, const std::string& what) {
    return {"external-data", "external data '" + place.location + "' " + what};
}

// The name as the standard allows it, then as the file system resolves it: a link may lead anywhere.
Result<fs::path> path_of(const std::string& folder, const ExternalPlace& place) {
    const fs::path given(place.location);
    if (place.location.empty() || place.location.find('\0') != std::string::npos)
        return problem(place, "has no usable name");
    if (given.is_absolute())
        return problem(place, "is an absolute path; only files in the model's folder are read");
    for (const fs::path& part : given)
        if (part == "..")
            return problem(place, "leaves the model's folder");
    const fs::path root = look_at(folder.empty() ? "." : folder).real;
    if (root.empty())
        return problem(place, "cannot be read: the model has no folder");
    const FilePlace there = look_at(root / given);
    const fs::path path = there.real;
    if (path.empty())
        return problem(place, "does not exist");
    const fs::path below = path.lexically_relative(root);
    if (below.empty() || *below.begin() == "..")
        return problem(place, "is a link that leaves the model's folder");
    if (there.kind != FilePlace::Kind::File)
        return problem(place, "is not a file");
    return path;
}

bool read_at(int file, std::int64_t offset, std::byte* target, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t count = ::pread(file, target, bytes, static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        target += count;
        offset += count;
        bytes -= static_cast<std::size_t>(count);
    }
    return true;
}

} // namespace

Result<void> check_external(const std::string& folder, const ExternalPlace& place, std::size_t bytes) {
    HIDET_TRY(const fs::path path, path_of(folder, place));
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error)
        return problem(place, "cannot be read");
    if (place.offset < 0 || static_cast<std::uintmax_t>(place.offset) > size)
        return problem(place, "ends before offset " + std::to_string(place.offset));
    if (place.length >= 0 && static_cast<std::uintmax_t>(place.length) != bytes)
        return problem(place, "has a length of " + std::to_string(place.length) + " bytes for a tensor of " +
                                  std::to_string(bytes));
    if (size - static_cast<std::uintmax_t>(place.offset) < bytes)
        return problem(place, "is shorter than the " + std::to_string(bytes) + " bytes from offset " +
                                  std::to_string(place.offset));
    return {};
}

Result<void> read_external(const std::string& folder, const ExternalPlace& place, std::byte* target,
                           std::size_t bytes) {
    if (Result<void> checked = check_external(folder, place, bytes); !checked)
        return checked;
    HIDET_TRY(const fs::path path, path_of(folder, place));
    const Result<InputFile> file = InputFile::open(path);
    if (!file || !read_at(file.value().descriptor(), place.offset, target, bytes))
        return problem(place, "cannot be read");
    return {};
}

} // namespace hidet::graph::onnx
