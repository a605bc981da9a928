// SPDX-License-Identifier: Apache-2.0
// Functions of hidet.ops that are made of others, with the names and the parameters that upstream gives them. They take what their
// parts take: symbolic tensors, and tensors with data.
#include <algorithm>
#include <numeric>

#include "compiler/graph/script/composer.h"
#include "compiler/graph/script/modules.h"
#include "lang/base/text.h"
#include "lang/host/options.h"

namespace hidet::graph {

namespace {

using Arguments = lang::Arguments;
using Values = Composer::Values;

// Those of normalising layers behind their own.
std::vector<std::pair<std::string, HostValue>> norm_attributes(const Composer& c, const Arguments& a,
                                                               std::size_t epsilon, const Ints& dims) {
    return {{"dims", c.ints(dims)},
            {"epsilon", HostValue::real(a.real(epsilon, 1e-5))},
            {"accumulate_dtype", a.given(epsilon + 1) ? a[epsilon + 1] : HostValue::str("float32")}};
}

Ints from(std::int64_t first, std::int64_t end) {
    Ints out;
    for (; first < end; ++first)
        out.push_back(first);
    return out;
}

HostValue relu6(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "relu6", {"x"});
    return c.op("clip", {a[0], HostValue::real(0), HostValue::real(6)});
}

HostValue softmin(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "softmin", {"x", "axis"});
    return c.op("softmax", {c.op("negative", {a[0]}), a[1]});
}

HostValue positive(const Composer& c, Args& args) {
    return Arguments(args, c.span(), "positive", {"x"})[0];
}

HostValue remainder(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "remainder", {"x", "y"});
    return c.op("mod", {a[0], a[1]});
}

// The larger one taken out, so that no exponential overflows.
HostValue logaddexp(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "logaddexp", {"x", "y"});
    const HostValue most = c.op("maximum", {c.list({a[0], a[1]})});
    const auto part = [&](const HostValue& x) { return c.op("exp", {c.op("subtract", {x, most})}); };
    return c.op("add", {c.op("log", {c.op("add", {part(a[0]), part(a[1])})}), most});
}

HostValue expand_dims(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "expand_dims", {"x", "axis="});
    return c.op("unsqueeze", {a[0], c.ints({c.axis(a.integer(1, 0), c.rank_of(a[0]) + 1)})});
}

// A vector without elements joins any others.
HostValue concat(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "concat", {"tensors", "axis="});
    const auto is_nothing = [&](const HostValue& tensor) {
        const Values shape = c.shape_of(tensor);
        return shape.size() == 1 && shape[0].is(ValueKind::Int) && shape[0].as_int() == 0;
    };
    Values tensors = c.evaluator().iterate(a[0], a.span(0));
    if (!std::ranges::all_of(tensors, is_nothing))
        std::erase_if(tensors, is_nothing);
    return c.op("concat", {c.list(std::move(tensors))}, {{"axis", a.given(1) ? a[1] : HostValue::integer(0)}});
}

// An image of three dimensions is one without a batch.
HostValue im2col(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "im2col", {"x", "kernel_size", "dilation=", "padding=", "stride="});
    std::vector<std::pair<std::string, HostValue>> attributes = {{"kernel_size", a[1]}};
    for (const auto& [index, name] : {std::pair(2, "dilation"), std::pair(3, "padding"), std::pair(4, "stride")})
        if (a.given(static_cast<std::size_t>(index)))
            attributes.emplace_back(name, a[static_cast<std::size_t>(index)]);
    if (c.rank_of(a[0]) != 3)
        return c.op("im2col", {a[0]}, std::move(attributes));
    const HostValue columns = c.op("im2col", {c.op("unsqueeze", {a[0], c.ints({0})})}, std::move(attributes));
    return c.op("squeeze", {columns, c.ints({0})});
}

HostValue matmul_nt(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "matmul_nt", {"a", "b"});
    return c.op("matmul", {a[0], a[1]}, {{"transpose_b", HostValue::boolean(true)}});
}

HostValue cuda_batch_matmul(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "cuda_batch_matmul", {"a", "b", "mma="});
    if (a.given(2) && a.str(2) != "simt" && a.str(2) != "mma" && a.str(2) != "wmma")
        c.refuse("products are computed by 'simt', 'mma' or 'wmma'");
    if (a.given(2))
        lang::without_effect(c.evaluator(), a.span(2), "mma", "how a product is computed is the compiler's choice");
    return c.op("matmul", {a[0], a[1]});
}

// A mask is added to the scores.
HostValue attention(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "attention",
                      {"q", "k", "v", "mask=", "is_causal=", "*", "transpose_k=", "scale="});
    const bool is_causal = a.boolean(4, false);
    std::vector<std::pair<std::string, HostValue>> attributes = {
        {"transpose_k", HostValue::boolean(a.boolean(5, false))}, {"scale", HostValue::real(a.real(6, 1.0))}};
    if (!a.given(3) || a[3].is(ValueKind::None)) {
        attributes.emplace_back("is_causal", HostValue::boolean(is_causal));
        return c.op("attention", {a[0], a[1], a[2]}, std::move(attributes));
    }
    if (is_causal)
        c.refuse("attention() takes a mask, or is_causal");
    return c.op("attention_mask_add", {a[0], a[1], a[2], a[3]}, std::move(attributes));
}

HostValue transpose(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "transpose", {"x", "axes="});
    Ints axes = from(0, c.rank_of(a[0]));
    if (!a.given(1) || a[1].is(ValueKind::None))
        return c.op("permute_dims", {a[0], c.ints({axes.rbegin(), axes.rend()})});
    Ints given;
    for (const HostValue& each : c.evaluator().iterate(a[1], a.span(1))) {
        if (!each.is(ValueKind::Int))
            a.wrong_type(1, "ints");
        given.push_back(c.axis(each.as_int(), static_cast<std::int64_t>(axes.size())));
    }
    std::size_t next = 0; // the dimensions that are named change places, the others stay
    for (std::int64_t& axis : axes)
        if (std::ranges::find(given, axis) != given.end() && next < given.size())
            axis = given[next++];
    if (next != given.size())
        c.refuse("transpose() names a dimension twice");
    return c.op("permute_dims", {a[0], c.ints(axes)});
}

HostValue layer_norm(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "layer_norm", {"x", "num_last_dims=", "epsilon=", "accumulate_dtype="});
    const std::int64_t rank = c.rank_of(a[0]), count = a.integer(1, 1);
    if (count < 1 || count > rank)
        c.refuse(cat("a tensor of ", rank, " dimensions has no last ", count));
    return c.op("normalize", {a[0]}, norm_attributes(c, a, 2, from(rank - count, rank)));
}

HostValue instance_norm(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "instance_norm", {"x", "epsilon=", "accumulate_dtype="});
    const std::int64_t rank = c.rank_of(a[0]);
    if (rank < 3)
        c.refuse(cat("instance_norm of ", rank, " dimensions: there are a batch, channels and at least one more"));
    return c.op("normalize", {a[0]}, norm_attributes(c, a, 1, from(2, rank)));
}

HostValue group_norm(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "group_norm", {"x", "num_groups", "epsilon=", "accumulate_dtype="});
    const Values shape = c.shape_of(a[0]);
    const std::int64_t groups = a.integer(1);
    if (shape.size() < 2 || !shape[1].is(ValueKind::Int) || groups < 1 || shape[1].as_int() % groups != 0)
        c.refuse(cat("group_norm wants channels, in dimension 1, that ", groups, " divides"));
    Values grouped = {shape[0], HostValue::integer(groups), HostValue::integer(shape[1].as_int() / groups)};
    grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
    const auto rank = static_cast<std::int64_t>(grouped.size());
    const HostValue normal =
        c.op("normalize", {c.op("reshape", {a[0], c.list(grouped)})}, norm_attributes(c, a, 2, from(2, rank)));
    return c.op("reshape", {normal, c.list(shape)});
}

HostValue batch_norm_infer(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "batch_norm_infer", {"x", "running_mean", "running_var", "epsilon=", "axis="});
    const std::int64_t rank = c.rank_of(a[0]), axis = c.axis(a.integer(4, 1), rank);
    Ints others = from(0, rank);
    others.erase(others.begin() + axis);
    const HostValue spread = c.op("add", {a[2], HostValue::real(a.real(3, 1e-5))});
    const HostValue factor = c.op("unsqueeze", {c.op("rsqrt", {spread}), c.ints(others)});
    return c.op("multiply", {c.op("subtract", {a[0], c.op("unsqueeze", {a[1], c.ints(others)})}), factor});
}

HostValue split(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "split", {"data", "parts_or_sections", "axis="});
    const Values shape = c.shape_of(a[0]);
    const std::int64_t axis = c.axis(a.integer(2, 0), static_cast<std::int64_t>(shape.size()));
    const HostValue& extent = shape[static_cast<std::size_t>(axis)];
    if (!extent.is(ValueKind::Int))
        c.refuse("split wants an extent that is known");
    Ints parts;
    if (a[1].is(ValueKind::Int)) {
        const std::int64_t sections = a[1].as_int();
        if (sections < 1 || extent.as_int() % sections != 0)
            c.refuse(cat("an extent of ", extent.as_int(), " is not split into ", sections, " equal parts"));
        parts.assign(static_cast<std::size_t>(sections), extent.as_int() / sections);
    } else {
        for (const HostValue& part : c.evaluator().iterate(a[1], a.span(1))) {
            if (!part.is(ValueKind::Int) || part.as_int() < 0)
                a.wrong_type(1, "an int or ints");
            parts.push_back(part.as_int());
        }
    }
    Values out;
    std::int64_t begin = 0;
    for (const std::int64_t part : parts) {
        if (part > extent.as_int() - begin)
            c.refuse(cat("the parts are more together than the extent, which is ", extent.as_int()));
        out.push_back(c.op("strided_slice", {a[0], c.ints({begin}), c.ints({begin + part}), c.ints({axis})}));
        begin += part;
    }
    if (begin != extent.as_int())
        c.refuse(cat("the parts are ", begin, " together, and the extent is ", extent.as_int()));
    return c.list(std::move(out));
}

HostValue conv_pad(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "conv_pad", {"data", "pads", "value="});
    const std::int64_t spatial = c.rank_of(a[0]) - 2;
    Ints given;
    if (a[1].is(ValueKind::Int))
        given.assign(static_cast<std::size_t>(std::max<std::int64_t>(spatial, 0)), a[1].as_int());
    else
        for (const HostValue& each : c.evaluator().iterate(a[1], a.span(1)))
            given.push_back(each.is(ValueKind::Int) ? each.as_int() : -1);
    if (static_cast<std::int64_t>(given.size()) == spatial)
        given.insert(given.end(), given.begin(), given.begin() + spatial);
    if (spatial < 1 || static_cast<std::int64_t>(given.size()) != 2 * spatial || *std::ranges::min_element(given) < 0)
        c.refuse(cat("conv_pad wants one pad, or ", spatial, ", or ", 2 * spatial, ": those before and those behind"));
    Ints pads(2, 0);
    pads.insert(pads.end(), given.begin(), given.begin() + spatial);
    pads.insert(pads.end(), 2, 0);
    pads.insert(pads.end(), given.begin() + spatial, given.end());
    return c.op("pad", {a[0], c.ints(pads), HostValue::str("constant"), HostValue::real(a.real(2, 0))});
}

// A method of the first argument, with others of them.
HostValue called(const Composer& c, const Arguments& a, const char* method,
                 std::initializer_list<std::size_t> operands) {
    Args args;
    for (const std::size_t i : operands) {
        args.positional.push_back(a[i]);
        args.spans.push_back(a.span(i));
    }
    return c.evaluator().call(c.evaluator().attribute(a[0], method, c.span()), args, c.span());
}

// rearrange(x, plan), or the operator's own axes and groups.
HostValue rearrange(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "rearrange", {"x", "plan=", "*", "axes=", "groups="});
    if (!a.given(1))
        return c.op("rearrange", {a[0]}, {{"axes", a[2]}, {"groups", a[3]}});
    return called(c, a, "rearrange", {1});
}

HostValue meshgrid(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "meshgrid", {"*tensors", "indexing="});
    const std::string indexing = a.given(0) ? a.str(0) : "ij";
    if (indexing != "ij" && indexing != "xy")
        c.refuse(cat("meshgrid indexes by ij or xy, not '", indexing, "'"));
    Values vectors = a.rest();
    if (vectors.size() == 1 && (vectors[0].is(ValueKind::List) || vectors[0].is(ValueKind::Tuple)))
        vectors = c.evaluator().iterate(vectors[0], c.span());
    std::vector<std::size_t> places(vectors.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (indexing == "xy" && places.size() >= 2)
        std::swap(places[0], places[1]);
    Values whole(vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const Values shape = c.shape_of(vectors[i]);
        if (shape.size() > 1)
            c.refuse(cat("meshgrid of a tensor of ", shape.size(), " dimensions"));
        whole[places[i]] = shape.empty() ? HostValue::integer(1) : shape[0];
    }
    Values grids;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        Values along(vectors.size(), HostValue::integer(1));
        along[places[i]] = whole[places[i]];
        grids.push_back(c.op("broadcast", {c.op("reshape", {vectors[i], c.list(along)}), c.list(whole)}));
    }
    return c.list(std::move(grids));
}

// The interpolation of an image's two last dimensions, by the names of the published package.
HostValue resize2d(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "resize2d",
                      {"data", "*",
                       "size=", "scale_factor=", "method=", "coordinate_transformation_mode=", "rounding_method=",
                       "roi=", "cubic_alpha=", "cubic_exclude=", "extrapolation_value=", "recompute_scale_factor="});
    const auto is_given = [&](std::size_t i) { return a.given(i) && !a[i].is(ValueKind::None); };
    if (c.rank_of(a[0]) != 4)
        c.refuse("resize2d is of images: a batch, channels, height and width");
    if (is_given(1) == is_given(2))
        c.refuse("resize2d wants a size or a scale_factor");
    const auto both = [&](std::size_t i) {
        return c.list(a[i].is_number() ? Values{a[i], a[i]} : c.evaluator().iterate(a[i], a.span(i)));
    };
    std::vector<std::pair<std::string, HostValue>> attributes = {{"axes", c.ints({2, 3})}};
    if (is_given(1))
        attributes.emplace_back("sizes", both(1));
    else
        attributes.emplace_back("scales", both(2));
    for (const auto& [i, name] : {std::pair(3, "mode"), std::pair(4, "coordinate_transformation_mode"),
                                  std::pair(5, "nearest_mode"), std::pair(6, "roi"), std::pair(7, "cubic_coeff_a"),
                                  std::pair(8, "exclude_outside"), std::pair(9, "extrapolation_value")})
        if (is_given(static_cast<std::size_t>(i)))
            attributes.emplace_back(name, a[static_cast<std::size_t>(i)]);
    if (is_given(10))
        lang::without_effect(c.evaluator(), a.span(10), "recompute_scale_factor",
                             "coordinates are computed from the scales that are given, or from the sizes");
    return c.op("resize", {a[0]}, std::move(attributes));
}

// Changes a tensor that has data; of a symbolic one the changed one is the result.
HostValue scatter(const Composer& c, const Arguments& a, const char* method, const char* reduction) {
    if (a[0].is(ValueKind::Tensor))
        return called(c, a, method, {1, 2, 3});
    return c.op("scatter_elements", {a[0], a[2], a[3]}, {{"axis", a[1]}, {"reduction", HostValue::str(reduction)}});
}

HostValue scatter_add_in_place(const Composer& c, Args& args) {
    return scatter(c, Arguments(args, c.span(), "scatter_add_", {"input", "dim", "index", "src"}), "scatter_add_",
                   "add");
}

HostValue scatter_in_place(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "scatter_", {"input", "dim", "index", "src", "reduce"});
    const std::string& reduce = a.str(4);
    if (reduce != "replace" && reduce != "add")
        c.refuse(cat("reduce is 'replace' or 'add', not '", reduce, "'"));
    return reduce == "add" ? scatter(c, a, "scatter_add_", "add") : scatter(c, a, "scatter_", "none");
}

HostValue transfer(const Composer& c, Args& args) {
    return called(c, Arguments(args, c.span(), "transfer", {"x", "dst_device"}), "to", {1});
}

struct Composed {
    const char* name;
    HostValue (*function)(const Composer&, Args&);
};

constexpr Composed composed_functions[] = {
    {"attention", attention},
    {"awq_matmul", awq_matmul},
    {"batch_norm_infer", batch_norm_infer},
    {"conv_pad", conv_pad},
    {"concat", concat},
    {"cuda_batch_matmul", cuda_batch_matmul},
    {"einops_rearrange", einops_rearrange},
    {"expand_dims", expand_dims},
    {"gptq_matmul", gptq_matmul},
    {"group_norm", group_norm},
    {"im2col", im2col},
    {"instance_norm", instance_norm},
    {"layer_norm", layer_norm},
    {"logaddexp", logaddexp},
    {"matmul_nt", matmul_nt},
    {"meshgrid", meshgrid},
    {"positive", positive},
    {"rearrange", rearrange},
    {"relu6", relu6},
    {"remainder", remainder},
    {"resize2d", resize2d},
    {"scatter_", scatter_in_place},
    {"scatter_add_", scatter_add_in_place},
    {"softmin", softmin},
    {"split", split},
    {"transfer", transfer},
    {"transpose", transpose},
};

} // namespace

void add_composed(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    for (const Composed& row : composed_functions)
        module.function(row.name, [&graphs, function = row.function](Evaluator& evaluator, Args& args, Span span) {
            if (std::ranges::any_of(args.positional, [](const HostValue& each) { return each.is(ValueKind::Unknown); }))
                return HostValue::unknown();
            return function(Composer(graphs, evaluator, span), args);
        });
}

} // namespace hidet::graph
