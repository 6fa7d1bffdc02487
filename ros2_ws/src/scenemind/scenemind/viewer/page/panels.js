// What the panels show: the talk, the marked object, classes, the tree and the time line.

import { by, make, thingButton } from "./dom.js";
import { act } from "./link.js";

const mark = (id) => (event) => act({ do: event.shiftKey ? "toggle" : "mark", ids: [id] });
const fly = (to, id) => act({ do: "fly", to, ids: [id] });
const HINT =
  "Ask (“where is the cup?”), correct (“object 3 is a stool”), or click an object and name it " +
  "(“this is a toolbox”). “Undo that” takes the last correction back.";

// Talk

// The end stays in view when marks, which come after an answer, take height from the log.
let isFollowed = true;
const follow = new ResizeObserver(([{ target }]) => {
  if (isFollowed) target.scrollTop = target.scrollHeight;
});
const endsInView = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 60;

export function showTalk({ turns, stage, pictures }) {
  const log = by("log");
  const isAtEnd = endsInView(log);
  const known = new Map([...log.children].map((child) => [child.dataset.number, child]));
  const shown = turns.map((turn) => known.get(String(turn.number)) ?? turnElement(turn));
  const isNew = shown.some((child) => !child.isConnected);
  shown.slice(0, -1).forEach(endQuestion);
  log.replaceChildren(...(shown.length ? shown : [make("p.hint", {}, HINT)]));
  if (stage) log.append(make("p.stage", {}, stage, pictureRow(pictures)));
  by("stop").hidden = !stage;
  if (isNew || isAtEnd) log.scrollTop = log.scrollHeight;
  isFollowed = isNew || isAtEnd;
  log.onscroll = () => (isFollowed = endsInView(log));
  follow.observe(log);
}

// "yes" answers the newest question only.
function endQuestion(turn) {
  for (const answer of turn.querySelectorAll(".asks .offer")) answer.disabled = true;
}

function turnElement(turn) {
  const say = (text) => () => act({ do: "say", text });
  const bubble = make("div.bubble", {}, turn.text);
  if (turn.by === "person") return make("div.turn.person", { "data-number": turn.number }, bubble);
  const parts = [bubble];
  if (turn.pictures.length) parts.push(pictureRow(turn.pictures));
  if (turn.objects.length) {
    const buttons = turn.objects.map((thing) => thingButton(thing, mark(thing.id)));
    parts.push(make("div.chips", { role: "group", "aria-label": "Mentioned" }, buttons));
  }
  if (turn.offers.length) {
    const offers = turn.offers.map((text) => make("button.offer", { type: "button", onclick: say(text) }, text));
    const kind = turn.asks ? "div.chips.asks" : "div.chips";
    parts.push(make(kind, { role: "group", "aria-label": turn.asks ? "Answer" : "Try" }, offers));
  }
  if (turn.how) {
    const steps = turn.steps.map((step) => make("li", {}, step));
    parts.push(
      steps.length
        ? make("details.how", {}, make("summary", {}, turn.how), make("ol", {}, steps))
        : make("p.how", {}, turn.how),
    );
  }
  return make("div.turn.scene", { "data-number": turn.number }, parts);
}

function pictureRow(pictures) {
  if (!pictures.length) return null;
  return make("div.pictures", {}, pictures.map(pictureButton));
}

function pictureButton({ src, frame, when }) {
  const image = make("img", { src, alt: `frame ${frame}`, loading: "lazy" });
  const caption = make("span", {}, when);
  const button = make(
    "button.picture",
    {
      type: "button",
      title: `Fly to frame ${frame}, ${when}`,
      "aria-label": `Fly to frame ${frame}, ${when}`,
      onclick: () => fly("frame", frame),
    },
    image,
    caption,
  );
  image.onerror = () => button.replaceChildren(make("span", {}, `frame ${frame}: no picture`));
  image.onload = () => {
    const log = button.closest("#log"); // the newest answer stays in view when its pictures come
    if (log && button.closest(".turn") === log.lastElementChild) log.scrollTop = log.scrollHeight;
  };
  return button;
}

// Marked objects, and the one that is "this"

export function showMarked({ things }) {
  const chips = things.slice(0, 12).map((thing) =>
    make(
      "span.chip",
      {},
      thingButton(thing, mark(thing.id)),
      make(
        "button.unmark",
        {
          type: "button",
          "aria-label": `Unmark ${thing.name}`,
          onclick: () => act({ do: "toggle", ids: [thing.id] }),
        },
        "×",
      ),
    ),
  );
  const more = things.length - chips.length;
  by("marks").replaceChildren(
    make("span.count", {}, things.length ? `${things.length} marked` : "Nothing is marked"),
    ...(things.length
      ? [make("button.clear", { type: "button", onclick: () => act({ do: "mark", ids: [] }) }, "Clear")]
      : []),
    ...chips,
    ...(more > 0 ? [make("span", {}, `and ${more} more`)] : []),
  );
  showMarkedRows(things.map((thing) => thing.id));
  if (things.length !== 1)
    by("about").replaceChildren(
      make(
        "p.hint",
        {},
        things.length
          ? `${things.length} objects are marked. Click one of them for details.`
          : "Click a name or an object in the picture: then it is “this”. Shift-click marks several.",
      ),
    );
}

export function showMarkedRows(ids) {
  for (const row of document.querySelectorAll("#tree .marked")) row.classList.remove("marked");
  for (const id of ids) document.querySelector(`#tree [data-object="${id}"]`)?.classList.add("marked");
}

export function showAbout(about) {
  if (!about) return;
  const title = make("h2", {}, about.name, make("small", {}, ` object ${about.id}${about.corrected ? ", corrected" : ""}`));
  const rows = about.rows.map(([name, value]) => make("tr", {}, make("th", {}, name), make("td", {}, value)));
  const relations = about.relations.map(({ name, things }) =>
    make("tr", {}, make("th", {}, name), make("td.chips", {}, things.map((thing) => thingButton(thing, mark(thing.id))))),
  );
  by("about").replaceChildren(
    title,
    make("button.plain", { type: "button", onclick: () => fly("object", about.id) }, "Fly to it (F)"),
    ...(about.pictures.length ? [pictureRow(about.pictures)] : []),
    make("table", {}, rows),
    ...(relations.length ? [make("h3", {}, "Related to"), make("table", {}, relations)] : []),
    ...(about.stays.length ? [make("h3", {}, "Earlier places"), make("ul", {}, about.stays.map((stay) => make("li", {}, stay)))] : []),
  );
}

// Classes

let hidden = new Set();

export function showClasses({ total, shown, least, classes }) {
  hidden = new Set(classes.filter((one) => !one.on).map((one) => one.label));
  const choose = () => act({ do: "filter", hidden: [...hidden] });
  by("counts").textContent = shown === total ? `${total} objects` : `${shown} of ${total} objects`;
  by("summary").textContent = by("counts").textContent;
  const slider = by("least");
  if (document.activeElement !== slider) slider.value = Math.round(100 * least);
  by("least-said").textContent = `${Math.round(100 * least)} %`;
  by("legend").replaceChildren(
    ...classes.map((one) => {
      const box = make("input", { type: "checkbox", checked: one.on });
      box.onchange = () => {
        if (box.checked) hidden.delete(one.label);
        else hidden.add(one.label);
        choose();
      };
      const only = make(
        "button.only",
        {
          type: "button",
          title: `Show ${one.name} alone`,
          "aria-label": `Show ${one.name} alone`,
          onclick: () => {
            hidden = new Set(classes.map((c) => c.label).filter((label) => label !== one.label));
            choose();
          },
        },
        "only",
      );
      const dot = make("i.dot", { style: { "--color": one.color } });
      return make("li", {}, make("label", {}, box, dot, make("span", {}, one.name), make("b", { title: "how many" }, `× ${one.count}`)), only);
    }),
  );
}

export function showAllClasses() {
  act({ do: "filter", hidden: [], least: 0 });
}

// The tree: what was closed stays closed when the scene changes.

const closed = new Set();

export function showTree(roots) {
  const tree = by("tree");
  const top = tree.scrollTop;
  tree.replaceChildren(...roots.map((root) => branch(root, "")));
  tree.scrollTop = top;
}

function branch(node, path) {
  const key = `${path}/${node.id ?? node.name}`;
  const title = node.id === undefined ? make("span.part", {}, node.name) : thingButton(node, mark(node.id));
  if (node.dim) title.classList.add("dim");
  if (!node.children?.length) return make("div.leaf", {}, title);
  const count = node.id === undefined ? make("small", {}, ` (${node.children.length})`) : null;
  const details = make("details", { open: !closed.has(key) }, make("summary", {}, title, count));
  details.ontoggle = () => (details.open ? closed.delete(key) : closed.add(key));
  details.append(make("div.under", {}, node.children.map((child) => branch(child, key))));
  return details;
}

// The time line

export function showHistory({ visits, since, changes, told, corrections, gone }) {
  const longest = Math.max(...visits.map((visit) => visit.seconds), 1);
  by("visits").replaceChildren(
    ...(visits.length ? [] : [make("p.hint", {}, "No visit yet.")]),
    ...visits.map((visit) => {
      const events = visit.events.map((event) => change(event, `${event.what}; ${event.when}`));
      const bar = make("i.bar", { style: { "--share": `${Math.max(4, (100 * visit.seconds) / longest)}%` } });
      return make(
        "li",
        {},
        make("b", {}, `Visit ${visit.number}`),
        make("small", {}, ` ${visit.from} to ${visit.to}`),
        bar,
        make("p", {}, `${visit.first_seen} ${visit.first_seen === 1 ? "object" : "objects"} seen first` + (events.length ? "" : ", nothing moved")),
        make("ul", {}, events),
        make(
          "button.plain",
          { type: "button", onclick: () => act({ do: "since", text: String(visit.number) }) },
          "What changed since",
        ),
      );
    }),
  );
  if (document.activeElement !== by("moment")) by("moment").value = since;
  by("told").textContent = told;
  by("changes").replaceChildren(...changes.map((one) => change(one, one.what)));
  by("corrections").replaceChildren(
    ...(corrections.length ? [] : [make("p.hint", {}, "No corrections yet.")]),
    ...corrections.map((entry) => {
      const turn = entry.undone ? "redo" : "undo";
      return make(
        entry.undone ? "li.undone" : "li",
        {},
        entry.what.map((line) => make("b", {}, line)),
        make("span", {}, `“${entry.reason}”`),
        make("small", {}, `${entry.by}, ${entry.when}`),
        make(
          "button.plain",
          {
            type: "button",
            "aria-label": `${turn} ${entry.id}`,
            onclick: () => act({ do: turn, ids: [entry.id] }),
          },
          entry.undone ? "Redo" : "Undo",
        ),
      );
    }),
  );
  by("gone").replaceChildren(...(gone.length ? gone : ["None."]).map((text) => make("li", {}, text)));
}

function change(one, text) {
  const name = one.id === null ? make("b", {}, one.name) : thingButton(one, mark(one.id));
  return make("li", {}, name, ` ${text}`);
}
