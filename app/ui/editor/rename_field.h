// SPDX-License-Identifier: GPL-3.0-only
// A new name, typed where the old one stands. What speaks against it is said below while it is typed.
#pragma once

#include <functional>

#include <QLabel>
#include <QLineEdit>

#include "app/ui/widgets/floating_panel.h"

namespace hidet::ui {

class RenameField : public FloatingPanel {
    Q_OBJECT
public:
    using Check = std::function<QString(const QString& name)>; // why the name cannot be; empty: it can

    explicit RenameField(CodeView& view);
    void open(ByteRange name, Check check);
    void close();
    QString refusal() const { return m_message->text(); }

signals:
    void accepted(const QString& name);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void accept();
    void checkName();

    QLineEdit* m_name = new QLineEdit(this);
    QLabel* m_message = new QLabel(this);
    Check m_check;
    QString m_old;
    ByteRange m_range;
};

} // namespace hidet::ui
