/** Makes the agents of connections that may lead to other machines. They heed the proxies of the environment. */
import http from "node:http";
import https from "node:https";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { proxyVariables } from "./proxy-choice.ts";

/** An agent of undici. */
export function outgoing(options: Agent.Options): Dispatcher {
  const env = proxyVariables();
  if (env === undefined) return new Agent(options);
  const { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy } = env;
  return new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy });
}

/** Node's own agents; undefined without a proxy. */
export function nodeAgents(options: http.AgentOptions) {
  const proxyEnv = proxyVariables();
  if (proxyEnv === undefined) return undefined;
  const all = { ...options, proxyEnv: { ...proxyEnv } };
  return { httpAgent: new http.Agent(all), httpsAgent: new https.Agent(all) };
}
