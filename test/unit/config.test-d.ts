/** The types of `sv-runtime/config`: what an editor takes and refuses. Compiled, never run. */
import { type ConfigInput, defineConfig } from "sv-runtime/config";

const shared: ConfigInput["endpoints"][string] = { template: "base", workersMax: 2 };

export const accepted = [
  defineConfig({
    endpoints: { a: { handler: "a", env: { T: { fromEnv: "TOKEN" } } }, b: shared },
    s3Port: "off",
  }),
  defineConfig(() => ({ endpoints: { a: { image: "x", ports: ["80/http"] } } })),
  defineConfig(async () => ({ endpoints: { a: { handler: "a", type: "LOAD_BALANCING" } } })),
];

export const refused = [
  // @ts-expect-error a key that is none
  defineConfig({ endpoints: { a: { handler: "a", workers_max: 1 } } }),
  // @ts-expect-error a value that is none
  defineConfig({ endpoints: { a: { handler: "a", type: "QUEU" } } }),
  // @ts-expect-error no endpoints
  defineConfig({ port: 1 }),
  // @ts-expect-error a wrong value, returned
  defineConfig(async () => ({ endpoints: {}, port: "1" })),
];
