// SPDX-License-Identifier: GPL-3.0-only
// Where the caret is: the functions, kernels and loops around it, from the outside in, a kernel with its marks. A click goes there.
// The outline and the palette are the way by keys.
#pragma once

#include <QWidget>

#include "app/ui/run/kernel_badges.h"

namespace hidet::ui {

class Crumbs : public QWidget {
    Q_OBJECT
public:
    explicit Crumbs(Studio& studio, QWidget* parent = nullptr);
    QString text() const; // "matmul > p ~6.9 us, 2 findings"

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct Part {
        QString text;
        QString hint;
        QColor color;
        bool isPredicted = false;
        session::Place place; // of a name; else of the kernel that is marked
    };
    void refresh();
    QFont fontOf(const Part& part) const;
    int widthOf(const Part& part) const;
    const Part* partAt(int x) const; // null: none

    Studio& m_studio;
    int m_caret = 0;
    int m_wanted = 0; // pixels of its width
    std::vector<Part> m_parts;
};

} // namespace hidet::ui
