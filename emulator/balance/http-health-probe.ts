/** Asks a worker's server for its health with `GET` of its health path. */
import { request } from "node:http";
import { connectToServer } from "./connect.ts";
import type { HealthProbe } from "./health-probe.ts";
import { wideAddresses } from "./listening-sockets.ts";

export const httpHealthProbe: HealthProbe = {
  ask: ({ host, healthPort, healthPath }, signal) => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const question = request({
      createConnection: () =>
        connectToServer({ ...(host !== undefined && { host }), port: healthPort }, false),
      headers: { host: `localhost:${healthPort}`, "user-agent": "sv-runtime health check" },
      method: "GET",
      path: healthPath,
      signal,
    });
    question.once("response", (answer) => {
      resolve(answer.statusCode);
      // The rest of the answer is not read.
      question.destroy();
    });
    question.on("error", () => resolve(undefined));
    question.once("close", () => resolve(undefined));
    question.end();
    return promise;
  },
  wideAddresses: async ({ host, port, healthPort }) => {
    if (host !== undefined) return [];
    const found = await Promise.all([...new Set([port, healthPort])].map(wideAddresses));
    return [...new Set(found.flat())];
  },
};
