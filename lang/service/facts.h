// SPDX-License-Identifier: Apache-2.0
// What an evaluation showed of each expression and name of a text, as plain values: they outlive the evaluation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/host/value_observer.h"
#include "lang/service/service.h"

namespace hidet::lang::service {

// What a place shows in the mapping canvas: a task mapping or a layout, one of the two.
struct Pictured {
    std::string title; // of one of several that a value has: "a", the first operand of a matrix instruction
    ir::MappingRef mapping;
    ir::LayoutRef layout;
    int element_bits = 0; // 0: not known
};

struct Fact {
    ItemKind kind = ItemKind::Variable;
    std::string type;   // "int", "f32", "f32[16, 16]"
    std::string shape;  // of tensors and layouts
    std::string layout; // of tensors
    std::string scope;  // "global", "shared", "register"
    std::int64_t bytes = -1;
    std::vector<std::string> values; // different ones, the first few
    bool has_more_values = false;
    bool is_script = false;           // exists when the kernel runs, not now
    bool is_unknown = false;          // depends on data
    std::string path;                 // of the catalog: what the value is, or its kind ("str", "tensor")
    std::vector<std::string> members; // of objects of the script: instances, classes, modules beside it
    std::vector<Pictured> pictured;   // different ones, the first few
};

// Of one text, by the ranges of its expressions and names.
class Facts {
public:
    const Fact* find(Range range) const {
        auto found = m_facts.find(key(range));
        return found == m_facts.end() ? nullptr : &found->second;
    }
    Fact& at(Range range) { return m_facts[key(range)]; }
    template <class F>
    void for_each(F&& f) const { // in no order
        for (const auto& [key, fact] : m_facts)
            f(Range{static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)}, fact);
    }

private:
    static std::uint64_t key(Range range) { return std::uint64_t{range.begin} << 32 | range.end; }
    std::unordered_map<std::uint64_t, Fact> m_facts;
};

// Where what two texts have in common, at their beginning and at their end, lies in each of them.
class Shift {
public:
    Shift() = default; // one text
    Shift(std::string_view before, std::string_view now);
    std::optional<Range> forward(Range before) const; // nothing: it was edited
    std::optional<Range> back(Range now) const;
    bool is_none() const { return m_is_none; }

private:
    static std::optional<Range> moved(Range range, std::uint32_t head, std::uint32_t tail, std::uint32_t size,
                                      std::uint32_t by);
    bool m_is_none = true;
    std::uint32_t m_head = 0, m_tail = 0; // bytes in common
    std::uint32_t m_before = 0, m_now = 0;
};

// What is known of a text: by its own evaluation, or by that of an earlier text, of which it has kept parts.
class KnownFacts {
public:
    KnownFacts() = default;
    explicit KnownFacts(std::shared_ptr<const Facts> facts, Shift shift = {})
        : m_facts(std::move(facts)), m_shift(shift) {}

    const Fact* find(Range range) const;
    const Fact* ending_at(std::uint32_t end) const; // the shortest expression that ends there
    template <class F>
    void for_each_around(std::uint32_t offset, F&& f) const { // in no order
        for_each([&](Range range, const Fact& fact) {
            if (range.holds(offset))
                f(range, fact);
        });
    }
    // Puts in what the others do not know.
    void add_missing_to(Facts& others) const;
    // The same, of a later text.
    KnownFacts moved_to(std::string_view text, std::string_view later) const;

private:
    template <class F>
    void for_each(F&& f) const {
        if (m_facts)
            m_facts->for_each([&](Range range, const Fact& fact) {
                if (auto now = m_shift.forward(range))
                    f(*now, fact);
            });
    }

    std::shared_ptr<const Facts> m_facts; // null: nothing
    Shift m_shift;
};

class FactRecorder final : public ValueObserver {
public:
    explicit FactRecorder(const Document& document);
    explicit FactRecorder(FileId file); // of that text
    Facts take() { return std::move(m_out); }

    void evaluated(const ast::Expr& expr, const Value& value) override;
    void bound(Span name, const Value& value) override;
    void declared(Span name, ir::Scope scope) override;

private:
    void record(Range range, const Value& value);

    FileId m_file;
    int m_left; // of the values that are looked at: a loop without end shows nothing new
    Facts m_out;
};

Fact fact_of(const Value& value);
std::vector<Pictured> pictured_of(const Value& value);
std::string bytes_text(std::int64_t bytes); // "4096 bytes (4 KiB)"

} // namespace hidet::lang::service
