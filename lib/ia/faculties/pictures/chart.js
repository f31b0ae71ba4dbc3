// Brings a chart of candles to life: crosshair, zoom, pan, panes. It draws as candles.py does, from the data beside it.
'use strict';
for (const figure of document.querySelectorAll('figure.chart')) alive(figure);

function alive(figure) {
  const data = JSON.parse(figure.querySelector('script').textContent);
  const svg = figure.querySelector('svg');
  const words = data.words;
  const count = data.d.length;
  const off = new Set();
  let from = data.from, to = data.to, at = -1, pointerY = null, place;

  // ---- numbers, as scale.py and svg.py write them
  const STEPS = [1, 2, 2.5, 5, 10];
  const num = x => { const t = x.toFixed(1).replace(/\.0$/, ''); return t === '-0' ? '0' : t; };
  const esc = s => String(s).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
  const grouped = (x, places) => x.toLocaleString('en-US', {minimumFractionDigits: places, maximumFractionDigits: places});
  const wideChar = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;
  const units = data.lang === 'zh' ? [[1e12, '万亿'], [1e8, '亿'], [1e4, '万']] : [[1e12, 'tn'], [1e9, 'bn'], [1e6, 'm'], [1e3, 'k']];
  const wide = (s, size) => [...s].reduce((sum, c) => sum + (wideChar.test(c) || c > '\uffff' ? size : size * 0.55), 0);
  function fitting(s, size, room) {
    if (wide(s, size) <= room) return s;
    const letters = [...s];
    while (letters.length && wide(letters.join(''), size) + size > room) letters.pop();
    return letters.length ? letters.join('').trimEnd() + '…' : '';
  }
  function price(x) {
    const size = Math.abs(x);
    if (x === 0 || size >= 1) return size < 10 ? grouped(x, 3).replace(/0$/, '') : grouped(x, 2);
    const places = Math.min(12, 2 - Math.floor(Math.log10(size)));
    const t = x.toFixed(places).replace(/0+$/, '');
    return (t.split('.')[1] || '').length >= 2 ? t : x.toFixed(2);
  }
  function number(x) {
    const size = Math.abs(x);
    if (x === 0) return '0';
    if (size >= 1e6) for (const [limit, sign] of units)
      if (size >= limit) return (size / limit < 1e4 ? +(x / limit).toPrecision(4) : grouped(x / limit, 0)) + sign;
    return size >= 1e5 ? grouped(x, 0) : size >= 1 ? grouped(x, 2) : String(+x.toPrecision(4));
  }
  function together(values) {
    const present = values.filter(v => v !== null), most = Math.max(0, ...present.map(Math.abs));
    if (most >= 1e6) return values.map(v => v === null ? '-' : number(v));
    const places = most >= 1e5 ? 0 : most >= 1 ? 2 : most ? Math.min(3 - Math.floor(Math.log10(most)), 12) : 0;
    return values.map(v => v === null ? '-' : grouped(v, places));
  }
  function compact(x) {
    const trim = t => t.replace(/\.?0+$/, '');
    for (const [size, sign] of units) if (Math.abs(x) >= size) {
      const y = x / size;
      if (Math.abs(y) < 10) return trim(y.toFixed(2)) + sign;
      return (Math.abs(y) < 100 && Math.abs(y - Math.round(y)) > 0.05 ? trim(y.toFixed(1)) : y.toFixed(0)) + sign;
    }
    return Math.abs(x) < 10 && x % 1 ? trim(x.toFixed(2)) : x.toFixed(0);
  }

  // ---- scales
  function scale(values, bottom, top, log, air) {
    let low = Infinity, high = -Infinity;
    for (const v of values) if (v !== null) { if (v < low) low = v; if (v > high) high = v; }
    if (low > high) return axis(0, 1, bottom, top, false);
    if (log && low > 0) {
      const ratio = Math.max(Math.pow(high / low, air), 1.0005);
      return axis(low / ratio, high * ratio, bottom, top, true);
    }
    const span = high - low;
    const margin = span <= Math.abs(high) * 1e-9 ? Math.abs(high) * 0.05 || 1 : span * air;
    return axis(low - margin, high + margin, bottom, top, false);
  }
  function axis(low, high, bottom, top, log) {
    const f = log ? v => Math.log(Math.max(v, 5e-324)) : v => v;
    const a = f(low), b = f(high);
    return {low, high, log, at: v => bottom + (f(v) - a) / (b - a) * (top - bottom),
      back: y => { const t = a + (y - bottom) / (top - bottom) * (b - a); return log ? Math.exp(t) : t; }};
  }
  function ticks(s, most) {
    if (s.log && s.high / s.low > 8) {
      let found = [];
      for (let p = Math.floor(Math.log10(s.low)); p <= Math.ceil(Math.log10(s.high)); p++)
        for (const digit of [1, 2, 5]) { const v = digit * Math.pow(10, p); if (v >= s.low && v <= s.high) found.push(v); }
      while (found.length > Math.max(most, 2)) found = found.filter((_, i) => i % 2 === 0);
      return found;
    }
    const raw = (s.high - s.low) / Math.max(most, 1), power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = power * (STEPS.find(k => k * power >= raw * (1 - 1e-9)) || 10);
    const found = [];
    for (let i = Math.ceil(s.low / step - 1e-9); i <= Math.floor(s.high / step + 1e-9); i++) found.push(+(i * step).toPrecision(12));
    return found;
  }
  function decimals(values) {
    for (let places = 0; places < 9; places++)
      if (values.every(v => Math.abs(+v.toFixed(places) - v) <= Math.max(Math.abs(v), 1e-12) * 1e-9)) return places;
    return 9;
  }
  function labels(values, large = 1e6) {
    const most = Math.max(...values.map(Math.abs), 0);
    if (most && most < 1e-6) return values.map(number);
    const [size, sign] = most >= large && units.find(unit => most >= unit[0]) || [1, ''], scaled = values.map(v => v / size), places = decimals(scaled);
    return scaled.map(v => v ? grouped(v, places) + sign : '0');
  }
  function dateTicks(dates, room) {
    if (dates.length === 1) return [[0, dates[0].slice(0, 16).replace('T', ' ')]];
    room = Math.max(room, 1);
    const week = d => Math.floor((Date.UTC(+d.slice(0, 4), d.slice(5, 7) - 1, +d.slice(8, 10)) / 864e5 + 719163) / 7);
    const months = d => +d.slice(0, 4) * 12 + +d.slice(5, 7) - 1;
    const time = (d, before) => d.slice(0, 10) === before.slice(0, 10) ? [d.slice(11, 16), false] : [d.slice(5, 10), true];
    const day = (d, before) => d.slice(0, 4) === before.slice(0, 4) ? [d.slice(5, 10), false] : [d.slice(0, 10), true];
    const levels = [[d => d.slice(0, 16), time], [d => d.slice(0, 13), time], [d => d.slice(0, 10), day], [week, day],
      ...[1, 3, 6].map(n => [d => Math.floor(months(d) / n), d => [d.slice(0, 7), false]]),
      ...[1, 2, 5, 10, 20].map(n => [d => Math.floor(+d.slice(0, 4) / n), d => [d.slice(0, 4), false]])];
    let found = [], label;
    for (const [key, named] of dates[0].length > 10 ? levels : levels.slice(2)) {
      const keys = dates.map(key);
      label = named;
      found = [];
      for (let i = 1; i < dates.length; i++) if (keys[i] !== keys[i - 1]) found.push(i);
      if (found.length <= room) break;
    }
    if (found.length === dates.length - 1 && found.length < room) found.unshift(0);
    const apart = dates.length / room * 0.65, kept = [];
    for (const i of found) {
      const tick = [i, ...label(dates[i], dates[Math.max(i - 1, 0)])], last = kept[kept.length - 1];
      if (!last || i - last[0] >= apart) kept.push(tick);
      else if (tick[2] && !last[2]) kept[kept.length - 1] = tick;
    }
    return kept.length ? kept.slice(-room) : [[0, dates[0].slice(0, 10)]];
  }

  // ---- layout
  function layout() {
    const own = data.place;
    const w = Math.max(figure.clientWidth || own.w, 320);
    const h = w === own.w ? own.h : Math.max(own.h * Math.min(1, 0.55 + 0.45 * w / own.w), 300);
    const strips = own.strips.filter(s => !off.has(s[0]));
    const gaps = 10 * (strips.length - 1), room = h - 58 - own.foot - gaps;
    const all = own.strips.reduce((sum, s) => sum + s[2], 0);
    const shrink = room / (own.h - 58 - own.foot - 10 * (own.strips.length - 1));
    const rest = strips.slice(1).map(s => Math.round(s[2] * Math.min(shrink, 1.2)));
    let top = 58;
    const heights = [Math.round(room - rest.reduce((a, b) => a + b, 0)), ...rest];
    const placed = strips.map((s, k) => { const it = {kind: s[0], top, height: heights[k], bottom: top + heights[k]}; top = it.bottom + 10; return it; });
    return {w, h, left: 12, right: Math.round(w - own.side), strips: placed, all};
  }
  const x = i => place.left + (i - from + 0.5) * (place.right - place.left) / (to - from);
  const fall = {red: 'green', green: 'red', blue: 'orange'}[data.up], side = up => up ? data.up : fall;
  const hue = i => (i + 2 * (data.up === 'blue')) % 6;
  const path = (d, kind) => d ? `<path class="${kind}" d="${d}"/>` : '';
  const text = (px, py, what, kind, anchor) =>
    `<text x="${num(px)}" y="${num(py)}"${kind ? ` class="${kind}"` : ''}${anchor ? ` text-anchor="${anchor}"` : ''}>${esc(what)}</text>`;
  const spans = (px, py, parts, gap, anchor) => parts.length ? `<text x="${num(px)}" y="${num(py)}"${anchor ? ` text-anchor="${anchor}"` : ''}>`
    + parts.map(([what, kind]) => `<tspan class="${kind}">${esc(what)}</tspan>`).join('\u00a0'.repeat(gap)) + '</text>' : '';
  const rect = (px, py, w, h, kind, more) => `<rect x="${num(px)}" y="${num(py)}" width="${num(Math.max(w, 0))}" height="${num(h)}" class="${kind}"${more || ''}/>`;
  function buckets() {
    const n = to - from, size = Math.ceil(n / Math.max(Math.floor((place.right - place.left) / 3), 1)), found = [];
    for (let b = from + (n % size || size); b <= to; b += size) {
      const a = Math.max(b - size, from);
      let high = -Infinity, low = Infinity, volume = 0;
      for (let i = a; i < b; i++) { high = Math.max(high, data.h[i]); low = Math.min(low, data.l[i]); volume += data.v[i]; }
      const open = data.o[a], close = data.c[b - 1];
      found.push({a, b, open, close, high, low, volume, rises: close > open || (close === open && close >= data.c[Math.max(a - 1, 0)])});
    }
    return found;
  }
  const bodyOf = bars => { const last = bars[bars.length - 1]; return Math.min(Math.max((place.right - place.left) / (to - from) * (last.b - last.a) * 0.7, 1), 36); };
  function polyline(values, s) {
    const most = Math.floor(place.right - place.left), n = to - from, d = [];
    let pen = 'M';
    const point = (i, v) => {
      if (v === null || (s.log && v <= 0)) { pen = 'M'; return; }
      d.push(`${pen}${num(x(i))} ${num(Math.min(Math.max(s.at(v), -9999), 99999))}`); pen = 'L';
    };
    if (n <= 4 * most) for (let i = from; i < to; i++) point(i, values[i]);
    else for (let k = 0; k < most; k++) {
      const a = from + Math.floor(k * n / most), b = from + Math.floor((k + 1) * n / most);
      let first = -1, last = -1, low = -1, high = -1, gap = -1;
      for (let i = a; i < b; i++) {
        if (values[i] === null) { if (gap < 0) gap = i; continue; }
        if (first < 0) first = i;
        last = i;
        if (low < 0 || values[i] < values[low]) low = i;
        if (high < 0 || values[i] > values[high]) high = i;
      }
      for (const i of [...new Set([first, low, high, last, gap])].filter(i => i >= 0).sort((p, q) => p - q)) point(i, values[i]);
    }
    return d.join('');
  }
  function columns(bars, s, value, ground) {
    const body = bodyOf(bars), d = {[data.up]: '', [fall]: ''};
    for (const bar of bars) {
      const [v, up] = value(bar);
      if (v === null) continue;
      d[side(up)] += `M${num(x((bar.a + bar.b - 1) / 2) - body / 2)} ${num(ground.top ? s.at(v) : s.at(0))}h${num(body)}V${num(ground.top ? ground.y : s.at(v))}h-${num(body)}z`;
    }
    return [data.up, fall].map(color => path(d[color], `${color} faint`)).join('');
  }
  const captioned = strip => strip.top + Math.min(15, strip.height / 3);
  function grid(strip, s, values, labels, taken) {
    let d = '', out = '';
    values.forEach((v, i) => {
      const y = s.at(v);
      d += `M${num(place.left)} ${num(y)}H${num(place.right)}`;
      if (taken.every(each => Math.abs(y - each) >= 15) && y >= strip.top + 4 && y <= strip.bottom - 2) out += text(place.right + 6, y + 4, labels[i], 'soft');
    });
    return path(d, 'grid') + out;
  }

  // ---- the strips
  const inside = list => list.filter(it => it[0] >= from && it[0] < to);
  function prices(strip, bars) {
    const seen = data.levels.map(level => level[0]), shown = inside(data.marks);
    for (const line of data.over) for (let i = from; i < to; i++) seen.push(line.v[i]);
    if (data.candles) for (let i = from; i < to; i++) seen.push(data.h[i], data.l[i]);
    const low = strip.bottom - (shown.some(m => m[1] === 'buy') ? 26 : 0) - (inside(data.events).length ? 20 : 0);
    const high = strip.top + (shown.some(m => m[1] === 'sell') ? 26 : 0);
    const s = strip.axis = scale(data.log ? seen.filter(v => v > 0) : seen, Math.max(low, high + 20), high, data.log, 0.06);
    s.bottom = Math.max(low, high + 20); s.top = high;
    const values = ticks(s, Math.max(Math.floor(strip.height / 46), 2));
    const last = data.c[to - 1], tags = data.levels.map(([v]) => [s.at(v), 'tag', price(v)]);
    const level = v => path(`M${num(place.left)} ${num(s.at(v))}H${num(place.right)}`, 'last');
    let inner = '', over = '';
    if (data.candles) {
      tags.push([s.at(last), side(to < 2 || last >= data.c[to - 2]), price(last)]);
      const body = bodyOf(bars), d = {[data.up]: ['', ''], [fall]: ['', '']};
      for (const bar of bars) {
        const px = x((bar.a + bar.b - 1) / 2), mine = d[side(bar.rises)];
        const high = s.at(bar.high), low = s.at(bar.low);
        let top = Math.min(s.at(bar.open), s.at(bar.close)), bottom = Math.max(s.at(bar.open), s.at(bar.close));
        if (bottom - top < 1) { top = (top + bottom) / 2 - 0.5; bottom = top + 1; }
        if (low - high > bottom - top) mine[0] += `M${num(px)} ${num(high)}V${num(low)}`;
        mine[1] += `M${num(px - body / 2)} ${num(top)}h${num(body)}V${num(bottom)}h-${num(body)}z`;
      }
      inner += level(last);
      for (const color of [data.up, fall]) inner += path(d[color][0], `wick w-${color}`) + path(d[color][1], color);
    }
    data.over.forEach((line, i) => { inner += path(polyline(line.v, s), `line l${hue(i)}`); });
    for (const [v] of data.levels) inner += path(`M${num(place.left)} ${num(s.at(v))}H${num(place.right)}`, 'own-level');
    tags.sort((p, q) => p[0] - q[0]);
    spread(tags.map(t => t[0]), tags.map(() => 16), strip.top - 8, strip.bottom + 8, 1).forEach((y, k) => {
      tags[k][0] = y;
      over += rect(place.right + 1, y - 8, place.w - place.right - 3, 16, tags[k][1], ' rx="2"') + text(place.right + 6, y + 4, tags[k][2], 'on');
    });
    return [grid(strip, s, values, labels(values, Infinity), tags.map(t => t[0])), inner + marks(s, bars), over];
  }
  function spread(xs, widths, left, right, gap) {
    const found = [];
    let at = left;
    xs.forEach((px, i) => { const middle = Math.max(px, at + widths[i] / 2); found.push(middle); at = middle + widths[i] / 2 + gap; });
    let end = right;
    for (let i = found.length - 1; i >= 0; i--) { found[i] = Math.min(found[i], end - widths[i] / 2); end = found[i] - widths[i] / 2 - gap; }
    return !found.length || found[0] - widths[0] / 2 >= left - 0.01 ? found : [];
  }
  function lanes() {
    return ['buy', 'sell'].flatMap(which => {
      const mine = data.marks.map((m, i) => [m, i]).filter(([m]) => m[1] === which && m[0] >= from && m[0] < to);
      if (!mine.length) return [];
      const xs = mine.map(([m]) => x(m[0])), left = place.left + 2, right = place.right - 2;
      let words_ = mine.map(([m]) => m[2]), middles = spread(xs, words_.map(w => wide(w, 10)), left, right, 10);
      if (!middles.length || Math.max(...xs.map((px, k) => Math.abs(px - middles[k]))) > 110) {
        words_ = mine.map(([, i]) => String(data.first + i + 1));
        middles = spread(xs, words_.map(w => wide(w, 10)), left, right, 4);
        if (!middles.length) words_ = [];
      }
      return [{which, mine, xs, words_, middles}];
    });
  }
  function marks(s, bars) {
    let out = '';
    const reach = 5 + bodyOf(bars) / 2;
    for (const {which, mine, xs, words_, middles} of lanes()) {
      const buy = which === 'buy', down = buy ? 1 : -1, edge = buy ? s.bottom : s.top;
      mine.forEach(([m], k) => {
        const near = bars.filter(b => Math.abs(x((b.a + b.b - 1) / 2) - xs[k]) <= reach);
        const tip = buy ? s.at(Math.min(...near.map(b => b.low))) + 3 : s.at(Math.max(...near.map(b => b.high))) - 3;
        let line = `M${num(xs[k])} ${num(tip + 9 * down)}V${num(edge)}`;
        if (words_.length) line += `L${num(middles[k])} ${num(edge + 11 * down)}`;
        out += `<g class="trade" data-date="${esc(data.d[m[0]])}" data-side="${which}"><title>${esc(m[3])} ${esc(m[2])}</title>${path(line, 'leader')}`
          + `<path class="mark" d="M${num(xs[k])} ${num(tip)}l-5 ${9 * down}h10z"/></g>`;
        if (words_.length) out += text(middles[k], edge + (buy ? 22 : -14), words_[k], 'trade-label', 'middle');
      });
    }
    return out;
  }
  function volume(strip, bars) {
    const s = strip.axis = axis(0, Math.max(...bars.map(b => b.volume)) || 1, strip.bottom, captioned(strip), false);
    const values = ticks(s, 2).slice(1);
    return [grid(strip, s, values, labels(values, 1e3), []),
      columns(bars, s, b => [b.volume || null, b.rises], {top: true, y: strip.bottom}), told(strip)];
  }
  function pane(strip, bars) {
    const it = data.panes[+strip.kind.slice(4)];
    let s;
    if (it.fixed) s = axis(it.fixed[0], it.fixed[1], strip.bottom, captioned(strip), false);
    else {
      const seen = it.lines.flatMap(line => line.v.slice(from, to));
      if (it.lines.some(line => line.f === 'columns')) seen.push(0);
      s = scale(seen, strip.bottom, captioned(strip), false, 0.08);
    }
    strip.axis = s;
    const inside = it.levels.filter(v => s.low <= v && v <= s.high);
    const values = it.levels.length > 1 && inside.length ? inside : ticks(s, Math.max(Math.floor(strip.height / 30), 2));
    const ground = grid(strip, s, values, labels(values), [])
      + path(it.levels.filter(v => s.low < v && v < s.high).map(v => `M${num(place.left)} ${num(s.at(v))}H${num(place.right)}`).join(''), 'level');
    let inner = '', k = 0;
    for (const line of it.lines) if (line.f === 'columns') inner += columns(bars, s, b => {
      const present = line.v.slice(b.a, b.b).filter(v => v !== null);
      if (!present.length) return [null, true];
      const v = present.reduce((p, q) => Math.abs(q) > Math.abs(p) ? q : p);
      return [v, v >= 0];
    }, {top: false});
    for (const line of it.lines) if (line.f === 'line') inner += path(polyline(line.v, s), `line l${hue(k++)}`);
    return [ground, inner, told(strip)];
  }
  const told = strip => `<g class="told">${named(strip)}</g>`;
  function named(strip) {
    const parts = [];
    if (strip.kind === 'volume') parts.push([`${words.volume} ${compact(data.v[at < 0 ? to - 1 : at])}`, 'soft']);
    else {
      const it = data.panes[+strip.kind.slice(4)];
      let k = 0;
      parts.push([it.t, 'soft']);
      const shown = together(it.lines.map(line => at < 0 ? lastOf(line.v) : line.v[at]));
      it.lines.forEach((line, i) => parts.push([`${it.lines.length > 1 ? line.n : ''} ${shown[i]}`.trim(), line.f === 'line' ? `t${hue(k++)}` : 'soft']));
    }
    return spans(place.left + 4, strip.top + 11, parts.map(([what, kind]) => [what, `label ${kind}`]), 3);
  }
  const lastOf = values => { for (let i = to - 1; i >= from; i--) if (values[i] !== null) return values[i]; return null; };
  function dates() {
    const bottom = place.strips[place.strips.length - 1].bottom;
    let d = '', out = '';
    for (const [i, label] of dateTicks(data.d.slice(from, to), Math.max(Math.floor((place.right - place.left) / 74), 1))) {
      const px = x(i + from), half = wide(label, 11) / 2;
      d += place.strips.map(s => `M${num(px)} ${num(s.top)}V${num(s.bottom)}`).join('');
      out += text(Math.min(Math.max(px, place.left + half), place.right - half), bottom + 15, label, 'soft', 'middle');
    }
    return path(d, 'grid') + out;
  }
  function events() {
    const foot = place.strips[0].bottom;
    return inside(data.events).map(([i, sign, words_]) =>
      `<g class="event" data-date="${esc(data.d[i])}"><title>${esc(data.d[i])} ${esc(words_)}</title>`
      + `<circle cx="${num(x(i))}" cy="${num(foot - 9)}" r="7" class="tag"/>${text(x(i), foot - 5.5, sign, 'on small', 'middle')}</g>`).join('');
  }
  function head() {
    const i = at < 0 ? to - 1 : at, last = data.candles ? price(data.c[i]) : '';
    let out = '', end = place.w - 12;
    if (!data.candles) end += 16;
    else if (i > 0) {
      const change = data.c[i] - data.c[i - 1], share = change / data.c[i - 1] * 100;
      const moved = [`${change > 0 ? '+' : ''}${number(change)}`, `${change > 0 ? '+' : ''}${share.toFixed(2)}%`];
      const color = change ? side(change >= 0) : 'soft';
      out += spans(end, 26, [[last, `big ${color}`], ...moved.map(each => [each, color])], 3, 'end');
      end -= wide(moved.join(''), 11) + 16;
    } else out += text(end, 26, last, 'big', 'end');
    end -= wide(last, 17) + 16;
    let px = place.left;
    const badge = data.warning ? wide(data.warning, 10.5) + 16 : 0, title = fitting(data.title, 17, end - px - badge);
    out += text(px, 26, title, 'title');
    if (data.warning) {
      px += wide(title, 17) * 1.02 + (title ? 10 : 0);
      out += rect(px, 13, badge - 2, 18, 'warnpaper', ' rx="9"') + text(px + 7, 26, data.warning, 'warn');
    }
    px = place.left;
    const legend = data.over.map((line, k) => {
      const v = at < 0 ? lastOf(line.v) : line.v[at];
      return [`${line.n} ${v === null ? '-' : price(v)}`, `t${hue(k)}`];
    }).concat(data.levels.map(([v, name]) => [`╌ ${name} ${price(v)}`, 'soft']));
    const need = legend.reduce((sum, [shown]) => sum + wide(shown, 11) + 14, -14), taken = wide(data.unit, 10) + 10;
    const named_ = data.unit && (data.candles || place.left + need + taken <= place.w - 6), stop = place.w - 6 - (named_ ? taken : 0);
    const unit = named_ ? text(place.w - 6, 50, data.unit, 'soft small', 'end') : '';
    const fits = legend.findIndex(([shown]) => { px += wide(shown, 11) + 14; return px - 14 > stop; });
    return out + spans(place.left, 47, fits < 0 ? legend : legend.slice(0, fits), 4) + unit;
  }

  // ---- the whole
  const group = kind => svg.querySelector(`[data-strip="${kind}"]`);
  function draw() {
    place = layout();
    svg.setAttribute('viewBox', `0 0 ${num(place.w)} ${num(place.h)}`);
    svg.setAttribute('width', num(place.w));
    svg.setAttribute('height', num(place.h));
    const paper = svg.querySelector('.paper');
    paper.setAttribute('width', num(place.w));
    paper.setAttribute('height', num(place.h));
    const bars = buckets();
    for (const [kind] of data.place.strips) if (off.has(kind)) group(kind).innerHTML = '';
    for (const strip of place.strips) {
      const [ground, inner, over] = strip.kind === 'prices' ? prices(strip, bars) : strip.kind === 'volume' ? volume(strip, bars) : pane(strip, bars);
      const id = `c-${strip.kind}${data.id}`;
      group(strip.kind).innerHTML = `<clipPath id="${id}"><rect x="${num(place.left)}" y="${num(strip.top)}" width="${num(place.right - place.left)}" height="${num(strip.height)}"/></clipPath>`
        + ground + path(`M${num(place.left)} ${num(strip.bottom)}H${num(place.right)}V${num(strip.top)}`, 'frame') + `<g clip-path="url(#${id})">${inner}</g>${over}`;
    }
    group('dates').innerHTML = dates();
    group('events').innerHTML = events();
    group('head').innerHTML = head();
    const minute = d => d.slice(0, 16).replace('T', ' ');
    const range = words.range.replace('{count}', grouped(to - from, 0)).replace('{first}', minute(data.d[from])).replace('{last}', minute(data.d[to - 1]));
    const signs = new Set(inside(data.events).map(it => it[1])), meant = Object.entries(words.signs).filter(([sign]) => signs.has(sign)).map(([, told_]) => told_).join(' · ');
    group('foot').innerHTML = (meant ? text(12, place.h - 23, fitting(meant, 10, place.w - 24), 'soft small') : '') + text(12, place.h - 9, fitting([range, bars.at(-1).b - bars.at(-1).a > 1 && words.shared.replace('{count}', bars.at(-1).b - bars.at(-1).a), data.source].filter(s => s).join(' · '), 10, place.w - 24), 'soft small');
    cross();
    figure.dataset.from = data.d[from];
    figure.dataset.to = data.d[to - 1];
  }
  function cross() {
    group('head').innerHTML = head();
    for (const strip of place.strips.slice(1)) group(strip.kind).querySelector('.told').innerHTML = named(strip);
    if (at < from || at >= to) { layer.innerHTML = ''; readout.textContent = words.keys; delete figure.dataset.bar; return; }
    const px = x(at), bottom = place.strips[place.strips.length - 1].bottom;
    let out = path(`M${num(px)} ${num(place.strips[0].top)}V${num(bottom)}`, 'cross');
    const strip = pointerY === null ? null : place.strips.find(s => pointerY >= s.top && pointerY <= s.bottom);
    if (strip) {
      const v = strip.axis.back(pointerY), shown = strip.kind === 'prices' ? price(v) : strip.kind === 'volume' ? compact(v) : number(v);
      out += path(`M${num(place.left)} ${num(pointerY)}H${num(place.right)}`, 'cross')
        + rect(place.right + 1, pointerY - 8, place.w - place.right - 3, 16, 'tag', ' rx="2"') + text(place.right + 6, pointerY + 4, shown, 'on');
    }
    const date = data.d[at].replace('T', ' '), half = wide(date, 11) / 2 + 6, middle = Math.min(Math.max(px, half), place.w - half);
    out += rect(middle - half, bottom + 3, 2 * half, 16, 'tag', ' rx="2"') + text(middle, bottom + 15, date, 'on', 'middle');
    layer.innerHTML = out;
    const parts = data.candles ? [date, ...['o', 'h', 'l', 'c'].map(k => `${words[k]} ${price(data[k][at])}`), `${words.volume} ${compact(data.v[at])}`] : [date];
    if (!data.candles) for (const line of data.over) parts.push(`${line.n} ${line.v[at] === null ? '-' : price(line.v[at])}`);
    else if (at > 0) { const share = (data.c[at] / data.c[at - 1] - 1) * 100; parts.splice(5, 0, `${share >= 0 ? '+' : ''}${share.toFixed(2)}%`); }
    for (const it of [...data.marks, ...data.events]) if (it[0] === at) parts.push(it[2]);
    readout.textContent = parts.join('   ');
    figure.dataset.bar = data.d[at];
  }
  function show(a, b) {
    const least = Math.min(8, count), size = Math.max(least, Math.min(count, Math.round(b - a)));
    from = Math.max(0, Math.min(Math.round(a), count - size));
    to = from + size;
    draw();
  }
  function zoom(factor, around) {
    const size = to - from, next = Math.max(Math.min(8, count), Math.min(count, size * factor));
    if (Math.round(next) === size && factor !== 1) return show(from - Math.sign(factor - 1), to + Math.sign(factor - 1));
    const share = (around - from + 0.5) / size;
    show(around + 0.5 - share * next, around + 0.5 - share * next + next);
  }
  const pan = by => show(from + by, to + by);
  const reset = () => { from = data.from; to = data.to; at = -1; draw(); };

  // ---- controls
  const bar = figure.querySelector('.controls'), readout = figure.querySelector('output');
  const button = (label, told, act) => {
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = label;
    b.title = told;
    b.setAttribute('aria-label', told);
    b.addEventListener('click', () => act(b));
    bar.append(b);
    return b;
  };
  button('−', words.out, () => zoom(1.5, (from + to) / 2));
  button('+', words.in, () => zoom(1 / 1.5, (from + to) / 2));
  button('◀', words.back, () => pan(-Math.max(1, Math.round((to - from) / 4))));
  button('▶', words.on, () => pan(Math.max(1, Math.round((to - from) / 4))));
  for (const [label, bars] of data.spans) button(label, `${words.last} ${label}`, () => show(count - bars, count));
  for (const [kind] of data.place.strips.slice(1)) {
    const named = kind === 'volume' ? words.volume : data.panes[+kind.slice(4)].t;
    const b = button(named, named, me => { off.has(kind) ? off.delete(kind) : off.add(kind); me.setAttribute('aria-pressed', String(!off.has(kind))); draw(); });
    b.setAttribute('aria-pressed', 'true');
  }
  const layer = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  layer.setAttribute('class', 'crosshair');
  layer.setAttribute('pointer-events', 'none');
  svg.append(layer);
  svg.setAttribute('tabindex', '0');
  svg.removeAttribute('role');
  svg.setAttribute('role', 'application');
  svg.setAttribute('aria-roledescription', words.chart);
  const where = e => { const box = svg.getBoundingClientRect(); return [(e.clientX - box.left) * place.w / box.width, (e.clientY - box.top) * place.h / box.height]; };
  const barAt = px => Math.max(from, Math.min(to - 1, Math.floor(from + (px - place.left) / (place.right - place.left) * (to - from))));
  const held = new Map();
  let grip = null;
  svg.addEventListener('pointerdown', e => {
    held.set(e.pointerId, e.clientX);
    if (held.size === 2) { const [a, b] = [...held.values()]; grip = {apart: Math.abs(a - b) || 1, from, to}; }
    else grip = {x: e.clientX, from, to, moved: false};
    if (e.pointerType === 'mouse') svg.setPointerCapture(e.pointerId);
  });
  svg.addEventListener('pointermove', e => {
    const [px, py] = where(e);
    if (held.has(e.pointerId)) {
      held.set(e.pointerId, e.clientX);
      const box = svg.getBoundingClientRect();
      if (grip && grip.apart && held.size === 2) {
        const [a, b] = [...held.values()], size = (grip.to - grip.from) * grip.apart / (Math.abs(a - b) || 1), middle = (grip.from + grip.to) / 2;
        return show(middle - size / 2, middle + size / 2);
      }
      if (grip && !grip.apart) {
        const by = Math.round((grip.x - e.clientX) * place.w / box.width / (place.right - place.left) * (grip.to - grip.from));
        if (by || grip.moved) { grip.moved = true; return show(grip.from + by, grip.to + by); }
      }
    }
    at = barAt(px); pointerY = py; cross();
  });
  for (const name of ['pointerup', 'pointercancel']) svg.addEventListener(name, e => { held.delete(e.pointerId); grip = null; });
  svg.addEventListener('pointerleave', () => { if (!held.size) { at = -1; pointerY = null; cross(); } });
  svg.addEventListener('wheel', e => {
    e.preventDefault();
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) return pan(Math.sign(e.deltaX) * Math.max(1, Math.round((to - from) / 20)));
    zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, barAt(where(e)[0]));
  }, {passive: false});
  svg.addEventListener('dblclick', reset);
  svg.addEventListener('keydown', e => {
    const step = e.shiftKey ? 10 : 1, keys = {
      ArrowLeft: () => move(-step), ArrowRight: () => move(step), Home: () => move(-count), End: () => move(count),
      '+': () => zoom(1 / 1.5, at < 0 ? (from + to) / 2 : at), '=': () => zoom(1 / 1.5, at < 0 ? (from + to) / 2 : at), '-': () => zoom(1.5, at < 0 ? (from + to) / 2 : at),
      PageUp: () => pan(-(to - from)), PageDown: () => pan(to - from), 0: reset, Escape: () => { at = -1; pointerY = null; cross(); }};
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  });
  function move(by) {
    at = Math.max(0, Math.min(count - 1, (at < 0 ? to - 1 : at) + by));
    pointerY = null;
    if (at < from) show(at, at + to - from);
    else if (at >= to) show(at + 1 - (to - from), at + 1);
    else cross();
  }
  figure.classList.add('alive');
  draw();
  let seen = figure.clientWidth;
  new ResizeObserver(() => { if (figure.clientWidth !== seen) { seen = figure.clientWidth; draw(); } }).observe(figure);
}
