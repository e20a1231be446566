/** The account in GraphQL: the caller, the SSH keys, and the account's resources. */
import { expect, it } from "vitest";
import { startTestHttp } from "../../http-harness.ts";
import { dataOf, messageOf } from "../graphql/graphql-harness.ts";

const SSH_KEYS = ["ssh-ed25519 AAAAone ada@example", "ecdsa-sha2-nistp256 AAAAtwo"] as const;

const UPDATE = `mutation ($input: UpdateUserSettingsInput) {
  updateUserSettings(input: $input) { id pubKey } }`;

it("the account has an id, a balance and no debts", async () => {
  await using service = await startTestHttp();
  const query = `{ myself { id email pubKey clientBalance currentSpendPerHr spendLimit notifyPodsStale
    notifyPodsGeneral notifyLowBalance serverlessDiscount { discountFactor type expirationDate }
    networkVolumes { id } pods { id } podTemplates { id } endpoints { id } } }`;
  expect(await dataOf(service, query)).toEqual({
    myself: {
      id: "user_local",
      email: "user@localhost",
      pubKey: "",
      clientBalance: 1_000,
      currentSpendPerHr: 0,
      spendLimit: 80,
      notifyPodsStale: false,
      notifyPodsGeneral: false,
      notifyLowBalance: false,
      serverlessDiscount: null,
      networkVolumes: [],
      pods: [],
      podTemplates: [],
      endpoints: [{ id: "echo" }],
    },
  });
});

it("the account spends the price of its running pods", async () => {
  await using service = await startTestHttp();
  const body = { imageName: "example/a:1", gpuTypeIds: ["NVIDIA L4"], gpuCount: 2 };
  const { json } = await service.call("POST", "/v1/pods", { body });
  await service.call("POST", "/v1/pods", { body });
  const spend = async () => (await dataOf(service, "{ myself { currentSpendPerHr } }"))["myself"];
  expect(await spend()).toEqual({ currentSpendPerHr: 2.8 });
  await service.call("POST", `/v1/pods/${(json as { id: string }).id}/stop`);
  expect(await spend()).toEqual({ currentSpendPerHr: 1.4 });
});

it("the account has network volumes", async () => {
  await using service = await startTestHttp();
  const body = { name: "models", size: 10, dataCenterId: "EU-RO-1" };
  const { json } = await service.call("POST", "/v1/networkvolumes", { body });
  const query = "{ myself { networkVolumes { id name size dataCenterId } } }";
  expect(await dataOf(service, query)).toEqual({ myself: { networkVolumes: [json] } });
});

it("the account's SSH keys are replaced, one per line, and shown in the same form", async () => {
  await using service = await startTestHttp();
  const pubKey = `${SSH_KEYS[0]}\n${SSH_KEYS[1]}\n`;
  const written = SSH_KEYS.join("\n\n");
  const variables = (text: string | null) => ({ variables: { input: { pubKey: text } } });
  expect(await dataOf(service, UPDATE, variables(pubKey))).toEqual({
    updateUserSettings: { id: "user_local", pubKey: written },
  });
  expect(await dataOf(service, "{ myself { pubKey } }")).toEqual({ myself: { pubKey: written } });
  await dataOf(service, UPDATE, variables(written));
  expect(await dataOf(service, "{ myself { pubKey } }")).toEqual({ myself: { pubKey: written } });
  expect(await messageOf(service, UPDATE, variables("no key"))).toContain(
    "pubKey must have one SSH public key in each line",
  );
  await dataOf(service, UPDATE, variables(""));
  expect(await dataOf(service, "{ myself { pubKey } }")).toEqual({ myself: { pubKey: "" } });
});
