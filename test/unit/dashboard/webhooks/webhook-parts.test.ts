/** The data of the inbox, and its code that checks a signature. */
import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  listPath,
  outcomeOf,
  receiverOf,
  triesLabel,
} from "../../../../emulator/dashboard/pages/webhooks/delivery-labels.ts";
import { SNIPPETS } from "../../../../emulator/dashboard/pages/webhooks/snippets.ts";

const made = { at: "2026-03-01T12:00:00.000Z", durationMs: 8 };

test("tries are described by the answer of the last one", () => {
  expect(triesLabel([])).toBe("not tried yet");
  expect(triesLabel([{ ...made, status: 200 }])).toBe("200");
  expect(
    triesLabel([
      { ...made, status: 500 },
      { ...made, error: "refused" },
    ]),
  ).toBe("2 tries, the last: no answer");
  expect(outcomeOf({ ...made, error: "connection refused" })).toBe("connection refused");
  expect(outcomeOf({ ...made, status: 204 })).toBe("204");
});

test.each([
  ["http://127.0.0.1:3000/done", "127.0.0.1:3000/done"],
  ["https://hooks.example/?token=abc", "hooks.example?…"],
  ["no address", "no address"],
])("the receiver %j is shown as %j, because its query may contain a secret", (url, shown) => {
  expect(receiverOf(url)).toBe(shown);
});

test("the filters of the list become the query to the service", () => {
  const all = { state: "", endpointId: "", jobId: "" };
  expect(listPath(all, "")).toBe("emulator/webhooks?limit=50");
  expect(listPath({ ...all, state: "failed", endpointId: "a b" }, "msg_1")).toBe(
    "emulator/webhooks?limit=50&state=failed&endpointId=a+b&after=msg_1",
  );
});

describe("code that checks a signature", () => {
  test("in a shell computes the signature of a call", async () => {
    const key = randomBytes(24);
    const [id, timestamp, body] = ["msg_1", "1795438443", '{"id":"j-1","output":"ä"}'];
    const { stdout } = await promisify(execFile)("sh", ["-c", SNIPPETS.Shell], {
      env: {
        ...process.env,
        SV_WEBHOOK_SECRET: `whsec_${key.toString("base64")}`,
        id,
        timestamp,
        body,
      },
    });
    const signed = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    expect(stdout.trim()).toBe(signed);
  });

  test("for Node is a module", () => {
    expect(SNIPPETS.Node).toContain('import { Webhook } from "standardwebhooks";');
    expect(SNIPPETS.Node).toContain("webhook.verify(body, request.headers)");
  });
});
