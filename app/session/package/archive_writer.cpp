// SPDX-License-Identifier: Apache-2.0
// minizip writes members in the order in which they were added, each as a record of 30 bytes, the name, and extra fields. So the
// place of each is known before it is written, and an extra field of the right size puts its bytes where they belong. Where
// offsets pass 4 GiB the central directory alone grows; members that large would have longer records, and are refused.
#include "app/session/package/archive_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include <minizip/zip.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/package/manifest.h"

namespace hidet::session {

namespace {

constexpr std::uint64_t record_bytes = 30, field_bytes = 4;
constexpr std::uint64_t largest_member = 0xfffffffe;
constexpr std::uint64_t largest_write = 1 << 30;
constexpr std::uint16_t padding_id = 0xd935; // Android's zipalign calls its padding so
constexpr uLong first_of_1980 = ((1 << 5) | 1) << 16;
constexpr uLong made_by_unix = (3 << 8) | 20;
constexpr uLong utf8_names = 1 << 11;

Error not_written(const std::string& path, const std::string& why) {
    return {"not-written", cat("cannot write '", path, "': ", why)};
}

// What minizip writes to: a descriptor, whose owner closes it.
struct Destination {
    int file;
    int failure = 0; // errno of what failed, or 0
};

Destination& destination_of(void* opaque) {
    return *static_cast<Destination*>(opaque);
}

uLong write_bytes(void* opaque, void*, const void* data, uLong count) {
    Destination& destination = destination_of(opaque);
    if (write_all(destination.file, {static_cast<const char*>(data), count}))
        return count;
    destination.failure = errno;
    return 0;
}

ZPOS64_T place(void* opaque, void*) {
    return static_cast<ZPOS64_T>(::lseek(destination_of(opaque).file, 0, SEEK_CUR));
}

long seek(void* opaque, void*, ZPOS64_T offset, int origin) {
    const int whence = origin == ZLIB_FILEFUNC_SEEK_SET   ? SEEK_SET
                       : origin == ZLIB_FILEFUNC_SEEK_CUR ? SEEK_CUR
                                                          : SEEK_END;
    if (::lseek(destination_of(opaque).file, static_cast<off_t>(offset), whence) >= 0)
        return 0;
    destination_of(opaque).failure = errno;
    return -1;
}

zlib_filefunc64_def functions_of(Destination& destination) {
    zlib_filefunc64_def out{};
    out.opaque = &destination;
    out.zopen64_file = [](void* opaque, const void*, int) { return opaque; };
    out.zread_file = [](void*, void*, void*, uLong) { return uLong{0}; };
    out.zwrite_file = write_bytes;
    out.ztell64_file = place;
    out.zseek64_file = seek;
    out.zclose_file = [](void*, void*) { return 0; };
    out.zerror_file = [](void* opaque, void*) { return destination_of(opaque).failure; };
    return out;
}

struct Close {
    void operator()(void* archive) const { zipClose(archive, nullptr); }
};

// The extra field, with four bytes of its own, that puts what follows it in its place.
std::string padding_at(std::uint64_t begin) {
    const std::uint64_t alignment = package::member_alignment;
    const std::uint64_t size = (alignment - (begin + field_bytes) % alignment) % alignment;
    std::string field;
    for (const std::uint64_t half : {std::uint64_t{padding_id}, size})
        field += {static_cast<char>(half & 0xff), static_cast<char>(half >> 8)};
    return field.append(size, '\0');
}

bool write_contents(zipFile archive, std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t count = std::min<std::size_t>(bytes.size(), largest_write);
        if (zipWriteInFileInZip(archive, bytes.data(), static_cast<unsigned>(count)) != ZIP_OK)
            return false;
        bytes.remove_prefix(count);
    }
    return true;
}

bool add(zipFile archive, const ArchiveFile& file, std::uint64_t& at) {
    const std::string padding = padding_at(at + record_bytes + file.name.size());
    at += record_bytes + file.name.size() + padding.size() + file.bytes.size();
    zip_fileinfo info{};
    info.dosDate = first_of_1980;
    info.external_fa = 0100644u << 16;
    return zipOpenNewFileInZip4_64(archive, file.name.c_str(), &info, padding.data(), static_cast<uInt>(padding.size()),
                                   nullptr, 0, nullptr, 0 /* stored */, 0, 0, -MAX_WBITS, DEF_MEM_LEVEL,
                                   Z_DEFAULT_STRATEGY, nullptr, 0, made_by_unix, utf8_names, 0) == ZIP_OK &&
           write_contents(archive, file.bytes) && zipCloseFileInZip(archive) == ZIP_OK;
}

} // namespace

Result<void> write_archive(const std::string& path, const std::vector<ArchiveFile>& files) {
    HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
    Destination destination{file.descriptor()};
    zlib_filefunc64_def functions = functions_of(destination);
    std::unique_ptr<void, Close> archive(zipOpen2_64(path.c_str(), APPEND_STATUS_CREATE, nullptr, &functions));
    if (!archive)
        return not_written(path, "minizip refuses");
    const auto failed = [&] {
        return destination.failure ? write_error(path, destination.failure) : not_written(path, "minizip refuses");
    };
    std::uint64_t at = 0;
    for (const ArchiveFile& file : files)
        if (file.bytes.size() > largest_member)
            return not_written(path, cat("'", file.name, "' has 4 GiB or more"));
        else if (!add(archive.get(), file, at))
            return failed();
    if (zipClose(archive.release(), nullptr) != ZIP_OK)
        return failed();
    return file.commit();
}

} // namespace hidet::session
