// SPDX-License-Identifier: Apache-2.0
// Source: PKWARE's APPNOTE 6.3.10, sections 4.3 (records) and 4.5.3 (sizes of 64 bits).
#include "runtime/package/archive.h"

#include <cstdlib>
#include <initializer_list>

#include "runtime/package/manifest.h"

namespace hidet::package {

namespace {

constexpr std::uint32_t local_magic = 0x04034b50, central_magic = 0x02014b50, end_magic = 0x06054b50,
                        end64_magic = 0x06064b50, locator_magic = 0x07064b50;
constexpr std::uint64_t local_bytes = 30, central_bytes = 46, end_bytes = 22, end64_bytes = 56, locator_bytes = 20;
constexpr std::uint32_t in_extra = 0xffffffff; // a number stands among the extra fields, in 64 bits
constexpr std::uint16_t extra_of_numbers = 1;
constexpr std::uint16_t flag_utf8 = 0x800;

template <class T>
T number(const unsigned char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

// What a local and a central record say of a member.
struct Record {
    std::uint16_t flags = 0, method = 0;
    std::uint64_t packed = 0, bytes = 0, offset = 0;
    Text name;
    const unsigned char* extra = nullptr;
    std::uint16_t extra_count = 0;
};

class ArchiveReader {
public:
    ArchiveReader(const unsigned char* bytes, std::uint64_t count, Memory& memory, Archive& archive, Problem& problem)
        : m_bytes(bytes), m_count(count), m_memory(memory), m_archive(archive), m_problem(problem) {}

    bool run() { return read_end() && read_members() && check_names(); }

private:
    template <class... Parts>
    bool damaged(const Parts&... parts) {
        return refuse(m_problem, Code::Damaged, "it is no package, or a damaged one: ", parts...);
    }

    // Nothing follows the end, so it is at a known place.
    bool read_end() {
        if (m_count < end_bytes || number<std::uint32_t>(m_bytes + m_count - end_bytes) != end_magic)
            return damaged("it does not end as an archive does, which it does not if its end is missing");
        const unsigned char* end = m_bytes + m_count - end_bytes;
        m_entries = number<std::uint16_t>(end + 10);
        m_directory_bytes = number<std::uint32_t>(end + 12);
        m_directory = number<std::uint32_t>(end + 16);
        m_end = m_count - end_bytes;
        if (number<std::uint16_t>(end + 4) != 0 || number<std::uint16_t>(end + 6) != 0)
            return damaged("it is a part of an archive");
        if (number<std::uint16_t>(end + 20) != 0)
            return damaged("it has a comment");
        const bool is_large = m_entries == 0xffff || m_directory_bytes == in_extra || m_directory == in_extra;
        if (is_large && !read_large_end())
            return false;
        if (m_directory > m_end || m_directory_bytes != m_end - m_directory)
            return damaged("its directory is not where it should be");
        if (m_entries > most_members || m_entries > m_directory_bytes / central_bytes)
            return damaged("it claims to have ", m_entries, " members");
        return true;
    }

    bool read_large_end() {
        if (m_end < locator_bytes + end64_bytes ||
            number<std::uint32_t>(m_bytes + m_end - locator_bytes) != locator_magic)
            return damaged("its end is missing");
        const std::uint64_t at = number<std::uint64_t>(m_bytes + m_end - locator_bytes + 8);
        if (at != m_end - locator_bytes - end64_bytes || number<std::uint32_t>(m_bytes + at) != end64_magic)
            return damaged("its end is not where it should be");
        m_entries = number<std::uint64_t>(m_bytes + at + 32);
        m_directory_bytes = number<std::uint64_t>(m_bytes + at + 40);
        m_directory = number<std::uint64_t>(m_bytes + at + 48);
        m_end = at;
        return true;
    }

    bool read_members() {
        if (!m_memory.make(m_archive.members, m_entries))
            return refuse(m_problem, Code::Memory, "memory for the names of ", m_entries, " members");
        std::uint64_t at = m_directory, free = 0; // where the next member may begin
        for (ArchiveMember& member : m_archive.members)
            if (!read_member(at, free, member))
                return false;
        return at == m_end || damaged("its directory has more than it claims to have");
    }

    bool read_member(std::uint64_t& at, std::uint64_t& free, ArchiveMember& member) {
        if (m_end - at < central_bytes || number<std::uint32_t>(m_bytes + at) != central_magic)
            return damaged("its directory ends too early");
        Record central;
        const unsigned char* record = m_bytes + at;
        central.flags = number<std::uint16_t>(record + 8);
        central.method = number<std::uint16_t>(record + 10);
        central.packed = number<std::uint32_t>(record + 20);
        central.bytes = number<std::uint32_t>(record + 24);
        central.offset = number<std::uint32_t>(record + 42);
        if (!read_name(at, central_bytes, number<std::uint16_t>(record + 28), number<std::uint16_t>(record + 30), m_end,
                       central))
            return false;
        if (number<std::uint16_t>(record + 32) != 0)
            return damaged("'", central.name, "' has a comment");
        at += central_bytes + central.name.size() + central.extra_count;
        if (!read_numbers(central) || !check_form(central))
            return false;
        return read_local(central, free, member);
    }

    bool read_name(std::uint64_t at, std::uint64_t fixed, std::uint16_t name, std::uint16_t extra, std::uint64_t end,
                   Record& record) {
        if (end - at < fixed + name + extra)
            return damaged("a name is longer than the archive");
        record.name = {reinterpret_cast<const char*>(m_bytes + at + fixed), name};
        record.extra = m_bytes + at + fixed + name;
        record.extra_count = extra;
        return is_name(record.name) || damaged("a member has a name that none may have");
    }

    // Relative, inside of the archive, and the same on every system.
    static bool is_name(Text name) {
        if (name.empty() || name.size() > 255)
            return false;
        char before = '/';
        for (std::size_t i = 0; i < name.size(); ++i) {
            const char c = name.data()[i];
            const bool is_plain =
                (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
            if (!is_plain && (before == '/' || (c != '.' && c != '/') || (c == '.' && before == '.')))
                return false;
            before = c;
        }
        return before != '/';
    }

    // Numbers that do not fit the record stand in an extra field, in the order of the record.
    bool read_numbers(Record& record) {
        std::uint64_t* wanted[3];
        std::size_t count = 0;
        for (std::uint64_t* each : {&record.bytes, &record.packed, &record.offset})
            if (*each == in_extra)
                wanted[count++] = each;
        for (std::uint32_t at = 0; count > 0 && at + 4u <= record.extra_count;) {
            const std::uint32_t bytes = number<std::uint16_t>(record.extra + at + 2);
            if (at + 4 + bytes > record.extra_count)
                return damaged("an extra field of '", record.name, "' is longer than there is room");
            if (number<std::uint16_t>(record.extra + at) == extra_of_numbers) {
                if (bytes < 8 * count)
                    break;
                for (std::size_t i = 0; i < count; ++i)
                    *wanted[i] = number<std::uint64_t>(record.extra + at + 4 + 8 * i);
                return true;
            }
            at += 4 + bytes;
        }
        return count == 0 || damaged("the size of '", record.name, "' is missing");
    }

    bool check_form(const Record& record) {
        if ((record.flags & ~flag_utf8) != 0)
            return damaged("'", record.name, "' is encrypted, or its size is not known in advance");
        if (record.method != 0 || record.packed != record.bytes)
            return damaged("'", record.name, "' is compressed; members of packages are stored");
        return true;
    }

    bool read_local(const Record& central, std::uint64_t& free, ArchiveMember& member) {
        if (central.offset < free || m_directory < local_bytes || central.offset > m_directory - local_bytes)
            return damaged("'", central.name, "' lies over another member, or outside");
        const unsigned char* at = m_bytes + central.offset;
        if (number<std::uint32_t>(at) != local_magic)
            return damaged("'", central.name, "' is not where the directory says");
        Record local;
        local.flags = number<std::uint16_t>(at + 6);
        local.method = number<std::uint16_t>(at + 8);
        local.packed = number<std::uint32_t>(at + 18);
        local.bytes = number<std::uint32_t>(at + 22);
        if (!read_name(central.offset, local_bytes, number<std::uint16_t>(at + 26), number<std::uint16_t>(at + 28),
                       m_directory, local) ||
            !read_numbers(local) || !check_form(local))
            return false;
        if (!(local.name == central.name) || local.bytes != central.bytes)
            return damaged("'", central.name, "' has another name or size than the directory says");
        const std::uint64_t first = central.offset + local_bytes + local.name.size() + local.extra_count;
        if (central.bytes > m_directory - first)
            return damaged("'", central.name, "' ends outside of the archive");
        if (first % member_alignment != 0)
            return damaged("'", central.name, "' does not begin at a multiple of ", member_alignment, " bytes");
        member = {central.name, first, central.bytes};
        free = first + central.bytes;
        return true;
    }

    static int compare(const void* a, const void* b) {
        const Text& left = *static_cast<const Text*>(a);
        const Text& right = *static_cast<const Text*>(b);
        const std::size_t shorter = left.size() < right.size() ? left.size() : right.size();
        const int order = std::memcmp(left.data(), right.data(), shorter);
        return order ? order : (left.size() > right.size()) - (left.size() < right.size());
    }
    bool check_names() {
        Memory memory;
        List<Text> names;
        if (!memory.make(names, m_archive.members.size()))
            return refuse(m_problem, Code::Memory, "memory for the names of ", m_entries, " members");
        for (std::size_t i = 0; i < names.size(); ++i)
            names[i] = m_archive.members[i].name;
        if (names.size() > 1)
            std::qsort(names.items, names.size(), sizeof(Text), compare);
        for (std::size_t i = 1; i < names.size(); ++i)
            if (names[i] == names[i - 1])
                return damaged("it has '", names[i], "' twice");
        return true;
    }

    const unsigned char* m_bytes;
    const std::uint64_t m_count;
    Memory& m_memory;
    Archive& m_archive;
    Problem& m_problem;
    std::uint64_t m_entries = 0, m_directory = 0, m_directory_bytes = 0;
    std::uint64_t m_end = 0; // of the directory
};

} // namespace

bool read_archive(const unsigned char* bytes, std::uint64_t count, Memory& memory, Archive& archive, Problem& problem) {
    return ArchiveReader(bytes, count, memory, archive, problem).run();
}

} // namespace hidet::package
