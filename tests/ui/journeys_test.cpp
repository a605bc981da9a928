// SPDX-License-Identifier: GPL-3.0-only
// What a user does from start to end, in the real window.
#include "tests/ui/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class Journeys : public QObject {
    Q_OBJECT
private slots:
    void aSampleIsOpenedAndItsStagesAreShown() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("ir").contains("def"));
        QVERIFY(studio.textOf("cuda").contains("__global__"));
        QCOMPARE(studio.editor().caret(), 0);
        QVERIFY(studio.editor().isVisible({0, 0}));
        QVERIFY(studio.window().stages().show("cuda")->view().isVisible({0, 0}));
    }

    void anEditChangesTheStages() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        const QByteArray before = studio.textOf("cuda");
        QByteArray text = studio.editor().bytes();
        text.replace("total = f32(0.0)", "total = f32(1.0)");
        QVERIFY(text != studio.editor().bytes());
        studio.editor().replaceAll(text);
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda") != before);
        QVERIFY(studio.textOf("cuda").contains("1.0f"));
    }

    void aBrokenScriptKeepsTheLastGoodStages() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        StagePane* pane = studio.window().stages().show("cuda");
        const QByteArray good = pane->view().bytes();
        QByteArray text = studio.editor().bytes();
        text.replace("for p in range(k):", "for p in range(k:");
        studio.editor().replaceAll(text);
        QVERIFY(studio.settle());
        QCOMPARE(pane->view().bytes(), good);
        QCOMPARE(pane->shown().state, hidet::session::Freshness::Stale);
        QVERIFY(!pane->shown().reason.empty());
        QVERIFY(pane->view().isStale());
        QVERIFY(!studio.studio().live()->latest()->diagnostics.empty());
        studio.editor().undo();
        QVERIFY(studio.settle());
        QCOMPARE(pane->shown().state, hidet::session::Freshness::Fresh);
        QVERIFY(!pane->view().isStale());
    }

    void theCaretInTheScriptOutlinesWhatBecameOfIt() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        CodeView& cuda = studio.window().stages().show("cuda")->view();
        studio.editor().setFocus();
        studio.editor().setCaret(static_cast<int>(studio.editor().bytes().indexOf("total +=")));
        QTRY_COMPARE(lineWith(cuda, CodeView::LinkOutline).trimmed(),
                     QByteArray("total += a[i * 80 + p] * b[p * 120 + j];"));
    }

    void theCaretInAPaneOutlinesTheScript() {
        StudioFixture studio;
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        CodeView& cuda = studio.window().stages().show("cuda")->view();
        cuda.setFocus();
        cuda.setCaret(static_cast<int>(cuda.bytes().indexOf("total +=")));
        QTRY_COMPARE(lineWith(studio.editor(), CodeView::LinkOutline).trimmed(),
                     QByteArray("total += a[i, p] * b[p, j]"));
    }

    void panesAreSplitAndClosed() {
        StudioFixture studio;
        QVERIFY(studio.openSample("softmax"));
        QVERIFY(studio.settle());
        const qsizetype before = studio.window().stages().panes().size();
        QVERIFY(studio.trigger("pane.split"));
        QVERIFY(studio.trigger("pane.split_down"));
        QVERIFY(studio.trigger("pane.new"));
        QCOMPARE(studio.window().stages().panes().size(), before + 3);
        const QJsonObject state = studio.window().stages().state();
        for (int i = 0; i < 3; ++i)
            QVERIFY(studio.trigger("pane.close"));
        QCOMPARE(studio.window().stages().panes().size(), before);
        studio.window().stages().restore(state);
        QCOMPARE(studio.window().stages().panes().size(), before + 3);
    }

    void aModeKeepsItsPanes() {
        StudioFixture studio;
        QVERIFY(studio.openSample("softmax"));
        QVERIFY(studio.settle());
        QVERIFY(studio.trigger("pane.split"));
        const qsizetype panes = studio.window().stages().panes().size();
        QVERIFY(studio.trigger("view.mode_lower"));
        QVERIFY(studio.trigger("view.mode_edit"));
        QCOMPARE(studio.window().stages().panes().size(), panes);
        QVERIFY(studio.trigger("view.reset_layout"));
        QVERIFY(studio.window().stages().panes().size() < panes);
    }

    void eachScriptHasItsOwnStages() {
        StudioFixture studio;
        QVERIFY(studio.openSample("softmax"));
        QVERIFY(studio.settle());
        const QByteArray softmax = studio.textOf("cuda");
        QVERIFY(studio.openSample("naive_matmul"));
        QVERIFY(studio.settle());
        QVERIFY(studio.textOf("cuda") != softmax);
        studio.studio().setCurrent(studio.studio().documents().first());
        QVERIFY(studio.settle());
        QCOMPARE(studio.textOf("cuda"), softmax);
    }

    void aScriptOfOnesOwnIsSavedUnderAName() {
        StudioFixture studio;
        QVERIFY(studio.trigger("file.new"));
        studio.type("print(1)\n");
        const QString path = studio.folder() + "/mine.py";
        studio.answerDialogs({path});
        QVERIFY(studio.trigger("file.save"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("print(1)\n"));
        QCOMPARE(studio.studio().current()->title(), QString("mine.py"));
        QVERIFY(!studio.studio().current()->isModified());
    }

private:
    // The line that the first range of an indicator is in.
    static QByteArray lineWith(CodeView& view, CodeView::Indicator indicator) {
        for (int at = 0; at < view.byteCount(); ++at)
            if (view.SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, static_cast<unsigned long>(indicator),
                                   static_cast<long>(at)))
                return view.bytes(view.rangeOfLine(view.lineOf(at)));
        return {};
    }
};

HIDET_UI_TEST_MAIN(Journeys)
#include "journeys_test.moc"
