/** A WebSocket that comes back by itself. */

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

export class Line {
  #address;
  #told;
  #socket = null;
  #pause = FIRST_PAUSE_MS;
  #timer = 0;
  #resting = false;

  /** `told` is told: `opened()`, `heard(message)`, `lost()`. */
  constructor(address, told) {
    this.#address = address;
    this.#told = told;
    this.open();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Opens it, anew if it is open. */
  open() {
    clearTimeout(this.#timer);
    this.#resting = false;
    const former = this.#socket;
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    former?.close();
    // What a former socket still has to say concerns nobody.
    const isCurrent = () => socket === this.#socket;
    socket.addEventListener("open", () => {
      if (!isCurrent()) return;
      this.#pause = FIRST_PAUSE_MS;
      this.#told.opened();
    });
    socket.addEventListener("message", (event) => isCurrent() && this.#told.heard(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (!isCurrent()) return;
      this.#told.lost();
      if (this.#resting) return;
      this.#timer = setTimeout(() => this.open(), this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
    });
  }

  /** Does not come back when it is lost, until it is opened again or this is taken back. */
  set resting(resting) {
    this.#resting = resting;
  }

  send(message) {
    this.#socket.send(JSON.stringify(message));
  }
}
