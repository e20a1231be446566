/** Which fields a GraphQL document asks for, and what of the first version of REST does the same. Pure. */

/** Field names as GraphQL has them, those of the account below `myself`. */
const INSTEAD: Readonly<Record<string, string>> = {
  "myself.pods": "GET {v1}/pods",
  "myself.endpoints": "GET {v1}/endpoints",
  "myself.endpoint": "GET {v1}/endpoints/{endpointId}",
  "myself.podTemplates": "GET {v1}/templates",
  "myself.networkVolumes": "GET {v1}/networkvolumes",
  pod: "GET {v1}/pods/{podId}",
  podFindAndDeployOnDemand: "POST {v1}/pods",
  deployCpuPod: "POST {v1}/pods",
  podStop: "POST {v1}/pods/{podId}/stop",
  podResume: "POST {v1}/pods/{podId}/start",
  podTerminate: "DELETE {v1}/pods/{podId}",
  podTemplates: "GET {v1}/templates",
  podTemplate: "GET {v1}/templates/{templateId}",
  saveTemplate: "POST {v1}/templates or PATCH {v1}/templates/{templateId}",
  deleteTemplate: "DELETE {v1}/templates/{templateId}",
  saveEndpoint: "POST {v1}/endpoints or PATCH {v1}/endpoints/{endpointId}",
  updateEndpointTemplate: "PATCH {v1}/endpoints/{endpointId}",
  deleteEndpoint: "DELETE {v1}/endpoints/{endpointId}",
  saveRegistryAuth: "POST {v1}/containerregistryauth",
  deleteRegistryAuth: "DELETE {v1}/containerregistryauth/{containerRegistryAuthId}",
  createNetworkVolume: "POST {v1}/networkvolumes",
  updateNetworkVolume: "PATCH {v1}/networkvolumes/{networkVolumeId}",
  deleteNetworkVolume: "DELETE {v1}/networkvolumes/{networkVolumeId}",
};

export interface AskedField {
  /** For example `podStop`, or `myself.pods`. */
  readonly name: string;
  /** Operations that do the same, `{v1}` standing for their base; empty where there are none. */
  readonly instead: string;
}

/** The first field a document asks for; undefined for a text that is none. */
export function askedField(document: string): AskedField | undefined {
  const [first = "", second = ""] = fieldsOf(document);
  if (first === "") return undefined;
  const nested = `${first}.${second}`;
  const name = nested in INSTEAD ? nested : first;
  return { name, instead: INSTEAD[name] ?? "" };
}

const TOKEN = /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*|[_A-Za-z]\w*|\S/gu;

/** The first root field, and the first below it that something does the same as, else whatever comes first. */
function fieldsOf(document: string): readonly string[] {
  const tokens = (document.match(TOKEN) ?? []).filter((token) => !token.startsWith("#"));
  const found: string[][] = [[], []];
  let braces = 0;
  let brackets = 0;
  for (const [at, token] of tokens.entries()) {
    if (token === "(") brackets += 1;
    else if (token === ")") brackets -= 1;
    else if (brackets > 0) continue;
    else if (token === "{") braces += 1;
    else if (token === "}") braces -= 1;
    // A name before a colon is an alias.
    else if (/^\w/u.test(token) && tokens[at + 1] !== ":") found[braces - 1]?.push(token);
  }
  const [[root = ""] = [], below = []] = found;
  return [root, below.find((name) => `${root}.${name}` in INSTEAD) ?? below[0] ?? ""];
}
