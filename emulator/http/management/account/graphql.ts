/** The account in GraphQL: the caller and their resources. */
import { sshKeysIn, sshKeysText, SSH_KEY } from "../../../core/access/account.ts";
import { valueInWords } from "../../../core/input/problem-messages.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import { replaceSshKeys, sshKeys } from "../../../engine/access/account.ts";
import { listPods } from "../../../engine/pods/manage-pods.ts";
import { listNetworkVolumes } from "../../../engine/resources/manage-network-volumes.ts";
import { USER_ID } from "./user-id.ts";
import type { HttpEngine } from "../../operation/service.ts";
import type { GraphqlCaller } from "../graphql/graphql-caller.ts";
import { endpointWith, endpointsOf } from "../endpoints/graphql.ts";
import { given, type Input } from "../graphql/input.ts";
import { podsOf } from "../pods/graphql.ts";
import { ownTemplates } from "../templates/graphql.ts";
import { hourlyCost } from "../pods/graphql-shown.ts";

/** Balance shown to clients that check it. Nothing is paid for here (ours). */
const BALANCE = 1_000;

/** US dollars per hour; without effect (ours). */
const SPEND_LIMIT = 80;

export const ACCOUNT_RESOLVERS = {
  /** The caller; null without a key (live). */
  myself: (_: object, caller: GraphqlCaller) => (caller.hasKey ? userOf(caller) : null),
  /** Replaces the SSH keys: one a line; empty lines are skipped (live). */
  updateUserSettings: async (
    { input }: { readonly input?: Input | null },
    caller: GraphqlCaller,
  ) => {
    const { pubKey = "" } = given(input);
    await caller.changes({ name: "updateUserSettings" }, (engine) =>
      replaceSshKeys(engine, keysIn(String(pubKey))),
    );
    return userOf(caller);
  },
};

/** @throws ServiceError invalid_request */
function keysIn(text: string): readonly string[] {
  const keys = sshKeysIn(text);
  const wrong = keys.filter((key) => !SSH_KEY.test(key));
  if (wrong.length === 0) return keys;
  throw invalidRequest(
    wrong.map(
      (key) => `pubKey must have one SSH public key in each line; got ${valueInWords(key)}`,
    ),
  );
}

function userOf(caller: GraphqlCaller) {
  caller.identified();
  return {
    id: USER_ID,
    email: "user@localhost",
    pubKey: () => sshKeysText(sshKeys(caller.reads())),
    clientBalance: BALANCE,
    currentSpendPerHr: () => spendPerHour(caller.reads()),
    spendLimit: SPEND_LIMIT,
    notifyPodsStale: false,
    notifyPodsGeneral: false,
    notifyLowBalance: false,
    serverlessDiscount: null,
    networkVolumes: () => listNetworkVolumes(caller.reads()),
    pods: () => podsOf(caller.reads()),
    endpoints: () => endpointsOf(caller),
    endpoint: ({ id }: { readonly id: string }) => endpointWith(caller, id),
    podTemplates: () => ownTemplates(caller.reads()),
  };
}

function spendPerHour(engine: HttpEngine): number {
  const running = listPods(engine).filter(({ desiredStatus }) => desiredStatus === "RUNNING");
  return running.reduce((sum, pod) => sum + hourlyCost(engine, pod), 0);
}
