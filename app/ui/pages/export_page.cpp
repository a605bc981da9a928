// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/pages/export_page.h"

#include <algorithm>

#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QFocusEvent>
#include <QGuiApplication>
#include <QStyle>
#include <QUrl>

#include "app/ui/core/words.h"
#include "app/ui/exporting/export_places.h"
#include "app/ui/pages/page_parts.h"
#include "app/ui/pages/pages.h"

namespace hidet::ui {

namespace {

constexpr int choices_width = 320;
constexpr int most_next = 6; // lines that are seen without scrolling

QFrame* separator() {
    auto* line = new QFrame;
    line->setProperty("separator", true);
    line->setFixedHeight(1);
    return line;
}

} // namespace

ExportPage::ExportPage(Studio& studio)
    : m_studio(studio), m_maker(this), m_formats(new ExportFormats(studio.themes)),
      m_options(new ExportOptions(studio)), m_stack(new QStackedWidget), m_files(new ExportFiles(studio.themes)),
      m_message(new EmptyState), m_problems(new ExportProblems(studio.themes)),
      m_checks(new ExportChecks(studio.themes)) {
    setAttribute(Qt::WA_StyledBackground);
    setProperty("page", true);
    m_message->setObjectName("export.message");
    for (QWidget* each :
         {static_cast<QWidget*>(m_files), static_cast<QWidget*>(m_message), static_cast<QWidget*>(m_problems)})
        m_stack->addWidget(each);
    m_below = new QWidget;
    newColumn(m_below, {separator(), makeNext(), separator(), makeActions()});
    auto* line = new QFrame;
    line->setProperty("separator", true);
    line->setFixedWidth(1);
    QHBoxLayout* body = newRow({}, 0, {makeChoices(), line, {newColumn(nullptr, {{m_stack, 1}, m_below}), 1}});
    m_work = new WorkLine(studio.themes);
    newColumn(this, {makeHead(), m_work, {body, 1}});
    listen();
    refresh();
}

QWidget* ExportPage::makeHead() {
    m_title = named(headingOf(tr("Export")), "export.title");
    m_doing = named(new ElidedLabel, "export.doing");
    m_doing->setProperty("muted", true);
    m_doing->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_stop = named(new QPushButton(tr("Stop")), "export.stop");
    QSizePolicy policy = m_stop->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // the line stays as high
    m_stop->setSizePolicy(policy);
    auto* back = named(new QPushButton(tr("Back")), "export.back");
    connect(m_stop, &QPushButton::clicked, &m_maker, &ExportMaker::stop);
    connect(back, &QPushButton::clicked, &m_studio.requests, &ViewRequests::editorRequested);
    return barOfPage({m_title, {m_doing, 1}, m_stop, back});
}

QWidget* ExportPage::makeChoices() {
    auto* area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFixedWidth(choices_width);
    area->setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget;
    inside->setProperty("page", true);
    newColumn(inside, {m_formats, separator(), m_options, stretched()});
    area->setWidget(inside);
    return area;
}

QWidget* ExportPage::makeNext() {
    auto* box = new QWidget;
    auto* title = headingOf(tr("What you do next"));
    auto* copy = named(new QPushButton(tr("Copy")), "export.copy", tr("Copy what you do next"));
    m_next = named(new QPlainTextEdit, "export.next", tr("What you do next"));
    m_next->setReadOnly(true);
    m_next->setTabChangesFocus(true);
    m_next->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_next->setFrameShape(QFrame::NoFrame);
    m_next->document()->setDocumentMargin(0);
    title->setBuddy(m_next);
    newColumn({12, 8, 8, 8}, 4, {newRow({}, -1, {{title, 1}, copy}), m_next}, box);
    connect(copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_next->toPlainText() + '\n');
        m_studio.notices.showStatus(tr("Copied what you do next"));
    });
    return box;
}

QWidget* ExportPage::makeActions() {
    auto* box = new QWidget;
    auto* title = new QLabel(tr("To"));
    m_folder = named(new QLineEdit, "export.folder", tr("Folder to write to"));
    title->setBuddy(m_folder);
    auto* choose = named(new QPushButton(tr("Choose...")), "export.choose", tr("Choose the folder"));
    m_check = named(new QPushButton(tr("Check")), "export.check");
    m_check->setToolTip(tr("Builds, loads and runs the files with what this machine has, in a folder of their own"));
    m_export = named(new QPushButton(tr("Export")), "export.export");
    m_export->setProperty("primary", true);
    QHBoxLayout* row = newRow({}, 8, {title, {m_folder, 1}, choose, m_check, m_export});
    m_said = named(new ElidedLabel, "export.said");
    m_openFolder = named(new QPushButton(tr("Open the folder")), "export.open");
    m_openFolder->setProperty("link", true);
    QHBoxLayout* line = newRow({}, -1, {{m_said, 1}, m_openFolder});
    line->addStrut(m_check->sizeHint().height()); // as high without the link
    newColumn({12, 8, 8, 8}, 4, {m_checks, row, line}, box);
    connect(choose, &QPushButton::clicked, this, &ExportPage::chooseFolder);
    connect(m_check, &QPushButton::clicked, &m_maker, &ExportMaker::check);
    connect(m_export, &QPushButton::clicked, this, &ExportPage::write);
    connect(m_folder, &QLineEdit::returnPressed, this, &ExportPage::write);
    connect(m_openFolder, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_writtenTo)); });
    return box;
}

void ExportPage::write() {
    if (m_export->isEnabled())
        m_maker.write(folder());
}

void ExportPage::listen() {
    connect(m_formats, &QListWidget::itemActivated, this, &ExportPage::write);
    connect(m_formats, &ExportFormats::formatChosen, this, &ExportPage::chooseFormat);
    connect(m_options, &ExportOptions::changed, this, &ExportPage::ask);
    connect(&m_maker, &ExportMaker::changed, this, &ExportPage::refresh);
    connect(&m_maker, &ExportMaker::checked, this, &ExportPage::showChecks);
    connect(&m_maker, &ExportMaker::written, this, &ExportPage::showWritten);
    connect(&m_maker, &ExportMaker::refused, this, [this](const QString& why) { say(capitalized(why), "error"); });
    connect(&m_maker, &ExportMaker::looked, this, &ExportPage::showExisting);
    connect(m_folder, &QLineEdit::textChanged, this, [this] {
        m_maker.look(folder());
        refresh();
    });
    connect(m_problems, &ExportProblems::placeChosen, &m_studio.requests, &ViewRequests::show);
    connect(&m_studio.scripts, &LiveScripts::liveUpdated, this, &ExportPage::followLive);
    connect(&m_studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::Arch && isVisible() && m_subject.isModel())
            chooseFormat();
    });
    m_studio.themes.follow(this, [this] {
        m_next->setFont(m_studio.themes.codeFont());
        showResult();
        showChecks();
    });
}

// --- what is exported ---

void ExportPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    open(frontOf(m_studio));
}

// What is not seen is not made; it is made again, of the text as it is then.
void ExportPage::hideEvent(QHideEvent* event) {
    m_maker.clear();
    QWidget::hideEvent(event);
}

// No proxy: Tab would go from the page to the formats, and past what is above them.
void ExportPage::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    m_formats->setFocus(event->reason());
}

void ExportPage::open(const ExportSubject& subject, const ExportPart& part) {
    const bool isOther = !(subject == m_subject);
    if (isOther)
        m_maker.clear();
    m_subject = subject;
    disconnect(m_planned);
    if (subject.isOperator())
        m_planned = connect(&subject.model->graphs(), &ModelGraphs::snapshotChanged, this, &ExportPage::followLive);
    m_title->setText(subject.isEmpty() ? tr("Export") : tr("Export %1").arg(subject.title()));
    if (isOther)
        m_options->choosePart({});
    if (!part.function.isEmpty() || part.module != 0)
        m_options->choosePart(part);
    m_formats->show(subject.isModel() ? session::ExportSubject::Model : session::ExportSubject::Script,
                    subject.isScript() || subject.isEmpty());
    chooseFormat();
}

void ExportPage::chooseFormat() {
    m_options->show(m_subject, m_formats->chosen());
    proposeFolder();
    ask();
}

void ExportPage::followLive() {
    if (!isVisible())
        return;
    if (m_subject.document)
        m_options->show(m_subject, m_formats->chosen());
    else if (m_subject.isOperator() && m_subject.model->graphs().snapshot() &&
             m_subject.model->graphs().snapshot()->is_complete)
        ask();
}

void ExportPage::ask() {
    say({});
    if (m_subject.isEmpty())
        return m_maker.clear();
    ExportOrder order = orderOf(m_subject, m_studio);
    order.request.format = m_formats->chosen().name;
    m_options->fill(order.request);
    if (m_subject.isOperator() && !order.code)
        return m_maker.clear();
    m_maker.ask(std::move(order));
}

// --- what came of it ---

bool ExportPage::isFine() const {
    return m_maker.result() && m_maker.result()->status == session::Status::Ok && !m_maker.result()->files.empty();
}

void ExportPage::refresh() {
    const bool isBusy = m_maker.isMaking() || m_maker.isChecking();
    m_work->setWorking(isBusy);
    m_stop->setVisible(isBusy);
    m_doing->setText(m_maker.isChecking() ? tr("Checking") : capitalized(m_maker.doing()));
    m_export->setEnabled(isFine() && !folder().isEmpty() && !m_maker.isWriting());
    m_check->setEnabled(isFine() && !m_maker.isChecking());
    m_openFolder->setVisible(!m_writtenTo.isEmpty());
    showResult();
}

void ExportPage::showResult() {
    const auto& result = m_maker.result();
    if (!result && m_maker.isMaking() && m_shown)
        return m_files->setStale(); // what it was before is seen until there is something new
    m_below->setVisible(isFine());
    if (isFine()) {
        if (m_shown == result)
            return;
        m_shown = result;
        m_stack->setCurrentWidget(m_files);
        m_files->show(result);
        QStringList lines = textsOf(result->next);
        if (const QString workspace = workspaceOf(m_subject); !workspace.isEmpty())
            lines << workspace;
        m_next->setPlainText(lines.join('\n'));
        const int height = QFontMetrics(m_next->font()).lineSpacing();
        m_next->setFixedHeight(height * std::clamp(int(lines.size()), 1, most_next) + 14);
        return m_maker.look(folder());
    }
    m_shown = nullptr;
    if (result)
        return showProblems();
    m_stack->setCurrentWidget(m_message);
    m_message->setAction({}, {});
    if (m_subject.isEmpty())
        m_message->say(tr("Nothing to export"), tr("Open a script or a model"));
    else if (m_maker.wasStopped()) {
        m_message->say(tr("Stopped"), {});
        m_message->setAction(tr("Make the files"), [this] { ask(); });
    } else if (m_maker.isMaking())
        m_message->say(tr("Making the files"), {});
    else if (m_subject.isOperator())
        m_message->say(tr("No kernel"), tr("No kernel computes this operator: it has no code to export"));
}

bool ExportPage::leadsSomewhere(const session::Place& place) const {
    if (!place.known() || m_subject.isOperator())
        return false;
    const QString file = text(place.file);
    return (m_subject.document && file == m_subject.document->name()) || QFileInfo::exists(file);
}

void ExportPage::showProblems() {
    const QString hint =
        m_subject.isOperator() && isForCpu(m_subject)
            ? tr("This operator is compiled for the CPU: with the target GPU or Emulator it has kernels "
                 "for a GPU")
            : QString();
    m_problems->show(
        m_maker.result()->diagnostics, [this](const session::Place& place) { return leadsSomewhere(place); }, hint);
    m_stack->setCurrentWidget(m_problems);
}

void ExportPage::showChecks() {
    m_checks->show(m_maker.steps(), m_maker.isChecking());
    refresh();
}

// --- where it goes ---

QString ExportPage::folder() const {
    QString typed = m_folder->text().trimmed();
    if (typed.isEmpty())
        return {};
    if (typed == "~" || typed.startsWith("~/"))
        typed = QDir::homePath() + typed.mid(1);
    return QDir::cleanPath(QDir(m_subject.folder()).absoluteFilePath(typed));
}

void ExportPage::proposeFolder() {
    m_writtenTo.clear();
    if (m_subject.isEmpty())
        return;
    const QString format = m_formats->chosen().name;
    const QString last = exportFolder(m_studio.settings, m_subject.key(), format);
    QString ending = format;
    ending.replace('+', 'p');
    m_folder->setText(!last.isEmpty() ? last : QDir(m_subject.folder()).filePath(m_subject.stem() + '_' + ending));
}

void ExportPage::chooseFolder() {
    const QString chosen = m_studio.dialogs.folder(window(), tr("Export to"), folder());
    if (!chosen.isEmpty())
        m_folder->setText(chosen);
}

void ExportPage::say(const QString& sentence, const char* role) {
    m_said->setText(sentence);
    m_said->setProperty("role", role);
    m_said->style()->unpolish(m_said);
    m_said->style()->polish(m_said);
}

void ExportPage::showExisting(const QString& of, const QStringList& names) {
    if (of != folder() || !isFine())
        return;
    m_files->markExisting(names);
    if (!m_writtenTo.isEmpty())
        return;
    const auto count = m_maker.result()->files.size();
    if (names.isEmpty())
        say({});
    else
        say(names.size() == 1 ? tr("%1 is there, and is replaced").arg(names.first())
                              : tr("%1 of %2 files are there, and are replaced").arg(names.size()).arg(count),
            "warning");
}

void ExportPage::showWritten(const QStringList& files, const QString& to) {
    m_writtenTo = to;
    setExportFolder(m_studio.settings, m_subject.key(), m_formats->chosen().name, to);
    const QString sentence =
        files.size() == 1 ? tr("Wrote %1").arg(files.first()) : tr("Wrote %1 files to %2").arg(files.size()).arg(to);
    say(sentence, "ok");
    m_studio.notices.showStatus(sentence);
    m_files->markExisting({});
    refresh();
}

QWidget* makeExportPage(Studio& studio) {
    return new ExportPage(studio);
}

} // namespace hidet::ui
