// SPDX-License-Identifier: GPL-3.0-only
// A margin that names the pass that made each line; where lines of one pass follow each other, once.
#pragma once

#include <QEvent>
#include <QStringList>
#include <Qsci/qscistyle.h>

#include "app/session/view/blame.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

class BlameMargin : public QObject {
    Q_OBJECT
public:
    explicit BlameMargin(CodeView& view) : QObject(&view), m_view(view) {
        view.setMarginSensitivity(CodeView::NoteMargin, true);
        connect(&view, &QsciScintilla::marginClicked, this, [this](int margin, int line) {
            if (margin == CodeView::NoteMargin && isShown())
                emit lineActivated(line);
        });
        connect(&view.themes(), &ThemeSource::changed, this, &BlameMargin::paintNotes);
        view.installEventFilter(this);
    }

    // Null: the margin goes.
    void show(std::shared_ptr<const session::ModuleSnapshot> module,
              std::shared_ptr<const session::TextSnapshot> text) {
        if (!module || !text) {
            if (!isShown())
                return;
            m_module = nullptr;
            m_text = nullptr;
            m_passes.clear();
            m_view.clearMarginText();
            m_view.setMarginWidth(CodeView::NoteMargin, 0);
            return;
        }
        if (text == m_text && module == m_module)
            return;
        m_module = std::move(module);
        m_text = std::move(text);
        m_passes.clear();
        for (const session::OriginView& line : m_text->lines)
            m_passes << QString::fromStdString(line.pass);
        paintNotes();
    }

    bool isShown() const { return m_module != nullptr; }
    // 0-based; empty: none
    QString passOf(int line) const { return m_passes.value(line); }
    // for the card; empty: nothing to say
    QString htmlOf(int line) const {
        if (!isShown())
            return {};
        const auto blame = session::blame(*m_module, *m_text, line + 1);
        if (!blame)
            return {};
        const QString muted = m_view.themes().theme().muted.name();
        QString out = blame->pass.empty()
                          ? tr("Written in the script")
                          : tr("Made by <b>%1</b>").arg(QString::fromStdString(blame->pass).toHtmlEscaped());
        if (!blame->summary.empty())
            out += QString("<p style='margin:4px 0 0 0'>%1</p>")
                       .arg(QString::fromStdString(blame->summary).toHtmlEscaped());
        if (blame->script.known())
            out +=
                QString("<p style='margin:4px 0 0 0; color:%1'>%2</p>")
                    .arg(muted,
                         tr("From line %1, column %2 of the script").arg(blame->script.line).arg(blame->script.column));
        return out;
    }

signals:
    void lineActivated(int line); // a click into the margin

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize && lettersThatFit() != m_letters)
            paintNotes();
        return QObject::eventFilter(watched, event);
    }

private:
    static constexpr int note_style = 200; // below it are the lexer's and Scintilla's own
    static constexpr int most_letters = 24, least_letters = 8;
    static constexpr int share = 3; // of the pane's width, one part at most
    static QString shortened(const QString& pass, int letters) {
        return pass.size() <= letters ? pass : pass.left(letters - 1) + QChar(0x2026);
    }

    void paintNotes() {
        if (!isShown())
            return;
        m_letters = lettersThatFit();
        const Theme& theme = m_view.themes().theme();
        const QsciStyle style(note_style, {}, theme.muted, theme.panel, m_view.themes().codeFont());
        m_view.clearMarginText();
        QString widest, last;
        for (qsizetype line = 0; line < m_passes.size(); ++line) {
            const QString& pass = m_passes[line];
            const QString shown = shortened(pass, m_letters);
            if (shown.size() > widest.size())
                widest = shown;
            if (pass != last && !pass.isEmpty())
                m_view.setMarginText(static_cast<int>(line), ' ' + shown, style);
            last = pass;
        }
        m_view.setMarginWidth(CodeView::NoteMargin, widest.isEmpty() ? QStringLiteral(" ") : "  " + widest);
    }

    int lettersThatFit() const {
        const int letter = std::max(1, QFontMetrics(m_view.themes().codeFont()).horizontalAdvance('0'));
        return std::clamp(m_view.width() / share / letter - 2, least_letters, most_letters);
    }

    CodeView& m_view;
    std::shared_ptr<const session::ModuleSnapshot> m_module;
    std::shared_ptr<const session::TextSnapshot> m_text;
    QStringList m_passes; // by line
    int m_letters = 0;    // of a pass that are shown
};

} // namespace hidet::ui
