// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/pages/manual_page.h"

#include <QFocusEvent>
#include <QHBoxLayout>
#include <QPointer>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextFragment>
#include <QUrl>
#include <QVBoxLayout>

#include "app/ui/pages/page_parts.h"
#include "app/ui/pages/pages.h"

namespace hidet::ui {

namespace assist = session::assist;

namespace {

constexpr const char* contents = "README";
constexpr std::size_t most_rows = 30; // of a table: QTextDocument takes longer for each further row

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

QString titleOf(const assist::ManualPlace& place) {
    const assist::ManualPage* page = assist::manual_page(place.page);
    if (!page || place.page == contents)
        return QObject::tr("Language manual");
    return QString::fromStdString(page->title);
}

} // namespace

ManualPage::ManualPage(Studio& studio) : m_studio(studio) {
    setAttribute(Qt::WA_StyledBackground);
    setProperty("page", true);
    QWidget* head = barOfPage();
    auto* row = static_cast<QHBoxLayout*>(head->layout());
    m_back = new QPushButton(tr("Back"));
    m_back->setObjectName("manual.back");
    m_title = new QLabel;
    m_title->setObjectName("manual.title");
    m_search = new QLineEdit;
    m_search->setObjectName("manual.search");
    m_search->setAccessibleName(tr("Find a word in the manual"));
    m_search->setPlaceholderText(tr("Find a word"));
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(240);
    auto* all = new QPushButton(tr("Contents"));
    auto* leave = new QPushButton(tr("Back to the script"));
    for (QWidget* part : {static_cast<QWidget*>(m_back), static_cast<QWidget*>(m_title)})
        row->addWidget(part);
    row->addStretch(1);
    for (QWidget* part : {static_cast<QWidget*>(m_search), static_cast<QWidget*>(all), static_cast<QWidget*>(leave)})
        row->addWidget(part);
    m_text = new QTextBrowser;
    m_text->setObjectName("manual.text");
    m_text->setAccessibleName(tr("Language manual"));
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(m_text, 1);
    connect(m_back, &QPushButton::clicked, this, &ManualPage::goBack);
    connect(all, &QPushButton::clicked, this, [this] { show({}); });
    connect(leave, &QPushButton::clicked, &studio, &Studio::editorRequested);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { search(m_search->text().trimmed()); });
    connect(m_text, &QTextBrowser::anchorClicked, this, &ManualPage::follow);
    connect(&studio.themes, &ThemeSource::changed, this, &ManualPage::render);
    m_place.page = contents;
    render();
}

// No proxy: Tab would go from the page to the text, and past the controls above it.
void ManualPage::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    m_text->setFocus(event->reason());
}

void ManualPage::show(const assist::ManualPlace& place) {
    assist::ManualPlace wanted = place;
    if (!wanted.known())
        wanted.page = contents;
    const bool same = wanted.page == m_place.page && wanted.anchor == m_place.anchor && wanted.word == m_place.word;
    if (!same)
        m_before << std::exchange(m_place, wanted);
    render();
}

void ManualPage::goBack() {
    if (m_before.isEmpty())
        return;
    m_place = m_before.takeLast();
    render();
}

void ManualPage::search(const QString& word) {
    if (word.isEmpty())
        return show({});
    const auto places = assist::manual_places(word.toStdString());
    if (!places.empty())
        return show(places.front());
    const QString close = QString::fromStdString(assist::manual_suggestion(word.toStdString()));
    m_studio.showStatus(close.isEmpty() ? tr("The manual does not explain '%1'").arg(word)
                                        : tr("The manual does not explain '%1'. Did you mean '%2'?").arg(word, close));
}

void ManualPage::follow(const QUrl& link) {
    const assist::ManualPlace place = placeOf(link.toString(), m_place.page);
    if (place.known())
        return show(place);
    m_studio.showStatus(tr("%1 is a file of the source tree").arg(link.toString()));
}

void ManualPage::render() {
    // A document that is shown is laid out again after each paragraph that is read.
    auto* document = new QTextDocument(m_text);
    document->setDefaultFont(m_text->font());
    document->setDocumentMargin(24);
    static const QRegularExpression picture("^!\\[.*\\]\\(.*\\)\\n\\n?", QRegularExpression::MultilineOption);
    // Pictures show this window: here they would be of no use.
    document->setMarkdown(QString::fromStdString(assist::manual_section(m_place, most_rows)).remove(picture));
    style(*document);
    const QPointer<QTextDocument> before = m_text->document();
    m_text->setDocument(document);
    delete before.data(); // the first one is gone already: it was the browser's own
    m_text->moveCursor(QTextCursor::Start);
    m_title->setText(titleOf(m_place));
    m_back->setEnabled(!m_before.isEmpty());
}

// What the reader of Markdown leaves plain: code has the font and the background of editors.
void ManualPage::style(QTextDocument& document) const {
    const Theme& theme = m_studio.themes.theme();
    const QFont code = m_studio.themes.codeFont();
    QTextCursor cursor(&document);
    cursor.beginEditBlock();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const bool fenced = block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
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
    }
    cursor.endEditBlock();
}

QWidget* makeManualPage(Studio& studio) {
    return new ManualPage(studio);
}

} // namespace hidet::ui
