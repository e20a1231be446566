/**
 * The launcher of workers in this process keeps the part of the contract on the ends of workers. The part on
 * programs does not apply: there are no signals, outputs, environments and processes.
 */
import { describe } from "vitest";
import { tmpdir } from "node:os";
import { defineHandler } from "../../runtime/index.ts";
import type { LocalWorkerSide } from "../../runtime/source/local-session.ts";
import type { FunctionEndpoint } from "../../emulator/handlers/function-endpoint.ts";
import { HandlerFunctions } from "../../emulator/handlers/handler-functions.ts";
import { createInProcessLauncher } from "../../emulator/launch/in-process-launcher.ts";
import { job } from "./job-source/connected.ts";
import { type Behaviour, endsWorkers, type EndingSubject } from "./launcher/ending.ts";
import { templateNamed } from "./launcher/subject.ts";

const endpoints: Readonly<Record<Behaviour, FunctionEndpoint>> = {
  "leaves-when-asked": {
    handler: defineHandler({
      setup: ({ log }) => {
        log.info("here");
        return log;
      },
      run: () => undefined,
      dispose: (log) => log.info("asked"),
    }),
  },
  "stays-when-asked": {
    handler: (_, { log }) => {
      log.info("here");
      return new Promise(() => undefined);
    },
  },
};

/** A service that welcomes each worker, and gives it an endless job if `isBusy` says so. */
function serve(isBusy: () => boolean, { send }: LocalWorkerSide) {
  const leaseMs = 60_000;
  return {
    receive: async ({
      hello,
      credit = 0,
    }: {
      readonly hello?: unknown;
      readonly credit?: number;
    }) => {
      if (hello !== undefined)
        send({ welcome: { workerId: "w", endpointId: "e", leaseMs, leaseRenewalMs: leaseMs } });
      if (credit > 0 && isBusy()) send({ jobs: [job(1)] });
    },
    disconnected: () => undefined,
  };
}

describe("the launcher of functions", () => {
  endsWorkers(async (): Promise<EndingSubject> => {
    const lines: string[] = [];
    let isBusy = false;
    const functions = new HandlerFunctions({
      endpoints,
      tempRoot: tmpdir(),
      workerEnv: () => ({}),
      jobLine: () => undefined,
      openSession: (_, worker) => serve(() => isBusy, worker),
    });
    const launcher = createInProcessLauncher({
      has: (template) => functions.has(template),
      start: (order, line) => functions.start(order, line),
      line: (_, line) => void lines.push(line),
    });
    return {
      launcher,
      lines,
      foreign: templateNamed("somebody/image:1"),
      killed: { exitCode: 1 },
      left: async () => 0,
      whenAsked: "draining: no further jobs are taken",
      templateThat(behaviour) {
        isBusy = behaviour === "stays-when-asked";
        return templateNamed(`sv.local/${behaviour}`);
      },
      [Symbol.asyncDispose]: () => launcher.close(),
    };
  });
});
