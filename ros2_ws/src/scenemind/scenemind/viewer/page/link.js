// The link to the server: named parts of the page come in, what people do goes out.

const listeners = new Map();
let socket = null;
let waiting = []; // actions while the server cannot be reached
const MOST_WAITING = 20;

/** Call `listen` with the value of a part now and whenever it changes. */
export function onPart(part, listen) {
  listeners.set(part, listen);
}

/** Tell the server what somebody did, such as {do: "mark", ids: [3]}. */
export function act(action) {
  const text = JSON.stringify(action);
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(text);
  else waiting = [...waiting, text].slice(-MOST_WAITING);
}

export function connect(onState) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/scenemind/link`);
  socket.onopen = () => {
    onState(true);
    waiting.forEach((text) => socket.send(text));
    waiting = [];
  };
  socket.onmessage = (event) => {
    const { part, value } = JSON.parse(event.data);
    const listen = listeners.get(part);
    if (listen) listen(value);
  };
  socket.onclose = () => {
    onState(false);
    setTimeout(() => connect(onState), 1500);
  };
}
