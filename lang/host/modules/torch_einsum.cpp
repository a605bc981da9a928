// SPDX-License-Identifier: Apache-2.0
// torch.einsum: operands are contracted from left to right, each pair by one product of matrices, in double (integers in
// 64 bits), and the result is rounded once.
#include <algorithm>
#include <map>

#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/torch_functions.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

// Letters as they are. The dimensions of '...' are those from 256 on, the last one first.
using Labels = std::vector<int>;
constexpr int first_dot = 256;
constexpr std::string_view dots = "...";

struct Term {
    Labels labels; // of the dimensions of the tensor
    TensorRef tensor;
};

bool has(const Labels& labels, int label) {
    return std::ranges::find(labels, label) != labels.end();
}

class Equation {
public:
    Equation(Evaluator& evaluator, Span span) : m_evaluator(evaluator), m_span(span) {}

    TensorRef of(std::string_view text, std::vector<TensorRef> operands) {
        m_evaluator.impl().charge_items(text.size(), m_span);
        std::string equation;
        std::copy_if(text.begin(), text.end(), std::back_inserter(equation), [](char c) { return c != ' '; });
        const std::size_t arrow = equation.find("->");
        read_terms(std::string_view(equation).substr(0, arrow), operands);
        if (arrow == std::string::npos)
            m_out = implied();
        else
            read_result(std::string_view(equation).substr(arrow + 2));
        Term result = contracted(0, m_terms[0]);
        for (std::size_t i = 1; i < m_terms.size(); ++i)
            result = product(result, contracted(i, m_terms[i]), i);
        return arranged(result, m_out);
    }

private:
    [[noreturn]] void wrong(std::string_view what) { fail(DiagId::BadValue, m_span, cat("einsum: ", what)); }

    Labels letters(std::string_view text) {
        Labels out;
        for (char c : text) {
            if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'))
                wrong("an index is a letter, and '...' stands at most once in a term");
            out.push_back(c);
        }
        return out;
    }

    void read_terms(std::string_view text, const std::vector<TensorRef>& operands) {
        const auto terms = static_cast<std::size_t>(std::ranges::count(text, ',')) + 1;
        if (terms != operands.size())
            wrong(cat("the equation is for ", terms, terms == 1 ? " operand" : " operands", ", not for ",
                      operands.size()));
        for (const TensorRef& operand : operands) {
            const std::size_t comma = text.find(',');
            m_terms.push_back({term_labels(text.substr(0, comma), operand->shape), operand});
            text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        }
        for (const Term& term : m_terms)
            for (std::size_t d = 0; d < term.labels.size(); ++d)
                note_extent(term, d);
    }

    Labels term_labels(std::string_view text, const Shape& shape) {
        if (text.size() > shape.size() + dots.size())
            does_not_fit(text, shape);
        const std::size_t at = text.find(dots), after = at == std::string_view::npos ? text.size() : at + dots.size();
        Labels out = letters(text.substr(0, at)), rest = letters(text.substr(after));
        const std::size_t named = out.size() + rest.size();
        if (at == std::string_view::npos ? named != shape.size() : named > shape.size())
            does_not_fit(text, shape);
        for (std::size_t hidden = shape.size() - named; hidden-- > 0;)
            out.push_back(first_dot + static_cast<int>(hidden));
        m_dots = std::max(m_dots, shape.size() - named);
        out.insert(out.end(), rest.begin(), rest.end());
        return out;
    }

    [[noreturn]] void does_not_fit(std::string_view text, const Shape& shape) {
        wrong(cat("'", clipped(text), "' is not for an operand of shape ", shape_text(shape)));
    }

    static std::string clipped(std::string_view text) {
        constexpr std::size_t most = 60;
        return text.size() <= most ? std::string(text) : cat(text.substr(0, most), "…");
    }

    // Extents of 1 are repeated; those of an index that one operand has twice, its diagonal, are equal.
    void note_extent(const Term& term, std::size_t d) {
        const int label = term.labels[d];
        const std::int64_t extent = term.tensor->shape[d];
        for (std::size_t other = 0; other < d; ++other)
            if (term.labels[other] == label && term.tensor->shape[other] != extent)
                disagree(label, term.tensor->shape[other], extent);
        std::int64_t& known = m_extents.try_emplace(label, extent).first->second;
        if (known != extent && known != 1 && extent != 1)
            disagree(label, known, extent);
        known = known == 1 ? extent : known;
    }
    [[noreturn]] void disagree(int label, std::int64_t a, std::int64_t b) {
        const std::string name = label >= first_dot ? std::string(dots) : std::string(1, static_cast<char>(label));
        fail(DiagId::BadShape, m_span, cat("einsum: index '", name, "' has extents ", a, " and ", b));
    }

    Labels all_dots() const {
        Labels out;
        for (std::size_t i = m_dots; i-- > 0;)
            out.push_back(first_dot + static_cast<int>(i));
        return out;
    }

    // Without '->': what '...' stands for, then the letters that appear once.
    Labels implied() const {
        std::map<int, int> times;
        for (const Term& term : m_terms)
            for (int label : term.labels)
                ++times[label];
        Labels out = all_dots();
        for (auto [label, count] : times)
            if (label < first_dot && count == 1)
                out.push_back(label);
        return out;
    }

    void read_result(std::string_view text) {
        const std::size_t at = text.find(dots);
        check_rank(text.size() - (at == std::string_view::npos ? 0 : dots.size()), m_span);
        m_out = letters(text.substr(0, at));
        if (at != std::string_view::npos) {
            const Labels hidden = all_dots(), rest = letters(text.substr(at + dots.size()));
            m_out.insert(m_out.end(), hidden.begin(), hidden.end());
            m_out.insert(m_out.end(), rest.begin(), rest.end());
        }
        check_rank(m_out.size(), m_span);
        for (std::size_t i = 0; i < m_out.size(); ++i) {
            const std::string name(1, static_cast<char>(m_out[i]));
            if (!m_extents.contains(m_out[i]))
                wrong(cat("no operand has the index '", name, "' of the result"));
            if (std::find(m_out.begin(), m_out.begin() + static_cast<std::ptrdiff_t>(i), m_out[i]) !=
                m_out.begin() + static_cast<std::ptrdiff_t>(i))
                wrong(cat("the result has the index '", name, "' twice"));
        }
    }

    bool is_wanted_after(std::size_t term, int label) const {
        if (has(m_out, label))
            return true;
        for (std::size_t i = term + 1; i < m_terms.size(); ++i)
            if (has(m_terms[i].labels, label))
                return true;
        return false;
    }

    // Each index once, and none that neither an operand before nor what comes after needs: those are summed over.
    Term contracted(std::size_t i, const Term& term) {
        m_evaluator.impl().charge_items(m_terms.size() * (term.labels.size() + m_before.size()) * 64, m_span);
        Labels once;
        for (std::size_t d = 0; d < term.labels.size(); ++d) {
            const bool is_repeated = term.tensor->shape[d] == 1 && m_extents[term.labels[d]] != 1;
            if (!is_repeated && !has(once, term.labels[d]))
                once.push_back(term.labels[d]);
        }
        Term out{once, arranged(term, once)};
        std::vector<std::int64_t> summed;
        out.labels.clear();
        for (std::size_t d = 0; d < once.size(); ++d) {
            if (is_wanted_after(i, once[d]) || has(m_before, once[d]))
                out.labels.push_back(once[d]);
            else
                summed.push_back(static_cast<std::int64_t>(d));
        }
        if (!summed.empty())
            out.tensor = tensor_reduce(m_evaluator, out.tensor, Reduction::Sum, summed, false, m_span);
        m_before = out.labels;
        return out;
    }

    Term product(const Term& a, const Term& b, std::size_t i) {
        Labels batch, summed, left, right;
        for (int label : a.labels)
            (!has(b.labels, label) ? left : is_wanted_after(i, label) ? batch : summed).push_back(label);
        for (int label : b.labels)
            if (!has(a.labels, label))
                right.push_back(label);
        const std::int64_t groups = extent_of(batch), depth = extent_of(summed), rows = extent_of(left),
                           columns = extent_of(right);
        TensorRef x = view_of(arranged(a, joined({batch, left, summed})), {groups, rows, depth});
        TensorRef y = view_of(arranged(b, joined({batch, summed, right})), {groups, depth, columns});
        Term out{joined({batch, left, right}), {}};
        Shape shape = transformed(out.labels, [&](int label) { return m_extents.at(label); });
        check_rank(shape.size(), m_span);
        out.tensor = view_of(tensor_matmul(m_evaluator, x, y, m_span), shape);
        m_before = out.labels;
        return out;
    }

    static Labels joined(std::initializer_list<Labels> parts) {
        Labels out;
        for (const Labels& part : parts)
            out.insert(out.end(), part.begin(), part.end());
        return out;
    }

    std::int64_t extent_of(const Labels& labels) {
        std::int64_t extent = 1;
        for (int label : labels)
            if (__builtin_mul_overflow(extent, m_extents.at(label), &extent))
                wrong("the operands have more elements than can be counted");
        return extent;
    }

    // The dimensions in another order; those of an index that stands there twice become its diagonal.
    TensorRef arranged(const Term& term, const Labels& order) {
        if (term.labels == order)
            return term.tensor;
        Shape shape, steps;
        for (int label : order) {
            std::uint64_t stride = 1, step = 0;
            for (std::size_t d = term.labels.size(); d-- > 0;
                 stride *= static_cast<std::uint64_t>(term.tensor->shape[d]))
                step += term.labels[d] == label ? stride : 0;
            shape.push_back(m_extents.at(label));
            steps.push_back(static_cast<std::int64_t>(step));
        }
        return strided_copy(m_evaluator, term.tensor, shape, steps, m_span);
    }

    Evaluator& m_evaluator;
    Span m_span;
    std::vector<Term> m_terms;
    std::map<int, std::int64_t> m_extents;
    std::size_t m_dots = 0; // the most dimensions that '...' stands for in a term
    Labels m_out;
    Labels m_before; // of what the operands so far have become
};

} // namespace

Value torch_einsum(Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    const std::string& equation = a.str(0);
    evaluator.impl().charge_items(equation.size(), span);
    std::vector<Value> given = a.rest();
    if (given.size() == 1 && !given[0].is(ValueKind::Tensor))
        given = evaluator.iterate(given[0], span);
    std::vector<TensorRef> operands;
    for (const Value& value : given) {
        want_known(value);
        if (!value.is(ValueKind::Tensor))
            fail(DiagId::WrongArgumentType, span, "einsum", "tensors", "operands", type_name(value));
        operands.push_back(value.as_tensor());
    }
    if (operands.empty())
        fail(DiagId::MissingArgument, span, "einsum", "operands");
    constexpr std::size_t most = 64; // of operands: each may look at all that follow
    if (operands.size() > most)
        fail(DiagId::BadValue, span, cat("einsum: at most ", most, " operands are taken, not ", operands.size()));
    const TensorKind kind = kind_of(*operands[0]);
    TensorKind wide = kind;
    wide.dtype = ir::is_float(kind.dtype) ? ir::DType::F64 : ir::DType::I64;
    for (TensorRef& operand : operands) {
        if (operand->dtype != kind.dtype)
            fail(DiagId::DTypeMismatch, span, "einsum", ir::info(kind.dtype).name, ir::info(operand->dtype).name);
        if (operand->device != kind.device)
            fail(DiagId::DeviceMismatch, span, "einsum", device_name(kind.device), device_name(operand->device));
        operand = converted(evaluator, operand, wide, span);
    }
    return Value::tensor(converted(evaluator, Equation(evaluator, span).of(equation, std::move(operands)), kind, span));
}

} // namespace hidet::lang
