// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/question.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "lang/base/text.h"

namespace hidet::compiler::prove {

namespace {

std::string number_text(std::int64_t value) {
    if (value >= 0)
        return cat(value);
    const std::string digits = cat(value);
    return cat("(- ", digits.substr(1), ")");
}

// Each term that is no leaf is a definition, so that what is shared is said once.
class QuestionWriter {
public:
    std::string write(const std::vector<Term>& conditions) {
        std::string asserts;
        for (Term condition : conditions)
            asserts += cat("(assert ", name_of(condition), ")\n");
        while (!m_given.empty()) { // what is given may name more
            const std::vector<Term> given = std::exchange(m_given, {});
            for (Term condition : given)
                asserts += cat("(assert ", name_of(condition), ")\n");
        }
        asserts += facts_of_quotients();
        // Of a solver's own choice of tactics, some give up by the clock, and the answer would depend on the machine's load.
        std::string out = m_declared + m_defined + asserts + "(check-sat-using smt)\n";
        if (m_symbols.empty())
            return out;
        out += "(get-value (";
        for (Term symbol : m_symbols)
            out += cat(name_of(symbol), " ");
        out.back() = ')';
        return out + ")\n";
    }
    const std::vector<Term>& symbols() const { return m_symbols; }

private:
    std::string name_of(Term term) {
        if (term->kind == TermKind::Constant)
            return term->is_condition ? (term->value ? "true" : "false") : number_text(term->value);
        const std::string name = cat(term->kind == TermKind::Symbol ? "s" : "t", term->id);
        if (!m_known.insert(term).second)
            return name;
        const char* sort = term->is_condition ? "Bool" : "Int";
        if (term->kind == TermKind::Symbol) {
            m_declared += cat("(declare-const ", name, " ", sort, ")\n");
            m_symbols.push_back(term);
        } else {
            const std::string value = value_of(term); // defines what it is made of, first
            m_defined += cat("(define-fun ", name, " () ", sort, " ", value, ")\n");
        }
        if (term->given)
            m_given.push_back(term->given);
        if (term->kind == TermKind::Product)
            m_products.push_back(term);
        if (term->kind == TermKind::Quotient && term->args[1]->kind != TermKind::Constant)
            m_quotients.push_back(term);
        return name;
    }
    std::string call(const char* what, Term term) {
        std::string out = cat("(", what);
        for (Term arg : term->args)
            out += cat(" ", name_of(arg));
        return out + ")";
    }
    std::string value_of(Term term) {
        switch (term->kind) {
        case TermKind::Constant:
        case TermKind::Symbol: return name_of(term);
        case TermKind::Sum: {
            std::string out = cat("(+ ", number_text(term->value));
            for (std::size_t i = 0; i < term->args.size(); ++i)
                out += term->factors[i] == 1
                           ? cat(" ", name_of(term->args[i]))
                           : cat(" (* ", number_text(term->factors[i]), " ", name_of(term->args[i]), ")");
            return out + ")";
        }
        case TermKind::Product: return call("*", term);
        case TermKind::Quotient: return call("div", term);
        case TermKind::Remainder: return call("mod", term);
        case TermKind::Less: return call("<", term);
        case TermKind::Equal: return call("=", term);
        case TermKind::Not: return call("not", term);
        case TermKind::And: return call("and", term);
        case TermKind::Or: return call("or", term);
        case TermKind::Choose: return call("ite", term);
        case TermKind::Apply: return call(function_of(term).c_str(), term);
        }
        return "";
    }
    // What a solver does not find by itself of quotients by what is no constant: between which products of the divisor the
    // number lies, and that it stays below x where that is below x times the divisor.
    std::string facts_of_quotients() {
        std::string out;
        const std::vector<Term> products(m_products);
        for (Term quotient : m_quotients) {
            const std::string q = name_of(quotient), a = name_of(quotient->args[0]), b = name_of(quotient->args[1]);
            out += cat("(assert (=> (> ", b, " 0) (and (<= (* ", q, " ", b, ") ", a, ") (< ", a, " (+ (* ", q, " ", b,
                       ") ", b, ")))))\n");
            for (Term product : products)
                for (const std::size_t i : {0, 1})
                    if (product->args[i] == quotient->args[1])
                        out += cat("(assert (=> (and (> ", b, " 0) (< ", a, " ", name_of(product), ")) (< ", q, " ",
                                   name_of(product->args[1 - i]), ")))\n");
        }
        return out;
    }
    std::string function_of(Term term) {
        const std::string key = cat(term->name, "/", term->args.size());
        const auto [at, is_new] = m_functions.try_emplace(key, cat("f", m_functions.size()));
        if (is_new) {
            std::string sorts;
            for (Term arg : term->args)
                sorts += arg->is_condition ? "Bool " : "Int ";
            m_declared +=
                cat("(declare-fun ", at->second, " (", sorts, ") ", term->is_condition ? "Bool" : "Int", ")\n");
        }
        return at->second;
    }

    std::string m_declared, m_defined;
    std::set<Term> m_known;
    std::vector<Term> m_symbols, m_given, m_products, m_quotients;
    std::map<std::string, std::string> m_functions;
};

// "sat ((s1 5) (s7 (- 3)) (s9 true))": numbers and truths, in the order in which they were asked for.
std::vector<std::int64_t> values_in(std::string_view text) {
    std::vector<std::int64_t> out;
    std::size_t at = 0;
    while ((at = text.find("(s", at)) != std::string_view::npos) {
        at = text.find(' ', at);
        if (at == std::string_view::npos)
            break;
        while (at < text.size() && (text[at] == ' ' || text[at] == '(' || text[at] == '\n'))
            ++at;
        const bool is_negative = text.substr(at, 1) == "-";
        while (at < text.size() && (text[at] == '-' || text[at] == ' '))
            ++at;
        std::int64_t value = text.substr(at, 4) == "true" ? 1 : 0;
        std::from_chars(text.data() + at, text.data() + text.size(), value);
        out.push_back(is_negative ? -value : value);
    }
    return out;
}

// Why an example may be none: the first of what is in the question that stands for less than any number.
std::string doubt_in(const std::vector<Term>& conditions) {
    std::vector<Term> left(conditions.rbegin(), conditions.rend());
    std::set<Term> seen;
    while (!left.empty()) {
        const Term term = left.back();
        left.pop_back();
        if (!seen.insert(term).second)
            continue;
        if (!term->why.empty())
            return term->why;
        left.insert(left.end(), term->args.rbegin(), term->args.rend());
    }
    return "";
}

} // namespace

std::string question_text(const std::vector<Term>& conditions, std::vector<Term>& symbols) {
    QuestionWriter writer;
    std::string out = writer.write(conditions);
    symbols = writer.symbols();
    return out;
}

Answer ask(const Ask& solver, const std::vector<Term>& conditions) {
    if (std::ranges::any_of(conditions, is_false))
        return {Can::No, {}, {}};
    std::vector<Term> symbols;
    const std::string found = solver(question_text(conditions, symbols));
    if (found.starts_with("unsat"))
        return {Can::No, {}, {}};
    if (!found.starts_with("sat"))
        return {};
    Answer out{Can::Yes, {}, doubt_in({conditions.back()})};
    const std::vector<std::int64_t> values = values_in(found);
    for (std::size_t i = 0; i < std::min(values.size(), symbols.size()); ++i)
        out.example[symbols[i]] = values[i];
    return out;
}

std::int64_t value_in(const Answer& answer, Term term) {
    const auto arg = [&](std::size_t i) { return value_in(answer, term->args[i]); };
    const auto floored = [](std::int64_t a, std::int64_t b) {
        return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    };
    switch (term->kind) {
    case TermKind::Constant: return term->value;
    case TermKind::Symbol: {
        const auto at = answer.example.find(term);
        return at == answer.example.end() ? 0 : at->second;
    }
    case TermKind::Sum: {
        std::int64_t out = term->value;
        for (std::size_t i = 0; i < term->args.size(); ++i)
            out += term->factors[i] * arg(i);
        return out;
    }
    case TermKind::Product: return arg(0) * arg(1);
    case TermKind::Quotient: return floored(arg(0), arg(1));
    case TermKind::Remainder: return arg(0) - floored(arg(0), arg(1)) * arg(1);
    case TermKind::Less: return arg(0) < arg(1);
    case TermKind::Equal: return arg(0) == arg(1);
    case TermKind::Not: return !arg(0);
    case TermKind::And: return arg(0) && arg(1);
    case TermKind::Or:
        for (std::size_t i = 0; i < term->args.size(); ++i)
            if (arg(i))
                return 1;
        return 0;
    case TermKind::Choose: return arg(0) ? arg(1) : arg(2);
    case TermKind::Apply: return 0;
    }
    return 0;
}

} // namespace hidet::compiler::prove
