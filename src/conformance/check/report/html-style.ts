/**
 * The style of the HTML report. Colors come in two schemes and never carry a meaning alone. Wide tables
 * scroll inside their own box, so that the page fits a narrow screen.
 */
export const HTML_STYLE = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --box: #f6f8fa;
  --good: #1a7f37; --bad: #c81e2b; --warn: #875a00; --link: #0550ae;
  --good-back: #dafbe1; --bad-back: #ffebe9; --warn-back: #fff8c5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --text: #e6edf3; --soft: #9aa4af; --line: #30363d; --box: #161b22;
    --good: #4ac26b; --bad: #ff8b84; --warn: #e0b341; --link: #79b8ff;
    --good-back: #12301d; --bad-back: #3d1619; --warn-back: #33280b;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 75rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: .5rem 0; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
a { color: var(--link); }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Consolas, monospace; }
.soft { color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top;
  overflow-wrap: normal; }
th { background: var(--box); }
tbody th { white-space: nowrap; }
thead th { vertical-align: bottom; }
.wide th:first-child { position: sticky; left: 0; }
.wide thead th a { display: inline-block; max-width: 16rem; overflow-wrap: anywhere; }
td.mark { text-align: center; white-space: nowrap; }
td.counts { white-space: normal; }
td.mark a { color: inherit; }
details:target { outline: 2px solid var(--link); }
p > .badge { min-width: 0; }
.passed { color: var(--good); }
.failure, .fault, .stale { color: var(--bad); font-weight: 600; }
.warning, .accepted { color: var(--warn); }
.skipped, .untested { color: var(--soft); }
td.passed, .badge.passed { background: var(--good-back); }
td.failure, td.fault, td.stale, .badge.failure, .badge.fault, .badge.stale { background: var(--bad-back); }
td.warning, td.accepted, .badge.warning, .badge.accepted { background: var(--warn-back); }
.badge { display: inline-block; min-width: 5.5rem; padding: 0 .5rem; border-radius: .5rem; text-align: center;
  font-size: .875rem; }
.level { display: inline-block; min-width: 4.5rem; color: var(--soft); font-size: .875rem; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .35rem 0; }
summary { padding: .35rem .6rem; cursor: pointer; }
details > div { padding: .25rem .8rem .8rem; border-top: 1px solid var(--line); }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .25rem .75rem; margin: .5rem 0; }
dt { color: var(--soft); }
dd { margin: 0; white-space: pre-wrap; min-width: 0; }
pre { margin: .5rem 0 0; padding: .6rem; background: var(--box); border-radius: .4rem; white-space: pre-wrap; }
ul.plain { list-style: none; margin: 0; padding: 0; }
ul.plain li { padding: .15rem 0; }
@media (max-width: 40rem) {
  body { font-size: 15px; padding: .6rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; }
  .badge, .level { min-width: 0; }
  .wide thead th a { max-width: 7rem; }
}
@media print { details > div { display: block; } .wide { overflow: visible; } }
`;
