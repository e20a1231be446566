/** Explains failures of a Docker engine in sentences that say what to do. Pure. */
import { platformAdvice, programProblem } from "../runs/start-causes.ts";
import { EngineError } from "./container-engine.ts";

const GPU_DRIVER = /could not select device driver/u;
const DISK_FULL = /no space left on device|disk quota exceeded/iu;
const NO_SUCH_PROGRAM =
  /(exec: .*|stat .*): (executable file not found in \$PATH|no such file or directory|permission denied)|.*exec format error/iu;
/** The messages of Docker's engine, of Docker Desktop, and of podman. */
const SOURCE_UNSEEN = [
  /bind source path does not exist:? ?(.*)$/u,
  /[Tt]he path (\S+) is not shared from the host/u,
  /statfs (\S+): no such file or directory/u,
];
const MOUNT_TARGET =
  /invalid (mount|volume) (config|specification|path)|Duplicate mount point|must be an absolute path/u;

const MAKE_ROOM =
  'the disk of the Docker engine is full: make room, for example with "docker system prune", or give it a larger one ("docker info" says where its data is)';

/** Why a container could not be created or started. */
export function startProblem(error: unknown): string {
  if (!(error instanceof EngineError))
    return error instanceof Error ? error.message : String(error);
  if (error.status === undefined) return error.message;
  const said = bare(error.message);
  if (DISK_FULL.test(said)) return `the container cannot be made: ${said}; ${MAKE_ROOM}`;
  if (GPU_DRIVER.test(said))
    return 'the Docker engine has no driver for GPUs: install the NVIDIA Container Toolkit, run "nvidia-ctk runtime configure --runtime=docker" and restart Docker';
  const unseen = unseenSource(error);
  if (unseen !== undefined) return notShared(unseen);
  if (said.includes("catatonit"))
    return `podman has no program for the first process of a container: install the package catatonit (${said})`;
  const [program] = NO_SUCH_PROGRAM.exec(said) ?? [];
  if (program !== undefined) return programProblem(program);
  if (MOUNT_TARGET.test(said))
    return `the container's mounts are invalid: ${said}; volumeMountPath of the template is one of them`;
  return `the Docker engine refuses the container: ${said}`;
}

/** The path of this machine that the engine does not see and cannot mount. Empty if the engine does not name it. */
export function unseenSource({ message }: EngineError): string | undefined {
  for (const pattern of SOURCE_UNSEEN) {
    const match = pattern.exec(message);
    if (match !== null) return match[1] ?? "";
  }
  return undefined;
}

/** @param directory of this machine */
export function notShared(directory = "a directory"): string {
  return `the Docker engine does not see ${directory} of this machine, so it cannot be mounted: share it in the settings of the engine's virtual machine (Docker Desktop: Settings, Resources, File sharing); an engine on another machine cannot mount it`;
}

const DENIED = /denied|unauthorized|authentication required|incorrect username|no basic auth/iu;
const UNKNOWN = /not found|manifest unknown|does not exist/iu;
const OFFLINE =
  /dial tcp|no such host|timeout|connection refused|Temporary failure|request canceled/iu;

export function pullProblem(image: string, error: unknown, hasCredentials: boolean): string {
  if (error instanceof EngineError && error.status === undefined) return error.message;
  const said = error instanceof Error ? error.message : String(error);
  return `the image ${image} is not on this machine and cannot be pulled: ${said.trim()}; ${pullAdvice(said, hasCredentials)}`;
}

function pullAdvice(said: string, hasCredentials: boolean): string {
  if (DISK_FULL.test(said)) return MAKE_ROOM;
  const platform = platformAdvice(said);
  if (platform !== undefined) return platform;
  if (DENIED.test(said) && hasCredentials)
    return "check the image name, and the username and password of the template's container registry auth";
  if (DENIED.test(said))
    return "check the image name; for a private image the template needs a containerRegistryAuthId";
  if (UNKNOWN.test(said)) return "check the template's imageName and its tag";
  if (OFFLINE.test(said)) return "check whether this machine reaches the registry";
  return "an image that you build or pull on this machine yourself is used without a pull";
}

/** The message without the prefixes of the engine's layers. */
function bare(said: string): string {
  return said
    .replace(/^.*starting container process caused: /su, "")
    .replace(
      /^(failed to create (shim task|task for container): )?OCI runtime create failed: /u,
      "",
    )
    .replace(/^runc create failed: /u, "")
    .replace(/^unable to start container process: /u, "")
    .replace(/: unknown$/u, "")
    .trim();
}
