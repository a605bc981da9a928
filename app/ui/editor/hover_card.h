// SPDX-License-Identifier: GPL-3.0-only
// What is known of a name, and what is wrong there: type, shape, layout, scope, size, value, documentation.
#pragma once

#include <QLabel>
#include <algorithm>

#include "app/session/live/assist.h"
#include "app/session/snapshot/snapshot.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/floating_panel.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace assist = session::assist;

class HoverCard : public FloatingPanel {
    Q_OBJECT
public:
    explicit HoverCard(CodeView& view) : FloatingPanel(view) {
        setObjectName("card");
        setAccessibleName(tr("Information"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        m_label->setTextFormat(Qt::RichText);
        newRow({card_padding, card_padding, card_padding, card_padding}, usual_spacing, {m_label}, this);
    }

    // At the range; with nothing to say it stays closed.
    void show(const assist::Card& card, const std::vector<const session::DiagnosticView*>& problems, ByteRange range,
              Prefer prefer) {
        QStringList parts = listOf(problems, [&](const session::DiagnosticView* problem) { return htmlOf(*problem); });
        if (card.known())
            parts << htmlOf(card);
        if (parts.isEmpty())
            return setVisible(false);
        m_range = range;
        m_label->setText(parts.join(QString("<hr style='color:%1'>").arg(theme().line.name())));
        m_label->setWordWrap(false);
        QSize wanted = m_label->sizeHint();
        const int room = std::min(card_widest, parentWidget()->width() - 4 * card_padding);
        if (wanted.width() > room) {
            m_label->setWordWrap(true);
            wanted = {room, m_label->heightForWidth(room)};
        }
        resize(wanted + QSize(2 * card_padding, 2 * card_padding));
        placeAt(range, prefer);
        setVisible(true);
    }

    QString text() const { return m_label->text(); }
    ByteRange range() const { return m_range; }

private:
    static constexpr int card_widest = 520;
    static constexpr int card_padding = 8;
    static QString escaped(const std::string& text) {
        return QString::fromStdString(text).toHtmlEscaped().replace('\n', "<br>");
    }

    QString htmlOf(const assist::Card& card) const {
        const QString code = view().themes().codeFont().family();
        QString out = QString("<div style='font-family:\"%1\"'><b>%2</b></div>").arg(code, escaped(card.title));
        QString rows;
        const std::pair<QString, const std::string*> facts[] = {
            {tr("type"), &card.type},   {tr("shape"), &card.shape}, {tr("layout"), &card.layout},
            {tr("scope"), &card.scope}, {tr("size"), &card.bytes},  {tr("value"), &card.value}};
        for (const auto& [name, value] : facts)
            if (!value->empty())
                rows += QString("<tr><td style='color:%1; padding-right:12px'>%2</td><td "
                                "style='font-family:\"%3\"'>%4</td></tr>")
                            .arg(theme().muted.name(), name, code, escaped(*value));
        if (!rows.isEmpty())
            out += "<table cellspacing='0' cellpadding='0' style='margin-top:4px'>" + rows + "</table>";
        if (!card.documentation.empty())
            out += "<div style='margin-top:8px'>" + escaped(card.documentation) + "</div>";
        return out;
    }

    QString htmlOf(const session::DiagnosticView& problem) const {
        const bool error = problem.severity == Severity::Error;
        QString out = QString("<div><span style='color:%1'><b>%2</b></span> %3</div>")
                          .arg((error ? theme().error : theme().warning).name(), error ? tr("Error:") : tr("Warning:"),
                               escaped(problem.message));
        for (const session::NoteView& note : problem.notes) {
            const QString line = note.place.known() ? tr("line %1: ").arg(note.place.line) : QString();
            out += QString("<div style='color:%1; margin-left:12px'>%2%3</div>")
                       .arg(theme().muted.name(), line, escaped(note.message));
        }
        for (const session::FixView& fix : problem.fixes)
            out += QString("<div style='margin-left:12px'>%1</div>")
                       .arg(tr("Fix: %1 (Alt+Enter)").arg(QString::fromStdString(fix.title)).toHtmlEscaped());
        return out;
    }

    QLabel* m_label = new QLabel(this);
    ByteRange m_range;
};

} // namespace hidet::ui
