/** GraphQL calls of the live service's MCP server: public ones without a key, and the check of a key. */
import { expect, test } from "vitest";
import { z } from "zod";
import { NO_KEY, selection, startClientService } from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.mcpGraphql);

const start = () =>
  startClientService({ "content-type": "application/json", accept: "*/*" }, playing);

const id = z.string().min(1);

test("get-capacity lists GPU types and their CUDA versions without a key", async () => {
  await using client = await start();
  const type = z.strictObject({
    id,
    displayName: id,
    memoryInGb: z.int(),
    secureCloud: z.boolean(),
    communityCloud: z.boolean(),
    lowestPrice: z
      .strictObject({
        stockStatus: z.enum(["High", "Medium", "Low"]).nullable(),
        uninterruptablePrice: z.number().nullable(),
        gpuTypeCudaVersions: z.array(
          z.strictObject({
            cudaVersion: z.string().regex(/^\d+\.\d+$/u),
            availability: z.enum(["AVAILABLE", "UNAVAILABLE"]),
          }),
        ),
      })
      .nullable(),
  });
  const probed = type.extend({
    lowestPrice: z
      .strictObject({
        stockStatus: z.string().nullable(),
        uninterruptablePrice: z.number().nullable(),
      })
      .nullable(),
  });
  const capacity = (shown: typeof type | typeof probed, price: string) =>
    `query { gpuTypes ${selection(shown).replace("lowestPrice", `lowestPrice(input: ${price})`)} }`;
  const { gpuTypes } = await client.ask({
    query: capacity(type, "{ gpuCount: 1, secureCloud: true }"),
    headers: NO_KEY,
    reads: z.strictObject({ gpuTypes: z.array(type) }),
  });
  expect(gpuTypes.length).toBeGreaterThan(40);
  await client.ask({
    query: capacity(probed, '{ gpuCount: 1, allowedCudaVersions: ["12.8"] }'),
    headers: NO_KEY,
    reads: z.strictObject({ gpuTypes: z.array(probed) }),
  });
});

test("a key is good if it has a user, and bad if it has none or is refused", async () => {
  await using client = await start();
  const query = "query { myself { id } }";
  await client.ask({ query, reads: z.strictObject({ myself: z.strictObject({ id }) }) });
  await client.ask({ query, headers: NO_KEY, reads: z.strictObject({ myself: z.null() }) });
  const answer = await fetch(`${client.service.url}/live/graphql`, {
    method: "POST",
    headers: { authorization: "Bearer wrong" },
    body: JSON.stringify({ query }),
  });
  expect(answer.status).toBe(401);
});

test("the list of public endpoints is empty", async () => {
  await using client = await start();
  const query = `query { allAiApiPublicConfigs {
    id aiApiId modelName displayName description metadata isLive createdAt updatedAt } }`;
  const reads = z.strictObject({ allAiApiPublicConfigs: z.tuple([]) });
  const read = await client.ask({ query, headers: NO_KEY, reads });
  expect(read.allAiApiPublicConfigs).toEqual([]);
});

test("the hub is refused with a message", async () => {
  await using client = await start();
  const listings = { query: "query { listings(input: {}) { id repoId } }", headers: NO_KEY };
  expect(await client.refused(listings)).toContain("the query listings is not served");
});

playing.ends();
