/**
 * GraphQL calls of the live service's command line for templates, version 2.7 and those that newer ones keep, with the fields
 * that it decodes by type.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { fields, selection } from "./client-service.ts";
import {
  createTemplate,
  id,
  selectedInt as int,
  selectedText as text,
  startCommandLine,
} from "./command-line-client.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.commandLineTemplates);

const start = () => startCommandLine("2.7.2", playing);

const pairs = z.array(z.strictObject({ key: z.string(), value: z.string() })).nullable();

test("template list and get; template create with port labels reads the user's templates before it saves one", async () => {
  await using client = await start();
  const templateId = await createTemplate(client, { ports: ["8000/http"], env: { A: "b" } });
  await createTemplate(client, { name: "shared", isPublic: true });
  const listed = z.strictObject({
    id,
    name: z.string(),
    imageName: z.string(),
    isServerless: z.boolean(),
    isPublic: z.boolean(),
    isRunpod: z.boolean(),
    category: text,
    containerDiskInGb: int,
    volumeInGb: int,
    volumeMountPath: text,
  });
  const list = async (isRunpod: boolean) => {
    const query = `query PodTemplates($input: PodTemplateInput) {
      podTemplates(input: $input) ${selection(listed)} }`;
    const reads = z.strictObject({ podTemplates: z.array(listed) });
    return (await client.ask({ query, variables: { input: { isRunpod } }, reads })).podTemplates;
  };
  expect(await list(true)).toEqual([]);
  expect(await list(false)).toMatchObject([{ name: "shared" }]);
  const got = listed.extend({
    ports: text,
    portsConfig: z.array(z.strictObject({ port: id, name: id })).nullable(),
    env: pairs,
    containerRegistryAuthId: text,
    readme: text,
  });
  const { podTemplate } = await client.ask({
    query: `query GetTemplate($id: String!) { podTemplate(id: $id) ${selection(got)} }`,
    variables: { id: templateId },
    reads: z.strictObject({ podTemplate: got }),
  });
  expect(podTemplate).toMatchObject({ ports: "8000/http", env: [{ key: "A", value: "b" }] });
  const own = z.strictObject({
    id,
    name: z.string(),
    imageName: z.string(),
    ...fields(
      text,
      "dockerArgs ports volumeMountPath containerRegistryAuthId startScript readme category",
    ),
    env: pairs,
    volumeInGb: int,
    containerDiskInGb: int,
    ...fields(z.boolean(), "startJupyter startSsh isServerless isPublic advancedStart"),
  });
  const { myself } = await client.ask({
    query: `query GetTemplateForPortLabels { myself { podTemplates ${selection(own)} } }`,
    variables: {},
    reads: z.strictObject({ myself: z.strictObject({ podTemplates: z.array(own) }) }),
  });
  const state = myself.podTemplates.find((each) => each.id === templateId);
  const { startScript: _, ...written } = state ?? {};
  const portsConfig = [{ port: "8000", name: "api" }];
  const input = { ...written, containerRegistryAuthId: "", portsConfig };
  await client.ask({
    query: `mutation UpdateTemplatePortLabels($input: SaveTemplateInput) {
      saveTemplate(input: $input) { id } }`,
    variables: { input },
    reads: z.strictObject({ saveTemplate: z.strictObject({ id: z.literal(templateId) }) }),
  });
});

playing.ends();
