/** A small server of the test's own, at another port: somebody else's page, or a trap. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class Elsewhere {
  /** Every path that was asked for. */
  readonly asked: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(page: string): Promise<Elsewhere> {
    const server = createServer();
    const elsewhere = new Elsewhere(server);
    server.on("request", (request, response) => {
      elsewhere.asked.push(request.url ?? "");
      response.setHeader("content-type", "text/html");
      response.end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return elsewhere;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
