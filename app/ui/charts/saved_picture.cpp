// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/saved_picture.h"

#include <algorithm>

#include <QBuffer>
#include <QFileInfo>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QWidget>

#include "app/ui/core/words.h"

namespace hidet::ui {

QStringList SavedPicture::endings() const {
    QStringList out;
    for (const auto& [ending, make] : {std::pair("png", &png), {"svg", &svg}, {"tsv", &tsv}})
        if (*make)
            out << ending;
    return out;
}

QImage imageOf(QWidget& widget) {
    const qreal scale = std::max(2.0, widget.devicePixelRatioF());
    QImage image(widget.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::transparent);
    widget.render(&image);
    return image;
}

QByteArray svgOf(QWidget& widget) {
    return svgOf(widget.size(), widget.accessibleName(), [&widget](QPainter& painter) { widget.render(&painter); });
}

QByteArray svgOf(const QSizeF& size, const QString& title, const std::function<void(QPainter&)>& paint) {
    QByteArray out;
    QBuffer buffer(&out);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size.toSize());
    generator.setViewBox(QRectF(QPointF(), size));
    generator.setTitle(title);
    QPainter painter(&generator);
    paint(painter);
    painter.end();
    return out;
}

QByteArray pngOf(const QImage& image) {
    QByteArray out;
    QBuffer buffer(&out);
    image.save(&buffer, "PNG");
    return out;
}

SavedPicture pictureOf(QWidget& widget, const QString& name, const QString& tsv) {
    return pictureOf(widget, name, tsv, svgOf(widget));
}

SavedPicture pictureOf(QWidget& widget, const QString& name, const QString& tsv, const QByteArray& svg) {
    SavedPicture out;
    out.name = name;
    out.png = [image = imageOf(widget)] { return pngOf(image); };
    out.svg = [svg] { return svg; };
    if (!tsv.isEmpty())
        out.tsv = [tsv] { return tsv.toUtf8(); };
    return out;
}

QString writePicture(const SavedPicture& picture, const QString& path) {
    const QString ending = QFileInfo(path).suffix().toLower();
    const auto& make = ending == "svg" ? picture.svg : ending == "tsv" ? picture.tsv : picture.png;
    if (!make || (!ending.isEmpty() && !picture.endings().contains(ending)))
        return tr("%1 cannot be written: this picture is saved as %2")
            .arg(path, picture.endings().join(", ").toUpper());
    return writeBytes(make(), ending.isEmpty() ? path + ".png" : path, path);
}

QString writeBytes(const QByteArray& bytes, const QString& path, const QString& said) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return tr("%1 cannot be written: %2").arg(said, file.errorString());
}

} // namespace hidet::ui
