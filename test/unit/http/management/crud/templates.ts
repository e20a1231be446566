/** Templates in all dialects. */
import { made } from "../../http-harness.ts";
import {
  NEWER_TEMPLATE_FIELDS,
  TEMPLATE_FIELDS,
} from "../../../../../emulator/core/resources/templates/template-fields.ts";
import { type Form, graphqlDriver, graphqlForm, PROGRAM, restDriver, v2Form } from "./drivers.ts";
import { beyondBounds, type Noun, UNKNOWN_REGISTRY, unknownKey } from "./nouns.ts";

const TABLE = { ...TEMPLATE_FIELDS, ...NEWER_TEMPLATE_FIELDS };

/** A pod's own volume. */
export const MOUNTS: Form = {
  write({ volumeInGb, volumeMountPath, ...fields }) {
    if (volumeInGb === undefined) return fields;
    const persistent = { size: volumeInGb, path: volumeMountPath };
    return { ...fields, mounts: { persistent } };
  },
  read({ mounts }) {
    const { persistent } = mounts as { persistent?: { size: number; path: string } };
    return { volumeInGb: persistent?.size ?? 0, volumeMountPath: persistent?.path };
  },
};

const SELECTED = `id name imageName category dockerArgs containerDiskInGb containerRegistryAuthId volumeInGb
  volumeMountPath ports env { key value } isServerless isPublic readme startJupyter startSsh`;

const NO_TEXT = "String cannot represent a non string value";
const VOLUME = { volumeInGb: 10, volumeMountPath: "/w" };
const NO_VOLUME = "must be 0 or absent: workers of serverless templates have no local volume";
const HAS_NONE = [`volumeInGb ${NO_VOLUME}`, `400 mounts.persistent.size ${NO_VOLUME}`] as const;
const TAKEN = 'there is already a template named "echo"';

export const TEMPLATES: Noun = {
  noun: "a template",
  drivers: (service) => ({
    v1: restDriver(service, { path: "/v1/templates" }),
    v2: restDriver(service, {
      path: "/live/v2/templates",
      listed: "templates",
      form: v2Form(TABLE, MOUNTS),
    }),
    graphql: graphqlDriver(service, {
      save: `mutation ($input: SaveTemplateInput!) { saveTemplate(input: $input) { ${SELECTED} } }`,
      read: `query ($id: String!) { podTemplate(id: $id) { ${SELECTED} } }`,
      list: "{ myself { podTemplates { id name } } }",
      remove: "mutation ($name: String!) { deleteTemplate(templateName: $name) }",
      named: (id) => ({ name: service.test.engine.directory.findTemplate(id)?.name ?? id }),
      form: graphqlForm(TABLE, PROGRAM),
    }),
  }),
  least: { imageName: "team/image:1" },
  full: ({ registryId }) => ({
    ...{ imageName: "team/image:2", category: "AMD", isPublic: true, isServerless: false },
    ...{ containerDiskInGb: 5, containerRegistryAuthId: registryId, ports: ["80/http", "22/tcp"] },
    ...{ dockerEntrypoint: ["/bin/sh"], dockerStartCmd: ["-c", "my run"] },
    ...{ env: { MODE: "fast", EMPTY: "" }, volumeInGb: 40, volumeMountPath: "/data" },
  }),
  changed: {
    ...{ imageName: "team/image:3", isPublic: false, containerDiskInGb: 7, ports: ["81/tcp"] },
    ...{ dockerEntrypoint: ["/bin/bash"], dockerStartCmd: ["-c", "it"], env: { A: "b" } },
    ...{ volumeInGb: 50, volumeMountPath: "/other" },
  },
  emptied: {
    ...{ dockerEntrypoint: [], dockerStartCmd: [], env: {}, ports: [] },
    containerRegistryAuthId: "",
  },
  unknown: {
    v1: '404 template_not_found there is no template "none"',
    v2: "404 template not found",
    graphql: "template not found",
  },
  refused: [
    [{ name: undefined }, "name is required", "422 $: missing property 'name'"],
    [{ name: "" }, "name must be", "422 $.name: minLength: got 0, want 1", "name is required"],
    [{ imageName: undefined }, "imageName is required", "422 $: missing property 'image'"],
    [{ imageName: "" }, "imageName must be", "422 $.image: must be", "imageName is required"],
    [{ imageName: null }, "imageName must be", "422 $: missing", "imageName is required"],
    [{ imageName: 5 }, "imageName must be", "422 $.image: got number", NO_TEXT],
    [{ containerDiskInGb: 0 }, null, "422 $.disk: minimum: got 0, want 1"],
    [{ env: { "A=B": "x" } }, 'env has the name "A=B"', '422 $.env: has the name "A=B"'],
    [{ env: { BAD: 2 } }, "env.BAD must be a string", "422 $.env.BAD: must be", NO_TEXT],
    ...beyondBounds(TEMPLATE_FIELDS),
    [{ ...VOLUME, isServerless: true }, ...HAS_NONE],
    UNKNOWN_REGISTRY,
    [{ name: "echo" }, `400 template_name_taken ${TAKEN}`, `409 ${TAKEN}`, TAKEN],
    unknownKey("nmae"),
  ],
  refusedChanges: [
    [{ name: "" }, 'name must be a string of 1 to 191 characters; got ""', "422 $.name: min", null],
    [{ category: "AMD" }, "category is set at creation and cannot be changed"],
    [{ isServerless: true }, "isServerless is set at creation"],
    unknownKey("image_name", "imageName"),
    [{ name: "echo" }, `400 template_name_taken ${TAKEN}`, `409 ${TAKEN}`, TAKEN],
    UNKNOWN_REGISTRY,
    [{ ports: ["80"] }, "ports.0 must be", '422 $.ports[0]: "80" does not match'],
    [VOLUME, ...HAS_NONE],
  ],
  usable: { isServerless: true },
  async use(service, { id, name }) {
    const endpointId = await made(service, "/v1/endpoints", { templateId: id });
    const text = `the template "${String(name)}" is used by the endpoint "${endpointId}"; change or delete it first`;
    return [`/v1/endpoints/${endpointId}`, text];
  },
};
