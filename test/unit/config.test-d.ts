/** The types of `sv-runtime/config`: what an editor accepts and refuses; `defineConfig` adds nothing else. */
import { type ConfigInput, defineConfig } from "sv-runtime/config";
import { expect, test } from "vitest";

const shared: ConfigInput["endpoints"][string] = { template: "base", workersMax: 2 };

test("objects, functions and promises are accepted, and returned unchanged", async () => {
  const config: ConfigInput = {
    endpoints: { a: { handler: "a", env: { T: { fromEnv: "TOKEN" } } }, b: shared },
    s3Port: "off",
  };
  expect(defineConfig(config)).toBe(config);
  const given = () => ({ endpoints: { a: { image: "x", ports: ["80/http"] } } });
  expect(defineConfig(given)).toBe(given);
  const later = async () => ({
    endpoints: { a: { handler: "a", type: "LOAD_BALANCING" as const } },
  });
  expect(defineConfig(later)).toBe(later);
});

test("the compiler refuses invalid keys and values of a config; at run time only its reader does", () => {
  const refused = [
    // @ts-expect-error an unknown key
    defineConfig({ endpoints: { a: { handler: "a", workers_max: 1 } } }),
    // @ts-expect-error an invalid value
    defineConfig({ endpoints: { a: { handler: "a", type: "QUEU" } } }),
    // @ts-expect-error no endpoints
    defineConfig({ port: 1 }),
    // @ts-expect-error a wrong value, returned
    defineConfig(async () => ({ endpoints: {}, port: "1" })),
  ];
  expect(refused).toHaveLength(4);
});
