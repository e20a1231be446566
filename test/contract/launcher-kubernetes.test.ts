/** The Kubernetes launcher keeps the contract of all launchers. */
import { nodeTemplate, openCluster } from "../unit/launch/kubernetes/open-launcher.ts";
import { launcherContract } from "./launcher.contract.ts";
import { type LauncherSubject, templateNamed } from "./launcher/subject.ts";

async function open(): Promise<LauncherSubject> {
  const opened = await openCluster();
  const { api } = opened;
  return {
    ...opened,
    templateOf: nodeTemplate,
    foreign: templateNamed("sv.local/hello"),
    left: async () => api.pods.length + api.objects.list("secrets").length + api.node.processCount,
  };
}

launcherContract("pods", open, { freezes: false });
