/** The files of a directory that stay out of a generated image: secrets, and what concerns the directory alone. */
import { open } from "node:fs/promises";

/** Names of files that hold passwords, tokens or private keys. A `!` in .dockerignore includes one of them. */
export const SECRETS = [
  ...["**/.env", "**/.env.*", "**/*.env"],
  ...["**/.npmrc", "**/.yarnrc", "**/.yarnrc.yml", "**/.pypirc"],
  ...["**/.netrc", "**/_netrc", "**/.git-credentials", "**/.pgpass", "**/.my.cnf", "**/.htpasswd"],
  ...["**/.aws", "**/.azure", "**/.gcloud", "**/.config/gcloud", "**/.docker", "**/.kube"],
  ...["**/.ssh", "**/.gnupg", "**/id_rsa", "**/id_dsa", "**/id_ecdsa", "**/id_ed25519"],
  ...["**/*.pem", "**/*.key", "**/*.p8", "**/*.p12", "**/*.pfx", "**/*.jks", "**/*.keystore"],
  ...["**/application_default_credentials.json", "**/service-account*.json"],
];

/** Files of tools and tests. Modules among them that the program imports are in its bundle. */
export const NOT_FOR_IMAGES = [
  ...[".git", "**/.gitignore", "**/.gitattributes", ".sv", "Dockerfile", ".dockerignore"],
  ...["template.json", "**/.vscode", "**/.idea", "**/.DS_Store", "**/*.swp"],
  ...["test", "tests", "**/__tests__", "**/*.test.*", "**/*.spec.*", "**/*.tsbuildinfo"],
  ...["**/.cache", "**/.nyc_output", "**/__pycache__", "coverage", ".eslintcache"],
];

/** Maximum size of a file with a private key. */
const KEY_MAX_BYTES = 32_768;
const FIRST_LINE_BYTES = 64;

/** Whether a file of any name is a private key, by its first line. */
export async function isPrivateKey(file: string, sizeBytes: number): Promise<boolean> {
  if (sizeBytes === 0 || sizeBytes > KEY_MAX_BYTES) return false;
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE_BYTES), 0);
    const [line = ""] = buffer.toString("latin1", 0, bytesRead).split("\n");
    return /^-----BEGIN .*PRIVATE KEY/u.test(line);
  } finally {
    await handle.close();
  }
}
