/** A service in the worker's own process that a test scripts. */
import {
  localSessions,
  type LocalWorkerSide,
  type LocalServiceSide,
} from "../../../runtime/source/local-session.ts";
import { SessionSource } from "../../../runtime/source/session-source.ts";
import { ScriptedSession, type ScriptedService } from "./scripted-service.ts";

class LocalService implements ScriptedService {
  readonly #workers = new Set<LocalWorkerSide>();
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
    for (const worker of this.#workers) worker.cut("the service has stopped");
  }

  async restart(): Promise<void> {
    this.#isStopped = false;
  }

  newSource(): SessionSource {
    return new SessionSource({
      openSession: localSessions((worker) => this.#open(worker)),
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

  #open(worker: LocalWorkerSide): LocalServiceSide | string {
    if (this.#isRefusing) return "go away";
    if (this.#isStopped) {
      queueMicrotask(() => worker.cut("nobody is there"));
      return { receive: async () => undefined, disconnected: () => undefined };
    }
    this.#workers.add(worker);
    const session = new ScriptedSession(worker.send, () => worker.cut("cut"));
    return {
      receive: async (report) => {
        session.heard(report);
        if (session.reports.length === 1) this.#greeted(session);
      },
      disconnected: () => {
        this.#workers.delete(worker);
        session.end();
      },
    };
  }
}

export async function startLocalService(): Promise<ScriptedService> {
  return new LocalService();
}
