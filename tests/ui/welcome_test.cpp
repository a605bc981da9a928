// SPDX-License-Identifier: GPL-3.0-only
// The page of the first start.
#include <QPushButton>

#include "app/ui/pages/samples.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;
using hidet::ui::test::StudioFixture;

class Welcome : public QObject {
    Q_OBJECT
private slots:
    void itIsThereWhileNoScriptIsOpen() {
        StudioFixture studio;
        QCOMPARE(studio.window().pages().page(), QString("welcome"));
        QVERIFY(!studio.window().dock("problems")->isVisible());
        QVERIFY(studio.openSample("softmax"));
        QCOMPARE(studio.window().pages().page(), QString());
        QVERIFY(studio.window().dock("problems")->isVisible());
        QVERIFY(studio.trigger("file.close"));
        QCOMPARE(studio.window().pages().page(), QString("welcome"));
    }

    void everySampleHasATitleAndASentence() {
        const QList<Sample> samples = allSamples();
        QVERIFY(samples.size() >= 10);
        QCOMPARE(QFileInfo(samples.first().path).fileName(), QString("hello_world.py")); // in the order of learning
        for (const Sample& sample : samples) {
            QVERIFY2(!sample.title.isEmpty() && !sample.title.contains("SPDX"), qPrintable(sample.path));
            QVERIFY2(sample.sentence.endsWith('.'), qPrintable(sample.path));
        }
    }

    void aCardOpensItsSampleByTheKeyboard() {
        StudioFixture studio;
        QPushButton* card = nullptr;
        for (auto* button : studio.window().pages().pageWidget()->findChildren<QPushButton*>())
            if (button->accessibleName() == "Hello, world")
                card = button;
        QVERIFY(card);
        QVERIFY(card->focusPolicy() & Qt::TabFocus);
        card->setFocus();
        QTest::keyClick(card, Qt::Key_Space);
        QCOMPARE(studio.studio().tabs.current()->title(), QString("hello_world.py"));
    }

    void escapeLeavesAPage() {
        StudioFixture studio;
        QVERIFY(studio.openSample("softmax"));
        QVERIFY(studio.trigger("help.about"));
        QCOMPARE(studio.window().pages().page(), QString("about"));
        QTest::keyClick(&studio.window(), Qt::Key_Escape);
        QCOMPARE(studio.window().pages().page(), QString());
    }
};

HIDET_UI_TEST_MAIN(Welcome)
#include "welcome_test.moc"
