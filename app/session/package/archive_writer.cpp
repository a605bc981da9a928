// SPDX-License-Identifier: Apache-2.0
// libzip writes members in the order in which they were added, each as a record of 30 bytes, the name, and extra fields. So the
// place of each is known before it is written, and an extra field of the right size puts its bytes where they belong. Where
// offsets pass 4 GiB the central directory alone grows; members that large would have longer records, and are refused.
#include "app/session/package/archive_writer.h"

#include <cerrno>
#include <memory>

#include <unistd.h>
#include <zip.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/package/manifest.h"

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
    return {"not-written", cat("cannot write '", path, "': ", why)};
}

// An archive that is not there yet, and is written to a descriptor.
class ZipTarget {
public:
    explicit ZipTarget(int file) : m_file(file) { zip_error_init(&m_error); }
    ~ZipTarget() { zip_error_fini(&m_error); }
    ZipTarget(const ZipTarget&) = delete;
    ZipTarget& operator=(const ZipTarget&) = delete;

    int failure() const { return m_failure; } // errno of the write that failed, or 0
    static zip_int64_t answer(void* self, void* data, zip_uint64_t count, zip_source_cmd_t command) {
        return static_cast<ZipTarget*>(self)->answer(data, count, command);
    }

private:
    zip_int64_t refuse(int code, int number) {
        zip_error_set(&m_error, code, number);
        return -1;
    }
    zip_int64_t answer(void* data, zip_uint64_t count, zip_source_cmd_t command) {
        switch (command) {
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
                                                  ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                                  ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
                                                  ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
                                                  ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
        case ZIP_SOURCE_STAT: return refuse(ZIP_ER_READ, ENOENT);
        case ZIP_SOURCE_ERROR: return zip_error_to_data(&m_error, data, count);
        case ZIP_SOURCE_WRITE: return write(data, count);
        case ZIP_SOURCE_TELL_WRITE: return ::lseek(m_file, 0, SEEK_CUR);
        case ZIP_SOURCE_SEEK_WRITE: {
            const auto* to = ZIP_SOURCE_GET_ARGS(zip_source_args_seek, data, count, &m_error);
            return to && ::lseek(m_file, to->offset, to->whence) >= 0 ? 0 : refuse(ZIP_ER_SEEK, errno);
        }
        case ZIP_SOURCE_BEGIN_WRITE:
        case ZIP_SOURCE_COMMIT_WRITE: // by its owner
        case ZIP_SOURCE_ROLLBACK_WRITE:
        case ZIP_SOURCE_REMOVE:
        case ZIP_SOURCE_FREE: return 0;
        default: return refuse(ZIP_ER_OPNOTSUPP, 0);
        }
    }
    zip_int64_t write(const void* data, zip_uint64_t count) {
        if (write_all(m_file, {static_cast<const char*>(data), static_cast<std::size_t>(count)}))
            return static_cast<zip_int64_t>(count);
        m_failure = errno;
        return refuse(ZIP_ER_WRITE, m_failure);
    }

    const int m_file;
    int m_failure = 0;
    zip_error_t m_error{};
};

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

} // namespace

Result<void> write_archive(const std::string& path, const std::vector<ArchiveFile>& files) {
    HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
    ZipTarget target(file.descriptor());
    zip_source_t* source = zip_source_function_create(ZipTarget::answer, &target, nullptr);
    std::unique_ptr<zip_t, Discard> archive(source ? zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, nullptr)
                                                   : nullptr);
    if (!archive) {
        zip_source_free(source);
        return not_written(path, "libzip refuses");
    }
    std::uint64_t at = 0;
    for (const ArchiveFile& file : files)
        if (file.bytes.size() > largest_member)
            return not_written(path, cat("'", file.name, "' has 4 GiB or more"));
        else if (!add(archive.get(), file, at))
            return not_written(path, zip_strerror(archive.get()));
    if (zip_close(archive.get()) != 0)
        return target.failure() ? write_error(path, target.failure()) : not_written(path, zip_strerror(archive.get()));
    static_cast<void>(archive.release()); // closing has freed it
    return file.commit();
}

} // namespace hidet::session
