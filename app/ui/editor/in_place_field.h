// SPDX-License-Identifier: GPL-3.0-only
// One line that is typed where it belongs: a new name, the condition of a breakpoint. What speaks against it is said below while it
// is typed.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <algorithm>
#include <functional>

#include "app/ui/widgets/floating_panel.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class InPlaceField : public FloatingPanel {
    Q_OBJECT
public:
    using Check = std::function<QString(const QString& text)>; // why the text cannot be; empty: it can

    InPlaceField(CodeView& view, const QString& id, const QString& spoken) : FloatingPanel(view) {
        setObjectName(id);
        setAccessibleName(spoken);
        m_text->setObjectName(id + "Text");
        m_text->setAccessibleName(spoken);
        m_message->setProperty("role", "error");
        m_message->setWordWrap(true);
        m_text->installEventFilter(this);
        newColumn({4, 4, 4, 4}, 4, {m_text, m_message}, this);
        connect(m_text, &QLineEdit::textChanged, this, &InPlaceField::checkText);
    }

    // At what it is about. `hint` stands in it while it is empty.
    void open(ByteRange at, const QString& text, Check check, const QString& hint = {}) {
        m_range = at;
        m_check = std::move(check);
        m_old = text;
        m_text->setFont(view().themes().codeFont());
        m_text->setPlaceholderText(hint);
        m_text->setText(m_old);
        m_text->selectAll();
        checkText();
        setVisible(true);
        raise();
        m_text->setFocus(Qt::ShortcutFocusReason);
    }

    QString refusal() const { return m_message->text(); }

signals:
    void accepted(const QString& text);

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        return filterField(event, [this] { accept(); });
    }

private:
    void accept() {
        const QString text = m_text->text();
        if (text == m_old)
            return leave();
        if (!m_message->text().isEmpty())
            return;
        leave();
        emit accepted(text);
    }

    void checkText() {
        const QString refusal = m_check ? m_check(m_text->text()) : QString();
        m_message->setText(refusal);
        m_message->setVisible(!refusal.isEmpty());
        const QString shown = m_text->text().isEmpty() ? m_text->placeholderText() : m_text->text();
        const int wanted = QFontMetrics(m_text->font()).horizontalAdvance(shown + "000000");
        const int width = std::clamp(wanted, 160, 480);
        m_text->setFixedWidth(std::max(width, refusal.isEmpty() ? 0 : 280));
        adjustSize();
        placeAt(m_range, Prefer::Below);
    }

    QLineEdit* m_text = new QLineEdit(this);
    QLabel* m_message = new QLabel(this);
    Check m_check;
    QString m_old;
    ByteRange m_range;
};

} // namespace hidet::ui
