// Pictures with their axes: bars of a column with its event rate, the gap of a proof, points on a plane.

import { say, short, svg } from "/page/dom.js";

const WIDE = 300;

/** Bars of counts, from one number to another; the dark part is rows with the event. */
export function bars(column, tall = 56, span = null) {
  const { counts, events, edges } = column;
  if (!counts?.length) return null;
  const most = Math.max(...counts, 1), place = placesOf(counts.length, edges, span);
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${tall}`, class: "bars", preserveAspectRatio: "none", "aria-hidden": "true" });
  counts.forEach((number, i) => {
    const up = tall * number / most, dark = events ? tall * events[i] / most : 0;
    const x = place(i), width = 0.92 * (place(i + 1) - x);
    picture.append(svg("rect", { class: "all", x, y: tall - up, width, height: up }));
    if (dark) picture.append(svg("rect", { class: "event", x, y: tall - dark, width, height: dark }));
  });
  return picture;
}

/** Where each bar begins: side by side, or by the edges of its numbers. */
function placesOf(number, edges, span) {
  if (!span || !edges?.length) return i => i * WIDE / number;
  const [low, high] = span;
  return i => WIDE * (edges[i] - low) / (high - low || 1);
}

/** About so many round numbers from low to high. */
function ticks(low, high, about = 4) {
  const rough = (high - low) / about || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(one => one * power >= rough * 0.999);
  const found = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + 1e-9 * step; place++) found.push(Number((place * step).toPrecision(12)));
  return found;
}

/** An empty plane with numbers and names on both axes, and the places of its points. */
function axes(ends, names, attributes) {
  const tall = 190, left = 52, right = WIDE + 52, top = 22, bottom = top + tall - 60;
  const x = value => left + (right - left) * (value - ends.x[0]) / (ends.x[1] - ends.x[0] || 1);
  const y = value => bottom - (bottom - top) * (value - ends.y[0]) / (ends.y[1] - ends.y[0] || 1);
  const picture = svg("svg", { viewBox: `0 0 ${right + 14} ${tall}`, role: "img", ...attributes },
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }), svg("line", { class: "axis", x1: left, x2: left, y1: top, y2: bottom }),
    svg("text", { x: right, y: bottom + 32, "text-anchor": "end" }, names.x), svg("text", { x: 2, y: 11 }, names.y),
    ticks(...ends.x, ends.isWhole ? Math.min(8, ends.x[1] - ends.x[0]) : 5).filter(one => !ends.isWhole || Number.isInteger(one)).map(one => [
      svg("line", { class: "axis", x1: x(one), x2: x(one), y1: bottom, y2: bottom + 4 }),
      svg("text", { x: x(one), y: bottom + 16, "text-anchor": "middle" }, short(one))]),
    ticks(...ends.y, 5).map(one => [svg("line", { class: "grid", x1: left, x2: right, y1: y(one), y2: y(one) }),
      svg("text", { x: left - 5, y: y(one) + 3, "text-anchor": "end" }, short(one, 5))]));
  return { picture, x, y };
}

/** Best loss and bound against time: the gap between them closes. Without a bound there is only the loss. */
export function gapPicture(moments) {
  const last = moments[moments.length - 1], hasBound = last[2] > 0;
  const end = Math.max(...moments.map(one => one[0]), 1e-3), top = Math.max(...moments.map(one => one[1]));
  const proven = moments.filter(one => one[2] > 0), lowest = proven.length ? Math.min(...proven.map(one => one[2])) : 0.5 * top;
  const room = 0.08 * Math.max(top - lowest, 0.01 * top);
  const { picture, x, y } = axes({ x: [0, end], y: [lowest - room, top + room] }, { x: say("axis_seconds"), y: say("loss") },
    { class: "gap", "aria-label": say("gap_picture") });
  const line = all => all.map(point => point.join(",")).join(" ");
  const known = [...proven, [end, ...last.slice(1)]];
  const losses = [[0, moments[0][1]], ...moments, [end, last[1]]].map(one => [x(one[0]), y(one[1])]);
  if (hasBound) {
    const bounds = known.map(one => [x(one[0]), y(one[2])]), above = known.map(one => [x(one[0]), y(one[1])]);
    picture.append(svg("polygon", { class: "between", points: line([...above, ...bounds.toReversed()]) }), svg("polyline", { class: "bound", points: line(bounds) }),
      svg("text", { class: "of-bound", x: x(end) - 4, y: Math.min(y(last[2]) + 12, y(lowest - room) - 3), "text-anchor": "end" }, say("bound")));
  }
  picture.append(svg("polyline", { class: "loss", points: line(losses) }), svg("text", { class: "of-loss", x: x(end) - 4, y: y(last[1]) - 4, "text-anchor": "end" }, say("gap_loss")));
  return picture;
}

/** Points on a plane; each may be chosen, and may have an interval. With equal axes, there is a line of equal values. */
export function plane(points, words) {
  const xs = points.map(point => point.x), ys = points.flatMap(point => [point.y, ...(point.ends ?? [])]), widest = words.isEqual ? Math.max(...xs, ...ys) : null;
  const spread = Math.max(...ys) - Math.min(...ys) || Math.abs(ys[0]) * 0.1 || 1, low = words.isFromZero ? 0 : Math.min(...ys) - 0.08 * spread;
  const room = words.isWhole ? 0.5 : 0;
  const ends = { x: [words.isWhole ? Math.min(...xs) - room : 0, Math.max(...xs) + room], y: [low, Math.max(...ys) + 0.08 * spread], isWhole: words.isWhole };
  if (words.isEqual) ends.x = ends.y = [0, Math.min(100, 1.08 * widest)];
  const { picture, x, y } = axes(ends, words, { class: "plane", "aria-label": words.label });
  if (words.isEqual) picture.append(svg("line", { class: "equal", x1: x(0), y1: y(0), x2: x(ends.x[1]), y2: y(ends.y[1]) }));
  for (const point of points) if (point.ends) picture.append(svg("line", { class: "interval", x1: x(point.x), x2: x(point.x), y1: y(point.ends[0]), y2: y(point.ends[1]) }));
  for (const point of points) picture.append(svg("circle", { cx: x(point.x), cy: y(point.y), r: 5, class: point.isChosen ? "chosen" : "", onclick: point.choose ?? null }, svg("title", {}, point.title)));
  return picture;
}
