// SPDX-License-Identifier: Apache-2.0
// A launch plan as bytes: what fields() names, in that order; numbers little-endian in their own size, texts and lists
// preceded by their length as 32 bits. A reader goes through it once, from front to back.
#include <bit>
#include <cstring>

#include "compiler/artifact/plan_names.h"
#include "lang/base/text.h"

namespace hidet::artifact {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr char plan_magic[8] = {'H', 'I', 'D', 'E', 'T', 'P', 'L', 'N'};

class PlanByteWriter {
public:
    std::string out;

    void operator()(const char*, const auto& field) { write(field); }

private:
    template <class T>
    void write(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            const std::size_t at = out.size();
            out.resize(at + sizeof value);
            std::memcpy(out.data() + at, &value, sizeof value);
        } else {
            T::fields(value, *this);
        }
    }
    void write(const std::string& text) {
        write(static_cast<std::uint32_t>(text.size()));
        out += text;
    }
    void write(const ExprWord& word) {
        write(word.op);
        write(word.operand);
    }
    template <class T>
    void write(const std::vector<T>& items) {
        write(static_cast<std::uint32_t>(items.size()));
        for (const T& item : items)
            write(item);
    }
};

class PlanByteReader {
public:
    explicit PlanByteReader(std::string_view bytes) : m_left(bytes) {}

    std::string problem;

    void operator()(const char* name, auto& field) {
        if (!problem.empty())
            return;
        read(field);
        if (!problem.empty())
            problem = cat(name, problem.starts_with(" ") ? "" : ".", problem);
    }
    bool is_at_end() const { return m_left.empty(); }

private:
    template <class T>
    void read(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            std::uint8_t byte = 0;
            read(byte);
            if (byte > 1)
                return fail(" is neither true nor false");
            value = byte == 1;
        } else if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> number = 0;
            read(number);
            if (number >= count_of(value))
                return fail(" is none of its names");
            value = static_cast<T>(number);
        } else if constexpr (std::is_arithmetic_v<T>) {
            if (m_left.size() < sizeof value)
                return fail(" ends too early");
            std::memcpy(&value, m_left.data(), sizeof value);
            m_left.remove_prefix(sizeof value);
        } else {
            T::fields(value, *this);
        }
    }
    void read(std::string& text) {
        const std::uint32_t size = read_size();
        text = m_left.substr(0, size);
        m_left.remove_prefix(size);
    }
    void read(ExprWord& word) {
        read(word.op);
        if (problem.empty())
            read(word.operand);
    }
    template <class T>
    void read(std::vector<T>& items) {
        const std::uint32_t count = read_size();
        items.clear();
        for (std::uint32_t i = 0; i < count && problem.empty(); ++i)
            read(items.emplace_back());
    }
    // Each item takes a byte at least, so no length is believed that the rest cannot hold.
    std::uint32_t read_size() {
        std::uint32_t size = 0;
        read(size);
        if (problem.empty() && size > m_left.size())
            fail(cat(" has ", size, " items, more than there are bytes"));
        return problem.empty() ? size : 0;
    }
    template <class T>
    static int count_of(T) {
        return EnumInfo<T>::count;
    }
    static int count_of(ExprOp) { return expr_op_count(); }
    void fail(const std::string& what) {
        if (problem.empty())
            problem = what;
    }

    std::string_view m_left;
};

} // namespace

std::string to_bytes(const LaunchPlan& plan) {
    PlanByteWriter writer;
    writer.out.assign(plan_magic, sizeof plan_magic);
    LaunchPlan::fields(plan, writer);
    return std::move(writer.out);
}

Result<LaunchPlan> plan_from_bytes(const std::string& bytes) {
    if (bytes.size() < sizeof plan_magic + 4 || std::memcmp(bytes.data(), plan_magic, sizeof plan_magic) != 0)
        return Error{"plan-damaged", "it is no launch plan"};
    std::uint32_t version = 0;
    std::memcpy(&version, bytes.data() + sizeof plan_magic, sizeof version);
    if (version != launch_plan_version)
        return Error{"plan-version", cat("it is a plan of version ", version, ", and this program reads version ",
                                         launch_plan_version)};
    PlanByteReader reader(std::string_view(bytes).substr(sizeof plan_magic));
    LaunchPlan plan;
    LaunchPlan::fields(plan, reader);
    if (!reader.problem.empty())
        return Error{"plan-damaged", "it is damaged: " + reader.problem};
    if (!reader.is_at_end())
        return Error{"plan-damaged", "it is damaged: bytes follow its end"};
    if (const std::string problem = problem_of(plan); !problem.empty())
        return Error{"plan-damaged", "it is damaged: " + problem};
    return plan;
}

} // namespace hidet::artifact
