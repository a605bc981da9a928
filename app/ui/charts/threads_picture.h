// SPDX-License-Identifier: GPL-3.0-only
// The threads of the blocks that a finding is about, a row for each warp and a cell for each lane, in the colour of where they
// stand or what they did. The mouse or the arrow keys say of a thread where that is; a click or Return goes to the line.
#pragma once

#include <array>
#include <optional>

#include "app/session/snapshot/snapshot.h"
#include "app/ui/charts/spot_chart.h"

namespace hidet::ui {

QString tupleText(const std::array<std::int64_t, 3>& numbers);    // "(0, 1, 0)"
QString doesText(const session::ThreadsView& party);              // "waits at line 12"
std::vector<QColor> threadsPalette(const Theme& theme, int many); // a colour for each party

class ThreadsPicture : public SpotChart {
    Q_OBJECT
public:
    explicit ThreadsPicture(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::optional<session::DiagnosticView> finding); // nothing: there is none
    using QWidget::show;
    bool hasPicture() const { return !m_rows.empty(); }
    QRectF rectOf(int row, int lane) const;
    int partyOf(int row, int lane) const; // -1: of none
    QSize sizeHint() const override { return {640, 180}; }
    QSize minimumSizeHint() const override { return {320, 96}; }
    QString tsv() const override;

signals:
    void picked(int party);

protected:
    int spotAt(const QPointF& place) const override;
    std::optional<int> spotByKey(int key) const override;
    bool choose(int spot) override;
    std::vector<QRectF> framesOf(int spot) const override;
    QString wordsOf(int spot) const override;
    QString wordsOfAll() const override;
    void paintPlaces(QPainter& painter) const override;
    void layOut() override;

private:
    struct Row { // a warp
        std::array<std::int64_t, 3> block{};
        int warp = 0;
    };
    bool isThread(int row, int lane) const;
    bool isOwn(int row, int lane) const; // the one that the finding names
    QString nameOf(int row) const;
    std::vector<Row> rowsOfBlocks() const;
    std::vector<int> partiesOfCells() const;

    std::optional<session::DiagnosticView> m_finding;
    std::vector<Row> m_rows;
    std::vector<int> m_parties; // of each cell of the rows; -1: none
    int m_threads = 0;          // of a block
    QRectF m_area;
};

} // namespace hidet::ui
