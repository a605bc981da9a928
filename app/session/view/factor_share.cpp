// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/factor_share.h"

#include <algorithm>

#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
    std::int64_t out = 1;
    for (const std::int64_t extent : extents)
        out *= extent;
    return out;
}

std::string factor_extents(const std::vector<std::int64_t>& extents) {
    return cat("(", join(transformed(extents, [](const std::int64_t extent) { return cat(extent); }), ", "), ")");
}

bool has_extents(const CanvasFactor& factor, std::size_t rank) {
    return factor.numbers.size() == rank && std::ranges::all_of(factor.numbers, [](const CanvasNumber& number) {
               return number.name.empty() && number.value > 0;
           });
}

} // namespace

std::int64_t FactorShare::parts() const {
    return product_of(counts);
}

std::int64_t FactorShare::blocks() const {
    return product_of(shape) / std::max<std::int64_t>(product_of(counts) * product_of(part), 1);
}

std::int64_t FactorShare::part_of(std::int64_t element) const {
    std::int64_t out = 0, scale = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        const std::int64_t at = element % shape[d] / part[d];
        if (at >= counts[d])
            return -1;
        out += at * scale;
        scale *= counts[d];
        element /= shape[d];
    }
    return out;
}

std::optional<FactorShare> share_of(const Canvas& canvas, const CanvasPicture& picture, std::size_t factor) {
    const std::size_t rank = picture.shape.size();
    if (factor >= canvas.factors.size() || !picture.refusal.empty() || rank == 0)
        return std::nullopt;
    FactorShare out{canvas.factors[factor].name, std::vector<std::int64_t>(rank, 1), std::vector<std::int64_t>(rank, 1),
                    picture.shape};
    std::vector<std::int64_t> whole(rank, 1);
    for (std::size_t f = 0; f < canvas.factors.size(); ++f) {
        if (!has_extents(canvas.factors[f], rank))
            return std::nullopt;
        for (std::size_t d = 0; d < rank; ++d) {
            const std::int64_t extent = canvas.factors[f].numbers[d].value;
            whole[d] *= extent;
            if (f == factor)
                out.counts[d] = extent;
            if (f > factor)
                out.part[d] *= extent;
        }
    }
    return whole == picture.shape ? std::optional(std::move(out)) : std::nullopt;
}

std::string share_text(const FactorShare& share) {
    const std::string size = product_of(share.part) == 1 ? "an element each" : cat("of ", factor_extents(share.part));
    std::string out = cat(share.name, factor_extents(share.counts), ": ", share.parts(),
                          share.parts() == 1 ? " part " : " parts ", size);
    if (share.name == "spatial")
        out += ", each for workers of its own";
    if (share.name == "repeat")
        out += ", one after the other for the same workers";
    const std::int64_t blocks = share.blocks();
    return blocks > 1 ? cat(out, "; marked is the first of ", blocks, " such blocks") : out;
}

} // namespace hidet::session
