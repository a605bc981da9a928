// SPDX-License-Identifier: Apache-2.0
// pytest.approx(), and the patterns that raises(match=...) looks for.
#include <cmath>
#include <vector>

#include "lang/base/text.h"
#include "lang/host/arguments.h"
#include "lang/host/modules/pytest.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_data.h"

namespace hidet::lang {

namespace {

class Approx final : public NativeObject {
public:
    struct Bounds {
        double relative, absolute;
        bool nan_ok;
    };
    Approx(Value expected, Bounds bounds) : m_expected(std::move(expected)), m_bounds(bounds) {}
    std::string type_name() const override { return "approx"; }
    void clear() override { m_expected = Value(); }

    std::unique_ptr<Value> compare(Evaluator& evaluator, ast::CompareOp op, const Value& other, bool,
                                   Span span) override {
        if (op != ast::CompareOp::Eq && op != ast::CompareOp::Ne)
            return nullptr;
        const bool close = is_close(evaluator, other, m_expected, span);
        return boxed(Value::boolean(close == (op == ast::CompareOp::Eq)));
    }

private:
    bool is_close(double actual, double expected) const {
        if (std::isnan(expected) || std::isnan(actual))
            return m_bounds.nan_ok && std::isnan(expected) && std::isnan(actual);
        if (actual == expected)
            return true;
        const double bound = std::max(m_bounds.relative * std::fabs(expected), m_bounds.absolute);
        return std::isfinite(expected) && std::fabs(actual - expected) <= bound;
    }
    bool are_close(const Doubles& actual, const Doubles& expected) const {
        for (std::size_t i = 0; i < actual.size(); ++i)
            if (!is_close(actual[i], expected[i]))
                return false;
        return true;
    }
    bool is_close(Evaluator& evaluator, const Value& given, const Value& wanted, Span span) const {
        const Value actual = given, expected = wanted; // held: the code of a script may run in between
        evaluator.impl().check_stack(span);
        evaluator.charge_steps(1, span);
        want_known(actual, expected);
        if (actual.is_number() && expected.is_number())
            return is_close(actual.as_double(), expected.as_double());
        if (actual.is(ValueKind::Tensor) && actual.as_tensor()->shape.empty() && expected.is_number())
            return is_close(evaluator, evaluator.call_method(actual, "item", span), expected, span);
        if (actual.is(ValueKind::Tensor) && expected.is(ValueKind::Tensor)) {
            const Tensor &x = *actual.as_tensor(), &y = *expected.as_tensor();
            if (!x.has_data() || !y.has_data())
                throw UnknownValue{};
            evaluator.charge_steps(static_cast<std::uint64_t>(x.count()), span);
            return x.shape == y.shape && are_close(read_doubles(x), read_doubles(y));
        }
        if (expected.is(ValueKind::Dict) && actual.is(ValueKind::Dict)) {
            if (as_dict(expected).table.size() != as_dict(actual).table.size())
                return false;
            for (const ValueTable::Entry& entry : as_dict(expected).table.living()) {
                const Value* found = as_dict(actual).table.find(evaluator, entry.key, span);
                if (!found || !is_close(evaluator, *found, entry.value, span))
                    return false;
            }
            return true;
        }
        const bool are_sequences = (expected.is(ValueKind::List) || expected.is(ValueKind::Tuple)) &&
                                   (actual.is(ValueKind::List) || actual.is(ValueKind::Tuple));
        if (!are_sequences)
            return equal(evaluator, actual, expected, span);
        if (actual.items().size() != expected.items().size())
            return false;
        for (std::size_t i = 0; i < actual.items().size() && i < expected.items().size(); ++i)
            if (!is_close(evaluator, actual.items()[i], expected.items()[i], span))
                return false;
        return true;
    }

    Value m_expected;
    Bounds m_bounds;
};

// One character of a pattern, and how often it may come.
struct Atom {
    enum class What { Character, Any, Digit, Blank, WordPart } what = What::Character;
    char character = 0;
    bool may_miss = false, may_repeat = false;

    bool holds(char c) const {
        switch (what) {
        case What::Any: return c != '\n';
        case What::Digit: return c >= '0' && c <= '9';
        case What::Blank: return c == ' ' || (c >= '\t' && c <= '\r');
        case What::WordPart:
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        case What::Character: break;
        }
        return c == character;
    }
};

struct MessagePattern {
    std::vector<Atom> atoms;
    bool from_start = false, to_end = false;
};

Atom escaped(char c, Span span) {
    switch (c) {
    case 'd': return {Atom::What::Digit};
    case 's': return {Atom::What::Blank};
    case 'w': return {Atom::What::WordPart};
    case 'n': return {Atom::What::Character, '\n'};
    default: break;
    }
    if (Atom{Atom::What::WordPart}.holds(c))
        fail(DiagId::RefusedFunction, span, "raises", cat("patterns have no '\\", std::string(1, c), "' here"));
    return {Atom::What::Character, c};
}

MessagePattern read_pattern(std::string_view text, Span span) {
    MessagePattern out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool repeats = c == '*' || c == '+' || c == '?';
        if (c == '^' && i == 0)
            out.from_start = true;
        else if (c == '$' && i + 1 == text.size())
            out.to_end = true;
        else if (c == '\\' && i + 1 < text.size())
            out.atoms.push_back(escaped(text[++i], span));
        else if (repeats && !out.atoms.empty()) {
            out.atoms.back().may_miss |= c != '+';
            out.atoms.back().may_repeat |= c != '?';
        } else if (std::string_view("[](){}|*+?^$\\").find(c) != std::string_view::npos)
            fail(DiagId::RefusedFunction, span, "raises", cat("patterns have no '", std::string(1, c), "' here"));
        else
            out.atoms.push_back({c == '.' ? Atom::What::Any : Atom::What::Character, c});
    }
    return out;
}

// Adds a place in the pattern, and those that are reached from it without a character.
void reach(const MessagePattern& pattern, std::size_t at, std::vector<bool>& places) {
    places[at] = true;
    while (at < pattern.atoms.size() && pattern.atoms[at].may_miss)
        places[++at] = true;
}

} // namespace

bool pattern_found(std::string_view pattern_text, std::string_view text, Span span) {
    const MessagePattern pattern = read_pattern(pattern_text, span);
    const std::size_t count = pattern.atoms.size();
    std::vector<bool> places(count + 1, false);
    reach(pattern, 0, places);
    if (places[count] && !pattern.to_end)
        return true;
    for (char c : text) { // all places in the pattern at once: the time grows with both lengths only
        std::vector<bool> next(count + 1, false);
        for (std::size_t at = 0; at < count; ++at) {
            if (!places[at] || !pattern.atoms[at].holds(c))
                continue;
            reach(pattern, at + 1, next);
            if (pattern.atoms[at].may_repeat)
                reach(pattern, at, next);
        }
        if (!pattern.from_start)
            reach(pattern, 0, next);
        places = std::move(next);
        if (places[count] && !pattern.to_end)
            return true;
    }
    return places[count];
}

Value make_approx(Evaluator&, const Arguments& a, Span) {
    const bool has_absolute = a.has(2);
    const bool has_relative = a.has(1);
    Approx::Bounds bounds{has_relative || !has_absolute ? a.real(1, 1e-6) : 0, a.real(2, 1e-12), a.boolean(3, false)};
    return new_extension<Approx>(a[0], bounds);
}

} // namespace hidet::lang
