// SPDX-License-Identifier: Apache-2.0
// Tensors as text: a line about the tensor and the numbers as NumPy writes them; torch tensors as PyTorch does.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "lang/host/tensors/tensor_ops.h"
#include "lang/tensor/whole.h"

namespace hidet::lang {

namespace {

constexpr std::int64_t summarize_above = 1000;
constexpr std::int64_t edge_items = 3;

// The indices along one dimension that are shown; -1 stands for the dots.
std::vector<std::int64_t> shown_indices(std::int64_t extent, bool summarize) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < extent; ++i) {
        if (summarize && extent > 2 * edge_items && i == edge_items) {
            out.push_back(-1);
            i = extent - edge_items;
        }
        out.push_back(i);
    }
    return out;
}

template <class F>
void for_each_shown(const Shape& shape, bool summarize, std::size_t dim, std::int64_t base, F&& f) {
    if (dim == shape.size()) {
        f(base);
        return;
    }
    std::int64_t stride = 1;
    for (std::size_t d = dim + 1; d < shape.size(); ++d)
        stride *= shape[d];
    for (std::int64_t i : shown_indices(shape[dim], summarize))
        if (i >= 0)
            for_each_shown(shape, summarize, dim + 1, base + i * stride, f);
}

std::string with_printf(const char* format, int precision, double value) {
    char text[400];
    std::snprintf(text, sizeof text, format, precision, value);
    return text;
}

std::string trimmed_zeros(std::string text) { // 1.500 -> 1.5, 2.000 -> 2.
    while (text.back() == '0')
        text.pop_back();
    return text;
}

// The fewest digits that read back as the same element, in scientific notation: "1.25e-01".
std::string shortest_scientific(double value, ir::DType dtype) {
    char text[64];
    if (dtype == ir::DType::F64 || dtype == ir::DType::F32) {
        char* end =
            dtype == ir::DType::F64
                ? std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr
                : std::to_chars(text, text + sizeof text, static_cast<float>(value), std::chars_format::scientific).ptr;
        return {text, end};
    }
    for (int digits = 0; digits < 17; ++digits) {
        std::string candidate = with_printf("%.*e", digits, value);
        if (ir::round_to(std::strtod(candidate.c_str(), nullptr), dtype) == value)
            return candidate;
    }
    return with_printf("%.*e", 16, value);
}

int digits_after_point(const std::string& scientific) {
    std::size_t e = scientific.find('e');
    int digits = static_cast<int>(e) - 1 - (scientific[0] == '-' ? 1 : 0);
    return std::max(digits > 0 ? digits - 1 : 0, 0);
}

std::string shortest_fixed(double value, ir::DType dtype) { // at most 8 digits after the point, at least the point
    std::string scientific = shortest_scientific(value, dtype);
    int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
    int digits = std::clamp(digits_after_point(scientific) - exponent, 0, 8);
    std::string text = with_printf("%.*f", digits, value);
    return digits == 0 ? text + "." : trimmed_zeros(text);
}

struct Style {
    std::string separator; // between elements
    std::size_t line_width;
    std::size_t indent; // of continuation lines, before the brackets
    bool torch = false;
};

// Elements as text of one width, then the brackets around them.
class Layouter {
public:
    Layouter(const Shape& shape, bool summarize, Style style, std::function<std::string(std::int64_t)> element)
        : m_shape(shape), m_summarize(summarize), m_style(std::move(style)), m_element(std::move(element)) {}

    std::string run() {
        std::string out;
        write(out, 0, 0);
        return out;
    }

private:
    void write(std::string& out, std::size_t dim, std::int64_t base) {
        if (m_shape.empty()) {
            out += m_element(0);
            return;
        }
        std::int64_t stride = 1;
        for (std::size_t d = dim + 1; d < m_shape.size(); ++d)
            stride *= m_shape[d];
        std::vector<std::int64_t> indices = shown_indices(m_shape[dim], m_summarize);
        std::string blanks(m_style.indent + dim + 1, ' ');
        out += '[';
        if (dim + 1 == m_shape.size()) {
            row(out, indices, base, blanks);
        } else {
            std::string between = (m_style.torch ? "," : "") + std::string(m_shape.size() - 1 - dim, '\n') + blanks;
            for (std::size_t i = 0; i < indices.size(); ++i) {
                if (i > 0)
                    out += between;
                if (indices[i] < 0)
                    out += "...";
                else
                    write(out, dim + 1, base + indices[i] * stride);
            }
        }
        out += ']';
    }

    void row(std::string& out, const std::vector<std::int64_t>& indices, std::int64_t base, const std::string& blanks) {
        std::size_t width = blanks.size();
        bool first_in_line = true;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            std::string text = indices[i] < 0 ? (m_style.torch ? " ..." : "...") : m_element(base + indices[i]);
            std::size_t closing = i + 1 == indices.size() && !m_style.torch ? m_shape.size() : 1;
            if (!first_in_line && width + m_style.separator.size() + text.size() + closing > m_style.line_width) {
                std::string separator = m_style.separator;
                while (separator.ends_with(' '))
                    separator.pop_back();
                out += separator + "\n" + blanks;
                width = blanks.size();
                first_in_line = true;
            }
            if (!first_in_line) {
                out += m_style.separator;
                width += m_style.separator.size();
            }
            out += text;
            width += text.size();
            first_in_line = false;
        }
    }

    const Shape& m_shape;
    bool m_summarize;
    Style m_style;
    std::function<std::string(std::int64_t)> m_element;
};

std::string padded(const std::string& text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string not_finite(double value) {
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

// NumPy's choice: as many digits as needed, at most 8, or scientific notation for very large, small or spread values.
std::function<std::string(std::int64_t)> numpy_floats(const Tensor& tensor, const std::vector<std::int64_t>& shown) {
    double largest = 0, smallest = 0;
    for (std::int64_t i : shown) {
        double x = std::fabs(element_double(tensor, i));
        if (!std::isfinite(x) || x == 0)
            continue;
        largest = std::max(largest, x);
        smallest = smallest == 0 ? x : std::min(smallest, x);
    }
    bool scientific = largest >= 1e8 || (smallest > 0 && (smallest < 1e-4 || largest / smallest > 1000));
    std::size_t left = 0, right = 0;
    int digits = 0;
    std::vector<std::pair<std::int64_t, std::string>> texts;
    for (std::int64_t i : shown) {
        double x = element_double(tensor, i);
        if (std::isfinite(x) && scientific)
            digits = std::max(digits, std::min(digits_after_point(shortest_scientific(x, tensor.dtype)), 8));
    }
    auto text_of = [&tensor, scientific](double x, int digits) {
        return scientific ? with_printf(digits == 0 ? "%#.*e" : "%.*e", digits, x) : shortest_fixed(x, tensor.dtype);
    };
    std::size_t whole_width = 0;
    for (std::int64_t i : shown) {
        double x = element_double(tensor, i);
        if (!std::isfinite(x)) {
            whole_width = std::max(whole_width, not_finite(x).size());
            continue;
        }
        std::string text = text_of(x, digits);
        std::size_t point = std::min(text.find('.'), text.size());
        left = std::max(left, point);
        right = std::max(right, text.size() - point);
    }
    std::size_t width = std::max(left + right, whole_width);
    left = width - right;
    return [&tensor, text_of, left, width, digits](std::int64_t i) {
        double x = element_double(tensor, i);
        if (!std::isfinite(x))
            return padded(not_finite(x), width);
        std::string text = text_of(x, digits);
        text = padded(text, left + text.size() - std::min(text.find('.'), text.size()));
        return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
    };
}

// PyTorch's choice: 4 digits, none when all are whole numbers, scientific for very large, small or spread values.
std::function<std::string(std::int64_t)> torch_floats(const Tensor& tensor, const std::vector<std::int64_t>& shown) {
    double largest = 0, smallest = 0;
    bool whole = true;
    for (std::int64_t i : shown) {
        double x = std::fabs(element_double(tensor, i));
        if (!std::isfinite(x) || x == 0)
            continue;
        whole = whole && x == std::ceil(x);
        largest = std::max(largest, x);
        smallest = smallest == 0 ? x : std::min(smallest, x);
    }
    bool scientific = smallest > 0 && (largest / smallest > 1000 || largest > 1e8 || (!whole && smallest < 1e-4));
    auto text_of = [scientific, whole](double x) {
        if (!std::isfinite(x))
            return not_finite(x);
        if (scientific)
            return with_printf("%.*e", 4, x);
        return whole ? with_printf("%.*f", 0, x) + "." : with_printf("%.*f", 4, x);
    };
    std::size_t width = 1;
    for (std::int64_t i : shown)
        if (double x = element_double(tensor, i); std::isfinite(x) && x != 0)
            width = std::max(width, text_of(x).size());
    return [&tensor, text_of, width](std::int64_t i) { return padded(text_of(element_double(tensor, i)), width); };
}

std::function<std::string(std::int64_t)> integers(const Tensor& tensor, const std::vector<std::int64_t>& shown) {
    bool is_bool = tensor.dtype == ir::DType::Bool;
    auto text_of = [&tensor, is_bool](std::int64_t i) {
        std::int64_t value = element_integer(tensor, i);
        if (is_bool)
            return std::string(value ? "True" : "False");
        return lang::text_of(whole_of(value, tensor.dtype));
    };
    std::size_t width = 0;
    for (std::int64_t i : shown)
        width = std::max(width, text_of(i).size());
    return [text_of, width](std::int64_t i) { return padded(text_of(i), width); };
}

std::string numbers(const Tensor& tensor, Style style) {
    bool summarize = tensor.count() > summarize_above;
    std::vector<std::int64_t> shown;
    for_each_shown(tensor.shape, summarize, 0, 0, [&](std::int64_t i) { shown.push_back(i); });
    if (tensor.count() == 0)
        return "[]";
    auto element = !ir::is_float(tensor.dtype) ? integers(tensor, shown)
                   : style.torch               ? torch_floats(tensor, shown)
                                               : numpy_floats(tensor, shown);
    std::string text = Layouter(tensor.shape, summarize, style, element).run();
    if (tensor.shape.empty()) { // no brackets, no padding
        std::size_t begin = text.find_first_not_of(' ');
        return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
    }
    return text;
}

} // namespace

std::string tensor_signature(const Tensor& tensor) {
    return cat("Tensor(shape=", shape_text(tensor.shape), ", dtype='", ir::info(tensor.dtype).name, "', device='",
               device_name(tensor.device), "')");
}

std::string tensor_text(const TensorRef& tensor) {
    if (!tensor->has_data() || !holds_values(tensor->dtype))
        return tensor_signature(*tensor);
    if (!tensor->is_torch)
        return tensor_signature(*tensor) + "\n" + numbers(*tensor, {" ", 75, 0, false});
    std::string out = "tensor(" + numbers(*tensor, {", ", 80, 7, true});
    if (tensor->count() == 0 && tensor->shape.size() != 1)
        out += ", size=" + shape_text(tensor->shape);
    if (tensor->device == Device::Cuda)
        out += ", device='cuda:0'";
    bool plain = tensor->dtype == ir::DType::F32 || tensor->dtype == ir::DType::I64 || tensor->dtype == ir::DType::Bool;
    if (!plain)
        out += cat(", dtype=torch.", ir::info(tensor->dtype).name);
    return out + ")";
}

} // namespace hidet::lang
