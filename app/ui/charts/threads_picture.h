// SPDX-License-Identifier: GPL-3.0-only
// The threads of the blocks that a finding is about, a row for each warp and a cell for each lane, in the colour of where they
// stand or what they did. The mouse or the arrow keys say of a thread where that is; a click or Return goes to the line.
#pragma once

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/session/snapshot/snapshot.h"
#include "app/ui/charts/grid_keys.h"
#include "app/ui/charts/spot_chart.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

// "(0, 1, 0)"
inline QString tupleText(const std::array<std::int64_t, 3>& numbers) {
    return QString("(%1, %2, %3)").arg(numbers[0]).arg(numbers[1]).arg(numbers[2]);
}

// "waits at line 12"
inline QString doesText(const session::ThreadsView& party) {
    const QString at = party.place.known() ? tr(" at line %1").arg(party.place.line) : QString();
    QString what;
    if (!party.tensor.empty()) {
        const QStringList index = numbersOf(party.index);
        what = ' ' + text(party.tensor) + (index.isEmpty() ? QString() : '[' + index.join(", ") + ']');
    }
    const std::pair<const char*, QString> words[] = {
        {"reads", tr("reads") + what}, {"writes", tr("writes") + what}, {"updates", tr("updates") + what},
        {"arrives", tr("arrives")},    {"waits", tr("waits")},          {"away", tr("goes another way")},
        {"left", tr("has ended")}};
    for (const auto& [does, said] : words)
        if (party.does == does)
            return said + at;
    return tr("runs") + at;
}

// a colour for each party
inline std::vector<QColor> threadsPalette(const Theme& theme, int many) {
    return distinctColors(theme.dark ? 0.58 : 0.72, 0.13, many);
}

class ThreadsPicture : public SpotChart {
    Q_OBJECT
public:
    explicit ThreadsPicture(ThemeSource& themes, QWidget* parent = nullptr) : SpotChart(themes, "threads", parent) {
        setAccessibleName(tr("Threads of the block"));
    }

    // nothing: there is none
    void show(std::optional<session::DiagnosticView> finding) {
        m_finding = std::move(finding);
        m_threads = 0;
        if (m_finding && m_finding->where) {
            const auto& extents = m_finding->where->threads;
            m_threads = int(std::min<std::int64_t>(extents[0] * extents[1] * extents[2], 1024));
        }
        if (m_finding)
            for (const ThreadsView& party : m_finding->parties)
                for (const auto& run : party.threads)
                    m_threads = std::max(m_threads, run[1] + 1);
        m_rows = rowsOfBlocks();
        m_parties = partiesOfCells();
        renew(nowhere);
    }

    using QWidget::show;
    bool hasPicture() const { return !m_rows.empty(); }
    QRectF rectOf(int row, int lane) const {
        const double wide = m_area.width() / lanes_of_warp, high = m_area.height() / double(m_rows.size());
        const double gap = high > 4 ? high * between_warps : 0;
        return {m_area.left() + lane * wide, m_area.top() + row * high, wide - (wide > 4 ? 1 : 0), high - gap};
    }

    // -1: of none
    int partyOf(int row, int lane) const { return m_parties[std::size_t(row) * lanes_of_warp + std::size_t(lane)]; }
    QSize sizeHint() const override { return {640, 180}; }
    QSize minimumSizeHint() const override { return {320, 96}; }
    QString tsv() const override {
        QStringList lines{QStringList{"block", "warp", "lane", "does", "line"}.join('\t')};
        for (int row = 0; row < int(m_rows.size()); ++row)
            for (int lane = 0; lane < lanes_of_warp; ++lane)
                if (const int party = partyOf(row, lane); party >= 0) {
                    const ThreadsView& of = m_finding->parties[std::size_t(party)];
                    lines << QStringList{tupleText(m_rows[std::size_t(row)].block),
                                         QString::number(m_rows[std::size_t(row)].warp), QString::number(lane),
                                         text(of.does), QString::number(of.place.line)}
                                 .join('\t');
                }
        return lines.join('\n') + '\n';
    }

signals:
    void picked(int party);

protected:
    int spotAt(const QPointF& place) const override {
        if (m_rows.empty() || !m_area.contains(place))
            return nowhere;
        const int row =
            std::min(int((place.y() - m_area.top()) * double(m_rows.size()) / m_area.height()), int(m_rows.size()) - 1);
        const int lane = std::min(int((place.x() - m_area.left()) * lanes_of_warp / m_area.width()), lanes_of_warp - 1);
        return row * lanes_of_warp + lane;
    }

    std::optional<int> spotByKey(int key) const override {
        if (m_rows.empty())
            return std::nullopt;
        GridStep step{spot() == nowhere ? 0 : spot() / lanes_of_warp, spot() == nowhere ? -1 : spot() % lanes_of_warp};
        if (!moveByKey(key, lanes_of_warp, step))
            return std::nullopt;
        return std::clamp(step.row, 0, int(m_rows.size()) - 1) * lanes_of_warp +
               std::clamp(step.column, 0, lanes_of_warp - 1);
    }

    bool choose(int spot) override {
        const int party = partyOf(spot / lanes_of_warp, spot % lanes_of_warp);
        if (party < 0)
            return false;
        emit picked(party);
        return true;
    }

    std::vector<QRectF> framesOf(int spot) const override {
        return {rectOf(spot / lanes_of_warp, spot % lanes_of_warp).adjusted(-0.5, -0.5, 0.5, 0.5)};
    }

    QString wordsOf(int spot) const override {
        const int row = spot / lanes_of_warp, lane = spot % lanes_of_warp;
        const Row& at = m_rows[std::size_t(row)];
        const int thread = at.warp * lanes_of_warp + lane, party = partyOf(row, lane);
        QString name = tr("thread %1").arg(thread);
        if (const auto& where = m_finding->where; where && where->threads[0] > 0) {
            const auto x = where->threads[0], y = std::max<std::int64_t>(where->threads[1], 1);
            name = tr("thread %1").arg(tupleText({thread % x, thread / x % y, thread / (x * y)}));
        }
        const QString does = !isThread(row, lane) ? tr("the block has no such thread")
                             : party < 0          ? tr("takes no part")
                                                  : doesText(m_finding->parties[std::size_t(party)]);
        return tr("%1 of block %2, lane %3 of warp %4: %5")
            .arg(name, tupleText(at.block))
            .arg(lane)
            .arg(at.warp)
            .arg(does);
    }

    QString wordsOfAll() const override {
        if (!m_finding)
            return {};
        const QStringList parts = listOf(m_finding->parties, [&](const ThreadsView& party) {
            return party.count() == 1 ? tr("%1: 1 thread").arg(doesText(party))
                                      : tr("%1: %2 threads").arg(doesText(party)).arg(party.count());
        });
        return parts.join("; ");
    }

    void paintPlaces(QPainter& painter) const override {
        if (m_rows.empty())
            return;
        const Theme& theme = this->theme();
        const QFontMetricsF metrics(painter.font());
        const std::vector<QColor> colors = threadsPalette(theme, int(m_finding->parties.size()));
        painter.setPen(theme.muted);
        for (const int lane : {0, 8, 16, 24, 31})
            painter.drawText(
                QRectF(rectOf(0, lane).center().x() - 20, m_area.top() - metrics.height(), 40, metrics.height()),
                Qt::AlignCenter, QString::number(lane));
        const double high = m_area.height() / double(m_rows.size());
        const int every = std::max(1, int(std::ceil(metrics.height() / high)));
        for (int row = 0; row < int(m_rows.size()); ++row) {
            painter.setPen(isStale() ? theme.muted : theme.text);
            if (row % every == 0)
                painter.drawText(QRectF(0, rectOf(row, 0).center().y() - metrics.height() / 2,
                                        m_area.left() - threads_margin, metrics.height()),
                                 Qt::AlignRight | Qt::AlignVCenter, nameOf(row));
            for (int lane = 0; lane < lanes_of_warp; ++lane) {
                if (!isThread(row, lane))
                    continue;
                const int party = partyOf(row, lane);
                painter.fillRect(rectOf(row, lane), party < 0 ? theme.line : shown(colors[std::size_t(party)]));
                if (isOwn(row, lane)) {
                    painter.setPen(QPen(theme.text, 2));
                    painter.setBrush(Qt::NoBrush);
                    painter.drawRect(rectOf(row, lane).adjusted(1, 1, -1, -1));
                }
            }
        }
    }

    void layOut() override {
        update();
        if (m_rows.empty())
            return;
        const QFontMetrics metrics(themes().smallFont());
        int label = 0;
        for (int row = 0; row < int(m_rows.size()); ++row)
            label = std::max(label, metrics.horizontalAdvance(nameOf(row)));
        const double left = 2 * threads_margin + label, top = threads_margin + metrics.height();
        const double wide =
            std::clamp((width() - left - threads_margin) / double(lanes_of_warp), 2.0, most_thread_cell);
        const double high =
            std::clamp((height() - top - threads_margin) / double(m_rows.size()), 1.0, most_thread_cell);
        m_area = {left, top, wide * lanes_of_warp, high * double(m_rows.size())};
    }

private:
    using ThreadsView = session::ThreadsView;
    static constexpr int lanes_of_warp = 32, threads_margin = 8;
    static constexpr double most_thread_cell = 22, between_warps = 0.18; // of a row

    struct Row { // a warp
        std::array<std::int64_t, 3> block{};
        int warp = 0;
    };
    bool isThread(int row, int lane) const { return m_rows[std::size_t(row)].warp * lanes_of_warp + lane < m_threads; }
    // the one that the finding names
    bool isOwn(int row, int lane) const {
        const Row& at = m_rows[std::size_t(row)];
        if (!m_finding->where || m_finding->where->block != at.block)
            return false;
        const auto& [block, thread, threads] = *m_finding->where;
        return thread[0] + threads[0] * (thread[1] + threads[1] * thread[2]) == at.warp * lanes_of_warp + lane;
    }

    QString nameOf(int row) const {
        const Row& at = m_rows[std::size_t(row)];
        const bool isOne = m_rows.front().block == m_rows.back().block;
        return isOne ? tr("warp %1").arg(at.warp) : tr("%1 warp %2").arg(tupleText(at.block)).arg(at.warp);
    }

    // The block of the finding first.
    std::vector<Row> rowsOfBlocks() const {
        std::vector<Row> out;
        if (!m_finding)
            return out;
        std::vector<std::array<std::int64_t, 3>> blocks;
        for (const ThreadsView& party : m_finding->parties)
            if (std::ranges::find(blocks, party.block) == blocks.end())
                blocks.push_back(party.block);
        for (const auto& block : blocks)
            for (int warp = 0; warp * lanes_of_warp < m_threads; ++warp)
                out.push_back({block, warp});
        return out;
    }

    // The first of those that a thread is in.
    std::vector<int> partiesOfCells() const {
        std::vector<int> out(m_rows.size() * lanes_of_warp, -1);
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const int begin = m_rows[row].warp * lanes_of_warp, end = begin + lanes_of_warp;
            for (std::size_t i = m_finding->parties.size(); i-- > 0;)
                if (const ThreadsView& party = m_finding->parties[i]; party.block == m_rows[row].block)
                    for (const auto& [first, last] : party.threads)
                        for (int thread = std::max(first, begin); thread <= last && thread < end; ++thread)
                            out[row * lanes_of_warp + std::size_t(thread - begin)] = int(i);
        }
        return out;
    }

    std::optional<session::DiagnosticView> m_finding;
    std::vector<Row> m_rows;
    std::vector<int> m_parties; // of each cell of the rows; -1: none
    int m_threads = 0;          // of a block
    QRectF m_area;
};

} // namespace hidet::ui
