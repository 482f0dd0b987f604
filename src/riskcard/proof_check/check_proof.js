/* A second checker of proof files, for browsers and Node.js.

     node check_proof.js card.json data.csv card.proof

   It shares no code with riskcard, nor with check_proof.py; docs/proof_format.md describes the format. All sums are
   made of BigInt, so nothing is rounded but where the format says so. */
"use strict";

const ProofChecker = (() => {
  const ODDS = 32n, KNOT = 40n, BETWEEN = 21n, CHANCE = KNOT + BETWEEN, ONE = 1n << CHANCE, FINE = 110n;
  const CLOSED = 1, BY_SIDE = 2, BY_CUT = 3, EMPTY = 4, LEAF = 5, IN_POOL = 6;
  const LOW = 2n ** 31n - 1n, HALF = 2 ** 31; // chances are split into upper digits and the lower 31
  const MAGIC = "riskcard proof 2\n";
  const MOST_SLOTS = 10000000; // of all nodes together whose records are still to be read

  class Refused extends Error {}
  const refuse = (sentence) => { throw new Refused(sentence); };
  const smaller = (one, two) => (one < two ? one : two);
  const larger = (one, two) => (one > two ? one : two);
  const floorDivide = (a, b) => { const q = a / b; return a % b !== 0n && (a < 0n) !== (b < 0n) ? q - 1n : q; };
  const isWhole = (number) => Number.isSafeInteger(number);

  // --- numbers ----------------------------------------------------------------------------------
  // a double as m / 2**k, exactly
  function exact(number) {
    if (typeof number !== "number" || !Number.isFinite(number)) refuse(`${number} is not a finite number`);
    let k = 0;
    while (!Number.isInteger(number)) { number *= 2; k += 1; }
    return { m: BigInt(number), k: BigInt(k) };
  }
  function logPart(above, below) {
    let x = (above << FINE) / below;
    const square = (x * x) >> FINE;
    let total = x;
    for (let n = 3n; x > 0n; n += 2n) { x = (x * square) >> FINE; total += x / n; }
    return 2n * total;
  }
  const LOG_TWO = logPart(1n, 3n);
  const bits = (number) => BigInt(number.toString(2).length);
  function log(number) {
    const e = bits(number) - 1n;
    return e * LOG_TWO + logPart(number - (1n << e), number + (1n << e));
  }
  function exp(x) { // exp(-x)
    const halvings = larger(0n, bits(x) - FINE + 3n);
    x >>= halvings;
    let total = 1n << FINE, term = total;
    for (let n = 1n; term > 0n; n += 1n) { term = ((term * x) / n) >> FINE; total += term; }
    for (let i = 0n; i < halvings; i += 1n) total = (total * total) >> FINE;
    return (1n << (2n * FINE)) / total;
  }
  const knots = new Map();
  function knot(k) {
    if (!knots.has(k)) {
      const whole = 1n << KNOT;
      const chance = (1n << (KNOT + FINE)) / ((1n << FINE) + exp((BigInt(k) << FINE) >> (ODDS - BETWEEN)));
      const rest = whole - chance;
      const total = whole * log(whole) - chance * log(chance) - (rest > 0n ? rest * log(rest) : 0n);
      knots.set(k, [chance, (total - (1n << 80n)) >> FINE]);
    }
    return knots.get(k);
  }
  const chances = new Map();
  function chanceAt(z) { // z: log-odds in units of 2**-32, a Number
    let found = chances.get(z);
    if (found === undefined) {
      const size = Math.min(Math.abs(z), 32 * 2 ** 32 - 1);
      const k = Math.floor(size / 2 ** 21), rest = BigInt(size - k * 2 ** 21);
      const [one, low] = knot(k), [two, high] = knot(k + 1), [three] = knot(k + 2);
      const bend = ((three - 2n * two + one) * ((rest * (rest - (1n << BETWEEN))) >> BETWEEN)) >> 1n;
      let chance = (one << BETWEEN) + (two - one) * rest + bend;
      chance = smaller(larger(chance, one << BETWEEN), two << BETWEEN);
      let entropy = smaller(low, high) << BETWEEN;
      if (two > one) {
        entropy = (low << BETWEEN) + floorDivide((high - low) * (chance - (one << BETWEEN)), two - one);
      }
      if (z < 0) chance = ONE - chance;
      // the upper digits and the lower 31 too, as Numbers
      found = [chance, entropy, Number(chance >> 31n), Number(chance & LOW), Number(entropy >> 31n), Number(entropy & LOW)];
      if (chances.size > 2000000) chances.clear();
      chances.set(z, found);
    }
    return found;
  }

  // --- SHA-256 ----------------------------------------------------------------------------------
  function sha256(data) {
    const primes = [];
    for (let n = 2; primes.length < 64; n += 1) if (primes.every((p) => n % p)) primes.push(n);
    const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
    const K = primes.map((p) => fraction(Math.cbrt(p)));
    const H = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
    const padded = new Uint8Array(Math.ceil((data.length + 9) / 64) * 64);
    padded.set(data);
    padded[data.length] = 128;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
    view.setUint32(padded.length - 4, (data.length << 3) >>> 0);
    const turn = (x, n) => (x >>> n) | (x << (32 - n));
    const w = new Int32Array(64);
    for (let start = 0; start < padded.length; start += 64) {
      for (let i = 0; i < 64; i += 1) {
        if (i < 16) { w[i] = view.getInt32(start + 4 * i); continue; }
        const a = w[i - 15], b = w[i - 2];
        w[i] = (w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10))) | 0;
      }
      let [a, b, c, d, e, f, g, h] = H;
      for (let i = 0; i < 64; i += 1) {
        const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
        const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
      }
      [a, b, c, d, e, f, g, h].forEach((x, i) => { H[i] = (H[i] + x) | 0; });
    }
    return H.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
  }

  // --- the file ---------------------------------------------------------------------------------
  class Body {
    constructor(data) { this.data = data; this.place = 0; }
    left() { return this.data.length - this.place; }
    byte() {
      if (this.place >= this.data.length) refuse("the file ends in the middle of the tree");
      this.place += 1;
      return this.data[this.place - 1];
    }
    number() {
      let total = 0, unit = 1;
      for (;;) {
        const byte = this.byte();
        total += (byte & 127) * unit;
        if (byte < 128) break;
        unit *= 128;
        if (unit > 2 ** 49) refuse(`a number is too long at byte ${this.place} of the tree`);
      }
      if (total > 2 ** 44) refuse(`a number is too large at byte ${this.place} of the tree`);
      return total;
    }
    signed() { const number = this.number(); return number % 2 ? -(number + 1) / 2 : number / 2; }
    digits() {
      const digits = this.number();
      return digits > 32 ? refuse(`more than 32 digits at byte ${this.place} of the tree`) : digits;
    }
  }
  function parseJson(text) { // JSON in which no object has an entry twice
    const open = [];
    for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}]/g)) {
      if (word === "{") open.push(new Set());
      else if (word === "}") open.pop();
      else if (word.endsWith(":") && open.length) {
        const name = JSON.parse(word.slice(0, -1)), names = open.at(-1);
        if (names.has(name)) refuse(`the entry '${name}' is there twice`);
        names.add(name);
      }
    }
    return JSON.parse(text);
  }
  // a wrong byte, or a mark before the first letter, is no text
  const textOf = (data) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  function open(data) {
    const head = new TextDecoder().decode(data.subarray(0, MAGIC.length));
    if (head !== MAGIC) refuse(`the file does not begin with '${MAGIC.trim()}'`);
    const hex = Array.from(data.subarray(-32), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (data.length < MAGIC.length + 36 || sha256(data.subarray(0, -32)) !== hex) {
      refuse("its SHA-256 does not agree with its content: it was changed or is not whole");
    }
    const begin = MAGIC.length + 4;
    const size = new DataView(data.buffer, data.byteOffset + MAGIC.length, 4).getUint32(0, true);
    if (begin + size > data.length - 32) refuse("the header is longer than the file");
    let header;
    try { header = parseJson(textOf(data.subarray(begin, begin + size))); } catch (error) {
      refuse(error instanceof Refused ? `in the header ${error.message}` : "the header is not valid JSON");
    }
    return { header, tree: data.subarray(begin + size, -32) };
  }

  // --- the table --------------------------------------------------------------------------------
  const keyOf = (value) => (value === null ? "missing" : `${typeof value === "string" ? "text" : "number"} ${typeof value === "boolean" ? Number(value) : value}`);
  function binOf(cuts, value) { // how many cuts are below the value
    let low = 0, high = cuts.length;
    while (low < high) { const middle = (low + high) >> 1; if (cuts[middle] < value) low = middle + 1; else high = middle; }
    return low;
  }
  function weightIn(weight, factor, digits) { // weight * factor * 2**digits as [rounded down, rounded up]
    const one = exact(weight), two = exact(factor);
    if (one.m < 0n || two.m <= 0n) refuse("a weight is below 0");
    const product = (one.m * two.m) << BigInt(digits), shift = one.k + two.k;
    const low = product >> shift;
    return [low, low << shift === product ? low : low + 1n];
  }
  class Table {
    constructor(header, rows) {
      Object.assign(this, { header, rows });
      const { digits, factors, extra } = header.weights;
      if (!isWhole(digits) || digits < 0 || digits > 1100) refuse("digits must be from 0 to 1100");
      this.digits = digits;
      this.columns = [];
      this.inBins = [];
      const cells = [];
      header.features.forEach((feature, number) => cells.push(...this.readFeature(number, feature, rows)));
      const found = new Map(), n = rows.isEvent.length;
      if (rows.weights && rows.weights.length !== n) refuse("there is not one weight for each row");
      if (cells.some((column) => column.length !== n)) refuse("the columns differ in length");
      const keys = [];
      for (let i = 0; i < n; i += 1) {
        const codes = cells.map((column) => column[i]);
        const key = codes.join(",");
        keys.push(key);
        if (!found.has(key)) found.set(key, { codes, key, weights: [0n, 0n] });
        const weight = rows.weights ? rows.weights[i] : 1;
        found.get(key).weights[rows.isEvent[i] ? 0 : 1] += weightIn(weight, factors[rows.isEvent[i] ? 1 : 0], digits)[0];
      }
      const patterns = [...found.values()].sort((one, two) => {
        const place = one.codes.findIndex((code, i) => code !== two.codes[i]);
        return place < 0 ? 0 : one.codes[place] - two.codes[place];
      });
      const places = new Map(patterns.map((pattern, place) => [pattern.key, place]));
      this.patternOfRow = keys.map((key) => places.get(key));
      // for each feature the patterns of the rows whose value is in one of its bins
      this.binned = this.inBins.map((isIn) => [...new Set(this.patternOfRow.filter((_, i) => isIn[i]))]);
      this.events = patterns.map((pattern) => pattern.weights[0]);
      this.others = patterns.map((pattern) => pattern.weights[1]);
      this.addExtra(extra);
      this.columns.forEach((column, place) => { column.codes = patterns.map((pattern) => pattern.codes[place]); });
      const text = patterns.map((pattern, i) => `${pattern.key}:${this.events[i]},${this.others[i]}\n`).join("");
      if (sha256(new TextEncoder().encode(text)) !== header.table) refuse("the rows are not those of the proof: the SHA-256 of the merged table differs");
      const sum = (list) => list.reduce((a, b) => a + b, 0n);
      if (sum(this.events) === 0n || sum(this.others) === 0n) refuse("all rows have the same label");
    }
    readFeature(number, feature, rows) {
      const { name, cuts } = feature, values = rows.values[name];
      if (values === undefined) refuse(`the rows have no feature '${name}'`);
      if (cuts.some((cut, i) => !Number.isFinite(cut) || (i > 0 && cuts[i - 1] >= cut))) refuse(`the cuts of '${name}' are not in ascending order`);
      const bins = feature.bins === null ? Array.from({ length: cuts.length + 1 }, (_, code) => [code]) : feature.bins;
      if (bins.length > 0 && bins.length !== cuts.length + 1) refuse(`'${name}' has ${cuts.length} cuts and ${bins.length} bins`);
      const known = new Map(feature.values.map(([value, codes]) => [keyOf(value), codes]));
      if (bins.length > 0 && feature.values.some(([value]) => value !== null && typeof value !== "string")) {
        refuse(`'${name}' has bins for its numbers, and other codes for one of them`);
      }
      this.inBins.push(values.map((value) => !known.has(keyOf(value))));
      const lists = values.map((value) => {
        let codes = known.get(keyOf(value));
        if (codes === undefined && typeof value === "number" && bins.length > 0) codes = bins[binOf(cuts, value)];
        return codes === undefined ? refuse(`the rows are not those of the proof: '${name}' has ${value === null ? "a missing value" : `the value '${value}'`}, which the proof does not know${typeof value === "string" ? ". Only empty cells are missing here: if that means missing, leave the cell empty" : ""}`) : codes;
      });
      const every = [...bins, ...known.values()];
      feature.most.forEach((most, place) => {
        const codes = every.map((one) => one[place]);
        if (codes.some((code) => !isWhole(code) || code < 0)) refuse(`'${name}' has a code that is no whole number from 0 on`);
        const largest = codes.reduce((a, b) => Math.max(a, b));
        if (largest >= every.length) refuse(`'${name}' has the code ${largest} in its column ${place}, but only ${every.length} bins and values: a code is below their number`);
        if (most.length !== 2 || most.some((points) => !isWhole(points) || points < 0)) refuse(`a side may have ${most} points`);
        this.columns.push({ feature: number, most, nCodes: largest + 1 });
      });
      return feature.most.map((_, place) => lists.map((codes) => codes[place]));
    }
    addExtra(extra) {
      this.extra = null;
      if (extra === null) return;
      if (extra.length !== 2 || extra.some((part) => part.some((one) => !isWhole(one) || one < 0))) refuse("a weight of the pseudo-observations is no whole number from 0 on");
      if (extra.some((part) => part.length !== this.events.length)) {
        refuse(`the rows are not those of the proof: they have ${this.events.length} patterns, and the proof has pseudo-observations for ${extra[0].length}`);
      }
      this.extra = extra.map((part) => part.map(BigInt));
      this.events = this.events.map((one, i) => one + this.extra[0][i]);
      this.others = this.others.map((one, i) => one + this.extra[1][i]);
    }
    /* Are all conditions listed that a feature can have? With numbers: each cut between two of them, a missing value on
       either side, and that it is missing. Without: each division of at most 12 levels into two groups. */
    hasEveryCondition(number) {
      const own = this.columns.filter((column) => column.feature === number), codesOf = new Map();
      this.rows.values[this.header.features[number].name].forEach((value, row) => codesOf.set(value, own.map((column) => column.codes[this.patternOfRow[row]])));
      const numbers = [...codesOf.keys()].filter((value) => typeof value === "number").sort((a, b) => a - b);
      const others = [...codesOf.keys()].filter((value) => typeof value !== "number"), n = numbers.length;
      if (n > 0 ? others.some((value) => value !== null) : others.length > 12) return false;
      const values = [...numbers, ...others], listed = new Set();
      own.forEach((_, place) => {
        const codes = values.map((value) => codesOf.get(value)[place]), order = values.map((_, i) => i).sort((i, j) => codes[i] - codes[j]);
        const below = { mask: 0, count: 0, low: n, high: -1, missing: 0 };
        order.forEach((i, at) => {
          if (n === 0) below.mask |= 1 << i;
          else if (i === n) below.missing = 1;
          else { below.count += 1; below.low = Math.min(below.low, i); below.high = Math.max(below.high, i); }
          if (at + 1 < order.length && codes[order[at + 1]] !== codes[i]) listed.add(n === 0 ? Math.min(below.mask, (1 << values.length) - 1 - below.mask) : divisionOf(below, n));
        });
      });
      if (n === 0) {
        for (let mask = 1; mask < (1 << values.length) - 1; mask += 1) if (!listed.has(Math.min(mask, (1 << values.length) - 1 - mask))) return false;
        return true;
      }
      const isMissing = others.length > 0;
      for (let i = 1; i < n + (isMissing ? 1 : 0); i += 1) if (!listed.has(`${i} 0`)) return false;
      for (let i = 1; isMissing && i < n; i += 1) if (!listed.has(`${i} 1`)) return false;
      return true;
    }
  }
  /* How many of the lowest numbers are on one side of a condition, and whether missing values are with them; null if
     the numbers are not divided at one place. */
  function divisionOf({ count, low, high, missing }, n) {
    if (count === 0) return `${n} ${1 - missing}`;
    if (high === count - 1) return `${count} ${missing}`;
    return low === n - count ? `${n - count} ${1 - missing}` : null;
  }

  // --- the card ---------------------------------------------------------------------------------
  function pointsOf(feature, value) {
    if (value === null && feature.missing !== null) return feature.missing;
    if (value !== null && feature.groups) {
      const place = feature.groups.findIndex((group) => group.some((one) => String(one) === String(value)));
      if (place >= 0) return feature.points[place];
    } else if (value !== null) {
      const code = feature.codes.find((one) => one.value === value);
      return code ? code.points : feature.points[binOf(feature.cuts, value)];
    }
    if (feature.usual === null) refuse(`the card has no points for the value '${value}' of '${feature.name}'`);
    return feature.points[feature.usual];
  }
  function lossAt(total, multiplier, offset, sign) { // at least log(1 + exp(-margin)), in units of 2**-FINE
    let above = ((BigInt(total) << multiplier.k) << offset.k) + offset.m * multiplier.m;
    let below = multiplier.m << offset.k;
    if (below < 0n) { above = -above; below = -below; }
    above *= sign;
    const size = above < 0n ? -above : above;
    // exp(-128) is far below the last digit, and is rounded up to it
    const small = exp(smaller((size << FINE) / below, 128n << FINE)) + (1n << 21n);
    const loss = log((1n << FINE) + small) - FINE * log(2n) + (1n << 21n);
    return above < 0n ? loss + (size << FINE) / below + 1n : loss;
  }
  function totalsOf(card, table, rows) {
    const totals = rows.isEvent.map((_, i) => card.features.reduce((sum, feature) => sum + pointsOf(feature, rows.values[feature.name][i]), card.base));
    if (!totals.every(isWhole)) refuse("a row has a total that is no whole number");
    if (table.extra === null && table.header.pool === null) return totals;
    const ofPattern = new Map();
    totals.forEach((total, i) => {
      const place = table.patternOfRow[i];
      if (ofPattern.has(place) && ofPattern.get(place) !== total) refuse("rows that the proof does not tell apart have different totals on the card");
      ofPattern.set(place, total);
    });
    return totals;
  }
  function lossOf(card, table, rows, totals) { // in the user's weights, as a Number that is not below the loss but for its rounding
    const scale = card.certificate.class_weights || card;
    const multiplier = exact(scale.multiplier), offset = exact(scale.offset);
    const sums = new Map();
    const add = (total, isEvent, weight) => { const key = `${total} ${isEvent}`; sums.set(key, (sums.get(key) || 0n) + weight); };
    totals.forEach((total, i) => add(total, rows.isEvent[i] ? 1 : 0, weightIn(rows.weights ? rows.weights[i] : 1, table.header.weights.factors[rows.isEvent[i] ? 1 : 0], table.digits)[1]));
    if (table.extra !== null) {
      const ofPattern = new Map(totals.map((total, i) => [table.patternOfRow[i], total]));
      ofPattern.forEach((total, place) => { add(total, 1, table.extra[0][place]); add(total, 0, table.extra[1][place]); });
    }
    let loss = 0n;
    sums.forEach((weight, key) => {
      const [total, isEvent] = key.split(" ").map(Number);
      loss += weight * lossAt(total, multiplier, offset, isEvent ? 1n : -1n);
    });
    return Number((loss << 64n) >> (FINE + BigInt(table.digits))) / 2 ** 64;
  }

  // --- the tree ---------------------------------------------------------------------------------
  const isOut = (excluded, side) => ((excluded[side >> 5] >>> (side & 31)) & 1) === 1; // a bit for each side
  class Checker {
    constructor(header, table, body) {
      Object.assign(this, { header, table, body, records: 0, closed: 0 });
      const { kind } = header, bound = exact(header.bound);
      ["max_terms", "max_features", "max_cuts_per_feature", "max_points"].forEach((name) => {
        if (!isWhole(kind[name]) || kind[name] < 1) refuse(`${name} is ${kind[name]}, which is no whole number from 1 on`);
      });
      // cutoff / 2**cutoffShift, in units of 1 / (ONE * 2**ODDS); so is the charge for a term
      const gain = exact(kind.min_gain), fine = BigInt(table.digits) + CHANCE + ODDS;
      if (gain.m < 0n) refuse("min_gain is below 0");
      const { pool } = header, below = pool === null ? bound : exact(pool.below);
      this.cutoffShift = larger(below.k, larger(bound.k, gain.k));
      this.boundOfAll = bound.m << (fine + this.cutoffShift - bound.k);
      this.charge = gain.m << (fine + this.cutoffShift - gain.k);
      // all cards of other choices than those of the pool are above the bound by this
      this.beyond = (below.m << (fine + this.cutoffShift - below.k)) - this.boundOfAll;
      if (this.beyond < 0n) refuse("the largest loss of the pool is below the bound");
      this.choices = pool === null ? [] : pool.choices.map((choice) => new Set(choice.map((pair) => {
        const [column, cut] = pair;
        if (pair.length !== 2 || !isWhole(column) || !isWhole(cut) || cut < 0 || !table.columns[column] || cut > table.columns[column].nCodes - 2) refuse(`a choice of the pool has no condition ${cut} of column ${column}`);
        return `${column} ${cut}`;
      })));
      this.isFixed = typeof kind.scale === "number";
      if (!this.isFixed && kind.scale !== "calibrated" && kind.scale !== "multiplier") refuse(`the scale '${kind.scale}' is not known`);
      if (this.isFixed) this.multiplier = exact(kind.scale);
      if (this.isFixed && this.multiplier.m <= 0n) refuse("the multiplier is not above 0");
      const up = (m, below) => -floorDivide(-m, below);
      if (!this.isFixed) { const limit = exact(kind.max_log_odds); this.step = up(limit.m << ODDS, 1n << limit.k); }
      if (!this.isFixed && this.step <= 0n) refuse("the largest step is not above 0");
      this.reach = table.columns.flatMap((column) => column.most.map((points) => {
        if (this.isFixed) return up((BigInt(points) << ODDS) << this.multiplier.k, this.multiplier.m);
        return points > 0 ? this.step : 0n;
      }));
      this.sides = this.reach.map((_, side) => side).filter((side) => this.reach[side] > 0n && table.columns[side >> 1].nCodes > 1);
      this.isSide = new Set(this.sides);
      this.steepest = this.sides.map((side) => this.reach[side]).reduce(larger, 0n);
      this.room = header.features.map((feature, number) => Math.min(feature.most_terms, table.columns.filter((column) => column.feature === number).reduce((sum, column) => sum + column.nCodes - 1, 0)));
      const sum = (list) => list.reduce((a, b) => a + b, 0n);
      this.lowest = (log(sum(table.events)) - log(sum(table.others))) >> (FINE - ODDS);
      this.highest = this.lowest + 1n;
      this.weights = table.events.map((event, i) => event + table.others[i]);
      this.eventParts = table.events.map((event) => event * ONE);
      this.isLight = sum(this.weights) < 2n ** 21n;
      if (this.isLight) {
        const n = this.weights.length;
        this.light = {
          weights: Float64Array.from(this.weights, Number), events: Float64Array.from(table.events, (event) => Number(event) * 2 ** 30),
          upper: new Float64Array(n), lower: new Float64Array(n), places: new Float64Array(65536).fill(NaN), kept: new Array(65536),
        };
      }
      this.order = table.columns.map((column) => column.codes.map((_, i) => i).sort((i, j) => column.codes[i] - column.codes[j]));
    }
    reaches(bound, isInPool, scale = 1n) { return bound << this.cutoffShift >= (isInPool ? this.cutoff - this.beyond : this.cutoff) * scale; }
    check() {
      const { body } = this, most = this.header.kind.max_terms;
      // where terms are charged there is a tree for each number of terms, and a card pays for its own
      for (let n = this.charge > 0n ? 0 : most; n <= most; n += 1) {
        this.cutoff = this.boundOfAll + this.beyond - BigInt(n) * this.charge;
        this.checkTree({ slots: [], listed: this.sides.length ? n : 0, excluded: new Uint32Array(Math.ceil(this.reach.length / 32)), isInPool: false });
      }
      if (body.left() > 0) refuse(`${body.left()} bytes follow the end of the tree`);
      if (this.header.records !== this.records || this.header.closed !== this.closed) refuse("the header states other numbers of records and closed nodes than the tree has");
    }
    checkTree(root) {
      const { body } = this;
      this.open = [root]; // nodes whose records are still to be read, the next one last
      this.openSlots = 0;
      while (this.open.length) {
        const node = this.open.pop(), { place } = body;
        this.openSlots -= node.slots.length;
        this.records += 1;
        try {
          const kind = body.byte();
          if (kind === CLOSED) this.close(node);
          else if (kind === BY_SIDE) this.divide(this.bySide(node));
          else if (kind === BY_CUT) this.divide(this.byCut(node));
          else if (kind === EMPTY) this.requireEmpty(node, body.byte());
          else if (kind === LEAF) this.leaf(node);
          else if (kind === IN_POOL) this.divide([this.inPool(node)]);
          else refuse(`there is no record of kind ${kind}`);
        } catch (error) {
          if (error instanceof Refused) refuse(`record ${this.records}, at byte ${place} of the tree: ${error.message}`);
          throw error;
        }
      }
    }
    close(node) {
      const { body, table } = this;
      const digits = body.digits(), unit = 2 ** (32 - digits), offset = body.signed(), parts = new Map();
      for (let left = body.number(); left > 0; left -= 1) {
        const side = body.number(), cut = body.number(), theta = body.number();
        if (!this.isSide.has(side) || cut > table.columns[side >> 1].nCodes - 2) refuse(`there is no condition ${cut} of side ${side}`);
        const { nCodes } = table.columns[side >> 1];
        if (!parts.has(side >> 1)) parts.set(side >> 1, new Array(nCodes).fill(0));
        const values = parts.get(side >> 1);
        for (let code = side & 1 ? cut + 1 : 0; code < (side & 1 ? nCodes : cut + 1); code += 1) values[code] += theta * unit;
      }
      this.closed += 1;
      const z = new Float64Array(this.weights.length).fill(offset * unit);
      parts.forEach((values, column) => { const { codes } = table.columns[column]; for (let i = 0; i < z.length; i += 1) z[i] += values[codes[i]]; });
      if (z.some((one) => !isWhole(one))) refuse("log-odds are too large");
      const { entropy, total, sums } = this.isLight ? this.lightSums(z) : this.exactSums(z);
      if (!this.reaches((entropy << ODDS) + this.gains(node, sums, total), node.isInPool)) refuse("the chances do not close the node");
    }
    exactSums(z) { // the entropy, the sum of all slopes, and for each column and cut that of the slopes at or below it
      let entropy = 0n, total = 0n;
      const slopes = Array.from(z, (one, i) => {
        const [p, h] = chanceAt(one), weight = this.weights[i];
        entropy += weight * h;
        const slope = weight * p - this.eventParts[i];
        total += slope;
        return slope;
      });
      const sums = (column) => {
        const { codes, nCodes } = this.table.columns[column], found = new Array(nCodes - 1);
        let run = 0n, cut = 0;
        for (const i of this.order[column]) {
          for (; cut < codes[i]; cut += 1) found[cut] = run;
          run += slopes[i];
        }
        for (; cut < nCodes - 1; cut += 1) found[cut] = run;
        return found;
      };
      return { entropy, total, sums };
    }
    /* The same where all weights together are below 2**21: a weight times 31 digits of a chance is then below 2**52, and so
       is every sum of these. Numbers up to 2**53 are exact. */
    lightSums(z) {
      const { light } = this, n = z.length, { upper, lower, kept, places } = light;
      let entropyUp = 0, entropyLow = 0, totalUp = 0, totalLow = 0;
      for (let i = 0; i < n; i += 1) {
        const slot = ((z[i] | 0) ^ ((z[i] / 65536) | 0)) & 65535;
        if (places[slot] !== z[i]) { kept[slot] = chanceAt(z[i]); places[slot] = z[i]; }
        const found = kept[slot], weight = light.weights[i];
        entropyUp += weight * found[4]; entropyLow += weight * found[5];
        upper[i] = weight * found[2] - light.events[i]; lower[i] = weight * found[3];
        totalUp += upper[i]; totalLow += lower[i];
      }
      const joined = (up, low) => (BigInt(up) << 31n) + BigInt(low);
      const sums = (column) => {
        const { codes, nCodes } = this.table.columns[column];
        const ups = new Float64Array(nCodes), lows = new Float64Array(nCodes);
        for (let i = 0; i < n; i += 1) { ups[codes[i]] += upper[i]; lows[codes[i]] += lower[i]; }
        for (let code = 1; code < nCodes; code += 1) { ups[code] += ups[code - 1]; lows[code] += lows[code - 1]; }
        // the lower digits below 2**31, so that two sums are compared by their upper ones first
        for (let code = 0; code < nCodes; code += 1) {
          const carry = Math.floor(lows[code] / HALF);
          ups[code] += carry; lows[code] -= carry * HALF;
        }
        return { ups, lows, joined };
      };
      return { entropy: joined(entropyUp, entropyLow), total: joined(totalUp, totalLow), sums };
    }
    gains(node, sumsOf, total) {
      const known = new Map();
      const sums = (column) => { if (!known.has(column)) known.set(column, sumsOf(column)); return known.get(column); };
      const least = (side, low, high) => {
        const own = sums(side >> 1);
        let best = low;
        if (own.joined) {
          const { ups, lows } = own;
          for (let cut = low + 1; cut <= high; cut += 1) {
            const isAbove = ups[cut] > ups[best] || (ups[cut] === ups[best] && lows[cut] > lows[best]);
            const isBelow = ups[cut] < ups[best] || (ups[cut] === ups[best] && lows[cut] < lows[best]);
            if (side & 1 ? isAbove : isBelow) best = cut;
          }
        } else for (let cut = low + 1; cut <= high; cut += 1) if (side & 1 ? own[cut] > own[best] : own[cut] < own[best]) best = cut;
        const sum = own.joined ? own.joined(own.ups[best], own.lows[best]) : own[best];
        return side & 1 ? total - sum : sum;
      };
      let gain = 0n, furthest = 0n;
      for (const [side, low, high, count] of node.slots) {
        gain += BigInt(count) * smaller(0n, least(side, low, high)) * this.reach[side];
        furthest += BigInt(count) * this.reach[side];
      }
      if (node.listed > 0) {
        let best = 0n;
        for (const side of this.sides) {
          if (!isOut(node.excluded, side)) best = smaller(best, least(side, 0, this.table.columns[side >> 1].nCodes - 2) * this.reach[side]);
        }
        gain += BigInt(node.listed) * best;
        furthest += BigInt(node.listed) * this.steepest;
      }
      return gain + smaller((this.lowest - furthest) * total, this.highest * total);
    }
    /* Put children before all other nodes whose records are still to be read. They are made one by one, since a file may
       state any number of terms: each node needs a byte at least. */
    divide(children) {
      const found = [];
      for (const child of children) {
        this.openSlots += child.slots.length;
        if (this.open.length + found.length >= this.body.left()) refuse("the node has more children than the tree has bytes for");
        if (this.openSlots > MOST_SLOTS) refuse(`all nodes still to be read have more than ${MOST_SLOTS} slots`);
        found.push(child);
      }
      while (found.length) this.open.push(found.pop());
    }
    * bySide(node) {
      const side = this.body.number();
      if (node.listed === 0 || !this.isSide.has(side) || isOut(node.excluded, side)) refuse(`side ${side} cannot be taken out of the list`);
      const excluded = node.excluded.slice();
      excluded[side >> 5] |= 1 << (side & 31);
      const isEnd = this.sides.every((one) => isOut(excluded, one));
      for (let count = 0; count <= node.listed; count += 1) {
        const slot = [side, 0, this.table.columns[side >> 1].nCodes - 2, count];
        yield { ...node, slots: count ? [...node.slots, slot] : node.slots, listed: isEnd ? 0 : node.listed - count, excluded };
      }
    }
    * byCut(node) {
      const place = this.body.number(), step = this.body.number();
      if (place >= node.slots.length) refuse(`there is no slot ${place}`);
      const [side, low, high, total] = node.slots[place], middle = low + step;
      if (middle >= high) refuse(`slot ${place} has no cut beyond ${middle}`);
      for (let count = 0; count <= total; count += 1) {
        const slots = [...node.slots], right = [side, middle + 1, high, total - count];
        slots[place] = count ? [side, low, middle, count] : right;
        if (count > 0 && count < total) slots.push(right);
        yield { ...node, slots };
      }
    }
    requireEmpty(node, rule) {
      const { slots } = node, { columns } = this.table, terms = new Map();
      slots.forEach(([side, , , count]) => { const f = columns[side >> 1].feature; terms.set(f, (terms.get(f) || 0) + count); });
      const somePair = (test) => slots.some((one, i) => slots.some((two, j) => j < i && test(one, two)));
      const chosen = (one, two) => columns[one[0] >> 1].feature === columns[two[0] >> 1].feature && one[1] === one[2] && two[1] === two[2];
      const rules = {
        1: () => slots.some(([, low, high, count]) => count > high - low + 1),
        2: () => somePair((one, two) => one[0] >> 1 === two[0] >> 1 && one[3] + two[3] > Math.max(one[2], two[2]) - Math.min(one[1], two[1]) + 1),
        3: () => [...terms].some(([feature, count]) => count > this.room[feature]),
        4: () => terms.size > this.header.kind.max_features,
        5: () => somePair((one, two) => chosen(one, two) && new Set(columns[one[0] >> 1].codes.map((code, i) => 2 * (code <= one[1]) + (columns[two[0] >> 1].codes[i] <= two[1]))).size !== 3),
        6: () => somePair((one, two) => {
          if (!chosen(one, two)) return false;
          const [a, b] = [one, two].map((slot) => this.table.binned[columns[slot[0] >> 1].feature].map((pattern) => columns[slot[0] >> 1].codes[pattern] <= slot[1]));
          return (new Set(a).size === 2 && (a.every((part, i) => part === b[i]) || a.every((part, i) => part !== b[i]))) || this.isTooSmall([one, two]);
        }),
        7: () => this.breaksRule(new Set(terms.keys()), node.listed),
      };
      rules[8] = () => [...terms.keys()].some((feature) => this.isTooSmall(slots.filter((slot) => columns[slot[0] >> 1].feature === feature)));
      if (!rules[rule] || !rules[rule]()) refuse(`the node is called empty by rule ${rule}, but keeps it`);
    }
    breaksRule(used, listed) { // can no card with these features, and more from the list, keep budget, groups and musts?
      const { must_use: must, costs, budget, groups } = this.header.rules;
      const missing = [...new Set(must)].filter((feature) => !used.has(feature)).length;
      const own = [...used].map((feature) => exact(costs[feature]));
      const k = own.map((cost) => cost.k).reduce(larger, 0n);
      const total = own.reduce((sum, cost) => sum + (cost.m << (k - cost.k)), 0n);
      const most = budget === null ? null : exact(budget);
      const isDear = most !== null && total << most.k > most.m << k;
      return missing > listed || isDear || groups.some(([members, count]) => new Set(members.filter((feature) => used.has(feature))).size > count);
    }
    isTooSmall(slots) { // single conditions of one feature that leave a group of rows, or of numbers, too small
      const { columns, patternOfRow, rows } = this.table, own = slots.map((slot) => columns[slot[0] >> 1]);
      if (slots.some((slot, i) => slot[1] !== slot[2] || own[i].feature !== own[0].feature)) return false;
      const values = rows.values[this.header.features[own[0].feature].name], groups = new Map();
      patternOfRow.forEach((pattern, row) => {
        const key = own.map((column, i) => (column.codes[pattern] <= slots[i][1] ? 1 : 0)).join("");
        for (const name of typeof values[row] === "number" ? [key, `n${key}`] : [key]) {
          const pair = groups.get(name) || [0, 0];
          groups.set(name, [pair[0] + 1, pair[1] + (rows.isEvent[row] ? 1 : 0)]);
        }
      });
      const [least, events] = this.header.rules.least;
      return [...groups.values()].some((pair) => pair[0] < least || pair[1] < events);
    }
    // a node whose conditions are a choice of the pool: only the bound must be reached, and another record says how
    inPool(node) {
      const number = this.body.number(), { slots } = node;
      if (node.isInPool || node.listed > 0 || slots.some(([, low, high, count]) => low !== high || count !== 1)) refuse("a choice of the pool where not all conditions are chosen, or twice");
      const chosen = new Set(slots.map(([side, cut]) => `${side >> 1} ${cut}`)), choice = this.choices[number];
      if (!choice || choice.size !== chosen.size || [...chosen].some((one) => !choice.has(one))) refuse(`the conditions are not those of choice ${number} of the pool`);
      return { ...node, isInPool: true };
    }
    leaf(node) {
      if (node.listed > 0 || node.slots.some(([, low, high, count]) => low !== high || count !== 1)) refuse("a leaf whose conditions are not all chosen");
      const { columns, events, others } = this.table, cells = new Map();
      events.forEach((event, i) => {
        const cell = node.slots.map(([side, cut]) => ((columns[side >> 1].codes[i] > cut) === ((side & 1) === 1) ? 1 : 0));
        const key = cell.join("");
        if (!cells.has(key)) cells.set(key, { cell, event: 0n, other: 0n });
        cells.get(key).event += event;
        cells.get(key).other += others[i];
      });
      const most = node.slots.map(([side]) => columns[side >> 1].most[side & 1]);
      this.cells = [...cells.values()];
      this.isLeafInPool = node.isInPool;
      if (this.isFixed) this.boxes(most);
      else if (most.length) this.points(most, []);
      else refuse("a leaf without conditions");
    }
    // ends: [low, high] of each variable, in units of 2**-ODDS / scale
    closeCells(design, ends, scale, tail) {
      const digits = this.body.digits(), unit = 2 ** (32 - digits), numbers = ends.map(() => this.body.signed());
      let entropy = 0n, total = 0n;
      const gains = ends.map(() => 0n);
      this.cells.forEach(({ event, other }, i) => {
        const z = design[i].reduce((sum, one, v) => sum + one * numbers[v], 0) * unit;
        if (!isWhole(z)) refuse("log-odds are too large");
        const [p, h] = chanceAt(z), slope = (event + other) * p - event * ONE;
        entropy += (event + other) * h;
        total += slope;
        design[i].forEach((one, v) => { gains[v] += slope * BigInt(one); });
      });
      let bound = (entropy << ODDS) * scale;
      ends.forEach(([low, high], v) => { bound += smaller(low * gains[v], high * gains[v]); });
      if (BigInt(tail) * total < 0n) refuse("the slope of a row of bases has the wrong sign");
      if (!this.reaches(bound, this.isLeafInPool, scale)) refuse("the chances of a leaf do not close it");
    }
    points(most, given) {
      for (let e = 1; e <= most[given.length]; e += 1) {
        const now = [...given, e], kind = this.body.byte(), n = BigInt(most.length), largest = BigInt(Math.max(...now));
        const score = (cell) => now.reduce((sum, points, j) => sum + points * cell[j], 0);
        if (kind === 1) {
          const ends = [[(this.lowest - n * this.step) * largest, this.highest * largest], [0n, this.step]];
          for (let j = now.length; j < most.length; j += 1) ends.push([0n, this.step * largest]);
          this.closeCells(this.cells.map(({ cell }) => [1, score(cell), ...cell.slice(now.length)]), ends, largest, 0);
        } else if (kind !== 0) refuse(`points of kind ${kind}`);
        else if (now.length < most.length) this.points(most, now);
        else if (this.header.kind.scale === "multiplier") {
          const first = this.body.signed(), last = first + this.body.number() + 1;
          for (let base = first; base <= last; base += 1) {
            const tail = base === first ? -1 : base === last ? 1 : 0;
            this.closeCells(this.cells.map(({ cell }) => [base + score(cell)]), [[0n, this.step]], largest, tail);
          }
        } else refuse("points that are not closed");
      }
    }
    boxes(most) {
      const { m, k } = this.multiplier, { body } = this;
      const points = most.reduce((sum, one) => sum + one, 0);
      const lowest = Number(floorDivide(this.lowest * m, 1n << (k + ODDS))) - points - 1;
      const highest = Number(-floorDivide(-this.highest * m, 1n << (k + ODDS))) + 1;
      if (!isWhole(lowest) || !isWhole(highest)) refuse("the multiplier is too large");
      const stack = [[[lowest, highest], ...most.map((one) => [1, one])]];
      const design = this.cells.map(({ cell }) => [1, ...cell]);
      while (stack.length) {
        const box = stack.pop(), kind = body.byte();
        if (kind === 1) { this.closeCells(design, box.map((ends) => ends.map((end) => BigInt(end) << (k + ODDS))), m, 0); continue; }
        if (kind !== 0) refuse(`a box of kind ${kind}`);
        const which = body.number(), step = body.number();
        if (which >= box.length || box[which][0] + step >= box[which][1]) refuse(`variable ${which} cannot be divided there`);
        const [low, high] = box[which];
        const left = box.map((ends, v) => (v === which ? [low, low + step] : ends));
        const right = box.map((ends, v) => (v === which ? [low + step + 1, high] : ends));
        stack.push(right, left);
      }
    }
  }

  // --- all together -----------------------------------------------------------------------------
  const PARTS = ["name", "cuts", "groups", "points", "missing", "codes", "usual"];
  const sorted = (value) => (Array.isArray(value) ? value.map(sorted) : value && typeof value === "object" ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value);
  const same = (one, two) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(two));

  // no feature is there twice: its second entry would hide what the first one does
  function requireOnce(names, owner) {
    names.forEach((name, i) => { if (names.indexOf(name) !== i) refuse(`${owner} has the feature '${name}' twice`); });
  }
  // the points of the card can be read in one way only
  function requirePoints(card) {
    requireOnce(card.features.map((feature) => feature.name), "the card");
    card.features.forEach(({ name, points, cuts, groups, missing, usual, codes = [] }) => {
      const size = groups === undefined ? cuts.length + 1 : groups.length;
      if (groups === undefined) {
        cuts.forEach(exact);
        if (cuts.some((cut, i) => i > 0 && cuts[i - 1] >= cut)) refuse(`the cuts of '${name}' on the card are not in ascending order`);
      }
      if (points.length !== size) refuse(`'${name}' has ${points.length} points on the card, and other bins`);
      codes.forEach((code) => exact(code.value));
      const own = [card.base, ...points, ...codes.map((code) => code.points), ...[missing, usual].filter((one) => one !== null)];
      if (!own.every(isWhole)) refuse(`'${name}' has points on the card that are no whole numbers`);
      if (usual !== null && !(usual >= 0 && usual < size)) refuse(`'${name}' has no points for its usual value`);
    });
  }
  function requireSame(card, header, table, rows) {
    const { certificate } = card, { kind } = header;
    const own = { base: card.base, multiplier: card.multiplier, offset: card.offset };
    own.features = card.features.map((feature) => Object.fromEntries(PARTS.filter((part) => part in feature).map((part) => [part, feature[part]])));
    if (!same(own, header.card) && header.pool === null) refuse("the proof is about another card");
    const entries = { card: ["base", "multiplier", "offset", "features"], rules: ["least", "must_use", "costs", "budget", "groups"] };
    Object.entries(entries).forEach(([place, names]) => names.forEach((name) => {
      if (!header[place] || header[place][name] === undefined) refuse(`the header has no ${name} in its ${place}`);
    }));
    if (!certificate) refuse("the card has no certificate: it was edited, or nothing was proven");
    [header.bound, certificate.bound, certificate.loss, certificate.pseudo_rows, certificate.smooth_rows, certificate.min_gain].forEach(exact);
    if (certificate.class_weights === undefined) refuse("the certificate has no entry for class weights");
    if (!Array.isArray(certificate.rules)) refuse("the rules of the certificate are no list");
    if (typeof certificate.is_grid_full !== "boolean" || typeof certificate.status !== "string") refuse("is_grid_full or status of the certificate is of the wrong kind");
    const keys = ["max_terms", "max_features", "max_cuts_per_feature", "max_points", "scale", "min_gain"];
    if (typeof kind.scale === "string") keys.push("max_log_odds");
    keys.forEach((key) => { if (certificate[key] !== kind[key]) refuse(`the certificate says ${key} = ${certificate[key]}, the proof ${kind[key]}`); });
    if (!(certificate.bound <= header.bound)) refuse(`the certificate states the bound ${certificate.bound}, proven is ${header.bound}`);
    if (!isWhole(certificate.charged_terms)) refuse(`the card is charged for ${certificate.charged_terms} terms`);
    const weights = certificate.class_weights;
    if (weights !== null && (typeof weights !== "object" || Array.isArray(weights) || !Object.keys(weights).length)) refuse(`the class weights of the certificate are ${JSON.stringify(weights)}`);
    const factors = weights ? [weights.no_event, weights.event] : [1, 1];
    if (!same(factors, header.weights.factors)) refuse("the class weights of the certificate are not those of the proof");
    requireOnce(header.features.map((feature) => feature.name), "the proof");
    if (!same(header.features.map((feature) => feature.name).sort(), [...card.feature_names].sort())) refuse("the features of the proof are not those of the card");
    const { rules } = header, hasRules = rules.must_use.length || rules.groups.length || rules.budget !== null || !same(rules.least, [1, 0]);
    if (hasRules && !certificate.rules.length) refuse("the proof has rules for the whole card, the certificate has none");
    if (!(certificate.pseudo_rows + certificate.smooth_rows > 0) && header.weights.extra !== null) refuse("the proof has pseudo-observations, the certificate has none");
    if (certificate.rules.length) return;
    header.features.forEach((feature, number) => {
      const columns = table.columns.filter((column) => column.feature === number);
      const conditions = columns.reduce((sum, column) => sum + column.nCodes - 1, 0);
      if (!(feature.most_terms >= Math.min(kind.max_cuts_per_feature, kind.max_terms, conditions))) refuse(`the proof limits the terms of '${feature.name}', without a rule for it`);
      if (columns.some((column) => column.most.some((points) => points !== kind.max_points))) refuse(`the proof limits the points of '${feature.name}', without a rule for it`);
      const isNumber = rows.values[feature.name].every((value) => typeof value === "number");
      if (certificate.is_grid_full && isNumber && !table.hasEveryCondition(number)) refuse(`the cuts of '${feature.name}' do not tell all of its values apart`);
    });
  }

  // the number of the smallest choice of the pool whose conditions decide on all totals; or -1
  function choiceOf(card, header, table, choices, totals) {
    const decide = (conditions) => {
      const found = new Map();
      return totals.every((total, row) => {
        const cell = conditions.map(([column, cut]) => (table.columns[column].codes[table.patternOfRow[row]] <= cut ? 1 : 0)).join("");
        if (!found.has(cell)) found.set(cell, total);
        return found.get(cell) === total;
      });
    };
    let best = -1;
    choices.forEach((choice, number) => {
      const isSmaller = best < 0 || choice.size < choices[best].size;
      if (isSmaller && decide([...choice].map((one) => one.split(" ").map(Number)))) best = number;
    });
    const own = { base: card.base, multiplier: card.multiplier, offset: card.offset, features: card.features.map((feature) => Object.fromEntries(PARTS.filter((part) => part in feature).map((part) => [part, feature[part]]))) };
    if (best < 0 && !same(own, header.card)) refuse("the proof is about another card, and this one is not in its pool");
    return best;
  }
  function describePool(header, table, choice) {
    if (header.pool === null) return [];
    const { below, choices } = header.pool, charge = header.kind.min_gain ? ` plus ${header.kind.min_gain} per term` : "";
    const words = ([column, cut]) => { // the values for which a condition holds
      const feature = header.features[table.columns[column].feature], { cuts } = feature;
      const place = column - table.columns.findIndex((one) => one.feature === table.columns[column].feature);
      const bins = feature.bins === null ? Array.from({ length: cuts.length + 1 }, (_, code) => [code]) : feature.bins;
      const holds = bins.map((codes) => codes[place] <= cut), n = holds.filter(Boolean).length, size = holds.length;
      const found = feature.values.filter(([, codes]) => codes[place] <= cut).map(([value]) => (value === null ? "missing" : `'${value}'`));
      if (n > 0 && n < size && holds.lastIndexOf(true) === n - 1) found.unshift(`<= ${cuts[n - 1]}`);
      else if (n > 0 && n < size && holds.indexOf(true) === size - n) found.unshift(`> ${cuts[size - n - 1]}`);
      else if (n > 0) found.unshift(n === size ? "any number" : `code <= ${cut} in column ${column}`);
      return `${feature.name} ${found.join(" or ")}`;
    };
    const place = choice < 0 ? "" : ` The points of this card follow from those of number ${choice + 1}.`;
    return [`Every card with a loss${charge} below ${below} has the conditions of one of ${choices.length} choices.${place} Whether each of them has such a card is checked with that card.`,
      ...choices.map((conditions, i) => `${i + 1}. ${conditions.map(words).join("; ") || "no condition"}`)];
  }
  // the least number of terms that give a feature its points
  function leastTerms(feature) {
    const special = [...(feature.missing === null ? [] : [feature.missing]), ...(feature.codes || []).map((code) => code.points)];
    if (feature.groups) return new Set([...feature.points, ...special]).size - 1;
    const changes = feature.points.filter((points, i) => i > 0 && points !== feature.points[i - 1]).length;
    return changes + new Set(special.filter((points) => !feature.points.includes(points))).size;
  }
  // the card is one of the cards that the proof is about, as far as its points tell
  function requireMember(card, header, checker) {
    const { kind, rules } = header, numbers = new Map(header.features.map((feature, number) => [feature.name, number])), used = new Set();
    const scale = card.certificate.class_weights || card, multiplier = exact(scale.multiplier);
    if (multiplier.m <= 0n) refuse("the multiplier of the card is not above 0");
    let terms = 0;
    card.features.forEach((feature) => {
      const own = leastTerms(feature), number = numbers.get(feature.name);
      if (own === 0) return;
      if (number === undefined) refuse(`the card uses '${feature.name}', which the proof does not have`);
      terms += own;
      used.add(number);
      if (own > checker.room[number]) refuse(`the card needs ${own} terms on '${feature.name}', and its kind allows ${checker.room[number]}`);
      const { bins, most } = header.features[number], values = checker.table.rows.values[feature.name];
      // two terms may be at one cut where a special code is on either side of it
      if (feature.groups || feature.codes.some((code) => values.includes(code.value))) return;
      const isPlain = bins === null && most.length === 1, largest = most.flat().reduce((a, b) => Math.max(a, b), 0);
      feature.points.forEach((points, i) => {
        const step = i > 0 ? points - feature.points[i - 1] : 0, allowed = isPlain ? most[0][step > 0 ? 1 : 0] : largest;
        if (Math.abs(step) > allowed) refuse(`a step of '${feature.name}' is ${step} points, and its kind allows ${allowed}`);
        // with a given multiplier the reach is that of the points
        if (!checker.isFixed && ((BigInt(Math.abs(step)) << multiplier.k) << ODDS) * 1000000000n > checker.step * multiplier.m * 1000000001n) {
          refuse(`a step of '${feature.name}' is above max_log_odds`);
        }
      });
    });
    const charged = card.certificate.charged_terms;
    if (kind.min_gain && terms > charged) refuse(`the card needs ${terms} terms, and pays for ${charged}`);
    if (terms > kind.max_terms) refuse(`the card needs ${terms} terms, and its kind allows ${kind.max_terms}`);
    if (used.size > kind.max_features) refuse(`the card uses ${used.size} features, and its kind allows ${kind.max_features}`);
    if (checker.isFixed && !card.certificate.class_weights && (card.multiplier !== kind.scale || card.offset !== 0)) refuse("the card has another scale than its kind");
    if (checker.breaksRule(used, 0)) refuse("the card breaks a rule of the proof: a feature that must be used, a budget or a group");
  }

  // what the check rests on without having looked at it
  function takenAsGiven(card, header, table) {
    const sentences = [];
    if (header.weights.extra !== null) {
      const sum = (lists) => Number(lists.flat().reduce((a, b) => a + b, 0n));
      const share = (100 * sum(table.extra)) / sum([table.events, table.others]);
      sentences.push(`Pseudo-observations, ${share.toFixed(1)} % of the weight, are taken from the proof as given.`);
    }
    const listed = header.features.filter((_, number) => !table.hasEveryCondition(number)).map((feature) => feature.name);
    if (listed.length) sentences.push(`The proof is about the conditions that it lists. Of these features it does not list all that their values allow: ${listed.join(", ")}.`);
    card.certificate.rules.forEach((rule) => sentences.push(`That the listed conditions and points are those of this rule was not checked: ${rule}.`));
    return sentences;
  }

  // what is a list on the page of the format is one here
  function requireLists(header) {
    const parts = [[header, ["features"]], [header.rules, ["least", "must_use", "costs", "groups"]]];
    header.features.forEach((feature) => parts.push([feature, ["cuts", "values", "most", ...(feature.bins === null ? [] : ["bins"])]]));
    if (header.pool !== null) parts.push([header.pool, ["choices"]]);
    parts.forEach(([owner, names]) => names.forEach((name) => { if (!Array.isArray(owner[name])) refuse(`${name} of the header is no list`); }));
    const { least, must_use: must, groups } = header.rules;
    if (![...least, ...must, ...groups.flatMap(([members, most]) => [...members, most])].every(isWhole)) refuse("a rule of the header has something else than a whole number");
    if (header.features.some((feature) => feature.values.some((pair) => pair.length !== 2))) refuse("a value of the header is no pair");
    if (header.features.some((feature) => !isWhole(feature.most_terms) || feature.most_terms < 0)) refuse("the terms of a feature are no whole number from 0 on");
  }
  function cleaned(rows) { // the rows that weigh something; NaN is a missing value
    const kept = rows.isEvent.map((_, i) => i).filter((i) => !rows.weights || rows.weights[i] !== 0);
    const take = (list) => kept.map((i) => list[i]);
    const values = Object.fromEntries(Object.entries(rows.values).map(([name, list]) => [name, take(list).map((value) => (Number.isNaN(value) ? null : value))]));
    return { values, isEvent: take(rows.isEvent), weights: rows.weights ? take(rows.weights) : null };
  }

  /* card: the parsed JSON file; rows: { values: {name: [number, text or null]}, isEvent: [], weights: [] or null };
     data: the proof file as Uint8Array. Throws Refused, or returns what was found to be true. */
  function check(card, rows, data) {
    try {
      rows = cleaned(rows);
      const { header, tree } = open(data);
      requireLists(header);
      const table = new Table(header, rows);
      requireSame(card, header, table, rows);
      requirePoints(card);
      const checker = new Checker(header, table, new Body(tree));
      checker.check();
      requireMember(card, header, checker);
      const totals = totalsOf(card, table, rows), choice = choiceOf(card, header, table, checker.choices, totals);
      const loss = lossOf(card, table, rows, totals), stated = card.certificate.loss;
      if (Math.abs(loss - stated) > 1e-9 * stated) refuse(`the loss of the card on these rows is ${loss}, not ${stated} as it states`);
      const price = loss + card.certificate.min_gain * card.certificate.charged_terms;
      if (price < header.bound) refuse("the loss of the card is below the bound: it is no card of the stated kind");
      const gap = (price - header.bound) / price;
      if (card.certificate.status === "optimal" && gap > 1.001e-6) refuse(`the card is called optimal, but the gap is ${gap}`);
      return { bound: header.bound, minGain: header.kind.min_gain, loss, price, gap, records: checker.records, closed: checker.closed, pool: describePool(header, table, choice), sentences: takenAsGiven(card, header, table) };
    } catch (error) {
      if (error instanceof Refused) throw error;
      return refuse(`an entry is missing or of the wrong kind (${error.message})`);
    }
  }

  // a plain CSV file: decimal numbers, with a point and maybe an exponent; empty cells are missing
  const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
  function cellOf(word) {
    const text = word.replace(/^[ \t]+|[ \t]+$/g, "");
    return text === "" ? null : NUMBER.test(text) ? Number(text) : text;
  }
  function linesOf(text) { // quotes are around a whole cell; a line without any letter is none
    const lines = [], source = text.replace(/^\ufeff/, "");
    let line = [], cell = "", at = "begin";
    const endCell = () => { line.push(cell); cell = ""; at = "begin"; };
    const endLine = () => { if (line.length || at !== "begin") { endCell(); lines.push(line); } line = []; };
    for (let i = 0; i < source.length; i += 1) {
      const letter = source[i];
      if (at === "quoted") {
        if (letter !== '"') cell += letter;
        else if (source[i + 1] === '"') { cell += '"'; i += 1; } else at = "closed";
      } else if (letter === ",") endCell();
      else if (letter === "\n" || letter === "\r") { endLine(); if (letter === "\r" && source[i + 1] === "\n") i += 1; }
      else if (at === "closed") refuse("a letter follows the closing quote of a cell");
      else if (letter === '"' && at === "begin") at = "quoted";
      else { cell += letter; at = "plain"; }
    }
    if (at === "quoted") refuse("the closing quote of a cell is missing");
    endLine();
    return lines;
  }
  function readCsv(text, card, header, target, weights) {
    const lines = linesOf(text);
    const names = lines.shift() || [];
    lines.forEach((line, i) => { if (line.length !== names.length) refuse(`row ${i + 1} has ${line.length} cells, not ${names.length}`); });
    const column = (name) => {
      const found = names.filter((one) => one === name).length;
      return found === 1 ? lines.map((line) => line[names.indexOf(name)]) : refuse(`the table has ${found} columns '${name}', not one`);
    };
    const isEvent = (word) => {
      const isClass = card.classes.map((one) => cellOf(word) === (typeof one === "boolean" ? Number(one) : one) || word === (one === true ? "True" : one === false ? "False" : String(one)));
      return isClass.length === 2 && isClass[0] !== isClass[1] ? isClass[1] : refuse(`a row has the label '${word}', which is no class of the card`);
    };
    const weightOf = (word, i) => (typeof cellOf(word) === "number" ? cellOf(word) : refuse(`row ${i + 1} has the weight '${word}', which is no number`));
    const values = Object.fromEntries(header.features.map((feature) => {
      const isText = feature.values.some(([value]) => typeof value === "string");
      return [feature.name, column(feature.name).map((word) => (isText ? word || null : cellOf(word)))];
    }));
    return { values, isEvent: column(target || card.outcome).map(isEvent), weights: weights ? column(weights).map(weightOf) : null };
  }

  return { check, open, parseJson, readCsv, sha256, textOf, Refused };
})();

if (typeof module !== "undefined") {
  module.exports = ProofChecker;
  if (require.main === module) {
    const fs = require("fs");
    const [cardPath, dataPath, proofPath, target, weights] = process.argv.slice(2);
    if (!proofPath) { console.log("node check_proof.js card.json data.csv card.proof [target [weights]]"); process.exit(2); }
    let card, text, data;
    try {
      card = ProofChecker.parseJson(ProofChecker.textOf(fs.readFileSync(cardPath)));
      text = ProofChecker.textOf(fs.readFileSync(dataPath));
      data = new Uint8Array(fs.readFileSync(proofPath));
    } catch (error) { console.log(error.message); process.exit(2); }
    try {
      const found = ProofChecker.check(card, ProofChecker.readCsv(text, card, ProofChecker.open(data).header, target, weights), data);
      const word = found.sentences.length ? "Accepted, with what is named below taken as given" : "Accepted";
      const perTerm = found.minGain ? ` plus ${found.minGain} per term` : "";
      console.log(`${word}: no card of the stated kind has a loss${perTerm} below ${found.bound}. The card has ${found.price}.`);
      console.log(`Checked: ${found.records} records of the tree, ${found.closed} of them closed by their bound.`);
      found.pool.forEach((sentence) => console.log(sentence));
      found.sentences.forEach((sentence) => console.log(sentence));
    } catch (error) {
      const isRefused = error instanceof ProofChecker.Refused;
      console.log(isRefused ? `Refused: ${error.message}.` : `The rows cannot be read (${error.message}).`);
      process.exit(isRefused ? 1 : 2);
    }
  }
}
