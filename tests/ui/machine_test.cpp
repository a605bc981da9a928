// SPDX-License-Identifier: GPL-3.0-only
// What machine code says of itself and what a GPU counted, in the real window. Compiler, disassembler and profiler are programs
// that look like them and give what was recorded of the sample naive_matmul.
#include <QClipboard>
#include <QMenu>
#include <QTextBrowser>
#include <QTimer>
#include <QTreeWidget>

#include "app/ui/editor/editor_pane.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/profiles.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::in;
using hidet::ui::test::StudioFixture;

namespace {

QByteArray recorded() {
    QFile file(HIDET_TESTS "/golden/toolchain/machine_code.txt");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray text = file.readAll();
    const qsizetype begin = text.indexOf('\n', text.indexOf("\n# ==== ") + 1) + 1;
    return text.mid(begin, text.indexOf("\n# ---- expect", begin) - begin);
}

void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

void writeDisassembler(const QString& program, const QString& code) {
    write(program, "#!/bin/sh\ncat >/dev/null\ncat " + code.toUtf8() + "\n");
    QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

int lineWith(CodeView& view, const QByteArray& text) {
    return view.lineOf(static_cast<int>(view.bytes().indexOf(text)));
}

} // namespace

class MachineTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        const QByteArray text = recorded();
        const qsizetype at = text.indexOf("#### live registers\n");
        QVERIFY(at > 0);
        const QString code = m_folder.filePath("code");
        write(code, text.left(at));
        const QString spilling = m_folder.filePath("code_spills");
        write(spilling, text.left(at).replace("LDG.E R19, desc[UR4][R14.64] ;", "LDL R19, [R1] ;"));
        writeDisassembler(m_folder.filePath("nvdisasm"), code);
        writeDisassembler(m_folder.filePath("nvdisasm_spills"), spilling);
        qputenv("HIDET_NVRTC", HIDET_FAKE_NVRTC);
        qputenv("HIDET_LIBCUDA", HIDET_FAKE_CUDA);
        qputenv("HIDET_NVDISASM", m_folder.filePath("nvdisasm").toUtf8());
        qputenv("HIDET_NCU", HIDET_TESTS "/harness/fake_ncu.py");
        qputenv("FAKE_NCU_CODE", code.toUtf8());
    }

    void cleanup() {
        qunsetenv("FAKE_NCU");
        qputenv("HIDET_NVDISASM", m_folder.filePath("nvdisasm").toUtf8());
    }

    void aKeyExplainsMachineCodeBesideIt() {
        StudioFixture studio;
        StagePane& pane = openSass(studio);
        QVERIFY(!pane.machine().isVisible());
        pane.view().setFocus();
        QVERIFY(studio.trigger("pane.machine"));
        QTRY_VERIFY_WITH_TIMEOUT(pane.machine().isVisible(), 20'000);
        const int product = lineWith(pane.view(), "FFMA R28, R19");
        QVERIFY2(pane.machine().hintOf(product).contains("Waits for barrier 2"),
                 qPrintable(pane.machine().hintOf(product)));
        QVERIFY(pane.machine().hintOf(product).contains("Live registers: "));
        QVERIFY(pane.machine().hintOf(0).isEmpty()); // the name of the kernel
        QVERIFY(studio.trigger("pane.machine"));
        QTRY_VERIFY_WITH_TIMEOUT(!pane.machine().isVisible(), 20'000);
    }

    void arrowsLeadFromAWaitToItsSetters() {
        StudioFixture studio;
        StagePane& pane = explained(studio);
        const int product = lineWith(pane.view(), "FFMA R28, R19");
        pane.view().setCaret(pane.view().rangeOfLine(product - 1).begin);
        pane.view().setFocus();
        studio.press(Qt::Key_Down);
        QTRY_VERIFY(!pane.machine().arrows().empty()); // the caret says where it is when it is painted
        const auto arrows = pane.machine().arrows();
        for (const MachineStrip::Arrow& arrow : arrows) {
            QCOMPARE(arrow.waiter, product);
            QVERIFY(pane.view().bytes(pane.view().rangeOfLine(arrow.setter)).contains("LDG"));
        }
        studio.press(Qt::Key_F1, Qt::AltModifier);
        const auto cards = studio.window().findChildren<HelpCard*>();
        QVERIFY(std::any_of(cards.begin(), cards.end(), [](const HelpCard* card) {
            return card->isVisible() && card->findChild<QLabel*>()->text().contains("Waits for barrier");
        }));
    }

    void filtersLeaveTheStripAtItsLines() {
        StudioFixture studio;
        StagePane& pane = explained(studio);
        const QString before = pane.machine().hintOf(lineWith(pane.view(), "FFMA R28, R19"));
        QVERIFY(studio.trigger("pane.filter.sass-addresses") && studio.trigger("pane.filter.sass-labels"));
        QVERIFY(studio.settle());
        QVERIFY(!pane.view().bytes().contains("02f0"));
        QCOMPARE(pane.machine().hintOf(lineWith(pane.view(), "FFMA R28, R19")).section('\n', 0, 1),
                 before.section('\n', 0, 1));
    }

    void theDockNamesWhatBindsTheLoopAndLeadsToItsLine() {
        StudioFixture studio;
        StagePane& pane = openSass(studio);
        pane.view().setFocus();
        QVERIFY(studio.trigger("dock.machine"));
        auto* tree = studio.window().findChild<QTreeWidget*>("machine");
        QVERIFY(tree);
        QVERIFY(!tree->isVisible()); // it offers to explain first
        pane.view().setFocus();
        QVERIFY(studio.trigger("pane.machine"));
        QTRY_VERIFY_WITH_TIMEOUT(tree->isVisible() && tree->topLevelItemCount() >= 3, 20'000);
        QTreeWidgetItem* loop = tree->topLevelItem(0)->child(0);
        QVERIFY(loop && loop->text(0) == "Inner loop");
        QVERIFY2(loop->text(2).contains("bound by LSU"), qPrintable(loop->text(2)));
        tree->setCurrentItem(loop);
        tree->setFocus();
        studio.press(Qt::Key_Return);
        QCOMPARE(studio.editor().lineOf(studio.editor().caret()) + 1, loop->text(1).toInt());
    }

    void aSpillLeadsToItsLesson() {
        qputenv("HIDET_NVDISASM", m_folder.filePath("nvdisasm_spills").toUtf8());
        StudioFixture studio;
        openSass(studio);
        studio.studio().settings.set(Setting::Machine, true);
        QVERIFY(studio.trigger("dock.machine"));
        auto& tree = in<QTreeWidget>(studio, "machine");
        QTRY_VERIFY_WITH_TIMEOUT(tree.isVisible() && tree.findChild<LessonButton*>("machine.learn"), 20'000);
        auto& learn = in<LessonButton>(studio, "machine.learn");
        QCOMPARE(learn.lesson(), QString("spill"));
        const auto spills = tree.findItems("spills", Qt::MatchEndsWith);
        QCOMPARE(spills.size(), 1);
        QCOMPARE(tree.itemWidget(spills.first(), 3), &learn);
        QCOMPARE(spills.first()->child(0)->text(2), QString("4 B a thread"));
        tree.scrollToItem(spills.first(), QAbstractItemView::PositionAtTop);
        // A click opens what explains it and what can be tried.
        QStringList offered;
        QTimer::singleShot(0, &learn, [&] {
            for (const QAction* action : learn.menu()->actions())
                offered << action->text();
            learn.menu()->actions().first()->trigger();
            learn.menu()->close();
        });
        QTest::mouseClick(&learn, Qt::LeftButton);
        QTRY_COMPARE(offered.size(), 3);
        QVERIFY2(offered.first().startsWith("Explain: "), qPrintable(offered.join('\n')));
        QVERIFY(in<QTextBrowser>(studio, "manual.text").isVisible());
        QVERIFY(studio.trigger("finding.cure.spill"));
        QCOMPARE(studio.studio().tabs.documents().size(), 2);
    }

    void aKeyCountsAndTheHotLinesAreMarked() {
        StudioFixture studio;
        StagePane& pane = explained(studio);
        studio.editor().setFocus();
        studio.press(Qt::Key_F5, Qt::AltModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(studio.studio().profiles->of(studio.studio().tabs.current()), 30'000);
        auto* hot = studio.window().findChild<HotStrip*>();
        QTRY_VERIFY(hot && hot->isVisible());
        const int product = lineWith(studio.editor(), "total +=");
        QVERIFY2(hot->hintOf(product).contains("waits for global or local memory"), qPrintable(hot->hintOf(product)));
        QVERIFY(pane.machine().hintOf(lineWith(pane.view(), "LDG.E")).contains("Counted: executed by"));
        if (const QByteArray folder = qgetenv("HIDET_PICTURES"); !folder.isEmpty()) {
            studio.trigger("dock.machine");
            for (const char* theme : {"light", "dark"}) {
                studio.studio().themes.use(theme);
                QCoreApplication::processEvents();
                studio.window().grab().save(QString::fromUtf8(folder + "/profile-" + theme + ".png"));
            }
        }
        studio.editor().setFocus();
        studio.type(" ");
        QVERIFY(!studio.studio().profiles->of(studio.studio().tabs.current()));
        QVERIFY(!hot->isVisible());
    }

    void withoutAGpuTheEmulatorCounts() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        studio.editor().setFocus();
        studio.press(Qt::Key_F5, Qt::ControlModifier);
        auto* hot = studio.window().findChild<HotStrip*>();
        QTRY_VERIFY_WITH_TIMEOUT(hot && hot->isVisible(), 60'000);
        const int product = lineWith(studio.editor(), "total +=");
        QVERIFY2(hot->hintOf(product).contains("on the emulator"), qPrintable(hot->hintOf(product)));
    }

    void aPermissionThatIsMissingIsNamed() {
        qputenv("FAKE_NCU", "forbidden");
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QStringList said;
        connect(&studio.studio().notices, &Notices::noticed, this,
                [&said](const Notice& notice) { said << notice.sentence; });
        studio.editor().setFocus();
        studio.press(Qt::Key_F5, Qt::AltModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!said.isEmpty(), 30'000);
        QVERIFY2(said.first().contains("NVreg_RestrictProfilingToAdminUsers"), qPrintable(said.first()));
        QVERIFY(!studio.studio().profiles->of(studio.studio().tabs.current()));
    }

    void theCommandIsOneCommandAway() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QGuiApplication::clipboard()->clear();
        QVERIFY(studio.trigger("run.profile_command"));
        QTRY_VERIFY_WITH_TIMEOUT(QGuiApplication::clipboard()->text().contains("'regex:^(matmul)$'"), 20'000);
        QVERIFY(QGuiApplication::clipboard()->text().endsWith("naive_matmul.py --target cuda"));
    }

private:
    StagePane& openSass(StudioFixture& studio) {
        if (!studio.openSample("naive_matmul") || !studio.settle())
            qFatal("the sample is not there");
        StagePane* pane = studio.window().stages().show("sass"_stage);
        if (!studio.settle() || !pane->view().bytes().contains("FFMA"))
            qFatal("there is no machine code");
        return *pane;
    }
    StagePane& explained(StudioFixture& studio) {
        StagePane& pane = openSass(studio);
        studio.studio().settings.set(Setting::Machine, true);
        if (!QTest::qWaitFor([&] { return pane.machine().isVisible(); }, 20'000))
            qFatal("the machine code is not explained");
        return pane;
    }

    QTemporaryDir m_folder;
};

HIDET_UI_TEST_MAIN(MachineTest)
#include "machine_test.moc"
