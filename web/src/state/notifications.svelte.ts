/** Notifications of the desktop: asked for when a person wants them, never before. */

import type { AskResponse } from "../generated/v1";
import { gist, headline, projectName } from "../wording/asker";
import * as storage from "./storage";

const WANTED = "handraise.notifications";

class Notifications {
  /** Browsers have none on pages from elsewhere without TLS. */
  possible = $state("Notification" in window && window.isSecureContext);
  permission = $state<NotificationPermission>(this.possible ? Notification.permission : "denied");
  wanted = $state(storage.read(WANTED) === "yes");
  private readonly shown = new Map<string, Notification>();

  get on(): boolean {
    return this.possible && this.wanted && this.permission === "granted";
  }

  async toggle(): Promise<void> {
    if (this.on) {
      this.want(false);
      return;
    }
    this.permission = await Notification.requestPermission();
    this.want(this.permission === "granted");
  }

  /** Tells of an ask, or of an answer that nobody gave, unless somebody is looking at the page. */
  show(ask: AskResponse): void {
    if (!this.on || (document.visibilityState === "visible" && document.hasFocus())) return;
    const where = projectName(ask.asker);
    const doubt = ask.delivery?.doubt;
    const what = doubt ? "Nobody gave this answer" : headline(ask);
    const title = where ? `${what} · ${where}` : what;
    let notification: Notification;
    try {
      notification = new Notification(title, { body: gist(ask), tag: ask.id });
    } catch {
      // Phones have the name and not the thing.
      this.possible = false;
      return;
    }
    notification.onclick = () => {
      window.focus();
      location.hash = `#/${doubt ? "history" : "ask"}/${ask.id}`;
      notification.close();
    };
    this.shown.set(ask.id, notification);
  }

  close(id: string): void {
    this.shown.get(id)?.close();
    this.shown.delete(id);
  }

  closeAll(): void {
    for (const id of [...this.shown.keys()]) this.close(id);
  }

  private want(wanted: boolean): void {
    this.wanted = wanted;
    storage.write(WANTED, wanted ? "yes" : "no");
  }
}

export const notifications = new Notifications();
