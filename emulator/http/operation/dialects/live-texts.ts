/** Texts by which clients of the live service distinguish its refusals (live); all others have our words. */
import type {
  ErrorCode,
  ErrorTopic,
  ServiceError,
  UnknownKey,
} from "../../../core/service-error.ts";

const BY_CODE: { readonly [Code in ErrorCode]?: string } = {
  endpoint_not_found: "endpoint not found",
  template_not_found: "template not found",
  wrong_endpoint_type: "not allowed for QB API",
};

const BY_TOPIC: {
  readonly [Type in ErrorTopic["type"]]: (topic: Extract<ErrorTopic, { type: Type }>) => string;
} = {
  key_missing: () => "no token provided",
  key_wrong: () => "invalid api key",
  pod_template: () =>
    "Serverless endpoints cannot use pod templates. Please use a serverless template.",
  unknown_gpu_pool: () => "Invalid GPU Pool ID",
  out_of_bounds: ({ parameter, min, max }) =>
    `${parameter} is invalid; must be between ${min} and ${max}`,
  unknown_keys: () => "Extra input keys provided in request body",
};

/** Message and problems of a refusal. */
export function liveText({ code, message, topic, problems }: ServiceError): {
  readonly message: string;
  readonly problems: readonly string[] | undefined;
} {
  return {
    message: (topic && textOf(topic)) ?? BY_CODE[code] ?? message,
    problems: topic?.type === "unknown_keys" ? problemsWith(topic.keys, problems) : problems,
  };
}

function textOf<Type extends ErrorTopic["type"]>(topic: Extract<ErrorTopic, { type: Type }>) {
  const say: (about: typeof topic) => string = BY_TOPIC[topic.type];
  return say(topic);
}

function problemsWith(keys: readonly UnknownKey[], problems: readonly string[] = []) {
  return problems.map((problem) => {
    const unknown = keys.find((each) => each.problem === problem);
    if (unknown === undefined) return problem;
    const hint = unknown.near === undefined ? "" : ` (Did you mean '${unknown.near}'?)`;
    return `key provided in request body which is not in input schema: '${unknown.key}'${hint}`;
  });
}
