// SPDX-License-Identifier: MIT
//
// The page for a browser: that it asks for nothing, that foreign text stays text, and what a case
// is drawn as. Python's parser of HTML is the reader.
#include "reports/html_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "golden.h"
#include "pipe.h"
#include "report_samples.h"
#include "reports/html_assets.h"
#include "reports/html_proof.h"

namespace interlock::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// Prints the kinds of elements, then what refers to anything, then the handlers of events.
constexpr char kReadPage[] =
    "python3 -c \"\n"
    "import sys\n"
    "from html.parser import HTMLParser\n"
    "tags, links, handlers = set(), set(), set()\n"
    "class Page(HTMLParser):\n"
    "  def handle_starttag(self, tag, attrs):\n"
    "    tags.add(tag)\n"
    "    for name, value in attrs:\n"
    "      if name in ('href', 'src', 'action', 'style'): links.add(value.split('-')[0])\n"
    "      if name.startswith('on'): handlers.add(name)\n"
    "Page().feed(open(0, encoding='utf-8').read())\n"
    "print(sorted(tags & {'script', 'img', 'iframe', 'a', 'link', 'object', 'form', 'b'}))\n"
    "print(sorted(links), sorted(handlers))\"";

TEST(HtmlTest, ThePolicyAllowsItsOwnStyleAndScriptAndNothingElse) {
  const std::string page = ToHtml(MixedReport(), {ForeignRelease()});
  const std::string hashes = Pipe(
      "python3 -c \"\n"
      "import base64, hashlib, re\n"
      "page = open(0, encoding='utf-8', newline='').read()\n"
      "for tag in ('style', 'script'):\n"
      "  text = re.search('<%s>(.*?)</%s>' % (tag, tag), page, re.S).group(1)\n"
      "  print(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())\"",
      page);
  EXPECT_EQ(hashes, std::string(kPageStyleHash) + "\n" + std::string(kPageScriptHash) + "\n")
      << "put these into html_assets.h";
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'sha256-" +
                              std::string(kPageStyleHash) + "'; script-src 'sha256-" +
                              std::string(kPageScriptHash) + "'"));
  EXPECT_EQ(Pipe(kReadPage, page), "['a', 'script']\n['#case', '#lock'] []\n");
}

TEST(HtmlTest, ForeignTextIsNoMarkup) {
  for (const std::string& hostile :
       {HostileText(), std::string("</script><img src=x onerror=x()><b style=a>"),
        std::string("\"><script>x()</script>")}) {
    const std::string page = ToHtml(HostileReport(hostile), {HostileCounterexample(hostile)});
    const std::string seen = Pipe(kReadPage, page);
    EXPECT_THAT(seen, Not(HasSubstr("img")));
    EXPECT_THAT(seen, Not(HasSubstr("'b'")));
    EXPECT_THAT(seen, HasSubstr("] []\n")) << "no handlers";
    EXPECT_EQ(CountOf(page, "<script"), 1U);
  }
}

TEST(HtmlTest, TheVerdictComesFirstAndACaseIsOneClickAway) {
  const std::string page = ToHtml(MixedReport(), {ForeignRelease()});
  EXPECT_LT(page.find("<h1><span class=\"fail\">FAIL</span></h1>"), page.find("<h2>"));
  EXPECT_THAT(page, HasSubstr("href=\"#case-1\""));
  EXPECT_THAT(page, HasSubstr("id=\"case-1\""));
  EXPECT_THAT(page, HasSubstr(ForeignRelease().sentence.substr(0, 10)));
  EXPECT_THAT(ToHtml(PassingReport(), {}), Not(HasSubstr("What did not pass")));
}

TEST(HtmlTest, TheFirstFailureIsDrawnBelowTheVerdictAndTheOthersAreFolded) {
  Counterexample again = ForeignRelease();
  again.synchrony = SynchronyClass::kBounded;
  const std::string page = ToHtml(MixedReport(), {again, ForeignRelease()});
  const std::size_t picture = page.find("<div class=\"lanes\">");
  EXPECT_LT(page.find("<h1>"), picture);
  EXPECT_LT(picture, page.find("What did not pass"));
  EXPECT_LT(picture, page.find("<details")) << "it is not folded";
  EXPECT_LT(page.find("<details"), page.find("id=\"case-2\"")) << "but the second is";
}

TEST(HtmlTest, APassShowsWhatWasProvenAndFoldsTheRest) {
  const std::string page = ToHtml(PassingReport(), {});
  const std::size_t proven = page.find("<h2>What was proven</h2>");
  EXPECT_LT(page.find("<h1>"), proven);
  EXPECT_LT(page.find("<table class=\"proof\">"), page.find("<details"));
  EXPECT_THAT(page, HasSubstr("<summary>3 verdicts, lock by lock</summary>"));
  EXPECT_THAT(ToHtml(MixedReport(), {}), HasSubstr("<h2>What was put to the test</h2>"));
  EXPECT_THAT(ToHtml(MixedReport(), {}), HasSubstr("Never seen: failover_while_held"));
}

TEST(HtmlTest, ManyNotesAreFolded) {
  RunReport report = PassingReport();
  report.notes.assign(10, "x");
  EXPECT_THAT(ToHtml(report, {}), HasSubstr("<h2>Notes</h2>"));
  report.notes.emplace_back("y");
  EXPECT_THAT(ToHtml(report, {}), HasSubstr("<details><summary>11 notes</summary>"));
}

TEST(HtmlProofTest, TheTableOfLocksAndPropertiesLooksAsApproved) {
  ExpectApproved("mixed.approved.proof.html", ToHtmlProof(MixedReport()));
}

TEST(HtmlProofTest, TheVerdictThatTheFewestRunsTriedIsNamed) {
  RunReport report = PassingReport();
  report.results.push_back(report.results.front());
  report.results.back().scenario = "rarely";
  report.results.back().exercised = 7;
  const std::string html = ToHtmlProof(report);
  EXPECT_THAT(html,
              HasSubstr("The weakest that holds is LK001 in rarely [arbitrary] of mutex: 7 of "
                        "10 000 runs put it to the test; at 95 % a violation is rarer "
                        "than 1 in 2 of the runs that are drawn there."));
  EXPECT_THAT(html, HasSubstr("<td>7: LK001 in rarely [arbitrary]</td>"));
}

TEST(HtmlProofTest, AProofIsToldApartFromDrawnRuns) {
  RunReport report = PassingReport();
  report.results.push_back(report.results.front());
  report.results.back().scenario = "explored";
  report.results.back().exercised = 7;
  report.results.back().proof = Proof{};
  const std::string html = ToHtmlProof(report);
  EXPECT_THAT(html, HasSubstr("1 of them is a proof: by every run within a bound."));
  EXPECT_THAT(html, HasSubstr("<span class=\"pass\">✓ 312 ∎</span>"));
  EXPECT_THAT(html, HasSubstr("<td>312: "));
}

TEST(HtmlProofTest, AFailureIsNotHiddenBehindWhatHolds) {
  RunReport report = PassingReport();
  report.results.push_back(report.results.front());
  report.results.back().verdict = Verdict::kViolated;
  report.results.back().pass = false;
  report.results.push_back(report.results.front());
  report.results.back().verdict = Verdict::kInconclusive;
  report.results.back().pass = false;
  EXPECT_THAT(ToHtmlProof(report),
              HasSubstr("<span class=\"fail\">✗ 1 failed</span><br><span class=\"doubt\">? 1 "
                        "open</span><br><span class=\"pass\">✓ 312</span>"));
}

TEST(HtmlProofTest, NamesOfOneCodeShareAColumn) {
  RunReport report = PassingReport();
  for (const char* name : {"permits-belief", "permits-server"}) {
    report.results.push_back(report.results.front());
    report.results.back().code = "LK013";
    report.results.back().property = name;
  }
  EXPECT_THAT(ToHtmlProof(report), HasSubstr("<div>LK013 permits-…</div>"));
}

TEST(HtmlProofTest, ASpecimenThatIsAcquittedIsNotCounted) {
  const SpecimensTold told = ToHtmlSpecimens(MixedReport());
  EXPECT_EQ(told.all, 2U);
  EXPECT_EQ(told.convicted, 1U);
  EXPECT_THAT(told.table,
              HasSubstr("<th scope=\"row\">specimen.plain-del</th><td>LK005 in redis.d2 "
                        "[arbitrary] foreign-release, run 3</td>"));
  EXPECT_THAT(told.table, HasSubstr("<th scope=\"row\">specimen.no-ttl</th><td><span "
                                    "class=\"fail\">not convicted</span></td>"));
}

TEST(HtmlProofTest, WithoutAnyLockNothingIsClaimed) {
  EXPECT_THAT(ToHtmlProof(RunReport{}), Not(HasSubstr("<table")));
}

TableRow Part(std::size_t column, MessagePart part, std::uint64_t message, bool lost = false) {
  TableRow row;
  row.column = column;
  row.text = "x";
  row.part = part;
  row.message = message;
  row.lost = lost;
  return row;
}

/// One command that goes its whole way, one whose reply is lost, and one that never arrives.
Counterexample Messages() {
  Counterexample example = ForeignRelease();
  example.columns = {"C1", "redis"};
  example.rows = {Part(0, MessagePart::kSend, 1),        Part(1, MessagePart::kExecute, 1),
                  Part(1, MessagePart::kReply, 1),       Part(0, MessagePart::kReceive, 1),
                  Part(0, MessagePart::kSend, 2),        Part(1, MessagePart::kExecute, 2),
                  Part(1, MessagePart::kReply, 2, true), Part(0, MessagePart::kSend, 3, true)};
  TableRow broken;
  broken.kind = RowKind::kViolation;
  example.rows.push_back(broken);
  return example;
}

TEST(HtmlCaseTest, EachMessageIsAnArrowAndALostOneIsCut) {
  const std::string html = ToHtmlCase(Messages(), 7);
  EXPECT_EQ(CountOf(html, "class=\"message\""), 3U);
  EXPECT_EQ(CountOf(html, "class=\"message lost\""), 2U);
  EXPECT_EQ(CountOf(html, "class=\"cross\""), 2U);
  EXPECT_EQ(CountOf(html, "(lost)"), 2U) << "in words, too";
  EXPECT_EQ(CountOf(html, "class=\"broken\""), 1U);
  EXPECT_THAT(html, HasSubstr("data-violation=\"8\""));
}

TEST(HtmlCaseTest, SectionsAndPausesAreBarsAlsoIfTheyDoNotEnd) {
  Counterexample example = Messages();
  example.rows[0].span = SpanChange::kSectionBegin;
  example.rows[3].span = SpanChange::kSectionEnd;
  example.rows[4].span = SpanChange::kPauseBegin;
  const std::string html = ToHtmlCase(example, 1);
  EXPECT_EQ(CountOf(html, "class=\"section\""), 1U);
  EXPECT_EQ(CountOf(html, "class=\"pause\""), 1U);
}

TEST(HtmlCaseTest, OfTooManyRowsThoseAroundTheViolationAreShownAndTheRestIsCounted) {
  Counterexample example = Messages();
  example.rows.insert(example.rows.begin(), 12'000, Part(0, MessagePart::kNone, 0));
  const std::string html = ToHtmlCase(example, 1);
  EXPECT_EQ(CountOf(html, "<tr"), 1 + kMostCaseRows);
  EXPECT_EQ(CountOf(html, "class=\"broken\""), 1U);
  EXPECT_THAT(html, HasSubstr("2 009 of 12 009 rows are not shown here"));
}

TEST(HtmlCaseTest, ACaseLooksAsApproved) {
  ExpectApproved("foreign_release.approved.html", ToHtmlCase(ForeignRelease(), 1));
}

}  // namespace
}  // namespace interlock::reports
