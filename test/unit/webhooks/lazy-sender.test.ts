/** The sender that is created when it is first needed. */
import { expect, it } from "vitest";
import { createLazySender } from "../../../emulator/webhooks/lazy-sender.ts";

const options = { secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`, allowLocal: true };
const call = { id: "msg_1", url: "http://127.0.0.1:1/", pieces: ["{}"] };

it("a lazy sender can be closed before it was created", async () => {
  await expect(createLazySender(options).close()).resolves.toBeUndefined();
});

it("a lazy sender sends by the one that it creates, and closes it", async () => {
  const sender = createLazySender(options);
  const { signal } = new AbortController();
  const results = await Promise.all([sender.send(call, signal), sender.send(call, signal)]);
  for (const { error } of results) expect(error).toContain("ECONNREFUSED");
  await sender.close();
  const { error } = await sender.send(call, signal);
  expect(error).toContain("destroyed");
});
