// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/access_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <QPainter>

namespace hidet::ui {

namespace {

constexpr int lanes = 32, banks = 32, word_bytes = 4, sector_words = 8, line_words = 32;
constexpr double margin = 8, between_lines = 16, between_sectors = 3, word_height = 12, row_gap = 4;
constexpr double least_word = 2, least_named_word = 4, most_word = 8;

double widthOfLine(double word) {
    return line_words * word + 3 * between_sectors;
}

// Of the lanes from one to before another.
template <class Act>
void eachWord(const session::LanesView& of, int lane, int end, const Act& act) {
    for (; lane < end; ++lane) {
        const auto i = static_cast<std::size_t>(lane);
        for (std::int64_t at = of.offsets[i] / word_bytes;
             of.bytes[i] > 0 && at * word_bytes < of.offsets[i] + of.bytes[i]; ++at)
            act(lane, at);
    }
}

// Words that lanes ask for, with the first lane of each.
std::map<std::int64_t, int> lanesOfWords(const session::LanesView& of) {
    std::map<std::int64_t, int> out;
    eachWord(of, 0, static_cast<int>(of.offsets.size()), [&](int lane, std::int64_t at) { out.try_emplace(at, lane); });
    return out;
}

std::vector<std::int64_t> linesOf(const std::vector<std::int64_t>& sectors) {
    std::set<std::int64_t> out;
    for (const std::int64_t sector : sectors)
        out.insert(sector * sector_words / line_words);
    return {out.begin(), out.end()};
}

} // namespace

AccessPicture::AccessPicture(ThemeSource& themes, QWidget* parent) : SpotChart(themes, "access", parent) {
    setAccessibleName(tr("Lanes of a warp"));
}

void AccessPicture::show(std::optional<session::AccessView> view) {
    m_view = std::move(view);
    m_marked.clear();
    renew(hasPicture() ? spot() : nowhere);
}

void AccessPicture::mark(std::vector<int> lanes) {
    std::ranges::sort(lanes);
    m_marked = std::move(lanes);
    setAccessibleDescription(words());
    update();
}

// ---- where everything is -------------------------------------------------------------------------------------------

QColor AccessPicture::colorOf(int lane) const {
    return oklch(theme().dark ? 0.72 : 0.62, 0.13, 250.0 + 300.0 * lane / lanes);
}

void AccessPicture::layOut() {
    m_cells.clear();
    m_frames.clear();
    m_labels.clear();
    if (hasPicture()) {
        const double line = QFontMetricsF(themes().smallFont()).height();
        m_labels.push_back({QRectF(margin, margin / 2, width() - 2 * margin, line), caption()});
        const QRectF area(margin, margin / 2 + line + row_gap, width() - 2 * margin,
                          height() - line - row_gap - margin);
        m_view->memory == "shared" ? layOutBanks(area) : layOutSectors(area);
    }
    update();
}

// Beside each other as many lines as there is room for, then below.
void AccessPicture::layOutLines(const std::vector<std::int64_t>& lines, QRectF area, double word, bool isNamed,
                                bool isIdeal) {
    const std::map<std::int64_t, int> asked = lanesOfWords(m_view->lanes);
    const std::set<std::int64_t> touched(m_view->lanes.sectors.begin(), m_view->lanes.sectors.end());
    const double label = isNamed ? QFontMetricsF(themes().smallFont()).height() : 0;
    const double step = widthOfLine(word) + between_lines;
    const int columns = std::max(1, static_cast<int>((area.width() + between_lines) / step));
    std::vector<int> inOrder; // lanes of the words, as they would lie side by side
    for (int lane = 0; isIdeal && lane < lanes; ++lane)
        for (const auto& [at, first] : asked)
            if (first == lane)
                inOrder.push_back(lane);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double left = area.left() + step * static_cast<double>(i % static_cast<std::size_t>(columns));
        const double top =
            area.top() + (label + word_height + row_gap) * static_cast<double>(i / static_cast<std::size_t>(columns));
        if (top + label + word_height > area.bottom() + 1) {
            m_labels.front().text += tr("; %1 of %2 lines are shown").arg(i).arg(lines.size());
            break;
        }
        if (isNamed)
            m_labels.push_back({QRectF(left, top, step, label), tr("byte %1").arg(lines[i] * 128)});
        for (int at = 0; at < line_words; ++at) {
            const std::int64_t number = lines[i] * line_words + at;
            const double x = left + at * word + at / sector_words * between_sectors;
            const QRectF rect(x, top + label, word, word_height);
            if (at % sector_words == 0)
                m_frames.push_back(QRectF(x, top + label, sector_words * word, word_height));
            const auto place = static_cast<std::size_t>(number);
            int lane = -1;
            if (isIdeal)
                lane = place < inOrder.size() ? inOrder[place] : -1;
            else if (const auto found = asked.find(number); found != asked.end())
                lane = found->second;
            const bool moves =
                isIdeal ? number / sector_words < m_view->lanes.least : touched.contains(number / sector_words);
            if (lane >= 0 || moves)
                m_cells.push_back({rect, lane >= 0 ? colorOf(lane) : theme().line, lane});
        }
    }
}

void AccessPicture::layOutSectors(const QRectF& area) {
    const session::LanesView& of = m_view->lanes;
    const std::vector<std::int64_t> moved = linesOf(of.sectors);
    std::vector<std::int64_t> ideal;
    for (std::int64_t line = 0; line * 4 < of.least; ++line)
        ideal.push_back(line);
    const double label = QFontMetricsF(themes().smallFont()).height();
    double word = most_word, beside = 0;
    bool isNamed = true;
    const auto fits = [&] {
        beside = area.width() - widthOfLine(word) - 2 * between_lines;
        const int columns =
            std::max(1, static_cast<int>((beside + between_lines) / (widthOfLine(word) + between_lines)));
        const double rows = std::ceil(static_cast<double>(moved.size()) / columns);
        const double row = (isNamed ? label : 0) + word_height + row_gap;
        return beside >= widthOfLine(word) && label + rows * row <= area.height();
    };
    // As large as can be, with the names of lines if there is room for them.
    while (!fits() && (isNamed || word > least_word)) {
        const bool isSmall = isNamed && word <= least_named_word;
        word = isSmall ? most_word : word - 1;
        isNamed = isNamed && !isSmall;
    }
    QRectF left = area, right = area;
    left.setWidth(std::max(beside, widthOfLine(word)));
    left.setTop(area.top() + label);
    right.setLeft(left.right() + 2 * between_lines);
    right.setTop(area.top() + label);
    m_labels.push_back({QRectF(left.left(), area.top(), left.width(), label),
                        tr("Moved: %1 sectors in %2 lines of 128 bytes").arg(of.units).arg(moved.size())});
    m_labels.push_back({QRectF(right.left(), area.top(), right.width(), label), tr("Ideal: %1").arg(of.least)});
    layOutLines(moved, left, word, isNamed, false);
    layOutLines(ideal, right, word, false, true);
}

void AccessPicture::layOutBanks(const QRectF& area) {
    const session::LanesView& of = m_view->lanes;
    const double label = QFontMetricsF(themes().smallFont()).height();
    const double left = area.left() + 72, top = area.top() + label;
    const double gap = of.parts > 1 ? 3 : 0;
    const double width = std::clamp((area.width() - 72 - 200) / banks, 5.0, 16.0);
    const double height = std::clamp((area.bottom() - top - gap * of.parts) / lanes, 2.0, 10.0);
    const int together = lanes / std::max(of.parts, 1);
    const bool isNarrow = 8 * width < QFontMetricsF(themes().smallFont()).horizontalAdvance(tr("bank 0")) + 4;
    for (int bank = 0; bank < banks; bank += isNarrow ? 16 : 8)
        m_labels.push_back({QRectF(left + bank * width, area.top(), 8 * width, label),
                            bank == 0 ? tr("bank 0") : QString::number(bank)});
    const Theme& theme = this->theme();
    for (int part = 0; part < of.parts; ++part) {
        const double above = top + part * gap + part * together * height;
        m_frames.push_back(QRectF(left, above, banks * width, together * height));
        const QString name = of.parts > 1 ? tr("lanes %1\u2013%2").arg(part * together).arg((part + 1) * together - 1)
                                          : tr("lanes 0\u201331");
        if (together * height >= label)
            m_labels.push_back({QRectF(area.left(), above, 68, label), name});
        std::array<std::set<std::int64_t>, banks> wanted;
        const auto each = [&](const auto& act) { eachWord(of, part * together, (part + 1) * together, act); };
        each([&](int, std::int64_t at) { wanted[static_cast<std::size_t>(at % banks)].insert(at); });
        each([&](int lane, std::int64_t at) {
            const auto bank = at % banks;
            const std::size_t degree = wanted[static_cast<std::size_t>(bank)].size();
            const QRectF rect(left + static_cast<double>(bank) * width, above + (lane - part * together) * height,
                              width, height);
            m_cells.push_back({rect.adjusted(0.5, 0.5, -0.5, -0.5),
                               degree <= 1  ? theme.ok
                               : degree < 8 ? theme.warning
                                            : theme.error,
                               lane});
        });
    }
    const double beside = left + banks * width + between_lines;
    std::vector<std::pair<int, int>> fullest; // words, bank
    for (std::size_t bank = 0; bank < of.banks.size(); ++bank)
        if (of.banks[bank] > 1)
            fullest.push_back({-of.banks[bank], static_cast<int>(bank)});
    std::ranges::sort(fullest);
    double y = top;
    const auto say = [&](const QString& text) {
        m_labels.push_back({QRectF(beside, y, std::max(area.right() - beside, 8.0), label), text});
        y += label;
    };
    say(fullest.empty() ? tr("No conflict") : tr("Conflicts, banks: %1").arg(fullest.size()));
    for (const auto& [words, bank] : fullest) {
        if (y + label > area.bottom())
            break;
        say(tr("bank %1: %2 words").arg(bank).arg(-words));
    }
}

// ---- words ---------------------------------------------------------------------------------------------------------

QString AccessPicture::caption() const {
    const session::LanesView& of = m_view->lanes;
    const auto active = std::ranges::count_if(of.bytes, [](int bytes) { return bytes > 0; });
    QString out = tr("Warp %1 of the first block, in its first iteration").arg(of.warp);
    if (active < lanes)
        out += tr("; %1 lanes take part").arg(active);
    if (m_view->memory == "shared")
        out += of.parts > 1
                   ? tr("; served in %1 parts, %2 wavefronts, ideal %3").arg(of.parts).arg(of.units).arg(of.least)
                   : tr("; %1 wavefronts, ideal %2").arg(of.units).arg(of.least);
    return out;
}

QString AccessPicture::wordsOfAll() const {
    if (!hasPicture())
        return tr("No lanes are known of this access");
    QString out = QString::fromStdString(m_view->finding.empty() ? "" : m_view->finding + ". ") + caption();
    QStringList marked;
    for (const int lane : m_marked)
        marked << QString::number(lane);
    if (!marked.isEmpty())
        out += tr("; marked: lanes %1").arg(marked.join(", "));
    return out;
}

QString AccessPicture::wordsOf(int lane) const {
    const auto i = static_cast<std::size_t>(lane);
    const session::LanesView& of = m_view->lanes;
    if (of.bytes[i] <= 0)
        return tr("lane %1 takes no part").arg(lane);
    const std::int64_t first = of.offsets[i], last = first + of.bytes[i] - 1;
    const QString bytes = tr("lane %1: bytes %2 to %3").arg(lane).arg(first).arg(last);
    if (m_view->memory == "shared")
        return bytes + tr(", bank %1").arg(first / word_bytes % banks);
    return bytes + tr(", sector %1, line %2").arg(first / 32).arg(first / 128);
}

QString AccessPicture::tsv() const {
    if (!hasPicture())
        return {};
    const bool isShared = m_view->memory == "shared";
    QStringList rows{QStringList{"lane", "offset", "bytes", isShared ? "bank" : "sector"}.join('\t')};
    for (std::size_t lane = 0; lane < m_view->lanes.offsets.size(); ++lane) {
        const std::int64_t offset = m_view->lanes.offsets[lane];
        rows << QString("%1\t%2\t%3\t%4")
                    .arg(lane)
                    .arg(offset)
                    .arg(m_view->lanes.bytes[lane])
                    .arg(isShared ? offset / word_bytes % banks : offset / 32);
    }
    return rows.join('\n') + '\n';
}

// ---- painting ------------------------------------------------------------------------------------------------------

void AccessPicture::paintPlaces(QPainter& painter) const {
    const Theme& theme = this->theme();
    if (!hasPicture()) {
        painter.setPen(theme.muted);
        painter.setFont(font());
        const QString said =
            m_view ? tr("What the lanes touch is not known: it depends on data") : tr("No access is selected");
        return painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, said);
    }
    for (const Cell& cell : m_cells)
        painter.fillRect(cell.rect, shown(cell.fill));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(shown(theme.muted), 1));
    for (const QRectF& frame : m_frames)
        painter.drawRect(frame.toAlignedRect().adjusted(0, 0, -1, -1));
    painter.setPen(shown(theme.muted));
    const QFontMetricsF metrics(painter.font());
    for (const Label& label : m_labels)
        painter.drawText(label.rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                         metrics.elidedText(label.text, Qt::ElideRight, label.rect.width() + 1));
    painter.setPen(QPen(shown(theme.text), 1.5));
    for (const Cell& cell : m_cells)
        if (std::ranges::binary_search(m_marked, cell.lane))
            painter.drawRect(cell.rect);
}

// ---- the spot, a lane ----------------------------------------------------------------------------------------------

std::vector<QRectF> AccessPicture::framesOf(int lane) const {
    std::vector<QRectF> out;
    for (const Cell& cell : m_cells)
        if (cell.lane == lane)
            out.push_back(cell.rect);
    return out;
}

int AccessPicture::spotAt(const QPointF& place) const {
    int found = nowhere;
    for (const Cell& cell : m_cells)
        if (cell.rect.contains(place))
            found = cell.lane;
    return found;
}

std::optional<int> AccessPicture::spotByKey(int key) const {
    const int step = key == Qt::Key_Right || key == Qt::Key_Down ? 1
                     : key == Qt::Key_Left || key == Qt::Key_Up  ? -1
                                                                 : 0;
    if (step == 0 || !hasPicture())
        return std::nullopt;
    if (spot() == nowhere)
        return step > 0 ? 0 : lanes - 1;
    return std::clamp(spot() + step, 0, lanes - 1);
}

} // namespace hidet::ui
