// SPDX-License-Identifier: GPL-3.0-only
// The outline while the keyboard is in a pane with IR: what the IR is made of, where its caret is, and what its pass did.
#include <QLabel>
#include <QTreeWidget>

#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using namespace hidet::ui::test;

class StructureTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_studio = std::make_unique<StudioFixture>();
        QVERIFY(m_studio->openSample("shared_matmul"));
        QVERIFY(m_studio->settle());
        QVERIFY(m_studio->trigger("dock.outline"));
        m_pane = m_studio->window().stages().show("ir"_stage);
        QTRY_VERIFY(m_pane->isSettled());
        m_pane->setFocus();
        QTRY_VERIFY(tree().topLevelItemCount() > 0 && tree().isVisible());
    }
    void cleanup() { m_studio.reset(); }

    void theOutlineIsThatOfWhatHasTheKeyboard() {
        QVERIFY(!in<QTreeWidget>(*m_studio, "outline").isVisible());
        QCOMPARE(tree().topLevelItem(0)->text(0), QString("module"));
        QVERIFY(find("smem_a"));
        QVERIFY(find("syncthreads"));
        QVERIFY(find("tile"));
        m_studio->editor().setFocus();
        QTRY_VERIFY(in<QTreeWidget>(*m_studio, "outline").isVisible());
        QVERIFY(!tree().isVisible());
        m_pane->setFocus();
        QTRY_VERIFY(tree().isVisible());
        QVERIFY(m_studio->trigger("pane.stage.cuda")); // has no such structure
        QTRY_VERIFY(!tree().isVisible());
        QVERIFY(m_studio->trigger("pane.stage.ir"));
        QTRY_VERIFY(tree().isVisible());
    }

    void aClickGoesToTheLineAndTheCaretToTheRow() {
        QTreeWidgetItem* sync = find("syncthreads");
        QVERIFY(sync);
        tree().scrollToItem(sync);
        QTest::mouseClick(tree().viewport(), Qt::LeftButton, {}, tree().visualItemRect(sync).center());
        CodeView& view = m_pane->view();
        QVERIFY(view.bytes(view.rangeOfLine(view.lineOf(view.caret()))).contains("cuda.syncthreads()"));
        QTRY_VERIFY(view.hasFocus());
        const QByteArray text = view.bytes();
        view.setCaret(int(text.indexOf("declare shared smem_b")));
        QTRY_VERIFY(tree().currentItem() && tree().currentItem()->text(0) == "smem_b");
        view.setCaret(int(text.indexOf("smem_b[p_1"))); // in a loop, of which it is no row
        QTRY_VERIFY(tree().currentItem()->text(0).startsWith('p'));
    }

    void whatThePassDidIsMarked() {
        m_pane->setStage("ir:expand-task-mapping"_stage);
        QTRY_VERIFY2(in<QLabel>(*m_studio, "structure.title").text().contains("expand-task-mapping: "),
                     qPrintable(in<QLabel>(*m_studio, "structure.title").text()));
        QVERIFY(in<QLabel>(*m_studio, "structure.title").text().contains("removed"));
        bool added = false, removed = false;
        for (QTreeWidgetItemIterator at(&tree()); *at; ++at) {
            added = added || (*at)->text(0).startsWith("+ ");
            removed = removed || ((*at)->text(0).startsWith("- ") && (*at)->font(0).strikeOut());
        }
        QVERIFY(added && removed);
        // A key goes to the next pass, and the tree with it.
        m_pane->setFocus();
        m_studio->press(Qt::Key_BracketRight);
        QTRY_VERIFY(!in<QLabel>(*m_studio, "structure.title").text().contains("expand-task-mapping"));
    }

    void aPinnedTextKeepsItsStructure() {
        m_pane->setPinned(true);
        m_studio->editor().replaceAll("x = 1\n");
        QVERIFY(m_studio->settle());
        m_pane->setFocus();
        QTRY_VERIFY(tree().isVisible() && find("smem_a"));
    }

private:
    QTreeWidget& tree() { return in<QTreeWidget>(*m_studio, "structure"); }
    QTreeWidgetItem* find(const QString& name) {
        return tree().findItems(name, Qt::MatchExactly | Qt::MatchRecursive).value(0);
    }

    std::unique_ptr<StudioFixture> m_studio;
    StagePane* m_pane = nullptr;
};

HIDET_UI_TEST_MAIN(StructureTest)
#include "structure_test.moc"
