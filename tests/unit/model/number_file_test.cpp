// SPDX-License-Identifier: Apache-2.0
// Files of numbers: what is read, and what is refused with its line.
#include "app/session/model/view/number_file.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace hidet;
using namespace hidet::session;

namespace {

std::string refusal_of(std::string_view text, const std::string& path = "n.csv") {
    const Result<NumberFile> file = numbers_in(text, path);
    return file ? "none" : file.error().message;
}

} // namespace

TEST_CASE("names and numbers of a table, its heading, its comments, quotes and line ends") {
    const Result<NumberFile> file =
        numbers_in("\xEF\xBB\xBFname,Time [ms]\r\n\r\n\"a,\"\"b\"\"\", 1.5\r\nc,-2e-3\r\n", "x/times.csv");
    REQUIRE(file);
    REQUIRE(file.value().title == "Time");
    REQUIRE(file.value().unit == "s");
    REQUIRE(file.value().numbers.size() == 2u);
    REQUIRE(file.value().numbers[0].name == "a,\"b\"");
    REQUIRE(std::abs(file.value().numbers[0].value - 1.5e-3) < 1e-12);
    REQUIRE(std::abs(file.value().numbers[1].value + 2e-6) < 1e-12);
    const Result<NumberFile> bare = numbers_in("a\tnan\nb\t+1\n", "x/times.csv");
    REQUIRE(bare);
    REQUIRE(bare.value().title == "times");
    REQUIRE(bare.value().unit == "");
    REQUIRE(std::isnan(bare.value().numbers[0].value));
    REQUIRE(bare.value().numbers[1].value == 1);
    REQUIRE(numbers_in("# unit: %\n# title: Share\nname,value\na,1", "n.csv").value().title == "Share");
}

TEST_CASE("numbers of an object, alone or with what they are") {
    REQUIRE(numbers_in("{\"a\": 1, \"b\": 2.5}", "n.json").value().numbers.size() == 2u);
    const NumberFile whole = numbers_in(R"({"title": "T", "unit": "J", "values": {"title": 1}})", "n.json").value();
    REQUIRE(whole.title == "T");
    REQUIRE(whole.unit == "J");
    REQUIRE(whole.numbers.front().name == "title");
    REQUIRE(numbers_in("\n {\"a\": 1}", "n.txt").value().numbers.size() == 1u); // by its first letter
}

TEST_CASE("what is malformed is refused by its line") {
    REQUIRE(refusal_of("a,1\nb,x\n") == "n.csv:2: 'x' is no number");
    REQUIRE(refusal_of("a,1\n\nb\n").starts_with("n.csv:3: a name without a number"));
    REQUIRE(refusal_of("a,1,2\n").starts_with("n.csv:1: more than a name and a number"));
    REQUIRE(refusal_of("a,1\n,2\n") == "n.csv:2: a number without a name");
    REQUIRE(refusal_of("a,1\nb,2\na,3\n") == "n.csv:3: 'a' has a number in line 1 already");
    REQUIRE(refusal_of("a,1\n\"b,2\n") == "n.csv:2: a quote is not closed");
    REQUIRE(refusal_of("a,1\n\xff,2\n") == "n.csv:2: this is not UTF-8");
    REQUIRE(refusal_of("") == "n.csv:1: there is no number in it; lines are 'name,value'");
    REQUIRE(refusal_of("{\"a\": 1,\n\"b\": \"x\"}", "n.json") == "n.json:2: 'b' has no number but \"x\"");
    REQUIRE(refusal_of("{\"a\": 1,\n\"b\": {\"a\": 1}}", "n.json") == "n.json:2: 'b' has no number but {\"a\":1}");
    REQUIRE(refusal_of("{\"a\": 1,\n\n\"a\": 2}", "n.json") == "n.json:3: 'a' has a number already");
    REQUIRE(refusal_of("{\"a\": 1\n\"b\": 2}", "n.json") == "n.json:2: this is no JSON");
    REQUIRE(refusal_of("[1]", "n.json") == "n.json:1: an object of names and numbers is expected");
    REQUIRE(refusal_of("{\"values\": {\"a\": 1},\n\"b\": 2}", "n.json").starts_with("n.json:2: 'b' is none of"));
    REQUIRE(refusal_of("{\"a\": 1e999}", "n.json").starts_with("n.json:1: "));
    REQUIRE(refusal_of(std::string(100'000, '['), "n.json").starts_with("n.json:1: "));
}
