// SPDX-License-Identifier: GPL-3.0-only
// The factors of a composition in a row, as they stand in the script: their numbers, and buttons that move them, take them
// out and add some.
#pragma once

#include <QApplication>
#include <QEnterEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QWidget>
#include <functional>

#include "app/session/view/canvas_grid.h"
#include "app/ui/core/icons.h"
#include "app/ui/mapping/number_field.h"
#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class FactorBar : public QWidget {
    Q_OBJECT
public:
    FactorBar(ThemeSource& themes, QWidget* parent)
        : QWidget(parent), m_themes(themes), m_row(new FlowLayout(4, 4, this)) {
        m_row->setContentsMargins(0, 0, 0, 0);
    }

    // Where the factors are the same ones, the widgets stay, and the keyboard with them.
    void show(const session::Canvas& canvas) {
        if (const QString shape = shapeOf(canvas); shape != m_shape) {
            build(canvas);
            m_shape = shape;
        }
        for (std::size_t f = 0; f < canvas.factors.size(); ++f)
            for (std::size_t n = 0; n < canvas.factors[f].numbers.size(); ++n) {
                const auto& number = canvas.factors[f].numbers[n];
                const QString text = QString::fromStdString(number.text);
                m_numbers[qsizetype(f)][qsizetype(n)]->show(
                    number.value, number.name.empty() ? text : QString::fromStdString(number.name),
                    number.literal.empty() ? tr("%1 %2").arg(text, QString::fromStdString(number.refusal)) : QString());
            }
    }

    using QWidget::show;

signals:
    void numberChanged(int factor, int number, qint64 value);
    void pointedAt(int factor); // by the mouse, or by the keyboard in one of its numbers; -1: none any more
    void dragged(bool begins);
    void swapped(int left); // with the one behind it
    void removed(int factor);
    void added(QString name);
    void refused(QString reason);

private:
    // The ground of one factor. Says when it is pointed at.
    class Chip : public QWidget {
    public:
        Chip(ThemeSource& themes, std::function<void(bool)> pointed, QWidget* parent)
            : QWidget(parent), m_themes(themes), m_pointed(std::move(pointed)), row(newRow({8, 2, 4, 2}, 4, {}, this)) {
        }

    private:
        void paintEvent(QPaintEvent*) override {
            QPainter painter(this);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(m_themes.theme().line);
            painter.setBrush(m_themes.theme().window);
            painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        }
        void enterEvent(QEnterEvent* event) override {
            QWidget::enterEvent(event);
            m_pointed(true);
        }
        void leaveEvent(QEvent* event) override {
            QWidget::leaveEvent(event);
            m_pointed(isAncestorOf(QApplication::focusWidget()));
        }
        bool eventFilter(QObject* watched, QEvent* event) override { // of its numbers
            if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
                m_pointed(event->type() == QEvent::FocusIn || underMouse());
            return QWidget::eventFilter(watched, event);
        }
        ThemeSource& m_themes;
        std::function<void(bool)> m_pointed;

    public:
        QHBoxLayout* const row;
    };

    void build(const session::Canvas& canvas) {
        for (QWidget* part : std::as_const(m_parts)) {
            part->hide();
            part->deleteLater();
        }
        m_parts.clear();
        m_numbers.clear();
        emit pointedAt(-1);
        for (int factor = 0; factor < int(canvas.factors.size()); ++factor)
            addFactor(canvas, factor);
        for (const std::string& each : session::added_factors(canvas)) {
            const QString name = QString::fromStdString(each);
            QToolButton* add = newButton("mapping.add_" + name, "plus",
                                         tr("Adds a factor %1 of extents 1 at the end").arg(name), this);
            add->setText(name);
            add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            connect(add, &QToolButton::clicked, this, [this, name] { emit added(name); });
            addPart(add);
        }
    }

    void addFactor(const session::Canvas& canvas, int index) {
        const auto& factor = canvas.factors[std::size_t(index)];
        const QString name = QString::fromStdString(factor.name);
        const bool isLast = index + 1 == int(canvas.factors.size());
        auto* chip = new Chip(
            m_themes, [this, index](bool is) { emit pointedAt(is ? index : -1); }, this);
        auto* label = new QLabel(name, chip);
        useCodeFont(label);
        label->setTextFormat(Qt::PlainText);
        label->setToolTip(QString::fromStdString(factor.refusal));
        chip->row->addWidget(label);
        QList<NumberField*> numbers;
        for (int n = 0; n < int(factor.numbers.size()); ++n) {
            numbers.append(newNumber(index, n, name, chip));
            numbers.last()->installEventFilter(chip);
            chip->row->addWidget(numbers.last());
        }
        m_numbers.append(numbers);
        addPart(chip);
        if (canvas.factors.size() < 2)
            return;
        QToolButton* remove =
            newButton(QString("mapping.remove_%1").arg(index), "close", tr("Takes %1 out").arg(name), chip);
        chip->row->addWidget(remove);
        connect(remove, &QToolButton::clicked, this, [this, index] { emit removed(index); });
        if (isLast)
            return;
        const QString next = QString::fromStdString(canvas.factors[std::size_t(index) + 1].name);
        QToolButton* swap =
            newButton(QString("mapping.swap_%1").arg(index), "swap", tr("Swaps %1 with %2").arg(name, next), this);
        connect(swap, &QToolButton::clicked, this, [this, index] { emit swapped(index); });
        addPart(swap);
    }

    NumberField* newNumber(int factor, int number, const QString& name, QWidget* chip) {
        auto* field = named(new NumberField(m_themes, chip), QString("mapping.number_%1_%2").arg(factor).arg(number),
                            tr("Number %1 of %2").arg(number + 1).arg(name));
        useCodeFont(field);
        connect(field, &NumberField::changed, this,
                [this, factor, number](qint64 value) { emit numberChanged(factor, number, value); });
        connect(field, &NumberField::dragged, this, &FactorBar::dragged);
        connect(field, &NumberField::refused, this, &FactorBar::refused);
        return field;
    }

    QToolButton* newButton(const QString& name, const QString& iconName, const QString& tip, QWidget* parent) {
        QToolButton* button = named(newToolButton(parent, {}, tip, tip), name);
        m_themes.follow(button, [=, this] { button->setIcon(icon(iconName, m_themes.theme().muted)); });
        return button;
    }

    void useCodeFont(QWidget* part) {
        m_themes.follow(part, [=, this] { part->setFont(m_themes.codeFont()); });
    }

    void addPart(QWidget* part) {
        m_row->addWidget(part);
        m_parts.append(part);
        part->show();
    }

    // equal: the same widgets
    static QString shapeOf(const session::Canvas& canvas) {
        QString out;
        for (const auto& factor : canvas.factors)
            out += QString::fromStdString(factor.name) + '/' + QString::number(factor.numbers.size()) + ' ';
        for (const std::string& name : session::added_factors(canvas))
            out += '+' + QString::fromStdString(name);
        return out;
    }

    ThemeSource& m_themes;
    FlowLayout* m_row;
    QString m_shape;
    QList<QWidget*> m_parts;
    QList<QList<NumberField*>> m_numbers;
};

} // namespace hidet::ui
