/** The SSH keys of the account over REST v2. */
import { expect, test } from "vitest";
import { startTestHttp } from "../../http-harness.ts";

const path = "/live/v2/account/ssh-keys";
const keys = ["ssh-ed25519 AAAAC3Nz ada@example", "sk-ssh-ed25519@openssh.com AAAAGnNr"];

test("the list of keys is replaced as a whole, also by an empty one", async () => {
  await using service = await startTestHttp();
  expect(await service.call("GET", path)).toMatchObject({ status: 200, json: { keys: [] } });
  expect(await service.call("PUT", path, { body: { keys } })).toMatchObject({
    status: 200,
    json: { keys },
  });
  expect((await service.call("GET", path)).json).toEqual({ keys });
  await service.call("PUT", path, { body: { keys: [] } });
  expect((await service.call("GET", path)).json).toEqual({ keys: [] });
});

test.each([
  [{}, /^\$: missing property 'keys'$/],
  [{ keys: keys[0] }, /^\$\.keys: got string, want array$/],
  [{ keys: [keys[0], "AAAA"] }, /^\$\.keys\[1\]: "AAAA" does not match/],
  [{ keys: [`${keys[0]}\n${keys[1]}`] }, /^\$\.keys\[0\]: .* does not match/],
])("the keys %j are refused, and the present ones stay", async (body, line) => {
  await using service = await startTestHttp();
  await service.call("PUT", path, { body: { keys } });
  const { status, json } = await service.call("PUT", path, { body });
  expect(status).toBe(422);
  expect((json as { errors: string[] }).errors).toEqual([expect.stringMatching(line)]);
  expect((await service.call("GET", path)).json).toEqual({ keys });
});
