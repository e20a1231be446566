/** The schemas of containers, GPUs, templates, network volumes and registry auths in a config. */
import { z } from "zod";
import { DATA_CENTER } from "../../core/catalog/data-centers.ts";
import { inOrder } from "../../core/resources/fields.ts";
import { TEMPLATE_FIELDS, TEMPLATE_PORT } from "../../core/resources/templates/template-fields.ts";
import { imageName } from "../../core/input/input-fields.ts";
import {
  GPU_SETTING_RULE,
  isGpuSetting,
  MOST_OF_A_TYPE,
} from "../../core/workers/gpu-declaration.ts";
import {
  arrayOf,
  integer,
  keysOf,
  matching,
  must,
  object,
  optional,
  positive,
  recordOf,
  secret,
  text,
  value,
} from "./fields.ts";

const MAX_VOLUME_GB = 4_000;
/** The form of a data centre's id, for messages. */
export const CENTER = "a data centre like EU-RO-1";

/** Default data centre. It has no meaning on one machine. */
export const DEFAULT_DATA_CENTER = "EU-RO-1";

export const env = optional(
  recordOf(value()),
  'environment variables of its workers, by name: texts, or `{"fromEnv": "NAME"}` for a secret',
  {},
);

const keys = keysOf(TEMPLATE_FIELDS, {
  ports: arrayOf(
    matching(TEMPLATE_PORT, "a port and its protocol like 8888/http or 22/tcp"),
    "ports like 8888/http",
  ),
  volumeMountPath: matching(/^\//u, "an absolute path"),
});

/** The settings of a container, named as in the interface. */
export const container = {
  containerDiskInGb: keys.containerDiskInGb,
  containerRegistryAuth: optional(
    text("be the key of a registry auth under containerRegistryAuths"),
    "the [credentials](#registry-auths) that the image is pulled with, by their key",
  ),
  dockerEntrypoint: keys.dockerEntrypoint,
  dockerStartCmd: keys.dockerStartCmd,
  ports: keys.ports,
  volumeMountPath: keys.volumeMountPath,
};

/** Keys of an endpoint that belong to the template made for its image. */
export const CONTAINER_KEYS = Object.keys(container) as readonly (keyof typeof container)[];

const TEMPLATE_ORDER = [
  ...["imageName", "name", "category", "env", ...CONTAINER_KEYS],
  ...["isPublic", "isServerless", "readme"],
];

export const template = object(
  inOrder(TEMPLATE_ORDER, {
    imageName: imageName().meta({
      description: "the [container image](docker.md) of its workers",
    }),
    name: optional(text("be a name"), "its name, which no other template has; by default its key"),
    env,
    ...container,
    ...keys,
  }),
);

export const networkVolume = object({
  size: integer(0, MAX_VOLUME_GB, " (GB)").meta({ description: "size in GB; kept and shown" }),
  name: optional(text("be a name"), "as it is shown; by default its key"),
  dataCenterId: optional(
    matching(DATA_CENTER, CENTER),
    "data centre; kept and shown",
    DEFAULT_DATA_CENTER,
  ),
});

export const registryAuth = object({
  username: secret().meta({ description: 'user name, or `{"fromEnv": "NAME"}`' }),
  password: secret().meta({ description: 'password or token: `{"fromEnv": "NAME"}`' }),
  name: optional(text("be a name"), "its name, which no other has; by default its key"),
});

const declaredGpus = object(
  {
    type: text("be the name of a GPU type"),
    count: integer(1, MOST_OF_A_TYPE).exactOptional(),
    memoryGb: positive(" (GiB)").exactOptional(),
  },
  'an object like {"type": "NVIDIA L4", "count": 2}',
);
const GPUS_RULE = `${GPU_SETTING_RULE}, or a list of objects`;

/** The GPUs of this machine. */
export const gpuSetting = z.union([z.array(declaredGpus), text(GPUS_RULE).refine(isGpuSetting)], {
  error: must(GPUS_RULE),
});
