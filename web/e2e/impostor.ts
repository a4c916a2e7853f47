/** A program that has taken the hub's port, and notes everything it is sent. */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

/** A WebSocket that the impostor has accepted. */
export type Line = { request: IncomingMessage; socket: Duplex; say(text: string): void };

export class Impostor {
  /** Every header, body and frame that came, as text. */
  readonly heard: string[] = [];
  readonly lines: Line[] = [];

  private constructor(private readonly server: Server) {}

  /** `reply` is what it says to a frame, if anything. */
  static async start(address: string, reply: (frame: string, line: Line) => string | null): Promise<Impostor> {
    const server = createServer();
    const impostor = new Impostor(server);
    server.on("request", (request, response) => {
      impostor.heard.push(request.url ?? "", ...request.rawHeaders);
      request.on("data", (data) => impostor.heard.push(String(data)));
      request.on("end", () => response.setHeader("content-type", "application/json").end("{}"));
    });
    server.on("upgrade", (request, socket) => {
      impostor.heard.push(request.url ?? "", ...request.rawHeaders);
      const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
      const line: Line = { request, socket, say: (text) => socket.write(Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])) };
      impostor.lines.push(line);
      socket.on("error", () => {});
      socket.on("data", (data: Buffer) => {
        for (const frame of unmasked(data)) {
          impostor.heard.push(frame);
          const said = reply(frame, line);
          if (said !== null) line.say(said);
        }
      });
    });
    const [host, port] = address.split(":");
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(Number(port), host, resolve));
    return impostor;
  }

  /** Frees the port; lines that are open stay. */
  free(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  end(): void {
    this.free();
    for (const { socket } of this.lines) socket.destroy();
  }
}

/** The text of a client's frames, each shorter than 126 bytes or with a length of two bytes. */
function* unmasked(data: Buffer): Generator<string> {
  for (let at = 0; at + 6 <= data.length; ) {
    const short = data[at + 1]! & 127;
    const start = at + (short === 126 ? 8 : 6);
    const length = short === 126 ? data.readUInt16BE(at + 2) : short;
    const mask = data.subarray(start - 4, start);
    yield String(data.subarray(start, start + length).map((byte, i) => byte ^ mask[i % 4]!));
    at = start + length;
  }
}

/** Goes to the hub as if it were the page, with the page's own frame, and brings back what the hub says. */
export async function relay(to: string, origin: string, frame: string): Promise<string> {
  const [host, port] = to.split(":");
  const socket = connect(Number(port), host!);
  const lines = ["GET /api/v1/events HTTP/1.1", `Host: ${to}`, `Origin: ${origin}`, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "", ""];
  socket.write(lines.join("\r\n"));
  const next = () => new Promise<Buffer>((resolve, reject) => socket.once("data", resolve).once("error", reject).once("close", () => reject(new Error("closed"))));
  const head = String(await next());
  if (!head.startsWith("HTTP/1.1 101")) throw new Error(head);
  // A mask of zeros.
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | frame.length, 0, 0, 0, 0]), Buffer.from(frame)]));
  const said = await next();
  socket.destroy();
  const short = said[1]!;
  return String(said.subarray(short === 126 ? 4 : 2));
}
