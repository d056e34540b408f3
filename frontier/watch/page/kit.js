"use strict";
// What every page is made of: elements, words for people, charts, tables, a map.
// Texts of the crawl become text nodes and checked attributes, here and nowhere else; nothing in
// these files turns a text into markup.
const kit = (() => {
  const SVG = new Set(["svg", "g", "line", "circle", "text", "path", "title"]);
  const NONE = "–";

  // --- elements ---

  /** "tag.class.class", attributes (a function is a listener, `style` an object), children. */
  function el(name, attributes = {}, ...children) {
    const [tag, ...classes] = name.split(".");
    const svg = SVG.has(tag);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    if (classes.length) node.setAttribute("class", classes.join(" "));
    for (const [key, value] of Object.entries(attributes)) {
      if (value == null || value === false) continue;
      if (typeof value === "function") node.addEventListener(key, value);
      else if (key === "style") for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat(2).filter((one) => one != null && one !== false && one !== ""));
    return node;
  }

  /** What cannot be seen, or turns the direction of writing, spelt out as \u202e. */
  function shown(text) {
    return String(text).replace(/[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
      (one) => (/[\t\n\r\u00a0\u202f]/.test(one) ? " " : "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0")));
  }

  /** A text of the crawl, by itself whatever its direction. */
  const said = (text, name = "bdi") => el(name, {}, shown(text));

  /** The address of a web page, or null: nothing else becomes a link. */
  function web(url) {
    try {
      const { protocol, href } = new URL(url);
      return protocol === "http:" || protocol === "https:" ? href : null;
    } catch { return null; }
  }

  /** A link out of this page. */
  function out(url, label, title = "") {
    const href = web(url);
    return href && el("a.out", { href, rel: "noreferrer noopener", target: "_blank", "aria-label":
      `Open ${shown(title || url)} in a new tab` }, label || "↗");
  }

  /** Replace the children of a node, unless they are made of the same as before. */
  function fill(node, of, make) {
    const text = JSON.stringify(of === undefined ? null : of);
    if (node.madeOf === text) return;
    node.madeOf = text;
    node.replaceChildren(...[make(of)].flat(2).filter((one) => one != null && one !== false));
  }

  /** Children by key: what has not changed stays, with its focus and its place. */
  function keyed(parent, items, key, make) {
    const old = parent.keyed || new Map(), fresh = new Map();
    for (const item of items) {
      const name = String(key(item)), text = JSON.stringify(item), last = old.get(name);
      fresh.set(name, last && last.text === text ? last : { text, node: make(item) });
    }
    for (const [name, { node }] of old) {
      const next = fresh.get(name);
      if (next && next.node === node) continue;
      const focus = next && [...node.querySelectorAll("a,button")].indexOf(document.activeElement);
      if (next) node.replaceWith(next.node); else node.remove();
      if (next && focus >= 0) next.node.querySelectorAll("a,button")[focus]?.focus();
    }
    let at = parent.firstElementChild;
    for (const { node } of fresh.values()) {
      if (node === at) at = at.nextElementSibling; else parent.insertBefore(node, at);
    }
    parent.keyed = fresh;
  }

  // --- words for people ---

  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const four = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  const known = (write) => (value) => (value == null || Number.isNaN(value) ? NONE : write(value));
  const number = known((n) => (Math.abs(n) >= 1000 || Number.isInteger(n) ? whole : four).format(n));
  const short = known((n) => compact.format(n));
  const percent = known((share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`);
  const fixed = known((x) => x.toFixed(2));
  const bytes = known((n) => (n < 1e9 ? `${whole.format(n / 1e6)} MB` : `${(n / 1e9).toFixed(1)} GB`));
  const rate = known((x) => x.toFixed(x < 10 ? 1 : 0));
  const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
  const score = known((x) => (x === 0 || Math.abs(x) >= 0.0001 ? three.format(x) : x.toExponential(1)));
  const two = (n) => String(n).padStart(2, "0");
  const duration = known((seconds) => {
    const s = Math.round(seconds);
    if (seconds > 0 && seconds < 0.1) return `${Math.max(Math.round(1000 * seconds), 1)} ms`;
    if (s < 60) return `${seconds < 10 ? Math.round(10 * seconds) / 10 : s} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60 ? `${s % 60} s` : ""}`.trim();
    if (s < 172800) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
    return `${whole.format(Math.floor(s / 86400))} d ${Math.floor((s % 86400) / 3600)} h`;
  });
  const time = (value) => new Date(typeof value === "string" ? value : 1000 * value);
  const clock = known((at) => {
    const d = time(at);
    return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  });
  const day = (d) => `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
  const date = known((at) => `${day(time(at))} ${clock(at)}`);
  /** A moment: only the time if it is the day of `now`. */
  const moment = (at, now) => (at == null ? NONE : el("time", { datetime: time(at).toISOString(), title: date(at) },
    now != null && day(time(at)) !== day(time(now)) ? date(at) : clock(at)));
  const ago = (at, now) => (now - at < 2 ? "just now" : `${duration(Math.floor(now - at))} ago`);
  const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

  // --- bars and tables ---

  const clamp = (x, low = 0, high = 1) => Math.min(Math.max(x || 0, low), high);

  /** A share as a short bar and in words; null is a dash. */
  const bar = (share, text = percent(share)) => el("span.bar", {},
    el("span.track", { "aria-hidden": "true" }, el("span.fill", { style: { width: `${100 * clamp(share)}%` } })),
    el("span.num", {}, text));

  /** An estimate within its interval, on a scale from 0 to `most`. */
  function interval({ estimate, low, high }, most) {
    const at = (x) => `${100 * clamp(x / most)}%`;
    return el("span.interval", { "aria-hidden": "true" },
      el("span.range", { style: { left: at(low), width: `${100 * (clamp(high / most) - clamp(low / most))}%` } }),
      el("span.dot", { style: { left: at(estimate) } }));
  }

  /** Values of both signs as bars from one axis. */
  function signed(parts, label) {
    const most = Math.max(...parts.map((one) => Math.abs(one.value)), 1e-9);
    return el("table.signed", {}, el("caption.hidden", {}, label),
      el("thead.hidden", {}, el("tr", {}, el("th", { scope: "col" }, "what"), el("th", { scope: "col" }, "value"))),
      el("tbody", {}, parts.map((one) => el("tr", {},
        el("th", { scope: "row" }, said(one.name), one.note && el("small", {}, one.note)),
        el("td", {}, el("div", {}, el("span.axis", { "aria-hidden": "true" }, el(`span.fill${one.value < 0 ? ".less" : ""}`, {
          style: { [one.value < 0 ? "right" : "left"]: "50%", width: `${50 * Math.abs(one.value) / most}%` } })),
        el("span.num", {}, `${one.value > 0 ? "+" : ""}${score(one.value)}`)))))));
  }

  /** Columns are [head, cell(row), class]; `table.show(rows, key)` shows others. */
  function table(caption, columns, empty = "") {
    const body = el("tbody"), none = el("p.none", {}, empty);
    const node = el("table", {}, el("caption.hidden", {}, caption),
      el("thead", {}, el("tr", {}, columns.map(([head, , name]) =>
        el(`th${name ? `.${name}` : ""}`, { scope: "col" }, head)))), body);
    const box = el("div.scroll", { tabindex: "0", role: "region", "aria-label": caption }, node, none);
    box.show = (rows, key = (row) => JSON.stringify(row)) => {
      node.hidden = !rows.length;
      none.hidden = rows.length > 0;
      keyed(body, rows, key, (row) => el("tr", {}, columns.map(([, cell, name], at) =>
        el(at ? `td${name ? `.${name}` : ""}` : `th${name ? `.${name}` : ""}`, at ? {} : { scope: "row" }, cell(row)))));
    };
    return box;
  }

  /** Names and values of a description list; what is null is left out. */
  const facts = (entries) => el("dl.facts", {}, entries.filter((one) => one && one[1] != null && one[1] !== NONE)
    .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));

  /** A section of the page. */
  function card(name, title, ...children) {
    const id = `h-${title.toLowerCase().replace(/\W+/g, "-")}`;
    return el(`section.card${name ? `.${name}` : ""}`, { "aria-labelledby": id }, el("h2", { id }, title), ...children);
  }

  // --- charts ---

  const charts = new Set();
  const TIMES = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /**
   * Lines over time or numbers. `chart.show({x, series, alt, ...})`: `series` are {label, values,
   * colour, share, format, dash, filled}; several tables of them, {x, series}, are joined by x.
   */
  function chart(height) {
    const box = el("div.plot", { role: "img", style: { height: `${height}px` } });
    const readout = el("p.readout");
    const node = el("figure.chart", {}, box, el("figcaption", {}, readout));
    let plot = null, last = null, signature = "";
    /** What the lines are, with their values at the cursor, or their last ones. */
    function legend(values) {
      const series = last.tables.flatMap((one) => one.series);
      readout.replaceChildren(...series.map((one, at) => el("span.key", {},
        el("span.swatch", { style: { background: `var(${one.colour})` } }), `${one.label} `,
        el("b", {}, one.format(values ? values[at] : one.values.at(-1))))), values ? el("span", {}, `at ${values.where}`) : "");
    }
    function draw() {
      if (!last || !box.clientWidth) return;
      const tables = last.tables.map((one) => [one.x, ...one.series.map((s) => s.values)]);
      const data = tables.length > 1 ? uPlot.join(tables) : tables[0];
      const series = last.tables.flatMap((one) => one.series);
      const now = JSON.stringify(series.map((s) => [s.label, s.colour, s.share]));
      if (plot && now === signature) {
        plot.setData(data);
        return;
      }
      signature = now;
      if (plot) plot.destroy();
      const line = { stroke: colour("--faint"), width: 1 }, muted = colour("--muted");
      const axis = { stroke: muted, font: "12px system-ui, sans-serif", grid: line, ticks: { show: false } };
      const shares = series.some((s) => s.share), others = series.find((s) => !s.share);
      plot = new uPlot({
        width: box.clientWidth, height, legend: { show: false },
        cursor: { y: false, points: { size: 8 }, drag: { x: false, y: false } },
        scales: { x: { time: false }, share: { range: [0, 1] },
          y: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] } },
        axes: [{ ...axis, grid: { show: false }, values: (_, at) => at.map(last.tick), space: 56, size: 30,
          incrs: last.times ? TIMES : undefined },
          ...(others ? [{ ...axis, scale: "y", size: 56, values: (_, at) => at.map(others.format), space: 36 }] : []),
          ...(shares ? [{ ...axis, scale: "share", side: others ? 1 : 3, size: 52, grid: { show: !others, ...line },
            values: (_, at) => at.map(percent), space: 36 }] : [])],
        series: [{}, ...series.map((s) => ({ label: s.label, scale: s.share ? "share" : "y", stroke: colour(s.colour),
          width: s.dash ? 1.25 : 2, dash: s.dash ? [4, 4] : undefined, spanGaps: true, points: { show: false },
          fill: s.filled ? colour("--wash") : undefined }))],
        hooks: { setCursor: [(u) => {
          const at = u.cursor.idx;
          legend(at == null || u.cursor.left < 0 ? null
            : Object.assign(u.data.slice(1).map((ys) => ys[at]), { where: last.where(u.data[0][at]) }));
        }] },
      }, data, box);
    }
    node.show = (next) => {
      last = { tick: next.where, ...next };
      box.setAttribute("aria-label", next.alt);
      legend(null);
      draw();
    };
    node.again = () => { signature = ""; draw(); };
    new ResizeObserver(() => {
      if (plot && box.clientWidth) plot.setSize({ width: box.clientWidth, height }); else draw();
    }).observe(box);
    charts.add(node);
    return node;
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((one) => one.again()));

  /** Counts between edges, as columns on a logarithmic scale. */
  function histogram(counts, edges, alt, from) {
    const top = Math.log1p(Math.max(...counts, 1));
    return el("div.columns", { role: "img", "aria-label": alt }, counts.map((n, at) =>
      el(`span${edges[at] >= from ? ".good" : ""}`, { title: `${fixed(edges[at])} to ${fixed(edges[at + 1])}: ${number(n)}`,
        style: { height: `${n ? Math.max(100 * Math.log1p(n) / top, 2) : 0}%` } })));
  }

  // --- the map ---

  /** Places of n nodes: a spiral, best in the middle, and some steps of springs; always the same. */
  function places(n, links, steps = 90) {
    const x = new Float64Array(n), y = new Float64Array(n), dx = new Float64Array(n), dy = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      x[i] = Math.sqrt(i + 0.5) * Math.cos(i * 2.399963);
      y[i] = Math.sqrt(i + 0.5) * Math.sin(i * 2.399963);
    }
    const degree = new Float64Array(n);
    for (const [a, b] of links) { degree[a]++; degree[b]++; }
    for (let step = 0; step < steps; step++) {
      const heat = 1.5 * (1 - step / steps);
      for (let i = 0; i < n; i++) { dx[i] = -0.12 * x[i]; dy[i] = -0.12 * y[i]; }
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          const u = x[i] - x[j], v = y[i] - y[j], push = 1.6 / (u * u + v * v + 0.05);
          dx[i] += u * push; dy[i] += v * push; dx[j] -= u * push; dy[j] -= v * push;
        }
      }
      for (const [a, b] of links) {  // a hub does not draw all it links to into one heap
        const pull = 0.5 / Math.sqrt(Math.max(degree[a], degree[b])), u = pull * (x[a] - x[b]), v = pull * (y[a] - y[b]);
        dx[a] -= u; dy[a] -= v; dx[b] += u; dy[b] += v;
      }
      for (let i = 0; i < n; i++) {
        const length = Math.hypot(dx[i], dy[i]) || 1, move = Math.min(length, heat) / length;
        x[i] += move * dx[i]; y[i] += move * dy[i];
      }
    }
    return { x, y };
  }

  /** Pages as circles (size: score, colour: relevance) and their links; `open(page)` is what a click does. */
  function map(pages, links, width, height, open) {
    const { x, y } = places(pages.length, links), edge = 26;
    const scaled = (values, size) => { // half by place, half by rank: the middle is not a heap
      const low = Math.min(...values), span = Math.max(...values) - low || 1, rank = new Float64Array(values.length);
      Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b).forEach((i, at) => { rank[i] = at / Math.max(values.length - 1, 1); });
      return Array.from(values, (v, i) => edge + (size - 2 * edge) * (0.5 * rank[i] + 0.5 * (v - low) / span));
    };
    const px = scaled(x, width), py = scaled(y, height), most = Math.max(...pages.map((p) => p.score || 0), 1e-12);
    const radius = pages.map((p) => 3 + 13 * Math.sqrt((p.score || 0) / most));
    const dots = pages.map((p, i) => el(`circle${p.relevance == null ? ".unknown" : ""}`, {
      cx: px[i].toFixed(1), cy: py[i].toFixed(1), r: radius[i].toFixed(1), click: () => open(p),
      style: { "--relevance": `${Math.round(100 * clamp(p.relevance))}%` } },
    el("title", {}, `${shown(p.title || p.url)}\n${shown(p.url)}\nrelevance ${fixed(p.relevance)}, score ${score(p.score)}`)));
    return el("svg.map", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label":
      `Map of ${plural(pages.length, "page")} and ${plural(links.length, "link")} among them; the list below has the same pages` },
    el("path.links", { d: links.map(([a, b]) => `M${px[a].toFixed(1)} ${py[a].toFixed(1)}L${px[b].toFixed(1)} ${py[b].toFixed(1)}`).join("") }),
    dots.reverse(), labels(pages, px, py, radius, width));
  }

  /** Titles of the best pages, as far as there is room. */
  function labels(pages, px, py, radius, width) {
    const taken = [];
    return pages.slice(0, 40).flatMap((p, i) => {
      const full = shown(p.title || ""), text = full.length > 26 ? `${full.slice(0, 25)}…` : full;
      const half = 3.4 * text.length, at = { x: px[i], y: py[i] - radius[i] - 5, half };
      const free = text && at.x - half > 4 && at.x + half < width - 4 && at.y > 12 && taken.length < width / 60
        && taken.every((o) => Math.abs(o.x - at.x) > o.half + half + 6 || Math.abs(o.y - at.y) > 17);
      if (!free) return [];
      taken.push(at);
      return [el("text", { x: at.x.toFixed(1), y: at.y.toFixed(1), "aria-hidden": "true" }, text)];
    });
  }

  const data = () => JSON.parse(document.getElementById("data").textContent);

  return { NONE, ago, bar, bytes, card, chart, clock, data, date, duration, el, facts, fill, fixed, histogram,
    interval, keyed, map, moment, number, out, percent, plural, rate, said, score, short, shown, signed, table, web };
})();
