/** Network volumes in both versions of REST; GraphQL has none. */
import { made } from "../../http-harness.ts";
import { type Form, restDriver } from "./drivers.ts";
import { type Noun, unknownKey } from "./nouns.ts";

const RENAMED: Form = {
  write: ({ dataCenterId: dataCenter, ...fields }) => ({ ...fields, dataCenter }),
  read: ({ dataCenter: dataCenterId, ...shown }) => ({ ...shown, dataCenterId }),
};

const SMALLER = "size must be 20 (GB) or more, because a network volume can only grow; got 19";

export const NETWORK_VOLUMES: Noun = {
  noun: "a network volume",
  drivers: (service) => ({
    v1: restDriver(service, { path: "/v1/networkvolumes" }),
    v2: restDriver(service, {
      ...{ path: "/live/v2/network-volumes", listed: "networkVolumes", form: RENAMED },
    }),
  }),
  least: { size: 20, dataCenterId: "EU-RO-1" },
  full: () => ({ size: 50, dataCenterId: "US-KS-2" }),
  changed: { size: 60 },
  unknown: {
    v1: '404 network_volume_not_found there is no network volume "none"',
    v2: '404 there is no network volume "none"',
  },
  refused: [
    [{ name: undefined }, "name is required", "422 $: missing property 'name'"],
    [{ name: "" }, "name must be", "422 $.name: minLength: got 0, want 1"],
    [{ size: undefined }, "size is required", "422 $: missing property 'size'"],
    [{ size: -1 }, "size must be an integer", "422 $.size: minimum: got -1, want 10"],
    [{ size: 9 }, null, "422 $.size: minimum: got 9, want 10"],
    [{ size: 4_097 }, "size must be an integer", "422 $.size: maximum: got 4097, want 4096"],
    [{ size: 4_001 }, "size must be an integer from 0 to 4000 (GB); got 4001"],
    [{ size: 1.5 }, "size must be an integer", "422 $.size: got number, want integer"],
    [{ size: "20" }, "size must be an integer", "422 $.size: got string, want integer"],
    [{ size: null }, "size must be an integer", "422 $.size: got null, want integer"],
    [{ dataCenterId: undefined }, "dataCenterId is required", "422 $: missing property 'dataC"],
    unknownKey("dataCentre"),
  ],
  refusedChanges: [
    [{ name: "other", size: 19 }, SMALLER, `400 ${SMALLER}`],
    [{ dataCenterId: "US-TX-3" }, "dataCenterId cannot be changed", "422 $: additional properties"],
    unknownKey("sise", "size"),
  ],
  async use(service, { id, name }) {
    const body = { templateId: "echo", networkVolumeIds: ["", id] };
    const endpointId = await made(service, "/v1/endpoints", body);
    const text = `the network volume "${String(name)}" (${String(id)}) is used by the endpoint "${endpointId}"; change or delete it first`;
    return [`/v1/endpoints/${endpointId}`, text];
  },
};
