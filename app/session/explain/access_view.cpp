// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/access_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "lang/base/quantity.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

constexpr double tolerable = 1.05; // units over the ideal

std::string with_factor(std::int64_t factor, const std::string& variable) {
    return factor == 1 ? variable : cat(factor, " * ", variable);
}

// "4 * threadIdx.x + 320 * p"
std::string address_text(const access::Access& of) {
    static constexpr const char* names[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    if (of.form != access::Form::Affine)
        return "";
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < 3; ++d)
        if (of.strides[d] != 0)
            parts.push_back(with_factor(of.strides[d], names[d]));
    for (const access::Around& around : of.around) {
        if (around.matters && !around.by)
            return "";
        if (around.by.value_or(0) != 0)
            parts.push_back(with_factor(*around.by, around.variable));
    }
    return parts.empty() ? "the same for all" : join(parts, " + ");
}

// Words that the fullest part of a warp wants of each bank.
void fill_banks(const access::Picture& picture, LanesView& out) {
    const int size = *std::ranges::max_element(picture.bytes);
    const auto together = static_cast<std::size_t>(artifact::lanes_together(std::max(size, 1)));
    out.parts = static_cast<int>(32 / together);
    int fullest = -1;
    for (std::size_t first = 0; first < 32; first += together) {
        std::array<std::set<std::int64_t>, artifact::bank_count> words;
        for (std::size_t lane = first; lane < first + together; ++lane)
            for (std::int64_t at = picture.offsets[lane]; at < picture.offsets[lane] + picture.bytes[lane];
                 at += artifact::bank_bytes)
                words[static_cast<std::size_t>(at / artifact::bank_bytes % artifact::bank_count)].insert(
                    at / artifact::bank_bytes);
        const std::vector<int> counts =
            transformed(words, [](const auto& bank) { return static_cast<int>(bank.size()); });
        if (const int most = *std::ranges::max_element(counts); most > fullest)
            fullest = most, out.banks = counts;
    }
}

LanesView lanes_view(const access::Access& of) {
    LanesView out;
    const access::Picture& picture = of.picture;
    out.warp = picture.warp;
    out.units = static_cast<std::int64_t>(picture.traffic.units);
    out.least = static_cast<std::int64_t>(picture.traffic.least);
    if (picture.lanes() == 0)
        return out;
    out.offsets.assign(picture.offsets.begin(), picture.offsets.end());
    out.bytes.assign(picture.bytes.begin(), picture.bytes.end());
    std::set<std::int64_t> places, sectors, lines;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        if (picture.bytes[lane] <= 0)
            continue;
        out.is_broadcast = !places.insert(picture.offsets[lane]).second || out.is_broadcast;
        const std::int64_t begin = picture.offsets[lane], end = begin + picture.bytes[lane] - 1;
        for (std::int64_t sector = begin / artifact::sector_bytes; sector <= end / artifact::sector_bytes; ++sector)
            sectors.insert(sector), lines.insert(sector * artifact::sector_bytes / artifact::line_bytes);
    }
    if (of.is_shared)
        fill_banks(picture, out);
    else
        out.sectors.assign(sectors.begin(), sectors.end()), out.lines = static_cast<std::int64_t>(lines.size());
    return out;
}

AccessView view_of_access(const access::Access& of, const SourceMap& sources) {
    AccessView out;
    out.kernel = of.kernel;
    out.place = place_of(of.origin.span, sources);
    out.kind = kind_name(of.kind);
    out.memory = of.is_shared ? "shared" : "global";
    out.tensor = of.tensor;
    out.lane_bytes = of.lane_bytes;
    out.vector = of.element_bytes > 0 ? std::max(of.lane_bytes / of.element_bytes, 1) : 0;
    out.form = form_name(of.form);
    out.address = address_text(of);
    for (const access::Around& around : of.around) {
        out.around.push_back({around.variable, around.trips, around.matters, around.by});
        if (!around.matters && of.form != access::Form::Unknown && !around.variable.starts_with("blockIdx"))
            out.independent.push_back(around.variable);
    }
    out.is_guarded = of.is_guarded;
    out.counted = counted_name(of.counted);
    out.why = of.counted == access::Counted::Exact ? "" : of.why;
    out.requests = of.sums.requests, out.bytes = of.sums.bytes;
    out.unit = of.is_shared ? "wavefronts" : "sectors";
    out.units = of.sums.units, out.least = of.sums.least;
    out.ratio = of.sums.ratio();
    out.worst = static_cast<std::int64_t>(std::max<std::uint64_t>(of.sums.worst, 1));
    if (!of.held_over.empty())
        out.held = HeldView{of.held_over, of.held.requests, of.held.bytes, of.held.units, of.held.least};
    out.note = of.note;
    out.lanes = lanes_view(of);
    return out;
}

std::string times_text(double ratio) {
    return ratio >= 10 || std::abs(ratio - std::round(ratio)) < 0.005
               ? cat(static_cast<std::int64_t>(std::round(ratio)))
               : digits_text(ratio, 2);
}

// The loop that walks along memory while lanes do not: its trips lie side by side.
const access::Around* walking_loop(const access::Access& of) {
    for (auto around = of.around.rbegin(); around != of.around.rend(); ++around)
        if (around->by && std::abs(*around->by) == of.lane_bytes && !around->variable.starts_with("blockIdx"))
            return &*around;
    return nullptr;
}

// Bytes between the first two lanes that take part.
std::int64_t lane_distance(const access::Access& of) {
    for (std::size_t lane = 0; lane + 1 < 32; ++lane)
        if (of.picture.bytes[lane] > 0 && of.picture.bytes[lane + 1] > 0)
            return std::abs(of.picture.offsets[lane + 1] - of.picture.offsets[lane]);
    return 0;
}

void judge_global(AccessView& view, const access::Access& of) {
    const std::int64_t distance = lane_distance(of);
    view.finding = cat("moves ", times_text(view.ratio), " times the ideal sectors");
    const access::Around* loop = walking_loop(of);
    const bool is_affine = of.form == access::Form::Affine;
    if (of.kind == access::AccessKind::CopyUnit) {
        view.finding += ": rows of what is copied do not begin or end where sectors of 32 bytes do";
        view.cure = "begin boxes, and the rows of the tensor, at multiples of 32 bytes";
        return;
    }
    if (is_affine && std::abs(of.strides[1]) == of.lane_bytes && distance > of.lane_bytes) {
        view.finding += cat(": neighbouring lanes are ", distance, " bytes apart");
        view.cure = "let threadIdx.x, not threadIdx.y, count along the tensor's last dimension: exchange the two";
    } else if (distance > of.lane_bytes && loop) {
        view.finding +=
            cat(": neighbouring lanes are ", distance, " bytes apart, and '", loop->variable, "' walks along memory");
        view.cure = cat("let neighbouring lanes take what the loop over '", loop->variable,
                        "' takes, or bring a tile to shared memory by rows and read it from there");
    } else if (distance > of.lane_bytes) {
        view.finding += cat(": neighbouring lanes are ", distance, " bytes apart");
        view.cure = "let neighbouring lanes access neighbouring elements: exchange the thread indices, the loops, or "
                    "the layout; a tile in shared memory turns rows into columns";
    } else if (of.form == access::Form::Sampled && distance != of.lane_bytes) {
        view.finding += ": the lanes of a warp are spread";
        view.cure = "let the lanes of a warp access one piece of memory, or go through shared memory";
    } else {
        view.finding +=
            cat(": a warp's ", of.picture.lanes() * of.lane_bytes, " bytes do not begin or end where sectors of 32 do");
        view.cure = "begin rows at multiples of 32 bytes: pad the tensor's last dimension, or shift the tile";
    }
}

void judge_shared(AccessView& view, const access::Access& of) {
    const std::int64_t distance = lane_distance(of);
    // Where it writes, the banks differ: it is what it reads.
    if (of.kind == access::AccessKind::CopyAsync && of.picture.traffic.units <= of.picture.traffic.least) {
        view.finding = cat("takes ", times_text(view.ratio),
                           " times the ideal wavefronts: what lanes that are served together read does not lie "
                           "within 128 bytes of global memory");
        view.cure = "let a warp copy rows of 128 bytes: a tile that is as wide, or lanes in another order";
        return;
    }
    view.finding = cat(view.worst, "-way bank conflict");
    if (times_text(view.ratio) != cat(view.worst))
        view.finding += cat(", ", times_text(view.ratio), " times the wavefronts on average");
    if (distance > 0)
        view.finding +=
            cat(": neighbouring lanes are ", distance, " bytes apart", distance % 128 == 0 ? ", in one bank" : "");
    if (of.kind == access::AccessKind::Atomic) {
        view.cure = "lanes that update one word wait for each other: add up in registers or in the warp first";
        return;
    }
    view.cure = cat("change where rows begin: pad the last dimension of '", of.tensor, "' by ",
                    std::max(of.lane_bytes, 4), " bytes, or swizzle its layout");
}

} // namespace

// Of what is no finding.
std::string verdict_of(const AccessView& view) {
    if (view.units <= 0)
        return view.counted == "unknown" ? cat("how much it moves is not known: ", view.why) : "moves nothing";
    const std::string of_unknown = view.counted == "unknown" ? ", as far as that is known" : "";
    if (view.units <= view.least)
        return cat("as few ", view.unit, " as possible", of_unknown);
    std::string out = cat("moves ", digits_text(view.ratio, 3), " times the ideal ", view.unit, of_unknown);
    if (view.ratio >= tolerable && view.lanes.is_broadcast && view.memory == "global")
        out += ": lanes that share what they read want few bytes of a sector each";
    return out;
}

void judge(AccessView& view, const access::Access& of) {
    view.verdict = verdict_of(view);
    // Lanes of two rows that want one word each: nothing is to be had.
    const bool is_broadcast = !of.is_shared && view.lanes.is_broadcast && view.worst <= 2;
    if (of.form == access::Form::Unknown || view.ratio < tolerable || is_broadcast)
        return;
    if (of.is_shared)
        judge_shared(view, of);
    else
        judge_global(view, of);
}

std::vector<AccessView> access_views(const std::vector<access::Access>& accesses, const SourceMap& sources) {
    using Key = std::tuple<FileId, std::uint32_t, std::uint32_t, access::AccessKind, bool, std::string>;
    std::map<Key, access::Access> merged;
    std::vector<Key> order;
    for (const access::Access& next : accesses) {
        const Span span = next.origin.span;
        const Key key{span.file, span.begin, span.end, next.kind, next.is_shared, next.tensor};
        const auto [at, is_new] = merged.try_emplace(key, next);
        if (is_new) {
            order.push_back(key);
            continue;
        }
        access::Access& known = at->second;
        access::Sums sums = known.sums, held = known.held_over.empty() ? known.sums : known.held;
        sums.add(next.sums);
        held.add(next.held_over.empty() ? next.sums : next.held);
        const std::vector<std::string> held_over = known.held_over.empty() ? next.held_over : known.held_over;
        const access::Counted counted = std::max(known.counted, next.counted);
        const std::string why = known.counted >= next.counted ? known.why : next.why;
        const bool is_guarded = known.is_guarded || next.is_guarded;
        if (next.sums.ratio() > known.sums.ratio())
            known = next;
        known.held_over = held_over, known.held = held;
        known.sums = sums, known.counted = counted, known.why = why, known.is_guarded = is_guarded;
    }
    std::vector<AccessView> out;
    for (const Key& key : order) {
        const access::Access& of = merged.at(key);
        out.push_back(view_of_access(of, sources));
        judge(out.back(), of);
    }
    std::ranges::stable_sort(out, [](const AccessView& a, const AccessView& b) {
        const auto excess = [](const AccessView& view) { return view.finding.empty() ? 0 : view.units - view.least; };
        return excess(a) > excess(b);
    });
    return out;
}

} // namespace hidet::session
