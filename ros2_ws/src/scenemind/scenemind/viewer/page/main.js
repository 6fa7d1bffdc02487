// The page around viser's 3D view: its layout, its keys, and what each part of the server's shows.

import { fly, goHome } from "./camera.js";
import { by, make } from "./dom.js";
import { act, connect, onPart } from "./link.js";
import { setMarked, setShown, setThings, startNames } from "./names.js";
import {
  showAbout,
  showAllClasses,
  showClasses,
  showHistory,
  showMarked,
  showMarkedRows,
  showTalk,
  showTree,
} from "./panels.js";

const TABS = { talk: "Talk", object: "Object", time: "Time", classes: "Classes", graph: "Tree" };
const KEYS = [
  ["/", "write a sentence"],
  ["H", "first view again"],
  ["F", "fly to the marked object"],
  ["N, P", "mark the next or previous object of the tree"],
  ["1 to 5", "open a panel"],
  ["Esc", "clear the marks"],
  ["W A S D, arrows", "move and turn the camera"],
  ["?", "this list"],
];
let marked = [];

function build() {
  document.body.append(
    make("header.bar", { id: "tools" },
      make("button", { type: "button", id: "home", title: "First view again (H)", onclick: goHome }, "⌂ Whole place"),
      make("button", { type: "button", id: "to-marked", title: "Fly to the marked object (F)", disabled: true, onclick: flyToMarked }, "Fly to marked"),
      layerBox("cloud", "Background"), layerBox("boxes", "Boxes"), nameBox(), layerBox("path", "Path"),
      make("button", { type: "button", id: "help", title: "Keys (?)", onclick: () => by("keys").showModal() }, "?"),
    ),
    make("div", { id: "names" }),
    make("aside", { id: "left" },
      make("section", { id: "classes" },
        make("h2", {}, "Classes ", make("small", { id: "counts" })),
        make("label.slider", {}, "Confidence from ", make("output", { id: "least-said" }, "0 %"),
          make("input", { type: "range", id: "least", min: 0, max: 100, step: 5, value: 0, oninput: slide })),
        make("button.plain", { type: "button", id: "all", onclick: showAllClasses }, "Show all"),
        make("ul", { id: "legend" }),
      ),
      make("section", { id: "graph" }, make("h2", {}, "Scene graph"), make("div", { id: "tree" })),
    ),
    make("aside", { id: "right" },
      make("header", { id: "head" },
        make("h1", { id: "title" }, "SceneMind"), make("small", { id: "summary" }),
        make("button", { type: "button", id: "fold", title: "Fold the panel", onclick: fold }, "▾")),
      make("form", { id: "find", onsubmit: find },
        make("input", { id: "words", type: "search", placeholder: "Find: red chair", autocomplete: "off", "aria-label": "Find" }),
        make("button", { type: "submit" }, "Find")),
      make("div", { id: "marks", role: "group", "aria-label": "Marked objects" }),
      make("nav", { id: "tabs", role: "tablist" }, Object.entries(TABS).map(([name, title]) =>
        make("button", { type: "button", role: "tab", id: `tab-${name}`, onclick: () => openTab(name) }, title))),
      make("section", { id: "talk" },
        make("div", { id: "log", role: "log", "aria-live": "polite", tabIndex: 0 }),
        make("form", { id: "say", onsubmit: say },
          make("input", { id: "line", placeholder: "Ask or correct", autocomplete: "off", "aria-label": "Say", maxLength: 2000 }),
          make("button", { type: "submit" }, "Send"),
          make("button.stop", { type: "button", id: "stop", hidden: true, onclick: () => act({ do: "stop" }) }, "Stop"))),
      make("section", { id: "object" }, make("div", { id: "about" })),
      make("section", { id: "time" },
        make("h2", {}, "Visits"), make("ol", { id: "visits" }),
        make("h2", {}, "Changes"),
        make("form", { id: "since", onsubmit: since },
          make("input", { id: "moment", placeholder: "since: 1, +90 or 2026-05-04T09:30", autocomplete: "off", "aria-label": "Moment" }),
          make("button", { type: "submit" }, "Compare")),
        make("p", { id: "told" }), make("ul", { id: "changes" }),
        make("h2", {}, "Corrections"), make("ol", { id: "corrections" }),
        make("h2", {}, "Gone"), make("ul", { id: "gone" })),
    ),
    make("div", { id: "notes", role: "status" }),
    make("dialog", { id: "keys" }, make("h2", {}, "Keys"),
      make("table", {}, KEYS.map(([key, what]) => make("tr", {}, make("th", {}, key), make("td", {}, what)))),
      make("form", { method: "dialog" }, make("button", {}, "Close"))),
  );
  openTab("talk");
  const narrow = matchMedia("(max-width: 1000px)");
  narrow.onchange = () => arrange(narrow.matches);
  arrange(narrow.matches);
}

// Layers

function layerBox(name, title) {
  const box = make("input", { type: "checkbox", checked: true, id: `layer-${name}` });
  box.onchange = () =>
    act({ do: "layers", ...Object.fromEntries(["cloud", "boxes", "path"].map((one) => [one, by(`layer-${one}`).checked])) });
  return make("label.layer", {}, box, title);
}

function nameBox() {
  const box = make("input", { type: "checkbox", checked: true, id: "layer-names" });
  box.onchange = () => setShown(box.checked);
  return make("label.layer", {}, box, "Names");
}

// Forms

function say(event) {
  event.preventDefault();
  const text = by("line").value.trim();
  by("line").value = "";
  if (text) act({ do: "say", text });
}

function find(event) {
  event.preventDefault();
  const text = by("words").value.trim();
  act(text ? { do: "find", text } : { do: "mark", ids: [] });
}

function since(event) {
  event.preventDefault();
  act({ do: "since", text: by("moment").value });
}

let sliding = 0;
function slide() {
  by("least-said").textContent = `${by("least").value} %`;
  clearTimeout(sliding);
  sliding = setTimeout(() => act({ do: "filter", least: by("least").value / 100 }), 80);
}

function flyToMarked() {
  if (marked.length) act({ do: "fly", to: "object", ids: [marked[0]] });
}

function openTab(name) {
  document.body.dataset.tab = name;
  for (const one of Object.keys(TABS)) by(`tab-${one}`).setAttribute("aria-selected", one === name);
  document.body.classList.remove("folded");
}

function fold() {
  const isFolded = document.body.classList.toggle("folded");
  by("fold").textContent = isFolded ? "▴" : "▾";
  by("fold").title = isFolded ? "Unfold the panel" : "Fold the panel";
}

function note(text) {
  const element = make("p", {}, text);
  by("notes").append(element);
  setTimeout(() => element.remove(), 8000);
}

// Beside the picture there is room for classes and tree; on narrow screens they are panels too.
function arrange(isNarrow) {
  by(isNarrow ? "right" : "left").append(by("classes"), by("graph"));
}

// Keys

function step(by_) {
  const rows = [...document.querySelectorAll("#tree [data-object]")];
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.classList.contains("marked"));
  const next = rows[at < 0 ? (by_ > 0 ? 0 : rows.length - 1) : (at + by_ + rows.length) % rows.length];
  next.scrollIntoView({ block: "nearest" });
  act({ do: "mark", ids: [Number(next.dataset.object)] });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || by("keys").open) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const doing = {
    "/": () => (openTab("talk"), by("line").focus()),
    h: goHome,
    f: flyToMarked,
    n: () => step(1),
    p: () => step(-1),
    Escape: () => act({ do: "mark", ids: [] }),
    "?": () => by("keys").showModal(),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const tab = Object.keys(TABS)[Number(event.key) - 1];
  if (doing) doing();
  else if (tab) openTab(tab);
  else return;
  event.preventDefault();
}

function start() {
  build();
  startNames(by("names"));
  document.addEventListener("keydown", onKey);
  onPart("title", (title) => (by("title").textContent = document.title = title));
  onPart("names", setThings);
  onPart("marked", (value) => {
    marked = value.things.map((thing) => thing.id);
    setMarked(marked, value.related);
    by("to-marked").disabled = !marked.length;
    showMarked(value);
  });
  onPart("about", showAbout);
  onPart("classes", showClasses);
  onPart("tree", (roots) => {
    showTree(roots);
    showMarkedRows(marked);
  });
  onPart("talk", showTalk);
  onPart("history", showHistory);
  onPart("layers", (layers) => {
    for (const [name, isOn] of Object.entries(layers)) by(`layer-${name}`).checked = isOn;
  });
  onPart("fly", fly);
  onPart("note", note);
  connect((isOpen) => document.body.classList.toggle("lost", !isOpen));
}

start();
