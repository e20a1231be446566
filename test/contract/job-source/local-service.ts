/** A service in the worker's own process that says what a test tells it to. */
import {
  localSessions,
  type LocalLine,
  type LocalPeer,
} from "../../../runtime/source/local-session.ts";
import { SessionSource } from "../../../runtime/source/session-source.ts";
import { ScriptedSession, type ScriptedService } from "./scripted-service.ts";

class LocalService implements ScriptedService {
  readonly #lines = new Set<LocalLine>();
  #waiting: ((session: ScriptedSession) => void)[] = [];
  #opened: ScriptedSession[] = [];
  #isRefusing = false;
  #isStopped = false;

  nextSession(): Promise<ScriptedSession> {
    const opened = this.#opened.shift();
    if (opened !== undefined) return Promise.resolve(opened);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  refuse(): void {
    this.#isRefusing = true;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const line of this.#lines) line.cut("the service has stopped");
  }

  async restart(): Promise<void> {
    this.#isStopped = false;
  }

  newSource(): SessionSource {
    return new SessionSource({
      openSession: localSessions((line) => this.#open(line)),
      runtimeVersion: "1.2.3",
      reconnect: { firstMs: 1, maxMs: 5 },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #greeted(session: ScriptedSession): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#opened.push(session);
    else waiting(session);
  }

  #open(line: LocalLine): LocalPeer | string {
    if (this.#isRefusing) return "go away";
    if (this.#isStopped) {
      queueMicrotask(() => line.cut("nobody is there"));
      return { receive: async () => undefined, disconnected: () => undefined };
    }
    this.#lines.add(line);
    const session = new ScriptedSession(line.send, () => line.cut("cut"));
    return {
      receive: async (report) => {
        session.heard(report);
        if (session.reports.length === 1) this.#greeted(session);
      },
      disconnected: () => {
        this.#lines.delete(line);
        session.end();
      },
    };
  }
}

export async function startLocalService(): Promise<ScriptedService> {
  return new LocalService();
}
