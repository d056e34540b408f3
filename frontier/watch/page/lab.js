"use strict";
// The results of a lab run: for each web and variant the curves of the strategies, and their table.
(() => {
  const { card, chart, el, percent, plural, said, short, table } = kit;
  const { headline, tables, legend } = kit.data();
  const COLOURS = ["--accent", "--second", "--third", "--fourth"];

  function curves({ curves: lines, budget }) {
    const node = chart(320), x = lines.length ? lines[0].recall.map((_, at, all) => Math.round(budget * at / (all.length - 1))) : [];
    const ours = lines.filter((one) => !one.bound), place = (one) => ours.indexOf(one);
    const series = lines.map((one) => ({ label: one.strategy, values: one.recall, format: percent, share: true,
      colour: one.bound ? "--muted" : COLOURS[place(one) % COLOURS.length], dash: one.bound || place(one) >= COLOURS.length }));
    node.show({ tables: [{ x, series }], tick: short, where: (n) => plural(n, "request"), alt: `Share of the targets found, by requests. ${
      lines.map((one) => `${one.strategy}: ${percent(one.recall.at(-1))}`).join(", ")}.` });
    return node;
  }

  function results({ title, head, rows }) {
    const columns = head.map((text, at) => [text, (row) => (at ? row[at] : said(row[at])), at ? "num" : ""]);
    const node = table(`Results of ${title}, best first`, columns, "No run.");
    node.show(rows, (row) => row[0]);
    return node;
  }

  document.getElementById("page").append(
    el("header", {}, el("h1", {}, "Strategies compared"), headline.map((line) => el("p.note", {}, said(line)))),
    el("main", {}, tables.map((one) => card("wide", one.title, curves(one), results(one))),
      el("footer", {}, legend.map((line) => el("p", {}, line)), el("p", {}, "scrapy lab run. Charts: uPlot (MIT)."))));
  document.querySelectorAll(".chart").forEach((one) => one.again());
})();
