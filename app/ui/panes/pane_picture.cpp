// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pane_picture.h"

#include <QBuffer>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace hidet::ui {

namespace {

QByteArray svgOf(QWidget& widget) {
    QByteArray out;
    QBuffer buffer(&out);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(widget.size());
    generator.setViewBox(widget.rect());
    generator.setTitle(widget.accessibleName());
    QPainter painter(&generator);
    widget.render(&painter);
    painter.end();
    return out;
}

QByteArray pngOf(QWidget& widget) {
    const qreal scale = std::max(2.0, widget.devicePixelRatioF());
    QImage image(widget.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::transparent);
    widget.render(&image);
    QByteArray out;
    QBuffer buffer(&out);
    image.save(&buffer, "PNG");
    return out;
}

} // namespace

bool exportPicture(QWidget& widget, const QString& path, QString& error) {
    QSaveFile file(path);
    const QByteArray picture = path.endsWith(".svg", Qt::CaseInsensitive) ? svgOf(widget) : pngOf(widget);
    if (file.open(QIODevice::WriteOnly) && file.write(picture) == picture.size() && file.commit())
        return true;
    error = QObject::tr("%1 cannot be written: %2").arg(path, file.errorString());
    return false;
}

} // namespace hidet::ui
