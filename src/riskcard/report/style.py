"""How a report looks: on a screen, on a phone and on paper."""

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #111; font: 16px/1.5 system-ui, "Segoe UI", sans-serif; }
main, header, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; border-bottom: 3px solid #111; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .6rem; padding-top: .5rem; border-top: 1px solid #999; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p, ul, ol { margin: .5rem 0; max-width: 46rem; }
li { margin: .25rem 0; }
.lead { font-size: 1rem; color: #333; }
.small, figcaption { font-size: .87rem; color: #333; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; max-width: none; list-style: none; padding: 0; font-size: .93rem; }
nav a { color: #00507d; }
.glance { display: grid; grid-template-columns: repeat(var(--across), 1fr); gap: .7rem;
  margin: 1.1rem 0; padding: 0; list-style: none; max-width: none; }
.glance li { border: 1px solid #999; border-radius: .4rem; padding: .6rem .8rem; margin: 0; }
.glance b { display: block; font-size: 1.35rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.glance span { font-size: .85rem; color: #333; display: block; }
.verdict { border-left: 5px solid #111; padding: .2rem 0 .2rem .9rem; margin: .8rem 0; font-size: 1.08rem; }
.wide { overflow-x: auto; margin: .7rem 0; }
.wide table { border-collapse: collapse; border-top: 2px solid #111; border-bottom: 2px solid #111; font-size: .93rem; }
.wide th, .wide td { padding: .28rem .75rem .28rem 0; text-align: left; vertical-align: top; }
.wide th:last-child, .wide td:last-child { padding-right: .2rem; }
.wide thead th { border-bottom: 1px solid #111; vertical-align: bottom; white-space: nowrap; }
.wide tbody tr + tr > * { border-top: 1px solid #ddd; }
.wide .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
caption { caption-side: top; text-align: left; font-weight: 600; padding-bottom: .3rem; }
figure { margin: .8rem 0; }
figure img { max-width: 100%; height: auto; display: block; }
.pictures { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: flex-start; }
.pictures figure { margin: .3rem 0; flex: 0 1 auto; max-width: 100%; min-width: 0; }
.pairs { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: flex-start; }
dl.done { margin: .6rem 0; }
dl.done dt { font-weight: 600; margin-top: .7rem; }
dl.done dd { margin: .1rem 0 0; max-width: 46rem; }
.blank { display: block; border-bottom: 1px dotted #555; color: #555; font-size: .87rem; padding-top: .2rem; }
.checks { list-style: none; padding: 0; font-size: .87rem; max-width: none; columns: 24rem 2; }
.checks li { break-inside: avoid; overflow-wrap: anywhere; margin: 0; padding: .13rem 0 .13rem 1.2em; text-indent: -1.2em; }
.checks li::before { content: "\\2713\\00a0"; font-weight: 700; }
.checks li.failed::before { content: "\\2717\\00a0"; }
.hash { font: .8rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; padding-bottom: 2rem; border-top: 1px solid #999; font-size: .87rem; color: #333; }
.report .riskcard .facts { display: none; }
.report .riskcard h3 { display: none; }
.report .riskcard { font-size: 14px; }
.report .riskcard .parts { gap: 1.2em 2em; }
.report .riskcard th, .report .riskcard td { padding: .28em .6em; }
.report .riskcard th { max-width: 15em; }
.report .riskcard td.levels { max-width: 19em; }
@media (min-width: 60rem) {
  /* side by side: names and levels take more lines where there is no room */
  .report .riskcard .parts { display: grid; grid-template-columns: auto auto; justify-content: start; }
  .report .riskcard .parts > .counted { overflow: visible; }
}
@media (max-width: 50rem) {
  .glance { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
}
@media (max-width: 36rem) {
  body { font-size: 15px; }
  main, header, footer { padding: 0 .9rem; }
  h1 { font-size: 1.4rem; }
  .glance { grid-template-columns: 1fr 1fr; }
  .wide table { width: 100%; font-size: .8rem; }
  .wide th, .wide td { padding-right: .5rem; }
  .wide thead th, .stacked .number { white-space: normal; }
  .wide td { min-width: 2.2rem; overflow-wrap: break-word; }
  .wide td:first-child { min-width: 5.2rem; overflow-wrap: anywhere; }
  .wide .hash { font-size: .7rem; min-width: 9rem; overflow-wrap: anywhere; }
  .glance b { font-size: 1.2rem; }
  .report .riskcard { font-size: 13.5px; }
  .report .riskcard th, .report .riskcard td { padding: .28em .4em; }
  .report .riskcard .risk { min-width: 4.6em; }
  .report .riskcard .interval { display: block; min-width: 0; margin-left: 0; }
}
@media print {
  @page { margin: 15mm; }
  body { font-size: 9.5pt; line-height: 1.4; }
  h1 { font-size: 18pt; }
  h2 { font-size: 13pt; margin-top: 1.2rem; }
  .glance { grid-template-columns: repeat(var(--across), 1fr); gap: .4rem; }
  .glance b { font-size: 13pt; }
  .glance li { padding: .3rem .4rem; }
  .verdict { font-size: 10.5pt; }
  main, header, footer { max-width: none; padding: 0; }
  nav { display: none; }
  h2, h3 { break-after: avoid; }
  figure, .glance, tr, .verdict, .wide, .pictures, .riskcard .parts > * { break-inside: avoid; }
  #data .wide, #stability .wide { break-inside: auto; }
  .checks { font-size: 8pt; columns: 2; }
  dl.done dt { break-after: avoid; }
  .wide { overflow: visible; }
  .wide table { font-size: 8.5pt; }
  .wide th, .wide td { padding-top: .12rem; padding-bottom: .12rem; }
  .pictures { gap: .3rem .6rem; }
  .pictures.two figure { max-width: 48.5%; }
  .pictures.three figure { max-width: 32%; }
  figure img { max-height: 10cm; width: auto; }
  .report .riskcard { font-size: 8.5pt; }
  .report .riskcard .parts { display: grid; grid-template-columns: auto auto; justify-content: start; gap: 1em; }
  .report .riskcard .parts > .counted { overflow: visible; }
  .report .riskcard th, .report .riskcard td { padding: .2em .4em; }
  a { color: inherit; text-decoration: none; }
}
"""
