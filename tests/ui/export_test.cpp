// SPDX-License-Identifier: GPL-3.0-only
// The page of exports, driven by keys: what it shows, writes and checks.
#include <QClipboard>
#include <QComboBox>
#include <QDirIterator>
#include <QProcess>
#include <QSignalSpy>

#include "app/ui/core/placement.h"
#include "app/ui/pages/export_page.h"
#include "app/ui/workbench/live_model.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet;
using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

namespace {

constexpr int long_ms = 60'000;

QByteArray sampleText(const QString& name) {
    QFile file(QString(HIDET_SAMPLES "/kernels/%1.py").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QMap<QString, QByteArray> filesBelow(const QString& folder) {
    QMap<QString, QByteArray> out;
    QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories);
    while (each.hasNext()) {
        QFile file(each.next());
        if (file.open(QIODevice::ReadOnly))
            out[QDir(folder).relativeFilePath(file.fileName())] = file.readAll();
    }
    return out;
}

} // namespace

class ExportTest : public QObject {
    Q_OBJECT

    std::unique_ptr<StudioFixture> m_studio;

    Studio& studio() { return m_studio->studio(); }
    ExportPage& page() { return *m_studio->window().findChild<ExportPage*>(); }
    template <class Widget>
    Widget& part(const char* name) {
        return *page().findChild<Widget*>(name);
    }
    QString said() { return part<QLabel>("export.said").text(); }
    bool settles() {
        return QTest::qWaitFor([this] { return page().isSettled(); }, long_ms);
    }
    bool open(QWidget& where) {
        where.setFocus();
        QTest::keyClick(&where, Qt::Key_E, Qt::ControlModifier);
        return m_studio->window().pages().page() == "export";
    }
    bool openScript(const QString& sample) {
        return m_studio->openSample(sample) && m_studio->settle() && open(m_studio->editor());
    }
    // Walks down the list to it.
    bool choose(const QString& format) {
        auto& formats = part<ExportFormats>("export.formats");
        formats.setFocus();
        QTest::keyClick(&formats, Qt::Key_Home);
        for (int i = 0; i < formats.count() && formats.currentItem()->text() != format; ++i)
            QTest::keyClick(&formats, Qt::Key_Down);
        return formats.currentItem()->text() == format && settles();
    }
    void typeFolder(const QString& folder) {
        auto& field = part<QLineEdit>("export.folder");
        field.setFocus();
        field.selectAll();
        test::typeInto(field, folder);
    }
    bool writeTo(const QString& folder) {
        typeFolder(folder);
        QSignalSpy written(&page().maker(), &ExportMaker::written);
        QTest::keyClick(&part<QLineEdit>("export.folder"), Qt::Key_Return);
        return written.count() > 0 || written.wait(long_ms);
    }
    QString folder(const QString& name) { return m_studio->folder() + '/' + name; }
    QMap<QString, QByteArray> ofCommandLine(const QStringList& words) {
        const QString out = folder("by_hidetc");
        QProcess hidetc;
        hidetc.start(QCoreApplication::applicationDirPath() + "/hidetc",
                     QStringList{"export"} + words + QStringList{"-o", out + '/'});
        if (!hidetc.waitForFinished(long_ms) || hidetc.exitCode() != 0)
            qCritical("%s", hidetc.readAllStandardError().constData());
        return filesBelow(out);
    }
    bool openModel(const QString& name, session::Placement placement) {
        setPlacement(studio().settings, placement);
        studio().tabs.openModel(QString(HIDET_SAMPLES "/../tests/models/%1/%1.onnx").arg(name));
        return QTest::qWaitFor(
            [this] {
                return studio().tabs.model()->graphs().snapshot() &&
                       studio().tabs.model()->graphs().snapshot()->is_complete;
            },
            long_ms);
    }
    bool checks() {
        QTest::keyClick(&part<QPushButton>("export.check"), Qt::Key_Space);
        return QTest::qWaitFor([this] { return !page().maker().isChecking(); }, long_ms);
    }

private slots:
    void init() { m_studio = std::make_unique<StudioFixture>(); }
    void cleanup() { m_studio.reset(); }

    void theKeyShowsTheFilesOfTheScriptInFront() {
        QVERIFY(openScript("few_rows_matmul"));
        QCOMPARE(part<QLabel>("export.title").text(), QString("Export few_rows_matmul.py"));
        QVERIFY(part<ExportFormats>("export.formats").hasFocus());
        QVERIFY(choose("cuda"));
        auto& files = part<QTreeWidget>("export.files");
        QVERIFY(files.topLevelItemCount() > 0);
        QVERIFY(files.topLevelItem(0)->text(0).endsWith(".cu"));
        QVERIFY(part<CodeView>("export.view").bytes().contains("// script: few_rows_matmul.py"));
        QVERIFY(part<CodeView>("export.view").codeLanguage() == Language::Cuda);
        QTest::keyClick(&part<ExportFormats>("export.formats"), Qt::Key_Escape);
        QVERIFY(m_studio->window().pages().page().isEmpty());
    }

    void writesWhatTheCommandLineWrites_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<QString>("format");
        QTest::newRow("a file") << "softmax"
                                << "cuda";
        QTest::newRow("machine code") << "softmax"
                                      << "c";
        QTest::newRow("a tree") << "vector_addition"
                                << "torch";
        QTest::newRow("with what the script computed") << "dynamic_matmul"
                                                       << "cmake";
    }
    void writesWhatTheCommandLineWrites() {
        QFETCH(QString, sample);
        QFETCH(QString, format);
        QVERIFY(openScript(sample));
        QVERIFY(choose(format));
        if (page().maker().result()->status == session::Status::Environment)
            QSKIP(page().maker().result()->diagnostics.front().message.c_str());
        QVERIFY(writeTo(folder("written")));
        const auto wanted = ofCommandLine({folder(sample + ".py"), "--format", format});
        QVERIFY(!wanted.isEmpty());
        QCOMPARE(filesBelow(folder("written")), wanted);
        QVERIFY2(said().startsWith("Wrote"), qPrintable(said()));
        QVERIFY(part<QPushButton>("export.open").isVisible());
    }

    void whatIsOnTheScreenIsExportedAlsoUnsaved() {
        m_studio->openText(sampleText("vector_addition"));
        QVERIFY(m_studio->settle());
        QVERIFY(m_studio->retype("a[i] + b[i]", "a[i] * b[i]"));
        QVERIFY(open(m_studio->editor()));
        QVERIFY(choose("cuda"));
        const QByteArray shown = part<CodeView>("export.view").bytes();
        QVERIFY2(shown.contains("a[i] * b[i]"), shown);
    }

    void aMistakeLeadsToItsLine() {
        m_studio->openText(sampleText("vector_addition").replace("+ b[i]", "+ facter"));
        QVERIFY(m_studio->settle());
        QVERIFY(open(m_studio->editor()));
        QVERIFY(settles());
        auto& problems = part<QTreeWidget>("export.problems");
        QVERIFY(problems.isVisible());
        QVERIFY(!part<QPushButton>("export.export").isVisible());
        QVERIFY2(problems.topLevelItem(0)->text(0).contains("facter"), qPrintable(problems.topLevelItem(0)->text(0)));
        problems.setFocus();
        QTest::keyClick(&problems, Qt::Key_Return);
        QVERIFY(m_studio->window().pages().page().isEmpty());
        int line = 0, column = 0;
        m_studio->editor().getCursorPosition(&line, &column);
        QCOMPARE(line + 1, 26);
    }

    void anOptionThatChangesMeanwhileCounts() {
        QVERIFY(openScript("softmax"));
        QVERIFY(choose("cuda"));
        QSignalSpy changed(&page().maker(), &ExportMaker::changed);
        auto& older = part<QCheckBox>("export.arch.sm_80");
        older.setFocus();
        QTest::keyClick(&older, Qt::Key_Space);
        QVERIFY(page().maker().isMaking());
        QVERIFY(!page().maker().result());
        QTest::keyClick(&older, Qt::Key_Space);
        auto& newer = part<QCheckBox>("export.arch.sm_89");
        newer.setFocus();
        QTest::keyClick(&newer, Qt::Key_Space);
        QVERIFY(settles());
        const QByteArray shown = part<CodeView>("export.view").bytes();
        QVERIFY2(shown.contains("architecture: sm_89"), shown);
        QTest::keyClick(&older, Qt::Key_Space);
        QVERIFY(settles());
        QCOMPARE(part<QTreeWidget>("export.files").topLevelItemCount(), 2);
    }

    void onlyWhatTheFormatHeedsCanBeChosen() {
        QVERIFY(openScript("softmax"));
        QVERIFY(choose("cuda"));
        QVERIFY(!part<QCheckBox>("export.contracts").isVisible());
        QVERIFY(!part<QSpinBox>("export.seed").isVisible());
        QVERIFY(!part<QComboBox>("export.targets").isVisible());
        QVERIFY(choose("cmake"));
        QVERIFY(part<QCheckBox>("export.contracts").isVisible());
        QVERIFY(part<QSpinBox>("export.seed").isVisible());
        QVERIFY(part<QCheckBox>("export.arch.sm_80").isVisible());
        QVERIFY(!part<QCheckBox>("export.arch.x86-64-v3").isVisible());
        QVERIFY(choose("cpu"));
        QVERIFY(!part<QCheckBox>("export.arch.sm_80").isVisible());
        auto& level = part<QCheckBox>("export.arch.x86-64-v3");
        QVERIFY(level.isVisible());
        level.setFocus();
        QTest::keyClick(&level, Qt::Key_Space);
        QVERIFY(settles());
        if (page().maker().result()->status == session::Status::Environment)
            QSKIP(page().maker().result()->diagnostics.front().message.c_str());
        QVERIFY(writeTo(folder("written")));
        QCOMPARE(filesBelow(folder("written")),
                 ofCommandLine({folder("softmax.py"), "--format", "cpu", "--arch", "x86-64-v3"}));
    }

    void oneKernelOfSeveralIsExported() {
        QVERIFY(m_studio->openSample("host_launch") && m_studio->settle());
        const QByteArray text = m_studio->editor().bytes();
        const auto at = text.indexOf("attrs.func_kind");
        QVERIFY(at > 0);
        m_studio->editor().setCaret(int(at));
        m_studio->editor().setFocus();
        QTest::keyClick(&m_studio->editor(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(choose("c"));
        const QString kernel = part<QComboBox>("export.part").currentText();
        QVERIFY2(kernel != "All", qPrintable(kernel));
        if (page().maker().result()->status == session::Status::Environment)
            QSKIP(page().maker().result()->diagnostics.front().message.c_str());
        QVERIFY(writeTo(folder("written")));
        QCOMPARE(filesBelow(folder("written")),
                 ofCommandLine({folder("host_launch.py"), "--format", "c", "--function", kernel}));
    }

    void filesThatAreThereAreNamedBeforeTheyAreReplaced() {
        QVERIFY(openScript("softmax"));
        QVERIFY(choose("cuda"));
        QVERIFY(writeTo(folder("written")));
        QVERIFY(choose("cubin"));
        QVERIFY(choose("cuda"));
        QCOMPARE(part<QLineEdit>("export.folder").text(), folder("written")); // remembered
        QTRY_COMPARE(said(), QString("softmax.cu is there, and is replaced"));
        QVERIFY(part<QTreeWidget>("export.files").topLevelItem(0)->text(2).contains("replaces"));
        typeFolder(folder("elsewhere"));
        QTRY_COMPARE(said(), QString());
    }

    void aFolderThatCannotBeWrittenIsSaidInPlace() {
        QVERIFY(openScript("softmax"));
        QVERIFY(choose("cuda"));
        QFile file(folder("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        typeFolder(folder("file") + "/below");
        QTRY_VERIFY_WITH_TIMEOUT(part<QPushButton>("export.export").isEnabled(), long_ms);
        QTest::keyClick(&part<QPushButton>("export.export"), Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(said().contains(folder("file")), long_ms);
        QCOMPARE(part<QLabel>("export.said").property("role").toString(), QString("error"));
        QVERIFY(!part<QPushButton>("export.open").isVisible());
        QCOMPARE(m_studio->window().pages().page(), QString("export"));
    }

    void theFolderIsChosenInADialog() {
        QVERIFY(openScript("softmax"));
        m_studio->answerDialogs({folder("chosen")});
        QTest::keyClick(&part<QPushButton>("export.choose"), Qt::Key_Space);
        QCOMPARE(part<QLineEdit>("export.folder").text(), folder("chosen"));
    }

    void whatComesNextIsCopied() {
        QVERIFY(openScript("softmax"));
        QVERIFY(choose("cuda"));
        QTest::keyClick(&part<QPushButton>("export.copy"), Qt::Key_Space);
        QVERIFY2(QGuiApplication::clipboard()->text().startsWith("nvcc -arch=sm_90a"),
                 qPrintable(QGuiApplication::clipboard()->text()));
    }

    void aModelIsWrittenAsThePackageOfTheCommandLineAndChecked() {
        QVERIFY(openModel("mlp", session::Placement::Cpu));
        QVERIFY(open(*QApplication::focusWidget()));
        auto& targets = part<QComboBox>("export.targets");
        targets.setFocus();
        QTest::keyClick(&targets, Qt::Key_Down);
        QTest::keyClick(&targets, Qt::Key_Down);
        QCOMPARE(targets.currentText(), QString("CPU"));
        QVERIFY(!part<QCheckBox>("export.arch.sm_80").isVisible());
        QVERIFY(settles());
        if (page().maker().result()->status == session::Status::Environment)
            QSKIP(page().maker().result()->diagnostics.front().message.c_str());
        QVERIFY(writeTo(folder("written")));
        QCOMPARE(filesBelow(folder("written")), ofCommandLine({studio().tabs.model()->path(), "--target", "cpu"}));
        QVERIFY(part<CodeView>("export.view").bytes().startsWith("00000000  50 4b 03 04"));
        QVERIFY(checks());
        const auto& steps = page().maker().steps();
        const auto run = std::ranges::find_if(
            steps, [](const session::CheckStep& step) { return step.what.starts_with("On the CPU"); });
        QVERIFY(run != steps.end());
        for (const session::CheckStep& step : steps)
            QVERIFY2(step.state != session::CheckStep::State::Failed, step.said.c_str());
        QVERIFY2(run->state == session::CheckStep::State::Passed, run->said.c_str());
    }

    void aModelIsWrittenForTritonAndChecked() {
        QVERIFY(openModel("mlp", session::Placement::Cpu));
        QVERIFY(open(*QApplication::focusWidget()));
        auto& targets = part<QComboBox>("export.targets");
        QTest::keyClick(&targets, Qt::Key_End);
        QTest::keyClick(&targets, Qt::Key_Up);
        QCOMPARE(targets.currentText(), QString("CPU"));
        QVERIFY(choose("triton"));
        if (page().maker().result()->status == session::Status::Environment)
            QSKIP(page().maker().result()->diagnostics.front().message.c_str());
        QVERIFY(part<QTreeWidget>("export.files").topLevelItemCount() > 2);
        QVERIFY(checks());
        for (const session::CheckStep& step : page().maker().steps()) {
            qInfo("%s: %s", step.what.c_str(), step.said.c_str());
            QVERIFY2(step.state != session::CheckStep::State::Failed, step.said.c_str());
        }
    }

    void whatIsBeingMadeCanBeStopped() {
        QVERIFY(openModel("mlp", session::Placement::Cpu));
        QVERIFY(open(*QApplication::focusWidget()));
        QVERIFY(page().maker().isMaking());
        QTest::keyClick(&part<QPushButton>("export.stop"), Qt::Key_Space);
        QVERIFY(!page().maker().isMaking());
        QVERIFY(!page().maker().result());
        auto& message = part<EmptyState>("export.message");
        QCOMPARE(message.title(), QString("Stopped"));
        QTest::keyClick(message.findChild<QPushButton*>(), Qt::Key_Space);
        QVERIFY(page().maker().isMaking());
        QVERIFY(settles());
        QVERIFY(page().maker().result());
    }

    void oneOperatorOfAModelIsExported() {
        QVERIFY(openModel("mlp", session::Placement::Emulate));
        const session::ModelGraph& graph = *studio().tabs.model()->graphs().last();
        const auto node = std::ranges::find_if(graph.nodes, [](const auto& each) { return each->name == "dense1"; });
        QVERIFY(node != graph.nodes.end());
        studio().tabs.model()->selection().select(GraphItem::ofNode((*node)->id));
        studio().commands.refresh();
        QVERIFY(m_studio->trigger("model.export_operator"));
        QCOMPARE(part<QLabel>("export.title").text(), QString("Export dense1 of mlp.onnx"));
        QVERIFY(choose("cuda"));
        QVERIFY(part<CodeView>("export.view").bytes().contains("// script: dense1.ir"));
        auto& formats = part<ExportFormats>("export.formats");
        QVERIFY(!(formats.findItems("cmake", Qt::MatchExactly).first()->flags() & Qt::ItemIsEnabled));
    }

    void anOperatorForTheCpuSaysWhyItHasNoKernel() {
        QVERIFY(openModel("mlp", session::Placement::Cpu));
        const session::ModelGraph& graph = *studio().tabs.model()->graphs().last();
        studio().tabs.model()->selection().select(GraphItem::ofNode(graph.nodes.front()->id));
        studio().commands.refresh();
        QVERIFY(m_studio->trigger("model.export_operator"));
        QVERIFY(choose("cuda"));
        const auto& problems = part<QTreeWidget>("export.problems");
        QVERIFY(problems.isVisible());
        QVERIFY(problems.topLevelItem(problems.topLevelItemCount() - 1)->text(0).contains("compiled for the CPU"));
    }

    void whatNobodyCheckedIsNotCalledRight() {
        QVERIFY(openScript("softmax"));
        QVERIFY(choose("torch"));
        if (page().maker().result()->status == session::Status::Environment)
            QSKIP(page().maker().result()->diagnostics.front().message.c_str());
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", "/nowhere");
        const bool isDone = checks();
        qputenv("PATH", path);
        QVERIFY(isDone);
        const auto& steps = page().maker().steps();
        QCOMPARE(steps.size(), std::size_t(1));
        QVERIFY(steps.front().state == session::CheckStep::State::Missing);
        QCOMPARE(steps.front().said, std::string("python3 is not found"));
        QCOMPARE(part<QLabel>("export.verdict").text(), QString("Check: not checked"));
    }

    void aCheckCompilesWhatWasExported() {
        QVERIFY(openScript("softmax"));
        QVERIFY(choose("c"));
        if (page().maker().result()->status == session::Status::Environment)
            QSKIP(page().maker().result()->diagnostics.front().message.c_str());
        QVERIFY(checks());
        const auto& first = page().maker().steps().front();
        if (first.state == session::CheckStep::State::Missing)
            QSKIP(first.said.c_str());
        QVERIFY2(first.state == session::CheckStep::State::Passed, first.said.c_str());
        QVERIFY(part<QTreeWidget>("export.steps").topLevelItemCount() >= 2); // and the driver, or that it is missing
    }

    // As far as this machine can: what it has not is said by its name.
    void everyFormatIsChecked() {
        QVERIFY(openScript("vector_addition"));
        auto& formats = part<ExportFormats>("export.formats");
        for (int row = 0; row < formats.count(); ++row) {
            const QString format = formats.item(row)->text();
            QVERIFY2(choose(format), qPrintable(format));
            if (page().maker().result()->status == session::Status::Environment)
                continue;
            QVERIFY2(checks(), qPrintable(format));
            QVERIFY2(!page().maker().steps().empty(), qPrintable(format));
            for (const session::CheckStep& step : page().maker().steps()) {
                const QString said = format + ": " + QString::fromStdString(step.what + ": " + step.said);
                QVERIFY2(step.state != session::CheckStep::State::Failed, qPrintable(said));
                QVERIFY2(step.state == session::CheckStep::State::Passed || !step.said.empty(), qPrintable(said));
                qInfo("%s%s", step.state == session::CheckStep::State::Missing ? "missing: " : "", qPrintable(said));
            }
        }
    }

    void aFileThatIsLongIsShownInPart() {
        session::ExportedFile file{"long.c", std::string(100, 'x') + '\n' + std::string(100, 'y') + '\n', false};
        session::FileView view = session::view_of(file, 150);
        QVERIFY(view.is_text && !view.is_whole());
        QCOMPARE(view.shown, std::size_t(101));
        QCOMPARE(view.text, std::string(100, 'x') + '\n');
        QVERIFY(session::view_of(file).is_whole());
        file.bytes = std::string("\x7f"
                                 "ELF\0\1",
                                 6) +
                     std::string(2000, '\0');
        view = session::view_of(file);
        QVERIFY(!view.is_text && !view.is_whole());
        QVERIFY2(view.text.starts_with("00000000  7f 45 4c 46 00 01 00"), view.text.c_str());
        QVERIFY(view.text.find(".ELF") != std::string::npos);
    }

    void noEventWaitsForAnExport() {
        QVERIFY(openScript("tensor_core_matmul"));
        auto* app = static_cast<Application*>(qApp);
        app->resetSlowest();
        for (const char* format : {"c++", "cmake", "tvm-ffi", "cuda"})
            QVERIFY(choose(format));
        qInfo("the longest event took %.1f ms: %s", app->slowest().ms, qPrintable(app->slowest().what));
        QVERIFY2(app->slowest().ms < 250, qPrintable(app->slowest().what));
    }
};

HIDET_UI_TEST_MAIN(ExportTest)
#include "export_test.moc"
