// SPDX-License-Identifier: Apache-2.0
// Resizing, as ONNX defines it, of any dimensions at once: every element of the result is a sum over a few taps along each
// of them. Coordinates are computed in f32, step by step as runtimes do: where one falls between two elements, or on one,
// rounding decides which is the nearest. 17 / 1.7 is 10 in f32, and 9.9999997 when the scale alone has been rounded to f32.
#include <algorithm>
#include <cmath>

#include "compiler/graph/ops/contraction/window.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

constexpr ir::DType coordinate_type = ir::DType::F32;

Expr real(double value) {
    return number(value, coordinate_type);
}
Expr real(const Expr& index) {
    return ir::cast_to(index, coordinate_type);
}
Expr as_integer(const Expr& value) {
    return ir::cast_to(value, ir::DType::I64);
}

enum class Mode : std::uint8_t { Nearest, Linear, Cubic };

// One dimension that changes.
struct Axis {
    std::size_t dimension = 0;
    Dim in;
    Dim out;
    Expr scale;
    Expr length; // of the result before rounding: in * scale
    double roi_start = 0;
    double roi_end = 1;
    double shrink = 1;      // what widens the taps when anti-aliased
    std::int64_t first = 0; // tap, from the one at or below the coordinate
    std::int64_t taps = 1;
    ir::VarRef places;  // of taps in the input, [out, taps]
    ir::VarRef weights; // [out, taps]
};

struct Resizing {
    Mode mode = Mode::Nearest;
    std::string transformation;
    std::string rounding;
    double cubic_coeff = -0.75;
    double extrapolation = 0;
    bool exclude_outside = false;
    bool antialias = false;
    std::vector<Axis> axes;
    Shape shape; // of the result

    Expr coordinate(const Axis& axis, const Expr& position) const;
    Expr nearest(const Axis& axis, const Expr& position) const;
    Expr tap_index(const Axis& axis, const Expr& position, const Expr& tap) const; // may be outside
    Expr weight(const Axis& axis, const Expr& position, const Expr& tap) const;    // before division by the total
    bool crops() const { return transformation == "tf_crop_and_resize"; }
};

Expr Resizing::coordinate(const Axis& axis, const Expr& position) const {
    const Expr x = real(position);
    const auto halves = [&] { return ir::sub(ir::div(ir::add(x, real(0.5)), axis.scale), real(0.5)); };
    const Expr is_single = ir::less_equal(axis.length, real(1));
    const Expr last = real(ir::sub(axis.in, dim(1)));
    const Expr steps = ir::select(is_single, real(1), ir::sub(axis.length, real(1)));
    if (transformation == "asymmetric")
        return ir::div(x, axis.scale);
    if (transformation == "tf_half_pixel_for_nn")
        return ir::div(ir::add(x, real(0.5)), axis.scale);
    if (transformation == "align_corners")
        return ir::select(is_single, real(0), ir::div(ir::mul(x, last), steps));
    if (transformation == "pytorch_half_pixel")
        return ir::select(is_single, real(0), halves());
    if (transformation == "half_pixel_symmetric") {
        const Expr adjustment = ir::div(real(axis.out), axis.length);
        const Expr offset = ir::mul(ir::mul(real(axis.in), real(0.5)), ir::sub(real(1), adjustment));
        return ir::add(offset, halves());
    }
    if (crops()) {
        const Expr span = ir::mul(real(axis.roi_end - axis.roi_start), last);
        const Expr inner = ir::select(is_single, ir::mul(span, real(0.5)), ir::div(ir::mul(x, span), steps));
        return ir::add(inner, ir::mul(real(axis.roi_start), last));
    }
    return halves();
}

Expr Resizing::nearest(const Axis& axis, const Expr& position) const {
    const Expr x = coordinate(axis, position);
    if (rounding == "floor")
        return as_integer(floor_of(x));
    if (rounding == "ceil")
        return as_integer(ceil_of(x));
    if (rounding == "round_prefer_ceil")
        return as_integer(floor_of(ir::add(x, real(0.5))));
    return as_integer(ceil_of(ir::sub(x, real(0.5))));
}

Expr Resizing::tap_index(const Axis& axis, const Expr& position, const Expr& tap) const {
    return ir::add(as_integer(floor_of(coordinate(axis, position))), ir::add(tap, dim(axis.first)));
}

Expr Resizing::weight(const Axis& axis, const Expr& position, const Expr& tap) const {
    const Expr x = coordinate(axis, position);
    const Expr distance =
        abs_of(ir::mul(ir::sub(real(ir::add(tap, dim(axis.first))), ir::sub(x, floor_of(x))), real(axis.shrink)));
    Expr value;
    if (mode == Mode::Linear) {
        const Expr slope = ir::sub(real(1), distance);
        value = ir::select(ir::less(slope, real(0)), real(0), slope);
    } else {
        const double a = cubic_coeff;
        const Expr near = ir::add(
            ir::mul(ir::mul(ir::sub(ir::mul(real(a + 2), distance), real(a + 3)), distance), distance), real(1));
        const Expr far =
            ir::sub(ir::mul(ir::add(ir::mul(ir::sub(ir::mul(real(a), distance), real(5 * a)), distance), real(8 * a)),
                            distance),
                    real(4 * a));
        value =
            ir::select(ir::less_equal(distance, real(1)), near, ir::select(ir::less(distance, real(2)), far, real(0)));
    }
    if (!exclude_outside)
        return value;
    return ir::select(is_inside(tap_index(axis, position, tap), axis.in), value, real(0));
}

Mode mode_of(const std::string& name) {
    if (name == "nearest")
        return Mode::Nearest;
    if (name == "linear")
        return Mode::Linear;
    if (name == "cubic")
        return Mode::Cubic;
    throw OpError("resize has no mode '", name, "'");
}

void require_one_of(const char* what, const std::string& value, std::initializer_list<const char*> known) {
    if (std::ranges::find(known, value) == known.end())
        throw OpError("resize has no ", what, " '", value, "'");
}

Resizing options_of(const Attributes& given) {
    Resizing resizing;
    resizing.mode = mode_of(given.get<std::string>("mode"));
    resizing.transformation = given.get<std::string>("coordinate_transformation_mode");
    require_one_of("coordinate transformation mode", resizing.transformation,
                   {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                    "tf_half_pixel_for_nn", "tf_crop_and_resize"});
    resizing.rounding = given.get<std::string>("nearest_mode");
    require_one_of("nearest mode", resizing.rounding, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
    resizing.cubic_coeff = given.get<double>("cubic_coeff_a");
    resizing.extrapolation = given.get<double>("extrapolation_value");
    resizing.exclude_outside = given.get<bool>("exclude_outside");
    resizing.antialias = given.get<bool>("antialias");
    return resizing;
}

// With a policy that keeps the aspect ratio, all dimensions have the smallest scale, or the largest one.
void keep_aspect_ratio(std::vector<Axis>& axes, const std::string& policy) {
    require_one_of("policy", policy, {"stretch", "not_larger", "not_smaller"});
    if (policy == "stretch" || axes.empty())
        return;
    std::vector<double> scales;
    for (const Axis& axis : axes) {
        const auto in = constant_of(axis.in);
        const auto out = constant_of(axis.out);
        if (!in || !out || *in == 0)
            throw OpError("resize can keep the aspect ratio of constant shapes only");
        scales.push_back(static_cast<double>(*out) / static_cast<double>(*in));
    }
    const double scale = policy == "not_larger" ? std::ranges::min(scales) : std::ranges::max(scales);
    for (Axis& axis : axes) {
        axis.out = dim(static_cast<std::int64_t>(scale * static_cast<double>(*constant_of(axis.in)) + 0.5));
        axis.scale = real(scale);
        axis.length = ir::mul(real(axis.in), axis.scale);
    }
}

// In f32, as runtimes multiply: 10 elements times 0.7 are 7. A factor that is whole, or one over a whole number, makes an
// expression over whole numbers, which compares equal to others.
Dim scaled_extent(const Dim& extent, double scale) {
    const auto is_whole = [](double value) { return value == std::floor(value) && value < 1e9; };
    if (is_whole(scale))
        return simplified(ir::mul(extent, dim(static_cast<std::int64_t>(scale))));
    if (is_whole(1 / scale))
        return simplified(ir::floor_div(extent, dim(static_cast<std::int64_t>(1 / scale))));
    if (const auto constant = constant_of(extent)) {
        const float scaled = std::floor(static_cast<float>(*constant) * static_cast<float>(scale));
        if (!(scaled < 0x1p62F))
            throw OpError("resize by ", std::to_string(scale), " is too large");
        return dim(static_cast<std::int64_t>(scaled));
    }
    const Expr product = ir::mul(ir::cast_to(extent, ir::DType::F32), number(scale, ir::DType::F32));
    return simplified(as_integer(floor_of(product)));
}

std::vector<Axis> axes_of(const Attributes& given, const Shape& input) {
    Ints dimensions = given.get<Ints>("axes");
    if (dimensions.empty())
        dimensions = dims_from(0, input.size());
    const Shape sizes = given.get<Shape>("sizes");
    const Floats scales = given.get<Floats>("scales");
    const Floats roi = given.get<Floats>("roi");
    const std::size_t count = dimensions.size();
    if ((sizes.empty() ? scales.size() : sizes.size()) != count)
        throw OpError("resize of ", text_of(input), " wants ", count, " sizes or scales");
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < count; ++i) {
        Axis axis;
        axis.dimension = static_cast<std::size_t>(normalise_axis(dimensions[i], input.size(), "axis"));
        axis.in = input[axis.dimension];
        if (!sizes.empty()) {
            axis.out = sizes[i];
            axis.scale = ir::div(real(axis.out), real(axis.in));
            axis.length = real(axis.out);
        } else {
            if (!(scales[i] > 0))
                throw OpError("resize wants positive scales");
            axis.scale = real(scales[i]);
            axis.length = ir::mul(real(axis.in), axis.scale);
            axis.out = scaled_extent(axis.in, scales[i]);
        }
        if (roi.size() == 2 * count)
            axis.roi_start = roi[i], axis.roi_end = roi[count + i];
        axes.push_back(axis);
    }
    if (!sizes.empty())
        keep_aspect_ratio(axes, given.get<std::string>("keep_aspect_ratio_policy"));
    return axes;
}

void choose_taps(const Resizing& resizing, Axis& axis) {
    if (resizing.mode == Mode::Nearest)
        return;
    if (resizing.antialias) {
        const auto scale = ir::constant_number(axis.scale);
        if (!scale)
            throw OpError("resize with anti-aliasing wants constant scales");
        axis.shrink = std::min(*scale, 1.0);
    }
    const double reach = resizing.mode == Mode::Linear ? 1 : 2;
    axis.first = static_cast<std::int64_t>(std::floor(-reach / axis.shrink)) + 1;
    axis.taps = 2 - 2 * axis.first;
}

bool changes(const Resizing& resizing, const Axis& axis) {
    const bool is_whole = axis.roi_start == 0 && axis.roi_end == 1;
    return !same_dim(axis.in, axis.out) || ir::constant_number(axis.scale) != 1.0 || (resizing.crops() && !is_whole);
}

Resizing resizing_of(const OpCall& call) {
    const Shape& input = call.inputs[0].shape;
    Resizing resizing = options_of(call.attributes);
    resizing.shape = input;
    for (Axis& axis : axes_of(call.attributes, input)) {
        if (!changes(resizing, axis))
            continue;
        resizing.shape[axis.dimension] = axis.out;
        choose_taps(resizing, axis);
        resizing.axes.push_back(axis);
    }
    return resizing;
}

// Tables of taps, so that coordinates are found once for each index of a dimension and not for each element.
void add_tables(TaskBuilder& builder, const Resizing& resizing, Axis& axis, ir::DType work) {
    const std::string suffix = std::to_string(axis.dimension);
    const Shape shape = {axis.out, dim(axis.taps)};
    ir::VarRef total; // null: the weights add up to one
    if (resizing.antialias || resizing.exclude_outside)
        total = builder.reduce(
            "total" + suffix, coordinate_type, {axis.out}, ReduceOp::Sum, {dim(axis.taps)},
            [&](const Indices& out, const Indices& tap) { return resizing.weight(axis, out[0], tap[0]); });
    axis.places = builder.compute("place" + suffix, ir::DType::I64, shape, [&](const Indices& i) {
        return clamped_index(resizing.tap_index(axis, i[0], i[1]), axis.in);
    });
    axis.weights = builder.compute("weight" + suffix, work, shape, [&](const Indices& i) {
        const Expr weight = resizing.weight(axis, i[0], i[1]);
        return total ? ir::div(weight, at(total, {i[0]})) : weight;
    });
}

// Whether an element of the result lies in what is cropped; others are extrapolated.
Expr lies_in_input(const Resizing& resizing, const Indices& axes) {
    ir::ExprVec conditions;
    for (const Axis& axis : resizing.axes) {
        const Expr x = resizing.coordinate(axis, axes[axis.dimension]);
        conditions.push_back(ir::less_equal(real(0), x));
        conditions.push_back(ir::less_equal(x, real(ir::sub(axis.in, dim(1)))));
    }
    return all_of(conditions);
}

Task define_resize(const OpCall& call) {
    Resizing resizing = resizing_of(call);
    const TensorSpec& input = call.inputs[0];
    const ir::DType work = float_type_for(input.dtype);
    TaskBuilder builder("resize");
    const ir::VarRef x = builder.input("x", input);
    const auto cropped = [&](const Indices& axes, const Expr& value, ir::DType dtype) {
        return resizing.crops()
                   ? ir::select(lies_in_input(resizing, axes), value, number(resizing.extrapolation, dtype))
                   : value;
    };
    if (resizing.mode == Mode::Nearest || resizing.axes.empty()) {
        return builder.finish("resize", input.dtype, resizing.shape, [&](const Indices& axes) {
            Indices index = axes;
            for (const Axis& axis : resizing.axes)
                index[axis.dimension] = clamped_index(resizing.nearest(axis, axes[axis.dimension]), axis.in);
            return cropped(axes, at(x, index), input.dtype);
        });
    }
    Shape taps;
    for (Axis& axis : resizing.axes) {
        taps.push_back(dim(axis.taps));
        add_tables(builder, resizing, axis, work);
    }
    const bool is_direct = !resizing.crops();
    const ir::VarRef sum = builder.reduce(is_direct ? "resize" : "sum", is_direct ? input.dtype : work, resizing.shape,
                                          ReduceOp::Sum, taps, [&](const Indices& axes, const Indices& tap) {
                                              Indices index = axes;
                                              Expr weight;
                                              for (std::size_t i = 0; i < resizing.axes.size(); ++i) {
                                                  const Axis& axis = resizing.axes[i];
                                                  const Indices entry = {axes[axis.dimension], tap[i]};
                                                  index[axis.dimension] = at(axis.places, entry);
                                                  const Expr own = at(axis.weights, entry);
                                                  weight = weight ? ir::mul(weight, own) : own;
                                              }
                                              return ir::mul(ir::cast_to(at(x, index), work), weight);
                                          });
    if (is_direct)
        return builder.finish({sum});
    return builder.finish("resize", input.dtype, resizing.shape,
                          [&](const Indices& axes) { return cropped(axes, at(sum, axes), work); });
}

} // namespace

std::span<const OpInfo> op_tables::resize() {
    static const OpInfo table[] = {
        {OpId::Resize, "resize",
         "x, sizes: shape = [], scales: floats = [], axes: ints = [], mode: str = 'nearest', "
         "coordinate_transformation_mode: str = 'half_pixel', nearest_mode: str = 'round_prefer_floor', "
         "cubic_coeff_a: float = -0.75, exclude_outside: bool = False, extrapolation_value: float = 0.0, "
         "roi: floats = [], "
         "antialias: bool = False, keep_aspect_ratio_policy: str = 'stretch'",
         OpClass::Other, "the tensor resampled to `sizes`, or by `scales`, along `axes`",
         "hidet.ops.resize(hidet.randn([1, 1, 4, 4]), sizes=[6, 8], axes=[2, 3], mode='linear')", define_resize},
    };
    return table;
}

} // namespace hidet::graph
