// SPDX-License-Identifier: GPL-3.0-only
// Scripts that define operators and rules of a model: added and removed, opened at the operator that is selected, read again
// when they change on disk. What is wrong with one is told in a notice and is a problem of the script.
#pragma once

#include <QFileInfo>
#include <QHBoxLayout>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <algorithm>
#include <utility>

#include "app/session/model/model_code.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/core/paths.h"
#include "app/ui/document/file_watch.h"
#include "app/ui/graph/code/code_target.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

inline void doWithout(LiveModel& model, const QString& script) {
    QStringList left = model.setup().scripts();
    left.removeAll(script);
    model.setup().setScripts(left);
}

class ModelScripts : public QObject {
    Q_OBJECT
public:
    // `showDefinition` is for operators that no script defines.
    ModelScripts(Studio& studio, QObject* parent, std::function<void()> showDefinition)
        : QObject(parent), m_studio(studio), m_showDefinition(std::move(showDefinition)) {
        // An editor that replaces a file takes it out of the watched ones; its folder tells of the new one.
        connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_pause, qOverload<>(&QTimer::start));
        connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_pause, qOverload<>(&QTimer::start));
        connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* model) {
            connect(model, &LiveModel::stateChanged, this, [this, model] {
                updateWatched();
                showMistakes(*model);
            });
        });
        connect(&studio.tabs, &OpenTabs::modelClosing, this,
                [this] { QMetaObject::invokeMethod(this, &ModelScripts::updateWatched, Qt::QueuedConnection); });
        connect(&studio.tabs, &OpenTabs::documentAdded, this, [this](Document* document) {
            connect(document, &Document::textChanged, this, [this, document] { followText(*document); });
            for (LiveModel* model : m_studio.tabs.models())
                showMistakes(*model);
        });
        // What was not saved counts no more.
        connect(&studio.tabs, &OpenTabs::documentClosing, this, [this](Document* document) {
            if (document->isModified())
                QMetaObject::invokeMethod(
                    this, [this, path = document->path()] { readAgain(path); }, Qt::QueuedConnection);
        });
        studio.commands.bind(
            Command::ModelScripts, this, [this] { add(); }, [&studio] { return studio.tabs.model() != nullptr; });
        studio.commands.bind(
            Command::ModelOperator, this, [this] { openOperator(); },
            [&studio] {
                const LiveModel* model = studio.tabs.graphModel();
                return model && model->selection().selected().kind == GraphItem::Kind::Node;
            });
    }

    // files of all scripts, as after a sign of change
    void checkNow() {
        QStringList changed;
        for (auto each = m_seen.begin(); each != m_seen.end(); ++each)
            if (const FileStamp now = stampOf(each.key()); now != each.value()) {
                each.value() = now;
                changed << each.key();
            }
        for (LiveModel* model : m_studio.tabs.models())
            for (const QString& script : std::as_const(changed))
                if (model->setup().scripts().contains(script)) {
                    m_studio.notices.showStatus(
                        tr("Reading %1 again: %2 changed").arg(model->title(), QFileInfo(script).fileName()));
                    model->setup().outdate();
                    break;
                }
        updateWatched();
    }

private:
    static constexpr int scripts_settle_ms = 150; // writers change a file in several steps
    static QString noticeOf(const QString& script) { return "model-script:" + script; }

    // At each keystroke, as the stages of a script do.
    void followText(const Document& document) { readAgain(document.path()); }
    void readAgain(const QString& path) {
        for (LiveModel* model : m_studio.tabs.models())
            if (!path.isEmpty() && model->setup().scripts().contains(path))
                model->graphs().textEdited();
    }

    void add() {
        LiveModel& model = *m_studio.tabs.model();
        const QStringList files =
            m_studio.dialogs.open(nullptr, tr("Add operators from a script"), model.folder(), tr("Scripts (*.py)"));
        QStringList scripts = model.setup().scripts();
        for (const QString& file : files)
            if (const QString path = QFileInfo(file).absoluteFilePath(); !scripts.contains(path))
                scripts << path;
        if (scripts == model.setup().scripts())
            return;
        model.setup().setScripts(scripts);
        m_studio.notices.showStatus(
            tr("Reading %1 with the operators of %2").arg(model.title(), QFileInfo(scripts.last()).fileName()));
    }

    void openOperator() {
        const auto site = siteOfSelected();
        LiveModel* model = m_studio.tabs.graphModel();
        if (site && QFileInfo::exists(QString::fromStdString(site->file))) {
            m_studio.requests.show(*site);
            // The model follows what is typed there, so it stays in sight.
            if (const Document* script = m_studio.tabs.current();
                script && model->setup().scripts().contains(script->path()))
                m_studio.tabs.splitWith(*script, model);
            return;
        }
        m_studio.notices.showStatus(tr("This operator is built in; its definition is shown"));
        m_showDefinition();
    }

    std::optional<session::Place> siteOfSelected() const {
        const LiveModel& model = *m_studio.tabs.graphModel();
        const auto& snapshot = model.graphs().snapshot();
        const quint32 selected = model.selection().selected().node;
        if (!snapshot)
            return {};
        if (snapshot->code)
            if (const quint32 node = successorOf(*snapshot, model.graphs().shownNumber(), selected);
                node != session::no_id)
                if (auto site = snapshot->code->site_of(node))
                    return site;
        const session::ModelGraph* graph = model.graphs().shown();
        const session::GraphNode* node = graph ? graph->node(selected) : nullptr;
        return node && node->site.known() ? std::optional(node->site) : std::nullopt;
    }

    void updateWatched() {
        QStringList scripts, wanted;
        for (const LiveModel* model : m_studio.tabs.models())
            for (const QString& script : model->setup().scripts()) {
                if (!scripts.contains(script))
                    scripts << script;
                if (!m_seen.contains(script))
                    m_seen[script] = stampOf(script);
                for (const QString& path : {script, QFileInfo(script).absolutePath()})
                    if (QFileInfo::exists(path) && !wanted.contains(path))
                        wanted << path;
            }
        m_seen.removeIf([&](const auto& each) { return !scripts.contains(each.key()); });
        watchOnly(m_watcher, wanted);
    }

    void showMistakes(LiveModel& model) {
        if (model.graphs().isBusy())
            return;
        for (const QString& script : model.setup().scripts())
            showMistakesIn(script, model);
        showFailure(model);
        for (const QString& about : m_complained.keys())
            if (std::none_of(m_studio.tabs.models().begin(), m_studio.tabs.models().end(), [&](const LiveModel* each) {
                    return each->setup().scripts().contains(about) || each->path() == about;
                }))
                tell(about, {}, {});
    }

    void showMistakesIn(const QString& script, LiveModel& model) {
        const auto& outcome = model.graphs().failed() ? model.graphs().failed() : model.graphs().snapshot();
        std::vector<session::DiagnosticView> mistakes;
        if (outcome)
            for (const session::DiagnosticView& each : outcome->diagnostics)
                if (QString::fromStdString(each.place.file) == script)
                    mistakes.push_back(each);
        bool isTyped = false;
        for (Document* document : m_studio.tabs.documents())
            if (document->path() == script) {
                m_studio.scripts.setFindings(*document, mistakes);
                isTyped = isTyped || document->isModified();
            }
        if (isTyped) // what is half written is a mistake in the editor, and no news
            return tell(script, {}, {});
        const auto error = std::find_if(mistakes.begin(), mistakes.end(),
                                        [](const auto& each) { return each.severity == Severity::Error; });
        if (error == mistakes.end())
            return tell(script, {}, {});
        const QString sentence = tr("%1, line %2: %3")
                                     .arg(QFileInfo(script).fileName())
                                     .arg(error->place.line)
                                     .arg(QString::fromStdString(error->message));
        tell(script, sentence,
             {{tr("Show"), [this, place = error->place] { m_studio.requests.show(place); }},
              {tr("Do without it"), [model = QPointer<LiveModel>(&model), script] {
                   if (model)
                       doWithout(*model, script);
               }}});
    }

    // The scripts are fine by themselves, and the model cannot be read with them: one lacks an operator, say.
    void showFailure(LiveModel& model) {
        const auto failed = model.graphs().failed();
        const bool isTyped = std::ranges::any_of(m_studio.tabs.documents(), [&](const Document* document) {
            return document->isModified() &&
                   (document == model.document() || model.setup().scripts().contains(document->path()));
        });
        const bool isKnown = isTyped || model.document() ||
                             std::any_of(model.setup().scripts().begin(), model.setup().scripts().end(),
                                         [&](const QString& script) { return m_complained.contains(script); });
        if (!failed || isKnown || failed->diagnostics.empty())
            return tell(model.path(), {}, {});
        const session::DiagnosticView& first = failed->diagnostics.front();
        const std::string& message = first.notes.empty() ? first.message : first.notes.front().message;
        tell(model.path(), tr("%1 is shown as it was: %2").arg(model.title(), QString::fromStdString(message)),
             {{tr("Read again"), [model = QPointer<LiveModel>(&model)] {
                   if (model)
                       model->setup().outdate();
               }}});
    }

    // Once: what was put away stays away until there is something else to say. An empty sentence: all is fine.
    void tell(const QString& about, const QString& sentence, const QList<Offer>& offers) {
        if (sentence.isEmpty()) {
            if (m_complained.remove(about))
                m_studio.notices.withdraw(noticeOf(about));
            return;
        }
        if (std::exchange(m_complained[about], sentence) != sentence)
            m_studio.notices.notify({noticeOf(about), NoticeKind::Error, sentence, offers, {}});
    }

    Studio& m_studio;
    const std::function<void()> m_showDefinition;
    QFileSystemWatcher m_watcher;
    OneShot m_pause{scripts_settle_ms, [this] { checkNow(); }};
    QHash<QString, FileStamp> m_seen;     // as they were when they were read
    QHash<QString, QString> m_complained; // scripts and models with a notice, and what it says
};

// The scripts of the model in front, each with a button that removes it. Hidden while there are none.
class ModelScriptBar : public QWidget {
    Q_OBJECT
public:
    ModelScriptBar(Studio& studio, QWidget* parent = nullptr)
        : QWidget(parent), m_studio(studio), m_row(newRow({8, 4, 4, 4}, 4, {}, this)) {
        named(this, "code.scripts", tr("Scripts with operators"));
        connect(&studio.tabs, &OpenTabs::currentChanged, this, [this] {
            disconnect(m_connection);
            if (LiveModel* model = m_studio.tabs.model())
                m_connection = connect(model, &LiveModel::stateChanged, this, &ModelScriptBar::fill);
            fill();
        });
        connect(&studio.themes, &ThemeSource::changed, this, [this] {
            m_shown.clear();
            fill();
        });
        fill();
    }

private:
    void fill() {
        const QStringList scripts = m_studio.tabs.model() ? m_studio.tabs.model()->setup().scripts() : QStringList();
        setVisible(!scripts.isEmpty());
        if (scripts == m_shown)
            return;
        m_shown = scripts;
        while (QLayoutItem* item = m_row->takeAt(0)) {
            if (item->widget())
                item->widget()->deleteLater();
            delete item;
        }
        for (const QString& script : scripts) {
            const QString file = QFileInfo(script).fileName();
            QToolButton* open = button(file, tr("Open %1").arg(file), script);
            connect(open, &QToolButton::clicked, this, [this, script] {
                FileError error;
                if (!m_studio.tabs.open(script, error))
                    m_studio.notices.showOpenError(error);
            });
            QToolButton* remove = button({}, tr("Do without %1").arg(file), tr("Read the model without this script"));
            remove->setIcon(icon("close", m_studio.themes.theme().muted));
            connect(remove, &QToolButton::clicked, this, [this, script] {
                if (LiveModel* model = m_studio.tabs.model())
                    doWithout(*model, script);
            });
        }
        m_row->addStretch(1);
    }

    QToolButton* button(const QString& text, const QString& name, const QString& tip) {
        QToolButton* made = newToolButton(this, text, name, tip);
        made->setFont(m_studio.themes.smallFont());
        m_row->addWidget(made);
        return made;
    }

    Studio& m_studio;
    QHBoxLayout* m_row;
    QStringList m_shown;
    QMetaObject::Connection m_connection;
};

} // namespace hidet::ui
