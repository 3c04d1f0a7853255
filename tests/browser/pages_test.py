# SPDX-License-Identifier: MIT
"""What `interlock report` writes as HTML, in a real browser.

  pages_test.py PROGRAM GALLERY CHROMIUM

Each page is opened without a complaint in the console and without asking for anything but itself,
by its content security policy too; its verdict is in it; a case is stepped through by the keyboard.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

from devtools import Browser

PROGRAM, GALLERY, CHROMIUM = sys.argv[1:4]
HOSTILE = ("</script><script>window.owned = 1</script>"
           "<img src='http://127.0.0.1:9/x' onerror='window.owned = 1'>\n::error::x\x1b[31m\u202e")
folder, browser = None, None


def setUpModule():
    global folder, browser
    if not CHROMIUM or not os.access(CHROMIUM, os.X_OK):
        raise RuntimeError("Chromium was not found when the build was configured: install Debian's "
                           "package chromium, as `./interlock test` does, and configure again")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="interlock-pages-"))
    browser = Browser(CHROMIUM)
    subprocess.run([GALLERY, str(folder / "gallery"), PROGRAM], check=True, capture_output=True)


def tearDownModule():
    if browser:
        browser.close()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def interlock(*words, codes=(0,)):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout


def failing(name, change=None):
    """A stored run in which a broken lock is somebody's own, so that its conviction is a failure;
    `change` is given run.json and each counterexample."""
    out = folder / name
    shutil.copytree(folder / "gallery" / "check", out)
    run = json.loads((out / "run.json").read_text())
    run["results"] = [row for row in run["results"] if row["lock"].startswith("broken/")]
    for row in run["results"]:
        row.update(lock="acme.job-lock", kind="sound", expected="holds",
                   **{"pass": row["verdict"] == "holds"})
    cases = {}
    for file in (out / "counterexamples").glob("*.json"):
        cases[file] = json.loads(file.read_text())
        cases[file]["lock"] = "acme.job-lock"
    if change:
        change(run, list(cases.values()))
    (out / "run.json").write_text(json.dumps(run))
    for file, case in cases.items():
        file.write_text(json.dumps(case))
    return out


def rendered(out, formats="html"):
    interlock("report", out, "--format", formats, "--out", out, codes=(1,))
    return (out / "report.html").as_uri()


class PagesTest(unittest.TestCase):
    def opened(self, url, **how):
        """A page that complains of nothing and asks for nothing but itself."""
        page = browser.open(url, **how)
        self.assertEqual(page.complaints, [], url)
        self.assertEqual(page.requests, [url])
        policy = page.evaluate(
            "document.head.querySelector('meta[http-equiv=Content-Security-Policy]').content")
        self.assertTrue(policy.startswith("default-src 'none'; style-src 'sha256-"), policy)
        self.assertNotIn("unsafe", policy)
        return page

    def test_the_gallery_opens_with_its_verdicts(self):
        for part, verdict in (("check", "PASS"), ("contend", "MEASURED"), ("pauses", "MEASURED")):
            page = self.opened((folder / "gallery" / part / "report.html").as_uri())
            self.assertEqual(page.evaluate("document.querySelector('h1').textContent"), verdict)
            self.assertGreater(page.evaluate("document.querySelectorAll('table tr').length"), 5)
        # The style has passed the policy, too: without it a page is black on white.
        self.assertEqual(page.evaluate("getComputedStyle(document.body).marginTop"), "0px")

    def test_the_verdict_is_in_the_document_without_a_protocol(self):
        dumped = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}/profile", "--dump-dom",
             (folder / "gallery/check/report.html").as_uri()],
            capture_output=True, text=True, timeout=120, check=True).stdout
        self.assertIn('<h1><span class="pass">PASS</span></h1>', dumped)
        self.assertTrue("<h2>What was proven</h2>" in dumped, "the whole page is there")
        self.assertTrue(dumped.rstrip().endswith("</html>"))

    def test_a_pass_opens_with_what_was_proven_and_everything_else_folded(self):
        page = self.opened((folder / "gallery/check/report.html").as_uri())
        self.assertTrue(page.evaluate("document.querySelector('table.proof')"
                                      ".getBoundingClientRect().bottom < innerHeight"))
        self.assertEqual(page.evaluate("document.querySelectorAll('details[open]').length"), 0)
        self.assertLess(page.evaluate("document.documentElement.scrollHeight"), 1800, "two screens")
        # The name of a lock leads to its verdicts, through what is folded around them.
        seen = "document.querySelector('#lock-1 td').checkVisibility()"
        self.assertFalse(page.evaluate(seen))
        page.evaluate("document.querySelector('table.proof tbody a').click()")
        self.assertTrue(page.evaluate(seen))
        self.assertEqual(page.complaints, [])

    def test_a_failure_opens_with_the_picture_of_its_first_case(self):
        url = rendered(failing("picture"))
        page = self.opened(url)
        in_sight = ("(number => { const box = document.querySelector('#case-' + number).parentNode"
                    ".querySelector('.case'), frame = box.getBoundingClientRect();"
                    " return ['svg.heads', 'svg .broken', 'tr.violation'].every(name => {"
                    " const one = box.querySelector(name).getBoundingClientRect();"
                    " return one.height > 0 && one.top >= frame.top &&"
                    " one.bottom <= Math.min(frame.bottom, innerHeight); }); })")
        self.assertTrue(page.evaluate(in_sight + "(1)"), "lanes, cross and row of the violation")
        self.assertEqual(page.evaluate("document.querySelectorAll('details[open]').length"), 0)
        self.assertLess(page.evaluate(
            "(() => { const middle = one => { const at = document.querySelector(one)"
            ".getBoundingClientRect(); return (at.top + at.bottom) / 2; };"
            " return Math.abs(middle('svg .broken') - middle('tr.violation')); })()"), 2,
            "diagram and table are of one height, row for row")
        # The others are folded, and a link to one unfolds it at its violation.
        seen = "document.querySelector('#case-2').checkVisibility()"
        self.assertFalse(page.evaluate(seen))
        page.evaluate("document.querySelector('a[href=\"#case-2\"]').click();"
                      "new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        self.assertTrue(page.evaluate(seen))
        self.assertTrue(page.evaluate(in_sight + "(2)"))
        self.assertEqual(page.complaints, [])
        self.assertTrue(browser.open(url + "#case-2").evaluate(seen), "also from elsewhere")

    def test_charts_have_lines_within_their_frames(self):
        page = self.opened((folder / "gallery/contend/report.html").as_uri())
        self.assertGreater(page.evaluate("document.querySelectorAll('svg path.line').length"), 8)
        outside = page.evaluate(
            "[...document.querySelectorAll('svg.chart')].filter(svg => {"
            "  const box = svg.getBoundingClientRect();"
            "  return [...svg.querySelectorAll('path.line')].some(line => {"
            "    const own = line.getBoundingClientRect();"
            "    return own.left < box.left - 1 || own.right > box.right + 1 ||"
            "           own.top < box.top - 1 || own.bottom > box.bottom + 1; }); }).length")
        self.assertEqual(outside, 0)

    def test_no_page_is_wider_than_its_window(self):
        for part in ("check", "contend", "pauses"):
            url = (folder / "gallery" / part / "report.html").as_uri()
            for width in (1280, 480):
                page = self.opened(url, width=width, scheme="dark")
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width,
                                     f"{part} at {width}")
            self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"),
                             "rgb(13, 17, 23)")

    def test_the_policy_lets_no_other_script_and_no_request_through(self):
        page = self.opened((folder / "gallery/check/report.html").as_uri())
        page.evaluate("const s = document.createElement('script'); s.text = 'window.owned = 1';"
                      "document.body.append(s);"
                      "document.body.setAttribute('onclick', 'window.owned = 1');"
                      "document.body.click();")
        self.assertIsNone(page.evaluate("window.owned"))
        self.assertEqual(page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'fetched', "
                                       "() => 'refused')"), "refused")
        self.assertTrue(any("Content Security Policy" in one for one in page.complaints))

    def test_a_case_is_stepped_through_by_the_keyboard(self):
        page = self.opened(rendered(failing("keyboard")))
        self.assertEqual(page.evaluate("document.querySelector('h1').textContent"), "FAIL")
        steps = page.evaluate("document.querySelectorAll('.case')[0].querySelectorAll('tbody tr')"
                              ".length")
        told = ("(() => { const box = document.querySelector('.case'); return [document"
                ".getElementById(box.getAttribute('aria-describedby')).textContent,"
                " box.querySelectorAll('tr.at').length, box.querySelector('tr.at').rowIndex]; })()")
        start = page.evaluate(told)
        self.assertEqual(page.evaluate("document.querySelector('.case tr.at').className"),
                         "violation at", "it begins at the violation")
        for _ in range(50):  # to it by the keyboard alone
            page.press("Tab")
            if page.evaluate("document.activeElement.classList.contains('case')"):
                break
        else:
            self.fail("the case cannot be reached by the keyboard")
        at = start[2]
        for key, wanted in (("Home", 1), ("ArrowDown", 2), ("j", 3), ("k", 2), ("ArrowUp", 1),
                            ("ArrowUp", 1), ("End", steps), ("ArrowDown", steps), ("v", at)):
            page.press(key)
            text, marked, row = page.evaluate(told)
            self.assertEqual((marked, row), (1, wanted), key)
            self.assertTrue(text.startswith(f"Step {wanted} of {steps}: "), text)
        self.assertEqual(page.evaluate(told), start)
        self.assertEqual(page.complaints, [])

    def test_ten_thousand_events_are_one_page(self):
        def lengthen(_run, cases):
            for case in cases:  # the same again and again, with messages of their own
                rows = case["rows"]
                again = [row for row in rows if row.get("kind") != "violation"]
                length = rows[-1]["time_ns"] + 1
                for turn in range(1, 10_000 // len(again) + 1):
                    for row in again[:10_000 - len(rows)]:
                        rows.append({**row, "time_ns": row["time_ns"] + turn * length})
                        if "message" in row:
                            rows[-1]["message"] += turn * 1_000

        page = self.opened(rendered(failing("long", lengthen)))
        page.evaluate("document.querySelector('.case').focus()")
        page.press("End")
        self.assertTrue(page.evaluate("document.querySelector('.told').textContent")
                        .startswith("Step 10000 of 10000: "))
        self.assertTrue(page.evaluate(
            "(() => { const box = document.querySelector('.case').getBoundingClientRect(),"
            " row = document.querySelector('tr.at').getBoundingClientRect();"
            " return row.top >= box.top && row.bottom <= box.bottom; })()"), "it is in sight")
        self.assertEqual(page.complaints, [])

    def test_hostile_names_are_text(self):
        def rename(run, cases):
            for row in run["results"]:
                row.update(lock=HOSTILE, scenario=HOSTILE, reason=HOSTILE)
            run["notes"] = [HOSTILE]
            run["backend"] = HOSTILE
            for case in cases:
                case.update(lock=HOSTILE, scenario=HOSTILE, title=HOSTILE, sentence=HOSTILE,
                            hints=[HOSTILE])
                for row in case["rows"]:
                    row["text"] = HOSTILE

        page = self.opened(rendered(failing("hostile", rename)))
        self.assertIsNone(page.evaluate("window.owned"))
        self.assertEqual(page.evaluate("document.images.length"), 0)
        self.assertEqual(page.evaluate("document.scripts.length"), 1)
        self.assertIn("<img src=", page.evaluate("document.body.innerText"))

    def test_one_case_tells_one_story_everywhere(self):
        out = failing("story")
        page = self.opened(rendered(out, "html,text,junit,markdown,github,perfetto,shiviz"))
        suites = ElementTree.parse(out / "junit.xml")
        junit = " ".join(e.attrib["message"] + (e.text or "") for e in suites.iter("failure"))
        html = page.evaluate("document.body.textContent")
        text = " ".join((out / "report.txt").read_text().split())
        annotations = (out / "annotations.txt").read_text()
        cases = [json.loads(file.read_text()) for file in (out / "counterexamples").glob("*.json")]
        self.assertGreater(len(cases), 2)
        for case in cases:
            broken = next(row["text"] for row in case["rows"] if row.get("kind") == "violation")
            trace = next(out.glob(f"counterexamples/*.{case['property']}.pftrace")).read_bytes()
            self.assertIn(case["sentence"], text)
            for name, where in (("HTML", html), ("JUnit", junit), ("GitHub", annotations)):
                self.assertIn(case["sentence"], where, name)
            self.assertIn(case["sentence"].encode(), trace)
            for name, where in (("HTML", html), ("JUnit", junit)):
                self.assertIn(broken, where, name)
            self.assertIn(broken.encode(), trace)
            token = case["replay"].split("'")[1]
            for name, where in (("text", text), ("HTML", html), ("JUnit", junit),
                                ("GitHub", annotations)):
                self.assertIn(token, where, name)

    def test_what_is_served_is_what_is_written(self):
        server = subprocess.Popen([PROGRAM, "report", "--view", folder / "gallery", "--port", "0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            root = server.stdout.readline().split()[-1]
            listed = self.opened(root)
            self.assertIn("contend/", listed.evaluate("document.body.innerText"))
            page = browser.open(root + "check/report.html")
            self.assertEqual(page.complaints, [])
            self.assertEqual([url for url in page.requests if not url.startswith(root)], [])
            self.assertEqual(page.evaluate("document.querySelector('h1').textContent"), "PASS")
            self.assertEqual(page.evaluate("fetch('run.json').then(() => 'fetched', () => "
                                           "'refused')"), "refused")
        finally:
            server.terminate()
            server.wait(timeout=20)
            server.stdout.close()

    def test_several_runs_stand_on_one_page(self):
        out = folder / "together"
        interlock("report", folder / "gallery/contend", folder / "gallery/pauses",
                  folder / "gallery/check", "--format", "html", "--out", out)
        page = self.opened((out / "measurements.html").as_uri())
        self.assertIn("mutex (virtual, contend)", page.evaluate("document.body.textContent"))
        index = self.opened((out / "index.html").as_uri())
        for link in index.evaluate("[...document.links].map(link => link.href)"):
            self.opened(link)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
