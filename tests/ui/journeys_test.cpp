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
};

HIDET_UI_TEST_MAIN(Journeys)
#include "journeys_test.moc"
