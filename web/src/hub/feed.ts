/** What happens at the hub, without a gap: a WebSocket that comes back to where it was. */

import type { EventFrame } from "../generated/v1";
import { read } from "./json";
import { Challenge } from "./proof";

export type Listener = {
  /** The place from which to go on; the listener keeps it. Null before there is one. */
  cursor(): number | null;
  /** The hub has proved that it is the hub, and gives this to send instead of the token. */
  admitted(ticket: string): void;
  heard(frame: EventFrame): void;
  /** The line is down; it will be tried again by itself. Whether something listens there that is not the hub. */
  lost(isStranger: boolean): void;
  /** The hub does not know this browser any more. */
  refused(): void;
};

const NOT_ALLOWED = 4401;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const LOOK_MS = 5_000;
/** The hub says something every 20 seconds. Whoever has heard nothing for so long has lost it, or has slept. */
const SILENCE_MS = 50_000;

export class Feed {
  private socket: WebSocket | null = null;
  private timer: number | undefined;
  private pause = FIRST_PAUSE_MS;
  private stopped = false;
  private heard = Date.now();
  private readonly looking: number;

  constructor(
    private readonly token: string,
    private readonly listener: Listener,
  ) {
    addEventListener("online", this.now);
    addEventListener("offline", this.gone);
    document.addEventListener("visibilitychange", this.seen);
    this.looking = window.setInterval(this.look, LOOK_MS);
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    removeEventListener("online", this.now);
    removeEventListener("offline", this.gone);
    document.removeEventListener("visibilitychange", this.seen);
    clearInterval(this.looking);
    clearTimeout(this.timer);
    this.socket?.close();
  }

  /** Tries again at once. */
  readonly now = (): void => {
    this.pause = FIRST_PAUSE_MS;
    this.connect();
  };

  private connect(): void {
    clearTimeout(this.timer);
    if (this.stopped) return;
    this.drop();
    const cursor = this.listener.cursor();
    const address = new URL(`/api/v1/events${cursor === null ? "" : `?after=${cursor}`}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.socket = socket;
    this.heard = Date.now();
    const challenge = new Challenge(this.token);
    let opened = 0;
    let proved = false;
    let admitted = false;
    socket.onopen = () => {
      opened = performance.now();
      socket.send(challenge.frame);
    };
    socket.onmessage = ({ data }) => {
      if (!proved) {
        if (!challenge.isProvedBy(String(data), performance.now() - opened)) {
          // Do not wait for the close event: an impostor may keep the socket open.
          this.drop();
          return this.lose(true);
        }
        proved = true;
        return socket.send(JSON.stringify({ token: this.token }));
      }
      this.pause = FIRST_PAUSE_MS;
      this.heard = Date.now();
      if (admitted) return this.listener.heard(read(String(data)) as EventFrame);
      admitted = true;
      this.listener.admitted((JSON.parse(String(data)) as { ticket: string }).ticket);
    };
    socket.onclose = ({ code }) => {
      this.socket = null;
      if (this.stopped) return;
      if (code === NOT_ALLOWED && proved) return this.listener.refused();
      this.lose(code === NOT_ALLOWED);
    };
  }

  /** Tries again, after longer and longer pauses. */
  private lose(isStranger: boolean): void {
    this.listener.lost(isStranger);
    this.timer = window.setTimeout(() => this.connect(), this.pause * (0.75 + Math.random() / 2));
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }

  /** Forgets a socket without hearing of its end. */
  private drop(): void {
    if (!this.socket) return;
    this.socket.onclose = null;
    this.socket.onmessage = null;
    this.socket.close();
    this.socket = null;
  }

  private readonly gone = (): void => {
    this.drop();
    this.listener.lost(false);
  };

  private readonly seen = (): void => {
    if (document.visibilityState === "visible" && !this.socket) this.now();
  };

  private readonly look = (): void => {
    if (!this.socket || Date.now() - this.heard < SILENCE_MS) return;
    this.listener.lost(false);
    this.now();
  };
}
