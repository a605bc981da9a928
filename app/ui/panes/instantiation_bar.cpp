// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/instantiation_bar.h"

#include <QCryptographicHash>

#include "app/session/live/assist.h"
#include "app/ui/core/icons.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

namespace assist = session::assist;

bool holdsKernel(const assist::OutlineNode& node) {
    for (const assist::OutlineNode& child : node.children)
        if (child.kind == assist::OutlineKind::Kernel || holdsKernel(child))
            return true;
    return false;
}

// "(m, n: int, k=8)" -> m, n. Brackets in annotations and defaults nest.
QStringList parametersIn(const QString& definition) {
    QStringList out;
    QString now;
    int depth = 0;
    for (qsizetype i = std::max<qsizetype>(0, definition.indexOf('(')); i < definition.size(); ++i) {
        const QChar c = definition[i];
        const bool opens = QString("([{").contains(c), closes = QString(")]}").contains(c);
        if ((depth == 1 && c == ',') || (closes && depth == 1)) {
            const QString name = now.section(':', 0, 0).trimmed();
            if (!now.contains('=') && !name.isEmpty() && !name.startsWith('*'))
                out << name;
            now.clear();
        } else if (depth > 0) {
            now += c;
        }
        depth += opens - closes;
        if (depth == 0)
            break;
    }
    return out;
}

QStringList callsIn(const QString& text) {
    QStringList out;
    for (const QString& call : text.split(';', Qt::SkipEmptyParts))
        out << call.trimmed();
    return out;
}

} // namespace

QList<KernelFactory> factoriesIn(const assist::Document& document) {
    QList<KernelFactory> out;
    const std::string& text = assist::text_of(document);
    for (const assist::OutlineNode& node : assist::outline(document))
        if (node.kind == assist::OutlineKind::Function && holdsKernel(node)) {
            const std::size_t begin = node.name_range.end;
            out << KernelFactory{QString::fromStdString(node.name),
                                 parametersIn(QString::fromStdString(text.substr(begin, node.range.end - begin)))};
        }
    return out;
}

InstantiationBar::InstantiationBar(Studio& studio, QWidget* parent) : QWidget(parent), m_studio(studio) {
    setObjectName("call");
    makeBar(*this);
    newRow({8, 4, 8, 4}, 8, {m_text, {m_call, 1}, m_show, m_clear}, this);
    setNames("call", m_call, "text", m_show, "show");
    m_call->setAccessibleName(tr("Call to show"));
    m_call->setMinimumWidth(120);
    m_clear->setAccessibleName(tr("Take the call away"));
    m_clear->setToolTip(tr("Take the call away"));
    m_clear->setFocusPolicy(Qt::TabFocus);
    connect(m_call, &QLineEdit::returnPressed, this, &InstantiationBar::apply);
    connect(m_show, &QPushButton::clicked, this, &InstantiationBar::apply);
    connect(m_clear, &QToolButton::clicked, this, [this] {
        m_call->clear();
        apply();
    });
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &InstantiationBar::restore);
    studio.scripts.follow({&LiveScripts::liveUpdated}, this, &InstantiationBar::refresh);
    studio.themes.follow(this, &InstantiationBar::applyTheme);
    hide();
}

void InstantiationBar::applyTheme() {
    m_clear->setIcon(icon("close", m_studio.themes.theme().muted));
}

QString InstantiationBar::key() const {
    const QString path = m_studio.tabs.current() ? m_studio.tabs.current()->path() : QString();
    if (path.isEmpty())
        return {};
    const QByteArray hash = QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha1).toHex().left(16);
    return "calls/" + QString::fromLatin1(hash);
}

void InstantiationBar::restore() {
    m_call->clear();
    m_seen.reset();
    m_factories.clear();
    LivePipeline* live = m_studio.scripts.live();
    follow(live);
    if (live && live->calls().isEmpty() && !key().isEmpty()) {
        const QStringList calls = m_studio.settings.extra(key()).toStringList();
        if (!calls.isEmpty())
            live->setCalls(calls);
    }
    if (live)
        showCalls();
    refresh();
}

void InstantiationBar::follow(LivePipeline* live) {
    if (live == m_live)
        return;
    if (m_live)
        disconnect(m_live, nullptr, this, nullptr);
    m_live = live;
    if (live)
        connect(live, &LivePipeline::callsChanged, this, [this] {
            showCalls();
            refresh();
        });
}

// What was typed is not replaced by what it means.
void InstantiationBar::showCalls() {
    const QStringList& calls = m_live->calls();
    if (callsIn(m_call->text()) != calls)
        m_call->setText(calls.join("; "));
}

void InstantiationBar::apply() {
    LivePipeline* live = m_studio.scripts.live();
    if (!live)
        return;
    const QStringList calls = callsIn(m_call->text());
    live->setCalls(calls);
    if (!key().isEmpty())
        m_studio.settings.setExtra(key(), calls.isEmpty() ? QVariant() : QVariant(calls));
    refresh();
}

void InstantiationBar::refresh() {
    const LivePipeline* live = m_studio.scripts.live();
    const auto& latest = live ? live->latest() : nullptr;
    if (!latest)
        return hide();
    const bool entered = !live->calls().isEmpty();
    m_clear->setVisible(entered);
    if (entered) {
        m_text->setText(tr("Shown for the call"));
        return show();
    }
    // Only a script that was read whole says that nothing calls its kernels; until then the bar stays as it is.
    if (!latest->evaluated || latest->broken || !latest->document)
        return;
    if (m_seen.lock() != latest->document) {
        m_seen = latest->document;
        m_factories = latest->modules.empty() ? factoriesIn(*latest->document) : QList<KernelFactory>();
    }
    setVisible(!m_factories.isEmpty());
    if (m_factories.isEmpty())
        return;
    m_text->setText(tr("Nothing calls %1. Show it for").arg(m_factories.first().name));
    m_call->setPlaceholderText(m_factories.first().call());
}

} // namespace hidet::ui
