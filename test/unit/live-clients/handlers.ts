/** A service with a handler for each outcome of a job, for a client to call; its clock stands still. */
import { type Emulator, startEmulator } from "sv-runtime/emulator";

/** @param gate output of `gated`, which `counts` also waits for in the middle */
export function startHandlers(apiKey: string, gate: () => Promise<unknown>): Promise<Emulator> {
  return startEmulator({
    port: 0,
    apiKey,
    clock: "manual",
    docker: "off",
    endpoints: {
      echo: { handler: ({ input }) => input },
      gated: { handler: gate },
      broken: {
        handler: () => {
          throw new TypeError("no such model");
        },
      },
      counts: {
        handler: async function* () {
          yield "a";
          yield { b: 2 };
          await gate();
          yield ["c"];
          yield "d";
        },
      },
      chunks: {
        handler: function* () {
          yield "a";
          yield "b";
        },
      },
      prints: {
        handler: (_, { log }) => {
          log.info("hello");
        },
      },
      breaks: {
        handler: function* () {
          yield "a";
          throw new Error("then nothing");
        },
      },
    },
  });
}
