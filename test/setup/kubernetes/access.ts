/** Access to the API server: tokens, and configurations with them. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/** Names of the components in the roles of Kubernetes. */
const USERS = {
  admin: ["test-admin", "system:masters"],
  "controller-manager": ["system:kube-controller-manager"],
  scheduler: ["system:kube-scheduler"],
  proxy: ["system:kube-proxy"],
  kubelet: ["system:node:sv-node", "system:nodes"],
} as const;

export type User = keyof typeof USERS;

export const NODE_NAME = "sv-node";

export interface Access {
  readonly tokensFile: string;
  /** Signs and checks the tokens of service accounts. */
  readonly keyFile: string;
  /** Path of the API server's own certificate, and that of its authority. */
  readonly certificates: string;
  readonly authorityFile: string;
  /** Writes a configuration of this user, and returns its path; only when the API server has its certificate. */
  configurationOf(user: User): string;
}

export function makeAccess(folder: string, server: string): Access {
  const at = (name: string): string => path.join(folder, name);
  const [tokensFile, keyFile, certificates] = [at("tokens.csv"), at("key.pem"), at("certificates")];
  const authorityFile = path.join(certificates, "apiserver.crt");
  const tokens = new Map(Object.keys(USERS).map((user) => [user, randomUUID()]));
  const lines = Object.entries(USERS).map(
    ([user, [name, ...groups]]) => `${tokens.get(user)},${name},${user},"${groups.join(",")}"\n`,
  );
  fs.writeFileSync(tokensFile, lines.join(""), { mode: 0o600 });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  fs.writeFileSync(keyFile, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  const configurationOf = (user: User): string => {
    const file = at(`${user}.kubeconfig`);
    const cluster = { server, "certificate-authority": authorityFile };
    const configuration = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "test" },
      clusters: [{ name: "test", cluster }],
      users: [{ name: user, user: { token: tokens.get(user) } }],
      contexts: [{ name: "test", context: { cluster: "test", user } }],
    };
    fs.writeFileSync(file, JSON.stringify(configuration), { mode: 0o600 });
    return file;
  };
  return { tokensFile, keyFile, certificates, authorityFile, configurationOf };
}
