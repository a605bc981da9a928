// SPDX-License-Identifier: Apache-2.0
// Launch plans and manifests from bytes: what fields() names, in that order; numbers little-endian in their own size, texts and
// lists preceded by their length as 32 bits. They are gone through once, from front to back, and nothing is believed of them.
#pragma once

#include <bit>

#include "runtime/package/check.h"
#include "runtime/package/manifest.h"
#include "runtime/package/memory.h"
#include "runtime/package/plan_names.h"

namespace hidet::package {

static_assert(std::endian::native == std::endian::little);

inline constexpr char plan_magic[8] = {'H', 'I', 'D', 'E', 'T', 'P', 'L', 'N'};

// What stands before the fields, and what people call it all.
struct BinaryFormat {
    const char (&magic)[8];
    std::uint32_t version;
    const char* name;
};
inline constexpr BinaryFormat plan_format{plan_magic, launch_plan_version, "launch plan"};
inline constexpr BinaryFormat manifest_format{manifest_magic, package_version, "manifest of a package"};

template <class T>
inline constexpr bool is_plan_struct = requires(T& value) {
    T::fields(value, [](const char*, auto&) {});
};

// How many bytes a row takes at least.
class RowSize {
public:
    template <class T>
    static std::size_t of() {
        if constexpr (is_plan_struct<T>) {
            T row;
            RowSize size;
            T::fields(row, size);
            return size.m_bytes;
        } else if constexpr (std::is_same_v<T, ExprWord>) {
            return sizeof(ExprOp) + sizeof(std::int64_t);
        } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            return sizeof(T);
        } else {
            return sizeof(std::uint32_t); // a length
        }
    }
    template <class T>
    void operator()(const char*, T&) {
        m_bytes += of<T>();
    }

private:
    std::size_t m_bytes = 0;
};

// The owner makes texts and lists: set(text, bytes, count), resize(list, count); false: there is no memory left.
template <class Kit, class Owner>
class FieldReader {
public:
    FieldReader(const char* bytes, std::size_t count, Owner& owner, Problem& problem)
        : m_next(bytes), m_end(bytes + count), m_owner(owner), m_problem(problem) {}

    template <class Root>
    bool run(const BinaryFormat& format, Root& root) {
        if (left() < sizeof format.magic + sizeof format.version ||
            std::memcmp(m_next, format.magic, sizeof format.magic) != 0)
            return refuse(m_problem, Code::Damaged, "it is not a ", format.name);
        m_next += sizeof format.magic;
        std::uint32_t version = 0;
        std::memcpy(&version, m_next, sizeof version);
        if (version != format.version)
            return refuse(m_problem, Code::Version, "it is a ", format.name, " of version ", version,
                          ", and this program reads version ", format.version);
        Root::fields(root, *this);
        if (m_is_ok && m_next != m_end)
            return refuse(m_problem, Code::Damaged, "it is damaged: bytes follow its end");
        return m_is_ok;
    }
    bool run(LaunchPlan<Kit>& plan) { return run(plan_format, plan) && check_read(plan); }
    void operator()(const char* name, auto& field) {
        if (!m_is_ok)
            return;
        m_names[m_depth++] = name;
        read(field);
        --m_depth;
    }

private:
    static constexpr std::size_t deepest = 8; // fields within fields

    bool check_read(const LaunchPlan<Kit>& plan) {
        Problem broken;
        return check(plan, broken) || refuse(m_problem, broken.code, "it is damaged: ", text(broken.message));
    }
    std::size_t left() const { return static_cast<std::size_t>(m_end - m_next); }
    template <class... Parts>
    bool fail(const Parts&... what) {
        char path[200];
        TextWriter writer(path, sizeof path);
        for (std::size_t i = 0; i < m_depth; ++i)
            writer.add(i ? "." : "", m_names[i]);
        m_is_ok = false;
        return refuse(m_problem, Code::Damaged, "it is damaged: ", text(path), " ", what...);
    }

    template <class T>
    void read(T& value) {
        if constexpr (is_plan_struct<T>)
            T::fields(value, *this);
        else if constexpr (std::is_same_v<T, TextOf<Kit>>)
            read_text(value);
        else if constexpr (std::is_same_v<T, ExprWord>)
            read(value.op), read(value.operand);
        else if constexpr (std::is_same_v<T, bool>)
            read_bool(value);
        else if constexpr (std::is_enum_v<T>)
            read_enum(value);
        else if constexpr (std::is_arithmetic_v<T>)
            read_number(value);
        else
            read_list(value);
    }
    template <class T>
    void read_number(T& value) {
        if (!m_is_ok)
            return;
        if (left() < sizeof value) {
            fail("ends too early");
            return;
        }
        std::memcpy(&value, m_next, sizeof value);
        m_next += sizeof value;
    }
    void read_bool(bool& value) {
        std::uint8_t byte = 0;
        read_number(byte);
        if (byte > 1)
            fail("is neither true nor false");
        value = byte == 1;
    }
    template <class T>
    void read_enum(T& value) {
        std::underlying_type_t<T> number = 0;
        read_number(number);
        if (number >= enum_count<T>)
            fail("is none of its names");
        else
            value = static_cast<T>(number);
    }
    void read_text(TextOf<Kit>& value) {
        const std::uint32_t count = read_count(1);
        if (!m_is_ok)
            return;
        if (!m_owner.set(value, m_next, count))
            out_of_memory();
        m_next += count;
    }
    template <class L>
    void read_list(L& list) {
        using T = std::remove_cvref_t<decltype(*list.begin())>;
        const std::uint32_t count = read_count(RowSize::of<T>());
        if (!m_is_ok || count == 0)
            return;
        if (!m_owner.resize(list, count))
            return out_of_memory();
        for (T& item : list)
            if (m_is_ok)
                read(item);
    }
    // No length is believed that the rest cannot hold.
    std::uint32_t read_count(std::size_t item) {
        std::uint32_t count = 0;
        read_number(count);
        if (m_is_ok && count > left() / item)
            fail("has ", count, " items, more than there are bytes");
        return m_is_ok ? count : 0;
    }
    void out_of_memory() {
        m_is_ok = false;
        refuse(m_problem, Code::Memory, "there is no memory left for the plan");
    }

    const char* m_next;
    const char* m_end;
    Owner& m_owner;
    Problem& m_problem;
    const char* m_names[deepest] = {};
    std::size_t m_depth = 0;
    bool m_is_ok = true;
};

// Their texts and lists lie in the memory, and in the bytes.
bool read_plan(const void* bytes, std::size_t count, Memory& memory, Plan& plan, Problem& problem);
bool read_manifest(const void* bytes, std::size_t count, Memory& memory, Manifest& manifest, Problem& problem);

} // namespace hidet::package
