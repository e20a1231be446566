/** The settings of an endpoint that a form can change: written by `npm run docs`. */
export const ENDPOINT_SETTINGS = [
  {"name":"name","label":"Name","kind":"line"},
  {"name":"workersMin","label":"Workers, at least","kind":"number","help":"kept without jobs too"},
  {"name":"workersMax","label":"Workers, at most","kind":"number"},
  {"name":"idleTimeout","label":"Idle timeout","kind":"number","note":"s","help":"time without a job before a worker stops"},
  {"name":"scalerType","label":"Scaler","kind":"choice","only":{"type":"QUEUE"},"choices":[["QUEUE_DELAY","by queue delay"],["REQUEST_COUNT","by job count"]]},
  {"name":"scalerValue","label":"Scaler value","kind":"number","help":"seconds in the queue, or jobs for each worker"},
  {"name":"executionTimeoutMs","label":"Execution timeout","kind":"number","note":"ms","only":{"type":"QUEUE"}},
  {"name":"retries.workerLost","label":"Retries, worker lost","kind":"number","only":{"type":"QUEUE"}},
  {"name":"retries.handlerError","label":"Retries, handler failed","kind":"number","only":{"type":"QUEUE"}},
  {"name":"requestsPerWorker","label":"Requests per worker","kind":"number","help":"each running worker adds this number to the rate limits"},
  {"name":"gpuTypeIds","label":"GPU types","kind":"line","isList":true,"help":"separated by commas, the preferred one first","only":{"computeType":"GPU"},"rolls":true},
  {"name":"gpuCount","label":"GPUs per worker","kind":"number","only":{"computeType":"GPU"},"rolls":true},
  {"name":"cpuFlavorIds","label":"CPU flavours","kind":"line","isList":true,"help":"separated by commas","only":{"computeType":"CPU"},"rolls":true},
  {"name":"vcpuCount","label":"vCPUs","kind":"number","only":{"computeType":"CPU"},"rolls":true},
  {"name":"streams","label":"Streams","kind":"choice","only":{"type":"QUEUE"},"choices":[["durable","when durable"]]},
] as const;
