// SPDX-License-Identifier: GPL-3.0-only
// A card beside a piece of text that says what it is: an instruction, the pass that made a line. It goes when the mouse
// moves on, on any key, and when the text scrolls. A child of the window: top-level cards are misplaced by some desktops.
#pragma once

#include <QEvent>
#include <QFrame>
#include <QLabel>

#include "app/session/view/instruction_help.h"
#include "app/ui/code/code_view.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class HelpCard : public QFrame {
    Q_OBJECT
public:
    explicit HelpCard(CodeView& view) : QFrame(&view), m_view(view) {
        setObjectName("pane.help");
        setAccessibleName(tr("What this is"));
        hide();
        newColumn({12, 8, 12, 8}, usual_spacing, {m_label}, this);
        m_label->setWordWrap(true);
        m_label->setTextFormat(Qt::RichText);
        view.installEventFilter(this);
        view.viewport()->installEventFilter(this);
        connect(&view, &CodeView::scrolled, this, &QWidget::hide);
        view.themes().follow(this, &HelpCard::applyTheme);
    }

    // `html` has no text of a user's in it that is not escaped.
    void showAt(ByteRange range, const QString& html) {
        m_label->setText(html);
        // A label that wraps prefers to be narrow: as wide as the text wants, up to the limit.
        m_label->setWordWrap(false);
        const int wanted = m_label->sizeHint().width();
        m_label->setWordWrap(true);
        m_label->setFixedWidth(std::min(wanted, widest));
        adjustSize();
        QWidget* window = m_view.window();
        if (parentWidget() != window)
            setParent(window);
        const QRect at = m_view.rectOf(range);
        auto inWindow = [&](const QPoint& point) { return m_view.viewport()->mapTo(window, point); };
        QPoint place = inWindow(at.bottomLeft() + QPoint(0, 4));
        if (place.y() + height() > window->height())
            place.setY(inWindow(at.topLeft()).y() - height() - 4);
        place.setX(std::max(0, std::min(place.x(), window->width() - width())));
        move(place);
        show();
        raise();
    }

    QString text() const { return m_label->text(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        switch (event->type()) {
        case QEvent::KeyPress:
        case QEvent::FocusOut:
        case QEvent::Hide:
        case QEvent::MouseButtonPress: hide(); break;
        case QEvent::Leave:
            if (watched == m_view.viewport())
                hide();
            break;
        default: break;
        }
        return false;
    }

private:
    static constexpr int widest = 480;

    void applyTheme() {
        const Theme& theme = m_view.themes().theme();
        setStyleSheet(QString("hidet--ui--HelpCard { background: %1; border: 1px solid %2; }")
                          .arg(theme.raised.name(), theme.line.name()));
    }

    CodeView& m_view;
    QLabel* m_label = new QLabel(this);
};

inline QString htmlOf(const session::InstructionHelp& help, const Theme& theme) {
    const auto escaped = [](const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); };
    const QString muted = theme.muted.name();
    QString out = QString("<b>%1</b>").arg(escaped(help.name));
    if (!help.operands.empty())
        out += QString("&nbsp; <span style='color:%1'>%2</span>").arg(muted, escaped(help.operands));
    out += QString("<p style='margin:4px 0 0 0'>%1</p>").arg(escaped(help.meaning));
    if (!help.modifiers.empty()) {
        out += "<table style='margin-top:4px' cellspacing='0' cellpadding='0'>";
        for (const session::ModifierHelp& modifier : help.modifiers)
            out += QString("<tr><td style='padding-right:8px'>%1</td><td style='color:%2'>%3</td></tr>")
                       .arg(escaped(modifier.text), muted, escaped(modifier.meaning));
        out += "</table>";
    }
    if (!help.unit.empty())
        out += QString("<p style='margin:4px 0 0 0; color:%1'>%2</p>").arg(muted, escaped(help.unit));
    return out;
}

} // namespace hidet::ui
