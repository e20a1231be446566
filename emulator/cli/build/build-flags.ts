/** The command `build`: its flags and its help. */
import { type Command, Option } from "commander";
import { type Platform, PLATFORMS } from "../../image/platform.ts";
import { repeatable } from "../shared-options.ts";

/** The flags as written; one that was not given is absent. */
export interface BuildFlags {
  readonly tag?: string;
  readonly push?: true;
  readonly baseImage?: string;
  readonly nodeImage?: string;
  readonly rebuildBase?: true;
  readonly pull?: true;
  readonly buildArg?: readonly string[];
  readonly secret?: readonly string[];
  readonly platform?: Platform;
  readonly templateOut?: string;
}

/** @param taken called when the command was given */
export function addBuildCommand(
  program: Command,
  taken: (directory: string | undefined, flags: BuildFlags) => void,
): void {
  program
    .command("build")
    .summary("build the image of a worker")
    .description(
      "Builds the image of a worker from a directory with a handler or a server, and the base image where it is missing; writes the template that refers to it.",
    )
    .argument(
      "[directory]",
      "a directory with a handler.ts or server.ts, or such a file; default: the current directory",
    )
    .option("--tag <name>", "name of the image (default: that of the directory)")
    .option("--push", "push the image to the registry that its name says")
    .option(
      "--base-image <image>",
      "image that the base image is built on (default: one with CUDA)",
    )
    .option("--node-image <image>", "image that Node and npm come from (default: Node's own image)")
    .option("--rebuild-base", "build the base image even if it is there")
    .option("--pull", "fetch the newest images of --base-image and --node-image")
    .addOption(
      new Option("--platform <platform>", "target platform (default: the engine's own)").choices(
        PLATFORMS,
      ),
    )
    .addOption(
      repeatable(
        "--build-arg <name=value>",
        "an ARG of the directory's own Dockerfile, by default with the value of the environment; may be repeated",
      ),
    )
    .addOption(
      repeatable(
        "--secret <id=name,src=file>",
        "a secret, kept out of all layers: for RUN --mount=type=secret, or for the installation of packages (id=npmrc: an .npmrc, else a variable of .npmrc and .yarnrc.yml); env=NAME instead of src takes it from the environment; requires BuildKit; may be repeated",
      ),
    )
    .option(
      "--template-out <file>",
      "file for the template (default: template.json in the directory)",
    )
    .addHelpText("after", AFTER_HELP)
    .action((directory: string | undefined, flags: BuildFlags) => taken(directory, flags));
}

const AFTER_HELP = `
Environment:
  DOCKER_HOST        where the Docker engine listens (default: unix:///var/run/docker.sock)
  DOCKER_CONFIG      directory with the credentials of docker login, for --push (default: ~/.docker)
  DOCKER_BUILDKIT    0 for the classic builder (default: BuildKit if the engine has it)
  SOURCE_DATE_EPOCH  time of the image, in seconds since 1970 (default: that of the Git commit)

Examples:
  sv-emulate build greet                                      the image greet:latest
  sv-emulate build greet --tag registry.example/greet:1 --push
  sv-emulate build greet --base-image node:24.21.0-bookworm-slim   without CUDA

An image that has Node 24 already is given as --base-image and as --node-image.
Progress goes to stderr; the image's name is the one line on stdout.
`;
