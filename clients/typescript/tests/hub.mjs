// A hub for tests: it takes every ask, ends it as it is told to, and notes what it is sent.
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

export const ASK = {
  id: "1",
  state: "open",
  policy: { deadlineSeconds: null, onDeadline: "tell" },
  resolution: null,
  delivery: null,
};
export const POST = "POST /api/v1/asks";
export const RESOLUTION = "GET /api/v1/asks/1/resolution";

/**
 * `resolution` ends every ask; `known` has asks of before by their keys, each as what differs from an
 * open one, or with a `status`; `writers` are called with the socket, by the request, and write the
 * whole response. `left` comes when the last such connection is closed.
 */
export async function fakeHub(t, { resolution, known = {}, writers = {} } = {}) {
  const hub = { told: [], keys: [], writers };
  const server = createServer(async (request, response) => {
    const said = `${request.method} ${request.url.split("?")[0]}`;
    let ask = ASK;
    if (said === POST) {
      const { key } = await json(request);
      hub.keys.push(key);
      ask = { ...ASK, ...known[key] };
    }
    hub.told.push(said);
    request.resume();
    server.emit("told");
    if (hub.writers[said]) {
      const { socket } = request;
      hub.left = new Promise((resolve) => socket.once("close", resolve));
      hub.writers[said](socket);
    } else if (!said.endsWith("/resolution")) {
      response.statusCode = ask.status ?? 200;
      response.end(JSON.stringify(ask));
    } else if (resolution) {
      response.end(JSON.stringify(resolution));
    }
  });
  server.on("connection", (socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  hub.url = `http://127.0.0.1:${server.address().port}`;
  hub.untilTold = async (said, times = 1) => {
    while (hub.told.filter((one) => one === said).length < times) {
      await once(server, "told");
    }
  };
  return hub;
}

/** Writes one whole response, and the last one. */
export const respond =
  (status, body, headers = "") =>
  (socket) => {
    const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
    socket.write(`HTTP/1.1 ${status} It\r\nconnection: close\r\n${headers}${length}\r\n`);
    socket.end(body);
  };
