// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/icons.h"

#include <map>
#include <tuple>

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include "lang/base/check.h"

// In a static library nothing but this links them; the macro must stand outside of namespaces.
static void initIcons() {
    Q_INIT_RESOURCE(icons);
}

namespace hidet::ui {

namespace {

// Renders at the size that is asked for, so that nothing is blurred at 1.25 or at 2.
class SvgEngine : public QIconEngine {
public:
    SvgEngine(QByteArray svg, QByteArray disabled) : m_svg(std::move(svg)), m_disabled(std::move(disabled)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        if (rect.isEmpty())
            return; // squeezed out of a layout
        const bool other = mode == QIcon::Disabled && !m_disabled.isEmpty();
        QSvgRenderer renderer(other ? m_disabled : m_svg);
        if (mode == QIcon::Disabled && !other)
            painter->setOpacity(painter->opacity() * 0.4);
        renderer.render(painter, QRectF(rect));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        if (size.isEmpty())
            return {};
        // A window that is painted again asks for the same few once more.
        QPixmap& out = m_made[{size.width(), size.height(), mode == QIcon::Disabled}];
        if (out.isNull()) {
            out = QPixmap(size);
            out.fill(Qt::transparent);
            QPainter painter(&out);
            paint(&painter, QRect(QPoint(), size), mode, state);
        }
        return out;
    }
    QIconEngine* clone() const override { return new SvgEngine(m_svg, m_disabled); }

private:
    QByteArray m_svg;
    QByteArray m_disabled; // empty: as the other, faint
    std::map<std::tuple<int, int, bool>, QPixmap> m_made;
};

} // namespace

QIcon icon(const QString& name, const QColor& color, const QColor& disabled) {
    initIcons();
    QFile file(":/icons/" + name + ".svg");
    HIDET_CHECK(file.open(QIODevice::ReadOnly), name.toStdString());
    const QByteArray drawing = file.readAll();
    auto in = [&](const QColor& of) { return QByteArray(drawing).replace("currentColor", of.name().toLatin1()); };
    return QIcon(new SvgEngine(in(color), disabled.isValid() ? in(disabled) : QByteArray()));
}

} // namespace hidet::ui
