// Elements from plain values. Words become text nodes: nothing perceived or typed is HTML.

/** make("button.chip", {title: "…", onclick: f}, "text", child, …) */
export function make(kind, properties = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const by = (id) => document.getElementById(id);

/** A button that stands for an object: a dot of its class's colour, and its name. */
export function thingButton(thing, onclick) {
  const dot = thing.color ? make("i.dot", { style: { "--color": thing.color } }) : null;
  return make("button.thing", { type: "button", onclick, "data-object": thing.id ?? "" }, dot, thing.name);
}

/** "#000" or "#fff", whichever reads better on a colour "#rrggbb". */
export function inkOn(color) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}
