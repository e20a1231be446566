/** Makes an object of the body of a creation: checks it, drops unknown fields, and fills in the server's own. */
import type { V1ObjectMeta, V1Secret } from "@kubernetes/client-node";
import type { Kind } from "./objects.ts";
import { ApiProblem, invalid } from "./problem.ts";
import { misfits } from "./schema.ts";
import { metadataProblems, podProblems, secretProblems } from "./validation.ts";

const KINDS = {
  pods: { kind: "Pod", type: "V1Pod", problems: podProblems },
  secrets: { kind: "Secret", type: "V1Secret", problems: secretProblems },
  configmaps: { kind: "ConfigMap", type: "V1ConfigMap", problems: () => [] },
} as const;

type Body = Readonly<Record<string, unknown>> & { readonly metadata?: V1ObjectMeta };

export function createBody(kind: Kind, body: Body, query: URLSearchParams) {
  const { kind: name, type, problems } = KINDS[kind];
  if (body["kind"] !== name || body["apiVersion"] !== "v1")
    throw new ApiProblem(
      400,
      "BadRequest",
      `the object provided is unrecognized (must be of type ${name})`,
    );
  const { unknown, mistyped } = misfits(body, type);
  if (mistyped.length > 0)
    throw new ApiProblem(
      400,
      "BadRequest",
      `${name} in version "v1" cannot be handled as a ${name}: ${mistyped.join(", ")}`,
    );
  if (unknown.length > 0 && query.get("fieldValidation") === "Strict")
    throw new ApiProblem(
      400,
      "BadRequest",
      `${name} in version "v1" cannot be handled as a ${name}: strict decoding error: ${unknown.map((each) => `unknown field "${each}"`).join(", ")}`,
    );
  const { metadata = {} } = body;
  const found = [...metadataProblems(metadata), ...problems(body)];
  if (found.length > 0) throw invalid(name, metadata.name ?? "", found);
  return filledIn(kind, {
    ...body,
    metadata: Object.assign(metadata, { name: metadata.name ?? "" }),
  });
}

type Filled = Body & { readonly metadata: V1ObjectMeta & { readonly name: string } };

function filledIn(kind: Kind, body: Filled): Filled {
  if (kind === "pods") return Object.assign(body, { status: { phase: "Pending" } });
  if (kind !== "secrets") return body;
  const { stringData = {}, data = {} } = body as Filled & Partial<V1Secret>;
  const encoded = Object.entries(stringData).map(
    ([key, value]) => [key, Buffer.from(value).toString("base64")] as const,
  );
  return Object.assign(body, {
    stringData: undefined,
    data: Object.assign({}, data, Object.fromEntries(encoded)),
  });
}
