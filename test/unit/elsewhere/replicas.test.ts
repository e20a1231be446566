/** Workers from elsewhere with several replicas on one store. */
import { expect, inject, it } from "vitest";
import { misplacedAmong } from "../../contract/ownership/shared-subject.ts";
import { freePort } from "../../setup/free-port.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import { FarScene } from "./far-scene.ts";

const secretKey = Buffer.alloc(32, 7).toString("base64");

async function replica(store: string): Promise<FarScene> {
  const [port, workerPort] = [await freePort(), await freePort()];
  const advertise = `http://127.0.0.1:${port}`;
  return FarScene.start({ store, port, workerPort, advertise, secretKey, leaseMs: 10_000 });
}

async function misplacedOf(asked: FarScene): Promise<readonly number[]> {
  const { replicas } = await asked.call<{
    replicas: readonly { id: string; partitions: readonly number[] }[];
  }>("GET", "/emulator/replicas");
  return misplacedAmong(replicas);
}

it("a worker is redirected to its endpoint's replica, keeps its job when that one leaves, and is sent away by any owner when its token is revoked", async () => {
  const store = await freshDatabase(inject("sharedPostgres"));
  await using one = await replica(store);
  await using two = await replica(store);
  const { id: tokenId, key } = await one.token();
  const addresses = async () => (await two.token()).workerAddresses;
  await expect.poll(addresses).toEqual([two.address, one.address]);
  await expect.poll(() => misplacedOf(two)).toEqual([]);
  const registered = ({ said }: FarScene) => said.includes("an external worker was registered");
  const worker = one.worker(key, [two.address, one.address].join(","));
  const id = await two.submit();
  const job = await worker.job();
  const [owner, other] = registered(one) ? [one, two] : [two, one];
  expect([registered(owner), registered(other)]).toEqual([true, false]);
  const before = await other.status(id);
  expect(before.status).toBe("IN_PROGRESS");
  const named = other.worker(key, other.address);
  const second = await other.submit();
  expect((await named.job()).jobId).toBe(second);
  expect(registered(other)).toBe(false);

  const guestToken = await other.token();
  const guest = other.worker(guestToken.key, other.address);
  const third = await other.submit();
  expect((await guest.job()).jobId).toBe(third);
  await other.call("DELETE", `/emulator/keys/${guestToken.id}`);
  expect(await guest.refused).toContain("not valid (any more)");

  await owner.emulator.stop();
  expect(await other.status(id)).toMatchObject(before);
  expect(await worker.finish(job, "kept")).toEqual({ accepted: true });
  expect(await other.status(id)).toMatchObject({ ...before, status: "COMPLETED", output: "kept" });
  expect(worker.revoked).toEqual([]);

  await other.call("DELETE", `/emulator/keys/${tokenId}`);
  expect(await worker.refused).toContain("not valid (any more)");
  await expect.poll(() => other.status(second)).toMatchObject({ status: "IN_QUEUE" });
});
