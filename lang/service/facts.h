// SPDX-License-Identifier: Apache-2.0
// What an evaluation showed of each expression and name of a text, as plain values: they outlive the evaluation.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "lang/host/value_observer.h"
#include "lang/service/service.h"

namespace hidet::lang::service {

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
};

class Facts {
public:
    const Fact* find(Range range) const {
        auto found = m_facts.find(key(range));
        return found == m_facts.end() ? nullptr : &found->second;
    }
    const Fact* ending_at(std::uint32_t end) const; // the shortest expression that ends there
    template <class F>
    void for_each_around(std::uint32_t offset, F&& f) const { // in no order
        for (const auto& [key, fact] : m_facts) {
            Range range{static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
            if (range.holds(offset))
                f(range, fact);
        }
    }
    Fact& at(Range range) { return m_facts[key(range)]; }
    // Adds what an earlier text showed of the parts that both texts have, where nothing is known now.
    void take_from(const Facts& earlier, std::string_view earlier_text, std::string_view text);

private:
    static std::uint64_t key(Range range) { return std::uint64_t{range.begin} << 32 | range.end; }
    std::unordered_map<std::uint64_t, Fact> m_facts;
};

class FactRecorder final : public ValueObserver {
public:
    FactRecorder(FileId file, Facts& out) : m_file(file), m_out(out) {}
    void evaluated(const ast::Expr& expr, const Value& value) override;
    void bound(Span name, const Value& value) override;
    void declared(Span name, ir::Scope scope) override;

private:
    void record(Range range, const Value& value);

    FileId m_file;
    Facts& m_out;
};

Fact fact_of(const Value& value);
std::string bytes_text(std::int64_t bytes); // "4096 bytes (4 KiB)"

} // namespace hidet::lang::service
