/** Behaviour of all `/v1` resources beyond the suite of all dialects: three ways to change a resource, and query flags. */
import { describe, expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { type Made, restDriver, type Thing } from "./drivers.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { NETWORK_VOLUMES } from "./network-volumes.ts";
import { TEMPLATES } from "./templates.ts";

const KINDS = [
  { ...TEMPLATES, path: "/v1/templates" },
  { ...ENDPOINTS, path: "/v1/endpoints" },
  { ...NETWORK_VOLUMES, path: "/v1/networkvolumes" },
];

const CHANGES = [
  ["PATCH", ""],
  ["PUT", ""],
  ["POST", "/update"],
] as const;

describe.each(KINDS)("$noun", ({ path, least, changed, unknown }) => {
  const create = (service: TestHttp): Promise<Made> =>
    restDriver(service, { path }).create({ name: "before", ...least });

  it.each(CHANGES)(
    "is changed by %s …%s, and by an empty body not at all",
    async (method, rest) => {
      await using service = await startTestHttp();
      const { id, ...before } = await create(service);
      const change = async (body: Thing) =>
        (await service.call(method, `${path}/${id}${rest}`, { body })).json;
      expect(await change({})).toStrictEqual({ id, ...before });
      const after = await change(changed);
      expect(after).toMatchObject({ ...changed, id, name: "before" });
      expect((await service.call("GET", `${path}/${id}`)).json).toStrictEqual(after);
    },
  );

  it.each([...CHANGES, ["GET", ""], ["DELETE", ""]] as const)(
    "is not found under an unknown id by %s …%s",
    async (method, rest) => {
      await using service = await startTestHttp();
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      const { json } = await service.call(method, `${path}/none${rest}`, { body });
      const [, code = "", error] = /^404 (\w+) (.+)$/u.exec(String(unknown.v1)) ?? [];
      expect(json).toStrictEqual({ error, code, status: 404 });
    },
  );
});

const OF_TEMPLATES = ["EndpointBoundTemplates", "PublicTemplates", "PlatformTemplates"];

it.each([
  ["/v1/templates", [...OF_TEMPLATES, "RunpodTemplates"]],
  ["/v1/templates/echo", [...OF_TEMPLATES, "RunpodTemplates"]],
  ["/v1/endpoints", ["Template", "Workers"]],
  ["/v1/endpoints/echo", ["Template", "Workers"]],
])("a flag of GET %s is true or false", async (path, flags) => {
  await using service = await startTestHttp();
  for (const flag of flags) {
    const { json } = await service.call("GET", `${path}?include${flag}=maybe`);
    const problems = [`include${flag} must be true or false; got "maybe"`];
    expect(json).toMatchObject({ status: 400, problems });
  }
});
