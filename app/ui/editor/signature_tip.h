// SPDX-License-Identifier: GPL-3.0-only
// One line above a call: the signature of what is called, with the parameter at the caret in bold.
#pragma once

#include <QLabel>
#include <algorithm>

#include "app/session/live/assist.h"
#include "app/ui/widgets/floating_panel.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace assist = session::assist;

class SignatureTip : public FloatingPanel {
    Q_OBJECT
public:
    explicit SignatureTip(CodeView& view) : FloatingPanel(view) {
        setObjectName("signature");
        setAccessibleName(tr("Signature"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        m_label->setTextFormat(Qt::RichText);
        newRow({8, 4, 8, 4}, usual_spacing, {m_label}, this);
    }

    void show(const assist::SignatureHelp& help) {
        QString text;
        const auto active = static_cast<std::size_t>(std::max(help.active, 0));
        if (help.active >= 0 && active < help.parameters.size()) {
            const assist::Range range = help.parameters[active].range;
            text = QString("%1<b style='color:%2'>%3</b>%4")
                       .arg(piece(help.label, 0, range.begin), theme().accent.name(),
                            piece(help.label, range.begin, range.end), piece(help.label, range.end, help.label.size()));
        } else {
            text = piece(help.label, 0, help.label.size());
        }
        text = QString("<span style='font-family:\"%1\"'>%2</span>").arg(view().themes().codeFont().family(), text);
        const QString documentation = QString::fromStdString(help.documentation).section('\n', 0, 0);
        if (!documentation.isEmpty())
            text += QString("<br><span style='color:%1'>%2</span>")
                        .arg(theme().muted.name(), documentation.toHtmlEscaped());
        m_label->setText(text);
        m_label->setWordWrap(false);
        QSize wanted = m_label->sizeHint();
        if (wanted.width() > tip_widest) {
            m_label->setWordWrap(true);
            wanted = {tip_widest, m_label->heightForWidth(tip_widest)};
        }
        resize(wanted + QSize(16, 8));
        placeAt({static_cast<int>(help.callee.begin), static_cast<int>(help.callee.end)}, Prefer::Above);
        setVisible(true);
    }

    QString text() const { return m_label->text(); }

private:
    static constexpr int tip_widest = 640;
    static QString piece(const std::string& label, std::size_t begin, std::size_t end) {
        return QString::fromStdString(label.substr(begin, end - begin)).toHtmlEscaped();
    }

    QLabel* m_label = new QLabel(this);
};

} // namespace hidet::ui
