/** A page made by a handler, opened in the same browser as the dashboard, cannot use the dashboard's session. */
import {
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { startObjectEmulator } from "../objects/object-emulator.ts";
import { openDashboard } from "./open-dashboard.ts";

/** Requests a key like the dashboard. */
const PAGE = `<!doctype html><title>unrun</title><p>a report</p><script>
  document.title = "run";
  fetch("/emulator/keys", {
    method: "POST",
    headers: { "x-sv-dashboard": "1", "content-type": "application/json" },
    body: JSON.stringify({ name: "stolen", scope: "all" }),
  }).then(({ status }) => (document.title = "answered " + status), () => (document.title = "failed"));
</script>`;

test.skipIf(chromiumIsMissing !== undefined)(
  "a handler's page on the service's port is shown, but runs no script and makes no key",
  async () => {
    await using store = await startObjectEmulator();
    const { emulator, accessKeyId, secretAccessKey } = store;
    const client = new S3Client({
      endpoint: `${emulator.url}/s3`,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
    const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
    const named = { Bucket: Buckets[0]?.Name ?? "", Key: "report" };
    await client.send(new PutObjectCommand({ ...named, Body: PAGE }));
    const asked = new GetObjectCommand({ ...named, ResponseContentType: "text/html" });
    const address = await getSignedUrl(client, asked);
    client.destroy();
    const browser = await startChromium();
    try {
      const { page } = await openDashboard(browser, emulator);
      await page.goto(address, { waitUntil: "networkidle" });
      expect.soft(await page.title()).toBe("unrun");
      expect.soft(await page.locator("p").textContent()).toBe("a report");
    } finally {
      await browser.close();
    }
    const authorization = emulator.apiKey ?? "";
    const answer = await fetch(`${emulator.url}/emulator/keys`, { headers: { authorization } });
    const { keys } = (await answer.json()) as { keys: readonly { readonly name: string }[] };
    expect(keys.map(({ name }) => name)).not.toContain("stolen");
  },
);
