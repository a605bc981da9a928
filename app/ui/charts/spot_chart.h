// SPDX-License-Identifier: GPL-3.0-only
// A painted chart of places that the mouse or the arrow keys stand on: its spot has frames and a card that says what it is. Places
// have numbers; a chart says where they are and what they say, and paints what is in them.
#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "app/ui/charts/chart_frame.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class SpotChart : public PaintedChart {
    Q_OBJECT
public:
    static constexpr int nowhere = -1;

    void setStale(bool isStale);
    QString words() const; // of the spot; else of all
    virtual QString tsv() const = 0;
    virtual QByteArray svg() const;
    void copy(); // as a picture and as a table
    SavedPicture saved();

signals:
    void wordsChanged();

protected:
    SpotChart(ThemeSource& themes, const QString& fileName, QWidget* parent);

    virtual void paintPlaces(QPainter& painter) const = 0;
    virtual QString wordsOfAll() const = 0;
    virtual QString wordsOf(int spot) const = 0;
    virtual std::vector<QRectF> framesOf(int spot) const = 0; // the card is at the first
    virtual int spotAt(const QPointF& place) const = 0;
    // Where the key leads to from the spot; nothing: it is none of those that do.
    virtual std::optional<int> spotByKey(int key) const = 0;
    // By a click or Return. False: there is nothing to choose.
    virtual bool choose(int /*spot*/) { return false; }

    QColor shown(const QColor& color) const { return m_isStale ? theme().stale(color) : color; }
    bool isStale() const { return m_isStale; }
    int spot() const { return m_spot; }
    void renew(int spot); // other data, where this is the same place as the spot was before

    void paintEvent(QPaintEvent* event) final;
    void mouseMoveEvent(QMouseEvent* event) final;
    void mousePressEvent(QMouseEvent* event) final;
    void keyPressEvent(QKeyEvent* event) final;
    void leaveSpots() final { setSpot(nowhere); }

private:
    void setSpot(int spot);
    void paint(QPainter& painter) const;

    const QString m_fileName; // of what is saved, without an ending
    int m_spot = nowhere;
    bool m_isStale = false;
};

} // namespace hidet::ui
