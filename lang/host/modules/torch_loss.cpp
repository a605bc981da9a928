// SPDX-License-Identifier: Apache-2.0
// torch.nn.functional.cross_entropy: of classes by their numbers, or by their probabilities.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lang/host/arguments.h"
#include "lang/host/modules/torch_functions.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/tensors/tensor_selection.h"

namespace hidet::lang {

namespace {

struct Loss {
    Doubles weight; // of each class
    double smoothing = 0;
    std::int64_t ignored = -100;
    double divisor = 0; // of the mean: the weights of all targets, or their number
};

// Logarithms of the softmax, in place: one line holds the scores of one place for all classes.
void log_softmax(Doubles& values, const Lines& lines) {
    for (std::size_t line = 0; line < lines.count; ++line) {
        double* x = values.data() + lines.first(line);
        double greatest = -std::numeric_limits<double>::infinity(), total = 0;
        for (std::size_t i = 0; i < lines.extent; ++i)
            greatest = std::max(greatest, x[i * lines.stride]);
        for (std::size_t i = 0; i < lines.extent; ++i)
            total += std::exp(x[i * lines.stride] - greatest);
        for (std::size_t i = 0; i < lines.extent; ++i)
            x[i * lines.stride] -= greatest + std::log(total);
    }
}

Doubles losses_of_numbers(const Doubles& logs, const Lines& lines, const Integers& targets, Loss& loss, Span span) {
    Doubles out(targets.size());
    for (std::size_t line = 0; line < targets.size(); ++line) {
        const std::int64_t target = targets[line];
        if (target == loss.ignored)
            continue;
        if (target < 0 || target >= static_cast<std::int64_t>(lines.extent))
            fail(DiagId::IndexOutOfRange, span, "class", target, lines.extent);
        const double* x = logs.data() + lines.first(line);
        const auto chosen = static_cast<std::size_t>(target);
        double all = 0;
        for (std::size_t c = 0; c < lines.extent && loss.smoothing != 0; ++c)
            all -= x[c * lines.stride] * loss.weight[c];
        out[line] = -(1 - loss.smoothing) * x[chosen * lines.stride] * loss.weight[chosen] +
                    loss.smoothing / static_cast<double>(lines.extent) * all;
        loss.divisor += loss.weight[chosen];
    }
    return out;
}

Doubles losses_of_probabilities(const Doubles& logs, const Lines& lines, const Doubles& targets, Loss& loss) {
    Doubles out(lines.count);
    for (std::size_t line = 0; line < out.size(); ++line) {
        for (std::size_t c = 0; c < lines.extent; ++c) {
            const std::size_t i = lines.first(line) + c * lines.stride;
            const double target =
                targets[i] * (1 - loss.smoothing) + loss.smoothing / static_cast<double>(lines.extent);
            out[line] -= logs[i] * target * loss.weight[c];
        }
    }
    loss.divisor = static_cast<double>(out.size());
    return out;
}

const TensorRef& target_argument(const Arguments& a, const Tensor& scores, Shape places) {
    const TensorRef& target = tensor_argument(a, 1);
    const bool is_number = target->dtype == ir::DType::I64;
    if (!is_number && !ir::is_float(target->dtype))
        fail(DiagId::BadType, a.span(1),
             cat("targets are a tensor of int64 or of floats, not of ", ir::info(target->dtype).name));
    if (target->shape != (is_number ? places : scores.shape))
        fail(DiagId::ShapeMismatch, a.span(1), "cross_entropy", shape_text(scores.shape), shape_text(target->shape));
    return target;
}

} // namespace

Value torch_cross_entropy(Evaluator& evaluator, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef& scores = tensor_argument(a, 0);
    if (!ir::is_float(scores->dtype) || scores->shape.empty())
        fail(DiagId::BadType, a.span(0), "cross_entropy() wants floats in at least one dimension");
    const std::size_t dim = scores->shape.size() > 1 ? 1 : 0; // of the classes: the second, or the only one
    Shape places = scores->shape;
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(dim));
    const TensorRef& target = target_argument(a, *scores, places);
    const std::string reduction = a.str(6, "mean");
    if (reduction != "mean" && reduction != "sum" && reduction != "none")
        fail(DiagId::BadValue, a.span(6), cat("reduction is 'mean', 'sum' or 'none', not '", reduction, "'"));
    Loss loss;
    loss.smoothing = a.real(7, 0);
    loss.ignored = a.integer(4, -100);
    if (!(loss.smoothing >= 0 && loss.smoothing <= 1))
        fail(DiagId::BadValue, a.span(7), "label_smoothing lies between 0 and 1");
    const TensorRef weight = a.has(2) ? tensor_argument(a, 2) : TensorRef();
    if (weight && weight->shape != Shape{scores->shape[dim]})
        fail(DiagId::ShapeMismatch, a.span(2), "cross_entropy", shape_text(scores->shape), shape_text(weight->shape));
    TensorRef out = new_tensor(evaluator, reduction == "none" ? places : Shape{}, kind_of(*scores), span);
    if (!scores->has_data() || !target->has_data() || (weight && !weight->has_data()))
        return Value::tensor(without_data(out));
    charge_elements(evaluator, 8 * scores->count(), span);
    charge_elements(evaluator, target->count(), span);
    const Lines lines(scores->shape, dim);
    Doubles logs = read_doubles(*scores);
    log_softmax(logs, lines);
    loss.weight = weight ? read_doubles(*weight) : Doubles(lines.count == 0 ? 0 : lines.extent, 1);
    Doubles values = ir::is_float(target->dtype)
                         ? losses_of_probabilities(logs, lines, read_doubles(*target), loss)
                         : losses_of_numbers(logs, lines, read_integers(*target), loss, a.span(1));
    if (reduction != "none") {
        double total = 0;
        for (double value : values)
            total += value;
        values = {reduction == "mean" ? total / loss.divisor : total};
    }
    write_doubles(*out, values);
    return Value::tensor(out);
}

} // namespace hidet::lang
