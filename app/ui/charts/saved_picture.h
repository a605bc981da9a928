// SPDX-License-Identifier: GPL-3.0-only
// What is seen, on its way to a file: what each kind of file is made of, taken when it was asked for.
#pragma once

#include <functional>

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <QStringList>

class QPainter;
class QWidget;

namespace hidet::ui {

struct SavedPicture {
    QString name;                              // of the file, without an ending: "waves"
    std::function<QByteArray()> png, svg, tsv; // the whole file, on any thread; empty: there is none of that kind

    QStringList endings() const; // "png", "svg", "tsv"
};

// A widget as it looks now, at the sharpness of the screen, twice that of a plain one at least.
QImage imageOf(QWidget& widget);
QByteArray svgOf(QWidget& widget);
QByteArray svgOf(const QSizeF& size, const QString& title, const std::function<void(QPainter&)>& paint);
QByteArray pngOf(const QImage& image);
// Of both; a table where it is not empty.
SavedPicture pictureOf(QWidget& widget, const QString& name, const QString& tsv = {});
SavedPicture pictureOf(QWidget& widget, const QString& name, const QString& tsv, const QByteArray& svg);

// By the ending of the path, ".png" where it has none; a sentence where that cannot be.
QString writePicture(const SavedPicture& picture, const QString& path);
QString writeBytes(const QByteArray& bytes, const QString& path, const QString& said); // `said`: what it calls the file

} // namespace hidet::ui
