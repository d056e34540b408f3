"use strict";
// The page of a crawl, or of several side by side: `documents` are pictures (frontier.watch.picture).
// Live, they come as server-sent events; in a report they are in the file. What is open stands in the
// hash: crawl (its place), url, host, q (a search).
(() => {
  const { ago, bar, card, chart, clock, date, duration, el, facts, fill, fixed, histogram, interval, keyed,
    moment, number, out, percent, plural, rate, said, score, short, shown, signed, table, bytes, NONE } = kit;
  const { live, crawls, documents } = kit.data();
  const COLOURS = ["--accent", "--second", "--third", "--fourth"];
  const docs = documents || Array(crawls).fill(null), many = docs.length > 1;
  const token = new URLSearchParams(location.search).get("token") || "";
  let searched = null;
  const received = [], labelled = new Map(), asked = new Set(), maps = docs.map((one) => (one && one.map) || null);
  const mine = (at) => COLOURS[at % COLOURS.length];
  const name = (doc) => (doc.directory || "").split(/[\\/]/).filter(Boolean).pop() || "crawl";

  // --- the hash, and the server ---

  const hash = () => new URLSearchParams(location.hash.slice(1));
  const current = () => Math.min(Math.max(Math.trunc(Number(hash().get("crawl"))) || 0, 0), docs.length - 1);
  /** The hash with one thing open. */
  function hashOf(open = {}) {
    const next = new URLSearchParams();
    if (many && !("crawl" in open)) next.set("crawl", current());
    for (const [key, value] of Object.entries(open)) next.set(key, value);
    return `#${next}`;
  }
  const go = (open) => { location.hash = hashOf(open); };
  const toUrl = (url, text) => el("a.inside", { href: hashOf({ url }) }, said(text || url));
  const toHost = (host) => el("a.inside", { href: hashOf({ host }) }, said(host));

  /** JSON of the server; rejects with words for people. */
  async function ask(path, parameters = {}, options = {}) {
    const query = new URLSearchParams({ crawl: current(), ...parameters });
    let answer;
    try {
      answer = await fetch(options.method ? path : `${path}?${query}`, { ...options,
        headers: { "X-Token": token, ...options.headers } });
    } catch { throw new Error("The server does not answer. Is scrapy frontier watch still running?"); }
    const found = await answer.json().catch(() => ({}));
    const why = found.error || `the server answered ${answer.status}`;
    if (!answer.ok) throw new Error(why[0].toUpperCase() + why.slice(1));
    return found;
  }

  // --- the parts, in the order in which they stand ---

  const connection = el("p.connection", { role: "status" });
  const title = el("h1"), state = el("p.state"), crumbs = el("p.crumbs"), tabs = el("nav.tabs", { "aria-label": "Crawls" });
  const box = el("input", { type: "search", name: "q", id: "q", autocomplete: "off", placeholder: "Search what was fetched" });
  const form = el("form.search", { role: "search", submit: (event) => {
    event.preventDefault();
    const q = box.value.trim();
    go(q ? { q } : {});
  } }, el("label.hidden", { for: "q" }, "Search the pages that were fetched"), box, el("button", {}, "Search"));
  const numbers = el("section.numbers", { "aria-label": "Numbers" });
  const results = el("ol.pages"), told = el("p.note", { role: "status" });
  const found = card("wide", "Search results", told, results, el("p", {}, el("a.inside", { href: "#", click: (event) => {
    event.preventDefault();
    box.value = "";
    go({});
  } }, "Close the search")));
  const harvest = chart(280), harvestNote = el("p.note"), harvestTable = el("details"), speed = chart(150), memory = chart(150);
  const queue = el("div"), estimates = el("div"), latest = el("ol.pages");
  const plot = el("div.mapbox"), best = table("Best pages, by link score", [
    ["Page", (p) => [toUrl(p.url, p.title || p.url)]],
    ["Score", (p) => score(p.score), "num"], ["Relevance", (p) => bar(p.relevance, fixed(p.relevance)), "num"]],
  "No page has a score yet.");
  const hosts = table("Hosts, those with most pages and waiting URLs first", [
    ["Host", (h) => [toHost(h.host), h.state !== "ok" && el(`span.chip.${h.state === "slowed" ? "warn" : "bad"}`,
      { title: h.note ? shown(h.note) : null }, h.state)]],
    ["Pages", (h) => number(h.pages), "num"],
    ["Relevant", (h) => (h.judged ? bar(h.relevant / h.judged) : NONE), "num"],
    ["Waiting", (h) => number(h.queued), "num"], ["In flight", (h) => number(h.in_flight), "num.desk"]], "No hosts yet.");
  const errors = table("Errors by reason", [["What went wrong", (e) => said(e.reason)], ["URLs", (e) => number(e.count), "num"]],
    "No errors.");
  const refused = table("Links that were not followed, by reason", [
    ["Why", (r) => [said(r.reason), el("small", {}, "such as ", said(r.example))]],
    ["Links", (r) => number(r.links), "num"], ["Sites", (r) => number(r.domains), "num"]], "No link was refused.");
  const reranks = table("Re-ranks, newest first", [
    ["When", (r) => moment(r.at, shownDoc().now)], ["Took", (r) => duration(r.seconds), "num"],
    ["New in the top 100", (r) => bar(r.changed), "num"]], "The queue was not ranked again yet.");
  const ages = el("div"), changes = table("Changes of pages, newest first", [
    ["Page", (c) => toUrl(c.url, c.title || c.url)], ["What", (c) => c.change],
    ["Seen", (c) => moment(c.fetched, shownDoc().now), "num"]], "Nothing changed.");
  const again = card("list", "Refreshing", ages, changes);
  const topical = card("third", "How sure, and how much is left", estimates);
  const main = el("main", { hidden: true }, found, numbers,
    card("main", "Harvest", harvest, harvestNote, harvestTable), topical,
    card("third", "Speed", speed), card("third", "Memory", memory), card("third", "What waits", queue),
    card("half.list", "Latest pages", el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Latest pages, newest first" }, latest)),
    card("half.list", "Hosts", hosts),
    card("main.list", "Map of the best pages", plot), card("third.list", "Best pages", best),
    card("third.list", "Errors", errors), card("third.list", "Links left out", refused), card("third.list", "Re-ranks", reranks),
    again, el("footer", {}, el("p", {}, live ? "scrapy frontier watch" : "scrapy frontier report", ". Charts: uPlot (MIT).")));
  const dialog = el("dialog", { "aria-labelledby": "dialog-title", close: () => {
    if (hash().has("url") || hash().has("host")) history.pushState(null, "", hashOf(searched ? { q: searched } : {}));
  }, click: (event) => { if (event.target === dialog) dialog.close(); } });
  const head = el("header", {}, el("div.bar1", {}, connection, live && form), title, state, crumbs, many && tabs);
  const wait = el("p.wait", {}, "Reading the crawl …");
  document.getElementById("page").append(head, wait, main, dialog);

  const shownDoc = () => docs[current()];

  // --- numbers and state ---

  const share = (part, whole) => (whole ? part / whole : null);
  const NUMBERS = [
    ["Pages", (n) => number(n.pages), (n) => `of ${number(n.known)} known${n.rendered?.pages ? `; ${number(n.rendered.pages)} in a browser: ${number(n.rendered.links)} links, ${number(n.rendered.words)} words more` : ""}`],
    ["Judged relevant", (n) => number(n.relevant), (n) => n.judged > 0 && `${percent(share(n.relevant, n.judged))} of ${n.judged === n.pages ? "all" : `${short(n.judged)} judged`}`, true],
    ["Last 100", (n) => percent(n.recent_share), () => "judged relevant", true],
    ["Pages a second", (n) => rate(n.pages_per_second ?? n.average), (n) => (n.pages_per_second == null ? "on average" : "at last")],
    ["Waiting", (n) => number(n.queued), (n) => `on ${plural(n.hosts, "host")}`],
    ["In flight", (n) => number(n.in_flight), () => "now"],
    ["Failed", (n) => number(n.failed), () => "URLs"],
    ["Memory", (n) => bytes(n.memory), () => "of the crawl"],
  ];

  function showNumbers() {
    const there = docs.filter(Boolean), focused = there.some((doc) => doc.focused);
    const listed = NUMBERS.filter(([, , , topic]) => focused || !topic);
    const of = (doc) => ({ ...doc.numbers, rendered: doc.rendered, average: doc.running || !(doc.last_page > doc.started) ? null : doc.numbers.pages / (doc.last_page - doc.started) });
    fill(numbers, there.map((doc) => [doc.numbers, doc.directory, doc.last_page, doc.rendered]), () => (many
      ? el("table.compared", {}, el("caption.hidden", {}, "Numbers of the crawls side by side"),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, el("span.hidden", {}, "Number")), docs.map((doc, at) => doc && el("th.num", { scope: "col" },
          el("span.swatch", { style: { background: `var(${mine(at)})` } }), said(name(doc)))))),
        el("tbody", {}, listed.map(([label, write]) => el("tr", {}, el("th", { scope: "row" }, label),
          docs.map((doc) => doc && el("td.num", {}, write(of(doc))))))))
      : el("dl", {}, listed.map(([label, write, note]) => el("div", {}, el("dt", {}, label), el("dd", {},
        el("b", {}, write(of(there[0]))), el("small", {}, note(of(there[0])))))))));
  }

  function showState() {
    const doc = shownDoc();
    if (!doc) return;
    const now = live && doc.running ? doc.now + (performance.now() - received[current()]) / 1000 : doc.now;
    const words = doc.running
      ? [doc.started != null && `Running for ${duration(Math.floor(now - doc.started))}`, doc.last_page != null && `last page ${ago(doc.last_page, now)}`]
      : [shown(doc.finish_text || "Not running").replace(/\.$/, ""), doc.last_page != null && `last page ${date(doc.last_page)}`];
    fill(state, [doc.running, doc.finish_reason, words], () => [el(`span.pill${doc.running ? ".on" : ""}`, {},
      doc.running ? "Running" : doc.finish_reason && doc.finish_reason !== "shutdown" ? "Finished" : "Stopped"), ` ${words.filter(Boolean).join("; ")}.`]);
  }

  function showHead() {
    const doc = shownDoc(), topic = doc.topic ? shown(doc.topic) : shown(name(doc));
    fill(title, topic, () => el("bdi", {}, topic));
    fill(crumbs, [doc.strategy, doc.directory, doc.scanned], () => [doc.focused ? "Focused crawl" : "Crawl", ", strategy ", el("b", {}, doc.strategy), ", in ", said(doc.directory, "code"),
      doc.scanned < 1 && `; ${percent(doc.scanned)} of its answers are read so far`]);
    fill(tabs, [docs.map((one) => one && one.directory), current()], () => docs.map((one, at) => el("a", { href: hashOf({ crawl: at }),
      "aria-current": at === current() ? "true" : null }, el("span.swatch", { style: { background: `var(${mine(at)})` } }), one ? said(name(one)) : `Crawl ${at + 1}`)));
    if (live) document.title = `${doc.focused ? `${number(doc.numbers.relevant)} relevant of ` : ""}${plural(doc.numbers.pages, "page")}: ${topic}`;
    showState();
  }

  // --- charts ---

  function showCharts() {
    const there = docs.map((doc, at) => [doc, at]).filter(([doc]) => doc && doc.curve.at.length);
    const focused = there.some(([doc]) => doc.focused);
    const label = (text, doc) => (many ? `${text}, ${shown(name(doc))}` : text);
    const lines = there.map(([doc, at]) => `${many ? `${shown(name(doc))}: ` : ""}${number(doc.numbers.relevant)} of ${plural(doc.numbers.judged, "page")} judged relevant`
      + `${doc.numbers.recent_share == null ? "" : `, ${percent(doc.numbers.recent_share)} of the last 100`}.`);
    const points = (doc, xs, ys) => { // one value for each x, ascending, as uPlot needs them
      const kept = xs.map((x, i) => i).filter((i) => xs[i] != null && (i === xs.length - 1 || xs[i] !== xs[i + 1]));
      return [kept.map((i) => xs[i]), ...ys.map((y) => kept.map((i) => y[i]))];
    };
    const of = (xs, make) => there.map(([doc, at]) => {
      const series = make(doc, at), [x, ...ys] = points(doc, xs(doc), series.map((one) => one.values));
      return { x, series: series.map((one, i) => ({ ...one, values: ys[i] })) };
    });
    if (there.length) {
      harvest.show({ alt: `Harvest curve. ${lines.join(" ")}`, tick: short, where: (x) => plural(x, "page"), tables: focused
        ? of((doc) => doc.curve.pages, (doc, at) => [
          { label: label("Judged relevant", doc), values: doc.curve.relevant, colour: mine(at), format: short, filled: !many },
          { label: label("share of the last 100", doc), values: doc.curve.recent, colour: many ? mine(at) : "--muted", share: true, dash: true, format: percent }])
        : of((doc) => doc.curve.pages, (doc, at) => [{ label: label("Waiting", doc), values: doc.curve.queued, colour: mine(at), format: short }]) });
      const start = (doc) => (many ? doc.curve.at[0] : 0), span = Math.max(...there.map(([doc]) => doc.curve.at.at(-1) - doc.curve.at[0]));
      const when = many ? (x) => duration(x) : span > 2 * 86400 ? (x) => date(x).slice(5, 16) : (x) => clock(x).slice(0, span < 600 ? 8 : 5);
      const times = (doc) => doc.curve.at.map((x) => x - start(doc));
      for (const [node, what, text, format] of [[speed, "rate", "Pages a second", rate], [memory, "memory", "Memory", bytes]]) {
        node.show({ where: when, times: true, alt: `${text} over time. ${there.map(([doc]) => `${many ? `${shown(name(doc))}: ` : ""}now ${format(doc.curve[what].at(-1))}`).join("; ")}.`,
          tables: of(times, (doc, at) => [{ label: label(text, doc), values: doc.curve[what], colour: mine(at), format, filled: !many }]) });
      }
    }
    fill(harvestNote, lines, () => (focused ? lines.join(" ") : "This crawl has no topic: what waits, by pages fetched."));
    fill(harvestTable, there.map(([doc]) => [doc.curve.pages.at(-1), doc.curve.relevant.at(-1)]), () => [el("summary", {}, "The curve as a table"),
      el("div.scroll", { tabindex: "0", role: "region", "aria-label": "The curve as a table" }, el("table", {}, el("caption.hidden", {}, "Harvest by pages fetched"),
        el("thead", {}, el("tr", {}, [...(many ? ["Crawl"] : []), "Pages", "Relevant", "Last 100"].map((text) => el("th.num", { scope: "col" }, text)))),
        el("tbody", {}, there.flatMap(([doc]) => {
          const n = doc.curve.pages.length, rows = [...new Set(Array.from({ length: 11 }, (_, i) => Math.round(i * (n - 1) / 10)))];
          return rows.map((i) => el("tr", {}, many && el("td", {}, said(name(doc))), [doc.curve.pages[i], doc.curve.relevant[i]].map((v) => el("td.num", {}, number(v))),
            el("td.num", {}, percent(doc.curve.recent[i]))));
        }))))]);
  }

  // --- one crawl ---

  function showQueue(doc) {
    const found = doc.queue, by = found && found.by === "priority" ? "priority" : "predicted relevance";
    fill(queue, [found, doc.numbers.queued], () => {
      if (!found || !doc.numbers.queued) return el("p.none", {}, doc.numbers.queued ? "Not known." : "Nothing waits.");
      const from = by === "priority" ? Infinity : doc.relevant_from;
      const good = found.counts.reduce((sum, n, at) => sum + (found.edges[at] >= from - 1e-9 ? n : 0), 0);
      const words = by === "priority" ? `${plural(doc.numbers.queued, "URL waits", "URLs wait")}, by priority.`
        : `${plural(doc.numbers.queued, "URL waits", "URLs wait")}; ${number(good)} of them look relevant (${from} or more).`;
      return [histogram(found.counts, found.edges, `Histogram of what waits by ${by}. ${words}`, from - 1e-9),
        el("p.scale", { "aria-hidden": "true" }, el("span", {}, fixed(found.edges[0])), el("span", {}, `${by} (log scale)`), el("span", {}, fixed(found.edges.at(-1)))),
        el("p.note", {}, words)];
    });
  }

  function showEstimates(doc) {
    const { harvest_rate: right, remaining, remaining_unknown: unknown, coverage } = doc.estimates || {};
    const row = (label, one, most, write, words) => el("div.estimate", {}, el("h3", {}, label), one
      ? [el("p", {}, el("b", {}, write(one.estimate)), ` ${words}`), interval(one, most),
        el("p.note", {}, `Between ${write(one.low)} and ${write(one.high)}, in four cases of five.`)]
      : el("p.note", {}, words));
    fill(estimates, [doc.estimates, doc.directory], () => [
      row("Really relevant", right, 1, percent, right ? `of the pages, by ${plural(right.labelled || 0, "label")} of yours` : "Not known: label some pages with scrapy frontier label --at-random."),
      row("Still to find", remaining, remaining ? Math.max(remaining.high, 1) : 1, (x) => number(Math.round(x)), remaining ? `relevant page${Math.round(remaining.estimate) === 1 ? "" : "s"}, by how the harvest falls` : unknown ? `Not known: ${unknown}.` : "Not known yet: more pages must be judged first."),
      row("Found so far", coverage, 1, percent, coverage ? "of the relevant pages that links from here lead to" : "Not known yet.")]);
  }

  /** Yes and no, which label a page; they say what they did. */
  function yesNo(url) {
    if (!live) return null;
    const at = current(), key = `${at} ${url}`, text = el("span.note", { role: "status" });
    const buttons = [true, false].map((wanted) => el("button.small", { type: "button", "aria-label": `${wanted ? "Yes" : "No"}, ${wanted ? "a page I want" : "not a page I want"}: ${shown(url)}`,
      click: async () => {
        buttons.forEach((one) => { one.disabled = true; });
        try {
          await ask("/label", {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ crawl: at, url, wanted }) });
          labelled.set(key, wanted);
          mark(shownDoc().running ? "Noted; the crawl learns from it." : "Noted; it counts when the crawl goes on.");
        } catch (error) { mark(error.message); }
        buttons.forEach((one) => { one.disabled = false; });
        buttons[wanted ? 0 : 1].focus();
      } }, wanted ? "Yes" : "No"));
    function mark(words) {
      buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(labelled.get(key) === (i === 0))));
      text.textContent = words;
    }
    mark(labelled.has(key) ? "Noted." : "");
    return el("div.label", { role: "group", "aria-label": "Is this a page you want?" }, el("span", { "aria-hidden": "true" }, "Wanted?"), buttons, text);
  }

  const chips = (words) => (words || []).slice(0, 6).map((one) => el("span.chip", { title: one.value == null ? null : `weight ${score(one.value)}` }, said(one.name)));

  function pageItem(p, doc) {
    const quoted = p.anchor ? ["by ", el("q", {}, said(p.anchor))] : p.from_url ? "by a link" : "a start page";
    return el("li", {}, el("div.top", {}, toUrl(p.url, p.title || p.url), out(p.url, "", p.title),
      p.change && el("span.chip", {}, p.change), p.status >= 400 && el("span.chip.bad", {}, `HTTP ${p.status}`),
      p.relevance != null && bar(p.relevance, fixed(p.relevance))),
    el("div.url", {}, said(p.url)),
    el("div.why", {}, p.fetched != null && moment(p.fetched, doc.now), " reached ", quoted, p.from_url && [" on ", toUrl(p.from_url)], ". ", chips(p.words)),
    yesNo(p.url));
  }

  function showMap() {
    const found = maps[current()], doc = shownDoc();
    if (!found && live && doc && plot.near && !asked.has(current())) loadMap();
    best.hidden = !found;
    best.show((found ? found.pages : []).slice(0, 300), (p) => p.url);
    if (!plot.near) return; // what is above is painted first
    fill(plot, found ? [found, plot.clientWidth, current()] : null, () => (!found ? el("p.none", {}, live ? "Drawing the map …" : "This file has no map.")
      : !found.pages.length ? el("p.none", {}, "No page has a score yet.")
        : [kit.map(found.pages, found.links, Math.max(plot.clientWidth, 280), 380, (p) => go({ url: p.url })),
          el("p.scale.begin", {}, el("span", {}, `Size: ${found.by === "relevance" ? "relevance" : "score"}. Colour: relevance 0`), el("span.ramp", { "aria-hidden": "true" }), el("span", {}, "1"),
            live && el("button.small", { type: "button", click: loadMap }, "Draw again"))]));
  }

  async function loadMap() {
    const at = current();
    asked.add(at);
    try { maps[at] = await ask("/map"); } catch (error) { fill(plot, error.message, () => el("p.none", {}, error.message)); return; }
    showMap();
  }

  function showRefresh(doc) {
    const r = doc.refresh;
    again.hidden = !r && !(doc.changes || []).length;
    if (again.hidden) return;
    fill(ages, [r], () => r && facts([["Up to date", r.up_to_date == null ? null : `${percent(r.up_to_date)} of ${plural(r.pages, "page")}`],
      ["Revisited", number(r.revisits)], ["Changed", number(r.changed)], ["Gone", number(r.gone)], ["Moved", number(r.moved)],
      ["Age, half of the pages", r.age_median == null ? null : `${duration(r.age_median)} or less`], ["Oldest", r.age_oldest == null ? null : duration(r.age_oldest)]]));
    changes.show(doc.changes || []);
  }

  function show() {
    const doc = shownDoc();
    if (!doc) return;
    if (main.hidden) { main.hidden = false; wait.remove(); }
    showHead();
    showNumbers();
    showCharts();
    topical.hidden = !doc.focused;
    showEstimates(doc);
    showQueue(doc);
    keyed(latest, (doc.latest || []).map((p) => ({ ...p, crawl: current() })), (p) => `${current()} ${p.url} ${p.fetched}`, (p) => pageItem(p, doc));
    hosts.show(doc.hosts || [], (h) => h.host);
    errors.show(doc.errors || [], (e) => e.reason);
    refused.show(doc.refused || [], (r) => r.reason);
    reranks.show(doc.reranks || [], (r) => `${r.epoch} ${r.at}`);
    showRefresh(doc);
    showMap();
  }

  // --- what is open: a URL, a host, a search ---

  const pending = { dialog: 0, search: 0 };

  function openDialog(heading, subtitle, content) {
    dialog.replaceChildren(el("button.close", { type: "button", "aria-label": "Close", click: () => dialog.close() }, "×"),
      el("h2", { id: "dialog-title", tabindex: "-1" }, said(heading)), ...[subtitle, content].filter(Boolean));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    dialog.querySelector("h2").focus({ preventScroll: true });
  }

  /** All that is in this page about a URL. */
  function hereOf(url) {
    const doc = shownDoc(), all = maps[current()];
    const page = (doc.latest || []).find((p) => p.url === url), at = all ? all.pages.findIndex((p) => p.url === url) : -1;
    const placed = at < 0 ? {} : all.pages[at];
    const ends = (side) => (at < 0 ? [] : all.links.filter((link) => link[1 - side] === at).map((link) => all.pages[link[side]]));
    return { ...placed, ...page, inside: ends(0), outside: ends(1), known: at >= 0 || page != null };
  }

  function openUrl(url) {
    const turn = ++pending.dialog, here = hereOf(url), doc = shownDoc();
    const content = el("div"), subtitle = el("p.url", {}, said(url), " ", out(url, "Open ↗", here.title));
    openDialog(here.title || url, subtitle, content);
    const draw = (report) => turn === pending.dialog && content.replaceChildren(...urlContent(url, { ...here, ...report }, doc).filter(Boolean));
    const stored = (doc.urls || {})[url];
    if (!live) { draw(stored || (here.known ? null : { missing: "This file has nothing more about this URL." })); return; }
    draw({ missing: "Asking the crawl why it has its place …" });
    ask("/url", { url }).then((report) => { draw(report); if (report.title) dialog.querySelector("h2").replaceChildren(said(report.title)); })
      .catch((error) => draw({ missing: error.message }));
  }

  function urlContent(url, r, doc) {
    const word = (parts) => (parts || []).map((one) => ({ name: one.evidence || one.name, value: one.adds == null ? one.value : one.adds,
      note: one.usual == null ? null : `usual ${score(one.usual)}` }));
    const some = (parts, caption) => [signed(parts.slice(0, 8), caption), parts.length > 8 && el("details", {}, el("summary", {}, `${parts.length - 8} more`), signed(parts.slice(8), `${caption}, the rest`))];
    const links = r.carriers || r.in_links || [], section = (text, ...parts) => [el("h3", {}, text), ...parts];
    const pages = (text, list) => list.length > 0 && section(text, el("ul.links", {}, list.slice(0, 20).map((p) => el("li", {}, el("div.top", {}, toUrl(p.url, p.title || p.url), bar(p.relevance, fixed(p.relevance)))))));
    return [
      r.missing && el("p.note", { role: "status" }, shown(r.missing)), yesNo(url),
      facts([["State", r.state], ["Place in the queue", r.rank == null || r.request != null ? null : `${number(r.rank)} of ${number(r.queued)}`],
        ["Requested as number", r.request == null ? null : number(r.request)], ["Its rank then", r.request == null || r.rank == null ? null : number(r.rank)],
        ["HTTP status", r.status == null ? null : String(r.status)], ["Fetched", r.fetched == null ? null : moment(r.fetched, null)],
        ["Relevance", r.relevance == null ? null : bar(r.relevance, fixed(r.relevance))], ["Predicted", r.predicted == null ? null : bar(r.predicted, fixed(r.predicted))],
        ["Priority", r.priority == null ? null : score(r.priority)], ["Link score", score(r.score)], ["Pages that link to it", r.links == null ? null : number(r.links)],
        ["Links from a start page", r.depth == null ? null : number(r.depth)],
        ["Host", (() => { const href = kit.web(url); return href && toHost(new URL(href).host); })()]]),
      ...((r.because || []).length ? section("Because", el("ul", {}, r.because.map((text) => el("li", {}, said(text))))) : []),
      ...((r.parts || []).length ? section("Its priority, in parts", r.formula && el("p.note", {}, `${r.strategy}: ${r.formula}.`), ...some(word(r.parts), "Parts of its priority")) : []),
      ...((r.topic_words || []).length || (r.words || []).length ? section("Words that count for the topic", ...some(word((r.topic_words || []).length ? r.topic_words : r.words), "Words that count for the topic")) : []),
      ...(links.length ? section("Links that lead to it", el("ul.links", {}, links.slice(0, 30).map((one) => el("li", {},
        el("div.top", {}, toUrl(one.url), one.nofollow && el("span.chip", {}, "nofollow"), one.redirect && el("span.chip", {}, "redirect"), one.carries != null && bar(one.carries, percent(one.carries))),
        one.anchor && el("div", {}, el("q", {}, said(one.anchor))), one.context && el("div.note", {}, said(one.context)), el("div.why", {}, chips(word(one.topic_words))))))) : []),
      ...(links.length ? [] : pages("Best pages that link to it", r.inside) || []), ...(pages("Best pages it links to", r.outside) || []),
      ...(r.revisits ? section("Revisits", facts([["First seen", r.revisits.first_seen && moment(r.revisits.first_seen)], ["Last seen", r.revisits.last_seen && moment(r.revisits.last_seen)],
        ["Revisits", number(r.revisits.revisits)], ["Changes", number(r.revisits.changes)], ["Next revisit", r.revisits.next_revisit]])) : [])];
  }

  function openHost(host) {
    const turn = ++pending.dialog, doc = shownDoc(), row = (doc.hosts || []).find((h) => h.host === host) || {};
    const of = (p) => { const href = kit.web(p.url); return href && new URL(href).host === host; };
    const listed = new Map([...((maps[current()] || {}).pages || []), ...(doc.latest || [])].filter(of).map((p) => [p.url, p]));
    const content = el("div");
    openDialog(host, null, content);
    const list = (text, pages) => pages.length > 0 && [el("h3", {}, text), el("ul.links", {}, pages.map((p) => el("li", {},
      el("div.top", {}, toUrl(p.url, p.title || p.url), p.relevance != null && bar(p.relevance, fixed(p.relevance))), el("div.url", {}, said(p.url)))))];
    const draw = (r) => turn === pending.dialog && content.replaceChildren(...[
      r.missing && el("p.note", { role: "status" }, shown(r.missing)),
      facts([["Pages", number(r.pages)], ["Judged relevant", r.judged ? bar(r.relevant / r.judged, `${number(r.relevant)} of ${number(r.judged)}`) : null],
        ["Waiting", number(r.queued)], ["In flight", number(r.in_flight)], ["State", r.state], ["Until", r.until == null ? null : moment(r.until, doc.now)], ["Note", r.note && said(r.note)]]),
      list(live ? "Best pages" : "Its pages in this file", r.best), list("Latest pages", r.latest)].flat().filter(Boolean));
    draw({ ...row, best: live ? [] : [...listed.values()], latest: [] });
    if (live) ask("/host", { name: host }).then((r) => draw({ ...row, ...r.figures, ...r })).catch((error) => draw({ ...row, missing: error.message, best: [...listed.values()], latest: [] }));
  }

  function search(q) {
    const turn = ++pending.search;
    box.value = q;
    told.textContent = "Searching …";
    ask("/search", { q }).then((report) => {
      if (turn !== pending.search) return;
      const hits = report.answers;
      told.textContent = hits.length ? `${plural(report.found, "page")} of ${number(report.pages)} for “${shown(q)}”${report.found > hits.length ? `, the best ${hits.length}` : ""}`
        : shown(report.note || `No page for “${q}”.`);
      keyed(results, hits, (hit) => `${turn} ${hit.url}`, (hit) => el("li", {}, el("div.top", {}, toUrl(hit.url, hit.title || hit.url), out(hit.url, "", hit.title), hit.relevance != null && bar(hit.relevance, fixed(hit.relevance))),
        el("div.url", {}, said(hit.url), hit.folded > 0 && `, and ${plural(hit.folded, "page")} that repeat${hit.folded === 1 ? "s" : ""} it`), el("p.snippet", {}, (hit.snippet || []).map(([text, marked]) => said(text, marked ? "mark" : "span")))));
    }).catch((error) => {
      if (turn !== pending.search) return;
      results.replaceChildren();
      results.keyed = null;
      told.textContent = error.message;
    });
  }

  function route() {
    const open = hash();
    show();
    if (!shownDoc()) return;
    const q = live ? open.get("q") : null;
    if (q && q !== searched) search(q);
    if (q || !(open.has("url") || open.has("host"))) searched = q;
    found.hidden = !searched;
    if (open.get("url")) openUrl(open.get("url"));
    else if (open.get("host")) openHost(open.get("host"));
    else if (dialog.open) dialog.close();
  }
  addEventListener("hashchange", route);
  found.hidden = true;

  // --- live ---

  const lost = new Map(), listening = [];
  function tell() {
    const last = Math.max(...docs.map((doc) => (doc ? doc.now : -Infinity)));
    connection.classList.toggle("lost", lost.size > 0);
    const text = !live ? `Picture of ${date(last)}` : !lost.size ? "Live"
      : [Number.isFinite(last) ? `Connection lost, last picture of ${clock(last)}; trying again` : "No connection; trying again",
        ...new Set(lost.values())].filter(Boolean).join(". ");
    if (connection.textContent !== text) connection.textContent = text;
  }

  function listen(at) {
    const events = listening[at] = new EventSource(`/events?${new URLSearchParams({ token, crawl: at })}`);
    events.addEventListener("open", () => { lost.delete(at); tell(); });
    events.addEventListener("picture", (event) => {
      const first = !docs[at];
      docs[at] = JSON.parse(event.data);
      received[at] = performance.now();
      lost.delete(at);
      tell();
      requestAnimationFrame(first ? route : show);
    });
    events.addEventListener("error", () => {
      lost.set(at, "");
      tell();
      if (events.readyState !== EventSource.CLOSED) return; // refused: the server says why
      ask("/picture", { crawl: at }).catch((error) => { lost.set(at, error.message); tell(); });
      setTimeout(() => { if (!document.hidden && listening[at] === events) listen(at); }, 5000);
    });
  }

  /** A tab that nobody sees costs nothing; the picture comes again with the first look. */
  function look() {
    if (document.hidden) listening.forEach((events) => events.close());
    else docs.forEach((_, at) => listen(at));
  }

  function near() {
    plot.near = true;
    showMap();
  }
  if (live) { // it costs the server something
    new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && near(), { rootMargin: "300px" }).observe(plot);
  } else requestAnimationFrame(() => setTimeout(near));
  new ResizeObserver(() => shownDoc() && showMap()).observe(plot);
  tell();
  if (live) {
    connection.textContent = "Connecting …";
    look();
    document.addEventListener("visibilitychange", look);
    setInterval(() => { if (!document.hidden) showState(); }, 1000);
  } else route();
})();
