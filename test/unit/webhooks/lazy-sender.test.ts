/** The sender that is made when it is first needed. */
import { expect, it } from "vitest";
import { createLazySender } from "../../../emulator/webhooks/lazy-sender.ts";

const options = { secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`, allowLocal: true };
const call = { id: "msg_1", url: "http://127.0.0.1:1/", pieces: ["{}"] };

it("can be closed although it never sent anything", async () => {
  await expect(createLazySender(options).close()).resolves.toBeUndefined();
});

it("sends as the one it makes does, and closes that", async () => {
  const sender = createLazySender(options);
  const { signal } = new AbortController();
  const results = await Promise.all([sender.send(call, signal), sender.send(call, signal)]);
  for (const { error } of results) expect(error).toContain("ECONNREFUSED");
  await sender.close();
  const { error } = await sender.send(call, signal);
  expect(error).toContain("destroyed");
});
