// SPDX-License-Identifier: GPL-3.0-only
// A new name, typed where the old one stands. What speaks against it is said below while it is typed.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <algorithm>
#include <functional>

#include "app/ui/widgets/floating_panel.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class RenameField : public FloatingPanel {
    Q_OBJECT
public:
    using Check = std::function<QString(const QString& name)>; // why the name cannot be; empty: it can

    explicit RenameField(CodeView& view) : FloatingPanel(view) {
        setObjectName("rename");
        setAccessibleName(tr("Rename"));
        m_name->setObjectName("renameText");
        m_name->setAccessibleName(tr("New name"));
        m_message->setProperty("role", "error");
        m_message->setWordWrap(true);
        m_name->installEventFilter(this);
        newColumn({4, 4, 4, 4}, 4, {m_name, m_message}, this);
        connect(m_name, &QLineEdit::textChanged, this, &RenameField::checkName);
    }

    void open(ByteRange name, Check check) {
        m_range = name;
        m_check = std::move(check);
        m_old = QString::fromUtf8(view().bytes(name));
        m_name->setFont(view().themes().codeFont());
        m_name->setText(m_old);
        m_name->selectAll();
        checkName();
        setVisible(true);
        raise();
        m_name->setFocus(Qt::ShortcutFocusReason);
    }

    QString refusal() const { return m_message->text(); }

signals:
    void accepted(const QString& name);

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        return filterField(event, [this] { accept(); });
    }

private:
    void accept() {
        const QString name = m_name->text();
        if (name == m_old)
            return leave();
        if (!m_message->text().isEmpty())
            return;
        leave();
        emit accepted(name);
    }

    void checkName() {
        const QString name = m_name->text();
        const QString refusal = name == m_old || !m_check ? QString() : m_check(name);
        m_message->setText(refusal);
        m_message->setVisible(!refusal.isEmpty());
        const int wanted = QFontMetrics(m_name->font()).horizontalAdvance(name + "000000");
        const int width = std::clamp(wanted, 160, 480);
        m_name->setFixedWidth(std::max(width, refusal.isEmpty() ? 0 : 280));
        adjustSize();
        placeAt(m_range, Prefer::Below);
    }

    QLineEdit* m_name = new QLineEdit(this);
    QLabel* m_message = new QLabel(this);
    Check m_check;
    QString m_old;
    ByteRange m_range;
};

} // namespace hidet::ui
