// SPDX-License-Identifier: Apache-2.0
// libzip writes members in the order in which they were added, each as a record of 30 bytes, the name, and extra fields. So the
// place of each is known before it is written, and an extra field of the right size puts its bytes where they belong. Where
// offsets pass 4 GiB the central directory alone grows; members that large would have longer records, and are refused.
#include "app/session/package/archive_writer.h"

#include <memory>

#include <zip.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/package/manifest.h"
#include "runtime/toolchain/files.h"

namespace hidet::session {

namespace {

constexpr std::uint64_t record_bytes = 30, field_bytes = 4;
constexpr std::uint64_t largest_member = 0xfffffffe;
constexpr std::uint16_t padding_id = 0xd935; // Android's zipalign calls its padding so
constexpr std::uint16_t first_of_1980 = (1 << 5) | 1;

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};

Error not_written(const std::string& path, const std::string& why) {
    return {"not-written", cat("'", path, "' cannot be written: ", why)};
}

// Extra fields have four bytes of their own at least.
std::uint64_t padding_at(std::uint64_t begin) {
    const std::uint64_t alignment = package::member_alignment;
    return (alignment - (begin + field_bytes) % alignment) % alignment;
}

bool add(zip_t* archive, const ArchiveFile& file, std::uint64_t& at) {
    zip_source_t* source = zip_source_buffer(archive, file.bytes.data(), file.bytes.size(), 0);
    if (!source)
        return false;
    const zip_int64_t index = zip_file_add(archive, file.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    const auto row = static_cast<zip_uint64_t>(index);
    const std::string padding(padding_at(at + record_bytes + file.name.size()), '\0');
    at += record_bytes + file.name.size() + field_bytes + padding.size() + file.bytes.size();
    return zip_set_file_compression(archive, row, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, row, 0, first_of_1980, 0) == 0 &&
           zip_file_set_external_attributes(archive, row, 0, ZIP_OPSYS_UNIX, 0100644u << 16) == 0 &&
           zip_file_extra_field_set(archive, row, padding_id, ZIP_EXTRA_FIELD_NEW,
                                    reinterpret_cast<const zip_uint8_t*>(padding.data()),
                                    static_cast<zip_uint16_t>(padding.size()), ZIP_FL_LOCAL) == 0;
}

Result<void> write_archive_here(const std::string& path, const std::vector<ArchiveFile>& files) {
    int code = 0;
    std::unique_ptr<zip_t, Discard> archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        std::string why = zip_error_strerror(&error);
        zip_error_fini(&error);
        return not_written(path, why);
    }
    std::uint64_t at = 0;
    for (const ArchiveFile& file : files)
        if (file.bytes.size() > largest_member)
            return not_written(path, cat("'", file.name, "' has 4 GiB or more"));
        else if (!add(archive.get(), file, at))
            return not_written(path, zip_strerror(archive.get()));
    if (zip_close(archive.get()) != 0)
        return not_written(path, zip_strerror(archive.get()));
    static_cast<void>(archive.release()); // closing has freed it
    return {};
}

} // namespace

// libzip makes a file beside another and renames it; who may make none there has it made in a folder of its own.
Result<void> write_archive(const std::string& path, const std::vector<ArchiveFile>& files) {
    if (!has_file_door())
        return write_archive_here(path, files);
    HIDET_TRY(const auto folder, toolchain::TemporaryFolder::make());
    const std::string made = folder->path() + "/package";
    if (Result<void> written = write_archive_here(made, files); !written)
        return written;
    HIDET_TRY(const InputFile whole, InputFile::open(made));
    HIDET_TRY(FileReplacement out, FileReplacement::begin(path));
    if (Result<void> copied = out.copy(whole); !copied)
        return copied;
    return out.commit();
}

} // namespace hidet::session
