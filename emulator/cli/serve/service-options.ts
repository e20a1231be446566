/** The options of a start and of `config` about serving targets. */
import { type Command, Option } from "commander";
import { DASHBOARD_MODES } from "../../core/access/dashboard-mode.ts";
import { ASK_FOR_GPUS, SIMULATE_GPUS } from "../../core/workers/gpu-declaration.ts";
import { HANDLER_ENDINGS } from "../../../runtime/load/prepare-handler.ts";
import { CONFIG_NAME, HANDLER_STEM, SERVER_STEM } from "../given-path.ts";
import { envFileOption, limitsOption, repeatable } from "../shared-options.ts";
import {
  DEFAULT_DATA_DIR,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DOCKER_MODES,
  LOG_MODES,
  ON_OFF,
  S3_OFF,
} from "./setting-values.ts";

/** Adds the targets and the options about serving them. */
export function addServiceOptions(command: Command): Command {
  const targeted = command.argument("[targets...]", TARGETS_HELP);
  return addChoices(addStorageOptions(addNetworkOptions(targeted))).addOption(envFileOption());
}

/** Options about addresses and callers of the service. */
function addNetworkOptions(command: Command): Command {
  return command
    .option("--port <number>", `port to listen on, 0 for any free one (default: ${DEFAULT_PORT})`)
    .option("--host <address>", `address to listen on (default: ${DEFAULT_HOST})`)
    .addOption(
      repeatable(
        "--allowed-host <name>",
        "a further host name of the service, like emulator.example.com, *.example.com, or * for any, which lets every page in a browser of this machine call it; may be repeated",
      ),
    )
    .addOption(
      repeatable(
        "--allowed-origin <origin>",
        "an origin like http://localhost:3000, or * for any, with pages that may call the service from a browser; may be repeated",
      ),
    )
    .option(
      "--trust-proxy <addresses>",
      "trusted proxies, for X-Forwarded-For, -Proto and -Host headers: addresses, ranges like 10.0.0.0/8, loopback, private, separated by commas (default: none)",
    )
    .option(
      "--tls-cert <file>",
      "a certificate in PEM, followed by those of its authorities; the port then accepts HTTPS only",
    )
    .option("--tls-key <file>", "its private key in PEM, without a passphrase")
    .option(
      "--worker-port <number>",
      "port for workers from elsewhere, over TLS, 0 for any free one (default: none)",
    )
    .option(
      "--worker-address <address>",
      "address for workers from elsewhere, as host:port (default: from --advertise or --host)",
    )
    .option(
      "--s3-port <number>",
      `port of the object store for S3 clients, ${S3_OFF} for no store (default: the one above --port, or any free one)`,
    );
}

/** Options about storage and GPUs. */
function addStorageOptions(command: Command): Command {
  return command
    .option(
      "--data-dir <directory>",
      `directory that keeps jobs and objects over restarts (default: ${DEFAULT_DATA_DIR})`,
    )
    .addOption(
      new Option("--ephemeral", "keep nothing; jobs and objects are lost at the end").conflicts([
        "dataDir",
        "store",
      ]),
    )
    .option(
      "--store <address>",
      "a PostgreSQL database for jobs and records instead of the data directory, as postgres://user:password@host:5432/database",
    )
    .option(
      "--objects <address>",
      "with --store: a bucket for large payloads, as s3://bucket/prefix?endpoint=https://host:9000 (default: the database)",
    )
    .option(
      "--advertise <url>",
      "with --store: address of this emulator for others that share the database, as https://10.0.0.7:8888 (default: no others)",
    )
    .addOption(
      new Option(
        "--insecure-replicas <on|off>",
        "whether --advertise may be plain HTTP to another machine (default: off)",
      ).choices(ON_OFF),
    )
    .option(
      "--gpus <inventory>",
      `GPUs for workers: ${ASK_FOR_GPUS} asks nvidia-smi, none has none, ${SIMULATE_GPUS} simulates any GPU, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1", simulated if the machine has none of them (default: ${ASK_FOR_GPUS})`,
    );
}

/** Options with few values. */
function addChoices(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--docker <mode>",
        "whether templates with an image are run as containers, by the Docker engine that DOCKER_HOST names (default: auto)",
      ).choices(DOCKER_MODES),
    )
    .option(
      "--kubernetes <namespace>",
      "a namespace of the Kubernetes cluster that KUBECONFIG names, or that this program runs in: templates with an image are run there as pods",
    )
    .addOption(
      new Option(
        "--local-webhooks <on|off>",
        "whether webhooks may call private and local addresses (default: on if --host is a loopback address)",
      ).choices(ON_OFF),
    )
    .addOption(limitsOption())
    .addOption(
      new Option(
        "--dashboard <mode>",
        "the dashboard at /: with all actions, read-only, or none (default: on)",
      ).choices(DASHBOARD_MODES),
    )
    .addOption(
      new Option(
        "--log <format>",
        "the log on stderr; pretty in a terminal, otherwise json",
      ).choices(LOG_MODES),
    );
}

const TARGETS_HELP =
  `what to serve: a handler file (${HANDLER_ENDINGS.join(", ")}), a directory with a ` +
  `${HANDLER_STEM}${HANDLER_ENDINGS[0]} or ${SERVER_STEM}${HANDLER_ENDINGS[0]}, a directory of such directories, or a config (${CONFIG_NAME}, any .json); ` +
  `default: the current directory. For a directory with the name of a command write, for example, ./build`;
