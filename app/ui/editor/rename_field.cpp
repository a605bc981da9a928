// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/rename_field.h"

#include <algorithm>

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

RenameField::RenameField(CodeView& view) : FloatingPanel(view) {
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

void RenameField::open(ByteRange name, Check check) {
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

void RenameField::close() {
    if (!isVisible())
        return;
    setVisible(false);
    view().setFocus(Qt::OtherFocusReason);
}

void RenameField::checkName() {
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

bool RenameField::eventFilter(QObject*, QEvent* event) {
    return filterField(
        event, [this] { accept(); }, [this] { close(); });
}

void RenameField::accept() {
    const QString name = m_name->text();
    if (name == m_old)
        return close();
    if (!m_message->text().isEmpty())
        return;
    close();
    emit accepted(name);
}

} // namespace hidet::ui
