/** The subject of the launcher's contract: a launcher, and templates that run any program. */
import type { Endpoint } from "../../../emulator/core/resources/endpoints/endpoint.ts";
import type { Template } from "../../../emulator/core/resources/templates/template.ts";
import type { LaunchedWorker, Launcher, WorkerOrder } from "../../../emulator/launch/launcher.ts";
import { localEndpoint, localTemplate } from "../../../emulator/handlers/local-endpoint.ts";

export interface LauncherSubject extends AsyncDisposable {
  readonly launcher: Launcher;
  /** A template for workers that run `code`, a JavaScript module, under Node. */
  templateOf(code: string): Template;
  /** A template that this launcher does not run. */
  readonly foreign: Template;
  /** The lines of all workers, each after the worker's id. */
  readonly lines: readonly string[];
  /** Number of its workers' processes or containers. */
  left(): Promise<number>;
}

let orders = 0;

/** An order for a new worker of the template. */
export function orderOf(template: Template, endpoint: Partial<Endpoint> = {}): WorkerOrder {
  orders += 1;
  return {
    workerId: `w${process.pid}x${orders}`,
    workerToken: "a-token",
    endpoint: {
      ...localEndpoint({ id: "contract" }, "2026-01-01T00:00:00.000Z"),
      ...endpoint,
    },
    template,
    gpus: [],
  };
}

export function launch(subject: LauncherSubject, code: string): LaunchedWorker {
  return subject.launcher.launch(orderOf(subject.templateOf(code)));
}

export function templateNamed(imageName: string): Template {
  return { ...localTemplate({ id: "contract" }), imageName };
}
