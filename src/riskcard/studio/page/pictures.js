// Small pictures: bars of a column with its event rate, the gap of a proof, points on a plane.

import { say, svg } from "/page/dom.js";

const WIDE = 300;

/** Bars of counts; the dark part is rows with the event. */
export function bars(column, tall = 56, marks = []) {
  const { counts, events, edges } = column;
  if (!counts?.length) return null;
  const most = Math.max(...counts, 1), width = WIDE / counts.length;
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${tall}`, class: "bars", preserveAspectRatio: "none", "aria-hidden": "true" });
  counts.forEach((number, i) => {
    const up = tall * number / most, dark = events ? tall * events[i] / most : 0;
    picture.append(svg("rect", { class: "all", x: i * width, y: tall - up, width: width * 0.92, height: up }));
    if (dark) picture.append(svg("rect", { class: "event", x: i * width, y: tall - dark, width: width * 0.92, height: dark }));
  });
  if (edges) {
    const [low, high] = [edges[0], edges[edges.length - 1]];
    for (const mark of marks) {
      const x = WIDE * (mark - low) / (high - low);
      picture.append(svg("line", { class: "cut", x1: x, x2: x, y1: 0, y2: tall }));
    }
  }
  return picture;
}

/** Best loss and bound against time: the gap between them closes. A bound of 0 is drawn at the bottom. */
export function gapPicture(moments) {
  const tall = 120;
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${tall}`, class: "gap", preserveAspectRatio: "none", role: "img", "aria-label": say("gap_picture") });
  const proven = moments.map(one => one[2]).filter(bound => bound > 0);
  const end = Math.max(...moments.map(one => one[0]), 1e-3), top = Math.max(...moments.map(one => one[1]));
  const lowest = proven.length ? Math.min(...proven) : top / 2;
  const low = lowest - 0.1 * Math.max(top - lowest, 0.01 * top);
  const x = seconds => WIDE * seconds / end, y = value => 6 + (tall - 12) * (top - Math.max(value, low)) / (top - low);
  const points = [[0, moments[0][1], 0], ...moments, [end, ...moments[moments.length - 1].slice(1)]];
  const losses = points.map(one => [x(one[0]), y(one[1])]), bounds = points.map(one => [x(one[0]), y(one[2])]);
  const line = all => all.map(point => point.join(",")).join(" ");
  picture.append(
    svg("polygon", { class: "between", points: line([...losses, ...bounds.toReversed()]) }),
    svg("polyline", { class: "loss", points: line(losses) }),
    svg("polyline", { class: "bound", points: line(bounds) }));
  return picture;
}

/** Points on a plane; each may be chosen. */
export function plane(points, words) {
  const tall = 180, pad = 28;
  const xs = points.map(point => point.x), ys = points.map(point => point.y);
  const [x0, x1, y1] = [Math.min(...xs) - 0.5, Math.max(...xs) + 0.5, Math.max(...ys, 1e-9)];
  const picture = svg("svg", { viewBox: `0 -16 ${WIDE + pad + 12} ${tall + pad + 16}`, class: "plane", role: "img", "aria-label": words.label },
    svg("line", { class: "axis", x1: pad, x2: WIDE + pad, y1: tall, y2: tall }),
    svg("line", { class: "axis", x1: pad, x2: pad, y1: 0, y2: tall }),
    svg("text", { x: WIDE + pad, y: tall + 22, "text-anchor": "end" }, words.x),
    svg("text", { x: 4, y: -6 }, words.y));
  const step = Math.max(1, 10 ** Math.ceil(Math.log10((x1 - x0) / 12)));
  for (let whole = Math.ceil(x0 / step) * step; whole <= x1; whole += step) picture.append(svg("text", { x: pad + WIDE * (whole - x0) / (x1 - x0), y: tall + 12, "text-anchor": "middle" }, whole));
  for (const point of points) {
    const mark = svg("circle", {
      cx: pad + WIDE * (point.x - x0) / (x1 - x0), cy: tall - 8 - (tall - 30) * point.y / y1, r: 5,
      class: point.isChosen ? "chosen" : "", onclick: point.choose,
    }, svg("title", {}, point.title));
    picture.append(mark);
  }
  return picture;
}
