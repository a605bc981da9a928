// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/symbols.h"

#include <algorithm>

namespace hidet::ui {

namespace assist = session::assist;

session::Place placeIn(const LivePipeline& live, const QString& file, assist::Range range) {
    const QByteArrayView text(live.answeredText());
    auto locate = [&](std::uint32_t offset, int& line, int& column) {
        const QByteArrayView before = text.first(std::min<qsizetype>(offset, text.size()));
        line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
        column = static_cast<int>(before.size() - before.lastIndexOf('\n'));
    };
    session::Place place;
    place.file = file.toStdString();
    locate(range.begin, place.line, place.column);
    locate(range.end, place.end_line, place.end_column);
    return place;
}

} // namespace hidet::ui
