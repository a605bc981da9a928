// SPDX-License-Identifier: Apache-2.0
#include "lang/tensor/close.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "lang/tensor/whole.h"

namespace hidet::lang {

Tolerance default_tolerance(ir::DType a, ir::DType b) {
    auto of = [](ir::DType dtype) -> Tolerance {
        switch (dtype) {
        case ir::DType::F16: return {1e-3, 1e-5, false};
        case ir::DType::BF16: return {1.6e-2, 1e-5, false};
        case ir::DType::F32:
        case ir::DType::TF32: return {1.3e-6, 1e-5, false};
        case ir::DType::F64: return {1e-7, 1e-7, false};
        case ir::DType::F8E4M3:
        case ir::DType::F8E5M2: return {0.125, 1e-2, false};
        default: return {0, 0, false};
        }
    };
    Tolerance x = of(a), y = of(b);
    return {std::max(x.relative, y.relative), std::max(x.absolute, y.absolute), false};
}

static std::string place_of(std::int64_t index, const Shape& shape) {
    Shape place(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        place[d] = index % shape[d];
        index /= shape[d];
    }
    return shape_text(place);
}

static std::string number(double value) {
    return shortest(value);
}

static std::string brief(double value) {
    return digits_text(value, 4);
}

static std::string exact(double value, ir::DType dtype) {
    if (!ir::is_float(dtype) && std::fabs(value) < 0x1p53)
        return cat(static_cast<std::int64_t>(value));
    return dtype == ir::DType::F64 ? shortest(value) : shortest_float(static_cast<float>(value));
}

std::pair<std::string, std::string> told_apart(double a, double b, ir::DType dtype) {
    if (ir::is_float(dtype) && brief(a) != brief(b))
        return {brief(a), brief(b)};
    return {exact(a, dtype), exact(b, dtype)};
}

std::string difference_of(const Tensor& actual, const Tensor& expected, Tolerance tolerance) {
    Doubles a = read_doubles(actual), b = read_doubles(expected), exact;
    bool are_wholes = !ir::is_float(actual.dtype) && !ir::is_float(expected.dtype);
    if (are_wholes) { // of 64 bits, which doubles do not hold
        Integers x = read_integers(actual), y = read_integers(expected);
        for (std::size_t i = 0; i < x.size(); ++i)
            exact.push_back(distance(whole_of(x[i], actual.dtype), whole_of(y[i], expected.dtype)));
    }
    auto apart_at = [&](std::size_t i) { return are_wholes ? exact[i] : a[i] == b[i] ? 0.0 : std::fabs(a[i] - b[i]); };
    std::int64_t wrong = 0, worst = 0, worst_relative = 0;
    double difference = -1, relative = -1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        bool nan = std::isnan(a[i]) || std::isnan(b[i]);
        bool close =
            apart_at(i) == 0 || (tolerance.equal_nan && std::isnan(a[i]) && std::isnan(b[i])) ||
            (!nan && std::isfinite(b[i]) && apart_at(i) <= tolerance.absolute + tolerance.relative * std::fabs(b[i]));
        wrong += close ? 0 : 1;
        double apart = nan ? (close ? 0 : INFINITY) : apart_at(i);
        double ratio = apart == 0 ? 0 : b[i] == 0 ? INFINITY : apart / std::fabs(b[i]);
        if (apart > difference) {
            difference = apart;
            worst = static_cast<std::int64_t>(i);
        }
        if (ratio > relative) {
            relative = ratio;
            worst_relative = static_cast<std::int64_t>(i);
        }
    }
    if (wrong == 0)
        return "";
    double percent = 100.0 * static_cast<double>(wrong) / static_cast<double>(a.size());
    char share[32];
    std::snprintf(share, sizeof share, "%.1f", percent);
    auto at = static_cast<std::size_t>(worst);
    std::string where = actual.shape.empty() ? "" : cat(" at ", place_of(worst, actual.shape));
    std::string where_relative = actual.shape.empty() ? "" : cat(" at ", place_of(worst_relative, actual.shape));
    auto [got, wanted] = told_apart(a[at], b[at], ir::is_float(actual.dtype) ? actual.dtype : expected.dtype);
    if (are_wholes && got == wanted) {
        got = text_of(whole_of(element_integer(actual, worst), actual.dtype));
        wanted = text_of(whole_of(element_integer(expected, worst), expected.dtype));
    }
    return cat("tensors are not close: ", wrong, " of ", a.size(), " elements differ (", share, " %); worst", where,
               ": got ", got, ", expected ", wanted, "; greatest absolute difference ", brief(difference),
               " (tolerance ", number(tolerance.absolute), "), greatest relative difference ", brief(relative),
               where_relative, " (tolerance ", number(tolerance.relative), ")");
}

} // namespace hidet::lang
