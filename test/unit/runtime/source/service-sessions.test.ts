/** The addresses at which a worker opens its sessions: its own in turn, and those to which the service redirects it. */
import { expect, it } from "vitest";
import { ServiceJobSource } from "../../../../runtime/source/service-job-source.ts";
import { startGrpcService, TOKEN } from "../../../contract/job-source/wire-service.ts";

const welcome = { workerId: "w", endpointId: "e", leaseMs: 15_000, leaseRenewalMs: 5_000 };
const deaf = {
  ...{ job: () => undefined, revoked: () => undefined, chunksStored: () => undefined },
  ...{ drain: () => undefined, reload: () => undefined, refused: () => undefined },
};

function sourceOf(...addresses: readonly string[]) {
  const lost: string[] = [];
  const source = new ServiceJobSource({
    ...{ address: addresses.join(","), token: TOKEN, runtimeVersion: "1.2.3" },
    reconnect: { firstMs: 1, maxMs: 5 },
    onDisconnect: (reason) => lost.push(reason),
  });
  return { lost, source, welcomed: source.connect(deaf) };
}

it("if one address does not answer, the worker tries the next", async () => {
  await using one = await startGrpcService();
  await using two = await startGrpcService();
  await one.stop();
  const { source, welcomed } = sourceOf(one.address, two.address);
  (await two.nextSession()).send({ welcome });
  expect((await welcomed).workerId).toBe("w");
  // The address that answered last is tried first, then the next.
  await one.restart();
  await two.stop();
  await one.nextSession();
  await source.close();
});

it("a redirected worker connects to the new address at once, and returns if that does not answer", async () => {
  await using one = await startGrpcService();
  await using two = await startGrpcService();
  const { source, welcomed, lost } = sourceOf(one.address);
  (await one.nextSession()).send({ redirect: two.address });
  const sent = await two.nextSession();
  expect(lost).toEqual([]);
  sent.send({ welcome });
  await welcomed;
  await two.stop();
  (await one.nextSession()).send({ redirect: two.address });
  (await one.nextSession()).send({ welcome });
  await source.close();
});

it("a worker that is redirected in a circle waits before it connects again", async () => {
  await using one = await startGrpcService();
  const { source, lost } = sourceOf(one.address);
  for (let round = 0; round < 3; round += 1)
    (await one.nextSession()).send({ redirect: one.address });
  await one.nextSession();
  expect(lost.length).toBe(2);
  await source.close();
});

it("an invalid address is refused", () => {
  expect(() => sourceOf("10.0.0.7:1")).toThrow(RangeError);
});
