// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/mapping/mapping_maker.h"

#include <algorithm>

namespace hidet::ui {

namespace assist = session::assist;

namespace {

// Where a place of one text is in another one that differs from it in one stretch.
quint32 movedTo(std::string_view before, std::string_view now, quint32 place) {
    const std::size_t shorter = std::min(before.size(), now.size());
    const auto head = static_cast<std::size_t>(
        std::mismatch(before.begin(), before.begin() + std::ptrdiff_t(shorter), now.begin()).first - before.begin());
    if (place <= head)
        return place;
    const auto by = static_cast<std::int64_t>(now.size()) - static_cast<std::int64_t>(before.size());
    return static_cast<quint32>(std::clamp<std::int64_t>(place + by, 0, static_cast<std::int64_t>(now.size())));
}

bool fits(const session::TensorSlice& slice, const session::CanvasPicture& picture) {
    if (slice.fixed.size() != picture.shape.size())
        return false;
    for (std::size_t d = 0; d < picture.shape.size(); ++d)
        if (slice.fixed[d] >= picture.shape[d])
            return false;
    return true;
}

void addPasses(MappingData& data) {
    const int bits = data.shown().element_bits;
    if (data.isMapping() || bits == 0)
        return;
    data.rowPasses = session::passes_of_rows(data.grid, bits);
    data.columnPasses = session::passes_of_columns(data.grid, bits);
}

} // namespace

MappingDataPtr makeMapping(const MappingQuery& query) {
    auto data = std::make_shared<MappingData>();
    data->document = query.document;
    data->canvas = assist::canvas(*query.document, query.caret);
    if (!data->canvas.known() && query.before)
        data->canvas = assist::canvas(*query.document,
                                      movedTo(assist::text_of(*query.before->document),
                                              assist::text_of(*query.document), query.before->canvas.range.begin));
    if (!data->canvas.known())
        return nullptr;
    const bool isSame = query.before && isSameSubject(*query.before, *data);
    data->picture = isSame ? std::clamp(query.picture, 0, static_cast<int>(data->canvas.pictures.size()) - 1) : 0;
    const session::CanvasPicture& picture = data->shown();
    session::TensorSlice slice = session::usual_slice(picture.shape);
    if (isSame && query.slice && fits(*query.slice, picture))
        slice = *query.slice;
    if (picture.refusal.empty()) {
        data->grid = session::CanvasGrid(picture, std::move(slice));
        data->count = session::count_of(picture);
        addPasses(*data);
    }
    return data;
}

bool isSameSubject(const MappingData& a, const MappingData& b) {
    if (a.canvas.pictures.size() != b.canvas.pictures.size() || a.canvas.factors.size() != b.canvas.factors.size())
        return false;
    const std::string& before = assist::text_of(*a.document);
    const std::string& now = assist::text_of(*b.document);
    return b.canvas.source.begin == movedTo(before, now, a.canvas.source.begin);
}

assist::Edit joined(const session::CanvasChange& change, std::string_view text) {
    assist::Edit out{{change.edits.front().range.begin, change.edits.back().range.end}, {}};
    std::uint32_t at = out.range.begin;
    for (const assist::Edit& edit : change.edits) {
        out.text += text.substr(at, edit.range.begin - at);
        out.text += edit.text;
        at = edit.range.end;
    }
    return out;
}

} // namespace hidet::ui
