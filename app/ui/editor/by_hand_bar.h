// SPDX-License-Identifier: GPL-3.0-only
// Above a text that was changed by hand: of which script it is, whether it still is what that generates, what its kernels use, and
// what can be done about it.
#pragma once

#include <QLabel>
#include <QPointer>
#include <QToolButton>

#include "app/ui/widgets/elided_label.h"
#include "app/ui/workbench/by_hand.h"

namespace hidet::ui {

class ByHandBar : public QWidget {
    Q_OBJECT
public:
    ByHandBar(Studio& studio, Document& document, QWidget* parent);

    QString text() const; // all that it says

private:
    QToolButton* newButton(const QString& name);
    void refresh();
    void follow(Document* script);
    bool hasScriptChanged(const ByHand& byHand, const std::shared_ptr<const session::TextSnapshot>& generated);
    void applyTheme();

    Studio& m_studio;
    Document& m_document;
    QLabel* m_badge = new QLabel(this);   // "diverged"
    QLabel* m_changed = new QLabel(this); // "the script has changed since"
    ElidedLabel* m_text = new ElidedLabel(this);
    QToolButton* m_open;
    QPointer<LivePipeline> m_followed;
    std::shared_ptr<const session::TextSnapshot> m_hashed; // the newest that was generated
    std::string m_hash;
};

void bindByHandCommands(Studio& studio, QWidget& owner, std::function<void(const QByteArray&)> replace);

} // namespace hidet::ui
