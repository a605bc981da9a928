// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/code_pane.h"

#include <algorithm>

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>

#include "app/ui/code/colored_copy.h"
#include "app/ui/core/words.h"
#include "app/ui/live/stage_name.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

bool explainInstruction(CodeView& view, HelpCard& card, session::AssemblyLanguage language, int offset,
                        const QString& notes) {
    const ByteRange all = view.rangeOfLine(view.lineOf(offset));
    const bool byMouse = view.underMouse() && !view.hasFocus();
    const std::string text = view.bytes(all).toStdString();
    auto help = session::instruction_help(language, text, offset - all.begin + 1);
    if (!help && !byMouse && offset == view.caret())
        help = session::instruction_help(language, text);
    if (!help && notes.isEmpty())
        return false;
    const ByteRange range =
        help ? ByteRange{all.begin + int(help->range.begin), all.begin + int(help->range.end)} : all;
    const QString said = help ? htmlOf(*help, view.themes().theme()) : QString();
    card.showAt(range, said + (notes.isEmpty() ? QString() : QString("<p style='margin:6px 0 0 0'>%1</p>").arg(notes)));
    return true;
}

// What a line of a stage is, on a card: the instruction of a listing and below it the notes of the line, or which pass made
// the line. False: there is nothing to say of it.
bool explainAt(CodeView& view, HelpCard& card, const BlameMargin& blame, const StageName& stage, int offset,
               const QString& notes = {}) {
    if (stage.needsCompiler()) {
        const bool isPtx = stage.form() == session::Form::Ptx;
        return explainInstruction(view, card, isPtx ? session::AssemblyLanguage::Ptx : session::AssemblyLanguage::Sass,
                                  offset, notes);
    }
    const QString html = blame.htmlOf(view.lineOf(offset));
    if (html.isEmpty())
        return false;
    card.showAt({offset, offset + 1}, html);
    return true;
}

} // namespace

CodePane::CodePane(Studio& studio, const QString& name, Language language, QWidget* parent)
    : Pane(parent), m_studio(studio), m_header(new PaneHeader(studio, name, this)),
      m_view(new CodeView(studio.themes, language, m_page)) {
    makePanel(*this);
    m_view->setReadOnly(true);
    m_view->setObjectName(name + ".view");
    m_view->SendScintilla(QsciScintilla::SCI_SETLAYOUTCACHE, static_cast<long>(QsciScintilla::SC_CACHE_PAGE));
    m_notice->setObjectName(name + ".notice");
    m_empty->setObjectName(name + ".empty");
    m_row = newRow({}, 0, {{m_view, 1}});
    newColumn(m_page, {{m_row, 1}});
    m_body->addWidget(m_page);
    m_body->addWidget(m_empty);
    newColumn(this, {m_header, m_work, m_notice, {m_body, 1}});
    setFocusProxy(m_view);
    connect(m_header, &PaneHeader::copyRequested, this, [this] {
        QGuiApplication::clipboard()->setMimeData(coloredCopy(*m_view, {0, m_view->byteCount()}).release());
        m_studio.notices.showStatus(tr("Copied %1").arg(title()));
    });
    connect(m_work, &WorkLine::shownChanged, this, [this] { showState(); });
    connect(&studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::LinkColors)
            showLinks();
        else if (setting == Setting::Blame)
            showBlame();
    });
}

void CodePane::showEvent(QShowEvent* event) {
    Pane::showEvent(event);
    if (m_dirty)
        refresh();
}

bool CodePane::isPutOff() {
    m_dirty = !isVisible();
    return m_dirty;
}

EmptyState& CodePane::showEmpty() {
    m_body->setCurrentWidget(m_empty);
    return *m_empty;
}

bool CodePane::explain(int offset) {
    return explainAt(*m_view, *m_card, *m_blame, textStage(), offset, notesOf(m_view->lineOf(offset)));
}

std::vector<ByteRange> CodePane::joined(const session::TextSnapshot& text,
                                        const std::vector<session::TextRange>& ranges) {
    std::vector<ByteRange> out;
    for (const session::TextRange& range : ranges) {
        ByteRange trimmed{static_cast<int>(range.begin), static_cast<int>(range.end)};
        while (trimmed.begin < trimmed.end && text.text[static_cast<std::size_t>(trimmed.begin)] == ' ')
            ++trimmed.begin; // indentation is nobody's
        if (trimmed.begin == trimmed.end)
            continue;
        if (!out.empty() && isGap(text.text, out.back().end, trimmed.begin))
            out.back().end = std::max(out.back().end, trimmed.end);
        else
            out.push_back(trimmed);
    }
    return out;
}

std::optional<session::SavedStage> CodePane::savedStage() const {
    const StageName stage = textStage();
    const std::optional<session::Form> form = stage.form();
    if (stage.isEmpty() || stage.isDefinition())
        return std::nullopt;
    session::SavedStage made;
    made.version = QCoreApplication::applicationVersion().toStdString();
    made.what = titleOf(stage).toStdString();
    if (form && session::depends_on_arch(*form))
        made.arch = m_studio.settings.text(Setting::Arch).toStdString();
    if (const LiveModel* model = m_studio.tabs.current() ? nullptr : m_studio.tabs.graphModel()) {
        made.subject = model->path().toStdString();
    } else if (const Document* script = m_studio.tabs.current()) {
        made.subject = script->name().toStdString();
        made.calls = utf8Of(m_studio.scripts.live()->calls());
        if (isOfNow())
            made.text = script->text().toStdString();
    }
    return made;
}

QByteArray CodePane::madeBy() const {
    const std::optional<session::SavedStage> made = savedStage();
    if (!made)
        return {};
    const session::Form form = textStage().form().value_or(session::Form::Ir);
    return QByteArray::fromStdString(session::comment_of(*made, session::info(form).comment));
}

} // namespace hidet::ui
