// SPDX-License-Identifier: MIT
#include "reports/html_assets.h"

namespace interlock::reports {

// Colours by role, for light and dark; every mark also has a shape or a word. All rows of a case
// have the same height, which html_case.cc relies on.
const std::string_view kPageStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2128; --soft: #57606a; --paper: #ffffff;
  --panel: #f6f8fa; --line: #d0d7de; --good: #1a7f37; --bad: #cf222e; --doubt: #9a6700;
  --known: #0969da; --fault: #bc4c00; --mark: #fff8c5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117;
  --panel: #151b23; --line: #3d444d; --good: #3fb950; --bad: #ff7b72; --doubt: #d29922;
  --known: #58a6ff; --fault: #f0883e; --mark: #3a3000; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; line-height: 1.2; }
p { margin: .4rem 0; }
h2 { font-size: 1.2rem; margin: 1.8rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .3rem; }
.first h3, summary + h3 { margin-top: .5rem; }
code, pre, .case { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code, pre { font-size: 13px; background: var(--panel); border-radius: 4px; }
code { padding: .1em .3em; overflow-wrap: anywhere; }
pre { padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: var(--known); }
.soft { color: var(--soft); }
.pass { color: var(--good); } .fail { color: var(--bad); } .doubt { color: var(--doubt); }
.known { color: var(--known); }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
caption { text-align: left; color: var(--soft); padding: .2rem 0; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left;
  vertical-align: top; }
th { background: var(--panel); font-weight: 600; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { overflow-x: auto; }
summary { cursor: pointer; padding: .15rem 0; }
details details { margin-left: 1.2rem; }
.proof { font-size: 12px; line-height: 1.35; }
.proof td, .proof th { padding: .15rem .3rem; vertical-align: middle; }
.proof thead th { vertical-align: bottom; }
.proof thead div { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.proof tbody th { white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.case { border: 1px solid var(--line); border-radius: 6px; max-height: 75vh; overflow: auto;
  font-size: 12px; position: relative; }
/* The first picture ends where the first screen ends. */
.first .case { max-height: max(24rem, calc(100vh - 24rem)); }
.case:focus { outline: 2px solid var(--known); }
.case .sheet { display: flex; align-items: flex-start; width: max-content; min-width: 100%; }
.case .lanes { flex: none; }
.case svg { display: block; background: var(--paper); }
.case svg.heads { position: sticky; top: 0; z-index: 1; }
.case table { margin: 0; flex: 1; border: 0; }
.case thead th { position: sticky; top: 0; z-index: 2; height: 26px; padding: 0 .5rem;
  line-height: 26px; }
.case tbody td { padding: 0; border: 0; }
.case tbody td div { height: 22px; line-height: 22px; overflow: hidden; padding: 0 .5rem;
  white-space: pre; }
.case tr.at td { background: var(--mark); }
.case tr.fault td { color: var(--fault); }
.case tr.violation td { color: var(--bad); font-weight: 700; }
.lane { stroke: var(--line); stroke-width: 1; }
.head { fill: var(--ink); font-weight: 600; }
.message { stroke: var(--soft); stroke-width: 1.2; fill: none; }
.tip { fill: var(--soft); }
.message.lost { stroke: var(--fault); stroke-dasharray: 4 3; }
.cross { stroke: var(--fault); stroke-width: 2; }
.section { fill: var(--known); fill-opacity: .35; stroke: var(--known); }
.pause { stroke: var(--fault); }
.hatch { stroke: var(--fault); stroke-width: 2; }
.dot { fill: var(--ink); } .dot.fault { fill: var(--fault); }
.broken { stroke: var(--bad); stroke-width: 2; fill: none; }
.brokenline { stroke: var(--bad); stroke-width: 1; stroke-dasharray: 2 3; }
.cursor { fill: var(--mark); }
.told { min-height: 3em; margin: .3rem 0; }
kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 .3em; font-size: 12px; }
.charts { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
td.lock { white-space: nowrap; }
.chart { display: block; max-width: 100%; height: auto; font-size: 12px; }
.grid { stroke: var(--line); stroke-width: 1; }
.tick { fill: var(--soft); }
.line { fill: none; stroke-width: 2; }
.line.thin { stroke-width: 1; stroke-dasharray: 2 3; opacity: .7; }
text.name { font-weight: 600; stroke: none; }
.look0 { stroke: #0969da; fill: #0969da; } .look1 { stroke: #cf222e; fill: #cf222e; }
.look2 { stroke: #1a7f37; fill: #1a7f37; } .look3 { stroke: #9a6700; fill: #9a6700; }
.look4 { stroke: #8250df; fill: #8250df; } .look5 { stroke: #bf3989; fill: #bf3989; }
.look6 { stroke: #1b7c83; fill: #1b7c83; } .look7 { stroke: #57606a; fill: #57606a; }
.line.look1 { stroke-dasharray: 8 3; } .line.look2 { stroke-dasharray: 3 3; }
.line.look3 { stroke-dasharray: 10 3 2 3; } .line.look5 { stroke-dasharray: 6 2 1 2; }
path.line { fill: none; }
@media (prefers-color-scheme: dark) { .look0 { stroke: #58a6ff; fill: #58a6ff; }
  .look1 { stroke: #ff7b72; fill: #ff7b72; } .look2 { stroke: #3fb950; fill: #3fb950; }
  .look3 { stroke: #d29922; fill: #d29922; } .look4 { stroke: #bc8cff; fill: #bc8cff; }
  .look5 { stroke: #f778ba; fill: #f778ba; } .look6 { stroke: #39c5cf; fill: #39c5cf; }
  .look7 { stroke: #9198a1; fill: #9198a1; } path.line { fill: none; } }
.owner { fill: var(--known); }
.shade { fill: var(--fault); fill-opacity: .18; stroke: var(--fault); stroke-dasharray: 3 3; }
.bar { vertical-align: middle; }
@media print { body { max-width: none; font-size: 11px; } .case { max-height: none;
  overflow: visible; } .keys { display: none; } details { display: block; } }
)css";

// A case is stepped through with the keyboard while it has the focus. Without the script everything
// is shown, but static.
const std::string_view kPageScript = R"js(
(function () {
  'use strict';
  document.querySelectorAll('.case').forEach(function (box) {
    var rows = box.querySelectorAll('tbody tr');
    var cursor = box.querySelector('.cursor');
    var told = document.getElementById(box.getAttribute('aria-describedby'));
    var start = Number(box.getAttribute('data-violation'));
    var at = -1;
    function go(to, scroll) {
      to = Math.max(0, Math.min(rows.length - 1, to));
      if (at >= 0) rows[at].classList.remove('at');
      at = to;
      rows[at].classList.add('at');
      cursor.setAttribute('y', String(22 * at));
      told.textContent = 'Step ' + (at + 1) + ' of ' + rows.length + ': ' +
        Array.prototype.map.call(rows[at].cells, function (cell) { return cell.textContent; })
          .filter(function (text) { return text.trim() !== ''; }).join(' | ');
      if (scroll) box.scrollTop = Math.max(0, 28 + 22 * at - box.clientHeight / 2);
    }
    box.addEventListener('keydown', function (event) {
      var page = Math.max(1, Math.floor(box.clientHeight / 22) - 2);
      var to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0,
        End: rows.length - 1, PageDown: at + page, PageUp: at - page, v: start }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      go(to, true);
    });
    box.addEventListener('click', function (event) {
      var row = event.target.closest('tbody tr');
      if (row) go(Array.prototype.indexOf.call(rows, row), false);
    });
    if (rows.length > 0) go(start, true);
    // What is folded has no height, so it cannot be scrolled before it is unfolded.
    for (var fold = box.closest('details'); fold; fold = fold.parentElement.closest('details')) {
      fold.addEventListener('toggle', function () { if (at >= 0) go(at, true); });
    }
  });
  // A link leads into what is folded, too.
  function unfold(name) {
    var to = name && document.getElementById(name);
    for (var at = to; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    return to;
  }
  document.addEventListener('click', function (event) {
    var link = event.target.closest('a[href^="#"]');
    if (link) unfold(link.getAttribute('href').slice(1));
  });
  var linked = unfold(location.hash.slice(1));
  if (linked) linked.scrollIntoView();
})();
)js";

}  // namespace interlock::reports
