/** A bucket in a region that its address does not tell: the service names it in a refusal, and the next try is signed for it. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { FakeS3 } from "./fake-s3.ts";
import { PART, storeOn } from "./store-on.ts";

type Refusal = (response: http.ServerResponse, region: string) => void;

const REFUSALS: readonly (readonly [string, Refusal])[] = [
  [
    "AuthorizationHeaderMalformed",
    (response, region) => {
      const details = `<Message>the region is wrong</Message><Region>${region}</Region>`;
      response.writeHead(400, { "content-type": "application/xml" });
      response.end(`<Error><Code>AuthorizationHeaderMalformed</Code>${details}</Error>`);
    },
  ],
  [
    "a redirect without a body, with x-amz-bucket-region",
    (response, region) => response.writeHead(301, { "x-amz-bucket-region": region }).end(),
  ],
  [
    "PermanentRedirect",
    (response, region) => {
      response.writeHead(301, { "x-amz-bucket-region": region, "content-type": "application/xml" });
      response.end("<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message></Error>");
    },
  ],
];

/** A bucket of the fake service behind a guard that refuses requests signed for other regions than `region`. */
async function guarded(fake: FakeS3, region: string, refuse: Refusal) {
  const signedFor: string[] = [];
  const server = http.createServer((request, response) => {
    const signature = `${request.headers.authorization} ${decodeURIComponent(request.url ?? "")}`;
    const [, named = ""] = /Credential=[^/]+\/\d+\/([^/]+)\/s3/u.exec(signature) ?? [];
    signedFor.push(named);
    if (named !== region) {
      request.resume().on("end", () => refuse(response, region));
      return;
    }
    const { method = "GET", headers } = request;
    const onward = http.request(`${fake.url}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, signedFor },
    [Symbol.dispose]: () => void server.close(),
  };
}

const signal = new AbortController().signal;

test.each(REFUSALS)(
  "%s: uploads, addresses and downloads are signed for its region",
  async (_, refuse) => {
    await using fake = await FakeS3.start();
    using guard = await guarded(fake, "fr-par", refuse);
    const { upload, store, told } = storeOn(guard.url);
    const stored = await upload("small", "one");
    expect(guard.signedFor).toEqual(["us-east-1", "fr-par"]);
    expect(new URL(stored.url).searchParams.get("X-Amz-Credential")).toContain("/fr-par/s3/");
    await upload("large", Buffer.alloc(PART + 1), { partSizeBytes: PART });
    expect(told.opened).toMatchObject([{ region: "fr-par" }]);
    const { stream } = await store.get("small", { idleTimeoutMs: 1_000, signal });
    expect(await text(stream)).toBe("one");
    expect(new Set(guard.signedFor.slice(1))).toEqual(new Set(["fr-par"]));
  },
);

test.each(REFUSALS)("%s: a download alone finds the region, too", async (_, refuse) => {
  await using fake = await FakeS3.start();
  await storeOn(fake.url).upload("k", "one");
  using guard = await guarded(fake, "eu-west-2", refuse);
  const { stream } = await storeOn(guard.url).store.get("k", { idleTimeoutMs: 1_000, signal });
  expect(await text(stream)).toBe("one");
  expect(guard.signedFor).toEqual(["us-east-1", "eu-west-2"]);
});

test("a service that names another region in each refusal gets a few tries, and its own words are told", async () => {
  await using fake = await FakeS3.start();
  let count = 0;
  using guard = await guarded(fake, "never", (response) => {
    response.writeHead(301, { "x-amz-bucket-region": `r-${(count += 1)}` }).end();
  });
  await expect(storeOn(guard.url, 4).upload("k", "one")).rejects.toThrow(/refused it \(301/u);
  expect(guard.signedFor).toEqual(["us-east-1", "r-1", "r-2", "r-3"]);
  const { store } = storeOn(guard.url);
  await expect(store.get("k", { idleTimeoutMs: 1_000, signal })).rejects.toThrow(/\(301/u);
  expect(guard.signedFor.slice(4)).toEqual(["r-3", "r-5"]);
});
