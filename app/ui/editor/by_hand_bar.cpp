// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/by_hand_bar.h"

#include "app/session/kernel_bench/run_texts.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

ByHandBar::ByHandBar(Studio& studio, Document& document, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_document(document), m_open(newButton("by_hand.open")) {
    setObjectName("by_hand");
    makeBar(*this);
    setNames("by_hand", m_badge, "badge", m_changed, "changed", m_text, "text");
    m_open->setText(tr("Open the script"));
    QToolButton* changes = newButton("by_hand.changes");
    changes->setText(tr("Show changes"));
    newRow({8, 4, 8, 4}, 8, {m_badge, m_changed, {m_text, 1}, m_open, changes}, this);
    QAction* compare = studio.commands.action(Command::EditByHandChanges);
    connect(changes, &QToolButton::clicked, compare, &QAction::trigger);
    connect(compare, &QAction::changed, changes, [changes, compare] { changes->setEnabled(compare->isEnabled()); });
    changes->setEnabled(compare->isEnabled());
    connect(m_open, &QToolButton::clicked, this, [this] {
        if (const auto now = byHandOf(m_studio, m_document))
            openScriptOf(m_studio, *now, m_document);
    });
    connect(&document, &Document::textChanged, this, &ByHandBar::refresh);
    connect(studio.scripts.liveOf(document), &LivePipeline::updated, this, &ByHandBar::refresh);
    connect(&studio.tabs, &OpenTabs::tabsChanged, this, &ByHandBar::refresh); // or a file has another name
    connect(&studio.settings, &Settings::changed, this, &ByHandBar::refresh);
    studio.themes.follow(this, &ByHandBar::applyTheme);
    refresh();
}

QToolButton* ByHandBar::newButton(const QString& name) {
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    return button;
}

void ByHandBar::follow(Document* script) {
    LivePipeline* live = script ? m_studio.scripts.liveOf(*script) : nullptr;
    if (live == m_followed)
        return;
    if (m_followed)
        disconnect(m_followed, nullptr, this, nullptr);
    m_followed = live;
    if (live)
        connect(live, &LivePipeline::updated, this, [this] {
            refresh();
            m_studio.commands.refresh();
        });
}

void ByHandBar::refresh() {
    const std::optional<ByHand> now = byHandOf(m_studio, m_document);
    setVisible(now.has_value());
    if (!now)
        return;
    follow(now->script);
    const GeneratedNow generated = generatedNow(m_studio, *now);
    QStringList parts;
    const QString what = now->what();
    if (!now->head.is_of_script())
        parts << tr("%1 of no script: it is compiled as you type, and cannot be run").arg(what);
    else
        parts << tr("%1 of %2, %3").arg(what, QString::fromStdString(now->head.kernels.front()), now->scriptTitle());
    if (!generated.unknown.isEmpty())
        parts << generated.unknown;
    if (const QString registers = registersOf(*m_studio.scripts.liveOf(m_document)); !registers.isEmpty())
        parts << registers;
    m_text->setText(parts.join("; "));
    m_text->setAccessibleName(m_text->text());
    m_badge->setText(generated.text && isDiverged(m_document, *generated.text) ? tr("diverged") : tr("as generated"));
    m_badge->setVisible(generated.text != nullptr);
    m_changed->setText(tr("the script has changed since"));
    m_changed->setVisible(hasScriptChanged(*now, generated.text));
    m_open->setVisible(now->head.is_of_script() && !now->script);
    applyTheme();
}

// Another text is generated than the copy began from.
bool ByHandBar::hasScriptChanged(const ByHand& byHand, const std::shared_ptr<const session::TextSnapshot>& generated) {
    if (!generated || byHand.head.generated.empty())
        return false;
    if (generated != m_hashed)
        m_hash = hash_text(generated->text);
    m_hashed = generated;
    return m_hash != byHand.head.generated;
}

QString ByHandBar::text() const {
    QStringList parts;
    for (const QLabel* label : {m_badge, m_changed, static_cast<QLabel*>(m_text)})
        if (!label->isHidden())
            parts << label->text();
    return parts.join("; ");
}

void ByHandBar::applyTheme() {
    const Theme& theme = m_studio.themes.theme();
    const auto color = [](QLabel& label, const QColor& text) {
        QPalette palette = label.palette();
        palette.setColor(QPalette::WindowText, text);
        label.setPalette(palette);
    };
    color(*m_badge, m_badge->text() == tr("diverged") ? theme.accent : theme.muted);
    color(*m_changed, theme.warning);
}

// What is generated now is kept, as the script may go on.
static void showChanges(Studio& studio, const ByHand& byHand, const GeneratedNow& generated) {
    PinnedText kept;
    kept.view.text = generated.text;
    kept.module = generated.module;
    kept.label = ByHandBar::tr("%1, as generated").arg(byHand.scriptTitle());
    kept.stage = generated.stage;
    const int number = studio.stages.keep(std::move(kept));
    studio.stages.compareWithText(number, studio.tabs.current()->title());
}

void bindByHandCommands(Studio& studio, QWidget& owner, std::function<void(const QByteArray&)> replace) {
    const auto isKnown = [&studio] {
        const auto byHand = studio.tabs.current() ? byHandOf(studio, *studio.tabs.current()) : std::nullopt;
        return byHand && generatedNow(studio, *byHand).text;
    };
    studio.commands.bind(
        Command::EditByHandChanges, &owner,
        [&studio] {
            const ByHand byHand = *byHandOf(studio, *studio.tabs.current());
            showChanges(studio, byHand, generatedNow(studio, byHand));
        },
        isKnown);
    studio.commands.bind(
        Command::EditByHandAgain, &owner,
        [&studio, replace = std::move(replace)] {
            const Document& document = *studio.tabs.current();
            const ByHand byHand = *byHandOf(studio, document);
            replace(begunAgain(byHand, *generatedNow(studio, byHand).text, document));
            studio.notices.showStatus(
                ByHandBar::tr("This is what the script generates now; undo brings back what was here"));
        },
        isKnown);
}

} // namespace hidet::ui
