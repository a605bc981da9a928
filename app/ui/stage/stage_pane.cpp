// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/stage/stage_pane.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace hidet::ui {

StagePane::StagePane(Studio& studio, StageName stage, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_stage(std::move(stage)), m_choice(new QComboBox(this)),
      m_state(new QLabel(this)), m_view(new CodeView(studio.themes, languageOf(m_stage), this)) {
    setProperty("panel", true);
    m_view->setReadOnly(true);
    m_view->SendScintilla(QsciScintilla::SCI_SETLAYOUTCACHE, static_cast<long>(QsciScintilla::SC_CACHE_PAGE));
    m_choice->setAccessibleName(tr("Stage of this pane"));
    m_state->setProperty("muted", true);
    m_state->setTextInteractionFlags(Qt::NoTextInteraction);
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_choice);
    row->addWidget(m_state, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_view, 1);
    setFocusProxy(m_view);
    connect(m_choice, &QComboBox::activated, this, [this](int row) { setStage(m_choice->itemData(row).toString()); });
    connect(&studio, &Studio::currentChanged, this, &StagePane::rebind);
    connect(&studio, &Studio::liveUpdated, this, &StagePane::refresh);
    connect(&studio.links, &LinkHub::focusChanged, this, &StagePane::showFocus);
    connect(m_view, &CodeView::caretMoved, this, [this](int offset) { pointAt(offset, LinkHub::By::Caret); });
    connect(m_view, &CodeView::hovered, this, [this](int offset) { pointAt(offset, LinkHub::By::Mouse); });
    connect(m_view, &CodeView::hoverLeft, this, [this] { m_studio.links.setMouse(m_view, std::nullopt); });
    rebind();
}

Language StagePane::languageOf(const StageName& stage) {
    if (stage.startsWith("ir"))
        return Language::Ir;
    if (stage == "cuda")
        return Language::Cuda;
    if (stage == "cpp")
        return Language::Cpp;
    if (stage == "ptx")
        return Language::Ptx;
    return stage == "sass" ? Language::Sass : Language::Plain;
}

QString StagePane::title() const {
    if (m_stage == "ir")
        return tr("IR");
    if (m_stage == "ir:script")
        return tr("IR of the script");
    if (m_stage.startsWith("ir:"))
        return tr("IR after %1").arg(m_stage.mid(3));
    return m_stage == "cpp" ? QStringLiteral("C++") : m_stage.toUpper();
}

void StagePane::setStage(const StageName& stage) {
    if (stage == m_stage)
        return;
    m_stage = stage;
    m_view->setLanguage(languageOf(stage));
    fillStages();
    refresh();
    emit titleChanged();
}

std::optional<session::Stage> StagePane::wanted(const LivePipeline& live) const {
    if (m_stage == "ir")
        return session::Stage::after_pass(session::Stage::last_pass);
    if (m_stage.startsWith("ir:")) {
        const int pass = live.board().find_pass(live.module(), m_stage.mid(3).toStdString());
        return pass < 0 ? std::nullopt : std::optional(session::Stage::after_pass(pass));
    }
    const auto form = session::find_form(m_stage.toStdString());
    return form ? std::optional(session::Stage::of_form(*form)) : std::nullopt;
}

void StagePane::fillStages() {
    const QSignalBlocker quiet(m_choice);
    m_choice->clear();
    m_choice->addItem(tr("IR after all passes"), "ir");
    for (const char* form : {"cuda", "ptx", "sass", "cpp"})
        m_choice->addItem(form == QLatin1String("cpp") ? QStringLiteral("C++") : QString(form).toUpper(), form);
    m_choice->insertSeparator(m_choice->count());
    m_choice->addItem(tr("IR of the script"), "ir:script");
    if (const LivePipeline* live = m_studio.live())
        for (const session::PassSnapshot& pass : live->board().passes(live->module()))
            if (pass.number > 0)
                m_choice->addItem(tr("IR after %1").arg(QString::fromStdString(pass.name)),
                                  "ir:" + QString::fromStdString(pass.name));
    int row = m_choice->findData(m_stage);
    if (row < 0) {
        m_choice->addItem(title(), m_stage);
        row = m_choice->count() - 1;
    }
    m_choice->setCurrentIndex(row);
    m_view->setAccessibleName(title());
}

void StagePane::rebind() {
    fillStages();
    m_shown = {};
    m_links.reset();
    m_view->showText({});
    refresh();
}

void StagePane::refresh() {
    const LivePipeline* live = m_studio.live();
    session::StageView now;
    if (!live)
        now.reason = tr("no script is open").toStdString();
    else if (const auto stage = wanted(*live))
        now = live->board().view(live->module(), *stage);
    else
        now.reason = tr("no pass has this name in this module").toStdString();
    if (m_choice->count() == 0 || (live && m_choice->count() < 8))
        fillStages();
    const bool newText = now.text != m_shown.text;
    m_shown = now;
    m_view->setStale(now.state == session::Freshness::Stale);
    m_state->setText(QString::fromStdString(now.reason));
    if (!newText)
        return;
    m_links.reset();
    m_view->showText(now.text ? QByteArray::fromStdString(now.text->text) : QByteArray());
    if (now.text && live)
        m_links.emplace(now.text, live->document().name().toStdString());
    showLinks();
    showFocus();
}

void StagePane::showLinks() {
    std::vector<LinkedRange> links;
    const LivePipeline* live = m_studio.live();
    if (m_links && live && m_studio.settings.flag(Setting::LinkColors))
        for (const session::Link& link : m_links->links())
            if (const int hue = live->hues().hue(link.source.line); hue >= 0)
                links.push_back({{int(link.range.begin), int(link.range.end)}, hue});
    m_view->setLinks(links);
}

void StagePane::showFocus() {
    const auto& focus = m_studio.links.focus();
    if (!focus || !m_links)
        return m_view->setOutlined({});
    std::vector<ByteRange> ranges;
    for (const session::TextRange& range : m_links->targets(focus->place))
        ranges.push_back({int(range.begin), int(range.end)});
    m_view->setOutlined(ranges);
    if (!ranges.empty() && focus->origin != m_view && !m_view->isVisible(ranges.front()))
        m_view->reveal(ranges.front());
}

void StagePane::pointAt(int offset, LinkHub::By by) {
    const session::Link* link = m_links ? m_links->source_of(static_cast<std::uint32_t>(offset)) : nullptr;
    std::optional<session::Place> place = link ? std::optional(link->source) : std::nullopt;
    if (by == LinkHub::By::Mouse)
        m_studio.links.setMouse(m_view, std::move(place));
    else if (m_view->hasFocus())
        m_studio.links.setCaret(m_view, std::move(place));
}

} // namespace hidet::ui
