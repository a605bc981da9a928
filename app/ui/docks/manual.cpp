// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/docks/manual.h"

#include <QFocusEvent>
#include <QPointer>
#include <QRegularExpression>
#include <QTextDocument>
#include <QTextFragment>
#include <QTextTable>
#include <QUrl>

#include "app/ui/docks/docks.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace assist = session::assist;

namespace {

constexpr const char* contents = "README";
constexpr const char* linkToScript = "script";
constexpr int lettersOfLine = 90;
constexpr int margin = 24;                     // pixels
constexpr std::size_t most_rows_of_table = 30; // of a table: QTextDocument takes longer for each further row

// "types.md#vectors", as pages link to each other; "#vectors" is of the page itself.
assist::ManualPlace placeOf(const QString& link, const std::string& page) {
    static const QRegularExpression form("^(?:([A-Za-z]+)\\.md)?(?:#(.*))?$");
    const QRegularExpressionMatch found = form.match(link);
    assist::ManualPlace out;
    if (!found.hasMatch())
        return out;
    out.page = found.captured(1).isEmpty() ? page : found.captured(1).toStdString();
    out.anchor = found.captured(2).toStdString();
    return assist::manual_page(out.page) ? out : assist::ManualPlace();
}

} // namespace

ManualDock::ManualDock(Studio& studio) : m_studio(studio) {
    m_back = new QPushButton(tr("Back"));
    m_back->setObjectName("manual.back");
    m_search = new QLineEdit;
    m_search->setObjectName("manual.search");
    makeField(*m_search, tr("Find a word in the manual"), tr("Find a word"));
    auto* all = new QPushButton(tr("Contents"));
    m_text = new QTextBrowser;
    m_text->setObjectName("manual.text");
    m_text->setAccessibleName(tr("Language manual"));
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    newColumn(this, {newRow({8, 4, 8, 4}, usual_spacing, {m_back, all, m_search}), {m_text, 1}});
    connect(m_back, &QPushButton::clicked, this, &ManualDock::goBack);
    connect(all, &QPushButton::clicked, this, [this] { show({}); });
    connect(m_search, &QLineEdit::returnPressed, this, [this] { search(m_search->text().trimmed()); });
    connect(m_text, &QTextBrowser::anchorClicked, this, &ManualDock::follow);
    connect(&studio.themes, &ThemeSource::changed, this, &ManualDock::render);
    m_place.page = contents;
    render();
}

QSize ManualDock::sizeHint() const {
    return {widthOfLines(), 400};
}

int ManualDock::widthOfLines() const {
    return lettersOfLine * m_text->fontMetrics().averageCharWidth() + 2 * margin;
}

void ManualDock::resizeEvent(QResizeEvent* event) {
    DockWidget::resizeEvent(event);
    wrap();
}

void ManualDock::wrap() {
    const int room = m_text->viewport()->width();
    m_text->setLineWrapMode(QTextEdit::FixedPixelWidth);
    m_text->setLineWrapColumnOrWidth(std::min(room, widthOfLines()));
}

// No proxy: Tab would go from the dock to the text, and past the controls above it.
void ManualDock::focusInEvent(QFocusEvent* event) {
    DockWidget::focusInEvent(event);
    m_text->setFocus(event->reason());
}

void ManualDock::show(const assist::ManualPlace& place) {
    assist::ManualPlace wanted = place;
    if (!wanted.known())
        wanted.page = contents;
    const bool same = wanted.page == m_place.page && wanted.anchor == m_place.anchor && wanted.word == m_place.word;
    if (!same)
        m_before << std::exchange(m_place, wanted);
    render();
}

void ManualDock::goBack() {
    if (m_before.isEmpty())
        return;
    m_place = m_before.takeLast();
    render();
}

void ManualDock::showWord(const QString& word) {
    if (const auto places = assist::manual_places(word.toStdString()); !places.empty())
        show(places.front());
}

void ManualDock::search(const QString& word) {
    if (word.isEmpty())
        return show({});
    const auto places = assist::manual_places(word.toStdString());
    if (!places.empty())
        return show(places.front());
    const QString close = QString::fromStdString(assist::manual_suggestion(word.toStdString()));
    m_studio.notices.showStatus(close.isEmpty()
                                    ? tr("The manual does not explain '%1'").arg(word)
                                    : tr("The manual does not explain '%1'. Did you mean '%2'?").arg(word, close));
}

void ManualDock::follow(const QUrl& link) {
    if (link.scheme() == linkToScript) {
        m_studio.tabs.create(m_scripts.value(link.path().toInt()));
        return emit m_studio.requests.editorRequested();
    }
    const assist::ManualPlace place = placeOf(link.toString(), m_place.page);
    if (place.known())
        return show(place);
    m_studio.notices.showStatus(tr("%1 is a file of the source tree").arg(link.toString()));
}

QString ManualDock::markdown() {
    // Pictures show this window: here they would be of no use.
    static const QRegularExpression picture("^!\\[.*\\]\\(.*\\)\\n\\n?", QRegularExpression::MultilineOption);
    static const QRegularExpression script("^```python\\n(.*?)^```\\n",
                                           QRegularExpression::MultilineOption |
                                               QRegularExpression::DotMatchesEverythingOption);
    const QString text = QString::fromStdString(assist::manual_section(m_place, most_rows_of_table)).remove(picture);
    m_scripts.clear();
    QString out;
    qsizetype at = 0;
    for (auto found = script.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        out += text.sliced(at, match.capturedEnd() - at);
        out += QString("\n[%1](%2:%3)\n\n").arg(tr("Open as a script"), linkToScript).arg(m_scripts.size());
        m_scripts << match.captured(1).toUtf8();
        at = match.capturedEnd();
    }
    return out + text.sliced(at);
}

void ManualDock::render() {
    // A document that is shown is laid out again after each paragraph that is read.
    auto* document = new QTextDocument(m_text);
    document->setDefaultFont(m_text->font());
    document->setDocumentMargin(margin);
    document->setMarkdown(markdown());
    style(*document);
    const QPointer<QTextDocument> before = m_text->document();
    m_text->setDocument(document);
    delete before.data(); // the first one is gone already: it was the browser's own
    wrap();
    m_text->moveCursor(QTextCursor::Start);
    m_back->setEnabled(!m_before.isEmpty());
}

// What the reader of Markdown leaves plain: code has the font, the background and the colours of editors.
void ManualDock::style(QTextDocument& document) const {
    const Theme& theme = m_studio.themes.theme();
    const QFont code = m_studio.themes.codeFont();
    for (QTextFrame* frame : document.rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorder(1);
            format.setBorderBrush(theme.line);
            format.setCellSpacing(0);
            format.setCellPadding(4);
            table->setFormat(format);
        }
    QTextCursor cursor(&document);
    cursor.beginEditBlock();
    LineState state = 0;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const QTextBlockFormat before = block.blockFormat();
        const bool fenced = before.hasProperty(QTextFormat::BlockCodeFence);
        cursor.setPosition(block.position());
        if (fenced) {
            QTextBlockFormat format;
            format.setBackground(theme.panel);
            cursor.mergeBlockFormat(format);
        }
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment fragment = part.fragment();
            const bool isCode = fenced || fragment.charFormat().fontFixedPitch();
            if (!isCode && !fragment.charFormat().isAnchor())
                continue;
            QTextCharFormat format;
            if (isCode)
                format.setFontFamilies(code.families());
            if (fragment.charFormat().isAnchor())
                format.setForeground(theme.accent);
            cursor.setPosition(fragment.position());
            cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(format);
        }
        const bool isScript = fenced && before.stringProperty(QTextFormat::BlockCodeLanguage) == "python";
        if (isScript)
            colour(block, state);
        else
            state = 0;
    }
    cursor.endEditBlock();
}

void ManualDock::colour(QTextBlock block, LineState& state) const {
    const Theme& theme = m_studio.themes.theme();
    const QByteArray line = block.text().toUtf8() + '\n';
    QTextCursor cursor(block);
    qsizetype at = 0;
    for (const ColoredRun& run : colorLine(Language::Script, line.toStdString(), state)) {
        const qsizetype end = std::min<qsizetype>(at + run.length, line.size() - 1);
        QTextCharFormat format;
        format.setForeground(theme.readable(theme.color(run.color), theme.panel));
        const int letters = int(QString::fromUtf8(line.sliced(at, std::max<qsizetype>(end - at, 0))).size());
        cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor, letters);
        cursor.mergeCharFormat(format);
        cursor.clearSelection();
        at += run.length;
    }
}

DockWidget* makeManualDock(Studio& studio) {
    return new ManualDock(studio);
}

} // namespace hidet::ui
