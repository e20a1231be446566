/** An image with Python, a shell and one program, made from this machine's own files. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { librariesOf, nodeImage } from "./docker-node-image.ts";
import type { TestDocker } from "./docker.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const LOOK = `import json, os, sys, sysconfig
print(json.dumps([os.path.realpath(sys.executable), sysconfig.get_path("stdlib")]))`;

/** Modules that no worker imports, the largest part of Python. */
const NEEDLESS = /^(?:test|site-packages|dist-packages|idlelib|config-.*|__pycache__|ensurepip)$/u;

/** An image that runs `program`, a file of this machine. Returns `name`. */
export async function pythonImage(
  docker: TestDocker,
  name: string,
  program: string,
): Promise<string> {
  using context = temporaryDirectory();
  const [python = "", stdlib = ""] = JSON.parse(
    execFileSync("python3", ["-c", LOOK], { encoding: "utf8" }),
  ) as string[];
  const extensions = path.join(stdlib, "lib-dynload");
  const modules = fs.readdirSync(extensions).map((file) => path.join(extensions, file));
  const libraries = librariesOf(python, ...modules.filter((file) => file.endsWith(".so")));
  for (const file of [python, ...libraries]) copy(file, context.path);
  fs.cpSync(stdlib, path.join(context.path, stdlib), {
    recursive: true,
    filter: (source) => !NEEDLESS.test(path.basename(source)),
  });
  fs.copyFileSync(program, path.join(context.path, "handler.py"));
  const dockerfile = [
    `FROM ${await nodeImage(docker)}`,
    "COPY . /",
    `CMD ["${python}", "-u", "/handler.py"]`,
  ];
  const build = ["build", "-f", "-", "-t", name, "--label", docker.label, context.path];
  const { code, stderr } = await docker.cli(build, { input: `${dockerfile.join("\n")}\n` });
  if (code !== 0) throw new Error(`${name} cannot be built:\n${stderr}`);
  return name;
}

function copy(file: string, root: string): void {
  fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  fs.copyFileSync(file, path.join(root, file));
}
