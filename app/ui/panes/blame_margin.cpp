// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/blame_margin.h"

#include <Qsci/qscistyle.h>

#include <QEvent>

namespace hidet::ui {

namespace {

constexpr int note_style = 200; // below it are the lexer's and Scintilla's own
constexpr int most_letters = 24, least_letters = 8;
constexpr int share = 3; // of the pane's width, one part at most

QString shortened(const QString& pass, int letters) {
    return pass.size() <= letters ? pass : pass.left(letters - 1) + QChar(0x2026);
}

} // namespace

BlameMargin::BlameMargin(CodeView& view) : QObject(&view), m_view(view) {
    view.setMarginSensitivity(CodeView::NoteMargin, true);
    connect(&view, &QsciScintilla::marginClicked, this, [this](int margin, int line) {
        if (margin == CodeView::NoteMargin && isShown())
            emit lineActivated(line);
    });
    connect(&view.themes(), &ThemeSource::changed, this, &BlameMargin::paintNotes);
    view.installEventFilter(this);
}

int BlameMargin::lettersThatFit() const {
    const int letter = std::max(1, QFontMetrics(m_view.themes().codeFont()).horizontalAdvance('0'));
    return std::clamp(m_view.width() / share / letter - 2, least_letters, most_letters);
}

bool BlameMargin::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && lettersThatFit() != m_letters)
        paintNotes();
    return QObject::eventFilter(watched, event);
}

void BlameMargin::show(std::shared_ptr<const session::ModuleSnapshot> module,
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

void BlameMargin::paintNotes() {
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

QString BlameMargin::passOf(int line) const {
    return m_passes.value(line);
}

QString BlameMargin::htmlOf(int line) const {
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
        out +=
            QString("<p style='margin:4px 0 0 0'>%1</p>").arg(QString::fromStdString(blame->summary).toHtmlEscaped());
    if (blame->script.known())
        out += QString("<p style='margin:4px 0 0 0; color:%1'>%2</p>")
                   .arg(muted,
                        tr("From line %1, column %2 of the script").arg(blame->script.line).arg(blame->script.column));
    return out;
}

} // namespace hidet::ui
