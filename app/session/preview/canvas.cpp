// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/canvas.h"

#include <algorithm>

#include "app/session/script/read_document.h"
#include "app/session/work/work.h"

namespace hidet::session {

namespace service = lang::service;

namespace {

class Places {
public:
    explicit Places(const SourceMap& sources) : m_sources(sources) {}
    Place operator()(service::Range range) const {
        return range.empty() ? Place() : place_of(Span{1, range.begin, range.end}, m_sources);
    }

private:
    const SourceMap& m_sources;
};

CanvasFactorView view_of(const service::CanvasFactor& factor, const Places& places) {
    CanvasFactorView out{factor.name, places(factor.range), {}};
    for (const service::CanvasNumber& number : factor.numbers)
        out.numbers.push_back({number.name, number.text, number.value, places(number.literal), number.refusal});
    return out;
}

CanvasPictureView view_of(const service::CanvasPicture& picture) {
    return {picture.kind == service::CanvasKind::Mapping ? "mapping" : "layout",
            picture.title,
            picture.refusal,
            picture.shape,
            picture.workers,
            picture.per_worker,
            picture.elements,
            picture.size,
            picture.element_bits,
            picture.places};
}

void look(Work& work, const CanvasRequest& request, CanvasResult& out) {
    const Source& source = request.preview.source;
    ReadDocument read =
        read_document(work, {source.text, source.name, source.folder, request.preview.calls, nullptr, nullptr});
    const SourceFile& file = work.sources.file(1);
    if (request.line > file.line_count())
        return;
    evaluate_document(work, read, source.folder);
    const std::uint32_t start = file.line_start(request.line);
    const auto last = static_cast<std::uint32_t>(file.line(request.line).size());
    service::Canvas found =
        service::canvas(*read.document, start + std::min(static_cast<std::uint32_t>(request.column - 1), last));
    const Places places(work.sources);
    if (!found.known())
        return;
    out.place = places(found.range);
    out.text = found.text;
    for (const service::CanvasFactor& factor : found.factors)
        out.factors.push_back(view_of(factor, places));
    for (const service::CanvasPicture& picture : found.pictures)
        out.views.push_back(view_of(picture));
    out.pictures = std::move(found.pictures);
}

} // namespace

CanvasResult canvas(const CanvasRequest& request) {
    CanvasResult out;
    Work work = work_for("map", request.preview);
    guarded(work, [&] { look(work, request, out); });
    finish(work, out);
    return out;
}

} // namespace hidet::session
